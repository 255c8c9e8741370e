//! What does not matter does not change the answer: the order of requests, the
//! names of variables and states, blanks and comments.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use serde_json::Value;
use serval_effort::side_by_side;
use serval_testkit::random::{SplitMix64, random_layout};
use serval_testkit::say;
use serval_testkit::suite::data_dir;

use crate::support::{directory, serval, text};

/// The kinds of variants of a file: which of the changes are made.
const KINDS: u64 = 10;

/// A word, a number, or some other characters.
fn tokens(program: &str) -> Vec<String> {
    let plain: String = program.lines().map(|line| line.split("//").next().unwrap_or("").to_owned() + "\n").collect();
    assert!(!plain.contains("/*"), "only line comments are taken out here");
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut tokens: Vec<String> = Vec::new();
    for letter in plain.chars() {
        match tokens.last_mut() {
            Some(last) if is_word(letter) && last.ends_with(is_word) => last.push(letter),
            _ => tokens.push(letter.to_string()),
        }
    }
    tokens
}

/// Where the requests of a program begin and end, in its tokens.
fn requests(tokens: &[String]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let (mut begin, mut depth) = (0, 0);
    for (at, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "request" if depth == 0 => begin = at,
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                if depth == 0 {
                    found.push((begin, at + 1));
                }
            }
            _ => {}
        }
    }
    found
}

/// Two requests change places.
fn swapped(tokens: &[String], rng: &mut SplitMix64) -> Vec<String> {
    let found = requests(tokens);
    if found.len() < 2 {
        return tokens.to_vec();
    }
    let first = rng.below(found.len() - 1);
    let second = first + 1 + rng.below(found.len() - first - 1);
    let ((a, a_end), (b, b_end)) = (found[first], found[second]);
    [&tokens[..a], &tokens[b..b_end], &tokens[a_end..b], &tokens[a..a_end], &tokens[b_end..]].concat()
}

/// Variables get other names, globals such that are sorted otherwise.
fn renamed(tokens: &[String], rng: &mut SplitMix64) -> Vec<String> {
    const KEYWORDS: &[&str] = &["request", "if", "else", "while", "yield", "return", "and", "or", "not"];
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut out: Vec<String> = Vec::new();
    let mut before = "";
    for token in tokens {
        let is_name = token.starts_with(char::is_alphabetic) && !KEYWORDS.contains(&token.as_str()) && before != "request";
        if is_name {
            let count = names.len();
            let fresh = || format!("{}{}_{count}", if token.starts_with(char::is_uppercase) { "G" } else { "l" }, rng.below(100));
            out.push(names.entry(token.clone()).or_insert_with(fresh).clone());
        } else {
            out.push(token.clone());
        }
        if !token.trim().is_empty() {
            before = token;
        }
    }
    out
}

/// A variant of a program.
fn program(original: &str, variant: u64, seed: u64) -> String {
    let rng = &mut SplitMix64::new(seed);
    let mut tokens = tokens(original);
    if matches!(variant, 0..=2 | 8..) {
        tokens = swapped(&tokens, rng);
    }
    if matches!(variant, 3..=5 | 8..) {
        tokens = renamed(&tokens, rng);
    }
    let text = tokens.concat();
    if matches!(variant, 6..) { random_layout(&text, rng.next_u64()) } else { text }
}

fn shuffle<T>(items: &mut [T], rng: &mut SplitMix64) {
    for at in (1..items.len()).rev() {
        items.swap(at, rng.below(at + 1));
    }
}

