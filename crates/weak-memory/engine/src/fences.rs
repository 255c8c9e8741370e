//! Minimum-cost hitting sets (Reiter 1987): the cheapest fences, or locked stores, that make a program robust or bad
//! states unreachable.
//!
//! Every witness has places, one of which must be changed. The cheapest sets of places that meet all witnesses so far
//! are tried, in their order; a set after which the program does not meet the goal leads to a witness that it does not
//! meet. So the set that is found in the end is cheapest, and the witnesses show it.

use std::collections::BTreeSet;

use serval_budget::{Budget, StopReason};
use serval_tso_program::{FencePlace, Point, Program, ThreadId};
use serval_tso_proof::At;
use serval_tso_proof::fences::{Costs, places_of};
use serval_tso_proof::{Answer, Certificate, Claim, FenceSet, Fences, Goal, Means, Model, Witness};

use crate::any::{AnyOutcome, decide_any};
use crate::copies::{FaultWith, decide_many};
use crate::decide::decide;
use crate::limits::EngineLimits;
use crate::machine::RangeFault;
use crate::robustness::{Robustness, robustness};

const STAGE: &str = "fences";

/// What became of the search for changes.
#[derive(Debug)]
pub enum Fixed {
    /// The cheapest sets: the first is empty for a program that meets the goal, and there is none if no set does.
    Fences(Fences),
    /// Undecided.
    Unknown(StopReason),
}

/// What is wanted.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// How places are changed.
    pub means: Means,
    /// What for.
    pub goal: Goal,
    /// What a place in a loop costs, at least 1.
    pub loop_cost: u64,
    /// How many sets, at most.
    pub sets: usize,
}

impl Default for Wanted {
    fn default() -> Self {
        Self { means: Means::Fence, goal: Goal::Robust, loop_cost: 1, sets: 1 }
    }
}

type Set = BTreeSet<At>;

/// Finds the fewest fences that make a program with a fixed number of threads robust.
pub fn fix(program: &Program, limits: &EngineLimits, budget: &mut Budget) -> Result<Fixed, RangeFault> {
    fix_as(program, &Wanted::default(), limits, budget).map_err(|with| with.fault)
}

/// Finds the cheapest changes.
pub fn fix_as(program: &Program, wanted: &Wanted, limits: &EngineLimits, budget: &mut Budget) -> Result<Fixed, FaultWith> {
    let costs = Costs::new(program, wanted.loop_cost.max(1));
    let mut fixing = Fixing { program, wanted, limits, costs, witnesses: Vec::new(), conflicts: Vec::new() };
    let mut sets: Vec<FenceSet> = Vec::new();
    let fences = |fixing: Fixing<'_>, sets: Vec<FenceSet>, all: bool| {
        let Wanted { means, goal, loop_cost, .. } = *fixing.wanted;
        let loop_cost = (loop_cost > 1).then_some(loop_cost);
        Ok(Fixed::Fences(Fences { means, goal, loop_cost, sets, all, witnesses: fixing.witnesses }))
    };
    loop {
        if fixing.conflicts.iter().any(Set::is_empty) {
            return fences(fixing, Vec::new(), false);
        }
        let known: BTreeSet<Set> = sets.iter().map(|set| set.places.iter().copied().collect()).collect();
        let cost = sets.first().map(|set| fixing.costs.sum(&set.places));
        let chosen = match fixing.cheapest(&known, cost, budget) {
            Ok(Some(chosen)) => chosen,
            // Nothing but what is known meets all witnesses at this cost.
            Ok(None) => return fences(fixing, sets, true),
            Err(()) if !sets.is_empty() => return fences(fixing, sets, false),
            Err(()) => return Ok(Fixed::Unknown(inconclusive("the budget ended before a cheapest set was found"))),
        };
        if sets.len() >= wanted.sets.max(1) {
            return fences(fixing, sets, false);
        }
        match fixing.attempt(&chosen, budget)? {
            FenceAttempt::Meets(proof) => sets.push(FenceSet { places: chosen.into_iter().collect(), proof: *proof }),
            FenceAttempt::Fails => {}
            FenceAttempt::Unknown(_) if !sets.is_empty() => return fences(fixing, sets, false),
            FenceAttempt::Unknown(reason) => return Ok(Fixed::Unknown(reason)),
        }
    }
}

/// Proves that a program meets the goal, if it does.
pub fn prove(program: &Program, goal: Goal, limits: &EngineLimits, budget: &mut Budget) -> Result<Option<Certificate>, FaultWith> {
    Ok(match proved(program, goal, limits, budget)? {
        Proved::Meets(certificate) => Some(*certificate),
        Proved::Fails(_) | Proved::Unknown(_) => None,
    })
}

