//! `serval check`: verdicts, formats, limits.

use std::process::Command;

use serde_json::Value;
use serval_effort::skips;
use serval_families::Family;
use serval_testkit::say;
use serval_testkit::suite::data_dir;

use crate::schema;
use crate::support::{self, directory, serval, text};

/// The reports that a call writes.
fn reports(arguments: &[&str], input: &[u8]) -> (Vec<Value>, Option<i32>) {
    let arguments = [&["check", "--format", "json"], arguments].concat();
    let output = serval(&arguments, input);
    let lines = text(&output.stdout);
    let reports = lines.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect();
    (reports, output.status.code())
}

/// The one report about a program given on standard input.
fn report(program: &str, more: &[&str]) -> (Value, Option<i32>) {
    let arguments = [&["-", "--input", "ser"], more].concat();
    let (mut reports, status) = reports(&arguments, program.as_bytes());
    assert_eq!(reports.len(), 1);
    (reports.remove(0), status)
}

fn family(name: &str, n: usize) -> String {
    Family::named(name).unwrap().program(n)
}

#[test]
fn the_suite_is_decided_as_published() {
    let Some(suite) = data_dir("suite") else { return };
    let expected = std::fs::read_to_string(suite.join("expected.csv")).unwrap();
    let (reports, status) = reports(&[suite.to_str().unwrap()], b"");
    assert_eq!(status, Some(1));
    let mut methods: std::collections::BTreeMap<String, u32> = std::collections::BTreeMap::new();
    for line in expected.lines().skip(1) {
        let mut fields = line.split(',');
        let (file, verdict) = (fields.next().unwrap(), fields.next().unwrap());
        let report = reports.iter().find(|report| report["file"].as_str().unwrap().ends_with(&format!("/{file}"))).unwrap();
        assert_eq!(report["verdict"], verdict, "{file}");
        assert_eq!(report["certificate"]["verified"], true, "{file}");
        if verdict == "not-serializable" {
            assert_eq!(report["counterexample"]["minimal"], true, "{file}");
        }
        *methods.entry(report["method"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    say(&format!("suite: {} decided as published, with checked evidence, by {methods:?}", reports.len()));
    assert_eq!(reports.len(), 47);
}

#[test]
fn the_suite_is_decided_without_reductions_and_without_search() {
    if skips("cli.suite-without-reductions") {
        return;
    }
    let Some(suite) = data_dir("suite") else { return };
    let expected = std::fs::read_to_string(suite.join("expected.csv")).unwrap();
    let arguments = ["check", suite.to_str().unwrap(), "--format", "json", "--method", "flow,bounded", "--timeout", "3600"];
    let output = serval(&arguments, b"");
    let mut decided = 0;
    for (report, line) in text(&output.stdout).lines().zip(expected.lines().skip(1)) {
        let report: Value = serde_json::from_str(report).unwrap();
        let mut fields = line.split(',');
        let (file, verdict) = (fields.next().unwrap(), fields.next().unwrap());
        assert!(report["file"].as_str().unwrap().ends_with(file), "{file}");
        assert_eq!(report["verdict"], verdict, "{file}");
        decided += 1;
    }
    assert_eq!(decided, 47);
}

#[test]
fn examples_are_decided_as_their_headers_say_and_fit_the_schema() {
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(support::root().join("docs/check.schema.json")).unwrap()).unwrap();
    let (reports, status) = reports(&["examples"], b"");
    assert_eq!(status, Some(1));
    for report in &reports {
        let file = report["file"].as_str().unwrap();
        schema::fits(report, &schema, &schema, file);
        let text = std::fs::read_to_string(support::root().join(file)).unwrap();
        let promised = text.lines().next().and_then(|line| line.strip_prefix("// expect: "));
        let promised = promised.map(|words| if words == "can fail" { "fault" } else { words.split(' ').next().unwrap_or(words) });
        let system = if file.ends_with("dhcp-lease.json") { "not-serializable" } else { "serializable" };
        assert_eq!(report["verdict"], promised.unwrap_or(system), "{file}");
    }
    assert!(reports.len() > 50);
}

#[test]
fn counterexamples_are_complete_runs_with_the_real_values() {
    // LOG is dropped by the compiler, and `old` is dead when it is shown.
    let program = "request a { old := X; LOG := old + 7; yield; X := (old + 1) % 5; X }";
    let (report, status) = report(program, &[]);
    assert_eq!(status, Some(1));
    let run = &report["counterexample"];
    let steps = run["steps"].as_array().unwrap();
    let kinds = |kind: &str| steps.iter().filter(|step| step["kind"] == kind).count();
    assert_eq!((kinds("spawn"), kinds("step"), kinds("respond")), (2, 4, 2));
    let writes: Vec<&Value> =
        steps.iter().flat_map(|step| step["accesses"].as_array().into_iter().flatten()).filter(|access| access["op"] == "write").collect();
    assert!(writes.iter().any(|access| access["var"] == "LOG" && access["value"] == 7), "{writes:?}");
    assert_eq!(run["states"]["X=1"], serde_json::json!({"X": 1, "LOG": 7}));
    assert_eq!(run["states"]["a@start"]["vars"], serde_json::json!({"old": 0}));
}

#[test]
fn certificates_and_traces_are_saved_and_accepted() {
    let directory = directory("evidence");
    let (certificate, trace) = (directory.join("c.json"), directory.join("t.json"));
    let (certificate, trace) = (certificate.to_str().unwrap(), trace.to_str().unwrap());
    let file = "examples/doctors-on-call.ser";
    let check = serval(&["check", file, "--certificate", certificate, "--trace", trace], b"");
    assert_eq!(check.status.code(), Some(1), "{}", text(&check.stderr));
    assert!(text(&check.stdout).contains(certificate));
    assert_eq!(serval(&["verify", file, certificate], b"").status.code(), Some(0));
    assert_eq!(serval(&["verify", "examples/lost-update.ser", certificate], b"").status.code(), Some(1));
    assert_eq!(serval(&["verify", file, file], b"").status.code(), Some(2));
    assert_eq!(serval(&["run", file, "--replay", trace], b"").status.code(), Some(0));
    let both = directory.join("both");
    let several = serval(&["check", file, "examples/lost-update.ser", "--certificate", both.to_str().unwrap()], b"");
    assert_eq!(several.status.code(), Some(1));
    assert_eq!(std::fs::read_dir(&both).unwrap().count(), 2);
}

#[test]
fn status_and_precedence() {
    let status = |arguments: &[&str]| serval(&[&["check"], arguments].concat(), b"").status.code();
    assert_eq!(status(&["examples/lost-update.ser"]), Some(1));
    assert_eq!(status(&["examples/counter.ser"]), Some(0));
    assert_eq!(status(&["examples/counter.ser", "--method", "search", "--timeout", "0.1"]), Some(3));
    assert_eq!(status(&["examples/counter.ser", "--method", "flow,bounded"]), Some(0));
    assert_eq!(status(&["examples/counter.ser", "examples/lost-update.ser"]), Some(1));
    assert_eq!(status(&["examples/lost-update.ser", "docs/src/mistake.ser"]), Some(2));
    assert_eq!(
        status(&["examples/lost-update.ser", "examples/counter.ser", "--method", "search", "--timeout", "0.1", "--exit-zero"]),
        Some(0)
    );
    assert_eq!(status(&["docs/src/mistake.ser", "--exit-zero"]), Some(2));
    assert_eq!(status(&["no-such-file.ser"]), Some(2));
    assert_eq!(status(&["docs/decisions"]), Some(2));
    assert_eq!(status(&["examples/counter.ser", "--method", "classic"]), Some(0));
    assert_eq!(status(&["examples/lost-update.ser", "--method", "classic", "--no-slice", "--no-prune"]), Some(1));
    assert_eq!(status(&["examples/counter.ser", "--method", "classic,flow"]), Some(2));
    assert_eq!(status(&["examples/counter.ser", "--no-slice"]), Some(2));
    assert_eq!(status(&["examples/counter.ser", "--method", "magic"]), Some(2));
    assert_eq!(status(&["examples/counter.ser", "--timeout", "0"]), Some(2));
    assert_eq!(status(&[]), Some(2));
}

#[test]
fn a_bad_file_among_others_gets_its_line() {
    let (reports, status) = reports(&["docs/src/mistake.ser", "examples/lost-update.ser"], b"");
    assert_eq!(status, Some(2));
    assert_eq!(reports[0]["verdict"], "error");
    assert_eq!(reports[0]["notes"][0]["code"], "E0112");
    assert_eq!(reports[0]["notes"][0]["span"], serde_json::json!([4, 11, 4, 12]));
    assert_eq!(reports[1]["verdict"], "not-serializable");
}

#[test]
fn programs_without_bound() {
    let (refuted, status) = report("request a { y := X; yield; X := y + 1 }", &[]);
    assert_eq!((refuted["verdict"].as_str(), status), (Some("not-serializable"), Some(1)));
    assert_eq!(refuted["certificate"]["verified"], true);
    // On its text it is proved, for runs of a lifetime.
    let (proved, status) = report("request a { X := X + 1 }", &[]);
    assert_eq!((proved["verdict"].as_str(), proved["method"].as_str(), status), (Some("serializable"), Some("lipton"), Some(0)));
    assert_eq!(proved["proof"][0]["unbounded"], true, "{proved}");
    let (large, status) = report("request a { X := X + 1 }", &["--method", "reduce"]);
    assert_eq!((large["verdict"].as_str(), status), (Some("error"), Some(2)));
    assert_eq!(large["notes"][0]["code"], "E0301");
    assert!(large["reason"].as_str().unwrap().contains("`X` grows without bound"));
}

#[test]
fn stuck_requests_are_told() {
    let (report, _) = report("request a {\n  while (L == 1) { yield };\n  L := 1; X := 1 - X; X\n}", &[]);
    assert_eq!(report["stuck"][0]["request"], "a");
    assert_eq!(report["stuck"][0]["at"], serde_json::json!([1, 9]));
}

#[test]
fn the_same_bytes_whatever_the_number_of_threads() {
    if skips("cli.threads") {
        return;
    }
    let directory = directory("threads");
    // Decided by the tasks that may run side by side, or by late layers of the
    // search, which run on several threads.
    for n in [4, 5, 6, 8] {
        std::fs::write(directory.join(format!("flips-{n:02}.ser")), family("flips", n)).unwrap();
        std::fs::write(directory.join(format!("watch-{n:02}.ser")), family("watch", n)).unwrap();
    }
    for (name, text) in [("lock.ser", family("lock", 2)), ("bank.ser", family("bank_split", 3))] {
        std::fs::write(directory.join(name), text).unwrap();
    }
    let path = directory.to_str().unwrap();
    let run = |jobs: &str| text(&serval(&["check", path, "--format", "json", "--no-times", "--jobs", jobs], b"").stdout);
    let first = run("1");
    let late = first.lines().filter(|line| {
        let report: Value = serde_json::from_str(line).unwrap();
        report["counterexample"]["requests"].as_array().is_some_and(|requests| requests.len() > 3)
    });
    assert!(late.count() >= 6, "{first}");
    for jobs in ["2", "8"] {
        assert_eq!(run(jobs), first, "{jobs} threads");
    }
}

#[test]
fn the_memory_limit_is_kept() {
    // GNU time tells the peak of memory of a process.
    let time = std::path::Path::new("/usr/bin/time");
    if !time.exists() {
        let required = std::env::var("SERVAL_REQUIRE").unwrap_or_default();
        assert!(!required.split(',').any(|name| name == "time"), "time: required, but /usr/bin/time is not there");
        return say("time: not there, skipped");
    }
    let directory = directory("memory");
    let file = directory.join("counter.ser");
    std::fs::write(&file, family("counter", 800_000)).unwrap();
    for limit in [64_u64, 128] {
        let output = Command::new(time)
            .args([
                "-v",
                env!("CARGO_BIN_EXE_serval"),
                "check",
                file.to_str().unwrap(),
                "--method",
                "reduce",
                "--memory",
                &limit.to_string(),
            ])
            .env("SERVAL_CACHE_DIR", "")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
        let told = text(&output.stderr);
        let peak = told.lines().find_map(|line| line.trim().strip_prefix("Maximum resident set size (kbytes): ")).unwrap();
        let peak: u64 = peak.parse().unwrap();
        say(&format!("memory: limit {limit} MiB, peak {} MiB", peak / 1024));
        assert!(peak * 100 <= limit * 1024 * 115, "limit {limit} MiB, peak {peak} KiB");
        assert!(text(&output.stdout).contains("undecided"), "{}", text(&output.stdout));
    }
}

#[test]
fn progress_events_have_no_verdict() {
    let arguments = ["check", "examples/lost-update.ser", "--format", "json", "--progress"];
    let output = text(&serval(&arguments, b"").stdout);
    let lines: Vec<Value> = output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (events, reports): (Vec<&Value>, Vec<&Value>) = lines.iter().partition(|line| line.get("event").is_some());
    assert!(!events.is_empty() && events.iter().all(|event| event.get("verdict").is_none()));
    assert_eq!(reports.len(), 1);
}

#[test]
fn families_are_refuted() {
    let directory = directory("families");
    for (name, n, requests) in [("counter_racy", 200, 2), ("watch", 6, 7), ("monitors", 8, 3), ("route", 40, 4), ("bank_split", 4, 3)] {
        std::fs::write(directory.join(format!("{name}.ser")), family(name, n)).unwrap();
        let (reports, status) = reports(&[directory.join(format!("{name}.ser")).to_str().unwrap()], b"");
        assert_eq!(status, Some(1), "{name} {n}");
        assert_eq!(reports[0]["counterexample"]["requests"].as_array().unwrap().len(), requests, "{name} {n}");
    }
}

#[test]
fn independent_components_add_up() {
    let copy = |i: usize| {
        format!("request r{i} {{ while (L{i} == 1) {{ yield }}; L{i} := 1; x := X{i}; yield; X{i} := (x + 1) % 5; L{i} := 0; x }}\n")
    };
    let text: String = (0..30).map(copy).collect();
    let (report, status) = report(&text, &["--method", "reduce"]);
    assert_eq!((report["verdict"].as_str(), status), (Some("serializable"), Some(0)));
    assert_eq!(report["certificate"]["kind"], "components");
    assert_eq!(report["sizes"]["components"], 30);
}

#[test]
fn modular_arguments_close_by_counting_alone() {
    let directory = directory("modular");
    for n in [5, 7] {
        std::fs::write(directory.join(format!("ring-{n:02}.ser")), family("ring", n)).unwrap();
    }
    let mut files: Vec<String> = vec![directory.display().to_string()];
    if let Some(suite) = data_dir("suite") {
        files.extend(["d1", "d3", "d4", "f5"].map(|name| suite.join(format!("{name}.ser")).display().to_string()));
    }
    let mut arguments = vec!["check", "--format", "json", "--method", "flow"];
    arguments.extend(files.iter().map(String::as_str));
    let output = serval(&arguments, b"");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    for line in text(&output.stdout).lines() {
        let report: Value = serde_json::from_str(line).unwrap();
        assert_eq!((report["method"].as_str(), report["certificate"]["kind"].as_str()), (Some("flow"), Some("flow")), "{line}");
        assert!(report["sizes"].get("reduced").is_none(), "{line}");
    }
}

#[test]
fn runs_are_drawn() {
    let directory = directory("drawn");
    let draw = |file: &str, name: &str| {
        let path = directory.join(name);
        let output = serval(&["check", file, "--no-fix", "--svg", path.to_str().unwrap()], b"");
        (output.status.code(), std::fs::read_to_string(path).ok())
    };
    let (status, drawn) = draw("examples/lost-update.ser", "run.svg");
    assert_eq!(status, Some(1));
    let drawn = drawn.unwrap();
    // A file of its own, with its style, and nothing in it to choose.
    assert!(drawn.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" "), "{drawn}");
    assert_eq!(drawn.matches("<style>").count(), 1);
    assert!(drawn.contains("prefers-color-scheme: dark"));
    assert!(!drawn.contains("tabindex") && !drawn.contains("data-detail"));
    // Four steps, two answers, two reasons.
    assert_eq!(["class=\"step\"", "class=\"answer\"", "class=\"arrow "].map(|what| drawn.matches(what).count()), [4, 2, 2]);
    assert_eq!(draw("examples/dhcp-lease.json", "system.svg").1.unwrap().matches("class=\"arrow ").count(), 0);
    // Where there is no run there is no picture.
    assert_eq!(draw("examples/counter.ser", "none.svg"), (Some(0), None));
}
