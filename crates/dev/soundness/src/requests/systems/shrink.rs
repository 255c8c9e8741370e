//! Smaller systems that still show what is wrong.

use serval_model::{GlobalId, NetworkSystem, Step, SystemBuilder};

/// Leaves out steps, starts and answers as long as `fails` still finds a
/// difference; gives what is left, and the difference there.
pub fn shrink<D>(mut system: NetworkSystem, mut difference: D, fails: impl Fn(&NetworkSystem) -> Option<D>) -> (NetworkSystem, D) {
    loop {
        let smaller = (0..system.steps().len() + system.starts().len() + system.answers().len()).find_map(|part| {
            let smaller = without(&system, part);
            fails(&smaller).map(|difference| (smaller, difference))
        });
        match smaller {
            Some((smaller, found)) => (system, difference) = (smaller, found),
            None => return (system, difference),
        }
    }
}

/// The system without one of its parts: its steps, then its starts, then its
/// answers.
fn without(system: &NetworkSystem, part: usize) -> NetworkSystem {
    let mut builder = SystemBuilder::new();
    let initial = builder.global(system.global_name(system.initial_global()));
    let (steps, starts) = (system.steps().len(), system.starts().len());
    for &Step { local, global, to_local, to_global } in kept(system.steps(), Some(part)) {
        let mut local_of = |local| builder.local(system.local_name(local));
        let (local, to_local) = (local_of(local), local_of(to_local));
        let mut global_of = |global: GlobalId| builder.global(system.global_name(global));
        let (global, to_global) = (global_of(global), global_of(to_global));
        builder.step(local, global, to_local, to_global);
    }
    for &(request, local) in kept(system.starts(), part.checked_sub(steps)) {
        let (request, local) = (builder.request(system.request_name(request)), builder.local(system.local_name(local)));
        builder.start(request, local);
    }
    for &(local, response) in kept(system.answers(), part.checked_sub(steps + starts)) {
        let (local, response) = (builder.local(system.local_name(local)), builder.response(system.response_name(response)));
        builder.answer(local, response);
    }
    builder.finish(initial)
}

fn kept<T>(items: &[T], without: Option<usize>) -> impl Iterator<Item = &T> {
    items.iter().enumerate().filter(move |&(index, _)| Some(index) != without).map(|(_, item)| item)
}
