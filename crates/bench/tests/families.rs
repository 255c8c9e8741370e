//! Our families mean the same as the given ones, where there are such, and have
//! the verdicts that they say.

use std::process::Command;

use serval_budget::Budget;
use serval_compile::{Options, compile};
use serval_families::{FAMILIES, Verdict};

use serval_model::{NetworkSystem, systems_to_json};
use serval_soundness::Behaviours;
use serval_syntax::analyze;
use serval_testkit::say;
use serval_testkit::suite::data_dir;

/// The compiled program.
fn systems(text: &str) -> Vec<NetworkSystem> {
    let program = analyze(text).program.unwrap_or_else(|| panic!("{text}"));
    let compiled = compile(&program, Options::default(), &Budget::unlimited()).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    compiled.components().iter().map(|component| component.system().clone()).collect()
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
    // They come first, in the same order.
    let (same, _) = FAMILIES.split_at(list.len());
    let ours: Vec<(String, String)> = same
        .iter()
        .map(|family| (family.name.to_owned(), if family.verdict == Verdict::Serializable { "ser" } else { "nonser" }.to_owned()))
        .collect();
    assert_eq!(ours, list);
    for family in same {
        for n in 2..=4 {
            let written = |text: &str| systems_to_json(&systems(text));
            assert_eq!(written(&family.program(n)), written(&given(&[family.name, &n.to_string()])), "{} {n}", family.name);
        }
    }
    say(&format!("families: {} of {} compile to the same systems as the given ones", same.len(), list.len()));
}

/// Requests with which brute force refutes a program that is not serializable,
/// where it is more than four.
const MORE_REQUESTS: &[(&str, usize, usize)] = &[("expiry_stale", 2, 5)];

/// Configurations that are looked at for one component.
const TICKS: u64 = 100_000;

/// Families that are not serializable only with more requests than can be
/// tried: a request of these must see many others.
const TOO_MANY_REQUESTS: &[&str] = &["flips", "watch", "monitors"];

#[test]
fn verdicts_are_those_of_brute_force() {
    let mut looked = 0;
    for family in FAMILIES {
        for n in 2..=3 {
            let more = MORE_REQUESTS.iter().find(|&&(name, size, _)| (name, size) == (family.name, n));
            let requests = more.map_or(4, |&(_, _, requests)| requests);
            let components = systems(&family.program(n));
            let tried: Vec<_> = components
                .iter()
                .map(|system| (2..=requests).rev().find_map(|requests| Behaviours::with(system, requests, TICKS)))
                .collect();
            let refuted = tried.iter().flatten().any(|all| !all.is_serializable());
            looked += usize::from(tried.iter().all(Option::is_some));
            match family.verdict {
                Verdict::Serializable => assert!(!refuted, "{} {n} is not serializable", family.name),
                Verdict::NotSerializable if TOO_MANY_REQUESTS.contains(&family.name) => {}
                Verdict::NotSerializable => assert!(refuted, "{} {n} is not refuted", family.name),
            }
        }
    }
    say(&format!("families: brute force could look at {looked} of {} programs", 2 * FAMILIES.len()));
}
