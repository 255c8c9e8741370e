//! Everything that is shown, as text: diagnostics with their source lines,
//! pictures of systems, traces of runs, the pages of `serval explain`.
//!
//! This crate prints nothing. It turns data into strings; the binary decides
//! where they go.

mod advice;
pub mod bench;
mod counterexample;
mod diagnostics;
pub mod escape;
pub mod explain;
mod fault;
pub mod fix;
mod formats;
mod graphs;
pub mod html;
mod in_time;
pub mod levels;
mod nearest;
pub mod nets;
mod page_style;
mod parts;
pub mod pictures;
mod placed;
mod proof;
mod screen;
mod shown;
pub mod sql_fix;
mod sql_run;
mod stages;
mod statements;
mod timeline;
mod trace;
pub mod tso;
mod verdict;
mod why;
mod words;
mod written;

pub use advice::{Advice, Largest, Nearest, Tried};
pub use counterexample::{
    Answered, Closest, Counterexample, ExcerptLine, Explanation, LocalValues, NeverSerial, SerialOrder, StateValues, States, StatesField,
    TimeOrders,
};
pub use diagnostics::{Style, json_diagnostic, render_diagnostics};
pub use fault::FaultNote;
pub use formats::sarif;
pub use graphs::{Labels, PlainLabels, ProgramLabels, automaton_dot, system_dot, system_mermaid};
pub use in_time::StrictNote;
pub use nearest::{Hindrance, NearestOrder};
pub use page_style::page_style;
pub use parts::{CertificateNote, GrownNote, HeaderPromise, Note, OpenAnswer, ReducedSizes, RuledOut, Sizes, StuckNote, Times, Verdict};
pub use placed::{PlacedFinding, placed_github, placed_sarif};
pub use proof::ProofNote;
pub use screen::{Look, time};
pub use serval_diagnostic::counted;
pub use sql_run::{SqlRun, SqlRunMove, SqlRunRequest};
pub use stages::{StageReport, StageTimes};
pub use statements::RunStatement;
pub use trace::{StateName, Trace, TraceAccess, TraceError, TraceEvent};
pub use verdict::{FileReport, HOLLOW, SampleNote, notes};
pub use why::{Causes, ConflictSide, OrderEdge, OtherCourse, Why};
pub use words::VERDICT_WORDS;
pub use written::core_with_map;
