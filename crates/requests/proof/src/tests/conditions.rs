//! Each condition is needed.

use std::collections::BTreeSet;

use super::scripts::{Harm, Wrong, looks_serializable};
use super::support::{Case, answers, lost_update, respond, spawn, step};
use super::switch::without;
use super::{components, flow, invariant, letters, same, scripts, shared, strict};
use crate::{Action, Body, CasesProof, Claim, Condition, Part, Refusal, RunCertificate, RunEvent};

/// What a condition is about: what its name begins with.
fn topic(condition: Condition) -> &'static str {
    condition.name().split('.').next().unwrap()
}

fn is_about_regions(condition: Condition) -> bool {
    condition.name().starts_with("letters.region.")
}

/// Certificates that are refused for `condition`, at this event, and for
/// nothing else.
fn violate_only(condition: Condition) -> Vec<(Case, Option<usize>)> {
    let cases: Vec<(Case, Option<usize>)> = match topic(condition) {
        "input" | "component" | "run" => vec![violates_run(condition)],
        "strict" | "in-flight" | "points" => strict::violate(condition).into_iter().map(|case| (case, None)).collect(),
        "components" => components::violate().into_iter().map(|case| (case, None)).collect(),
        "same" => same::violate(condition).into_iter().map(|case| (case, None)).collect(),
        "shared" => shared::violate(condition).into_iter().map(|case| (case, None)).collect(),
        // The crate that checks trees has such tests of its own, and so have regions.
        "tree" => return Vec::new(),
        // So has the crate that executes programs, but for what is asked here.
        // What can fail is in the tests of its own, too.
        "fault" | "closure" => return Vec::new(),
        // So has the crate that makes nets.
        "cases" => return cases(condition).map(|case| (case, None)).into_iter().collect(),
        "reduction" => return reduction(condition).map(|case| (case, None)).into_iter().collect(),
        "letters" if is_about_regions(condition) => return Vec::new(),
        _ => violate_proof(condition).into_iter().map(|wrong| (wrong.case, None)).collect(),
    };
    assert!(!cases.is_empty(), "nothing violates {condition}");
    cases
}

/// A proof about a program that is refused for `condition`.
fn reduction(condition: Condition) -> Option<Case> {
    let mut case = lost_update();
    case.certificate.body = Body::Reduction(Box::default());
    case.certificate.claim = Claim::Serializable;
    (condition == Condition::ReductionProgram).then_some(case)
}

/// A proof on nets that is refused for `condition`.
fn cases(condition: Condition) -> Option<Case> {
    let mut case = lost_update();
    let proof = CasesProof { cases: "[]".to_owned(), ..CasesProof::default() };
    case.certificate.body = Body::Part(Part::Cases(Box::new(proof)));
    case.certificate.claim = Claim::Serializable;
    (condition == Condition::CasesNets).then_some(case)
}

#[test]
fn a_reduction_proves_and_does_not_refute() {
    let mut case = reduction(Condition::ReductionProgram).unwrap();
    case.certificate.claim = Claim::NotSerializable;
    assert!(matches!(case.check(), Err(Refusal::Invalid(rejection)) if rejection.condition == Condition::ReductionClaim));
}

/// Proofs that are refused for `condition` and for nothing else.
fn violate_proof(condition: Condition) -> Vec<Wrong> {
    match topic(condition) {
        "flow" => vec![flow::violates_only(condition)],
        "invariant" => vec![invariant::violates_only(condition)],
        "letters" => vec![letters::violates_only(condition)],
        _ => scripts::violate(condition),
    }
}

/// A run that is refused for `condition`, at this event, and for nothing else.
fn violates_run(condition: Condition) -> (Case, Option<usize>) {
    let mut case = lost_update();
    let run = case.run();
    let mut event = None;
    match condition {
        Condition::Input => case.certificate.input = "0".repeat(32),
        Condition::Component => case.certificate.component = 1,
        Condition::RunClaim => case.certificate.claim = Claim::Serializable,
        Condition::RunReplaySpawn => {
            run.steps.push(RunEvent { id: 9, action: Action::Spawn { request: "inc".into(), local: "read 0".into() } });
            event = Some(8);
        }
        Condition::RunReplayFresh => {
            // Overwriting the first request would make it vanish unanswered.
            run.steps.insert(0, spawn(1));
            event = Some(1);
        }
        Condition::RunReplayThread => {
            run.steps.push(respond(1, "done 0", "0"));
            event = Some(8);
        }
        Condition::RunReplayFromLocal => {
            run.steps[1] = step(1, ("read 0", "0"), ("read 0", "0"));
            event = Some(1);
        }
        Condition::RunReplayFromGlobal => {
            run.steps[6] = step(2, ("read 0", "0"), ("done 0", "1"));
            event = Some(6);
        }
        Condition::RunReplayStep => {
            run.steps.insert(6, step(2, ("read 0", "1"), ("done 1", "1")));
            event = Some(6);
        }
        Condition::RunReplayRespondLocal => {
            run.steps[5] = respond(1, "done 1", "0");
            event = Some(5);
        }
        Condition::RunReplayResponse => {
            run.steps.insert(5, respond(1, "done 0", "1"));
            event = Some(5);
        }
        Condition::RunEnd => run.steps.push(spawn(3)),
        Condition::RunCompleted => run.completed = vec![answers("inc", "0", 1), answers("inc", "1", 1)],
        Condition::RunSerial => *run = RunCertificate::default(),
        Condition::RunOrder => {
            *run = RunCertificate::default();
            case.certificate.claim = Claim::NotStrict;
        }
        _ => panic!("no case for {condition}"),
    }
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
                Err(Refusal::Invalid(rejection)) => {
                    assert_eq!((rejection.condition, rejection.event), (condition.into(), event), "{rejection}")
                }
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
fn conditions_keep_false_claims_out() {
    let mut untidy = Vec::new();
    for &condition in Condition::ALL {
        if [
            "input",
            "component",
            "components",
            "run",
            "fault",
            "closure",
            "same",
            "shared",
            "tree",
            "reduction",
            "cases",
            "strict",
            "in-flight",
            "points",
        ]
        .contains(&topic(condition))
            || is_about_regions(condition)
        {
            continue;
        }
        let wrongs = violate_proof(condition);
        for wrong in &wrongs {
            assert_eq!(looks_serializable(&wrong.case.system), wrong.harm == Harm::Untidy, "{condition}");
        }
        if wrongs.iter().all(|wrong| wrong.harm == Harm::Untidy) {
            untidy.push(condition.name());
        }
    }
    // `parts.claim` keeps out the opposite claim.
    let scripts = ["parts.claim", "quotient.disjoint", "script.numbers"];
    assert_eq!(
        untidy,
        [&scripts[..], &["flow.phases", "flow.edges", "flow.base", "flow.connected", "invariant.numbers", "letters.numbers"]].concat()
    );
}

#[test]
fn the_manual_lists_the_conditions() {
    let manual = include_str!("../../../../../docs/src/certificates.md");
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
