//! The lemma of leading sets: what is sought is found with them iff it is found in every order, and no list may leave
//! out what a question sees.

use serval_tso_program::{BinaryOp, CellId, Expr, Observed, Program};

use super::cases::{Case, Refused, answer, balanced};
use super::lists::{all_live, attacks, begun, closed, every, is_attacked};
use crate::robust::Attack;
use crate::state::{Model as Memory, State};
use crate::{By, Claim, Condition, Model, States};

/// Threads that share something, and then do not, with labels where it matters.
const PROGRAMS: &[&str] = &[
    "memory x, y, z; thread P { x := 1; a: r := x; y := 1; b: skip; } thread Q { k: z := 1; l: s := z; m: skip; }",
    "memory x, y; thread P { x := 1; a: r := x; b: skip; } thread Q { k: y := 1; l: s := y; m: skip; }",
    "memory x, y; thread P { a: x := 1; r := y; b: skip; } thread Q { k: y := 1; s := x; l: skip; }",
    "memory x, y, z; thread P { a: x := 1; x := 2; r := y; b: skip; } thread Q { k: y := 1; fence; s := x; l: skip; } thread R { z := 1; t := z; m: skip; }",
    "memory x, y; thread P { a: o := xchg(x, 1); r := y; b: skip; } thread Q { k: s := x; s := x; l: skip; } thread R { y := 1; m: skip; }",
    "memory x, y; thread P { loop { r := x; if (r == 1) { break; } } a: y := 1; b: skip; } thread Q { k: x := 1; s := y; l: skip; }",
    "memory x, y; thread P { r := x; assume r == 1; a: y := 1; b: skip; } thread Q { k: y := 2; s := y; l: skip; x := 1; }",
    "memory x, y; thread P { atomic { r := x; y := r; } a: r := y; b: skip; } thread Q { k: x := 1; s := y; l: skip; } thread R { t := x; t := y; m: skip; }",
    "memory x, a[2]; thread P { i := x; a[i] := 1; a: skip; b: skip; } thread Q { k: x := 1; s := a[0]; t := a[1]; l: skip; }",
    "memory x, y; thread P { a: x := 1; r := x; r := y; b: skip; } thread Q { k: x := 2; s := x; y := 1; l: skip; }",
];

/// Every question about two points, and about a point and a register.
fn questions(text: &str) -> Vec<String> {
    let labels: Vec<(&str, &str)> = [("P", "a"), ("P", "b"), ("Q", "k"), ("Q", "l"), ("Q", "m"), ("R", "m")]
        .into_iter()
        .filter(|(thread, label)| {
            let own = text.split("thread ").find(|part| part.starts_with(thread));
            own.is_some_and(|part| part.contains(&format!("{label}: ")))
        })
        .collect();
    let at = |(thread, label): &(&str, &str)| format!("{thread}@{label}");
    let mut all = Vec::new();
    for one in &labels {
        all.extend(labels.iter().filter(|other| one.0 < other.0).map(|other| format!("never {} && {};", at(one), at(other))));
        for value in 0..3 {
            all.push(format!("never {} && Q.s == {value};", at(one)));
            all.push(format!("exists Q.s == {value} && x == {value};"));
            if text.contains("r := ") {
                all.push(format!("never P.r == {value} && Q.s == {};", 1));
            }
        }
    }
    all.sort();
    all.dedup();
    all
}

fn is_found(program: &Program, model: Memory, list: &States) -> bool {
    let states = list.states.iter().filter_map(|numbers| Some(State::decode(program, model, &numbers)?.0));
    states.into_iter().any(|state| state.is_sought(program, &program.questions[0]) == Some(true))
}

#[test]
fn what_is_sought_is_found_iff_it_is_found_in_every_order() {
    let (mut found, mut not, mut fewer) = (0, 0, 0);
    for text in PROGRAMS {
        for question in questions(text) {
            let (program, _) = begun(&format!("{text} {question}"));
            for model in [Memory::Sc, Memory::Tso] {
                let (some, all) = (closed(&program, model, all_live(&program)), every(&program, model));
                let is = is_found(&program, model, &all);
                assert_eq!(is_found(&program, model, &some), is, "{text} {question} {model:?}");
                assert!(some.states.len() <= all.states.len());
                fewer += usize::from(2 * some.states.len() <= all.states.len());
                *(if is { &mut found } else { &mut not }) += 1;
            }
        }
    }
    assert!(found > 100 && not > 100 && fewer > 100, "{found}, {not}, {fewer}");
}

