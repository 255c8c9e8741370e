//! Each condition is needed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::support::{Case, answers, lost_update, respond, spawn, step};
use super::switch::without;
use super::{components, scripts};
use crate::{Action, CONDITIONS, Claim, Refusal, RunCertificate, RunEvent};

/// What conditions begin with that have tests of their own.
pub(super) const ELSEWHERE: &[&str] = &["tree", "flow", "invariant"];

/// Certificates that are refused for `condition`, at this event, and for
/// nothing else.
fn violate_only(condition: &str) -> Vec<(Case, Option<usize>)> {
    let prefix = condition.split('.').next().unwrap();
    match prefix {
        "input" | "component" | "run" => vec![violates_run(condition)],
        "components" => components::violate().into_iter().map(|case| (case, None)).collect(),
        _ if ELSEWHERE.contains(&prefix) => Vec::new(),
        _ => scripts::violate(condition).into_iter().map(|wrong| (wrong.case, None)).collect(),
    }
}

/// A run that is refused for `condition`, at this event, and for nothing else.
fn violates_run(condition: &str) -> (Case, Option<usize>) {
    let mut case = lost_update();
    let run = case.run();
    let event = match condition {
        "input" => {
            case.certificate.input = "0".repeat(32);
            None
        }
        "component" => {
            case.certificate.component = 1;
            None
        }
        "run.claim" => {
            case.certificate.claim = Claim::Serializable;
            None
        }
        "run.replay.spawn" => {
            run.steps.push(RunEvent { id: 9, action: Action::Spawn { request: "inc".into(), local: "read 0".into() } });
            Some(8)
        }
        "run.replay.fresh" => {
            // Overwriting the first request would make it vanish unanswered.
            run.steps.insert(0, spawn(1));
            Some(1)
        }
        "run.replay.thread" => {
            run.steps.push(respond(1, "done 0", "0"));
            Some(8)
        }
        "run.replay.from.local" => {
            run.steps[1] = step(1, ("read 0", "0"), ("read 0", "0"));
            Some(1)
        }
        "run.replay.from.global" => {
            run.steps[6] = step(2, ("read 0", "0"), ("done 0", "1"));
            Some(6)
        }
        "run.replay.step" => {
            run.steps.insert(6, step(2, ("read 0", "1"), ("done 1", "1")));
            Some(6)
        }
        "run.replay.respond.local" => {
            run.steps[5] = respond(1, "done 1", "0");
            Some(5)
        }
        "run.replay.response" => {
            run.steps.insert(5, respond(1, "done 0", "1"));
            Some(5)
        }
        "run.end" => {
            run.steps.push(spawn(3));
            None
        }
        "run.completed" => {
            run.completed = vec![answers("inc", "0", 1), answers("inc", "1", 1)];
            None
        }
        "run.serial" => {
            *run = RunCertificate::default();
            None
        }
        _ => panic!("no case for {condition}"),
    };
    (case, event)
}

#[test]
fn the_base_is_accepted() {
    assert_eq!(lost_update().check(), Ok(()));
}

#[test]
fn each_condition_is_needed() {
    for &condition in CONDITIONS {
        for (case, event) in violate_only(condition) {
            match case.check() {
                Err(Refusal::Invalid(rejection)) => assert_eq!((rejection.condition, rejection.event), (condition, event), "{rejection}"),
                other => panic!("{condition}: {other:?}"),
            }
            assert_eq!(without(condition, || case.check()), Ok(()), "{condition} hides behind another condition");
            // Nothing stays switched off.
            assert!(case.check().is_err());
        }
    }
}

#[test]
fn no_other_condition_covers_for_it() {
    for &condition in CONDITIONS {
        for (case, _) in violate_only(condition) {
            for &other in CONDITIONS.iter().filter(|&&other| other != condition) {
                let Err(Refusal::Invalid(rejection)) = without(other, || case.check()) else { panic!("{condition} without {other}") };
                assert_eq!(rejection.condition, condition);
            }
        }
    }
}

#[test]
fn conditions_are_listed_once() {
    let mut sorted = CONDITIONS.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), CONDITIONS.len());
}

/// The names that `require!` and `obtain!` are given in a file or folder.
fn stated(path: &Path, names: &mut BTreeSet<String>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            stated(&entry.unwrap().path(), names);
        }
        return;
    }
    let text = fs::read_to_string(path).unwrap();
    for uses in ["require!(", "obtain!("] {
        let names_in = |rest: &str| rest.trim_start().strip_prefix('"').map(|rest| rest[..rest.find('"').unwrap()].to_owned());
        names.extend(text.split(uses).skip(1).filter_map(names_in));
    }
}

#[test]
fn the_list_has_the_conditions_that_are_checked() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        if path.file_stem().unwrap() != "tests" {
            stated(&path, &mut names);
        }
    }
    assert_eq!(names, CONDITIONS.iter().map(|&name| name.to_owned()).collect());
}

#[test]
fn the_manual_lists_the_conditions() {
    let manual = include_str!("../../../../docs/src/certificates.md");
    for condition in CONDITIONS {
        assert!(manual.contains(&format!("| `{condition}` |")), "{condition}");
    }
    // And no others: what is in a table of conditions has a dot, but for the first two.
    let listed = manual.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).filter(|name| name.contains('.'));
    for name in listed {
        assert!(CONDITIONS.contains(&name), "{name} is no condition");
    }
}
