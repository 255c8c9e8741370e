//! Warnings and notes, and that right programs have none.

use serval_syntax::{Severity, analyze};

/// The findings of a text as `code:place`.
fn findings(text: &str) -> Vec<String> {
    let analysis = analyze(text);
    assert!(analysis.program.is_some(), "{text}: {:?}", analysis.diagnostics);
    analysis.diagnostics.iter().map(|d| format!("{}:{}", d.code, &text[d.primary.span.range()])).collect()
}

#[test]
fn each_finding() {
    let cases: &[(&str, &[&str])] = &[
        ("request a { x := X; yield; X := x + 1 }", &["W0204:x"]),
        ("request a { y := X; yield; X := y + 1 }", &[]),
        ("request a { y }", &["W0201:y"]),
        ("request a { y + y; y }", &["W0201:y"]),
        ("request a { y := 1; y } request b { y }", &["W0201:y"]),
        ("request a { X }", &["W0201:X"]),
        ("A := 1 request a { A }", &[]),
        ("A := 1 request a { 0 }", &["N0202:A"]),
        ("request a { X } request b { X := 1 }", &[]),
        ("request a { X := 1 }", &["N0202:X"]),
        ("request a { X := 1; x }", &["N0202:X", "W0201:x"]),
        ("request a { X := 1; x := X } request b { x := 2 }", &["W0204:x"]),
        ("request a { _y := _Y; _Y := 1 }", &["W0204:_y"]),
        ("request a { 1 } request a { 2 } request a { 3 }", &["W0205:a", "W0205:a"]),
        ("request a { return 1; 2; 3 }", &["W0203:2; 3"]),
        ("request a { if (?) { return 1 }; 2 }", &[]),
        ("request a { if (?) { return 1 } else { return 2 }; 3 }", &["W0203:3"]),
        ("request a { if (?) { return 1; 4 } else { 2 }; 3 }", &["W0203:4"]),
        ("request a { while (1) { yield }; 2 }", &["W0203:2"]),
        ("request a { while (1) { return 1 }; 2 }", &["W0203:2"]),
        ("request a { while (2 > 1) { yield } }", &[]),
        ("request a { while (0) { 1 }; 2 }", &["W0203:1"]),
        ("request a { while (?) { return 1 }; 2 }", &[]),
        ("request a { if (0) { 1 } else { 2 } }", &["W0203:1"]),
        ("request a { if (3) { 1 } else { 2 } }", &["W0203:2"]),
        ("request a { if (3) { 1 } else if (?) { 2 } else { 4 } }", &["W0203:?) { 2 } else { 4"]),
        ("request a { if (3) { 1 } }", &[]),
        ("request a { if (0 && ?) { 1 } }", &["W0203:1"]),
        ("request a { if (? && 0) { 1 } }", &[]),
        ("request a { if (1 / 0) { 1 } }", &[]),
        ("request a { ? && (return 1); 2 }", &[]),
        ("request a { (return 1) && ?; 2 }", &["W0203:2"]),
        ("request a { x := (return 1) + 2; 3 }", &["W0203:3"]),
    ];
    for (text, expected) in cases {
        let mut found = findings(text);
        let mut expected: Vec<_> = expected.iter().map(|&finding| finding.to_owned()).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn locals_that_are_read_before_they_are_assigned() {
    let cases: &[(&str, &[&str])] = &[
        // The program that looks like an account and is none.
        (
            "request withdraw { b := balance; yield; balance := b - 1; balance } request deposit { balance := balance + 1; balance }",
            &["W0227:balance"],
        ),
        ("request deposit { balance := balance + 1; balance }", &["W0209:balance"]),
        ("request a { while (lock == 1) { yield }; lock := 1; X := X + 1; lock := 0 }", &["W0209:lock"]),
        ("request set { b := 1 } request get { b }", &["W0201:b"]),
        ("request set { b := 1 } request get { b } request put { b }", &["W0227:b"]),
        // One branch assigns, the other reads.
        ("request a { if (X) { y := 1 } else { X := y } }", &["W0209:y"]),
        // Idioms that rely on locals which start at 0.
        ("request a { while (done == 0) { done := X; yield; X := 1 } }", &[]),
        ("request a { if (X) { y := 1 }; X := y }", &[]),
        ("request a { while (n < 3) { n := n + 1; yield }; X := n; X }", &[]),
        ("request a { while (X) { if (n == 2) { return 0 }; while (X == 1) { n := n + 1; yield } }; X := 0 }", &[]),
        // The variables of a call are generated.
        ("fn f(x) { y := x + 1; y } request a { X := f(X) % 3; f(X) }", &[]),
        // One text that stands for three requests.
        ("request a(k: 0..2) { b := b + k; b }", &["W0209:b"]),
    ];
    for (text, expected) in cases {
        let found = findings(text);
        assert_eq!(found, *expected, "{text}");
    }
    let text = "request withdraw {\n  b := balance;\n  yield;\n  balance := b - 1\n}\nrequest deposit { balance := balance + 1 }";
    let help = analyze(text).diagnostics[0].help.clone();
    let wanted = "to share it, write `Balance` on lines 2, 4, 6: names with a capital letter are global";
    assert_eq!(help.as_deref(), Some(wanted));
}

#[test]
fn comfortable_spellings_mean_what_they_say() {
    // Each text and the same in the core of the language.
    let cases: &[(&str, &str)] = &[
        ("request a { if (X == 1) { X := 2 } X := 3; X }", "request a { if (X == 1) { X := 2 }; X := 3; X }"),
        ("request a { while (X) { yield } for i in 0..1 { X := i } X }", "request a { while (X) { yield }; for i in 0..1 { X := i }; X }"),
        // An operator goes on with the expression, as it always did.
        ("request a { if (X) { 1 } - 1 }", "request a { (if (X) { 1 }) - 1 }"),
        ("request a { X += 2; X -= Y - 1; X }", "request a { X := X + 2; X := X - (Y - 1); X } "),
        ("request a { x += (yield) + 1; X := x }", "request a { x := x + ((yield) + 1); X := x }"),
        ("request a { X := y := 1; X += y += 2; X }", "request a { X := y := 1; X := X + (y := y + 2); X }"),
        ("request a { if (X == true) { X := false } X }", "request a { if (X == 1) { X := 0 }; X }"),
        // A program that assigns to them has them as variables.
        ("request a { true := 7; X := true; X }", "request a { wahr := 7; X := wahr; X }"),
    ];
    for (text, core) in cases {
        let meaning = |text: &str| {
            let analysis = analyze(text);
            let program = analysis.program.unwrap_or_else(|| panic!("{text}: {:?}", analysis.diagnostics));
            serval_syntax::core_text(&program).replace("true", "wahr")
        };
        assert_eq!(meaning(text), meaning(core), "{text}");
    }
    // Elements of arrays, too; and other operators are reported.
    assert!(analyze("var A[0..2]: 0..3\nrequest a { A[X] += 1; A[1] -= 1; X := A[0] }").program.is_some());
    assert!(analyze("request a { X *= 2; X }").program.is_none());
    assert!(analyze("request a { X := 1 Y := 2 }").program.is_none());
}

#[test]
fn broken_requests_say_nothing_false_about_others() {
    // `X` may well be written in `a`, and `Y` read there.
    let text = "request a { X := ; Y } request b { z := X; Y := z; w }";
    let found: Vec<_> = analyze(text).diagnostics.iter().map(|d| d.code.0).collect();
    assert_eq!(found, ["E0110", "W0201"]);
}

#[test]
fn findings_are_capped() {
    let text: String = (0..1000).map(|i| format!("a{i};")).collect();
    let analysis = analyze(&text);
    assert!(analysis.program.is_some());
    assert_eq!(analysis.diagnostics.len(), 101);
    assert_eq!(analysis.diagnostics[100].code.0, "N0207");
    assert_eq!(analysis.diagnostics[100].severity, Severity::Note);
}
