//! Engine and checker against trying everything, on random programs. Each kind of comparison takes seeds, fails where something is not as it should be, and counts what it has seen.

#![expect(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

mod alike;
mod copies;
mod fences;
mod loops;
mod mutants;
pub(crate) mod naive;
mod rounds;
mod straight;

use std::collections::BTreeMap;
use std::ops::Range;

/// How often something was seen.
pub(crate) type Counts = BTreeMap<&'static str, u64>;

/// A kind of comparison: its name, what it compares, how many programs the whole run takes, and what it does.
#[allow(dead_code, reason = "only the whole run says what is compared")]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) compares: &'static str,
    pub(crate) whole: u64,
    pub(crate) compare: fn(Range<u64>) -> Counts,
}

/// All kinds.
pub(crate) const KINDS: [Kind; 7] = [
    Kind {
        name: "straight",
        compares: "final states under SC and TSO, robustness, load buffers forwards and backwards",
        whole: 20_000,
        compare: straight::compare,
    },
    Kind { name: "fences", compares: "the fewest fences with all smaller sets", whole: 20_000, compare: fences::compare },
    Kind {
        name: "loops",
        compares: "attacks with all traces up to seven statements of each thread",
        whole: 2_000,
        compare: loops::compare,
    },
    Kind { name: "copies", compares: "any number of copies with one to four", whole: 2_000, compare: copies::compare },
    Kind { name: "rounds", compares: "one, two and three rounds with a search that counts rounds", whole: 2_000, compare: rounds::compare },
    Kind {
        name: "alike",
        compares: "programs with equal threads: all states and final states that are asked for, robustness; with threads that are alike in one order, and in all",
        whole: 10_000,
        compare: alike::compare,
    },
    Kind { name: "mutants", compares: "certificates with one thing changed with what is so", whole: 5_000, compare: mutants::compare },
];

fn count(counts: &mut Counts, what: &'static str) {
    *counts.entry(what).or_default() += 1;
}

/// A question that exactly one final state meets.
pub(crate) fn question(of: &naive::Final) -> String {
    let (registers, memory) = of;
    let mut parts = Vec::new();
    for (thread, registers) in registers.iter().enumerate() {
        parts.extend(registers.iter().enumerate().map(|(register, value)| format!("P{thread}.r{register} == {value}")));
    }
    parts.extend(memory.iter().enumerate().map(|(cell, value)| format!("{} == {value}", ["x", "y", "z"][cell])));
    format!("exists {};\n", parts.join(" && "))
}
