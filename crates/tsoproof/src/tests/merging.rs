//! Every state with store buffers is covered by a merged state of the closed list.

use std::collections::BTreeSet;

use serval_tso::Question;

use super::lists::{all_live, begun, closed};
use crate::live::Live;
use crate::merged::{Merged, successors};
use crate::state::{Model, State};
use crate::urgent::Seen;

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
        let live = all_live(&program);
        let (sets, questions): (_, Vec<&Question>) = (Live::unchecked(&live), program.questions.iter().collect());
        let seen = Seen::new(&program, &questions);
        let mut list = BTreeSet::new();
        let mut open = vec![Merged::initial(&program)];
        while let Some(state) = open.pop() {
            if list.insert(state.encode()) {
                open.extend(successors(&program, &state, &sets, &seen).unwrap());
            }
        }
        for numbers in closed(&program, Model::Tso, live.clone()).states {
            let (state, _) = State::decode(&program, Model::Tso, &numbers).unwrap();
            assert!(list.contains(&merged(&state)), "{text}: {state:?}");
            covered += 1;
        }
    }
    assert!(covered > 500, "{covered}");
}
