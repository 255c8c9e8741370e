//! Certificates and the independent checker.
//!
//! A *certificate* is evidence for a verdict that can be checked by local
//! conditions. This crate holds the format ([`Certificate`]), and the checker
//! ([`check`](check())). It depends on the model of network systems and on nothing that
//! finds verdicts: it contains no search, no solver and no heuristic, does no
//! input or output, and panics on no certificate.
//!
//! ```
//! use serval_budget::Cancel;
//! use serval_model::NetworkSystem;
//! use serval_proof::{Caps, Certificate, Systems, check, fingerprint};
//! // Reads a counter, and in a second step writes it back increased, modulo 2.
//! let text = r#"{"initial_global": "0", "requests": [["inc", "start"]],
//!     "responses": [["done 0", "0"], ["done 1", "1"]],
//!     "transitions": [["start", "0", "read 0", "0"], ["start", "1", "read 1", "1"],
//!         ["read 0", "0", "done 0", "1"], ["read 0", "1", "done 0", "1"],
//!         ["read 1", "0", "done 1", "0"], ["read 1", "1", "done 1", "0"]]}"#;
//! let system = NetworkSystem::from_json(text).unwrap();
//! // Two requests that both see 0; one after the other they would see 0 and 1.
//! let certificate = r#"{"format": "serval-certificate", "version": 1, "input": "INPUT", "kind": "run",
//!     "claim": "not-serializable", "component": 0, "steps": [
//!     {"id": 1, "kind": "spawn", "request": "inc", "local": "start"},
//!     {"id": 1, "kind": "step", "from": {"local": "start", "global": "0"}, "to": {"local": "read 0", "global": "0"}},
//!     {"id": 2, "kind": "spawn", "request": "inc", "local": "start"},
//!     {"id": 2, "kind": "step", "from": {"local": "start", "global": "0"}, "to": {"local": "read 0", "global": "0"}},
//!     {"id": 1, "kind": "step", "from": {"local": "read 0", "global": "0"}, "to": {"local": "done 0", "global": "1"}},
//!     {"id": 1, "kind": "respond", "local": "done 0", "response": "0"},
//!     {"id": 2, "kind": "step", "from": {"local": "read 0", "global": "1"}, "to": {"local": "done 0", "global": "1"}},
//!     {"id": 2, "kind": "respond", "local": "done 0", "response": "0"}],
//!     "completed": [{"request": "inc", "response": "0", "count": 2}]}"#;
//! let certificate = certificate.replace("INPUT", &fingerprint(text));
//! let certificate = Certificate::from_json(&certificate).unwrap();
//! let input = Systems { text, systems: vec![&system] };
//! assert_eq!(check(&input, &certificate, &Caps::default(), &Cancel::new()), Ok(()));
//! ```
//!
//! # What is proved
//!
//! **Notation.** A network system, its runs and its complete runs are those of
//! [`serval_model`] ([`replay`](serval_model::replay) says what a run is). `Int`
//! is the set of multisets of letters `request/response` that complete runs
//! complete, and `Ser` is the set of those that complete *serial* runs complete,
//! which never have more than one request in flight. A system is *serializable*
//! iff `Int ⊆ Ser`. An input is a list of components, no two of which have a
//! request of the same name (`components.requests`). It means their product, in
//! which each component has a global state of its own and each run is a shuffle
//! of runs of the components.
//!
//! **Theorem.** If [`check`](check()) accepts a certificate of kind `run` for an input,
//! then the input is not serializable.
//!
//! **Proof.** By the condition `component`, the certificate names a component
//! `S` of the input.
//!
//! *The events are a run of `S`.* We show by induction that after each event
//! the replay holds the configuration in which some run of `S` ends: the
//! global state, for each number in flight a request and a local state, and the
//! completed letters. Before the first event that is the initial configuration.
//! A `spawn` adds a request that starts in a local state where it may start,
//! because the pair is taken from the starts of `S` (`run.replay.spawn`); no
//! request in flight is overwritten, because its number is new
//! (`run.replay.fresh`). A `step` moves a request that is in flight
//! (`run.replay.thread`) along a step of `S` from the local state of that
//! request and the present global state, because the target is taken from the
//! successors that `S` gives for exactly this pair (`run.replay.step`). A
//! `respond` takes away a request that is in flight (`run.replay.thread`) and
//! adds the letter of its request and a response that its local state may give,
//! because the response is taken from those that `S` gives for it
//! (`run.replay.response`). In each case the event extends the run by one of
//! the three events that the definition of a run allows. Whatever ids `S` gives
//! its states, the replay uses only ids that `S` handed out, and names serve
//! only to choose among them; so the argument does not depend on different
//! states having different names.
//!
//! *The run is complete*, because nothing is in flight at its end (`run.end`).
//! So the multiset `M` of its letters is in `Int`.
//!
//! *`M` is not in `Ser`.* `Ser(∅) = {g0}`, and for `M ≠ ∅` `Ser(M)` is the union
//! over the letters `a` in `M` of the global states that one request run alone
//! from a state of `Ser(M − a)` leaves behind when it answers as `a` says; `M ∈
//! Ser` iff `Ser(M) ≠ ∅` (proved at [`SerialExplorer`](serval_model::SerialExplorer)).
//! The checker computes this for the `M` of its own replay, and it accepts only
//! if the computation ended within the caps and found `Ser(M)` empty
//! (`run.serial`).
//!
//! *The input is not serializable.* `S` is not, as `M ∈ Int \ Ser`. The run of `S`
//! is also a complete run of the product, in which nothing happens in the other
//! components. A serial run of the product that completes `M` has only
//! requests of `S`, as other components have other request names
//! (`components.requests`) and every request of a complete run answers; so it
//! would be a serial run of `S` that completes `M`, and there is none. ∎
//!
//! **Theorem.** If [`check`](check()) accepts a certificate of kind `atomic`, `flow`,
//! `invariant`, `letters`, `cases` or `components` for an input, then the input is serializable.
//!
//! **Proof.** A certificate of kind `components` is a list of proofs, and one of
//! another kind is a list with one. There are as many proofs as components
//! (`parts.cover`), so there is one for each, of kind `atomic`, `flow`,
//! `invariant`, `letters`, `cases`, `same`, or `components` with `touches`; and each shows that its component is
//! serializable:
//!
//! - `atomic`: reductions that keep `Int` and `Ser` leave a system in which every
//!   request is a single step, so that every complete run is serial ([`script`]);
//! - `flow`: no counts of steps that a complete run of the reduced system can
//!   have give answers that are not serial ([`flow`]);
//! - `invariant`: what holds at every moment of every run of the reduced system
//!   leaves no complete run whose answers are not serial ([`invariant`]);
//! - `letters`: what holds for the numbers of answers of all complete runs of the
//!   reduced system leaves none that are not serial ([`letters`]);
//! - `cases`: the checker of nets says whether it does ([`Input::check_cases`]; theorem and proof are in the crate
//!   `serval-case-proof`), and a checker without nets refuses it (`cases.nets`);
//! - `same`: a component before it, which is proved in one of the other ways
//!   (`same.part`), does the same under other names ([`same`]);
//! - `components` with `touches`: parts of the component that only few letters join are proved, each in one of these
//!   ways ([`shared`]); `same` then speaks of an earlier part of the same list.
//!
//! A complete run of the product is a shuffle of complete runs of the components.
//! For each of these there is a serial run of the component with the same
//! answers, and these one after the other are a serial run of the product, as no
//! component sees what another does. ∎
//!
//! A certificate of kind `fault` says something else: that some step of the program fails in some run. Statement and
//! proof are in [`fault`].
//!
//! A certificate of kind `closure` says that no step of the program fails in any run. Statement and proof are in
//! [`closure`].
//!
//! A certificate of kind `reduction` speaks of the text of a program and not of network systems: the input itself says
//! whether it proves something ([`Input::check_reduction`]; theorem and proof are in the crate `serval-lipton-proof`).
//! Systems that are no programs refuse it (`reduction.program`), and it can only show that an input is serializable
//! (`reduction.claim`), or that no step fails, which is among its conditions (`reduction.errors`)
//! unless it takes integers to be unbounded.
//!
//! The claims `strict` and `not-strict` are about the order in time: statements and proofs are in [`strict`]. A proof
//! of the kinds `in-flight` and `points`, which may stand for a component beside the others, shows `strict`, and what
//! is strict is serializable.
//!
//! The remaining conditions are not needed for the theorems but for the
//! certificate to be true to its word: it is about this input (`input`), it
//! claims what was proved (`run.claim`), the states that it says requests are in
//! are those they are in (`run.replay.from.local`, `run.replay.from.global`,
//! `run.replay.respond.local`), and the answers that it lists are those that were
//! given (`run.completed`); a proof claims what it proves (`parts.claim`), its
//! classes are classes (`quotient.disjoint`), and its numbers mean something
//! (`script.numbers`).
//!
//! # What is trusted
//!
//! This crate; the semantics of network systems and the serial behaviours in
//! `serval-model`; that names tell the requests and the responses of a component
//! apart ([`Named`](serval_model::Named)); and, for a program, that the systems
//! given to the checker are the program's: the parser and the compiler, which
//! splits it into components that share no global state.

mod caps;
mod cases;
mod certificate;
mod check;
pub mod closure;
mod conditions;
pub mod fault;
pub mod flow;
mod format;
pub mod invariant;
pub mod letters;
mod objects;
mod reduction;
mod run;
pub mod same;
pub mod script;
pub mod shared;
pub mod strict;

#[cfg(test)]
mod tests;

pub use caps::{Caps, Work};
pub use cases::CasesProof;
pub use certificate::{Body, Certificate, Claim, Kind, Part};
pub use check::{Input, Systems, check};
pub use closure::{ClosedPart, check_closure};
pub use conditions::Condition;
pub use fault::{Fails, Failure, FaultCertificate, check_fault};
pub use format::{FORMAT, VERSION};
pub use reduction::{Bounds, Count, Doom, Group, LockedAddition, Owner, PointRange, Reduction, Sum, Ticket, Validated, ValidatedAttempt};
pub use run::{Action, Completed, NamedStates, RunCertificate, RunEvent, check_run};
pub use serval_diagnostic::FormatError;
pub use serval_evidence::{Checked, Refusal, Rejection, TooLarge, fingerprint};
