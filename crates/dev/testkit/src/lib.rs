//! What the tests of serval share and the product never sees.
//!
//! - [`naive`]: a second, literal reading of the language, to check the
//!   compiler and the engines against. It shares nothing with them but the
//!   checked program, and it can do without that: terms can be built by hand.
//! - [`isolation_spec`]: PostgreSQL's isolation specs.
//! - [`postgres()`]: a PostgreSQL server of the test program's own, if it is
//!   installed; [`own_postgres`]: one of a single test's own.
//! - [`random`]: random programs, with the term that each text must mean, so
//!   that the parser is checked as well.
//! - [`solvers`]: other solvers, if they are there.
//! - [`suite`]: where measured data lies, if it is there.
//!
//! Architecture Invariant: this crate depends on neither the compiler nor the
//! model. A mistake made there cannot be repeated here by sharing code.

pub mod isolation_spec;
pub mod naive;
pub mod postgres;
pub mod random;
pub mod solvers;
pub mod suite;

pub use postgres::{Postgres, own_postgres, postgres};

/// Prints a line of a test's figures where the test runner does not hide it.
///
/// The runner keeps what `println!` prints of a test that passes; counts are
/// worth seeing then too.
pub fn say(line: &str) {
    use std::io::Write;
    // A closed standard error is no reason to fail a test.
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// The peak of resident memory of this process in MiB, where the system tells.
pub fn peak_memory_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib.div_ceil(1024))
}
