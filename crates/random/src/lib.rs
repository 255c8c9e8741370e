//! Random network systems, and what they do by trying everything.
//!
//! Whoever tests what is done to network systems draws them here: [`tiny`],
//! [`uniform`] and [`handlers()`] make the system of a seed, [`staged`] draws one
//! after the other, and so do [`confusable`] and [`with_identities`].
//! [`Behaviours`] says what a system does with few requests, by
//! enumeration alone, and so is the judge of everything cleverer.
//!
//! ```
//! use serval_random::{Behaviours, uniform};
//! let system = uniform(7);
//! assert_eq!(system, uniform(7));
//! let three = Behaviours::with(&system, 3, 100_000).unwrap();
//! assert_eq!(three.is_serializable(), three.fewest().is_none());
//! ```

mod behaviours;
mod handlers;
mod systems;

pub use behaviours::Behaviours;
pub use handlers::handlers;
pub use systems::{confusable, staged, tiny, uniform, with_identities};
