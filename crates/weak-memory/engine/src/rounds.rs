//! Round-bounded analysis of TSO (Atig, Bouajjani, Parlato 2011): a run that is found is a run; finding none says
//! nothing about more rounds.
//!
//! What is searched is what [`serval_tso_program::rounds`] says, without a program for it: a thread opens its next
//! round when it takes its turn, and how far the landing round grows is chosen where a store is made.

use serval_budget::{Budget, StopReason};
use serval_tso_program::{Op, Program};

use crate::layout::{Buffers, RoundsPart};
use crate::limits::{EngineLimits, reason};
use crate::live::ProgramAnalysis;
use crate::machine::{Event, Machine, MemoryAccess, NextStep, WAYS};
use crate::models::{PendingQuestions, STORE, is_sought};
use crate::search::{Ended, Faulting, Label, Successors, System, search};
use crate::witness::{land_of, way_of};

const STAGE: &str = "rounds";
/// More rounds than are ever needed; the states have numbers for all of them.
const MOST: u32 = 32;

/// What was found in a bounded number of rounds.
#[derive(Debug)]
pub struct Rounds {
    /// For each question a run with store buffers, as in certificates, that leads to what it looks for.
    pub runs: Vec<Option<Vec<i64>>>,
    /// Why the search ended, if it ended before everything had been seen.
    pub open: Option<StopReason>,
}

/// Rounds, with their numbers behind memory.
struct Turns<'m, 'p> {
    machine: &'m Machine<'p>,
    asked: PendingQuestions<'p>,
    rounds: usize,
    part: RoundsPart,
}

impl Turns<'_, '_> {
    fn read(&self, state: &[i64], thread: usize, cell: usize) -> i64 {
        self.part.queued(state, thread, cell).unwrap_or_else(|| self.machine.layout.cell(state, cell))
    }

    /// A thread opens its next round, and what is queued for it lands.
    fn open(&self, state: &mut [i64], thread: usize) {
        let round = self.part.open(state, thread);
        for cell in 0..self.machine.program.cells.len() {
            if let Some(value) = self.part.dequeue(state, thread, round, cell) {
                self.machine.layout.set_cell(state, cell, value);
            }
        }
    }
}

impl System for Turns<'_, '_> {
    fn initial(&self) -> Vec<i64> {
        let mut state = self.machine.initial();
        self.part.add_none(&mut state);
        state
    }

    fn meet(&mut self, number: usize, state: &[i64]) -> bool {
        let waits = (0..self.machine.count()).any(|thread| self.part.waits(state, thread));
        for (question, met) in self.asked.questions.iter().zip(&mut self.asked.met) {
            let may_be = met.is_none() && !(waits && question.asked.is_final());
            if may_be && is_sought(self.machine, question, self.machine.layout.without_rest(state)) {
                *met = Some(number);
            }
        }
        self.asked.all_met()
    }

    fn successors(&mut self, state: &[i64], into: &mut Successors) -> Result<(), Faulting> {
        let machine = self.machine;
        for thread in 0..machine.count() {
            let turn = self.part.has_turn(state, thread);
            if !turn && self.part.round(state, thread) < self.rounds {
                let mut after = into.copy(state);
                self.open(&mut after, thread);
                into.push(Label { thread, event: Event::Land }, after);
            }
            let op = machine.op(state, thread);
            let accesses = matches!(op, Op::Fence | Op::Atomic(_) | Op::Store(..) | Op::Load(..));
            if accesses && !turn || matches!(op, Op::Fence | Op::Atomic(_)) && self.part.waits(state, thread) {
                continue;
            }
            for is_other in WAYS {
                let step = match machine.next(state, thread, is_other, &|cell| self.read(state, thread, cell)) {
                    NextStep::Blocked => continue,
                    NextStep::Fault(kind) => return Err((thread, machine.point(state, thread), kind)),
                    NextStep::Step(step) => step,
                };
                let mut after = into.copy(state);
                machine.go(&mut after, thread, &step);
                let label = Label { thread, event: step.event() };
                match step.access {
                    MemoryAccess::Store(cell, value) => {
                        let round = self.part.round(state, thread);
                        for landing in self.part.landing(state, thread).max(round)..=self.rounds + 1 {
                            let mut after = into.copy(&after);
                            if landing == round {
                                machine.layout.set_cell(&mut after, cell, value);
                            } else {
                                self.part.enqueue(&mut after, thread, landing, (cell, value));
                            }
                            into.push(Label { thread, event: Event::Queue(landing) }, after);
                        }
                        continue;
                    }
                    _ => machine.write(&mut after, &step.access),
                }
                if step.access == MemoryAccess::Local && machine.is_unseen(state, thread, &step) {
                    into.clear();
                    into.push(label, after);
                    return Ok(());
                }
                into.push(label, after);
            }
        }
        Ok(())
    }
}

