//! Strict serializability (Papadimitriou 1979): whether the order in time is kept, for systems that are serializable.
//!
//! What decides, in this order: the monitor with few requests in flight ([`in_flight`]), which finds a run with the
//! fewest requests, or that there are never more in flight; places of requests in the order ([`points`]); the monitor
//! with more in flight. All of it on the reduced system, since every rule of scripts keeps the order
//! (`serval_proof::strict`). What is found is evidence for the checker.

pub mod in_flight;
pub mod points;

use serval_budget::{Budget, Cancel, Stopped};
use serval_model::{NetworkSystem, NormalForm, Run};
use serval_proof::Part;
use serval_proof::strict::StrictProof;
use serval_proof::strict::in_flight::InFlight;
use serval_proof::strict::points::Points;

use crate::reduce::{Reduction, reduce};
use crate::search::lift;
use in_flight::{Explored, explore, run_of};

/// What is known about the order in time in one component.
#[derive(Clone, Debug)]
pub enum InTime {
    /// A run that no order in time explains, and whether fewer requests are known not to suffice.
    Refuted {
        /// The run, of the system itself.
        run: Run,
        /// Whether no run with fewer requests is one.
        minimal: bool,
    },
    /// A proof that it is strict.
    Proved(Box<Part>),
    /// Neither: all that is known is that it is strict while at most so many are in flight.
    Open {
        /// How many; less than 2 says nothing.
        while_at_most: usize,
    },
}

/// Ticks for the reductions.
const REDUCE_TICKS: u64 = 100_000_000;
/// Ticks for one exploration in the first round; they grow from round to round.
const FIRST_TICKS: u64 = 2_000_000;
const GROWTH: u64 = 8;
/// Rounds, of which the last has as much as work of some minutes.
const ROUNDS: u32 = 4;
/// The most requests in flight that are tried.
const MOST_IN_FLIGHT: usize = 5;
/// Requests in flight of the monitor before points are tried.
const FEW_IN_FLIGHT: usize = 3;
/// Ticks for performing a run on the system itself.
const LIFT_TICKS: u64 = 50_000_000;

/// The ticks for a quick look at all components: enough for a thousand states of the monitor of small systems.
pub const QUICK_TICKS: u64 = 800_000;

/// How many requests a run with two in flight has that is not strict, if one is found with these ticks: what `check`
/// looks for beside its verdict. The number is the least among such runs.
pub fn quick_look(system: &NetworkSystem, budget: &mut Budget) -> Option<usize> {
    let mut reduction = Reduction::new(NormalForm::new(system)?.0);
    let mut part = budget.part(budget.left() / 2);
    let had = part.left();
    // What was reached stands.
    reduce(&mut reduction, &mut part).ok();
    budget.spend(had - part.left()).ok()?;
    match explore(reduction.form(), 2, usize::MAX, budget) {
        Ok(Explored::Refuted { requests, .. }) => Some(requests),
        _ => None,
    }
}

/// Decides whether a system, which is serializable, is strict. With `percent` of the usual ticks.
pub fn decide_in_time(system: &NetworkSystem, percent: u64, cancel: &Cancel) -> Result<InTime, Stopped> {
    let Some((form, _)) = NormalForm::new(system) else { return Ok(InTime::Open { while_at_most: 1 }) };
    let scaled = |ticks: u64| ticks.saturating_mul(percent) / 100;
    let mut reduction = Reduction::new(form);
    match reduce(&mut reduction, &mut Budget::new(scaled(REDUCE_TICKS), cancel.clone())) {
        Err(Stopped::Cancelled) => return Err(Stopped::Cancelled),
        // What was reached stands.
        Ok(_) | Err(Stopped::OutOfTicks) => {}
    }
    if reduction.form().is_atomic() {
        return Ok(InTime::Proved(Box::new(Part::Atomic(reduction.script))));
    }
    let mut known = Known { system, reduction, holds: 1 };
    let mut ticks = scaled(FIRST_TICKS);
    for round in 0..ROUNDS {
        for in_flight in 2..=FEW_IN_FLIGHT {
            if let Some(found) = known.monitored(in_flight, ticks, cancel)? {
                return Ok(found);
            }
        }
        if let Some(found) = known.points(round, ticks, cancel)? {
            return Ok(found);
        }
        for in_flight in FEW_IN_FLIGHT + 1..=MOST_IN_FLIGHT {
            if let Some(found) = known.monitored(in_flight, ticks, cancel)? {
                return Ok(found);
            }
        }
        ticks = ticks.saturating_mul(GROWTH);
    }
    Ok(InTime::Open { while_at_most: known.holds })
}

/// A system and what is known about it.
struct Known<'a> {
    system: &'a NetworkSystem,
    reduction: Reduction,
    /// It is strict while at most so many requests are in flight.
    holds: usize,
}

impl Known<'_> {
    /// The monitor with at most so many requests in flight.
    fn monitored(&mut self, in_flight: usize, ticks: u64, cancel: &Cancel) -> Result<Option<InTime>, Stopped> {
        if in_flight <= self.holds {
            return Ok(None);
        }
        let mut budget = Budget::new(ticks, cancel.clone());
        match explore(self.reduction.form(), in_flight, usize::MAX, &mut budget) {
            Ok(Explored::Refuted { requests, steps }) => {
                let fewer = if in_flight + 1 < requests {
                    // With one request less there are at most so many in flight.
                    explore(self.reduction.form(), requests - 1, requests - 1, &mut budget)
                } else {
                    Ok(Explored::Holds)
                };
                let (steps, minimal) = match fewer {
                    Ok(Explored::Refuted { steps, .. }) => (steps, true),
                    Ok(_) => (steps, true),
                    Err(Stopped::OutOfTicks) => (steps, false),
                    Err(Stopped::Cancelled) => return Err(Stopped::Cancelled),
                };
                let reduced = run_of(self.reduction.form(), self.system, &steps);
                let Some(reduced) = reduced else { return Ok(None) };
                let lifted = lift(self.system, &reduced, &mut Budget::new(LIFT_TICKS, cancel.clone()));
                Ok(lifted.ok().flatten().map(|run| InTime::Refuted { run, minimal }))
            }
            Ok(Explored::Closed(states)) => {
                let proof = InFlight { script: self.reduction.script.clone(), k: in_flight, states };
                Ok(Some(InTime::Proved(Box::new(Part::Strict(StrictProof::InFlight(proof))))))
            }
            Ok(Explored::Holds) => {
                self.holds = in_flight;
                Ok(None)
            }
            Err(Stopped::OutOfTicks) => Ok(None),
            Err(Stopped::Cancelled) => Err(Stopped::Cancelled),
        }
    }

    /// Places of requests in the order.
    fn points(&self, round: u32, ticks: u64, cancel: &Cancel) -> Result<Option<InTime>, Stopped> {
        let found = points::find(self.reduction.form(), round, ticks, cancel)?;
        Ok(found.map(|(places, proof)| {
            let points = Points { script: self.reduction.script.clone(), places, proof: Box::new(proof) };
            InTime::Proved(Box::new(Part::Strict(StrictProof::Points(points))))
        }))
    }
}
