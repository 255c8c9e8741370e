//! The rule of a basis: what it accepts and refuses, and its lemma against all steps of small configurations.

use std::collections::BTreeSet;

use serval_budget::Budget;
use serval_tso_program::{CellId, Program};

use super::cases::{Case, Refused, about_memory, answer, balanced, checked, refusal};
use super::lists::{all_live, begun};
use crate::basis::{Basis, before};
use crate::live::Live;
use crate::loads::{
    Arrival, BufferEntry, LastStores, LoadConfiguration, ReachableValues, is_below, local_of, numbers_of, own, steps, written,
};
use crate::state::State;
use crate::{By, Certificate, Claim, Condition, Model};

/// What threads and cells may be, by going on until nothing is new.
fn reach_of(program: &Program) -> (Vec<Vec<Vec<i64>>>, Vec<Vec<i64>>) {
    let initial = State::initial(program);
    let nothing: LastStores = vec![None; program.cells.len()];
    let mut values: Vec<BTreeSet<i64>> = initial.memory.iter().map(|value| BTreeSet::from([*value])).collect();
    let mut threads: Vec<BTreeSet<(Vec<i64>, LastStores)>> =
        initial.locals.iter().map(|local| BTreeSet::from([(numbers_of(local), nothing.clone())])).collect();
    loop {
        let known = (threads.clone(), values.clone());
        for thread in 0..program.threads.len() {
            for (place, kept) in &known.0[thread] {
                let local = local_of(program, thread, place).unwrap();
                for (way, after) in steps(program, thread, &local, &known.1, &mut Budget::unlimited()).unwrap() {
                    let (kept, writes) = written(&way, kept);
                    threads[thread].insert((numbers_of(&after), kept));
                    for (cell, value) in writes {
                        values[cell.index()].insert(value);
                    }
                }
            }
        }
        if known == (threads.clone(), values.clone()) {
            break;
        }
    }
    let line = |(place, kept): &(Vec<i64>, LastStores)| {
        let kept = kept.iter().flat_map(|kept| [i64::from(kept.is_some()), kept.unwrap_or(0)]);
        place.iter().copied().chain(kept).collect()
    };
    (threads.iter().map(|all| all.iter().map(line).collect()).collect(), values.iter().map(|all| all.iter().copied().collect()).collect())
}

/// A certificate that the first question is unreachable because of these members.
pub(super) fn by_basis(text: &str, members: &[&[i64]]) -> Case {
    let (program, mut certificate) = begun(text);
    let (threads, values) = reach_of(&program);
    let members = members.iter().map(|member| member.to_vec()).collect();
    certificate.basis = Some(Basis { live: all_live(&program), threads, values, members });
    certificate.answers.push(answer(0, Model::Tso, Claim::Unreachable(By::Basis)));
    (program, certificate)
}

const WALKS: &str = "memory x; thread P { skip; l: skip; } never P@l;";
const NOWHERE: &str = "memory x; thread P { x := 1; l: skip; k: skip; } never P@l && P@k;";

fn accepted() -> Vec<Case> {
    vec![
        by_basis(NOWHERE, &[]),
        // What is sought must be there, and that the own store may have been lost.
        by_basis("memory x; thread P { x := 1; r := x; e: skip; } never P@e && P.r == 2;", &[]),
        by_basis("memory x; thread P { x := 1; } exists x == 0;", &[&[1, 0, 0], &[1, 0, 1, 0, 1, 1]]),
        by_basis("memory x; thread P { x := 1; x := 1; } exists x == 0;", &[&[2, 0, 0], &[2, 0, 1, 0, 1, 1]]),
        by_basis("memory x = 1; thread P { r := x; assume r == 0; e: skip; } never P@e;", &[]),
    ]
}

/// Refused by one condition alone.
pub(super) fn refused() -> Refused {
    let mut without = by_basis(NOWHERE, &[]);
    without.1.basis = None;
    let mut sequential = by_basis(NOWHERE, &[]);
    sequential.1.answers[0].model = Model::Sc;
    // The store waits while the thread is there already, which load buffers do not know.
    let (program, _) = about_memory();
    let mut memory = by_basis("memory x; thread L { x := 1; e: skip; } never L@e;", &[&[1, 0, 0], &[1, 0, 1, 0, 1, 1]]);
    memory.1.program = Certificate::new(&program).program;
    vec![
        (Condition::Given, without),
        (Condition::Given, sequential),
        (Condition::Local, (program, memory.1)),
        (Condition::BasisShape, by_basis(NOWHERE, &[&[i64::MAX]])),
        (Condition::BasisShape, by_basis(NOWHERE, &[&[1, 0, 2, 0, 1, 1, 0, 1, 1]])),
        (Condition::BasisSought, by_basis(WALKS, &[])),
        (Condition::BasisClosed, by_basis(WALKS, &[&[1, 0, 0]])),
        (Condition::BasisInitial, by_basis(WALKS, &[&[0, 0, 0], &[1, 0, 0]])),
    ]
}

