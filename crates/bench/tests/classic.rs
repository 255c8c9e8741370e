//! The published pipeline: never wrong, mostly right, and always the same.

use std::time::Duration;

use serval_bench::classic::{Agreement, compare, decide_program, random, suite};
use serval_classic::Options;
use serval_testkit::say;
use serval_testkit::suite::data_dir;

/// For one program of the suite.
const LIMIT: Duration = Duration::from_secs(20);
/// Longer than anything takes: what is stopped by a clock is not the same each time.
const NO_LIMIT: Duration = Duration::from_secs(3_600);
/// For one random system.
const RANDOM_LIMIT: Duration = Duration::from_secs(2);

#[test]
fn programs_of_the_suite_are_decided_rightly() {
    let Some(directory) = data_dir("suite") else { return };
    let programs = suite(&directory).unwrap();
    let mut decided = 0;
    for program in &programs {
        let outcome = decide_program(&program.components, &Options::default(), LIMIT);
        // An error is evidence that the checker refused.
        let outcome = outcome.unwrap_or_else(|why| panic!("{}: {why}", program.name));
        match outcome.verdict {
            "unknown" => say(&format!("classic: {} is undecided: {:?}", program.name, outcome.stop)),
            verdict => {
                assert_eq!(verdict, program.expected, "{}", program.name);
                decided += 1;
            }
        }
    }
    say(&format!("classic: {decided} of {} programs of the suite decided, all of them rightly, with evidence", programs.len()));
    assert_eq!(programs.len(), 47);
    assert!(decided >= 40, "{decided}");
}

#[test]
fn random_systems_are_decided_as_the_other_methods_do() {
    let mut agreement = Agreement::default();
    for number in 0..240 {
        for system in random(77, number) {
            let outcome = compare(&system, RANDOM_LIMIT, &mut agreement);
            assert!(outcome.is_ok(), "number {number}: {outcome:?}\n{}", system.to_json());
        }
    }
    let (total, decided) = (agreement.total(), agreement.decided());
    let count = |verdict: &str| agreement.verdicts.iter().filter(|((ours, _), _)| *ours == verdict).map(|(_, count)| count).sum::<u64>();
    say(&format!(
        "classic: {decided} of {total} random systems decided, none otherwise than by the other methods: {:?}",
        agreement.verdicts
    ));
    assert!(decided * 10 >= total * 8, "{decided} of {total}: {:?}", agreement.stops);
    assert!(count("serializable") * 5 >= total && count("not-serializable") * 10 >= total, "{:?}", agreement.verdicts);
}

#[test]
fn the_same_bytes_twice() {
    let mut compared = 0;
    for number in 0..24 {
        for system in random(5, number) {
            let certificate = || decide_program(std::slice::from_ref(&system), &Options::default(), NO_LIMIT).unwrap().certificate;
            let first = certificate();
            compared += usize::from(!first.is_empty());
            assert_eq!(first, certificate(), "number {number}");
        }
    }
    assert!(compared > 12, "{compared}");
}
