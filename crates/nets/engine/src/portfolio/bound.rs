//! How large a sum of places can be.
//!
//! Two numbers close in on it: a value that a run has, and one that is not exceeded. Weighted sums say the second where they bound each place; ω-markings say both, or that there is none. In between, other methods are asked whether a value
//! can be reached that is as large as is still possible, one in the middle, or just one more than is known.

use serval_budget::{Budget, Cancel, Stopped};
use serval_net_proof::{Claim, Evidence, Run, run};
use serval_petri::{Formula, Linear, Net, PlaceId, at_least};

use super::covering::checked_bounds;
use super::{COVER_TICKS, Far, Session, WEIGHTS_TICKS, Work, fired, ticks};
use crate::answer::{Found, Method, checked};
use crate::cover::{Largest, Tree};
use crate::weights::Known;

/// How often numbers come closer in one round; each time by half, often.
const CLOSER: usize = 80;

/// What is known of how large a sum can be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// A value that can be reached.
    pub least: u64,
    /// Why: that at least so much can be reached.
    pub reached: Found,
    /// A value that is not exceeded.
    pub most: Option<u64>,
    /// Why: that one more cannot be reached.
    pub excluded: Found,
    /// Why there is no largest value, if that is so.
    pub unbounded: Found,
    /// How far methods came.
    pub far: Far,
}

impl Extent {
    /// Whether it is known how large the sum can be, or that something is wrong.
    fn is_known(&self) -> bool {
        let is_refused = |found: &Found| matches!(found, Found::Refused(..));
        self.most == Some(self.least)
            || self.unbounded.answer().is_some()
            || [&self.reached, &self.excluded, &self.unbounded].into_iter().any(is_refused)
    }

    /// Takes what was found out about a value; says whether more is known then.
    fn take(&mut self, net: &Net, sum: &Linear, value: u64, found: Found) -> bool {
        match found.answer().map(|answer| (answer.claim, &answer.evidence)) {
            Some((Claim::Reachable, Evidence::Run(word))) => {
                let end = run::end(net, word, &mut Budget::unlimited()).ok();
                // A run may lead to more than was asked for.
                let there = end.and_then(|end| valued(sum, |place| end.tokens(place))).filter(|&there| there >= value);
                let known = self.least;
                (self.least, self.reached) = (value, found);
                if let Some((there, goal)) = there.and_then(|there| Some((there, at_least(sum, there)?)))
                    && let Found::Answer(answer) = &self.reached
                    && let better @ Found::Answer(_) = checked(net, &goal, answer.evidence.clone(), answer.method, &Cancel::new())
                {
                    (self.least, self.reached) = (there, better);
                }
                self.least > known
            }
            Some(_) => {
                self.most = value.checked_sub(1);
                self.excluded = found;
                true
            }
            None => {
                if let Found::Refused(..) = &found {
                    self.excluded = found;
                }
                false
            }
        }
    }
}

/// The value of a sum, if it fits.
fn valued(sum: &Linear, tokens: impl Fn(PlaceId) -> u64) -> Option<u64> {
    let parts = sum.terms().iter().map(|&(place, factor)| i128::from(factor).checked_mul(tokens(place).into()));
    let value = parts.chain([Some(sum.constant().into())]).try_fold(0_i128, |value, part| value.checked_add(part?));
    value.and_then(|value| u64::try_from(value).ok())
}

impl Session {
    /// Asks how large a sum of places, each with a factor of at least 1, can be; one method alone, or all of them.
    pub fn largest(&self, net: &Net, sum: &Linear, method: Option<Method>, rounds: u32, cancel: &Cancel) -> Extent {
        let (mut extent, mut work) = (Extent::default(), Work::default());
        let wants = |wanted: Method| method.is_none_or(|method| method == wanted);
        let Some((initial, goal)) = valued(sum, |place| net.initial_tokens(place)).and_then(|value| Some((value, at_least(sum, value)?)))
        else {
            extent.reached.too_many_tokens();
            return extent;
        };
        extent.least = initial;
        extent.reached = checked(net, &goal, fired(&[]), Method::Walk.name(), cancel);
        if rounds > 0 && wants(Method::Weights) {
            self.weigh(net, sum, &mut extent, cancel);
        }
        let mut is_whole = false;
        for round in 0..rounds {
            if extent.is_known() || cancel.is_cancelled() {
                break;
            }
            // Where sums say that it is bounded, others are often sooner.
            let tree_first = extent.most.is_none();
            if tree_first && wants(Method::Cover) && !is_whole {
                is_whole = self.cover_value(net, sum, &mut extent, &mut work, round, cancel);
            }
            let mut closing = Closing { net, sum, work: &mut work, method, round, is_cut: false };
            for _ in 0..CLOSER {
                // Without a value that is not exceeded there may be no end.
                if extent.is_known() || cancel.is_cancelled() || !closing.close_in(self, &mut extent, cancel) || extent.most.is_none() {
                    break;
                }
            }
            let is_cut = closing.is_cut;
            if !tree_first && wants(Method::Cover) && !is_whole && !extent.is_known() {
                is_whole = self.cover_value(net, sum, &mut extent, &mut work, round, cancel);
            }
            let is_over = if method == Some(Method::Cover) { is_whole } else { !is_cut };
            if is_over && (is_whole || !wants(Method::Cover)) {
                break;
            }
        }
        extent.far = work.far();
        extent
    }

