//! Programs without loops: final states by store buffers, by load buffers forwards and backwards, under sequential
//! consistency, and robustness.
//!
//! Every final state is asked for, and whether there is any other: so the sets of final states are equal, with store
//! buffers and with load buffers forwards. Backwards, where every question has a search of its own, only some are asked
//! for: what cannot be reached, which is shown by a basis, and of what can be reached some that need buffers and one
//! that does not.

use std::ops::Range;

use serval_budget::Budget;
use serval_tso_engine::{EngineLimits, Method, backwards, decide, decide_by, forwards};
use serval_tso_program::{BinaryOp, Expr, Program, Question};

use super::naive::{Behaviour, Code, Final, Random, behaviour, random};
use super::question;
use crate::Tally;

/// Final states that need buffers, and are looked for backwards.
const BACKWARDS: usize = 3;

pub(super) fn compare(seeds: Range<u64>) -> Tally {
    let mut counts = Tally::default();
    for seed in seeds {
        one(seed, &mut counts);
    }
    counts
}

fn one(seed: u64, counts: &mut Tally) {
    let code = random(seed, seed.is_multiple_of(2));
    let (sc, tso) = (behaviour(&code, false), behaviour(&code, true));
    assert!(!sc.cyclic && sc.finals.is_subset(&tso.finals), "seed {seed}");
    let text = code.text(&tso.finals.iter().map(question).collect::<String>());
    let mut program = serval_tso_program::read(&text).unwrap();
    // Whether there is any other, which is too long for a text.
    let any = program.questions.iter().map(|question| question.condition.clone());
    let any = any.reduce(|one, other| Expr::Binary(BinaryOp::Or, Box::new(one), Box::new(other))).unwrap();
    program.questions.push(Question { condition: Expr::Not(Box::new(any)), ..program.questions[0].clone() });
    let mut budget = Budget::unlimited();
    let expected = |of: &Behaviour| tso.finals.iter().map(|state| Some(of.finals.contains(state))).chain([Some(false)]).collect::<Vec<_>>();

    let outcome = decide(&program, &EngineLimits::default(), &mut budget).unwrap();
    let shown = outcome.certificate.check(&program, &mut budget).unwrap_or_else(|refusal| panic!("seed {seed}\n{text}\n{refusal}"));
    assert_eq!(shown.sc, expected(&sc), "seed {seed}\n{text}");
    assert_eq!(shown.tso, expected(&tso), "seed {seed}\n{text}");
    assert_eq!(shown.robust, Some(!tso.cyclic), "seed {seed}\n{text}");

    match forwards(&program, 2_000_000, &mut budget) {
        Some(said) => assert_eq!(said.into_iter().map(Some).collect::<Vec<_>>(), expected(&tso), "seed {seed}: load buffers\n{text}"),
        None => counts.count("too many for load buffers forwards"),
    }
    turned_round(seed, &code, &sc, &tso, counts);

    counts.count("programs");
    counts.add("final states", u64::try_from(tso.finals.len()).unwrap());
    match (tso.cyclic, sc.finals == tso.finals) {
        (false, same) => {
            assert!(same, "seed {seed}\n{text}");
            counts.count("robust");
        }
        (true, true) => counts.count("not robust, same final states"),
        (true, false) => counts.count("not robust, more final states"),
    }
}

/// Some questions, by load buffers backwards; the checker accepts every basis.
fn turned_round(seed: u64, code: &Code, sc: &Behaviour, tso: &Behaviour, counts: &mut Tally) {
    let reached: Vec<Final> = tso.finals.difference(&sc.finals).take(BACKWARDS).chain(sc.finals.iter().take(1)).cloned().collect();
    // One state that nothing reaches, and neighbours, of which some cannot be reached.
    let mut asked = vec![reached[0].clone()];
    asked[0].1[0] = 7;
    let mut choice = Random(seed | 1);
    for of in tso.finals.iter().take(3) {
        let mut other = of.clone();
        other.0[choice.below(code.threads.len())][choice.below(2)] = i64::try_from(choice.below(3)).unwrap();
        other.1[choice.below(code.cells)] = i64::try_from(choice.below(3)).unwrap();
        if !tso.finals.contains(&other) && !asked.contains(&other) {
            asked.push(other);
        }
    }
    let read =
        |asked: &[Final]| -> Program { serval_tso_program::read(&code.text(&asked.iter().map(question).collect::<String>())).unwrap() };
    let mut budget = Budget::unlimited();
    for said in backwards(&read(&reached), 1_000_000, &mut budget) {
        assert!(said != Some(false), "seed {seed}: {reached:?} backwards\n{code:?}");
        counts.count(if said.is_some() { "reached backwards" } else { "too many backwards" });
    }
    let program = read(&asked);
    let outcome = decide_by(Method::LoadBuffers, &program, &EngineLimits::default(), &mut budget).unwrap();
    let shown = outcome.certificate.check(&program, &mut budget).unwrap_or_else(|refusal| panic!("seed {seed}\n{code:?}\n{refusal}"));
    for said in shown.tso {
        assert!(said != Some(true), "seed {seed}: {asked:?} backwards\n{code:?}");
        counts.count(if said.is_some() { "not reached backwards" } else { "too many backwards" });
    }
    if outcome.certificate.basis.is_some() {
        counts.count("bases accepted");
    }
}
