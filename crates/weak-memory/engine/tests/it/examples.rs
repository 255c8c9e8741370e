//! The programs in `examples/tso`: verdicts with evidence, and the number of fences against all smaller sets.

use std::path::Path;
use std::time::Instant;

use serval_budget::Budget;
use serval_effort::{side_by_side, skips};
use serval_tso_engine::{EngineLimits, Fixed, Wanted, decide, decide_many, fix_as, prove};
use serval_tso_program::{FencePlace, Point, Program, ThreadId};
use serval_tso_proof::{Answer, Certificate, Claim, Goal, Means, Model};

/// A program; whether it is robust; whether its question is reached under SC and with store buffers; the fewest fences
/// that make it robust, locked stores that do, and fences that keep bad states out.
struct Example(&'static str, bool, [Option<bool>; 2], usize, usize, Option<usize>);

const NO: Option<bool> = Some(false);
const YES: Option<bool> = Some(true);

const EXAMPLES: &[Example] = &[
    Example("any-flags", false, [NO, YES], 2, 2, Some(2)),
    Example("any-spinlock", true, [NO, NO], 0, 0, Some(0)),
    Example("bakery", false, [NO, YES], 4, 4, Some(2)),
    Example("bakery-fenced", true, [NO, NO], 0, 0, Some(0)),
    Example("burns", false, [NO, YES], 3, 3, Some(2)),
    Example("burns-fenced", true, [NO, NO], 0, 0, Some(0)),
    Example("clh", true, [NO, NO], 0, 0, Some(0)),
    Example("dekker", false, [NO, YES], 4, 6, Some(2)),
    Example("dekker-fenced", true, [NO, NO], 0, 0, Some(0)),
    Example("dijkstra", false, [NO, YES], 6, 6, Some(2)),
    Example("dijkstra-fenced", true, [NO, NO], 0, 0, Some(0)),
    Example("filter", false, [NO, YES], 6, 6, Some(6)),
    Example("filter-fenced", true, [NO, NO], 0, 0, Some(0)),
    Example("lamport-fast", false, [NO, YES], 4, 4, Some(4)),
    Example("lamport-fast-fenced", true, [NO, NO], 0, 0, Some(0)),
    Example("mcs", true, [NO, NO], 0, 0, Some(0)),
    Example("peterson", false, [NO, YES], 2, 2, Some(2)),
    Example("peterson-fenced", true, [NO, NO], 0, 0, Some(0)),
    Example("store-buffering", false, [NO, YES], 2, 2, Some(0)),
    Example("test-and-set", true, [NO, NO], 0, 0, Some(0)),
    Example("ticket", true, [NO, NO], 0, 0, Some(0)),
];

fn directory() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/tso")
}

fn read(name: &str) -> Program {
    let text = std::fs::read_to_string(directory().join(format!("{name}.tso"))).unwrap();
    serval_tso_program::read(&text).unwrap_or_else(|wrong| panic!("{name}: {wrong:?}"))
}

