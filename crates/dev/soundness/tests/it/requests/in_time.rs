//! The order in time: proofs of each kind that shows `strict`, which the monitor must not refute with up to three
//! requests in flight, on the system itself and without any reduction.

use serval_budget::Budget;
use serval_compile::{Limits, Options, StepLimits, compile};
use serval_effort::sweep;
use serval_engine::reduce::{Reduction, reduce};
use serval_engine::strict::in_flight::{Explored, explore};
use serval_model::{NetworkSystem, NormalForm, product};
use serval_random::{Kind, tiny};
use serval_soundness::requests::lipton::{programs, proved};
use serval_testkit::say;

/// Requests in flight of the monitor.
const IN_FLIGHT: usize = 3;
/// Ticks of the monitor for one system.
const TICKS: u64 = 400_000;

/// How many requests a run has that is not strict, if the monitor finds one; nothing where it is not done.
fn refuted(system: &NetworkSystem) -> Option<Option<usize>> {
    let (form, _) = NormalForm::new(system)?;
    // Few requests are looked at where all are too many.
    [usize::MAX, 4, 3].into_iter().find_map(|requests| match explore(&form, IN_FLIGHT, requests, &mut Budget::ticks(TICKS)).ok()? {
        Explored::Refuted { requests, .. } => Some(Some(requests)),
        Explored::Closed(_) | Explored::Holds => Some(None),
    })
}

fn system(seed: u64) -> NetworkSystem {
    let kind = Kind::ALL[usize::try_from(seed % 4).unwrap()];
    if seed.is_multiple_of(3) { tiny(seed) } else { kind.system(seed) }
}

/// Whether reductions leave a system in which requests are single steps.
fn is_atomic(system: &NetworkSystem) -> bool {
    let Some((form, _)) = NormalForm::new(system) else { return false };
    let mut reduction = Reduction::new(form);
    reduce(&mut reduction, &mut Budget::ticks(500_000)).ok();
    reduction.form().is_atomic()
}

/// Proofs of kind `reduction`: on the states of the program as it is compiled.
#[test]
fn reductions_are_not_refuted() {
    let sweep = sweep("soundness.in-time-reduction", 200, 8_000);
    let told = sweep.map(1, |number| {
        let (_, text) = programs::program(3, number);
        let Some(program) = serval_syntax::analyze(&text).program else { return 0 };
        if proved(&text).is_none() {
            return 0;
        }
        let limits = Limits { pairs: 20_000, step: StepLimits { operations: 20_000, loop_states: 2_000 } };
        let compiled = compile(&program, Options { limits, ..Options::default() }, &Budget::ticks(2_000_000));
        let Ok(compiled) = compiled else { return 0 };
        let all: Vec<_> = compiled.components().iter().map(|component| refuted(component.system())).collect();
        assert!(!all.iter().any(|found| matches!(found, Some(Some(_)))), "program {number}: {all:?}\n{text}");
        usize::from(all.iter().all(Option::is_some))
    });
    let proofs: usize = told.iter().sum();
    say(&format!("in time: {proofs} proofs of kind reduction are not refuted"));
    assert!(!sweep.is_representative() || proofs > 40, "{proofs}");
}

/// Proofs of kind `atomic`.
#[test]
fn single_steps_are_not_refuted() {
    let sweep = sweep("soundness.in-time-atomic", 400, 10_000);
    let told = sweep.map(1, |seed| {
        let system = system(seed);
        if !is_atomic(&system) {
            return 0;
        }
        let found = refuted(&system);
        assert!(!matches!(found, Some(Some(_))), "seed {seed}: {found:?}");
        usize::from(found.is_some())
    });
    let proofs: usize = told.iter().sum();
    say(&format!("in time: {proofs} proofs of kind atomic are not refuted"));
    assert!(!sweep.is_representative() || proofs > 100, "{proofs}");
}

/// Lists of components whose parts are `atomic` and `same`: on their product.
#[test]
fn components_are_not_refuted() {
    let sweep = sweep("soundness.in-time-components", 400, 10_000);
    let told = sweep.map(1, |seed| {
        let one = system(seed);
        if !is_atomic(&one) {
            return 0;
        }
        // The same once more with other names, or another one.
        let text = if seed.is_multiple_of(2) { one.to_json() } else { system(seed + 1_000_003).to_json() };
        let Some(other) = renamed(&text).filter(is_atomic) else { return 0 };
        let Ok(both) = product(&[&one, &other], 400) else { return 0 };
        let found = refuted(&both);
        assert!(!matches!(found, Some(Some(_))), "seed {seed}: {found:?}");
        usize::from(found.is_some())
    });
    let proofs: usize = told.iter().sum();
    say(&format!("in time: {proofs} proofs of kind components are not refuted"));
    assert!(!sweep.is_representative() || proofs > 40, "{proofs}");
}

/// A system whose requests have other names.
fn renamed(text: &str) -> Option<NetworkSystem> {
    let mut value: serde_json::Value = serde_json::from_str(text).ok()?;
    for request in value["requests"].as_array_mut()? {
        let name = format!("other {}", request[0].as_str()?);
        request[0] = name.into();
    }
    NetworkSystem::from_json(&value.to_string()).ok()
}
