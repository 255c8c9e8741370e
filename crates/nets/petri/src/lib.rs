//! Petri nets, and questions whether a marking of a certain kind can be
//! reached. Nothing here knows what tokens stand for.
//!
//! - [`Net`], [`Marking`]: places, transitions, arcs with weights; firing and
//!   replay.
//! - [`Target`]: what is asked of a marking, a conjunction of exact linear
//!   constraints.
//! - [`greatest_trap`], [`greatest_siphon`]: what stays marked or empty, by the arcs alone.
//! - [`compose()`]: several nets as one, by the names of their transitions.
//! - [`tina`], [`pnml`], [`mcc`], [`lola`], [`mist`], [`vass`]: nets and questions as files that other tools
//!   read and write. A writer can have it read back before it hands
//!   it out ([`tina_reads_back`] and the like).
//!
//! ```
//! use serval_petri::{Constraint, Linear, Net, Target};
//! let mut net = Net::new("a lock");
//! let (free, held) = (net.add_place("free", 1).unwrap(), net.add_place("held", 0).unwrap());
//! net.add_transition("take", [(free, 1)], [(held, 1)]).unwrap();
//! let both = [free, held].map(|place| Constraint::Zero(Linear::variable(place)));
//! let target = Target::new(both.to_vec());
//! assert!(!target.holds(&net.initial()));
//! ```

// Numbers of inputs have 64 bits: what is done with them is checked, or done in 128 bits.
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))]

mod compose;
mod format;
mod formula;
mod ids;
mod net;
mod property;
mod structure;
mod target;

pub use compose::compose;
pub use format::{
    FormatError, Limits, UnknownWord, lola, mcc, mcc_reads_back, mist, parse_xml, pnml, pnml_reads_back, tina, tina_reads_back, vass,
};
pub use formula::words::Most;
pub use formula::{Formula, FormulaPart, words};
pub use ids::{PlaceId, TransitionId};
pub use net::{Arc, FireError, Marking, Net, NetError, ReplayError, weight};
pub use property::{Decides, Property, at_least};
pub use structure::{greatest_siphon, greatest_trap};
pub use target::{Constraint, Linear, Target};
