//! The fewest fences that make a program robust.
//!
//! **Rule.** Places for fences, ascending, each at a point that there is (`tso.fences.places`); evidence that the program with these fences is robust
//! ([`crate::robust`]); and violations of the program without them ([`crate::trace`]). The places of a violation are the points from which some thread makes a step of the run while
//! a store of its own waits. No set with fewer places than there are fences has a place of each violation (`tso.fences.fewest`), which is found out by trying: a place of
//! the first violation that is not met, then one of the next, and so on.
//!
//! **Theorem.** The fences make the program robust, and no smaller set of fences does. **Proof.** The first is the theorem of [`crate::robust`]. A set of fences without any place of a violation leaves its run
//! possible: whenever a thread comes to a fence none of its stores waits, so it passes at once; what fences add to the trace is no access. So the program with these fences is not robust, and whichever set
//! makes it robust has a place of every violation, and is not smaller. ∎

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_tso::{Place, Point, Program, ThreadId};

use crate::Refusal;
use crate::conditions::require;
use crate::robust::{self, Robust};
use crate::run::{delays, replay};
use crate::state::Model;
use crate::trace::{self, Violation};

/// A smallest set of fences.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Fences {
    /// Thread and point of each, ascending.
    pub places: Vec<(u32, u32)>,
    /// That the program with them is robust.
    pub robust: Robust,
    /// What fences must prevent.
    pub violations: Vec<Violation>,
}

serval_linear::objects!(Fences);

/// The places at which a fence would stop a run.
pub fn places_of(program: &Program, run: &[i64], budget: &mut Budget) -> Result<BTreeSet<(u32, u32)>, Refusal> {
    let mut places = BTreeSet::new();
    replay(program, Model::Tso, run, budget, &mut |state, moved, _| {
        places.extend(delays(state, moved).map(|(thread, point)| (ThreadId::new(thread).0, point.0)));
    })?;
    Ok(places)
}

/// Whether so many places can meet all sets.
fn can_meet(sets: &[BTreeSet<(u32, u32)>], chosen: &mut Vec<(u32, u32)>, most: usize, budget: &mut Budget) -> Result<bool, Refusal> {
    budget.spend(u64::try_from(sets.len()).unwrap_or(u64::MAX))?;
    let Some(open) = sets.iter().find(|set| !chosen.iter().any(|place| set.contains(place))) else { return Ok(true) };
    if chosen.len() >= most {
        return Ok(false);
    }
    for &place in open {
        chosen.push(place);
        let meets = can_meet(sets, chosen, most, budget)?;
        chosen.pop();
        if meets {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Checks a set of fences.
pub(crate) fn check(program: &Program, fences: &Fences, budget: &mut Budget) -> Result<(), Refusal> {
    let exists =
        |&(thread, point): &(u32, u32)| program.threads.get(thread as usize).is_some_and(|thread| (point as usize) < thread.code.len());
    let ascend = fences.places.windows(2).all(|pair| pair[0] < pair[1]);
    require!(FencesPlaces, ascend && fences.places.iter().all(exists), "a fence stands where there is no point, or twice");
    let chosen: Vec<Place> = fences.places.iter().map(|&(thread, point)| Place { thread: ThreadId(thread), point: Point(point) }).collect();
    robust::check(&program.with_fences(&chosen), &fences.robust, budget)?;
    let mut sets = Vec::new();
    for violation in &fences.violations {
        trace::check(program, violation, budget)?;
        sets.push(places_of(program, &violation.run, budget)?);
    }
    if let Some(fewer) = fences.places.len().checked_sub(1) {
        let meets = can_meet(&sets, &mut Vec::new(), fewer, budget)?;
        require!(FencesFewest, !meets, "{fewer} places meet all violations");
    }
    Ok(())
}
