//! Programs and certificates that the tests of several rules begin with, and what is asked of each rule: it accepts
//! some, and refuses no fewer.

use serval_budget::Budget;
use serval_tso_program::{BinaryOp, CellId, Expr, Observed, Program, QuestionKind};

use super::lists::{all_live, attacks, begun, closed};
use crate::state::Model as Memory;
use crate::{Answer, By, Certificate, Claim, Condition, FenceSet, Fences, Means, Model, Refusal, Shown, States, Violation, Witness};

/// A program, and a certificate about it.
pub(super) type Case = (Program, Certificate);

/// What is refused, and because of which condition.
pub(super) type Refused = Vec<(Condition, Case)>;

fn says_something(shown: &Shown) -> bool {
    shown.robust.is_some() || shown.fences.is_some() || shown.sc.iter().chain(&shown.tso).any(Option::is_some)
}

/// The rule accepts these, each of which shows something, and refuses at least as many.
pub(super) fn balanced(accepted: &[Case], refused: &Refused) {
    assert!(accepted.len() >= 3 && refused.len() >= accepted.len(), "{} accepted, {} refused", accepted.len(), refused.len());
    for (number, (program, certificate)) in accepted.iter().enumerate() {
        let shown = certificate.check(program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("case {number}: {refusal}"));
        assert!(says_something(&shown), "case {number} shows nothing");
    }
    for (number, (condition, (program, certificate))) in refused.iter().enumerate() {
        match certificate.check(program, &mut Budget::unlimited()) {
            Err(Refusal::Invalid(rejection)) => assert_eq!(rejection.condition, *condition, "case {number}: {rejection}"),
            other => panic!("case {number}, {condition}: {other:?}"),
        }
    }
}

/// The condition that refuses a certificate.
pub(super) fn refusal((program, certificate): &Case) -> Condition {
    match certificate.check(program, &mut Budget::unlimited()) {
        Err(Refusal::Invalid(rejection)) => *Condition::ALL.iter().find(|&&one| rejection.condition == one).unwrap(),
        other => panic!("{other:?}"),
    }
}

pub(super) fn checked(program: &Program, certificate: &Certificate) -> bool {
    certificate.check(program, &mut Budget::unlimited()).is_ok()
}

/// Store buffering, and the same with fences.
pub(super) const SB: &str = "memory x, y; thread L { x := 1; r := y; } thread R { y := 1; r := x; } exists L.r == 0 && R.r == 0;";
pub(super) const FENCED: &str =
    "memory x, y; thread L { x := 1; fence; r := y; } thread R { y := 1; fence; r := x; } exists L.r == 0 && R.r == 0;";
/// A run of store buffering with a cycle, and the cycle.
pub(super) const RUN: [i64; 6] = [0, 0, 1, -2, 1, -1];
pub(super) const CYCLE: [usize; 4] = [0, 1, 2, 4];

/// Store buffering with a step between store and load, so that there are two places in L.
pub(super) const LONGER: &str = "memory x, y; thread L { x := 1; skip; r := y; } thread R { y := 1; r := x; } exists L.r == 0 && R.r == 0;";

/// One thread that waits for another, which is seen.
pub(super) const WAITS: &str = "memory x; thread P { r := x; assume r == 1; l: skip; } thread Q { x := 1; } never P@l;";
/// One thread that looks at what another stores, and does not see 2.
pub(super) const ONE: &str = "memory x; thread P { x := 1; } thread Q { r := x; } exists Q.r == 2;";

/// Its violations.
pub(super) fn longer() -> Vec<Witness> {
    vec![witness(&[0, 0, 0, 1, -2, 1, -1], &[0, 2, 3, 5]), witness(&[1, 1, 0, -1, 0, 0, -2], &[0, 1, 2, 5])]
}

pub(super) fn answer(question: usize, model: Model, claim: Claim) -> Answer {
    Answer { question, model, claim }
}

/// The case with one answer.
pub(super) fn answered(text: &str, model: Model, claim: Claim) -> Case {
    let (program, mut certificate) = begun(text);
    certificate.answers.push(answer(0, model, claim));
    (program, certificate)
}

/// A certificate that a question is unreachable under sequential consistency, by this list.
pub(super) fn unreachable((program, mut certificate): Case, list: impl Fn(&Program) -> States) -> Case {
    certificate.sc = Some(list(&program));
    certificate.answers.push(answer(0, Model::Sc, Claim::Unreachable(By::States)));
    (program, certificate)
}

/// All states under sequential consistency.
pub(super) fn all(program: &Program) -> States {
    closed(program, Memory::Sc, all_live(program))
}

pub(super) fn violated(text: &str, run: &[i64], cycle: &[usize]) -> Case {
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
    let place = |&(thread, point): &(u32, u32)| serval_tso_program::FencePlace {
        thread: serval_tso_program::ThreadId(thread),
        point: serval_tso_program::Point(point),
    };
    let changed = program.with_changes(means.change(), &places.iter().map(place).collect::<Vec<_>>());
    let mut proof = Certificate::new(&changed);
    proof.robust = Some(attacks(&changed));
    FenceSet { places: places.to_vec(), proof }
}

/// A certificate about sets of fences.
pub(super) fn fenced(text: &str, sets: &[&[(u32, u32)]], witnesses: Vec<Witness>) -> Case {
    let (program, mut certificate) = begun(text);
    let sets = sets.iter().map(|places| set(&program, Means::Fence, places)).collect();
    certificate.fences = Some(Fences { sets, witnesses, ..Fences::default() });
    (program, certificate)
}

/// A question about all states that speaks of memory, which no text can ask.
pub(super) fn about_memory() -> Case {
    let (mut program, _) = begun("memory x; thread L { x := 1; e: skip; } never L@e;");
    let no_store = Expr::Binary(BinaryOp::Equal, Box::new(Expr::Atom(Observed::Cell(CellId(0)))), Box::new(Expr::Number(0)));
    let at = program.questions[0].condition.clone();
    program.questions[0].condition = Expr::Binary(BinaryOp::And, Box::new(at), Box::new(no_store));
    assert_eq!(program.questions[0].asked, QuestionKind::Never);
    let certificate = Certificate::new(&program);
    let (program, mut certificate) = unreachable((program, certificate), all);
    certificate.robust = Some(attacks(&program));
    certificate.answers.push(answer(0, Model::Tso, Claim::Unreachable(By::Robust)));
    (program, certificate)
}
