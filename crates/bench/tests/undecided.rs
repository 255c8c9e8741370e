//! Inputs that were undecided at some time: none is decided wrongly, and those
//! that are decided by now stay decided.

use serval_bench::undecided::{entries, settle};
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
    let entries = entries().unwrap();
    let (mut tried, mut decided) = (0, Vec::new());
    for (number, entry) in entries.iter().enumerate() {
        let should = DECIDED.contains(&entry.name.as_str());
        if !should && number % EVERY != 0 {
            continue;
        }
        let settled = settle(&entry.input, LIMIT).unwrap_or_else(|why| panic!("{}: {why}", entry.name));
        if let (Some(ours), Some(known)) = (settled.serializable, entry.serializable) {
            assert_eq!(ours, known, "{}", entry.name);
        }
        assert!(!should || settled.serializable.is_some(), "{} is undecided again", entry.name);
        tried += 1;
        if settled.serializable.is_some() {
            decided.push(entry.name.as_str());
        }
    }
    for name in DECIDED {
        assert!(entries.iter().any(|entry| entry.name == *name), "{name} is not in the file");
    }
    say(&format!("undecided: of {tried} that were undecided at some time {} are decided: {}", decided.len(), decided.join(", ")));
}
