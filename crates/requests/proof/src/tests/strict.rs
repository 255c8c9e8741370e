//! What is said about the order in time: right evidence, and evidence that only one condition refuses.

use super::scripts::{system, violate as wrong_scripts};
use super::support::{Case, answers, condition, counter, lost_update, respond, step};
use super::switch::without;
use super::{flow, invariant, letters, shared};
use crate::script::Entry;
use crate::strict::StrictProof;
use crate::strict::in_flight::InFlight;
use crate::strict::monitor::MonitorState;
use crate::strict::points::Points;
use crate::{Action, Body, CasesProof, Certificate, Claim, Condition, Part, RunCertificate, RunEvent};
use serval_model::NetworkSystem;

fn strictly(mut case: Case) -> Case {
    case.certificate.claim = Claim::Strict;
    case
}

fn state(global: u32, nodes: &[u32], readings: &[(u32, &[Option<u32>])]) -> MonitorState {
    let readings = readings.iter().map(|&(serial, taken)| (serial, taken.to_vec())).collect();
    MonitorState { global, nodes: nodes.to_vec(), readings }
}

fn in_flight(system: NetworkSystem, k: usize, states: Vec<MonitorState>) -> Case {
    strictly(Case::proved(system, Part::Strict(StrictProof::InFlight(InFlight { script: Vec::new(), k, states }))))
}

fn points(system: NetworkSystem, places: &[u32], proof: Part) -> Case {
    let points = Points { script: Vec::new(), places: places.to_vec(), proof: Box::new(proof) };
    strictly(Case::proved(system, Part::Strict(StrictProof::Points(points))))
}

/// One request in one step, and no second one.
fn once() -> NetworkSystem {
    system(2, &["a!", "a/x"], &[[0, 0, 1, 1]])
}

fn states_of_once() -> Vec<MonitorState> {
    vec![state(0, &[], &[(0, &[])]), state(1, &[], &[(1, &[])])]
}

/// A request of two steps, and any number of them.
fn two_steps() -> NetworkSystem {
    system(1, &["a!", "a", "a/x"], &[[0, 0, 1, 0], [1, 0, 2, 0]])
}

/// What `a` leaves behind is chosen by it, and `b` sees what.
fn choosing() -> NetworkSystem {
    system(2, &["a!", "b!", "a/x", "b/z"], &[[0, 0, 2, 0], [0, 0, 2, 1], [1, 1, 3, 1]])
}

/// Certificates that are refused for `condition` and for nothing else.
pub(super) fn violate(condition: Condition) -> Vec<Case> {
    match condition {
        Condition::StrictKind => [flow::right(), invariant::right(), letters::right(), shared::accepted()].map(strictly).into(),
        Condition::InFlightNumbers => {
            let beyond = state(9, &[], &[]);
            let unordered = state(0, &[], &[(1, &[]), (0, &[])]);
            let answered = state(0, &[1], &[]);
            let wide = state(0, &[], &[(0, &[None])]);
            let no_letter = state(0, &[0], &[(0, &[Some(0)])]);
            let wrong = [beyond, unordered, answered, wide, no_letter];
            wrong.map(|wrong| in_flight(once(), 1, [states_of_once(), vec![wrong]].concat())).into()
        }
        Condition::InFlightInitial => vec![in_flight(once(), 1, states_of_once().split_off(1))],
        Condition::InFlightStep => vec![in_flight(once(), 1, states_of_once()[..1].to_vec())],
        Condition::InFlightComplete => vec![in_flight(once(), 1, [states_of_once(), vec![state(1, &[], &[])]].concat())],
        Condition::InFlightClosed => {
            let waiting = state(0, &[1], &[(0, &[None]), (0, &[Some(2)])]);
            vec![in_flight(two_steps(), 1, vec![state(0, &[], &[(0, &[])]), waiting])]
        }
        Condition::PointsPlaces => {
            let beyond = points(once(), &[1], Part::Atomic(Vec::new()));
            vec![beyond, points(once(), &[0, 0], Part::Atomic(Vec::new()))]
        }
        Condition::PointsBad => vec![points(choosing(), &[], Part::Atomic(Vec::new()))],
        _ => panic!("no case for {condition}"),
    }
}

