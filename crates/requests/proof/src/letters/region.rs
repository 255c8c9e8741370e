//! Flow regions: sets of counts of labels that walks of an automaton have.
//!
//! Let an automaton be given, whose edges are labelled with *classes*. A region
//! has a last state `f`; for some edges `e` an expression `E_e` in the counts `c`
//! of the classes and a number `d_e`, which together say how often the edge is
//! used, `y_e = E_e(c)/d_e`; and a *tree* of arcs, which are pairs of states. Edges
//! that are not listed are not used: there `y_e = 0`. The counts `c` are *in* the
//! region if
//!
//! 1. all `E_e(c)` are at least 0 and divisible by `d_e`;
//! 2. for each state `p`, the sum of `y` over the edges that enter `p` minus that
//!    over the edges that leave it is `[p = f] − [p = start]`;
//! 3. for each class, the sum of `y` over its edges is the count of the class;
//! 4. for each arc `(p, p')` of the tree, the sum of `y` over the listed edges from
//!    `p` to `p'` is at least 1, or that over the listed edges that touch the subtree
//!    of `p'`, which are those that begin or end in it, is 0.
//!
//! All of this is data that a certificate may choose as it likes, if
//!
//! - edges, classes, states and divisors are what they should be
//!   (`letters.region.numbers`);
//! - the arcs are a tree whose root is the start: the first state of each is the
//!   start or the second state of an arc before it, and the second states are
//!   different from each other and from the start (`letters.region.tree`);
//! - every state that a listed edge touches is in the tree, which the start always
//!   is (`letters.region.spans`).
//!
//! **Lemma.** *Counts in the region are those of a walk from the start.*
//!
//! *Proof.* By 1 all `y_e` are natural numbers. Let an edge be listed with `y_e ≥ 1`, and
//! let `s` be a state that it touches. It is in the tree (`letters.region.spans`). There
//! is one way up from `s` to the start (`letters.region.tree`). Each arc on it has `s`
//! in its subtree, and so the sum over the edges that touch the subtree is not 0. By 4 some
//! edge along the arc is used. So `s` is connected with the start by edges that are
//! used. Hence all edges that are used are connected with each other and with the start.
//! By 2 each state is left as often as it is entered, but for the start and `f`, if
//! these are different: the start is left once more, and `f` is entered once more. So there
//! is an Euler walk from the start to `f` that uses each edge `y_e` times; if no edge is
//! used, 2 says that `f` is the start, and it is the empty walk. By 3 it has these counts. ∎
//!
//! # What is said about counts outside
//!
//! A problem has the counts as its first variables. [`add_region`] adds clauses to
//! it that say that the counts are not in the region, with new variables `z`, one for
//! some of the arcs. The *clause of the region* has the literals
//!
//! - `E_e ≤ −1`, and `d_e` does not divide `E_e`, for each listed edge;
//! - for each equation of 2 and 3 that it does not hold: it is too large, or too small;
//! - for each arc `z ≥ 1`, where two more clauses say `z ≤ 0` or *the sum over the arc
//!   is at most 0*, and `z ≤ 0` or *the sum over what touches the subtree is at least 1*.
//!
//! A sum of `y_e` is written as a sum of `(D/d_e)·E_e`, where `D` is a common multiple of
//! the `d_e` in it, and compared with `D` times the number. What holds, or cannot hold, for
//! any natural numbers is left out, and an inequality is divided by what its
//! coefficients have in common and rounded.
//!
//! **Lemma.** *Natural numbers `c` can be extended by natural numbers for the new
//! variables such that all new clauses hold if and only if `c` is not in the region.*
//!
//! *Proof.* Let `c` not be in the region. For each arc let `z` be 1 if both inequalities
//! that its clauses mention hold, and 0 if not; so these clauses hold. If 1 fails, so that
//! some `E_e` is negative or not divisible, a literal of the region's clause says so; if 2
//! or 3 fails as well. Otherwise 4 fails at some arc. By 1 the sums are natural numbers, so
//! the sum over the arc is at most 0, and the other one at least 1: its `z` is 1.
//! Now let the clauses hold. If a literal of the first two kinds holds, `c` is not in the
//! region. Otherwise 1 holds, some `z` is at least 1, and both its inequalities hold:
//! 4 fails. ∎
//!
//! For three kinds of arcs no new variable is needed. If the sum over the arc is at most 0 for
//! any counts, its literal is that over the subtree; if that over the subtree is always
//! at least 1, its literal is that over the arc; if one of the two never holds, there is none.
//! And if `f` is in the subtree, then by 1 and 2 something enters it: where neither fails, the
//! sum over the subtree is at least 1, and again the literal is that over the arc.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serval_evidence::{objects, require};

