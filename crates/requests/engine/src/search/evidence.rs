//! Runs as the certificates that the checker reads.

use serval_model::{Event, Named, Run};
use serval_proof::{Action, Completed, NamedStates, RunCertificate, RunEvent};

/// A run of `system` in names. Whether it is one is not checked here.
pub fn run_certificate<S: Named>(system: &S, run: &Run) -> RunCertificate {
    let mut sofar = Run::new(run.initial_global());
    let mut steps = Vec::new();
    for &event in run.events() {
        let action = match event {
            Event::Spawn { request, local, .. } => Action::Spawn { request: system.request_name(request), local: system.local_name(local) },
            Event::Step { step, .. } => Action::Step {
                from: NamedStates { local: system.local_name(step.local), global: system.global_name(step.global) },
                to: NamedStates { local: system.local_name(step.to_local), global: system.global_name(step.to_global) },
            },
            Event::Respond { thread, response } => {
                // The events of a `Run` hang together, so the request is there.
                let at = sofar.configuration().in_flight.get(&thread).map(|thread| thread.local);
                let local = at.map_or_else(String::new, |local| system.local_name(local));
                Action::Respond { local, response: system.response_name(response) }
            }
        };
        steps.push(RunEvent { id: event.thread().number(), action });
        // Cannot fail, for the same reason.
        let _ = sofar.push(event);
    }
    let completed = run.configuration().completed.iter();
    let mut completed: Vec<Completed> = completed
        .map(|(&(request, response), count)| Completed {
            request: system.request_name(request),
            response: system.response_name(response),
            count,
        })
        .collect();
    completed.sort_unstable();
    RunCertificate { steps, completed }
}
