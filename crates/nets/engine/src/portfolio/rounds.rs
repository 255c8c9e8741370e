//! One round of questions: which methods are asked.

use serval_petri::Formula;

use super::attempt::{Attempt, AttemptAtAll, Round};
use super::progress::Progress;
use super::schedule::{AT_ONCE, Due, ONE_BY_ONE, Row};
use super::ticks::grown;
use crate::answer::{GoalOutcome, Method};

impl Round<'_> {
    /// Asks what is due in this round about all goals that are open, or one method alone; whether more ticks could
    /// help.
    pub(super) fn ask(self, goals: &[Formula], found: &mut [GoalOutcome], method: Option<Method>, progress: &mut Progress) -> bool {
        let is_asked = |row_method: Method, due: Due, is_alone: bool| match method {
            Some(method) => is_alone && row_method == method,
            None => self.session.left_out != Some(row_method) && due.is_now(self.number, self.before),
        };
        let mut is_cut = false;
        for row in AT_ONCE.iter().filter(|row| is_asked(row.method, row.due, row.is_alone)) {
            if self.cancel.is_cancelled() || !found.iter().any(GoalOutcome::is_open) {
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
}
