//! Attacks on what serval says.
//!
//! Each sweep attacks one thing, and the judge is code that shares nothing with what is judged: it tries everything on
//! small inputs, or follows a run.
//!
//! - [`requests`]: verdicts about request handlers, the rules that make systems smaller, proofs on the program text,
//!   and the checker.
//! - [`nets`]: answers about Petri nets, and their evidence.
//! - [`weak_memory`]: answers about programs on weak memory, and their evidence.
//!
//! They share how cases are spread over [threads], how outcomes are [counted](Tally), the [clock], and the
//! [limits](Limit) of one decision. The subjects of `serval-measure` run them at length, and the tests of this crate
//! run a sample.

pub mod clock;
mod limit;
pub mod nets;
pub mod requests;
mod tally;
pub mod threads;
pub mod weak_memory;

pub use limit::{CoreTime, Limit, within};
pub use serval_random::{Behaviours, Kind};
pub use tally::{Merge, Tally, merged};
