//! What the places and transitions of interleaving nets stand for: data that who makes such nets shares with who shows
//! them.

use crate::{GlobalId, LocalId, RequestId, ResponseId};

/// What a place of the interleaving net of a system stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlaceKind {
    /// This is the global state.
    Global(GlobalId),
    /// Requests of this name in flight, in this local state.
    InFlight(RequestId, LocalId),
    /// Requests of this name that got this response.
    Answer(RequestId, ResponseId),
}

/// What a transition of the interleaving net of a system stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NetAction {
    /// A request comes in and is in this local state.
    Spawn(RequestId, LocalId),
    /// A request makes the step at this position of
    /// [`NetworkSystem::steps`](crate::NetworkSystem::steps).
    Step(RequestId, usize),
    /// A request in this local state gives this response.
    Respond(RequestId, LocalId, ResponseId),
}
