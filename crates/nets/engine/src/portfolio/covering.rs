//! Methods for any number of tokens: forwards and backwards, and whether places are bounded.

use serval_budget::{Budget, Cancel, Stopped};
use serval_net_proof::{Claim, Evidence, Run, check_bounded};
use serval_petri::{Formula, Net, PlaceId};

use super::attempt::{Attempt, AttemptAtAll, Round};
use super::progress::{Far, Progress};
use super::ticks::{COVER_TICKS, WEIGHTS_TICKS, grown};
use super::{Session, reach};
use crate::answer::{GoalAnswer, GoalOutcome, Method, told};
use crate::cover::backward::{BackwardCover, Filter};
use crate::cover::{self, Bounds};
use crate::weights::PlaceBounds;

/// Ticks for the equation as a filter.
const FILTER_TICKS: u64 = 5_000;

/// Backwards from all goals that are open and upward closed, if there are several.
pub(super) fn backward_from_all(attempt: &mut AttemptAtAll<'_>) -> bool {
    let AttemptAtAll { round, goals, found, progress, ticks } = attempt;
    let open: Vec<usize> = (0..goals.len()).filter(|&goal| found[goal].is_open() && goals[goal].not_upward().is_none()).collect();
    if open.len() < 2 {
        return false;
    }
    let asked: Vec<&Formula> = open.iter().map(|&goal| &goals[goal]).collect();
    let mut markings = 0;
    let (said, _) = round.backward_search(None).ask_all(&asked, &mut markings, &mut round.budget(*ticks));
    progress.backwards(markings);
    for (goal, said) in open.into_iter().zip(said) {
        take(*round, &goals[goal], &mut found[goal], Ok(said), Method::Backward);
    }
    true
}

/// Backwards from a goal that is upward closed.
pub(super) fn backward(attempt: &mut Attempt<'_>) -> bool {
    let Attempt { round, goal, found, progress, ticks } = attempt;
    if goal.not_upward().is_some() {
        return false;
    }
    let mut markings = 0;
    // The equation is asked where nothing was found without it.
    let filter = (round.number > 0).then_some(Filter { base: &round.session.equation, net: round.net, ticks: FILTER_TICKS });
    let said = round.backward_search(filter).ask(goal, &mut markings, &mut round.budget(*ticks));
    progress.backwards(markings);
    take(*round, goal, found, said, Method::Backward)
}

/// Forwards over ω-markings to a goal that is upward closed, or both ways for one that gives numbers.
pub(super) fn cover(attempt: &mut Attempt<'_>) -> bool {
    if attempt.goal.not_upward().is_some() {
        return reach::numbers(attempt);
    }
    let Attempt { round, goal, found, progress, ticks } = attempt;
    let Some(tree) = progress.tree(round.net) else {
        found.too_many_tokens();
        return false;
    };
    let said = tree.ask(round.net, goal, &mut round.budget(*ticks));
    let is_cut = take(*round, goal, found, said, Method::Cover);
    if is_cut && !round.cancel.is_cancelled() {
        // Where the whole net has too many ω-markings, few places may be enough. In small nets the whole is sooner.
        let said = cover::sliced::ask(round.net, goal, &mut progress.sliced, &mut round.budget(*ticks));
        take(*round, goal, found, said, Method::Cover);
    }
    is_cut && found.is_open()
}

/// What a method that covers says of a goal, after the checker; and whether more ticks could help.
fn take(round: Round<'_>, goal: &Formula, found: &mut GoalOutcome, said: Result<cover::CoverOutcome, Stopped>, method: Method) -> bool {
    match said {
        Ok(cover::CoverOutcome::Reached(word)) => *found = round.checked(goal, Evidence::Run(Run { word }), method.name()),
        Ok(cover::CoverOutcome::Excluded(evidence)) => *found = round.checked(goal, *evidence, method.name()),
        Ok(cover::CoverOutcome::TooManyTokens) => found.too_many_tokens(),
        Ok(cover::CoverOutcome::TooManyLeast(most)) => found.too_many("least markings of a goal", u64::try_from(most).unwrap_or(u64::MAX)),
        Ok(cover::CoverOutcome::Nothing) => {}
        Err(_) => return true,
    }
    false
}

impl<'a> Round<'a> {
    fn backward_search(self, filter: Option<Filter<'a>>) -> BackwardCover<'a> {
        let sums = self.session.known_sums(self.net, self.cancel);
        BackwardCover { fast: &self.session.fast, net: self.net, sums, filter }
    }
}

impl Session {
    /// Sums that no transition increases, which are looked for once.
    fn known_sums(&self, net: &Net, cancel: &Cancel) -> &[Vec<(u32, u64)>] {
        self.sums.get_or_init(|| {
            let mut known = PlaceBounds::new(net);
            // What is found before the ticks end is enough.
            let _ = known.bound_all(net, &mut Budget::new(WEIGHTS_TICKS, cancel.clone()));
            known.into_sums()
        })
    }

    /// Asks whether places are bounded: by weighted sums, or by ω-markings. Other methods, if one is wanted alone, say
    /// nothing. Says how far they came, too.
    pub fn bounded(&self, net: &Net, places: &[PlaceId], method: Option<Method>, rounds: u32, cancel: &Cancel) -> (GoalOutcome, Far) {
        let (mut found, mut progress) = (GoalOutcome::Nothing, Progress::default());
        let wants = |wanted: Method| method.is_none_or(|method| method == wanted);
        if wants(Method::Weights) && rounds > 0 {
            let mut known = PlaceBounds::new(net);
            let mut budget = Budget::new(WEIGHTS_TICKS, cancel.clone());
            if let Some(evidence) = known.bounded(net, places, &mut budget) {
                return (checked_bounds(net, places, evidence, Method::Weights, cancel), progress.far());
            }
        }
        let rounds = if wants(Method::Cover) && progress.tree(net).is_some() { rounds } else { 0 };
        for round in 0..rounds {
            let Some(tree) = progress.tree(net) else { break };
            match tree.bounded(net, places, &mut Budget::new(grown(COVER_TICKS, round), cancel.clone())) {
                Ok(Bounds::Shown(evidence)) => {
                    found = checked_bounds(net, places, *evidence, Method::Cover, cancel);
                    break;
                }
                Ok(Bounds::TooManyTokens) => {
                    found.too_many_tokens();
                    break;
                }
                Err(Stopped::Cancelled) => break,
                Err(Stopped::OutOfTicks) => {}
            }
        }
        (found, progress.far())
    }
}

/// What the checker says of evidence about bounds.
pub(super) fn checked_bounds(net: &Net, places: &[PlaceId], evidence: Evidence, method: Method, cancel: &Cancel) -> GoalOutcome {
    let checked = check_bounded(net, places, &evidence, &mut Budget::new(u64::MAX, cancel.clone()));
    let claim = *checked.as_ref().unwrap_or(&Claim::Bounded);
    told(checked.map(|_| ()), GoalAnswer { claim, evidence, method: method.name() })
}