use serval_linear::{Linear, Literal, Problem};

use super::Automaton;
use crate::flow::{Clause, lcm};
use crate::{Checked, Work};

/// A set of counts of classes that walks of an automaton have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Region {
    /// Where the walks end.
    pub last: u32,
    /// How often edges are used, sorted by edge; edges that are not listed are
    /// not used.
    pub flows: Vec<Flow>,
    /// Arcs, from the start on.
    pub tree: Vec<(u32, u32)>,
}

/// How often an edge is used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Flow {
    /// The number of the edge.
    pub edge: u32,
    /// `d`, at least 1.
    pub divisor: u64,
    /// `E`: the constant, and a coefficient for each class.
    pub constant: i64,
    /// The coefficients, sorted by class, none 0.
    pub terms: Vec<(u32, i64)>,
}

objects!(Region, Flow);

/// The conditions of a region; says whether it can be looked at any further.
pub fn check_region(automaton: &Automaton, classes: u32, region: &Region, work: &mut Work) -> Checked<bool> {
    // Each flow is written out in the sums over arcs and in at most four others.
    let written = region.flows.iter().fold(0_usize, |sum, flow| sum.saturating_add(flow.terms.len() + 1));
    // Each state is written out in the subtrees of the arcs above it.
    let written = written.saturating_add(region.tree.len());
    work.spend(written.saturating_mul(region.tree.len().saturating_add(5)).saturating_add(classes as usize))?;
    let known = has_numbers(automaton, classes, region);
    require!(LettersRegionNumbers, known, "an edge, a class or a state that is not there, edges or classes in disorder, or division by 0");
    if !known {
        return Ok(false);
    }
    let mut reached = BTreeSet::from([automaton.start]);
    let grows = region.tree.iter().fold(true, |grows, &(from, to)| {
        let known = reached.contains(&from);
        reached.insert(to) && known && grows
    });
    require!(LettersRegionTree, grows, "the arcs are not a tree from the start");
    let spans = region.flows.iter().all(|flow| {
        let (from, _, to) = automaton.edges[flow.edge as usize];
        reached.contains(&from) && reached.contains(&to)
    });
    require!(LettersRegionSpans, spans, "an edge touches a state outside the tree");
    Ok(true)
}

/// Whether all numbers mean something.
fn has_numbers(automaton: &Automaton, classes: u32, region: &Region) -> bool {
    let is_state = |state: u32| state < automaton.states;
    let is_edge = |edge: u32| automaton.edges.get(edge as usize).is_some_and(|&(_, label, _)| label < classes);
    let is_flow = |flow: &Flow| {
        let terms = &flow.terms;
        is_edge(flow.edge)
            && flow.divisor >= 1
            && terms.is_sorted_by(|a, b| a.0 < b.0)
            && terms.iter().all(|&(class, coefficient)| class < classes && coefficient != 0)
    };
    is_state(region.last)
        && region.tree.iter().all(|&(from, to)| is_state(from) && is_state(to))
        && region.flows.is_sorted_by(|a, b| a.edge < b.edge)
        && region.flows.iter().all(is_flow)
}

/// A positive multiple of a sum of flows.
struct Sum {
    scale: i64,
    linear: Linear<u32>,
}

impl Sum {
    /// The sum of flows, each with a sign; `None` where numbers do not fit.
    fn of(flows: &[(&Flow, i64)]) -> Option<Self> {
        let scale = flows.iter().try_fold(1_i64, |scale, (flow, _)| lcm(scale, i64::try_from(flow.divisor).ok()?))?;
        let (mut terms, mut constant) = (Vec::new(), 0_i128);
        for &(flow, sign) in flows {
            let factor = i128::from(scale / i64::try_from(flow.divisor).ok()?) * i128::from(sign);
            constant = constant.checked_add(factor.checked_mul(flow.constant.into())?)?;
            for &(class, coefficient) in &flow.terms {
                terms.push((class, factor.checked_mul(coefficient.into())?));
            }
        }
        Some(Self { scale, linear: Linear::from_wide(terms, constant)? })
    }

    /// That `sign` times the scaled sum plus `constant` is at least 0, divided by
    /// what the coefficients have in common.
    fn literal(&self, sign: i64, extra: Option<(u32, i64)>, constant: i128) -> Option<Literal> {
        let terms: Vec<(u32, i128)> =
            self.linear.terms().iter().copied().chain(extra).map(|(class, n)| (class, i128::from(n) * i128::from(sign))).collect();
        let constant = i128::from(self.linear.constant()).checked_mul(sign.into())?.checked_add(constant)?;
        let linear = Linear::from_wide(terms, constant)?;
        let common = linear.terms().iter().fold(0_u64, |common, &(_, n)| gcd(common, n.unsigned_abs()));
        let common = i64::try_from(common.max(1)).ok()?;
        let terms = linear.terms().iter().map(|&(class, n)| (class, n / common));
        Some(Literal::AtLeastZero(Linear::new(terms, linear.constant().div_euclid(common))?))
    }

