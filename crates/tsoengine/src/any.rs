//! Robustness for any number of copies.
//!
//! Configurations (`serval_tsoproof::any`) are searched from ω copies at the beginning, with numbers up to a small bound, beyond which they count as ω. That may find violations that there are not, and no
//! violation is missed: so if none is found, the configurations are evidence. If one is found, programs with 1, 2, … copies are searched, and if none of these has a violation the bound grows.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serval_budget::{Budget, StopReason};
use serval_tso::{Program, ThreadId};
use serval_tsoproof::{AnyRobust, Configuration, Violation};

use crate::attack::Attacks;
use crate::decide::{Limits, Robustness, reason, robustness};
use crate::live::Analysis;
use crate::machine::{Fault, Machine};
use crate::search::{Ended, System};

/// Copies beyond which numbers count as ω, at most.
const COARSEST: u64 = 3;
/// Copies of a `thread*` that are tried.
const COPIES: u32 = 4;
const STAGE: &str = "attacks with any number of copies";

/// Whether a program is robust for any number of copies.
#[derive(Debug)]
pub enum AnyOutcome {
    /// It is.
    Robust(AnyRobust),
    /// It is not with so many copies of each `thread*`.
    Violated(u32, Violation),
    /// With so many copies a step leaves the range of values.
    Fault(u32, Fault),
    /// Nobody knows.
    Unknown(StopReason),
}

/// Where a copy is, and how many are there; nothing is ω.
type Copies = BTreeMap<(u32, Vec<i64>), Option<u64>>;

/// What became of one attacker.
enum Searched {
    Robust(Vec<Configuration>),
    /// A violation, or a fault: whether it is real is not known.
    Perhaps,
    Ended(Ended),
}

/// Decides whether a program with `thread*`s is robust.
pub fn decide_any(program: &Program, limits: &Limits, budget: &mut Budget) -> AnyOutcome {
    for bound in 1..=COARSEST {
        match abstractly(program, bound, limits, budget) {
            Ok(Some(robust)) => return AnyOutcome::Robust(robust),
            Ok(None) => {}
            Err(ended) => return AnyOutcome::Unknown(reason(STAGE, &ended, limits.states)),
        }
        for copies in (1..=COPIES).filter(|_| bound == 1) {
            match robustness(&program.with_copies(copies), limits, budget) {
                Ok(Robustness::Robust(_)) => {}
                Ok(Robustness::Violated(violation)) => return AnyOutcome::Violated(copies, violation),
                Ok(Robustness::Unknown(reason)) => return AnyOutcome::Unknown(reason),
                Err(fault) => return AnyOutcome::Fault(copies, fault),
            }
        }
    }
    let what = format!("no proof was found, and no violation with up to {COPIES} copies");
    AnyOutcome::Unknown(StopReason::Inconclusive { stage: STAGE, what })
}

/// Searches the attacks of every thread; `None` where one may succeed.
fn abstractly(program: &Program, bound: u64, limits: &Limits, budget: &mut Budget) -> Result<Option<AnyRobust>, Ended> {
    let mut attackers = Vec::new();
    for attacker in program.thread_ids() {
        match of_attacker(program, attacker, bound, limits, budget) {
            Searched::Robust(list) => attackers.push(list),
            Searched::Perhaps => return Ok(None),
            Searched::Ended(ended) => return Err(ended),
        }
    }
    Ok(Some(AnyRobust { live: Analysis::new(program, &[]).live, attackers }))
}

/// What is known of a program in which nothing is urgent.
fn analysis_of(program: &Program) -> Analysis {
    let mut analysis = Analysis::new(program, &[]);
    analysis.seen.iter_mut().for_each(|seen| seen.points.iter_mut().for_each(|seen| *seen = true));
    analysis
}

