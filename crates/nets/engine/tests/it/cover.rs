//! Any number of tokens: forwards, backwards, and by trying everything where that ends.

use std::collections::BTreeMap;

use serval_budget::Budget;
use serval_model::SplitMix64;
use serval_net_engine::cover::{Bounds, CoverOutcome, Tree, backward, sliced};
use serval_net_engine::{equation, weights};
use serval_net_proof::{Claim, Cover, Evidence, Run, check, check_bounded, pump};
use serval_petri::{Formula, Marking, Net, Property, words};
use serval_random::nets::{Markings, free_net, net, open_net};
use serval_testkit::say;

use crate::together;

/// Markings that are tried.
const MARKINGS: usize = 1_500;
/// Ticks for one question.
const TICKS: u64 = 300_000;

/// Goals that are upward closed: each transition, a place with two tokens, and markings and sums at random.
fn goals(net: &Net, draw: &mut SplitMix64) -> Vec<Formula> {
    let mut goals = Property::QuasiLive.goals(net).unwrap();
    goals.extend(Property::Safe(1 + draw.below(3)).goals(net).unwrap());
    for _ in 0..3 {
        let parts: Vec<String> = net
            .places()
            .map(|place| (place, draw.below(7).saturating_sub(3)))
            .filter(|one| one.1 > 0)
            .map(|(place, tokens)| format!("{} = {tokens}", words::quoted(net.place_name(place))))
            .collect();
        let property = Property::parse(&format!("coverable:{}", parts.join(", ")), net).unwrap();
        goals.extend(property.goals(net).unwrap());
    }
    let sum: Vec<String> = net.places().filter(|_| draw.chance(50)).map(|place| words::quoted(net.place_name(place))).collect();
    if !sum.is_empty() {
        goals.push(words::formula(&format!("{} >= {}", sum.join(" + "), 1 + draw.below(4)), net).unwrap());
    }
    goals
}

/// What a method says, after the checker has accepted it.
fn accepted(net: &Net, goal: &Formula, said: Result<CoverOutcome, serval_budget::Stopped>, told: &str) -> Option<(Claim, Evidence)> {
    let evidence = match said {
        Ok(CoverOutcome::Reached(word)) => Evidence::Run(Run { word }),
        Ok(CoverOutcome::Excluded(evidence)) => *evidence,
        Ok(CoverOutcome::TooManyTokens | CoverOutcome::TooManyLeast(_) | CoverOutcome::Nothing) => panic!("{told}: nothing is said"),
        Err(_) => return None,
    };
    let claim = evidence.claim();
    if let Err(refusal) = check(net, goal, claim, &evidence, &mut Budget::unlimited()) {
        panic!("{told}: {refusal:?}: {evidence:?}");
    }
    Some((claim, evidence))
}

fn compare(net: &Net, seed: u64, tally: &mut BTreeMap<String, u64>) {
    let markings = Markings::of(net, MARKINGS);
    let mut count = |what: String| *tally.entry(what).or_default() += 1;
    count(format!("nets, {}", if markings.is_complete { "few markings" } else { "many markings" }));
    let mut known = weights::PlaceBounds::new(net);
    let _ = known.bound_all(net, &mut Budget::unlimited());
    let sums = known.into_sums();
    let goals = goals(net, &mut SplitMix64::new(seed));
    let all: Vec<&Formula> = goals.iter().collect();
    let (together, _) = backward::ask_all(net, &all, &sums, &mut Budget::ticks(10 * TICKS));
    for (goal, together) in goals.iter().zip(together) {
        let goal = goal.clone();
        let told = format!("net {seed}, {}:\n{}", words::text(&goal, net).unwrap(), serval_petri::tina::write(net));
        let mut tree = Tree::new(net).unwrap();
        let forward = accepted(net, &goal, tree.ask(net, &goal, &mut Budget::ticks(TICKS)), &told);
        let back = accepted(net, &goal, backward::ask(net, &goal, &sums, &mut Budget::ticks(TICKS)), &told);
        let plain = accepted(net, &goal, backward::ask(net, &goal, &[], &mut Budget::ticks(TICKS)), &told);
        let filtered = accepted(net, &goal, backward::ask_filtered(net, &goal, &sums, 5_000, &mut Budget::ticks(TICKS)), &told);
        let few = accepted(net, &goal, sliced::ask(net, &goal, &mut 0, &mut Budget::ticks(TICKS)), &told);
        let excluded = |found: &Option<(Claim, Evidence)>| matches!(found, Some((_, Evidence::Basis(basis))) if !basis.excluded.is_empty());
        if excluded(&filtered) {
            count("backward: with the equation".to_owned());
        }
        let known: Vec<Claim> = [&forward, &back, &plain, &filtered, &few].into_iter().flatten().map(|one| one.0).collect();
        assert!(known.iter().all(|claim| *claim == known[0]), "{told}: {forward:?} {back:?} {plain:?} {filtered:?} {few:?}");
        let named = [("forward", &forward), ("backward", &back), ("without sums", &plain), ("filtered", &filtered), ("sliced", &few)];
        for (name, found) in named {
            count(format!("{name}: {}", found.as_ref().map_or("stopped", |found| found.0.word())));
        }
        let Some(&claim) = known.first() else { continue };
        if together != CoverOutcome::Nothing {
            let together = accepted(net, &goal, Ok(together), &told).map(|one| one.0);
            assert_eq!(together, Some(claim), "{told}");
            count("backward: several at once".to_owned());
        }
        let is_there = markings.all.iter().any(|marking| goal.holds(&Marking::new(marking.clone())));
        assert!(!is_there || claim == Claim::Reachable, "{told}");
        assert!(is_there || !markings.is_complete || claim == Claim::Unreachable, "{told}");
        if let Ok(equation::EquationOutcome::Excluded(_)) = equation::ask(net, &goal, 1, 1, &mut Budget::ticks(100_000)) {
            count("equation: unreachable".to_owned());
            assert_eq!(claim, Claim::Unreachable, "{told}");
        }
    }
    bounds(net, seed, &markings, tally);
}

