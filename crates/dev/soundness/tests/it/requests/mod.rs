//! Verdicts about request handlers.

mod alone;
mod cases;
mod hostile;
mod in_time;
mod lipton;
mod reductions;
mod rules;
mod scripts;
mod verdicts;
