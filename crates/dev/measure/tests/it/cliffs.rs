//! No cliffs: what is decided with some budget is decided with every larger
//! one, and a program that is a little larger takes a little more work.

use serval_budget::{Budget, Cancel};
use serval_compile::{Options, compile};
use serval_effort::{Effort, effort, side_by_side, skips};
use serval_engine::portfolio::{self, Found, Method, Plan};
use serval_engine::reduce::{Reduction, reduce};
use serval_families::{FAMILIES, Family, FamilyVerdict};
use serval_model::{NetworkSystem, NormalForm};
use serval_syntax::analyze;

fn systems(family: &Family, n: usize) -> Vec<NetworkSystem> {
    let program = analyze(&family.program(n)).program.unwrap();
    let compiled = compile(&program, Options::default(), &Budget::unlimited()).unwrap();
    compiled.components().iter().map(|component| component.system().clone()).collect()
}

/// Ticks of a few milliseconds: no cliff is so low.
const NOTHING: u64 = 200_000;

/// Small sizes at which all families can be tried.
const SIZES: [usize; 3] = [2, 3, 4];

#[test]
fn what_is_decided_is_decided_with_more() {
    if skips("bench.cliffs") {
        return;
    }
    // The largest ones first, so that no core waits for them at the end. Four shards take more rounds than are tried
    // here.
    let all: Vec<(&Family, usize)> = SIZES
        .into_iter()
        .rev()
        .flat_map(|n| FAMILIES.iter().map(move |family| (family, n)))
        .filter(|&(family, n)| !family.on_text && (family.name != "shards" || n < 4))
        .collect();
    let rounds: &[usize] = if effort() == Effort::Night { &[0, 1, 2] } else { &[2] };
    side_by_side(&all, |&(family, n)| {
        let systems = systems(family, n);
        let systems: Vec<&NetworkSystem> = systems.iter().collect();
        let mut decided = false;
        for percent in [1, 4, 20, 100] {
            for &rounds in rounds {
                let plan = Plan { percent, rounds, ..Plan::new(Method::ALL, &Cancel::new()) };
                let found = portfolio::decide(&systems, 0, &plan).found;
                let now = match found {
                    Found::Serializable(..) => Some(FamilyVerdict::Serializable),
                    Found::Refuted { .. } => Some(FamilyVerdict::NotSerializable),
                    Found::Unknown(_) => None,
                };
                assert!(now.is_none_or(|now| now == family.verdict), "{} {n}", family.name);
                if rounds == 2 {
                    assert!(now.is_some() || !decided, "{} {n}: undecided with {percent} % though decided with less", family.name);
                    decided |= now.is_some();
                }
            }
        }
        assert!(decided, "{} {n} is undecided", family.name);
    });
}

/// Ticks that reductions take, and steps and global states of the normal forms;
/// `None` if reductions alone do not decide.
fn work(family: &Family, n: usize) -> Option<(u64, u64, u64)> {
    let (mut ticks, mut steps, mut globals) = (0, 0, 0);
    for system in systems(family, n) {
        let (form, _) = NormalForm::new(&system).unwrap();
        steps += form.steps().len() as u64;
        globals += u64::from(form.global_count());
        let mut budget = Budget::unlimited();
        let mut reduction = Reduction::new(form);
        reduce(&mut reduction, &mut budget).unwrap();
        if !reduction.form().is_atomic() {
            return None;
        }
        ticks += u64::MAX - budget.left();
    }
    Some((ticks, steps, globals))
}

/// Steps and global states both count: what the compiler knows of a small program
/// may leave it steps that cannot be made, and of a larger one not.
///
/// Only of families that are measured on their states, and that reductions decide: where there is a counterexample with
/// few requests the search finds it first, and nothing is reduced.
#[test]
fn a_little_more_takes_a_little_more() {
    if skips("bench.little_more") {
        return;
    }
    let families: Vec<&Family> =
        FAMILIES.iter().filter(|family| family.verdict == FamilyVerdict::Serializable && !family.on_text).collect();
    side_by_side(&families, |family| {
        let mut before: Option<(u64, u64, u64)> = None;
        for n in 3..=6 {
            let Some((ticks, steps, globals)) = work(family, n) else { break };
            if let Some((ticks_before, steps_before, globals_before)) = before {
                let in_proportion = |before: u64, now: u64| 2 * ticks * before <= 3 * ticks_before * now;
                // Of `two_locks` the compiler knows more from four on, so that its states grow less than
                // its reductions do.
                let most = if family.name == "two_locks" { 6 } else { 3 };
                let grown = ticks <= NOTHING
                    || ticks <= most * ticks_before
                    || in_proportion(steps_before, steps)
                    || in_proportion(globals_before, globals);
                assert!(grown, "{} {n}: {ticks} ticks after {ticks_before}, {steps} steps after {steps_before}", family.name);
            }
            before = Some((ticks, steps, globals));
        }
    });
}
