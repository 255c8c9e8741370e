//! Robustness of parameterised programs, by counter abstraction (Pnueli, Xu, Zuck 2002): any number of copies.
//!
//! Configurations ([`crate::counted`]) are searched from ω copies at the beginning. No violation is missed: so if none
//! is found, the configurations are evidence. If one is found, programs with 1, 2, … copies are searched, and if none
//! of these has a violation the bound of numbers grows.

use serval_budget::{Budget, StopReason};
use serval_tso_program::{Program, ThreadId};
use serval_tso_proof::{AnyRobust, Violation};

use crate::attack::Attacks;
use crate::counted::{Counted, Searched, live_of, nothing_urgent};
use crate::limits::{EngineLimits, reason};
use crate::live::ProgramAnalysis;
use crate::machine::{Machine, RangeFault};
use crate::robustness::{Robustness, robustness};
use crate::search::{Ended, System};

/// Copies beyond which numbers count as ω, at most.
pub(crate) const COARSEST: u64 = 3;
/// Copies of a `thread*` that are tried.
pub(crate) const COPIES: u32 = 4;
const STAGE: &str = "attacks with any number of copies";

/// Whether a program is robust for any number of copies.
#[derive(Debug)]
pub enum AnyOutcome {
    /// It is.
    Robust(AnyRobust),
    /// It is not with this number of copies of each `thread*`.
    Violated(u32, Violation),
    /// With this number of copies a step leaves the range of values.
    Fault(u32, RangeFault),
    /// Undecided.
    Unknown(StopReason),
}

/// Configurations of a first search, which is to find out soon whether it is worth while.
pub(crate) const SOON: usize = 20_000;

/// The bounds of numbers that are tried, each with how many configurations there may be. With the bound 0 all places
/// are taken together, which is coarser than all else and has the fewest configurations: that is tried second, where
/// the first search has found too many.
pub(crate) fn stages(limits: &EngineLimits) -> impl Iterator<Item = (u64, EngineLimits)> + use<> {
    let soon = EngineLimits { states: limits.states.min(SOON), ..limits.clone() };
    let (limits, again) = (limits.clone(), if limits.states > SOON { 1 } else { 2 });
    [(1, soon), (0, limits.clone())].into_iter().chain((again..=COARSEST).map(move |bound| (bound, limits.clone())))
}

/// Decides whether a program with `thread*`s is robust.
pub fn decide_any(program: &Program, limits: &EngineLimits, budget: &mut Budget) -> AnyOutcome {
    let mut too_many = false;
    for (stage, (bound, limits)) in stages(limits).enumerate() {
        // What is coarser shows no more than what has come to its end.
        let found = if bound == 0 && !too_many { Ok(None) } else { abstractly(program, bound, &limits, budget) };
        match found {
            Ok(Some(robust)) => return AnyOutcome::Robust(robust),
            // Whether there were too many is known only after the last search.
            Err(Ended::TooMany) if stage < 2 => too_many = true,
            Ok(None) => {}
            Err(ended) => return AnyOutcome::Unknown(reason(STAGE, &ended, limits.states)),
        }
        for copies in (1..=COPIES).filter(|_| stage == 1) {
            match robustness(&program.with_copies(copies), &limits, budget) {
                Ok(Robustness::Robust(_)) => {}
                Ok(Robustness::Violated(violation)) => return AnyOutcome::Violated(copies, violation),
                // More copies have more states.
                Ok(Robustness::Unknown(_)) => break,
                Err(fault) => return AnyOutcome::Fault(copies, fault),
            }
        }
    }
    let what = format!("no proof was found, and no violation with up to {COPIES} copies");
    AnyOutcome::Unknown(StopReason::Inconclusive { stage: STAGE, what })
}

/// Searches the attacks of every thread; `None` where one may succeed.
fn abstractly(program: &Program, bound: u64, limits: &EngineLimits, budget: &mut Budget) -> Result<Option<AnyRobust>, Ended> {
    let live = ProgramAnalysis::new(program, &[]).live;
    let mut attackers = Vec::new();
    for attacker in program.thread_ids() {
        match of_attacker(program, &live, attacker, bound, limits, budget) {
            Searched::All(list) => attackers.push(list),
            Searched::Perhaps => return Ok(None),
            Searched::Ended(ended) => return Err(ended),
        }
    }
    Ok(Some(AnyRobust { live, attackers }))
}

fn of_attacker(
    program: &Program,
    live: &[Vec<u64>],
    attacker: ThreadId,
    bound: u64,
    limits: &EngineLimits,
    budget: &mut Budget,
) -> Searched {
    let own: Vec<ThreadId> = program.threads[attacker.index()].many.then_some(attacker).into_iter().collect();
    let fixed_before = program.threads[..attacker.index()].iter().filter(|thread| !thread.many).count();
    let fixed = program.threads.iter().filter(|thread| !thread.many).count();
    let number = if own.is_empty() { fixed_before } else { fixed };
    let alone = program.fixed_with(&own);
    let analysis = nothing_urgent(&alone, live_of(program, live, &own));
    let machine = Machine::new(&alone, &analysis);
    // The core with one more copy of each kind.
    let also = |kind: &ThreadId| own.iter().copied().chain([*kind]).collect::<Vec<_>>();
    let copies: Vec<Vec<ThreadId>> = program.many().iter().map(also).collect();
    let joint: Vec<Program> = copies.iter().map(|copies| program.fixed_with(copies)).collect();
    let analyses: Vec<ProgramAnalysis> =
        joint.iter().zip(&copies).map(|(joint, copies)| nothing_urgent(joint, live_of(program, live, copies))).collect();
    let machines: Vec<Machine<'_>> = joint.iter().zip(&analyses).map(|(program, analysis)| Machine::new(program, analysis)).collect();
    let joint = machines.iter().map(|machine| (machine, Attacks::new(machine, number))).collect();
    let system = Attacks::new(&machine, number);
    let mut counted = Counted { program, core: &machine, system, joint, helpers: true };
    let mut violations = Attacks::new(&machine, number);
    counted.search(bound, limits.states, budget, &mut |core| violations.meet(0, core))
}
