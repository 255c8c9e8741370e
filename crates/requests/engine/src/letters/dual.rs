//! Potentials of walks, by linear programming duality (Farkas 1902): what all walks have in common, and given counts
//! have not.
//!
//! For weights `v` of the labels let `m_f(v)` be the least weight of a walk from the
//! start to the state `f`. Then `v·c ≥ m_f(v)` for the counts `c` of every walk to `f`. Numbers
//! `u` of states with `v_a + u_q − u_p ≥ 0` for every edge from `p` to `q` with label `a`
//! show that there is a least weight, and that it is at least `u_start − u_f` (add
//! up along the walk). So a linear program finds weights for which given counts are too
//! light; with a bound on the sum of the sizes of the weights many of them are 0.
//!
//! In the same way, if `w_a + u_q − u_p` is divisible by `d` for every edge, then `w·c −
//! (u_start − u_f)` is for every walk to `f`. Let a tree of edges lead from the start to every
//! state, and let `t_p` be the numbers of labels on the way to `p`. Whatever `w` is, `u_p = −w·t_p` fits
//! the edges of the tree, and the others say that `w·(t_p + a − t_q)` is divisible by `d`. So there
//! are such `w` and `d` that given counts `c` violate iff `c − t_f` is no combination with integral
//! coefficients of the vectors `t_p + a − t_q`, for which [`obstruction`] gives the reason. The
//! literal says only that `w·c` does not leave the remainder that the given counts leave.
//!
//! A clause with one of these for every `f` holds for all walks. For a given `f` only the edges matter
//! from whose ends a walk leads to `f`. More is found about walks with some of the labels alone, and where
//! those that have visited a state are distinguished from those that have not: then the copies of a
//! state are last states of their own. What is found here is a guess about what may hold for
//! other runs as well.

use std::collections::{BTreeMap, BTreeSet};

use serval_arith::lp::{Optimum, minimise};
use serval_arith::{Rational, obstruction};
use serval_budget::{Budget, Stopped};
use serval_linear::{Linear, Literal, Problem};
use serval_proof::letters::{Automaton, gcd};

use super::walk::leading_to;
use crate::span::whole;

/// The largest `d` of a clause, which has a case for each remainder.
const DIVISOR: i64 = 60;

/// The largest `d` for which a smaller one is looked for.
const LARGE: i64 = 10_000;

/// A clause over the counts of classes that holds for all walks, and not for these
/// counts; `None` if none is found.
pub(super) fn separate(automaton: &Automaton, classes: u32, counts: &[i64], budget: &mut Budget) -> Result<Option<Vec<Literal>>, Stopped> {
    let dual = Dual { automaton, classes, counts };
    let ways = dual.ways(budget)?;
    let mut open: Vec<u32> = (0..automaton.states).filter(|&state| ways[state as usize].is_some()).collect();
    if let Some(weights) = dual.weights(None, budget)?
        && let Some(found) = dual.inequality(&weights, &open, budget)?
        && found.states == open
    {
        return Ok(Some(vec![found.literal]));
    }
    let mut clause = Vec::new();
    while let Some(&last) = open.first() {
        let leading = leading_to(automaton, BTreeSet::from([last]));
        let found = match dual.weights(Some((last, &leading)), budget)? {
            Some(weights) => dual.inequality(&weights, &open, budget)?,
            None => {
                let earlier: Vec<u32> = open.iter().copied().filter(|state| leading.contains(state)).collect();
                dual.congruence(last, &earlier, &ways, &leading, budget)?
            }
        };
        match found {
            Some(Excluded { literal, states }) if states.contains(&last) => {
                open.retain(|state| !states.contains(state));
                clause.push(literal);
            }
            _ => return Ok(None),
        }
    }
    Ok(Some(clause))
}

/// A clause for walks with some of the labels alone.
pub(super) struct Conditional {
    /// Which labels walks may have: for each class whether it is one of them.
    pub(super) among: Vec<bool>,
    /// Holds for all walks with these labels alone, and not for the given counts.
    pub(super) clause: Vec<Literal>,
}

