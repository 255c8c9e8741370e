//! The page on the running example shows what the tool makes, also where that
//! is a directory and no session can show it.

use std::fmt::Write;

use crate::support::{directory, root, serval, text};

const PAGE: &str = "docs/src/running-example.md";
const BEGIN: &str = "<!-- begin made; `SERVAL_UPDATE=1 cargo test -p serval-cli --test book running_example` makes it again -->\n";
const END: &str = "<!-- end made -->\n";
/// The file that is shown.
const SHOWN: &str = "refutation.smt2";

fn page() -> String {
    std::fs::read_to_string(root().join(PAGE)).unwrap()
}

#[test]
fn programs_are_those_of_the_sessions() {
    for file in ["docs/src/running-example.ser", "docs/src/running-example-locked.ser"] {
        let program = std::fs::read_to_string(root().join(file)).unwrap();
        assert!(page().contains(&format!("```ser\n{program}```\n")), "{file} is not on the page");
    }
}

/// The command on the page, with another directory.
#[test]
fn obligations_are_those_of_the_tool() {
    let page = page();
    let command = page.lines().find(|line| line.starts_with("serval export") && line.contains("--to smtlib")).unwrap();
    let made = directory("running-example");
    let arguments: Vec<&str> = command.split_whitespace().skip(1).collect();
    let (out, arguments) = arguments.split_last().unwrap();
    assert_eq!(*out, "obligations");
    let output = serval(&[arguments, &[made.to_str().unwrap()]].concat(), b"");
    assert!(output.status.success(), "{}", text(&output.stderr));

    let mut names: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(&made).unwrap() {
        names.push(entry.unwrap().file_name().into_string().unwrap());
    }
    names.sort();
    let mut fragment = String::from("\n```text\n");
    for name in &names {
        let question = std::fs::read_to_string(made.join(name)).unwrap();
        let about = question.lines().find_map(|line| line.strip_prefix("; Obligation: ")).unwrap_or("");
        writeln!(fragment, "{name:<17} {about}").unwrap();
    }
    let shown = std::fs::read_to_string(made.join(SHOWN)).unwrap();
    write!(fragment, "```\n\nOne of them, `{SHOWN}`:\n\n```text\n{shown}```\n\n").unwrap();

    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (old, after) = rest.split_once(END).unwrap();
    if std::env::var_os("SERVAL_UPDATE").is_some() {
        std::fs::write(root().join(PAGE), format!("{before}{BEGIN}{fragment}{END}{after}")).unwrap();
    } else {
        assert_eq!(old, fragment, "{PAGE} is out of date");
    }
}
