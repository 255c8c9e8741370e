//! At which of its steps each request has its place in the order (linearization points: Herlihy and Wing 1990).
//!
//! Tried are, in this order: the first step after which one answer is left, the first that also writes or any after
//! which one is left, the first step of all, the first that changes the global state, every step at which exactly one
//! answer can be taken, and the last. For each the product of the checker is made and proved serializable like any
//! system.

use serval_budget::{Budget, Cancel, Stopped};
use serval_model::{NodeStep, NormalForm};
use serval_proof::Part;
use serval_proof::flow::serial_edges;
use serval_proof::strict::monitor::Monitor;
use serval_proof::strict::points::product;

use crate::decision::{Found, Method};
use crate::portfolio::{self, Plan};
use crate::reduce::{Reduction, reduce};

/// The methods that prove products, where reductions alone do not. Searching for runs would be in vain: what is asked
/// for is a proof.
const METHODS: [Method; 4] = [Method::Reduce, Method::Letters, Method::Flow, Method::Decompose];

/// Places and a proof for the product with them.
pub fn find(form: &NormalForm, round: u32, ticks: u64, cancel: &Cancel) -> Result<Option<(Vec<u32>, Part)>, Stopped> {
    let mut tried: Vec<Vec<u32>> = Vec::new();
    let within = |ticks: u64| Budget::new(ticks, cancel.clone());
    let candidates = match candidates(form, &mut within(ticks)) {
        Ok(candidates) => candidates,
        Err(Stopped::Cancelled) => return Err(Stopped::Cancelled),
        Err(Stopped::OutOfTicks) => return Ok(None),
    };
    for places in candidates {
        if tried.contains(&places) {
            continue;
        }
        tried.push(places.clone());
        match proved(form, &places, round, &mut within(ticks), cancel) {
            Ok(Some(proof)) => return Ok(Some((places, proof))),
            Ok(None) | Err(Stopped::OutOfTicks) => {}
            Err(Stopped::Cancelled) => return Err(Stopped::Cancelled),
        }
    }
    Ok(None)
}

fn candidates(form: &NormalForm, budget: &mut Budget) -> Result<Vec<Vec<u32>>, Stopped> {
    let monitor = Monitor::new(form, budget)?;
    let done: Vec<u32> = form.node_numbers().filter(|&node| form.is_done(node)).collect();
    budget.spend((form.nodes().len() as u64).saturating_mul(done.len() as u64))?;
    let left: Vec<usize> =
        form.node_numbers().map(|node| done.iter().filter(|&&letter| monitor.may_answer(node, letter)).count()).collect();
    let places = |is_place: &dyn Fn(&NodeStep) -> bool| {
        (0..).zip(form.steps()).filter(|(_, step)| is_place(step)).map(|(number, _)| number).collect::<Vec<u32>>()
    };
    let decides = |step: &NodeStep| left[step.to_node as usize] == 1;
    let writes = |step: &NodeStep| step.global != step.to_global;
    Ok(vec![
        places(&decides),
        places(&|step| decides(step) && writes(step)),
        places(&|step| form.is_initial(step.node)),
        places(&writes),
        places(&|_| true),
        Vec::new(),
    ])
}

/// A proof that no run of the product answers `bad`, if one is found.
fn proved(form: &NormalForm, places: &[u32], round: u32, budget: &mut Budget, cancel: &Cancel) -> Result<Option<Part>, Stopped> {
    let product = product(form, places, budget)?;
    let Some((made, _)) = NormalForm::new(&product) else { return Ok(None) };
    let bad = product.response_named("bad");
    let edges = serial_edges(&made, budget)?;
    if edges.iter().filter_map(|&(_, node, _)| made.letter(node)).any(|(_, response)| Some(response) == bad) {
        return Ok(None);
    }
    let mut reduction = Reduction::new(made);
    let reduced = reduce(&mut reduction, budget);
    if reduction.form().is_atomic() {
        return Ok(Some(Part::Atomic(reduction.script)));
    }
    reduced?;
    let mut plan = Plan::new(&METHODS, cancel);
    plan.rounds = usize::try_from(round).unwrap_or(usize::MAX);
    let Found::Serializable(parts, _) = portfolio::decide(&[&product], 0, &plan).found else { return Ok(None) };
    // Parts with shared letters are checked of inputs alone.
    Ok(parts.into_iter().next().filter(|part| !matches!(part, Part::Shared(_))))
}
