//! Exact linear integer arithmetic with proofs.
//!
//! Decides whether a [`Problem`](serval_linear::Problem) has a solution
//! in non-negative integers. A solution is given as numbers that
//! [`is_solved_by`](serval_linear::is_solved_by) puts in, and the absence
//! of one as a [`Tree`](serval_linear::Tree) that
//! [`check_tree`](serval_linear::check_tree) checks without this crate.
//!
//! - [`Int`], [`Rational`]: machine words that widen to big numbers.
//! - [`Solver`], [`solve`]: the search, on top of an exact simplex and of an
//!   incremental Hermite form.
//! - [`lp`]: least values over the rationals, with vertices.
//! - [`obstruction`]: why equations have no solution in integers.
//! - [`smtlib`]: problems as text for other solvers.
//!
//! Architecture Invariant: nothing here is believed. A refutation counts when
//! the checker has accepted its tree, a solution when it has been put in.
//!
//! Architecture Invariant: no floating point, no threads, no clock; the same
//! calls with the same budgets give the same answers everywhere.

mod int;
mod lattice;
pub mod lp;
mod rational;
mod refutation;
mod simplex;
pub mod smtlib;
mod solver;

#[cfg(test)]
mod tests;

pub use int::Int;
pub use lattice::obstruction;
pub use rational::Rational;
pub use solver::{Outcome, Solver, solve};
