//! Nothing that a text or a network system holds makes serval panic, run out
//! of stack or hang: deep nesting, large files, odd characters, odd names.
//!
//! Everything runs on a stack of 2 MiB, which is what a thread has on common
//! systems.

#[path = "../../../../../fuzz/checks/compile.rs"]
mod compile;
#[path = "../../../../../fuzz/checks/json.rs"]
mod json;
#[path = "../../../../../fuzz/checks/semantics.rs"]
mod semantics;
#[path = "../../../../../fuzz/checks/syntax.rs"]
mod syntax;

use std::path::Path;

use serval_compile::Mode;
use serval_effort::{Effort, effort, side_by_side, skips, sweep};
use serval_model::{NetworkSystem, systems_from_json, systems_to_json};
use serval_syntax::{Severity, codes, parse};
use serval_testkit::random::Shape;

const STACK: usize = 2 << 20;
const MEGABYTE: usize = 1_000_000;

/// Runs `work` on a thread with a stack of [`STACK`] bytes.
fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread can be started");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// All that the fuzzer checks of a text; gives the codes of its diagnostics.
fn check(text: &str) -> Vec<&'static str> {
    let analysis = syntax::check(text);
    if let Some(program) = &analysis.program {
        compile::check(text, program);
    }
    analysis.diagnostics.iter().map(|diagnostic| diagnostic.code.0).collect()
}

/// As [`check`], for a text that must be a program.
fn check_program(text: &str) {
    let analysis = syntax::check(text);
    let errors: Vec<_> = analysis.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).collect();
    let program = analysis.program.as_ref().unwrap_or_else(|| panic!("{errors:?}"));
    compile::check(text, program);
}

/// `unit(0) unit(1) …`, at least `size` bytes.
fn numbered(size: usize, unit: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(size + 100);
    let mut number = 0;
    while text.len() < size {
        text.push_str(&unit(number));
        number += 1;
    }
    text
}

fn repeated(size: usize, unit: &str) -> String {
    unit.repeat(size.div_ceil(unit.len()))
}

/// Printable ASCII without rhyme or reason, and without brackets.
fn garbage(size: usize) -> String {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let letters = (0..size).map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let letter = char::from(b' ' + u8::try_from(state % 95).unwrap_or(0));
        if matches!(letter, '(' | ')' | '{' | '}' | '[' | ']') { '\n' } else { letter }
    });
    letters.collect()
}

/// Every way to nest, as what is repeated before the middle and after it.
const NESTINGS: &[(&str, &str)] = &[
    ("(", ")"),
    ("{", "}"),
    ("[", "]"),
    ("({[", "]})"),
    ("!", ""),
    ("-", ""),
    ("not ", ""),
    ("!-", ""),
    ("return ", ""),
    ("x := ", ""),
    ("X := (", ")"),
    ("1 + ", ""),
    ("1 - (", ")"),
    ("1 * ", ""),
    ("x % (", ")"),
    ("1 == ", ""),
    ("1 < (", ")"),
    ("x && ", ""),
    ("X || (", ")"),
    ("? && ", ""),
    ("yield + ", ""),
    ("yield; ", ""),
    ("(x; ", ")"),
    ("if (", ") { 1 }"),
    ("if (1) { ", " }"),
    ("if (X) { 1 } else { ", " }"),
    ("if (X) { 1 } else if (", ") { 2 }"),
    ("if (X) { 1 } else ", ""),
    ("else { ", " }"),
    ("while (", ") { 1 }"),
    ("while (X) { ", " }"),
    ("while (?) { yield; ", " }"),
    ("request a { ", " }"),
    ("request a { if (x == (", ")) { 1 } }"),
    ("/* ", " */"),
    ("\"", "\""),
    ("a(", ")"),
    ("A[", "]"),
    ("? ", ""),
    (": ", ""),
    ("≔（", "）"),
];

