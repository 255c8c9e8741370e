//! Programs that scale: families with a size and a verdict known by
//! construction, for measuring how cost grows. And random systems, on which
//! the reduction rules are compared with brute force ([`reductions`]).

mod families;
pub mod plot;
pub mod reductions;

pub use families::{FAMILIES, Family, Verdict};
