//! What programs and network systems have in common when they are run.

use serval_report::TraceEvent;

/// What an action does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ActionKind {
    Spawn,
    Step,
    Respond,
}

/// Something that can happen next.
pub(crate) struct Action {
    pub(crate) kind: ActionKind,
    /// For a menu, before it happens.
    pub(crate) text: String,
    /// For a trace; `None` where the states have no names.
    pub(crate) event: Option<TraceEvent>,
}

/// A program or a system in the middle of a run.
pub(crate) trait Stage {
    /// Everything that can happen next, in a fixed order.
    fn actions(&mut self) -> Vec<Action>;

    /// Does the action at this position of the last list and tells what
    /// happened, in one line.
    fn perform(&mut self, position: usize) -> String;

    /// The values that all requests share.
    fn globals(&self) -> String;

    /// The requests in flight and where they are.
    fn waiting(&self) -> Vec<String>;

    /// Requests and responses so far, in order.
    fn answers(&self) -> &[(String, String)];

    /// What happened so far, as far as it has names.
    fn events(&self) -> &[TraceEvent];

    /// How many actions have been performed.
    fn events_so_far(&self) -> usize;

    /// A step of some request that has no result, met by the last `actions`.
    fn fault(&self) -> Option<String> {
        None
    }
}
