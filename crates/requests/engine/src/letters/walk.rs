//! Walks with given numbers of labels.
//!
//! A walk exists iff numbers of times for the edges exist that are balanced and
//! connected (Euler). [`by_counting`] asks the solver for such numbers;
//! [`by_tables`] goes through all parts of the given numbers, which is faster
//! where there are few.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serval_arith::{Outcome, Solver};
use serval_budget::{Budget, Stopped};
use serval_linear::{Linear, Literal, Problem};
use serval_proof::letters::Automaton;

/// From, label, to.
type LabelledEdge = (u32, u32, u32);

/// Pairs of a part of the numbers and a state that are gone through at most.
const TABLE: usize = 1 << 16;

/// How often each edge is used on a walk from the start with exactly these
/// numbers of labels; `None` if there is none. Labels for which there is no
/// entry do not occur.
pub(super) fn walk(automaton: &Automaton, counts: &[i64], budget: &mut Budget) -> Result<Option<Vec<i64>>, Stopped> {
    walk_within(automaton, counts, |_| true, budget)
}

/// The same through some of the states alone, of which the start is one.
pub(super) fn walk_within(
    automaton: &Automaton,
    counts: &[i64],
    may: impl Fn(u32) -> bool,
    budget: &mut Budget,
) -> Result<Option<Vec<i64>>, Stopped> {
    let counts: BTreeMap<u32, i64> = (0..).zip(counts.iter().copied()).filter(|&(_, count)| count != 0).collect();
    let (mut kept, mut edges) = (Vec::new(), Vec::new());
    for (index, edge) in automaton.edges.iter().enumerate() {
        if counts.contains_key(&edge.1) && may(edge.0) && may(edge.2) {
            kept.push(index);
            edges.push(*edge);
        }
    }
    budget.spend(automaton.edges.len() as u64)?;
    let found = match by_tables(automaton.start, &edges, &counts, budget)? {
        Some(found) => found,
        None => by_counting(automaton.start, &edges, &counts, budget)?,
    };
    Ok(found.map(|uses| {
        let mut all = vec![0; automaton.edges.len()];
        for (edge, used) in kept.into_iter().zip(uses) {
            all[edge] = used;
        }
        all
    }))
}

/// A walk, if there is one, by going through all parts of the numbers: which
/// states walks with these lead to. `None` where there are too many.
fn by_tables(
    start: u32,
    edges: &[LabelledEdge],
    counts: &BTreeMap<u32, i64>,
    budget: &mut Budget,
) -> Result<Option<Option<Vec<i64>>>, Stopped> {
    if counts.values().any(|&count| count < 0) {
        return Ok(Some(None));
    }
    let touched: BTreeSet<u32> = edges.iter().flat_map(|&(from, _, to)| [from, to]).chain([start]).collect();
    let states: BTreeMap<u32, usize> = touched.into_iter().zip(0..).collect();
    // A part is a number with a digit for each label; a pair has the state as its last digit.
    let mut size = states.len();
    let mut digits: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    for (&label, &count) in counts {
        let Some(base) = usize::try_from(count).ok().and_then(|count| count.checked_add(1)) else { return Ok(None) };
        digits.insert(label, (size, base));
        match size.checked_mul(base) {
            Some(product) if product <= TABLE => size = product,
            _ => return Ok(None),
        }
    }
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); states.len()];
    for (index, (from, ..)) in edges.iter().enumerate() {
        leaving[states[from]].push(index);
    }
    budget.spend(size as u64 / 8)?;
    let mut came: Vec<Option<usize>> = vec![None; size];
    let mut queue = VecDeque::from([states[&start]]);
    let full = size - states.len();
    while let Some(pair) = queue.pop_front() {
        if pair >= full {
            return Ok(Some(Some(uses_of(edges, &states, &digits, &came, pair))));
        }
        let leaving = &leaving[pair % states.len()];
        budget.spend(1 + leaving.len() as u64)?;
        for &edge in leaving {
            let (from, label, to) = edges[edge];
            let Some(&(step, base)) = digits.get(&label) else { continue };
            if pair / step % base + 1 < base {
                let next = pair + step + states[&to] - states[&from];
                if came[next].is_none() {
                    came[next] = Some(edge);
                    queue.push_back(next);
                }
            }
        }
    }
    Ok(Some(None))
}

