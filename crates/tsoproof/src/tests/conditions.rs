//! Each condition is needed: a certificate that only it refuses.

use std::collections::BTreeSet;

use serval_budget::Budget;
use serval_tso::{Asked, BinaryOp, CellId, Expr, Observed, Program};

use super::lists::{all_live, attacks, begun, closed};
use super::switch::without;
use crate::state::Model as Memory;
use crate::{Answer, By, Certificate, Claim, Condition, FenceSet, Fences, Goal, Means, Model, Refusal, States, Violation, Witness};

/// Store buffering, and the same with fences.
pub(super) const SB: &str = "memory x, y; thread L { x := 1; r := y; } thread R { y := 1; r := x; } exists L.r == 0 && R.r == 0;";
pub(super) const FENCED: &str =
    "memory x, y; thread L { x := 1; fence; r := y; } thread R { y := 1; fence; r := x; } exists L.r == 0 && R.r == 0;";
/// A run of store buffering with a cycle, and the cycle.
pub(super) const RUN: [i64; 6] = [0, 0, 1, -2, 1, -1];
pub(super) const CYCLE: [usize; 4] = [0, 1, 2, 4];

/// Store buffering with a step between store and load, so that there are two places in L.
pub(super) const LONGER: &str = "memory x, y; thread L { x := 1; skip; r := y; } thread R { y := 1; r := x; } exists L.r == 0 && R.r == 0;";

/// Its violations.
pub(super) fn longer() -> Vec<Witness> {
    vec![witness(&[0, 0, 0, 1, -2, 1, -1], &[0, 2, 3, 5]), witness(&[1, 1, 0, -1, 0, 0, -2], &[0, 1, 2, 5])]
}

pub(super) fn answer(question: usize, model: Model, claim: Claim) -> Answer {
    Answer { question, model, claim }
}

/// A certificate that a question is unreachable under sequential consistency, by this list.
fn unreachable((program, mut certificate): (Program, Certificate), list: impl Fn(&Program) -> States) -> (Program, Certificate) {
    certificate.sc = Some(list(&program));
    certificate.answers.push(answer(0, Model::Sc, Claim::Unreachable(By::States)));
    (program, certificate)
}

fn all(program: &Program) -> States {
    closed(program, Memory::Sc, all_live(program))
}

/// With these live registers of the one thread.
fn with_live(text: &str, live: &[u64]) -> (Program, Certificate) {
    unreachable(begun(text), |program| closed(program, Memory::Sc, vec![live.to_vec()]))
}

fn violated(text: &str, run: &[i64], cycle: &[usize]) -> (Program, Certificate) {
    let (program, mut certificate) = begun(text);
    certificate.violation = Some(Violation { run: run.to_vec(), cycle: cycle.to_vec() });
    (program, certificate)
}

/// A violation as a witness.
pub(super) fn witness(run: &[i64], cycle: &[usize]) -> Witness {
    Witness { run: run.to_vec(), cycle: cycle.to_vec(), ..Witness::default() }
}

/// The two violations of store buffering.
pub(super) fn both() -> Vec<Witness> {
    vec![witness(&RUN, &CYCLE), witness(&[1, 1, 0, -1, 0, -2], &[0, 1, 2, 4])]
}

/// A set of changes, with the proof that the program is robust, or with whatever lists there are.
pub(super) fn set(program: &Program, means: Means, places: &[(u32, u32)]) -> FenceSet {
    let place = |&(thread, point): &(u32, u32)| serval_tso::Place { thread: serval_tso::ThreadId(thread), point: serval_tso::Point(point) };
    let changed = program.with_changes(means.change(), &places.iter().map(place).collect::<Vec<_>>());
    let mut proof = Certificate::new(&changed);
    proof.robust = Some(attacks(&changed));
    FenceSet { places: places.to_vec(), proof }
}

/// A certificate about sets of fences.
pub(super) fn fenced(text: &str, sets: &[&[(u32, u32)]], witnesses: Vec<Witness>) -> (Program, Certificate) {
    let (program, mut certificate) = begun(text);
    let sets = sets.iter().map(|places| set(&program, Means::Fence, places)).collect();
    certificate.fences = Some(Fences { sets, witnesses, ..Fences::default() });
    (program, certificate)
}

/// The same with something changed.
fn fenced_but(case: (Program, Certificate), change: impl Fn(&mut Fences)) -> (Program, Certificate) {
    let (program, mut certificate) = case;
    change(certificate.fences.as_mut().unwrap());
    (program, certificate)
}

/// A question about all states that speaks of memory, which no text can ask.
pub(super) fn about_memory() -> (Program, Certificate) {
    let (mut program, _) = begun("memory x; thread L { x := 1; e: skip; } never L@e;");
    let no_store = Expr::Binary(BinaryOp::Equal, Box::new(Expr::Atom(Observed::Cell(CellId(0)))), Box::new(Expr::Number(0)));
    let at = program.questions[0].condition.clone();
    program.questions[0].condition = Expr::Binary(BinaryOp::And, Box::new(at), Box::new(no_store));
    assert_eq!(program.questions[0].asked, Asked::Never);
    let certificate = Certificate::new(&program);
    let (program, mut certificate) = unreachable((program, certificate), all);
    certificate.robust = Some(attacks(&program));
    certificate.answers.push(answer(0, Model::Tso, Claim::Unreachable(By::Robust)));
    (program, certificate)
}

