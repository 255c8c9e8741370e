//! Liveness and reversibility: on random nets, against trying everything from the definitions, with evidence for every
//! answer; and that evidence, damaged.

use serval_budget::{Budget, Cancel};
use serval_model::SplitMix64;
use serval_net_engine::explicit::homes::{HomesOutcome, look_for_homes};
use serval_net_engine::{GoalOutcome, Method, Session};
use serval_net_proof::{Certificate, Claim, Evidence, Refusal, check_homes};
use serval_petri::{Formula, Net, Property, tina};
use serval_random::nets::{Markings, Question, net, open_net, safe_net};
use serval_testkit::say;

use crate::mutants::mutated;
use crate::together;

/// Markings that are tried.
const MARKINGS: usize = 400;

const QUESTIONS: [(Question, Property); 2] = [(Question::Live, Property::Live), (Question::Reversible, Property::Reversible)];

/// The evidence that a search of all markings gives, with the number of its goal.
fn looked(net: &Net, goals: &[Formula]) -> Option<(usize, Evidence)> {
    match look_for_homes(net, goals, MARKINGS, &mut Budget::unlimited()).unwrap() {
        HomesOutcome::Homes(evidence) => Some((0, *evidence)),
        HomesOutcome::Lost(goal, evidence) => Some((goal, *evidence)),
        HomesOutcome::TooMany | HomesOutcome::TooManyTokens => None,
    }
}

fn random(seed: u64) -> Net {
    match seed % 3 {
        0 => safe_net(seed),
        _ => net(seed),
    }
}

