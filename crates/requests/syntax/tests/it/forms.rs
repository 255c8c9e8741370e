//! For every convenience form programs that are accepted, with what they become
//! in the core language, and programs that are refused, with what is said.
//!
//! The cases are in `forms/`, a file for each form. `SERVAL_UPDATE=1` writes
//! what is found into the files, for a person to read.

use std::fmt::Write;
use std::path::Path;

use serval_syntax::{LineIndex, Severity, analyze, core_text};

/// What there is to say about a program.
fn outcome(text: &str) -> (bool, String) {
    let analysis = analyze(text);
    let lines = LineIndex::new(text);
    let mut out = String::new();
    for diagnostic in &analysis.diagnostics {
        let at = lines.position(text, diagnostic.primary.span.start);
        let shown = &text[diagnostic.primary.span.range()];
        writeln!(out, "{} {}:{} `{shown}`: {}", diagnostic.code, at.line, at.column, diagnostic.message).unwrap();
        if diagnostic.severity == Severity::Error {
            writeln!(out, "  help: {}", diagnostic.help.as_deref().unwrap()).unwrap();
        }
    }
    if let Some(program) = &analysis.program {
        let core = core_text(program);
        assert_eq!(core, core_text(&analyze(&core).program.unwrap()), "{text}");
        out += &core;
    }
    (analysis.program.is_some(), out)
}

#[test]
fn every_form_has_programs_that_are_accepted_and_refused() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/forms");
    let mut files: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 15, "a file for each form");
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let known = std::fs::read_to_string(&path).unwrap();
        let mut found = String::new();
        let (mut accepted, mut refused) = (0, 0);
        for case in known.split("=== ").skip(1) {
            let (kind, rest) = case.split_once('\n').unwrap();
            let (text, _) = rest.split_once("---\n").unwrap();
            let (usable, said) = outcome(text);
            assert_eq!(usable, kind == "accepted", "{name}: {text}{said}");
            *(if usable { &mut accepted } else { &mut refused }) += 1;
            write!(found, "=== {kind}\n{text}---\n{said}\n").unwrap();
        }
        assert!(accepted >= 5 && refused >= 5, "{name}: {accepted} accepted, {refused} refused");
        if std::env::var_os("SERVAL_UPDATE").is_some() {
            std::fs::write(&path, found).unwrap();
        } else {
            assert_eq!(found, known, "{name}; SERVAL_UPDATE=1 writes it anew");
        }
    }
}
