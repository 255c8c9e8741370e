//! How large a sum can be, whether places are safe, and what can fire: by every method, against trying everything.

use std::collections::BTreeMap;

use serval_budget::{Budget, Cancel};
use serval_model::SplitMix64;
use serval_net_engine::{Extent, GoalOutcome, Method, Session};
use serval_net_proof::{Certificate, Claim};
use serval_petri::{Linear, Marking, Most, Net, PlaceId, Property};
use serval_random::nets::{Markings, net, open_net};
use serval_testkit::say;

use crate::together;

/// Markings that are tried.
const MARKINGS: usize = 1_500;
/// Rounds for one question.
const ROUNDS: u32 = 3;

fn value(sum: &Linear, marking: &[u64]) -> u64 {
    sum.terms().iter().map(|&(place, factor)| u64::try_from(factor).unwrap() * marking[place.index()]).sum()
}

/// The number, or ω, if it is known; the checker must accept the whole certificate.
fn most(net: &Net, sum: &Linear, extent: &Extent, told: &str) -> Option<Most> {
    let (most, certificate) = if let Some(answer) = extent.unbounded.answer() {
        let property = Property::Bound(sum.clone(), Some(Most::Omega));
        (Most::Omega, Certificate::bounded(net, &property.text(net).unwrap(), &property, answer.evidence.clone()).unwrap())
    } else {
        let found = [&extent.reached, &extent.excluded];
        assert!(found.iter().all(|found| !matches!(found, GoalOutcome::Refused(..))), "{told}: {extent:?}");
        if extent.most != Some(extent.least) {
            return None;
        }
        let most = Most::Number(extent.least);
        let property = Property::Bound(sum.clone(), Some(most));
        let evidence = (0..).zip(found).map(|(goal, found)| (goal, found.answer().unwrap().evidence.clone()));
        (most, Certificate::new(net, &property.text(net).unwrap(), property.decides(), 2, evidence.collect()).unwrap())
    };
    assert!(certificate.holds, "{told}");
    if let Err(refusal) = certificate.check(net, &mut Budget::unlimited()) {
        panic!("{told}: {refusal:?}: {certificate:?}");
    }
    Some(most)
}

fn compare(net: &Net, seed: u64, tally: &mut BTreeMap<String, u64>) {
    let markings = Markings::of(net, MARKINGS);
    let session = Session::new(net, &Cancel::new());
    let told = format!("net {seed}:\n{}", serval_petri::tina::write(net));
    let mut draw = SplitMix64::new(seed);
    let mut sums: Vec<Linear> = net.places().map(Linear::variable).collect();
    let counted: Vec<PlaceId> = net.places().filter(|_| draw.chance(60)).collect();
    let some: Vec<(PlaceId, i64)> = counted.into_iter().map(|place| (place, if draw.chance(30) { 2 } else { 1 })).collect();
    sums.extend(Linear::new(some, 0).filter(|sum| !sum.terms().is_empty()));
    for sum in sums {
        let there = markings.all.iter().map(|marking| value(&sum, marking)).max().unwrap();
        for method in [None, Some(Method::Cover), Some(Method::Backward), Some(Method::Explicit), Some(Method::Equation)] {
            let extent = session.largest(net, &sum, method, ROUNDS, &Cancel::new());
            let name = method.map_or("all", Method::name);
            let told = format!("{told}{sum:?} by {name}");
            let found = most(net, &sum, &extent, &told);
            // What is not known to the end is never wrong.
            assert!(!markings.is_complete || extent.least <= there && extent.unbounded.answer().is_none(), "{told}: {extent:?}");
            assert!(extent.most.is_none_or(|most| there <= most), "{told}: {extent:?}");
            match found {
                Some(Most::Number(number)) => assert!(number >= there && (number == there || !markings.is_complete), "{told}: {extent:?}"),
                Some(Most::Omega) => assert!(!markings.is_complete, "{told}"),
                None => {}
            }
            let kind = found.map_or("open", |found| if found == Most::Omega { "ω" } else { "number" });
            let size = if markings.is_complete { "few markings" } else { "many markings" };
            *tally.entry(format!("{name}, {size}: {kind}")).or_default() += 1;
        }
    }
    if markings.is_complete {
        goals(net, &session, &markings, &told, &mut draw, tally);
    }
}

/// Safety and quasi-liveness of a net with few markings.
fn goals(net: &Net, session: &Session, markings: &Markings, told: &str, draw: &mut SplitMix64, tally: &mut BTreeMap<String, u64>) {
    for property in [Property::Safe(1), Property::Safe(draw.below(4)), Property::QuasiLive, Property::NoDeadPlaces] {
        let goals = property.goals(net).unwrap();
        let expected: Vec<bool> =
            goals.iter().map(|goal| markings.all.iter().any(|marking| goal.holds(&Marking::new(marking.clone())))).collect();
        for method in [Method::Cover, Method::Backward, Method::Explicit] {
            let (found, _) = session.alone(net, &goals, method, ROUNDS, &Cancel::new());
            for (found, expected) in found.iter().zip(&expected) {
                let told = format!("{told}{} by {}: {found:?}", property.name(), method.name());
                assert!(!matches!(found, GoalOutcome::Refused(..)), "{told}");
                let claim = found.answer().map(|answer| answer.claim);
                assert!(claim.is_none_or(|claim| (claim == Claim::Reachable) == *expected), "{told}");
                *tally.entry(format!("{}: {}", method.name(), if claim.is_some() { "told" } else { "not told" })).or_default() += 1;
            }
        }
    }
}

#[test]
fn largest_values_agree() {
    let sweep = serval_effort::sweep("nets.bound", 40, 100);
    let nets = sweep.count();
    let tally = together(sweep.map(1, |seed| {
        let mut tally = BTreeMap::new();
        compare(&net(seed), seed, &mut tally);
        compare(&open_net(seed), seed, &mut tally);
        tally
    }));
    say(&format!("{} nets: {tally:?}", 2 * nets));
    if !sweep.is_representative() {
        return;
    }
    let count = |name: &str| tally.get(name).copied().unwrap_or(0);
    for name in ["all", "cover"] {
        let (few, open) = (count(&format!("{name}, few markings: number")), count(&format!("{name}, few markings: open")));
        assert!(open == 0 && few > nets, "{tally:?}");
        assert!(count(&format!("{name}, many markings: ω")) > nets / 2, "{tally:?}");
    }
    for name in ["cover", "backward"] {
        assert!(count(&format!("{name}: not told")) * 50 < count(&format!("{name}: told")), "{tally:?}");
    }
}
