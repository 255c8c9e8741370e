//! What is measured: obligations that other solvers are asked about
//! ([`obligations`]), the published pipeline ([`classic`]), how often work
//! looks at its flag ([`polls`]), what stays undecided ([`undecided`]), and published times about nets ([`nets`]); the
//! programs beside this measure growth, cliffs in it, refutations and slowdowns.

pub mod classic;
pub mod nets;
pub mod obligations;
pub mod polls;
pub mod undecided;
