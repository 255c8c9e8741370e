//! Proofs over the numbers of answers that go on from attempts with fewer ticks.

use serval_budget::{Budget, Cancel};
use serval_compile::{Options, compile};
use serval_effort::{skips, sweep};
use serval_engine::letters::{LettersOutcome, LettersProgress, prove};
use serval_engine::portfolio::{Found, Method, Plan, decide};
use serval_families::Family;
use serval_model::{NetworkSystem, NormalForm};
use serval_proof::letters::LettersProof;
use serval_proof::{Body, Caps, Certificate, Claim, Part, Systems, check, fingerprint};
use serval_random::{handlers, uniform};

/// Ticks of the first attempt.
const FIRST: u64 = 500;

fn accepted(system: &NetworkSystem, proof: LettersProof) -> bool {
    let text = system.to_json();
    let body = Body::Part(Part::Letters(Box::new(proof)));
    let certificate = Certificate { input: fingerprint(&text), component: 0, claim: Claim::Serializable, body };
    let input = Systems { text: &text, systems: vec![system] };
    check(&input, &certificate, &Caps::default(), &Cancel::new()).is_ok()
}

/// Attempts of which each has as many ticks as all before; the last one, and the ticks of all.
fn continued(form: &NormalForm, most: u64) -> (Option<LettersOutcome>, u64) {
    let (mut kept, mut ticks, mut sum) = (LettersProgress::default(), FIRST, 0);
    while sum < most {
        let mut budget = Budget::ticks(ticks);
        let found = kept.prove(form, &mut budget);
        sum += ticks - budget.left();
        if let Ok(found @ (LettersOutcome::Proof(_) | LettersOutcome::Run(_))) = found {
            return (Some(found), sum);
        }
        ticks = sum.max(ticks);
    }
    (None, sum)
}

/// All attempts together take little longer than one that has enough ticks from the beginning.
#[test]
fn attempts_share_what_they_find() {
    if skips("engine.attempts_share_what_they_find") {
        return;
    }
    for (name, n) in [("expiry", 3), ("expiry", 5), ("expiry", 7), ("shards", 3), ("shards", 4)] {
        let program = serval_syntax::analyze(&Family::named(name).unwrap().program(n)).program.unwrap();
        let compiled = compile(&program, Options::default(), &Budget::ticks(1_000_000)).unwrap();
        for component in compiled.components() {
            let (form, _) = NormalForm::new(component.system()).unwrap();
            let mut budget = Budget::ticks(20_000_000);
            let Ok(LettersOutcome::Proof(_)) = prove(&form, &mut budget) else { panic!("{name} {n}") };
            let once = 20_000_000 - budget.left();
            let (found, sum) = continued(&form, 200_000_000);
            let Some(LettersOutcome::Proof(proof)) = found else { panic!("{name} {n}") };
            assert!(accepted(component.system(), proof), "{name} {n}");
            assert!(sum <= 5 * once + 20 * FIRST, "{name} {n}: {sum} instead of {once}");
        }
    }
}

/// Whatever was found where an attempt ended, the checker accepts what is made of it.
#[test]
fn proofs_that_go_on_are_accepted() {
    let sweep = sweep("engine.continued", 100, 400);
    let each = sweep.map(0, |seed| {
        let (mut proofs, mut later) = (0, 0);
        for system in [uniform(seed), handlers(seed)] {
            let Some((form, _)) = NormalForm::new(&system) else { continue };
            let (found, sum) = continued(&form, 60_000);
            if let Some(LettersOutcome::Proof(proof)) = found {
                assert!(accepted(&system, proof), "seed {seed}");
                proofs += 1;
                later += u64::from(sum > FIRST);
            }
        }
        (proofs, later)
    });
    let (proofs, later) = each.into_iter().fold((0_u64, 0_u64), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    assert!(!sweep.is_representative() || (proofs * 2 > sweep.count() && later * 20 > sweep.count()), "{proofs} {later}");
}

/// However many rounds are allowed, there are none beyond those whose budgets are larger than before.
#[test]
fn budgets_that_cannot_grow_end_the_work() {
    let program = serval_syntax::analyze(&Family::named("expiry").unwrap().program(3)).program.unwrap();
    let compiled = compile(&program, Options::default(), &Budget::ticks(1_000_000)).unwrap();
    let systems: Vec<&NetworkSystem> = compiled.components().iter().map(|component| component.system()).collect();
    let plan = Plan { rounds: usize::MAX, percent: 0, ..Plan::new(&[Method::Letters, Method::Search], &Cancel::new()) };
    let decision = decide(&systems, 0, &plan);
    assert!(matches!(decision.found, Found::Unknown(_)), "{:?}", decision.found);
}
