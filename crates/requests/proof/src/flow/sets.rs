//! Sets of answers that are serial.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serval_budget::{Budget, Stopped};
use serval_evidence::{objects, require};
use serval_model::{Node, NormalForm};

use super::{Clause, TOO_LARGE};
use crate::script::simulation;
use crate::{Checked, Work};
use serval_linear::{Linear, Literal};

/// One request alone: from a global state, to an answer (a done node), and the
/// global state that it leaves behind.
pub type Edge = (u32, Node, u32);

/// How often each edge is used: numbers of edges, each at most once.
pub type Uses = Vec<(u32, u32)>;

/// Answers of a base, and any number of times each period.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct LinearSet {
    /// A walk from the initial global state.
    pub base: Uses,
    /// Round trips.
    pub periods: Vec<Period>,
}

/// One period, and how its number is found from the answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Period {
    /// The round trips.
    pub edges: Uses,
    /// `d`, at least 1.
    pub divisor: u64,
    /// `E`: the constant, and a coefficient for each letter, which is given by
    /// its done node.
    pub constant: i64,
    /// The coefficients, sorted by node, none 0.
    pub terms: Vec<(Node, i64)>,
}

objects!(LinearSet, Period);

/// All edges, sorted. A tick for each step that is looked at.
pub fn serial_edges(form: &NormalForm, budget: &mut Budget) -> Result<Vec<Edge>, Stopped> {
    let initial: Vec<Node> = form.node_numbers().filter(|&node| form.is_initial(node)).collect();
    let mut edges = Vec::new();
    let mut seen = vec![false; form.global_count() as usize];
    let mut to_visit = vec![form.initial_global()];
    seen[form.initial_global() as usize] = true;
    while let Some(global) = to_visit.pop() {
        for &node in &initial {
            for (at, after) in simulation::reach_from(form, (node, global), budget)? {
                if form.is_done(at) {
                    edges.push((global, at, after));
                    if !std::mem::replace(&mut seen[after as usize], true) {
                        to_visit.push(after);
                    }
                }
            }
        }
    }
    edges.sort_unstable();
    edges.dedup();
    Ok(edges)
}

/// The base is a walk and the periods are round trips from it; says whether the
/// set can be looked at any further.
pub fn check_set(form: &NormalForm, edges: &[Edge], set: &LinearSet, work: &mut Work) -> Checked<bool> {
    let parts = || std::iter::once(&set.base).chain(set.periods.iter().map(|period| &period.edges));
    work.spend(parts().map(Vec::len).sum::<usize>().saturating_mul(2))?;
    let known = parts().all(|uses| uses.is_sorted_by(|a, b| a.0 < b.0) && uses.iter().all(|&(edge, _)| (edge as usize) < edges.len()));
    let is_letter = |node: Node| (node as usize) < form.nodes().len() && form.is_done(node);
    let divides = |period: &Period| period.divisor >= 1 && period.terms.iter().all(|&(node, _)| is_letter(node));
    let known = known && set.periods.iter().all(divides);
    require!(FlowEdges, known, "an edge or a letter that is not there, an edge twice, or division by 0");
    if !known {
        return Ok(false);
    }
    let begin = form.initial_global();
    let ends = unbalanced(edges, &set.base).ok_or(TOO_LARGE)?;
    let walks = ends.is_empty() || (ends.len() == 2 && ends.get(&begin) == Some(&1) && ends.values().any(|&excess| excess == -1));
    require!(FlowBase, walks, "the base is no walk from the initial global state");
    let begins = connected(edges, begin, &[&set.base]);
    require!(FlowConnected, begins, "the base is not connected with the initial global state");
    let mut landings = vec![1_usize; form.nodes().len()];
    form.steps().iter().for_each(|step| landings[step.to_node as usize] += 1);
    for period in &set.periods {
        // In the clause its expression is written out in counts of steps, for each letter.
        let written = period.terms.iter().fold(0_usize, |sum, &(node, _)| sum.saturating_add(landings[node as usize]));
        work.spend(period.edges.len().saturating_mul(written).saturating_add(set.base.len()))?;
        let closed = unbalanced(edges, &period.edges).ok_or(TOO_LARGE)?.is_empty();
        require!(FlowPeriod, closed, "a period is no round trip");
        let touches = connected(edges, begin, &[&set.base, &period.edges]);
        require!(FlowConnected, touches, "a period is not connected with the base");
    }
    Ok(true)
}

/// The states that are not left as often as entered, and how much more often.
fn unbalanced(edges: &[Edge], uses: &Uses) -> Option<BTreeMap<u32, i64>> {
    let mut excess: BTreeMap<u32, i64> = BTreeMap::new();
    for &(edge, times) in uses {
        let (from, _, to) = edges[edge as usize];
        for (state, sign) in [(from, 1), (to, -1)] {
            let entry = excess.entry(state).or_default();
            *entry = entry.checked_add(sign * i64::from(times))?;
        }
    }
    excess.retain(|_, excess| *excess != 0);
    Some(excess)
}

