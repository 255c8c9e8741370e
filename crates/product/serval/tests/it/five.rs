//! Every method alone, against trying everything with up to five requests.
//!
//! The programs are drawn from what people write: rows with versions, seats, flags that are looked at twice, queues of
//! a few slots, transfers, retries. They come from no generator by which a rule was developed. The judge of programs is
//! the naive interpreter, that of systems trying all runs; neither shares anything with the methods but the parser and
//! the model.

use std::cell::Cell;

use serval::{Input, Method, Methods, Options, Verdict, decide};
use serval_budget::Cancel;
use serval_effort::sweep;
use serval_random::Behaviours;
use serval_syntax::analyze;
use serval_testkit::naive::{Caps, Naive, Rejected, Source};
use serval_testkit::random::SplitMix64;
use serval_testkit::say;

const MOST: usize = 5;
const CAPS: Caps = Caps { configurations: 60_000, small_steps: 20_000 };
const TICKS: u64 = 400_000;
/// For one method, as looks at its flag.
const LOOKS: u64 = 5_000;

/// A piece of a handler over the variables `A`, `B` and the row `R`, which may leave something in `x`.
const PIECES: [&str; 22] = [
    "x := A",
    "x := B",
    "x := (A + B) % 3",
    "A := x % 3",
    "A := (x + 1) % 3",
    "A := 1 - A % 2",
    "B := A",
    "B := (B + x) % 2",
    "if (A == x) { A := (A + 1) % 3; x := 2 } else { x := 0 }",
    "if (A > 0) { A := A - 1; x := 1 } else { x := 0 }",
    "if (A < 2) { A := A + 1; x := 1 }",
    "if (B == 0) { B := 1; yield; A := (A + 1) % 3; B := 0 }",
    "x := A; B := x % 2",
    "while (B == 1) { yield }; B := 1",
    "B := 0",
    "R[x % 2] := 1 - R[x % 2]",
    "x := R[0] + R[1]",
    "x := R[A % 2]; R[A % 2] := x",
    "if (?) { x := 1 - x % 2 }",
    "atomic { x := A; A := B; B := x % 2 }",
    "if (x == 1) { R[1] := A % 2 }",
    "x := A; yield; if (x == A) { A := (A + 1) % 3 } else { x := 2 }",
];
const ANSWERS: [&str; 5] = ["x", "A", "0", "x % 2", "A + R[0]"];

fn program(seed: u64) -> String {
    let mut rng = SplitMix64::new(seed);
    let mut text = format!("var A: 0..2 := {}\nvar B: 0..2\nvar R[0..1]: 0..1\n", rng.below(3));
    for name in ["first", "second", "third"].into_iter().take(1 + rng.below(3)) {
        let (parameter, begins) = if rng.below(4) == 0 { ("(p: 0..1)", "p") } else { ("", rng.pick(&["0", "1"])) };
        text += &format!("request {name}{parameter} {{\n  x := {begins};\n");
        for _ in 0..1 + rng.below(3) {
            let atomic = rng.below(3) == 0;
            text += &format!("  {};{}\n", rng.pick(&PIECES), if atomic { "" } else { " yield;" });
        }
        text += &format!("  {}\n}}\n", rng.pick(&ANSWERS));
    }
    text
}

/// A system of some handlers that walk along chains and sometimes back, over a few states of what they share.
fn system(seed: u64) -> String {
    let mut rng = SplitMix64::new(!seed);
    let globals = 2 + rng.below(3);
    let (mut requests, mut responses, mut transitions) = (Vec::new(), Vec::new(), Vec::new());
    for handler in 0..1 + rng.below(3) {
        let length = 1 + rng.below(3);
        requests.push(format!("[\"r{handler}\", \"{handler}.0\"]"));
        responses.extend((0..=rng.below(2)).map(|answer| format!("[\"{handler}.{length}.{answer}\", \"a{answer}\"]")));
        for at in 0..length {
            for global in 0..globals {
                // Some steps wait, some have two outcomes, and some go back.
                for _ in 0..rng.below(3) {
                    let next = if at + 1 == length {
                        format!("{handler}.{length}.{}", rng.below(2))
                    } else if rng.below(6) == 0 {
                        format!("{handler}.0")
                    } else {
                        format!("{handler}.{}", at + 1)
                    };
                    let to = if rng.below(2) == 0 { global } else { rng.below(globals) };
                    transitions.push(format!("[\"{handler}.{at}\", \"g{global}\", \"{next}\", \"g{to}\"]"));
                }
            }
        }
    }
    transitions.sort_unstable();
    transitions.dedup();
    format!(
        "{{\"initial_global\": \"g0\", \"requests\": [{}], \"responses\": [{}], \"transitions\": [{}]}}",
        requests.join(", "),
        responses.join(", "),
        transitions.join(", ")
    )
}

/// What trying everything says: up to how many requests it could, and with how many it found answers that no serial run
/// has.
struct Tried {
    most: usize,
    fails: bool,
    refuted: Option<usize>,
}

fn tried(mut is_serializable: impl FnMut(usize) -> Result<bool, Rejected>) -> Tried {
    let mut tried = Tried { most: 0, fails: false, refuted: None };
    for requests in 1..=MOST {
        match is_serializable(requests) {
            Ok(true) => tried.most = requests,
            Ok(false) => {
                (tried.most, tried.refuted) = (requests, Some(requests));
                break;
            }
            Err(Rejected::Fault(_)) => {
                tried.fails = true;
                break;
            }
            Err(Rejected::TooLarge) => break,
        }
    }
    tried
}

