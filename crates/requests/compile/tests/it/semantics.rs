//! The compiler against an independent reading of the language.
//!
//! For every program the completed multisets with up to three requests,
//! interleaved and serial, are enumerated twice: by the naive interpreter,
//! which shares no code with the compiler, and by brute force on the compiled
//! systems, in both modes. They must be equal.

use std::collections::BTreeSet;

use serval_budget::Budget;
use serval_compile::{CompileError, Mode, Options, Prepared, compile};
use serval_effort::{side_by_side, skips, sweep};
use serval_model::{NetworkSystem, completed_multisets, serial_multisets};
use serval_syntax::{Program, SyntaxKind, analyze, core_text, parse};
use serval_testkit::naive::{Caps, Completed, Naive, Rejected, Source};
use serval_testkit::random::{ConvenienceProgram, Shape, random_convenience, random_program, random_source};
use serval_testkit::say;
use serval_testkit::suite::data_dir;

use crate::answers::{Enumerate, REQUESTS, enumerate, limits};

const MODES: [Mode; 2] = [Mode::Optimised, Mode::Plain];

/// What became of one program.
#[derive(Debug, PartialEq)]
enum Outcome {
    Compared,
    /// Both say that a step can fail.
    BothFail,
    TooLarge(&'static str),
}

fn compare(name: &str, text: &str, program: &Program, source: &Source) -> Outcome {
    let mut naive = Naive::new(source);
    let caps = Caps::default();
    let expected = naive.completed(REQUESTS, caps).and_then(|interleaved| Ok((interleaved, naive.serial(REQUESTS, caps)?)));
    let mut outcome = Outcome::Compared;
    for mode in MODES {
        let compiled = compile(program, Options { mode, limits: limits() }, &Budget::unlimited());
        let compiled = match (compiled, &expected) {
            (Ok(compiled), Ok(_)) => compiled,
            (_, Err(Rejected::TooLarge)) => return Outcome::TooLarge("naive"),
            (Err(CompileError::TooLarge(_) | CompileError::Many { .. }), _) => return Outcome::TooLarge("compiler"),
            (Err(CompileError::Fault(_)), Err(Rejected::Fault(_))) => {
                outcome = Outcome::BothFail;
                continue;
            }
            (Err(CompileError::Fault(report)), Ok(_)) => {
                // Right only if the failing run needs more requests.
                let run = report.run.unwrap_or_else(|| panic!("{name} {mode:?}: a doubtful fault\n{text}"));
                let (failing, _) = report.request.unwrap_or_else(|| panic!("{name} {mode:?}: a run but no failing request\n{text}"));
                let requests = run.iter().map(|step| step.number).max().unwrap_or(0).max(failing);
                assert!(requests > REQUESTS, "{name} {mode:?}: only the compiler fails, with {requests} requests\n{text}");
                outcome = Outcome::BothFail;
                continue;
            }
            (Ok(_), Err(Rejected::Fault(fault))) => panic!("{name} {mode:?}: {fault} missed by the compiler\n{text}"),
            (Err(CompileError::Stopped(stopped)), _) => panic!("{name} {mode:?}: {stopped:?}"),
        };
        for component in compiled.components() {
            component.system().check_invariants();
        }
        let again = Prepared::new(program, Options { mode, limits: limits() });
        assert_eq!(again.check_closed(&compiled, &mut Budget::unlimited()), Ok(()), "{name} {mode:?}\n{text}");
        let (Ok(interleaved), Ok(serial)) = (enumerate(&compiled, completed_multisets), enumerate(&compiled, serial_multisets)) else {
            return Outcome::TooLarge("brute force");
        };
        let Ok((expected_interleaved, expected_serial)) = &expected else { unreachable!("matched above") };
        assert_eq!(&serial, expected_serial, "{name} {mode:?}: serial multisets differ\n{text}");
        assert_eq!(&interleaved, expected_interleaved, "{name} {mode:?}: interleaved multisets differ\n{text}");
    }
    outcome
}

#[test]
fn random_programs_compile_to_what_they_mean() {
    let sweep = sweep("compile.semantics", 400, 3_000);
    let outcomes = sweep.map(0, |seed| {
        let shape = Shape::WITH_EDGES[usize::try_from(seed).unwrap() % Shape::WITH_EDGES.len()];
        let text = random_program(seed, shape);
        let program = analyze(&text).program.unwrap_or_else(|| panic!("{shape:?} {seed} does not parse\n{text}"));
        // The source comes from the generator, not from the parser.
        compare(&format!("{shape:?} {seed}"), &text, &program, &random_source(seed, shape))
    });
    let (mut compared, mut fail, mut large) = (0, 0, std::collections::BTreeMap::<&str, u64>::new());
    for outcome in outcomes {
        match outcome {
            Outcome::Compared => compared += 1,
            Outcome::BothFail => fail += 1,
            Outcome::TooLarge(who) => *large.entry(who).or_default() += 1,
        }
    }
    let (count, rejected) = (sweep.count(), large.values().sum::<u64>());
    say(&format!("random programs: {count}, compared {compared}, failing in both {fail}, too large {rejected} {large:?}"));
    assert!(!sweep.is_representative() || rejected * 10 <= count, "more than one in ten is too large");
}

/// The completed multisets with the names of requests replaced by their
/// positions: in the core language they are called otherwise.
fn by_position(program: &Program, completed: Completed) -> BTreeSet<Vec<(usize, i64)>> {
    let position = |name: &str| program.requests.iter().position(|request| request.name == name).unwrap();
    let renamed = completed.into_iter().map(|letters| {
        let mut letters: Vec<(usize, i64)> = letters.into_iter().map(|(name, value)| (position(&name), value)).collect();
        letters.sort_unstable();
        letters
    });
    renamed.collect()
}

fn is_convenience(kind: SyntaxKind) -> bool {
    use SyntaxKind::*;
    matches!(
        kind,
        Const
            | Enum
            | Var
            | Function
            | ParamList
            | Range
            | ValueSet
            | MemberExpr
            | LocalArray
            | SkipExpr
            | BreakExpr
            | ContinueExpr
            | MinExpr
            | MaxExpr
            | AtomicExpr
            | LockExpr
            | UnlockExpr
            | AwaitExpr
            | ChooseExpr
            | ForExpr
            | CallExpr
            | IndexExpr
    )
}

/// Whether a program and its core language have the same answers, and not both an error.
fn prints_its_core(seed: u64, text: &str, program: &Program) -> bool {
    let core = core_text(program);
    let again = analyze(&core).program.unwrap_or_else(|| panic!("{seed}: the core does not parse\n{text}\n{core}"));
    let options = || Options { limits: limits(), ..Options::default() };
    let (whole, plain) = (compile(program, options(), &Budget::unlimited()), compile(&again, options(), &Budget::unlimited()));
    // What is printed is in the core language.
    let convenience = parse(&core).syntax().descendants().find(|node| is_convenience(node.kind()));
    assert_eq!(convenience, None, "{seed}\n{core}");
    match (whole, plain) {
        (Ok(whole), Ok(plain)) => {
            for with in [completed_multisets as Enumerate, serial_multisets] {
                let (Ok(left), Ok(right)) = (enumerate(&whole, with), enumerate(&plain, with)) else { continue };
                assert_eq!(by_position(program, left), by_position(&again, right), "{seed}\n{text}\n{core}");
            }
            true
        }
        (Err(CompileError::Fault(_)), Err(CompileError::Fault(_))) => false,
        _ => panic!("{seed}: only one of the two compiles\n{text}\n{core}"),
    }
}

#[test]
fn convenience_forms_mean_what_the_manual_says_and_what_core_prints() {
    let sweep = sweep("compile.convenience", 250, 1_500);
    let outcomes = sweep.map(0, |seed| {
        let ConvenienceProgram { text, source, forms } = random_convenience(seed);
        let analysis = analyze(&text);
        let program = analysis.program.unwrap_or_else(|| panic!("{seed} does not parse: {:?}\n{text}", analysis.diagnostics));
        let outcome = compare(&format!("convenience {seed}"), &text, &program, &source);
        let equal = !matches!(outcome, Outcome::TooLarge(_)) && prints_its_core(seed, &text, &program);
        (outcome, equal, forms)
    });
    let (mut compared, mut printed, mut fail, mut large) = (0, 0, 0, 0);
    let mut forms = std::collections::BTreeMap::<&str, u64>::new();
    for (outcome, equal, used) in outcomes {
        match outcome {
            Outcome::Compared => compared += 1,
            Outcome::BothFail => fail += 1,
            Outcome::TooLarge(_) => {
                large += 1;
                continue;
            }
        }
        printed += u64::from(equal);
        for form in used {
            *forms.entry(form).or_default() += 1;
        }
    }
    let count = sweep.count();
    say(&format!(
        "convenience forms: {count} programs, compared {compared}, core equal {printed}, failing in both {fail}, too large {large}; {forms:?}"
    ));
    if sweep.is_representative() {
        assert!(printed * 3 >= count * 2, "fewer than two in three programs compared");
        assert!(forms.len() >= 19 && forms.values().all(|&uses| uses >= count / 25), "some form is hardly used: {forms:?}");
    }
}

/// Nothing of a round is evaluated behind `break`, and everything before it once.
#[test]
fn what_follows_an_exit_in_a_chain_is_left_out() {
    use serval_testkit::naive::term::{self, Operator, RoundExit};
    let (x, y, one) = (|| term::read("X"), || term::read("Y"), || term::number(1));
    let set = |name: &str| term::assign(name, one());
    let leave = || term::exit(RoundExit::Break);
    let looped = |first, last| {
        let round = term::block([first, term::yields(), last]);
        let repeated = term::while_do(one(), term::up_to(RoundExit::Continue, round));
        Source::single(term::block([term::up_to(RoundExit::Break, repeated), term::read("X")]))
    };
    let (plus, minus) = (Operator::Add, Operator::Subtract);
    let changed = term::if_else(y(), leave(), set("X"));
    let sum = term::binary(term::binary(x(), plus, changed), minus, x());
    for (text, source) in [
        ("while (1) { Y or break or (X := 1); yield; Y := 1 }; X", looped(term::or(y(), term::or(leave(), set("X"))), set("Y"))),
        ("while (1) { Y && break && (X := 1); yield; Y := 1 }; X", looped(term::and(y(), term::and(leave(), set("X"))), set("Y"))),
        (
            "while (1) { y := X + (if (Y) { break } else { X := 1 }) - X; yield; Y := y == 0 }; X",
            looped(term::assign("y", sum), term::assign("Y", term::binary(term::read("y"), Operator::Equal, term::number(0)))),
        ),
    ] {
        let program = analyze(text).program.unwrap_or_else(|| panic!("{text} does not parse"));
        assert_eq!(compare(text, text, &program, &source), Outcome::Compared);
    }
}

#[test]
fn suite_programs_compile_to_what_they_mean() {
    if skips("compile.suite_programs_compile_to_what_they_mean") {
        return;
    }
    let Some(suite) = data_dir("suite") else { return };
    let mut files: Vec<_> = std::fs::read_dir(&suite).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.retain(|path| path.extension().is_some_and(|has| has == "json" || has == "ser"));
    let outcomes = side_by_side(&files, |path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).unwrap();
        if name.ends_with(".json") {
            NetworkSystem::from_json(&text).unwrap_or_else(|error| panic!("{name}: {error}")).check_invariants();
            return (name, None);
        }
        let program = analyze(&text).program.unwrap_or_else(|| panic!("{name} does not parse"));
        let outcome = compare(&name, &text, &program, &Source::from(&program));
        (name, Some(outcome))
    });
    let (total, mut compared, mut systems, mut large) = (outcomes.len(), 0, 0, Vec::new());
    for (name, outcome) in outcomes {
        match outcome {
            None => systems += 1,
            Some(Outcome::Compared) => compared += 1,
            Some(Outcome::BothFail) => panic!("{name} fails"),
            Some(Outcome::TooLarge(who)) => large.push((name, who)),
        }
    }
    let right = compared + systems;
    say(&format!("suite: {right} of {total}: {compared} programs compared with the naive reading, {systems} network systems read"));
    assert!(large.is_empty(), "too large: {large:?}");
    assert_eq!(total, 47);
}
