//! `verify --check-compile`: a valid certificate has status 0, and one line says what was compared.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::schema;
use crate::support::{command, directory, root, serval, text};

/// A race that fails, a failure that needs none, and a race of a program that can also fail.
const FAILING: [(&str, &str); 3] = [
    ("coins.ser", "var Coins: 0..1 := 1\nrequest take { if (Coins > 0) { yield; Coins := Coins - 1; 1 } else { 0 } }\n"),
    ("counted.ser", "var N: 0..2\nrequest hit { N := N + 1; 0 }\n"),
    ("divided.ser", "var D: 0..1 := 1\nrequest a { if (D > 0) { yield; 10 / D } else { 0 } }\nrequest b { D := 0 }\n"),
];

#[test]
fn a_program_that_can_fail_has_nothing_to_compare_and_its_evidence_is_valid() {
    let place = directory("check-compile");
    for (name, program) in FAILING {
        fs::write(place.join(name), program).unwrap();
        let call = ["check", name, "--certificate", "c.json", "--no-cache", "--exit-zero", "-q"];
        assert_eq!(command(&call).current_dir(&place).output().unwrap().status.code(), Some(0), "{name}");
        let output = command(&["verify", name, "c.json", "--check-compile"]).current_dir(&place).output().unwrap();
        let said = text(&output.stdout);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{name}: {said}");
        let lines: Vec<&str> = said.lines().collect();
        assert!(lines.len() == 2 && lines[0].starts_with("c.json: valid: "), "{said}");
        assert!(lines[1].starts_with(&format!("{name}: compilation not compared: this program can fail (")), "{said}");
    }
    fs::remove_dir_all(place).unwrap();
}

/// Operands that wait, a range that is tested, two components, names that the core language does not have.
const MAPPED: &str = "var A: 0..3 := 1\nvar B[0..1]\nrequest t(a: 0..1) { x := A + 1 + yield; if (x > 3) { return a }; A := x; x == yield }
request other { while (B[0] == 0) { yield; B[0] := 1 }; assert (B[0] > 0); B[1] := 1 - B[1]; B[1] }\n";

fn mapped(name: &str, input: &str) -> Value {
    let call = ["export", name, "--input", "ser", "--to", "core", "--with-map"];
    let output = serval(&call, input.as_bytes());
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{name}");
    assert_eq!(output.stdout, serval(&call, input.as_bytes()).stdout);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rules: Value = serde_json::from_str(&fs::read_to_string(root().join("docs/core.schema.json")).unwrap()).unwrap();
    schema::fits(&found, &rules, &rules, "core");
    let core = serval(&["export", name, "--input", "ser", "--to", "core"], input.as_bytes());
    let core: String = text(&core.stdout).lines().skip_while(|line| line.starts_with("//")).map(|line| format!("{line}\n")).collect();
    assert_eq!(found["core"], core, "{name}");
    found
}

/// The map is one to one on what it lists, speaks of what there is, and lists all that the comparison counts.
#[test]
fn the_core_has_a_map_of_all_states() {
    let place = directory("core-map");
    fs::write(place.join("mapped.ser"), MAPPED).unwrap();
    let path = place.join("mapped.ser");
    for name in [path.to_str().unwrap(), "examples/lost-update.ser", "examples/rendezvous.ser"] {
        let found = mapped(name, "");
        let map = &found["map"];
        let list = |name: &str| map[name].as_array().unwrap();
        let states: BTreeSet<String> = list("states").iter().map(|state| format!("{}{}", state[0], state[1])).collect();
        assert_eq!(states.len(), list("states").len(), "{name}");
        for state in list("states") {
            let point = &list("points")[usize::try_from(state[0].as_u64().unwrap()).unwrap()];
            let request = usize::try_from(point["request"].as_u64().unwrap()).unwrap();
            let kept = point["locals"].as_array().unwrap().len() + point["operands"].as_array().unwrap().len();
            assert_eq!(state[1].as_array().unwrap().len(), if point["place"] == "end" { 1 } else { kept }, "{name}: {state}");
            let component = usize::try_from(list("components")[request].as_u64().unwrap()).unwrap();
            assert!(
                map["names"][component]["locals"].get(usize::try_from(state[2].as_u64().unwrap()).unwrap()).is_some(),
                "{name}: {state}"
            );
        }
        for pair in list("pairs") {
            let at = |side: usize| usize::try_from(pair[side].as_u64().unwrap()).unwrap();
            assert!(at(0) < list("states").len() && at(1) < list("globals").len(), "{name}: {pair}");
        }
    }
    let found = mapped("-", MAPPED);
    let points = found["map"]["points"].as_array().unwrap();
    assert!(points.iter().any(|point| point["place"]["yield"] == 0 && point["operands"] == serde_json::json!([0])), "{points:?}");
    assert_eq!(found["systems"].as_array().unwrap().len(), 2);
    assert_eq!(found["requests"][1]["written"], "t(1)");
    fs::remove_dir_all(place).unwrap();
}

#[test]
fn a_program_without_systems_has_no_map() {
    let found = mapped("-", FAILING[0].1);
    assert!(found["map"].is_null() && found.get("systems").is_none() && found["core"].as_str().unwrap().contains("1 / 0"), "{found}");
    let output = serval(&["export", "examples/lost-update.ser", "--to", "ns", "--with-map"], b"");
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), String::new()));
}
