//! A layer on several threads, with the same result as on one.
//!
//! The ways to choose requests are independent. Each is searched by whichever
//! thread is free; the results are then read in their fixed order, ticks added
//! up in that order, so that the layer ends at the same place as it would on
//! one thread.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serval_budget::{Budget, Stopped, threads};
use serval_model::{Halt, NetworkSystem, Run};

use super::layer::{LayerOutcome, MAX_MULTISETS, Search};
use super::{RequestMultiset, Waits, request_multisets};

/// What one choice of requests gave, and the ticks it took.
struct ChoiceAnswer {
    found: Result<Option<Run>, Stopped>,
    ticks: u64,
}

/// What is known so far.
struct Board {
    answers: Vec<Option<ChoiceAnswer>>,
    /// All answers before this position are there, and their ticks.
    prefix: usize,
    prefix_ticks: u64,
}

/// What the threads share.
struct Layer<'a> {
    waits: &'a Waits,
    multisets: &'a [RequestMultiset],
    budget: &'a Budget,
    board: Mutex<Board>,
    /// The choice that is looked at next, and the one before which the layer ends.
    next: AtomicUsize,
    limit: AtomicUsize,
}

/// As [`Search::layer`], on `jobs` threads (0 for all cores). The ticks used are taken from `budget`. The first `clear`
/// ways to choose requests are left out; afterwards it says how many need not be looked at again, whether in this
/// system or in another one with the same sets of answers. What `waits` says of this system rules out some of them at
/// once.
pub fn parallel_layer(
    system: &NetworkSystem,
    waits: &Waits,
    requests: u32,
    jobs: usize,
    clear: &mut usize,
    budget: &mut Budget,
) -> LayerOutcome<std::convert::Infallible> {
    let all = request_multisets(system.request_count(), requests, MAX_MULTISETS);
    let multisets = all.get(*clear..).unwrap_or_default();
    let board = Mutex::new(Board { answers: (0..multisets.len()).map(|_| None).collect(), prefix: 0, prefix_ticks: 0 });
    let layer = Layer { waits, multisets, budget, board, next: AtomicUsize::new(0), limit: AtomicUsize::new(multisets.len()) };
    // Of a finite system every question has an answer. A limit would be met
    // or not depending on what a thread already knows.
    let search = || Search::with_serial_ticks(system, u64::MAX);
    let mut own = search();
    layer.work(&mut own, ALONE);
    if layer.next.load(Ordering::Relaxed) < layer.limit.load(Ordering::Relaxed) && threads(jobs) > 1 {
        std::thread::scope(|scope| {
            for _ in 1..threads(jobs) {
                scope.spawn(|| layer.work(&mut search(), u64::MAX));
            }
            layer.work(&mut own, u64::MAX);
        });
    } else {
        layer.work(&mut own, u64::MAX);
    }
    let board = layer.board.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    for answer in board.answers {
        // Missing answers come after one that ended the layer.
        let Some(ChoiceAnswer { found, ticks }) = answer else { break };
        if let Err(stopped) = budget.spend(ticks) {
            return LayerOutcome::Stopped(stopped);
        }
        match found {
            Ok(None) => *clear += 1,
            Ok(Some(run)) => return LayerOutcome::Found(run),
            Err(stopped) => return LayerOutcome::Stopped(stopped),
        }
    }
    if all.len() < MAX_MULTISETS { LayerOutcome::Clear } else { LayerOutcome::Stopped(Stopped::OutOfTicks) }
}

/// Ticks that one thread does alone before there are others: for less they
/// would take longer to start than they help.
const ALONE: u64 = 20_000;

impl Layer<'_> {
    /// Answers one question after the other, until `until` ticks are spent.
    fn work(&self, search: &mut Search<&NetworkSystem>, until: u64) {
        let mut spent = 0_u64;
        while spent < until {
            let position = self.next.fetch_add(1, Ordering::Relaxed);
            // Nothing after an answer that ends the layer can matter.
            if position >= self.limit.load(Ordering::Relaxed) {
                return;
            }
            let mut own = self.budget.part(u64::MAX);
            let before = own.left();
            let found = self.runs_of(search, position, &mut own);
            let ends = !matches!(found, Ok(None));
            let Ok(mut board) = self.board.lock() else { return };
            let ticks = before - own.left();
            spent = spent.saturating_add(ticks);
            board.answers[position] = Some(ChoiceAnswer { found, ticks });
            while let Some(Some(answer)) = board.answers.get(board.prefix) {
                board.prefix_ticks = board.prefix_ticks.saturating_add(answer.ticks);
                board.prefix += 1;
            }
            if ends {
                self.limit.fetch_min(position, Ordering::Relaxed);
            } else if board.prefix_ticks > before {
                self.limit.fetch_min(board.prefix, Ordering::Relaxed);
            }
        }
    }

    /// A counterexample with the requests of one choice.
    fn runs_of(&self, search: &mut Search<&NetworkSystem>, position: usize, budget: &mut Budget) -> Result<Option<Run>, Stopped> {
        let requests = &self.multisets[position];
        if !self.waits.may_all_answer(requests) {
            return budget.spend(1).map(|()| None);
        }
        search.runs_of(requests, budget).map_err(|halt| match halt {
            Halt::Budget(stopped) => stopped,
            Halt::System(never) => match never {},
        })
    }
}
