//! Random systems on which everything is compared with trying everything.

pub mod verdicts;