    /// What weighted sums say is not exceeded.
    fn weigh(&self, net: &Net, sum: &Linear, extent: &mut Extent, cancel: &Cancel) {
        let places: Vec<PlaceId> = sum.terms().iter().map(|term| term.0).collect();
        let mut known = Known::new(net);
        let Some(evidence) = known.bounded(net, &places, &mut Budget::new(WEIGHTS_TICKS, cancel.clone())) else { return };
        let bounds = known.bounds_with_sums();
        let bound = |place: PlaceId| bounds[place.index()].and_then(|one| u64::try_from(one.0).ok());
        if !places.iter().all(|&place| bound(place).is_some()) {
            return;
        }
        let most = valued(sum, |place| bound(place).unwrap_or(u64::MAX));
        if let Some((more, goal)) = most.and_then(|most| most.checked_add(1)).and_then(|more| Some((more, at_least(sum, more)?))) {
            extent.take(net, sum, more, checked(net, &goal, evidence, Method::Weights.name(), cancel));
        }
    }

    /// What ω-markings say; whether more ticks would not help.
    fn cover_value(&self, net: &Net, sum: &Linear, extent: &mut Extent, work: &mut Work, round: u32, cancel: &Cancel) -> bool {
        if work.tree.is_none() {
            work.tree = Tree::new(net);
        }
        let Some(tree) = &mut work.tree else {
            extent.excluded.too_many_tokens();
            return true;
        };
        match tree.largest_value(net, sum, &mut Budget::new(ticks(COVER_TICKS, round), cancel.clone())) {
            Err(Stopped::OutOfTicks | Stopped::Cancelled) => return false,
            Ok(Largest::TooMany) => extent.excluded.too_many_tokens(),
            Ok(Largest::Omega(pump)) => {
                let places: Vec<PlaceId> = sum.terms().iter().map(|term| term.0).collect();
                extent.unbounded = checked_bounds(net, &places, Evidence::Pump(pump), Method::Cover, cancel);
            }
            Ok(Largest::Number { value, word, cover }) => {
                let asked =
                    |value: u64, evidence| at_least(sum, value).map(|goal| checked(net, &goal, evidence, Method::Cover.name(), cancel));
                if value > extent.least
                    && let Some(found) = asked(value, Evidence::Run(Run { word }))
                {
                    extent.take(net, sum, value, found);
                }
                if extent.most.is_none_or(|most| most > value)
                    && let Some(found) = value.checked_add(1).and_then(|more| asked(more, Evidence::Cover(cover)))
                {
                    extent.take(net, sum, value.saturating_add(1), found);
                }
            }
        }
        true
    }
}

/// Closing in on the largest value, in one round.
struct Closing<'a> {
    net: &'a Net,
    sum: &'a Linear,
    work: &'a mut Work,
    method: Option<Method>,
    round: u32,
    /// Whether more ticks could help.
    is_cut: bool,
}

impl Closing<'_> {
    /// Asks about a few values between what is reached and what is not exceeded; whether more is known then.
    fn close_in(&mut self, session: &Session, extent: &mut Extent, cancel: &Cancel) -> bool {
        let Extent { least, most, .. } = *extent;
        let mut values = match most {
            Some(most) => vec![most, least.saturating_add(most.saturating_sub(least) / 2), least.saturating_add(1)],
            None => vec![least.saturating_mul(2).saturating_add(2), least.saturating_add(1)],
        };
        values.retain(|&value| value > least);
        values.dedup();
        for value in values {
            let Some(goal) = at_least(self.sum, value) else { continue };
            let found = self.ask(session, &goal, cancel);
            if extent.take(self.net, self.sum, value, found) {
                return true;
            }
        }
        false
    }

    /// Asks whether a goal can be reached.
    fn ask(&mut self, session: &Session, goal: &Formula, cancel: &Cancel) -> Found {
        let mut found = vec![Found::Nothing];
        let goals = std::slice::from_ref(goal);
        match self.method {
            // Its values come from the whole tree.
            Some(Method::Cover) => {}
            Some(method) => self.is_cut |= session.one_round(self.net, goals, &mut found, self.work, (method, self.round), cancel),
            None => {
                self.is_cut = true;
                session.walk(self.net, goals, &mut found, self.round, cancel);
                if found[0].is_open() {
                    session.ask(self.net, goal, &mut found[0], self.work, self.round, cancel);
                }
            }
        }
        found.pop().unwrap_or_default()
    }
}
