//! Systems near the border between what is serializable and what is not.

use std::collections::BTreeSet;

use serval_model::{Letter, Multiset, NetworkSystem, SplitMix64, Step, SystemBuilder};

use crate::{Behaviours, handlers, shared, uniform};

/// Requests up to which the side of the border is looked at.
const REQUESTS: usize = 3;
/// Ticks for looking once.
const TICKS: u64 = 4_000;
/// Steps that are taken away at most, one after the other.
const FORBIDDEN: usize = 4;
/// Changes of one step that are tried until one crosses the border.
const CHANGES: usize = 6;

/// A system that one step separates, where luck will have it, from one on the
/// other side of the border, as far as three requests show.
///
/// A random system that is not serializable loses steps without which fewer
/// sets of answers are wrong, until none is; one that is serializable has one
/// step changed, preferably such that it no longer is, and then one step
/// forbidden as before.
pub fn border(seed: u64) -> NetworkSystem {
    let mut draw = SplitMix64::new(seed);
    let base = draw.next_u64();
    let mut system = match draw.index(4) {
        0 => uniform(base),
        1 => shared(base),
        _ => handlers(base),
    };
    if violations(&system).is_some_and(|wrong| wrong.is_empty()) {
        for _ in 0..CHANGES {
            let changed = changed(&system, &mut draw);
            if violations(&changed).is_some_and(|wrong| !wrong.is_empty()) {
                system = changed;
                break;
            }
        }
    }
    // Now and then the far side of the border.
    if draw.chance(85) { repaired(system, &mut draw) } else { system }
}

/// What up to three requests are answered together and never one by one.
fn violations(system: &NetworkSystem) -> Option<BTreeSet<Multiset<Letter>>> {
    let all = Behaviours::with(system, REQUESTS, TICKS)?;
    Some(all.interleaved.difference(&all.serial).cloned().collect())
}

/// The system without some steps: each time the one, among those in random
/// order, without which least is wrong.
fn repaired(mut system: NetworkSystem, draw: &mut SplitMix64) -> NetworkSystem {
    let Some(mut wrong) = violations(&system).map(|wrong| wrong.len()) else { return system };
    for _ in 0..FORBIDDEN {
        if wrong == 0 {
            break;
        }
        let first = draw.index(system.steps().len().max(1));
        let mut best: Option<(usize, NetworkSystem)> = None;
        for number in 0..system.steps().len() {
            let forbidden = (first + number) % system.steps().len();
            let steps = system.steps().iter().enumerate().filter(|&(number, _)| number != forbidden).map(|(_, &step)| step);
            let less = with_steps(&system, steps);
            let Some(all) = Behaviours::with(&less, REQUESTS, TICKS) else { continue };
            let left = all.interleaved.difference(&all.serial).count();
            // What can no longer be answered at all is no repair.
            if all.interleaved.len() > 3 && left < best.as_ref().map_or(wrong, |(left, _)| *left) {
                best = Some((left, less));
            }
            if best.as_ref().is_some_and(|(left, _)| *left == 0) {
                break;
            }
        }
        let Some((left, less)) = best else { break };
        (system, wrong) = (less, left);
    }
    system
}

/// The system with one of its steps leading somewhere else.
fn changed(system: &NetworkSystem, draw: &mut SplitMix64) -> NetworkSystem {
    let mut steps = system.steps().to_vec();
    let number = draw.index(steps.len().max(1));
    if let Some(step) = steps.get_mut(number) {
        if draw.chance(50) {
            let globals: Vec<_> = system.globals().collect();
            step.to_global = globals[draw.index(globals.len())];
        } else {
            let locals: Vec<_> = system.locals().collect();
            step.to_local = locals[draw.index(locals.len())];
        }
    }
    with_steps(system, steps)
}

/// The system with these steps instead of its own.
fn with_steps(system: &NetworkSystem, steps: impl IntoIterator<Item = Step>) -> NetworkSystem {
    let mut builder = SystemBuilder::new();
    // In their order, so that the numbers stay.
    let globals: Vec<_> = system.globals().map(|global| builder.global(system.global_name(global))).collect();
    let locals: Vec<_> = system.locals().map(|local| builder.local(system.local_name(local))).collect();
    for &(request, local) in system.starts() {
        let request = builder.request(system.request_name(request));
        builder.start(request, locals[local.index()]);
    }
    for &(local, response) in system.answers() {
        let response = builder.response(system.response_name(response));
        builder.answer(locals[local.index()], response);
    }
    for step in steps {
        builder.step(
            locals[step.local.index()],
            globals[step.global.index()],
            locals[step.to_local.index()],
            globals[step.to_global.index()],
        );
    }
    builder.finish(globals[system.initial_global().index()])
}
