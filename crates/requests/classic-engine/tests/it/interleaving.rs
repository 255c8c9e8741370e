//! The net of a network system.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serval_budget::Budget;
use serval_classic_engine::{Places, interleaving};
use serval_effort::{Sweep, sweep};
use serval_model::{Letter, LocalId, Multiset, NetAction, NetworkSystem, PlaceKind, RequestId, SystemBuilder, completed_multisets};
use serval_net_slice::{Slice, slice};
use serval_petri::{Arc, Constraint, Linear, Net, Target};

use crate::support::{plain_system, small_system};

const RUNNING: &str = "request main { X := 1; yield; y := X; X := 0; y }";
const LOCKED: &str = "request main { while (L == 1) { yield }; L := 1; X := 1; yield; y := X; X := 0; L := 0; y }";

/// An answer 0 to `main`.
fn asks_for_zero(system: &NetworkSystem, places: &Places) -> Target {
    let pair = (system.request_named("main").unwrap(), system.response_named("0").unwrap());
    places.completed([Constraint::AtLeastZero(Linear::new([(pair, 1)], -1).unwrap())])
}

fn kinds(places: &Places) -> (usize, usize, usize) {
    let globals = places.kinds().iter().filter(|kind| matches!(kind, PlaceKind::Global(_))).count();
    (globals, places.in_flight().count(), places.answers().count())
}

#[test]
fn the_running_example_is_as_published() {
    let system = plain_system(RUNNING);
    let (net, places) = interleaving(&system).unwrap();
    net.check_invariants();
    assert_eq!((net.place_count(), net.transition_count()), (8, 7));
    assert_eq!(kinds(&places), (2, 4, 2));

    // The published run to one answer 0 and one answer 1.
    let main = system.request_named("main").unwrap();
    let local = |name: &str| system.local_named(name).unwrap();
    let spawn = places.transition(NetAction::Spawn(main, local("@start"))).unwrap();
    let step = |from: &str, global: &str| {
        let global = system.global_named(global).unwrap();
        let position = system.steps().iter().position(|step| step.local == local(from) && step.global == global).unwrap();
        places.transition(NetAction::Step(main, position)).unwrap()
    };
    let respond = |from: &str, response: &str| {
        places.transition(NetAction::Respond(main, local(from), system.response_named(response).unwrap())).unwrap()
    };
    let sequence = [
        spawn,
        spawn,
        step("@start", "X=0"),
        step("@start", "X=1"),
        step("@yield1 y=0", "X=1"),
        step("@yield1 y=0", "X=0"),
        respond("@end 1 y=1", "1"),
        respond("@end 0 y=0", "0"),
    ];
    let end = net.replay(&sequence).unwrap();
    let answer = |response: &str| places.answer(main, system.response_named(response).unwrap()).unwrap();
    let expected = [(places.global(system.global_named("X=0").unwrap()).unwrap(), 1), (answer("0"), 1), (answer("1"), 1)];
    assert_eq!(end.marked().collect::<BTreeSet<_>>(), expected.into());

    let target = asks_for_zero(&system, &places);
    assert!(target.holds(&end) && !target.holds(&net.initial()));
    let message = net.replay(&[spawn, step("@start", "X=1")]).unwrap_err().to_string();
    assert_eq!(message, "transition 2 of the sequence: “step 1 main” takes 1 from “global X=1”, which has 0");
    let Slice::Kept(sliced) = slice(&net, &target, &mut Budget::unlimited()).unwrap() else { panic!("{target:?}") };
    // Nothing can be left out but the place of the answer 1, of which nothing is asked.
    assert_eq!((sliced.net.place_count(), sliced.net.transition_count()), (7, 7));
}

/// The publication has 8 places: a request that waits for the lock is in the
/// local state in which it came in, because the same remains to be done.
#[test]
fn the_spin_lock_has_one_place_more_than_published() {
    let system = plain_system(LOCKED);
    let (net, places) = interleaving(&system).unwrap();
    assert_eq!((net.place_count(), net.transition_count()), (9, 9));
    assert_eq!(kinds(&places), (2, 5, 2));
    let target = asks_for_zero(&system, &places);
    let Slice::Kept(sliced) = slice(&net, &target, &mut Budget::unlimited()).unwrap() else { panic!("{target:?}") };
    // The step that waits changes nothing, and of the answer 1 nothing is asked.
    assert_eq!((sliced.net.place_count(), sliced.net.transition_count()), (8, 8));
}

#[test]
fn ways_there_and_back_agree() {
    for text in [RUNNING, LOCKED, "request a { X := 1 } request b { x := X; yield; x }"] {
        let system = plain_system(text);
        let (net, places) = interleaving(&system).unwrap();
        for place in net.places() {
            assert_eq!(places.place(places.kind(place).unwrap()), Some(place));
        }
        for transition in net.transitions() {
            assert_eq!(places.transition(places.action(transition).unwrap()), Some(transition));
        }
    }
}

