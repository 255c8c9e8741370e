//! All final states of a program, each with the models under which it can be reached.

use serval_budget::Budget;
use serval_report::tso::{TsoFinal, TsoFinals};
use serval_tso_engine::{EngineLimits, final_states};
use serval_tso_program::Observed;

use super::{TsoInput, TsoOptions, accepted, answer};

/// States that are listed, at most.
const MOST: usize = 64;
/// States of one search.
const STATES: usize = 200_000;

/// The table; nothing where there are too many states, or any number of threads. What it says has been checked: each
/// line is a question, and that there are no others is one more.
pub(super) fn table(input: &TsoInput, robust: bool, options: &TsoOptions, budget: &mut Budget) -> Option<TsoFinals> {
    let program = &input.program;
    if !program.many().is_empty() {
        return None;
    }
    let limits = EngineLimits { states: options.limits.states.min(STATES), ..options.limits.clone() };
    let finals = final_states(program, robust, MOST, &limits, budget)?;
    let asked = finals.asked(program, &finals.states);
    let outcome = serval_tso_engine::decide(&asked, &limits, budget).ok()?;
    let shown = accepted(&asked, &outcome.certificate, options).ok()?;
    let name = |what: &Observed| match what {
        Observed::Register(thread, register) => {
            let thread = &program.threads[thread.index()];
            format!("{}.{}", thread.name, thread.registers[register.index()])
        }
        Observed::Cell(cell) => program.cells[cell.index()].0.clone(),
        Observed::At(..) => String::new(),
    };
    let last = finals.states.len();
    let state = |(number, values): (usize, &Vec<i64>)| TsoFinal {
        values: values.clone(),
        sc: answer(shown.sc[number]),
        tso: answer(shown.tso[number]),
    };
    Some(TsoFinals {
        names: finals.observed.iter().map(name).collect(),
        states: finals.states.iter().enumerate().map(state).collect(),
        complete: shown.sc[last] == Some(false) && shown.tso[last] == Some(false),
    })
}
