//! What the language takes, and what it says about what it does not take.

use serval_diagnostic::LineIndex;
use serval_tso_program::{FencePlace, MAX_CELLS, MAX_DEPTH, MAX_STATEMENTS, MAX_THREADS, Op, Point, ThreadId, read};

/// Code, line and column, message and help of every mistake.
fn mistakes(text: &str) -> Vec<String> {
    let lines = LineIndex::new(text);
    let of = |diagnostic: serval_diagnostic::Diagnostic| {
        let at = lines.position(text, diagnostic.primary.span.start);
        assert!(diagnostic.expected.is_some(), "{diagnostic:?}");
        let help = diagnostic.help.expect("errors have help");
        format!("{} {}:{} {} | {help}", diagnostic.code, at.line, at.column, diagnostic.message)
    };
    read(text).map_or_else(|diagnostics| diagnostics.into_iter().map(of).collect(), |_| Vec::new())
}

/// A text with one mistake, and what is said about it.
const MISTAKES: &[(&str, &str)] = &[
    ("memory x = 0; thread P { x := 1 r := x; }", "E0602 1:32 missing `;`: found `r` | add `;` here"),
    ("memory x = 0; thread P { x := 1; l: skip; } never P@l", "E0602 1:54 missing `;`: the text ends | add `;` here"),
    ("memory x = 0 thread P { x := 1; }", "E0602 1:13 missing `;`: found `thread` | add `;` here"),
    ("memory x := 0; thread P { x := 1; }", "E0601 1:10 expected `=`, but found `:=` | an initial value is written `= 0`"),
    ("memory x; thread P { x = 1; }", "E0601 1:24 expected `:=`, but found `=` | an assignment is written `:=`"),
    ("memory x; thread P { fense; x := 1; }", "E0601 1:27 expected `:=`, but found `;` | did you mean `fence`?"),
    (
        "memory x; thraed P { x := 1; }",
        "E0601 1:11 expected `memory`, `values`, `thread`, `never`, `exists` or `forall`, but found `thraed` | did you mean `thread`?",
    ),
    ("memory x; thread P { if x == 1 { skip; } }", "E0601 1:25 expected `(`, but found `x` | put the condition in parentheses"),
    ("memory x; thread P { x := 1;", "E0601 1:29 expected `}`, but the text ends | close the block"),
    (
        "memory x; thread P { r := x; if (0 < r < 2) { skip; } }",
        "E0601 1:40 expected `&&` or the end of the condition, but found `<` | write `a < b && b < c` for a chain",
    ),
    (
        "memory x; thread P { r := 1 + xchg(x, 1); }",
        "E0601 1:31 expected an expression, but found `xchg` | a locked instruction stands alone: `r := xchg(x, 1);`",
    ),
    ("memory x; thread P { x := 1; } /* open", "E0601 1:32 this comment is never closed | add `*/` where the comment ends"),
    ("memory x; thread P { x := 1 & 1; }", "E0601 1:29 `&` means nothing here | `&&` is the conjunction"),
    (
        "memory x; thread P { x := r1; }",
        "E0603 1:27 `r1` is read, and nothing in this thread assigns to it | assign to it first, or declare it: `memory r1 = 0;`",
    ),
    ("memory flag; thread P { r := falg; }", "E0603 1:30 `falg` is read, and nothing in this thread assigns to it | did you mean `flag`?"),
    ("memory x; thread P { xchg(z, 1); }", "E0603 1:27 there is no memory `z` | declare it: `memory z = 0;`"),
    ("memory x; thread P { r := x; } exists Q.r == 0;", "E0603 1:39 there is no thread `Q` | name a thread of the program"),
    ("memory x; thread P { reg := x; } exists P.rge == 0;", "E0603 1:43 P has no register `rge` | did you mean `reg`?"),
    ("memory x; thread P { r := x; } exists r == 0;", "E0603 1:39 `r` is a register, and there may be one in every thread | write `P.r`"),
    ("memory x, x; thread P { x := 1; }", "E0604 1:11 there is a cell `x` already | take another name"),
    ("memory x; thread P { x := 1; } thread P { x := 2; }", "E0604 1:39 there is a thread `P` already | take another name"),
    ("memory x; thread P { l: x := 1; l: x := 2; }", "E0604 1:33 there is a label `l` already | take another name"),
    (
        "memory x; thread P { r := x + 1; }",
        "E0605 1:27 `x` is memory, which an expression over registers cannot read | load it first: `r := x;`",
    ),
    (
        "memory x, y; thread P { x := y; }",
        "E0605 1:30 `y` is memory, which an expression over registers cannot read | load it first: `r := y;`",
    ),
    (
        "memory x, y; thread P { y := xchg(x, 1); }",
        "E0605 1:25 `y` is memory, and so is what the locked instruction changes | take the old value into a register, and store it afterwards",
    ),
    (
        "memory x; thread P { x := 1; } never x == 1;",
        "E0606 1:38 `x` is memory, of which only questions about final states speak | ask `exists` or `forall`, or load it into a register",
    ),
    ("memory x; thread P { retry: x := 1; goto rerty; }", "E0607 1:42 this thread has no label `rerty` | did you mean `retry`?"),
    (
        "memory x; thread P { l: x := 1; } thread Q { goto l; }",
        "E0607 1:51 this thread has no label `l` | a `goto` stays in its thread; write `label: statement` there",
    ),
    ("memory x; thread P { cs: x := 1; } never P@sc;", "E0607 1:44 P has no label `sc` | write `label: statement` in the thread"),
    ("memory x; thread P { atomic { l: x := 1; } }", "E0607 1:31 a label in a locked step | put it before `atomic`"),
    (
        "values 1..3; memory x = 1; thread P { x := 1; }",
        "E0608 1:1 the values 1..3 do not contain 0, with which registers begin | declare `values 0..3;`, say",
    ),
    ("values 0..3; memory x = 7; thread P { x := 1; }", "E0608 1:25 `x` begins with 7, which is not in 0..3 | enlarge the range"),
    ("memory a[2]; thread P { a[2] := 1; }", "E0608 1:25 `a` has 2 cells, and no cell 2 | cells are counted from 0 to 1"),
    (
        "memory x; thread P { x := 99999999999999999999; }",
        "E0608 1:27 `99999999999999999999` is no number that can be used | write a smaller number, in decimal digits",
    ),
    (
        "memory x; thread P { atomic { if (?) { x := 1; } } }",
        "E0609 1:35 `?` in a locked step | choose before it, into a register: `if (?) { r := 1; } else { r := 0; }`",
    ),
    (
        "memory x; thread P { r := ?; }",
        "E0601 1:27 expected an expression, but found `?` | `?` is a whole condition: `if (?) { r := 1; } else { r := 0; }`",
    ),
    ("memory x; thread P { break; }", "E0609 1:22 `break` outside of a loop | put it into `loop` or `while`"),
    ("memory x; thread P { atomic { fence; } }", "E0609 1:31 this cannot stand in a locked step | put it outside of `atomic`"),
    ("memory a[2]; thread P { a := 1; }", "E0609 1:25 `a` is an array of 2 cells | write `a[0]`, say"),
    ("memory x; thread P { x[0] := 1; }", "E0609 1:22 `x` is one cell, not an array | remove the index"),
    ("memory x; thread P { r := x; } exists P.r * 2 == 0;", "E0609 1:39 `*` in a question | compute it in a register"),
    ("memory x; thread P { r := P.r; }", "E0609 1:27 this is known to questions alone | write the name of a register"),
    ("memory x; thread P { xchg(1, 1); }", "E0609 1:27 a locked instruction changes memory, and this is none | name a cell first"),
    ("memory x;", "E0601 1:10 there is no thread | add a thread"),
];