#[test]
fn deep_nesting_is_refused_or_read() {
    if skips("compile.deep_nesting_is_refused_or_read") {
        return;
    }
    let (depths, deepest): (&[usize], _) = if effort() == Effort::Night { (&[100, 200, 300, 600], 40_000) } else { (&[200, 600], 10_000) };
    side_by_side(NESTINGS, |&(open, close)| {
        on_small_stack(move || {
            for &depth in depths {
                let (opened, closed) = (open.repeat(depth), close.repeat(depth));
                check(&format!("{opened}1{closed}"));
                check(&format!("request r {{ {opened}1{closed} }}"));
                check(&opened);
                check(&closed);
            }
            let (opened, closed) = (open.repeat(deepest), close.repeat(deepest));
            let text = format!("request r {{ {opened}1{closed} }}");
            if let Some(program) = &syntax::check(&text).program {
                compile::check_mode(&text, program, Mode::Optimised);
            }
            parse(&opened);
            parse(&closed);
        });
    });
}

#[test]
fn a_depth_beyond_the_limit_is_one_error() {
    on_small_stack(|| {
        let deep = format!("request r {{ {}1{} }}", "(".repeat(100_000), ")".repeat(100_000));
        assert_eq!(check(&deep), [codes::TOO_DEEP.0]);
    });
}

