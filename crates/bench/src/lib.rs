//! What is measured: random systems on which the reduction rules
//! ([`reductions`]) and the verdicts ([`verdicts`]) are compared with brute
//! force, certificates that lie ([`hostile`]), obligations that other solvers
//! are asked about ([`obligations`]), the published pipeline ([`classic`]),
//! and how often work looks at its flag ([`polls`]).

pub mod classic;
pub mod hostile;
pub mod obligations;
pub mod polls;
pub mod reductions;
pub mod verdicts;
