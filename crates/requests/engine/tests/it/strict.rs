//! The order in time against trying everything: all runs of few requests, and for each complete one all orders.

use std::sync::atomic::{AtomicUsize, Ordering};

use serval_budget::{Budget, Cancel};
use serval_effort::{side_by_side, sweep};
use serval_engine::reduce::{RULES, Reduction, Rule, apply_rule, reduce};
use serval_engine::search::run_certificate;
use serval_engine::strict::cuts::{self, AtCuts, cut};
use serval_engine::strict::in_flight::{Explored, explore_with, run_of};
use serval_engine::strict::{InTime, decide_in_time, points};
use serval_model::{NetworkSystem, NormalForm};
use serval_proof::strict::StrictProof;
use serval_proof::strict::in_flight::InFlight;
use serval_proof::strict::points::Points;
use serval_proof::{Body, Caps, Certificate, Claim, Part, Systems, check, fingerprint};
use serval_random::{Behaviours, Kind, fewest_at_a_moment, fewest_out_of_order, tiny};
use serval_testkit::say;

/// What the monitor says of up to so many requests.
fn monitored(form: &NormalForm, requests: usize, in_flight: usize, subsumes: bool) -> Option<Option<usize>> {
    match explore_with(form, in_flight, requests, subsumes, &mut Budget::ticks(3_000_000)).ok()? {
        Explored::Refuted { requests, .. } => Some(Some(requests)),
        Explored::Closed(_) | Explored::Holds => Some(None),
    }
}

fn system(seed: u64) -> NetworkSystem {
    let kind = Kind::ALL[usize::try_from(seed % 4).unwrap()];
    if seed.is_multiple_of(3) { tiny(seed) } else { kind.system(seed) }
}

fn form_of(system: &NetworkSystem) -> NormalForm {
    NormalForm::new(system).unwrap().0
}

fn reduced(form: NormalForm) -> Reduction {
    let mut reduction = Reduction::new(form);
    reduce(&mut reduction, &mut Budget::ticks(1_000_000)).ok();
    reduction
}

#[test]
fn the_monitor_is_right() {
    let sweep = sweep("engine.in-time", 400, 20_000);
    let tried = sweep.map(1, |seed| {
        let form = form_of(&system(seed));
        let small = reduced(form.clone());
        let mut told = [0, 0];
        for in_flight in 2..=4 {
            // Where four requests are too many, three are not.
            let Some((requests, truth)) =
                [4, 3].into_iter().find_map(|requests| Some((requests, fewest_out_of_order(&form, requests, in_flight, 60_000)?)))
            else {
                continue;
            };
            told[usize::from(truth.is_some())] += 1;
            for (form, subsumes) in [(&form, true), (&form, false), (small.form(), true), (small.form(), false)] {
                let Some(found) = monitored(form, requests, in_flight, subsumes) else { continue };
                assert_eq!(found, truth, "seed {seed}, {in_flight} in flight, {requests} requests, subsumes {subsumes}");
            }
        }
        told
    });
    let sum = tried.iter().fold([0, 0], |sum, told| [sum[0] + told[0], sum[1] + told[1]]);
    if sweep.is_representative() {
        assert!(sum[0] > 100 && sum[1] > 100, "{sum:?}");
    }
}

/// Each rule where it does something, until it has done so often enough: before and after, runs that no order in time
/// explains have the same fewest requests.
#[test]
fn each_rule_alone_keeps_the_order() {
    let sweep = sweep("engine.in-time-rules", 500, 4_000);
    let wanted = usize::try_from(sweep.count()).unwrap();
    let told = side_by_side(RULES, |&rule| {
        let (mut compared, mut refuted) = (0, 0);
        for seed in sweep.seeds(1).start.. {
            if compared == wanted || seed > sweep.seeds(1).start + 60 * sweep.count() {
                break;
            }
            let form = form_of(&system(seed));
            let mut reduction = Reduction::new(form);
            // What others leave lets a rule do more, and what is known about pairs does.
            if seed.is_multiple_of(2) {
                apply_rule(&mut reduction, Rule::Pairs, &mut Budget::ticks(100_000)).ok();
            }
            let before = reduction.form().clone();
            if !matches!(apply_rule(&mut reduction, rule, &mut Budget::ticks(200_000)), Ok(true)) {
                continue;
            }
            let (Some(old), Some(new)) = (fewest_out_of_order(&before, 3, 3, 12_000), fewest_out_of_order(reduction.form(), 3, 3, 24_000))
            else {
                continue;
            };
            assert_eq!(old, new, "seed {seed}, rule {}", rule.name());
            compared += 1;
            refuted += usize::from(old.is_some());
        }
        (rule.name(), compared, refuted)
    });
    say(&format!("in time, for each rule how often it was compared, and with how many systems that are not strict: {told:?}"));
    if sweep.is_representative() {
        assert!(told.iter().all(|&(_, compared, refuted)| compared == wanted && refuted > 3), "{told:?}");
    }
}

fn accepted(system: &NetworkSystem, claim: Claim, body: Body) -> Result<(), String> {
    let text = system.to_json();
    let certificate = Certificate { input: fingerprint(&text), component: 0, claim, body };
    let read = Certificate::from_json(&certificate.to_json()).map_err(|error| error.to_string())?;
    assert_eq!(read, certificate);
    let input = Systems { text: &text, systems: vec![system] };
    check(&input, &certificate, &Caps::default(), &Cancel::new()).map_err(|refusal| refusal.to_string())
}

