//! Tests of the public interface, in one program so that it links once.

mod corpus;
mod json_accept;
mod json_reject;
mod multisets;
mod products;
mod runs;
mod serial;
mod simulation;
mod systems;

/// How many cases a property is tried on.
fn cases(sweep: serval_effort::Sweep) -> proptest::test_runner::Config {
    proptest::test_runner::Config::with_cases(u32::try_from(sweep.count()).unwrap_or(u32::MAX))
}