/// As [`separate`], but for walks with some of the labels alone: those of the counts, and as many
/// more, in their order, as a clause is found for. If there is none, walks that visit a state are
/// distinguished from those that do not.
pub(super) fn separate_among(
    automaton: &Automaton,
    classes: u32,
    counts: &[i64],
    budget: &mut Budget,
) -> Result<Option<Conditional>, Stopped> {
    let occurs = |label: u32| counts.get(label as usize).is_some_and(|&count| count > 0);
    if let Some(clause) = separate(&restrict(automaton, occurs), classes, counts, budget)? {
        return enlarge(automaton, classes, counts, clause, budget).map(Some);
    }
    for state in 0..automaton.states {
        let apart = told_apart(automaton, state);
        budget.spend(1 + apart.edges.len() as u64)?;
        if let Some(clause) = separate(&restrict(&apart, occurs), classes, counts, budget)? {
            return enlarge(&apart, classes, counts, clause, budget).map(Some);
        }
    }
    Ok(None)
}

/// Adds labels to those of the counts while a clause is found.
fn enlarge(
    automaton: &Automaton,
    classes: u32,
    counts: &[i64],
    mut clause: Vec<Literal>,
    budget: &mut Budget,
) -> Result<Conditional, Stopped> {
    let mut among: Vec<bool> = (0..classes as usize).map(|class| counts.get(class).is_some_and(|&count| count > 0)).collect();
    for class in 0..among.len() {
        if !std::mem::replace(&mut among[class], true) {
            let less = restrict(automaton, |label| among.get(label as usize).copied().unwrap_or(false));
            match separate(&less, classes, counts, budget)? {
                Some(better) => clause = better,
                None => among[class] = false,
            }
        }
    }
    Ok(Conditional { among, clause })
}

/// The same walks, where each state has a copy for walks that have visited `visited`. A state and
/// its copy have numbers that are one after the other.
fn told_apart(automaton: &Automaton, visited: u32) -> Automaton {
    let copy = |state: u32, after: bool| 2 * state + u32::from(after || state == visited);
    let both =
        |after: bool| automaton.edges.iter().map(move |&(from, label, to)| (copy(from, after), label, copy(to, after || from == visited)));
    let edges: BTreeSet<(u32, u32, u32)> = both(false).chain(both(true)).collect();
    Automaton { states: 2 * automaton.states, start: copy(automaton.start, false), edges: edges.into_iter().collect() }
}

/// The automaton without the edges of other labels, and without the states that are then
/// not reached. States are numbered anew, in their order.
pub(super) fn restrict(automaton: &Automaton, keep: impl Fn(u32) -> bool) -> Automaton {
    let kept = || automaton.edges.iter().filter(|edge| keep(edge.1));
    let mut leaving: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for &(from, _, to) in kept() {
        leaving.entry(from).or_default().push(to);
    }
    let mut reached = BTreeMap::from([(automaton.start, 0)]);
    let mut to_visit = vec![automaton.start];
    while let Some(state) = to_visit.pop() {
        for &next in leaving.get(&state).map_or(&[][..], Vec::as_slice) {
            if reached.insert(next, 0).is_none() {
                to_visit.push(next);
            }
        }
    }
    for (number, new) in (0..).zip(reached.values_mut()) {
        *new = number;
    }
    let edges = kept().filter_map(|(from, label, to)| Some((*reached.get(from)?, *label, *reached.get(to)?)));
    Automaton {
        states: u32::try_from(reached.len()).unwrap_or(u32::MAX),
        start: reached.get(&automaton.start).copied().unwrap_or(0),
        edges: edges.collect(),
    }
}

/// A literal that holds for walks to some states, and not for the given counts.
struct Excluded {
    literal: Literal,
    states: Vec<u32>,
}

struct Dual<'a> {
    automaton: &'a Automaton,
    classes: u32,
    counts: &'a [i64],
}

