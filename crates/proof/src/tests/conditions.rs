//! Each condition is needed.

use std::collections::BTreeSet;

use super::support::{Case, answers, lost_update, respond, spawn, step};
use super::switch::without;
use super::{components, scripts};
use crate::{Action, Claim, Condition, Refusal, RunCertificate, RunEvent};

/// What a condition is about: what its name begins with.
pub(super) fn topic(condition: Condition) -> &'static str {
    condition.name().split('.').next().unwrap()
}

/// The topics of conditions that have tests of their own.
pub(super) const ELSEWHERE: &[&str] = &["tree", "flow", "invariant"];

/// Certificates that are refused for `condition`, at this event, and for
/// nothing else.
fn violate_only(condition: Condition) -> Vec<(Case, Option<usize>)> {
    let cases: Vec<(Case, Option<usize>)> = match topic(condition) {
        "input" | "component" | "run" => vec![violates_run(condition)],
        "components" => components::violate().into_iter().map(|case| (case, None)).collect(),
        topic if ELSEWHERE.contains(&topic) => return Vec::new(),
        _ => scripts::violate(condition).into_iter().map(|wrong| (wrong.case, None)).collect(),
    };
    assert!(!cases.is_empty(), "nothing violates {condition}");
    cases
}

/// A run that is refused for `condition`, at this event, and for nothing else.
fn violates_run(condition: Condition) -> (Case, Option<usize>) {
    let mut case = lost_update();
    let run = case.run();
    let event = match condition {
        Condition::Input => {
            case.certificate.input = "0".repeat(32);
            None
        }
        Condition::Component => {
            case.certificate.component = 1;
            None
        }
        Condition::RunClaim => {
            case.certificate.claim = Claim::Serializable;
            None
        }
        Condition::RunReplaySpawn => {
            run.steps.push(RunEvent { id: 9, action: Action::Spawn { request: "inc".into(), local: "read 0".into() } });
            Some(8)
        }
        Condition::RunReplayFresh => {
            // Overwriting the first request would make it vanish unanswered.
            run.steps.insert(0, spawn(1));
            Some(1)
        }
        Condition::RunReplayThread => {
            run.steps.push(respond(1, "done 0", "0"));
            Some(8)
        }
        Condition::RunReplayFromLocal => {
            run.steps[1] = step(1, ("read 0", "0"), ("read 0", "0"));
            Some(1)
        }
        Condition::RunReplayFromGlobal => {
            run.steps[6] = step(2, ("read 0", "0"), ("done 0", "1"));
            Some(6)
        }
        Condition::RunReplayStep => {
            run.steps.insert(6, step(2, ("read 0", "1"), ("done 1", "1")));
            Some(6)
        }
        Condition::RunReplayRespondLocal => {
            run.steps[5] = respond(1, "done 1", "0");
            Some(5)
        }
        Condition::RunReplayResponse => {
            run.steps.insert(5, respond(1, "done 0", "1"));
            Some(5)
        }
        Condition::RunEnd => {
            run.steps.push(spawn(3));
            None
        }
        Condition::RunCompleted => {
            run.completed = vec![answers("inc", "0", 1), answers("inc", "1", 1)];
            None
        }
        Condition::RunSerial => {
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
    for &condition in Condition::ALL {
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
    for &condition in Condition::ALL {
        for (case, _) in violate_only(condition) {
            for &other in Condition::ALL.iter().filter(|&&other| other != condition) {
                let Err(Refusal::Invalid(rejection)) = without(other, || case.check()) else { panic!("{condition} without {other}") };
                assert_eq!(rejection.condition, condition);
            }
        }
    }
}

#[test]
fn the_manual_lists_the_conditions() {
    let manual = include_str!("../../../../docs/src/certificates.md");
    let names: BTreeSet<&str> = Condition::ALL.iter().map(|condition| condition.name()).collect();
    assert_eq!(names.len(), Condition::ALL.len(), "two conditions have one name");
    for name in &names {
        assert!(manual.contains(&format!("| `{name}` |")), "{name}");
    }
    // And no others: what is in a table of conditions has a dot, but for the first two.
    let listed = manual.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).filter(|name| name.contains('.'));
    for name in listed {
        assert!(names.contains(name), "{name} is no condition");
    }
}
