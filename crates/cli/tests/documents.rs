//! Programs and systems in the documentation are what they seem.

#![expect(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

use std::path::{Path, PathBuf};

use serval_compile::{Options, compile};
use serval_model::{Budget, systems_from_json};

/// The fenced blocks of one kind.
fn blocks<'a>(text: &'a str, kind: &str) -> Vec<&'a str> {
    let fence = format!("```{kind}\n");
    text.match_indices(&fence).filter_map(|(at, _)| text[at + fence.len()..].split("```").next()).collect()
}

fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pages = std::fs::read_dir(root.join("docs/src")).unwrap().map(|entry| entry.unwrap().path());
    let mut documents: Vec<PathBuf> = pages.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect();
    documents.push(root.join("README.md"));
    documents.sort();
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
