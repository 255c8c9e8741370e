//! Minimum-cost hitting sets (Reiter 1987): the cheapest changes that make a program robust, or bad states unreachable.
//!
//! A *change* puts a fence before the step of a point, or makes the store of a point a locked exchange. The *goal* is
//! that the program is robust, or that with store buffers no state is reached that a `never`, `forall` or `assert`
//! forbids. Every place costs 1, or another number where its point is in a loop, that is, where a thread may come back
//! to it; a set of places costs the sum. A `thread*` is changed in all its copies.
//!
//! **Rule.** The evidence has
//!
//! 1. sets of places, each ascending, of points that can be changed so (`tso.fences.places`), each with a certificate
//!    that the changed program, with any number of copies if it has a `thread*`, meets the goal (`tso.fences.goal`);
//! 2. witnesses: for robustness, violations of the program ([`crate::trace`]); else runs with store buffers
//!    ([`crate::run`]) to what a demand forbids (`tso.fences.question`). For a program with a `thread*` each is one of
//!    the program with some number of copies (`tso.copies`).
//!
//! The *places of a witness* are
//!
//! - for fences, the points from which some thread makes a step while a store of its own waits; and, where a store of a
//!   thread waits at the end, the point at which that thread is, if the question speaks of it;
//! - for locked stores, the points of the stores that wait while their thread makes a step, and of the stores that are
//!   made while another waits.
//!
//! A set *hits* a witness if it has one of its places.
//!
//! 3. No cheaper set hits each witness, and all sets cost the same (`tso.fences.fewest`). The checker finds this out by
//!    trying: a place of the first witness that is not hit, then one of the next, and so on.
//! 4. If the sets are said to be all that there are, every set of this cost that hits each witness is one of them
//!    (`tso.fences.all`), and places cost at least 1 (`tso.fences.cost`).
//! 5. If there is no set at all, some witness has no place (`tso.fences.none`).
//!
//! **Theorem.** Each of the sets makes the program meet the goal, and no cheaper set of such changes does; none at all
//! does, if no set is given; no other of this cost does, if they are said to be all.
//!
//! **Proof.** The first is what the certificates show. Take a set without any place of a witness.
//!
//! - *Fences*: whenever a thread comes to one, none of its stores waits, so it passes at once; where it stands before
//!   one at the end and the question speaks of the point, it passes too. What is read and written is the same, and so
//!   is the trace, to which fences add no access.
//! - *Locked stores*: when a thread comes to one, none of its stores waits; in the witness the thread makes no step
//!   before the store lands, so let it make the locked step at the time of the landing, or at the end of the run if the
//!   store does not land. Between the two no thread sees the difference, for the buffer of the thread has nothing else
//!   in it. The exchange has the edges that the store had, and others because it reads, so a cycle stays one; points
//!   and registers at the end are the same, and memory too unless a store did not land, in which case the question is
//!   not about final states and does not speak of memory.
//!
//! So the changed program has the witness, and does not meet the goal. Hence every set that meets the goal hits each
//! witness, and is not cheaper. If places cost at least 1, a set of the least cost that hits all witnesses has no place
//! that could be left out; so trying, which goes through a subset of it that hits all of them, comes to the set itself,
//! and all of them are tried. ∎

use std::collections::BTreeSet;

use serval_budget::Budget;
use serval_evidence::require;
use serval_tso_program::{FencePlace, Observed, Point, Program, ThreadId};

use crate::Refusal;
use crate::certificate::{At, FenceSet, Fences, Goal, Means, Witness};
use crate::run::{self, replay};
use crate::state::{Model, number_of_copies};
use crate::step::{Access, Move};
use crate::trace::{self, Violation};

/// What is shown about changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FencesShown {
    /// How places are changed.
    pub means: Means,
    /// What for.
    pub goal: Goal,
    /// What a set costs.
    pub cost: u64,
    /// What a place in a loop costs.
    pub loop_cost: u64,
    /// The sets; none, if no set helps.
    pub sets: Vec<Vec<FencePlace>>,
    /// Whether these are all of their cost.
    pub all: bool,
}

