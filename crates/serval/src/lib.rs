//! serval.

mod claim;
mod counterexample;
mod decide;
mod evidence;
mod findings;
mod hint;
mod input;
mod options;
pub mod repair;
mod report;
pub mod simulator;

pub use decide::{Decision, Times, Verdict, decide, recall};
pub use evidence::{Evidence, Refused, Undecided};
pub use input::{Content, Input, Mistakes};
pub use options::{Methods, Options};
pub use serval_budget::{Cancel, StopReason};
pub use serval_engine::portfolio::{Method, Progress};
pub use serval_verify::InputKind;
