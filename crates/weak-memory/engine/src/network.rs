//! A program under sequential consistency as a network system: what is shared, what belongs to one thread, and which
//! steps take one of the former and one of the latter further.
//!
//! What is shared is memory, and which of the threads that are one each have begun. Every thread comes as a request;
//! one that is there once has a first step that only one copy can make. So the system has, for a program with
//! `thread*`s, the runs of the program with any number of copies of these. The states here are those that some
//! combination of states leads to; that may be more than runs reach, and the steps between them are exact. A step that
//! leaves the range of values is left out.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serval_budget::{Budget, StopReason};
use serval_tso_program::{Program, Thread};

use crate::limits::reason;
use crate::live::ProgramAnalysis;
use crate::machine::{Machine, NextStep, WAYS};
use crate::search::Ended;

const STAGE: &str = "the network system";

/// Where a thread is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Local {
    /// The thread, by its number in the program.
    pub thread: usize,
    /// Its point and its registers; nothing before the first step of a thread that is one.
    pub at: Option<Vec<i64>>,
}

/// What is shared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Global {
    /// For each thread that is one, whether it has begun; false for the others.
    pub begun: Vec<bool>,
    /// Memory.
    pub memory: Vec<i64>,
}

/// A network system.
#[derive(Clone, Debug)]
pub struct Network {
    /// States of what is shared; it begins in the first.
    pub globals: Vec<Global>,
    /// States of threads; those in which the threads of the program begin come first, in their order.
    pub locals: Vec<Local>,
    /// Local and global state before and after.
    pub steps: Vec<[usize; 4]>,
}

/// The network system of a program, if it has at most `pairs` pairs of states.
pub fn network(program: &Program, pairs: usize, budget: &mut Budget) -> Result<Network, StopReason> {
    let alone: Vec<Program> = program.threads.iter().map(|thread| alone(program, thread)).collect();
    let analyses: Vec<ProgramAnalysis> = alone.iter().map(with_all_registers).collect();
    let machines: Vec<Machine<'_>> = alone.iter().zip(&analyses).map(|(program, analysis)| Machine::new(program, analysis)).collect();
    let mut globals: IndexSet<Global, FxBuildHasher> = IndexSet::default();
    let mut locals: IndexSet<Local, FxBuildHasher> = IndexSet::default();
    let memory = program.cells.iter().map(|(_, initial)| *initial).collect();
    globals.insert(Global { begun: vec![false; program.threads.len()], memory });
    for (number, thread) in program.threads.iter().enumerate() {
        let begins = vec![0; 1 + thread.registers.len()];
        locals.insert(Local { thread: number, at: thread.many.then_some(begins) });
    }
    let mut steps = Vec::new();
    // How many local states have met how many of the global ones.
    let (mut known_locals, mut known_globals) = (0, 0);
    while (known_locals, known_globals) != (locals.len(), globals.len()) {
        let (now_locals, now_globals) = (locals.len(), globals.len());
        if now_locals.saturating_mul(now_globals) > pairs {
            return Err(reason(STAGE, &Ended::TooMany, pairs));
        }
        for local in 0..now_locals {
            let from = if local < known_locals { known_globals } else { 0 };
            for global in from..now_globals {
                budget.spend(1).map_err(|stopped| reason(STAGE, &Ended::Stopped(stopped), pairs))?;
                let (Some(at), Some(shared)) = (locals.get_index(local), globals.get_index(global)) else { continue };
                let found: Vec<_> = WAYS.iter().filter_map(|is_other| step(program, &machines, at, shared, *is_other)).collect();
                for (next, after) in found {
                    let (to_local, to_global) = (locals.insert_full(next).0, globals.insert_full(after).0);
                    steps.push([local, global, to_local, to_global]);
                }
            }
        }
        (known_locals, known_globals) = (now_locals, now_globals);
    }
    steps.sort_unstable();
    Ok(Network { globals: globals.into_iter().collect(), locals: locals.into_iter().collect(), steps })
}

fn alone(program: &Program, thread: &Thread) -> Program {
    Program { threads: vec![thread.clone()], questions: Vec::new(), ..program.clone() }
}

/// Nothing is urgent, and no register is forgotten, so that states say all that can be asked.
fn with_all_registers(program: &Program) -> ProgramAnalysis {
    let mut analysis = ProgramAnalysis::new(program, &[]);
    analysis.live.iter_mut().flatten().for_each(|registers| *registers = u64::MAX);
    analysis
}

fn step(program: &Program, machines: &[Machine<'_>], at: &Local, shared: &Global, is_other: bool) -> Option<(Local, Global)> {
    let machine = &machines[at.thread];
    let Some(numbers) = &at.at else {
        if shared.begun[at.thread] || is_other {
            return None;
        }
        let mut after = shared.clone();
        after.begun[at.thread] = true;
        let begins = vec![0; 1 + program.threads[at.thread].registers.len()];
        return Some((Local { thread: at.thread, at: Some(begins) }, after));
    };
    let mut state = numbers.clone();
    state.extend(&shared.memory);
    let NextStep::Step(step) = machine.next_in_memory(&state, 0, is_other) else { return None };
    let mut after = state.clone();
    machine.go(&mut after, 0, &step);
    machine.write(&mut after, &step.access);
    let (local, memory) = machine.layout.at_memory(&after);
    Some((Local { thread: at.thread, at: Some(local.to_vec()) }, Global { begun: shared.begun.clone(), memory: memory.to_vec() }))
}