#[test]
fn one_mistake_is_said_once_and_where_it_is() {
    for (text, said) in MISTAKES {
        assert_eq!(mistakes(text), [*said], "{text}");
    }
}

#[test]
fn a_semicolon_before_a_brace_may_be_left_out() {
    assert!(read("memory x; thread P { l: loop { x := 1 } } never P@l;").is_ok());
}

#[test]
fn several_mistakes_are_said_in_the_order_of_the_text() {
    let said = mistakes("memory x;\nthread P { x = 1; r := x; if (r) { y := := 2; } goto l; }\nthread Q { break; }\n");
    let starts: Vec<&str> = said.iter().map(|line| line.split(' ').nth(1).unwrap()).collect();
    assert_eq!(starts, ["2:14", "2:41", "2:54", "3:12"], "{said:?}");
}

#[test]
fn limits_hold() {
    let deep = |open: &str, close: &str, depth: usize| format!("memory x; thread P {{ {} {} }}", open.repeat(depth), close.repeat(depth));
    assert!(read(&deep("loop {", "}", MAX_DEPTH - 2)).is_ok());
    assert!(mistakes(&deep("loop {", "}", 100_000)).iter().all(|line| line.starts_with("E0610")));
    let sum = |count: usize| format!("memory x; thread P {{ x := {}1; }}", "1 + ".repeat(count));
    assert!(read(&sum(200)).is_ok());
    assert!(mistakes(&sum(100_000))[0].starts_with("E0610"));
    // Chains within chains are counted together.
    let nested = format!("memory x; thread P {{ x := {}1{}; }}", "(1 + 1 + ".repeat(60), " + 1 * 1 && 1 < 2)".repeat(60));
    assert!(mistakes(&nested)[0].starts_with("E0610"), "{:?}", mistakes(&nested));
    for sign in ["!", "-", "("] {
        assert!(mistakes(&format!("memory x; thread P {{ x := {} }}", sign.repeat(100_000)))[0].starts_with("E0610"));
    }
    let threads: String = (0..=MAX_THREADS).map(|number| format!("thread T{number} {{ skip; }} ")).collect();
    assert!(mistakes(&threads)[0].starts_with("E0610"));
    assert!(mistakes(&format!("memory a[{}]; thread P {{ a[0] := 1; }}", MAX_CELLS + 1))[0].starts_with("E0610"));
    let many: String = (0..1000).map(|number| format!("r{number} := {number}; ")).collect();
    assert!(mistakes(&format!("thread P {{ {many} }}"))[0].starts_with("E0610"));
    assert!(mistakes(&" ".repeat((1 << 20) + 1))[0].starts_with("E0610"));
    assert!(mistakes(&"$".repeat(10_000)).len() <= 100);
}

