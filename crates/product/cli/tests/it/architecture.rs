//! ARCHITECTURE.md draws the arrows between crates as they are, and they make
//! no circle.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use crate::support;

type Arrows = BTreeMap<String, BTreeSet<String>>;

/// What cargo knows of the packages of the workspace.
pub(crate) fn metadata() -> serde_json::Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(support::root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What the crates of the workspace depend on, by the folders that they are
/// in: in earnest, and with what only their tests need.
fn arrows() -> [Arrows; 2] {
    let metadata = metadata();
    let folder = |path: &str| path.trim_end_matches("/Cargo.toml").rsplit('/').next().unwrap().to_owned();
    let (mut earnest, mut all) = (Arrows::new(), Arrows::new());
    for package in metadata["packages"].as_array().unwrap() {
        let name = folder(package["manifest_path"].as_str().unwrap());
        for dependency in package["dependencies"].as_array().unwrap() {
            let Some(path) = dependency["path"].as_str() else { continue };
            all.entry(name.clone()).or_default().insert(folder(path));
            if dependency["kind"].is_null() {
                earnest.entry(name.clone()).or_default().insert(folder(path));
            }
        }
        earnest.entry(name.clone()).or_default();
    }
    [earnest, all]
}

/// The table of the arrows: a line for each crate.
fn drawn() -> Arrows {
    let text = std::fs::read_to_string(support::root().join("ARCHITECTURE.md")).unwrap();
    let table = text.split("| crate | stands on |").nth(1).unwrap().lines().skip(2).take_while(|line| line.starts_with('|'));
    let row = |line: &str| {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        let name = cells.next().unwrap().trim_matches('`').to_owned();
        let others = cells.next().unwrap().split(", ").filter(|other| *other != "–").map(str::to_owned);
        (name, others.collect())
    };
    table.map(row).collect()
}

#[test]
fn the_arrows_are_drawn_as_they_are() {
    let [earnest, _] = arrows();
    let drawn = drawn();
    for (name, others) in &earnest {
        let written: Vec<&str> = others.iter().map(String::as_str).collect();
        assert_eq!(drawn.get(name), Some(others), "the line should be: | `{name}` | {} |", written.join(", "));
    }
    assert_eq!(drawn.len(), earnest.len());
}

#[test]
fn nothing_goes_round_in_circles() {
    // Takes away what stands on nothing that is left; tests count, too.
    let [earnest, mut left] = arrows();
    for name in earnest.into_keys() {
        left.entry(name).or_default();
    }
    loop {
        let free: Vec<String> = left.iter().filter(|(_, others)| others.is_empty()).map(|(name, _)| name.clone()).collect();
        if free.is_empty() {
            break;
        }
        for name in &free {
            left.remove(name);
            for others in left.values_mut() {
                others.remove(name);
            }
        }
    }
    assert!(left.is_empty(), "{left:?}");
}
