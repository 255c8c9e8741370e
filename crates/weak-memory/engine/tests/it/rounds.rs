//! A bounded number of rounds: runs that the checker accepts, and the program that does the same under sequential
//! consistency.

use serval_budget::Budget;
use serval_tso_engine::{EngineLimits, in_rounds};
use serval_tso_proof::{Answer, Certificate, Claim, Model};

/// Which questions have a run in `rounds` rounds; each run is accepted by the checker.
fn found(text: &str, rounds: u32) -> Vec<bool> {
    let program = serval_tso_program::read(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}"));
    let skipped = vec![false; program.questions.len()];
    let said = in_rounds(&program, rounds, &skipped, &EngineLimits::default(), &mut Budget::unlimited()).unwrap();
    assert_eq!(said.open.map(|reason| reason.to_string()), None);
    let mut certificate = Certificate::new(&program);
    for (question, run) in said.runs.iter().enumerate() {
        certificate.answers.extend(run.clone().map(|run| Answer { question, model: Model::Tso, claim: Claim::Reachable(run) }));
    }
    let shown = certificate.check(&program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{text}\n{refusal}"));
    assert_eq!(shown.tso.iter().flatten().count(), said.runs.iter().flatten().count());
    said.runs.iter().map(Option::is_some).collect()
}

/// Which questions the program with rounds has a run for, under sequential consistency.
fn reduced(text: &str, rounds: u32) -> Vec<bool> {
    let program = serval_tso_program::rounds::reduce(&serval_tso_program::read(text).unwrap(), rounds).unwrap();
    let mut certificate = serval_tso_engine::sequential(&program, &EngineLimits::default(), &mut Budget::unlimited()).unwrap().certificate;
    certificate.answers.retain(|answer| answer.model == Model::Sc);
    let shown = certificate.check(&program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{text}\n{refusal}"));
    shown.sc.iter().map(|said| said.unwrap()).collect()
}

/// Programs with stores that are delayed and seen by their thread.
const PROGRAMS: &[&str] = &[
    "memory x = 0, y = 0; thread L { x := 1; r := y; } thread R { y := 1; r := x; } exists L.r == 0 && R.r == 0; exists x == 1 && y == 1;",
    "memory x = 0, y = 0; thread L { x := 1; x := 2; r := x; s := y; } thread R { y := 1; a := x; b := x; }
        exists L.s == 0 && R.a == 0 && R.b == 1; exists R.a == 1 && R.b == 2; exists L.r == 1; never R.a == 2 && R.b == 1;",
    "memory x = 0, y = 0; thread L { x := 1; fence; y := 1; r := x; } thread R { x := 2; r := y; q := xchg(y, 2); }
        exists R.r == 0 && x == 2; exists R.q == 1 && L.r == 2; exists R.q == 0 && y == 1;",
];

#[test]
fn the_program_with_rounds_does_the_same() {
    for text in PROGRAMS {
        for rounds in 1..=2 {
            assert_eq!(reduced(text, rounds), found(text, rounds), "{rounds} rounds of\n{text}");
        }
    }
}

#[test]
fn store_buffering_takes_two_rounds_and_with_fences_there_is_no_number() {
    let sb = "memory x = 0, y = 0; thread L { x := 1; r := y; } thread R { y := 1; r := x; } exists L.r == 0 && R.r == 0;";
    assert_eq!([1, 2, 3].map(|rounds| found(sb, rounds)[0]), [false, true, true]);
    let fenced = sb.replace("1; r", "1; fence; r");
    assert_eq!([1, 2, 3, 4].map(|rounds| found(&fenced, rounds)[0]), [false; 4]);
    // The stores land before the locked instruction, and are seen.
    let locked = sb.replace("x := 1;", "o := xchg(x, 1);").replace("y := 1;", "o := xchg(y, 1);");
    assert_eq!([1, 2, 3, 4].map(|rounds| found(&locked, rounds)[0]), [false; 4]);
}

#[test]
fn the_program_with_rounds_is_one_of_the_language() {
    let text = "memory x = 0, a[2] = 0; thread L { i := 1; a[i] := 1; a[0] := 1; r := a[i]; x := r; fence; } thread R { s := x; t := a[s]; q := xchg(a[0], 0); }
        exists R.t == 1 && R.q == 1; never L.r == 2;";
    assert_eq!(found(text, 2), [true, false]);
    assert_eq!(reduced(text, 2), [true, false]);
    let program = serval_tso_program::read(text).unwrap();
    let reduced = serval_tso_program::rounds::reduce(&program, 2).unwrap();
    let names: std::collections::BTreeSet<&String> =
        reduced.cells.iter().map(|(name, _)| name).chain(reduced.threads.iter().map(|thread| &thread.name)).collect();
    assert_eq!(names.len(), reduced.cells.len() + reduced.threads.len());
    for (thread, before) in reduced.threads.iter().zip(&program.threads) {
        assert_eq!((thread.code.len(), &thread.labels), (before.code.len(), &before.labels));
    }
    for (text, why) in [
        ("memory x; thread* P { x := 1; }", "a `thread*` has no fixed number of rounds"),
        ("values 0..0; memory x; thread P { x := 0; }", "1 is not among the values of the program, and flags need it"),
    ] {
        assert_eq!(serval_tso_program::rounds::reduce(&serval_tso_program::read(text).unwrap(), 2).unwrap_err(), why);
    }
    assert!(serval_tso_program::rounds::reduce(&program, 0).is_err() && serval_tso_program::rounds::reduce(&program, 1000).is_err());
}