/// Whether all edges that are used hang together with a state.
fn connected(edges: &[Edge], with: u32, parts: &[&Uses]) -> bool {
    let used = || parts.iter().flat_map(|uses| uses.iter()).filter(|&&(_, times)| times > 0).map(|&(edge, _)| edges[edge as usize]);
    let mut neighbours: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (from, _, to) in used() {
        neighbours.entry(from).or_default().push(to);
        neighbours.entry(to).or_default().push(from);
    }
    let mut to_visit = vec![with];
    let mut reached = BTreeSet::from([with]);
    while let Some(state) = to_visit.pop() {
        for &next in neighbours.get(&state).map_or(&[][..], Vec::as_slice) {
            if reached.insert(next) {
                to_visit.push(next);
            }
        }
    }
    used().all(|(from, ..)| reached.contains(&from))
}

/// How often each letter is on these edges.
pub fn letters_of(edges: &[Edge], uses: &Uses) -> Option<BTreeMap<Node, i64>> {
    let mut letters: BTreeMap<Node, i64> = BTreeMap::new();
    for &(edge, times) in uses {
        let letter = letters.entry(edges[edge as usize].1).or_default();
        *letter = letter.checked_add(i64::from(times))?;
    }
    Some(letters)
}

/// The clause that the answers are not in the set, in the counts of steps; `None` where numbers do not fit.
pub fn set_clause(form: &NormalForm, edges: &[Edge], set: &LinearSet) -> Option<Clause> {
    let mut landings: BTreeMap<Node, Vec<u32>> = BTreeMap::new();
    for (variable, step) in (0..).zip(form.steps()) {
        if form.is_done(step.to_node) {
            landings.entry(step.to_node).or_default().push(variable);
        }
    }
    clause_in(form, edges, set, &landings)
}

/// The same in the numbers of answers: the variable of each is its done node.
pub fn answers_clause(form: &NormalForm, edges: &[Edge], set: &LinearSet) -> Option<Clause> {
    clause_in(form, edges, set, &form.node_numbers().map(|node| (node, vec![node])).collect())
}

/// The same in variables that add up to the number of each answer.
fn clause_in(form: &NormalForm, edges: &[Edge], set: &LinearSet, landings: &BTreeMap<Node, Vec<u32>>) -> Option<Clause> {
    let in_counts = |terms: &BTreeMap<Node, i64>, constant: i64, sign: i64| -> Option<Linear> {
        let mut counts = Vec::new();
        for (node, &coefficient) in terms {
            let coefficient = coefficient.checked_mul(sign)?;
            counts.extend(landings.get(node).map_or(&[][..], Vec::as_slice).iter().map(|&variable| (variable, coefficient)));
        }
        Linear::new(counts, constant)
    };
    let common = set.periods.iter().try_fold(1_i64, |common, period| lcm(common, i64::try_from(period.divisor).ok()?))?;
    let base = letters_of(edges, &set.base)?;
    let mut clause = Vec::new();
    // For each letter a: common·(r_a − b_a) − Σ (common/d)·E·p(a).
    let mut rest: BTreeMap<Node, (BTreeMap<Node, i64>, i64)> = BTreeMap::new();
    for node in form.node_numbers().filter(|&node| form.is_done(node)) {
        let constant = base.get(&node).copied().unwrap_or(0).checked_mul(common)?.checked_neg()?;
        rest.insert(node, (BTreeMap::from([(node, common)]), constant));
    }
    for period in &set.periods {
        let terms: BTreeMap<Node, i64> = period.terms.iter().copied().collect();
        let below = period.constant.checked_neg()?.checked_sub(1)?;
        clause.push(Literal::AtLeastZero(in_counts(&terms, below, -1)?));
        if period.divisor > 1 {
            clause.push(Literal::NotDivisible(in_counts(&terms, period.constant, 1)?, period.divisor));
        }
        let share = common / i64::try_from(period.divisor).ok()?;
        for (letter, times) in letters_of(edges, &period.edges)? {
            let factor = share.checked_mul(times)?;
            let (sum, constant) = rest.get_mut(&letter)?;
            *constant = constant.checked_sub(period.constant.checked_mul(factor)?)?;
            for (&node, &coefficient) in &terms {
                let entry = sum.entry(node).or_default();
                *entry = entry.checked_sub(coefficient.checked_mul(factor)?)?;
            }
        }
    }
    for (terms, constant) in rest.values() {
        clause.push(Literal::AtLeastZero(in_counts(terms, constant.checked_sub(1)?, 1)?));
        clause.push(Literal::AtLeastZero(in_counts(terms, constant.checked_neg()?.checked_sub(1)?, -1)?));
    }
    // What cannot hold whatever the counts need not be said.
    clause.retain(|literal| !(literal.linear().terms().is_empty() && matches!(literal, Literal::AtLeastZero(e) if e.constant() < 0)));
    Some(clause)
}

/// The least common multiple of two positive numbers; `None` where it does not
/// fit.
pub fn lcm(a: i64, b: i64) -> Option<i64> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a.checked_mul(b.checked_div(x)?)
}
