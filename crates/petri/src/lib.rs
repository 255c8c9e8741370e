//! Petri nets, for the published way of deciding serializability: the requests
//! in flight, the answers given and the global state become tokens, and the
//! question becomes whether a marking of a certain kind can be reached.
//!
//! - [`Net`], [`Marking`]: places, transitions, arcs with weights; firing and
//!   replay.
//! - [`interleaving()`]: the net of a network system, and [`Places`], what its
//!   places and transitions stand for.
//! - [`Target`]: what is asked of a marking, a conjunction of exact linear
//!   constraints.
//! - [`slice()`]: leaves out what no run to the target can use, and says why.
//! - [`tina`], [`pnml`], [`mcc`]: nets and questions as files that other tools
//!   read and write.
//!
//! ```
//! use serval_budget::Budget;
//! use serval_model::SystemBuilder;
//! use serval_petri::{Slice, Target, interleaving, slice};
//! let mut builder = SystemBuilder::new();
//! let (idle, start, end) = (builder.global("idle"), builder.local("start"), builder.local("end"));
//! let (get, ok) = (builder.request("get"), builder.response("ok"));
//! builder.start(get, start);
//! builder.step(start, idle, end, idle);
//! builder.answer(end, ok);
//! let system = builder.finish(idle);
//!
//! let (net, places) = interleaving(&system).unwrap();
//! assert_eq!((net.place_count(), net.transition_count()), (4, 3));
//! let target = Target::completed(&places, []);
//! assert!(target.holds(&net.initial()));
//! assert!(matches!(slice(&net, &target, &mut Budget::unlimited()), Ok(Slice::Kept(_))));
//! ```

mod format;
mod ids;
mod interleaving;
mod net;
mod slice;
mod target;

pub use format::{FormatError, Limits, mcc, pnml, tina};
pub use ids::{PlaceId, TransitionId};
pub use interleaving::{Action, MOST, PlaceKind, Places, interleaving};
pub use net::{Arc, FireError, Marking, Net, NetError, ReplayError};
pub use slice::{Away, Because, Forced, Round, Slice, Sliced, slice, slice_inductive};
pub use target::{Constraint, Linear, LinearOverflow, Target};
