//! Programs that can fail: verdict, status, evidence, and what it takes.

use serde_json::Value;

use crate::schema;
use crate::support::{directory, serval, text};

/// Two requests that see the last coin.
const RACE: &str = "var Coins: 0..1 := 1\nrequest take {\n  if (Coins > 0) { yield; Coins := Coins - 1; 1 } else { 0 }\n}\n";

fn report(program: &str) -> (Value, Option<i32>) {
    let output = serval(&["check", "-", "--input", "ser", "--format", "json", "--no-times"], program.as_bytes());
    (serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}")), output.status.code())
}

#[test]
fn what_can_fail_has_one_verdict_and_says_what_it_takes() {
    let cases: &[(&str, &str, i32, &str)] = &[
        (RACE, "fault", 1, "overlap"),
        // Each kind of failure, by a race.
        ("var D: 0..1 := 1\nrequest a { if (D > 0) { yield; 10 / D } else { 0 } }\nrequest b { D := 0 }", "fault", 1, "overlap"),
        (
            "var A[0..1]: 0..1\nvar I: 0..1\nrequest a { if (I == 0) { I := 1; yield; I := 0 } } request b { A[I + I] := 1 }",
            "fault",
            1,
            "overlap",
        ),
        (
            "M := 9223372036854775807, D := 0\nrequest a { D := 1; yield; D := 0 }\nrequest b { if (M + D > 0) { 1 } }",
            "fault",
            1,
            "overlap",
        ),
        // No race is needed.
        ("var N: 0..2\nrequest hit { N := N + 1; 0 }", "fault", 1, "one-at-a-time"),
        ("var X: 0..2\nrequest div(d: 0..2) { X := 2 / d; X }", "fault", 1, "one-request"),
        ("var X: 0..1\nrequest pick { X := ? + ?; X }", "fault", 1, "one-request"),
        // A mistake: one request does it, whatever happens.
        ("var X: 0..2\nrequest set { X := 7; X }", "error", 2, ""),
        ("request r { X := 1 / X; 0 }", "error", 2, ""),
        ("var N: 0..2 := 2\nrequest hit { N := N + 1; 0 }", "error", 2, ""),
        // Whatever the ranges.
        ("var N: 0..3000\nrequest hit { if (N < 3000) { yield; N := N + 1 }; 0 }", "fault", 1, "overlap"),
        ("var N: 0..60\nrequest hit { N := N + 1; yield; N := N - 1; 0 }", "fault", 1, "overlap"),
    ];
    let schema: Value = serde_json::from_str(include_str!("../../../../../docs/check.schema.json")).unwrap();
    for (program, verdict, status, needs) in cases {
        let (report, code) = report(program);
        assert_eq!((report["verdict"].as_str(), code), (Some(*verdict), Some(*status)), "{program}: {report}");
        assert_eq!(report["fault"]["needs"].as_str().unwrap_or_default(), *needs, "{program}");
        assert_eq!(report["certificate"]["kind"].as_str(), (*status == 1).then_some("fault"), "{program}");
        schema::fits(&report, &schema, &schema, program);
    }
}

#[test]
fn the_checker_replays_the_run() {
    let directory = directory("fault");
    let (program, certificate) = (directory.join("coins.ser"), directory.join("coins.json"));
    std::fs::write(&program, RACE).unwrap();
    let [program, certificate] = [program.to_str().unwrap(), certificate.to_str().unwrap()];
    let output = serval(&["check", program, "--certificate", certificate, "--no-times"], b"");
    assert_eq!(output.status.code(), Some(1));
    let shown = text(&output.stdout);
    assert!(shown.starts_with("can fail  ") && shown.contains("leaves the range 0..1 of `Coins`   2 requests\n"), "{shown}");
    assert!(shown.contains("  then fails      #2 take on line 3: the value -1 leaves the range 0..1 of `Coins`\n"), "{shown}");
    assert!(shown.contains("  needs           requests that run one at a time never do this"), "{shown}");
    let verified = serval(&["verify", program, certificate], b"");
    assert_eq!(verified.status.code(), Some(0));
    assert!(text(&verified.stdout).contains("can fail (range after a run of 2 requests in 6 events)"), "{verified:?}");
    // What it says of another failure, or of a run that stops before it, is refused.
    let written = std::fs::read_to_string(certificate).unwrap();
    for (from, to, condition) in [("\"range\"", "\"index\"", "fault.kind"), ("\"fails\":{\"id\":2", "\"fails\":{\"id\":1", "fault.thread")]
    {
        assert!(written.contains(from), "{written}");
        std::fs::write(certificate, written.replace(from, to)).unwrap();
        let refused = serval(&["verify", program, certificate], b"");
        assert_eq!(refused.status.code(), Some(1), "{from}");
        assert!(text(&refused.stdout).contains(condition), "{refused:?}");
    }
}

#[test]
fn a_failure_that_takes_many_requests_is_shown() {
    let doubled = "N := 1\nrequest d { n := N; yield; N := n + n; 0 }\nrequest g { N }";
    let (report, code) = report(doubled);
    assert_eq!((report["verdict"].as_str(), code), (Some("fault"), Some(1)), "{report}");
    assert_eq!((report["certificate"]["kind"].as_str(), report["fault"]["needs"].as_str()), (Some("fault"), Some("one-at-a-time")));
    assert_eq!(report["fault"]["requests"].as_array().map(Vec::len), Some(63));
    assert_eq!(report["fault"]["at_once"].as_u64(), Some(1));
    let shown = serval(&["check", "-", "--input", "ser", "--no-times"], doubled.as_bytes());
    assert!(text(&shown.stdout).contains("  takes           63 requests in all, at most 1 at a time\n"), "{shown:?}");
    let race = serval(&["check", "-", "--input", "ser", "--no-times"], RACE.as_bytes());
    assert!(text(&race.stdout).contains("  takes           2 requests in all, at most 2 at a time\n"), "{race:?}");
}

