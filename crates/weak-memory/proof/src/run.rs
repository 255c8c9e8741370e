//! Runs under sequential consistency (Lamport 1979) and x86-TSO (Owens, Sarkar, Sewell 2009): what can be reached.
//!
//! A run is a list of numbers: `t` is the next step of thread `t`, counted from 0, and `-1 - t` the landing of the
//! oldest store in its buffer. Under sequential consistency no store lands. With `n` threads, `n + t` is the step of
//! thread `t` the other way, where it may go two ways.
//!
//! **Rule.** Each step can be made (`tso.run.step`), and the last state is one that the question looks for
//! (`tso.run.end`).
//!
//! **Theorem.** That state can be reached. **Proof.** The interpreter makes the run, step by step. ∎

use serval_budget::Budget;
use serval_evidence::require;
use serval_tso_program::Program;

use crate::Refusal;
use crate::state::{Model, State};
use crate::step::{Move, Next, Step, Way};

/// What a number of a run means.
pub(crate) fn decode(program: &Program, number: i64) -> Option<(Move, Way)> {
    let count = program.threads.len();
    if number < 0 {
        let thread = (-1_i64).checked_sub(number).and_then(|thread| usize::try_from(thread).ok());
        return thread.filter(|index| *index < count).map(|thread| (Move::Land(thread), Way::First));
    }
    let index = usize::try_from(number).ok().filter(|index| *index < 2 * count)?;
    Some(if index < count { (Move::Step(index), Way::First) } else { (Move::Step(index - count), Way::Other) })
}

/// Makes a run, and tells `visit` about each event: the state before it, what it is, and its step if it is one.
pub(crate) fn replay(
    program: &Program,
    model: Model,
    run: &[i64],
    budget: &mut Budget,
    visit: &mut dyn FnMut(&State, Move, Option<&Step>),
) -> Result<State, Refusal> {
    let mut state = State::initial(program);
    for (number, &event) in run.iter().enumerate() {
        budget.spend(u64::try_from(program.cells.len() + program.threads.len()).unwrap_or(u64::MAX))?;
        let moved = decode(program, event);
        let after = match moved {
            Some((Move::Step(thread), way)) => match state.next(program, model, thread, way) {
                Next::Step(step) => {
                    visit(&state, Move::Step(thread), Some(&step));
                    Some(state.after(model, thread, &step))
                }
                Next::Nothing | Next::Fault => None,
            },
            Some((Move::Land(thread), _)) => state.landed(thread).inspect(|_| visit(&state, Move::Land(thread), None)),
            None => None,
        };
        require!(RunStep, after.is_some(), "event {number} of the run cannot happen");
        if let Some(after) = after {
            state = after;
        }
    }
    Ok(state)
}

/// Checks that a run leads to a state that the question looks for.
pub(crate) fn check(program: &Program, model: Model, run: &[i64], question: usize, budget: &mut Budget) -> Result<(), Refusal> {
    let end = replay(program, model, run, budget, &mut |_, _, _| ())?;
    let sought = program.questions.get(question).map(|question| end.is_sought(program, question));
    require!(RunEnd, sought == Some(Some(true)), "the run does not end in a state that question {question} looks for");
    Ok(())
}

/// For each event of a run with store buffers that is a step: its thread, and the point that it goes from.
pub fn points(program: &Program, run: &[i64]) -> Result<Vec<Option<(u32, u32)>>, Refusal> {
    let mut points = Vec::new();
    replay(program, Model::Tso, run, &mut Budget::unlimited(), &mut |state, moved, _| {
        points.push(match moved {
            Move::Step(thread) => u32::try_from(thread).ok().map(|number| (number, state.locals[thread].point.0)),
            Move::Land(_) => None,
        });
    })?;
    Ok(points)
}
