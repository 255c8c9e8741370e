//! What is tried when, and with how many ticks.

use super::tasks::Kind;

/// Ticks for reductions of one component, in the first round.
pub(super) const REDUCE_TICKS: u64 = 100_000_000;
/// Ticks for a proof over the numbers of answers that is there as soon as
/// it is looked for, before the first level.
pub(super) const INSTANT_TICKS: u64 = 1_000;
/// Ticks for a search of the reduced system, which is small, before the first
/// level: a tick of it is a configuration, and takes much longer than others.
pub(super) const GLANCE_TICKS: u64 = 2_000;
/// Ticks for the search in the first levels, at most.
pub(super) const SOON_TICKS: u64 = 31_250;
/// Ticks for proofs before reductions, where these are expensive, in the first round.
pub(super) const EARLY_TICKS: u64 = 200_000;
/// Ticks for a task, in the last level of the first round.
pub(super) const TASK_TICKS: u64 = 2_000_000;
/// By how much budgets grow from round to round.
pub(super) const GROWTH: u64 = 4;
/// What a round begins with, in this order, and with how many ticks in the first.
pub(super) const BEGIN: &[(Stage, u64)] = &[(Stage::Tasks(&[Kind::LettersFirst]), EARLY_TICKS), (Stage::Reduce, REDUCE_TICKS)];

/// The first level on which runs are drawn, by its ticks: on those before it the others decide nearly everything.
pub(super) const SAMPLE_LEVEL: u64 = 125_000;
/// How many times the ticks of the level that takes. With four times, systems that need letters and this level took
/// twice as long; with one, they take as long as without, and `queue_racy` is refuted as soon.
pub(super) const SAMPLE_TIMES: u64 = 1;

/// What stands before the first level of all: most systems are decided here.
pub(super) const GLANCE: &[(Stage, u64)] = &[(Stage::Tasks(&[Kind::LettersReduced]), INSTANT_TICKS), (Stage::Search, GLANCE_TICKS)];

/// What is done on each level, in this order, and with which part of its ticks. To give a method a place, add a
/// [`Kind`] to a list here. Methods that seldom find anything have small parts, so that all of them together take not
/// much longer than the first. The search has a larger part as long as its ticks are few: it goes on doubling from what
/// it had before the first level, so that a counterexample just beyond that waits for few levels.
pub(super) const LEVEL: &[(Stage, u64)] = &[
    (Stage::Tasks(&[Kind::LettersReduced, Kind::FlowReduced]), 1),
    (Stage::SearchSoon, 8),
    (Stage::Parts, 1),
    (Stage::Sample, 1),
    (Stage::Search, 20),
    (Stage::Tasks(&[Kind::LettersTracked, Kind::LettersOriginal, Kind::FlowOriginal, Kind::Classic]), 4),
    (Stage::Tasks(&[Kind::Bounded]), 16),
];

/// What a round ends with: methods that take long to begin.
pub(super) const END: &[(Stage, u64)] = &[(Stage::Tasks(&[Kind::Decompose]), TASK_TICKS)];

/// How many parts of a level are done where no round is asked for.
pub(super) const ALWAYS: usize = 1;

/// How often the ticks of the last level of a round are halved, to have those of its levels. Those of the first
/// round begin where hardly any work is lost; a later round begins where the one before ended.
pub(super) const HALVED: [&[u32]; 2] = [&[7, 6, 5, 4, 3, 2, 1, 0], &[1, 0]];

/// The same where no round is asked for.
pub(super) const HALVED_ALWAYS: &[u32] = &[3, 0];

/// A part of a round.
pub(super) enum Stage {
    /// Reductions of what is not proved.
    Reduce,
    /// Counterexamples by number of requests.
    Search,
    /// The same with few ticks.
    SearchSoon,
    /// Proofs of parts that few letters join, where the ticks are not few.
    Parts,
    /// Counterexamples among random runs, where the ticks are not few.
    Sample,
    /// Tasks for each component that is not proved.
    Tasks(&'static [Kind]),
}
