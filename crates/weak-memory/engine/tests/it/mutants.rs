//! Evidence in which one thing is changed is refused. The lists that the engine makes have nothing that is not needed,
//! so this is so for each number of each state.

use serval_budget::Budget;
use serval_effort::{Effort, effort, one_in, side_by_side};
use serval_tso_engine::{AnyOutcome, EngineLimits, Fixed, Wanted, decide, decide_any, decide_many, fix_as};
use serval_tso_program::Program;
use serval_tso_proof::{Basis, By, Certificate, Claim, Configuration, Fences, Goal, Means, Model};

const SPINLOCKS: &str = "memory lock = 0;
    thread P0 { loop { loop { o := xchg(lock, 1); if (o == 0) { break; } } cs: skip; lock := 0; } }
    thread P1 { loop { loop { o := xchg(lock, 1); if (o == 0) { break; } } cs: skip; lock := 0; } }
    never P0@cs && P1@cs;";
const DEKKER: &str = "memory x = 0, y = 0, z = 0;
    thread L { x := 1; z := 1; fence; r := y; assume r == 0; cs: skip; }
    thread R { y := 1; z := 2; fence; r := x; assume r == 0; cs: skip; }
    never L@cs && R@cs;
    exists z == 3;";
const MANY: &str = "memory lock = 0;
    thread* P { loop { o := xchg(lock, 1); if (o == 0) { break; } } cs: skip; lock := 0; }
    thread Q { r := lock; lock := 1; fence; }";

fn is_refused(program: &Program, mutant: &Certificate) -> bool {
    mutant.check(program, &mut Budget::unlimited()).is_err()
}

#[test]
fn no_state_and_no_number_of_a_list_can_be_changed() {
    let mut mutants = 0;
    for text in [SPINLOCKS, DEKKER] {
        let program = serval_tso_program::read(text).unwrap();
        let outcome = decide(&program, &EngineLimits::default(), &mut Budget::unlimited()).unwrap();
        let certificate = outcome.certificate;
        assert!(!is_refused(&program, &certificate));
        let lists = certificate.robust.as_ref().unwrap().attackers.len();
        for list in 0..=lists {
            // The first list is that of sequential consistency, the others are those of attackers.
            let states = |certificate: &Certificate| -> Vec<Vec<i64>> {
                match list {
                    0 => certificate.sc.as_ref().unwrap().states.iter().collect(),
                    _ => certificate.robust.as_ref().unwrap().attackers[list - 1].iter().collect(),
                }
            };
            let with = |states: Vec<Vec<i64>>| {
                let states = states.iter().collect();
                let mut mutant = certificate.clone();
                match list {
                    0 => mutant.sc.as_mut().unwrap().states = states,
                    _ => mutant.robust.as_mut().unwrap().attackers[list - 1] = states,
                }
                mutant
            };
            for number in 0..states(&certificate).len() {
                for place in 0..states(&certificate)[number].len() {
                    for change in [-1, 1] {
                        let mut changed = states(&certificate);
                        changed[number][place] += change;
                        changed.sort_unstable();
                        assert!(is_refused(&program, &with(changed)), "{text}: list {list}, state {number}, number {place}");
                        mutants += 1;
                    }
                }
            }
        }
    }
    assert!(mutants > 5000, "{mutants}");
}