#[test]
fn right_evidence_is_accepted_for_both_claims() {
    let atomic = Case::proved(once(), Part::Atomic(Vec::new()));
    for case in [in_flight(once(), 1, states_of_once()), points(once(), &[], Part::Atomic(Vec::new())), strictly(atomic)] {
        assert_eq!(case.check(), Ok(()));
        let json = case.certificate.to_json();
        assert_eq!(Certificate::from_json(&json).as_ref(), Ok(&case.certificate), "{json}");
        let mut weaker = case;
        weaker.certificate.claim = Claim::Serializable;
        assert_eq!(weaker.check(), Ok(()));
        weaker.certificate.claim = Claim::NotStrict;
        assert_eq!(condition(&weaker.check()), Condition::PartsClaim);
    }
}

/// What is not serializable is not strict.
#[test]
fn a_run_without_an_order_has_none_in_time() {
    let mut case = lost_update();
    case.certificate.claim = Claim::NotStrict;
    assert_eq!(case.check(), Ok(()));
    case.certificate.claim = Claim::Strict;
    assert_eq!(condition(&case.check()), Condition::RunClaim);
}

/// `r` reads and, later, brings the old value back; `w` writes in between, and `g` sees it.
fn stale(get_comes_first: bool, claim: Claim) -> Case {
    let nodes = ["r!", "r", "w!", "g!", "r/k", "w/k", "g/0", "g/1"];
    let steps = [[0, 0, 1, 0], [1, 0, 4, 0], [1, 1, 4, 2], [2, 0, 5, 1], [3, 0, 6, 0], [3, 1, 7, 1], [3, 2, 6, 2]];
    let spawn = |id, request: &str, local: &str| {
        let action = Action::Spawn { request: request.to_owned(), local: local.to_owned() };
        vec![RunEvent { id, action }]
    };
    let done = |id, from, to: (&str, &str), response| vec![step(id, from, to), respond(id, to.0, response)];
    let came = spawn(3, "g", "n3");
    let (before, after) = if get_comes_first { (came, Vec::new()) } else { (Vec::new(), came) };
    let steps_of_run = [
        before,
        spawn(1, "r", "n0"),
        vec![step(1, ("n0", "g0"), ("n1", "g0"))],
        spawn(2, "w", "n2"),
        done(2, ("n2", "g0"), ("n5", "g1"), "k"),
        done(1, ("n1", "g1"), ("n4", "g2"), "k"),
        after,
        done(3, ("n3", "g2"), ("n6", "g2"), "0"),
    ];
    let completed = vec![answers("r", "k", 1), answers("w", "k", 1), answers("g", "0", 1)];
    let mut case = Case::new(system(3, &nodes, &steps), RunCertificate { steps: steps_of_run.concat(), completed });
    case.certificate.claim = claim;
    case
}

/// The order in time matters, and nothing else.
#[test]
fn a_stale_answer_is_serializable_and_not_strict() {
    assert_eq!(condition(&stale(false, Claim::NotSerializable).check()), Condition::RunSerial);
    assert_eq!(stale(false, Claim::NotStrict).check(), Ok(()));
    // A request that came before the other had answered may be put before it.
    assert_eq!(condition(&stale(true, Claim::NotStrict).check()), Condition::RunOrder);
}

/// Theorem 1 rests on it: with a done node in the set of a mover, what comes last could come to be later.
#[test]
fn movers_that_touch_ends_are_refused_for_strict() {
    for wrong in wrong_scripts(Condition::MoverEnds) {
        let case = strictly(wrong.case);
        assert_eq!(condition(&case.check()), Condition::MoverEnds);
        assert_eq!(without(Condition::MoverEnds, || case.check()), Ok(()));
    }
}

#[test]
fn proofs_by_cases_are_refused_for_strict() {
    let proof = CasesProof { cases: "[]".to_owned(), ..CasesProof::default() };
    let case = strictly(Case::proved(counter(), Part::Cases(Box::new(proof))));
    assert_eq!(condition(&case.check()), Condition::StrictKind);
    let mut several = case;
    several.certificate.body = Body::Components(vec![letters::right().certificate.body].into_iter().filter_map(part).collect());
    assert_eq!(condition(&several.check()), Condition::StrictKind);
}

fn part(body: Body) -> Option<Part> {
    match body {
        Body::Part(part) => Some(part),
        _ => None,
    }
}

/// A product is proved by itself: there is no other component for it to be the same as.
#[test]
fn a_product_is_not_the_same_as_something() {
    let case = points(once(), &[], Part::Same(crate::same::Same::default()));
    assert_eq!(condition(&case.check()), Condition::SamePart);
    let scripted = points(once(), &[0], Part::Atomic(vec![Entry::Pairs]));
    assert_eq!(scripted.check(), Ok(()));
}
