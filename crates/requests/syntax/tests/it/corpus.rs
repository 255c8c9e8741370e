//! Replays the fuzzer's corpus: what is found once is checked ever after,
//! without the fuzzer and with the ordinary compiler.

#[path = "../../../../../fuzz/checks/syntax.rs"]
mod syntax;

use std::collections::BTreeSet;
use std::path::Path;

use serval_syntax::codes;

#[test]
fn the_corpus_of_the_parser_is_replayed() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fuzz/corpus/parser");
    let entries = std::fs::read_dir(&directory).unwrap_or_else(|error| panic!("fuzz/corpus/parser: {error}"));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut programs, mut refused, mut seen) = (0, 0, BTreeSet::new());
    for path in &files {
        // The fuzzer gives bytes that are no text no further thought either.
        let Ok(text) = String::from_utf8(std::fs::read(path).unwrap()) else { continue };
        println!("{}", path.file_name().unwrap().to_string_lossy());
        let analysis = syntax::check(&text);
        seen.extend(analysis.diagnostics.iter().map(|diagnostic| diagnostic.code));
        match analysis.program {
            Some(_) => programs += 1,
            None => refused += 1,
        }
    }
    println!("replayed {} of {} files: {programs} programs, {refused} texts with errors", programs + refused, files.len());
    assert!(programs > 0 && refused > 0, "fuzz/corpus/parser is empty or one-sided");
    // A file over the limit has no place in the repository.
    let missing = codes().iter().map(|info| info.code).filter(|code| *code != codes::TOO_LARGE && !seen.contains(code));
    assert_eq!(missing.collect::<Vec<_>>(), [], "codes without a file in the corpus");
}
