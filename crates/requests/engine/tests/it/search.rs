//! The search against published verdicts, brute force and itself.

use std::convert::Infallible;
use std::time::Instant;

use serval_budget::{Budget, Cancel};
use serval_compile::{Limits, Options, Prepared, StepLimits, compile};
use serval_effort::{side_by_side, skips, sweep};
use serval_engine::portfolio::{Found, Method, Plan, decide};
use serval_engine::search::{LayerOutcome, Search, Waits, parallel_layer};
use serval_families::Family;
use serval_model::{NetworkSystem, Run, SerialAutomaton, replay};
use serval_random::{Behaviours, uniform};
use serval_syntax::analyze;
use serval_testkit::random::{Shape, random_program};
use serval_testkit::say;
use serval_testkit::suite::data_dir;

/// The fewest requests that refute a program, up to a number.
fn fewest(prepared: &Prepared, up_to: u32, budget: &mut Budget) -> Option<u32> {
    let mut searches: Vec<_> = (0..prepared.component_count()).map(|component| Search::new(prepared.lazy(component))).collect();
    (1..=up_to).find(|&requests| {
        searches.iter_mut().any(|search| match search.layer(requests, budget) {
            LayerOutcome::Clear => false,
            LayerOutcome::Found(run) => {
                assert!(run.is_complete());
                true
            }
            other => panic!("{other:?}"),
        })
    })
}

fn prepared(text: &str) -> Prepared {
    Prepared::new(&analyze(text).program.unwrap(), Options::default())
}

#[test]
fn published_counterexamples_are_found_and_no_others() {
    if skips("engine.published_counterexamples_are_found_and_no_others") {
        return;
    }
    let Some(suite) = data_dir("suite") else { return };
    let list = std::fs::read_to_string(suite.join("expected.csv")).unwrap();
    let lines: Vec<&str> = list.lines().skip(1).collect();
    let outcomes = side_by_side(&lines, |line| {
        let mut fields = line.split(',');
        let (file, verdict) = (fields.next().unwrap(), fields.next().unwrap());
        let text = std::fs::read_to_string(suite.join(file)).unwrap();
        let start = Instant::now();
        let found = if file.ends_with(".json") {
            let system = NetworkSystem::from_json(&text).unwrap();
            let mut search = Search::new(&system);
            (1..=4).find(|&requests| matches!(search.layer(requests, &mut Budget::unlimited()), LayerOutcome::Found(_)))
        } else {
            fewest(&prepared(&text), if verdict == "serializable" { 4 } else { 8 }, &mut Budget::unlimited())
        };
        let millis = start.elapsed().as_millis();
        assert_eq!(found.is_some(), verdict == "not-serializable", "{file}: {found:?}");
        found.map(|requests| (millis, format!("{file} with {requests} requests")))
    });
    let clear = outcomes.iter().filter(|outcome| outcome.is_none()).count();
    let refuted = outcomes.len() - clear;
    let (millis, slowest) = outcomes.into_iter().flatten().max().unwrap_or_default();
    say(&format!("suite: {refuted} refuted, {clear} not, slowest refutation {millis} ms ({slowest})"));
    assert_eq!((refuted, clear), (20, 27));
}

/// Ten times what the slowest of the families takes.
const TICKS: u64 = 3_000_000;

#[test]
fn families_are_refuted_with_the_fewest_requests() {
    for (name, n, requests) in [
        ("counter_racy", 200, 2),
        ("watch", 6, 7),
        ("monitors", 8, 3),
        ("monitors", 14, 3),
        ("route", 40, 4),
        ("bank_split", 4, 3),
        ("flips", 3, 7),
    ] {
        let text = Family::named(name).unwrap().program(n);
        let budget = &mut Budget::ticks(TICKS);
        assert_eq!(fewest(&prepared(&text), requests, budget), Some(requests), "{name} {n}");
        say(&format!("{name} {n}: refuted with {requests} requests in {} ticks", TICKS - budget.left()));
    }
}

