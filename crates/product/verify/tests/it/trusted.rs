//! What has to be trusted is small.

use std::collections::BTreeSet;
use std::process::Command;

#[test]
fn the_verifier_depends_on_no_engine() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let tree = Command::new(cargo)
        .args(["tree", "--package", "serval-verify", "--edges", "normal", "--prefix", "none", "--format", "{p}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let text = String::from_utf8(tree.stdout).unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let crates: BTreeSet<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let ours: Vec<&str> = crates.iter().copied().filter(|name| name.starts_with("serval")).collect();
    assert_eq!(
        ours,
        [
            "serval-budget",
            "serval-case-proof",
            "serval-compile",
            "serval-diagnostic",
            "serval-evidence",
            "serval-linear",
            "serval-lipton-proof",
            "serval-model",
            "serval-net-proof",
            "serval-petri",
            "serval-proof",
            "serval-sql",
            "serval-syntax",
            "serval-tso-program",
            "serval-tso-proof",
            "serval-verify"
        ]
    );
    for other in ["clap", "annotate-snippets", "rayon", "tokio"] {
        assert!(!crates.contains(other), "{other}");
    }
}

#[test]
fn the_checker_depends_on_the_model_and_on_arithmetic_only() {
    let manifest = std::fs::read_to_string(crate::support::root().join("crates/requests/proof/Cargo.toml")).unwrap();
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap().lines().skip(1).take_while(|line| !line.is_empty());
    let dependencies: Vec<&str> = dependencies.collect();
    let expected =
        ["rustc-hash", "serde", "serde_json", "serval-budget", "serval-diagnostic", "serval-evidence", "serval-linear", "serval-model"];
    assert_eq!(dependencies, expected.map(|name| format!("{name}.workspace = true")));
}

#[test]
fn the_checker_for_nets_depends_on_nets_and_on_arithmetic_only() {
    let manifest = std::fs::read_to_string(crate::support::root().join("crates/nets/proof/Cargo.toml")).unwrap();
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap().lines().skip(1).take_while(|line| !line.is_empty());
    let dependencies: Vec<&str> = dependencies.collect();
    let expected = ["serde", "serval-budget", "serval-diagnostic", "serval-evidence", "serval-linear", "serval-petri"];
    assert_eq!(dependencies, expected.map(|name| format!("{name}.workspace = true")));
}
