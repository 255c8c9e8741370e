//! Letters that are proved group by group.
//!
//! What groups are, and why each may be proved on its own, is said in
//! [`serval_proof::letters::groups`]; here they are found. Two letters *depend* on each
//! other if they cannot be exchanged somewhere, be it that both are possible at a state, or that one follows
//! the other; groups are what hangs together by this. So nothing is lost: a walk can be
//! sorted by groups. Letters that label loops only are looked at apart: these read what
//! the groups have done together.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serval_budget::{Budget, Stopped};
use serval_model::{Node, NormalForm};
use serval_proof::letters::{Automaton, Fact, Group, Groups, LettersProof, Visit};

use super::levels::{self, Collapsed};
use super::support::{self, HOW};
use super::{LettersOutcome, LettersWork};

/// How far the proof of each group on its own has come.
#[derive(Debug, Default)]
pub(super) enum Grouped {
    /// Not looked for yet.
    #[default]
    New,
    Begun(Box<Begun>),
    /// There are no groups, or loops that read them cannot be guarded.
    Over,
}

/// Groups, each with an automaton of its own.
#[derive(Debug)]
pub(super) struct Begun {
    loops: BTreeSet<Node>,
    each: Vec<Group>,
    /// What was known before, and more.
    facts: Vec<Fact>,
    /// For as many of the loops as have been looked at, in their order.
    visits: Vec<Visit>,
    /// What is left to be covered: the groups, and the letters that are in none.
    open: VecDeque<Collapsed>,
    /// What is being covered; it has the facts meanwhile.
    current: Option<LettersWork>,
    covered: Vec<LettersWork>,
}

impl Grouped {
    /// Proves each group on its own, with what is known and more; `None` if there are no groups,
    /// or if that is not enough. The proof has no levels. Can be called again, with the same system.
    pub(super) fn prove(
        &mut self,
        form: &NormalForm,
        before: &Collapsed,
        facts: &[Fact],
        budget: &mut Budget,
    ) -> Result<Option<LettersProof>, Stopped> {
        if matches!(self, Self::New) {
            *self = begin(form, before, facts, budget)?.map_or(Self::Over, |begun| Self::Begun(Box::new(begun)));
        }
        let Self::Begun(begun) = self else { return Ok(None) };
        if !begun.visits(form, &before.automaton, budget)? {
            *self = Self::Over;
            return Ok(None);
        }
        Ok(begun.cover(form, budget)?.then(|| begun.proof()))
    }
}

/// Groups, each made small; `None` if there are none.
fn begin(form: &NormalForm, before: &Collapsed, facts: &[Fact], budget: &mut Budget) -> Result<Option<Begun>, Stopped> {
    let Collapsed { automaton, removed, .. } = before;
    // Mostly there are very few states, and then there is nothing to gain.
    if automaton.states < 4 {
        return Ok(None);
    }
    let (loops, others) = letters(automaton);
    let without = automaton.without(|letter| loops.contains(&letter));
    let Some(groups) = independent(&without, &others, budget)? else { return Ok(None) };
    let mut facts = facts.to_vec();
    let all: BTreeSet<Node> = form.node_numbers().filter(|&node| form.is_done(node)).collect();
    let mut each = Vec::new();
    let mut open = VecDeque::new();
    for letters in groups {
        let others: BTreeSet<Node> = all.iter().copied().filter(|letter| letters.binary_search(letter).is_err()).collect();
        budget.spend((all.len() + without.edges.len()) as u64)?;
        let own = without.without(|letter| others.contains(&letter));
        let collapsed = levels::collapse(form, own, others, &mut facts, budget)?;
        // As many steps as it takes to have been everywhere once.
        let first = collapsed.levels.first().map_or(1, |level| level.automaton.states);
        let steps = if loops.is_empty() { 0 } else { first.saturating_sub(1) };
        each.push(Group { letters, steps, ..Group::default() });
        open.push_back(collapsed);
    }
    let mut removed = removed.clone();
    removed.extend(loops.iter().copied().chain(each.iter().flat_map(|group| group.letters.iter().copied())));
    let rest = automaton.without(|letter| removed.contains(&letter));
    open.push_back(Collapsed { levels: Vec::new(), automaton: rest, removed });
    Ok(Some(Begun { loops, each, facts, visits: Vec::new(), open, current: None, covered: Vec::new() }))
}

