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

/// What is said of a run that is not strict, in every form: when requests come, what was in time and which orders are
/// left.
#[test]
fn a_stale_answer_is_shown_in_every_form() {
    let path = support::root().join("examples/cache-fill-after-put.ser");
    let path = path.to_str().unwrap();
    let shown = |format: &str| {
        let output = support::serval(&["check", "--strict", "--no-times", "--no-fix", "--format", format, path], b"");
        assert_eq!(output.status.code(), Some(1), "{format}");
        support::text(&output.stdout)
    };
    let came = "#3 came after #2 had answered, but answered as if #2 had not been.";
    let why = "#3 read Cache = 1, which #1 wrote, and #1 read Database before #2 wrote it.";
    let brought_back = "<- brings back what another request has replaced";
    for (format, wanted) in [
        ("text", &[came, why, brought_back, "comes", "#1 then #2 then #3 gives 1, 2, 2", "without clock"][..]),
        ("markdown", &[came, why, brought_back, "not strict: stale read", "sequenceDiagram"]),
        ("github", &[came, "title=not strict%3A stale read", "no order in time gives"]),
        ("sarif", &["\"ruleId\": \"stale-read\"", "a run that no order in time explains"]),
        ("json", &["\"verdict\":\"not-strict\"", "\"precedence\":[[2,3]]", "\"anomaly\":\"stale-read\""]),
    ] {
        let text = shown(format);
        wanted.iter().for_each(|wanted| assert!(text.contains(wanted), "{format}: {wanted}\n{text}"));
    }
    // An arrow from the answer to what came after it, and the orders that are left as a table.
    let directory = support::directory("in-time-page");
    let (page, picture) = (directory.join("page.html"), directory.join("run.svg"));
    let options = ["--html", page.to_str().unwrap(), "--svg", picture.to_str().unwrap()];
    support::serval(&[&["check", "--strict", "-q", "--no-times", path], &options[..]].concat(), b"");
    let (page, picture) = (std::fs::read_to_string(page).unwrap(), std::fs::read_to_string(picture).unwrap());
    for text in [&page, &picture] {
        assert!(text.contains("<g class=\"arrow time\"><title>#2 had answered when #3 came</title>"), "{text}");
        assert!(text.contains("id=\"head-time\""), "{text}");
    }
    for wanted in [came, why, "#1 then #2 then #3", "Without the clock", "What is a stale read?"] {
        assert!(page.contains(wanted), "{wanted}\n{page}");
    }
}

/// Orders that are left have answers of the input, which are shown as all names are.
#[test]
fn answers_of_orders_that_are_left_are_escaped() {
    let path = support::root().join("examples/cache-fill-after-put.ser");
    let output = support::serval(&["export", "--to", "ns", path.to_str().unwrap()], b"");
    let mut system: Value = serde_json::from_str(&support::text(&output.stdout)).unwrap();
    for answer in system["responses"].as_array_mut().unwrap() {
        answer[1] = format!("{}\u{1b}[31m\n<b>", answer[1].as_str().unwrap()).into();
    }
    for format in ["text", "markdown", "github"] {
        let arguments = ["check", "-", "--input", "json", "--strict", "--no-times", "--format", format];
        let output = support::serval(&arguments, system.to_string().as_bytes());
        assert_eq!(output.status.code(), Some(1), "{}", support::text(&output.stderr));
        let said = support::text(&output.stdout);
        assert!(!said.contains('\u{1b}') && !said.contains("\n<b>"), "{format}: {said}");
        assert!(format == "github" || said.contains("orders left"), "{said}");
    }
}
