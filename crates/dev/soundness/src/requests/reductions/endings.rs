//! A finer comparison than that of answers.
//!
//! The rules keep the answers; most of them keep more, as their proofs say:
//! from which global state to which a complete run leads. And those that do
//! not rely on pairs keep it whatever global state is the initial one. A
//! wrong rule shows here earlier than in the answers.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use serval_model::{Letter, Node, NormalForm};
use serval_proof::script::Entry;

/// What complete runs with a fixed number of requests do: the global state
/// before, the answers in order, the global state afterwards.
type Ending = (u32, Vec<Letter>, u32);

/// The ends of complete runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endings {
    interleaved: BTreeSet<Ending>,
    serial: BTreeSet<Ending>,
}

/// From where ends can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// From every global state.
    Anywhere,
    /// From the initial global state.
    Initial,
}

impl From {
    /// From where a script keeps the ends of runs; `None` if it need not.
    pub fn kept_by(script: &[Entry]) -> Option<Self> {
        script.iter().try_fold(Self::Anywhere, |from, entry| match entry {
            // Global states get other numbers.
            Entry::GlobalQuotient(_) | Entry::Track(_) => None,
            Entry::Dominated(dominated) if !dominated.globals.is_empty() => None,
            Entry::Pairs => Some(Self::Initial),
            _ => Some(from),
        })
    }
}

impl Endings {
    /// All ends of runs with one to three requests. `None` if that visits more
    /// than `limit` configurations.
    pub fn of(form: &NormalForm, from: From, mut limit: usize) -> Option<Self> {
        let starts: Vec<u32> = match from {
            From::Anywhere => (0..form.global_count()).collect(),
            From::Initial => vec![form.initial_global()],
        };
        let initial: Vec<Node> = form.node_numbers().filter(|&node| form.is_initial(node) && !form.steps_of(node).is_empty()).collect();
        let mut groups: Vec<Vec<Node>> = vec![Vec::new()];
        let (mut interleaved, mut serial) = (BTreeSet::new(), BTreeSet::new());
        for _ in 0..3 {
            // One more request, at a node that is not before those of the others.
            let longer = |group: &Vec<Node>| {
                let last = group.last().copied().unwrap_or(0);
                initial.iter().filter(|&&node| node >= last).map(|&node| [group.as_slice(), &[node]].concat()).collect::<Vec<_>>()
            };
            groups = groups.iter().flat_map(longer).collect();
            for group in &groups {
                for &start in &starts {
                    explore(form, start, group, false, &mut limit, &mut interleaved)?;
                    explore(form, start, group, true, &mut limit, &mut serial)?;
                }
            }
        }
        Some(Self { interleaved, serial })
    }
}

/// Adds the ends of all runs of a group of requests from one global state. If
/// `alone`, a request that has made a step is the only one that moves until it
/// has answered.
fn explore(form: &NormalForm, start: u32, group: &[Node], alone: bool, limit: &mut usize, ends: &mut BTreeSet<Ending>) -> Option<()> {
    // The global state, who is moving, and the others.
    type RunState = (u32, Option<Node>, Vec<Node>);
    let first: RunState = (start, None, group.to_vec());
    let mut seen: FxHashSet<RunState> = FxHashSet::from_iter([first.clone()]);
    let mut to_visit = vec![first];
    while let Some((global, moving, others)) = to_visit.pop() {
        *limit = limit.checked_sub(1)?;
        if moving.is_none() && others.iter().all(|&node| form.is_done(node)) {
            let mut letters: Vec<Letter> = others.iter().filter_map(|&node| form.letter(node)).collect();
            letters.sort_unstable();
            ends.insert((start, letters, global));
            continue;
        }
        let movers: Vec<(Node, Vec<Node>)> = match moving {
            Some(node) => vec![(node, others)],
            None => (0..others.len())
                .filter(|&index| index == 0 || others[index] != others[index - 1])
                .map(|index| {
                    let mut rest = others.clone();
                    (rest.remove(index), rest)
                })
                .collect(),
        };
        for (node, others) in movers {
            for step in form.steps_from((node, global)) {
                let next = if alone && !form.is_done(step.to_node) {
                    (step.to_global, Some(step.to_node), others.clone())
                } else {
                    let mut all = others.clone();
                    all.insert(all.partition_point(|&other| other < step.to_node), step.to_node);
                    (step.to_global, None, all)
                };
                if seen.insert(next.clone()) {
                    to_visit.push(next);
                }
            }
        }
    }
    Some(())
}
