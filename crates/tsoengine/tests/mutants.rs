//! Evidence in which one thing is changed is refused. The lists that the engine makes have nothing that is not needed, so this is so for each number of each state.

use serval_budget::Budget;
use serval_tso::Program;
use serval_tsoengine::{AnyOutcome, Limits, decide, decide_any};
use serval_tsoproof::Certificate;

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
        let program = serval_tso::read(text).unwrap();
        let outcome = decide(&program, &Limits::default(), &mut Budget::unlimited()).unwrap();
        let certificate = outcome.certificate;
        assert!(!is_refused(&program, &certificate));
        let lists = certificate.robust.as_ref().unwrap().attackers.len();
        for list in 0..=lists {
            // The first list is that of sequential consistency, the others are those of attackers.
            let states = |certificate: &Certificate| match list {
                0 => certificate.sc.as_ref().unwrap().states.clone(),
                _ => certificate.robust.as_ref().unwrap().attackers[list - 1].clone(),
            };
            let with = |states: Vec<Vec<i64>>| {
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
    let program = serval_tso::read(MANY).unwrap();
    let AnyOutcome::Robust(any) = decide_any(&program, &Limits::default(), &mut Budget::unlimited()) else { panic!("it is robust") };
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
    let program = serval_tso::read(AGAIN).unwrap();
    let certificate = decide(&program, &Limits::default(), &mut Budget::unlimited()).unwrap().certificate;
    let shown = certificate.check(&program, &mut Budget::unlimited()).unwrap();
    assert_eq!((shown.sc, shown.tso, shown.robust), (vec![Some(false)], vec![Some(false)], Some(false)));
    let merged = certificate.merged.clone().unwrap();
    // Some entry is repeated: otherwise nothing was merged.
    assert!(merged.states.iter().any(|state| state.last() == Some(&1)));
    for number in 0..merged.states.len() {
        for place in 0..merged.states[number].len() {
            for change in [-1, 1] {
                let mut mutant = certificate.clone();
                let states = &mut mutant.merged.as_mut().unwrap().states;
                states[number][place] += change;
                states.sort_unstable();
                assert!(is_refused(&program, &mutant), "state {number}, number {place}");
            }
        }
    }
}
