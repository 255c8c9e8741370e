//! Requests that wait for more than others do: leaving them out changes no layer.

use serval_budget::Budget;
use serval_compile::{Options, compile};
use serval_effort::sweep;
use serval_engine::search::{LayerOutcome, Search, Waits, parallel_layer};
use serval_model::NetworkSystem;
use serval_syntax::analyze;
use serval_testkit::random::SplitMix64;
use serval_testkit::say;

fn system(text: &str) -> NetworkSystem {
    let compiled = compile(&analyze(text).program.unwrap(), Options::default(), &Budget::unlimited()).unwrap();
    compiled.components()[0].system().clone()
}

/// A part of a request: it changes what others wait for, or waits.
fn part(random: &mut SplitMix64, waits: bool) -> String {
    let variable = random.pick(&["X", "X", "Y"]);
    let (one, other) = (random.below(3), random.below(3));
    match random.below(5) {
        _ if waits && random.chance(75) => format!("while (!({variable} == {one})) {{ yield }}"),
        0 => format!("if ({variable} == {one}) {{ {variable} := {other} }}"),
        1 => format!("while ({variable} == {one}) {{ {variable} := {other}; yield }}"),
        2 => format!("{variable} := 2 - {variable}"),
        // Without end, unless another request does something.
        3 => format!("while (!(Y == {one})) {{ if (X == 2) {{ X := 0 }} else {{ X := X + 1 }}; yield }}"),
        _ => format!("if ({variable} == 2) {{ {variable} := 0 }} else {{ {variable} := {variable} + 1 }}"),
    }
}

/// A program with requests that wait for several changes one after the other, and others that make them.
fn program(seed: u64) -> String {
    let random = &mut SplitMix64::new(seed);
    let kinds = 2 + random.below(2);
    let request = |kind: usize| {
        let waits = kind == 0 || random.chance(30);
        let parts = if waits { 1 + random.below(4) } else { 1 + random.below(2) };
        let mut text = (0..parts).map(|_| part(random, waits)).collect::<Vec<_>>().join("; yield; ");
        text.push_str(random.pick(&["; X", "; Y", "; 7"]));
        format!("request r{kind} {{ {text} }}\n")
    };
    (0..kinds).map(request).collect()
}

#[test]
fn no_counterexample_is_left_out() {
    let sweep = sweep("engine.waits", 400, 1_500);
    let each = sweep.map(0, |seed| {
        let text = program(seed);
        let system = system(&text);
        let waits = Waits::of(&system, &mut Budget::unlimited()).unwrap();
        let (mut all, mut some) = (Budget::unlimited(), Budget::unlimited());
        let mut search = Search::new(&system);
        let mut found_with_fewer = 0;
        for requests in 1..=5 {
            let looked_at_all = search.layer(requests, &mut all);
            let looked_at_some = parallel_layer(&system, &waits, requests, 1, &mut 0, &mut some);
            match (looked_at_all, looked_at_some) {
                (LayerOutcome::Clear, LayerOutcome::Clear) => {}
                (LayerOutcome::Found(one), LayerOutcome::Found(other)) => {
                    assert_eq!(one.events(), other.events(), "{seed}\n{text}");
                    found_with_fewer = u64::from(all.left() < some.left());
                    break;
                }
                (one, other) => panic!("{seed}: {one:?} but {other:?}\n{text}"),
            }
        }
        (u64::from(all.left() < some.left()), found_with_fewer)
    });
    let (fewer, found_with_fewer) = each.into_iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let count = sweep.count();
    say(&format!("waits: {fewer} of {count} programs searched with fewer ticks, {found_with_fewer} of them refuted"));
    assert!(!sweep.is_representative() || (fewer > count / 4 && found_with_fewer > count / 50));
}

#[test]
fn a_request_that_waits_for_many_changes_is_looked_at_only_among_enough_others() {
    let flips = serval_families::Family::named("flips").unwrap().program(12);
    let system = system(&flips);
    let waits = Waits::of(&system, &mut Budget::unlimited()).unwrap();
    let mut budget = Budget::ticks(20_000);
    for requests in 1..=24 {
        assert!(matches!(parallel_layer(&system, &waits, requests, 1, &mut 0, &mut budget), LayerOutcome::Clear), "{requests}");
    }
    assert!(matches!(parallel_layer(&system, &waits, 25, 1, &mut 0, &mut budget), LayerOutcome::Found(_)));
}

#[test]
fn with_too_few_ticks_nothing_is_left_out() {
    let text = serval_families::Family::named("flips").unwrap().program(3);
    let system = system(&text);
    for ticks in 0..200 {
        let waits = Waits::of(&system, &mut Budget::ticks(ticks)).unwrap();
        let outcome = parallel_layer(&system, &waits, 7, 1, &mut 0, &mut Budget::unlimited());
        assert!(matches!(outcome, LayerOutcome::Found(_)), "{ticks}: {outcome:?}");
    }
}
