//! The published pipeline: never wrong, mostly right, and always the same.

use serval_classic_engine::Options;
use serval_effort::{side_by_side, skips};
use serval_measure::classic::{Agreement, compare, decide_program, random, suite};
use serval_model::NetworkSystem;
use serval_soundness::{Limit, merged};
use serval_testkit::say;
use serval_testkit::suite::data_dir;

/// For one program of the suite.
const LIMIT: Limit = Limit::Looks(20_000_000);
/// More than anything takes.
const NO_LIMIT: Limit = Limit::Looks(u64::MAX);
/// For one random system.
const RANDOM_LIMIT: Limit = Limit::Looks(2_000_000);

#[test]
fn programs_of_the_suite_are_decided_rightly() {
    if skips("bench.classic") {
        return;
    }
    let Some(directory) = data_dir("suite") else { return };
    let programs = suite(&directory).unwrap();
    let decided = side_by_side(&programs, |program| {
        let outcome = decide_program(&program.components, &Options::default(), LIMIT);
        // An error is evidence that the checker refused.
        let outcome = outcome.unwrap_or_else(|why| panic!("{}: {why}", program.name));
        match outcome.verdict {
            "unknown" => say(&format!("classic: {} is undecided: {:?}", program.name, outcome.stop)),
            verdict => assert_eq!(verdict, program.expected, "{}", program.name),
        }
        outcome.verdict != "unknown"
    });
    let decided = decided.iter().filter(|decided| **decided).count();
    say(&format!("classic: {decided} of {} programs of the suite decided, all of them rightly, with evidence", programs.len()));
    assert_eq!(programs.len(), 47);
    assert!(decided >= 40, "{decided}");
}

#[test]
fn random_systems_are_decided_as_the_other_methods_do() {
    let sweep = serval_effort::sweep("bench.classic", 60, 240);
    let parts = sweep.map(0, |number| {
        let mut agreement = Agreement::default();
        for system in random(77, number) {
            let outcome = compare(&system, RANDOM_LIMIT, &mut agreement);
            assert!(outcome.is_ok(), "number {number}: {outcome:?}\n{}", system.to_json());
        }
        agreement
    });
    let agreement: Agreement = merged(parts);
    let (total, decided) = (agreement.total(), agreement.decided());
    let count = |verdict: &str| agreement.verdicts.iter().filter(|((ours, _), _)| *ours == verdict).map(|(_, count)| count).sum::<u64>();
    say(&format!(
        "classic: {decided} of {total} random systems decided, none otherwise than by the other methods: {:?}",
        agreement.verdicts
    ));
    if !sweep.is_representative() {
        return;
    }
    assert!(decided * 4 >= total * 3, "{decided} of {total}: {:?}", agreement.stops);
    assert!(count("serializable") * 5 >= total && count("not-serializable") * 10 >= total, "{:?}", agreement.verdicts);
}

#[test]
fn the_same_bytes_twice() {
    let sweep = serval_effort::sweep("bench.classic_twice", 12, 24);
    let compared = sweep.map(0, |number| {
        let mut compared = 0;
        for system in random(5, number) {
            let certificate = || decide_program(std::slice::from_ref(&system), &Options::default(), NO_LIMIT).unwrap().certificate;
            let first = certificate();
            compared += u64::from(!first.is_empty());
            assert_eq!(first, certificate(), "number {number}");
        }
        compared
    });
    assert!(!sweep.is_representative() || compared.iter().sum::<u64>() * 3 > sweep.count(), "{compared:?}");
}

