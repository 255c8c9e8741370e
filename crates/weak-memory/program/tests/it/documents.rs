//! Programs and litmus tests in the book are read, and the page on the language has every construct.

use std::collections::BTreeSet;
use std::path::Path;

use serval_tso_program::{read, read_litmus};

fn page(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/src").join(name)).unwrap()
}

/// The fenced blocks of one kind.
fn blocks<'t>(text: &'t str, kind: &str) -> Vec<&'t str> {
    let fence = format!("```{kind}\n");
    text.match_indices(&fence).filter_map(|(at, _)| text[at + fence.len()..].split("```").next()).collect()
}

#[test]
fn every_program_of_the_book_is_read() {
    for (name, programs, tests) in [("weak-memory.md", 2, 0), ("weak-memory-language.md", 8, 0), ("litmus.md", 0, 1)] {
        let text = page(name);
        let (found, litmus) = (blocks(&text, "tso"), blocks(&text, "litmus"));
        assert!(found.len() >= programs && litmus.len() >= tests, "{name}");
        for program in found {
            assert!(read(program).is_ok(), "{name}: {:?}\n{program}", read(program));
        }
        for test in litmus {
            assert!(read_litmus(test).is_ok(), "{name}: {:?}\n{test}", read_litmus(test));
        }
    }
}

#[test]
fn the_page_on_the_language_has_every_construct() {
    let text = page("weak-memory-language.md");
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for program in blocks(&text, "tso") {
        seen.extend(serval_tso_program::lexemes(program).unwrap().iter().map(|span| program[span.range()].to_owned()));
    }
    let words = "memory values wrap thread never exists forall skip fence goto break assume assert if else while loop atomic xchg fadd cas";
    let signs = ":= == != <= >= && || .. { } ( ) [ ] ; , : @ . = < > ! + - * %";
    for construct in words.split(' ').chain(signs.split(' ')) {
        assert!(seen.contains(construct), "`{construct}` is in no program of the page");
    }
}
