//! What scripts rely on: exit status and streams.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serval_proof::{Action, Body, Claim, Completed, RunEvent};

use crate::support::{counterexample, directory, read};

const PROGRAM: &str = "request save { seen := EDITS; yield; EDITS := (seen + 1) % 4 }";

fn serval_verify(directory: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_serval-verify"))
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The program may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Exit status, standard output and standard error.
fn said(directory: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = serval_verify(directory, arguments, b"");
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn status_0_and_1() {
    let directory = directory("verdicts");
    let mut certificate = counterexample(PROGRAM, 2, 10_000).unwrap();
    std::fs::write(directory.join("a.ser"), PROGRAM).unwrap();
    std::fs::write(directory.join("c.json"), certificate.to_json()).unwrap();
    let valid = "c.json: valid: a.ser is not serializable (a run of 2 requests in 8 events)\n".to_owned();
    assert_eq!(said(&directory, &["a.ser", "c.json"]), (0, valid, String::new()));
    certificate.claim = Claim::Serializable;
    std::fs::write(directory.join("d.json"), certificate.to_json()).unwrap();
    let invalid = "d.json: invalid: run.claim: claim \"serializable\": a run can only show that an input is not serializable\n".to_owned();
    assert_eq!(said(&directory, &["a.ser", "d.json"]), (1, String::new(), invalid));
}

/// Names cannot forge a line.
#[test]
fn hostile_names() {
    let directory = directory("hostile-names");
    let json = counterexample(PROGRAM, 2, 10_000).unwrap().to_json();
    for (number, name) in ["a\nc.json: valid: b", "\u{1b}[2J", "\u{202e}", "\u{9b}31m", "a\tb", "\r"].iter().enumerate() {
        let (program, certificate, broken) = (format!("{name}.ser"), format!("{name}.json"), format!("{name}.x.ser"));
        std::fs::write(directory.join(&program), PROGRAM).unwrap();
        std::fs::write(directory.join(&broken), format!("request {name}")).unwrap();
        std::fs::write(directory.join(&certificate), &json).unwrap();
        let (odd, field) = (format!("o{number}.json"), name.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect::<String>());
        std::fs::write(directory.join(&odd), json.replacen("\"kind\"", &format!("\"{field}\":1,\"kind\""), 1)).unwrap();
        let missing = format!("{name}.missing");
        for (arguments, status) in [
            ([program.as_str(), &certificate], 0),
            ([&broken, &certificate], 2),
            ([&certificate, &program], 2),
            ([&program, &odd], 2),
            ([&program, &missing], 2),
            ([name, &program], 2),
        ] {
            let (code, out, told) = said(&directory, &arguments);
            assert_eq!((code, out.lines().count() + told.lines().count()), (status, 1), "{out}{told}");
            let hidden = |line: &str| line.contains(serval_model::shown::is_hidden);
            assert!(!out.lines().chain(told.lines()).any(hidden), "{out:?} {told:?}");
        }
    }
}

#[test]
fn compilations_are_checked_on_request() {
    let directory = directory("compilations");
    let check = |program: &str, name: &str| {
        let certificate = counterexample(program, 2, 10_000).unwrap().to_json();
        std::fs::write(directory.join(name), program).unwrap();
        std::fs::write(directory.join("c.json"), certificate).unwrap();
        said(&directory, &["--check-compile", name, "c.json"])
    };
    let valid = |name: &str| format!("c.json: valid: {name} is not serializable (a run of 2 requests in 8 events)\n");
    let checked =
        "a.ser: compilation checked: 20 steps between 5 local and 4 global states of the program as written, in the same order in time\n";
    assert_eq!(check(PROGRAM, "a.ser"), (0, format!("{}{checked}", valid("a.ser")), String::new()));
    // A counter that no request reads is dropped, but not as written.
    let counting = "request save { while (0 == ?) { n := n + 1; yield }; seen := EDITS; yield; EDITS := (seen + 1) % 4 }";
    let (status, _, error) = check(counting, "b.ser");
    assert_eq!((status, error.lines().last()), (3, Some("b.ser: compilation not checked: the program as written has too many states")));
    std::fs::write(directory.join("s.json"), "[]").unwrap();
    let refused = "error: --check-compile is about programs: a network system is not compiled; see serval-verify --help\n".to_owned();
    assert_eq!(said(&directory, &["--check-compile", "s.json", "c.json"]), (2, String::new(), refused));
}

#[test]
fn standard_input() {
    let directory = directory("standard-input");
    let json = counterexample(PROGRAM, 2, 10_000).unwrap().to_json();
    std::fs::write(directory.join("program"), PROGRAM).unwrap();
    std::fs::write(directory.join("c.json"), &json).unwrap();
    let status = |arguments: &[&str], input: &str| serval_verify(&directory, arguments, input.as_bytes()).status.code();
    assert_eq!(status(&["--input", "ser", "-", "c.json"], PROGRAM), Some(0));
    assert_eq!(status(&["program", "-", "--input=ser"], &json), Some(0));
    assert_eq!(status(&["--input", "ser", "--", "program", "c.json"], ""), Some(0));
    assert_eq!(status(&["program", "c.json"], ""), Some(2));
    assert_eq!(status(&["--input", "json", "program", "c.json"], ""), Some(2));
    assert_eq!(status(&["--input", "ser", "-", "-"], PROGRAM), Some(2));
}

#[test]
fn status_2() {
    let directory = directory("mistakes");
    std::fs::write(directory.join("a.ser"), PROGRAM).unwrap();
    std::fs::write(directory.join("b.ser"), "request r {").unwrap();
    std::fs::write(directory.join("c.json"), counterexample(PROGRAM, 2, 10_000).unwrap().to_json()).unwrap();
    std::fs::write(directory.join("binary.ser"), b"\xff\xfe").unwrap();
    for arguments in [
        &[][..],
        &["a.ser"],
        &["a.ser", "c.json", "c.json"],
        &["--what", "a.ser", "c.json"],
        &["--input"],
        &["--input", "nfa", "a.ser", "c.json"],
        &["absent.ser", "c.json"],
        &["a.ser", "absent.json"],
        &[".", "c.json"],
        &["b.ser", "c.json"],
        &["a.ser", "a.ser"],
        &["c.json", "c.json"],
        &["binary.ser", "c.json"],
    ] {
        let (status, out, error) = said(&directory, arguments);
        assert_eq!((status, out.as_str()), (2, ""), "{arguments:?}");
        assert!(error.contains("error") && error.lines().count() == 1, "{arguments:?}: {error}");
    }
}

#[test]
fn status_3() {
    let directory = directory("too-large");
    let mut certificate = counterexample(PROGRAM, 2, 10_000).unwrap();
    // The same run again and again: the value comes back after four rounds.
    let (start, end) = ("save@start".to_owned(), |value: u32| format!("save@end {value}"));
    let Body::Run(run) = &mut certificate.body else { panic!("not a run") };
    run.steps.clear();
    for id in 1..=10_001_u32 {
        let (old, new) = ((id - 1) % 4, id % 4);
        let states = |local: String, value: u32| serval_proof::NamedStates { local, global: format!("EDITS={value}") };
        let middle = format!("save@yield1 seen={old}");
        let actions = [
            Action::Spawn { request: "save".into(), local: start.clone() },
            Action::Step { from: states(start.clone(), old), to: states(middle.clone(), old) },
            Action::Step { from: states(middle, old), to: states(end(new), new) },
            Action::Respond { local: end(new), response: new.to_string() },
        ];
        run.steps.extend(actions.map(|action| RunEvent { id, action }));
    }
    run.completed = [(0, 2_500), (1, 2_501), (2, 2_500), (3, 2_500)]
        .map(|(response, count)| Completed { request: "save".into(), response: response.to_string(), count })
        .to_vec();
    std::fs::write(directory.join("a.ser"), PROGRAM).unwrap();
    std::fs::write(directory.join("c.json"), certificate.to_json()).unwrap();
    let message = "c.json: too large: more than 10000 requests\n".to_owned();
    assert_eq!(said(&directory, &["a.ser", "c.json"]), (3, String::new(), message));
}

#[test]
fn help_and_version() {
    let directory = directory("help");
    let (status, out, error) = said(&directory, &["--help"]);
    assert!(status == 0 && error.is_empty());
    let usage = out.lines().find_map(|line| line.strip_prefix("Usage: ")).unwrap();
    assert!(usage.starts_with("serval-verify "), "{usage}");
    assert!(read("docs/src/certificates.md").contains(&format!("\n{usage}\n")), "the manual does not say: {usage}");
    let (status, out, _) = said(&directory, &["--version"]);
    assert_eq!((status, out), (0, format!("serval-verify {}\n", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn nothing_is_written() {
    let directory = directory("read-only");
    std::fs::write(directory.join("a.ser"), PROGRAM).unwrap();
    std::fs::write(directory.join("c.json"), counterexample(PROGRAM, 2, 10_000).unwrap().to_json()).unwrap();
    assert_eq!(said(&directory, &["a.ser", "c.json"]).0, 0);
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 2);
}
