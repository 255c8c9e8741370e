//! `if (?)` and `while (?)`: either may happen, for every question, under both models, with evidence.

use std::collections::BTreeSet;

use serval_budget::Budget;
use serval_effort::sweep;
use serval_tso_engine::{EngineLimits, Fixed, decide, fix};
use serval_tso_proof::Shown;

use serval_soundness::weak_memory::naive::{Code, behaviour, random};
use serval_soundness::weak_memory::question;

/// A condition that no other statement has, in the place of which a choice stands.
const MARK: (usize, i64) = (0, 77);

fn shown(text: &str) -> Shown {
    let program = serval_tso_program::read(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}"));
    let outcome = decide(&program, &EngineLimits::default(), &mut Budget::unlimited()).unwrap_or_else(|fault| panic!("{text}\n{fault:?}"));
    let again = serval_tso_proof::Certificate::from_json(&outcome.certificate.to_json()).unwrap();
    again.check(&program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{text}\n{refusal}"))
}

/// Every program that comes of choosing, for each marked statement, whether it is there.
fn chosen(code: &Code) -> Vec<Code> {
    let mut all = vec![Code { cells: code.cells, threads: Vec::new() }];
    for thread in &code.threads {
        all.iter_mut().for_each(|code| code.threads.push(Vec::new()));
        for stmt in thread {
            let marked = stmt.guard == Some(MARK);
            let without = if marked { all.clone() } else { Vec::new() };
            let mut stmt = stmt.clone();
            stmt.guard = stmt.guard.filter(|_| !marked);
            all.iter_mut().for_each(|code| code.threads.last_mut().unwrap().push(stmt.clone()));
            all.extend(without);
        }
    }
    all
}

fn one(seed: u64) -> bool {
    let mut code = random(seed, seed.is_multiple_of(3));
    let mut left = 3;
    for (number, thread) in code.threads.iter_mut().enumerate() {
        for (at, stmt) in thread.iter_mut().enumerate() {
            if left > 0 && (seed >> (3 * number + at)).is_multiple_of(3) {
                (stmt.guard, left) = (Some(MARK), left - 1);
            }
        }
    }
    let (mut sc, mut tso, mut is_robust) = (BTreeSet::new(), BTreeSet::new(), true);
    for code in chosen(&code) {
        let buffered = behaviour(&code, true);
        is_robust &= !buffered.cyclic;
        tso.extend(buffered.finals);
        sc.extend(behaviour(&code, false).finals);
    }
    // What is reached, and what would be if something were otherwise.
    let asked: Vec<_> = tso.iter().take(8).cloned().collect();
    let mut absent = asked[0].clone();
    absent.1[0] += 7;
    let questions: String = asked.iter().chain([&absent]).map(question).collect();
    let text = code.text(&questions).replace("if (r0 == 77)", "if (?)");
    assert!(text.contains("if (?)") || left == 3, "{text}");
    let shown = shown(&text);
    for (number, state) in asked.iter().chain([&absent]).enumerate() {
        assert_eq!(shown.sc[number], Some(sc.contains(state)), "seed {seed}\n{text}");
        assert_eq!(shown.tso[number], Some(tso.contains(state)), "seed {seed}\n{text}");
    }
    assert_eq!(shown.robust, Some(is_robust), "seed {seed}\n{text}");
    if !is_robust && seed.is_multiple_of(4) {
        let program = serval_tso_program::read(&text).unwrap();
        let Ok(Fixed::Fences(fences)) = fix(&program, &EngineLimits::default(), &mut Budget::unlimited()) else {
            panic!("seed {seed}\n{text}")
        };
        let mut certificate = serval_tso_proof::Certificate::new(&program);
        certificate.fences = Some(fences);
        certificate.check(&program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("seed {seed}\n{text}\n{refusal}"));
    }
    is_robust
}

#[test]
fn choices_are_all_programs_that_come_of_choosing() {
    let sweep = sweep("weak_memory.choices", 60, 5_000);
    let robust = sweep.map(0, one).into_iter().filter(|robust| *robust).count();
    let robust = u64::try_from(robust).unwrap();
    serval_testkit::say(&format!("choices: {robust} of {} robust", sweep.count()));
    assert!(!sweep.is_representative() || robust > 0 && robust < sweep.count());
}

#[test]
fn choices_in_loops() {
    // How often the loop goes round is open, and so is what is stored last.
    let text = "memory x; thread P { while (?) { if (?) { x := 1; } else { x := 2; } } r := x; } thread Q { s := x; t := x; }
        exists P.r == 0; exists P.r == 1; exists P.r == 2 && Q.s == 1 && Q.t == 2; exists Q.s == 1 && Q.t == 0; never P.r == 3;";
    let shown = shown(text);
    let expected = [Some(true), Some(true), Some(true), Some(false), Some(false)];
    assert_eq!((shown.sc, shown.tso), (expected.to_vec(), expected.to_vec()));
    // Store buffering on one of two ways.
    let text =
        "memory x, y; thread L { x := 1; if (?) { fence; } r := y; } thread R { y := 1; fence; s := x; } exists L.r == 0 && R.s == 0;";
    let both = self::shown(text);
    assert_eq!((both.sc[0], both.tso[0], both.robust), (Some(false), Some(true), Some(false)));
    let program = serval_tso_program::read(text).unwrap();
    let Ok(Fixed::Fences(fences)) = fix(&program, &EngineLimits::default(), &mut Budget::unlimited()) else { panic!() };
    assert_eq!(fences.places().len(), 1);
    assert_eq!(self::shown(&text.replace("if (?) { fence; }", "if (?) { fence; } else { fence; }")).robust, Some(true));
}

#[test]
fn choices_of_any_number_of_copies() {
    let text = "memory x, y; thread* W { if (?) { x := 1; fence; r := y; } else { y := 1; fence; r := x; } }";
    for (text, robust) in [(text.to_owned(), true), (text.replace("fence; r", "r"), false)] {
        let program = serval_tso_program::read(&text).unwrap();
        let mut certificate = serval_tso_proof::Certificate::new(&program);
        match serval_tso_engine::decide_any(&program, &EngineLimits::default(), &mut Budget::unlimited()) {
            serval_tso_engine::AnyOutcome::Robust(found) => certificate.any = Some(found),
            serval_tso_engine::AnyOutcome::Violated(copies, violation) => {
                (certificate.copies, certificate.violation) = (Some(copies), Some(violation));
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(certificate.check(&program, &mut Budget::unlimited()).unwrap().robust, Some(robust), "{text}");
    }
}

/// A run that goes a way that there is not is refused.
#[test]
fn runs_say_which_way_they_go() {
    let text = "memory x; thread P { if (?) { x := 1; } else { x := 2; } } exists x == 2;";
    let program = serval_tso_program::read(text).unwrap();
    let outcome = decide(&program, &EngineLimits::default(), &mut Budget::unlimited()).unwrap();
    let written = outcome.certificate.to_json();
    assert!(outcome.certificate.check(&program, &mut Budget::unlimited()).unwrap().sc[0] == Some(true));
    let other = serval_tso_program::read(&text.replace("if (?)", "if (0 == 0)").replace("P {", "P { r := 0;")).unwrap();
    assert!(serval_tso_proof::Certificate::from_json(&written).unwrap().check(&other, &mut Budget::unlimited()).is_err());
}
