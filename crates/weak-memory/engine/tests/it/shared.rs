//! Every program of the collection has the verdicts that are written beside it, each with evidence that the checker
//! accepts.

use std::collections::BTreeMap;

use serval_budget::Budget;
use serval_effort::{side_by_side, skips};
use serval_testkit::suite::data_dir;
use serval_tso_engine::{AnyOutcome, EngineLimits, Fixed, decide, decide_any, fix};

fn word(reachable: Option<bool>) -> &'static str {
    match reachable {
        Some(true) => "reachable",
        Some(false) => "unreachable",
        None => "unknown",
    }
}

#[test]
fn every_verdict_is_right_and_checked() {
    if skips("tsoengine.shared") {
        return;
    }
    let Some(directory) = data_dir("tso") else { return };
    let table = std::fs::read_to_string(directory.join("expected.csv")).unwrap();
    let rows: Vec<&str> = table.lines().skip(1).collect();
    assert_eq!(rows.len(), 25);
    side_by_side(&rows, |row| {
        let cells: Vec<&str> = row.split(',').collect();
        let [file, sc, tso, robust, fences] = cells[..5] else { panic!("{row}") };
        let text = std::fs::read_to_string(directory.join(file)).unwrap();
        let program = serval_tso_program::read(&text).unwrap_or_else(|wrong| panic!("{file}: {wrong:?}"));
        let limits = EngineLimits { states: 100_000, buffer: 8, ..EngineLimits::default() };
        if !program.many().is_empty() {
            let mut certificate = serval_tso_proof::Certificate::new(&program);
            match decide_any(&program, &limits, &mut Budget::unlimited()) {
                AnyOutcome::Robust(found) => certificate.any = Some(found),
                AnyOutcome::Violated(copies, violation) => (certificate.copies, certificate.violation) = (Some(copies), Some(violation)),
                other => panic!("{file}: {other:?}"),
            }
            let shown = certificate.check(&program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{file}: {refusal}"));
            assert_eq!(shown.robust, Some(robust == "yes"), "{file}");
            // The table says how many copies a violation needs.
            let needed = row.rsplit("copies 1-3: ").next().unwrap().split(' ').position(|word| word == "not").map(|at| at + 1);
            assert_eq!(certificate.copies.map(|copies| copies as usize), needed, "{file}");
            return;
        }
        let outcome = decide(&program, &limits, &mut Budget::unlimited()).unwrap_or_else(|fault| panic!("{file}: {fault:?}"));
        let shown = outcome.certificate.check(&program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{file}: {refusal}"));
        let found: BTreeMap<&str, &str> = BTreeMap::from([
            ("sc", word(shown.sc[0])),
            ("tso", word(shown.tso[0])),
            ("robust", shown.robust.map_or("unknown", |robust| if robust { "yes" } else { "no" })),
        ]);
        for (column, expected) in [("sc", sc), ("tso", tso), ("robust", robust)] {
            assert_eq!(found[column], expected, "{file}: {column}");
        }
        let mut certificate = outcome.certificate.clone();
        match fix(&program, &limits, &mut Budget::unlimited()) {
            Ok(Fixed::Fences(found)) => {
                assert_eq!(found.places().len().to_string(), fences, "{file}: fences");
                certificate.fences = Some(found);
            }
            other => panic!("{file}: {other:?}"),
        }
        let again = serval_tso_proof::Certificate::from_json(&certificate.to_json()).unwrap();
        assert_eq!(again, certificate);
        let shown = again.check(&program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{file}: {refusal}"));
        assert_eq!(shown.fences.unwrap().sets[0].len().to_string(), fences);
    });
}
