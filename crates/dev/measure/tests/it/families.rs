//! Our families mean the same as the given ones, where there are such, and have
//! the verdicts that they say.

use std::process::Command;

use serval_budget::Budget;
use serval_compile::{Options, compile};
use serval_effort::{side_by_side, skips};
use serval_families::{FAMILIES, FamilyVerdict};

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
    if skips("bench.given_families") {
        return;
    }
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
        .map(|family| (family.name.to_owned(), if family.verdict == FamilyVerdict::Serializable { "ser" } else { "nonser" }.to_owned()))
        .collect();
    assert_eq!(ours, list);
    side_by_side(same, |family| {
        for n in 2..=4 {
            let written = |text: &str| systems_to_json(&systems(text));
            assert_eq!(written(&family.program(n)), written(&given(&[family.name, &n.to_string()])), "{} {n}", family.name);
        }
    });
    say(&format!("families: {} of {} compile to the same systems as the given ones", same.len(), list.len()));
}

/// Requests that are tried together at most.
const REQUESTS: usize = 4;

/// Configurations that are looked at for one component: where nothing is to be
/// found, and where something is.
const TICKS: (u64, u64) = (60_000, 1_000_000);

/// Programs that only more requests refute, five and seven.
const TOO_MANY_REQUESTS: &[(&str, usize)] = &[("flips", 2), ("flips", 3), ("expiry_stale", 2), ("queue_racy", 2), ("queue_racy", 3)];

/// Whether brute force refutes a system, and with how many requests it could be
/// tried.
fn tried(system: &NetworkSystem, ticks: u64) -> (bool, usize) {
    for requests in 2..=REQUESTS {
        match Behaviours::with(system, requests, ticks) {
            None => return (false, requests - 1),
            Some(all) if !all.is_serializable() => return (true, requests),
            Some(_) => {}
        }
    }
    (false, REQUESTS)
}

#[test]
fn verdicts_are_those_of_brute_force() {
    if skips("bench.families") {
        return;
    }
    let all_tried = side_by_side(FAMILIES, |family| {
        let mut all_tried = 0;
        for n in 2..=3 {
            let ticks = if family.verdict == FamilyVerdict::Serializable { TICKS.0 } else { TICKS.1 };
            let components: Vec<_> = systems(&family.program(n)).iter().map(|system| tried(system, ticks)).collect();
            let refuted = components.iter().any(|&(refuted, _)| refuted);
            all_tried += usize::from(refuted || components.iter().all(|&(_, requests)| requests == REQUESTS));
            match family.verdict {
                FamilyVerdict::Serializable => assert!(!refuted, "{} {n} is not serializable", family.name),
                FamilyVerdict::NotSerializable => {
                    assert_eq!(refuted, !TOO_MANY_REQUESTS.contains(&(family.name, n)), "{} {n}: {components:?}", family.name);
                }
            }
        }
        all_tried
    });
    let all_tried: usize = all_tried.into_iter().sum();
    say(&format!(
        "families: brute force has tried {all_tried} of {} programs with {REQUESTS} requests or refuted them",
        2 * FAMILIES.len()
    ));
}

/// Families that are older than proofs on the text and have such proofs.
const ALSO_ON_TEXT: &[&str] = &["lock", "two_locks", "guarded", "buffer", "counter", "bank", "monitors_atomic", "stack"];

#[test]
fn families_with_their_reason_in_the_text_are_proved_on_it() {
    let families: Vec<_> = FAMILIES.iter().filter(|family| family.on_text || ALSO_ON_TEXT.contains(&family.name)).collect();
    let proofs = side_by_side(&families, |family| {
        let mut proofs = 0;
        for n in [2, 3, 8] {
            let certificate = serval_soundness::requests::lipton::proved(&family.program(n));
            assert_eq!(certificate.is_some(), family.verdict == FamilyVerdict::Serializable, "{} {n}", family.name);
            proofs += usize::from(certificate.is_some());
        }
        proofs
    });
    let proofs: usize = proofs.into_iter().sum();
    say(&format!("families: {proofs} programs are proved on their text"));
}
