//! Reasons name the cause: programs written from descriptions of working life,
//! with what the report says about each, and that what it says is true.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use serval_effort::side_by_side;

use crate::support::{self, root, text};

fn programs() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("crates/product/cli/tests/why")).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "ser"));
    files.sort();
    files
}

fn counterexample(path: &Path) -> Value {
    let output = support::serval(&["check", "--format", "json", "--no-times", "--no-fix", "-q", path.to_str().unwrap()], b"");
    let report: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    report["counterexample"].clone()
}

/// `SERVAL_BLESS=1` writes what is said now.
#[test]
fn reasons_are_what_they_were() {
    let wrong = side_by_side(&programs(), |path| {
        let output = support::serval(&["check", "--no-fix", "-q", path.to_str().unwrap()], b"");
        let said = text(&output.stdout).replace(root().to_str().unwrap(), "");
        let kept = path.with_extension("ser.txt");
        if std::env::var_os("SERVAL_BLESS").is_some() {
            fs::write(&kept, &said).unwrap();
        }
        let known = fs::read_to_string(&kept).unwrap_or_default();
        (known != said).then(|| format!("{}:\n{said}", path.display()))
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The read that decides is in the circle, in the excerpt and in the nearest order, and the name is the promised one.
#[test]
fn reasons_name_the_read_that_decides() {
    let deciding = [
        ("account-deletion", "Alive", "check-then-act"),
        ("cart-merge", "Cart", "lost-update"),
        ("cron-leader", "DoneToday", "check-then-act"),
        ("job-queue", "Queue[0]", "check-then-act"),
        ("seat-hold", "Seat[10]", "check-then-act"),
        ("statistics", "Voucher", "check-then-act"),
        ("unread-reset", "Messages", "write-skew"),
        ("username", "Owner", "check-then-act"),
        ("void-or-capture", "Payment", "check-then-act"),
        ("wallet", "Wallet", "check-then-act"),
        ("webhook", "Processed", "check-then-act"),
        ("webhook-balance", "Processed", "check-then-act"),
    ];
    assert_eq!(programs().len(), deciding.len());
    let wrong = side_by_side(&deciding, |(name, variable, anomaly)| {
        let found = counterexample(&root().join(format!("crates/product/cli/tests/why/{name}.ser")));
        let circle = found["why"]["circle"].as_array().unwrap();
        let reads = circle.iter().any(|edge| edge["var"] == *variable && edge["first"]["writes"] == false);
        let ends = found["why"]["nearest"]["answers"].as_array().is_some_and(|answers| !answers.is_empty());
        (found["anomaly"] != *anomaly || !reads || !ends).then(|| format!("{name}: {}", found["why"]))
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
