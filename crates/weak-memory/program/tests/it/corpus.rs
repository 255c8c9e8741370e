//! Replays the fuzzer's corpus: what is found once is checked ever after, without the fuzzer and with the ordinary
//! compiler.

#[path = "../../../../../fuzz/checks/tso.rs"]
mod tso;

use std::collections::BTreeSet;
use std::path::Path;

use serval_tso_program::{Syntax, codes};

fn replayed(name: &str, syntax: Syntax) -> BTreeSet<&'static str> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fuzz/corpus").join(name);
    let mut files: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut accepted, mut seen) = (0, BTreeSet::new());
    for path in &files {
        // The fuzzer gives bytes that are no text no further thought either.
        let Ok(text) = String::from_utf8(std::fs::read(path).unwrap()) else { continue };
        let shown = path.file_name().unwrap().to_string_lossy().into_owned();
        if syntax == Syntax::Tso {
            tso::check_lexemes(&text);
        }
        let result = tso::check(&text, syntax);
        assert_eq!(result.is_err(), shown.starts_with("bad-"), "{shown}: {result:?}");
        match result {
            Ok(()) => accepted += 1,
            Err(diagnostics) => seen.extend(diagnostics.iter().map(|diagnostic| diagnostic.code.0)),
        }
    }
    assert!(accepted > 0, "fuzz/corpus/{name} has no text that is read");
    seen
}

#[test]
fn the_corpora_are_replayed() {
    let mut seen = replayed("tso", Syntax::Tso);
    seen.extend(replayed("litmus", Syntax::Litmus));
    // A value that leaves its range is found where programs are run; what is only warned of does not keep a program
    // from being read.
    let missing = codes().iter().map(|info| info.code.0).filter(|code| code.starts_with('E') && *code != "E0611" && !seen.contains(code));
    assert_eq!(missing.collect::<Vec<_>>(), [] as [&str; 0], "codes without a file in the corpus");
}