#[test]
fn no_configuration_can_be_left_out_and_no_copy_be_counted_less() {
    let program = serval_tso_program::read(MANY).unwrap();
    let AnyOutcome::Robust(any) = decide_any(&program, &EngineLimits::default(), &mut Budget::unlimited()) else { panic!("it is robust") };
    let mut certificate = Certificate::new(&program);
    certificate.any = Some(any);
    assert!(!is_refused(&program, &certificate));
    let any = certificate.any.clone().unwrap();
    let mut mutants = 0;
    for attacker in 0..any.attackers.len() {
        for number in 0..any.attackers[attacker].len() {
            let mut mutant = certificate.clone();
            mutant.any.as_mut().unwrap().attackers[attacker].remove(number);
            assert!(is_refused(&program, &mutant), "configuration {number} of {attacker}");
            mutants += 1;
            for copy in 0..any.attackers[attacker][number].copies.len() {
                let mut mutant = certificate.clone();
                let changed = &mut mutant.any.as_mut().unwrap().attackers[attacker][number].copies;
                changed[copy].2 = match changed[copy].2 {
                    None => Some(3),
                    Some(count) => Some(count - 1),
                };
                assert!(is_refused(&program, &mutant), "copy {copy} of configuration {number} of {attacker}");
                mutants += 1;
            }
            for place in 0..any.attackers[attacker][number].core.len() {
                let mut mutant = certificate.clone();
                mutant.any.as_mut().unwrap().attackers[attacker][number].core[place] += 1;
                assert!(is_refused(&program, &mutant), "number {place} of configuration {number} of {attacker}");
                mutants += 1;
            }
        }
        let mut mutant = certificate.clone();
        mutant.any.as_mut().unwrap().attackers[attacker].clear();
        assert!(is_refused(&program, &mutant));
    }
    let mut mutant = certificate.clone();
    mutant.any.as_mut().unwrap().attackers.pop();
    assert!(is_refused(&program, &mutant));
    assert!(mutants > 200, "{mutants}");
}

/// A thread that stores the same in a loop, so that its buffer has no bound.
const AGAIN: &str = "memory f0 = 0, f1 = 0;
    thread P0 { loop { f0 := 1; fence; loop { q := f1; if (q == 0) { break; } } cs: skip; f0 := 0; } }
    thread P1 { loop { retry: f1 := 0; q := f0; if (q == 1) { goto retry; } f1 := 1; fence; q := f0; if (q == 1) { goto retry; } cs: skip; f1 := 0; } }
    never P0@cs && P1@cs;";

#[test]
fn no_merged_state_and_no_number_of_one_can_be_changed() {
    let program = serval_tso_program::read(AGAIN).unwrap();
    let certificate = decide(&program, &EngineLimits::default(), &mut Budget::unlimited()).unwrap().certificate;
    let shown = certificate.check(&program, &mut Budget::unlimited()).unwrap();
    assert_eq!((shown.sc, shown.tso, shown.robust), (vec![Some(false)], vec![Some(false)], Some(false)));
    let merged = certificate.merged.clone().unwrap();
    // Some entry is repeated: otherwise nothing was merged.
    assert!(merged.states.iter().any(|state| state.last() == Some(&1)));
    // The sample changes every third one, in every place.
    for number in (0..merged.states.len()).step_by(one_in(3)) {
        for place in 0..merged.states.iter().nth(number).unwrap().len() {
            for change in [-1, 1] {
                let mut mutant = certificate.clone();
                let mut states: Vec<Vec<i64>> = merged.states.iter().collect();
                states[number][place] += change;
                states.sort_unstable();
                mutant.merged.as_mut().unwrap().states = states.iter().collect();
                assert!(is_refused(&program, &mutant), "state {number}, number {place}");
            }
        }
    }
}

/// A thread that stores different values in a loop, so that only load buffers help.
const LOADS: &str = "memory x = 0, y = 0, d = 0;
    thread L { loop { x := 1; x := 2; r := y; if (r == 1) { break; } } d := 1; }
    thread R { y := 1; s := x; b := d; a := y; }
    exists R.a == 0;";

