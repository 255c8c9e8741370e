//! Failures that take many requests: the run is found, and long random runs of the naive interpreter fail in no program
//! that is said to be serializable.

use std::fmt::Write;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use serval::{Input, Options, Verdict, decide};
use serval_budget::Cancel;
use serval_effort::sweep;
use serval_syntax::analyze;
use serval_testkit::naive::{Caps, Naive, Source};
use serval_testkit::random::SplitMix64;
use serval_testkit::say;
use serval_verify::{InputKind, Outcome, verify};

/// The work on one program ends then; it takes far less.
const LIMIT: Duration = Duration::from_secs(60);

/// What is said of a program within the limit.
fn verdict(text: &str) -> Verdict {
    let input = Input::program(text).unwrap();
    let mut options = Options::default();
    options.fixes = false;
    // Whether what never fails is serializable is not the question here.
    options.rounds = 1;
    let cancel = options.cancel.clone();
    let (done, waits) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if waits.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
                cancel.cancel();
            }
        });
        let verdict = decide(&input, &options).verdict;
        drop(done);
        verdict
    })
}

/// The code of a failure, its requests in all and at a time; the checker accepts the run.
fn failure(text: &str) -> Option<(String, usize, usize)> {
    let Verdict::Fault(evidence, note) = verdict(text) else { return None };
    assert_eq!(evidence.kind, "fault", "{text}");
    let outcome = verify(text, InputKind::Program, &evidence.certificate, &serval_verify::Caps::default(), &Cancel::new());
    assert!(matches!(outcome, Outcome::Valid(_)), "{text}");
    Some((note.code.clone(), note.run.requests.len(), note.at_once))
}

#[test]
fn failures_that_take_many_requests() {
    let cases: &[(&str, (&str, usize, usize))] = &[
        // Doubled until it does not fit 64 bits.
        ("N := 1\nrequest d { n := N; yield; N := n + n; 0 }\nrequest g { N }", ("E0303", 63, 1)),
        ("N := 1\nrequest d { n := N; yield; N := n * 3; 0 }", ("E0303", 40, 1)),
        // One more each time, up to a range.
        ("var N: 0..40\nrequest a { n := N; yield; N := n + 1; 0 }\nrequest g { N }", ("E0308", 41, 1)),
        ("var N: 0..40\nrequest a { N := N + 1; 0 }\nrequest down { if (N > 0) { N := N - 1 }; 0 }", ("E0308", 41, 1)),
        // One variable grows by the other.
        (
            "var A: 0..100\nvar B: 0..12\nrequest b { if (B < 12) { b := B; yield; B := b + 1 }; 0 }\nrequest a { a := A; yield; A := a + B; 0 }",
            ("E0308", 21, 1),
        ),
        // A divisor that comes to 0, in a program with states without end.
        ("request up { n := N; yield; N := n + 1; 0 }\nrequest q { 10 / (20 - N) }", ("E0302", 21, 1)),
        // An index that grows.
        ("var A[0..15]: 0..1\nrequest push { A[I] := 1; i := I; yield; I := i + 1; 0 }", ("E0308", 17, 1)),
        // Two at a time, fifteen in all.
        ("var N: 0..14\nrequest t { if (N < 14) { yield; N := N + 1 }; 0 }", ("E0308", 15, 2)),
        ("var N: 0..14\nrequest t { if (N < 14) { yield; N := N + 1 }; 0 }\nrequest g { N > 3 }", ("E0308", 15, 2)),
        // The same with a thousand: whatever the range, the run is there.
        ("var N: 0..1000\nrequest t { if (N < 1000) { yield; N := N + 1 }; 0 }", ("E0308", 1001, 2)),
        // All of them at a time: the value counts them.
        ("var N: 0..3\nrequest t { N := N + 1; yield; N := N - 1; 0 }", ("E0308", 4, 4)),
        // One request alone, for some input.
        ("var N: 0..1 := 1\nrequest t { N := N + ?; N }", ("E0308", 1, 1)),
        ("request t(n: 0..1) { 1 / n }", ("E0302", 1, 1)),
    ];
    for (text, (code, requests, at_once)) in cases {
        assert_eq!(failure(text), Some(((*code).to_owned(), *requests, *at_once)), "{text}");
    }
}

/// All of them are in flight at the end, and the run is found also where there are many.
#[test]
fn a_failure_of_a_crowd() {
    for most in [20, 100] {
        let text = format!("var N: 0..{most}\nrequest t {{ N := N + 1; yield; N := N - 1; 0 }}");
        let (code, requests, at_once) = failure(&text).unwrap();
        assert!(code == "E0308" && at_once > most && requests >= at_once, "{code} {requests} {at_once}");
    }
}

/// Millions of states are there before the first that fails is met.
#[test]
fn a_failure_behind_many_states() {
    let text = "var N: 0..31\nvar M: 0..2\nvar A[0..19]: 0..1\nrequest r { n := N; yield; N := n + M; 0 }\n\
                request m { if (M < 2) { M := M + 1 }; 0 }\nrequest a { A[N] := 1 - A[N]; 0 }";
    let (code, requests, at_once) = failure(text).unwrap();
    assert!(code == "E0308" && (13..=60).contains(&requests) && at_once <= 8, "{code} {requests} {at_once}");
}