    /// That the sum is at least a number.
    fn at_least(&self, number: i64) -> Option<Literal> {
        self.literal(1, None, -i128::from(number).checked_mul(self.scale.into())?)
    }

    /// That the sum is at most 0.
    fn at_most_zero(&self) -> Option<Literal> {
        self.literal(-1, None, 0)
    }

    /// That the sum is not a number, or not the count of a class: too large, or
    /// too small.
    fn differs(&self, number: i64, class: Option<u32>) -> Option<[Literal; 2]> {
        let number = i128::from(number).checked_mul(self.scale.into())?;
        let count = class.map(|class| (class, -self.scale));
        Some([self.literal(1, count, -number - 1)?, self.literal(-1, count, number - 1)?])
    }
}

/// The greatest common divisor; that with 0 is the other number.
pub fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Whether a literal holds for all natural numbers, or for none, as far as its
/// signs tell.
fn known(literal: &Literal) -> Option<bool> {
    let linear = literal.linear();
    match literal {
        Literal::AtLeastZero(_) if linear.constant() >= 0 && linear.terms().iter().all(|&(_, n)| n > 0) => Some(true),
        Literal::AtLeastZero(_) if linear.constant() < 0 && linear.terms().iter().all(|&(_, n)| n < 0) => Some(false),
        Literal::NotDivisible(_, divisor) if linear.terms().iter().all(|&(_, n)| n.unsigned_abs().is_multiple_of(*divisor)) => {
            Some(!linear.constant().unsigned_abs().is_multiple_of(*divisor))
        }
        _ => None,
    }
}

/// The states of the subtree below each arc, in the order of the arcs.
fn subtrees(tree: &[(u32, u32)]) -> Vec<BTreeSet<u32>> {
    let mut below: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    let mut found: Vec<BTreeSet<u32>> = Vec::new();
    for &(from, to) in tree.iter().rev() {
        let mut states = below.remove(&to).unwrap_or_default();
        states.insert(to);
        below.entry(from).or_default().extend(&states);
        found.push(states);
    }
    found.reverse();
    found
}

/// Adds to a problem whose first variables are the counts of the classes that
/// the counts are not in the region; `None` where numbers do not fit. The module
/// says how. The region meets its conditions.
pub fn add_region(problem: &mut Problem, automaton: &Automaton, classes: u32, region: &Region) -> Option<()> {
    let (clauses, variables) = region_clauses(automaton, classes, region, problem.variables)?;
    problem.clauses.extend(clauses);
    problem.variables = variables;
    Some(())
}

/// The clauses that [`add_region`] adds, where new variables are numbered from
/// `variables` on; and how many variables there are then. No clauses where the
/// region is seen to be empty.
pub fn region_clauses(automaton: &Automaton, classes: u32, region: &Region, variables: u32) -> Option<(Vec<Clause>, u32)> {
    let mut whole = Whole { variables, ..Whole::default() };
    for flow in &region.flows {
        let alone = Linear::from_sorted(flow.terms.clone(), flow.constant)?;
        whole.either(Sum { scale: 1, linear: alone.clone() }.literal(-1, None, -1)?);
        whole.either(Literal::NotDivisible(alone, flow.divisor));
    }
    let ends = |flow: &Flow| automaton.edges.get(flow.edge as usize).copied();
    let mut states: BTreeMap<u32, Vec<(&Flow, i64)>> = BTreeMap::from([(automaton.start, Vec::new()), (region.last, Vec::new())]);
    let mut labels: Vec<Vec<(&Flow, i64)>> = vec![Vec::new(); classes as usize];
    for flow in &region.flows {
        let (from, label, to) = ends(flow)?;
        if from != to {
            states.entry(from).or_default().push((flow, -1));
            states.entry(to).or_default().push((flow, 1));
        }
        labels.get_mut(label as usize)?.push((flow, 1));
    }
    for (&state, flows) in &states {
        let excess = i64::from(state == region.last) - i64::from(state == automaton.start);
        Sum::of(flows)?.differs(excess, None)?.into_iter().for_each(|literal| whole.either(literal));
    }
    for (class, flows) in (0..).zip(&labels) {
        Sum::of(flows)?.differs(0, Some(class))?.into_iter().for_each(|literal| whole.either(literal));
    }
    for (&arc, below) in region.tree.iter().zip(subtrees(&region.tree)) {
        let along = |flow: &Flow| ends(flow).is_some_and(|(from, _, to)| (from, to) == arc);
        let touches = |flow: &Flow| ends(flow).is_some_and(|(from, _, to)| below.contains(&from) || below.contains(&to));
        let over = |chosen: &dyn Fn(&Flow) -> bool| {
            Sum::of(&region.flows.iter().filter(|&flow| chosen(flow)).map(|flow| (flow, 1)).collect::<Vec<_>>())
        };
        let none = over(&along)?.at_most_zero()?;
        if below.contains(&region.last) {
            whole.either(none);
        } else {
            whole.both(none, over(&touches)?.at_least(1)?)?;
        }
    }
    Some(whole.clauses())
}

