//! Why an answer is stale, as data.

/// What two requests, of which the first had answered when the second came, have from a third one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Course {
    /// The one that had answered.
    pub(crate) first: u32,
    /// The one that came then.
    pub(crate) second: u32,
    /// The third one.
    pub(super) third: u32,
    /// The variable and value that one of the two read and the third one wrote.
    pub(super) read: (String, String),
    /// Another variable, which was read before it was written.
    pub(super) before: String,
    pub(super) way: StaleBy,
    /// Whether the third one wrote the very value that it had read too early.
    pub(super) same: bool,
    /// The lines of what decides: what the third one wrote and what was read of it, and what was read too early.
    pub(super) lines: [u32; 3],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StaleBy {
    /// The second one read what the third one wrote, who had read something before the first one wrote it.
    BroughtBack,
    /// The first one read what the third one wrote, and the second one something that the third one wrote later.
    Ahead,
}
