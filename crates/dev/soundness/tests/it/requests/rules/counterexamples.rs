//! Rules that look right and are not: each is tried on a small system, where
//! brute force shows what is wrong with it, and where our rules do no harm.

use std::collections::{BTreeMap, BTreeSet};

use serval_budget::Budget;
use serval_compile::{Options, compile};
use serval_random::Behaviours;

use serval_model::{GlobalId, LocalId, NetworkSystem, Node, NodeStep, NormalForm, SystemBuilder};
use serval_proof::script::{Dominated, Entry, Quotient, Side};
use serval_syntax::analyze;

use super::forms::Short;

/// Where a request alone can get to, the point itself included.
fn reach(form: &NormalForm, from: (Node, u32)) -> BTreeSet<(Node, u32)> {
    let mut found = BTreeSet::from([from]);
    let mut to_visit = vec![from];
    while let Some(at) = to_visit.pop() {
        to_visit.extend(form.steps_from(at).iter().map(|step| step.target()).filter(|&target| found.insert(target)));
    }
    found
}

/// The greatest weak simulation of nodes that are not done.
fn weak_simulation(form: &NormalForm) -> BTreeSet<(Node, Node)> {
    let open: Vec<Node> = form.node_numbers().filter(|&node| !form.is_done(node)).collect();
    let mut relation: BTreeSet<(Node, Node)> = open.iter().flat_map(|&x| open.iter().map(move |&y| (x, y))).collect();
    loop {
        let holds = |&(x, y): &(Node, Node)| {
            form.steps_of(y).iter().all(|step| {
                let fits = |&(to, global): &(Node, u32)| {
                    global == step.to_global && (to == step.to_node || relation.contains(&(to, step.to_node)))
                };
                reach(form, (x, step.global)).iter().any(fits)
            })
        };
        let kept: BTreeSet<(Node, Node)> = relation.iter().copied().filter(holds).collect();
        if kept == relation {
            return relation;
        }
        relation = kept;
    }
}

/// a. A step is dominated by one that leads to a node that can do as much, but
/// only by way of the step that goes.
#[test]
fn a_weak_simulation_dominates_nothing() {
    let short = Short { init: &[0], done: &[102], steps: &[[0, 0, 1, 0], [0, 0, 2, 0], [1, 0, 0, 0], [2, 0, 102, 0]] };
    let form = short.form();
    let (one, two) = (short.node(1), short.node(2));
    assert!(weak_simulation(&form).contains(&(one, two)));
    let steps = form.steps().iter().filter(|step| step.to_node != two).copied().collect();
    let wrong = form.clone().with_steps(steps);
    assert!(!short.is_kept_by(&wrong));
    assert_eq!(short.behaviours(&wrong).interleaved.len(), 1, "only nothing can be answered");
    // The checker does not accept it.
    let number = |to: Node| u32::try_from(form.steps().iter().position(|s| s.to_node == to).unwrap()).unwrap();
    let locals = weak_simulation(&form).into_iter().filter(|(x, y)| x != y).collect();
    let entry = Entry::Dominated(Dominated { locals, globals: Vec::new(), drops: vec![(number(two), number(one))] });
    assert_eq!(short.refused_by(&[entry]), "relation.strong");
    assert!(short.is_kept_by_our_rules());
}

/// a, with global states: one is as good as another by way of the step to it.
#[test]
fn a_weak_simulation_of_global_states_dominates_nothing() {
    let short = Short { init: &[0], done: &[102], steps: &[[0, 0, 1, 1], [0, 0, 1, 2], [1, 1, 0, 0], [1, 2, 102, 2]] };
    let form = short.form();
    let steps = form.steps().iter().filter(|step| step.target() != (short.node(1), 2)).copied().collect();
    assert!(!short.is_kept_by(&form.clone().with_steps(steps)));
    let number = |global: u32| u32::try_from(form.steps().iter().position(|s| s.target() == (short.node(1), global)).unwrap()).unwrap();
    let entry = Entry::Dominated(Dominated { locals: Vec::new(), globals: vec![(1, 2)], drops: vec![(number(2), number(1))] });
    assert_eq!(short.refused_by(&[entry]), "relation.global.strong");
    // It is a weak simulation.
    let merged = Entry::GlobalQuotient(Quotient { relation: vec![(1, 2)], classes: Vec::new() });
    assert!(short.verify(&[merged]).is_ok());
    assert!(short.is_kept_by_our_rules());
}