/// Follows a run on a system and gives whether its answers are serial.
fn is_counterexample(system: &NetworkSystem, run: &Run) -> bool {
    let end = replay(system, run.events()).unwrap();
    assert!(end.is_complete());
    let automaton = SerialAutomaton::new(system, &mut Budget::unlimited()).unwrap();
    !automaton.contains(&end.completed, &mut Budget::unlimited()).unwrap()
}

fn small_limits() -> Options {
    let limits = Limits { pairs: 60_000, step: StepLimits { operations: 200_000, loop_states: 20_000 } };
    Options { limits, ..Options::default() }
}

/// A layer that goes on again and again from where it stopped, with more ticks each time.
fn layer_in_parts(system: &NetworkSystem, requests: u32, jobs: usize) -> LayerOutcome<Infallible> {
    let (mut clear, waits) = (0, Waits::of(system, &mut Budget::unlimited()).unwrap());
    let mut parts = (3..64).map(|power| parallel_layer(system, &waits, requests, jobs, &mut clear, &mut Budget::ticks(1 << power)));
    parts.find(|outcome| !matches!(outcome, LayerOutcome::Stopped(_))).unwrap()
}

#[test]
fn random_programs_are_refuted_exactly_when_brute_force_says_so() {
    let sweep = sweep("engine.programs", 1_200, 5_000);
    let each = sweep.map(0, |number| {
        let (mut systems, mut refuted) = (0, 0);
        let shape = Shape::ALL[usize::try_from(number).unwrap() % Shape::ALL.len()];
        let text = random_program(1_000_000 + number, shape);
        let program = analyze(&text).program.unwrap();
        let Ok(compiled) = compile(&program, small_limits(), &Budget::unlimited()) else { return (0, 0) };
        for component in compiled.components() {
            let system = component.system();
            let Some(brute) = Behaviours::with(system, 3, 2_000_000) else { continue };
            let smallest = brute.fewest();
            let mut search = Search::new(system);
            let waits = Waits::of(system, &mut Budget::unlimited()).unwrap();
            let mut found = None;
            for requests in 1..=3 {
                let outcome = search.layer(requests, &mut Budget::unlimited());
                for jobs in [1, 2, 8] {
                    let again = parallel_layer(system, &waits, requests, jobs, &mut 0, &mut Budget::unlimited());
                    let in_parts = layer_in_parts(system, requests, jobs);
                    for again in [again, in_parts] {
                        match (&outcome, &again) {
                            (LayerOutcome::Clear, LayerOutcome::Clear) => {}
                            (LayerOutcome::Found(one), LayerOutcome::Found(other)) => assert_eq!(one.events(), other.events()),
                            _ => panic!("{shape:?} {number}: {outcome:?} but {again:?} on {jobs} threads"),
                        }
                    }
                }
                if let LayerOutcome::Found(run) = outcome {
                    assert!(is_counterexample(system, &run), "{shape:?} {number}\n{text}");
                    found = Some(u128::from(requests));
                    break;
                }
            }
            assert_eq!(found, smallest, "{shape:?} {number}\n{text}");
            systems += 1;
            refuted += u64::from(found.is_some());
        }
        (systems, refuted)
    });
    let (systems, refuted) = each.into_iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    say(&format!("search: {systems} systems, {refuted} refuted with up to 3 requests, as brute force says"));
    assert!(!sweep.is_representative() || systems * 10 > sweep.count() * 9, "{systems}");
}