/// What is known from earlier disjuncts does not depend on how many are looked at
/// side by side.
#[test]
fn the_number_of_threads_changes_nothing() {
    let sweep = serval_effort::sweep("bench.classic_threads", 24, 24);
    // How many are serializable, and the most disjuncts.
    let found = sweep.map(0, |number| {
        let (mut compared, mut disjuncts) = (0, 0);
        for system in random(5, number) {
            let decided = |jobs: usize| {
                let outcome = decide_program(std::slice::from_ref(&system), &Options { jobs, ..Options::default() }, NO_LIMIT).unwrap();
                let sizes: Vec<_> =
                    outcome.stages.iter().map(|stages| (stages.disjuncts, stages.refinements, stages.left, stages.invariant)).collect();
                (outcome.verdict, outcome.certificate, sizes)
            };
            let one = decided(1);
            compared += usize::from(one.0 == "serializable");
            disjuncts = disjuncts.max(one.2.iter().map(|sizes| sizes.0).max().unwrap_or(0));
            assert_eq!(one, decided(3), "number {number}");
        }
        (compared, disjuncts)
    });
    let enough = found.iter().any(|one| one.0 > 0) && found.iter().any(|one| one.1 > 1);
    assert!(!sweep.is_representative() || enough, "{found:?}");
}

/// Without slicing the whole net is asked about, and the evidence is accepted.
#[test]
fn the_whole_net_gives_the_same_verdicts() {
    let sweep = serval_effort::sweep("bench.classic_whole_net", 20, 60);
    let found = sweep.map(0, |number| {
        let (mut same, mut proofs) = (0_u64, 0_u64);
        for system in random(31, number) {
            let decided = |slice: bool| {
                let options = Options { slice, ..Options::default() };
                // An error is evidence that the checker refused.
                let outcome = decide_program(std::slice::from_ref(&system), &options, RANDOM_LIMIT);
                outcome.unwrap_or_else(|why| panic!("number {number}: {why}\n{}", system.to_json()))
            };
            let (sliced, whole) = (decided(true), decided(false));
            for stages in &whole.stages {
                assert_eq!(stages.left, (stages.disjuncts * stages.net.0, stages.disjuncts * stages.net.1));
            }
            if sliced.verdict != "unknown" && whole.verdict != "unknown" {
                assert_eq!(sliced.verdict, whole.verdict, "number {number}");
                same += 1;
                proofs += u64::from(whole.verdict == "serializable" && whole.stages.iter().any(|stages| stages.disjuncts > 0));
            }
        }
        (same, proofs)
    });
    let (same, proofs) = found.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    say(&format!("classic: {same} random systems decided alike with and without slicing, {proofs} of them by proofs about disjuncts"));
    assert!(!sweep.is_representative() || same * 2 > sweep.count() && proofs > 0, "{same} {proofs}");
}

/// Systems that were once undecided: the reasons of slicing were not enough for
/// the invariant.
#[test]
fn what_could_not_be_shown_before() {
    // Under X=0 a request could have come and gone any number of times.
    let comes_and_goes = r#"{"initial_global": "X=-1", "requests": [["a", "a@start"]], "responses": [["a@end 1", "1"]],
        "transitions": [["a@start", "X=-1", "a@end 1", "X=1"], ["a@start", "X=0", "a@end 1", "X=0"],
            ["a@start", "X=1", "a@yield1", "X=0"], ["a@yield1", "X=0", "a@yield1", "X=0"]]}"#;
    // Two rounds of slicing.
    let two_rounds = r#"{"initial_global": "g0", "requests": [["r0", "l0"]], "responses": [["end0", "a0"], ["end1", "a1"]],
        "transitions": [["l0", "g0", "end1", "g1"], ["l0", "g0", "l1", "g0"], ["l0", "g2", "end0", "g0"], ["l0", "g2", "l1", "g2"],
            ["l1", "g0", "end0", "g1"], ["l1", "g0", "end0", "g2"], ["l1", "g1", "end0", "g2"], ["l1", "g2", "end1", "g2"]]}"#;
    for text in [comes_and_goes, two_rounds] {
        let system = NetworkSystem::from_json(text).unwrap();
        let outcome = compare(&system, LIMIT, &mut Agreement::default()).unwrap();
        assert_eq!((outcome.verdict, outcome.stop), ("serializable", None), "{text}");
    }
}
