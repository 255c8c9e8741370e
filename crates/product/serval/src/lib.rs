//! serval decides whether request handlers are *serializable*: whether every
//! set of answers that concurrent requests can produce could also have come
//! from running them one at a time. It decides this for any number of
//! requests, and every answer rests on evidence that an independent checker
//! has accepted.
//!
//! # A tour of five minutes
//!
//! ## Deciding
//!
//! Handlers are written in a small language: names with capitals are shared,
//! other names belong to one request, and at a `yield` others get a turn. A
//! text is read once ([`Input`]) and decided about ([`decide()`]).
//!
//! ```
//! use serval::{Input, Options, Verdict, decide};
//! let input = Input::program("request flip { X := 1 - X; X }").unwrap();
//! let decision = decide(&input, &Options::default());
//! let Verdict::Serializable(evidence) = decision.verdict else { panic!() };
//! assert_eq!(evidence.method, "lipton");
//! ```
//!
//! A text that is no program is no input; what is wrong with it is data, with
//! places in the text ([`Mistakes`]).
//!
//! ## Reading a counterexample
//!
//! Here two withdrawals can both see the money that is there only once:
//!
//! ```
//! use serval::{Input, Options, Verdict, decide};
//! let text = "
//! var Balance: 0..1 := 1
//! request withdraw {
//!   seen := Balance;
//!   yield;
//!   if (seen == 1) { Balance := 0; 1 } else { 0 }
//! }";
//! let input = Input::program(text).unwrap();
//! let decision = decide(&input, &Options::default());
//! let Verdict::NotSerializable(_, counterexample) = decision.verdict else { panic!() };
//! // Who asked, and what they were answered:
//! let requests = counterexample.requests.iter();
//! let answers: Vec<_> = requests.map(|one| (one.request.as_str(), one.response.as_str())).collect();
//! assert_eq!(answers, [("withdraw", "1"), ("withdraw", "1")]);
//! // No smaller run is wrong, and this is what kind of wrong it is.
//! assert!(counterexample.minimal);
//! assert_eq!(counterexample.anomaly, Some("check-then-act"));
//! // The run itself, event by event; and in words.
//! assert_eq!(counterexample.steps.len(), 8);
//! assert_eq!(counterexample.story[0], "#1 withdraw comes");
//! // Removing the `yield` on line 5 would help, which is proved, too.
//! assert_eq!(decision.fix.unwrap().alternatives, [[[5, 3]]]);
//! ```
//!
//! ## Checking evidence
//!
//! A certificate is text. A user who does not trust this library, or this run of
//! it, checks the certificate again: with [`Input::verify`], or with the small
//! program `serval-verify`, which contains no search and no solver.
//!
//! ```
//! use serval::{Cancel, Input, Options, Outcome, decide};
//! let input = Input::program("request flip { X := 1 - X; X }").unwrap();
//! let decision = decide(&input, &Options::default());
//! let certificate = &decision.evidence().unwrap().certificate;
//! assert!(matches!(input.verify(certificate, &Cancel::new()), Outcome::Valid(_)));
//! // It is about this very text.
//! let other = Input::program("request flip { X := 1 - X; 0 }").unwrap();
//! assert!(matches!(other.verify(certificate, &Cancel::new()), Outcome::Invalid(_)));
//! ```
//!
//! ## Stopping
//!
//! Work is counted in ticks, so that the same input gives the same answer on
//! every machine; there is no clock in here. A caller with a limit raises the
//! flag of a [`Cancel`] handle, from another thread or from within a progress
//! callback, and the work ends soon with what is known so far.
//!
//! ```
//! use std::sync::Arc;
//! use serval::{Cancel, Input, Options, StopReason, Undecided, Verdict, decide};
//! let input = Input::program("request next { yield; N := (N + 1) % 5; N }").unwrap();
//! let cancel = Cancel::new();
//! let mut options = Options::default();
//! options.cancel = cancel.clone();
//! // Enough after the first look.
//! options.progress = Some(Arc::new(move |_| cancel.cancel()));
//! let decision = decide(&input, &options);
//! assert!(matches!(decision.verdict, Verdict::Undecided(Undecided::Stopped(StopReason::Cancelled))));
//! ```
//!
//! ## Fixing, formatting, reporting
//!
//! [`repair`] finds the smallest sets of `yield`s without which a program is
//! serializable, or the requests that need a lock; [`format`](format()) lays a
//! program out; [`Decision::into_report`] is what `serval check` prints, as
//! text, JSON, SARIF or a page; [`simulator`] runs programs step by step.
//!
//! ```
//! use serval::{FormatStyle, Input, Options, decide, format};
//! let text = "request  flip{X:=1-X;X}";
//! let tidy = format(text, &FormatStyle::default()).unwrap();
//! assert_eq!(tidy, "request flip {\n  X := 1 - X;\n  X\n}\n");
//! let input = Input::program(tidy).unwrap();
//! let json = decide(&input, &Options::default()).into_report("flip.ser", &input, false).to_json();
//! assert!(json.starts_with(r#"{"schema":1,"file":"flip.ser","verdict":"serializable","method":"lipton""#));
//! ```
//!
//! # Features
//!
//! Programs of requests and network systems are always there. All else can be left out, where a small module matters,
//! and is there by default: `nets` is [`nets`], `weak-memory` is [`tso`], and `report` are reports, [`page`](page()),
//! [`export`] and [`ablation`].
//!
//! # The rooms
//!
//! | to see | open |
//! |---|---|
//! | how a text is read, and kept | `input` |
//! | what the engines are asked, in which order | `claim` |
//! | how a claim becomes a verdict | `decide`, `evidence` |
//! | what is said beside the verdict | `findings`, `counterexample`, `causes`, `hint`, `advice` |
//! | what a proof says | `told`, `commuting` |
//! | what programs do, event by event | [`simulator`] |
//! | which changes make a program serializable | [`repair`] |
//! | what people and machines are shown | `report` |
//! | what holds of Petri nets | [`nets`] |
//! | what programs do on weak memory | [`tso`] |
//! | how systems look in the languages of other tools | [`export`], [`nets::export`] |
//! | what workloads of SQL do | [`sql`] |
//! | what certificates are worth | [`verify`] |
//! | what the switches of the published method are worth | [`ablation`] |
//!
//! Architecture Invariant: no terminal, no files, no clock, no environment, no
//! printing. It compiles to WebAssembly.
//!
//! Architecture Invariant: [`Verdict::Serializable`] and
//! [`Verdict::NotSerializable`] are made in `decide` alone, after the checker
//! has accepted the evidence.

