//! Our families mean the same as the given ones.

use std::process::Command;

use serval_budget::Budget;
use serval_compile::{Options, compile};
use serval_families::{FAMILIES, Verdict};

use serval_model::systems_to_json;
use serval_syntax::analyze;
use serval_testkit::say;
use serval_testkit::suite::data_dir;

/// The compiled program, written out.
fn systems(text: &str) -> String {
    let program = analyze(text).program.unwrap_or_else(|| panic!("{text}"));
    let compiled = compile(&program, Options::default(), &Budget::unlimited()).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let systems: Vec<_> = compiled.components().iter().map(|component| component.system().clone()).collect();
    systems_to_json(&systems)
}

#[test]
fn families_mean_the_same_as_the_given_ones() {
    let Some(directory) = data_dir("families") else { return };
    let given = |arguments: &[&str]| {
        let output = Command::new("python3").arg(directory.join("families.py")).args(arguments).output().expect("python3 runs");
        assert!(output.status.success(), "families.py {arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let list: Vec<(String, String)> = given(&["list"])
        .lines()
        .filter_map(|line| line.split_once(' ').map(|(name, verdict)| (name.to_owned(), verdict.to_owned())))
        .collect();
    let ours: Vec<(String, String)> = FAMILIES
        .iter()
        .map(|family| (family.name.to_owned(), if family.verdict == Verdict::Serializable { "ser" } else { "nonser" }.to_owned()))
        .collect();
    assert_eq!(ours, list);
    for family in FAMILIES {
        for n in 2..=4 {
            assert_eq!(systems(&family.program(n)), systems(&given(&[family.name, &n.to_string()])), "{} {n}", family.name);
        }
    }
    say(&format!("families: {} of {} compile to the same systems as the given ones", FAMILIES.len(), list.len()));
}
