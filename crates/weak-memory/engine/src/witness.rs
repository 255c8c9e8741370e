//! Cycles of traces (Shasha, Snir 1988), and runs with store buffers from the labels of a search.

use serval_budget::Budget;
use serval_tso_proof::Violation;
use serval_tso_proof::trace::happens_before;

use crate::layout::Buffers;
use crate::machine::{Event, Machine, MemoryAccess, NextStep};
use crate::models::STORE;
use crate::search::Label;

pub(crate) fn step_of(thread: usize) -> i64 {
    i64::try_from(thread).unwrap_or(0)
}

pub(crate) fn land_of(thread: usize) -> i64 {
    (-1_i64).saturating_sub(step_of(thread))
}

/// The run of labels as it is written down.
pub(crate) fn written(machine: &Machine<'_>, labels: &[Label]) -> Vec<i64> {
    let number = |label: &Label| match label.event {
        Event::Land => land_of(label.thread),
        event => way_of(machine, label.thread, event),
    };
    labels.iter().map(number).collect()
}

/// The number of a step that is made in this way.
pub(crate) fn way_of(machine: &Machine<'_>, thread: usize, event: Event) -> i64 {
    step_of(if event == Event::Other { machine.count() + thread } else { thread })
}

/// The run with store buffers that does what the labels say: every store lands at once, except those of a thread that
/// has begun an attack, which land at the end.
pub(crate) fn with_buffers(machine: &Machine<'_>, labels: &[Label]) -> Vec<i64> {
    let mut state = machine.initial();
    Buffers::add_empty(&machine.layout, &mut state);
    let (mut run, mut attacker) = (Vec::new(), None);
    for label in labels {
        let thread = label.thread;
        if label.event == Event::Begin {
            attacker = Some(thread);
        }
        let buffers = Buffers::of(&machine.layout, &state, STORE);
        let NextStep::Step(step) =
            machine.next(&state, thread, label.event == Event::Other, &|cell| buffers.read(&machine.layout, &state, thread, cell))
        else {
            break;
        };
        machine.go(&mut state, thread, &step);
        run.push(way_of(machine, thread, label.event));
        match step.access {
            MemoryAccess::Store(cell, value) => {
                buffers.push(&mut state, thread, cell, &[value]);
                if attacker != Some(thread) {
                    Buffers::of(&machine.layout, &state, STORE).land(&machine.layout, &mut state, thread);
                    run.push(land_of(thread));
                }
            }
            _ => machine.write(&mut state, &step.access),
        }
    }
    if let Some(thread) = attacker {
        run.extend(std::iter::repeat_n(land_of(thread), Buffers::of(&machine.layout, &state, STORE).len(thread)));
    }
    run
}

/// A run with a shortest cycle of its trace, if there is one.
pub(crate) fn violation(machine: &Machine<'_>, run: Vec<i64>) -> Option<Violation> {
    let graph = happens_before(machine.program, &run, &mut Budget::unlimited()).ok()?;
    let number_of = |at: usize| graph.iter().position(|(event, _)| *event == at);
    let mut shortest: Option<Vec<usize>> = None;
    for (first, _) in &graph {
        // Breadth first from the event back to itself.
        let mut from = vec![None; graph.len()];
        let mut queue = std::collections::VecDeque::from([number_of(*first)?]);
        let mut closes = None;
        while let Some(number) = queue.pop_front() {
            if graph[number].1.contains(first) {
                closes = Some(number);
                break;
            }
            for next in graph[number].1.iter().filter_map(|at| number_of(*at)) {
                if from[next].is_none() && graph[next].0 != *first {
                    from[next] = Some(number);
                    queue.push_back(next);
                }
            }
        }
        let Some(mut number) = closes else { continue };
        let mut cycle = vec![graph[number].0];
        while let Some(before) = from[number] {
            cycle.push(graph[before].0);
            number = before;
        }
        cycle.reverse();
        if shortest.as_ref().is_none_or(|known| cycle.len() < known.len()) {
            shortest = Some(cycle);
        }
    }
    shortest.map(|cycle| Violation { run, cycle })
}
