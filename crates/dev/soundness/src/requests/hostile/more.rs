//! Certificates that the engine finds for other claims than those about answers alone, and for parts with shared
//! letters.

use serval_budget::{Budget, Cancel};
use serval_engine::portfolio::{self, Found, Method, Plan};
use serval_engine::reduce::{Reduction, reduce};
use serval_engine::search::{lift, run_certificate};
use serval_engine::strict::in_flight::{Explored, explore, run_of};
use serval_engine::strict::points;
use serval_model::{NetworkSystem, NormalForm};
use serval_proof::strict::StrictProof;
use serval_proof::strict::in_flight::InFlight;
use serval_proof::strict::points::Points;
use serval_proof::{Body, Claim, ClosedPart, Part};

use crate::requests::systems::all_of;

const MONITOR_TICKS: u64 = 300_000;
const POINTS_TICKS: u64 = 200_000;
const LIFT_TICKS: u64 = 1_000_000;
/// The largest normal form whose order in time is looked at, in steps.
const STEPS: usize = 60;
/// Lists of more states of the monitor cost more than they teach.
const STATES: usize = 300;

/// Evidence about the order in time: a run without an order, all that can be with few requests in flight, and places of
/// requests in the order.
pub(super) fn in_time(system: &NetworkSystem) -> Vec<(Claim, Body)> {
    let Some((form, _)) = NormalForm::new(system).filter(|(form, _)| form.steps().len() <= STEPS) else { return Vec::new() };
    let whole = Reduction::new(form);
    let mut reduced = whole.clone();
    // What was reached stands.
    reduce(&mut reduced, &mut Budget::ticks(MONITOR_TICKS)).ok();
    let strict = |proof: StrictProof| (Claim::Strict, Body::Part(Part::Strict(proof)));
    let mut found = Vec::new();
    if reduced.form().is_atomic() {
        found.push((Claim::Strict, Body::Part(Part::Atomic(reduced.script.clone()))));
    }
    for (k, reduction) in [(2, &whole), (3, &whole), (3, &reduced)] {
        match explore(reduction.form(), k, usize::MAX, &mut Budget::ticks(MONITOR_TICKS)) {
            Ok(Explored::Refuted { steps, .. }) => {
                let run = run_of(reduction.form(), system, &steps);
                let lifted = run.and_then(|run| lift(system, &run, &mut Budget::ticks(LIFT_TICKS)).ok().flatten());
                found.extend(lifted.map(|run| (Claim::NotStrict, Body::Run(run_certificate(&system, &run)))));
                return found;
            }
            Ok(Explored::Closed(states)) if states.len() <= STATES => {
                found.push(strict(StrictProof::InFlight(InFlight { script: reduction.script.clone(), k, states })));
            }
            Ok(Explored::Closed(_) | Explored::Holds) | Err(_) => {}
        }
    }
    if let Ok(Some((places, proof))) = points::find(reduced.form(), 0, POINTS_TICKS, &Cancel::new()) {
        found.push(strict(StrictProof::Points(Points { script: reduced.script, places, proof: Box::new(proof) })));
    }
    found.dedup();
    found
}

/// A proof part by part, where few letters join the parts and the reductions alone do not prove the whole.
pub(super) fn in_parts(system: &NetworkSystem) -> Option<Body> {
    let cancel = Cancel::new();
    let plan = Plan { rounds: 1, percent: 25, ..Plan::new(&[Method::Reduce, Method::Flow], &cancel) };
    let Found::Serializable(parts, _) = portfolio::decide(&[system], 0, &plan).found else { return None };
    let [part] = <[Part; 1]>::try_from(parts).ok()?;
    matches!(part, Part::Shared(_)).then_some(Body::Part(part))
}

/// All states of a program in which no step fails.
pub(super) fn closed(text: &str) -> Option<Body> {
    let compiled = all_of(text)?;
    let parts = compiled.components().iter().map(|component| {
        let states = component.closed_states()?;
        let (globals, locals, at) = (states.globals, states.locals, states.at);
        Some(ClosedPart { globals, locals, at, levels: states.levels, weights: states.weights, markings: states.markings })
    });
    parts.collect::<Option<Vec<_>>>().map(Body::Closure)
}