/// What happened, by question and answer.
type Seen = std::collections::BTreeMap<(&'static str, bool), u64>;

fn compare(seed: u64) -> Seen {
    let (net, mut seen) = (random(seed), Seen::new());
    let markings = Markings::of(&net, MARKINGS);
    for (question, property) in &QUESTIONS {
        let Some(expected) = markings.answer(&net, question) else { continue };
        let told = format!("net {seed}, {}:\n{}", property.name(), tina::write(&net));
        let goals = property.homes(&net).unwrap();
        let (goal, evidence) = looked(&net, &goals).unwrap_or_else(|| panic!("nothing is found: {told}"));
        let certificate = Certificate::homes(&net, property.name(), property, goal, evidence.clone()).unwrap();
        assert_eq!(certificate.check(&net, &mut Budget::unlimited()), Ok(()), "{told}");
        assert_eq!(certificate.holds, expected, "{told}");
        let read = Certificate::from_json(&certificate.to_json()).unwrap();
        assert_eq!(read, certificate, "{told}");
        // All methods together, which need not look at all markings.
        let homing = Session::new(&net, &Cancel::new()).homes(&net, &goals, None, 6, &Cancel::new());
        let answer = homing.outcome.answer().unwrap_or_else(|| panic!("undecided: {told}"));
        assert_eq!(answer.claim == Claim::Home, expected, "{told}");
        // Walks refute, and show nothing else.
        let walked = Session::new(&net, &Cancel::new()).homes(&net, &goals, Some(Method::Walk), 2, &Cancel::new());
        assert!(!matches!(walked.outcome, GoalOutcome::Refused(..)), "{told}");
        if let Some(answer) = walked.outcome.answer() {
            assert!(answer.claim == Claim::Lost && !expected, "{told}");
        }
        *seen.entry((property.name(), expected)).or_default() += 1;
        damage(seed, &net, &goals, (goal, &evidence), expected);
    }
    seen
}

/// Evidence with one thing changed is refused, or still shows what is so.
fn damage(seed: u64, net: &Net, goals: &[Formula], (goal, evidence): (usize, &Evidence), holds: bool) {
    let draw = &mut SplitMix64::new(seed);
    for _ in 0..20 {
        let mutant = mutated(draw, evidence);
        let goal = if draw.chance(10) { goal + draw.index(3) } else { goal };
        match check_homes(net, goals, goal, &mutant, &mut Budget::unlimited()) {
            Ok(Claim::Home) => assert!(holds, "net {seed}: {mutant:?}"),
            Ok(Claim::Lost) => {
                // Of this very goal, which may be another one.
                let alone = looked(net, &goals[goal..=goal]).map(|one| one.1.claim());
                assert_eq!(alone, Some(Claim::Lost), "net {seed}, goal {goal}: {mutant:?}");
            }
            Ok(other) => panic!("net {seed} shows {other:?}: {mutant:?}"),
            Err(Refusal::Stopped(_)) => panic!("net {seed} is stopped: {mutant:?}"),
            Err(_) => {}
        }
    }
}

#[test]
fn what_can_always_happen_again_is_what_trying_everything_says() {
    let sweep = serval_effort::sweep("nets.homes", 500, 20_000);
    let seen = together(sweep.map(1, compare));
    say(&format!("{seen:?}"));
    if sweep.is_representative() {
        for (_, property) in &QUESTIONS {
            for holds in [true, false] {
                let count = seen.get(&(property.name(), holds)).copied().unwrap_or(0);
                assert!(count * 20 >= sweep.count(), "{}: {holds} in {count} of {}", property.name(), sweep.count());
            }
        }
    }
}

/// Nets with infinitely many markings are refuted, or not known; never is it said that it holds.
#[test]
fn infinitely_many_markings_are_refuted_or_not_known() {
    let sweep = serval_effort::sweep("nets.open_homes", 60, 5_000);
    let counts = sweep.map(1, |seed| {
        let net = open_net(seed);
        let session = Session::new(&net, &Cancel::new());
        let mut counts = [0_u64; 2];
        for (question, property) in &QUESTIONS {
            let goals = property.homes(&net).unwrap();
            let homing = session.homes(&net, &goals, None, 2, &Cancel::new());
            match homing.outcome.answer() {
                Some(answer) => {
                    let said = check_homes(&net, &goals, homing.goal, &answer.evidence, &mut Budget::unlimited());
                    assert_eq!(said, Ok(answer.claim), "net {seed}");
                    if let Some(expected) = Markings::of(&net, MARKINGS).answer(&net, question) {
                        assert_eq!(answer.claim == Claim::Home, expected, "net {seed}");
                    }
                    counts[0] += u64::from(homing.outcome.answer().is_some_and(|answer| answer.claim == Claim::Lost));
                }
                None => counts[1] += u64::from(homing.is_unbounded),
            }
        }
        counts
    });
    let (lost, open) = counts.iter().fold((0, 0), |all, one| (all.0 + one[0], all.1 + one[1]));
    say(&format!("{lost} refuted, {open} not known of nets without bounds"));
    assert!(!sweep.is_representative() || lost >= sweep.count(), "{lost} of {}", 2 * sweep.count());
}

#[test]
fn known_nets_have_known_answers() {
    let ring = "pl a (1)\ntr t a -> b\ntr u b -> c\ntr v c -> a\n";
    let start = "pl s (1)\ntr go s -> a\ntr t a -> b\ntr u b -> a\n";
    let two_ends = "pl a (1)\ntr l a -> x\ntr r a -> y\ntr x1 x -> x2\ntr x2 x2 -> x\ntr y1 y -> y2\ntr y2 y2 -> y\n";
    // It holds, which is not shown of infinitely many markings.
    let endless = "pl k (1)\ntr t k -> k m\ntr u k m -> k\n";
    for (text, live, reversible) in [
        (ring, Some(true), Some(true)),
        (start, Some(false), Some(false)),
        (two_ends, Some(false), Some(false)),
        ("pl a (1)\npl b (1)\ntr t a -> b\ntr u b*2 -> a*2\n", Some(true), Some(true)),
        ("pl a (3)\ntr t a*2 -> a*2\n", Some(true), Some(true)),
        (endless, None, None),
        ("tr t -> a\n", None, Some(false)),
        ("tr t -> a\ntr u b -> b\n", Some(false), Some(false)),
    ] {
        let net = tina::read(text).unwrap();
        for (property, expected) in [(Property::Live, live), (Property::Reversible, reversible)] {
            let goals = property.homes(&net).unwrap();
            let homing = Session::new(&net, &Cancel::new()).homes(&net, &goals, None, 6, &Cancel::new());
            let answer = homing.outcome.answer().map(|answer| answer.claim == Claim::Home);
            if let Some(expected) = expected {
                assert_eq!(answer, Some(expected), "{} of {text}", property.name());
            }
            assert!(answer.is_some() || homing.is_unbounded, "{} of {text}", property.name());
        }
    }
}

/// Several parts that nothing leaves, each with its home.
#[test]
fn each_part_that_nothing_leaves_has_a_home() {
    let net = tina::read("pl a (1)\npl k (1)\ntr l a -> x\ntr r a -> y\ntr t k -> m\ntr u m -> k\n").unwrap();
    let goals: Vec<Formula> = Property::Live.homes(&net).unwrap().drain(2..).collect();
    let Some((_, Evidence::Homes(homes))) = looked(&net, &goals) else { panic!("it is lost") };
    assert_eq!((homes.markings.len(), homes.words.len()), (6, 2));
    assert_eq!(homes.ranks.iter().filter(|rank| **rank == 0).count(), 2);
}
