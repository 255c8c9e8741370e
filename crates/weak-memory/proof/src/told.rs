//! Runs, event by event, for reports.

use serval_budget::Budget;
use serval_tso_program::{CellId, Point, Program};

use crate::Refusal;
use crate::run::replay;
use crate::state::{Model, State};
use crate::step::{Access, Move};

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A thread made its next step.
    Step {
        /// From this point.
        point: Point,
        /// Whether it accessed memory, or was a fence.
        is_access: bool,
        /// What it read, if it read something.
        value: Option<i64>,
    },
    /// A store that waited reached memory.
    Land(CellId, i64),
}

/// An event of a run, and what memory and buffers are afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunEvent {
    /// The thread.
    pub thread: usize,
    /// What happened.
    pub what: What,
    /// The cells.
    pub memory: Vec<i64>,
    /// The stores of each thread that wait, the oldest first.
    pub buffers: Vec<Vec<(CellId, i64)>>,
}

/// The events of a run.
pub fn told(program: &Program, model: Model, run: &[i64], budget: &mut Budget) -> Result<Vec<RunEvent>, Refusal> {
    let mut list = Vec::new();
    replay(program, model, run, budget, &mut |state, moved, step| {
        let (thread, what, after) = match (moved, step) {
            (Move::Land(thread), _) => {
                let (cell, value) = state.buffers[thread].first().copied().unwrap_or((CellId(0), 0));
                (thread, What::Land(cell, value), state.landed(thread))
            }
            (Move::Step(thread), step) => {
                let access = step.map(|step| &step.access);
                let value = match access {
                    Some(Access::Load(cell)) => Some(state.read(thread, *cell)),
                    Some(Access::Locked { reads, .. }) => reads.first().map(|cell| state.memory[cell.index()]),
                    _ => None,
                };
                let is_access = access.is_some_and(|access| *access != Access::None);
                let what = What::Step { point: state.locals[thread].point, is_access, value };
                (thread, what, step.map(|step| state.after(model, thread, step)))
            }
        };
        let State { memory, buffers, .. } = after.unwrap_or_else(|| state.clone());
        list.push(RunEvent { thread, what, memory, buffers });
    })?;
    Ok(list)
}
