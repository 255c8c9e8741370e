//! Semilinear sets (Ginsburg, Spanier 1966): regular expressions over an automaton, their Parikh images (Parikh 1966),
//! and the complements of these.
//!
//! The first stage of the published method: the automaton of serial behaviours
//! becomes a regular expression, the expression becomes the set of all counts
//! of letters that its words can have (their *Parikh image*, a semilinear
//! set), and what is outside of that set becomes a disjunction of
//! inequalities and divisibilities.
//!
//! ```text
//! Automaton ──eliminate──▶ Regex ──semilinear──▶ Semilinear ──clauses──▶ Complement ──disjuncts──▶ Disjunct, …
//! ```
//!
//! Where to start: [`image()`] does the first two steps at once, and
//! [`Semilinear::clauses`] the third; [`LinearSet::forms`] says by which
//! equations, inequalities and divisibilities a vector belongs to a component.
//!
//! Architecture Invariant: all arithmetic is exact. Numbers that do not fit
//! end the work with [`Error::Overflow`]; nothing wraps.
//!
//! Architecture Invariant: every unit of work takes ticks from a
//! [`Budget`](serval_budget::Budget), and all answers are the same everywhere.
//!
//! ```
//! use serval_budget::Budget;
//! use serval_semilinear::{Automaton, Counts, Letter, Options, SetWork, StateId, image};
//!
//! // Two states: `a` there, `b` back.
//! let edges = vec![(StateId(0), Letter(0), StateId(1)), (StateId(1), Letter(1), StateId(0))];
//! let automaton = Automaton::new(2, StateId(0), edges, 2)?;
//! let options = Options::default();
//! let mut budget = Budget::unlimited();
//! let image = image(&automaton, &options, &mut budget)?;
//! assert!(image.set.contains(&Counts::new([(Letter(0), 3), (Letter(1), 2)])?, &mut budget)?);
//!
//! let complement = image.set.clauses(&mut SetWork::new(&options, &mut budget))?;
//! assert!(complement.holds(&Counts::new([(Letter(1), 1)])?)?);
//! # Ok::<(), serval_semilinear::Error>(())
//! ```

mod automaton;
mod combination;
mod complement;
mod counts;
mod disjuncts;
mod error;
mod expression;
mod forms;
mod image;
mod inclusion;
mod independent;
mod linear_set;
mod number;
mod reduce;
mod regex;
mod set;

pub use automaton::{Automaton, eliminate};
pub use complement::{Clause, Complement, Literal};
pub use counts::{Counts, EdgeId, Letter, StateId, Vector};
pub use disjuncts::{Disjunct, Disjuncts};
pub use error::Error;
pub use expression::Expression;
pub use forms::{Forms, PeriodForm};
pub use image::{Image, Statistics, image, semilinear};
pub use linear_set::LinearSet;
pub use regex::{NodeId, Regex, RegexBuilder, RegexNode};
pub use set::{Options, Semilinear, SetWork};