#[test]
fn other_formats_have_a_place_for_it() {
    let call = |format: &str| serval(&["check", "-", "--input", "ser", "--format", format, "--no-times"], RACE.as_bytes());
    let log: Value = serde_json::from_slice(&call("sarif").stdout).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!((result["ruleId"].as_str(), result["level"].as_str()), (Some("fault"), Some("error")));
    let flow = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
    assert!(flow.last().unwrap()["location"]["message"]["text"].as_str().unwrap().ends_with(" fails"), "{flow:?}");
    let annotation = text(&call("github").stdout);
    assert!(annotation.contains("title=can fail::take fails: the value -1 leaves the range 0..1 of `Coins`; "), "{annotation}");
    assert!(text(&call("markdown").stdout).starts_with("## ") && text(&call("markdown").stdout).contains(": can fail\n"));
}

#[test]
fn a_header_can_promise_it() {
    for word in ["fault", "can fail", "can-fail"] {
        let right = serval(&["check", "-", "--input", "ser"], format!("// expect: {word}\n{RACE}").as_bytes());
        assert!(text(&right.stderr).is_empty(), "{right:?}");
    }
    let wrong = serval(&["check", "-", "--input", "ser"], format!("// expect: serializable\n{RACE}").as_bytes());
    assert!(text(&wrong.stderr).contains("header"), "{wrong:?}");
}

#[test]
fn a_race_that_fails_can_be_fixed_and_a_failure_alone_cannot() {
    let call = |program: &str, more: &[&str]| {
        let mut arguments = vec!["fix", "-", "--input", "ser"];
        arguments.extend(more);
        serval(&arguments, program.as_bytes())
    };
    let output = call(RACE, &[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let told = text(&output.stdout);
    let first = "can fail  <stdin>   the value -1 leaves the range 0..1 of `Coins`   3 fixes, the first 2 of which keep every pause\n";
    assert!(told.starts_with(first), "{told}");
    assert!(told.contains(", without the yield on line 3 (take): then serializable, proved\n"), "{told}");
    let report: Value = serde_json::from_slice(&call(RACE, &["--format", "json"]).stdout).unwrap();
    assert_eq!((report["verdict"].as_str(), report["fix"].as_str()), (Some("fault"), Some("found")), "{report}");
    let locked = call(RACE, &["--lock", "M"]);
    assert!(locked.status.code() == Some(0) && text(&locked.stdout).contains("run take under the lock M: then serializable"), "{locked:?}");
    for (program, why) in [
        ("var N: 0..2\nrequest hit { N := N + 1; yield; 0 }", "requests that run one at a time can fail, too: no race is needed"),
        ("var X: 0..2\nrequest div(d: 0..2) { yield; X := 2 / d; X }", "one request alone can fail, which has nothing to do with others"),
        (
            "var C: 0..1 := 1\nrequest take { if (C > 0) { T := 0; await (T == 1); C := C - 1; 1 } else { 0 } }\n\
             request set { T := 1; 0 }",
            "no fix: there is no `yield` to remove",
        ),
    ] {
        let output = call(program, &[]);
        assert!(output.status.code() == Some(1) && text(&output.stdout).contains(why), "{output:?}");
    }
    // A mistake in the program is still one.
    assert_eq!(call("var X: 0..2\nrequest set { X := 7; X }", &[]).status.code(), Some(2));
}

/// A program that is not serializable either shows both runs, in the same layout as alone, and machines find the code.
#[test]
fn what_is_not_serializable_can_fail_too() {
    let program = "var N: 0..2\nrequest inc { seen := N; yield; N := seen + 1; seen }\n";
    let output = serval(&["check", "-", "--input", "ser", "--no-times", "--no-fix"], program.as_bytes());
    let shown = text(&output.stdout);
    assert!(output.status.code() == Some(1) && shown.starts_with("not serializable  "), "{shown}");
    let (_, also) = shown.split_once("\n  can fail, too   the value 3 leaves the range 0..2 of `N`\n").unwrap();
    for part in
        ["  step | inc #1", "  then fails      #3 inc on line 2: ", "  needs           requests that run one at a time can do this, too"]
    {
        assert!(also.contains(part), "{part}: {shown}");
    }
    assert!(!text(&output.stderr).contains("error["), "{output:?}");
    let (report, _) = report(program);
    let notes = report["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note["code"] == "E0308" && note["severity"] == "error"), "{report}");
}

/// A table with a thousand rows has its beginning and its end.
#[test]
fn the_table_of_a_long_run_is_short() {
    let program = "var N: 0..300\nrequest hit { N := N + 1; 0 }";
    let output = serval(&["check", "-", "--input", "ser", "--no-times"], program.as_bytes());
    let shown = text(&output.stdout);
    assert!(shown.lines().count() < 130 && shown.contains("276 more steps like these") && shown.contains("#300 returns 0"), "{shown}");
}
