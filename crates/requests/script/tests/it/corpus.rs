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
