//! Random network systems, and what they do by trying everything.
//!
//! Tests of what is done to network systems draw them here: [`tiny`],
//! [`uniform`], [`handlers()`], [`shared()`] and [`border()`] make the system of a
//! seed, [`staged`] draws one after the other, and so do [`confusable`] and
//! [`with_identities`].
//! The [`Kind`]s are those on which the whole is measured.
//! [`Behaviours`] says what a system does with few requests, by
//! enumeration alone, and so is the judge of everything cleverer;
//! [`fewest_out_of_order`] does the same for the order in time.
//!
//! [`nets`] does the same for Petri nets, and [`reach`] for markings that may be reached in nets without bounds.
//!
//! ```
//! use serval_random::{Behaviours, uniform};
//! let system = uniform(7);
//! assert_eq!(system, uniform(7));
//! let three = Behaviours::with(&system, 3, 100_000).unwrap();
//! assert_eq!(three.is_serializable(), three.fewest().is_none());
//! ```

mod behaviours;
mod border;
mod formulas;
mod handlers;
mod in_time;
mod kind;
pub mod nets;
mod parted;
pub mod reach;
mod refined;
mod shared;
mod systems;

pub use behaviours::Behaviours;
pub use border::border;
pub use formulas::formulas;
pub use handlers::handlers;
pub use in_time::{fewest_at_a_moment, fewest_out_of_order};
pub use kind::Kind;
pub use parted::parted;
pub use refined::refined_net;
pub use shared::shared;
pub use systems::{confusable, staged, tiny, uniform, with_identities};