fn of_attacker(program: &Program, attacker: ThreadId, bound: u64, limits: &Limits, budget: &mut Budget) -> Searched {
    let own: Vec<ThreadId> = program.threads[attacker.index()].many.then_some(attacker).into_iter().collect();
    let fixed_before = program.threads[..attacker.index()].iter().filter(|thread| !thread.many).count();
    let fixed = program.threads.iter().filter(|thread| !thread.many).count();
    let number = if own.is_empty() { fixed_before } else { fixed };
    let alone = program.fixed_with(&own);
    let analysis = analysis_of(&alone);
    let machine = Machine::new(&alone, &analysis);
    let mut system = Attacks::new(&machine, number);
    // The core with one more copy of each kind.
    let many = program.many();
    let joint: Vec<Program> = many.iter().map(|kind| program.fixed_with(&own.iter().copied().chain([*kind]).collect::<Vec<_>>())).collect();
    let analyses: Vec<Analysis> = joint.iter().map(analysis_of).collect();
    let machines: Vec<Machine<'_>> = joint.iter().zip(&analyses).map(|(program, analysis)| Machine::new(program, analysis)).collect();

    let beginning: Copies = many.iter().map(|kind| ((kind.0, vec![0; program.threads[kind.index()].registers.len() + 2]), None)).collect();
    let mut members: BTreeMap<Vec<i64>, BTreeSet<Copies>> = BTreeMap::new();
    let mut open = VecDeque::from([(system.initial(), beginning)]);
    let (mut count, mut after) = (0, Vec::new());
    while let Some((core, copies)) = open.pop_front() {
        let known = members.entry(core.clone()).or_default();
        if known.iter().any(|above| is_below(&copies, above)) {
            continue;
        }
        // What is below the new one is not needed any more; what it leads to is below what the new one leads to.
        known.retain(|below| !is_below(below, &copies));
        known.insert(copies.clone());
        count += 1;
        if let Err(stopped) = budget.spend(1) {
            return Searched::Ended(Ended::Stopped(stopped));
        }
        if count > limits.states {
            return Searched::Ended(Ended::TooMany);
        }
        if system.meet(0, &core) || system.successors(&core, &mut after).is_err() {
            return Searched::Perhaps;
        }
        open.extend(after.drain(..).map(|(_, core)| (core, copies.clone())));
        for at in copies.keys() {
            let Some(kind) = many.iter().position(|kind| kind.0 == at.0) else { continue };
            let slot = machines[kind].count() - 1;
            let mut attacks = Attacks::new(&machines[kind], number);
            let both = joined(&machine, &core, &at.1);
            // Steps of the threads of the core are those above; a fault is one there too, or of the copy.
            if attacks.successors(&both, &mut after).is_err() {
                return Searched::Perhaps;
            }
            for (label, both) in after.drain(..).filter(|(label, _)| label.thread == slot) {
                debug_assert_eq!(label.thread, slot);
                let (core, local) = parted(&machine, &machines[kind], &both);
                open.push_back((core, moved(&copies, at, (at.0, local), bound)));
            }
        }
    }
    let configuration = |core: &Vec<i64>, copies: Copies| {
        let copies = copies.into_iter().map(|((kind, local), count)| (kind, local, count)).collect();
        Configuration { core: core.clone(), copies }
    };
    Searched::Robust(members.into_iter().flat_map(|(core, all)| all.into_iter().map(move |copies| configuration(&core, copies))).collect())
}

fn is_below(copies: &Copies, above: &Copies) -> bool {
    copies.iter().all(|(at, count)| match (above.get(at), count) {
        (Some(None), _) => true,
        (Some(Some(most)), Some(count)) => count <= most,
        _ => false,
    })
}

fn moved(copies: &Copies, from: &(u32, Vec<i64>), to: (u32, Vec<i64>), bound: u64) -> Copies {
    let mut after = copies.clone();
    if let Some(Some(count)) = after.get(from).copied() {
        if count == 1 {
            after.remove(from);
        } else {
            after.insert(from.clone(), Some(count - 1));
        }
    }
    let now = match after.get(&to) {
        Some(None) => None,
        Some(Some(count)) => Some(count + 1).filter(|count| *count <= bound),
        None => Some(1),
    };
    after.insert(to, now);
    after
}

/// The numbers of the core with a copy behind its threads.
fn joined(machine: &Machine<'_>, core: &[i64], copy: &[i64]) -> Vec<i64> {
    let (helper, local) = copy.split_last().unwrap_or((&0, &[]));
    let mut numbers = core[..machine.memory].to_vec();
    numbers.extend(local);
    numbers.extend(&core[machine.memory..]);
    numbers.push(*helper);
    numbers
}

/// The numbers of the core, and the copy behind its threads.
fn parted(machine: &Machine<'_>, joint: &Machine<'_>, both: &[i64]) -> (Vec<i64>, Vec<i64>) {
    let (helper, rest) = both.split_last().unwrap_or((&0, &[]));
    let mut copy = rest[machine.memory..joint.memory].to_vec();
    copy.push(*helper);
    let mut core = rest[..machine.memory].to_vec();
    core.extend(&rest[joint.memory..]);
    (core, copy)
}
