//! Runs with store buffers in a bounded number of rounds of each thread: what is found is a run; that nothing is found says nothing about more rounds.
//!
//! What is searched is what [`serval_tso_program::rounds`] says, without a program for it: a thread opens its next round when it takes its turn, and how far the landing round grows is chosen where a store is made.

use serval_budget::{Budget, StopReason};
use serval_tso_program::{Op, Program};

use crate::limits::{Limits, reason};
use crate::live::Analysis;
use crate::machine::{Access, Machine, Next, WAYS};
use crate::models::{Asked, buffered, buffers, is_sought, land, put, write_memory};
use crate::search::{Ended, Event, Faulting, Label, Successors, System, search};
use crate::witness::{land_of, step_of, way_of};

const STAGE: &str = "rounds";
/// More rounds than anybody asks for; the states have numbers for all of them.
const MOST: u32 = 32;

/// What was found in a bounded number of rounds.
#[derive(Debug)]
pub struct Rounds {
    /// For each question a run with store buffers, as in certificates, that leads to what it looks for.
    pub runs: Vec<Option<Vec<i64>>>,
    /// Why the search ended, if it ended before everything had been seen.
    pub open: Option<StopReason>,
}

/// Behind memory: whose turn it is, from 1; then for each thread the round, the landing round, and for each later round and each cell 1 and the value that is queued, or 0 and 0.
struct Turns<'m, 'p> {
    machine: &'m Machine<'p>,
    asked: Asked<'p>,
    rounds: usize,
}

impl Turns<'_, '_> {
    fn cells(&self) -> usize {
        self.machine.program.cells.len()
    }

    /// Where the numbers of a thread begin.
    fn place(&self, thread: usize) -> usize {
        self.machine.size + 1 + thread * (2 + 2 * self.rounds * self.cells())
    }

    /// Where the queue of a round begins; the first that has one is the second.
    fn queue(&self, thread: usize, round: usize) -> usize {
        self.place(thread) + 2 + 2 * (round - 2) * self.cells()
    }

    fn round(&self, state: &[i64], thread: usize) -> usize {
        usize::try_from(state[self.place(thread)]).unwrap_or(0)
    }

    fn landing(&self, state: &[i64], thread: usize) -> usize {
        usize::try_from(state[self.place(thread) + 1]).unwrap_or(0)
    }

    fn waits(&self, state: &[i64], thread: usize) -> bool {
        state[self.place(thread) + 2..self.place(thread + 1)].chunks_exact(2).any(|pair| pair[0] == 1)
    }

    fn read(&self, state: &[i64], thread: usize, cell: usize) -> i64 {
        let newest = (2..=self.rounds + 1).rev().map(|round| self.queue(thread, round) + 2 * cell).find(|&at| state[at] == 1);
        newest.map_or(state[self.machine.memory + cell], |at| state[at + 1])
    }

    /// The state after a thread has opened its next round.
    fn opened(&self, state: &[i64], thread: usize) -> Vec<i64> {
        let mut after = state.to_vec();
        let round = self.round(state, thread) + 1;
        after[self.machine.size] = step_of(thread) + 1;
        after[self.place(thread)] += 1;
        // A landing round that has come is the round itself.
        after[self.place(thread) + 1] = after[self.place(thread) + 1].max(after[self.place(thread)]);
        for cell in 0..if round > 1 { self.cells() } else { 0 } {
            let at = self.queue(thread, round) + 2 * cell;
            if after[at] == 1 {
                after[self.machine.memory + cell] = after[at + 1];
                (after[at], after[at + 1]) = (0, 0);
            }
        }
        after
    }
}

impl System for Turns<'_, '_> {
    fn initial(&self) -> Vec<i64> {
        let mut state = self.machine.initial();
        state.resize(self.place(self.machine.count()), 0);
        state
    }

