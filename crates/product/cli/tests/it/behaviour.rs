//! What scripts rely on: exit status, streams, files.

use std::process::Output;

use crate::support::{command, directory, serval, text};

#[test]
fn standard_input_is_what_it_looks_like_or_what_is_said() {
    for kind in [&["--input", "ser"][..], &[]] {
        let output = serval(&[&["export", "-", "--to", "ns"], kind].concat(), b"X := 1 - X");
        assert!(output.status.success());
        assert!(text(&output.stdout).contains("[\"request\", \"request@start\"]"));
    }
    let output = serval(&["export", "-", "--to", "ns", "--input", "json"], b"X := 1 - X");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
}

#[test]
fn what_is_exported_can_be_read_back() {
    for file in ["examples/spin-lock.ser", "examples/sharded-counters.ser"] {
        let first = serval(&["export", file, "--to", "ns"], b"");
        let again = serval(&["export", "-", "--input", "json", "--to", "ns"], &first.stdout);
        assert!(again.status.success(), "{}", text(&again.stderr));
        assert_eq!(text(&first.stdout), text(&again.stdout), "{file}");
    }
}

#[test]
fn components_are_exported_one_by_one_or_multiplied() {
    let program = b"request a { X := 1 - X } request b { Y := 1 - Y }";
    let export = |more: &[&str]| {
        let arguments = [&["export", "-", "--input", "ser", "--to", "ns"], more].concat();
        let output = serval(&arguments, program);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert!(export(&[]).starts_with('['));
    assert!(export(&["--component", "1"]).contains("[\"b\", \"b@start\"]"));
    assert_eq!(export(&["--product"]).matches("\"a\"").count(), 1);
    assert!(export(&["--product"]).contains("\"b\""));
    let output = serval(&["export", "-", "--input", "ser", "--to", "ns", "--product", "--max-states", "3"], program);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("too large"), "{}", text(&output.stderr));
}

#[test]
fn every_format_of_every_example_is_the_same_twice() {
    for format in ["ns", "dot", "mermaid", "nfa-dot", "svg", "nfa-svg", "net-svg", "net", "pnml", "query", "regex", "semilinear"] {
        for file in ["examples/two-phase-locking.ser", "examples/dhcp-lease.json"] {
            let first = serval(&["export", file, "--to", format], b"");
            assert!(first.status.success() && !first.stdout.is_empty(), "{file} {format}");
            assert_eq!(first.stdout, serval(&["export", file, "--to", format], b"").stdout);
        }
    }
}

#[test]
fn bytes_that_are_not_text_are_an_error_with_a_place() {
    let output = serval(&["run", "-", "--input", "ser"], b"request a {\n  X := \xff\xfe1\n}");
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(message.contains("error[E0501]") && message.contains("<stdin>:2:8"), "{message}");
    assert!(message.contains("expected:") && message.contains("help:"), "{message}");
}

#[test]
fn a_program_without_bound_can_be_run_but_not_exported() {
    let program = b"request a { X := X + 1 }";
    let run = serval(&["run", "-", "--input", "ser", "--requests", "4"], program);
    assert!(run.status.success());
    assert!(text(&run.stdout).contains("X = 4"));
    let export = serval(&["export", "-", "--input", "ser", "--to", "dot"], program);
    assert_eq!(export.status.code(), Some(2));
    let message = text(&export.stderr);
    assert!(message.contains("error[E0301]") && message.contains("`X` grows without bound"), "{message}");
}

#[test]
fn saved_runs_replay_to_the_same_answers() {
    let directory = directory("replay");
    for (number, file) in ["reader-writer-lock.ser", "sharded-counters.ser", "print-spooler.json", "ticket-lock.ser"].iter().enumerate() {
        let trace = directory.join(format!("{number}.json"));
        let (file, trace) = (format!("examples/{file}"), trace.to_str().unwrap().to_owned());
        let run = serval(&["run", &file, "--requests", "4", "--seed", "11", "--trace", &trace], b"");
        assert!(run.status.success(), "{}", text(&run.stderr));
        let replay = serval(&["run", &file, "--replay", &trace], b"");
        assert!(replay.status.success(), "{file}: {}", text(&replay.stderr));
        let body = |output: &Output| text(&output.stdout).lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(body(&run), body(&replay), "{file}");
    }
    let leftover: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(leftover.len(), 4, "temporary files are left: {leftover:?}");
}

