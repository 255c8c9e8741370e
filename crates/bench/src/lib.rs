//! Programs that scale: families with a size and a verdict known by
//! construction, for measuring how cost grows.

mod families;

pub use families::{FAMILIES, Family, Verdict};
