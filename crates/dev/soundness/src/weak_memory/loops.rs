//! Programs with loops: robustness by attacks against the traces of all runs up to a length.

use std::ops::Range;

use serval_budget::Budget;
use serval_tso_engine::{EngineLimits, decide};

use super::naive::{Act, Random, Stmt, bounded, random};
use crate::Tally;

/// Statements of each thread, and states with traces, that are tried.
const STATEMENTS: usize = 7;
const MOST: usize = 60_000;

pub(super) fn compare(seeds: Range<u64>) -> Tally {
    let mut counts = Tally::default();
    for seed in seeds {
        let mut code = random(seed, false);
        code.threads.truncate(2);
        let mut choice = Random(seed.wrapping_mul(77) | 1);
        for thread in &mut code.threads {
            thread.truncate(4);
            if choice.below(3) < 2 {
                let back = Act::Back(choice.below(2), i64::try_from(choice.below(2)).unwrap(), choice.below(thread.len()));
                let at = 1 + choice.below(thread.len());
                // It goes back, not forth.
                let back = if let Act::Back(register, value, to) = back { Act::Back(register, value, to.min(at - 1)) } else { back };
                thread.insert(at, Stmt { guard: None, act: back });
            }
        }
        let text = code.text("");
        let program = serval_tso_program::read(&text).unwrap();
        let outcome = decide(&program, &EngineLimits::default(), &mut Budget::unlimited()).unwrap();
        let shown = outcome.certificate.check(&program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{text}\n{refusal}"));
        let robust = shown.robust.unwrap_or_else(|| panic!("{text}"));
        let all = bounded(&code, true, STATEMENTS, MOST);
        assert!(!(robust && all.cyclic), "seed {seed}: said to be robust\n{text}");
        let ends = !all.cut && !all.too_much;
        assert!(!ends || robust != all.cyclic, "seed {seed}\n{text}");
        counts.count("programs");
        counts.count(match (robust, all.cyclic, ends) {
            (true, _, true) => "robust, all traces tried",
            (true, _, false) => "robust, traces tried up to a length",
            (false, true, _) => "not robust, and a trace with a cycle was found by trying",
            (false, false, _) => "not robust, by a longer run",
        });
    }
    counts
}
