//! What everything else says of a program.

use serval_budget::Budget;
use serval_compile::{CompileError, Limits, Options, StepLimits, compile};
use serval_engine::portfolio::{self, Found, Method, Plan};
use serval_model::NetworkSystem;
use serval_syntax::Program;
use serval_testkit::naive::{Caps, Naive, Rejected, Source};

use crate::{Limit, within};

/// Requests that the naive interpreter tries together at most.
const REQUESTS: usize = 3;
/// How much the naive interpreter may do, for each number of requests.
const CAPS: Caps = Caps { configurations: 6_000, small_steps: 3_000 };
/// And for two, with which most can be tried even where there are many request bodies.
const FEW: Caps = Caps { configurations: 60_000, small_steps: 3_000 };
/// For the methods that work on states.
const LIMIT: Limit = Limit::Looks(4_000);
/// Ticks for making the states.
const COMPILE_TICKS: u64 = 1_000_000;

/// What a program is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Proved on its states, and tried with few requests.
    Serializable,
    /// Not serializable, and who says so.
    Refuted(String),
    /// It has an error, and who says so.
    Fails(String),
    /// No method refuted or proved it; so many requests together were tried.
    Unknown(usize),
}

/// Asks the naive interpreter, and then the methods on states.
pub fn judge(program: &Program) -> Judgement {
    let tried = match naive(program) {
        Ok(tried) => tried,
        Err(found) => return found,
    };
    let limits = Limits { pairs: 4_000, step: StepLimits { operations: 20_000, loop_states: 2_000 } };
    let compiled = match compile(program, Options { limits, ..Options::default() }, &Budget::ticks(COMPILE_TICKS)) {
        Ok(compiled) => compiled,
        Err(CompileError::Fault(fault)) if fault.certain => return Judgement::Fails("the compiler has a run with an error".to_owned()),
        Err(_) => return Judgement::Unknown(tried),
    };
    let systems: Vec<&NetworkSystem> = compiled.components().iter().map(|component| component.system()).collect();
    let found = within(LIMIT, |cancel| {
        let plan = Plan { rounds: 1, ..Plan::new(Method::ALL, cancel) };
        portfolio::decide(&systems, 0, &plan).found
    });
    match found {
        Found::Serializable(..) => Judgement::Serializable,
        Found::Refuted { run, method, .. } => {
            let requests = run.configuration().completed.size();
            Judgement::Refuted(format!("{} has a run of {requests} requests", method.name()))
        }
        Found::Unknown(_) => Judgement::Unknown(tried),
    }
}

/// How many requests were tried together, by the evaluation contexts of the language; the error is what is wrong with
/// them.
fn naive(program: &Program) -> Result<usize, Judgement> {
    let mut naive = Naive::new(&Source::from(program));
    for requests in 2..=REQUESTS {
        match naive.is_serializable(requests, if requests == 2 { FEW } else { CAPS }) {
            Ok(true) => {}
            Ok(false) => return Err(Judgement::Refuted(format!("{requests} requests do what no serial run does"))),
            Err(Rejected::Fault(fault)) => return Err(Judgement::Fails(format!("with up to {requests} requests there is a {fault}"))),
            Err(Rejected::TooLarge) => return Ok(requests - 1),
        }
    }
    Ok(REQUESTS)
}
