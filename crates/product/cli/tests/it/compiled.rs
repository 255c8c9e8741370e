//! `verify --check-compile`: a valid certificate has status 0, and one line says what was compared.

use std::fs;

use crate::support::{command, directory, text};

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
