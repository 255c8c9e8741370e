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
