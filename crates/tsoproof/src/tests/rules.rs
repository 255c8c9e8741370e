//! What each rule accepts, and mutants of it, all of which are refused or still true.

use serval_budget::Budget;

use super::conditions::{CYCLE, FENCED, RUN, SB};
use super::lists::{all_live, attacks, begun, closed};
use crate::state::Model as Memory;
use crate::{Answer, By, Certificate, Claim, Edge, Fences, Model, Violation, trace};

fn checked(program: &serval_tso::Program, certificate: &Certificate) -> bool {
    certificate.check(program, &mut Budget::unlimited()).is_ok()
}

#[test]
fn a_run_and_a_cycle_are_accepted() {
    let (program, mut certificate) = begun(SB);
    certificate.answers.push(Answer { question: 0, model: Model::Tso, claim: Claim::Reachable(RUN.to_vec()) });
    certificate.violation = Some(Violation { run: RUN.to_vec(), cycle: CYCLE.to_vec() });
    let shown = certificate.check(&program, &mut Budget::unlimited()).unwrap();
    assert_eq!((shown.robust, shown.tso), (Some(false), vec![Some(true)]));
    let edges = trace::explained(&program, certificate.violation.as_ref().unwrap(), &mut Budget::unlimited()).unwrap();
    assert!(matches!(edges[..], [Edge::Program, Edge::Conflict(_), Edge::Program, Edge::Conflict(_)]), "{edges:?}");
}

#[test]
fn closed_lists_are_accepted_and_no_state_can_be_left_out() {
    let (program, mut certificate) = begun(FENCED);
    certificate.sc = Some(closed(&program, Memory::Sc, all_live(&program)));
    certificate.tso = Some(closed(&program, Memory::Tso, all_live(&program)));
    certificate.robust = Some(attacks(&program));
    for (model, by) in [(Model::Sc, By::States), (Model::Tso, By::States), (Model::Tso, By::Robust)] {
        certificate.answers.push(Answer { question: 0, model, claim: Claim::Unreachable(by) });
    }
    let shown = certificate.check(&program, &mut Budget::unlimited()).unwrap();
    assert_eq!((shown.robust, shown.sc, shown.tso), (Some(true), vec![Some(false)], vec![Some(false)]));
    // All states are reachable, since this is how they were found, so each is needed, and each number of it.
    let mut mutants = 0;
    let mut refuse = |mutant: &Certificate| {
        assert!(!checked(&program, mutant));
        mutants += 1;
    };
    for number in 0..certificate.tso.as_ref().unwrap().states.len() {
        let mut mutant = certificate.clone();
        mutant.tso.as_mut().unwrap().states.remove(number);
        refuse(&mutant);
    }
    for number in 0..certificate.sc.as_ref().unwrap().states.len() {
        for place in 0..certificate.sc.as_ref().unwrap().states[number].len() {
            let mut mutant = certificate.clone();
            mutant.sc.as_mut().unwrap().states[number][place] += 1;
            refuse(&mutant);
        }
    }
    for attacker in 0..2 {
        for number in 0..certificate.robust.as_ref().unwrap().attackers[attacker].len() {
            let mut mutant = certificate.clone();
            mutant.robust.as_mut().unwrap().attackers[attacker].remove(number);
            refuse(&mutant);
        }
    }
    assert!(mutants > 200, "{mutants}");
}

#[test]
fn no_wrong_event_of_a_run_is_accepted_as_the_same() {
    let (program, _) = begun(SB);
    let mut accepted = 0;
    for place in 0..RUN.len() {
        for event in -3..4 {
            let mut run = RUN.to_vec();
            run[place] = event;
            let mut certificate = Certificate::new(&program);
            certificate.answers.push(Answer { question: 0, model: Model::Tso, claim: Claim::Reachable(run.clone()) });
            // Whatever is accepted reaches the state: here, only the run itself is left.
            accepted += usize::from(checked(&program, &certificate));
        }
    }
    assert_eq!(accepted, RUN.len());
    // Every cycle of two other events is refused.
    for (first, second) in [(0, 1), (0, 2), (1, 2), (4, 4), (0, 3), (5, 9)] {
        let mut certificate = Certificate::new(&program);
        certificate.violation = Some(Violation { run: RUN.to_vec(), cycle: vec![first, second] });
        assert!(!checked(&program, &certificate), "{first} {second}");
    }
}

#[test]
fn two_fences_for_store_buffering_and_not_one() {
    let (program, mut certificate) = begun(SB);
    let violation = Violation { run: RUN.to_vec(), cycle: CYCLE.to_vec() };
    let opposite = Violation { run: vec![1, 1, 0, -1, 0, -2], cycle: vec![0, 1, 2, 4] };
    let places =
        [(0, 1), (1, 1)].map(|(thread, point)| serval_tso::Place { thread: serval_tso::ThreadId(thread), point: serval_tso::Point(point) });
    let robust = attacks(&program.with_fences(&places));
    certificate.fences = Some(Fences { places: vec![(0, 1), (1, 1)], robust, violations: vec![violation.clone(), opposite] });
    assert!(checked(&program, &certificate));
    let mut mutant = certificate.clone();
    mutant.fences.as_mut().unwrap().violations.pop();
    assert!(!checked(&program, &mutant), "one violation does not need two fences");
    let mut mutant = certificate.clone();
    mutant.fences.as_mut().unwrap().places.pop();
    assert!(!checked(&program, &mutant), "one fence is not enough");
    let mut mutant = certificate;
    mutant.fences.as_mut().unwrap().violations[1] = violation;
    assert!(!checked(&program, &mutant));
}

#[test]
fn what_is_not_a_certificate_is_no_panic() {
    let (_, certificate) = begun(SB);
    let text = certificate.to_json();
    assert_eq!(Certificate::from_json(&text).unwrap(), certificate);
    for cut in 0..text.len() {
        assert!(Certificate::from_json(&text[..cut]).is_err() || text[cut..].trim().is_empty());
    }
    for (from, to) in [("serval-tso", "other"), (",1]", ",2]"), ("{\"format", "{\"more\":1,\"format"), ("\"program\"", "\"programme\"")] {
        assert!(Certificate::from_json(&text.replacen(from, to, 1)).is_err(), "{to}");
    }
    assert!(Certificate::from_json("[]").is_err());
}
