//! Replays the fuzzer's corpus: what is found once is checked ever after,
//! without the fuzzer and with the ordinary compiler.

#[path = "../../../fuzz/checks/json.rs"]
mod json;

use std::path::Path;

#[test]
fn the_corpus_of_network_systems_is_replayed() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/json");
    let entries = std::fs::read_dir(&directory).unwrap_or_else(|error| panic!("fuzz/corpus/json: {error}"));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut accepted, mut refused) = (0, 0);
    for path in &files {
        // The fuzzer gives bytes that are no text no further thought either.
        let Ok(text) = String::from_utf8(std::fs::read(path).unwrap()) else { continue };
        println!("{}", path.file_name().unwrap().to_string_lossy());
        match json::check(&text) {
            Ok(()) => accepted += 1,
            Err(_) => refused += 1,
        }
    }
    println!("replayed {} of {} files: {accepted} accepted, {refused} refused", accepted + refused, files.len());
    assert!(accepted > 0 && refused > 0, "fuzz/corpus/json is empty or one-sided");
}