/// How often each edge is used on the way to a pair. Each step back takes away a
/// label, so that the way ends.
fn uses_of(
    edges: &[LabelledEdge],
    states: &BTreeMap<u32, usize>,
    digits: &BTreeMap<u32, (usize, usize)>,
    came: &[Option<usize>],
    end: usize,
) -> Vec<i64> {
    let mut uses = vec![0; edges.len()];
    let mut pair = end;
    while pair >= states.len()
        && let Some(edge) = came[pair]
    {
        uses[edge] += 1;
        let (from, label, to) = edges[edge];
        pair = pair + states[&from] - states[&to] - digits[&label].0;
    }
    uses
}

/// A walk, if there is one, by the solver.
pub(crate) fn by_counting(
    start: u32,
    edges: &[LabelledEdge],
    counts: &BTreeMap<u32, i64>,
    budget: &mut Budget,
) -> Result<Option<Vec<i64>>, Stopped> {
    // Only edges with labels that occur matter.
    let used: Vec<usize> = (0..edges.len()).filter(|&edge| counts.get(&edges[edge].1).is_some_and(|&count| count > 0)).collect();
    let mut states: BTreeMap<u32, Vec<(u32, i64)>> = BTreeMap::from([(start, Vec::new())]);
    let mut labels: BTreeMap<u32, Vec<(u32, i64)>> = counts.keys().map(|&label| (label, Vec::new())).collect();
    for (variable, &edge) in (0..).zip(&used) {
        let (from, label, to) = edges[edge];
        states.entry(from).or_default().push((variable, -1));
        states.entry(to).or_default().push((variable, 1));
        labels.entry(label).or_default().push((variable, 1));
    }
    let Some(mut variables) = u32::try_from(used.len()).ok() else { return Err(Stopped::OutOfTicks) };
    let mut problem = Problem::default();
    let mut ends = Vec::new();
    for (&state, terms) in &states {
        ends.push((variables, 1));
        let terms = terms.iter().copied().chain([(variables, -1)]);
        variables += 1;
        problem.equalities.extend(Linear::new(terms, i64::from(state == start)));
    }
    problem.equalities.extend(Linear::new(ends, -1));
    for (label, terms) in labels {
        problem.equalities.extend(Linear::new(terms, -counts.get(&label).copied().unwrap_or(0)));
    }
    problem.variables = variables;
    let mut solver = Solver::new(problem);
    loop {
        let found = match solver.solve(budget) {
            Outcome::Satisfiable(found) => found,
            Outcome::Refuted(_) => return Ok(None),
            Outcome::Stopped(stopped) => return Err(stopped),
        };
        let mut uses = vec![0; edges.len()];
        for (&edge, &count) in used.iter().zip(&found) {
            uses[edge] = count;
        }
        let reached = reached_by(start, edges, &uses);
        if (0..edges.len()).all(|edge| uses[edge] == 0 || reached.contains(&edges[edge].0)) {
            return Ok(Some(uses));
        }
        // Edges outside are used only if an edge leads outside.
        let outside = (0..).zip(&used).filter(|&(_, &edge)| !reached.contains(&edges[edge].0)).map(|(v, _)| (v, -1));
        let leads = |edge: usize| reached.contains(&edges[edge].0) && !reached.contains(&edges[edge].2);
        let leaving = (0..).zip(&used).filter(|&(_, &edge)| leads(edge)).map(|(v, _)| (v, 1));
        let (Some(none), Some(some)) = (Linear::new(outside, 0), Linear::new(leaving, -1)) else { return Err(Stopped::OutOfTicks) };
        solver.add_clause(vec![Literal::AtLeastZero(none), Literal::AtLeastZero(some)]);
    }
}

/// The states that used edges lead to from the start.
fn reached_by(start: u32, edges: &[LabelledEdge], uses: &[i64]) -> BTreeSet<u32> {
    let mut leaving: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (&(from, _, to), _) in edges.iter().zip(uses).filter(|&(_, &used)| used > 0) {
        leaving.entry(from).or_default().push(to);
    }
    let mut reached = BTreeSet::from([start]);
    let mut to_visit = vec![start];
    while let Some(state) = to_visit.pop() {
        for &next in leaving.get(&state).map_or(&[][..], Vec::as_slice) {
            if reached.insert(next) {
                to_visit.push(next);
            }
        }
    }
    reached
}

