//! What programs mean: precedence, flat chains, words that may be names,
//! initial values and header comments.

use serval_syntax::{
    Analysis, ArithmeticOp, CompareOp, ExpectedVerdict, Expr, ExprKind, LineIndex, Position, Program, Request, Severity, Variable, analyze,
};

fn program(text: &str) -> Program {
    let Analysis { program, diagnostics } = analyze(text);
    program.unwrap_or_else(|| panic!("{text}: {diagnostics:#?}"))
}

/// The body of the first request, with everything in brackets.
fn shape(text: &str) -> String {
    let program = program(text);
    show(&program, &program.requests[0], &program.requests[0].body)
}

fn show(program: &Program, request: &Request, expr: &Expr) -> String {
    let one = |expr: &Expr| show(program, request, expr);
    let all = |list: &[Expr]| list.iter().map(one).collect::<Vec<_>>();
    let name = |variable: &Variable| match variable {
        Variable::Global(global) => program.globals[global.index()].name.clone(),
        Variable::Local(local) => request.locals[local.index()].name.clone(),
    };
    match &expr.kind {
        ExprKind::Number(value) | ExprKind::Constant(value) => value.to_string(),
        ExprKind::Within { value, low, high, .. } => format!("[{} in {low}..{high}]", one(value)),
        ExprKind::Choice => "?".to_owned(),
        ExprKind::Yield => "yield".to_owned(),
        ExprKind::Read(variable) => name(variable),
        ExprKind::Assign { target, value, .. } => format!("[{} := {}]", name(target), one(value)),
        ExprKind::Not(operand) => format!("[! {}]", one(operand)),
        ExprKind::Negate(operand) => format!("[- {}]", one(operand)),
        ExprKind::Arithmetic { first, rest } => {
            let rest: String = rest.iter().map(|(op, operand)| format!(" {} {}", arithmetic(*op), one(operand))).collect();
            format!("[{}{rest}]", one(first))
        }
        ExprKind::Compare { op, left, right } => format!("[{} {} {}]", one(left), compare(*op), one(right)),
        ExprKind::And(list) => format!("[{}]", all(list).join(" && ")),
        ExprKind::Or(list) => format!("[{}]", all(list).join(" || ")),
        ExprKind::Sequence(list) => format!("[{}]", all(list).join("; ")),
        ExprKind::If { arms, otherwise } => {
            let arms: String = arms.iter().map(|arm| format!("if {} {} ", one(&arm.condition), one(&arm.body))).collect();
            format!("[{arms}else {}]", otherwise.as_ref().map_or("-".to_owned(), |expr| one(expr)))
        }
        ExprKind::While { condition, body } => format!("[while {} {}]", one(condition), one(body)),
        ExprKind::Return(value) => format!("[return {}]", one(value)),
    }
}

fn arithmetic(op: ArithmeticOp) -> char {
    match op {
        ArithmeticOp::Add => '+',
        ArithmeticOp::Subtract => '-',
        ArithmeticOp::Multiply => '*',
        ArithmeticOp::Divide => '/',
        ArithmeticOp::Remainder => '%',
    }
}

fn compare(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Equal => "==",
        CompareOp::NotEqual => "!=",
        CompareOp::Less => "<",
        CompareOp::LessOrEqual => "<=",
        CompareOp::Greater => ">",
        CompareOp::GreaterOrEqual => ">=",
    }
}