    fn meet(&mut self, number: usize, state: &[i64]) -> bool {
        let waits = (0..self.machine.count()).any(|thread| self.waits(state, thread));
        for (question, met) in self.asked.questions.iter().zip(&mut self.asked.met) {
            let may_be = met.is_none() && !(waits && question.asked.is_final());
            if may_be && is_sought(self.machine, question, &state[..self.machine.size]) {
                *met = Some(number);
            }
        }
        self.asked.all_met()
    }

    fn successors(&mut self, state: &[i64], into: &mut Successors) -> Result<(), Faulting> {
        let machine = self.machine;
        for thread in 0..machine.count() {
            let turn = state[machine.size] == step_of(thread) + 1;
            if !turn && self.round(state, thread) < self.rounds {
                into.push(Label { thread, event: Event::Land }, self.opened(state, thread));
            }
            let op = machine.op(state, thread);
            let accesses = matches!(op, Op::Fence | Op::Atomic(_) | Op::Store(..) | Op::Load(..));
            if accesses && !turn || matches!(op, Op::Fence | Op::Atomic(_)) && self.waits(state, thread) {
                continue;
            }
            for is_other in WAYS {
                let step = match machine.next(state, thread, is_other, &|cell| self.read(state, thread, cell)) {
                    Next::Blocked => continue,
                    Next::Fault(kind) => return Err((thread, machine.point(state, thread), kind)),
                    Next::Step(step) => step,
                };
                let mut after = into.copy(state);
                machine.go(&mut after, thread, &step);
                let label = Label { thread, event: step.event() };
                match step.access {
                    Access::Store(cell, value) => {
                        let round = self.round(state, thread);
                        for landing in self.landing(state, thread).max(round)..=self.rounds + 1 {
                            let mut after = into.copy(&after);
                            if landing == round {
                                after[machine.memory + cell] = value;
                            } else {
                                let at = self.queue(thread, landing) + 2 * cell;
                                (after[at], after[at + 1]) = (1, value);
                                after[self.place(thread) + 1] = i64::try_from(landing).unwrap_or(0);
                            }
                            into.push(Label { thread, event: Event::Queue(landing) }, after);
                        }
                        continue;
                    }
                    _ => write_memory(machine, &mut after, &step.access),
                }
                if step.access == Access::Local && machine.is_unseen(state, thread, &step) {
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

/// Looks for what questions look for, in at most so many rounds of each thread; questions that are skipped are not looked for. The error says why there is no such search.
pub fn in_rounds(program: &Program, rounds: u32, skipped: &[bool], limits: &Limits, budget: &mut Budget) -> Result<Rounds, StopReason> {
    if rounds == 0 || rounds > MOST || program.threads.iter().any(|thread| thread.many) {
        let what = format!("from 1 to {MOST} rounds of a fixed number of threads can be looked at");
        return Err(StopReason::Unsupported { stage: STAGE, what });
    }
    let analysis = Analysis::new(program, &program.questions);
    let machine = Machine::new(program, &analysis);
    let mut asked = Asked::new(program);
    asked.skipped = skipped.to_vec();
    let mut system = Turns { machine: &machine, asked, rounds: rounds as usize };
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
    state.resize(machine.size + count, 0);
    let mut round = vec![0; count];
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut run = Vec::new();
    for &Label { thread, event } in labels {
        if event == Event::Land {
            round[thread] += 1;
        } else {
            let place = buffers(machine, &state)[thread];
            let Next::Step(step) = machine.next(&state, thread, event == Event::Other, &|cell| buffered(machine, &state, place, cell))
            else {
                break;
            };
            machine.go(&mut state, thread, &step);
            run.push(way_of(machine, thread, event));
            match (&step.access, event) {
                (Access::Store(cell, value), Event::Queue(landing)) => {
                    put(&mut state, place, *cell, *value);
                    waiting[thread].push(landing);
                }
                (access, _) => write_memory(machine, &mut state, access),
            }
        }
        let lands = waiting[thread].iter().take_while(|landing| **landing <= round[thread]).count();
        waiting[thread].drain(..lands);
        for _ in 0..lands {
            let place = buffers(machine, &state)[thread];
            land(machine, &mut state, place);
            run.push(land_of(thread));
        }
    }
    run
}