/// The states from which a walk leads to one of these.
pub(super) fn leading_to(automaton: &Automaton, states: BTreeSet<u32>) -> BTreeSet<u32> {
    let mut entering: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for &(from, _, to) in &automaton.edges {
        entering.entry(to).or_default().push(from);
    }
    let mut to_visit: Vec<u32> = states.iter().copied().collect();
    let mut found = states;
    while let Some(state) = to_visit.pop() {
        for &from in entering.get(&state).map_or(&[][..], Vec::as_slice) {
            if found.insert(from) {
                to_visit.push(from);
            }
        }
    }
    found
}

/// Where a balanced walk ends.
pub(super) fn end_of(automaton: &Automaton, uses: &[i64]) -> u32 {
    let mut excess: BTreeMap<u32, i64> = BTreeMap::from([(automaton.start, 1)]);
    for (&(from, _, to), &times) in automaton.edges.iter().zip(uses) {
        *excess.entry(from).or_default() -= times;
        *excess.entry(to).or_default() += times;
    }
    excess.into_iter().find(|&(_, excess)| excess > 0).map_or(automaton.start, |(state, _)| state)
}

#[cfg(test)]
mod tests {
    use serval_testkit::random::SplitMix64;

    use super::super::sample::{counts_up_to, draw, shards, walks};
    use super::*;

    /// Whether the uses are those of a walk with these counts, by definition.
    fn is_walk(automaton: &Automaton, counts: &[i64], uses: &[i64]) -> bool {
        let mut sums = vec![0; counts.len()];
        for (edge, used) in automaton.edges.iter().zip(uses) {
            sums[edge.1 as usize] += used;
        }
        let end = end_of(automaton, uses);
        let balanced = (0..automaton.states).all(|state| {
            let excess: i64 =
                automaton.edges.iter().zip(uses).map(|(edge, used)| (i64::from(edge.2 == state) - i64::from(edge.0 == state)) * used).sum();
            excess == i64::from(state == end) - i64::from(state == automaton.start)
        });
        let reached = reached_by(automaton.start, &automaton.edges, uses);
        sums == counts && balanced && automaton.edges.iter().zip(uses).all(|(edge, &used)| used == 0 || reached.contains(&edge.0))
    }

    #[test]
    fn both_ways_find_walks_where_there_are_any() {
        let sweep = serval_effort::sweep("engine.walks", 40, 150);
        let random = &mut SplitMix64::new(sweep.seed(7));
        for _ in 0..sweep.count() {
            let classes = 1 + random.below(3);
            let automaton = draw(random, classes);
            let walks = walks(&automaton, classes, 5);
            for counts in counts_up_to(classes, 5) {
                let some: BTreeMap<u32, i64> = (0..).zip(counts.iter().copied()).filter(|&(_, count)| count > 0).collect();
                let edges = automaton.edges.as_slice();
                let budget = &mut Budget::ticks(1_000_000);
                let (tables, counting) = (by_tables(0, edges, &some, budget), by_counting(0, edges, &some, budget));
                let found = walk(&automaton, &counts, budget).unwrap();
                for uses in [found, tables.unwrap().unwrap(), counting.unwrap()] {
                    assert_eq!(uses.is_some(), walks.contains(&counts), "{automaton:?} {counts:?}");
                    assert!(uses.is_none_or(|uses| is_walk(&automaton, &counts, &uses)), "{automaton:?} {counts:?}");
                }
            }
        }
    }

    #[test]
    fn large_numbers_are_left_to_the_solver() {
        let automaton = shards(2);
        let counts = [1_000, 1_000, 500, 499, 70, 90_000];
        let some: BTreeMap<u32, i64> = (0..).zip(counts).collect();
        assert_eq!(by_tables(0, &automaton.edges, &some, &mut Budget::unlimited()), Ok(None));
        let uses = walk(&automaton, &counts, &mut Budget::ticks(1_000_000)).unwrap().unwrap();
        assert!(is_walk(&automaton, &counts, &uses));
        // Three of the bits more often set than cleared.
        assert_eq!(walk(&automaton, &[3, 0, 0, 0, 0, 0], &mut Budget::unlimited()), Ok(None));
        assert_eq!(walk(&automaton, &[-1, 0, 0, 0, 0, 0], &mut Budget::unlimited()), Ok(None));
        assert_eq!(walk(&automaton, &counts, &mut Budget::ticks(100)), Err(Stopped::OutOfTicks));
    }
}
