//! Evidence about programs on weak memory, x86-TSO (Owens, Sarkar, Sewell 2009), and its checker.
//!
//! A [`Certificate`] answers questions of a program under sequential consistency and with store buffers, says whether
//! the program is robust, and which fences make it so. Each kind of evidence has one module with its rule, and the
//! proof of the rule at its head:
//!
//! | module | shows |
//! |---|---|
//! | [`run`] | that a state can be reached |
//! | [`states`] | that none can, under either model: a closed list of states |
//! | [`finals`] | that no final state can, under sequential consistency: persistent sets |
//! | [`merged`] | the same with store buffers that are not bounded: equal stores in a row are one |
//! | [`basis`] | the same whatever is stored: a finite basis in dual TSO, with load buffers ([`loads`]) |
//! | [`robust`] | that every trace is acyclic: a closed list of instrumented states for each attacker |
//! | [`any`] | the same for any number of copies of a `thread*`: counter abstraction |
//! | [`anystates`] | that a state cannot be reached under sequential consistency, for any number of copies |
//! | [`trace`] | that some trace is not: a run and a cycle |
//! | [`fences`] | which fences or locked stores are enough, and that no cheaper set is: hitting sets |
//! | [`live`], [`urgent`], [`persistent`], [`alike`] | which states of lists need not be there |
//! | [`told`] | nothing: what happens in a run, for reports |
//!
//! The semantics is in [`mod@step`] and [`state`]: this crate has its own interpreter of the automata.
//!
//! **Architecture Invariant:** no search, no solver, no engine below; what is shared with the engine is the program as
//! it was read.

// Numbers of inputs have 64 bits: what is done with them is checked, or done in 128 bits.
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))]

mod accept;
pub mod alike;
pub mod any;
pub mod anystates;
pub mod basis;
mod certificate;
mod conditions;
pub mod fences;
pub mod finals;
pub mod live;
pub mod loads;
pub mod merged;
pub mod persistent;
pub mod robust;
pub mod run;
pub mod state;
pub mod states;
pub mod step;
#[cfg(test)]
mod tests;
pub mod told;
pub mod trace;
pub mod urgent;

pub use accept::Shown;
pub use any::{AnyRobust, Configuration};
pub use anystates::AnyStates;
pub use basis::Basis;
pub use certificate::{Answer, At, By, Certificate, Claim, FORMAT, FenceSet, Fences, Goal, Means, VERSION, Witness, fingerprint};
pub use conditions::Condition;
pub use fences::FencesShown;
pub use robust::Robust;
pub use serval_evidence::{Refusal, Rejection, Rows};
pub use state::Model;
pub use states::States;
pub use trace::{HappensBefore, Violation};
