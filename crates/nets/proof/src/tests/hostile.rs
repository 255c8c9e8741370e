//! Large numbers, nothing at all, and limits.

use serval_budget::{Budget, Stopped};
use serval_petri::{Net, Property};

use super::cases::{MOVE, net_of};
use crate::cover::check_closed;
use crate::{About, Certificate, Condition, Cover, Dead, Evidence, Item, Refusal, Run, Runs, States, Weights, fingerprint};

fn checked(net: &Net, property: &str, holds: bool, evidence: Vec<Evidence>) -> Result<(), Refusal> {
    let evidence = evidence.into_iter().map(|evidence| About { goal: 0, evidence }).collect();
    let certificate = Certificate { net: fingerprint(net), property: property.to_owned(), holds, evidence, runs: Runs::default() };
    assert_eq!(Certificate::from_json(&certificate.to_json()).unwrap(), certificate);
    certificate.check(net, &mut Budget::unlimited())
}

fn run(word: Vec<Item>) -> Vec<Evidence> {
    vec![Evidence::Run(Run { word })]
}

fn is_too_large(result: &Result<(), Refusal>) -> bool {
    matches!(result, Err(Refusal::TooLarge { .. }))
}

fn refused_by(result: Result<(), Refusal>) -> Option<Condition> {
    match result {
        Err(Refusal::Invalid(rejection)) => Condition::ALL.iter().copied().find(|&one| rejection.condition == one),
        _ => None,
    }
}

#[test]
fn something_can_be_repeated_as_often_as_numbers_go() {
    let often = 1_000_000_000_000_000_000;
    let mut net = Net::new("");
    let [a, b] = [("a", often), ("b", 0)].map(|(name, tokens)| net.add_place(name, tokens).unwrap());
    net.add_transition("move", [(a, 1)], [(b, 2)]).unwrap();
    net.add_transition("back", [(b, 2)], [(a, 1)]).unwrap();
    let all = || run(vec![Item::Repeat(often, vec![0])]);
    assert_eq!(checked(&net, "reaches:b = 2000000000000000000", true, all()), Ok(()));
    assert_eq!(checked(&net, "reachable:a = 0", true, all()), Ok(()));
    let there_and_back = vec![Item::Repeat(u64::MAX, vec![0, 1]), Item::Repeat(often, vec![0]), Item::Repeat(often, vec![1])];
    assert_eq!(checked(&net, "reachable:b = 0", true, run(there_and_back)), Ok(()));
    // Once more than there are tokens, and the second half before the first.
    assert_eq!(
        refused_by(checked(&net, "reachable:a = 0", true, run(vec![Item::Repeat(often + 1, vec![0])]))),
        Some(Condition::RunEnabled)
    );
    assert_eq!(refused_by(checked(&net, "reachable:b = 0", true, run(vec![Item::Repeat(often, vec![1, 0])]))), Some(Condition::RunEnabled));
}

/// Where no successor is a member itself, members are compared with all others, and beyond the cap that is too large:
/// never an answer, never a refusal by a condition.
#[test]
fn a_cover_that_takes_too_many_comparisons_is_too_large() {
    let (members, mut net) = (100, Net::new(""));
    let [a, b] = [("a", 2 * members), ("b", 0)].map(|(name, tokens)| net.add_place(name, tokens).unwrap());
    net.add_transition("move", [(a, 2)], [(b, 1)]).unwrap();
    // From 2i and 2(n − i) one comes to 2i − 2 and 2(n − i) + 1, which is below the member before, and equal to none.
    let markings: Vec<Vec<Option<u64>>> = (0..=members).map(|number| vec![Some(2 * number), Some(2 * (members - number))]).collect();
    let cover = Cover { markings };
    // The initial marking is a member, and each other one is compared with those before the one that it is below.
    let needed = members * (members + 1) / 2;
    let closed = |most: u64| check_closed(&net, &cover, most, &mut Budget::unlimited());
    assert_eq!(closed(needed), Ok(()));
    assert_eq!(closed(needed - 1), Err(Refusal::TooLarge { what: "comparisons of markings", limit: needed - 1 }));
    assert_eq!(checked(&net, "invariant:b <= 200", true, vec![Evidence::Cover(cover)]), Ok(()));
}

