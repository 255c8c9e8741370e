//! Reports on screens of 60, 80 and 120 columns, with colours and without.
//!
//! `SERVAL_BLESS=1 cargo test -p serval-cli --test it width` writes the files anew.

use std::path::{Path, PathBuf};

use serval_testkit::suite::tool;

use crate::support::on_terminal;

fn place() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/width")
}

fn report(file: &Path, width: usize, more: &[&str], no_color: &str) -> String {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_serval"));
    command.args(["check", "--no-cache", "--no-times"]).args(more).arg(file.file_name().unwrap()).current_dir(place());
    let output = command.env("LC_ALL", "C.UTF-8").env("COLUMNS", width.to_string()).env("NO_COLOR", no_color).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Without the colours.
fn bare(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').unwrap().1)
}

const NAMES: [&str; 2] = ["two", "nine"];

#[test]
fn reports_fit_the_screen() {
    for name in NAMES {
        for width in [60, 80, 120] {
            let text = report(&place().join(format!("{name}.ser")), width, &[], "");
            for line in text.lines() {
                let command = line.trim_start().starts_with("serval ");
                assert!(command || line.chars().count() <= width, "{name} at {width}: {line}");
            }
            // A table has as many bars in each row as above it.
            let rows: Vec<&str> = text.lines().filter(|line| line.contains(" | ") || line.ends_with(" |")).collect();
            let head = rows.iter().position(|row| row.trim_start().starts_with("step |")).expect("a table");
            let bars = |row: &str| row.matches('|').count();
            assert!(rows[head + 1..].iter().all(|row| bars(row) <= bars(rows[head])), "{text}");
            let path = place().join(format!("{name}-{width}.txt"));
            if std::env::var_os("SERVAL_BLESS").is_some() {
                std::fs::write(&path, &text).unwrap();
            }
            assert_eq!(text, std::fs::read_to_string(&path).unwrap_or_default(), "{}", path.display());
        }
    }
}

#[test]
fn colours_change_nothing_else() {
    for name in NAMES {
        let file = place().join(format!("{name}.ser"));
        let plain = report(&file, 80, &[], "");
        assert!(!plain.contains('\u{1b}'), "a pipe has no colours");
        let painted = report(&file, 80, &["--color", "always"], "1");
        assert_eq!(bare(&painted), plain);
        // The verdict, the table and the excerpt.
        assert!(painted.starts_with("\u{1b}[31mnot serializable  \u{1b}[0m"), "{painted}");
        assert!(painted.contains("\u{1b}[1mstep\u{1b}[0m | "), "{painted}");
        assert!(painted.contains("\u{1b}[31m<- another request can run here\u{1b}[0m"), "{painted}");
    }
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_serval"));
    let fixed = command.args(["fix", "two.ser", "--color", "always"]).current_dir(place()).output().unwrap();
    let fixed = String::from_utf8(fixed.stdout).unwrap();
    assert!(fixed.lines().any(|line| line.starts_with("\u{1b}[31m-  yield;")), "{fixed}");
}

#[test]
fn where_the_locale_is_not_utf_8_everything_is_ascii() {
    for name in NAMES {
        for width in ["40", "60", "100"] {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_serval"));
            command.args(["check", "--no-cache", &format!("{name}.ser")]).current_dir(place());
            let output = command.env("LC_ALL", "C").env("COLUMNS", width).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(text.is_ascii() && text.contains(" -> "), "{text}");
            let limit = width.parse::<usize>().unwrap();
            let long = text.lines().find(|line| line.len() > limit && !line.trim_start().starts_with("serval "));
            assert!(limit < 60 || long.is_none(), "{long:?}");
        }
    }
}

/// On a terminal, which says how wide it is and takes colours, unless the user does not want them.
#[test]
fn a_terminal_is_asked_for_its_width_and_has_colours() {
    let Some(script) = tool("script") else { return };
    for name in NAMES {
        let file = format!("{name}.ser");
        let check = |width: usize, set: &str, more: &[&str]| {
            let shown = on_terminal(&script, &place(), width, set, &[&["check", "--no-cache", "--no-times", &file], more].concat());
            // What was on the line while it worked has been wiped out.
            shown.rsplit("\r\u{1b}[K").next().unwrap_or_default().to_owned()
        };
        for width in [63, 97] {
            let plain = report(&place().join(&file), width, &[], "");
            let shown = check(width, "", &[]);
            assert!(shown.starts_with("\u{1b}[31mnot serializable  \u{1b}[0m"), "{shown}");
            assert_eq!(bare(&shown), plain, "{name} at {width}");
            for (set, more) in [("NO_COLOR=1", &[][..]), ("TERM=dumb", &[]), ("", &["--color", "never"])] {
                assert_eq!(check(width, set, more), plain, "{name} at {width}: {set} {more:?}");
            }
        }
        // Who says how wide it is has the last word.
        assert_eq!(bare(&check(63, "COLUMNS=80", &[])), report(&place().join(&file), 80, &[], ""));
    }
}
