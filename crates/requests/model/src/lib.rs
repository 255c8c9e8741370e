//! Network systems: what a program is once its text is gone.
//!
//! A network system has *global* states (what requests share), *local* states
//! (how far one request has come), *requests* that start in local states,
//! *responses* that local states can give, and *steps* `(l, g) → (l', g')` by
//! which one request in flight moves and changes the global state.
//!
//! This crate holds the data, its JSON form, its semantics (configurations,
//! runs, simulation) and the automaton of its serial behaviours. It does no
//! input or output, reads no clock, and decides nothing: all it searches is
//! what a definition says, exhaustively, within a budget ([`completed_multisets`]).
//!
//! Where to start: [`NetworkSystem`] and [`SystemBuilder`]; [`replay`] for what
//! a run is; [`Moves`] for systems that are made while they are explored.

mod brute;
mod configuration;
mod ids;
mod interleaving;
mod json;
mod moves;
mod multiset;
mod normal;
mod product;
mod run;
mod serial;
mod simulate;
mod system;

pub use brute::{bounded_multisets, completed_multisets, serial_multisets};
pub use configuration::{Configuration, Letter, Thread, ThreadId};
pub use ids::{GlobalId, LocalId, RequestId, ResponseId};
pub use interleaving::{NetAction, PlaceKind};
pub use json::{JSON_ERROR_CODES, JsonError, MAX_JSON_BYTES, systems_from_json, systems_to_json};
pub use moves::{Halt, Move, Moves, Named, enabled_moves, thread_moves};
pub use multiset::{CountOverflow, Multiset};
pub use normal::{Node, NodeKind, NodeStep, NormalForm, Point};
pub use product::{TooLarge, product};
pub use run::{Event, Fault, ReplayError, Run, replay};
pub use serial::{SerialAutomaton, SerialEdge, SerialExplorer};
pub use serval_diagnostic::shown;
pub use simulate::{Outcome, Simulated, SplitMix64, draw_move, draw_spawn, random_run};
pub use system::{NetworkSystem, Step, SystemBuilder};