/// A variant of a system: its lists in another order, its states with other
/// names.
fn system(original: &str, variant: u64, seed: u64) -> String {
    let rng = &mut SplitMix64::new(seed);
    let mut system: Value = serde_json::from_str(original).unwrap();
    let salt = rng.below(1000);
    // Names in the reverse of their order, in some variants.
    let name = |kind: &str, old: &Value| {
        let old = old.as_str().unwrap();
        let letters: String = if variant.is_multiple_of(2) { old.chars().rev().collect() } else { old.to_owned() };
        Value::String(format!("{letters} {kind}{salt}"))
    };
    let rename = |rows: &mut Value, kinds: &[&str]| {
        for row in rows.as_array_mut().unwrap() {
            for (cell, kind) in row.as_array_mut().unwrap().iter_mut().zip(kinds) {
                if !kind.is_empty() {
                    *cell = name(kind, cell);
                }
            }
        }
    };
    if variant >= 3 {
        system["initial_global"] = name("g", &system["initial_global"]);
        rename(&mut system["requests"], &["", "l"]);
        rename(&mut system["responses"], &["l", ""]);
        rename(&mut system["transitions"], &["l", "g", "l", "g"]);
    }
    for list in ["requests", "responses", "transitions"] {
        shuffle(system[list].as_array_mut().unwrap(), rng);
    }
    if variant.is_multiple_of(3) { serde_json::to_string_pretty(&system).unwrap() } else { system.to_string() }
}

/// Verdict and method for each file, by the name of the file.
fn answers(files: &[&Path]) -> BTreeMap<String, (String, String)> {
    let mut arguments = vec!["check", "--format", "json", "--no-times", "--exit-zero"];
    arguments.extend(files.iter().map(|file| file.to_str().unwrap()));
    let output = serval(&arguments, b"");
    let lines = text(&output.stdout);
    let mut answers = BTreeMap::new();
    for line in lines.lines() {
        let report: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let file = Path::new(report["file"].as_str().unwrap()).file_name().unwrap().to_str().unwrap().to_owned();
        let verdict = report["verdict"].as_str().unwrap_or_else(|| panic!("{report}")).to_owned();
        answers.insert(file, (verdict, report["method"].to_string()));
    }
    assert_eq!(answers.len(), files.len(), "{}", text(&output.stderr));
    answers
}

#[test]
fn variants_have_the_same_verdict_by_the_same_method() {
    let Some(suite) = data_dir("suite") else { return };
    let start = Instant::now();
    let sweep = serval_effort::sweep("cli.variants", 5, 10);
    // A few variants are of kinds that are far from one another; many are of all kinds.
    let variants: Vec<u64> = (0..sweep.count()).map(|index| index * KINDS / sweep.count().min(KINDS)).collect();
    let directory = directory("variants");
    let expected = std::fs::read_to_string(suite.join("expected.csv")).unwrap();
    let rows: Vec<&str> = expected.lines().skip(1).collect();
    let results = side_by_side(&rows, |line| {
        let mut fields = line.split(',');
        let (file, verdict) = (fields.next().unwrap(), fields.next().unwrap());
        let original = std::fs::read_to_string(suite.join(file)).unwrap();
        let (mut files, mut changed) = (vec![suite.join(file)], 0);
        for &variant in &variants {
            let seed = sweep.seed(variant + 1);
            let text = if file.ends_with(".json") { system(&original, variant, seed) } else { program(&original, variant, seed) };
            let (stem, extension) = file.split_once('.').unwrap();
            let path = directory.join(format!("{stem}-{variant}.{extension}"));
            std::fs::write(&path, &text).unwrap();
            changed += usize::from(text != original);
            files.push(path);
        }
        let files: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
        let answers = answers(&files);
        let of_original = &answers[file];
        assert!([verdict, "unknown"].contains(&of_original.0.as_str()), "{file}: {of_original:?}");
        for (name, answer) in &answers {
            assert_eq!(answer, of_original, "{name}\n{}", std::fs::read_to_string(directory.join(name)).unwrap_or_default());
        }
        (of_original.clone(), changed)
    });
    let (count, changed) = (results.len() * variants.len(), results.iter().map(|(_, changed)| changed).sum::<usize>());
    let mut by_method = BTreeMap::new();
    for (answer, _) in results {
        *by_method.entry(answer).or_insert(0) += 1;
    }
    say(&format!("variants: {count} of 47 files, {changed} with another text, all answered as the original, in {:?}", start.elapsed()));
    for ((verdict, method), files) in by_method {
        say(&format!("  {files:>3} {verdict} {method}"));
    }
    assert_eq!(count, 47 * variants.len());
}
