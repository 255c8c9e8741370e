//! Changes of random programs without loops, against trying everything: all cheapest sets of fences, locked stores,
//! fences that keep one final state out, and what is written into the text.

use std::collections::BTreeSet;

use serval_budget::Budget;
use serval_tso_engine::{EngineLimits, Fixed, Wanted, fix_as, prove};
use serval_tso_program::{Change, FencePlace, Program, with_changes_written};
use serval_tso_proof::{Certificate, FencesShown, Goal, Means};

use serval_soundness::weak_memory::naive::{Act, Code, Final, REGISTERS, Stmt, behaviour, random};

/// A random program; of two of three, threads begin with a store and end with a load of another cell, as what is not
/// robust does.
fn straight(seed: u64) -> Code {
    let mut code = random(seed, false);
    let (cells, threads) = (code.cells, code.threads.len());
    for (number, thread) in code.threads.iter_mut().enumerate().filter(|_| !seed.is_multiple_of(3)) {
        *thread.first_mut().unwrap() = Stmt { guard: None, act: Act::Store(number % cells, 1) };
        *thread.last_mut().unwrap() = Stmt { guard: None, act: Act::Load(0, (number + 1) % threads.min(cells)) };
    }
    code
}

/// A place of a straight program: thread and statement.
type At = (usize, usize);

/// The program with a fence before these statements.
fn fenced(code: &Code, places: &BTreeSet<At>) -> Code {
    let mut code = code.clone();
    for (number, thread) in code.threads.iter_mut().enumerate() {
        let old = std::mem::take(thread);
        for (at, stmt) in old.into_iter().enumerate() {
            thread.extend(places.contains(&(number, at)).then_some(Stmt { guard: None, act: Act::Fence }));
            thread.push(stmt);
        }
    }
    code
}

/// All sets of `size` of the places.
fn subsets(places: &[At], size: usize) -> Vec<BTreeSet<At>> {
    if size == 0 {
        return vec![BTreeSet::new()];
    }
    let Some((first, rest)) = places.split_first() else { return Vec::new() };
    let with_first = subsets(rest, size - 1).into_iter().map(|set| set.into_iter().chain([*first]).collect());
    subsets(rest, size).into_iter().chain(with_first).collect()
}

fn everywhere(code: &Code) -> Vec<At> {
    code.threads.iter().enumerate().flat_map(|(thread, body)| (0..body.len()).map(move |at| (thread, at))).collect()
}

