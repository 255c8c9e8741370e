//! What is measured: obligations that other solvers are asked about
//! ([`obligations`]), the published pipeline ([`classic`]), and how often work
//! looks at its flag ([`polls`]); the programs beside this measure growth,
//! refutations and slowdowns.

pub mod classic;
pub mod obligations;
pub mod polls;
