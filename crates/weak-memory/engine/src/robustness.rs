//! Robustness against TSO (Bouajjani, Derevenetc, Meyer 2013) of a program with a fixed number of threads.

use serval_budget::{Budget, StopReason, Stopped};
use serval_tso_program::Program;
use serval_tso_proof::{Robust, Rows, Violation};

use crate::alike::Symmetry;
use crate::attack::Attacks;
use crate::limits::{EAGER, EngineLimits, MANY, fault, reason};
use crate::live::ProgramAnalysis;
use crate::machine::{Machine, RangeFault};
use crate::search::{Ended, Label, search, search_eagerly};
use crate::witness::{violation, with_buffers};

const ATTACKS: &str = "attacks";

/// Whether a program is robust.
#[derive(Debug)]
pub enum Robustness {
    /// It is.
    Robust(Robust),
    /// It is not.
    Violated(Violation),
    /// Undecided.
    Unknown(StopReason),
}

/// Looks for an attack of each thread: first for short ones, then for any, then for all.
pub(crate) fn robustness(program: &Program, limits: &EngineLimits, budget: &mut Budget) -> Result<Robustness, RangeFault> {
    let analysis = ProgramAnalysis::new(program, &[]);
    let machine = Machine::new(program, &analysis);
    let mut attackers = Vec::new();
    let mut later = Vec::new();
    let alike = if limits.alike { Symmetry::new(program, &[]) } else { Symmetry::default() };
    let attacks = |attacker: usize| Attacks::new(&machine, attacker).merging(&alike);
    for attacker in 0..program.threads.len() {
        if alike.follows(attacker) {
            attackers.push((attacker, Rows::default()));
            continue;
        }
        let (found, ended) = search(&mut attacks(attacker), limits.states.min(MANY), budget);
        match ended {
            Ended::Done => attackers.push((attacker, found.ascending())),
            Ended::TooMany if limits.states > MANY => {
                later.push(attacker);
                let (found, ended) = search_eagerly(&mut attacks(attacker), limits.states.min(EAGER), budget);
                if let Ended::Met(at) = ended {
                    return Ok(shown(&machine, shorter(&machine, found.path(at))));
                }
            }
            Ended::Met(at) => return Ok(shown(&machine, found.path(at))),
            Ended::Fault(at, faulting) => return Err(fault(&machine, &found, at, faulting)),
            Ended::TooMany | Ended::Stopped(Stopped::Cancelled | Stopped::OutOfTicks) => {
                return Ok(Robustness::Unknown(reason(ATTACKS, &ended, limits.states)));
            }
        }
    }
    for attacker in later {
        let (found, ended) = search(&mut attacks(attacker), limits.states, budget);
        match ended {
            Ended::Done => attackers.push((attacker, found.ascending())),
            Ended::Met(at) => return Ok(shown(&machine, found.path(at))),
            Ended::Fault(at, faulting) => return Err(fault(&machine, &found, at, faulting)),
            Ended::TooMany | Ended::Stopped(_) => return Ok(Robustness::Unknown(reason(ATTACKS, &ended, limits.states))),
        }
    }
    attackers.sort_unstable_by_key(|(attacker, _)| *attacker);
    let attackers = attackers.into_iter().map(|(_, list)| list).collect();
    Ok(Robustness::Robust(Robust { live: analysis.live.clone(), alike: alike.groups, attackers }))
}

/// The violation of an attack that succeeds.
fn shown(machine: &Machine<'_>, labels: Vec<Label>) -> Robustness {
    let what = "an attack whose trace has no cycle, which is a bug".to_owned();
    let none = Robustness::Unknown(StopReason::Inconclusive { stage: ATTACKS, what });
    violation(machine, with_buffers(machine, &labels)).map_or(none, Robustness::Violated)
}

/// The same without steps that a cycle does not need, from the last to the first.
fn shorter(machine: &Machine<'_>, mut labels: Vec<Label>) -> Vec<Label> {
    for at in (0..labels.len()).rev() {
        let mut fewer = labels.clone();
        fewer.remove(at);
        if violation(machine, with_buffers(machine, &fewer)).is_some() {
            labels = fewer;
        }
    }
    labels
}
