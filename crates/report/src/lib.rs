//! Everything that is shown, as text: diagnostics with their source lines,
//! pictures of systems, traces of runs, the pages of `serval explain`.
//!
//! This crate prints nothing. It turns data into strings; the binary decides
//! where they go.

pub mod bench;
mod diagnostics;
pub mod explain;
pub mod fix;
mod graphs;
mod trace;
mod verdict;

pub use diagnostics::{Style, json_diagnostic, render_diagnostics};
pub use graphs::{Labels, PlainLabels, ProgramLabels, automaton_dot, system_dot, system_mermaid};
pub use trace::{StateName, Trace, TraceAccess, TraceError, TraceEvent};
pub use verdict::{
    Answered, CertificateNote, Counterexample, FileReport, LocalValues, Note, ReducedSizes, RuledOut, Sizes, StageReport, StageTimes,
    StateValues, States, StatesField, StuckNote, Times, Verdict, notes,
};
