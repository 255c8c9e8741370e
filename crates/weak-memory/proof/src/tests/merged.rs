//! The rule of merged states, and that every state with store buffers is covered by one.

use std::collections::BTreeSet;

use serval_tso_program::{Program, Question};

use super::cases::{Case, FENCED, Refused, SB, answer, balanced, checked, refusal};
use super::lists::{all_live, begun, closed};
use crate::alike::Symmetry;
use crate::live::Live;
use crate::merged::{Merged, successors};
use crate::persistent::Persistent;
use crate::state::{Model, State};
use crate::urgent::QuestionView;
use crate::{By, Claim, Condition, States};

/// The list, by going on until nothing is new.
fn list(program: &Program) -> States {
    list_in(program, &[])
}

/// The same, with threads of these groups in one order.
pub(super) fn list_in(program: &Program, groups: &[Vec<usize>]) -> States {
    let alike = Symmetry::unchecked(groups);
    let live = all_live(program);
    let (sets, questions): (_, Vec<&Question>) = (Live::unchecked(&live), program.questions.iter().collect());
    let seen = QuestionView::new(program, &questions);
    let mut list = BTreeSet::new();
    let mut open = vec![Merged::initial(program)];
    while let Some(mut state) = open.pop() {
        state.sort(&alike);
        if list.insert(state.encode()) {
            open.extend(successors(program, &state, &sets, &seen, &Persistent::new(program)).unwrap_or_default());
        }
    }
    States { live, alike: groups.to_vec(), states: list.into_iter().collect() }
}

fn by_merged(text: &str) -> Case {
    let (program, mut certificate) = begun(text);
    certificate.merged = Some(list(&program));
    certificate.answers.push(answer(0, Model::Tso, Claim::Unreachable(By::Merged)));
    (program, certificate)
}

fn but(text: &str, change: impl Fn(&mut States)) -> Case {
    let (program, mut certificate) = by_merged(text);
    change(certificate.merged.as_mut().unwrap());
    (program, certificate)
}

/// A buffer without a bound, in a loop.
const AGAIN: &str = "memory x; thread P { loop { x := 1; } } thread Q { r := x; } never Q.r == 2;";

fn accepted() -> Vec<Case> {
    vec![
        by_merged(AGAIN),
        by_merged(FENCED),
        by_merged(
            "memory x, y; thread P { loop { x := 1; r := y; if (r == 1) { break; } } y := 2; } thread Q { y := 1; s := x; } never Q.s == 2;",
        ),
        by_merged("memory x; thread P { x := 1; x := 1; x := 1; } thread Q { x := 2; } exists x == 0;"),
    ]
}

/// Refused by one condition alone.
pub(super) fn refused() -> Refused {
    let mut sequential = begun(FENCED);
    sequential.1.answers.push(answer(0, Model::Sc, Claim::Unreachable(By::Merged)));
    vec![
        // Merged states are about store buffers, and say nothing of sequential consistency.
        (Condition::Given, sequential),
        (Condition::StatesInitial, but(AGAIN, |list| list.states.change(|states| states.clear()))),
        (Condition::StatesClosed, but(AGAIN, |list| list.states.change(|states| states.truncate(1)))),
        (Condition::StatesShape, but(AGAIN, |list| list.states.change(|states| states.push(vec![i64::MAX])))),
        (Condition::StatesFault, by_merged("values 0..1; memory x; thread P { x := 1; x := 1; r := 1; r := r + 1; l: skip; } never P@l;")),
        (Condition::StatesQuestion, by_merged(SB)),
        (Condition::StatesQuestion, by_merged(&AGAIN.replace("Q.r == 2", "Q.r == 1"))),
    ]
}

#[test]
fn as_many_are_refused_as_accepted() {
    balanced(&accepted(), &refused());
}

/// What waits is for cells that there are.
#[test]
fn stores_that_wait_are_of_cells_that_are_there() {
    let case = but(AGAIN, |list| {
        let last = list.states.iter().last().unwrap();
        list.states.change(|states| states.push(vec![last[0], last[1], 5, 0, 1, 1, 1, 0, 0]));
    });
    assert_eq!(refusal(&case), Condition::StatesShape);
}

#[test]
fn no_merged_state_can_be_left_out() {
    let (program, certificate) = by_merged(AGAIN);
    for number in 0..certificate.merged.as_ref().unwrap().states.len() {
        let mut mutant = certificate.clone();
        mutant.merged.as_mut().unwrap().states.change(|states| drop(states.remove(number)));
        assert!(!checked(&program, &mutant), "{number}");
    }
}

const PROGRAMS: &[&str] = &[
    "memory x, y; thread P { x := 1; x := 1; x := 1; r := y; } thread Q { y := 1; x := 2; s := x; }",
    "memory x, y; thread P { while (i < 4) { x := 1; i := i + 1; } y := 1; r := x; } thread Q { x := 3; q := y; o := xchg(x, 2); }",
    "memory x, y; thread P { x := 1; x := 1; y := 1; x := 1; x := 1; } thread Q { a := x; b := x; c := y; d := x; }",
    "memory x; thread P { x := 1; x := 1; fence; x := 1; x := 2; x := 2; } thread Q { x := 1; x := 1; r := x; }",
];

/// The numbers of a merged state that covers a state: rows of equal stores are one entry.
fn merged(state: &State) -> Vec<i64> {
    let mut numbers = state.encode(Model::Sc);
    for buffer in &state.buffers {
        let mut entries: Vec<[i64; 3]> = Vec::new();
        for (cell, value) in buffer {
            match entries.last_mut() {
                Some(last) if last[..2] == [i64::from(cell.0), *value] => last[2] = 1,
                _ => entries.push([i64::from(cell.0), *value, 0]),
            }
        }
        numbers.push(i64::try_from(entries.len()).unwrap());
        numbers.extend(entries.concat());
    }
    numbers
}

#[test]
fn every_state_is_covered() {
    let mut covered = 0;
    for text in PROGRAMS {
        let (program, _) = begun(text);
        let list: BTreeSet<Vec<i64>> = list(&program).states.iter().collect();
        for numbers in closed(&program, Model::Tso, all_live(&program)).states.iter() {
            let (state, _) = State::decode(&program, Model::Tso, &numbers).unwrap();
            assert!(list.contains(&merged(&state)), "{text}: {state:?}");
            covered += 1;
        }
    }
    assert!(covered > 500, "{covered}");
}