impl Begun {
    /// Finds for each loop letter guards such that every walk that needs it visits one of its loops;
    /// whether there are such.
    fn visits(&mut self, form: &NormalForm, automaton: &Automaton, budget: &mut Budget) -> Result<bool, Stopped> {
        for &letter in self.loops.iter().skip(self.visits.len()) {
            match visit(form, automaton, letter, &self.each, &mut self.facts, budget)? {
                Some(visit) => self.visits.push(visit),
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Covers one group after the other; whether all are covered.
    fn cover(&mut self, form: &NormalForm, budget: &mut Budget) -> Result<bool, Stopped> {
        loop {
            let mut work = match self.current.take() {
                Some(work) => work,
                None => match self.open.pop_front() {
                    Some(collapsed) => LettersWork { is_group: true, ..LettersWork::new(form, collapsed, std::mem::take(&mut self.facts)) },
                    None => return Ok(true),
                },
            };
            let found = work.cover(form, budget);
            let Ok(LettersOutcome::Proof(proof)) = found else {
                self.current = Some(work);
                return found.map(|_| false);
            };
            work.proof = proof;
            self.facts = std::mem::take(&mut work.proof.facts);
            self.covered.push(work);
        }
    }

    /// The proof, where all are covered.
    fn proof(&mut self) -> LettersProof {
        let (mut covered, mut each) = (std::mem::take(&mut self.covered), std::mem::take(&mut self.each));
        let facts = std::mem::take(&mut self.facts);
        // Facts that were found for one group may say something about another.
        for work in &mut covered {
            work.number_clauses(Some(&facts));
        }
        let rest = covered.pop().map(|work| work.proof).unwrap_or_default();
        for (group, work) in each.iter_mut().zip(covered) {
            let LettersProof { levels, classes, regions, tree, .. } = work.proof;
            *group = Group { levels, classes, regions, tree, ..std::mem::take(group) };
        }
        LettersProof { facts, groups: Some(Groups { visits: std::mem::take(&mut self.visits), each }), ..rest }
    }
}

/// The letters that label loops only, and the others that have edges.
fn letters(automaton: &Automaton) -> (BTreeSet<Node>, Vec<Node>) {
    let moving: BTreeSet<Node> = automaton.edges.iter().filter(|(from, _, to)| from != to).map(|edge| edge.1).collect();
    let loops = automaton.edges.iter().map(|edge| edge.1).filter(|letter| !moving.contains(letter)).collect();
    (loops, moving.into_iter().collect())
}

/// Sets of letters such that letters of different ones can be exchanged everywhere;
/// `None` if there is only one.
fn independent(automaton: &Automaton, letters: &[Node], budget: &mut Budget) -> Result<Option<Vec<Vec<Node>>>, Stopped> {
    if letters.len() < 2 {
        return Ok(None);
    }
    let place = |letter: Node| letters.binary_search(&letter).unwrap_or(0);
    // For each letter one of its set, itself for one of them.
    let mut leader: Vec<usize> = (0..letters.len()).collect();
    let mut sets = letters.len();
    let first_of = |leader: &[usize], mut at: usize| {
        while leader[at] != at {
            at = leader[at];
        }
        at
    };
    let has = |from: u32, letter: Node, to: u32| automaton.edges.binary_search(&(from, letter, to)).is_ok();
    for &(p, a, q) in &automaton.edges {
        let beside = automaton.edges_of(p).iter().filter(|edge| edge.1 > a).map(|&(_, b, to)| (b, to, true));
        let after = automaton.edges_of(q).iter().filter(|edge| edge.1 != a).map(|&(_, b, to)| (b, to, false));
        for (b, to, is_beside) in beside.chain(after) {
            budget.spend(1)?;
            let (one, other) = (first_of(&leader, place(a)), first_of(&leader, place(b)));
            if one == other {
                continue;
            }
            // Both ways round the same end is reached.
            let exchanged = if is_beside {
                automaton.edges_from(q, b).iter().any(|&(.., end)| has(to, a, end))
            } else {
                automaton.edges_from(p, b).iter().any(|&(.., between)| has(between, a, to))
            };
            if !exchanged {
                leader[one.max(other)] = one.min(other);
                sets -= 1;
                if sets == 1 {
                    return Ok(None);
                }
            }
        }
    }
    let mut groups: BTreeMap<usize, Vec<Node>> = BTreeMap::new();
    for (at, &letter) in letters.iter().enumerate() {
        groups.entry(first_of(&leader, at)).or_default().push(letter);
    }
    Ok(Some(groups.into_values().collect()))
}

/// A walk that begins, as the checker looks at it.
struct Beginning {
    state: u32,
    group: usize,
    made: u32,
    used: Vec<Node>,
    absent: Vec<Node>,
}

/// Guards such that every walk that needs a loop letter visits one of its loops; `None` if there are none.
fn visit(
    form: &NormalForm,
    automaton: &Automaton,
    letter: Node,
    each: &[Group],
    facts: &mut Vec<Fact>,
    budget: &mut Budget,
) -> Result<Option<Visit>, Stopped> {
    let mut to_do = vec![Beginning { state: automaton.start, group: 0, made: 0, used: Vec::new(), absent: Vec::new() }];
    let mut guards = BTreeSet::new();
    while let Some(Beginning { state, group, made, used, absent }) = to_do.pop() {
        budget.spend(1 + absent.len() as u64)?;
        if automaton.has_loop(state, letter) {
            continue;
        }
        let Some(Group { letters, steps, .. }) = each.get(group) else {
            // Those with the fewest absent letters come first, so that their guards do for others.
            budget.spend(facts.len() as u64)?;
            let Some(guard) = guard(form, automaton, (letter, &absent), facts, budget)? else { return Ok(None) };
            guards.insert(guard);
            continue;
        };
        let next = group + 1;
        if made >= *steps {
            to_do.push(Beginning { state, group: next, made: 0, used: Vec::new(), absent });
            continue;
        }
        let unused = letters.iter().copied().filter(|letter| !used.contains(letter));
        let mut over: Vec<Node> = absent.iter().copied().chain(unused).collect();
        over.sort_unstable();
        to_do.push(Beginning { state, group: next, made: 0, used: Vec::new(), absent: over });
        for &(_, label, to) in automaton.edges_of(state).iter().filter(|edge| letters.binary_search(&edge.1).is_ok()) {
            let used = used.iter().copied().chain([label]).collect();
            to_do.push(Beginning { state: to, group, made: made + 1, used, absent: absent.clone() });
        }
    }
    Ok(Some(Visit { letter, guards: guards.into_iter().collect() }))
}

/// The number of a fact that says that a letter is not answered where others are
/// absent; it may be a new one.
fn guard(
    form: &NormalForm,
    automaton: &Automaton,
    (letter, absent): (Node, &[Node]),
    facts: &mut Vec<Fact>,
    budget: &mut Budget,
) -> Result<Option<u32>, Stopped> {
    let speaks = |fact: &Fact| {
        let said = fact.absence().filter(|said| said.never.binary_search(&letter).is_ok());
        said.is_some_and(|said| support::are_in(&said.outside, absent))
    };
    if let Some(known) = facts.iter().position(speaks) {
        return Ok(u32::try_from(known).ok());
    }
    // Mostly it is enough that the groups have not begun. Smaller ones are not looked for: those with
    // the fewest absent letters come first.
    let begins = |letter: &Node| !automaton.edges_from(automaton.start, *letter).is_empty();
    let few: Vec<Node> = absent.iter().copied().filter(begins).collect();
    let sets: &[&[Node]] = if few == absent { &[absent] } else { &[&few, absent] };
    for (how, outside) in HOW.into_iter().flat_map(|how| sets.iter().map(move |&outside| (how, outside))) {
        let mut never = support::never(form, outside, how, budget)?;
        if never.binary_search(&letter).is_ok() {
            never.retain(|letter| outside.binary_search(letter).is_err());
            facts.push(support::absence(how, outside.to_vec(), Vec::new(), never));
            return Ok(u32::try_from(facts.len() - 1).ok());
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use serval_compile::{Options, compile};
    use serval_families::Family;

    use super::super::sample::{clock, shards};
    use super::*;

    fn groups_of(automaton: &Automaton) -> Option<Vec<Vec<Node>>> {
        let (loops, others) = letters(automaton);
        independent(&automaton.without(|letter| loops.contains(&letter)), &others, &mut Budget::ticks(100_000)).unwrap()
    }

    #[test]
    fn bits_are_independent_and_numbers_are_not() {
        for bits in 2..6 {
            let groups: Vec<Vec<Node>> = (0..bits).map(|bit| vec![2 * bit, 2 * bit + 1]).collect();
            assert_eq!(groups_of(&shards(bits)), Some(groups));
        }
        assert_eq!(groups_of(&clock(5, 1)), None);
        // A bit that is set only while another one is not.
        let mut bound = shards(3);
        bound.edges.retain(|&(from, letter, _)| letter != 2 || from & 1 == 0);
        assert_eq!(groups_of(&bound), Some(vec![vec![0, 1, 2, 3], vec![4, 5]]));
    }

    /// What a proof takes grows with the shards as facts do, and not with the ways to end.
    #[test]
    fn shards_are_proved_one_by_one() {
        for (shards, ticks) in [(2, 20_000), (3, 40_000), (4, 80_000)] {
            let program = serval_syntax::analyze(&Family::named("shards").unwrap().program(shards)).program.unwrap();
            let compiled = compile(&program, Options::default(), &Budget::ticks(1_000_000)).unwrap();
            let [component] = compiled.components() else { panic!() };
            let (form, _) = NormalForm::new(component.system()).unwrap();
            let Ok(LettersOutcome::Proof(proof)) = super::super::prove(&form, &mut Budget::ticks(2 * ticks)) else { panic!("{shards}") };
            let groups = proof.groups.unwrap();
            assert_eq!(groups.each.len(), shards);
            assert!(groups.each.iter().all(|group| group.regions.len() <= 3), "{shards}");
            // Each number of shards that have begun but all of them excludes a sum, and a shard counts up before down.
            assert!(proof.facts.len() <= (1 << shards) + 3 * shards, "{shards}: {}", proof.facts.len());
        }
    }
}
