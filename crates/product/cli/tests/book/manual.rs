//! Completion scripts, manual pages and the reference in the book: made from
//! the program, for every command that it has.

use std::process::{Command, Stdio};
use std::sync::LazyLock;

use crate::support::{command, directory, root, serval, text};

/// What `--help` says, or `--help-all` where there is more, as a terminal with 100 columns shows it, without blanks at
/// the ends of lines.
fn help(words: &[&str]) -> String {
    let said = |option: &str| {
        let mut asked = command(&[words, &[option]].concat());
        let output = asked.env("LC_ALL", "C.UTF-8").env("COLUMNS", "100").output().unwrap();
        assert!(output.status.success(), "{words:?}");
        text(&output.stdout)
    };
    let usual = said("--help");
    let all = if usual.contains("--help-all") { said("--help-all") } else { usual };
    all.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The commands that a help text lists.
fn listed(help: &str) -> Vec<String> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // Further lines of a description are indented by more than two blanks.
    let names = list.filter(|line| line.starts_with("  ") && !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// A command, in words, and its help.
type Documented = (Vec<String>, String);

/// Every command and every command of a command, after the program itself,
/// each with its help.
fn commands() -> &'static [Documented] {
    static ALL: LazyLock<Vec<Documented>> = LazyLock::new(ask_all);
    &ALL
}

fn ask_all() -> Vec<Documented> {
    let mut found = Vec::new();
    let mut open = vec![Vec::new()];
    while let Some(words) = open.pop() {
        let help = help(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let inner = listed(&help).into_iter().rev().map(|name| [words.clone(), vec![name]].concat());
        open.extend(inner);
        found.push((words, help));
    }
    assert!(found.len() > 8, "{}", found.len());
    found
}

/// The long options that a help text describes.
fn options(help: &str) -> Vec<&str> {
    let described = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let words = described.filter_map(|line| line.split_whitespace().find(|word| word.starts_with("--")));
    // A value may follow, as in `--exit-zero[=<BOOL>]`.
    words.map(|word| word.split([',', '[', '=']).next().unwrap_or(word)).filter(|word| word.len() > 2).collect()
}

fn completions(shell: &str) -> String {
    let output = serval(&["completions", shell], b"");
    assert!(output.status.success(), "{shell}");
    text(&output.stdout)
}

#[test]
fn completions_know_all_commands_and_options() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = completions(shell);
        for (words, help) in commands() {
            if let Some(name) = words.last() {
                assert!(script.contains(name.as_str()), "{shell}: {name}");
            }
            for option in options(help) {
                // Fish has `-l quiet` for `--quiet`.
                let form = if shell == "fish" { format!("-l {}", &option[2..]) } else { option.to_owned() };
                assert!(script.contains(&form), "{shell}: {words:?} {option}");
            }
        }
    }
}

/// Runs a command where there is such a program, with this standard input.
fn fed(program: &str, arguments: &[&str], input: &str) -> Option<std::process::Output> {
    let mut asked = Command::new(program);
    asked.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = asked.spawn().ok()?;
    let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes());
    Some(child.wait_with_output().unwrap())
}

#[test]
fn shells_can_read_the_scripts() {
    for (shell, arguments) in [("bash", ["-n"].as_slice()), ("zsh", &["-n"]), ("fish", &["--no-execute"])] {
        match fed(shell, arguments, &completions(shell)) {
            Some(output) => assert!(output.status.success(), "{shell}: {}", text(&output.stderr)),
            None => serval_testkit::say(&format!("{shell}: not there, skipped")),
        }
    }
}

#[test]
fn bash_completes() {
    // What bash does when a user presses the tabulator key.
    let ask = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let (last, before) = (words[words.len() - 1], words[words.len() - 2]);
        let script = format!(
            "{}\nCOMP_WORDS=({}); COMP_CWORD={}\n_serval serval '{last}' '{before}'\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
            completions("bash"),
            quoted.join(" "),
            words.len() - 1
        );
        fed("bash", &["--norc", "-s"], &script).map(|output| text(&output.stdout))
    };
    let Some(commands) = ask("serval ch") else {
        return serval_testkit::say("bash: not there, skipped");
    };
    assert_eq!(commands.trim(), "check");
    assert_eq!(ask("serval check --format gi").unwrap().trim(), "github");
    assert_eq!(ask("serval check --certif").unwrap().trim(), "--certificate");
}

#[test]
fn an_unknown_shell_is_refused() {
    let output = serval(&["completions", "tcsh"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("bash, elvish, fish, powershell, zsh"));
}

/// A page as a reader sees it, as far as that can be had without a typesetter.
fn plain(page: &str) -> String {
    let shown = page.replace("\\-", "-").replace("\\fB", "").replace("\\fI", "").replace("\\fR", "").replace("\\&", "");
    shown.replace("\\(aq", "'").replace("\\*(Aq", "'")
}

#[test]
fn every_command_has_a_manual_page() {
    let out = directory("manual-pages");
    let output = serval(&["man", "--out", out.to_str().unwrap()], b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(output.stdout.is_empty());
    let all = commands();
    for (words, help) in all {
        let name = std::iter::once("serval").chain(words.iter().map(String::as_str)).collect::<Vec<_>>().join("-");
        let page = std::fs::read_to_string(out.join(format!("{name}.1"))).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(page.starts_with(&format!(".TH \"{name}\" 1 ")), "{name}: {page}");
        assert!(page.is_ascii(), "{name}");
        let shown = plain(&page);
        for option in options(help) {
            assert!(shown.contains(option), "{name}: {option}");
        }
        for section in ["NAME", "SYNOPSIS", "OPTIONS", "EXAMPLES", "EXIT STATUS"] {
            let is_head = |line: &str| line == format!(".SH {section}") || line == format!(".SH \"{section}\"");
            assert!(page.lines().any(is_head), "{name}: {section}");
        }
    }
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), all.len(), "as many pages as commands");
    // Without a directory, the main page.
    let main = serval(&["man"], b"");
    assert_eq!(text(&main.stdout), std::fs::read_to_string(out.join("serval.1")).unwrap());
}

#[test]
fn pages_that_cannot_be_written_are_an_error() {
    let out = directory("manual-in-a-file").join("file");
    std::fs::write(&out, "").unwrap();
    let output = serval(&["man", "--out", out.to_str().unwrap()], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("error: cannot make "), "{}", text(&output.stderr));
}

/// The page of the book that holds all help texts.
fn reference() -> String {
    let mut page = "# Reference\n\nWhat `--help` says, for every command, and `--help-all` for `check`. This page is written by the tests from the program itself;\n\
                    [Commands](commands.md) explains, with examples.\n"
        .to_owned();
    for (words, help) in commands() {
        let name = std::iter::once("serval").chain(words.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
        page.push_str(&format!("\n## `{name}`\n\n```text\n{help}```\n"));
    }
    page
}

#[test]
fn the_reference_is_as_the_program() {
    let path = root().join("docs/src/reference.md");
    let now = reference();
    if std::env::var_os("SERVAL_BLESS").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    // As Git may write it on Windows.
    let same = written.replace("\r\n", "\n") == now;
    assert!(same, "docs/src/reference.md is stale; SERVAL_BLESS=1 cargo test -p serval-cli --test book manual writes it anew");
    let summary = std::fs::read_to_string(root().join("docs/src/SUMMARY.md")).unwrap();
    assert!(summary.contains("](reference.md)"));
}

#[test]
fn every_command_tells_its_exit_statuses() {
    for (words, help) in commands() {
        assert!(help.contains("\nExit status: 0 "), "{words:?}");
    }
}