/// The wrong variant of `closure`: one identity step to a node that can do no
/// more goes, and its compositions with what follows come.
fn without_one_identity(form: &NormalForm) -> Option<NormalForm> {
    let relation = weak_simulation(form);
    let waits = |step: &&NodeStep| step.global == step.to_global && relation.contains(&(step.node, step.to_node));
    let gone = *form.steps().iter().find(waits)?;
    let composed = form.steps_from(gone.target()).iter().map(|step| NodeStep { node: gone.node, ..*step });
    let steps = form.steps().iter().filter(|&&step| step != gone).copied().chain(composed).collect();
    Some(form.clone().with_steps(steps))
}

/// b. Identity steps one at a time: it comes back to where it was.
#[test]
fn b_identity_steps_one_at_a_time_go_round() {
    let short = Short {
        init: &[0, 4],
        done: &[100, 101, 102],
        steps: &[
            [0, 0, 1, 0],
            [0, 1, 1, 1],
            [1, 0, 2, 0],
            [2, 0, 3, 0],
            [3, 0, 2, 0],
            [1, 1, 100, 1],
            [2, 1, 100, 1],
            [1, 2, 101, 2],
            [3, 2, 101, 2],
            [4, 0, 102, 1],
            [4, 1, 102, 2],
            [4, 2, 102, 0],
        ],
    };
    let mut seen: Vec<NormalForm> = Vec::new();
    let mut form = short.form();
    // It changes something each time, and comes to a system that it has left.
    while !seen.contains(&form) {
        assert!(seen.len() < 100);
        seen.push(form.clone());
        form = without_one_identity(&form).expect("it never comes to an end");
    }
    assert!(short.is_kept_by_our_rules());
}

/// c. A done node in the set of a right mover: no request interrupts, and the step
/// is joined with what follows, which is nothing.
#[test]
fn c_a_done_node_is_no_place_to_go_on_from() {
    let short = Short { init: &[0], done: &[100], steps: &[[0, 0, 100, 1]] };
    let entry = short.mover(Side::Right, &[(100, 1)]);
    assert!(!short.is_kept_by(&short.applied(&entry)));
    assert_eq!(short.refused_by(&[entry]), "mover.ends");
    assert!(short.is_kept_by_our_rules());
}

/// d. The same at the other end: an initial node in the set of a left mover.
/// With a copy it does no harm.
#[test]
fn d_an_initial_node_is_no_place_to_come_from() {
    let short = Short { init: &[0], done: &[100], steps: &[[0, 0, 100, 1]] };
    let entry = short.mover(Side::Left, &[(0, 0)]);
    assert!(!short.is_kept_by(&short.applied(&entry)));
    assert_eq!(short.refused_by(std::slice::from_ref(&entry)), "mover.ends");
    let left = short.verify(&[Entry::Split(short.node(0)), entry]).unwrap();
    assert!(short.is_kept_by(left.form()));
    assert!(short.is_kept_by_our_rules());
}

/// e. Without the last condition two requests hand the interruption to each
/// other for ever.
#[test]
fn e_the_other_request_must_not_be_interrupted_in_its_turn() {
    let right = Short { init: &[0], done: &[100], steps: &[[0, 0, 1, 2], [0, 2, 1, 0], [1, 0, 100, 0]] };
    let left = Short { init: &[0], done: &[101], steps: &[[0, 0, 1, 0], [1, 0, 101, 2], [1, 2, 101, 0]] };
    for (short, side) in [(right, Side::Right), (left, Side::Left)] {
        let entry = short.mover(side, &[(1, 2)]);
        assert!(!short.is_kept_by(&short.applied(&entry)), "{side:?}");
        assert_eq!(short.refused_by(&[entry]), "mover.paths", "{side:?}");
        assert!(short.is_kept_by_our_rules(), "{side:?}");
    }
}

/// A step that stays at its node is no empty path: it changes the global state.
#[test]
fn e_a_step_that_stays_at_its_node_is_a_step() {
    let short =
        Short { init: &[0], done: &[100, 101], steps: &[[0, 0, 0, 1], [0, 0, 1, 0], [0, 2, 101, 2], [1, 1, 100, 2], [1, 0, 100, 0]] };
    let entry = short.mover(Side::Left, &[(1, 0), (1, 1)]);
    assert!(!short.is_kept_by(&short.applied(&entry)));
    assert_eq!(short.refused_by(&[entry]), "mover.paths");
    assert!(short.is_kept_by_our_rules());
}

