//! What is measured: random systems on which the reduction rules
//! ([`reductions`]) and the verdicts ([`verdicts`]) are compared with brute
//! force, certificates that lie ([`hostile`]), obligations that other solvers
//! are asked about ([`obligations`]), and the published pipeline
//! ([`classic`]).

pub mod classic;
pub mod hostile;
pub mod obligations;
pub mod reductions;
pub mod verdicts;