#[test]
fn a_trace_that_is_no_run_is_refused() {
    let directory = directory("refused");
    let path = directory.join("bad.json");
    let path = path.to_str().unwrap();
    let refused = |trace: &str, code: &str, why: &str| {
        std::fs::write(path, trace).unwrap();
        let output = serval(&["run", "examples/lost-update.ser", "--replay", path], b"");
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(code) && message.contains(why), "{message}");
    };
    let spawn = r#"{"id":1,"kind":"spawn","local":"save@start"}"#;
    refused("[]", "E0510", "");
    refused(r#"{"schema": 9, "steps": []}"#, "E0510", "version 9");
    refused(r#"{"schema": 1, "steps": [{"id":1,"kind":"jump"}]}"#, "E0510", "jump");
    refused(r#"{"schema": 1, "steps": [{"id":1,"kind":"spawn","local":"L77"}]}"#, "E0511", "L77");
    refused(&format!(r#"{{"schema": 1, "steps": [{spawn}, {spawn}]}}"#), "E0511", "comes twice");
    refused(
        &format!(r#"{{"schema": 1, "steps": [{spawn}, {{"id":1,"kind":"respond","local":"save@end 1","response":"1"}}]}}"#),
        "E0511",
        "event 2",
    );
    let step =
        r#"{"id":2,"kind":"step","from":{"local":"save@start","global":"EDITS=0"},"to":{"local":"save@yield1 seen=0","global":"EDITS=0"}}"#;
    refused(&format!(r#"{{"schema": 1, "steps": [{spawn}, {step}]}}"#), "E0511", "#2");
}

#[test]
fn by_hand() {
    let output = serval(&["run", "examples/lost-update.ser", "--interactive"], b"1\n2\nnonsense\n99\n?\n2\n2\nq\n");
    assert!(output.status.success());
    let shown = text(&output.stdout);
    assert!(shown.contains("#1 save returns 1") && shown.contains("a number from 1 to"), "{shown}");
    assert!(shown.ends_with("answers   save → 1\nglobals   EDITS = 1\n"), "{shown}");
    // The end of the input ends the run.
    assert!(serval(&["run", "examples/lost-update.ser", "--interactive"], b"1\n").status.success());
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let mut child = command(&["run", "examples/counter.ser", "--runs", "20000"]).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{:?}", output.status);
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn output_files_appear_whole_or_not_at_all() {
    let directory = directory("whole");
    let path = directory.join("system.json");
    std::fs::write(&path, "old").unwrap();
    let failed = serval(&["export", "-", "--input", "ser", "--to", "ns", "--out", path.to_str().unwrap()], b"request a { X := X + 1 }");
    assert_eq!(failed.status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
    let done = serval(&["export", "examples/counter.ser", "--to", "ns", "--out", path.to_str().unwrap()], b"");
    assert!(done.status.success() && done.stdout.is_empty());
    assert!(std::fs::read_to_string(&path).unwrap().starts_with('{'));
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 1);
}

#[test]
fn warnings_go_to_standard_error_and_can_be_silenced() {
    let program = b"request a { if (0) { X := 1 }; X }";
    let loud = serval(&["export", "-", "--input", "ser", "--to", "ns"], program);
    assert!(loud.status.success() && text(&loud.stderr).contains("warning[W0203]"), "{}", text(&loud.stderr));
    let quiet = serval(&["-q", "export", "-", "--input", "ser", "--to", "ns"], program);
    assert_eq!(text(&quiet.stderr), "");
    assert_eq!(loud.stdout, quiet.stdout);
}

#[test]
fn a_lock_released_without_being_held_is_told_with_its_run() {
    let program = "request visit {\n  if (?) { lock(L) };\n  COUNT := 1 - COUNT;\n  unlock(L);\n  COUNT\n}\nrequest hold { lock(L); yield; unlock(L); 1 }\n";
    let told = |arguments: &[&str]| {
        let mut all = vec!["check", "-", "--input", "ser"];
        all.extend_from_slice(arguments);
        text(&serval(&all, program.as_bytes()).stderr)
    };
    let warning = told(&[]);
    assert!(warning.contains("warning[W0306]: this releases a lock that no request holds"), "{warning}");
    // Alone at once; or, for the one that holds it, after another has let go.
    assert!(warning.contains("request #1 visit releases it here"), "{warning}");
    assert!(warning.contains("this run leads there"), "{warning}");
    assert!(!told(&["--allow", "W0306"]).contains("W0306"));
    let refused = serval(&["check", "-", "--input", "ser", "--allow", "E0308"], program.as_bytes());
    assert_eq!(refused.status.code(), Some(2));
}
