//! What the module is made of: what it cannot be asked about is not in it.

#![allow(clippy::unwrap_used, reason = "these are tests")]

use std::collections::BTreeSet;
use std::process::Command;

use serval_testkit::suite::repository_root;

/// The crates of a build of the module with these features.
fn crates(features: &[&str]) -> BTreeSet<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let listed = Command::new(cargo)
        .current_dir(repository_root())
        .args(["tree", "--offline", "-p", "serval-wasm", "--edges", "normal", "--prefix", "none", "--target", "wasm32-unknown-unknown"])
        .args(features)
        .output()
        .unwrap();
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    String::from_utf8(listed.stdout).unwrap().lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn no_sql_and_no_handlers_are_in_the_module() {
    let full = crates(&[]);
    assert!(full.contains("serval-engine") && full.contains("serval-net-engine") && full.contains("serval-tso-engine"), "{full:?}");
    for absent in ["serval-sql", "serval-mine", "serval-replay", "serval-handlers", "serval-script", "serval-cli", "serval-memory", "clap"]
    {
        assert!(!full.contains(absent), "{absent} is in the module");
    }
    assert!(!full.iter().any(|name| name.starts_with("oxc")), "{full:?}");
    let programs = crates(&["--no-default-features"]);
    for absent in ["serval-net-export", "serval-tso-engine"] {
        assert!(!programs.contains(absent), "{absent} is in the module for programs alone");
    }
}
