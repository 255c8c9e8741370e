//! What the checkers of all certificates have in common, whatever a certificate is about.
//!
//! | to see | open |
//! |---|---|
//! | how a checker names conditions, and tests switch one off | [`conditions!`], [`require!`], [`switch!`] |
//! | why evidence is not accepted | [`Refusal`], [`Rejection`], [`TooLarge`] |
//! | how strictly JSON is read | [`read`], [`objects!`], [`head!`] |
//! | how millions of states are listed and looked up | [`Rows`], [`RowIndex`], [`RecentParts`] |
//! | how steps lead from one to another | [`RowSteps`], [`RowEnds`] |
//! | which input a certificate is about | [`fingerprint()`] |
//!
//! Nothing here computes with numbers, searches, or knows requests, nets or threads.

mod conditions;
mod fingerprint;
mod json;
mod refusal;
mod row_ends;
mod row_index;
mod row_recent;
mod row_steps;
mod rows;
mod shown;

pub use fingerprint::fingerprint;
pub use json::{check_name, check_version, line, lines, listed, read, read_from, write_line};
pub use refusal::{Checked, ConditionName, Refusal, Rejection, TooLarge};
pub use row_ends::RowEnds;
pub use row_index::{RowIndex, Sought};
pub use row_recent::RecentParts;
pub use row_steps::RowSteps;
pub use rows::{RowNumber, Rows};
pub use shown::shown;
