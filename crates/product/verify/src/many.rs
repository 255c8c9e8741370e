//! Runs of programs with more combinations of parameters than are written out.
//!
//! **Statement.** Let `P` be a program, `N` the names of the requests that come in a run, and `P_N` the program in
//! which of the requests with parameters only those with a name in `N` are written out, all bodies of each name. If the
//! run is one of `P_N` and no serial run of `P_N` has its answers then it is one of `P` and no serial run of `P` has
//! its answers; if it ends with a step of `P_N` that fails, that step of `P` fails.
//!
//! **Proof.** `P_N` has some of the bodies of `P` and the same globals, with the same initial values. So its runs are
//! those runs of `P` in which no other bodies take part. A serial run of `P` with the answers of the run, which are
//! those of requests with names in `N`, has no requests with other names, because each request of a complete run
//! answers in its name; and all bodies with a name in `N` are bodies of `P_N`. So it is a serial run of `P_N`. ∎

use std::collections::BTreeSet;

use serval_proof::{Action, Body, RunEvent};
use serval_syntax::{Program, analyze_of};

/// The requests of the run that a certificate gives; none where it gives no run.
fn requests_of(body: &Body) -> Option<BTreeSet<String>> {
    let events: &[RunEvent] = match body {
        Body::Run(run) => &run.steps,
        Body::Fault(fault) => &fault.steps,
        Body::Part(_) | Body::Components(_) | Body::Reduction(_) | Body::Closure(_) => return None,
    };
    let name = |event: &RunEvent| match &event.action {
        Action::Spawn { request, .. } => Some(request.clone()),
        Action::Step { .. } | Action::Respond { .. } => None,
    };
    Some(events.iter().filter_map(name).collect())
}

/// The program that a certificate is checked for: where `program`, which is that of the text, has requests that are not
/// written out, the one with those that come in the run.
pub(crate) fn spoken_of(text: &str, program: Program, body: &Body) -> Program {
    match (&program.many, requests_of(body)) {
        (Some(_), Some(names)) => analyze_of(text, &names).program.unwrap_or(program),
        _ => program,
    }
}
