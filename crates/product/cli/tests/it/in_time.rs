//! The order in time: what all examples are, and what the checker says of the evidence.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;
use serval_effort::side_by_side;

use crate::support;

/// The serializable examples that are not strict, with the requests of the smallest run. All others are strict.
const NOT_STRICT: [(&str, u64); 3] = [("cache-fill-after-put.ser", 3), ("sharded-counters.ser", 3), ("stateful-firewall.ser", 3)];

fn examples() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(support::root().join("examples")).unwrap();
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|end| end == "ser")).collect();
    files.sort();
    files
}

fn report(path: &str, option: &str) -> (Value, Option<i32>) {
    let output = support::serval(&["check", "--format", "json", "--no-fix", "--no-cache", "-q", option, path], b"");
    (serde_json::from_str(&support::text(&output.stdout)).unwrap(), output.status.code())
}

#[test]
fn every_example_is_strict_but_these() {
    let told = side_by_side(&examples(), |path| {
        let begun = Instant::now();
        let (strict, status) = report(path.to_str().unwrap(), "--strict");
        assert!(begun.elapsed() < Duration::from_secs(10), "{}", path.display());
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let (plain, _) = report(path.to_str().unwrap(), "--no-times");
        let known = NOT_STRICT.iter().find(|(known, _)| *known == name);
        match (plain["verdict"].as_str().unwrap(), known) {
            ("serializable", Some(&(_, requests))) => {
                assert_eq!((strict["verdict"].as_str(), status), (Some("not-strict"), Some(1)), "{name}");
                assert_eq!(strict["counterexample"]["requests"].as_array().unwrap().len() as u64, requests, "{name}");
                assert_eq!(strict["strict"]["holds"], false, "{name}");
                assert!(!strict["counterexample"]["precedence"].as_array().unwrap().is_empty(), "{name}");
                // The quick look sees it.
                assert_eq!(plain["strict"]["requests"], requests, "{name}");
            }
            ("serializable", None) => {
                assert_eq!((strict["verdict"].as_str(), status), (Some("strict"), Some(0)), "{name}");
                assert_eq!(strict["strict"]["holds"], true, "{name}");
                assert_eq!(plain["strict"].get("requests"), None, "{name}");
            }
            (verdict, _) => assert_eq!(strict["verdict"], verdict, "{name}"),
        }
        plain["verdict"] == "serializable"
    });
    assert!(told.iter().filter(|&&serializable| serializable).count() > 40);
}

/// Evidence about the order in time is accepted by the program that checks certificates, for the claim that it makes.
#[test]
fn evidence_about_the_order_in_time_is_verified() {
    let directory = support::directory("in-time");
    for (name, says) in [
        ("examples/counter.ser", "is strict (a reduction"),
        ("examples/cache-fill-after-put.ser", "is not strict (a run of 3 requests"),
        ("docs/src/green-in-time.ser", "is strict ("),
    ] {
        let path = support::root().join(name);
        let certificate = directory.join("certificate.json");
        let (path, certificate) = (path.to_str().unwrap(), certificate.to_str().unwrap());
        support::serval(&["check", "--strict", "-q", "--no-fix", "--no-cache", "--certificate", certificate, path], b"");
        let output = support::serval(&["verify", path, certificate], b"");
        let said = support::text(&output.stdout);
        assert!(output.status.success() && said.contains(says), "{said}{}", support::text(&output.stderr));
        // Another claim of the same evidence is another certificate: a proof of counting is none for this one.
        let text = std::fs::read_to_string(certificate).unwrap();
        let turned = text
            .replace("\"claim\":\"strict\"", "\"claim\":\"not-strict\"")
            .replace("\"claim\":\"not-strict\",\"component\"", "\"claim\":\"not-serializable\",\"component\"");
        std::fs::write(certificate, turned).unwrap();
        assert_eq!(support::serval(&["verify", path, certificate], b"").status.code(), Some(1), "{name}");
    }
}

/// A fix is strict, and what may not be removed stays.
#[test]
fn fixes_are_strict() {
    let path = support::root().join("examples/cache-fill-after-put.ser");
    let path = path.to_str().unwrap();
    let fixed = |options: &[&str]| {
        let output = support::serval(&[&["fix", path, "--strict", "--format", "json"], options].concat(), b"");
        (serde_json::from_str::<Value>(&support::text(&output.stdout)).unwrap(), output.status.code())
    };
    let (report, status) = fixed(&[]);
    assert_eq!((report["verdict"].as_str(), report["fix"].as_str(), status), (Some("not-strict"), Some("found"), Some(0)));
    assert_eq!(report["fixes"].as_array().unwrap().len(), 1);
    let (kept, status) = fixed(&["--keep", "18"]);
    assert_eq!((kept["fix"].as_str(), status), (Some("none"), Some(1)), "{kept}");
    let strict = support::root().join("docs/src/green-in-time.ser");
    let output = support::serval(&["fix", strict.to_str().unwrap(), "--strict"], b"");
    assert!(support::text(&output.stdout).starts_with("strict  "), "{}", support::text(&output.stdout));
}