/// A literal that can be looked up: its divisor (0 if it has none), its terms and
/// its constant.
type Written = (u64, Vec<(u32, i64)>, i64);

/// The clause of a region, and those of the new variables.
#[derive(Default)]
struct Whole {
    clause: Clause,
    /// The literals of the clause, but for those of new variables.
    listed: BTreeSet<Written>,
    /// Clauses of new variables.
    others: Vec<Clause>,
    variables: u32,
    /// Whether a literal holds for any counts.
    holds: bool,
}

impl Whole {
    fn either(&mut self, literal: Literal) {
        match known(&literal) {
            Some(true) => self.holds = true,
            Some(false) => {}
            None => {
                let divisor = if let Literal::NotDivisible(_, divisor) = literal { divisor } else { 0 };
                let linear = literal.linear();
                if self.listed.insert((divisor, linear.terms().to_vec(), linear.constant())) {
                    self.clause.push(literal);
                }
            }
        }
    }

    /// Both of two literals.
    fn both(&mut self, first: Literal, second: Literal) -> Option<()> {
        match (known(&first), known(&second)) {
            (Some(false), _) | (_, Some(false)) => {}
            (Some(true), _) => self.either(second),
            (_, Some(true)) => self.either(first),
            (None, None) => {
                let z = self.variables;
                self.variables = z.checked_add(1)?;
                self.clause.push(Literal::AtLeastZero(Linear::new([(z, 1)], -1)?));
                let not = Literal::AtLeastZero(Linear::new([(z, -1)], 0)?);
                self.others.extend([vec![not.clone(), first], vec![not, second]]);
            }
        }
        Some(())
    }

    /// All clauses, that of the region first, and how many variables there are.
    fn clauses(self) -> (Vec<Clause>, u32) {
        if self.holds {
            let new = self.others.len() / 2;
            return (Vec::new(), self.variables - u32::try_from(new).unwrap_or(0));
        }
        (std::iter::once(self.clause).chain(self.others).collect(), self.variables)
    }
}

/// Whether counts are in a region; `None` where numbers do not fit. Counts for
/// which there is no entry are 0. The region meets its conditions.
pub fn contains(automaton: &Automaton, classes: u32, region: &Region, counts: &[i64]) -> Option<bool> {
    let count = |class: u32| counts.get(class as usize).copied().unwrap_or(0);
    let mut excess: BTreeMap<u32, i128> = BTreeMap::new();
    *excess.entry(automaton.start).or_default() += 1;
    *excess.entry(region.last).or_default() -= 1;
    let mut left: Vec<i128> = (0..classes).map(|class| count(class).into()).collect();
    let mut uses: Vec<((u32, u32), i128)> = Vec::new();
    for flow in &region.flows {
        let linear = Linear::from_sorted(flow.terms.clone(), flow.constant)?;
        let value = linear.value(|class| count(class).into())?;
        if value < 0 || value.checked_rem(flow.divisor.into())? != 0 {
            return Some(false);
        }
        let used = value / i128::from(flow.divisor);
        let &(from, label, to) = automaton.edges.get(flow.edge as usize)?;
        for (state, by) in [(from, -used), (to, used)] {
            let entry = excess.entry(state).or_default();
            *entry = entry.checked_add(by)?;
        }
        let left = left.get_mut(label as usize)?;
        *left = left.checked_sub(used)?;
        uses.push(((from, to), used));
    }
    let balanced = excess.values().all(|&excess| excess == 0) && left.iter().all(|&left| left == 0);
    let connected = region.tree.iter().zip(subtrees(&region.tree)).all(|(&arc, below)| {
        uses.iter().any(|&(along, used)| along == arc && used > 0)
            || !uses.iter().any(|&((from, to), used)| used > 0 && (below.contains(&from) || below.contains(&to)))
    });
    Some(balanced && connected)
}