/// A large text of one kind; the size in bytes is the argument.
type Large = (&'static str, fn(usize) -> String);

/// Kinds of programs.
const PROGRAMS: &[Large] = &[
    ("statements", |size| repeated(size, "X := 1;\n")),
    ("one line", |size| repeated(size, "X := 1 - X; yield; ")),
    ("locals", |size| numbered(size, |n| format!("x{n} := {n};\n"))),
    ("globals", |size| numbered(size, |n| format!("X{n} := 1 - X{n};\n"))),
    ("a sum", |size| format!("y := {}0", repeated(size, "x + "))),
    ("a conjunction", |size| format!("y := {}0", repeated(size, "X && "))),
    ("else if", |size| format!("if (X == 0) {{ 1 }}{}", numbered(size, |n| format!(" else if (X == {n}) {{ X := {n} }}")))),
    ("loops", |size| repeated(size, "while (X == 1) { yield };\n")),
    ("requests", |size| numbered(size, |n| format!("request a{n} {{ X := 1 - X }}\n"))),
    ("requests of their own", |size| numbered(size, |n| format!("request a{n} {{ l{n} := G{n}; yield; G{n} := 1 - l{n} }}\n"))),
    ("requests of one name", |size| repeated(size, "request a { X := 1 - X }\n")),
    ("initial values", |size| numbered(size, |n| format!("A{n} := {n}\n")) + "request a { A0 := 1 - A0 }"),
    ("comments", |size| repeated(size, "// nothing\n/* at all */\n") + "X := 1"),
    ("blank lines", |size| repeated(size, " \r\n") + "X := 1"),
    ("a name", |size| repeated(size, "x") + " := 1"),
];

/// Kinds of texts that are no programs.
const MISTAKES: &[Large] = &[
    ("garbage", garbage),
    ("comments only", |size| repeated(size, "// nothing\n")),
    ("an open comment", |size| format!("X := 1 /* {}", repeated(size, "* / "))),
    ("wrong statements", |size| repeated(size, "x = 1; ")),
    ("broken requests", |size| numbered(size, |n| format!("request a{n} {{ X := }}\n"))),
    ("a number", |size| format!("x := {}", repeated(size, "9"))),
    ("text", |size| repeated(size, "\"a\" ")),
    ("strange letters", |size| repeated(size, "é变\u{a0}−🐈\u{200b}")),
    ("open braces", |size| repeated(size, "{")),
    ("closed braces", |size| repeated(size, "}")),
    ("words", |size| repeated(size, "request if else while ")),
    ("comparisons", |size| format!("{}1", repeated(size, "x == "))),
];

#[test]
fn ten_megabytes_are_parsed() {
    if skips("compile.ten_megabytes_are_parsed") {
        return;
    }
    let kinds: Vec<Large> = PROGRAMS.iter().chain(MISTAKES).copied().collect();
    side_by_side(&kinds, |&(name, make)| {
        on_small_stack(move || {
            // The largest sizes for what could really come up.
            let common: &[&str] = match effort() {
                Effort::Night => {
                    &["statements", "one line", "locals", "a sum", "else if", "requests", "requests of their own", "comments", "garbage"]
                }
                _ => &["statements"],
            };
            let usual = if effort() == Effort::Night { MEGABYTE } else { MEGABYTE / 4 };
            let text = make(if common.contains(&name) { 10 * MEGABYTE } else { usual });
            let parsed = parse(&text);
            assert_eq!(usize::from(parsed.syntax().text_range().end()), text.len(), "{name}");
        });
    });
}

#[test]
fn large_texts_are_analysed() {
    if skips("compile.large_texts_are_analysed") {
        return;
    }
    let size = if effort() == Effort::Night { MEGABYTE / 3 } else { MEGABYTE / 8 };
    on_small_stack(move || {
        for (name, make) in PROGRAMS {
            let analysis = syntax::check(&make(size));
            assert!(analysis.program.is_some(), "{name}: {:?}", analysis.diagnostics);
        }
        for (name, make) in MISTAKES {
            let analysis = syntax::check(&make(size));
            assert!(analysis.program.is_none(), "{name}");
        }
    });
}

#[test]
fn large_programs_are_compiled() {
    if skips("compile.large_programs_are_compiled") {
        return;
    }
    side_by_side(PROGRAMS, |&(name, make)| {
        on_small_stack(move || {
            let text = make(if effort() == Effort::Night { MEGABYTE / 10 } else { MEGABYTE / 25 });
            let analysis = syntax::check(&text);
            let program = analysis.program.unwrap_or_else(|| panic!("{name}: {:?}", analysis.diagnostics));
            compile::check_mode(&text, &program, Mode::Optimised);
            // Without optimisation these are not worth the time.
            if name != "requests of their own" {
                compile::check_mode(&text, &program, Mode::Plain);
            }
        });
    });
}

#[test]
fn odd_texts_are_read() {
    on_small_stack(|| {
        assert_eq!(check(""), [codes::NO_REQUEST.0]);
        assert_eq!(check("\u{feff}"), [codes::NO_REQUEST.0]);
        assert_eq!(check("\r\n \t\n"), [codes::NO_REQUEST.0]);
        assert_eq!(check("// one\n/* two */ /**/"), [codes::NO_REQUEST.0]);
        assert_eq!(check("request a { X := 1; X }\nrequest a { X := 0; X }"), [codes::SAME_NAME.0]);
        check_program("\u{feff}request a {\r\n  X := 1 - X; // größer 🐈\r\n  yield;\r\n  X /* ∀ */\r\n}\r\n");
        check_program("request TRUE { FALSE := 1 - FALSE; true } request FALSE { TRUE := FALSE; TRUE }");
        check_program("request request1 { if1 := 1; else_ := if1; while2 := else_; while2 }");
        for text in
            ["\0", "\u{1}", "\u{7f}", "\u{85}", "\u{2028}", "\u{fffd}", "e\u{301}", "\u{10ffff}", "\r", "X := 1\r+ 2", "X\u{feff}:= 1"]
        {
            check(text);
        }
    });
}

#[test]
fn huge_numbers_are_read() {
    on_small_stack(|| {
        check_program("X := 9223372036854775807 request r { X }");
        check_program("X := -9223372036854775807 - 1 request r { X := X / -1 }");
        check_program("X := 9223372036854775807 request r { X := X + X * X - -X; X % -1 }");
        check_program("x := 00000000000000000000000000000000000000000000001; x");
        assert_eq!(check("x := 9223372036854775808; x"), [codes::NUMBER_TOO_LARGE.0]);
        check_program("X := -9223372036854775808 request r { X }");
        assert_eq!(check("X := 1 - 9223372036854775808 request r { X }"), [codes::NUMBER_TOO_LARGE.0]);
        check("X := 9223372036854775807 + 1 request r { X }");
        check("X := 1 / 0 request r { X }");
        check(&format!("x := {}", "9".repeat(100_000)));
    });
}

/// Names are compared letter by letter: none of these is another.
const NAMES: &[&str] = &[
    "TRUE",
    "FALSE",
    "True",
    "true",
    "null",
    "0",
    "-0",
    "00",
    "",
    " ",
    "  ",
    "\t",
    "L",
    "L ",
    " L",
    "L,",
    "L;",
    "L.",
    "L'",
    "L\"",
    "\"L\"",
    "(L)",
    "[L]",
    "{L}",
    "L_",
    "L-",
    "L~",
    "L/",
    "L\\",
    "L\\n",
    "L\n",
    "L\r\n",
    "L\0",
    "l",
    "Ł",
    "É",
    "E\u{301}",
    "\u{feff}",
    "\u{feff}L",
    "\u{200b}",
    "\u{202e}L",
    "L1",
    "L01",
    "L001",
    "L2",
    "L10",
    "L1e1",
    "99999999999999999999",
    "099999999999999999999",
    "🐈",
    "\u{10ffff}",
    "G0\",\"G1",
    "#",
    "//",
    "/*",
];

#[test]
fn names_of_network_systems_are_never_confused() {
    on_small_stack(|| {
        let count = NAMES.len();
        let mut builder = serval_model::SystemBuilder::new();
        let initial = builder.global(NAMES[0]);
        for (position, name) in NAMES.iter().enumerate() {
            let next = NAMES[(position + 1) % count];
            let (request, local, to_local) = (builder.request(name), builder.local(name), builder.local(next));
            let (response, global, to_global) = (builder.response(name), builder.global(name), builder.global(next));
            builder.start(request, local);
            builder.answer(local, response);
            builder.step(local, global, to_local, to_global);
        }
        let system = builder.finish(initial);
        system.check_invariants();
        let counts = |system: &NetworkSystem| {
            [system.global_count(), system.local_count(), system.request_count(), system.response_count(), system.steps().len()]
        };
        assert_eq!(counts(&system), [count; 5]);
        let written = system.to_json();
        json::check(&written).unwrap();
        let read = NetworkSystem::from_json(&written).unwrap();
        assert_eq!(counts(&read), [count; 5], "{written}");
        for name in NAMES {
            assert!(read.local_named(name).is_some() && read.global_named(name).is_some(), "{name:?}");
            assert!(read.request_named(name).is_some() && read.response_named(name).is_some(), "{name:?}");
        }
        assert_eq!(systems_to_json(&systems_from_json(&written).unwrap()), written);
    });
}

#[test]
fn large_network_systems_are_read() {
    let system = |requests: &str, transitions: &str| {
        format!(
            r#"{{"initial_global": "G0", "requests": [{requests}["z", "z"]], "responses": [], "transitions": [{transitions}["z", "z", "z", "z"]]}}"#
        )
    };
    on_small_stack(move || {
        json::check(&system(&numbered(MEGABYTE, |n| format!("[\"r{n}\", \"L{n}\"],\n")), "")).unwrap();
        json::check(&system("", &numbered(MEGABYTE, |n| format!("[\"L{n}\", \"G{n}\", \"L{}\", \"G{}\"],", n + 1, n / 2)))).unwrap();
        json::check(&system("", &repeated(MEGABYTE, "[\"L\", \"G\", \"L\", \"G\"],"))).unwrap();
        json::check(&system(&format!("[\"{}\", \"\"],", repeated(MEGABYTE, "\\u0041é")), "")).unwrap();
        for text in [repeated(MEGABYTE, "["), repeated(MEGABYTE, "{\"a\":"), repeated(MEGABYTE, " \n"), repeated(MEGABYTE, "\"")] {
            json::check(&text).unwrap_err();
            let inside = json::check(&system(&text, ""));
            assert_eq!(inside.is_ok(), text.trim().is_empty(), "{inside:?}");
        }
    });
}

#[test]
fn the_corpus_of_the_parser_is_compiled() {
    on_small_stack(|| {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fuzz/corpus/parser");
        let entries = std::fs::read_dir(&directory).unwrap_or_else(|error| panic!("fuzz/corpus/parser: {error}"));
        let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let mut compiled = 0;
        for path in &files {
            let Ok(text) = String::from_utf8(std::fs::read(path).unwrap()) else { continue };
            println!("{}", path.file_name().unwrap().to_string_lossy());
            if let Some(program) = &serval_syntax::analyze(&text).program {
                compile::check(&text, program);
                compiled += 1;
            }
        }
        println!("compiled the {compiled} programs among {} files", files.len());
        assert!(compiled > 0, "fuzz/corpus/parser holds no program");
    });
}

#[test]
fn both_modes_answer_alike() {
    on_small_stack(|| {
        let sweep = sweep("compile.modes", 15, 50);
        for shape in Shape::WITH_EDGES {
            sweep.seeds(0).for_each(|seed| semantics::check(u64::MAX - seed, shape));
        }
    });
}
