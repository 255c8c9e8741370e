//! The fewest fences that make a program robust.
//!
//! Every violation has places, one of which must have a fence. The smallest sets of places that meet all violations so far are tried, in their order; a set that does not make the program
//! robust leads to a violation that it does not meet. So the set that is found in the end is smallest, and the violations show it.

use std::collections::BTreeSet;

use serval_budget::{Budget, StopReason};
use serval_tso::{Place, Point, Program, ThreadId};
use serval_tsoproof::fences::places_of;
use serval_tsoproof::{Fences, Violation};

use crate::decide::{Limits, Robustness, robustness};
use crate::machine::Fault;

/// What became of the search for fences.
#[derive(Debug)]
pub enum Fixed {
    /// A smallest set; it is empty for a program that is robust.
    Fences(Fences),
    /// Nobody knows.
    Unknown(StopReason),
}

type Set = BTreeSet<(u32, u32)>;

/// Finds the fewest fences that make a program robust.
pub fn fix(program: &Program, limits: &Limits, budget: &mut Budget) -> Result<Fixed, Fault> {
    let mut violations: Vec<Violation> = Vec::new();
    let mut conflicts: Vec<Set> = Vec::new();
    loop {
        let Some(chosen) = smallest(&conflicts, budget) else {
            let reason = StopReason::Inconclusive { stage: "fences", what: "the budget ended before a smallest set was found".to_owned() };
            return Ok(Fixed::Unknown(reason));
        };
        let places: Vec<Place> = chosen.iter().map(|&(thread, point)| Place { thread: ThreadId(thread), point: Point(point) }).collect();
        let fenced = program.with_fences(&places);
        match robustness(&fenced, limits, budget)? {
            Robustness::Robust(robust) => return Ok(Fixed::Fences(Fences { places: chosen.into_iter().collect(), robust, violations })),
            Robustness::Unknown(reason) => return Ok(Fixed::Unknown(reason)),
            Robustness::Violated(found) => {
                let violation = without_fences(&fenced, &places, found);
                let Ok(conflict) = places_of(program, &violation.run, budget) else {
                    let what = "a violation of the program with fences is none without them, which is a bug".to_owned();
                    return Ok(Fixed::Unknown(StopReason::Inconclusive { stage: "fences", what }));
                };
                violations.push(violation);
                conflicts.push(conflict);
            }
        }
    }
}

/// The violation as one of the program without the fences: its steps through them are left out.
fn without_fences(fenced: &Program, places: &[Place], violation: Violation) -> Violation {
    // Where each thread is, in the program with fences, is found by replaying; which points are the new fences follows from the places.
    let mut kept = Vec::new();
    let mut renumbered = vec![0; violation.run.len()];
    let events = serval_tsoproof::run::points(fenced, &violation.run).unwrap_or_default();
    for (at, &event) in violation.run.iter().enumerate() {
        renumbered[at] = kept.len();
        let is_new = events.get(at).copied().flatten().is_some_and(|(thread, point)| is_added(places, thread, point));
        if !is_new {
            kept.push(event);
        }
    }
    let cycle = violation.cycle.iter().filter_map(|at| renumbered.get(*at).copied()).collect();
    Violation { run: kept, cycle }
}

/// Whether a point of the program with fences is one of the added ones.
fn is_added(places: &[Place], thread: u32, point: u32) -> bool {
    // Each place before it in its thread has moved it by one.
    (0..).zip(places.iter().filter(|place| place.thread.0 == thread)).any(|(before, place)| place.point.0 + before == point)
}

/// The first smallest set that meets all conflicts. `None` where the budget ends.
fn smallest(conflicts: &[Set], budget: &mut Budget) -> Option<Set> {
    for size in 0.. {
        let mut chosen = Set::new();
        if meet(conflicts, &mut chosen, size, budget)? {
            return Some(chosen);
        }
    }
    None
}

fn meet(conflicts: &[Set], chosen: &mut Set, size: usize, budget: &mut Budget) -> Option<bool> {
    budget.spend(1).ok()?;
    let Some(open) = conflicts.iter().find(|conflict| conflict.is_disjoint(chosen)) else { return Some(true) };
    if chosen.len() >= size {
        return Some(false);
    }
    for &place in open {
        chosen.insert(place);
        if meet(conflicts, chosen, size, budget)? {
            return Some(true);
        }
        chosen.remove(&place);
    }
    Some(false)
}
