//! Certificates of earlier versions are still accepted: one of each kind, as it was written then, with its input.

use std::process::Command;

use crate::support::root;

/// The text with another digit in its last line that has one: in a number, or in a name.
fn altered(text: &str) -> String {
    let at = text.rfind(|char: char| char.is_ascii_digit()).expect("a digit");
    format!("{}{}{}", &text[..at], if text[at..].starts_with('1') { "2" } else { "1" }, &text[at + 1..])
}

#[test]
fn certificates_of_before_are_accepted() {
    let folder = root().join("crates/product/verify/tests/before");
    let mut seen = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let input = entry.unwrap().path();
        if input.extension().is_some_and(|ending| ending == "json") {
            continue;
        }
        let certificate = input.with_extension("certificate.json");
        let output = Command::new(env!("CARGO_BIN_EXE_serval-verify")).args([&input, &certificate]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{}: {text}{}", input.display(), String::from_utf8_lossy(&output.stderr));
        // Another input is another question.
        let (other, changed) = (
            std::fs::read_to_string(&input).unwrap(),
            std::env::temp_dir().join(format!("serval-before-{}-{}", std::process::id(), input.file_name().unwrap().to_string_lossy())),
        );
        std::fs::write(&changed, altered(&other)).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_serval-verify")).args([&changed, &certificate]).output().unwrap();
        std::fs::remove_file(&changed).unwrap();
        assert!(!output.status.success(), "{}", input.display());
        seen += 1;
    }
    assert!(seen >= 25, "{seen}");
}
