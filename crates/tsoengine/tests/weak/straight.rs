//! Programs without loops: final states by store buffers, by load buffers forwards and backwards, under sequential consistency, and robustness.

use std::ops::Range;

use serval_budget::Budget;
use serval_tsoengine::{Limits, Method, backwards, decide, decide_by, forwards};

use super::naive::{Final, Random, behaviour, random};
use super::{Counts, count, question};

pub(crate) fn compare(seeds: Range<u64>) -> Counts {
    let mut counts = Counts::new();
    for seed in seeds {
        one(seed, &mut counts);
    }
    counts
}

fn one(seed: u64, counts: &mut Counts) {
    let code = random(seed, seed.is_multiple_of(2));
    let (sc, tso) = (behaviour(&code, false), behaviour(&code, true));
    assert!(!sc.cyclic && sc.finals.is_subset(&tso.finals), "seed {seed}");
    // All that can be reached with buffers, one state that can be reached with none, and neighbours, of which some cannot be reached.
    let mut asked: Vec<Final> = tso.finals.iter().cloned().collect();
    let mut nowhere = asked[0].clone();
    nowhere.1[0] = 7;
    asked.push(nowhere);
    let mut choice = Random(seed | 1);
    for of in tso.finals.iter().take(3) {
        let mut other = of.clone();
        other.0[choice.below(code.threads.len())][choice.below(2)] = i64::try_from(choice.below(3)).unwrap();
        other.1[choice.below(code.cells)] = i64::try_from(choice.below(3)).unwrap();
        if !asked.contains(&other) {
            asked.push(other);
        }
    }
    let text = code.text(&asked.iter().map(question).collect::<String>());
    let program = serval_tso::read(&text).unwrap();
    let mut budget = Budget::unlimited();
    let expected: Vec<Option<bool>> = asked.iter().map(|state| Some(tso.finals.contains(state))).collect();

    let outcome = decide(&program, &Limits::default(), &mut budget).unwrap();
    let shown = outcome.certificate.check(&program, &mut budget).unwrap_or_else(|refusal| panic!("seed {seed}\n{text}\n{refusal}"));
    assert_eq!(shown.sc, asked.iter().map(|state| Some(sc.finals.contains(state))).collect::<Vec<_>>(), "seed {seed}\n{text}");
    assert_eq!(shown.tso, expected, "seed {seed}\n{text}");
    assert_eq!(shown.robust, Some(!tso.cyclic), "seed {seed}\n{text}");

    let by_loads = forwards(&program, 2_000_000, &mut budget).map(|all| all.into_iter().map(Some).collect::<Vec<_>>());
    match by_loads {
        Some(said) => assert_eq!(said, expected, "seed {seed}: load buffers\n{text}"),
        None => count(counts, "too many for load buffers forwards"),
    }
    let said = backwards(&program, 1_000_000, &mut budget);
    for (number, said) in said.iter().enumerate() {
        assert!(said.is_none() || *said == expected[number], "seed {seed}: question {number} backwards\n{text}");
        count(counts, if said.is_some() { "questions backwards" } else { "too many backwards" });
    }
    // The checker accepts every basis.
    let outcome = decide_by(Method::LoadBuffers, &program, &Limits::default(), &mut budget).unwrap();
    let shown = outcome.certificate.check(&program, &mut budget).unwrap_or_else(|refusal| panic!("seed {seed}\n{text}\n{refusal}"));
    assert!(shown.tso.iter().zip(&expected).all(|(said, expected)| said.is_none() || said == expected), "seed {seed}\n{text}");
    if outcome.certificate.basis.is_some() {
        count(counts, "bases accepted");
    }

    count(counts, "programs");
    *counts.entry("final states").or_default() += u64::try_from(tso.finals.len()).unwrap();
    match (tso.cyclic, sc.finals == tso.finals) {
        (false, same) => {
            assert!(same, "seed {seed}\n{text}");
            count(counts, "robust");
        }
        (true, true) => count(counts, "not robust, same final states"),
        (true, false) => count(counts, "not robust, more final states"),
    }
}