/// What places cost.
pub struct Costs {
    in_loop: u64,
    loops: Vec<Vec<bool>>,
}

impl Costs {
    /// With this cost of a place in a loop.
    pub fn new(program: &Program, in_loop: u64) -> Self {
        let loops = if in_loop == 1 { Vec::new() } else { program.threads.iter().map(serval_tso_program::Thread::in_loops).collect() };
        Self { in_loop, loops }
    }

    /// What a place costs.
    pub fn of(&self, (thread, point): At) -> u64 {
        let in_loop = self.loops.get(thread as usize).and_then(|points| points.get(point as usize)).copied().unwrap_or(false);
        if in_loop { self.in_loop } else { 1 }
    }

    /// What places cost together.
    pub fn sum<'a>(&self, places: impl IntoIterator<Item = &'a At>) -> u64 {
        places.into_iter().fold(0, |sum: u64, place| sum.saturating_add(self.of(*place)))
    }
}

/// The program that a witness is about, or that the number of copies cannot be.
fn instance(program: &Program, witness: &Witness) -> Result<Program, Refusal> {
    let many = !program.many().is_empty();
    require!(Copies, witness.copies.is_some() == many, "a witness names copies, or does not, though there is no `thread*`, or is one");
    let Some(copies) = witness.copies.filter(|_| many) else { return Ok(program.clone()) };
    Ok(program.with_copies(number_of_copies(program, Some(copies))?))
}

/// The places of a witness: of the program itself, whatever the number of copies.
pub fn places_of(program: &Program, means: Means, witness: &Witness, budget: &mut Budget) -> Result<BTreeSet<At>, Refusal> {
    let copied = instance(program, witness)?;
    let kinds = match witness.copies {
        Some(copies) if !program.many().is_empty() => program.copied(copies),
        _ => program.thread_ids().collect(),
    };
    let kind = |thread: usize| kinds.get(thread).map_or(0, |kind| kind.0);
    let mut places = BTreeSet::new();
    // For each thread the points of its stores that wait, the oldest first.
    let mut waiting: Vec<Vec<u32>> = vec![Vec::new(); copied.threads.len()];
    let end = replay(&copied, Model::Tso, &witness.run, budget, &mut |state, moved, step| match (moved, step) {
        (Move::Land(thread), _) => {
            waiting[thread].remove(0);
        }
        (Move::Step(thread), step) => {
            let point = state.locals[thread].point.0;
            let stores = matches!(step.map(|step| &step.access), Some(Access::Store(..)));
            if !waiting[thread].is_empty() {
                match means {
                    Means::Fence => places.extend([(kind(thread), point)]),
                    Means::Locked => {
                        places.extend(waiting[thread].iter().map(|point| (kind(thread), *point)));
                        places.extend(stores.then_some((kind(thread), point)));
                    }
                }
            }
            waiting[thread].extend(stores.then_some(point));
        }
    })?;
    if let (Means::Fence, Some(question)) = (means, witness.question.and_then(|question| copied.questions.get(question))) {
        question.condition.atoms(&mut |atom| {
            if let Observed::At(thread, point) = atom
                && end.locals[thread.index()].point == point
                && !end.buffers[thread.index()].is_empty()
            {
                places.insert((kind(thread.index()), point.0));
            }
        });
    }
    Ok(places)
}

