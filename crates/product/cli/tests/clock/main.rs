//! Tests that depend on time: limits, interrupts, measurements, and files that are watched. They are a program of their
//! own because they run one after the other, so that none of them takes time from another. None of them fails where a
//! machine is slow: what needs time to happen gets more until it has happened.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

use std::sync::{Mutex, MutexGuard, PoisonError};

mod bench;
mod interrupts;
mod limits;
mod timeouts;
mod watch;

#[path = "../support/mod.rs"]
mod support;

static SERIAL: Mutex<()> = Mutex::new(());

/// Waits until no other test runs. Every test of this program begins with it and holds it to its end.
fn alone() -> MutexGuard<'static, ()> {
    // That another test has failed is no reason to fail.
    SERIAL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Limits in seconds, from what is enough for most machines to what is enough for all.
const LIMITS: [&str; 6] = ["0.5", "1.5", "5", "15", "60", "300"];

/// What `work` makes of the first limit in seconds that is enough for it.
fn with_enough_time<T>(mut work: impl FnMut(&str) -> Option<T>) -> T {
    LIMITS.iter().find_map(|limit| work(limit)).expect("minutes are enough")
}
