//! What is handed over and is not the program is refused, by the condition that is meant for it.

use serval_budget::Budget;
use serval_model::{GlobalId, LocalId, NetworkSystem, Step};
use serval_syntax::analyze;

use super::*;
use crate::compiled::compile;
use crate::doctored::{rebuilt, same};
use crate::options::Options;

/// Closed by sets alone.
const SETS: &str = "request flip { X := 1 - X } request get { a := X; yield; a }";
/// Closed only with what `R` and `W` count.
const COUNTS: &str = "request read { while (W == 1 || R == 3) { yield }; R := R + 1; yield; x := V; yield; R := R - 1; x }
    request write { while (W == 1 || R > 0) { yield }; W := 1; yield; V := 1 - V; yield; W := 0; 0 }";
/// Closed only with what `A` and `B` count together.
const SUMS: &str = "A := 40 request out { while (A == 0) { yield }; A := A - 1; yield; B := B + 1; 0 }
    request back { while (B == 0) { yield }; B := B - 1; yield; A := A + 1; 0 }";
/// Closed only with what the value 1 of `T`, which is free at 0 and at 2, counts.
const VALUES: &str = "request go { while (T == 1) { yield }; T := 1; x := V; yield; V := x + 1; yield; V := x; T := 2; x }
    request reset { if (T == 2) { T := 0 }; 0 }";
/// Closed only by markings: `T` is free at even numbers, of which there are too many to try which of them count.
const MARKINGS: &str = "request go { while (T % 2 == 1) { yield }; if (T == 8) { T := 1 } else { T := T + 1 }; yield; T := T + 1; 0 }";

fn compiled(text: &str) -> Compiled {
    compile(&analyze(text).program.unwrap(), Options::default(), &Budget::unlimited()).unwrap()
}

fn checked(text: &str, handed: &Compiled) -> Result<(), Unclosed> {
    let prepared = Prepared::new(&analyze(text).program.unwrap(), Options::default());
    prepared.check_closed(handed, &mut Budget::unlimited())
}

/// What is said when one component has another system.
fn with_system(text: &str, right: &Compiled, change: impl FnOnce(&NetworkSystem) -> NetworkSystem) -> Result<(), Unclosed> {
    let mut handed = right.clone();
    handed.replace_system(0, change(right.components()[0].system()));
    checked(text, &handed)
}

fn with_steps(text: &str, right: &Compiled, steps: &[Step]) -> Result<(), Unclosed> {
    with_system(text, right, |old| rebuilt(old, old.initial_global(), steps, same, |_| true))
}

#[test]
fn what_is_compiled_is_closed() {
    for text in [SETS, COUNTS, SUMS, VALUES, MARKINGS] {
        assert_eq!(checked(text, &compiled(text)), Ok(()), "{text}");
    }
    let by = |text: &str| compiled(text).components()[0].closure().clone();
    assert!(matches!(by(SETS), Closure::Counts { functions, .. } if functions.is_empty()));
    assert!(matches!(by(COUNTS), Closure::Counts { functions, .. } if !functions.is_empty()));
    for text in [SUMS, VALUES] {
        let Closure::Counts { functions, .. } = by(text) else { panic!("{text}") };
        assert!(functions.iter().any(|function| matches!(function, Function::Sum(_))), "{text}");
    }
    assert!(matches!(by(MARKINGS), Closure::Markings(_)));
}

#[test]
fn missing_and_additional_steps() {
    for text in [SETS, COUNTS, MARKINGS] {
        let right = compiled(text);
        let old = right.components()[0].system().clone();
        for position in 0..old.steps().len() {
            let mut steps = old.steps().to_vec();
            let taken = steps.remove(position);
            assert_eq!(with_steps(text, &right, &steps), Err(Unclosed::MissingStep), "{text}");
            for to_global in old.globals().filter(|&other| other != taken.to_global) {
                let bent = Step { to_global, ..taken };
                if !old.steps().contains(&bent) {
                    let mut more = old.steps().to_vec();
                    more.push(bent);
                    assert_eq!(with_steps(text, &right, &more), Err(Unclosed::AdditionalStep), "{text}");
                }
            }
        }
        // A step from a pair of states that is not among those that occur.
        let (pairs, last) = (right.components()[0].pairs(), old.steps()[0]);
        for (local, global) in old.locals().flat_map(|local| old.globals().map(move |global| (local, global))) {
            if !pairs.contains(&(local, global)) {
                let mut more = old.steps().to_vec();
                more.push(Step { local, global, ..last });
                assert_eq!(with_steps(text, &right, &more), Err(Unclosed::AdditionalStep), "{text}");
            }
        }
    }
}

