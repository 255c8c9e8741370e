//! Strict serializability (Papadimitriou 1979): whether the order in time is kept, for systems that are serializable.
//!
//! What decides, in this order: the monitor with few requests in flight ([`in_flight`]), which finds a run with the
//! fewest requests, or that there are never more in flight; places of requests in the order ([`points`]); the monitor
//! with more in flight; one moment of any run ([`cuts`]), which finds runs with any number of requests in flight, and
//! says something where nothing is decided. All of it on the reduced system, since every rule of scripts keeps the
//! order (`serval_proof::strict`). What is found is evidence for the checker.

pub mod cuts;
pub mod in_flight;
pub mod points;

use serval_budget::{Budget, Cancel, Stopped};
use serval_model::{NetworkSystem, NodeStep, NormalForm, Run};
use serval_proof::Part;
use serval_proof::strict::StrictProof;
use serval_proof::strict::in_flight::InFlight;
use serval_proof::strict::points::Points;

use crate::reduce::{Reduction, reduce};
use crate::search::lift;
use cuts::AtCuts;
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
        /// Whether for any one moment some order has what had answered before it before what came after it, however
        /// many are in flight.
        at_a_moment: bool,
    },
}

impl InTime {
    /// Nothing is known.
    pub const OPEN: Self = Self::Open { while_at_most: 1, at_a_moment: false };
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

/// Decides whether a system, which is serializable, is strict. With `percent` of the usual ticks. What is known when
/// the flag is raised stands.
pub fn decide_in_time(system: &NetworkSystem, percent: u64, cancel: &Cancel) -> InTime {
    let Some((form, _)) = NormalForm::new(system) else { return InTime::OPEN };
    let mut reduction = Reduction::new(form);
    match reduce(&mut reduction, &mut Budget::new(scaled(REDUCE_TICKS, percent), cancel.clone())) {
        Err(Stopped::Cancelled) => return InTime::OPEN,
        // What was reached stands.
        Ok(_) | Err(Stopped::OutOfTicks) => {}
    }
    if reduction.form().is_atomic() {
        return InTime::Proved(Box::new(Part::Atomic(reduction.script)));
    }
    let mut known = Known { system, reduction, holds: 1, at_a_moment: false };
    match known.rounds(percent, cancel) {
        Ok(Some(found)) => found,
        Ok(None) | Err(_) => InTime::Open { while_at_most: known.holds, at_a_moment: known.at_a_moment },
    }
}

fn scaled(ticks: u64, percent: u64) -> u64 {
    ticks.saturating_mul(percent) / 100
}

/// A system and what is known about it.
struct Known<'a> {
    system: &'a NetworkSystem,
    reduction: Reduction,
    /// It is strict while at most so many requests are in flight.
    holds: usize,
    /// The order agrees at any one moment.
    at_a_moment: bool,
}

impl Known<'_> {
    /// Everything, with more and more ticks.
    fn rounds(&mut self, percent: u64, cancel: &Cancel) -> Result<Option<InTime>, Stopped> {
        let mut ticks = scaled(FIRST_TICKS, percent);
        for round in 0..ROUNDS {
            for in_flight in 2..=FEW_IN_FLIGHT {
                if let Some(found) = self.monitored(in_flight, ticks, cancel)? {
                    return Ok(Some(found));
                }
            }
            if let Some(found) = self.points(round, ticks, cancel)? {
                return Ok(Some(found));
            }
            for in_flight in FEW_IN_FLIGHT + 1..=MOST_IN_FLIGHT {
                if let Some(found) = self.monitored(in_flight, ticks, cancel)? {
                    return Ok(Some(found));
                }
            }
            if let Some(found) = self.cut((usize::try_from(round).unwrap_or(usize::MAX), percent), ticks, cancel)? {
                return Ok(Some(found));
            }
            ticks = ticks.saturating_mul(GROWTH);
        }
        Ok(None)
    }

    /// The monitor with at most so many requests in flight.
    fn monitored(&mut self, in_flight: usize, ticks: u64, cancel: &Cancel) -> Result<Option<InTime>, Stopped> {
        if in_flight <= self.holds {
            return Ok(None);
        }
        let mut budget = Budget::new(ticks, cancel.clone());
        match explore(self.reduction.form(), in_flight, usize::MAX, &mut budget) {
            Ok(Explored::Refuted { requests, steps }) => {
                let fewest = in_flight + 1 >= requests;
                self.refuted((requests, steps, fewest), &mut budget, cancel)
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

    /// A run of the reduced system, performed on the system itself, or one of fewer requests if there is one.
    fn refuted(
        &self,
        (requests, steps, fewest): (usize, Vec<(usize, NodeStep)>, bool),
        budget: &mut Budget,
        cancel: &Cancel,
    ) -> Result<Option<InTime>, Stopped> {
        let fewer = match requests.checked_sub(1) {
            // With one request less there are at most so many in flight.
            Some(less) if !fewest => explore(self.reduction.form(), less, less, budget),
            _ => Ok(Explored::Holds),
        };
        let (steps, minimal) = match fewer {
            Ok(Explored::Refuted { steps, .. }) => (steps, true),
            Ok(_) => (steps, true),
            Err(Stopped::OutOfTicks) => (steps, false),
            Err(Stopped::Cancelled) => return Err(Stopped::Cancelled),
        };
        let Some(reduced) = run_of(self.reduction.form(), self.system, &steps) else { return Ok(None) };
        let lifted = lift(self.system, &reduced, &mut Budget::new(LIFT_TICKS, cancel.clone()));
        Ok(lifted.ok().flatten().map(|run| InTime::Refuted { run, minimal }))
    }

    /// One moment of any run.
    fn cut(&mut self, portfolio: (usize, u64), ticks: u64, cancel: &Cancel) -> Result<Option<InTime>, Stopped> {
        if self.at_a_moment {
            return Ok(None);
        }
        match cuts::decide(self.reduction.form(), 1, portfolio, ticks, cancel)? {
            AtCuts::Refuted(steps) => {
                let requests = steps.iter().map(|&(number, _)| number + 1).max().unwrap_or(0);
                self.refuted((requests, steps, false), &mut Budget::new(ticks, cancel.clone()), cancel)
            }
            AtCuts::Holds => {
                self.at_a_moment = true;
                Ok(None)
            }
            AtCuts::Open => Ok(None),
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