/// Names that would be confused if they were only put together.
#[test]
fn names_of_pairs_are_told_apart() {
    let mut builder = SystemBuilder::new();
    let global = builder.global("g");
    for (request, local) in [("a/b", "c"), ("a", "b/c"), ("a\\", "/c"), ("a\\/", "c"), ("", "a/c")] {
        let (request, local) = (builder.request(request), builder.local(local));
        let response = builder.response("c");
        builder.start(request, local);
        builder.answer(local, response);
    }
    let (net, _) = interleaving(&builder.finish(global)).unwrap();
    net.check_invariants();
    // Five starts, and for each of five requests the answers of four local states.
    assert_eq!(net.transition_count(), 5 + 5 * 4);
}

/// As the formulas have it, written down once more: all pairs, and every step and
/// response for every request.
fn check_published(system: &NetworkSystem) {
    let (net, places) = interleaving(system).unwrap();
    net.check_invariants();
    let (requests, locals, responses) = (system.request_count(), system.local_count(), system.response_count());
    assert_eq!(kinds(&places), (system.global_count(), requests * locals, requests * responses));
    assert_eq!(net.place_count(), system.global_count() + requests * locals + requests * responses);
    assert_eq!(net.transition_count(), system.starts().len() + requests * (system.steps().len() + system.answers().len()));

    type Flow = (Vec<PlaceKind>, Vec<PlaceKind>);
    let mut expected: Vec<Flow> =
        system.starts().iter().map(|&(request, local)| (vec![], vec![PlaceKind::InFlight(request, local)])).collect();
    for request in system.requests() {
        for step in system.steps() {
            let pre = vec![PlaceKind::Global(step.global), PlaceKind::InFlight(request, step.local)];
            expected.push((pre, vec![PlaceKind::Global(step.to_global), PlaceKind::InFlight(request, step.to_local)]));
        }
        for &(local, response) in system.answers() {
            expected.push((vec![PlaceKind::InFlight(request, local)], vec![PlaceKind::Answer(request, response)]));
        }
    }
    let flow = |arcs: &[Arc]| -> Vec<PlaceKind> {
        assert!(arcs.iter().all(|&(_, weight)| weight == 1));
        arcs.iter().map(|&(place, _)| places.kind(place).unwrap()).collect()
    };
    let mut found: Vec<Flow> = net.transitions().map(|transition| (flow(net.inputs(transition)), flow(net.outputs(transition)))).collect();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    let marked: Vec<_> = net.initial().marked().map(|(place, tokens)| (places.kind(place).unwrap(), tokens)).collect();
    assert_eq!(marked, [(PlaceKind::Global(system.initial_global()), 1)]);
}

/// The local states that requests can get to, whatever the global state.
fn reached(system: &NetworkSystem) -> BTreeSet<(RequestId, LocalId)> {
    let mut reached: BTreeSet<_> = system.starts().iter().copied().collect();
    loop {
        let after = reached.iter().flat_map(|&(request, local)| system.steps_of(local).iter().map(move |step| (request, step.to_local)));
        let more: BTreeSet<_> = after.chain(reached.iter().copied()).collect();
        if more == reached {
            return reached;
        }
        reached = more;
    }
}

/// Of the net, slicing leaves no place that a request cannot get to.
fn check_sliced(system: &NetworkSystem) -> usize {
    let (net, places) = interleaving(system).unwrap();
    let reached = reached(system);
    let mut kept = 0;
    for request in system.requests() {
        for response in system.responses() {
            for factor in [1, -1] {
                // At least one such answer, or none.
                let one = Constraint::AtLeastZero(Linear::new([((request, response), factor)], -i64::from(factor > 0)).unwrap());
                let target = places.completed([one]);
                let Slice::Kept(sliced) = slice(&net, &target, &mut Budget::unlimited()).unwrap() else { continue };
                kept += 1;
                for &place in &sliced.places {
                    let can_be = match places.kind(place).unwrap() {
                        PlaceKind::Global(_) => true,
                        PlaceKind::InFlight(request, local) => reached.contains(&(request, local)),
                        PlaceKind::Answer(request, response) => {
                            system.answers().iter().any(|&(local, given)| given == response && reached.contains(&(request, local)))
                        }
                    };
                    assert!(can_be, "{}", net.place_name(place));
                }
                for &transition in &sliced.transitions {
                    let can_fire = match places.action(transition).unwrap() {
                        NetAction::Spawn(..) => true,
                        NetAction::Step(request, position) => reached.contains(&(request, system.steps()[position].local)),
                        NetAction::Respond(request, local, _) => reached.contains(&(request, local)),
                    };
                    assert!(can_fire, "{}", net.transition_name(transition));
                }
            }
        }
    }
    kept
}

