//! The rule of the cheapest changes.

use serval_budget::Budget;

use super::cases::{Case, FENCED, LONGER, Refused, SB, answer, balanced, both, checked, fenced, longer, refusal, set};
use super::lists::{all_live, attacks, begun, closed};
use crate::state::Model as Memory;
use crate::{By, Certificate, Claim, Condition, FenceSet, Fences, Goal, Means, Model, Witness};

/// The same with something changed.
fn fenced_but(case: Case, change: impl Fn(&mut Fences)) -> Case {
    let (program, mut certificate) = case;
    change(certificate.fences.as_mut().unwrap());
    (program, certificate)
}

/// Two locked stores for store buffering.
fn locked() -> Case {
    let (program, mut certificate) = fenced(SB, &[], both());
    let fences = certificate.fences.as_mut().unwrap();
    (fences.means, fences.all) = (Means::Locked, true);
    fences.sets = vec![set(&program, Means::Locked, &[(0, 0), (1, 0)])];
    (program, certificate)
}

fn accepted() -> Vec<Case> {
    let all = |fences: &mut Fences| fences.all = true;
    let helpless = |fences: &mut Fences| {
        fences.goal = Goal::Reach;
        fences.witnesses = vec![Witness { run: vec![0, -1], question: Some(0), ..Witness::default() }];
    };
    vec![
        fenced(SB, &[&[(0, 1), (1, 1)]], both()),
        // Nothing is needed.
        fenced(FENCED, &[&[]], Vec::new()),
        fenced(LONGER, &[&[(0, 2), (1, 1)]], longer()),
        fenced_but(fenced(LONGER, &[&[(0, 1), (1, 1)], &[(0, 2), (1, 1)]], longer()), all),
        locked(),
        // What can be reached under sequential consistency no fence prevents.
        fenced_but(fenced("memory x; thread P { x := 1; l: skip; } never P@l;", &[], Vec::new()), helpless),
    ]
}

/// Refused by one condition alone.
pub(super) fn refused() -> Refused {
    // Evidence that is valid, and does not show the goal; and evidence that speaks of changes.
    let about_changes = |fences: &mut Fences| fences.sets[0].proof.fences = Some(fenced(FENCED, &[&[]], Vec::new()).1.fences.unwrap());
    // One copy is robust, and two are not.
    let two = "memory x, y; thread* P { x := 1; r := y; y := 1; s := x; }";
    let mut one_copy = fenced(two, &[], Vec::new());
    let mut proof = Certificate::new(&one_copy.0);
    (proof.instance, proof.robust) = (Some(1), Some(attacks(&one_copy.0.with_copies(1))));
    one_copy.1.fences.as_mut().unwrap().sets = vec![FenceSet { places: Vec::new(), proof }];
    // What `exists` asks is no demand.
    let reached = |fences: &mut Fences| {
        fences.goal = Goal::Reach;
        fences.witnesses = vec![Witness { run: vec![0, -1, 0, 1, -2, 1], question: Some(0), ..Witness::default() }];
    };
    let sc = SB.replace("L.r == 0 && R.r == 0", "L.r == 0 && R.r == 1");
    vec![
        (Condition::FencesPlaces, fenced(SB, &[&[(1, 1), (0, 1)]], both())),
        (Condition::FencesFewest, fenced(FENCED, &[&[(0, 0)]], Vec::new())),
        // The second set costs more than the first.
        (Condition::FencesFewest, fenced(SB, &[&[(0, 1), (1, 1)], &[(0, 0), (0, 1), (1, 1)]], both())),
        (Condition::FencesGoal, fenced_but(fenced(SB, &[&[(0, 1), (1, 1)]], both()), |fences| fences.sets[0].proof.robust = None)),
        (Condition::FencesGoal, fenced_but(fenced(FENCED, &[&[]], Vec::new()), about_changes)),
        (Condition::FencesGoal, one_copy),
        (Condition::FencesQuestion, fenced_but(fenced(&sc, &[], Vec::new()), reached)),
        (Condition::FencesAll, fenced_but(fenced(LONGER, &[&[(0, 1), (1, 1)]], longer()), |fences| fences.all = true)),
        (Condition::FencesCost, fenced_but(fenced(SB, &[&[(0, 1), (1, 1)]], both()), |fences| fences.loop_cost = Some(0))),
        (Condition::FencesNone, fenced(SB, &[], both())),
    ]
}

#[test]
fn as_many_are_refused_as_accepted() {
    balanced(&accepted(), &refused());
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
    let (program, certificate) = locked();
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
    let place = |(thread, point)| serval_tso_program::FencePlace {
        thread: serval_tso_program::ThreadId(thread),
        point: serval_tso_program::Point(point),
    };
    let changed = program.with_fences(&places.map(place));
    fenced.proof.sc = Some(closed(&changed, Memory::Sc, all_live(&changed)));
    for (model, by) in [(Model::Sc, By::States), (Model::Tso, By::Robust)] {
        fenced.proof.answers.push(answer(0, model, Claim::Unreachable(by)));
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

/// The same place twice is one place that costs as much as two.
#[test]
fn places_are_there_and_each_is_listed_once() {
    for places in [vec![(0, 1), (0, 1), (1, 1)], vec![(0, 1), (1, 99)], vec![(0, 1), (7, 0)]] {
        let (program, mut certificate) = fenced(SB, &[&[(0, 1), (1, 1)]], both());
        certificate.fences.as_mut().unwrap().sets[0].places = places;
        assert_eq!(refusal(&(program, certificate)), Condition::FencesPlaces);
    }
}