#[test]
fn the_budget_ends_a_layer_at_the_same_place_on_any_number_of_threads() {
    let text = Family::named("watch").unwrap().program(4);
    let compiled = compile(&analyze(&text).program.unwrap(), Options::default(), &Budget::unlimited()).unwrap();
    let system = compiled.components()[0].system();
    let waits = Waits::of(system, &mut Budget::unlimited()).unwrap();
    for ticks in [10, 100, 1_000, 5_000, 20_000, 100_000] {
        let results: Vec<String> = [1, 2, 8]
            .iter()
            .map(|&jobs| {
                let mut budget = Budget::ticks(ticks);
                let outcomes: Vec<String> =
                    (1..=5).map(|requests| format!("{:?}", parallel_layer(system, &waits, requests, jobs, &mut 0, &mut budget))).collect();
                outcomes.join("\n")
            })
            .collect();
        assert!(results.iter().all(|result| *result == results[0]), "{ticks}: {results:#?}");
    }
}

#[test]
fn an_unbounded_program_is_refuted() {
    assert_eq!(fewest(&prepared("request a { y := X; yield; X := y + 1 }"), 3, &mut Budget::unlimited()), Some(2));
    assert_eq!(fewest(&prepared("request a { X := X + 1 }"), 4, &mut Budget::unlimited()), None);
}

#[test]
fn a_layer_is_never_clear_on_a_guess() {
    // What one request alone can answer has no end, so no question about
    // serial runs is ever answered.
    let prepared = prepared("request a { while (?) { x := x + 1; yield }; x }");
    let mut search = Search::new(prepared.lazy(0));
    assert!(matches!(search.layer(1, &mut Budget::ticks(300_000)), LayerOutcome::Stopped(_)));
}

#[test]
fn a_request_that_answers_where_it_starts_is_seen() {
    // Both may answer without moving; one may also move on from there.
    let json = r#"{"initial_global": "g", "requests": [["a", "s"]], "responses": [["s", "0"], ["t", "1"]],
        "transitions": [["s", "g", "t", "h"], ["t", "h", "s", "g"], ["s", "h", "s", "k"]]}"#;
    let system = NetworkSystem::from_json(json).unwrap();
    let smallest = Behaviours::with(&system, 3, u64::MAX).unwrap().fewest();
    let mut search = Search::new(&system);
    let found = (1..=3).find(|&requests| matches!(search.layer(requests, &mut Budget::unlimited()), LayerOutcome::Found(_)));
    assert_eq!(found.map(u128::from), smallest);
}

#[test]
fn random_systems_are_refuted_exactly_when_brute_force_says_so() {
    let sweep = sweep("engine.systems", 600, 3_000);
    let each = sweep.map(0, |seed| {
        let system = uniform(seed);
        let smallest = Behaviours::with(&system, 3, u64::MAX).unwrap().fewest();
        let mut search = Search::new(&system);
        let found = (1..=3).find(|&requests| match search.layer(requests, &mut Budget::unlimited()) {
            LayerOutcome::Found(run) => {
                assert!(is_counterexample(&system, &run), "seed {seed}");
                true
            }
            _ => false,
        });
        assert_eq!(found.map(u128::from), smallest, "seed {seed}");
        u64::from(found.is_some())
    });
    let (count, refuted) = (sweep.count(), each.into_iter().sum::<u64>());
    say(&format!("search: {count} random systems, {refuted} refuted with up to 3 requests, as brute force says"));
    assert!(!sweep.is_representative() || refuted * 30 > count, "{refuted}");
}

/// The search finds it in the reduced system, and it is worth nothing before it is a run of the original.
#[test]
fn a_run_of_many_requests_is_lifted() {
    let program = analyze(&Family::named("ticket_wrap").unwrap().program(12)).program.unwrap();
    let compiled = compile(&program, Options::default(), &Budget::ticks(1_000_000)).unwrap();
    let systems: Vec<&NetworkSystem> = compiled.components().iter().map(|component| component.system()).collect();
    let cancel = Cancel::new();
    let decision = decide(&systems, 0, &Plan { rounds: 1, ..Plan::new(&[Method::Reduce, Method::Search], &cancel) });
    let Found::Refuted { run, minimal, method, .. } = decision.found else { panic!("{:?}", decision.found) };
    assert_eq!((run.configuration().completed.size(), minimal, method), (14, true, Method::Search));
}