fn inconclusive(what: &str) -> StopReason {
    StopReason::Inconclusive { stage: STAGE, what: what.to_owned() }
}

/// What is known about the goal.
enum Proved {
    Meets(Box<Certificate>),
    Fails(Witness),
    Unknown(StopReason),
}

fn proved(program: &Program, goal: Goal, limits: &EngineLimits, budget: &mut Budget) -> Result<Proved, FaultWith> {
    let is_many = !program.many().is_empty();
    let plain = |fault: RangeFault| FaultWith { copies: None, fault };
    let mut certificate = Certificate::new(program);
    if goal == Goal::Robust {
        let violated = |violation: serval_tso_proof::Violation, copies: Option<u32>| {
            Proved::Fails(Witness { run: violation.run, cycle: violation.cycle, question: None, copies })
        };
        if is_many {
            match decide_any(program, limits, budget) {
                AnyOutcome::Robust(robust) => certificate.any = Some(robust),
                AnyOutcome::Violated(copies, violation) => return Ok(violated(violation, Some(copies))),
                AnyOutcome::Fault(copies, fault) => return Err(FaultWith { copies: Some(copies), fault }),
                AnyOutcome::Unknown(reason) => return Ok(Proved::Unknown(reason)),
            }
        } else {
            match robustness(program, limits, budget).map_err(plain)? {
                Robustness::Robust(robust) => certificate.robust = Some(robust),
                Robustness::Violated(violation) => return Ok(violated(violation, None)),
                Robustness::Unknown(reason) => return Ok(Proved::Unknown(reason)),
            }
        }
        return Ok(Proved::Meets(Box::new(certificate)));
    }
    let outcome = if is_many { decide_many(program, limits, budget)? } else { decide(program, limits, budget).map_err(plain)? };
    let is_demand = |question: usize| program.questions.get(question).is_some_and(|question| question.asked.is_defect());
    let demands = |answer: &&Answer| answer.model == Model::Tso && is_demand(answer.question);
    for answer in outcome.certificate.answers.iter().filter(demands) {
        let (run, copies) = match &answer.claim {
            Claim::Reachable(run) => (run, None),
            Claim::Copies(copies, run) => (run, Some(*copies)),
            Claim::Unreachable(_) => continue,
        };
        return Ok(Proved::Fails(Witness { run: run.clone(), question: Some(answer.question), copies, ..Witness::default() }));
    }
    let open = outcome.open.tso.iter().enumerate().find_map(|(question, reason)| reason.clone().filter(|_| is_demand(question)));
    Ok(match open {
        Some(reason) => Proved::Unknown(reason),
        None => {
            let mut certificate = outcome.certificate;
            (certificate.violation, certificate.copies) = (None, None);
            Proved::Meets(Box::new(certificate))
        }
    })
}

enum FenceAttempt {
    Meets(Box<Certificate>),
    /// There is a new witness.
    Fails,
    Unknown(StopReason),
}

struct Fixing<'p> {
    program: &'p Program,
    wanted: &'p Wanted,
    limits: &'p EngineLimits,
    costs: Costs,
    witnesses: Vec<Witness>,
    conflicts: Vec<Set>,
}