#[test]
fn initial_states_starts_and_answers() {
    for text in [SETS, COUNTS, MARKINGS] {
        let right = compiled(text);
        let other = |old: &NetworkSystem| GlobalId::from_index(1 - old.initial_global().index().min(1));
        let moved = with_system(text, &right, |old| rebuilt(old, other(old), old.steps(), same, |_| true));
        assert_eq!(moved, Err(Unclosed::Initial), "{text}");
        let none = with_system(text, &right, |old| rebuilt(old, old.initial_global(), old.steps(), same, |_| false));
        assert_eq!(none, Err(Unclosed::Starts), "{text}");
        let seven = |_: LocalId, _: &str| Some("7".to_owned());
        let wrong = with_system(text, &right, |old| rebuilt(old, old.initial_global(), old.steps(), seven, |_| true));
        assert_eq!(wrong, Err(Unclosed::Answers), "{text}");
        let silent = with_system(text, &right, |old| rebuilt(old, old.initial_global(), old.steps(), |_, _| None, |_| true));
        assert_eq!(silent, Err(Unclosed::Answers), "{text}");
    }
}

#[test]
fn each_pair_is_needed() {
    for text in [SETS, COUNTS, MARKINGS] {
        let right = compiled(text);
        for position in 0..right.components()[0].pairs().len() {
            // The steps of the pair are taken away with it, so that only closure can notice.
            let mut handed = right.clone();
            let (local, global) = handed.explored_mut(0).0.remove(position);
            let old = handed.components()[0].system().clone();
            let steps: Vec<Step> = old.steps().iter().copied().filter(|step| (step.local, step.global) != (local, global)).collect();
            handed.replace_system(0, rebuilt(&old, old.initial_global(), &steps, same, |_| true));
            assert_eq!(checked(text, &handed), Err(Unclosed::Closed), "{text}: {local:?} {global:?}");
        }
    }
}

#[test]
fn a_global_state_that_is_another() {
    for text in [SETS, COUNTS, MARKINGS] {
        let right = compiled(text);
        for position in 0..right.components()[0].all_global_values().len() {
            let mut handed = right.clone();
            handed.explored_mut(0).2[position][0] += 100;
            assert!(checked(text, &handed).is_err(), "{text}");
            let mut handed = right.clone();
            handed.explored_mut(0).2.remove(position);
            assert_eq!(checked(text, &handed), Err(Unclosed::Tables), "{text}");
        }
    }
}

#[test]
fn counts_have_to_be_conserved() {
    for text in [COUNTS, SUMS, VALUES] {
        let right = compiled(text);
        let states = right.components()[0].local_states().len();
        let Closure::Counts { functions, .. } = right.components()[0].closure().clone() else { panic!("no counts") };
        for (local, by) in (0..states).flat_map(|local| [(local, 1), (local, -1)]) {
            for function in 0..functions.len() {
                let mut handed = right.clone();
                let Closure::Counts { weights, .. } = handed.explored_mut(0).1 else { panic!("no counts") };
                weights[local][function] += by;
                assert_eq!(checked(text, &handed), Err(Unclosed::Count), "{local}");
            }
        }
        // Without counts more pairs would be needed.
        let mut handed = right.clone();
        *handed.explored_mut(0).1 = Closure::Counts { functions: Vec::new(), weights: Vec::new() };
        assert_eq!(checked(text, &handed), Err(Unclosed::Closed));
    }
    let right = compiled(COUNTS);
    let states = right.components()[0].local_states().len();
    // A value that is no count.
    let mut handed = right.clone();
    let weights = vec![vec![0].into(); states];
    *handed.explored_mut(0).1 = Closure::Counts { functions: vec![Function::Above(0)], weights };
    assert_eq!(checked(COUNTS, &handed), Err(Unclosed::Count));
}

#[test]
fn each_marking_is_needed() {
    let right = compiled(MARKINGS);
    let Closure::Markings(markings) = right.components()[0].closure().clone() else { panic!("no markings") };
    for (global, known) in markings.iter().enumerate() {
        for position in 0..known.len() {
            let mut fewer = markings.clone();
            fewer[global].remove(position);
            let mut handed = right.clone();
            *handed.explored_mut(0).1 = Closure::Markings(fewer);
            assert_eq!(checked(MARKINGS, &handed), Err(Unclosed::Closed));
        }
    }
}

#[test]
fn a_step_that_fails_and_another_program() {
    let text = "request a { if (X < 2) { X := X + 1 }; Y := 0 / (5 - X); yield; Y }";
    assert_eq!(checked(&text.replace("5 -", "2 -"), &compiled(text)), Err(Unclosed::Fault));
    assert_eq!(checked("request a { 0 } request b { X := 1 - X }", &compiled("request a { 0 }")), Err(Unclosed::Tables));
}

#[test]
fn a_raised_flag_ends_the_check() {
    let prepared = Prepared::new(&analyze(SETS).program.unwrap(), Options::default());
    let stopped = prepared.check_closed(&compiled(SETS), &mut Budget::ticks(1));
    assert_eq!(stopped, Err(Unclosed::Stopped(Stopped::OutOfTicks)));
}
