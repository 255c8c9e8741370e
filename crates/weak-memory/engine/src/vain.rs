//! What a program has in vain: statements that no run under sequential consistency reaches, conditions that a thread
//! waits for and that never hold, fences without which the program is robust as well.

use serval_budget::Budget;
use serval_tso_program::{FencePlace, Inner, Op, Point, Program, ThreadId};
use serval_tso_proof::{Certificate, Goal};

use crate::copies::cores;
use crate::counted::Searched;
use crate::fences::prove;
use crate::limits::EngineLimits;
use crate::live::ProgramAnalysis;
use crate::machine::{Machine, NextStep};
use crate::models::{PendingQuestions, Sc};
use crate::search::{Ended, search};

/// What no run under sequential consistency does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vain {
    /// Points that are not reached, though a step from a point that is reached, or from none, could lead there.
    pub unreached: Vec<FencePlace>,
    /// Points that are reached, and from which no step is ever possible.
    pub stuck: Vec<FencePlace>,
}

/// For each thread and point whether it is reached, and whether a step is ever made from it.
struct VisitedPoints {
    /// The thread of the program that each thread of a state is.
    threads: Vec<ThreadId>,
    reached: Vec<Vec<bool>>,
    left: Vec<Vec<bool>>,
}

impl VisitedPoints {
    fn note(&mut self, machine: &Machine<'_>, state: &[i64]) {
        for (slot, thread) in self.threads.iter().enumerate() {
            let (thread, point) = (thread.index(), machine.point(state, slot));
            self.reached[thread][point] = true;
            let next = || machine.next_in_memory(state, slot, false);
            self.left[thread][point] = self.left[thread][point] || matches!(next(), NextStep::Step(_));
        }
    }
}

/// Finds what no run of a program does; nothing where not all states were seen. With a `thread*`, what no configuration
/// has no number of copies does; a configuration may have more than they do, so that some of it may not be found.
pub fn in_vain(program: &Program, limits: &EngineLimits, budget: &mut Budget) -> Option<Vain> {
    let asked_nothing = Program { questions: Vec::new(), ..program.clone() };
    let analysis = ProgramAnalysis::new(&asked_nothing, &[]);
    let none = || program.threads.iter().map(|thread| vec![false; thread.code.len()]).collect::<Vec<_>>();
    let many = program.many();
    let threads = program.thread_ids().filter(|id| !many.contains(id)).chain(many.iter().copied()).collect();
    let mut found = VisitedPoints { threads, reached: none(), left: none() };
    if many.is_empty() {
        let machine = Machine::new(&asked_nothing, &analysis);
        let (all, ended) = search(&mut Sc { machine: &machine, asked: PendingQuestions::new(&asked_nothing) }, limits.states, budget);
        if !matches!(ended, Ended::Done) {
            return None;
        }
        all.states().iter().for_each(|state| found.note(&machine, &state));
    } else {
        let searched = cores(&asked_nothing, &analysis.live, 1, limits, budget, &mut |machine, state| found.note(machine, state));
        if !matches!(searched, Searched::All(_)) {
            return None;
        }
    }
    let VisitedPoints { reached, left, .. } = found;
    let mut vain = Vain::default();
    for (number, thread) in program.threads.iter().enumerate() {
        let place = |point: usize| FencePlace { thread: ThreadId::new(number), point: Point::new(point) };
        let waits = |point: usize| match &thread.code[point].op {
            // What goes round for ever without a step is written like this, and is meant.
            Op::Assume(serval_tso_program::Expr::Number(0)) => false,
            Op::Assume(_) | Op::Assert(_) => true,
            Op::Atomic(parts) => assumes(parts),
            _ => false,
        };
        let stuck = |point: usize| reached[number][point] && !left[number][point] && waits(point);
        vain.stuck.extend((0..thread.code.len()).filter(|point| stuck(*point)).map(place));
        for point in (0..thread.code.len()).filter(|point| !reached[number][*point] && thread.code[*point].op != Op::End) {
            let leads = |node: &serval_tso_program::ControlPoint| {
                node.op != Op::End && (node.next.index() == point || node.op.other().is_some_and(|other| other.index() == point))
            };
            let before: Vec<usize> = (0..thread.code.len()).filter(|other| *other != point && leads(&thread.code[*other])).collect();
            // What stands behind something that is said already is not said as well.
            let said = before.iter().any(|other| stuck(*other) || !reached[number][*other] && *other < point);
            if !said && !thread.spans[point].range().is_empty() {
                vain.unreached.push(place(point));
            }
        }
    }
    Some(vain)
}

fn assumes(parts: &[Inner]) -> bool {
    parts.iter().any(|part| match part {
        Inner::Assume(_) => true,
        Inner::If(_, yes, no) => assumes(yes) || assumes(no),
        _ => false,
    })
}

/// The program without the fence at a place, if there is one.
pub fn without_fence(program: &Program, place: FencePlace) -> Option<Program> {
    let mut without = program.clone();
    let node = without.threads.get_mut(place.thread.index())?.code.get_mut(place.point.index())?;
    (node.op == Op::Fence).then(|| node.op = Op::Skip)?;
    Some(without)
}

/// Of a robust program, the fences without each of which it is robust too, at most `most` looked at, with evidence
/// about [`without_fence`].
pub fn needless_fences(program: &Program, most: usize, limits: &EngineLimits, budget: &mut Budget) -> Vec<(FencePlace, Certificate)> {
    let mut found = Vec::new();
    let fences = program.thread_ids().flat_map(|thread| {
        let code = &program.threads[thread.index()].code;
        (0..code.len()).filter(|point| code[*point].op == Op::Fence).map(move |point| FencePlace { thread, point: Point::new(point) })
    });
    for place in fences.take(most) {
        let Some(without) = without_fence(program, place) else { continue };
        if let Ok(Some(proof)) = prove(&without, Goal::Robust, limits, budget) {
            found.push((place, proof));
        }
    }
    found
}