/// Looks for what questions look for, in at most `rounds` rounds of each thread; questions that are skipped are not
/// looked for. The error says why there is no such search.
pub fn in_rounds(
    program: &Program,
    rounds: u32,
    skipped: &[bool],
    limits: &EngineLimits,
    budget: &mut Budget,
) -> Result<Rounds, StopReason> {
    if rounds == 0 || rounds > MOST || program.threads.iter().any(|thread| thread.many) {
        let what = format!("from 1 to {MOST} rounds of a fixed number of threads can be looked at");
        return Err(StopReason::Unsupported { stage: STAGE, what });
    }
    let analysis = ProgramAnalysis::new(program, &program.questions);
    let machine = Machine::new(program, &analysis);
    let mut asked = PendingQuestions::new(program);
    asked.skipped = skipped.to_vec();
    let part = RoundsPart::new(&machine.layout, rounds as usize);
    let mut system = Turns { machine: &machine, asked, rounds: rounds as usize, part };
    let (found, ended) = search(&mut system, limits.states, budget);
    let run = |met: &Option<usize>| met.map(|at| with_rounds(&machine, &found.path(at)));
    let runs = system.asked.met.iter().zip(skipped).map(|(met, skipped)| run(met).filter(|_| !skipped)).collect();
    let open = match &ended {
        Ended::Done | Ended::Met(_) => None,
        Ended::Fault(..) => {
            let what = "a step leaves the range of values".to_owned();
            Some(StopReason::Inconclusive { stage: STAGE, what })
        }
        Ended::TooMany | Ended::Stopped(_) => Some(reason(STAGE, &ended, limits.states)),
    };
    Ok(Rounds { runs, open })
}

/// The run with store buffers: stores land when their round opens, or at once.
fn with_rounds(machine: &Machine<'_>, labels: &[Label]) -> Vec<i64> {
    let count = machine.count();
    let mut state = machine.initial();
    Buffers::add_empty(&machine.layout, &mut state);
    let mut round = vec![0; count];
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut run = Vec::new();
    for &Label { thread, event } in labels {
        if event == Event::Land {
            round[thread] += 1;
        } else {
            let buffers = Buffers::of(&machine.layout, &state, STORE);
            let NextStep::Step(step) =
                machine.next(&state, thread, event == Event::Other, &|cell| buffers.read(&machine.layout, &state, thread, cell))
            else {
                break;
            };
            machine.go(&mut state, thread, &step);
            run.push(way_of(machine, thread, event));
            match (&step.access, event) {
                (MemoryAccess::Store(cell, value), Event::Queue(landing)) => {
                    buffers.push(&mut state, thread, *cell, &[*value]);
                    waiting[thread].push(landing);
                }
                (access, _) => machine.write(&mut state, access),
            }
        }
        let lands = waiting[thread].iter().take_while(|landing| **landing <= round[thread]).count();
        waiting[thread].drain(..lands);
        for _ in 0..lands {
            Buffers::of(&machine.layout, &state, STORE).land(&machine.layout, &mut state, thread);
            run.push(land_of(thread));
        }
    }
    run
}