fn methods() -> Vec<(&'static str, Methods)> {
    let own = Method::ALL.iter().filter(|method| method.name() != "classic");
    let own = own.map(|method| (method.name(), Methods::Portfolio(vec![*method])));
    own.chain([("classic", Methods::Classic(serval_classic_engine::Options::default()))]).collect()
}

thread_local! {
    static LOOKS_LEFT: Cell<u64> = const { Cell::new(0) };
}

/// Counts one look at the flag; the last one raises it. Looks are the same on every machine.
fn looked() -> bool {
    let left = LOOKS_LEFT.get();
    LOOKS_LEFT.set(left.saturating_sub(1));
    left == 0
}

/// For each method, how often it proved, refuted and said nothing; an assertion fails where it is wrong.
fn asked(text: &str, input: &Input, tried: &Tried) -> Vec<[u64; 3]> {
    let each = methods().into_iter().map(|(name, methods)| {
        let mut options = Options::default();
        (options.methods, options.rounds, options.proof, options.fixes) = (methods, 1, false, false);
        (options.pairs, options.cancel) = (Some(4_000), Cancel::asking(looked));
        LOOKS_LEFT.set(LOOKS);
        match decide(input, &options).verdict {
            Verdict::Serializable(_) => {
                assert!(tried.refuted.is_none() && !tried.fails, "{name} proves what {:?} requests refute:\n{text}", tried.refuted);
                [1, 0, 0]
            }
            Verdict::NotSerializable(_, run) => {
                let requests = run.requests.len();
                assert!(requests > tried.most || tried.refuted.is_some_and(|least| least <= requests), "{name} refutes:\n{text}");
                [0, 1, 0]
            }
            Verdict::Refused(refused) => panic!("{name}: {refused:?}\n{text}"),
            Verdict::Fault(..) | Verdict::Unusable(_) | Verdict::Undecided(_) => [0, 0, 1],
            _ => unreachable!("another verdict"),
        }
    });
    each.collect()
}

fn told(what: &str, results: &[(usize, Vec<[u64; 3]>)]) -> u64 {
    let five = results.iter().filter(|one| one.0 == MOST).count();
    let mut decided = 0;
    for (number, (name, _)) in methods().into_iter().enumerate() {
        let sum = |which: usize| results.iter().map(|one| one.1[number][which]).sum::<u64>();
        say(&format!("{what}, {name} alone: proved {}, refuted {}, said nothing of {}", sum(0), sum(1), sum(2)));
        decided += sum(0) + sum(1);
    }
    say(&format!("{what}: {} drawn, {five} tried with five requests, none wrong", results.len()));
    decided
}

#[test]
fn no_method_alone_is_wrong_about_programs() {
    let sweep = sweep("serval.five-programs", 40, 5_000);
    let results = sweep.map(0, |seed| {
        let text = program(seed);
        let input = Input::program(&text).unwrap_or_else(|why| panic!("{why:?}\n{text}"));
        let mut naive = Naive::new(&Source::from(&analyze(&text).program.unwrap()));
        let tried = tried(|requests| naive.is_serializable(requests, CAPS));
        (tried.refuted.map_or(tried.most, |_| MOST), asked(&text, &input, &tried))
    });
    let decided = told("programs", &results);
    assert!(!sweep.is_representative() || decided > sweep.count(), "{decided}");
}

#[test]
fn no_method_alone_is_wrong_about_systems() {
    let sweep = sweep("serval.five-systems", 60, 5_000);
    let results = sweep.map(0, |seed| {
        let text = system(seed);
        let input = Input::systems(&text).unwrap_or_else(|why| panic!("{why:?}\n{text}"));
        let model = serval_model::NetworkSystem::from_json(&text).unwrap();
        let tried = tried(|requests| {
            let all = Behaviours::with(&model, requests, TICKS).ok_or(Rejected::TooLarge)?;
            Ok(all.is_serializable())
        });
        (tried.refuted.map_or(tried.most, |_| MOST), asked(&text, &input, &tried))
    });
    let decided = told("systems", &results);
    assert!(!sweep.is_representative() || decided > sweep.count(), "{decided}");
}

/// A limit on the states makes no other evidence than the checker expects. (It did, where it was below that of the
/// first round.)
#[test]
fn evidence_does_not_depend_on_the_limit_on_states() {
    let text = "var A: 0..2 := 0\n\
        var B: 0..2\n\
        var R[0..1]: 0..1\n\
        request first(p: 0..1) {\n\
          x := p;\n\
          A := (x + 1) % 3; yield;\n\
          x % 2\n\
        }\n\
        request second {\n\
          x := 0;\n\
          R[x % 2] := 1 - R[x % 2];\n\
          x\n\
        }\n\
        request third(p: 0..1) {\n\
          x := p;\n\
          x := A; B := x % 2;\n\
          A := x % 3; yield;\n\
          atomic { x := A; A := B; B := x % 2 }; yield;\n\
          x % 2\n\
        }\n";
    let input = Input::program(text).unwrap();
    for pairs in [1, 10, 50, 100, 200, 400, 1_000, 4_000, 4_096, 5_000] {
        for method in [Method::Letters, Method::Reduce, Method::Flow] {
            let mut options = Options::default();
            (options.methods, options.rounds, options.pairs) = (Methods::Portfolio(vec![method]), 1, Some(pairs));
            let verdict = decide(&input, &options).verdict;
            assert!(matches!(verdict, Verdict::Serializable(_) | Verdict::Undecided(_)), "{pairs}, {}: {verdict:?}", method.name());
        }
    }
}