#[test]
fn no_member_of_a_basis_can_be_left_out_and_no_number_of_one_be_changed() {
    let program = serval_tso_program::read(LOADS).unwrap();
    let certificate = decide(&program, &EngineLimits::default(), &mut Budget::unlimited()).unwrap().certificate;
    let shown = certificate.check(&program, &mut Budget::unlimited()).unwrap();
    assert_eq!((shown.tso, shown.robust), (vec![Some(false)], Some(false)));
    let basis = certificate.basis.clone().unwrap();
    // The sample changes some members, in every place.
    let members = if effort() == Effort::Night { 60 } else { 6 };
    let mut mutants: Vec<(Basis, String)> = Vec::new();
    let mut add = |change: &dyn Fn(&mut Basis), what: String| {
        let mut mutant = basis.clone();
        change(&mut mutant);
        mutants.push((mutant, what));
    };
    // What covers more is closed as well, so a member is changed to what covers less, or something else.
    for (number, member) in basis.members.iter().enumerate().step_by(1 + basis.members.len() / members) {
        add(&|basis| drop(basis.members.remove(number)), format!("member {number}"));
        for place in 0..member.len() {
            for change in [-1, 1] {
                add(&|basis| basis.members[number][place] += change, format!("number {place} of member {number}"));
            }
        }
    }
    for (thread, list) in basis.threads.iter().enumerate() {
        for number in 0..list.len() {
            add(&|basis| drop(basis.threads[thread].remove(number)), format!("what {thread} may be, {number}"));
        }
    }
    for (cell, values) in basis.values.iter().enumerate() {
        for number in 0..values.len() {
            add(&|basis| _ = basis.values[cell].remove(number), format!("value {number} of {cell}"));
        }
    }
    assert!(mutants.len() > 17 * members, "{}", mutants.len());
    side_by_side(&mutants, |(mutant, what)| {
        let mut changed = certificate.clone();
        changed.basis = Some(mutant.clone());
        assert!(is_refused(&program, &changed), "{what}");
    });
}

/// A thread of its own and any number of others take a lock.
const QUESTION: &str = "memory lock = 0;
    thread A { o := xchg(lock, 1); if (o == 0) { cs: skip; lock := 0; } }
    thread* W { o := xchg(lock, 1); if (o == 0) { cs: skip; lock := 0; } }
    never A@cs && W@cs;";

#[test]
fn no_configuration_of_a_question_can_be_changed() {
    let program = serval_tso_program::read(QUESTION).unwrap();
    let certificate = decide_many(&program, &EngineLimits::default(), &mut Budget::unlimited()).unwrap().certificate;
    let shown = certificate.check(&program, &mut Budget::unlimited()).unwrap();
    assert_eq!((shown.sc, shown.tso, shown.robust), (vec![Some(false)], vec![Some(false)], Some(true)));
    let list = certificate.any_sc.clone().unwrap().configurations;
    let mut mutants = 0;
    let mut alone = certificate.clone();
    alone.any = None;
    alone.answers.retain(|answer| answer.model == Model::Sc);
    assert!(!is_refused(&program, &alone));
    let mut refuse = |change: &dyn Fn(&mut Vec<Configuration>), what: String| {
        let mut mutant = alone.clone();
        change(&mut mutant.any_sc.as_mut().unwrap().configurations);
        assert!(is_refused(&program, &mutant), "{what}");
        mutants += 1;
    };
    for (number, configuration) in list.iter().enumerate() {
        refuse(&|list| drop(list.remove(number)), format!("without {number}"));
        for place in 0..configuration.core.len() {
            for change in [-1, 1] {
                refuse(&|list| list[number].core[place] += change, format!("number {place} of {number}"));
            }
        }
        for copy in 0..configuration.copies.len() {
            let fewer = configuration.copies[copy].2.map_or(Some(3), |count| Some(count - 1));
            refuse(&|list| list[number].copies[copy].2 = fewer, format!("copy {copy} of {number}"));
            for place in 0..configuration.copies[copy].1.len() {
                refuse(&|list| list[number].copies[copy].1[place] += 1, format!("number {place} of copy {copy} of {number}"));
            }
        }
    }
    assert!(mutants > 100, "{mutants}");
    // What rests on it, without it; with robustness alone; about another number of copies.
    for change in [
        (|mutant: &mut Certificate| mutant.any_sc = None) as fn(&mut Certificate),
        |mutant| mutant.any = None,
        |mutant| mutant.instance = Some(2),
        |mutant| mutant.answers[0].model = Model::Tso,
        |mutant| mutant.answers[0].claim = Claim::Unreachable(By::States),
        |mutant| mutant.answers[0].claim = Claim::Reachable(Vec::new()),
        |mutant| mutant.answers[0].claim = Claim::Copies(2, vec![0, 2]),
    ] {
        let mut mutant = certificate.clone();
        change(&mut mutant);
        assert!(is_refused(&program, &mutant));
    }
}

