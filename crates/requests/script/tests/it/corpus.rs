//! The forty files of the data `await` become programs without mistakes. Nothing is decided here.

use serval_testkit::suite::data_dir;

use crate::translated;

#[test]
fn the_given_files_become_programs() {
    let Some(place) = data_dir("await") else { return };
    let mut names: Vec<String> = std::fs::read_dir(&place)
        .expect("the data can be listed")
        .map(|entry| entry.expect("the data can be listed").file_name().to_string_lossy().into_owned())
        .filter(|name| serval_script::Language::of(name).is_some())
        .collect();
    names.sort();
    assert_eq!(names.len(), 40);
    let mut wrong = Vec::new();
    for name in &names {
        let text = std::fs::read_to_string(place.join(name)).expect("the data can be read");
        match translated(name, &text) {
            Err(said) => wrong.push(format!("{name}: {said:?}")),
            Ok(made) => {
                let analysis = serval_syntax::analyze(&made.text);
                if analysis.program.is_none() {
                    wrong.push(format!("{name}: {:?}", analysis.diagnostics.first().map(|one| &one.message)));
                }
                assert_eq!(made.text.lines().count(), made.places.len(), "{name}: a place for each line");
                assert!(!made.requests.is_empty(), "{name}: no request");
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What ESLint says is recorded by `scripts/atomic-updates`; the page has a table of it.
#[test]
fn the_page_has_what_eslint_says() {
    let Some(place) = data_dir("await") else { return };
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let read = |path: std::path::PathBuf| std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    let recorded = read(root.join("crates/requests/script/tests/atomic-updates.tsv"));
    let expected = read(place.join("expected.tsv"));
    let is_racy = |name: &str| expected.lines().any(|line| line.starts_with(&format!("{name}\t")) && line.contains("\tnot serializable\t"));
    let (mut hits, mut alarms, mut racy, mut files) = (0, 0, 0, 0);
    for line in recorded.lines() {
        let (name, lines) = line.split_once('\t').expect("a name and lines");
        let (found, race) = (lines != "-", is_racy(name));
        files += 1;
        racy += usize::from(race);
        hits += usize::from(found && race);
        alarms += usize::from(found && !race);
    }
    assert_eq!((files, racy), (40, 20));
    let row = format!("| `require-atomic-updates` of ESLint 9.39.1 | {hits} | {alarms} |");
    assert!(read(root.join("docs/src/handlers.md")).contains(&row), "{row}");
}
