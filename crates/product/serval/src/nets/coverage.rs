//! The minimal coverability set of a net, and how long covering runs can be.

use serval_arith::Int;
use serval_budget::{Budget, Cancel, Stopped};
use serval_net_engine::cover::{Tree, levels, shorter_pump};
use serval_net_proof::{Claim, Cover, Evidence, Pump, check, pump};
use serval_petri::{Formula, Marking, Net, PlaceId, TransitionId};
use serval_report::nets::{CoverMarking, CoverReport};

use super::why::pumped;

/// The minimal coverability set: a marking is below a reachable one iff it is below a member.
///
/// The checker has accepted that every reachable marking is below a member, and for each member a run with pumps that
/// leads to it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coverage {
    /// The members, ascending: tokens by place, `None` for ω.
    pub markings: Vec<Vec<Option<u64>>>,
    /// For each member the run with pumps.
    pub pumps: Vec<Pump>,
}

/// Why there is no coverability set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoCoverage {
    /// The work was stopped, with this number of ω-markings.
    Stopped(usize),
    /// A place has more tokens than fit, or there is too much to check; in words.
    TooLarge(String),
    /// The checker refuses what was found, which is a bug; in words.
    Refused(String),
}

/// The minimal coverability set of a net.
pub fn coverage(net: &Net, cancel: &Cancel) -> Result<Coverage, NoCoverage> {
    let tokens = || NoCoverage::TooLarge("a place has more tokens than 64 bits hold".to_owned());
    let mut tree = Tree::new(net).ok_or_else(tokens)?;
    let mut budget = Budget::new(u64::MAX, cancel.clone());
    let all = match tree.all(&mut budget) {
        Ok(all) => all.ok_or_else(tokens)?,
        Err(Stopped::Cancelled | Stopped::OutOfTicks) => return Err(NoCoverage::Stopped(tree.len())),
    };
    let (markings, pumps): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    let coverage = Coverage { markings, pumps };
    let evidence = Evidence::Cover(Cover { markings: coverage.markings.clone() });
    check(net, &Formula::any([]), Claim::Unreachable, &evidence, &mut budget).map_err(|refusal| refused(refusal, tree.len()))?;
    for (marking, steps) in coverage.markings.iter().zip(&coverage.pumps) {
        let end = pump::end(net, steps, &mut budget).map_err(|refusal| refused(refusal, tree.len()))?;
        if !end.iter().zip(marking).all(|(end, tokens)| *end == tokens.map(i128::from)) {
            return Err(NoCoverage::Refused("a run with pumps leads elsewhere".to_owned()));
        }
    }
    Ok(coverage)
}

fn refused(refusal: serval_net_proof::Refusal, markings: usize) -> NoCoverage {
    match refusal {
        serval_net_proof::Refusal::Invalid(rejection) => NoCoverage::Refused(rejection.to_string()),
        serval_net_proof::Refusal::TooLarge { what, limit } => {
            NoCoverage::TooLarge(format!("the set is too large to check: more than {limit} {what}"))
        }
        serval_net_proof::Refusal::Stopped(_) => NoCoverage::Stopped(markings),
    }
}

impl Coverage {
    /// The largest number of tokens of a place; `None` where there is none.
    pub fn bound(&self, place: PlaceId) -> Option<u64> {
        self.markings.iter().map(|marking| marking[place.index()]).try_fold(0, |most, tokens| Some(tokens?.max(most)))
    }

    /// A short run with pumps that shows that a place is unbounded, in words.
    fn pump(&self, net: &Net, place: PlaceId) -> Option<String> {
        self.bound(place).is_none().then_some(())?;
        let shown = self.markings.iter().zip(&self.pumps).filter(|one| one.0[place.index()].is_none()).map(|one| one.1);
        let shortest = shown.min_by_key(|pump| pump.steps.len())?;
        Some(pumped(net, &shorter_pump(net, &[place], shortest.clone(), &mut Budget::unlimited())))
    }

