//! The search by sets of kinds against brute force and the search of everything.

use serval_budget::{Budget, Stopped};
use serval_compile::{Options, Prepared};
use serval_effort::sweep;
use serval_engine::search::{SubsetSearch, run_certificate};
use serval_model::{NetworkSystem, Run, SerialAutomaton, SystemBuilder, replay};
use serval_proof::{Caps, check_run};
use serval_random::{Behaviours, handlers, tiny, uniform};
use serval_syntax::analyze;
use serval_testkit::say;

fn prepared(text: &str) -> Prepared {
    Prepared::new(&analyze(text).program.unwrap(), Options::default())
}

fn is_counterexample(system: &NetworkSystem, run: &Run) -> bool {
    let end = replay(system, run.events()).unwrap();
    assert!(end.is_complete());
    let automaton = SerialAutomaton::new(system, &mut Budget::unlimited()).unwrap();
    !automaton.contains(&end.completed, &mut Budget::unlimited()).unwrap()
}

/// The requests of several systems on the same global states.
fn together(systems: &[NetworkSystem]) -> NetworkSystem {
    let mut builder = SystemBuilder::new();
    let initial = builder.global("0");
    for (number, system) in systems.iter().enumerate() {
        let globals: Vec<_> = system.globals().map(|global| builder.global(&global.index().to_string())).collect();
        let locals: Vec<_> = system.locals().map(|local| builder.local(&format!("{number}:{}", local.index()))).collect();
        for &(request, local) in system.starts() {
            let request = builder.request(&format!("{number}:{}", request.index()));
            builder.start(request, locals[local.index()]);
        }
        for &(local, response) in system.answers() {
            let response = builder.response(&response.index().to_string());
            builder.answer(locals[local.index()], response);
        }
        for step in system.steps() {
            let (local, to_local) = (locals[step.local.index()], locals[step.to_local.index()]);
            builder.step(local, globals[step.global.index()], to_local, globals[step.to_global.index()]);
        }
    }
    builder.finish(initial)
}

#[test]
fn random_systems_are_refuted_exactly_when_brute_force_says_so() {
    let sweep = sweep("engine.subset", 150, 600);
    let each = sweep.map(0, |seed| {
        let (mut systems, mut refuted, mut several, mut alone) = (0, 0, 0, 0);
        let together = together(&[uniform(seed), handlers(seed + 1), tiny(seed + 2)]);
        for system in [tiny(seed), uniform(seed), handlers(seed), together] {
            let Some(brute) = Behaviours::with(&system, 3, 200_000) else { continue };
            let mut search = SubsetSearch::new(&system);
            let found = search.search(0, 3, &mut Budget::unlimited()).unwrap();
            assert_eq!(found.is_none(), brute.is_serializable(), "seed {seed}");
            assert!(found.iter().all(|run| is_counterexample(&system, run)), "seed {seed}");
            // With a small budget it finds a counterexample, or nothing.
            for ticks in [10, 100, 1_000] {
                match SubsetSearch::new(&system).search(0, 3, &mut Budget::ticks(ticks)) {
                    Ok(None) => assert!(brute.is_serializable(), "seed {seed}"),
                    Ok(Some(run)) => assert!(is_counterexample(&system, &run), "seed {seed}"),
                    Err(stopped) => assert_eq!(stopped, Stopped::OutOfTicks),
                }
            }
            // A look at one kind finds runs of it alone.
            for kind in 0..search.kinds() {
                let looked = SubsetSearch::new(&system).look(&[kind], 0, &mut Budget::unlimited()).unwrap();
                let Some(run) = looked else { continue };
                let completed = &run.configuration().completed;
                assert!(is_counterexample(&system, &run) && completed.iter().all(|(letter, _)| letter.0.index() == kind), "seed {seed}");
                alone += 1;
            }
            systems += 1;
            refuted += u64::from(found.is_some());
            several += u64::from(search.kinds() > 2);
        }
        [systems, refuted, several, alone]
    });
    let [systems, refuted, several, alone] = each.into_iter().fold([0; 4], |sum, one| std::array::from_fn(|at| sum[at] + one[at]));
    say(&format!("sets of kinds: {systems} random systems, {refuted} refuted with up to 3 requests, as brute force says"));
    let count = sweep.count();
    let many = systems > 3 * count && refuted * 2 > count && several * 2 > count && alone * 8 > count;
    assert!(!sweep.is_representative() || many, "{systems} {refuted} {several} {alone}");
}

/// A reader that reads `n` cells one by one beside `n` writers of one cell
/// each: two readers can see two writers in opposite orders.
fn torn(n: usize) -> String {
    let last = n - 1;
    let reads: String = (0..n).map(|cell| format!("  seen := seen + {} * C[{cell}];\n  yield;\n", cell + 1)).collect();
    format!("var C[0..{last}]: 0..1\nrequest write(i: 0..{last}) {{ C[i] := 1 }}\nrequest read {{\n{reads}  seen\n}}\n")
}

#[test]
fn a_torn_snapshot_is_found_whatever_else_there_is() {
    for n in [2, 5, 12, 40] {
        let prepared = prepared(&torn(n));
        let mut search = SubsetSearch::new(prepared.lazy(0));
        let mut budget = Budget::ticks(search.first_ticks().max(10_000));
        let run = search.search(0, u32::MAX, &mut budget).unwrap().unwrap();
        assert_eq!(run.configuration().completed.size(), 4, "{n}");
        let certificate = run_certificate(search.system(), &run);
        assert!(check_run(prepared.lazy(0), &certificate, &Caps::default(), &serval_budget::Cancel::new()).is_ok(), "{n}");
    }
}

#[test]
fn a_program_with_infinitely_many_states_is_refuted() {
    let text = "request a { y := X; yield; X := y + 1 }\nrequest b { Y := Y + 1 }\nrequest c { Z := X + Y }\nrequest d { X := Z }";
    let prepared = prepared(text);
    let mut search = SubsetSearch::new(prepared.lazy(0));
    let run = search.search(0, 3, &mut Budget::ticks(1_000_000)).unwrap().unwrap();
    let certificate = run_certificate(search.system(), &run);
    assert!(check_run(prepared.lazy(0), &certificate, &Caps::default(), &serval_budget::Cancel::new()).is_ok());
}