/// Every number of what is said of changes that matters: places, runs, cycles, copies and questions.
#[test]
fn nothing_said_of_changes_can_be_changed() {
    let peterson = "memory f0, f1, turn;
        thread P0 { f0 := 1; turn := 1; q := f1; t := turn; if (q == 0 || t == 0) { cs: skip; } }
        thread P1 { f1 := 1; turn := 0; q := f0; t := turn; if (q == 0 || t == 1) { cs: skip; } }
        never P0@cs && P1@cs;";
    let copies = "memory x, y; thread* P { x := 1; r := y; } thread Q { y := 1; r := x; } never P.r == 2;";
    let (mut refused, mut accepted) = (0, 0);
    for (text, goal, means) in [
        (peterson, Goal::Robust, Means::Fence),
        (peterson, Goal::Reach, Means::Fence),
        (peterson, Goal::Robust, Means::Locked),
        (peterson, Goal::Reach, Means::Locked),
        (copies, Goal::Robust, Means::Fence),
        (copies, Goal::Robust, Means::Locked),
    ] {
        let program = serval_tso_program::read(text).unwrap();
        let wanted = Wanted { goal, means, sets: 10, ..Wanted::default() };
        let Ok(Fixed::Fences(fences)) = fix_as(&program, &wanted, &EngineLimits::default(), &mut Budget::unlimited()) else {
            panic!("{text}")
        };
        let mut certificate = Certificate::new(&program);
        certificate.fences = Some(fences.clone());
        let right = certificate.check(&program, &mut Budget::unlimited()).unwrap().fences.unwrap();
        assert!(right.all && !right.sets.is_empty());
        accepted += 1;
        let mut mutants: Vec<Fences> = Vec::new();
        let mut add = |change: &dyn Fn(&mut Fences)| {
            let mut mutant = fences.clone();
            change(&mut mutant);
            mutants.push(mutant);
        };
        for (number, set) in fences.sets.iter().enumerate() {
            add(&|fences| drop(fences.sets.remove(number)));
            for place in 0..set.places.len() {
                add(&|fences| {
                    fences.sets[number].places.remove(place);
                });
                add(&|fences| fences.sets[number].places[place].0 += 1);
                add(&|fences| fences.sets[number].places[place].1 += 1);
            }
        }
        for (number, witness) in fences.witnesses.iter().enumerate() {
            for at in 0..witness.run.len() {
                add(&|fences| {
                    fences.witnesses[number].run.remove(at);
                });
                add(&|fences| fences.witnesses[number].run[at] = 9);
                add(&|fences| fences.witnesses[number].run[at] = -9);
            }
            for at in 0..witness.cycle.len() {
                add(&|fences| fences.witnesses[number].cycle[at] = 99);
            }
            add(&|fences| fences.witnesses[number].question = Some(7));
            add(&|fences| fences.witnesses[number].copies = witness.copies.map_or(Some(1), |_| None));
            add(&|fences| fences.witnesses[number].copies = Some(1000));
        }
        add(&|fences| fences.sets.clear());
        add(&|fences| fences.witnesses.clear());
        add(&|fences| fences.means = if means == Means::Fence { Means::Locked } else { Means::Fence });
        for fences in mutants {
            let mut mutant = certificate.clone();
            mutant.fences = Some(fences.clone());
            match mutant.check(&program, &mut Budget::unlimited()) {
                Err(_) => refused += 1,
                // What is still accepted is true: the same sets, of the same cost.
                Ok(shown) => {
                    let shown = shown.fences.unwrap();
                    assert_eq!((shown.cost, &shown.sets, shown.all), (right.cost, &right.sets, right.all), "{text}\n{fences:?}");
                }
            }
        }
    }
    assert!(accepted == 6 && refused > 400, "{accepted} {refused}");
}