    /// It for people and machines.
    pub fn report(&self, net: &Net, file: &str) -> CoverReport {
        let bounds: Vec<Option<u64>> = net.places().map(|place| self.bound(place)).collect();
        let markings = self.markings.iter().zip(&self.pumps);
        CoverReport {
            schema: 1,
            file: file.to_owned(),
            places: net.places().map(|place| net.place_name(place).to_owned()).collect(),
            pumps: net.places().map(|place| self.pump(net, place)).collect(),
            bounds,
            markings: markings.map(|(tokens, pump)| CoverMarking { tokens: tokens.clone(), run: pumped(net, pump) }).collect(),
            edges: self
                .edges(net)
                .into_iter()
                .map(|(from, transition, to)| (from, net.transition_name(transition).to_owned(), to))
                .collect(),
        }
    }

    /// For each member and each transition that can fire there, a member that is above what it leads to.
    fn edges(&self, net: &Net) -> Vec<(usize, TransitionId, usize)> {
        let mut edges = Vec::new();
        for (from, marking) in self.markings.iter().enumerate() {
            for transition in net.transitions() {
                let has = |place: PlaceId, weight: u64| marking[place.index()].is_none_or(|tokens| tokens >= weight);
                if !net.inputs(transition).iter().all(|&(place, weight)| has(place, weight)) {
                    continue;
                }
                let mut next = marking.clone();
                net.inputs(transition)
                    .iter()
                    .for_each(|arc| next[arc.0.index()] = next[arc.0.index()].map(|tokens| tokens.saturating_sub(arc.1)));
                net.outputs(transition)
                    .iter()
                    .for_each(|arc| next[arc.0.index()] = next[arc.0.index()].map(|tokens| tokens.saturating_add(arc.1)));
                let above = self.markings.iter().position(|other| serval_net_proof::cover::is_below(&next, other));
                edges.extend(above.map(|to| (from, transition, to)));
            }
        }
        edges
    }
}

/// How long a run that covers a marking has to be at most, by Rackoff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rackoff {
    /// The size of net, initial marking and the marking to be covered, in bits, each number at least one.
    pub size: u64,
    /// For i from 0 to the number of places: an upper bound of log₂ f(i), where f(0) = 1 and
    /// `f(i + 1) ≤ (2ⁿ·f(i))^(i+1) + f(i)`.
    pub logarithms: Vec<Int>,
    /// For i from 0 to the number of places m(i, M0), exactly: one more than the length of a shortest run that covers
    /// the marking on the first i places and never falls below 0 there, 0 where there is none. It is given for small
    /// nets only.
    pub exact: Option<Vec<u64>>,
}

/// Places up to which a net is small, and ticks for it.
const SMALL: usize = 16;
const EXACT_TICKS: u64 = 2_000_000;

/// The bound for a marking.
pub fn rackoff(net: &Net, marking: &Marking) -> Rackoff {
    // ⌈log₂ number⌉ + 1, and 1 for 0.
    let bits = |number: u64| -> u64 { if number <= 1 { 1 } else { u64::from((number - 1).ilog2()) + 2 } };
    let markings: u64 = net.places().map(|place| bits(net.initial_tokens(place)) + bits(marking.tokens(place))).sum();
    let mut size = markings;
    for transition in net.transitions() {
        let (inputs, outputs) = (net.inputs(transition), net.outputs(transition));
        let used: u64 = inputs.iter().chain(outputs).map(|arc| bits(arc.1) - 1).sum();
        size = size.saturating_add(used).saturating_add(u64::try_from(net.place_count()).unwrap_or(u64::MAX).saturating_mul(2));
    }
    let (mut logarithms, n) = (vec![Int::from(0_i64)], Int::from(size));
    for i in 0..net.place_count() {
        // f(i) is at most the power, so that their sum is at most twice the power.
        let factor = Int::from(u64::try_from(i + 1).unwrap_or(u64::MAX));
        let inner = &n + &logarithms[i];
        let next = &(&factor * &inner) + &Int::from(1_i64);
        logarithms.push(next);
    }
    let exact =
        (net.place_count() <= SMALL).then(|| levels::shortest(net, marking, &mut Budget::ticks(EXACT_TICKS)).ok().flatten()).flatten();
    Rackoff { size, logarithms, exact }
}
