//! Sources and book name who acts: a request, a caller, the checker, a user.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::support::root;

/// Words that leave open who acts.
const VAGUE: [&str; 4] = ["nobody", "somebody", "whoever", "anybody"];
/// How many of them may stay, where a person is meant.
const MOST_VAGUE: usize = 30;
/// The longest line of a comment, with what it is indented by.
const LONGEST: usize = 120;
/// In how many crates types of one name may be, so that a search for the name finds the one that is meant.
const MOST_CRATES: usize = 3;
/// Names that say the same everywhere.
const COMMON: [&str; 4] = ["Options", "Outcome", "Kind", "Error"];
/// Kinds of files that people write.
const WRITTEN: [&str; 11] = ["rs", "md", "ser", "tso", "net", "toml", "trycmd", "stderr", "js", "v", "ml"];
/// Directories that are made, or that hold inputs as they were found.
const LEFT_OUT: [&str; 8] = [
    "target",
    "fuzz/target",
    "fuzz/corpus",
    "fuzz/artifacts",
    "proofs/_build",
    "web/node_modules",
    "web/dist",
    "editors/vscode/node_modules",
];

/// All files of these kinds, as paths from the root of the repository, in order.
fn written(kinds: &[&str]) -> Vec<PathBuf> {
    let root = root();
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(root.join(&directory)).unwrap() {
            let entry = entry.unwrap();
            let path = directory.join(entry.file_name());
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            if is_hidden || LEFT_OUT.iter().any(|out| path == Path::new(out)) {
                continue;
            }
            if entry.file_type().unwrap().is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|has| kinds.iter().any(|kind| has == *kind)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The lines of a file, from 1.
fn lines(path: &Path) -> Vec<(usize, String)> {
    // Some files are not text, on purpose.
    let bytes = std::fs::read(root().join(path)).unwrap();
    (1..).zip(String::from_utf8_lossy(&bytes).lines().map(str::to_owned)).collect()
}

fn vague_words(line: &str) -> usize {
    let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| VAGUE.iter().any(|vague| word.eq_ignore_ascii_case(vague))).count()
}

/// A sentence has a subject that acts, in the words of the field. The message of a failure lists all places.
#[test]
fn sentences_name_who_acts() {
    let mut places = Vec::new();
    // This file has the words in a list.
    for path in written(&WRITTEN).into_iter().filter(|path| !path.ends_with("book/wording.rs")) {
        for (number, line) in lines(&path) {
            places.extend(std::iter::repeat_n(format!("{}:{number}: {}", path.display(), line.trim()), vague_words(&line)));
        }
    }
    assert!(places.len() <= MOST_VAGUE, "{} of {}, at most {MOST_VAGUE}:\n{}", places.len(), VAGUE.join(", "), places.join("\n"));
}

#[test]
fn words_are_counted_whole() {
    assert_eq!(vague_words("Nobody knows, and somebody's flag: whoever raises it."), 3);
    assert_eq!(vague_words("nobody_comes is a name, and busybody is another word"), 0);
}

/// Comments can be read side by side with something else.
#[test]
fn comment_lines_have_at_most_120_characters() {
    let mut places = Vec::new();
    for path in written(&["rs"]) {
        for (number, line) in lines(&path) {
            if line.trim_start().starts_with("//") && line.chars().count() > LONGEST {
                places.push(format!("{}:{number}", path.display()));
            }
        }
    }
    assert!(places.is_empty(), "{} lines of comments are longer than {LONGEST}:\n{}", places.len(), places.join("\n"));
}

/// The name of the type that a line begins to define; associated types, which an `impl` or a trait has, are none.
fn defined_type(line: &str) -> Option<&str> {
    let (words, is_indented) = (line.trim_start(), line.starts_with(' '));
    let words = match words.strip_prefix("pub(") {
        Some(rest) => rest.split_once(") ")?.1,
        None => words.strip_prefix("pub ").unwrap_or(words),
    };
    let kinds = ["struct ", "enum ", "trait ", "union ", "type "];
    let kind = kinds.into_iter().find(|kind| words.starts_with(kind) && !(is_indented && *kind == "type "))?;
    let name = words[kind.len()..].split(|c: char| !c.is_alphanumeric()).next()?;
    name.starts_with(|c: char| c.is_ascii_uppercase()).then_some(name)
}

#[test]
fn types_are_found_by_their_names() {
    let mut crates: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in written(&["rs"]) {
        let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        let is_test = path.file_name().is_some_and(|name| name == "tests.rs") || parts.iter().any(|part| part == "tests");
        let ["crates", wing, room, "src", ..] = parts.iter().map(String::as_str).collect::<Vec<_>>()[..] else { continue };
        if is_test {
            continue;
        }
        for (_, line) in lines(&path) {
            if let Some(name) = defined_type(&line) {
                crates.entry(name.to_owned()).or_default().insert(format!("{wing}/{room}"));
            }
        }
    }
    assert!(crates.len() > 800, "only {} names are found", crates.len());
    crates.retain(|name, rooms| rooms.len() > MOST_CRATES && !COMMON.contains(&name.as_str()));
    assert!(crates.is_empty(), "names of types in more than {MOST_CRATES} crates: {crates:#?}");
}

#[test]
fn definitions_of_types_are_found() {
    let texts = [
        "pub struct Net {",
        "pub(crate) enum Why<'a> {",
        "    struct Inner;",
        "    type Stop = Fault;",
        "type At = u32;",
        "structure",
        "fn f()",
    ];
    assert_eq!(texts.map(defined_type), [Some("Net"), Some("Why"), Some("Inner"), None, Some("At"), None, None]);
}

/// Sentences that readers stumbled over, in two halves so that they do not stand here.
const STILTED: [(&str, &str); 10] = [
    ("and that no run of fewer than", " 2^40 operations takes out"),
    ("as one request must have slots", " enough for itself"),
    ("waits for more changes than", " the others ever make are not tried"),
    ("leaves the range of values to be", " one that cannot be made"),
    ("The exception is", " honest names"),
    ("what has no shape", " of its own, such as"),
    ("of the sets would", " do"),
    ("Say nothing but errors on standard", " error; of check"),
    ("and nothing that he", " does not care about"),
    ("0 done and all", " is well, 1 not so"),
];

#[test]
fn stilted_sentences_stay_rewritten() {
    for path in written(&["rs", "md", "trycmd"]) {
        let text = String::from_utf8_lossy(&std::fs::read(root().join(&path)).unwrap()).split_whitespace().collect::<Vec<_>>().join(" ");
        for (begin, end) in STILTED {
            assert!(!text.contains(&format!("{begin}{end}")), "{}: {begin}{end}", path.display());
        }
    }
}
