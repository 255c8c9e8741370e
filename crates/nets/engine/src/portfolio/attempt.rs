//! What is given to a method that is asked.

use serval_budget::{Budget, Cancel};
use serval_net_proof::{Evidence, Item, Run};
use serval_petri::{Formula, Net};

use super::Session;
use super::progress::Progress;
use crate::answer::{GoalOutcome, checked};

/// What came before the first round.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BeforeRounds {
    /// [`Session::begin`](super::Session::begin), with these goals and perhaps others; whether its ticks were too few
    /// for the bounds of places.
    Beginning { is_cut: bool },
    /// Nothing.
    Nothing,
}

/// A round of questions about a net.
#[derive(Clone, Copy)]
pub(super) struct Round<'a> {
    pub(super) session: &'a Session,
    pub(super) net: &'a Net,
    /// From 0.
    pub(super) number: u32,
    pub(super) before: BeforeRounds,
    pub(super) cancel: &'a Cancel,
}

impl Round<'_> {
    pub(super) fn budget(self, ticks: u64) -> Budget {
        Budget::new(ticks, self.cancel.clone())
    }

    /// What the checker says of evidence about a goal that a method has found.
    pub(super) fn checked(self, goal: &Formula, evidence: Evidence, method: &'static str) -> GoalOutcome {
        checked(self.net, goal, evidence, method, self.cancel)
    }
}

/// What a method is given that looks at all goals together.
pub(super) struct AttemptAtAll<'a> {
    pub(super) round: Round<'a>,
    pub(super) goals: &'a [Formula],
    /// What is found out about each of them.
    pub(super) found: &'a mut [GoalOutcome],
    pub(super) progress: &'a mut Progress,
    pub(super) ticks: u64,
}

/// What a method is given that is asked about one goal.
pub(super) struct Attempt<'a> {
    pub(super) round: Round<'a>,
    pub(super) goal: &'a Formula,
    /// What is found out about it.
    pub(super) found: &'a mut GoalOutcome,
    pub(super) progress: &'a mut Progress,
    pub(super) ticks: u64,
}

impl Attempt<'_> {
    /// A budget of all ticks of the attempt.
    pub(super) fn budget(&self) -> Budget {
        self.round.budget(self.ticks)
    }

    /// The ticks as a number of markings.
    pub(super) fn markings(&self) -> usize {
        usize::try_from(self.ticks).unwrap_or(usize::MAX)
    }

    /// Takes the evidence of a method as far as the checker accepts it.
    pub(super) fn take(&mut self, evidence: Evidence, method: &'static str) {
        *self.found = self.round.checked(self.goal, evidence, method);
    }
}

/// A run of single firings.
pub(super) fn fired(word: &[u32]) -> Evidence {
    Evidence::Run(Run { word: word.iter().map(|&transition| Item::Fire(transition)).collect() })
}