/// The places of the cheapest changes, after the checker has accepted that they are.
fn fixed(name: &str, program: &Program, wanted: &Wanted) -> Option<Vec<FencePlace>> {
    let found =
        fix_as(program, wanted, &EngineLimits::default(), &mut Budget::unlimited()).unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
    let Fixed::Fences(fences) = found else { return None };
    let mut certificate = Certificate::new(program);
    certificate.fences = Some(fences);
    let shown = certificate.check(program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
    let shown = shown.fences.unwrap();
    assert_eq!((shown.means, shown.goal), (wanted.means, wanted.goal));
    Some(shown.sets.first().unwrap_or_else(|| panic!("{name}: nothing helps")).clone())
}

#[test]
fn every_example_has_its_verdict_and_its_number_of_fences() {
    if skips("tsoengine.examples") {
        return;
    }
    let mut files: Vec<String> = std::fs::read_dir(directory())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "tso"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    files.sort();
    assert_eq!(files, EXAMPLES.iter().map(|example| example.0).collect::<Vec<_>>());
    let wrong = side_by_side(EXAMPLES, |&Example(name, robust, answers, fences, locked, reach)| {
        let start = Instant::now();
        let program = read(name);
        let outcome = match program.many().is_empty() {
            true => decide(&program, &EngineLimits::default(), &mut Budget::unlimited()).unwrap(),
            false => decide_many(&program, &EngineLimits::default(), &mut Budget::unlimited()).unwrap(),
        };
        let shown = outcome.certificate.check(&program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        let decided = start.elapsed();
        let count = |means: Means, goal: Goal| {
            let start = Instant::now();
            let places = fixed(name, &program, &Wanted { means, goal, ..Wanted::default() });
            (places.map(|places| places.len()), start.elapsed())
        };
        let counts = [count(Means::Fence, Goal::Robust), count(Means::Locked, Goal::Robust), count(Means::Fence, Goal::Reach)];
        println!("{name}: decided in {decided:?}, fences {counts:?}");
        let found = (shown.robust, [shown.sc[0], shown.tso[0]], counts.map(|count| count.0));
        let expected = (Some(robust), answers, [Some(fences), Some(locked), reach]);
        (found != expected).then(|| format!("{name}: {found:?}, not {expected:?}"))
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// All sets of `size` of the places.
fn subsets(places: &[FencePlace], size: usize) -> Vec<Vec<FencePlace>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let Some((first, rest)) = places.split_first() else { return Vec::new() };
    let mut sets = subsets(rest, size);
    for mut set in subsets(rest, size - 1) {
        set.insert(0, *first);
        sets.push(set);
    }
    sets
}

/// A fence more never makes a robust program less so, so it is enough to try all sets that have one fence less. Only
/// fences of the attacker hinder it, so it is enough to try them thread by thread, with fences everywhere in the
/// others.
#[test]
fn no_smaller_set_makes_an_example_robust() {
    if skips("tsoengine.smaller_sets") {
        return;
    }
    let tried = side_by_side(EXAMPLES, |&Example(name, ..)| {
        let mut tried = 0;
        let program = read(name);
        if !program.many().is_empty() {
            return tried;
        }
        let found = fixed(name, &program, &Wanted::default()).unwrap();
        let points = |thread: ThreadId| {
            (0..program.threads[thread.index()].code.len() - 1)
                .map(move |point| FencePlace { thread, point: Point::new(point) })
                .collect::<Vec<_>>()
        };
        for thread in program.thread_ids() {
            let Some(fewer) = found.iter().filter(|place| place.thread == thread).count().checked_sub(1) else { continue };
            let elsewhere: Vec<FencePlace> = program.thread_ids().filter(|other| *other != thread).flat_map(points).collect();
            for set in subsets(&points(thread), fewer) {
                let mut places = [set.clone(), elsewhere.clone()].concat();
                places.sort();
                let proof = prove(&program.with_fences(&places), Goal::Robust, &EngineLimits::default(), &mut Budget::unlimited()).unwrap();
                assert!(proof.is_none(), "{name}: {set:?} is enough for {thread:?}, {found:?} was found");
                tried += 1;
            }
        }
        tried
    });
    assert!(tried.iter().sum::<u64>() > 50, "{tried:?}");
}

/// The same for bad states: all sets of one fence less, for programs in which these are few.
#[test]
fn no_smaller_set_keeps_bad_states_out_of_an_example() {
    if skips("tsoengine.smaller_sets_of_bad_states") {
        return;
    }
    for name in ["bakery", "burns", "dekker", "peterson"] {
        let program = read(name);
        let wanted = Wanted { goal: Goal::Reach, ..Wanted::default() };
        let found = fixed(name, &program, &wanted).unwrap();
        let places: Vec<FencePlace> = program
            .thread_ids()
            .flat_map(|thread| {
                (0..program.threads[thread.index()].code.len() - 1).map(move |point| FencePlace { thread, point: Point::new(point) })
            })
            .collect();
        side_by_side(&subsets(&places, found.len() - 1), |set| {
            let outcome = decide(&program.with_fences(set), &EngineLimits::default(), &mut Budget::unlimited()).unwrap();
            let reaches = |answer: &Answer| answer.model == Model::Tso && matches!(answer.claim, Claim::Reachable(_));
            assert!(outcome.certificate.answers.iter().any(reaches), "{name}: {set:?} is enough, {found:?} was found");
        });
    }
}
