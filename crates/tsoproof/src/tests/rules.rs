//! What each rule accepts, and mutants of it, all of which are refused or still true.

use serval_budget::Budget;

use super::conditions::{CYCLE, FENCED, LONGER, RUN, SB, both, fenced, longer, set};
use super::lists::{all_live, attacks, begun, closed};
use crate::state::Model as Memory;
use crate::{Answer, By, Certificate, Claim, Edge, Fences, Goal, Means, Model, Violation, Witness, trace};

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
    let (program, certificate) = fenced(SB, &[&[(0, 1), (1, 1)]], both());
    assert!(checked(&program, &certificate));
    let mutants: [fn(&mut Fences); 5] = [
        // One violation does not need two fences, nor does the same twice.
        |fences| drop(fences.witnesses.pop()),
        |fences| fences.witnesses[1] = fences.witnesses[0].clone(),
        // One fence is not enough.
        |fences| fences.sets[0].places.truncate(1),
        // What is shown of one program is not shown of another.
        |fences| fences.sets[0].places[0] = (0, 0),
        |fences| fences.means = Means::Locked,
    ];
    for (number, change) in mutants.iter().enumerate() {
        let mut mutant = certificate.clone();
        change(mutant.fences.as_mut().unwrap());
        assert!(!checked(&program, &mutant), "{number}");
    }
}

/// The certificate with something changed in what it says of changes.
fn but(certificate: &Certificate, change: impl Fn(&mut Fences)) -> Certificate {
    let mut mutant = certificate.clone();
    change(mutant.fences.as_mut().unwrap());
    mutant
}

#[test]
fn locked_stores_have_other_places_than_fences() {
    let (program, mut certificate) = fenced(SB, &[], both());
    let fences = certificate.fences.as_mut().unwrap();
    (fences.means, fences.all) = (Means::Locked, true);
    fences.sets = vec![set(&program, Means::Locked, &[(0, 0), (1, 0)])];
    let shown = certificate.check(&program, &mut Budget::unlimited()).unwrap().fences.unwrap();
    assert_eq!((shown.cost, shown.sets.len(), shown.all), (2, 1, true));
    // A load cannot be locked, and a fence before the store does not help.
    assert!(!checked(&program, &but(&certificate, |fences| fences.sets[0] = set(&program, Means::Locked, &[(0, 1), (1, 0)]))));
    assert!(!checked(&program, &but(&certificate, |fences| fences.means = Means::Fence)));
    assert!(!checked(&program, &but(&certificate, |fences| fences.witnesses.truncate(1))));
}

#[test]
fn all_sets_and_what_places_in_loops_cost() {
    let (program, mut certificate) = fenced(LONGER, &[&[(0, 1), (1, 1)], &[(0, 2), (1, 1)]], longer());
    certificate.fences.as_mut().unwrap().all = true;
    assert!(checked(&program, &certificate));
    assert!(checked(&program, &but(&certificate, |fences| (fences.all, _) = (false, fences.sets.pop()))));
    assert!(!checked(&program, &but(&certificate, |fences| drop(fences.sets.remove(0)))));
    // With the loop around the load, a fence in it costs more than one before.
    let text = "memory x, y; thread L { x := 1; skip; loop { r := y; } } thread R { y := 1; r := x; }";
    let (program, mut certificate) = fenced(text, &[&[(0, 1), (1, 1)]], longer());
    (certificate.fences.as_mut().unwrap().loop_cost, certificate.fences.as_mut().unwrap().all) = (Some(10), true);
    assert_eq!(certificate.check(&program, &mut Budget::unlimited()).unwrap().fences.unwrap().cost, 2);
    let in_loop = |cost: Option<u64>| {
        but(&certificate, |fences| {
            fences.sets = vec![set(&program, Means::Fence, &[(0, 2), (1, 1)])];
            (fences.loop_cost, fences.all) = (cost, false);
        })
    };
    assert!(checked(&program, &in_loop(None)));
    assert!(!checked(&program, &in_loop(Some(10))));
}

#[test]
fn bad_states_are_kept_out_or_nothing_helps() {
    let text = SB.replace("exists", "forall !(").replace("R.r == 0;", "R.r == 0);");
    let (program, mut certificate) = begun(&text);
    let bad = Witness { run: vec![0, 0, 1, 1, -1, -2], question: Some(0), ..Witness::default() };
    let places = [(0, 1), (1, 1)];
    let mut fenced = set(&program, Means::Fence, &places);
    let place = |(thread, point)| serval_tso::Place { thread: serval_tso::ThreadId(thread), point: serval_tso::Point(point) };
    let changed = program.with_fences(&places.map(place));
    fenced.proof.sc = Some(closed(&changed, Memory::Sc, all_live(&changed)));
    for (model, by) in [(Model::Sc, By::States), (Model::Tso, By::Robust)] {
        fenced.proof.answers.push(Answer { question: 0, model, claim: Claim::Unreachable(by) });
    }
    // One witness for each thread: the other one lands at once.
    let left = Witness { run: vec![0, 0, 1, -2, 1, -1], ..bad.clone() };
    let right = Witness { run: vec![1, 1, 0, -1, 0, -2], ..bad.clone() };
    certificate.fences = Some(Fences { goal: Goal::Reach, sets: vec![fenced], witnesses: vec![left, right], ..Fences::default() });
    assert!(checked(&program, &certificate));
    // Without the answer, with a witness that one fence prevents, with one that ends elsewhere, without any set.
    assert!(!checked(&program, &but(&certificate, |fences| drop(fences.sets[0].proof.answers.pop()))));
    assert!(!checked(&program, &but(&certificate, |fences| fences.witnesses = vec![bad.clone()])));
    assert!(!checked(&program, &but(&certificate, |fences| fences.witnesses[0].run.truncate(5))));
    assert!(!checked(&program, &but(&certificate, |fences| fences.sets.clear())));
    // What can be reached under sequential consistency no fence prevents.
    let (program, mut certificate) = begun("memory x; thread P { x := 1; l: skip; } never P@l;");
    let bad = Witness { run: vec![0, -1], question: Some(0), ..Witness::default() };
    certificate.fences = Some(Fences { goal: Goal::Reach, witnesses: vec![bad], ..Fences::default() });
    let shown = certificate.check(&program, &mut Budget::unlimited()).unwrap().fences.unwrap();
    assert!(shown.sets.is_empty());
    // Where the store waits at the end, a fence at the label would stop it, so that this run is no such witness.
    assert!(!checked(&program, &but(&certificate, |fences| fences.witnesses[0].run = vec![0])));
    assert!(!checked(&program, &but(&certificate, |fences| fences.witnesses.clear())));
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