/// In nets whose transitions take at most one token the equation with places that must be fed is exact.
#[test]
fn the_equation_decides_communication_free_nets() {
    let sweep = serval_effort::sweep("nets.communication_free", 60, 250);
    let nets = sweep.count();
    let found = sweep.map(1, |seed| {
        let (mut reached, mut excluded, mut fed) = (0, 0, 0);
        let net = free_net(seed);
        assert!(serval_net_engine::fill::is_communication_free(&net));
        for goal in goals(&net, &mut SplitMix64::new(seed)) {
            let told = format!("net {seed}, {}:\n{}", words::text(&goal, &net).unwrap(), serval_petri::tina::write(&net));
            let tree = Tree::new(&net).unwrap().ask(&net, &goal, &mut Budget::ticks(TICKS));
            let Some((claim, _)) = accepted(&net, &goal, tree, &told) else { continue };
            let evidence = match equation::ask(&net, &goal, 1, 1, &mut Budget::ticks(5_000_000)) {
                Ok(equation::EquationOutcome::Reached(word)) => Evidence::Run(Run { word }),
                Ok(equation::EquationOutcome::Excluded(evidence)) => *evidence,
                Ok(equation::EquationOutcome::Nothing) => panic!("{told}: nothing is said"),
                Err(_) => panic!("{told}: too few ticks"),
            };
            assert_eq!(evidence.claim(), claim, "{told}");
            check(&net, &goal, claim, &evidence, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{told}: {refusal:?}"));
            reached += u64::from(claim == Claim::Reachable);
            excluded += u64::from(claim == Claim::Unreachable);
            fed += u64::from(matches!(evidence, Evidence::Equation(equation) if !equation.unfed.is_empty()));
        }
        [reached, excluded, fed]
    });
    let [reached, excluded, fed] = [0, 1, 2].map(|what| found.iter().map(|counts| counts[what]).sum::<u64>());
    say(&format!("{nets} communication-free nets: {reached} goals reached, {excluded} not, {fed} of these by places that must be fed"));
    assert!(!sweep.is_representative() || reached > nets && excluded > nets && fed * 50 > nets);
}

/// Each set of places is bounded, or a pump shows that one is not.
fn bounds(net: &Net, seed: u64, markings: &Markings, tally: &mut BTreeMap<String, u64>) {
    let told = format!("net {seed}:\n{}", serval_petri::tina::write(net));
    let mut claims = Vec::new();
    let all: Vec<_> = net.places().collect();
    for places in std::iter::once(all.clone()).chain(all.iter().map(|&place| vec![place])) {
        let mut tree = Tree::new(net).unwrap();
        let Ok(Bounds::Shown(evidence)) = tree.bounded(net, &places, &mut Budget::ticks(TICKS)) else {
            *tally.entry("bounds: stopped".to_owned()).or_default() += 1;
            return;
        };
        match check_bounded(net, &places, &evidence, &mut Budget::unlimited()) {
            Ok(claim) => claims.push(claim),
            Err(refusal) => panic!("{told}{refusal:?}: {evidence:?}"),
        }
    }
    let bounded = claims[1..].iter().all(|&claim| claim == Claim::Bounded);
    assert_eq!(claims[0] == Claim::Bounded, bounded, "{told}");
    assert!(bounded || !markings.is_complete, "{told}");
    *tally.entry(format!("bounds: {}", claims[0].word())).or_default() += 1;
    // The whole set: its members are justified, it covers, and no member is below another.
    let mut tree = Tree::new(net).unwrap();
    let all = tree.all(&mut Budget::ticks(TICKS)).unwrap().unwrap();
    for (marking, steps) in &all {
        let end = pump::end(net, steps, &mut Budget::unlimited()).unwrap();
        assert_eq!(end, marking.iter().map(|tokens| tokens.map(i128::from)).collect::<Vec<_>>(), "{told}");
        let is_below = |other: &&(Vec<Option<u64>>, _)| serval_net_proof::cover::is_below(marking, &other.0);
        assert_eq!(all.iter().filter(is_below).count(), 1, "{told}");
    }
    for (place, claim) in claims[1..].iter().enumerate() {
        assert_eq!(all.iter().any(|one| one.0[place].is_none()), *claim == Claim::Unbounded, "{told}");
    }
    let cover = Evidence::Cover(Cover { markings: all.into_iter().map(|one| one.0).collect() });
    check(net, &Formula::any([]), Claim::Unreachable, &cover, &mut Budget::unlimited()).unwrap();
}

#[test]
fn forwards_is_backwards() {
    let sweep = serval_effort::sweep("nets.cover", 60, 250);
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
    let all = count("forward: reachable") + count("forward: unreachable") + count("forward: stopped");
    for name in ["forward", "backward", "sliced"] {
        assert!(count(&format!("{name}: stopped")) * 50 <= all, "{tally:?}");
    }
    assert!(count("bounds: unbounded") * 5 >= nets && count("bounds: bounded") * 5 >= nets, "{tally:?}");
}
