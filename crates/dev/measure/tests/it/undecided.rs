//! Inputs that were undecided at some time: none is decided wrongly, and those
//! that are decided by now stay decided.

use serval_effort::{side_by_side, skips};
use serval_measure::undecided::{entries, settle};
use serval_soundness::Limit;
use serval_testkit::say;

/// For one input: looks at the flag, which are the same on every machine.
const LIMIT: Limit = Limit::Looks(3_000_000);
/// Every so many-th input is tried here; the program `undecided known` tries all.
const EVERY: usize = 7;
/// Inputs that are decided within the limit by now, and have to stay so.
const DECIDED: &[&str] =
    &["handlers 1534", "shared 3458", "border 15", "border 1007", "border 3453", "handlers 4294968536", "border 4294970363"];

#[test]
fn what_was_undecided_is_decided_rightly() {
    if skips("bench.undecided") {
        return;
    }
    let entries = entries().unwrap();
    let should = |name: &str| DECIDED.contains(&name);
    let chosen: Vec<_> = entries.iter().enumerate().filter(|(number, entry)| should(&entry.name) || number % EVERY == 0).collect();
    let decided = side_by_side(&chosen, |(_, entry)| {
        let settled = settle(&entry.input, LIMIT).unwrap_or_else(|why| panic!("{}: {why}", entry.name));
        if let (Some(ours), Some(known)) = (settled.serializable, entry.serializable) {
            assert_eq!(ours, known, "{}", entry.name);
        }
        assert!(!should(&entry.name) || settled.serializable.is_some(), "{} is undecided again", entry.name);
        settled.serializable.map(|_| entry.name.as_str())
    });
    let (tried, decided) = (decided.len(), decided.into_iter().flatten().collect::<Vec<_>>());
    for name in DECIDED {
        assert!(entries.iter().any(|entry| entry.name == *name), "{name} is not in the file");
    }
    say(&format!("undecided: of {tried} that were undecided at some time {} are decided: {}", decided.len(), decided.join(", ")));
}
