//! What is measured: random systems on which the reduction rules
//! ([`reductions`]) and the verdicts ([`verdicts`]) are compared with brute
//! force, obligations that other solvers are asked about ([`obligations`]), and
//! pictures of growth ([`plot`]).

pub mod classic;
pub mod obligations;
pub mod plot;
pub mod reductions;
pub mod verdicts;