#[test]
fn what_does_not_fit_is_no_answer() {
    let mut net = Net::new("");
    let a = net.add_place("a", u64::MAX).unwrap();
    net.add_transition("more", [], [(a, u64::MAX)]).unwrap();
    let more = |times| run(vec![Item::Repeat(times, vec![0])]);
    assert!(is_too_large(&checked(&net, "reachable:a >= 1", true, run(vec![Item::Fire(0)]))));
    assert!(is_too_large(&checked(&net, "reachable:a >= 1", true, more(u64::MAX))));
    assert!(is_too_large(&checked(&net, "reachable:a >= 1", true, run(vec![Item::Repeat(u64::MAX, vec![0; 3])]))));
    assert_eq!(checked(&net, "reachable:a >= 9000000000000000000", true, more(0)), Ok(()));
    let heavy = |weight| vec![Evidence::Weights(Weights { sums: vec![vec![(0, weight)]] })];
    assert_eq!(refused_by(checked(&net, "invariant:a >= 1", true, heavy(1))), Some(Condition::WeightsFalling));
    assert!(is_too_large(&checked(&net, "invariant:a >= 1", true, heavy(u64::MAX))));
    let mut wide = Net::new("");
    let places: Vec<_> = (0..4).map(|place| wide.add_place(place.to_string(), u64::MAX).unwrap()).collect();
    wide.add_transition("take", places.iter().map(|&place| (place, u64::MAX)), []).unwrap();
    let sums = vec![(0..4).map(|place| (place, u64::MAX)).collect()];
    assert!(is_too_large(&checked(&wide, "safe:3", true, vec![Evidence::Weights(Weights { sums })])));
    // Enabledness of this transition is no formula of 64 bits.
    assert_eq!(refused_by(checked(&wide, "quasi-live", true, Vec::new())), Some(Condition::Property));
    assert_eq!(refused_by(checked(&wide, "safe:18446744073709551615", true, Vec::new())), Some(Condition::Property));
    let states = Evidence::States(States { markings: [[u64::MAX]].iter().collect() });
    assert_eq!(refused_by(checked(&net, "invariant:a >= 1", true, vec![states])), Some(Condition::StatesClosed));
}

#[test]
fn nets_may_be_empty() {
    let net = Net::new("");
    for (property, holds, evidence) in [
        ("deadlock-free", false, run(Vec::new())),
        ("one-safe", true, vec![Evidence::Weights(Weights::default())]),
        ("safe:0", true, vec![Evidence::Dead(Dead::default())]),
        ("quasi-live", true, Vec::new()),
        ("no-dead-places", true, Vec::new()),
        ("invariant:1 > 0", true, vec![Evidence::States(States { markings: [[]; 1].iter().collect() })]),
        ("reachable:true", true, run(Vec::new())),
        ("reaches:", true, run(Vec::new())),
        ("reaches:", true, run(vec![Item::Repeat(3, Vec::new())])),
    ] {
        assert_eq!(checked(&net, property, holds, evidence.clone()), Ok(()), "{property}");
        assert_eq!(refused_by(checked(&net, property, !holds, evidence)), Some(Condition::Complete), "{property}");
        // A transition, a place or a marking that is not there.
        assert_eq!(refused_by(checked(&net, "reachable:true", true, run(vec![Item::Fire(0)]))), Some(Condition::RunTransition));
    }
    let weights = vec![Evidence::Weights(Weights { sums: vec![vec![(0, 0)]] })];
    assert_eq!(refused_by(checked(&net_of(MOVE), "safe:0", true, weights)), Some(Condition::BoundsGoal));
    let dead = vec![Evidence::Dead(Dead { places: vec![0] })];
    assert_eq!(refused_by(checked(&net, "one-safe", true, dead)), Some(Condition::DeadPlaces));
    let states = vec![Evidence::States(States { markings: [[0]].iter().collect() })];
    assert_eq!(refused_by(checked(&net, "one-safe", true, states)), Some(Condition::StatesPlaces));
}

#[test]
fn work_is_counted() {
    let net = net_of(MOVE);
    let goals = Property::DeadlockFree.goals(&net).unwrap();
    let long = Evidence::Run(Run { word: vec![Item::Repeat(0, vec![0]); 1_000] });
    let mut budget = Budget::ticks(500);
    let result = crate::check(&net, &goals[0], long.claim(), &long, &mut budget);
    assert_eq!(result, Err(Refusal::Stopped(Stopped::OutOfTicks)));
}

