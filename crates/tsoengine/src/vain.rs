//! What a program has in vain: statements that no run under sequential consistency reaches, conditions that a thread waits for and that never hold, fences without which the program is robust as well.

use serval_budget::Budget;
use serval_tso::{Inner, Op, Place, Point, Program, ThreadId};
use serval_tsoproof::{Certificate, Goal};

use crate::decide::Limits;
use crate::fences::prove;
use crate::live::Analysis;
use crate::machine::{Machine, Next};
use crate::models::{Asked, Sc};
use crate::search::{Ended, search};

/// What no run under sequential consistency does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vain {
    /// Points that are not reached, though a step from a point that is reached, or from none, could lead there.
    pub unreached: Vec<Place>,
    /// Points that are reached, and from which no step is ever possible.
    pub stuck: Vec<Place>,
}

/// Finds what no run of a program with a fixed number of threads does; nothing where not all states were seen.
pub fn in_vain(program: &Program, limits: &Limits, budget: &mut Budget) -> Option<Vain> {
    let asked_nothing = Program { questions: Vec::new(), ..program.clone() };
    let analysis = Analysis::new(&asked_nothing, &[]);
    let machine = Machine::new(&asked_nothing, &analysis);
    let (found, ended) = search(&mut Sc { machine: &machine, asked: Asked::new(&asked_nothing) }, limits.states, budget);
    if !matches!(ended, Ended::Done) {
        return None;
    }
    let none = || program.threads.iter().map(|thread| vec![false; thread.code.len()]).collect::<Vec<_>>();
    let (mut reached, mut left) = (none(), none());
    for state in &found.states {
        for thread in 0..machine.count() {
            let point = machine.point(state, thread);
            reached[thread][point] = true;
            let next = || machine.next(state, thread, &|cell| state[machine.memory + cell]);
            left[thread][point] = left[thread][point] || matches!(next(), Next::Step(_));
        }
    }
    let mut vain = Vain::default();
    for (number, thread) in program.threads.iter().enumerate() {
        let place = |point: usize| Place { thread: ThreadId::new(number), point: Point::new(point) };
        let waits = |point: usize| match &thread.code[point].op {
            // What goes round for ever without a step is written like this, and is meant.
            Op::Assume(serval_tso::Expr::Number(0)) => false,
            Op::Assume(_) | Op::Assert(_) => true,
            Op::Atomic(parts) => assumes(parts),
            _ => false,
        };
        let stuck = |point: usize| reached[number][point] && !left[number][point] && waits(point);
        vain.stuck.extend((0..thread.code.len()).filter(|point| stuck(*point)).map(place));
        for point in (0..thread.code.len()).filter(|point| !reached[number][*point] && thread.code[*point].op != Op::End) {
            let leads = |node: &serval_tso::Node| {
                node.op != Op::End
                    && (node.next.index() == point || matches!(&node.op, Op::Branch(_, otherwise) if otherwise.index() == point))
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
pub fn without_fence(program: &Program, place: Place) -> Option<Program> {
    let mut without = program.clone();
    let node = without.threads.get_mut(place.thread.index())?.code.get_mut(place.point.index())?;
    (node.op == Op::Fence).then(|| node.op = Op::Skip)?;
    Some(without)
}

/// Of a robust program, the fences without each of which it is robust too, at most so many looked at, with evidence about [`without_fence`].
pub fn needless_fences(program: &Program, most: usize, limits: &Limits, budget: &mut Budget) -> Vec<(Place, Certificate)> {
    let mut found = Vec::new();
    let fences = program.thread_ids().flat_map(|thread| {
        let code = &program.threads[thread.index()].code;
        (0..code.len()).filter(|point| code[*point].op == Op::Fence).map(move |point| Place { thread, point: Point::new(point) })
    });
    for place in fences.take(most) {
        let Some(without) = without_fence(program, place) else { continue };
        if let Ok(Some(proof)) = prove(&without, Goal::Robust, limits, budget) {
            found.push((place, proof));
        }
    }
    found
}