#[test]
fn no_prefix_and_no_hole_of_a_program_panics() {
    let text = "values 0..3 wrap; memory x = 0, a[2] = 1; /* c */ thread* T { l: r := cas(a[r], 0, -1); while (r != 1 || !r) { break; } \
                atomic { if (r) { x := 2; } } assert r < 2; goto l; } never T@l && T.r > 0; exists a[1] == 0; // end";
    assert!(read(text).is_ok(), "{:?}", mistakes(text));
    for cut in 0..text.len() {
        let _ = read(&text[..cut]);
        let _ = read(&format!("{}{}", &text[..cut], &text[(cut + 3).min(text.len())..]));
        let _ = read(&format!("{}é{}", &text[..cut], &text[cut..]));
    }
}

#[test]
fn jumps_are_left_out() {
    let program = read("memory x; thread P { loop { r := x; if (r == 1) { break; } } loop { } }").unwrap();
    let thread = &program.threads[0];
    assert!(matches!(thread.code[0].op, Op::Load(..)));
    let Op::Branch(_, no) = &thread.code[1].op else { panic!("{thread:?}") };
    // The loop goes round, and leads to a point from which there is no step, which is not the end.
    assert_eq!((no.0, thread.code[1].next.0, thread.code.len()), (0, 2, 4));
    assert!(matches!(thread.code[2].op, Op::Assume(_)));
    assert_eq!(thread.end(), Point(3));
    for text in ["thread P { goto l; l: skip; }", "thread P { loop { } }", "thread P { loop { break; } l: skip; }", "thread P { }"] {
        let program = read(text).unwrap();
        let thread = &program.threads[0];
        assert!(thread.code.iter().all(|node| node.next.index() < thread.code.len()), "{text}");
        assert_eq!(thread.code.iter().position(|node| node.op == Op::End), Some(thread.code.len() - 1), "{text}");
    }
}