/// Three threads that take a lock, and one that looks at it.
const ALIKE: &str = "memory lock = 0;
    thread P0 { loop { o := xchg(lock, 1); if (o == 0) { break; } } cs: skip; lock := 0; }
    thread P1 { loop { o := xchg(lock, 1); if (o == 0) { break; } } cs: skip; lock := 0; }
    thread P2 { loop { o := xchg(lock, 1); if (o == 0) { break; } } cs: skip; lock := 0; }
    thread Q { r := lock; s := lock; }
    never P0@cs && P1@cs; never P1@cs && P2@cs; never P2@cs && P0@cs;";

#[test]
fn no_group_of_threads_that_are_alike_can_be_changed() {
    let program = serval_tso_program::read(ALIKE).unwrap();
    let certificate = decide(&program, &EngineLimits::default(), &mut Budget::unlimited()).unwrap().certificate;
    assert!(!is_refused(&program, &certificate));
    let right = vec![vec![0, 1, 2]];
    assert_eq!((&certificate.sc.as_ref().unwrap().alike, &certificate.robust.as_ref().unwrap().alike), (&right, &right));
    let wrong: [&[&[usize]]; 9] = [
        &[],
        &[&[0, 1]],
        &[&[1, 2]],
        &[&[0, 2]],
        &[&[0, 1, 2, 3]],
        &[&[2, 3], &[0, 1]],
        &[&[0, 2, 1]],
        &[&[0, 0, 1, 2]],
        &[&[0, 1, 2], &[7]],
    ];
    for groups in wrong.map(|groups| groups.iter().map(|group| group.to_vec()).collect::<Vec<_>>()) {
        let (mut sequential, mut robust) = (certificate.clone(), certificate.clone());
        sequential.sc.as_mut().unwrap().alike.clone_from(&groups);
        robust.robust.as_mut().unwrap().alike.clone_from(&groups);
        assert!(is_refused(&program, &sequential) && is_refused(&program, &robust), "{groups:?}");
    }
    // The answers are about all three pairs together.
    let mut fewer = certificate.clone();
    fewer.answers.retain(|answer| answer.question != 1 || answer.model != Model::Sc);
    fewer.answers.retain(|answer| answer.model == Model::Sc);
    assert!(is_refused(&program, &fewer));
}

#[test]
fn runs_are_those_of_the_threads_that_are_asked_about() {
    // In one order of the threads only one of these is met.
    let text = "memory x = 0; thread P { r := fadd(x, 1); } thread Q { r := fadd(x, 1); } thread R { r := fadd(x, 1); }
        exists P.r == 2 && Q.r == 0; exists Q.r == 2 && P.r == 0; exists R.r == 2 && P.r == 0; exists P.r == 2 && R.r == 0;
        exists Q.r == 2 && R.r == 0; exists R.r == 2 && Q.r == 0; exists P.r == 3 || Q.r == 3 || R.r == 3;";
    let program = serval_tso_program::read(text).unwrap();
    let certificate = decide(&program, &EngineLimits::default(), &mut Budget::unlimited()).unwrap().certificate;
    let shown = certificate.check(&program, &mut Budget::unlimited()).unwrap();
    assert_eq!(certificate.sc.unwrap().alike, [[0, 1, 2]]);
    assert_eq!(shown.sc, [vec![Some(true); 6], vec![Some(false)]].concat());
    assert_eq!(shown.tso, shown.sc);
}