/// Goes through the sets of at most this cost that meet all others, each at least once, until `visit` says that it is
/// enough.
fn meeting(
    sets: &[BTreeSet<At>],
    costs: &Costs,
    (chosen, most): (&mut Vec<At>, u64),
    visit: &mut dyn FnMut(&[At]) -> bool,
    budget: &mut Budget,
) -> Result<bool, Refusal> {
    budget.spend(u64::try_from(sets.len() + 1).unwrap_or(u64::MAX))?;
    let Some(open) = sets.iter().find(|set| !chosen.iter().any(|place| set.contains(place))) else { return Ok(visit(chosen)) };
    for &place in open {
        let cost = costs.of(place);
        if let Some(left) = most.checked_sub(cost) {
            chosen.push(place);
            let enough = meeting(sets, costs, (chosen, left), visit, budget)?;
            chosen.pop();
            if enough {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Checks a witness.
fn check_witness(program: &Program, goal: Goal, witness: &Witness, budget: &mut Budget) -> Result<(), Refusal> {
    let copied = instance(program, witness)?;
    if goal == Goal::Robust {
        let violation = Violation { run: witness.run.clone(), cycle: witness.cycle.clone() };
        return trace::check(&copied, &violation, budget).map(|_| ());
    }
    let question = witness.question.unwrap_or(usize::MAX);
    let is_demand = copied.questions.get(question).is_some_and(|question| question.asked.is_defect());
    require!(FencesQuestion, is_demand, "a witness reaches what no demand forbids");
    run::check(&copied, Model::Tso, &witness.run, question, budget)
}

/// Checks that a set makes the program meet the goal.
fn check_set(program: &Program, fences: &Fences, set: &FenceSet, budget: &mut Budget) -> Result<Vec<FencePlace>, Refusal> {
    let place = |&(thread, point): &At| FencePlace { thread: ThreadId(thread), point: Point(point) };
    let chosen: Vec<FencePlace> = set.places.iter().map(place).collect();
    let ascend = set.places.windows(2).all(|pair| pair[0] < pair[1]);
    let possible = chosen.iter().all(|place| program.can_change(fences.means.change(), *place));
    require!(FencesPlaces, ascend && possible, "a change is where there is no such point, or is there twice");
    let is_plain = set.proof.fences.is_none() && set.proof.instance.is_none();
    require!(FencesGoal, is_plain, "the evidence about the changed program speaks of changes itself, or of some number of copies only");
    let changed = program.with_changes(fences.means.change(), &chosen);
    let shown = set.proof.check(&changed, budget)?;
    let meets = match fences.goal {
        Goal::Robust => shown.robust == Some(true),
        Goal::Reach => {
            let mut demands = changed.questions.iter().zip(&shown.tso).filter(|(question, _)| question.asked.is_defect());
            demands.all(|(_, reachable)| *reachable == Some(false))
        }
    };
    require!(FencesGoal, meets, "it is not shown that the changed program meets the goal");
    Ok(chosen)
}

/// Checks sets of changes.
pub(crate) fn check(program: &Program, fences: &Fences, budget: &mut Budget) -> Result<FencesShown, Refusal> {
    let in_loop = fences.loop_cost.unwrap_or(1);
    require!(FencesCost, in_loop >= 1, "a place in a loop costs nothing");
    let costs = Costs::new(program, in_loop);
    let mut sets = Vec::new();
    for set in &fences.sets {
        sets.push(check_set(program, fences, set, budget)?);
    }
    let mut conflicts = Vec::new();
    for witness in &fences.witnesses {
        check_witness(program, fences.goal, witness, budget)?;
        conflicts.push(places_of(program, fences.means, witness, budget)?);
    }
    let cost = costs.sum(fences.places());
    if fences.sets.is_empty() {
        require!(FencesNone, conflicts.iter().any(BTreeSet::is_empty), "every witness has a place, and no set is given");
    } else {
        let same = fences.sets.iter().all(|set| costs.sum(&set.places) == cost);
        require!(FencesFewest, same, "the sets do not cost the same");
        if let Some(less) = cost.checked_sub(1) {
            let cheaper = meeting(&conflicts, &costs, (&mut Vec::new(), less), &mut |_| true, budget)?;
            require!(FencesFewest, !cheaper, "places that cost {less} meet all witnesses");
        }
    }
    if fences.all {
        let known: BTreeSet<BTreeSet<At>> = fences.sets.iter().map(|set| set.places.iter().copied().collect()).collect();
        let mut is_new = |found: &[At]| !known.contains(&found.iter().copied().collect::<BTreeSet<At>>());
        let more = meeting(&conflicts, &costs, (&mut Vec::new(), cost), &mut is_new, budget)?;
        require!(FencesAll, !more, "there is a further set of this cost that meets all witnesses");
    }
    Ok(FencesShown { means: fences.means, goal: fences.goal, cost, loop_cost: in_loop, sets, all: fences.all })
}
