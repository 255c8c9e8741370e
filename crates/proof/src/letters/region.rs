//! Flow regions.

/// A set of counts of labels that walks of an automaton have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// Where the walks end.
    pub last: u32,
}
