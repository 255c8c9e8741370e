//! Network systems: what a program is once its text is gone.
//!
//! A network system has *global* states (what requests share), *local* states
//! (how far one request has come), *requests* that start in local states,
//! *responses* that local states can give, and *steps* `(l, g) → (l', g')` by
//! which one request in flight moves and changes the global state.
//!
//! This crate holds the data, its JSON form, its semantics (configurations,
//! runs, simulation) and the automaton of its serial behaviours. It does no
//! input or output, reads no clock, and searches for nothing.

mod budget;
mod ids;
mod system;

pub use budget::{Budget, Cancel, Stopped};
pub use ids::{GlobalId, LocalId, RequestId, ResponseId};
pub use system::{NetworkSystem, Step, SystemBuilder};
