//! Programs and systems in the documentation are what they seem.

#![expect(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use serval_compile::{Options, compile};
use serval_model::{Budget, systems_from_json};
use support::{root, serval, text};

/// The fenced blocks of one kind.
fn blocks<'a>(text: &'a str, kind: &str) -> Vec<&'a str> {
    let fence = format!("```{kind}\n");
    text.match_indices(&fence).filter_map(|(at, _)| text[at + fence.len()..].split("```").next()).collect()
}

/// The files of a directory with this extension, in order.
fn files(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|has| has == extension)).collect();
    files.sort();
    files
}

/// The modelling guide.
fn guide() -> PathBuf {
    root().join("docs/src/modelling")
}

fn documents() -> Vec<PathBuf> {
    let mut documents = files(&root().join("docs/src"), "md");
    documents.extend(files(&guide(), "md"));
    documents.push(root().join("README.md"));
    documents
}

#[test]
fn programs_compile_and_systems_are_read() {
    let mut seen = 0;
    for path in documents() {
        let text = std::fs::read_to_string(&path).unwrap();
        for block in blocks(&text, "ser") {
            let analysis = serval_syntax::analyze(block);
            let program = analysis.program.unwrap_or_else(|| panic!("{}: {:#?}\n{block}", path.display(), analysis.diagnostics));
            compile(&program, Options::default(), &Budget::unlimited())
                .unwrap_or_else(|error| panic!("{}: {error:?}\n{block}", path.display()));
            seen += 1;
        }
        for block in blocks(&text, "json") {
            systems_from_json(block).unwrap_or_else(|error| panic!("{}: {error}\n{block}", path.display()));
            seen += 1;
        }
    }
    assert!(seen >= 3, "only {seen} blocks");
}

/// The file that is linked to on the last line before a block.
fn linked(before: &str) -> Option<&str> {
    let line = before.lines().rev().find(|line| !line.trim().is_empty())?;
    line.rsplit_once("](")?.1.split_once(')').map(|(file, _)| file)
}

#[test]
fn programs_of_the_guide_are_the_files_that_it_names() {
    let mut shown = BTreeSet::new();
    for page in files(&guide(), "md") {
        let name = page.display();
        let text = std::fs::read_to_string(&page).unwrap();
        let mut sessions = 0;
        for (at, fence) in text.match_indices("```ser\n") {
            let block = text[at + fence.len()..].split("```").next().unwrap();
            let file = linked(&text[..at]).unwrap_or_else(|| panic!("{name}: no file is named before\n{block}"));
            let program = std::fs::read_to_string(guide().join(file)).unwrap_or_else(|error| panic!("{name}: {file}: {error}"));
            assert_eq!(block, program, "{name}: {file} has another text");
            assert!(text.contains(&format!("$ serval check docs/src/modelling/{file}")), "{name}: {file} is not checked");
            shown.insert(file.to_owned());
            sessions += 1;
        }
        assert!(sessions >= 2, "{name}: only {sessions} programs");
    }
    for file in files(&guide(), "ser") {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        assert!(shown.contains(&name), "{name} is on no page");
    }
}

#[test]
fn the_program_that_is_written_out_is_the_one_that_is_shown() {
    let page = std::fs::read_to_string(root().join("docs/src/language.md")).unwrap();
    let program = std::fs::read_to_string(root().join("docs/src/seats.ser")).unwrap();
    assert!(blocks(&page, "ser").contains(&program.as_str()));
}

#[test]
fn the_guide_is_in_the_summary_and_on_its_first_page() {
    for contents in ["docs/src/SUMMARY.md", "docs/src/modelling.md"] {
        let text = std::fs::read_to_string(root().join(contents)).unwrap();
        for page in files(&guide(), "md") {
            let link = format!("(modelling/{})", page.file_name().unwrap().to_string_lossy());
            assert!(text.contains(&link), "{contents} has no {link}");
        }
    }
}

#[test]
fn programs_of_the_guide_get_the_verdicts_that_they_expect() {
    let output = serval(&["check", "--format", "json", "docs/src/modelling"], b"");
    let lines = text(&output.stdout);
    let reports: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(reports.len(), files(&guide(), "ser").len());
    for report in &reports {
        let file = report["file"].as_str().unwrap();
        let program = std::fs::read_to_string(root().join(file)).unwrap();
        let expected = program.lines().next().unwrap().strip_prefix("// expect: ").unwrap_or_else(|| panic!("{file}: nothing is expected"));
        assert_eq!(report["verdict"].as_str(), expected.split(' ').next(), "{file}");
        // Requests that get stuck are not in the notes; warnings would be.
        assert_eq!(report["notes"].as_array().map_or(0, Vec::len), 0, "{file}: {}", report["notes"]);
    }
}
