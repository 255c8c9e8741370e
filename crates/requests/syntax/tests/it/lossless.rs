//! Whatever the text: nothing panics, the tree holds every byte, errors are
//! complete, and a program exists exactly if there is no error.

use proptest::prelude::*;
use serval_effort::{Sweep, side_by_side, skips, sweep};
use serval_syntax::{Severity, analyze, parse};

fn check(text: &str) {
    assert_eq!(parse(text).syntax().text().to_string(), text);
    let analysis = analyze(text);
    let errors: Vec<_> = analysis.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert_eq!(analysis.program.is_none(), !errors.is_empty(), "{text}");
    assert!(errors.iter().all(|d| d.expected.is_some() && d.help.is_some()), "{text}");
    assert!(analysis.diagnostics.is_sorted_by_key(|d| d.primary.span.start), "{text}");
    for label in analysis.diagnostics.iter().flat_map(|d| d.secondary.iter().chain([&d.primary])) {
        assert!(text.get(label.span.range()).is_some(), "{text}: {label:?}");
    }
    // Parsing has no memory: the same text gives the same again.
    assert_eq!(analysis.diagnostics, analyze(text).diagnostics);
}

const TOKENS: &[&str] = &[
    "request",
    "if",
    "else",
    "while",
    "yield",
    "return",
    "not",
    "and",
    "or",
    "x",
    "Y",
    "_",
    "foo",
    "0",
    "17",
    "3x",
    "1.5",
    ":=",
    "=",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "&&",
    "||",
    "&",
    "|",
    "!",
    "?",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ";",
    ";",
    ",",
    ":",
    ".",
    "..",
    "++",
    "+=",
    "<>",
    "===",
    "@",
    "\"a\"",
    "'",
    "−",
    "≠",
    "é",
    "：＝",
    "\u{a0}",
    "\u{feff}",
    "// c\n",
    "/* c */",
    "/*",
    "*/",
    "elif",
    "then",
    "let",
    "for",
    "lock",
    "--",
    "-9223372036854775808",
    "fn f",
    "async function",
    "def f(x):",
    "enum E {",
    "enum E { P, Q }",
    "const",
    "const N = 2",
    "var A: 0..3",
    "var B[0..2]: 0..1 wrap",
    "fn f(x) {",
    "f(",
    "B[",
    "B[x] :=",
    "lock(L)",
    "unlock(B[1])",
    "atomic {",
    "choose(1, 2)",
    "choose(0..",
    "for i in 0..2 {",
    "await (",
    "assume (x",
    "assert (",
    "invariant X",
    "skip",
    "request r(n: 0..1) {",
    "0..3",
    "global x",
    "await",
    "f(",
    "break",
    "continue",
    "min(1, x)",
    "max(",
    "return",
    "null",
    "begin",
    "break := 1",
    "try {",
    "switch (x) {",
    "do {",
    "UPDATE t SET",
    "COMMIT;",
    "let x =",
    "class C {",
    "X.y",
    "X.y(",
    "? 1 : 2",
    "??",
    "map[int]",
    "sleep(",
    "request := ",
    "{ \"a\": 1",
    "atomic",
    "request a {",
    "if (x) {",
    "} else {",
    "while (X == 0) { yield }",
    "X := 1, ",
    "9223372036854775808",
    "\r\n",
    "// expect: serializable\n",
];

const PROGRAM: &str = "// expect: serializable\nA := 100, B := -5\nrequest transfer {\n  while (L == 1) { yield };\n  L := 1;\n  a := A;\n  \
    yield; /* here */\n  if (a >= 10 && !(B == 3)) { A := a - 10; B := B + 10 } else if (?) { return 0 } else { 1 };\n  L := 0;\n  a\n}\n\
    request read { x := A; yield; not x or (x := 2; x % 3) }\n";

#[test]
fn the_program_is_right() {
    let analysis = analyze(PROGRAM);
    assert!(analysis.program.is_some(), "{:?}", analysis.diagnostics);
    check(PROGRAM);
}

#[test]
fn every_prefix_and_every_hole() {
    for (at, _) in PROGRAM.char_indices() {
        check(&PROGRAM[..at]);
        check(&PROGRAM[at..]);
        let mut hole = PROGRAM.to_owned();
        hole.remove(at);
        check(&hole);
    }
}

/// Every text of a few tokens, alone and in a request: these find what a
/// parser forgets to report.
#[test]
fn every_short_text() {
    if skips("syntax.every_short_text") {
        return;
    }
    let words = [
        "request",
        "if",
        "else",
        "while",
        "yield",
        "return",
        "not",
        "and",
        "fn",
        "async",
        "await",
        "global",
        "enum",
        "x",
        "f",
        "1",
        "9223372036854775808",
        ":=",
        "=",
        "-",
        "--",
        "+",
        "(",
        ")",
        "[",
        "{",
        "}",
        ";",
        ":",
        "\"a\"",
        "é",
        "@",
        "*/",
    ];
    side_by_side(&words, |first| {
        for (second, third) in words.iter().flat_map(|second| words.iter().map(move |third| (second, third))) {
            let text = format!("{first} {second} {third}");
            check(&text);
            check(&format!("request r {{ {text} }}"));
        }
    });
}

fn config(sweep: Sweep) -> ProptestConfig {
    ProptestConfig::with_cases(u32::try_from(sweep.count()).unwrap())
}

proptest! {
    #![proptest_config(config(sweep("syntax.lossless", 128, 256)))]

    #[test]
    fn token_soup(tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..60), blank in prop::sample::select(&["", " ", "\n"][..])) {
        check(&tokens.join(blank));
    }

    #[test]
    fn soup_in_a_request(tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..30)) {
        check(&format!("request a {{ {} }} request b {{ X := 1 }}", tokens.join(" ")));
    }

    #[test]
    fn any_characters(text in "\\PC*") {
        check(&text);
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn mutated_program(changes in prop::collection::vec((any::<prop::sample::Index>(), 0..3usize, prop::sample::select(TOKENS)), 1..6)) {
        let mut text = PROGRAM.to_owned();
        for (place, kind, token) in changes {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            if places.is_empty() {
                break;
            }
            let at = places[place.index(places.len())];
            match kind {
                0 => { text.remove(at); }
                1 => text.insert_str(at, token),
                _ => { text.remove(at); text.insert_str(at, token); }
            }
        }
        check(&text);
    }
}
