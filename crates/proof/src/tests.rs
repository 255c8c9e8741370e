//! Tests that need to switch conditions off, and what they share.

mod conditions;
mod format;
mod hostile;
mod mutations;
mod rejected;
mod support;
