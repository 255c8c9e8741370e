//! Whether goals can always be reached again.
//!
//! Where finitely many markings can be reached, and not too many, looking at all of them decides it. Elsewhere it can
//! be refuted: walks lead to markings, and from there a goal may be out of reach for one of the reasons that show such
//! things, or because few markings can be reached from there. A goal that is out of reach from the beginning is lost at
//! once, and all methods are asked about that. What holds of infinitely many markings is not shown by this.

use serval_budget::{Budget, Cancel, Stopped};
use serval_net_proof::{Claim, Evidence, Item, Lost, check_homes};
use serval_petri::{Formula, Net, PlaceId};

use super::Session;
use super::attempt::{BeforeRounds, Round};
use super::progress::{Far, Progress};
use super::ticks::{COVER_TICKS, EQUATION_TICKS, EXPLICIT_TICKS, WALK_TICKS, grown};
use crate::answer::{GoalAnswer, GoalOutcome, Method, told};
use crate::equation::{self, EquationOutcome};
use crate::explicit::homes::{HomesOutcome, look_for_homes_fast};
use crate::fast::Fast;
use crate::siphon::Empty;
use crate::walk::{Enabled, Random};
use crate::weights::PlaceBounds;

/// Steps of the longest walk.
const LONGEST: usize = 1 << 16;
/// Rounds for nets that are not bounded: they can only be refuted.
const ROUNDS_UNBOUNDED: u32 = 5;
/// Rounds in which it is asked whether the net is bounded.
const ROUNDS_OF_BOUNDS: u32 = 2;

/// What is known of goals that should always be reached again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Homing {
    /// The goal that cannot, or 0.
    pub goal: usize,
    /// That all can, or that this one cannot.
    pub outcome: GoalOutcome,
    /// Whether infinitely many markings can be reached, as far as that is known.
    pub is_unbounded: bool,
    /// How far methods came.
    pub far: Far,
}

impl Session {
    /// Asks whether from every reachable marking each goal can be reached.
    pub fn homes(&self, net: &Net, goals: &[Formula], method: Option<Method>, rounds: u32, cancel: &Cancel) -> Homing {
        let mut homing = Homing::default();
        let (mut progress, mut reached) = (Progress::default(), vec![GoalOutcome::Nothing; goals.len()]);
        for number in 0..rounds {
            if homing.is_unbounded && method.is_none() && number >= ROUNDS_UNBOUNDED {
                break;
            }
            let round = Round { session: self, net, number, before: BeforeRounds::Nothing, cancel };
            let found = progress.guarded(|progress| {
                let more = (homing.is_unbounded, &mut reached[..]);
                round.homes(goals, method, more, progress, &mut homing.outcome)
            });
            if let Some((goal, evidence, method)) = found {
                let checked = check_homes(net, goals, goal, &evidence, &mut Budget::new(u64::MAX, cancel.clone()));
                let claim = evidence.claim();
                (homing.goal, homing.outcome) = (goal, told(checked.map(|_| ()), GoalAnswer { claim, evidence, method }));
            }
            if !homing.outcome.is_open() || cancel.is_cancelled() {
                break;
            }
            if number == 0 && method.is_none() {
                let places: Vec<PlaceId> = net.places().collect();
                let (bounds, _) = self.bounded(net, &places, None, ROUNDS_OF_BOUNDS, cancel);
                homing.is_unbounded = bounds.answer().is_some_and(|answer| answer.claim == Claim::Unbounded);
            }
        }
        homing.far = progress.far();
        homing
    }
}

