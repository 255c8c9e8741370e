//! Problems of linear integer arithmetic, and evidence about them.
//!
//! A [`Problem`] asks for non-negative integers that meet equalities,
//! inequalities and clauses. Both answers have evidence that is checked by
//! putting in and adding up: a solution ([`is_solved_by`]), or a proof tree
//! ([`Tree`], [`check_tree`]). The [`tree`] module says what a tree is, and
//! proves that a problem with one has no solution.
//!
//! Nothing here searches or solves, and nothing knows what the variables stand
//! for: counts of steps of requests, or tokens of a net.

// Numbers of inputs have 64 bits: what is done with them is checked, or done in 128 bits.
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))]

mod conditions;
mod format;
mod problem;
mod solution;
#[cfg(test)]
mod tests;
pub mod tree;

pub use conditions::TreeCondition;
// What the macros of `serval-evidence` name.
use conditions::TreeCondition as Condition;
pub use problem::{Linear, Literal, Problem};
pub use solution::is_solved_by;
pub use tree::{Combination, Node, Reference, Tree, check_tree};
