//! The rule of lists for final states: what it accepts and refuses, and that it loses no final state.

use std::collections::BTreeSet;

use serval_budget::Budget;
use serval_tso_program::Program;

use super::cases::{Case, Refused, answer, balanced};
use super::lists::{all_live, begun, every};
use crate::alike::Symmetry;
use crate::persistent::Persistent;
use crate::state::{Model as Memory, State};
use crate::step::Next;
use crate::{By, Claim, Condition, Model, States};

/// The list, by going on until nothing is new.
fn list(program: &Program) -> States {
    list_in(program, &[])
}

/// The same, with threads of these groups in one order.
pub(super) fn list_in(program: &Program, groups: &[Vec<usize>]) -> States {
    let alike = Symmetry::unchecked(groups);
    let persistent = Persistent::new(program);
    let mut states = BTreeSet::new();
    let mut open = vec![State::initial(program)];
    while let Some(mut state) = open.pop() {
        alike.sort(&mut state);
        if states.insert(state.encode(Memory::Sc)) {
            let chosen = persistent.chosen(program, &state);
            for thread in (0..program.threads.len()).filter(|thread| chosen >> thread & 1 == 1) {
                if let Next::Step(step) = state.next(program, Memory::Sc, thread, crate::step::Way::First) {
                    open.push(state.after(Memory::Sc, thread, &step));
                }
            }
        }
    }
    States { live: all_live(program), alike: groups.to_vec(), states: states.into_iter().collect() }
}

fn by_finals(text: &str) -> Case {
    let (program, mut certificate) = begun(text);
    certificate.finals = Some(list(&program));
    certificate.answers.push(answer(0, Model::Sc, Claim::Unreachable(By::Finals)));
    (program, certificate)
}

const APART: &str = "memory x, y; thread P { x := 1; l: skip; } thread Q { y := 1; l: skip; } exists x == 0;";

/// Refused by one condition alone.
pub(super) fn refused() -> Refused {
    let mut without = by_finals(APART);
    without.1.finals = None;
    let mut buffered = by_finals(APART);
    buffered.1.answers[0].model = Model::Tso;
    let mut all = by_finals(APART);
    all.1.finals.as_mut().unwrap().states.change(|states| drop(states.pop()));
    let mut shape = by_finals(APART);
    shape.1.finals.as_mut().unwrap().states.change(|states| states.push(vec![i64::MAX]));
    let mut nothing = by_finals(APART);
    nothing.1.finals.as_mut().unwrap().states.change(|states| states.clear());
    vec![
        (Condition::Given, without),
        (Condition::Given, buffered),
        // The two threads are never seen there at once, since one goes first.
        (Condition::FinalsQuestion, by_finals(&APART.replace("exists x == 0", "never P@l && Q@l"))),
        (Condition::StatesQuestion, by_finals(&APART.replace("x == 0", "x == 1"))),
        (Condition::StatesClosed, all),
        (Condition::StatesShape, shape),
        (Condition::StatesInitial, nothing),
        (Condition::StatesFault, by_finals("values 0..1; memory x; thread P { r := 1; x := r + 1; } exists x == 2;")),
    ]
}

const PROGRAMS: &[&str] = &[
    APART,
    "memory x, y; thread P { x := 1; r := y; } thread Q { y := 1; r := x; } exists P.r == 0 && Q.r == 0;",
    "memory x, y, z; thread P { x := 1; r := y; } thread Q { y := 1; r := z; } thread R { z := 1; r := x; } exists P.r == 0 && Q.r == 0 && R.r == 0;",
    "memory x, y; thread P { o := xchg(x, 1); if (o == 0) { y := 1; } x := 0; } thread Q { o := xchg(x, 1); if (o == 0) { r := y; } } thread R { y := 2; } exists Q.r == 3;",
    "memory x, a[2]; thread P { i := x; a[i] := 1; } thread Q { x := 1; r := a[0]; s := a[1]; } exists Q.r == 1 && Q.s == 1;",
    "memory x, y; thread P { atomic { r := x; assume r == 1; y := 1; } } thread Q { x := 1; s := y; x := 2; } exists Q.s == 3;",
    "memory x, y; thread P { loop { r := x; if (r == 1) { break; } } y := 1; } thread Q { x := 1; s := y; } thread R { t := y; } exists Q.s == 1 && R.t == 2;",
];

#[test]
fn as_many_are_refused_as_accepted() {
    let accepted: Vec<Case> = PROGRAMS.iter().map(|text| by_finals(text)).collect();
    balanced(&accepted, &refused());
}

#[test]
fn no_final_state_is_lost_and_none_is_new() {
    let mut fewer = 0;
    for text in PROGRAMS {
        let (program, certificate) = by_finals(text);
        let finals = |states: &crate::Rows<i64>| {
            let decoded = states.iter().filter_map(|numbers| Some(State::decode(&program, Memory::Sc, &numbers)?.0));
            decoded.filter(|state| state.is_final(&program)).map(|state| state.encode(Memory::Sc)).collect::<BTreeSet<_>>()
        };
        let some = certificate.finals.as_ref().unwrap();
        let all = every(&program, Memory::Sc);
        assert_eq!(finals(&some.states), finals(&all.states), "{text}");
        fewer += usize::from(some.states.len() < all.states.len());
        let shown = certificate.check(&program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{text}: {refusal}"));
        assert_eq!(shown.sc, [Some(false)]);
        // No state can be left out.
        for number in 0..some.states.len() {
            let mut mutant = certificate.clone();
            mutant.finals.as_mut().unwrap().states.change(|states| drop(states.remove(number)));
            assert!(mutant.check(&program, &mut Budget::unlimited()).is_err(), "{text}: state {number}");
        }
    }
    assert!(fewer >= 3, "{fewer}");
}