/// A goal, why it is so of it, and who found it.
type HomesFound = Option<(usize, Evidence, &'static str)>;

impl Round<'_> {
    /// Asks what is due in this round.
    fn homes(
        self,
        goals: &[Formula],
        method: Option<Method>,
        (is_unbounded, reached): (bool, &mut [GoalOutcome]),
        progress: &mut Progress,
        outcome: &mut GoalOutcome,
    ) -> HomesFound {
        let wants = |wanted: Method| method.is_none_or(|method| method == wanted);
        if wants(Method::Explicit) && !is_unbounded {
            let most = usize::try_from(grown(EXPLICIT_TICKS, self.number)).unwrap_or(usize::MAX);
            match look_for_homes_fast(&self.session.fast, goals, most, &mut self.budget(u64::MAX)) {
                Ok(HomesOutcome::Homes(evidence)) => return Some((0, *evidence, Method::Explicit.name())),
                Ok(HomesOutcome::Lost(goal, evidence)) => return Some((goal, *evidence, Method::Explicit.name())),
                Ok(HomesOutcome::TooMany) => progress.explicit(most),
                Ok(HomesOutcome::TooManyTokens) => outcome.too_many_tokens(),
                Err(_) => return None,
            }
        }
        if wants(Method::Walk)
            && let Some((goal, evidence)) = self.lost_on_walks(goals)
        {
            return Some((goal, evidence, Method::Walk.name()));
        }
        // What cannot be reached from the beginning. Walks have looked at what can.
        let is_due = method.map_or(self.number > 0, |method| !matches!(method, Method::Explicit | Method::Walk));
        if is_due && !self.cancel.is_cancelled() {
            self.ask(goals, reached, method, progress);
            let mut answers = reached.iter().enumerate().filter_map(|(goal, found)| Some((goal, found.answer()?)));
            if let Some((goal, answer)) = answers.find(|one| one.1.claim == Claim::Unreachable) {
                return Some((goal, lost(&[], answer.evidence.clone()), answer.method));
            }
        }
        None
    }

    /// Looks from the ends of random walks, and from the beginning, for goals that are out of reach there.
    fn lost_on_walks(self, goals: &[Formula]) -> Option<(usize, Evidence)> {
        let fast = &self.session.fast;
        let mut random = Random(u64::from(self.number) + 1);
        let mut budget = self.budget(grown(WALK_TICKS, self.number));
        let (mut length, mut run) = (0, Vec::new());
        let longest = usize::try_from(grown(64, self.number)).unwrap_or(LONGEST).min(LONGEST);
        loop {
            let mut marking = fast.initial.clone();
            let mut enabled = Enabled::new(fast, &marking);
            run.clear();
            while run.len() < length && !enabled.list().is_empty() {
                budget.spend(1).ok()?;
                let transition = enabled.list()[random.below(enabled.list().len())];
                if !fast.fire(&mut marking, transition) {
                    break;
                }
                run.push(u32::try_from(transition).unwrap_or(u32::MAX));
                enabled.moved(fast, &marking, &fast.effects[transition]);
            }
            // The beginning is looked at once.
            if (length > 0 || self.number == 0)
                && let Some((goal, evidence)) = self.lost_from(goals, &run, &marking)
            {
                return Some((goal, evidence));
            }
            if self.cancel.is_cancelled() || length >= longest {
                return None;
            }
            length = (length * 2).max(1);
        }
    }

    /// A goal that is out of reach from a marking to which a run leads.
    fn lost_from(self, goals: &[Formula], run: &[u32], marking: &[u64]) -> Option<(usize, Evidence)> {
        let net = self.net.clone().with_initial(&serval_petri::Marking::new(marking.to_vec()));
        let empty = Empty::new(&net);
        let each = || goals.iter().enumerate();
        if let Some((goal, evidence)) = each().find_map(|(goal, formula)| Some((goal, empty.exclude(&net, formula)?))) {
            return Some((goal, lost(run, evidence)));
        }
        let fast = self.session.fast.starting(marking);
        if let Some((goal, evidence)) = self.lost_nearby(goals, run, &fast) {
            return Some((goal, evidence));
        }
        let mut known = PlaceBounds::new(&net);
        let mut budget = self.budget(grown(COVER_TICKS, self.number));
        let bounds = each().find_map(|(goal, formula)| Some((goal, known.exclude(&net, formula, &mut budget).ok()??)));
        if let Some((goal, evidence)) = bounds {
            return Some((goal, lost(run, evidence)));
        }
        let mut budget = self.budget(grown(EQUATION_TICKS / 16, self.number));
        let by_equation = |(goal, formula): (usize, &Formula)| match equation::ask(&net, formula, 1, 1, &mut budget) {
            Ok(EquationOutcome::Excluded(evidence)) => Some(Some((goal, *evidence))),
            Ok(EquationOutcome::Reached(_) | EquationOutcome::Nothing) => None,
            Err(Stopped::Cancelled | Stopped::OutOfTicks) => Some(None),
        };
        let (goal, evidence) = each().find_map(by_equation)??;
        Some((goal, lost(run, evidence)))
    }

    /// The same, where few markings can be reached from there.
    fn lost_nearby(self, goals: &[Formula], run: &[u32], fast: &Fast) -> Option<(usize, Evidence)> {
        let most = usize::try_from(grown(EXPLICIT_TICKS / 4, self.number)).unwrap_or(usize::MAX);
        let said = look_for_homes_fast(fast, goals, most, &mut self.budget(u64::MAX)).ok()?;
        let HomesOutcome::Lost(goal, evidence) = said else { return None };
        let Evidence::Lost(Lost { word, evidence }) = *evidence else { return None };
        let word = run.iter().map(|&number| Item::Fire(number)).chain(word).collect();
        Some((goal, Evidence::Lost(Lost { word, evidence })))
    }
}

/// That a goal is out of reach after a run.
fn lost(run: &[u32], evidence: Evidence) -> Evidence {
    Evidence::Lost(Lost { word: run.iter().map(|&number| Item::Fire(number)).collect(), evidence: Box::new(evidence) })
}
