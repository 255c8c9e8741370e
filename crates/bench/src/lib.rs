//! What is measured: random systems on which the reduction rules
//! ([`reductions`]) and the verdicts ([`verdicts`]) are compared with brute
//! force, and pictures of growth ([`plot`]).

pub mod plot;
pub mod reductions;
pub mod verdicts;
