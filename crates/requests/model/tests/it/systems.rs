//! Systems to test with: a few by hand, many at random.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serval_model::{NetworkSystem, SystemBuilder};

/// Reads a counter modulo 2 in one step and writes it back increased in the
/// next: the smallest lost update.
pub(crate) fn lost_update() -> NetworkSystem {
    let text = r#"{"initial_global": "0", "requests": [["inc", "start"]], "responses": [["done 0", "0"], ["done 1", "1"]],
        "transitions": [["start", "0", "read 0", "0"], ["start", "1", "read 1", "1"],
            ["read 0", "0", "done 0", "1"], ["read 0", "1", "done 0", "1"],
            ["read 1", "0", "done 1", "0"], ["read 1", "1", "done 1", "0"]]}"#;
    NetworkSystem::from_json(text).expect("a valid system")
}

/// Names that are easily confused: by case, white space, escapes, look,
/// punctuation, numbers, or with words of JSON.
const NAMES: [&str; 24] = [
    "",
    " ",
    "a",
    "A",
    "a ",
    "TRUE",
    "true",
    "null",
    "0",
    "00",
    "G1",
    "G01",
    "G10",
    "G2",
    "\"",
    "\\",
    "\\\"",
    "a,b",
    "a\",\"b",
    "é",
    "e\u{301}",
    "\u{feff}",
    "\n",
    "😀\0\u{2028}",
];

fn name() -> impl Strategy<Value = String> {
    prop_oneof![prop::sample::select(&NAMES[..]).prop_map(str::to_owned), any::<String>()]
}

/// Up to four states of each kind, with names that are easily confused.
pub(crate) fn strangely_named() -> impl Strategy<Value = NetworkSystem> {
    let names = || prop::collection::vec(name(), 4);
    let pick = 0..4usize;
    (
        (names(), names(), names(), names()),
        prop::collection::vec((pick.clone(), pick.clone()), 0..4),
        prop::collection::vec((pick.clone(), pick.clone()), 0..4),
        prop::collection::vec((pick.clone(), pick.clone(), pick.clone(), pick.clone()), 0..12),
        pick,
    )
        .prop_map(|((globals, locals, requests, responses), starts, answers, steps, initial)| {
            let mut builder = SystemBuilder::new();
            for (request, local) in starts {
                let (request, local) = (builder.request(&requests[request]), builder.local(&locals[local]));
                builder.start(request, local);
            }
            for (local, response) in answers {
                let (local, response) = (builder.local(&locals[local]), builder.response(&responses[response]));
                builder.answer(local, response);
            }
            for (local, global, to_local, to_global) in steps {
                let (local, global) = (builder.local(&locals[local]), builder.global(&globals[global]));
                let (to_local, to_global) = (builder.local(&locals[to_local]), builder.global(&globals[to_global]));
                builder.step(local, global, to_local, to_global);
            }
            let initial = builder.global(&globals[initial]);
            builder.finish(initial)
        })
}

/// Small systems in which most requests can get somewhere. Request and
/// response names begin with `prefix`.
pub(crate) fn small(prefix: &'static str) -> impl Strategy<Value = NetworkSystem> {
    let (global, local, label) = (0..3u8, 0..4u8, 0..2u8);
    (
        prop::collection::vec((label.clone(), 0..2u8), 1..3),
        prop::collection::vec((2..4u8, label), 1..5),
        prop::collection::vec((local.clone(), global.clone(), local, global), 6..24),
    )
        .prop_map(move |(starts, answers, steps)| {
            let mut builder = SystemBuilder::new();
            let initial = builder.global("G0");
            for (request, local) in starts {
                let (request, local) = (builder.request(&format!("{prefix}R{request}")), builder.local(&format!("L{local}")));
                builder.start(request, local);
            }
            for (local, response) in answers {
                let (local, response) = (builder.local(&format!("L{local}")), builder.response(&format!("{prefix}A{response}")));
                builder.answer(local, response);
            }
            for (local, global, to_local, to_global) in steps {
                let (local, global) = (builder.local(&format!("L{local}")), builder.global(&format!("G{global}")));
                let (to_local, to_global) = (builder.local(&format!("L{to_local}")), builder.global(&format!("G{to_global}")));
                builder.step(local, global, to_local, to_global);
            }
            builder.finish(initial)
        })
}

/// What a system is when its numbering is forgotten: the initial global
/// state, and every start, answer and step by name.
pub(crate) fn by_name(system: &NetworkSystem) -> (String, BTreeSet<Vec<String>>) {
    let mut facts = BTreeSet::new();
    let mut fact = |kind: &str, names: &[&str]| facts.insert([&[kind][..], names].concat().into_iter().map(str::to_owned).collect());
    for &(request, local) in system.starts() {
        fact("start", &[system.request_name(request), system.local_name(local)]);
    }
    for &(local, response) in system.answers() {
        fact("answer", &[system.local_name(local), system.response_name(response)]);
    }
    for step in system.steps() {
        let (from, to) = (system.local_name(step.local), system.local_name(step.to_local));
        fact("step", &[from, system.global_name(step.global), to, system.global_name(step.to_global)]);
    }
    (system.global_name(system.initial_global()).to_owned(), facts)
}