#[test]
fn as_many_are_refused_as_accepted() {
    balanced(&accepted(), &refused());
}

/// A member speaks of cells that are there, says of each entry whether it is own, and nothing more.
#[test]
fn members_have_the_numbers_of_buffers() {
    for member in [&[1, 0, 1, 1, 1, 1][..], &[1, 0, 1, 0, 1, 2], &[1, 0, 1, 0, 1], &[1, 0, -1], &[1, 0, 0, 0], &[1, 0, 2, 0, 1, 1, 0, 1, 1]]
    {
        assert_eq!(refusal(&by_basis(NOWHERE, &[member])), Condition::BasisShape, "{member:?}");
    }
}

/// There are values for each cell, and places for each thread.
#[test]
fn what_may_be_is_said_of_all_cells_and_threads() {
    for change in [|basis: &mut Basis| drop(basis.values.pop()), |basis: &mut Basis| drop(basis.threads.pop())] {
        let (program, mut certificate) = by_basis(NOWHERE, &[]);
        change(certificate.basis.as_mut().unwrap());
        assert_eq!(refusal(&(program, certificate)), Condition::BasisShape);
    }
}

#[test]
fn members_are_all_needed() {
    for (program, certificate) in accepted() {
        for number in 0..certificate.basis.as_ref().unwrap().members.len() {
            let mut fewer = certificate.clone();
            fewer.basis.as_mut().unwrap().members.remove(number);
            assert!(!checked(&program, &fewer), "member {number}");
        }
    }
}

/// What a store makes go must be looked at: members that only lack what leads above them, not to them.
#[test]
fn what_a_store_makes_go_is_looked_at() {
    // At the end the newest own entry is (x, 2), and memory is 2; what is sought is that the load before the last store
    // read 0 although x was 1.
    let text = "memory x; thread P { x := 1; x := 2; r := x; e: skip; } never P@e && P.r == 1;";
    let (program, mut certificate) = by_basis(text, &[]);
    let (threads, values) = reach_of(&program);
    let reach = {
        let mut reach = ReachableValues::read(&program, &threads, &values).unwrap();
        let live = all_live(&program);
        assert!(reach.is_closed(&program, &Live::unchecked(&live), &mut Budget::unlimited()).unwrap());
        reach
    };
    // With the own entry (x, 2) as the newest and nothing else, a step leads here from where (x, 1) was own.
    let member = LoadConfiguration {
        state: State { locals: vec![local_of(&program, 0, &[2, 0]).unwrap()], memory: vec![2], buffers: vec![Vec::new()] },
        buffers: vec![vec![BufferEntry { cell: CellId(0), value: 2, own: true }]],
    };
    let all = before(&program, &reach, &member);
    let gone = vec![BufferEntry { cell: CellId(0), value: 1, own: true }];
    assert!(all.iter().any(|before| before.buffers[0] == gone && before.state.memory == [1]), "{all:?}");
    // And a basis without it is refused.
    certificate.basis.as_mut().unwrap().members = vec![vec![2, 0, 2, 1, 0, 2, 1]];
    assert!(certificate.check(&program, &mut Budget::unlimited()).is_err());
}

