//! Members of enums are shown by their names, in every format.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn serval(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_serval"));
    let output = command.args(arguments).current_dir(root()).env("LC_ALL", "C.UTF-8").env("COLUMNS", "").output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

const FILE: &str = "examples/idempotency-key-conflict.ser";

#[test]
fn people_see_names() {
    let text = serval(&["check", "--no-cache", FILE]);
    for words in ["State[1] = Running *", "State[1] ➜ Running", "returns Conflict", "pay(1) → Charged", "never Charged, Conflict"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(text.contains("because #2 read State[1] = Running after #1 had set it to Running"), "{text}");
    assert!(text.contains("#1 then #2 gives Declined, Declined or Declined, Charged or Charged, Copy\n"), "{text}");
    assert!(text.contains("no serial run ever answers Conflict\n") && !text.contains("ever answers 3"), "{text}");
    for format in ["sarif", "github", "markdown"] {
        let written = serval(&["check", "--no-cache", "--format", format, FILE]);
        assert!(written.contains("Conflict"), "{format}: {written}");
        for number in ["returns 3", "→ 3", "answers 3"] {
            assert!(!written.contains(number), "{format}: {written}");
        }
    }
    let page = std::env::temp_dir().join(format!("serval-enums-{}.html", std::process::id()));
    serval(&["check", "--no-cache", "--html", page.to_str().unwrap(), FILE]);
    let written = std::fs::read_to_string(&page).unwrap();
    std::fs::remove_file(&page).unwrap();
    assert!(written.contains("answers Conflict") && !written.contains("answers 3"), "{written}");
    for words in ["State[1]=Running → State[1]=Paid", "pay(1)@end Conflict", "pay(1) / Declined", "global State[1]=Unknown"] {
        assert!(written.contains(words), "{words}: {written}");
    }
    assert!(written.contains("<td>Running</td>") && written.contains("returns Conflict"), "{written}");
}

#[test]
fn machines_see_values_and_names() {
    let text = serval(&["check", "--no-cache", "--no-times", "--format", "json", FILE]);
    assert!(text.contains(r#""value":1,"name":"Running""#), "{text}");
    assert!(text.contains(r#""response":"3","name":"Conflict""#), "{text}");
    assert!(text.contains(r#""never":[{"request":"pay(1)","response":"3","name":"Conflict"}]"#), "{text}");
    assert!(text.contains(r#""enums":{"State[1]":["Unknown","Running","Paid"]"#), "{text}");
}

#[test]
fn the_simulator_shows_names() {
    let text = serval(&["run", FILE, "--requests", "2", "--seed", "1"]);
    assert!(text.contains("State[1] = ") && text.contains("Unknown"), "{text}");
    // A run is the same whether it is shown with names or numbers.
    let trace = std::env::temp_dir().join(format!("serval-enums-{}.json", std::process::id()));
    let path = trace.to_str().unwrap();
    serval(&["check", "--no-cache", "-q", "--trace", path, FILE]);
    let again = serval(&["run", FILE, "--replay", path]);
    std::fs::remove_file(&trace).unwrap();
    assert!(again.contains("#2 pay(1) returns Conflict"), "{again}");
}

#[test]
fn parameters_and_indices_read_as_written() {
    let program = "enum Door { Left, Right }\nvar Count[Door]: 0..3\n\
                   request open(which: Door) { c := Count[which]; yield; Count[which] := (c + 1) % 4; c }\n";
    let mut command = Command::new(env!("CARGO_BIN_EXE_serval"));
    command.args(["check", "--no-cache", "-"]).env("LC_ALL", "C.UTF-8").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), program.as_bytes()).unwrap();
    let text = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(text.contains("open(Left) #1") && text.contains("Count[Left] ➜ 0"), "{text}");
    assert!(!text.contains("open(0)") && !text.contains("Count[0]"), "{text}");
}

/// Exports for people have names, those for programs have the names of the compiler, by which certificates call states.
#[test]
fn exports_have_names_where_people_read_them() {
    for (format, named) in
        [("dot", true), ("mermaid", true), ("nfa-dot", true), ("svg", true), ("net-svg", true), ("ns", false), ("net", false)]
    {
        let text = serval(&["export", FILE, "--component", "0", "--to", format]);
        assert_eq!(text.contains("=Paid"), named, "{format}: {text}");
        assert_eq!(text.contains("=2"), !named, "{format}: {text}");
    }
}

/// What a request remembers, as well.
#[test]
fn locals_have_names() {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("enums-locals");
    std::fs::create_dir_all(&place).unwrap();
    let (program, page) = (place.join("mode.ser"), place.join("mode.html"));
    let text = "enum Mode { Off, On }\nvar Now: Mode\n\
                request flip { m := Now; yield; if (m == Off) { Now := On } else { Now := Off }; m }\n";
    std::fs::write(&program, text).unwrap();
    let [file, html] = [program.to_str().unwrap(), page.to_str().unwrap()];
    let report = serval(&["check", "--no-cache", "--no-times", "--format", "json", "--html", html, file]);
    assert!(report.contains(r#""vars":{"m":0},"names":{"m":"Off"}"#), "{report}");
    let written = std::fs::read_to_string(&page).unwrap();
    assert!(written.contains("<th scope=\"row\">m</th><td>Off</td><td>Off</td>"), "{written}");
}