/// What is known about pairs holds for a copy, too: where its original can be
/// beside others, so can it.
#[test]
fn a_copy_is_where_its_original_was() {
    let short = Short { init: &[0], done: &[100, 101], steps: &[[0, 0, 1, 0], [1, 0, 100, 2], [1, 2, 101, 1]] };
    let entry = short.mover(Side::Right, &[(1, 0)]);
    assert!(!short.is_kept_by(&short.applied(&entry)));
    // The fold leaves out the step of the original, at which no request begins.
    let (start, next) = (short.node(0), short.node(1));
    assert_eq!(
        short.refused_by(&[Entry::Pairs, Entry::Split(start), Entry::IdentityElimination(vec![(start, next)]), entry]),
        "mover.paths"
    );
    assert!(short.is_kept_by_our_rules());
}

/// A step out of a circle of identity steps must not be handed round for ever.
#[test]
fn folding_ends_in_circles() {
    let short = Short { init: &[0], done: &[100], steps: &[[0, 0, 1, 1], [1, 1, 2, 1], [2, 1, 1, 1], [2, 1, 100, 1]] };
    assert!(short.is_kept_by_our_rules());
}

/// The parts of a system that share no global variable, as systems of their
/// own: here the local states with this prefix, and what they do to the global
/// state, which is all of it or nothing.
fn part(system: &NetworkSystem, prefix: &str) -> NetworkSystem {
    let mut builder = SystemBuilder::new();
    let mut globals: BTreeMap<GlobalId, GlobalId> = BTreeMap::new();
    for global in system.globals() {
        globals.insert(global, builder.global(system.global_name(global)));
    }
    let own = |local: LocalId| system.local_name(local).starts_with(prefix);
    for &(request, local) in system.starts().iter().filter(|start| own(start.1)) {
        let (request, local) = (builder.request(system.request_name(request)), builder.local(system.local_name(local)));
        builder.start(request, local);
    }
    for &(local, response) in system.answers().iter().filter(|answer| own(answer.0)) {
        let (local, response) = (builder.local(system.local_name(local)), builder.response(system.response_name(response)));
        builder.answer(local, response);
    }
    for step in system.steps().iter().filter(|step| own(step.local)) {
        let (from, to) = (builder.local(system.local_name(step.local)), builder.local(system.local_name(step.to_local)));
        builder.step(from, globals[&step.global], to, globals[&step.to_global]);
    }
    builder.finish(globals[&system.initial_global()])
}

/// f. Two bodies of one request that share no global are not two components:
/// the answers of one excuse those of the other.
#[test]
fn f_requests_of_one_name_stay_together() {
    // Sets X, reads it back after a pause, and resets it; or answers freely.
    let mut builder = SystemBuilder::new();
    let globals = [builder.global("X=0"), builder.global("X=1")];
    let (request, answers) = (builder.request("q"), [builder.response("0"), builder.response("1")]);
    let (start, wait) = (builder.local("set start"), builder.local("set wait"));
    let ends = [builder.local("set read 0"), builder.local("set read 1")];
    builder.start(request, start);
    for (value, &global) in globals.iter().enumerate() {
        builder.step(start, global, wait, globals[1]);
        builder.step(wait, global, ends[value], globals[0]);
        builder.answer(ends[value], answers[value]);
    }
    let free = builder.local("free start");
    builder.start(request, free);
    for answer in answers {
        builder.answer(free, answer);
    }
    let whole = builder.finish(globals[0]);
    let serializable = |system: &NetworkSystem| Behaviours::with(system, 4, u64::MAX).unwrap().is_serializable();
    assert!(serializable(&whole));
    assert!(!serializable(&part(&whole, "set")), "split by globals alone, the first part would refute the whole");
    assert!(serializable(&part(&whole, "free")));

    let text = "request q { X := 1; yield; y := X; X := 0; y }\nrequest q { if (?) { 0 } else { 1 } }\n";
    let program = analyze(text).program.unwrap();
    let compiled = compile(&program, Options::default(), &Budget::unlimited()).unwrap();
    let [component] = compiled.components() else { panic!("{} components", compiled.components().len()) };
    assert!(serializable(component.system()));
    let alone = analyze("request q { X := 1; yield; y := X; X := 0; y }").program.unwrap();
    let compiled = compile(&alone, Options::default(), &Budget::unlimited()).unwrap();
    assert!(!serializable(compiled.components()[0].system()));
}