/// What is decided is accepted by the checker and true of few requests, whatever the kind of evidence.
#[test]
fn what_is_decided_is_true() {
    let sweep = sweep("engine.in-time-decided", 300, 5_000);
    let closed = AtomicUsize::new(0);
    let told = sweep.map(1, |seed| {
        let system = system(seed);
        let truth = fewest_out_of_order(&form_of(&system), 3, 3, 60_000);
        // All states, also where other evidence comes first.
        let reduction = reduced(form_of(&system));
        if let Ok(Explored::Closed(states)) = explore_with(reduction.form(), 3, usize::MAX, true, &mut Budget::ticks(1_000_000)) {
            let proof = StrictProof::InFlight(InFlight { script: reduction.script, k: 3, states });
            assert_eq!(accepted(&system, Claim::Strict, Body::Part(Part::Strict(proof))), Ok(()), "seed {seed}");
            assert!(matches!(truth, None | Some(None)), "seed {seed}");
            closed.fetch_add(1, Ordering::Relaxed);
        }
        match decide_in_time(&system, 2, &Cancel::new()) {
            InTime::Refuted { run, minimal } => {
                let count = run.configuration().completed.size();
                assert_eq!(accepted(&system, Claim::NotStrict, Body::Run(run_certificate(&&system, &run))), Ok(()), "seed {seed}");
                assert!(
                    !minimal || truth.is_none_or(|truth| truth == (count <= 3).then(|| usize::try_from(count).unwrap())),
                    "seed {seed}"
                );
                "refuted"
            }
            InTime::Proved(part) => {
                let kind = part.kind().name();
                assert!(matches!(truth, None | Some(None)), "seed {seed}: {kind}");
                assert_eq!(accepted(&system, Claim::Strict, Body::Part((*part).clone())), Ok(()), "seed {seed}");
                // What is strict is serializable.
                assert_eq!(accepted(&system, Claim::Serializable, Body::Part(*part)), Ok(()), "seed {seed}");
                kind
            }
            InTime::Open { .. } => "open",
        }
    });
    assert!(!sweep.is_representative() || closed.into_inner() > 3);
    for kind in ["refuted", "atomic", "points"] {
        assert!(!sweep.is_representative() || told.iter().filter(|&&one| one == kind).count() > 3, "{kind}: {told:?}");
    }
}

/// Points alone, also where other evidence comes first: nothing false is proved.
#[test]
fn points_prove_nothing_false() {
    let sweep = sweep("engine.in-time-points", 150, 5_000);
    let told = sweep.map(1, |seed| {
        let system = system(seed);
        let reduction = reduced(form_of(&system));
        let Ok(Some((places, proof))) = points::find(reduction.form(), 0, 200_000, &Cancel::new()) else { return 0 };
        assert_ne!(monitored(reduction.form(), 4, 3, true).map(|found| found.is_some()), Some(true), "seed {seed}");
        let points = Points { script: reduction.script, places, proof: Box::new(proof) };
        let body = Body::Part(Part::Strict(StrictProof::Points(points)));
        assert_eq!(accepted(&system, Claim::Strict, body), Ok(()), "seed {seed}");
        1
    });
    let proved: usize = told.iter().sum();
    assert!(!sweep.is_representative() || proved > 20, "{proved}");
}

/// A run that the monitor finds is a run of the system that it looks at, and has as many requests as it says.
#[test]
fn what_the_monitor_finds_is_a_run() {
    for seed in 1..60 {
        let system = system(seed);
        let form = form_of(&system);
        if let Ok(Explored::Refuted { requests, steps }) = explore_with(&form, 3, 4, true, &mut Budget::ticks(1_000_000)) {
            let run = run_of(&form, &system, &steps).unwrap();
            assert_eq!(run.configuration().completed.size(), u128::try_from(requests).unwrap());
        }
    }
}

/// The system with one cut is serializable iff the order agrees at any one moment: by trying everything on both sides.
#[test]
fn cuts_are_what_they_stand_for() {
    let sweep = sweep("engine.in-time-cuts", 250, 5_000);
    let told = sweep.map(1, |seed| {
        let system = system(seed);
        let form = form_of(&system);
        let mut told = [0; 3];
        if let Some(truth) = fewest_at_a_moment(&form, 2, 30_000) {
            let made = cut(&form, 1, &mut Budget::ticks(100_000)).unwrap();
            // Two requests and the tick, or three requests and none.
            if let (Some(all), Some(plain)) = (Behaviours::with(&made.system, 3, 100_000), Behaviours::with(&system, 3, 100_000)) {
                assert_eq!(all.is_serializable(), truth.is_none() && plain.is_serializable(), "seed {seed}");
                told[usize::from(truth.is_some())] += 1;
            }
        }
        let Some(truth) = fewest_at_a_moment(&form, 3, 60_000) else { return told };
        if let Some(strict) = fewest_out_of_order(&form, 3, 3, 60_000) {
            assert!(truth.is_none_or(|requests| strict.is_some_and(|fewest| fewest <= requests)), "seed {seed}");
        }
        let reduction = reduced(form);
        match cuts::decide(reduction.form(), 1, (0, 1), 200_000, &Cancel::new()).unwrap() {
            AtCuts::Refuted(steps) => {
                let run = run_of(reduction.form(), &system, &steps).unwrap();
                let reduced = reduction.form().to_system(&system);
                let certificate = Body::Run(run_certificate(&&reduced, &run));
                assert_eq!(accepted(&reduced, Claim::NotStrict, certificate), Ok(()), "seed {seed}");
            }
            AtCuts::Holds => {
                assert_eq!(truth, None, "seed {seed}");
                told[2] += 1;
            }
            AtCuts::Open => {}
        }
        told
    });
    let sum = told.iter().fold([0; 3], |sum, told| [sum[0] + told[0], sum[1] + told[1], sum[2] + told[2]]);
    say(&format!("in time: {sum:?} systems agree at a moment, do not, and are proved to"));
    assert!(!sweep.is_representative() || sum.iter().all(|&count| count > 10), "{sum:?}");
}
