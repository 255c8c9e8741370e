//! JSON that is read and written.

use proptest::prelude::*;
use serde::Deserialize;
use serval_model::{NetworkSystem, SystemBuilder, systems_from_json, systems_to_json};

use crate::systems::{by_name, lost_update, small, strangely_named};

/// The same format as a second, independent reader understands it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mirror {
    initial_global: String,
    requests: Vec<(String, String)>,
    responses: Vec<(String, String)>,
    transitions: Vec<(String, String, String, String)>,
}

fn build(mirror: &Mirror) -> NetworkSystem {
    let mut builder = SystemBuilder::new();
    for (request, local) in &mirror.requests {
        let (request, local) = (builder.request(request), builder.local(local));
        builder.start(request, local);
    }
    for (local, response) in &mirror.responses {
        let (local, response) = (builder.local(local), builder.response(response));
        builder.answer(local, response);
    }
    for (local, global, to_local, to_global) in &mirror.transitions {
        let (local, global) = (builder.local(local), builder.global(global));
        let (to_local, to_global) = (builder.local(to_local), builder.global(to_global));
        builder.step(local, global, to_local, to_global);
    }
    let initial = builder.global(&mirror.initial_global);
    builder.finish(initial)
}

proptest! {
    #![proptest_config(crate::cases(serval_effort::sweep("model.json", 128, 256)))]

    #[test]
    fn reads_what_it_writes(system in strangely_named()) {
        let text = system.to_json();
        let again = NetworkSystem::from_json(&text).unwrap();
        again.check_invariants();
        prop_assert_eq!(by_name(&again), by_name(&system));
        prop_assert_eq!(again.to_json(), text);
    }

    #[test]
    fn another_reader_agrees(system in strangely_named()) {
        let mirror: Mirror = serde_json::from_str(&system.to_json()).unwrap();
        prop_assert_eq!(by_name(&build(&mirror)), by_name(&system));
    }

    #[test]
    fn reads_what_another_writer_writes(name in any::<String>()) {
        let name = serde_json::to_string(&name).unwrap();
        let text = format!(r#"{{"transitions":[],"responses":[],"requests":[],"initial_global":{name}}}"#);
        let system = NetworkSystem::from_json(&text).unwrap();
        prop_assert_eq!(serde_json::to_string(system.global_name(system.initial_global())).unwrap(), name);
    }

    /// Damaged texts are read or rejected as the other reader does, and an
    /// error points into the text.
    #[test]
    fn damage_is_noticed(system in small("é"), at in any::<prop::sample::Index>(), length in 0..6usize, patch in "[]\\[{},:\"\\\\u0-9a-z 'é]{0,3}") {
        let text: Vec<char> = system.to_json().chars().collect();
        let start = at.index(text.len());
        let end = (start + length).min(text.len());
        let damaged: String = text[..start].iter().copied().chain(patch.chars()).chain(text[end..].iter().copied()).collect();
        let expected: Result<Mirror, _> = serde_json::from_str(&damaged);
        match NetworkSystem::from_json(&damaged) {
            Ok(system) => {
                system.check_invariants();
                prop_assert_eq!(by_name(&system), by_name(&build(&expected.unwrap())));
            }
            Err(error) => {
                prop_assert!(expected.is_err(), "rejected: {error} in {damaged}");
                prop_assert!(damaged.get(error.span.clone()).is_some());
                let line = damaged.split('\n').nth(error.line - 1).unwrap();
                prop_assert!(error.column <= line.chars().count() + 1, "{error} in {damaged}");
                prop_assert!(!error.message.is_empty() && !error.expected.is_empty());
            }
        }
    }

    #[test]
    fn arrays_keep_their_order(a in small("a"), b in small("b"), c in small("c")) {
        for systems in [vec![], vec![a.clone()], vec![b.clone(), a.clone()], vec![c, b, a]] {
            let text = systems_to_json(&systems);
            let again = systems_from_json(&text).unwrap();
            prop_assert_eq!(again.iter().map(by_name).collect::<Vec<_>>(), systems.iter().map(by_name).collect::<Vec<_>>());
            prop_assert_eq!(systems_to_json(&again), text);
        }
    }

    #[test]
    fn any_text_is_answered(text in any::<String>()) {
        let _ = systems_from_json(&text);
        let _ = NetworkSystem::from_json(&text);
    }
}

#[test]
fn the_written_form() {
    let expected = r#"{
  "initial_global": "0",
  "requests": [
    ["inc", "start"]
  ],
  "responses": [
    ["done 0", "0"],
    ["done 1", "1"]
  ],
  "transitions": [
    ["read 0", "0", "done 0", "1"],
    ["read 0", "1", "done 0", "1"],
    ["read 1", "0", "done 1", "0"],
    ["read 1", "1", "done 1", "0"],
    ["start", "0", "read 0", "0"],
    ["start", "1", "read 1", "1"]
  ]
}
"#;
    assert_eq!(lost_update().to_json(), expected);
    assert_eq!(systems_to_json(&[lost_update()]), expected);
    assert_eq!(systems_to_json(&[]), "[]\n");
}

#[test]
fn numbers_in_names_sort_by_value() {
    let mut builder = SystemBuilder::new();
    let names = ["L10", "L2", "L02", "L", "L2a", "L1x9", "L1x10", "K99", "é", "L00"];
    let request = builder.request("r");
    for name in names {
        let local = builder.local(name);
        builder.start(request, local);
    }
    let initial = builder.global("g");
    let text = builder.finish(initial).to_json();
    let order: Vec<&str> = text.lines().filter_map(|line| line.split('"').nth(3).filter(|_| line.starts_with("    ["))).collect();
    assert_eq!(order, ["K99", "L", "L00", "L1x9", "L1x10", "L02", "L2", "L2a", "L10", "é"]);
}

#[test]
fn fields_in_any_order_with_a_byte_order_mark() {
    let text = "\u{feff}\r\n{\"transitions\":[ ],\t\"responses\":[[\"l\",\"x\"],[\"l\",\"x\"]],\"requests\":[[\"r\",\"l\"],[\"r\",\"m\"]],\"initial_global\":\"nowhere else\"}\n\n";
    let system = NetworkSystem::from_json(text).unwrap();
    system.check_invariants();
    assert_eq!((system.global_count(), system.local_count(), system.starts().len(), system.answers().len()), (1, 2, 2, 1));
}

#[test]
fn escapes() {
    let text = r#"{"initial_global": "\"\\\/\b\f\n\r\t\u0041\uD83D\ude00x", "requests": [], "responses": [], "transitions": []}"#;
    let system = NetworkSystem::from_json(text).unwrap();
    assert_eq!(system.global_name(system.initial_global()), "\"\\/\u{8}\u{c}\n\r\tA😀x");
}

#[test]
fn an_array_of_one_is_one() {
    let system = lost_update();
    assert_eq!(by_name(&NetworkSystem::from_json(&format!(" [ {} ] ", system.to_json())).unwrap()), by_name(&system));
}
