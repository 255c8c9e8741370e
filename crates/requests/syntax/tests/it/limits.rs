//! Depth, size and number of errors. Everything runs on a thread with the
//! small stack that the operating system or a test runner may give us.

use serval_effort::{side_by_side, skips};
use serval_syntax::{Analysis, MAX_DEPTH, MAX_FILE_BYTES, analyze, parse};

const STACK_BYTES: usize = 2 << 20;

/// Analyzes on a small stack, and checks that the tree is lossless.
fn analyze_small(text: String) -> Analysis {
    let work = move || {
        let parsed = parse(&text);
        assert_eq!(parsed.syntax().text().to_string(), text);
        drop(parsed);
        analyze(&text)
    };
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work).expect("a thread").join().expect("no panic")
}

fn codes(analysis: &Analysis) -> Vec<&'static str> {
    analysis.diagnostics.iter().map(|d| d.code.0).collect()
}

#[test]
fn endless_nesting_is_one_error() {
    if skips("syntax.endless_nesting_is_one_error") {
        return;
    }
    let depth = 30_000;
    let units = ["(", "!", "not ", "- ", "x := ", "return ", "if(", "while(1){", "if(1){1}else{", "1||1&&1==1+1*(", "(1*1+1==1&&1||"];
    side_by_side(&units, |unit| {
        assert_eq!(codes(&analyze_small(unit.repeat(depth))), ["E0130"], "{unit}");
        let request = format!("request a {{ {} request b {{ 0 }}", unit.repeat(depth));
        assert_eq!(codes(&analyze_small(request)), ["E0130"], "{unit}");
    });
    assert_eq!(codes(&analyze_small("{".repeat(depth))), ["E0110", "E0130"]);
    let units = ["f(", "f{", "if if ", "else if ", "X[", "x=", "1:=", "let a := ", "++", "+", "}", ")", "request ", "request a {"];
    side_by_side(&units, |unit| {
        let analysis = analyze_small(unit.repeat(depth));
        assert!(analysis.program.is_none() && analysis.diagnostics.len() <= 101, "{unit}");
    });
}

#[test]
fn nesting_up_to_the_limit_is_fine() {
    let limit = MAX_DEPTH as usize;
    let nested = |open: &str, close: &str, depth: usize| format!("{}1{}", open.repeat(depth), close.repeat(depth));
    for (open, close) in [("(", ")"), ("!", ""), ("- ", ""), ("if (1) { 0; ", "}"), ("(1+", ")"), ("(2*", "+1)"), ("x := ", "")] {
        let allowed = analyze_small(nested(open, close, limit));
        assert!(allowed.program.is_some(), "{open}: {:?}", codes(&allowed));
        assert_eq!(codes(&analyze_small(nested(open, close, limit + 1))), ["E0130"], "{open}");
    }
    // Operators are bounded too, and reported once.
    assert_eq!(codes(&analyze_small(nested("1||1&&1==1+1*(", ")", limit))), ["E0130"]);
}

#[test]
fn long_chains_are_no_nesting() {
    let length = 100_000;
    for text in [
        format!("0{}", "+1".repeat(length)),
        format!("0{}", "*1".repeat(length)),
        format!("0{}", "&&1".repeat(length)),
        format!("0{}", "||1".repeat(length)),
        format!("0{}", ";1".repeat(length)),
        format!("if (?) {{ 1 }}{}", " else if (?) { 2 }".repeat(length / 10)),
        "request a { 1 }\n".repeat(length / 10),
        format!("{} request a {{ A }}", (0..length / 10).map(|i| format!("A{i} := {i}, ")).collect::<String>()) + " request b { A := 1 }",
    ] {
        let analysis = analyze_small(text);
        assert!(analysis.program.is_some(), "{:?}", codes(&analysis));
    }
}

/// Were anything here quadratic, this test would take many minutes.
#[test]
fn large_texts_take_no_longer_than_they_are_long() {
    if skips("syntax.large_texts_take_no_longer_than_they_are_long") {
        return;
    }
    let size = 150_000;
    let units = [
        "x-- ",
        "x := request; ",
        "request := 1; ",
        "request request {1} ",
        "fn f(x) { f(1) } f(2);\n",
        "fn f(",
        "const a = (\n",
        "await x; ",
        "global x\n",
        "still */ request a { 0 } ",
        "if (x) {\n",
        "retrun x; ",
        "é := é; ",
        "{ \"a\": 1 } ",
        "/* c */ -",
    ];
    side_by_side(&units, |unit| {
        let text = unit.repeat(size / unit.len());
        let analysis = analyze(&text);
        assert!(analysis.program.is_none() && analysis.diagnostics.len() <= 202, "{unit}");
        analyze(&format!("request r {{ {text} }}"));
        analyze(&format!("request r {{ 0 }} {text} request s {{ 0 }}"));
    });
    // Each local has a global of the same name but for the case.
    let text: String = (0..size / 20).map(|i| format!("x{i}; X{i} := 1; ")).collect();
    assert!(analyze(&text).program.is_some());
    // Braces far from the start of their line.
    let text = format!("request r {{ {}{}", " ".repeat(size), "if (x) { 1 }; ".repeat(size / 14));
    assert!(analyze(&text).program.is_none());
}

#[test]
fn too_large_files_are_refused() {
    let text = " ".repeat(MAX_FILE_BYTES + 1);
    let analysis = analyze(&text);
    assert_eq!(codes(&analysis), ["E0131"]);
    assert_eq!(usize::from(parse(&text).syntax().text().len()), text.len());
}

#[test]
fn the_number_of_errors_is_capped() {
    for unit in ["x = 1; ", "3x; ", "@ ", "request ", "a b "] {
        let analysis = analyze(&unit.repeat(10_000));
        assert!(analysis.program.is_none());
        assert_eq!(analysis.diagnostics.len(), 101, "{unit}");
        let last = &analysis.diagnostics[100];
        assert_eq!(last.code.0, "E0199", "{unit}");
        assert!(last.expected.is_some() && last.help.is_some());
    }
}
