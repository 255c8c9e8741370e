//! How many ticks methods have.
//!
//! Each is a default for all nets, found by measuring contest nets and families: a method gets about as long in the
//! first round as the ones beside it. Any number from 1 on is sound; a smaller one leaves more to later rounds.

/// Ticks for the bounds of places by weighted sums, in the first round.
pub(super) const WEIGHTS_TICKS: u64 = 10_000_000;
/// Ticks for the marking equation, in the first round.
pub(super) const EQUATION_TICKS: u64 = 250_000;
/// Ticks for markings with ω, and for least markings backwards, in the first round.
pub(super) const COVER_TICKS: u64 = 10_000;
/// Ticks for random walks, in the beginning.
pub(super) const WALK_TICKS: u64 = 5_000;
/// Markings that are looked at one by one, each of which is a tick, in the first round.
pub(super) const EXPLICIT_TICKS: u64 = 1_000;
/// Goals that are looked for in one search in the beginning, with so many markings each; more goals get no more.
pub(super) const MOST_AT_ONCE: usize = 64;
/// Ticks for IC3 and for k-induction, each, in the first of their rounds.
pub(super) const INDUCTIVE_TICKS: u64 = 250_000;
/// Ticks for separating clauses, in the first round.
pub(super) const SEPARATOR_TICKS: u64 = 10_000;
/// Ticks for the decomposition, in the first round.
pub(super) const DECOMPOSE_TICKS: u64 = 10_000;

/// By how much ticks grow from round to round.
pub(super) const GROWTH: u64 = 4;

/// What so many ticks of the first round are in a later one.
pub(super) fn grown(first: u64, round: u32) -> u64 {
    first.saturating_mul(GROWTH.saturating_pow(round))
}
