//! Certificates that are right, and certificates that are nearly right.

use serval_budget::{Budget, Cancel, Stopped};
use serval_model::{NetworkSystem, SplitMix64, completed_multisets, serial_multisets};
use serval_random::confusable;

use super::support::{Case, answers, condition, counter, find_run, in_names, is_genuine, lost_update, respond, spawn, step};
use crate::{Action, Caps, Condition, Refusal, RunCertificate, RunEvent, Systems, check};

/// The condition for which the changed lost update is refused.
fn refused(change: impl FnOnce(&mut RunCertificate)) -> Condition {
    let mut case = lost_update();
    change(case.run());
    assert!(!is_genuine(&case));
    condition(&case.check())
}

#[test]
fn runs_of_random_systems() {
    let sweep = serval_effort::sweep("proof.runs", 400, 1_500);
    let (mut accepted, mut rejected) = (0, 0);
    for seed in sweep.seeds(0) {
        let system = confusable(&mut SplitMix64::new(seed));
        let budget = &mut Budget::unlimited();
        let interleaved = completed_multisets(&system, 3, budget).unwrap();
        let serial = serial_multisets(&system, 3, budget).unwrap();
        for multiset in &interleaved {
            let run = find_run(&system, multiset).unwrap();
            let case = Case::new(system.clone(), in_names(&system, &run));
            let answer = case.check();
            assert_eq!(answer.is_ok(), is_genuine(&case));
            if serial.contains(multiset) {
                assert_eq!(condition(&answer), Condition::RunSerial);
                rejected += 1;
            } else {
                assert_eq!(answer, Ok(()), "seed {seed}");
                accepted += 1;
            }
        }
    }
    let many = accepted * 8 > sweep.count() && rejected * 8 > sweep.count();
    assert!(!sweep.is_representative() || many, "{accepted} {rejected}");
}

#[test]
fn every_prefix_is_refused() {
    for length in 0..8 {
        let expected = if length == 0 { Condition::RunSerial } else { Condition::RunEnd };
        let completed = |run: &RunCertificate| {
            u64::try_from(run.steps.iter().filter(|event| matches!(event.action, Action::Respond { .. })).count()).unwrap()
        };
        let found = refused(|run| {
            run.steps.truncate(length);
            run.completed = vec![answers("inc", "0", completed(run))];
            run.completed.retain(|entry| entry.count > 0);
        });
        assert_eq!(found, expected, "{length}");
    }
}

#[test]
fn the_empty_run_is_serial() {
    assert_eq!(refused(|run| *run = RunCertificate::default()), Condition::RunSerial);
}

#[test]
fn a_serial_multiset_by_an_interleaved_run_is_refused() {
    // The second request comes while the first is still in flight, and sees 1.
    let run = RunCertificate {
        steps: vec![
            spawn(1),
            spawn(2),
            step(1, ("start", "0"), ("read 0", "0")),
            step(1, ("read 0", "0"), ("done 0", "1")),
            step(2, ("start", "1"), ("read 1", "1")),
            step(2, ("read 1", "1"), ("done 1", "0")),
            respond(2, "done 1", "1"),
            respond(1, "done 0", "0"),
        ],
        completed: vec![answers("inc", "0", 1), answers("inc", "1", 1)],
    };
    assert_eq!(condition(&Case::new(counter(), run).check()), Condition::RunSerial);
}

#[test]
fn numbers_are_used_once() {
    assert_eq!(refused(|run| run.steps.insert(1, spawn(1))), Condition::RunReplayFresh);
    // Also those of requests that have answered.
    assert_eq!(refused(|run| run.steps.push(spawn(1))), Condition::RunReplayFresh);
}

#[test]
fn only_requests_in_flight_move() {
    assert_eq!(refused(|run| drop(run.steps.remove(0))), Condition::RunReplayThread);
    assert_eq!(refused(|run| run.steps.push(respond(2, "done 0", "0"))), Condition::RunReplayThread);
    assert_eq!(refused(|run| run.steps.push(step(1, ("done 0", "1"), ("done 0", "1")))), Condition::RunReplayThread);
    assert_eq!(refused(|run| run.steps[0] = spawn(7)), Condition::RunReplayThread);
}

#[test]
fn responses_come_from_the_request_itself() {
    // Request 2 has not come so far yet.
    assert_eq!(refused(|run| run.steps[5] = respond(2, "done 0", "0")), Condition::RunReplayRespondLocal);
    assert_eq!(refused(|run| run.steps[5] = respond(2, "read 0", "0")), Condition::RunReplayResponse);
    assert_eq!(refused(|run| run.steps[5] = respond(1, "done 0", "1")), Condition::RunReplayResponse);
}