#[cfg(feature = "report")]
pub mod ablation;
mod advice;
mod causes;
mod claim;
mod commuting;
mod counterexample;
mod decide;
mod evidence;
#[cfg(feature = "report")]
pub mod export;
mod fault;
mod faults;
mod findings;
#[cfg(feature = "handlers")]
pub mod handlers;
mod hint;
mod input;
mod many;
mod named_system;
#[cfg(feature = "nets")]
pub mod nets;
mod never;
mod options;
#[cfg(feature = "report")]
mod page;
pub mod repair;
#[cfg(feature = "report")]
mod report;
mod sampling;
mod scaled_runs;
pub mod simulator;
#[cfg(feature = "sql")]
pub mod sql;
mod strict;
mod text_kind;
mod told;
#[cfg(feature = "weak-memory")]
pub mod tso;
#[cfg(any(feature = "nets", feature = "report"))]
mod unwritten;
mod value_names;
pub mod verify;
mod versions;

pub use advice::advice;
pub use advice::scale::{ScaledProgram, scaled};
pub use decide::{Decision, Times, Verdict, decide, recall};
pub use evidence::{Evidence, Refused, Undecided};
pub use faults::faults;
pub use hint::{fix_hint, kept_pauses};
pub use input::{Content, Input, Mistakes};
pub use options::{CompileOptions, Methods, Options};
#[cfg(feature = "report")]
pub use page::{page, page_of};
pub use serval_budget::{Cancel, StopReason};
pub use serval_classic_engine::Options as ClassicOptions;
pub use serval_engine::portfolio::{Method, Progress};
#[cfg(feature = "weak-memory")]
pub use serval_format::tso::format as format_tso;
pub use serval_format::{FormatRefusal, Style as FormatStyle, diff as format_diff, format, with_line_ends_of};
pub use serval_model::NetworkSystem;
pub use serval_proof::fingerprint;
pub use serval_report::{Advice, Counterexample, FileReport};
pub use serval_syntax::{Code, CodeInfo, Diagnostic, Program, Severity, Span, similar};
pub use serval_verify::{InputKind, Outcome};
pub use text_kind::TextKind;
#[cfg(any(feature = "nets", feature = "report"))]
pub use unwritten::ExportError;
pub use value_names::ValueNames;

/// The codes of all that may be said about programs: errors, warnings and notes.
pub fn codes() -> impl Iterator<Item = &'static CodeInfo> + Clone {
    #[cfg(feature = "sql")]
    let sql = serval_sql::codes();
    #[cfg(not(feature = "sql"))]
    let sql: &[CodeInfo] = &[];
    serval_syntax::codes().iter().chain(serval_compile::codes()).chain(sql)
}
