//! Runs of which it is not known whether their answers are serial, because the search for a serial run was cut off.
//!
//! They are asked about again with more pairs, those with the fewest requests first. One that was cut off again waits
//! until it is its turn with four times as many.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use serval_model::Letter;

use super::play::Play;
use super::schedule::Schedule;

/// Runs that are kept at most, and how many times as many pairs they have each time.
const MOST: usize = 48;
const MORE: usize = 4;

/// A run that waits.
pub(super) struct Waiting {
    pub(super) play: Play,
    pub(super) schedule: Schedule,
    /// After how many runs it was made.
    pub(super) runs: u64,
    /// The pairs that it may have.
    pub(super) pairs: usize,
}

/// The runs.
#[derive(Default)]
pub(super) struct Aside {
    /// By what they will cost and in the order in which they came.
    waiting: BTreeMap<(usize, usize), Waiting>,
    came: usize,
    known: FxHashSet<Vec<Letter>>,
}

impl Aside {
    /// Puts a run aside, unless there was one with the same answers.
    pub(super) fn put(&mut self, play: &Play, schedule: Schedule, runs: u64, pairs: usize) {
        let mut answers = play.answers.clone();
        answers.sort_unstable();
        if self.known.len() < MOST * 64 && self.known.insert(answers) {
            self.wait(Waiting { play: play.clone(), schedule, runs, pairs: pairs.saturating_mul(MORE) });
        }
    }

    /// Once more, with more pairs.
    pub(super) fn again(&mut self, waiting: Waiting) {
        self.wait(Waiting { pairs: waiting.pairs.saturating_mul(MORE), ..waiting });
    }

    fn wait(&mut self, waiting: Waiting) {
        let cost = waiting.pairs.saturating_mul(waiting.play.answers.len());
        self.came += 1;
        self.waiting.insert((cost, self.came), waiting);
        if self.waiting.len() > MOST {
            self.waiting.pop_last();
        }
    }

    /// The cheapest one.
    pub(super) fn next(&mut self) -> Option<Waiting> {
        self.waiting.pop_first().map(|(_, waiting)| waiting)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}
