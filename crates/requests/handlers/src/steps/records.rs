//! What is known of records that have more than one name; `identity` says how it is used.

use std::collections::{BTreeMap, BTreeSet};

use serval_diagnostic::Span;

/// What is known of records, over all requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Records {
    /// Shared places in which a record of this site may lie.
    pub(super) lies_in: BTreeMap<String, BTreeSet<String>>,
    /// Records that are changed before they are shared.
    pub(super) changed: BTreeSet<String>,
    /// Records in records.
    pub(super) inside: BTreeMap<String, BTreeSet<String>>,
    /// Names that were torn at some place of a loop, and what variables name at the end of a round.
    pub(super) torn: BTreeSet<String>,
    pub(super) loops: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
    /// Maps in which `undefined` was stored, which is there and is not.
    pub(super) undefined: BTreeMap<String, (Span, Option<String>)>,
    /// What was handed to the outside, or answered.
    pub(super) out: BTreeMap<String, Handed>,
}

/// How a record came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Handed {
    pub(super) span: Span,
    pub(super) answered: bool,
    pub(super) request: Option<String>,
}

impl Records {
    /// A round begins.
    pub(super) fn begin(&mut self) {
        self.out.clear();
        self.undefined.clear();
    }
}
