//! Runs of compiled systems, followed on the text.

use serval_budget::Budget;
use serval_compile::{Compiled, Limits, Options, SourceRun, compile};
use serval_effort::sweep;
use serval_model::{Event, random_run};
use serval_syntax::analyze;
use serval_testkit::random::{Shape, random_program};
use serval_testkit::say;

/// Follows a random run of one component and checks every step's account of
/// reads and writes against the values before and after.
fn follow(compiled: &Compiled, component: usize, seed: u64, name: &str) -> usize {
    let system = compiled.components()[component].system();
    let simulated = random_run(system, 4, seed, 60, &mut Budget::unlimited());
    let mut run = compiled.prepared().source().start();
    let mut steps = 0;
    for event in simulated.run.events() {
        match *event {
            Event::Spawn { thread, request, local } => {
                let request = system.request_name(request);
                compiled.prepared().follow_spawn(&mut run, thread.number(), component, request, system.local_name(local)).unwrap();
            }
            Event::Step { thread, step } => {
                steps += 1;
                let before = run.globals().to_vec();
                let (local, global) = (system.local_name(step.to_local), system.global_name(step.to_global));
                let taken = compiled.prepared().follow_step(&mut run, thread.number(), local, global);
                let taken = taken.unwrap_or_else(|error| panic!("{name}: {error}"));
                assert_eq!(replayed(&before, &taken.accesses, name), run.globals(), "{name}");
                assert_eq!(compiled.prepared().local_of(&run, thread.number()), Some((component, local.to_owned())), "{name}");
                assert_eq!(compiled.prepared().global_of(&run, component).as_deref(), Some(global), "{name}");
            }
            Event::Respond { thread, response } => {
                let answer = run.answer(thread.number()).map(|answer| answer.to_string());
                assert_eq!(answer.as_deref(), Some(system.response_name(response)), "{name}");
                run.respond(thread.number()).unwrap();
            }
        }
    }
    check_places(&run);
    steps
}

/// Applies the writes; every read must see the value at that moment.
fn replayed(before: &[i64], accesses: &[serval_compile::Access], name: &str) -> Vec<i64> {
    let mut globals = before.to_vec();
    for access in accesses {
        if access.write {
            globals[access.variable.index()] = access.value;
        } else {
            assert_eq!(globals[access.variable.index()], access.value, "{name}: a read of another value");
        }
    }
    globals
}

/// Every request in flight is somewhere in its own body, or at its name.
fn check_places(run: &SourceRun<'_>) {
    for thread in run.threads() {
        let (place, body) = (run.place(thread).unwrap(), run.body(thread).unwrap());
        let request = &run.source().program().requests[body];
        let whole = request.name_span.to(request.body.span);
        assert!(whole.start <= place.start && place.end <= whole.end);
        assert_eq!(run.locals(thread).unwrap().len(), request.locals.len());
    }
}

#[test]
fn random_runs_can_be_followed_on_the_text() {
    let sweep = sweep("compile.source", 150, 600);
    let followed = sweep.map(0, |number| {
        let shape = Shape::WITH_EDGES[usize::try_from(number).unwrap() % Shape::WITH_EDGES.len()];
        let text = random_program(number, shape);
        let program = analyze(&text).program.unwrap();
        let limits = Limits { pairs: 60_000, ..Limits::default() };
        let Ok(compiled) = compile(&program, Options { limits, ..Options::default() }, &Budget::unlimited()) else { return None };
        let mut steps = 0;
        for component in 0..compiled.components().len() {
            for seed in 0..3 {
                steps += follow(&compiled, component, seed, &format!("{shape:?} {number}, component {component}, run {seed}\n{text}"));
            }
        }
        Some(steps)
    });
    let steps: Vec<usize> = followed.into_iter().flatten().collect();
    let (programs, steps) = (steps.len(), steps.iter().sum::<usize>());
    say(&format!("source replay: {programs} programs, {steps} steps followed"));
    let count = usize::try_from(sweep.count()).unwrap();
    assert!(!sweep.is_representative() || (programs * 6 > count * 5 && steps > 8 * count), "{programs} programs, {steps} steps");
}

#[test]
fn dropped_variables_keep_their_values() {
    // LOG is never read and `old` is dead after the yield: both are dropped
    // from the compiled states and must still be shown.
    let text = "request a { old := X; LOG := old + 7; X := 1 - X; yield; X }";
    let program = analyze(text).program.unwrap();
    let compiled = compile(&program, Options::default(), &Budget::unlimited()).unwrap();
    let component = &compiled.components()[0];
    assert_eq!(component.globals().len(), 1);
    let system = component.system();
    let (_, start) = system.starts()[0];
    let step = system.steps_from(start, system.initial_global())[0];
    let mut run = compiled.prepared().source().start();
    compiled.prepared().follow_spawn(&mut run, 1, 0, "a", system.local_name(start)).unwrap();
    compiled.prepared().follow_step(&mut run, 1, system.local_name(step.to_local), system.global_name(step.to_global)).unwrap();
    let globals: Vec<(&str, i64)> = program.globals.iter().map(|global| global.name.as_str()).zip(run.globals().iter().copied()).collect();
    assert_eq!(globals, [("X", 1), ("LOG", 7)]);
    assert_eq!(run.locals(1).unwrap(), [("old", 0)]);
}
