//! Problems about any number of threads, with answers known by construction.

use std::path::Path;

use serval_budget::{Budget, Cancel};
use serval_families::covering::{Problem, lipton, lipton_size, multiplication, problems};
use serval_netproof::{Claim, Evidence, check};
use serval_nets::cover::{Said, Tree, backward};
use serval_nets::{Found, decide};
use serval_petri::{Formula, Net, Property, mist, tina, vass, words};
use serval_testkit::say;

use crate::number;

/// Ticks for one question.
const TICKS: u64 = 3_000_000;

fn claim(coverable: bool) -> Claim {
    if coverable { Claim::Reachable } else { Claim::Unreachable }
}

/// What both methods say, after the checker has accepted it.
fn asked(net: &Net, goal: &Formula, told: &str) -> [Evidence; 2] {
    let forward = Tree::new(net).unwrap().ask(net, goal, &mut Budget::ticks(TICKS));
    let back = backward::ask(net, goal, &[], &mut Budget::ticks(TICKS));
    [forward, back].map(|said| {
        let evidence = match said.unwrap_or_else(|_| panic!("{told}: too few ticks")) {
            Said::Reached(word) => Evidence::Run(serval_netproof::Run { word }),
            Said::Excluded(evidence) => *evidence,
            other => panic!("{told}: {other:?}"),
        };
        check(net, goal, evidence.claim(), &evidence, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{told}: {refusal:?}"));
        evidence
    })
}

fn size(evidence: &Evidence) -> usize {
    match evidence {
        Evidence::Cover(cover) => cover.markings.len(),
        Evidence::Basis(basis) => basis.markings.len(),
        _ => 0,
    }
}

/// The problems are in the examples as they are made, and all methods together, and both alone, have the right answer with evidence.
#[test]
fn problems_have_their_answers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/nets/coverability");
    let all = problems();
    assert_eq!(all.len(), 60);
    let mut largest = [0, 0];
    for Problem { name, text, coverable } in &all {
        let path = folder.join(format!("{name}.spec"));
        if std::env::var_os("SERVAL_BLESS").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, text).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&path).ok().as_ref(), Some(text), "{name}: SERVAL_BLESS=1 writes it");
        let mist::Spec { net, targets } = mist::read(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let found = decide(&net, &targets, 5, &Cancel::new());
        let Found::Answer(answer) = &found[0] else { panic!("{name}: {found:?}") };
        assert_eq!(answer.claim, claim(*coverable), "{name}");
        for (at, evidence) in asked(&net, &targets[0], name).into_iter().enumerate() {
            assert_eq!(evidence.claim(), claim(*coverable), "{name}");
            largest[at] = size(&evidence).max(largest[at]);
        }
    }
    say(&format!("60 problems; the largest cover has {} markings, the largest basis {}", largest[0], largest[1]));
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 60, "there is a file that nobody makes");
}

/// A controller and any number of workers share a lock; evidence that only one is inside is small.
#[test]
fn a_controller_and_any_number_of_workers() {
    let net = tina::read(
        "pl p0 (1)\npl p1 (0)\npl p2 (0)\npl l0 (1)\npl l1 (0)\npl w0 (0)\npl w1 (0)\ntr t0 p0 -> p1\ntr t1 p1 l0 -> p2 l1\ntr t2 p2 l1 -> p0 l0\n\
         tr t3 -> w0\ntr t4 w0 l0 -> w1 l1\ntr t5 w1 l1 -> w0 l0\n",
    )
    .unwrap();
    for goal in ["p2 >= 1 and w1 >= 1", "w1 >= 2", "p2 >= 1 and w1 >= 1 or w1 >= 2"] {
        let formula = words::formula(goal, &net).unwrap();
        for evidence in asked(&net, &formula, goal) {
            assert_eq!(evidence.claim(), Claim::Unreachable, "{goal}");
            assert!(size(&evidence) <= 6, "{goal}: {evidence:?}");
        }
    }
}

/// The routines count exactly, and the test for zero is one. `SERVAL_LIPTON` goes further than 1.
#[test]
fn nets_of_lipton_test_for_zero() {
    for n in 0..=u32::try_from(number("SERVAL_LIPTON", 1)).unwrap() {
        for mistake in [false, true] {
            let mist::Spec { net, targets } = mist::read(&lipton(n, mistake)).unwrap();
            let told = format!("n = {n}, {}", if mistake { "with a mistake" } else { "right" });
            let found = decide(&net, &targets, 7, &Cancel::new());
            let claims: Vec<Option<Claim>> = found.iter().map(|found| found.answer().map(|answer| answer.claim)).collect();
            let kinds: Vec<_> = found.iter().map(|found| found.answer().map(|answer| (answer.method, answer.evidence.kind()))).collect();
            say(&format!("lipton, {told}: {} places, {} transitions, {kinds:?}", net.place_count(), net.transition_count()));
            assert_eq!(claims, [Some(claim(!mistake)), Some(Claim::Unreachable)], "{told}");
            let full = format!("coverable:not_x = {}", lipton_size(n));
            let goal = Property::parse(&full, &net).unwrap().goals(&net).unwrap();
            let found = decide(&net, &goal, 7, &Cancel::new());
            assert_eq!(found[0].answer().map(|answer| answer.claim), Some(Claim::Reachable), "{told}");
        }
    }
}

#[test]
fn a_net_multiplies_weakly() {
    for (left, right) in [(0, 3), (1, 1), (3, 2), (4, 5)] {
        let vass::Spec { net, targets } = vass::read(&multiplication(left, right)).unwrap();
        for (goal, coverable) in targets.iter().zip([true, false]) {
            for evidence in asked(&net, goal, "multiplication") {
                assert_eq!(evidence.claim(), claim(coverable), "{left} times {right}");
            }
        }
    }
}

/// Machines of two states each, one of four, and places that grow: many ω-markings, none below another. `SERVAL_SIZE=15` makes 131,072 of them over 50 places.
#[test]
fn large_sets_are_found() {
    let machines = number("SERVAL_SIZE", 7);
    let mut net = Net::new("machines");
    let mut machine = |name: &str, states: u64| {
        let places: Vec<_> = (0..states).map(|state| net.add_place(format!("{name}_{state}"), u64::from(state == 0)).unwrap()).collect();
        for (state, &from) in places.iter().enumerate() {
            net.add_transition(format!("{name}_{state}"), [(from, 1)], [(places[(state + 1) % places.len()], 1)]).unwrap();
        }
    };
    (0..machines).for_each(|number| machine(&format!("m{number}"), 2));
    machine("four", 4);
    for number in 0..16 {
        let place = net.add_place(format!("grows{number}"), 0).unwrap();
        net.add_transition(format!("grow{number}"), [], [(place, 1)]).unwrap();
    }
    let start = std::time::Instant::now();
    let all = Tree::new(&net).unwrap().all(&mut Budget::unlimited()).unwrap().unwrap();
    say(&format!("{} ω-markings over {} places in {:?}", all.len(), net.place_count(), start.elapsed()));
    assert_eq!(all.len(), 4 << machines);
}