#[test]
fn the_same_program_in_another_layout_is_the_same() {
    let one = read("memory x = 0; thread P { x := 1; r := x; }").unwrap();
    let other = read("memory x=0;\n// comment\nthread P {\n  x := 1;\n  r := x\n}\n").unwrap();
    assert_eq!(one.canonical(), other.canonical());
    assert_ne!(one.canonical(), read("memory x = 0; thread P { x := 2; r := x; }").unwrap().canonical());
}

#[test]
fn fences_stand_before_their_points_whoever_comes() {
    let program = read("memory x; thread P { l: r := x; if (r == 0) { goto l; } x := 1; } never P@l;").unwrap();
    let places = [FencePlace { thread: ThreadId(0), point: Point(0) }, FencePlace { thread: ThreadId(0), point: Point(2) }];
    let fenced = program.with_fences(&places);
    let code = &fenced.threads[0].code;
    assert_eq!((&code[0].op, &code[3].op), (&Op::Fence, &Op::Fence));
    assert_eq!((code[0].next, code[1].next, code[3].next), (Point(1), Point(2), Point(4)));
    // Both ways to the load pass the fence, and the label is behind it.
    let Op::Branch(_, no) = &code[2].op else { panic!("{code:?}") };
    assert_eq!((code[2].next, *no), (Point(0), Point(3)));
    assert_eq!(fenced.threads[0].labels, [("l".to_owned(), Point(1))]);
    assert_eq!(program.with_fences(&[]), program);
}

#[test]
fn each_limit_is_an_error_of_its_own() {
    let threads = |count: usize| -> String { (0..count).map(|number| format!("thread T{number} {{ skip; }} ")).collect() };
    assert!(read(&threads(MAX_THREADS)).is_ok());
    assert_eq!(
        mistakes(&threads(MAX_THREADS + 1)),
        ["E0610 1:1342 65 threads; a program has at most 64 | write `thread*` for many copies of one"]
    );
    let statements = |count: usize| format!("thread P {{ {}}}", "skip; ".repeat(count));
    assert!(read(&statements(MAX_STATEMENTS)).is_ok());
    assert_eq!(mistakes(&statements(MAX_STATEMENTS + 1)).len(), 1);
    assert!(mistakes(&statements(100_000))[0].contains("the thread has more than 10000 statements and labels"));
    assert!(mistakes(&format!("thread P {{ {} skip; }}", "l: ".repeat(100_000)))[0].starts_with("E0610"));
    let nested = |depth: usize| format!("memory x; thread P {{ {}{} }}", "if (1) { ".repeat(depth), "}".repeat(depth));
    assert!(read(&nested(MAX_DEPTH - 2)).is_ok());
    assert_eq!(mistakes(&nested(MAX_DEPTH + 1)).len(), 1);
    let registers = |count: usize| -> String { (0..count).map(|number| format!("r{number} := {number}; ")).collect() };
    assert_eq!(
        mistakes(&format!("thread P {{ {} }}", registers(5_000))),
        ["E0610 1:8 the thread has more than 63 registers | split the thread"]
    );
}

/// Wherever one `;` is missing, that is said, and nothing else.
#[test]
fn a_missing_semicolon_is_the_only_mistake() {
    let text = "values 0..3;\nmemory x = 0, y = 0;\nthread P {\n  x := 1;\n  r := x;\n  fence;\n  l: r := xchg(y, r);\n  assume r == 0;\n  goto l;\n  skip;\n}\nthread Q { y := 1; x := 2; }\nnever P@l;\nexists x == 1;\nforall y == 1;\n";
    assert!(read(text).is_ok(), "{:?}", mistakes(text));
    let mut missing = 0;
    for (at, _) in text.match_indices(';') {
        let without = format!("{} {}", &text[..at], &text[at + 1..]);
        let said = mistakes(&without);
        if said.is_empty() {
            // Before a brace it may be left out.
            assert!(text[at + 1..].trim_start().starts_with('}'), "{without}");
            continue;
        }
        missing += 1;
        assert!(said.len() == 1 && said[0].starts_with("E0602"), "{said:?}\n{without}");
    }
    assert_eq!(missing, 12);
}