#[test]
fn every_request_has_all_places_steps_and_responses() {
    let mut builder = SystemBuilder::new();
    let global = builder.global("g");
    let [a, b, shared, nowhere] = ["a", "b", "shared", "nowhere"].map(|name| builder.local(name));
    let [left, right] = ["left", "right"].map(|name| builder.request(name));
    let [ok, _never] = ["ok", "never"].map(|name| builder.response(name));
    builder.start(left, a);
    builder.start(right, b);
    builder.step(a, global, shared, global);
    builder.step(b, global, shared, global);
    builder.step(nowhere, global, shared, global);
    builder.answer(shared, ok);
    builder.answer(nowhere, ok);
    let system = builder.finish(global);
    check_published(&system);
    assert!(check_sliced(&system) > 0);
    let (net, places) = interleaving(&system).unwrap();
    assert_eq!(kinds(&places), (1, 8, 4));
    // Two spawns; for both requests three steps and two responses.
    assert_eq!(net.transition_count(), 12);
    assert!(places.local(left, b).is_some() && places.local(left, nowhere).is_some());
}

#[test]
fn programs_have_the_published_net() {
    let three =
        "request a { x := X; yield; X := x + 1 - 2 * x; x } request b { if (X == 1) { yield; X := 0; 5 } else { 6 } } request c { X }";
    let mut kept = 0;
    for text in [RUNNING, LOCKED, three] {
        let system = plain_system(text);
        check_published(&system);
        kept += check_sliced(&system);
    }
    assert!(kept > 8, "{kept}");
}

/// The completed multisets of all markings with at most `requests` spawned.
fn multisets(net: &Net, places: &Places, requests: u64) -> BTreeSet<Multiset<Letter>> {
    // A place that every spawn takes from bounds their number.
    let mut bounded = Net::new("bounded");
    for place in net.places() {
        bounded.add_place(net.place_name(place), net.initial_tokens(place)).unwrap();
    }
    let budget = bounded.add_place("to come", requests).unwrap();
    for transition in net.transitions() {
        let spawn = matches!(places.action(transition), Some(NetAction::Spawn(..))).then_some((budget, 1));
        let inputs = net.inputs(transition).iter().copied().chain(spawn);
        bounded.add_transition(net.transition_name(transition), inputs, net.outputs(transition).iter().copied()).unwrap();
    }
    let mut reached = vec![bounded.initial()];
    let mut found = BTreeSet::new();
    let mut next = 0;
    while let Some(marking) = reached.get(next).cloned() {
        next += 1;
        for transition in bounded.transitions().filter(|&transition| bounded.is_enabled(&marking, transition)) {
            let mut after = marking.clone();
            bounded.fire(&mut after, transition).unwrap();
            if !reached.contains(&after) {
                reached.push(after);
            }
        }
        let global: u64 =
            places.kinds().iter().zip(marking.as_slice()).map(|(kind, &n)| u64::from(matches!(kind, PlaceKind::Global(_))) * n).sum();
        assert_eq!(global, 1);
        if places.in_flight().all(|place| marking.tokens(place) == 0) {
            let mut multiset = Multiset::new();
            for place in places.answers() {
                if let Some(PlaceKind::Answer(request, response)) = places.kind(place) {
                    multiset.insert_many((request, response), marking.tokens(place)).unwrap();
                }
            }
            found.insert(multiset);
        }
    }
    found
}

#[test]
fn completed_multisets_are_those_of_the_system() {
    let programs = [
        RUNNING,
        LOCKED,
        "request a { x := X; yield; X := x + 1 - 2 * x; x } request b { if (X == 1) { yield; X := 0; 5 } else { 6 } }",
        "request a { if (?) { X := 1 } else { X := 0 }; yield; X } request b { while (X == 0) { yield }; 1 }",
    ];
    for text in programs {
        let system = plain_system(text);
        let (net, places) = interleaving(&system).unwrap();
        for requests in 0..4 {
            let expected = completed_multisets(&system, requests, &mut Budget::unlimited()).unwrap();
            assert_eq!(multisets(&net, &places, requests as u64), expected, "{text}");
        }
    }
}

fn config(sweep: Sweep) -> ProptestConfig {
    ProptestConfig::with_cases(u32::try_from(sweep.count()).unwrap())
}

proptest! {
    #![proptest_config(config(sweep("classic.nets", 50, 200)))]

    #[test]
    fn random_systems_have_the_published_net(system in small_system()) {
        check_published(&system);
        check_sliced(&system);
    }

    /// Also with responses that no request gives and local states that none gets to.
    #[test]
    fn random_systems_and_their_nets_give_the_same_answers(system in small_system()) {
        let (net, places) = interleaving(&system).unwrap();
        for requests in 0..3 {
            let expected = completed_multisets(&system, requests, &mut Budget::unlimited()).unwrap();
            prop_assert_eq!(multisets(&net, &places, requests as u64), expected);
        }
    }
}