/// All that a step leads to, forwards, straight from the table of load buffers. There is one thread.
fn after(program: &Program, configuration: &LoadConfiguration, values: &[BTreeSet<i64>]) -> Vec<LoadConfiguration> {
    let (buffer, memory) = (&configuration.buffers[0], &configuration.state.memory);
    let mut list = Vec::new();
    if !buffer.is_empty() {
        let mut lost = configuration.clone();
        lost.buffers[0].remove(0);
        list.push(lost);
    }
    for (cell, value) in memory.iter().enumerate() {
        let mut news = configuration.clone();
        news.buffers[0].push(BufferEntry { cell: CellId::new(cell), value: *value, own: false });
        list.push(news);
    }
    for (way, local) in steps(program, 0, &configuration.state.locals[0], values, &mut Budget::unlimited()).unwrap() {
        let mut stepped = configuration.clone();
        stepped.state.locals[0] = local;
        let can = match &way {
            Arrival::Quiet => true,
            Arrival::Fence => buffer.is_empty(),
            Arrival::Load(cell, value) => match own(buffer, *cell) {
                Some(entry) => entry.value == *value,
                None => buffer.first() == Some(&BufferEntry { cell: *cell, value: *value, own: false }),
            },
            Arrival::Store(cell, value) => {
                stepped.state.memory[cell.index()] = *value;
                stepped.buffers[0].retain(|entry| !(entry.own && entry.cell == *cell));
                stepped.buffers[0].push(BufferEntry { cell: *cell, value: *value, own: true });
                true
            }
            Arrival::Locked(found, writes) => {
                writes.iter().for_each(|(cell, value)| stepped.state.memory[cell.index()] = *value);
                buffer.is_empty() && found.iter().all(|(cell, value)| memory[cell.index()] == *value)
            }
        };
        if can {
            list.push(stepped);
        }
    }
    list
}

/// All buffers of at most `most` entries.
fn buffers(entries: &[BufferEntry], most: usize) -> Vec<Vec<BufferEntry>> {
    let mut all = vec![Vec::new()];
    let mut last: Vec<Vec<BufferEntry>> = all.clone();
    for _ in 0..most {
        let longer = |buffer: &Vec<BufferEntry>| {
            let fits = |entry: &&BufferEntry| !(entry.own && own(buffer, entry.cell).is_some());
            entries.iter().filter(fits).map(|entry| buffer.iter().copied().chain([*entry]).collect()).collect::<Vec<Vec<BufferEntry>>>()
        };
        last = last.iter().flat_map(longer).collect();
        all.extend(last.clone());
    }
    all
}

#[test]
fn every_step_into_what_is_above_a_member_comes_from_what_is_listed() {
    let mut steps_seen = 0;
    for text in [
        "values 0..1; memory x, y; thread P { x := 1; r := y; x := 0; s := x; fence; y := 1; o := xchg(x, 1); }",
        "values 0..1; memory x, y; thread P { loop { x := 1; y := 1; x := 0; r := y; if (r == 1) { cas(y, 1, 0); } } }",
    ] {
        let (program, _) = begun(text);
        let (threads, values) = reach_of(&program);
        let mut reach = ReachableValues::read(&program, &threads, &values).unwrap();
        let live = all_live(&program);
        assert!(reach.is_closed(&program, &Live::unchecked(&live), &mut Budget::unlimited()).unwrap());
        let mut entries = Vec::new();
        for (cell, values) in (0..).map(CellId).zip(&values) {
            entries.extend(values.iter().flat_map(|&value| [false, true].map(|own| BufferEntry { cell, value, own })));
        }
        let places: Vec<Vec<i64>> = reach.places(0).cloned().collect();
        let all = buffers(&entries, 3);
        let mut number = 0_usize;
        for place in &places {
            for memory in [[0, 0], [0, 1], [1, 0], [1, 1]] {
                for buffer in &all {
                    number += 1;
                    // All short ones, and some of the long ones.
                    if buffer.len() == 3 && !number.is_multiple_of(11) || !reach.is_possible(0, place, buffer) {
                        continue;
                    }
                    let local = local_of(&program, 0, place).unwrap();
                    let state = State { locals: vec![local], memory: memory.to_vec(), buffers: vec![Vec::new()] };
                    let from = LoadConfiguration { state, buffers: vec![buffer.clone()] };
                    for to in after(&program, &from, &reach.values) {
                        for small in all.iter().filter(|small| small.len() <= to.buffers[0].len() && is_below(small, &to.buffers[0])) {
                            let member = LoadConfiguration { buffers: vec![small.clone()], ..to.clone() };
                            let is_above =
                                |below: &LoadConfiguration| below.state == from.state && is_below(&below.buffers[0], &from.buffers[0]);
                            let listed = is_above(&member) || before(&program, &reach, &member).iter().any(is_above);
                            assert!(listed, "{text}\n{from:?}\n{to:?}\n{member:?}");
                            steps_seen += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(steps_seen > 20_000, "{steps_seen}");
}
