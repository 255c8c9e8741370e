//! Versions are shown as they are written: no report shows the slots that they stand for.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn serval(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_serval"));
    let output = command.args(arguments).current_dir(root()).env("LC_ALL", "C.UTF-8").env("COLUMNS", "").output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// A file that is gone when the test is over.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, text: &str) -> Self {
        let path = std::env::temp_dir().join(format!("serval-versions-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The second request writes without looking whether the version is still the one that was read.
const BLIND: &str = "version Tag: 2
var Page: 0..3 wrap
request edit { seen := Tag; old := Page; yield; Page := old + 1; changed := seen != Tag; fresh(Tag); 10 * changed + old }
";

#[test]
fn a_verdict_says_how_many_versions_may_be_held() {
    let file = "examples/entity-tags.ser";
    let text = serval(&["check", "--no-cache", "--no-times", file]);
    let expected = format!(
        "serializable  {file}   for any number of concurrent requests, if at most 2 versions of Tag are held at once   certificate checked\n"
    );
    assert_eq!(text, expected);
    assert_eq!(serval(&["check", "--no-cache", "--no-times", "-q", file]), expected);
    let json = serval(&["check", "--no-cache", "--no-times", "--format", "json", file]);
    assert!(json.contains(r#""assumes":["at most 2 versions of Tag are held at once"]"#), "{json}");
    let markdown = serval(&["check", "--no-cache", "--format", "markdown", file]);
    assert!(markdown.contains("concurrent requests, if at most 2 versions of Tag are held at once."), "{markdown}");
    // A run is a run of the program with numbers, and takes nothing for granted.
    let blind = Scratch::new("verdict.ser", BLIND);
    let json = serval(&["check", "--no-cache", "--no-times", "--format", "json", blind.path()]);
    assert!(json.contains("not-serializable") && !json.contains("assumes"), "{json}");
}

#[test]
fn runs_are_told_in_the_words_of_the_program() {
    let blind = Scratch::new("words.ser", BLIND);
    let text = serval(&["check", "--no-cache", blind.path()]);
    for words in ["Tag ➜ current", "Tag ➜ stale", "Tag = fresh", "lost update"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    for format in ["text", "sarif", "github", "markdown"] {
        let written = serval(&["check", "--no-cache", "--format", format, blind.path()]);
        assert!(!written.contains("Tag["), "{format}: {written}");
    }
    let undecided = serval(&["check", "--no-cache", "-v", "--method", "lipton", blind.path()]);
    assert!(undecided.contains("(writes Tag)") && !undecided.contains("Tag["), "{undecided}");
    let page = Scratch::new("page.html", "");
    serval(&["check", "--no-cache", "--html", page.path(), blind.path()]);
    let written = std::fs::read_to_string(page.path()).unwrap();
    // Pictures of the network system have the names of its states.
    let (told, _) = written.split_once("id=\"figure-1\"").unwrap();
    assert!(told.contains("Tag = fresh") && told.contains("a version") && !told.contains("Tag["), "{told}");
    let json: serde_json::Value = serde_json::from_str(&serval(&["check", "--no-cache", "--format", "json", blind.path()])).unwrap();
    let run = &json["counterexample"];
    let accesses: Vec<String> = run["steps"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|step| step["accesses"].as_array().cloned().unwrap_or_default())
        .map(|access| format!("{} {} {}", access["var"], access["op"], access["name"]))
        .collect();
    assert!(accesses.contains(&r#""Tag" "write" "fresh""#.to_owned()) && accesses.contains(&r#""Tag" "read" "stale""#.to_owned()));
    assert!(accesses.iter().all(|access| !access.contains('[')), "{accesses:?}");
    for (name, values) in run["states"].as_object().unwrap().iter().filter(|(name, _)| name.starts_with("Tag")) {
        assert_eq!(values.as_object().unwrap().keys().collect::<Vec<_>>(), ["Page"], "{name}");
    }
}

#[test]
fn the_simulator_tells_who_holds_versions() {
    let blind = Scratch::new("run.ser", BLIND);
    let text = serval(&["run", blind.path(), "--requests", "3", "--seed", "4"]);
    assert!(text.contains("Tag ➜ current") && text.contains("Tag: held by no request") && !text.contains("Tag["), "{text}");
    let trace = Scratch::new("trace.json", "");
    serval(&["check", "--no-cache", "-q", "--trace", trace.path(), blind.path()]);
    let again = serval(&["run", blind.path(), "--replay", trace.path()]);
    assert!(again.contains("Tag = fresh") && !again.contains("Tag["), "{again}");
}

#[test]
fn a_request_that_waits_for_a_version_is_not_called_stuck_for_sure() {
    let both = "version Tag: 2\nrequest twice { a := Tag; yield; b := Tag; yield; X := 1 - X; (a == Tag) + 2 * (b == Tag) }\n";
    let both = Scratch::new("stuck.ser", both);
    let text = serval(&["check", "--no-cache", "--no-times", both.path()]);
    assert!(text.contains("can get stuck for ever on line 2, or waits for a version while all that may be are held"), "{text}");
}

#[test]
fn the_formatter_and_the_pages_know_versions() {
    let untidy = Scratch::new("fmt.ser", "version   Tag :2\nrequest a { t:=Tag;yield;if(t==Tag){fresh( Tag )};0 }\n");
    serval(&["fmt", untidy.path()]);
    let tidy = std::fs::read_to_string(untidy.path()).unwrap();
    assert!(tidy.starts_with("version Tag: 2\n") && tidy.contains("fresh(Tag)") && tidy.contains("t := Tag;"), "{tidy}");
    assert!(serval(&["explain", "version"]).contains("a number that never repeats"));
}
