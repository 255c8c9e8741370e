//! Which programs have finitely many states, and what is said of the others.

use serval_budget::Budget;
use serval_compile::{CompileError, Compiled, FaultKind, FaultReport, GrowthReport, Limits, Mode, Options, compile};
use serval_syntax::{Program, analyze};
use serval_testkit::say;
use serval_testkit::suite::data_dir;
use std::process::Command;

fn program(text: &str) -> Program {
    let analysis = analyze(text);
    analysis.program.unwrap_or_else(|| panic!("{:#?}\n{text}", analysis.diagnostics))
}

fn compiled(text: &str, mode: Mode) -> Compiled {
    let options = Options { mode, ..Options::default() };
    compile(&program(text), options, &Budget::unlimited()).unwrap_or_else(|error| panic!("{error:#?}\n{text}"))
}

/// Ticks that are enough to see that something grows.
const LITTLE: u64 = 100_000;

fn growth(text: &str) -> GrowthReport {
    match compile(&program(text), Options::default(), &Budget::ticks(LITTLE)) {
        Err(CompileError::TooLarge(report)) => report,
        Err(other) => panic!("{other:?}\n{text}"),
        Ok(_) => panic!("finite\n{text}"),
    }
}

/// Numbers of global states, local states and steps of all components.
fn sizes(compiled: &Compiled) -> (usize, usize, usize) {
    let systems = || compiled.components().iter().map(|component| component.system());
    (systems().map(|s| s.global_count()).sum(), systems().map(|s| s.local_count()).sum(), systems().map(|s| s.steps().len()).sum())
}

#[test]
fn a_count_that_only_its_owner_takes_back_is_finite() {
    let text = "request a { if (X == 0) { X := 1; yield; X := X - 1 } else { 0 } }";
    // X = 0 or 1; not begun, waiting, done; begin, be refused, take back.
    assert_eq!(sizes(&compiled(text, Mode::Optimised)), (2, 3, 3));
    assert_eq!(sizes(&compiled(text, Mode::Plain)), (2, 3, 3));
}

/// All ways to spread 32 readers over seven local states are too many to go through; that `R` counts them is enough.
#[test]
fn what_a_variable_counts_keeps_the_work_small() {
    let text =
        "request read { while (W == 1 || R == 32) { yield }; R := R + 1; yield; a := X; yield; b := Y; yield; R := R - 1; 10 * a + b }
                request write { while (W == 1 || R > 0) { yield }; W := 1; yield; X := 1 - X; yield; Y := 1 - Y; yield; W := 0; 0 }";
    let options = Options { limits: Limits { pairs: 1 << 12, ..Limits::default() }, ..Options::default() };
    let compiled = compile(&program(text), options, &Budget::unlimited()).unwrap_or_else(|error| panic!("{error:#?}"));
    // As many as the exact pass finds.
    assert_eq!(sizes(&compiled), (70, 13, 338));
}

/// No variable has a range, and none counts anything alone: what moves between them is bounded by what they count
/// together. Which of the requests race changes nothing about that.
#[test]
fn what_variables_count_together_bounds_them() {
    let tokens = "A := 40 request out { while (A == 0) { yield }; A := A - 1; yield; B := B + 1; 0 }
        request back { while (B == 0) { yield }; B := B - 1; yield; A := A + 1; 0 }";
    let three = "A := 25 request ab { await (A > 0); A := A - 1; yield; B := B + 1; 0 }
        request bc { await (B > 0); B := B - 1; yield; C := C + 1; 0 } request ca { await (C > 0); C := C - 1; yield; A := A + 1; 0 }";
    let work = "A := 14 request ab { await (A > 0); A := A - 1; yield; D := 1 - D; yield; D := 1 - D; yield; B := B + 1; 0 }
        request ba { await (B > 0); B := B - 1; yield; D := 1 - D; yield; A := A + 1; D }";
    let pairs = "A := 30 request make { await (A > 1); A := A - 2; yield; B := B + 1; 0 }
        request split { await (B > 0); B := B - 1; yield; A := A + 2; 0 }";
    let quota = format!("{tokens} request quota {{ 40 / (41 - B) }}");
    let torn = format!("{} request torn {{ a := A; yield; 1000 * a + B }}", tokens.replace("40", "20"));
    let torn_three = format!("{} request torn {{ a := A; yield; 100 * a + C }}", three.replace("25", "10"));
    // Free at 0 and at 2: it is the value 1 that counts. If requests race for it then the data are still what one of
    // them has seen.
    let states = "request work { await (S == 0 or S == 2); S := 1; old := X; yield; X := old + 1; yield; X := old; yield; S := 2; old }
        request reset { if (S == 2) { S := 0 }; 0 } request peek { a := X; yield; 10 * a + X }";
    for text in [tokens, three, work, pairs, &quota, &torn, &torn_three, states] {
        let options = Options { limits: Limits { pairs: 1 << 16, ..Limits::default() }, ..Options::default() };
        compile(&program(text), options, &Budget::unlimited()).unwrap_or_else(|error| panic!("{error:#?}\n{text}"));
    }
    // All A and B with A + B at most 40.
    assert_eq!(sizes(&compiled(tokens, Mode::Optimised)).0, 41 * 42 / 2);
    // What is taken and not given back is unbounded, and said to be.
    growth(&tokens.replace("B == 0", "B == 1000000").replace("B := B - 1; yield", "yield"));
}

#[test]
fn a_reader_count_is_finite() {
    for readers in 1..=4 {
        let text = format!(
            "request read {{ while (W == 1 || R == {readers}) {{ yield }}; R := R + 1; yield; x := V; R := R - 1; x }}
             request write {{ while (W == 1 || R > 0) {{ yield }}; W := 1; V := 1 - V; yield; W := 0 }}"
        );
        for mode in [Mode::Optimised, Mode::Plain] {
            let (globals, ..) = sizes(&compiled(&text, mode));
            // R readers and no writer, or one writer, for both values of V.
            assert_eq!(globals, 2 * (readers + 2), "{text}");
        }
    }
}