/// What is shown of the cheapest changes, after the checker has accepted it.
fn fixed(text: &str, program: &Program, wanted: &Wanted) -> FencesShown {
    let found = fix_as(program, wanted, &EngineLimits::default(), &mut Budget::unlimited());
    let Ok(Fixed::Fences(fences)) = found else { panic!("{text}\n{found:?}") };
    let mut certificate = Certificate::new(program);
    certificate.fences = Some(fences);
    let certificate = Certificate::from_json(&certificate.to_json()).unwrap();
    certificate.check(program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{text}\n{refusal}")).fences.unwrap()
}

/// The sets as places of the straight program, whose first points only set registers.
fn sets_of(shown: &FencesShown) -> BTreeSet<BTreeSet<At>> {
    let place = |place: &FencePlace| (place.thread.index(), place.point.index().checked_sub(REGISTERS).unwrap());
    shown.sets.iter().map(|set| set.iter().map(place).collect()).collect()
}

#[test]
fn all_smallest_sets_are_those_of_trying_everything() {
    let sweep = serval_effort::sweep("weak_memory.fence_sets", 20, 60);
    let found = sweep.map(0, |seed| {
        let code = straight(seed);
        let text = code.text("");
        let program = serval_tso_program::read(&text).unwrap();
        let shown = fixed(&text, &program, &Wanted { sets: 1000, ..Wanted::default() });
        assert!(shown.all, "{text}");
        let size = shown.sets[0].len();
        let right: BTreeSet<BTreeSet<At>> =
            subsets(&everywhere(&code), size).into_iter().filter(|set| !behaviour(&fenced(&code, set), true).cyclic).collect();
        assert_eq!(sets_of(&shown), right, "{text}");
        // Some of them, where fewer are asked for; that it is the only one is said where no other has to be tried.
        let one = fixed(&text, &program, &Wanted::default());
        assert!(one.sets.len() == 1 && (!one.all || right.len() == 1), "{text}");
        (right.len() > 1, size == 0)
    });
    let (several, none) = (found.iter().filter(|one| one.0).count(), found.iter().filter(|one| one.1).count());
    assert!(!sweep.is_representative() || several > 0 && none > 0, "{several} {none}");
}

#[test]
fn no_smaller_set_of_locked_stores_makes_a_program_robust() {
    let sweep = serval_effort::sweep("weak_memory.locked_sets", 20, 60);
    let sizes = sweep.map(0, |seed| {
        let code = straight(seed);
        let text = code.text("");
        let program = serval_tso_program::read(&text).unwrap();
        let shown = fixed(&text, &program, &Wanted { means: Means::Locked, sets: 1000, ..Wanted::default() });
        let size = shown.sets[0].len();
        let stores: Vec<FencePlace> = program
            .thread_ids()
            .flat_map(|thread| {
                (0..program.threads[thread.index()].code.len())
                    .map(move |point| FencePlace { thread, point: serval_tso_program::Point::new(point) })
            })
            .filter(|place| program.can_change(Change::Locked, *place))
            .collect();
        let robust = |set: &Vec<FencePlace>| {
            prove(&program.with_changes(Change::Locked, set), Goal::Robust, &EngineLimits::default(), &mut Budget::unlimited())
                .unwrap()
                .is_some()
        };
        let numbers: Vec<At> = (0..stores.len()).map(|number| (number, 0)).collect();
        let of = |size: usize| {
            subsets(&numbers, size)
                .into_iter()
                .map(|set| set.iter().map(|(number, _)| stores[*number]).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        };
        assert!(size == 0 || of(size - 1).iter().all(|set| !robust(set)), "{text}");
        let right: BTreeSet<Vec<FencePlace>> = of(size).into_iter().filter(robust).collect();
        assert_eq!((shown.sets.into_iter().collect::<BTreeSet<_>>(), shown.all), (right, true), "{text}");
        size
    });
    assert!(!sweep.is_representative() || sizes.contains(&1) && sizes.contains(&2), "{sizes:?}");
}

/// A demand that a final state is not reached.
fn forbidden((registers, memory): &Final) -> String {
    let mut parts = Vec::new();
    for (thread, registers) in registers.iter().enumerate() {
        parts.extend(registers.iter().enumerate().map(|(register, value)| format!("P{thread}.r{register} == {value}")));
    }
    parts.extend(memory.iter().enumerate().map(|(cell, value)| format!("{} == {value}", ["x", "y", "z"][cell])));
    format!("forall !({});\n", parts.join(" && "))
}

/// What fences can do about a final state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    /// They keep it out, with fewer of them than make the program robust, or with as many.
    Out(bool),
    /// It is reached without buffers.
    Impossible,
    /// Buffers make no difference.
    NothingToKeep,
}

#[test]
fn no_smaller_set_of_fences_keeps_a_state_out() {
    let sweep = serval_effort::sweep("weak_memory.forbidden_states", 20, 80);
    let found = sweep.map(0, |seed| {
        let code = straight(seed);
        let (sc, tso) = (behaviour(&code, false), behaviour(&code, true));
        let Some(bad) = tso.finals.difference(&sc.finals).next().or(sc.finals.iter().next().filter(|_| seed % 5 == 0)) else {
            return Kept::NothingToKeep;
        };
        let text = code.text(&forbidden(bad));
        let program = serval_tso_program::read(&text).unwrap();
        let shown = fixed(&text, &program, &Wanted { goal: Goal::Reach, sets: 1000, ..Wanted::default() });
        if sc.finals.contains(bad) {
            assert!(shown.sets.is_empty(), "{text}");
            return Kept::Impossible;
        }
        let size = shown.sets[0].len();
        let holds = |set: &BTreeSet<At>| !behaviour(&fenced(&code, set), true).finals.contains(bad);
        assert!(subsets(&everywhere(&code), size - 1).iter().all(|set| !holds(set)), "{text}");
        let right: BTreeSet<BTreeSet<At>> = subsets(&everywhere(&code), size).into_iter().filter(holds).collect();
        assert_eq!((sets_of(&shown), shown.all), (right, true), "{text}");
        Kept::Out(fixed(&text, &program, &Wanted::default()).sets[0].len() > size)
    });
    let both = found.iter().any(|kept| matches!(kept, Kept::Out(_))) && found.contains(&Kept::Impossible);
    assert!(!sweep.is_representative() || both, "{found:?}");
}

#[test]
fn what_is_written_is_the_changed_program() {
    let sweep = serval_effort::sweep("weak_memory.written_changes", 25, 100);
    let written = sweep.map(0, |seed| {
        let mut written = 0;
        let code = random(seed, seed % 2 == 0);
        let text = code.text("");
        let program = serval_tso_program::read(&text).unwrap();
        for means in [Means::Fence, Means::Locked] {
            for set in fixed(&text, &program, &Wanted { means, sets: 3, ..Wanted::default() }).sets {
                let changed = with_changes_written(&text, &program, means.change(), &set).unwrap_or_else(|| panic!("{text}\n{set:?}"));
                let read = serval_tso_program::read(&changed).unwrap_or_else(|wrong| panic!("{changed}\n{wrong:?}"));
                assert_eq!(read.canonical(), program.with_changes(means.change(), &set).canonical(), "{text}\n{changed}");
                written += u64::from(!set.is_empty());
            }
        }
        written
    });
    let written: u64 = written.into_iter().sum();
    assert!(!sweep.is_representative() || written * 10 > sweep.count(), "{written}");
}

/// Labels, loops, `else if` and what stands in one line: the text is read, and is robust.
#[test]
fn fences_are_written_wherever_they_stand() {
    let around = |body: &str| format!("memory x = 0, y = 0;\nthread L {{\n  {body}\n}}\nthread R {{ y := 1; fence; r := x; }}\n");
    for (body, expected) in [
        ("x := 1;\n  r := y;", "x := 1;\n  fence;\n  r := y;"),
        ("x := 1; r := y;", "x := 1; fence; r := y;"),
        ("x := 1;\n  l: r := y;", "x := 1;\n  fence;\n  l: r := y;"),
        ("x := 1;\n  l: r := y;\n  if (r == 0) { goto l; }", "x := 1;\n  l: fence; r := y;\n  if (r == 0) { goto l; }"),
        ("while (r == 0) { x := 1; r := y }", ""),
        ("q := 0; x := 1;\n  if (q == 1) { skip; } else if (q == 0) { r := y; }", ""),
        ("loop { x := 1; r := y; if (r == 1) { break; } }", ""),
    ] {
        let text = around(body);
        let program = serval_tso_program::read(&text).unwrap();
        let shown = fixed(&text, &program, &Wanted { sets: 100, ..Wanted::default() });
        let texts: Vec<String> = shown.sets.iter().map(|set| with_changes_written(&text, &program, Change::Fence, set).unwrap()).collect();
        for changed in &texts {
            let program = serval_tso_program::read(changed).unwrap_or_else(|wrong| panic!("{changed}\n{wrong:?}"));
            let proof = prove(&program, Goal::Robust, &EngineLimits::default(), &mut Budget::unlimited()).unwrap();
            assert!(proof.is_some(), "{changed}");
        }
        assert!(expected.is_empty() || texts.contains(&around(expected)), "{expected}\n{texts:?}");
    }
    // Every place of these can be written, whether or not it helps.
    let text = around("if (r == 0) { skip; } else if (r == 1) { x := 1; } else { x := 2; } m: while (r == 0) { r := y }");
    let program = serval_tso_program::read(&text).unwrap();
    for point in 0..program.threads[0].code.len() - 1 {
        let place = FencePlace { thread: serval_tso_program::ThreadId(0), point: serval_tso_program::Point::new(point) };
        let changed = with_changes_written(&text, &program, Change::Fence, &[place]).unwrap();
        assert!(serval_tso_program::read(&changed).is_ok(), "{changed}");
    }
}

#[test]
fn a_fence_in_a_loop_may_cost_more() {
    let text = "memory x, y; thread L { x := 1; skip; loop { r := y; } } thread R { y := 1; r := x; }";
    let program = serval_tso_program::read(text).unwrap();
    let plain = fixed(text, &program, &Wanted { sets: 10, ..Wanted::default() });
    let dear = fixed(text, &program, &Wanted { sets: 10, loop_cost: 10, ..Wanted::default() });
    assert_eq!((plain.sets.len(), plain.cost, dear.sets.len(), dear.cost), (2, 2, 1, 2));
    // Where there is no other place, it is paid.
    let text = "memory x, y; thread L { loop { x := 1; r := y; } } thread R { y := 1; r := x; }";
    let program = serval_tso_program::read(text).unwrap();
    assert_eq!(fixed(text, &program, &Wanted { loop_cost: 10, ..Wanted::default() }).cost, 11);
}

#[test]
fn fences_of_any_number_of_copies() {
    let text = "memory x, y; thread* P { x := 1; r := y; } thread Q { y := 1; r := x; }";
    let program = serval_tso_program::read(text).unwrap();
    let shown = fixed(text, &program, &Wanted { sets: 10, ..Wanted::default() });
    assert_eq!((shown.sets.len(), shown.sets[0].len(), shown.all), (1, 2, true));
    let shown = fixed(text, &program, &Wanted { sets: 10, means: Means::Locked, ..Wanted::default() });
    assert_eq!((shown.sets.len(), shown.sets[0].len(), shown.all), (1, 2, true));
    // Three copies are needed for a violation, and one fence is enough.
    let text = "memory x, z; thread* P { r := z; x := 1; r := z; z := 1; }";
    let program = serval_tso_program::read(text).unwrap();
    assert_eq!(fixed(text, &program, &Wanted::default()).sets[0].len(), 1);
    // A demand about some copy: two fences keep it, and nothing helps where sequential consistency breaks it.
    let text = "memory x, y; thread* P { x := 1; r := y; if (r == 0) { in: skip; } } thread Q { y := 1; r := x; if (r == 0) { in: skip; } } never P@in && Q@in;";
    let program = serval_tso_program::read(text).unwrap();
    assert_eq!(fixed(text, &program, &Wanted { goal: Goal::Reach, ..Wanted::default() }).sets[0].len(), 2);
    let text = "values 0..2 wrap; memory x; thread* P { o := fadd(x, 1); x := 0; if (o == 1) { l: skip; } } never P@l;";
    let program = serval_tso_program::read(text).unwrap();
    assert!(fixed(text, &program, &Wanted { goal: Goal::Reach, ..Wanted::default() }).sets.is_empty());
}