#[test]
fn what_only_looks_like_a_failure_is_none() {
    let cases = [
        "var N: 0..40\nrequest t { if (N < 40) { N := N + 1 }; 0 }",
        "var N: 0..20\nrequest up { N := (N + 1) % 20; 0 }\nrequest q { 10 / (20 - N); 0 }",
        "var N: 0..14\nrequest t { lock(L); if (N < 14) { yield; N := N + 1 }; unlock(L); 0 }",
        "var A[0..15]: 0..1\nvar I: 0..15\nrequest push { if (I < 15) { A[I + 1] := 1; I := I + 1 }; 0 }",
        "N := 1\nrequest d { if (N < 1000000) { N := N + N }; 0 }",
    ];
    for text in cases {
        let found = verdict(text);
        assert!(matches!(found, Verdict::Serializable(_)), "{found:?}\n{text}");
    }
}

/// A program in which values grow, and which may fail after many requests.
fn growing(rng: &mut SplitMix64) -> String {
    let range = rng.between(9, 45);
    let mut text = format!("var N: 0..{range}\nvar M: 0..{}\nvar A[0..{}]: 0..1\n", rng.between(4, 30), rng.between(8, 20));
    for number in 0..rng.between(1, 4) {
        let (by, near) = (rng.between(1, 3), range - rng.between(0, 2));
        let body = match rng.below(15) {
            0 => format!("N := N + {by}"),
            1 => format!("n := N; yield; N := n + {by}"),
            2 => format!("if (N < {near}) {{ N := N + {by} }}"),
            3 => format!("if (N < {near}) {{ yield; N := N + {by} }}"),
            4 => "if (N > 0) { N := N - 1 }".to_owned(),
            5 => "M := M + 1".to_owned(),
            6 => format!("if (M < {by}) {{ m := M; yield; M := m + 1 }}"),
            7 => "n := N; yield; N := n + M".to_owned(),
            8 => format!("n := 10 / ({near} - N)"),
            9 => "if (N > 1) { yield; n := 10 / (N - 1) }".to_owned(),
            10 => "A[M] := 1; M := M + 1".to_owned(),
            11 => format!("n := A[N / {by}]"),
            12 => "N := 0; yield; M := 0".to_owned(),
            13 => format!("if (N == {near}) {{ M := M + 1; N := 0 }}"),
            _ => "m := M; yield; if (M == m) { N := N + 1 }".to_owned(),
        };
        writeln!(text, "request r{number} {{ {body}; 0 }}").unwrap();
    }
    if rng.chance(30) {
        text.push_str("request get { N }\n");
    }
    text
}

#[derive(Clone, Copy, Debug, Default)]
struct Figures {
    /// Programs that fail in a sampled run, and that take ten requests or more to do so.
    failing: u64,
    long: u64,
    /// What is said: can fail, not serializable, serializable, nothing.
    fault: u64,
    refuted: u64,
    serializable: u64,
    open: u64,
    /// The most requests of a run that is shown.
    most: usize,
}

fn try_one(seed: u64) -> Figures {
    let mut rng = SplitMix64::new(seed ^ 0x10_4FA17);
    let text = growing(&mut rng);
    let mut naive = Naive::new(&Source::from(&analyze(&text).program.unwrap()));
    let caps = Caps { configurations: 2_000, small_steps: 1_000 };
    // The fewest requests after which a sampled run failed.
    let mut sampled: Option<usize> = None;
    for _ in 0..30 {
        let (requests, at_once) = (10 + rng.below(60), 1 + rng.below(4));
        let failed = naive.sample(requests, at_once, &mut rng, caps).unwrap();
        sampled = sampled.into_iter().chain(failed).min();
    }
    let mut figures = Figures { failing: u64::from(sampled.is_some()), ..Figures::default() };
    figures.long = u64::from(sampled.is_some_and(|requests| requests >= 10));
    match verdict(&text) {
        Verdict::Fault(_, note) => {
            figures.fault = 1;
            figures.most = note.run.requests.len();
            assert!(note.at_once <= figures.most);
        }
        // A counterexample is an answer, too, whatever else may happen.
        Verdict::NotSerializable(..) => figures.refuted = 1,
        Verdict::Serializable(_) => {
            figures.serializable = 1;
            assert_eq!(sampled, None, "seed {seed}: serializable, and a run fails\n{text}");
        }
        Verdict::Unusable(diagnostic) => {
            // One request alone fails: a mistake.
            assert!(diagnostic.notes.iter().any(|note| note.contains("without any input")), "seed {seed}: {diagnostic:?}\n{text}");
        }
        Verdict::Undecided(_) => {
            figures.open = 1;
            assert_eq!(sampled, None, "seed {seed}: undecided, and a run fails\n{text}");
        }
        other => panic!("seed {seed}: {other:?}\n{text}"),
    }
    figures
}

#[test]
fn sampled_failures_are_found() {
    let sweep = sweep("serval.long-faults", 150, 20_000);
    let mut sum = Figures::default();
    for one in sweep.map(0, try_one) {
        sum.failing += one.failing;
        sum.long += one.long;
        sum.fault += one.fault;
        sum.refuted += one.refuted;
        sum.serializable += one.serializable;
        sum.open += one.open;
        sum.most = sum.most.max(one.most);
    }
    say(&format!("long faults: {} programs: {sum:?}", sweep.count()));
    if sweep.is_representative() {
        assert!(sum.fault * 4 >= sweep.count() && sum.long * 10 >= sweep.count() && sum.serializable * 20 >= sweep.count(), "{sum:?}");
        assert!(sum.most >= 30, "{sum:?}");
    }
}
