//! How much the tests try: one knob for all sweeps.
//!
//! A *sweep* is a test that tries many generated cases against an oracle. [`sweep`] gives it a name and two sizes, and
//! `SERVAL_EFFORT` chooses between them:
//!
//! | `SERVAL_EFFORT` | cases | seeds |
//! |---|---|---|
//! | `quick` | an eighth of the sample, and no test that calls [`skips`] | fixed |
//! | `ci`, also where the variable is absent | the sample | fixed |
//! | `night` | the whole sweep | those of the day |
//!
//! The sample has fixed seeds, because its job is to notice a change: `sabotages.tsv` beside this crate names for each
//! sweep a change of the product that the sample must notice, and `scripts/sabotage` makes these changes one by one and
//! looks. The whole sweep has new seeds every day, because its job is to find what was always wrong.
//!
//! `SERVAL_COUNT` and `SERVAL_SEED` override number and seeds of all sweeps, to try much more of one test or to repeat
//! what a night has found; a sweep says with which seeds it ran when they are not the fixed ones.
//!
//! Architecture Invariant: depends on no other crate, so that the tests of every crate can use it.

use std::io::Write;
use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// What `SERVAL_EFFORT` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// A minute for everything, once built.
    Quick,
    /// What every change must pass.
    Ci,
    /// All cases, with the seeds of the day.
    Night,
}

impl Effort {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "quick" => Some(Self::Quick),
            "" | "ci" => Some(Self::Ci),
            "night" => Some(Self::Night),
            _ => None,
        }
    }
}

/// The effort that the environment asks for.
///
/// # Panics
///
/// Where `SERVAL_EFFORT` is none of `quick`, `ci` and `night`.
pub fn effort() -> Effort {
    let text = std::env::var("SERVAL_EFFORT").unwrap_or_default();
    Effort::parse(&text).unwrap_or_else(|| panic!("SERVAL_EFFORT is quick, ci or night, and not {text}"))
}

/// The step by which a list is gone through: all of it at night, one in `sample` otherwise.
pub fn one_in(sample: usize) -> usize {
    if effort() == Effort::Night { 1 } else { sample }
}

/// Whether a test is left out of the quick effort; then a line says so.
pub fn skips(test: &str) -> bool {
    let is_quick = effort() == Effort::Quick;
    if is_quick {
        say(&format!("{test}: left out (SERVAL_EFFORT=quick)"));
    }
    is_quick
}

/// Where an environment variable has a number.
fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is no number: {text}")))
}

/// A line for people, where the test runner does not hide it.
fn say(line: &str) {
    // A closed standard error is no reason to fail a test.
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// The cases of one test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sweep {
    count: u64,
    sample: u64,
    /// What is added to every fixed seed.
    shift: u64,
}

/// The sweep of this name: `sample` cases in CI, `whole` at night.
pub fn sweep(name: &str, sample: u64, whole: u64) -> Sweep {
    let day = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    let sweep = Sweep::with(effort(), sample, whole, number("SERVAL_COUNT"), number("SERVAL_SEED"), day);
    if sweep.shift != 0 {
        say(&format!("{name}: {} cases, SERVAL_SEED={}", sweep.count, sweep.shift));
    }
    sweep
}

impl Sweep {
    /// As [`sweep`], with the environment as arguments.
    fn with(effort: Effort, sample: u64, whole: u64, count: Option<u64>, seed: Option<u64>, day: u64) -> Self {
        let usual = match effort {
            Effort::Quick => sample.div_ceil(8),
            Effort::Ci => sample,
            Effort::Night => whole.max(sample),
        };
        // Far enough from the fixed seeds and from yesterday's that no case is tried twice.
        let today = if effort == Effort::Night { day * 100_000_000 } else { 0 };
        Self { count: count.unwrap_or(usual), sample, shift: seed.unwrap_or(today) }
    }

    /// How many cases there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The seed to use for the fixed seed `fixed`.
    pub fn seed(&self, fixed: u64) -> u64 {
        fixed.wrapping_add(self.shift)
    }

    /// The seeds of all cases, of which `first` is the first fixed one.
    pub fn seeds(&self, first: u64) -> Range<u64> {
        let first = self.seed(first);
        first..first.saturating_add(self.count)
    }

    /// Whether enough cases are tried to say how often something happens.
    pub fn is_representative(&self) -> bool {
        self.count >= self.sample
    }

    /// What `work` makes of each seed, in their order; all cores work.
    pub fn map<T: Send>(&self, first: u64, work: impl Fn(u64) -> T + Sync) -> Vec<T> {
        let seeds: Vec<u64> = self.seeds(first).collect();
        side_by_side(&seeds, |&seed| work(seed))
    }

    /// Does `work` for each seed; all cores work.
    pub fn each(&self, first: u64, work: impl Fn(u64) + Sync) {
        self.map(first, work);
    }
}

/// What `work` makes of each item, in their order; all cores work.
///
/// # Panics
///
/// With the message of the first failure, as soon as the items that are begun are done.
pub fn side_by_side<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get).min(items.len());
    if cores <= 1 {
        return items.iter().map(work).collect();
    }
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let worker = || {
        let mut done = Vec::new();
        while !failed.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { break };
            // Only a panic drops the alarm.
            let guard = Alarm(&failed);
            done.push((index, work(item)));
            std::mem::forget(guard);
        }
        done
    };
    let mut all: Vec<(usize, T)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        let results: Vec<_> = workers.into_iter().map(|worker| worker.join()).collect();
        results.into_iter().flat_map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    all.sort_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, result)| result).collect()
}

/// Raised when it is dropped, which only a panic does.
struct Alarm<'a>(&'a AtomicBool);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_knob_has_three_places() {
        assert_eq!(
            ["", "ci", "quick", "night", "all"].map(Effort::parse),
            [Some(Effort::Ci), Some(Effort::Ci), Some(Effort::Quick), Some(Effort::Night), None]
        );
    }

    #[test]
    fn seeds_are_fixed_but_at_night() {
        let of = |effort, day| Sweep::with(effort, 80, 300, None, None, day);
        assert_eq!(of(Effort::Ci, 20_000).seeds(5), 5..85);
        assert_eq!(of(Effort::Quick, 20_000).seeds(5), 5..15);
        let (today, tomorrow) = (of(Effort::Night, 20_000).seeds(5), of(Effort::Night, 20_001).seeds(5));
        assert_eq!(today.end - today.start, 300);
        assert!(today.end < tomorrow.start && today.start > 5);
    }

    #[test]
    fn count_and_seed_are_overridden() {
        let sweep = Sweep::with(Effort::Ci, 80, 300, Some(7), Some(1000), 20_000);
        assert_eq!((sweep.seeds(5), sweep.is_representative()), (1005..1012, false));
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..1000).collect();
        assert_eq!(side_by_side(&items, |item| item * 2), items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert_eq!(side_by_side(&[] as &[u64], |item| *item), []);
    }

    #[test]
    fn a_failure_keeps_its_message() {
        let items: Vec<u64> = (0..100).collect();
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            side_by_side(&items, |&item| assert_ne!(item, 10, "the tenth"));
        }));
        let message = result.unwrap_err();
        assert!(message.downcast_ref::<String>().is_some_and(|text| text.contains("the tenth")));
    }
}