/// Refused by one condition alone.
fn refused() -> Vec<(Condition, (Program, Certificate))> {
    let waits = "memory x; thread P { r := x; assume r == 1; l: skip; } thread Q { x := 1; } never P@l;";
    let reads = "memory x = 1; thread P { r := x; assume r == 1; l: skip; } never P@l;";
    let later = "memory x = 1; thread P { r := x; skip; assume r == 1; l: skip; } never P@l;";
    let sees = "memory x = 1; thread P { r := x; l: skip; } never P.r == 1;";
    let leaves = "values 0..1; thread P { r := 1; r := r + 1; l: skip; } never P@l;";
    let one = "memory x; thread P { x := 1; } thread Q { r := x; } exists Q.r == 2;";
    let mut cases = Vec::new();
    let mut add = |condition: Condition, case: (Program, Certificate)| cases.push((condition, case));

    let mut other = unreachable(begun(one), all);
    other.1.program = "0".repeat(16);
    add(Condition::Input, other);
    add(Condition::Fixed, unreachable(begun("memory x; thread* P { o := fadd(x, 1); } exists P.o == 1;"), all));
    let mut no_star = begun(one);
    no_star.1.copies = Some(1);
    add(Condition::Fixed, no_star);
    let mut no_copies = violated(&SB.replace("thread L", "thread* L").replace(" exists L.r == 0 && R.r == 0;", ""), &RUN, &CYCLE);
    no_copies.1.copies = Some(0);
    add(Condition::Copies, no_copies);
    let star = "memory x; thread* P { o := fadd(x, 1); l: skip; } never P@l;";
    let mut none = begun(star);
    none.1.answers.push(answer(0, Model::Sc, Claim::Copies(0, vec![0])));
    add(Condition::Copies, none);
    let mut instance = begun("memory x; thread P { x := 1; l: skip; } never P@l;");
    instance.1.instance = Some(1);
    add(Condition::Copies, instance);
    let mut nowhere = fenced(SB, &[&[(0, 1), (1, 1)]], both());
    nowhere.1.fences.as_mut().unwrap().witnesses[0].copies = Some(1);
    add(Condition::Copies, nowhere);
    let mut fixed = begun(star);
    fixed.1.answers.push(answer(0, Model::Sc, Claim::Unreachable(By::States)));
    add(Condition::Fixed, fixed);
    let mut no_configurations = begun(star);
    no_configurations.1.answers.push(answer(0, Model::Sc, Claim::Unreachable(By::Any)));
    add(Condition::Given, no_configurations);
    let mut seventh = begun(one);
    seventh.1.answers.push(answer(7, Model::Sc, Claim::Reachable(Vec::new())));
    add(Condition::Question, seventh);
    let mut without_list = begun(waits);
    without_list.1.answers.push(answer(0, Model::Sc, Claim::Unreachable(By::States)));
    add(Condition::Given, without_list);
    let mut not_robust = unreachable(begun(SB), all);
    not_robust.1.answers.push(answer(0, Model::Tso, Claim::Unreachable(By::Robust)));
    add(Condition::Given, not_robust);
    let mut only_robust = begun(waits);
    only_robust.1.robust = Some(attacks(&only_robust.0));
    only_robust.1.answers.push(answer(0, Model::Tso, Claim::Unreachable(By::Robust)));
    add(Condition::Given, only_robust);
    // Merged states are about store buffers, and say nothing of sequential consistency.
    let mut merged = begun(FENCED);
    merged.1.answers.push(answer(0, Model::Sc, Claim::Unreachable(By::Merged)));
    add(Condition::Given, merged);
    add(Condition::Local, about_memory());

    let mut nobody = begun("memory x; thread P { x := 1; l: skip; } never P@l;");
    nobody.1.answers.push(answer(0, Model::Sc, Claim::Reachable(vec![0, 9])));
    add(Condition::RunStep, nobody);
    let mut elsewhere = begun(one);
    elsewhere.1.answers.push(answer(0, Model::Sc, Claim::Reachable(vec![0, 1])));
    add(Condition::RunEnd, elsewhere);
    // A store that has not landed cannot land twice.
    let mut lands = begun("memory x; thread P { x := 1; l: skip; } never P@l;");
    lands.1.answers.push(answer(0, Model::Tso, Claim::Reachable(vec![0, -1, -1])));
    add(Condition::RunStep, lands);

    super::finals::refused().into_iter().for_each(|(condition, case)| add(condition, case));
    super::basis::refused().into_iter().for_each(|(condition, case)| add(condition, case));
    add(Condition::LiveShape, unreachable(begun(one), |program| closed(program, Memory::Sc, Vec::new())));
    add(Condition::LiveUses, with_live(reads, &[0, 0, 0, 0]));
    add(Condition::LiveFlow, with_live(later, &[0, 0, 1, 0, 0]));
    add(Condition::LiveQuestion, with_live(sees, &[0, 0, 0]));
    add(
        Condition::StatesShape,
        unreachable(begun(one), |program| {
            let mut list = all(program);
            list.states.push(vec![i64::MAX]);
            list
        }),
    );
    add(Condition::StatesInitial, unreachable(begun(waits), |program| States { states: Vec::new(), ..all(program) }));
    add(
        Condition::StatesClosed,
        unreachable(begun(waits), |program| {
            let mut list = all(program);
            list.states.truncate(1);
            list
        }),
    );
    add(Condition::StatesFault, unreachable(begun(leaves), all));
    add(Condition::StatesQuestion, unreachable(begun(waits), all));
    let mut buffered = begun(SB);
    buffered.1.tso = Some(closed(&buffered.0, Memory::Tso, all_live(&buffered.0)));
    buffered.1.answers.push(answer(0, Model::Tso, Claim::Unreachable(By::States)));
    add(Condition::StatesQuestion, buffered);

    let mut no_attackers = begun(SB);
    no_attackers.1.robust = Some(attacks(&no_attackers.0));
    no_attackers.1.robust.as_mut().unwrap().attackers.clear();
    add(Condition::RobustAttackers, no_attackers);
    let mut attacked = begun(SB);
    attacked.1.robust = Some(attacks(&attacked.0));
    add(Condition::RobustViolation, attacked);
    let mut faulty = begun("values 0..1; memory x; thread P { r := 1; x := r + 1; }");
    faulty.1.robust = Some(attacks(&faulty.0));
    add(Condition::StatesFault, faulty);

    let waiting = SB.replace("r := y;", "r := y; x := 2;");
    add(Condition::TraceLanded, violated(&waiting, &[0, 0, 0, 1, -2, 1, -1], &[0, 1, 3, 5]));
    add(Condition::TraceCycle, violated(FENCED, &[], &[]));
    add(Condition::TraceEdge, violated(one, &[0, -1, 1], &[0, 2]));
    add(Condition::FencesPlaces, fenced(SB, &[&[(1, 1), (0, 1)]], both()));
    add(Condition::FencesFewest, fenced(FENCED, &[&[(0, 0)]], Vec::new()));
    // The second set costs more than the first.
    add(Condition::FencesFewest, fenced(SB, &[&[(0, 1), (1, 1)], &[(0, 0), (0, 1), (1, 1)]], both()));
    // Evidence that is valid, and does not show the goal; and evidence that speaks of changes.
    add(Condition::FencesGoal, fenced_but(fenced(SB, &[&[(0, 1), (1, 1)]], both()), |fences| fences.sets[0].proof.robust = None));
    let about_changes = |fences: &mut Fences| fences.sets[0].proof.fences = Some(fenced(FENCED, &[&[]], Vec::new()).1.fences.unwrap());
    add(Condition::FencesGoal, fenced_but(fenced(FENCED, &[&[]], Vec::new()), about_changes));
    // One copy is robust, and two are not.
    let two = "memory x, y; thread* P { x := 1; r := y; y := 1; s := x; }";
    let mut one_copy = fenced(two, &[], Vec::new());
    let mut proof = Certificate::new(&one_copy.0);
    (proof.instance, proof.robust) = (Some(1), Some(attacks(&one_copy.0.with_copies(1))));
    one_copy.1.fences.as_mut().unwrap().sets = vec![FenceSet { places: Vec::new(), proof }];
    add(Condition::FencesGoal, one_copy);
    // What `exists` asks is no demand.
    let reached = |fences: &mut Fences| {
        fences.goal = Goal::Reach;
        fences.witnesses = vec![Witness { run: vec![0, -1, 0, 1, -2, 1], question: Some(0), ..Witness::default() }];
    };
    let sc = SB.replace("L.r == 0 && R.r == 0", "L.r == 0 && R.r == 1");
    add(Condition::FencesQuestion, fenced_but(fenced(&sc, &[], Vec::new()), reached));
    add(Condition::FencesAll, fenced_but(fenced(LONGER, &[&[(0, 1), (1, 1)]], longer()), |fences| fences.all = true));
    add(Condition::FencesCost, fenced_but(fenced(SB, &[&[(0, 1), (1, 1)]], both()), |fences| fences.loop_cost = Some(0)));
    add(Condition::FencesNone, fenced(SB, &[], both()));
    cases
}

#[test]
fn each_condition_is_needed() {
    let mut seen = BTreeSet::new();
    for (condition, (program, certificate)) in refused() {
        let refusal = certificate.check(&program, &mut Budget::unlimited());
        match &refusal {
            Err(Refusal::Invalid(rejection)) => assert_eq!(rejection.condition, condition, "{rejection}"),
            other => panic!("{condition}: {other:?}"),
        }
        let accepted = without(condition, || certificate.check(&program, &mut Budget::unlimited()));
        assert!(accepted.is_ok(), "{condition} is not the only one: {accepted:?}");
        seen.insert(condition);
    }
    let all: BTreeSet<Condition> = Condition::ALL.iter().copied().collect();
    assert_eq!(seen, all, "these have no case: {:?}", all.difference(&seen).collect::<Vec<_>>());
}
