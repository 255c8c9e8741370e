//! One round of questions: who is asked, and what is given to a method that is asked.

use serval_budget::{Budget, Cancel};
use serval_net_proof::{Evidence, Item, Run};
use serval_petri::{Formula, Net};

use super::progress::Progress;
use super::schedule::{AT_ONCE, Before, Due, ONE_BY_ONE, Row, grown};
use super::{Method, Session};
use crate::answer::{Found, checked};

/// A round of questions about a net.
#[derive(Clone, Copy)]
pub(super) struct Round<'a> {
    pub(super) session: &'a Session,
    pub(super) net: &'a Net,
    /// From 0.
    pub(super) number: u32,
    pub(super) before: Before,
    pub(super) cancel: &'a Cancel,
}

impl Round<'_> {
    /// Asks what is due in this round about all goals that are open, or one method alone; whether more ticks could help.
    pub(super) fn ask(self, goals: &[Formula], found: &mut [Found], method: Option<Method>, progress: &mut Progress) -> bool {
        let is_asked = |row_method: Method, due: Due, is_alone: bool| match method {
            Some(method) => is_alone && row_method == method,
            None => due.is_now(self.number, self.before),
        };
        let mut is_cut = false;
        for row in AT_ONCE.iter().filter(|row| is_asked(row.method, row.due, row.is_alone)) {
            if self.cancel.is_cancelled() || !found.iter().any(Found::is_open) {
                return is_cut;
            }
            is_cut |= progress.guarded(|progress| {
                (row.ask)(&mut AttemptAtAll { round: self, goals, found: &mut *found, progress, ticks: self.ticks(row) })
            });
        }
        for (goal, found) in goals.iter().zip(found) {
            for row in ONE_BY_ONE.iter().filter(|row| is_asked(row.method, row.due, row.is_alone)) {
                if self.cancel.is_cancelled() || !found.is_open() {
                    break;
                }
                is_cut |= progress.guarded(|progress| {
                    (row.ask)(&mut Attempt { round: self, goal, found: &mut *found, progress, ticks: self.ticks(row) })
                });
            }
        }
        is_cut
    }

    /// The ticks of a row in this round.
    fn ticks<Ask>(self, row: &Row<Ask>) -> u64 {
        grown(row.ticks, self.number)
    }

    pub(super) fn budget(self, ticks: u64) -> Budget {
        Budget::new(ticks, self.cancel.clone())
    }

    /// What the checker says of evidence about a goal that a method has found.
    pub(super) fn checked(self, goal: &Formula, evidence: Evidence, method: &'static str) -> Found {
        checked(self.net, goal, evidence, method, self.cancel)
    }
}

/// What a method is given that looks at all goals together.
pub(super) struct AttemptAtAll<'a> {
    pub(super) round: Round<'a>,
    pub(super) goals: &'a [Formula],
    /// What is found out about each of them.
    pub(super) found: &'a mut [Found],
    pub(super) progress: &'a mut Progress,
    pub(super) ticks: u64,
}

/// What a method is given that is asked about one goal.
pub(super) struct Attempt<'a> {
    pub(super) round: Round<'a>,
    pub(super) goal: &'a Formula,
    /// What is found out about it.
    pub(super) found: &'a mut Found,
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