#[test]
fn an_attack_succeeds_iff_it_does_in_every_order() {
    let (mut succeeds, mut fails) = (0, 0);
    let more = [
        "memory x, y; thread P { x := 1; fence; r := y; } thread Q { y := 1; s := x; } thread R { t := x; t := y; }",
        "memory x, y, z; thread P { x := 1; r := y; } thread Q { y := 1; z := 1; } thread R { t := z; u := x; }",
        "memory x, y, z; thread P { x := 1; r := x; r := y; } thread Q { z := 1; y := 1; s := z; s := x; }",
    ];
    for text in PROGRAMS.iter().chain(&more) {
        let (program, _) = begun(text);
        let lists = attacks(&program);
        let is_violation = |numbers: Vec<i64>| Attack::decode(&program, &numbers).is_some_and(|attack| attack.is_violation());
        let is = lists.attackers.iter().flat_map(crate::Rows::iter).any(is_violation);
        assert_eq!(is, is_attacked(&program), "{text}");
        *(if is { &mut succeeds } else { &mut fails }) += 1;
    }
    assert!(succeeds > 2 && fails > 2, "{succeeds}, {fails}");
}

/// The program with a question, and the states of the program with another.
fn list_of(threads: &str, question: &str, of: &str, memory: Memory) -> Case {
    let (program, mut certificate) = begun(&format!("{threads} {question}"));
    let (other, _) = begun(&format!("{threads} {of}"));
    let list = closed(&other, memory, all_live(&other));
    let model = if memory == Memory::Sc { Model::Sc } else { Model::Tso };
    match memory {
        Memory::Sc => certificate.sc = Some(list),
        Memory::Tso => certificate.tso = Some(list),
    }
    certificate.answers.push(answer(0, model, Claim::Unreachable(By::States)));
    (program, certificate)
}

/// Threads that do not share anything, a question that does not see their points and registers, and one that does.
const APART: [(&str, &str, &str); 4] = [
    (PROGRAMS[0], "exists x == 2;", "never P@a && Q@m;"),
    (PROGRAMS[0], "exists x == 2;", "never P.r == 0 && Q.s == 1;"),
    (PROGRAMS[1], "exists x == 2;", "never P@a && Q@m;"),
    (
        "memory x, y; thread P { o := xchg(x, 1); p := xchg(x, 2); } thread Q { s := xchg(y, 1); s := xchg(y, 2); }",
        "exists x == 3;",
        "never P.p == 0 && Q.s == 1;",
    ),
];

pub(super) fn accepted() -> Vec<Case> {
    let of = |memory: Memory| APART.map(|(threads, blind, _)| list_of(threads, blind, blind, memory));
    [of(Memory::Sc), of(Memory::Tso)].concat()
}

/// Refused by one condition alone: what is asked for is among what is left out.
pub(super) fn refused() -> Refused {
    let of = |memory: Memory| APART.map(|(threads, blind, sees)| (Condition::StatesClosed, list_of(threads, sees, blind, memory)));
    [of(Memory::Sc), of(Memory::Tso)].concat()
}

#[test]
fn as_many_are_refused_as_accepted() {
    balanced(&accepted(), &refused());
}

#[test]
fn a_load_that_the_own_buffer_answers_may_read_what_lands_later() {
    let (program, _) = begun("memory x; thread P { x := 1; r := x; } thread Q { x := 2; } exists P.r == 2;");
    assert!(is_found(&program, Memory::Tso, &closed(&program, Memory::Tso, all_live(&program))));
}

#[test]
fn what_a_question_sees_of_memory_is_not_changed_first() {
    for (text, model) in [
        // The store lands first, if no other thread sees memory.
        ("memory x, y; thread L { x := 1; e: skip; } thread R { y := 1; f: skip; } never L@e && R@f;", Memory::Tso),
        // L goes first.
        ("memory x, y; thread L { x := 1; e: skip; } thread R { y := 1; f: skip; } never R@f;", Memory::Sc),
    ] {
        let (mut program, _) = begun(text);
        // And nothing is stored in x, which no text can ask.
        let nothing = Expr::Binary(BinaryOp::Equal, Box::new(Expr::Atom(Observed::Cell(CellId(0)))), Box::new(Expr::Number(0)));
        let at = program.questions[0].condition.clone();
        program.questions[0].condition = Expr::Binary(BinaryOp::And, Box::new(at), Box::new(nothing));
        assert!(is_found(&program, model, &closed(&program, model, all_live(&program))), "{text}");
    }
}