#[test]
fn steps_are_steps_of_the_system() {
    assert_eq!(refused(|run| run.steps[1] = step(1, ("start", "0"), ("done 0", "0"))), Condition::RunReplayStep);
    assert_eq!(refused(|run| run.steps[1] = step(1, ("start", "0"), ("read 0", "1"))), Condition::RunReplayStep);
    assert_eq!(refused(|run| run.steps[1] = step(1, ("start", "1"), ("read 1", "1"))), Condition::RunReplayFromGlobal);
    assert_eq!(refused(|run| run.steps.swap(1, 4)), Condition::RunReplayFromLocal);
    assert_eq!(refused(|run| run.steps[6] = step(2, ("read 1", "1"), ("done 1", "0"))), Condition::RunReplayFromLocal);
}

#[test]
fn unknown_names_are_refused() {
    let spawned = |request: &str, local: &str| RunEvent { id: 1, action: Action::Spawn { request: request.into(), local: local.into() } };
    assert_eq!(refused(|run| run.steps[0] = spawned("dec", "start")), Condition::RunReplaySpawn);
    assert_eq!(refused(|run| run.steps[0] = spawned("inc", "Start")), Condition::RunReplaySpawn);
    assert_eq!(refused(|run| run.steps[1] = step(1, ("start ", "0"), ("read 0", "0"))), Condition::RunReplayFromLocal);
    assert_eq!(refused(|run| run.steps[1] = step(1, ("start", "00"), ("read 0", "0"))), Condition::RunReplayFromGlobal);
    assert_eq!(refused(|run| run.steps[1] = step(1, ("start", "0"), ("read", "0"))), Condition::RunReplayStep);
    assert_eq!(refused(|run| run.steps[5] = respond(1, "done", "0")), Condition::RunReplayRespondLocal);
    assert_eq!(refused(|run| run.steps[5] = respond(1, "done 0", "")), Condition::RunReplayResponse);
}

#[test]
fn the_answers_are_those_claimed() {
    assert_eq!(refused(|run| run.completed.clear()), Condition::RunCompleted);
    assert_eq!(refused(|run| run.completed[0].count = 3), Condition::RunCompleted);
    assert_eq!(refused(|run| run.completed[0].count = u64::MAX), Condition::RunCompleted);
    assert_eq!(refused(|run| run.completed.push(answers("inc", "1", 1))), Condition::RunCompleted);
    assert_eq!(refused(|run| run.completed.push(answers("dec", "0", 1))), Condition::RunCompleted);
    assert_eq!(refused(|run| run.completed = vec![answers("inc", "0", u64::MAX); 3]), Condition::RunCompleted);
    // Counts of the same answer add up.
    let mut case = lost_update();
    case.run().completed = vec![answers("inc", "0", 1); 2];
    assert_eq!(case.check(), Ok(()));
}

#[test]
fn the_right_component_is_needed() {
    let case = lost_update();
    let other = NetworkSystem::from_json(r#"{"initial_global": "0", "requests": [], "responses": [], "transitions": []}"#).unwrap();
    let answer = |component: usize, systems: &[&NetworkSystem]| {
        let mut certificate = case.certificate.clone();
        certificate.component = component;
        check(&Systems { text: &case.text, systems: systems.to_vec() }, &certificate, &Caps::default(), &Cancel::new())
    };
    assert_eq!(answer(1, &[&other, &case.system]), Ok(()));
    assert_eq!(condition(&answer(0, &[&other, &case.system])), Condition::RunReplaySpawn);
    assert_eq!(condition(&answer(2, &[&other, &case.system])), Condition::Component);
    assert_eq!(condition(&answer(usize::MAX, &[&case.system])), Condition::Component);
    assert_eq!(condition(&answer(0, &[])), Condition::Component);
}

#[test]
fn caps_are_kept() {
    let case = lost_update();
    let refused = |caps: Caps| match case.check_within(&caps) {
        Err(Refusal::TooLarge { what, limit }) => (what, limit),
        other => panic!("{other:?}"),
    };
    let caps = Caps::default();
    assert_eq!(refused(Caps { events: 7, ..caps }), ("events", 7));
    assert_eq!(refused(Caps { requests: 1, ..caps }), ("requests", 1));
    assert_eq!(refused(Caps { submultisets: 2, ..caps }), ("sub-multisets", 2));
    assert_eq!(case.check_within(&Caps { events: 8, requests: 2, submultisets: 3, ..caps }), Ok(()));
    // Whatever the number of ticks, the answer is right or there is none.
    let mut enough = 0;
    while case.check_within(&Caps { ticks: enough, ..caps }) != Ok(()) {
        assert_eq!(refused(Caps { ticks: enough, ..caps }), ("ticks of work", enough));
        enough += 1;
    }
    assert!((20..200).contains(&enough), "enough");
    // A run that is wrong may be too large as well, but is never right.
    let mut wrong = lost_update();
    wrong.run().steps.push(spawn(3));
    for ticks in 0..200 {
        assert!(wrong.check_within(&Caps { ticks, ..caps }).is_err());
    }
}

#[test]
fn cancelled_is_not_valid() {
    let case = lost_update();
    let cancel = Cancel::new();
    cancel.cancel();
    let answer = check(&case, &case.certificate, &Caps::default(), &cancel);
    assert_eq!(answer, Err(Refusal::Stopped(Stopped::Cancelled)));
}