#[test]
fn growth_is_proved_named_and_shown() {
    let cases = [
        ("X := X + 1", "X"),
        ("request a { X := X + 1; X }", "X"),
        ("request a { y := X; yield; X := y + 1 }", "X"),
        ("request a { if (X == 0) { X := 1 } else { X := X + 2 } } request b { Y := 1 - Y }", "X"),
        ("request a { while (X < 3) { yield; X := X - 1 }; 0 }", "X"),
        ("request a { while (?) { x := x + 1; yield }; x }", "x"),
        ("request up { READERS := READERS + 1; yield; READERS := READERS - 1 }", "READERS"),
    ];
    for (text, variable) in cases {
        let report = growth(text);
        assert!(report.proved, "{text}");
        assert_eq!(report.variable.as_ref().map(|(name, _)| name.as_str()), Some(variable), "{text}");
        let last = report.run.iter().rev().flat_map(|step| &step.changes).find(|(name, _)| name == variable);
        assert!(last.is_some_and(|(_, value)| *value != 0), "{text}: {:?}", report.run);
    }
}

#[test]
fn a_division_by_zero_is_never_hidden() {
    for text in [
        "request a { x := 1 / X; 0 }",            // no step reads x
        "request a { 1 % X; 0 }",                 // nor at this
        "request a { while (1) { x := 1 / X } }", // the step cannot end
        "request a { Y := 1 / X }",               // no request reads Y
        "request a { if (X == 3) { 1 / (X - 3) }; X := (X + 1) % 4 }",
    ] {
        for mode in [Mode::Optimised, Mode::Plain] {
            match compile(&program(text), Options { mode, ..Options::default() }, &Budget::unlimited()) {
                Err(CompileError::Fault(report)) => {
                    assert_eq!(report.fault.kind, FaultKind::DivisionByZero, "{text}");
                    assert!(report.certain && report.run.is_some(), "{text}");
                }
                other => panic!("{:?}\n{text}", other.err()),
            }
        }
    }
}

#[test]
fn a_division_by_zero_that_cannot_happen_is_no_error() {
    // Only an owner that cannot be there would divide by zero.
    compiled("request a { if (X == 0) { X := 1; yield; y := 1 / X; X := X - 1; y } else { 0 } }", Mode::Optimised);
}

#[test]
fn what_looks_like_growth_and_is_not_compiles() {
    for text in [
        "request a { X := (X + 1) % 5000 }",
        "request a { if (X < 20000) { X := X + 1 } }",
        "request a { i := 0; while (i < 3000) { i := i + 1; yield }; i }",
        "request a { if (X == 100) { X := 0 } else { X := X + 1 }; yield; X }",
    ] {
        compiled(text, Mode::Optimised);
    }
}

#[test]
fn families_parse_and_compile() {
    let Some(directory) = data_dir("families") else { return };
    let python = |arguments: &[&str]| {
        let output = Command::new("python3").arg(directory.join("families.py")).args(arguments).output().expect("python3 runs");
        assert!(output.status.success(), "families.py {arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let list = python(&["list"]);
    let names: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let members: Vec<[&str; 2]> = names.iter().flat_map(|name| ["2", "3"].map(|n| [*name, n])).collect();
    serval_effort::side_by_side(&members, |member| {
        let text = python(member);
        for mode in [Mode::Optimised, Mode::Plain] {
            for component in compiled(&text, mode).components() {
                component.system().check_invariants();
            }
        }
    });
    say(&format!("families: {} of {} parse and compile for n = 2, 3", names.len(), names.len()));
    assert_eq!(names.len(), 12);
}

#[test]
fn a_failure_that_takes_many_requests_has_its_run() {
    for (text, requests, at_once) in [
        ("N := 1\nrequest d { n := N; yield; N := n + n; 0 }\nrequest g { N }", 63, 1),
        // States without end, of which those that fail are shown.
        ("request up { n := N; yield; N := n + 1; 0 }\nrequest q { 10 / (20 - N) }", 21, 1),
        ("var N: 0..14\nrequest t { if (N < 14) { yield; N := N + 1 }; 0 }", 15, 2),
    ] {
        let Err(CompileError::Fault(report)) = compile(&program(text), Options::default(), &Budget::unlimited()) else { panic!("{text}") };
        let run = report.named.as_ref().unwrap();
        assert_eq!((run.requests(), run.at_once()), (requests, at_once), "{text}");
        let notes = CompileError::Fault(report.clone()).diagnostic(text).unwrap().notes;
        let size = format!("this run has {requests} requests in all, and at most {at_once} at a time");
        assert!(notes.contains(&size), "{notes:?}");
        assert!(notes.iter().any(|note| *note == format!("then request #{} {} fails here", run.id, report.request.as_ref().unwrap().1)));
        // Where no run is at hand, the notes say what is known and nothing else.
        let known = |certain, excluded| {
            let bare = FaultReport { certain, excluded, ..FaultReport::of(report.fault) };
            CompileError::Fault(Box::new(bare)).diagnostic(text).unwrap().notes
        };
        let some = "some run leads there, as all states together show; none was found that could be shown";
        assert_eq!(known(true, 0), [some]);
        assert_eq!(known(true, 1), [some, "no run with one request at a time leads there"]);
        assert_eq!(known(false, 0), Vec::<String>::new());
        assert_eq!(known(false, 3), ["no run with at most 3 requests at a time leads there"]);
    }
}
