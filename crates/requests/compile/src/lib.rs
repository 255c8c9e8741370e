//! Programs to network systems.
//!
//! A program is lowered to a control graph (`lower`), the graph is reduced to
//! what matters (`simplify`, `liveness`, `merge`), split into parts that
//! share nothing (`split`), and for each part the states that can occur for
//! any number of concurrent requests are explored (`explore`), or made as they
//! are needed ([`Lazy`]). The result, [`Compiled`], has a finite network system per part and the way back to the
//! text: spans, and a replay that shows real values ([`SourceRun`]).
//!
//! Each of those modules states why it changes neither the interleaved nor the
//! serial completed multisets. This crate is part of what a user of `serval`
//! has to trust; a naive interpreter cross-checks it in the tests.

mod closed;
mod compiled;
pub mod control;
mod dead;
mod disjoint;
#[cfg(test)]
mod doctored;
mod error;
mod explore;
mod fault_run;
mod findings;
mod follow;
mod graph;
mod handed;
mod intervals;
mod lazy;
mod liveness;
mod lower;
mod machine;
mod merge;
mod naming;
mod options;
mod prepared;
mod registers;
mod remark;
mod simplify;
mod source;
mod space;
mod split;
mod translation;
mod written;

pub use closed::Unclosed;
pub use compiled::{Compiled, Component, compile};
pub use error::{CompileError, FaultReport, GrowthReport, ReportedStep, codes};
pub use fault_run::{FaultEvent, FaultRun, Needs};
pub use findings::without_states;
pub use handed::ClosedStates;
pub use lazy::Lazy;
pub use machine::{Fault, FaultKind, StepLimits};
pub use options::{Limits, Mode, Options};
pub use prepared::Prepared;
pub use source::{Access, Source, SourceMismatch, SourceRun, SourceStep};
pub use translation::{Translation, TranslationError};
pub use written::{WrittenMap, WrittenMarking, WrittenPlace, WrittenPoint, WrittenState, WrittenValue};
