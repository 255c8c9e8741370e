//! Mistakes that take many requests, in programs that were written from descriptions: quotas, pools, segments, ticks of
//! leases, numbers that come round, waves of seats, crowds. Each is wrong because of one pause; without it, it is
//! right.

use std::fs;
use std::path::{Path, PathBuf};

use serval::{Decision, Input, Method, Methods, Options, Verdict, decide};
use serval_budget::Cancel;
use serval_effort::side_by_side;
use serval_verify::{InputKind, Outcome, verify};

/// What stands on the line without which a program is serializable.
const PAUSE: &str = "// without it: serializable";

/// The programs of a directory, by name.
fn programs(directory: &str) -> Vec<(String, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(directory);
    let mut paths: Vec<PathBuf> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ser"));
    paths.sort();
    paths.into_iter().map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), fs::read_to_string(path).unwrap())).collect()
}

fn fixed(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.contains(PAUSE)).collect();
    assert_eq!(lines.len() + 1, text.lines().count(), "{text}");
    lines.join("\n")
}

/// The number of requests that the first line of a program says it takes.
fn told(text: &str) -> usize {
    let line = text.lines().next().unwrap().trim_end_matches(" requests.");
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

fn options(methods: Option<&[Method]>) -> Options {
    let mut options = Options::default();
    options.fixes = false;
    if let Some(methods) = methods {
        options.methods = Methods::Portfolio(methods.to_vec());
    }
    options
}

/// What is decided, of which the checker has accepted the evidence once more.
fn decided(name: &str, text: &str, options: &Options) -> Decision {
    let decision = decide(&Input::program(text).unwrap(), options);
    if let Some(evidence) = decision.evidence() {
        let outcome = verify(text, InputKind::Program, &evidence.certificate, &serval_verify::Caps::default(), &Cancel::new());
        assert!(matches!(outcome, Outcome::Valid(_)), "{name}: {outcome:?}");
    }
    decision
}

/// How many requests a counterexample has, and whether it says that fewer will not do.
fn counterexample(name: &str, decision: &Decision) -> (usize, bool) {
    match &decision.verdict {
        Verdict::NotSerializable(_, shown) => (shown.requests.len(), shown.minimal),
        other => panic!("{name}: {other:?}"),
    }
}

fn are_decided(programs: &[(String, String)]) {
    side_by_side(programs, |(name, text)| {
        let decision = decided(name, text, &options(None));
        let (requests, minimal) = counterexample(name, &decision);
        assert_eq!(requests, told(text), "{name}");
        // That fewer will not do is said only where they were ruled out; one request alone is a serial order.
        let ruled_out = usize::try_from(decision.ruled_out.requests_up_to).unwrap().max(1);
        assert!(!minimal || ruled_out + 1 >= requests, "{name}: {ruled_out} ruled out");
        let fixed = decided(name, &fixed(text), &options(None));
        assert!(matches!(fixed.verdict, Verdict::Serializable(_)), "{name}: {:?}", fixed.verdict);
    });
}

#[test]
fn programs_written_from_descriptions_are_decided() {
    let programs = programs("deep");
    assert_eq!(programs.len(), 20);
    are_decided(&programs);
}

/// These have up to a hundred million combinations of parameters, or an array of ten thousand rows.
#[test]
fn programs_with_many_combinations_are_decided() {
    are_decided(&programs("deep/later"));
}

#[test]
fn random_runs_alone_refute_them_and_never_say_that_fewer_will_not_do() {
    let programs = programs("deep");
    side_by_side(&programs, |(name, text)| {
        let decision = decided(name, text, &options(Some(&[Method::Sample])));
        let (requests, minimal) = counterexample(name, &decision);
        assert!(!minimal, "{name}");
        assert!(requests <= told(text) + 1, "{name}: {requests}");
        let note = decision.sampled.unwrap();
        assert!(note.requests >= requests && note.runs > 0, "{name}: {note:?}");
    });
}

/// The programs with quotas of ten and of a hundred: what refutes the smaller one comes first.
#[test]
fn what_refutes_a_program_with_small_numbers_is_drawn_first() {
    let text = "var Used: 0..100\nvar Spare: 0..1000000\nvar Note[1..6]: 0..1\n\
                request take { if (Used == 100) { return 0 }; if (Used == 99) { yield; Used := 100; return 7 }; Used := Used + 1; 1 }\n\
                request give { if (Used > 0) { Used := Used - 1 }; 2 }\n\
                request save(n: 1..6) { if (Spare < 1000000) { Spare := Spare + 1 }; Note[n] := 1 - Note[n]; Note[n] }\n";
    let decision = decided("quota", text, &options(Some(&[Method::Sample])));
    assert_eq!(counterexample("quota", &decision).0, 101);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for (name, text) in programs("deep").iter().filter(|(name, _)| ["crowds", "two-limits"].contains(&name.as_str())) {
        for methods in [None, Some([Method::Sample].as_slice())] {
            let told = |jobs: usize| {
                let mut options = options(methods);
                options.jobs = jobs;
                let input = Input::program(text.as_str()).unwrap();
                let mut report = decide(&input, &options).into_report(name, &input, false);
                report.time_ms = Default::default();
                report.to_json()
            };
            let one = told(1);
            assert!(one.contains("not-serializable"), "{name}: {one}");
            assert_eq!(one, told(4), "{name}");
        }
    }
}

#[test]
fn counterexamples_of_other_methods_are_made_smaller() {
    let text = &programs("deep").into_iter().find(|(name, _)| name == "window").unwrap().1;
    let mut classic = options(None);
    classic.methods = Methods::Classic(Default::default());
    assert_eq!(counterexample("classic", &decided("classic", text, &classic)).0, told(text));
    let decision = decided("bounded", text, &options(Some(&[Method::Reduce, Method::Bounded])));
    assert_eq!(counterexample("bounded", &decision).0, told(text));
}

/// A shop with four desks: the fifth customer sits down where there is no desk. There are far too many states to make
/// them all, and it takes six requests of two kinds, the last two of which overlap.
const SHOP: &str = "
    var Stock[1..3]: 0..1000000 := 500000
    var Sold: 0..1000000000
    var Desks: 0..4
    var Open: 0..1
    request open { Open := 1; 0 }
    request close { Open := 0; 0 }
    request come(k: 1..3) {
      if (!Open || Desks == 4 || Stock[k] == 0) { return 0 };
      yield;
      Desks := Desks + 1;
      Stock[k] := Stock[k] - 1;
      if (Sold < 1000000000) { Sold := Sold + 1 };
      1
    }
    request go { if (Desks > 0) { Desks := Desks - 1 }; 0 }
";

#[test]
fn a_step_that_fails_late_is_met_by_random_runs() {
    for methods in [None, Some([Method::Sample].as_slice())] {
        let decision = decided("shop", SHOP, &options(methods));
        let Verdict::Fault(evidence, note) = &decision.verdict else { panic!("{:?}", decision.verdict) };
        assert_eq!((evidence.kind, note.code.as_str()), ("fault", "E0308"));
        assert_eq!((note.run.requests.len(), note.at_once), (6, 2));
        if methods.is_some() {
            assert_eq!(evidence.method, Method::Sample.name());
        }
    }
}
