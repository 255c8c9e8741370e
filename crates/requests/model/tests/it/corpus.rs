//! Replays the fuzzer's corpus: what is found once is checked ever after,
//! without the fuzzer and with the ordinary compiler.

#[path = "../../../../../fuzz/checks/json.rs"]
mod json;

use std::collections::BTreeSet;
use std::path::Path;

use serval_model::JSON_ERROR_CODES;

#[test]
fn the_corpus_of_network_systems_is_replayed() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fuzz/corpus/json");
    let entries = std::fs::read_dir(&directory).unwrap_or_else(|error| panic!("fuzz/corpus/json: {error}"));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut accepted, mut refused, mut seen) = (0, 0, BTreeSet::new());
    for path in &files {
        // The fuzzer gives bytes that are no text no further thought either.
        let Ok(text) = String::from_utf8(std::fs::read(path).unwrap()) else { continue };
        println!("{}", path.file_name().unwrap().to_string_lossy());
        match json::check(&text) {
            Ok(()) => accepted += 1,
            Err(error) => {
                refused += 1;
                seen.insert(error.code);
            }
        }
    }
    println!("replayed {} of {} files: {accepted} accepted, {refused} refused", accepted + refused, files.len());
    assert!(accepted > 0 && refused > 0, "fuzz/corpus/json is empty or one-sided");
    // A file over the limit (E0408) has no place in the repository, and
    // several systems are wrong (E0410) only for who asks for one.
    let missing = JSON_ERROR_CODES.iter().map(|&(code, _)| code).filter(|code| !["E0408", "E0410"].contains(code) && !seen.contains(code));
    assert_eq!(missing.collect::<Vec<_>>(), [] as [&str; 0], "codes without a file in the corpus");
}
