//! Where the systems come from on which everything is tried.
//!
//! Random systems ([`Generator`]), systems behind a gate ([`gated()`]), and, where one
//! shows that something is wrong, the smallest that still does ([`shrink()`]).

mod gated;
mod shrink;

use serval_budget::Budget;
use serval_compile::{CompileError, Compiled, FaultRun, Limits, Options, StepLimits, compile};
use serval_model::{NetworkSystem, SplitMix64};
use serval_proof::Failure;
use serval_random::{Behaviours, handlers, tiny, uniform};
use serval_syntax::analyze;
use serval_testkit::random::{Shape, random_program};
use serval_verify::failure_of;

pub use gated::gated;
pub use shrink::shrink;

/// Where systems come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generator {
    /// Very few states, so that much can be tried with each.
    Tiny,
    /// Few states, any steps, starts and answers anywhere.
    Uniform,
    /// Requests that read, write, wait, lock, and try again.
    Handlers,
    /// Random programs, compiled.
    Programs,
}

impl Generator {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Tiny, Self::Uniform, Self::Handlers, Self::Programs];

    /// Which one makes the systems of a number.
    pub fn of(number: u64) -> Self {
        match number % 8 {
            0..=2 => Self::Tiny,
            3 | 4 => Self::Uniform,
            5 | 6 => Self::Handlers,
            _ => Self::Programs,
        }
    }

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tiny => "tiny",
            Self::Uniform => "uniform",
            Self::Handlers => "handlers",
            Self::Programs => "programs",
        }
    }

    /// The systems of a number: one, or the components of a program.
    pub fn systems(self, seed: u64, number: u64) -> Vec<NetworkSystem> {
        let own = seed.wrapping_mul(0x1_0000_0000).wrapping_add(number);
        match self {
            Self::Tiny => vec![tiny(own)],
            Self::Uniform => vec![uniform(own)],
            Self::Handlers => vec![handlers(own)],
            Self::Programs => programs(own),
        }
    }
}

/// The components of a random program; none if it has too many states.
fn programs(seed: u64) -> Vec<NetworkSystem> {
    let shape = Shape::ALL[SplitMix64::new(seed).index(4)];
    compiled(&random_program(seed, shape)).unwrap_or_default()
}

/// The components of a program; `None` if it is none or has too many states.
pub fn compiled(text: &str) -> Option<Vec<NetworkSystem>> {
    Some(all_of(text)?.components().iter().map(|component| component.system().clone()).collect())
}

/// All states of a program; `None` if it is none, has too many, or fails.
pub fn all_of(text: &str) -> Option<Compiled> {
    attempted(text)?.ok()
}

fn attempted(text: &str) -> Option<Result<Compiled, CompileError>> {
    let program = analyze(text).program?;
    let limits = Limits { pairs: 5_000, step: StepLimits { operations: 50_000, loop_states: 5_000 } };
    Some(compile(&program, Options { limits, ..Options::default() }, &Budget::ticks(2_000_000)))
}

/// A run of a program after which a step fails, and how, if a short one is found.
pub fn failing(text: &str) -> Option<(FaultRun, Failure)> {
    match attempted(text)? {
        Err(CompileError::Fault(report)) if report.certain => Some((report.named?, failure_of(&report.fault)?)),
        _ => None,
    }
}

/// Draws from which a system behind a gate is chosen.
const DRAWS: u64 = 12;

/// The systems of a number: of the generators, and every tenth one behind a
/// gate, where one is preferred that few requests refute.
pub fn systems_of(seed: u64, number: u64) -> Vec<NetworkSystem> {
    if number % 10 != 9 {
        return Generator::of(number).systems(seed, number);
    }
    let opens = 2 + usize::try_from(number / 10 % 3).unwrap_or(0);
    let mut drawn: Vec<NetworkSystem> = Vec::new();
    for draw in 0..DRAWS {
        let generator = Generator::ALL[usize::try_from(draw % 3).unwrap_or(0)];
        for system in generator.systems(seed ^ 0x5eed, number * DRAWS + draw) {
            if Behaviours::with(&system, 2, 2_000).is_some_and(|brute| !brute.is_serializable()) {
                return vec![gated(&system, opens)];
            }
            drawn.push(system);
        }
    }
    drawn.first().map(|system| gated(system, opens)).into_iter().collect()
}
