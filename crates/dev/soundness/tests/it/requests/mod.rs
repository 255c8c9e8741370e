//! Verdicts about request handlers.

mod alone;
mod cases;
mod hostile;
mod lipton;
mod reductions;
mod rules;
mod scripts;
mod verdicts;
