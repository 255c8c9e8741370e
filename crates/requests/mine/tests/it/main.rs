//! Scripts from logs.

mod mining;
