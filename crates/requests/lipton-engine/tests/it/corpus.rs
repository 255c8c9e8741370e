//! The examples and the published suite: what is proved is serializable, and what was proved once is proved still.

use std::path::Path;

use serval_budget::Budget;
use serval_compile::{Options, Prepared};
use serval_effort::{side_by_side, skips};
use serval_lipton_engine::prove;
use serval_proof::Refusal;
use serval_testkit::suite::data_dir;

/// Whether a program is proved and the proof accepted.
fn proved(text: &str) -> bool {
    let program = serval_syntax::analyze(text).program.unwrap();
    let prepared = Prepared::new(&program, Options::default());
    let Ok(found) = prove(&prepared, &mut Budget::ticks(50_000_000)) else { return false };
    let checked: Result<(), Refusal<()>> = serval_lipton_proof::check(&prepared, &found.reduction, &mut Budget::ticks(50_000_000));
    assert_eq!(checked, Ok(()), "{text}");
    // What is said of it in words has a commit for each request that can end.
    let words = serval_lipton_proof::words::<()>(&prepared, &found.reduction, &mut Budget::ticks(50_000_000)).unwrap();
    assert!(!words.points.is_empty());
    true
}

/// Programs of a folder, by name.
fn programs(folder: &Path) -> Vec<(String, String)> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut programs: Vec<(String, String)> = files
        .filter(|file| file.extension().is_some_and(|extension| extension == "ser"))
        .map(|file| (file.file_stem().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(&file).unwrap()))
        .collect();
    programs.sort();
    programs
}

#[test]
fn examples() {
    if skips("lipton.examples") {
        return;
    }
    let open = [
        "auction-checked",
        "cache-fill-after-put",
        "connection-pool",
        "entity-tags",
        "fencing-token",
        "leader-election",
        "lock-by-owner",
        "lru-cache-versioned",
        "money-at-rest",
        "one-leader",
        "seat-for-one",
        "sharded-counters",
        "stateful-firewall",
        "stock-never-negative",
        "stock-reservation-retries",
        "ticket-lock",
        "wiki-revisions",
    ];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples");
    side_by_side(&programs(&folder), |(name, text)| {
        let serializable = text.starts_with("// expect: serializable");
        assert_eq!(proved(text), serializable && !open.contains(&name.as_str()), "{name}");
    });
}

#[test]
fn suite() {
    if skips("lipton.suite") {
        return;
    }
    let Some(folder) = data_dir("suite") else { return };
    let expected = std::fs::read_to_string(folder.join("expected.csv")).unwrap();
    side_by_side(&programs(&folder), |(name, text)| {
        let serializable = expected.lines().any(|line| line.starts_with(&format!("{name}.ser,serializable,")));
        assert_eq!(proved(text), serializable && !["e6", "f9"].contains(&name.as_str()), "{name}");
    });
}
