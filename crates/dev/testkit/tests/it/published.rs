//! The interpreter against the published verdicts, where they are at hand.

use serval_effort::{side_by_side, skips};
use serval_syntax::{Severity, analyze};
use serval_testkit::naive::{Caps, Naive, Source};
use serval_testkit::suite::data_dir;

/// Few requests can refute and cannot prove: a program that is published as
/// serializable must look so, and one that is not must look so for most.
#[test]
fn published_verdicts_are_not_contradicted() {
    if skips("testkit.published") {
        return;
    }
    let Some(directory) = data_dir("suite") else { return };
    let expected = std::fs::read_to_string(directory.join("expected.csv")).expect("expected.csv is readable");
    let caps = Caps { configurations: 30_000, ..Caps::default() };
    let lines: Vec<&str> = expected.lines().skip(1).collect();
    // Whether each program that is not serializable looks so.
    let refuted = side_by_side(&lines, |line| {
        let mut fields = line.split(',');
        let (file, verdict) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        if !file.ends_with(".ser") {
            return None;
        }
        let text = std::fs::read_to_string(directory.join(file)).expect("listed files are readable");
        let analysis = analyze(&text);
        let errors: Vec<_> = analysis.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{file}: {errors:#?}");
        let program = analysis.program.unwrap_or_else(|| panic!("{file}: no errors and no program"));
        let mut naive = Naive::new(&Source::from(&program));
        let mut found = Vec::new();
        for requests in 1..=3 {
            found.push(naive.is_serializable(requests, caps));
        }
        println!("{file}: {verdict}, up to 1, 2, 3 requests: {found:?}");
        let looks_broken = found.contains(&Ok(false));
        if verdict == "serializable" {
            assert!(!looks_broken, "{file}: published as serializable, yet {found:?}");
            return None;
        }
        Some(looks_broken)
    });
    let not_serializable = refuted.iter().flatten().count();
    let refuted = refuted.iter().flatten().filter(|refuted| **refuted).count();
    println!("{refuted} of {not_serializable} refuted with at most 3 requests");
    assert!(2 * refuted >= not_serializable, "{refuted} of {not_serializable}");
}