#[test]
fn precedence_and_flat_chains() {
    for (text, expected) in [
        ("1 + 2 - 3", "[1 + 2 - 3]"),
        ("1 + 2 * 3 / 4 - 5", "[1 + [2 * 3 / 4] - 5]"),
        ("1 - (2 - 3)", "[1 - [2 - 3]]"),
        ("a && b && c || d || e && f", "[[a && b && c] || d || [e && f]]"),
        ("a == 1 && b != 2", "[[a == 1] && [b != 2]]"),
        ("1 + 2 <= 3 % 4", "[[1 + 2] <= [3 % 4]]"),
        ("!a == b", "[[! a] == b]"),
        ("!!a + 1", "[[! [! a]] + 1]"),
        ("- -1 - -2", "[[- [- 1]] - [- 2]]"),
        ("1--1", "[1 - [- 1]]"),
        ("x := y := 1 + 2", "[x := [y := [1 + 2]]]"),
        ("x := 1; y := 2; x;", "[[x := 1]; [y := 2]; x]"),
        ("((x))", "x"),
        ("(x; y) + 1", "[[x; y] + 1]"),
        ("return x := 1 + 2", "[return [x := [1 + 2]]]"),
        ("x := return 1", "[x := [return 1]]"),
        ("if (a) { 1 }", "[if a 1 else -]"),
        ("if (a) { 1 } else { 2 } + 3", "[[if a 1 else 2] + 3]"),
        ("if (a) { 1 } else if (b) { 2 } else if (c) { 3 } else { 4 }", "[if a 1 if b 2 if c 3 else 4]"),
        ("if (a; b) { 1; 2 } else { if (c) { 3 } }", "[if [a; b] [1; 2] else [if c 3 else -]]"),
        ("while (X == 0) { yield; X := ? }", "[while [X == 0] [yield; [X := ?]]]"),
        ("007", "7"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("- /* smallest */ 09223372036854775808", "-9223372036854775808"),
        ("x--9223372036854775808", "[x - -9223372036854775808]"),
        ("- -9223372036854775808 + 1", "[[- -9223372036854775808] + 1]"),
        ("-9223372036854775807", "[- 9223372036854775807]"),
        ("fn and (x); await or x; def := async := 1; async and def", "[[fn && x]; [await || x]; [def := [async := 1]]; [async && def]]"),
    ] {
        assert_eq!(shape(text), expected, "{text}");
    }
}

#[test]
fn words_are_words_only_where_they_can_be() {
    for (text, expected) in [
        ("a and b or not c", "[[a && b] || [! c]]"),
        ("not not a", "[! [! a]]"),
        ("not (a)", "[! a]"),
        ("return 1", "[return 1]"),
        ("return (1)", "[return 1]"),
        ("return -1", "[return [- 1]]"),
        ("return if (a) { 1 }", "[return [if a 1 else -]]"),
        ("1 + return; return := 2", "[[1 + return]; [return := 2]]"),
        ("1 + return - 1; return := 2", "[[1 + return - 1]; [return := 2]]"),
        ("not", "not"),
        ("not + 1", "[not + 1]"),
        ("not == 1", "[not == 1]"),
        ("return := 1; return - 1", "[[return := 1]; [return - 1]]"),
        ("x := return - 1; return := 2", "[[x := [return - 1]]; [return := 2]]"),
        ("not := 1; not - 1", "[[not := 1]; [not - 1]]"),
        ("and := 1; or := and; and and or or and", "[[and := 1]; [or := and]; [[and && or] || and]]"),
        ("return := b; return and b", "[[return := b]; [return && b]]"),
        ("return and", "[return and]"),
        ("break := 1; while (break) { x := break }", "[[break := 1]; [while break [x := break]]]"),
        ("continue := max := 2; continue - max", "[[continue := [max := 2]]; [continue - max]]"),
        ("min := max; min", "[[min := max]; min]"),
        ("lock := 1; skip := lock; for := choose", "[[lock := 1]; [skip := lock]; [for := choose]]"),
        ("then := 1; do := then; elif := do", "[[then := 1]; [do := then]; [elif := do]]"),
    ] {
        assert_eq!(shape(text), expected, "{text}");
    }
    assert_eq!(program("request return { 1 } request and { 2 }").requests[1].name, "and");
}

/// A word that a file assigns to or declares is a name in the whole file, whatever else it means elsewhere.
#[test]
fn words_of_the_file_itself_are_names() {
    let words = "begin commit null None True switch try throw async new do end then loop match default self select update random sleep now \
                 pass abort break continue min max map set";
    for word in words.split(' ') {
        let read = format!("request b {{ x := {word}; if ({word} == 1) {{ {word} }}; X := x; {word}; X }}");
        for (declares, holds) in [
            (format!("request a {{ {word} := ?; {word} }} {read}"), true),
            (format!("request a {{ {word} += 1; {word} }} {read}"), true),
            (format!("const {word} = 2 {read}"), true),
            (format!("enum E {{ P, {word} }} {read}"), true),
            (format!("fn f({word}) {{ {word} }} {read}"), !serval_syntax::is_global(word)),
            (format!("request a(n: 0..1, {word}: 0..1) {{ {word} }} {read}"), !serval_syntax::is_global(word)),
            (format!("request a {{ for {word} in 0..1 {{ X := {word} }} }} {read}"), !serval_syntax::is_global(word)),
        ] {
            let analysis = analyze(&declares);
            assert!(!holds || analysis.program.is_some(), "{declares}: {:?}", analysis.diagnostics);
        }
    }
    // An array, and functions.
    program("var Map[0..1] request a { Map[0] := 1; Map[X] }");
    program("fn min(x) { x } fn sleep(x) { x } fn assert(x) { x } request a { X := sleep(min(X)); assert(X) }");
    // Members of an `enum` that stand behind its name are no parts of a record.
    assert!(analyze("request a { Lease.Free }").diagnostics[0].message.contains("nothing has parts"));
}

#[test]
fn files_are_requests_or_one_sequence() {
    let bare = program("  x := X; x");
    assert_eq!(bare.requests.len(), 1);
    assert_eq!(bare.requests[0].name, "request");
    assert_eq!(bare.requests[0].name_span, Default::default());
    let two = program("request a { X := x } request b { X; y; x }");
    assert_eq!(two.requests.iter().map(|r| r.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(two.globals.len(), 1);
    assert_eq!(two.requests[1].locals.iter().map(|local| local.name.as_str()).collect::<Vec<_>>(), ["y", "x"]);
}

#[test]
fn the_first_letter_decides_what_is_shared() {
    let program = program("X := 1; _X := 2; __Y := 3; x := 4; _x := 5; _ := 6; _1 := 7; _1A := 8");
    let names = |list: Vec<&str>| list.join(" ");
    assert_eq!(names(program.globals.iter().map(|g| g.name.as_str()).collect()), "X _X __Y _1A");
    assert_eq!(names(program.requests[0].locals.iter().map(|l| l.name.as_str()).collect()), "x _x _ _1");
}

#[test]
fn initial_values() {
    let text = "A := 100, B := 50; C := -(2 + 3) * 4 D := 7 / -2 E := 1 < 2 && !0\nrequest r { D + C + B + A + E + F; F := 1 }";
    let program = program(text);
    let values: Vec<_> = program.globals.iter().map(|g| (g.name.as_str(), g.initial)).collect();
    assert_eq!(values, [("A", 100), ("B", 50), ("C", -20), ("D", -4), ("E", 1), ("F", 0)]);
    let text = "A := -9223372036854775808, B := 1 + -9223372036854775808 request r { A + B }";
    assert_eq!(self::program(text).globals.iter().map(|g| g.initial).collect::<Vec<_>>(), [i64::MIN, i64::MIN + 1]);
}

#[test]
fn spans_exclude_blanks_and_parentheses() {
    let text = "request a { /* c */ ( ( x  + 1 ) ) ; // d\n y := (  2 ) }";
    let program = program(text);
    let ExprKind::Sequence(list) = &program.requests[0].body.kind else { panic!() };
    let at = |expr: &Expr| text[expr.span.range()].to_owned();
    assert_eq!(at(&list[0]), "x  + 1");
    assert_eq!(at(&list[1]), "y := (  2 )");
    let ExprKind::Assign { target_span, value, .. } = &list[1].kind else { panic!() };
    assert_eq!((&text[target_span.range()], at(value)), ("y", "2".to_owned()));
    assert_eq!(&text[program.requests[0].body.span.range()], "x  + 1 ) ) ; // d\n y := (  2 )");
    assert_eq!(&text[program.requests[0].name_span.range()], "a");
}

#[test]
fn places_count_characters_and_not_bytes() {
    let text = "\u{feff}/* äöü 🦀 */ request a { 1 }\r\n// ∀\r\nrequest b { /* 🦀🦀 */ x @ }";
    let analysis = analyze(text);
    let error = analysis.diagnostics.iter().find(|d| d.severity == Severity::Error).unwrap();
    let lines = LineIndex::new(text);
    assert_eq!(lines.position(text, error.primary.span.start), Position { line: 3, column: 24 });
    let first = program("\u{feff}/* ä */ 1");
    assert_eq!(lines.position("\u{feff}/* ä */ 1", first.requests[0].body.span.start), Position { line: 1, column: 9 });
}

#[test]
fn header_comments() {
    let expectation = |text: &str| program(text).expectation.map(|e| (e.verdict, e.anomaly, e.span.range()));
    assert_eq!(expectation("// expect: serializable\n0"), Some((ExpectedVerdict::Serializable, None, 0..23)));
    let text = "/* a */ // b\n//expect:   not-serializable   lost-update  \r\n0";
    assert_eq!(expectation(text), Some((ExpectedVerdict::NotSerializable, Some("lost-update".to_owned()), 13..55)));
    // Both words of a verdict are read.
    let verdict = |word: &str| expectation(&format!("// expect: {word}\n0")).map(|known| (known.0, known.1));
    for word in ["fault", "can fail", "can-fail"] {
        assert_eq!(verdict(word), Some((ExpectedVerdict::Fault, None)), "{word}");
    }
    for word in ["unknown", "undecided"] {
        assert_eq!(verdict(word), Some((ExpectedVerdict::Undecided, None)), "{word}");
    }
    assert_eq!(verdict("not serializable"), Some((ExpectedVerdict::NotSerializable, None)));
    assert_eq!(verdict("not serializable lost-update"), Some((ExpectedVerdict::NotSerializable, Some("lost-update".to_owned()))));
    assert_eq!(expectation("// we expect: nothing\n0"), None);
    assert_eq!(expectation("0 // no expectation"), None);
    for text in [
        "// expect: maybe\n0",
        "// expect:\n0",
        "// expect: serializable lost-update\n0",
        "// expected: nonserializable\n0",
        "// expect: not-serializable Lost Update\n0",
        "// expect: serializable\n// expect: serializable\n0",
        "0 // expect: serializable",
    ] {
        let found: Vec<_> = analyze(text).diagnostics.iter().map(|d| d.code.0).collect();
        assert_eq!(found, ["W0206"], "{text}");
    }
}
