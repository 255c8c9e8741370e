//! States of a program, and the numbers that they are written with.
//!
//! A state is a list of numbers: for each thread its point and its registers; then the cells of memory. With store
//! buffers there follow, for each thread, how many stores wait in its buffer, and for each of these, the oldest first,
//! its cell and its value.

use serde::{Deserialize, Serialize};
use serval_evidence::require;
use serval_tso_program::{CellId, MAX_THREADS, Observed, Point, Program, Question, Thread};

use crate::Refusal;

/// How stores reach memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// At once: sequential consistency.
    Sc,
    /// Through a buffer of each thread, first in, first out: total store order.
    Tso,
}

/// A number of copies that there can be.
pub(crate) fn number_of_copies(program: &Program, copies: Option<u32>) -> Result<u32, Refusal> {
    let copies = copies.unwrap_or(0);
    let most = MAX_THREADS.checked_div(program.many().len()).and_then(|most| u32::try_from(most).ok()).unwrap_or(1);
    require!(Copies, (1..=most).contains(&copies), "{copies} copies of each `thread*` are none, or too many");
    Ok(copies.clamp(1, most))
}

/// Where a thread is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Local {
    pub(crate) point: Point,
    pub(crate) registers: Vec<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) locals: Vec<Local>,
    pub(crate) memory: Vec<i64>,
    /// The stores of each thread that wait, the oldest first. Empty under sequential consistency.
    pub(crate) buffers: Vec<Vec<(CellId, i64)>>,
}

impl State {
    pub(crate) fn initial(program: &Program) -> Self {
        let local = |thread: &Thread| Local { point: Point(0), registers: vec![0; thread.registers.len()] };
        Self {
            locals: program.threads.iter().map(local).collect(),
            memory: program.cells.iter().map(|(_, initial)| *initial).collect(),
            buffers: vec![Vec::new(); program.threads.len()],
        }
    }

    /// What a thread reads from a cell: its own newest store that waits, or else memory.
    pub(crate) fn read(&self, thread: usize, cell: CellId) -> i64 {
        let own = self.buffers[thread].iter().rev().find(|(stored, _)| *stored == cell);
        own.map_or(self.memory[cell.index()], |(_, value)| *value)
    }

    /// Whether all threads have ended and all stores have reached memory.
    pub(crate) fn is_final(&self, program: &Program) -> bool {
        let ended = self.locals.iter().zip(&program.threads).all(|(local, thread)| local.point == thread.end());
        ended && self.buffers.iter().all(Vec::is_empty)
    }

    /// Whether a question looks for this state. `None` where its condition has no value, which no text can bring about:
    /// such a state is neither an end of a run nor outside of what is sought.
    pub(crate) fn is_sought(&self, program: &Program, question: &Question) -> Option<bool> {
        let observed = |what: Observed| match what {
            Observed::At(thread, point) => i64::from(self.locals[thread.index()].point == point),
            Observed::Register(thread, register) => self.locals[thread.index()].registers[register.index()],
            Observed::Cell(cell) => self.memory[cell.index()],
        };
        if question.asked.is_final() && !self.is_final(program) {
            return Some(false);
        }
        question.condition.value(&observed).ok().map(|value| value != 0)
    }

    pub(crate) fn encode(&self, model: Model) -> Vec<i64> {
        let buffered: usize = self.buffers.iter().map(|buffer| 1 + 2 * buffer.len()).sum();
        let registers: usize = self.locals.iter().map(|local| 1 + local.registers.len()).sum();
        let mut numbers = Vec::with_capacity(registers + self.memory.len() + buffered);
        for local in &self.locals {
            numbers.push(i64::from(local.point.0));
            numbers.extend(&local.registers);
        }
        numbers.extend(&self.memory);
        if model == Model::Tso {
            for buffer in &self.buffers {
                numbers.push(i64::try_from(buffer.len()).unwrap_or(i64::MAX));
                numbers.extend(buffer.iter().flat_map(|(cell, value)| [i64::from(cell.0), *value]));
            }
        }
        numbers
    }

    /// The state of these numbers, and the numbers behind it.
    pub(crate) fn decode<'n>(program: &Program, model: Model, numbers: &'n [i64]) -> Option<(Self, &'n [i64])> {
        let mut rest = numbers;
        let mut take = |count: usize| {
            let (taken, behind) = rest.split_at_checked(count)?;
            rest = behind;
            Some(taken)
        };
        let mut locals = Vec::new();
        for thread in &program.threads {
            let point = Point(u32::try_from(take(1)?[0]).ok()?);
            let registers = take(thread.registers.len())?.to_vec();
            if point.index() >= thread.code.len() {
                return None;
            }
            locals.push(Local { point, registers });
        }
        let memory = take(program.cells.len())?.to_vec();
        let mut buffers = vec![Vec::new(); program.threads.len()];
        for buffer in buffers.iter_mut().filter(|_| model == Model::Tso) {
            for _ in 0..take(1)?[0] {
                let &[cell, value] = take(2)? else { return None };
                let cell = CellId(u32::try_from(cell).ok()?);
                if cell.index() >= program.cells.len() {
                    return None;
                }
                buffer.push((cell, value));
            }
        }
        Some((Self { locals, memory, buffers }, rest))
    }
}
