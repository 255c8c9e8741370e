//! Branches that no run comes to: what is reported is never run, and what is run by any request is never reported.

use serval_budget::Budget;
use serval_compile::{Compiled, Limits, Options, compile};
use serval_effort::sweep;
use serval_syntax::{Span, analyze};
use serval_testkit::random::{Shape, SplitMix64, random_convenience, random_program};
use serval_testkit::say;

/// Requests in flight at a time, events of a run, and runs of a program.
const AT_ONCE: u32 = 3;
const EVENTS: usize = 60;
const RUNS: u64 = 12;

fn compiled(text: &str) -> Option<Compiled> {
    let program = analyze(text).program?;
    let limits = Limits { pairs: 20_000, ..Limits::default() };
    compile(&program, Options { limits, ..Options::default() }, &Budget::unlimited()).ok()
}

/// Where notes of this code stand.
fn noted(compiled: &Compiled, text: &str, code: &str) -> Vec<Span> {
    compiled
        .findings(text, &Budget::unlimited())
        .iter()
        .filter(|finding| finding.code.0 == code)
        .map(|finding| finding.primary.span)
        .collect()
}

/// The places of the text that a random run comes to: what it reads and writes, and where its steps end.
fn places_of_run(compiled: &Compiled, seed: u64) -> Vec<Span> {
    let mut rng = SplitMix64::new(seed);
    let mut run = compiled.prepared().source().start();
    let bodies = compiled.program().requests.len();
    let mut places = Vec::new();
    for event in 0..EVENTS {
        let flying: Vec<u32> = run.threads().collect();
        if flying.is_empty() || (flying.len() < AT_ONCE as usize && rng.chance(30)) {
            run.spawn(u32::try_from(event).unwrap(), rng.below(bodies));
            continue;
        }
        let thread = rng.pick(&flying);
        let (steps, _) = run.steps(thread);
        // Also of the steps that are not taken it is known that they can be.
        for step in &steps {
            places.extend(step.accesses.iter().map(|access| access.span));
            places.push(step.ended_at);
        }
        match steps.is_empty() {
            true => run.respond(thread).unwrap(),
            false => run.take(thread, &steps[rng.below(steps.len())]).unwrap(),
        }
    }
    places
}

#[test]
fn what_is_reported_is_never_run() {
    let sweep = sweep("compile.dead", 400, 2_000);
    let found = sweep.map(0, |number| {
        let shape = Shape::ALL[usize::try_from(number).unwrap() % Shape::ALL.len()];
        let text = if number % 5 == 4 { random_convenience(number).text } else { random_program(number, shape) };
        let compiled = compiled(&text)?;
        let dead = noted(&compiled, &text, "N0312");
        for run in 0..RUNS {
            for place in places_of_run(&compiled, number * RUNS + run) {
                let inside = dead.iter().find(|dead| dead.start <= place.start && place.end <= dead.end && place.start < place.end);
                assert_eq!(inside, None, "{number}, run {run}: {place:?}\n{text}");
            }
        }
        Some(dead.len())
    });
    let found: Vec<usize> = found.into_iter().flatten().collect();
    let (programs, notes) = (found.len(), found.iter().sum::<usize>());
    say(&format!("branches that no run comes to: {programs} programs, {notes} notes"));
    let count = usize::try_from(sweep.count()).unwrap();
    assert!(!sweep.is_representative() || (programs * 2 > count && notes * 20 > count), "{programs} programs, {notes} notes");
}

/// What is reported of a text, as it is written.
fn reported<'a>(text: &'a str, code: &str) -> Vec<&'a str> {
    let compiled = compiled(text).unwrap_or_else(|| panic!("{text}"));
    noted(&compiled, text, code).iter().map(|span| &text[span.start as usize..span.end as usize]).collect()
}

#[test]
fn branches_that_no_run_comes_to_are_found() {
    for (text, wanted) in [
        // A balance that begins with 0.
        ("request w { x := BAL; yield; if (x > 0) { BAL := x - 1; return 1 }; 0 }", vec!["BAL := x - 1; return 1"]),
        ("var BAL: 0..3 := 3 request w { x := BAL; yield; if (x > 0) { BAL := x - 1; return 1 }; 0 }", vec![]),
        ("request w { if (X == 0) { X := 1; yield; X := 0; 1 } else if (X == 1) { 2 } else { X := 0; 3 } }", vec!["X := 0; 3"]),
        ("request w { while (X > 2) { Y := X; yield }; X := 1; Y }", vec!["Y := X; yield"]),
        // Only the outermost, and only once however often it stands in the graph.
        ("request w { if (X > 1) { if (Y) { Y := 0 } else { Y := 1 } }; X := 1 - X; yield; Y }", vec!["if (Y) { Y := 0 } else { Y := 1 }"]),
        ("fn f(x) { if (x > 4) { Z := 1 }; 0 } request w(n: 0..3) { f(X); yield; X := n; f(n + X); Z }", vec![]),
        ("fn f(x) { if (x > 6) { Z := 1 }; 0 } request w(n: 0..3) { f(X); yield; X := n; f(n + X); Z }", vec!["Z := 1"]),
        // Switched off on purpose, waiting for nothing, and a copy that is begun.
        ("const DEBUG = 0 request w { if (DEBUG) { X := 7 }; yield; X := 1 - X }", vec![]),
        ("request w(n: 0..1) { if (n == 5) { X := 7 }; yield; X := 1 - X }", vec![]),
        ("request w { while (L == 5) { yield }; await (L == 0); lock(L); yield; unlock(L); 0 }", vec![]),
        ("request w(n: 0..1) { x := X; yield; if (x == n) { X := 1 - n }; x }", vec![]),
        // A comment silences it.
        ("// allow: N0312\nrequest w { x := X; yield; if (x > 1) { X := 0 }; X := 1; x }", vec![]),
    ] {
        assert_eq!(reported(text, "N0312"), wanted, "{text}");
    }
}

#[test]
fn programs_that_never_pause_are_noted() {
    for (text, wanted) in [
        ("request w { X := 1 - X }", vec!["w"]),
        ("request w { X := 1 - X } request v { Y := X; Y }", vec!["w"]),
        ("request w { X := 1 - X; yield; X }", vec![]),
        ("request w { X := 1 - X } request v { await (X == 1); 0 }", vec![]),
        ("request w { lock(L); X := 1 - X; unlock(L); X }", vec![]),
        ("fn f() { yield; X } request w { X := 1 - f(); X }", vec![]),
        // Nothing is shared, which says it all.
        ("request w { x := 1; x }", vec![]),
        ("// allow: N0311\nrequest w { X := 1 - X }", vec![]),
    ] {
        assert_eq!(reported(text, "N0311"), wanted, "{text}");
    }
    assert_eq!(reported("request w { x := 1; x }", "N0310"), ["w"]);
}
