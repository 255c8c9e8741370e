//! How much was read, and how much was left out.

use std::collections::BTreeMap;

/// How much was read and left out.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) statements: u64,
    /// Transactions that ended and are part of a script.
    pub(crate) transactions: u64,
    /// Attempts that failed: what was repeated is there as often as it was done.
    pub(crate) failed: u64,
    /// Transactions of which the log has only a part.
    pub(crate) cut: u64,
    pub(crate) left_out: BTreeMap<String, u64>,
    pub(crate) without_session: u64,
    pub(crate) foreign: u64,
    /// Whether values of parameters were cut, or are missing.
    pub(crate) without_values: u64,
    /// Transactions with more than one statement.
    pub(crate) longer: u64,
}