impl Fixing<'_> {
    /// Tries a set.
    fn attempt(&mut self, chosen: &Set, budget: &mut Budget) -> Result<FenceAttempt, FaultWith> {
        let place = |&(thread, point): &At| FencePlace { thread: ThreadId(thread), point: Point(point) };
        let places: Vec<FencePlace> = chosen.iter().map(place).collect();
        let changed = self.program.with_changes(self.wanted.means.change(), &places);
        let found = proved(&changed, self.wanted.goal, self.limits, budget).map_err(|fault| self.fault_without(&places, fault))?;
        let found = match found {
            Proved::Meets(certificate) => return Ok(FenceAttempt::Meets(certificate)),
            Proved::Unknown(reason) => return Ok(FenceAttempt::Unknown(reason)),
            Proved::Fails(witness) => witness,
        };
        let (run, kept) = self.without(&changed, &places, &found.run, found.copies);
        let cycle = found.cycle.iter().filter_map(|at| kept.get(*at).copied()).collect();
        let witness = Witness { run, cycle, ..found };
        let conflict = match places_of(self.program, self.wanted.means, &witness, budget) {
            Ok(conflict) if conflict.is_disjoint(chosen) && self.is_reached(&witness, budget) => conflict,
            _ => {
                return Ok(FenceAttempt::Unknown(inconclusive(
                    "a run of the changed program is none of the program itself: a question speaks of where a thread is not",
                )));
            }
        };
        self.witnesses.push(witness);
        self.conflicts.push(conflict);
        Ok(FenceAttempt::Fails)
    }

    /// Whether the witness reaches what it is to reach.
    fn is_reached(&self, witness: &Witness, budget: &mut Budget) -> bool {
        let Some(question) = witness.question else { return true };
        let claim = match witness.copies {
            Some(copies) => Claim::Copies(copies, witness.run.clone()),
            None => Claim::Reachable(witness.run.clone()),
        };
        let mut certificate = Certificate::new(self.program);
        certificate.answers.push(Answer { question, model: Model::Tso, claim });
        certificate.check(self.program, budget).is_ok()
    }

    /// A run of the changed program as one of the program, and for each event its new place.
    fn without(&self, changed: &Program, places: &[FencePlace], run: &[i64], copies: Option<u32>) -> (Vec<i64>, Vec<usize>) {
        let (changed, kinds) = match copies {
            Some(copies) => (changed.with_copies(copies), changed.copied(copies)),
            None => (changed.clone(), changed.thread_ids().collect()),
        };
        let events = serval_tso_proof::run::points(&changed, run).unwrap_or_default();
        let (mut kept, mut renumbered) = (Vec::new(), Vec::new());
        for (at, &event) in run.iter().enumerate() {
            renumbered.push(kept.len());
            let from = events.get(at).copied().flatten();
            let is_changed = from.is_some_and(|(thread, point)| {
                let kind = kinds.get(thread as usize).map_or(thread, |kind| kind.0);
                match self.wanted.means {
                    Means::Fence => is_added(places, kind, point),
                    Means::Locked => places.contains(&FencePlace { thread: ThreadId(kind), point: Point(point) }),
                }
            });
            match (is_changed, self.wanted.means) {
                (false, _) => kept.push(event),
                // A step through a fence is left out, and an exchange is a store that lands at once.
                (true, Means::Fence) => {}
                (true, Means::Locked) => kept.extend([event, (-1_i64).saturating_sub(event)]),
            }
        }
        (kept, renumbered)
    }

    /// A fault of the changed program as one of the program.
    fn fault_without(&self, places: &[FencePlace], with: FaultWith) -> FaultWith {
        let FaultWith { copies, mut fault } = with;
        let changed = self.program.with_changes(self.wanted.means.change(), places);
        fault.run = self.without(&changed, places, &fault.run, copies).0;
        let kind = copies.map_or(fault.thread, |copies| self.program.copied(copies).get(fault.thread).map_or(0, |kind| kind.index()));
        if self.wanted.means == Means::Fence {
            let own = places.iter().filter(|place| place.thread.index() == kind);
            fault.point -= (0..).zip(own).take_while(|(before, place)| place.point.index() + before < fault.point).count();
        }
        FaultWith { copies, fault }
    }

    /// The first of the cheapest sets that meet all conflicts and are not known; of this cost, if one is given. The
    /// error is the end of the budget.
    fn cheapest(&self, known: &BTreeSet<Set>, cost: Option<u64>, budget: &mut Budget) -> Result<Option<Set>, ()> {
        let mut best: Option<(u64, Set)> = None;
        let most = cost.unwrap_or(u64::MAX);
        self.meet(&mut Vec::new(), 0, most, known, &mut best, budget)?;
        Ok(best.map(|(_, set)| set))
    }

    fn meet(
        &self,
        chosen: &mut Vec<At>,
        cost: u64,
        most: u64,
        known: &BTreeSet<Set>,
        best: &mut Option<(u64, Set)>,
        budget: &mut Budget,
    ) -> Result<(), ()> {
        budget.spend(1).map_err(|_| ())?;
        if cost > most || best.as_ref().is_some_and(|(least, _)| cost >= *least) {
            return Ok(());
        }
        let Some(open) = self.conflicts.iter().find(|conflict| !chosen.iter().any(|place| conflict.contains(place))) else {
            let set: Set = chosen.iter().copied().collect();
            if !known.contains(&set) {
                *best = Some((cost, set));
            }
            return Ok(());
        };
        for &place in open {
            chosen.push(place);
            self.meet(chosen, cost.saturating_add(self.costs.of(place)), most, known, best, budget)?;
            chosen.pop();
        }
        Ok(())
    }
}

/// Whether a point of the program with fences is one of the added ones.
fn is_added(places: &[FencePlace], thread: u32, point: u32) -> bool {
    // Each place before it in its thread has moved it by one.
    (0..)
        .zip(places.iter().filter(|place| place.thread.0 == thread))
        .any(|(before, place)| place.point.0.checked_add(before) == Some(point))
}
