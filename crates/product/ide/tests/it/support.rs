//! Texts that tests share.

use std::path::Path;

use serval_testkit::random::{Shape, random_convenience, random_program};
use serval_testkit::suite::data_dir;

fn programs_in(directory: &Path, found: &mut Vec<(String, String)>) {
    let mut paths: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            programs_in(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "ser") {
            found.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
        }
    }
}

/// The programs of the repository.
pub(crate) fn examples() -> Vec<(String, String)> {
    let mut found = Vec::new();
    programs_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples"), &mut found);
    assert!(found.len() > 50);
    found
}

/// The same, and those of the published suite where it is there.
pub(crate) fn given() -> Vec<(String, String)> {
    let mut found = examples();
    if let Some(suite) = data_dir("suite") {
        programs_in(&suite, &mut found);
    }
    found
}

/// A random program of this seed: of the core, or with convenience forms.
pub(crate) fn random(seed: u64) -> String {
    match seed % 3 {
        0 => random_program(seed, Shape::HandlerLike),
        1 => random_program(seed, Shape::ExpressionHeavy),
        _ => random_convenience(seed).text,
    }
}

/// A text with marks: `$0` is the place that is asked about, and is taken out.
pub(crate) fn marked(text: &str) -> (String, u32) {
    let at = text.find("$0").unwrap();
    (text.replacen("$0", "", 1), u32::try_from(at).unwrap())
}