#[test]
fn a_goal_may_have_too_many_least_markings() {
    let mut net = Net::new("");
    let places: Vec<_> = (0..12).map(|place| net.add_place(format!("p{place}"), 0).unwrap()).collect();
    net.add_transition("t", [(places[0], 1)], [(places[1], u64::MAX)]).unwrap();
    let sum = (0..12).map(|place| format!("p{place}")).collect::<Vec<_>>().join(" + ");
    let basis = |markings| vec![Evidence::Basis(crate::Basis { markings, ..crate::Basis::default() })];
    assert!(is_too_large(&checked(&net, &format!("coverable:{sum} >= 1000"), false, basis(Vec::new()))));
    assert_eq!(refused_by(checked(&net, &format!("coverable:{sum} >= 2"), false, basis(Vec::new()))), Some(Condition::BasisGoal));
    assert_eq!(refused_by(checked(&net, "coverable:p0 >= 9000000000000000000", false, basis(Vec::new()))), Some(Condition::BasisGoal));
    // What is covered by ω stays covered, and numbers that do not fit are no answer.
    let cover = |markings| vec![Evidence::Cover(Cover { markings })];
    let mut most = vec![Some(0); 12];
    (most[0], most[1]) = (Some(1), Some(u64::MAX));
    assert!(is_too_large(&checked(&net, "coverable:p2 >= 1", false, cover(vec![most.clone()]))));
    most[1] = None;
    assert_eq!(checked(&net, "coverable:p2 >= 1", false, cover(vec![most])), Ok(()));
    let pump = |steps| vec![Evidence::Pump(crate::Pump { steps })];
    let step = crate::PumpStep::Again(crate::Again { pump: vec![7] });
    assert_eq!(refused_by(checked(&net, "bounded", false, pump(vec![step]))), Some(Condition::RunTransition));
}

/// What is said of all markings is refused where something does not fit, or work ends.
#[test]
fn what_can_always_be_reached_again_is_checked_within_limits() {
    let full = net_of("pl a (18446744073709551615)\ntr t -> a\n");
    let homes = |markings: &[[u64; 1]], ranks: &[u32], words: &[Vec<u32>]| {
        let (markings, ranks, words) = (markings.iter().collect(), ranks.to_vec(), words.to_vec());
        vec![Evidence::Homes(crate::Homes { markings, ranks, words })]
    };
    let most = u64::MAX;
    // No marking has one more.
    assert_eq!(refused_by(checked(&full, "live", true, homes(&[[most]], &[0], &[vec![0]]))), Some(Condition::StatesClosed));
    assert_eq!(refused_by(checked(&full, "live", true, homes(&[[0], [most]], &[0, 1], &[vec![0]]))), Some(Condition::StatesClosed));
    // A number of 64 bits is no number of a formula.
    assert_eq!(refused_by(checked(&full, "reversible", true, homes(&[[most]], &[0], &[vec![]]))), Some(Condition::Property));
    let net = net_of(MOVE);
    let lost = |evidence| vec![Evidence::Lost(crate::Lost { word: vec![Item::Repeat(most, vec![0])], evidence: Box::new(evidence) })];
    let dead = Evidence::Dead(Dead { places: vec![0] });
    assert_eq!(refused_by(checked(&net, "live", false, lost(dead.clone()))), Some(Condition::RunEnabled));
    let nested = Evidence::Lost(crate::Lost { word: Vec::new(), evidence: Box::new(dead) });
    let twice = Evidence::Lost(crate::Lost { word: vec![Item::Fire(0)], evidence: Box::new(nested) });
    assert_eq!(refused_by(checked(&net, "live", false, vec![twice])), Some(Condition::Claimed));
    let goals = Property::Live.homes(&net).unwrap();
    let long = Evidence::Homes(crate::Homes { markings: [[1, 0]].iter().collect(), ranks: vec![0], words: vec![vec![0; 9]] });
    let result = crate::check_homes(&net, &goals, 0, &long, &mut Budget::ticks(3));
    assert_eq!(result, Err(Refusal::Stopped(Stopped::OutOfTicks)));
}
