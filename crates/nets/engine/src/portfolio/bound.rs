//! How large a sum of places can be.
//!
//! Two numbers close in on it: a value that a run has, and one that is not exceeded. Weighted sums say the second where
//! they bound each place; ω-markings say both, or that there is none. In between, other methods are asked whether a
//! value can be reached that is as large as is still possible, one in the middle, or just one more than is known.

use serval_budget::{Budget, Cancel, Stopped};
use serval_net_proof::{Claim, Evidence, Run, run};
use serval_petri::{Formula, Linear, Net, PlaceId, at_least};

use super::Session;
use super::attempt::{BeforeRounds, Round, fired};
use super::covering::checked_bounds;
use super::progress::{Far, Progress};
use super::ticks::{COVER_TICKS, WEIGHTS_TICKS, grown};
use crate::answer::{GoalOutcome, Method, checked};
use crate::cover::Largest;
use crate::weights::PlaceBounds;

/// How often numbers come closer in one round; each time by half, often.
const CLOSER: usize = 80;

/// What is known of how large a sum can be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// A value that can be reached.
    pub least: u64,
    /// Why: that at least so much can be reached.
    pub reached: GoalOutcome,
    /// A value that is not exceeded.
    pub most: Option<u64>,
    /// Why: that one more cannot be reached.
    pub excluded: GoalOutcome,
    /// Why there is no largest value, if that is so.
    pub unbounded: GoalOutcome,
    /// How far methods came.
    pub far: Far,
}

impl Extent {
    /// Whether it is known how large the sum can be, or that something is wrong.
    fn is_known(&self) -> bool {
        let is_refused = |found: &GoalOutcome| matches!(found, GoalOutcome::Refused(..));
        self.most == Some(self.least)
            || self.unbounded.answer().is_some()
            || [&self.reached, &self.excluded, &self.unbounded].into_iter().any(is_refused)
    }

    /// Takes what was found out about a value; says whether more is known then.
    fn take(&mut self, net: &Net, sum: &Linear, value: u64, found: GoalOutcome) -> bool {
        match found.answer().map(|answer| (answer.claim, &answer.evidence)) {
            Some((Claim::Reachable, Evidence::Run(word))) => {
                let end = run::end(net, word, &mut Budget::unlimited()).ok();
                // A run may lead to more than was asked for.
                let there = end.and_then(|end| valued(sum, |place| end.tokens(place))).filter(|&there| there >= value);
                let known = self.least;
                (self.least, self.reached) = (value, found);
                if let Some((there, goal)) = there.and_then(|there| Some((there, at_least(sum, there)?)))
                    && let GoalOutcome::Answer(answer) = &self.reached
                    && let better @ GoalOutcome::Answer(_) = checked(net, &goal, answer.evidence.clone(), answer.method, &Cancel::new())
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
                if let GoalOutcome::Refused(..) = &found {
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
        let (mut extent, mut progress) = (Extent::default(), Progress::default());
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
        for number in 0..rounds {
            if extent.is_known() || cancel.is_cancelled() {
                break;
            }
            let round = Round { session: self, net, number, before: BeforeRounds::Nothing, cancel };
            let mut closing = Closing { round, sum, method, extent: &mut extent, progress: &mut progress, is_cut: false };
            // Where sums say that it is bounded, others are often sooner.
            let tree_first = closing.extent.most.is_none();
            if tree_first && wants(Method::Cover) && !is_whole {
                is_whole = closing.cover_value();
            }
            for _ in 0..CLOSER {
                // Without a value that is not exceeded there may be no end.
                if closing.extent.is_known() || cancel.is_cancelled() || !closing.close_in() || closing.extent.most.is_none() {
                    break;
                }
            }
            if !tree_first && wants(Method::Cover) && !is_whole && !closing.extent.is_known() {
                is_whole = closing.cover_value();
            }
            let is_over = if method == Some(Method::Cover) { is_whole } else { !closing.is_cut };
            if is_over && (is_whole || !wants(Method::Cover)) {
                break;
            }
        }
        extent.far = progress.far();
        extent
    }

    /// What weighted sums say is not exceeded.
    fn weigh(&self, net: &Net, sum: &Linear, extent: &mut Extent, cancel: &Cancel) {
        let places: Vec<PlaceId> = sum.terms().iter().map(|term| term.0).collect();
        let mut known = PlaceBounds::new(net);
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
}

/// Closing in on the largest value of a sum, in one round.
struct Closing<'a> {
    round: Round<'a>,
    sum: &'a Linear,
    /// The one that is asked alone.
    method: Option<Method>,
    extent: &'a mut Extent,
    progress: &'a mut Progress,
    /// Whether more ticks could help.
    is_cut: bool,
}

impl Closing<'_> {
    /// What ω-markings say; whether more ticks would not help.
    fn cover_value(&mut self) -> bool {
        let Self { round, sum, extent, progress, .. } = self;
        let net = round.net;
        let Some(tree) = progress.tree(net) else {
            extent.excluded.too_many_tokens();
            return true;
        };
        match tree.largest_value(net, sum, &mut round.budget(grown(COVER_TICKS, round.number))) {
            Err(Stopped::OutOfTicks | Stopped::Cancelled) => return false,
            Ok(Largest::TooMany) => extent.excluded.too_many_tokens(),
            Ok(Largest::Omega(pump)) => {
                let places: Vec<PlaceId> = sum.terms().iter().map(|term| term.0).collect();
                extent.unbounded = checked_bounds(net, &places, Evidence::Pump(pump), Method::Cover, round.cancel);
            }
            Ok(Largest::Number { value, word, cover }) => {
                let asked = |value: u64, evidence| at_least(sum, value).map(|goal| round.checked(&goal, evidence, Method::Cover.name()));
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

    /// Asks about a few values between what is reached and what is not exceeded; whether more is known then.
    fn close_in(&mut self) -> bool {
        let Extent { least, most, .. } = *self.extent;
        let mut values = match most {
            Some(most) => vec![most, least.saturating_add(most.saturating_sub(least) / 2), least.saturating_add(1)],
            None => vec![least.saturating_mul(2).saturating_add(2), least.saturating_add(1)],
        };
        values.retain(|&value| value > least);
        values.dedup();
        for value in values {
            let Some(goal) = at_least(self.sum, value) else { continue };
            let found = self.ask(goal);
            if self.extent.take(self.round.net, self.sum, value, found) {
                return true;
            }
        }
        false
    }

    /// Asks whether a goal can be reached.
    fn ask(&mut self, goal: Formula) -> GoalOutcome {
        let mut found = [GoalOutcome::Nothing];
        // The values of ω-markings come from the whole tree.
        if self.method != Some(Method::Cover) {
            let is_cut = self.round.ask(&[goal], &mut found, self.method, self.progress);
            self.is_cut |= is_cut || self.method.is_none();
        }
        let [found] = found;
        found
    }
}