impl Dual<'_> {
    fn count(&self, class: u32) -> i64 {
        self.counts.get(class as usize).copied().unwrap_or(0)
    }

    /// Integral weights under which the counts are too light for walks to a state, which go
    /// through these states alone, or for those to any state.
    fn weights(&self, last: Option<(u32, &BTreeSet<u32>)>, budget: &mut Budget) -> Result<Option<Vec<i64>>, Stopped> {
        let Some((mut problem, objective)) = self.program(last) else { return Err(Stopped::OutOfTicks) };
        let Some(nearby) = self.nearby(&mut problem, &objective) else { return Err(Stopped::OutOfTicks) };
        let mut found = minimise(&problem, &nearby, budget)?;
        if !matches!(&found, Optimum::Vertex(_, least) if least.signum() < 0) {
            found = minimise(&problem, &objective, budget)?;
        }
        let Optimum::Vertex(values, least) = found else { return Ok(None) };
        if least.signum() >= 0 {
            return Ok(None);
        }
        let class = |class: usize| Some(values.get(2 * class)? - values.get(2 * class + 1)?);
        let weights: Option<Vec<Rational>> = (0..self.classes as usize).map(class).collect();
        Ok(weights.and_then(|weights| whole(&weights)).map(|(_, weights)| weights))
    }

    /// The linear program of the module. Its variables are, for each class, the
    /// weight and its negative, of which one is 0; `u`; and how much the greatest `u` exceeds
    /// that of the start, where the last state may be any. Only differences of `u` matter,
    /// so that they need not be negative.
    fn program(&self, last: Option<(u32, &BTreeSet<u32>)>) -> Option<(Problem, Linear)> {
        let weight = |class: u32, times: i64| [(2 * class, times), (2 * class + 1, -times)];
        let first = self.classes.checked_mul(2)?;
        let height = |state: u32| first.checked_add(state);
        let top = height(self.automaton.states)?;
        let mut problem = Problem { variables: top.checked_add(1)?, ..Problem::default() };
        let matters = |to: u32| last.is_none_or(|(_, through)| through.contains(&to));
        for &(from, label, to) in self.automaton.edges.iter().filter(|edge| matters(edge.2)) {
            problem.inequalities.push(Linear::new(weight(label, 1).into_iter().chain([(height(to)?, 1), (height(from)?, -1)]), 0)?);
        }
        problem.inequalities.push(Linear::new((0..first).map(|variable| (variable, -1)), 1)?);
        let start = height(self.automaton.start)?;
        let mut objective: Vec<(u32, i64)> = (0..self.classes).flat_map(|class| weight(class, self.count(class))).collect();
        match last {
            Some((last, _)) => objective.extend([(height(last)?, 1), (start, -1)]),
            None => {
                for state in 0..self.automaton.states {
                    problem.inequalities.push(Linear::new([(top, 1), (start, 1), (height(state)?, -1)], 0)?);
                }
                objective.push((top, 1));
            }
        }
        Some((problem, Linear::new(objective, 0)?))
    }

    /// A second objective: of weights under which the counts are much too light,
    /// those for which few states differ from the start. In a round of many
    /// letters such weights compare a letter with the next one, not with all,
    /// so that fewer clauses say everything.
    fn nearby(&self, problem: &mut Problem, objective: &Linear) -> Option<Linear> {
        let first = self.classes.checked_mul(2)?;
        let height = |state: u32| first.checked_add(state);
        let start = height(self.automaton.start)?;
        let much = i64::from(self.automaton.states).checked_add(1)?.checked_mul(2 * (i64::from(self.classes) + 1))?;
        let mut terms: Vec<(u32, i64)> = Vec::new();
        for &(variable, times) in objective.terms() {
            terms.push((variable, times.checked_mul(much)?));
        }
        for state in (0..self.automaton.states).filter(|&state| state != self.automaton.start) {
            let differs = problem.variables;
            problem.variables = differs.checked_add(1)?;
            for sign in [1, -1] {
                problem.inequalities.push(Linear::new([(differs, 1), (height(state)?, sign), (start, -sign)], 0)?);
            }
            terms.push((differs, 1));
        }
        Linear::new(terms, 0)
    }

    /// That the weight is at least that of all walks to those of the states for which
    /// the counts are too light.
    fn inequality(&self, weights: &[i64], among: &[u32], budget: &mut Budget) -> Result<Option<Excluded>, Stopped> {
        let Some(least) = self.least_weights(weights, budget)? else { return Ok(None) };
        let weight = (0..)
            .zip(weights)
            .try_fold(0_i128, |sum, (class, &weight)| sum.checked_add(i128::from(weight).checked_mul(self.count(class).into())?));
        let Some(weight) = weight else { return Ok(None) };
        let heavier = among.iter().filter_map(|&state| Some((state, least[state as usize].filter(|&least| least > weight)?)));
        let (states, bounds): (Vec<u32>, Vec<i128>) = heavier.unzip();
        // One literal for all of them, whose bound is the least of theirs.
        let Some(bound) = bounds.into_iter().min() else { return Ok(None) };
        let terms = (0..).zip(weights).map(|(class, &weight)| (class, i128::from(weight)));
        Ok(Linear::from_wide(terms, -bound).map(|linear| Excluded { literal: Literal::AtLeastZero(linear), states }))
    }

    /// The least weight of walks to each state (Bellman and Ford), where there are any and
    /// one is the lightest; `None` where numbers do not fit.
    fn least_weights(&self, weights: &[i64], budget: &mut Budget) -> Result<Option<Vec<Option<i128>>>, Stopped> {
        let mut least: Vec<Option<i128>> = vec![None; self.automaton.states as usize];
        least[self.automaton.start as usize] = Some(0);
        // States to which walks get lighter and lighter.
        let mut sinks = vec![false; self.automaton.states as usize];
        for round in 0..u64::from(self.automaton.states) * 2 {
            budget.spend(1 + self.automaton.edges.len() as u64)?;
            let mut changed = false;
            for &(from, label, to) in &self.automaton.edges {
                let (from, to) = (from as usize, to as usize);
                let Some(before) = least[from] else { continue };
                let Some(after) = before.checked_add(weights[label as usize].into()) else { return Ok(None) };
                let lighter = least[to].is_none_or(|known| after < known);
                // The lightest walk without a round trip has fewer edges than there are states.
                if (sinks[from] || (lighter && round >= u64::from(self.automaton.states))) && !sinks[to] {
                    sinks[to] = true;
                    changed = true;
                } else if lighter && !sinks[to] {
                    least[to] = Some(after);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        Ok(Some(least.into_iter().zip(sinks).map(|(least, sinks)| least.filter(|_| !sinks)).collect()))
    }

    /// That `w·c` does not leave the remainder that it leaves for the given counts, which is
    /// not that of walks to a state, which go through these states alone, and perhaps not of
    /// those to others of these states.
    fn congruence(
        &self,
        last: u32,
        among: &[u32],
        ways: &[Option<Vec<i64>>],
        through: &BTreeSet<u32>,
        budget: &mut Budget,
    ) -> Result<Option<Excluded>, Stopped> {
        let Some(equations) = self.combination(ways, last, through) else { return Ok(None) };
        budget.spend(self.automaton.edges.len() as u64 * u64::from(self.classes))?;
        let Some(multiples) = obstruction(&equations, budget)? else { return Ok(None) };
        let mut weights = vec![Rational::ZERO; self.classes as usize];
        for (class, multiple) in multiples {
            weights[class] = multiple.fraction();
        }
        let Some((divisor, weights)) = whole(&weights).filter(|&(divisor, _)| (2..=LARGE).contains(&divisor)) else { return Ok(None) };
        let given = |class: usize| self.counts.get(class).copied().unwrap_or(0);
        let on_way = |state: u32, class: usize| ways[state as usize].as_ref().map_or(0, |way| way[class]);
        let off = remainder(&weights, divisor, |class| given(class) - on_way(last, class));
        // A multiple of the weights may do with a smaller divisor.
        let smaller = (1..divisor).filter(|times| off * times % divisor != 0).map(|times| {
            let weights: Vec<i64> = weights.iter().map(|weight| weight * times % divisor).collect();
            let common = weights.iter().fold(divisor.unsigned_abs(), |common, weight| gcd(common, weight.unsigned_abs()));
            let common = i64::try_from(common).unwrap_or(1);
            (divisor / common, weights.into_iter().map(|weight| weight / common).collect::<Vec<i64>>())
        });
        budget.spend(divisor.unsigned_abs() * u64::from(self.classes))?;
        let Some((divisor, weights)) = smaller.min_by_key(|&(divisor, _)| divisor).filter(|&(divisor, _)| divisor <= DIVISOR) else {
            return Ok(None);
        };
        let wrong = remainder(&weights, divisor, given);
        let right = |state: u32| remainder(&weights, divisor, |class| on_way(state, class));
        let states: Vec<u32> = among.iter().copied().filter(|&state| right(state) != wrong).collect();
        let linear = Linear::new((0..).zip(weights.iter().copied()), -wrong);
        Ok(linear.map(|linear| Excluded { literal: Literal::NotDivisible(linear, divisor.unsigned_abs()), states }))
    }

    /// For each state that can be reached the labels on a way from the start.
    fn ways(&self, budget: &mut Budget) -> Result<Vec<Option<Vec<i64>>>, Stopped> {
        let mut ways: Vec<Option<Vec<i64>>> = vec![None; self.automaton.states as usize];
        ways[self.automaton.start as usize] = Some(vec![0; self.classes as usize]);
        let mut changed = true;
        while changed {
            changed = false;
            budget.spend(1 + self.automaton.edges.len() as u64)?;
            for &(from, label, to) in &self.automaton.edges {
                if ways[to as usize].is_none()
                    && let Some(mut way) = ways[from as usize].clone()
                {
                    way[label as usize] += 1;
                    ways[to as usize] = Some(way);
                    changed = true;
                }
            }
        }
        Ok(ways)
    }

    /// For each class the equation that the counts, minus the way to a state, are a
    /// combination of the vectors of the edges.
    fn combination(&self, ways: &[Option<Vec<i64>>], last: u32, through: &BTreeSet<u32>) -> Option<Vec<Linear>> {
        let end = ways[last as usize].as_ref()?;
        let mut vectors: Vec<Vec<i64>> = Vec::new();
        for &(from, label, to) in self.automaton.edges.iter().filter(|edge| through.contains(&edge.2)) {
            let (Some(from), Some(to)) = (&ways[from as usize], &ways[to as usize]) else { continue };
            let mut vector: Vec<i64> = from.iter().zip(to).map(|(a, b)| a - b).collect();
            vector[label as usize] += 1;
            vectors.push(vector);
        }
        vectors.sort_unstable();
        vectors.dedup();
        let equation = |class: usize| {
            let terms = (0..).zip(&vectors).map(|(variable, vector)| (variable, vector[class]));
            Linear::new(terms, end[class].checked_sub(self.counts.get(class).copied().unwrap_or(0))?)
        };
        (0..self.classes as usize).map(equation).collect()
    }
}

/// What a weighted sum leaves when it is divided. Weights are not negative, and below the
/// divisor.
fn remainder(weights: &[i64], divisor: i64, of: impl Fn(usize) -> i64) -> i64 {
    weights.iter().enumerate().fold(0, |sum, (class, weight)| (sum + weight * of(class).rem_euclid(divisor)) % divisor)
}

#[cfg(test)]
mod tests {
    use serval_testkit::random::SplitMix64;

    use super::super::sample::{clock, counts_up_to, draw, walks};
    use super::*;

    fn separated(automaton: &Automaton, counts: &[i64]) -> Option<Vec<Literal>> {
        separate(automaton, u32::try_from(counts.len()).unwrap(), counts, &mut Budget::ticks(10_000_000)).unwrap()
    }

    fn at_least(terms: &[(u32, i64)], constant: i64) -> Literal {
        Literal::AtLeastZero(Linear::new(terms.iter().copied(), constant).unwrap())
    }

    #[test]
    fn inequalities_are_sparse() {
        // 0 occurs at most once more than 7.
        assert_eq!(separated(&clock(8, 0), &[3, 2, 2, 2, 2, 2, 2, 1]), Some(vec![at_least(&[(0, -1), (7, 1)], 1)]));
    }

    #[test]
    fn congruences() {
        // Three steps of the same label lead round; from 0 another label leads on to the end.
        let edges = vec![(0, 0, 1), (0, 1, 3), (1, 0, 2), (2, 0, 0)];
        let automaton = Automaton { states: 4, start: 0, edges };
        let clause = separated(&automaton, &[4, 1]).unwrap();
        assert!(clause.iter().any(|literal| matches!(literal, Literal::NotDivisible(_, 3))), "{clause:?}");
        assert!(clause.iter().all(|literal| !literal.holds(&[4, 1])));
        assert!((0..9).all(|n| clause.iter().any(|literal| literal.holds(&[3 * n, 1]))));
        assert_eq!(separated(&automaton, &[3, 1]), None);
    }

    #[test]
    fn restriction() {
        let edges = vec![(0, 0, 3), (1, 1, 3), (2, 0, 0), (3, 1, 1), (3, 2, 2)];
        let automaton = Automaton { states: 4, start: 2, edges };
        let expected = Automaton { states: 3, start: 1, edges: vec![(0, 0, 2), (1, 0, 0), (2, 2, 1)] };
        assert_eq!(restrict(&automaton, |label| label != 1), expected);
        assert_eq!(restrict(&automaton, |_| true), automaton);
        assert_eq!(restrict(&automaton, |_| false), Automaton { states: 1, start: 0, edges: Vec::new() });
    }

    #[test]
    fn clauses_hold_for_all_walks_and_not_for_the_counts() {
        let sweep = serval_effort::sweep("engine.dual", 150, 150);
        let random = &mut SplitMix64::new(sweep.seed(11));
        let drawn: Vec<(usize, Automaton)> = (0..sweep.count())
            .map(|_| {
                let classes = 1 + random.below(3);
                (classes, draw(random, classes))
            })
            .collect();
        let each = serval_effort::side_by_side(&drawn, |&(classes, ref automaton)| {
            let (mut found, mut conditional, mut others, mut long) = (0, 0, 0, 0);
            let walks = walks(automaton, classes, 8);
            for counts in counts_up_to(classes, 5) {
                let clause = separated(automaton, &counts);
                if walks.contains(&counts) {
                    assert_eq!(clause, None, "{automaton:?} {counts:?}");
                    continue;
                }
                let Some(clause) = clause else {
                    let number = u32::try_from(classes).unwrap();
                    let Some(found) = separate_among(automaton, number, &counts, &mut Budget::ticks(10_000_000)).unwrap() else {
                        others += 1;
                        continue;
                    };
                    conditional += 1;
                    let holds = |counts: &[i64]| found.clause.iter().any(|literal| literal.holds(counts));
                    let absent = |counts: &[i64]| counts.iter().zip(&found.among).all(|(&count, &there)| there || count == 0);
                    assert!(absent(&counts) && !holds(&counts), "{automaton:?} {counts:?} {:?}", found.clause);
                    assert!(walks.iter().all(|counts| !absent(counts) || holds(counts)), "{automaton:?} {counts:?} {:?}", found.clause);
                    continue;
                };
                found += 1;
                long += u64::from(clause.len() > 1);
                assert!(!clause.iter().any(|literal| literal.holds(&counts)), "{automaton:?} {counts:?} {clause:?}");
                let holds = |counts: &Vec<i64>| clause.iter().any(|literal| literal.holds(counts));
                assert!(walks.iter().all(holds), "{automaton:?} {counts:?} {clause:?}");
            }
            [found, conditional, others, long]
        });
        let [found, conditional, others, long] = each.into_iter().fold([0; 4], |sum, one| std::array::from_fn(|at| sum[at] + one[at]));
        let count = sweep.count();
        let many = found > 6 * count && long * 20 > count && conditional * 20 > count && others * 50 < found;
        assert!(!sweep.is_representative() || many, "{found} clauses, {long} of them long, {conditional} conditional; none for {others}");
    }
}
