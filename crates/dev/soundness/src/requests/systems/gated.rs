//! Systems that do something only after others have been there.

use serval_model::{NetworkSystem, SystemBuilder};

/// The same system behind a gate: a number of requests `open` have to come, one
/// after the other, before any of its steps can be made. So a counterexample
/// needs as many requests more.
pub fn gated(system: &NetworkSystem, opens: usize) -> NetworkSystem {
    let mut builder = SystemBuilder::new();
    for request in system.requests() {
        builder.request(system.request_name(request));
    }
    for response in system.responses() {
        builder.response(system.response_name(response));
    }
    let closed: Vec<_> = (0..opens).map(|stage| builder.global(&format!("closed {stage}"))).collect();
    let globals: Vec<_> = system.globals().map(|global| builder.global(&format!("open {}", system.global_name(global)))).collect();
    let locals: Vec<_> = system.locals().map(|local| builder.local(&format!("at {}", system.local_name(local)))).collect();
    for &(request, local) in system.starts() {
        builder.start(request, locals[local.index()]);
    }
    for &(local, response) in system.answers() {
        builder.answer(locals[local.index()], response);
    }
    for step in system.steps() {
        let (local, to_local) = (locals[step.local.index()], locals[step.to_local.index()]);
        builder.step(local, globals[step.global.index()], to_local, globals[step.to_global.index()]);
    }
    let (open, ok) = (builder.request("open"), builder.response("ok"));
    let (begin, end) = (builder.local("begin"), builder.local("end"));
    builder.start(open, begin);
    builder.answer(end, ok);
    let initial = globals[system.initial_global().index()];
    for (stage, &global) in closed.iter().enumerate() {
        builder.step(begin, global, end, closed.get(stage + 1).copied().unwrap_or(initial));
    }
    builder.finish(closed.first().copied().unwrap_or(initial))
}
