//! Proofs over the numbers of answers alone.

mod automaton;
mod region;

pub use automaton::Automaton;
pub use region::{Flow, Region, add_region, check_region, contains, gcd, region_clauses};
