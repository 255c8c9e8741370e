//! Attacks on answers about programs on weak memory: engine and checker against an interpreter that tries everything
//! ([`naive`]), on random programs. Each [kind](KINDS) of comparison takes seeds, panics with the program where the two
//! differ, and counts what it has seen; [`measured`] runs kinds at length, and [`sizes`] measures single programs.

#![expect(clippy::unwrap_used, reason = "an attack that succeeds ends with a panic, as in a test")]

mod alike;
mod copies;
mod fences;
mod loops;
mod mutants;
pub mod naive;
pub mod page;
mod rounds;
pub mod sizes;
mod straight;
pub mod summary;

use std::ops::Range;
use std::time::Instant;

use summary::SummaryPart;

use crate::Tally;

/// A kind of comparison: its name, what it compares, how many programs the whole run takes, and what it does.
#[derive(Debug)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// What it compares.
    pub compares: &'static str,
    /// How many programs the whole run takes.
    pub whole: u64,
    /// Compares the programs of these seeds. Panics where an answer is wrong.
    pub compare: fn(Range<u64>) -> Tally,
}

/// All kinds.
pub const KINDS: [Kind; 7] = [
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

/// Compares the programs of these seeds, as far as the whole run of the kind goes.
pub fn measured(kind: &Kind, seeds: &Range<u64>) -> SummaryPart {
    let start = Instant::now();
    let (from, to) = (seeds.start.min(kind.whole), seeds.end.min(kind.whole));
    let counts = (kind.compare)(from..to);
    SummaryPart { kind: kind.name.to_owned(), seeds: vec![[from, to]], seconds: start.elapsed().as_secs(), counts, sizes: Vec::new() }
}

/// A question that exactly one final state meets.
pub fn question(of: &naive::Final) -> String {
    let (registers, memory) = of;
    let mut parts = Vec::new();
    for (thread, registers) in registers.iter().enumerate() {
        parts.extend(registers.iter().enumerate().map(|(register, value)| format!("P{thread}.r{register} == {value}")));
    }
    parts.extend(memory.iter().enumerate().map(|(cell, value)| format!("{} == {value}", ["x", "y", "z"][cell])));
    format!("exists {};\n", parts.join(" && "))
}
