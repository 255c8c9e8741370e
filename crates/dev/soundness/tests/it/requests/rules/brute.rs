//! What requests answer, and which labels walks have, by trying everything.

use std::collections::{BTreeMap, BTreeSet};

use serval_model::{Node, NormalForm};
use serval_proof::letters::Automaton;

/// How often each letter is answered; none is 0.
pub(super) type Answers = BTreeMap<Node, i64>;

/// Configurations that one enumeration may visit.
const CONFIGURATIONS: usize = 6_000;

/// The answers of all complete runs of `requests` requests; `None` if there is too
/// much to visit.
pub(super) fn answers_of(form: &NormalForm, requests: usize) -> Option<BTreeSet<Answers>> {
    let initial: Vec<Node> = form.node_numbers().filter(|&node| form.is_initial(node)).collect();
    let mut begun: BTreeSet<Vec<Node>> = BTreeSet::from([Vec::new()]);
    for _ in 0..requests {
        begun = begun.iter().flat_map(|nodes| initial.iter().map(|&node| sorted(nodes.iter().copied().chain([node])))).collect();
    }
    let mut to_visit: Vec<_> = begun.into_iter().map(|nodes| (form.initial_global(), nodes, Answers::new())).collect();
    let mut seen: BTreeSet<_> = to_visit.iter().cloned().collect();
    let mut found = BTreeSet::new();
    while let Some((global, nodes, answers)) = to_visit.pop() {
        if nodes.is_empty() {
            found.insert(answers);
            continue;
        }
        for (at, &node) in nodes.iter().enumerate() {
            for step in form.steps_from((node, global)) {
                let (mut nodes, mut answers) = (nodes.clone(), answers.clone());
                nodes.remove(at);
                if form.is_done(step.to_node) {
                    *answers.entry(step.to_node).or_default() += 1;
                } else {
                    nodes = sorted(nodes.into_iter().chain([step.to_node]));
                }
                let next = (step.to_global, nodes, answers);
                if seen.insert(next.clone()) {
                    to_visit.push(next);
                }
            }
        }
        if seen.len() > CONFIGURATIONS {
            return None;
        }
    }
    Some(found)
}

fn sorted(nodes: impl Iterator<Item = Node>) -> Vec<Node> {
    let mut nodes: Vec<Node> = nodes.collect();
    nodes.sort_unstable();
    nodes
}

/// Whether a walk of an automaton has these labels, so many times each.
pub(super) fn has_walk(automaton: &Automaton, answers: &Answers) -> bool {
    let mut to_visit = vec![(automaton.start, answers.clone())];
    let mut seen: BTreeSet<_> = to_visit.iter().cloned().collect();
    while let Some((state, left)) = to_visit.pop() {
        if left.is_empty() {
            return true;
        }
        for &(_, label, to) in automaton.edges.iter().filter(|(from, label, _)| *from == state && left.contains_key(label)) {
            let mut fewer = left.clone();
            fewer.entry(label).and_modify(|count| *count -= 1);
            fewer.retain(|_, count| *count > 0);
            if seen.insert((to, fewer.clone())) {
                to_visit.push((to, fewer));
            }
        }
    }
    false
}

/// The labels of all walks of at most `length` edges.
pub(super) fn walks(automaton: &Automaton, length: usize) -> BTreeSet<Answers> {
    let mut layer = BTreeSet::from([(automaton.start, Answers::new())]);
    let mut found = BTreeSet::new();
    for _ in 0..=length {
        found.extend(layer.iter().map(|(_, answers)| answers.clone()));
        let mut next = BTreeSet::new();
        for (state, answers) in &layer {
            for &(_, label, to) in automaton.edges.iter().filter(|(from, ..)| from == state) {
                next.insert((to, with(answers, label, 1)));
            }
        }
        layer = next;
    }
    found
}

/// One label more often.
pub(super) fn with(answers: &Answers, label: u32, more: i64) -> Answers {
    let mut answers = answers.clone();
    if more > 0 {
        *answers.entry(label).or_default() += more;
    }
    answers
}

/// How often some letters are answered, all together.
pub(super) fn sum(answers: &Answers, letters: &[Node]) -> i64 {
    letters.iter().filter_map(|letter| answers.get(letter)).sum()
}
