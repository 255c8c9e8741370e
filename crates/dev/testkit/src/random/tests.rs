//! What the programs are like: counted, with rough bounds, so that a change to
//! the generator that makes the property tests vacuous is noticed.

use std::collections::BTreeSet;

use super::{Shape, random_layout, random_program, random_source};
use crate::naive::{Caps, Naive, Rejected, Term};

#[derive(Debug, Default)]
struct Counts {
    programs: usize,
    too_large: usize,
    fault: usize,
    infinite: usize,
    with_yield: usize,
    /// Two different completed multisets of at least two requests.
    varied: usize,
    /// No run of two or three requests completes.
    stuck: usize,
    not_serializable: usize,
    serializable_with_yield: usize,
}

fn count(shape: Shape, seeds: std::ops::Range<u64>) -> Counts {
    let mut counts = Counts::default();
    for seed in seeds {
        counts.programs += 1;
        let source = random_source(seed, shape);
        let mut naive = Naive::new(&source);
        let completed = match naive.completed(3, Caps::default()) {
            Ok(completed) => completed,
            Err(rejected) => {
                match rejected {
                    Rejected::TooLarge => counts.too_large += 1,
                    Rejected::Fault(_) => counts.fault += 1,
                }
                continue;
            }
        };
        let serial = naive.serial(3, Caps::default()).expect("serial runs are among the interleaved");
        assert!(serial.is_subset(&completed), "{}", random_program(seed, shape));
        let yields = source.requests.iter().any(|(_, body)| body.has_yield());
        let several = completed.iter().filter(|multiset| multiset.len() >= 2).count();
        counts.infinite += usize::from(naive.closure(Caps { configurations: 50_000, ..Caps::default() }).is_err());
        counts.with_yield += usize::from(yields);
        counts.varied += usize::from(several >= 2);
        counts.stuck += usize::from(several == 0);
        if completed != serial {
            counts.not_serializable += 1;
        } else if yields {
            counts.serializable_with_yield += 1;
        }
    }
    counts
}

#[test]
fn programs_are_small_and_interesting() {
    let sweep = serval_effort::sweep("testkit.shapes", 75, 150);
    serval_effort::side_by_side(&Shape::ALL, |&shape| {
        let counts = count(shape, sweep.seeds(0));
        println!("{shape:?}: {counts:?}");
        if !sweep.is_representative() {
            return;
        }
        let percent = |part: usize| 100 * part / counts.programs;
        assert!(percent(counts.too_large + counts.fault) <= 10, "{shape:?}: {counts:?}");
        assert!(percent(counts.infinite) <= 8, "{shape:?}: {counts:?}");
        assert!(percent(counts.varied) >= 55, "{shape:?}: {counts:?}");
        assert!(percent(counts.not_serializable) >= 8, "{shape:?}: {counts:?}");
        assert!(percent(counts.serializable_with_yield) >= 25, "{shape:?}: {counts:?}");
    });
}

#[test]
fn the_seed_decides() {
    for shape in Shape::ALL {
        assert_eq!(random_program(7, shape), random_program(7, shape));
        assert_ne!(random_program(7, shape), random_program(8, shape));
    }
}

#[test]
fn layout_keeps_the_tokens() {
    let text = random_program(3, Shape::HandlerLike);
    for seed in 0..20 {
        let other = random_layout(&text, seed);
        let mut words: Vec<char> = strip(&other);
        words.retain(|c| !c.is_whitespace());
        let expected: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
        assert_eq!(words, expected, "{other}");
    }
}

/// `text` without comments.
fn strip(text: &str) -> Vec<char> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("/*").into_iter().chain(rest.find("//")).min() {
        out.push_str(&rest[..at]);
        let end = if rest[at..].starts_with("//") { "\n" } else { "*/" };
        let length = rest[at..].find(end).expect("comments end");
        rest = &rest[at + length + end.len()..];
    }
    out.push_str(rest);
    out.chars().collect()
}

/// What occurs in a program, for coverage.
fn forms(e: &Term, above: &'static str, out: &mut BTreeSet<String>) {
    let here = match e {
        Term::Number(n) if *n < 0 => "negative number",
        Term::Number(_) => "number",
        Term::Choice => "choice",
        Term::Yield => {
            out.insert(format!("yield in {above}"));
            "yield"
        }
        Term::Read(_) => "read",
        Term::Assign(..) => {
            out.insert(format!("assign in {above}"));
            "assign"
        }
        Term::Not(_) => "not",
        Term::Negate(_) => "negate",
        Term::Binary(op, ..) => {
            out.insert(format!("{op:?}"));
            "binary"
        }
        Term::And(..) => "and",
        Term::Or(..) => "or",
        Term::Sequence(..) => "sequence",
        Term::If(..) => "if",
        Term::While(condition, _) => {
            if condition.has_yield() {
                out.insert("yield below a loop condition".to_owned());
            }
            "while"
        }
        Term::Exit(_) => "exit",
        Term::UpTo(..) => "up to",
        Term::Return(_) => {
            out.insert(format!("return in {above}"));
            "return"
        }
    };
    out.insert(here.to_owned());
    for operand in e.operands() {
        forms(operand, here, out);
    }
}

#[test]
fn every_form_occurs() {
    let mut seen = BTreeSet::new();
    let mut texts = String::new();
    for shape in Shape::ALL {
        for seed in 0..400 {
            for (_, body) in random_source(seed, shape).requests {
                forms(&body, "body", &mut seen);
            }
            texts.push_str(&random_program(seed, shape));
        }
    }
    let operators = "Add Subtract Multiply Divide Remainder Equal NotEqual Less LessOrEqual Greater GreaterOrEqual";
    let plain = "number read choice yield assign not negate binary and or sequence if while return";
    for form in operators.split(' ').chain(plain.split(' ')) {
        assert!(seen.contains(form), "{form}: {seen:?}");
    }
    for place in ["body", "assign", "not", "binary", "and", "or", "sequence", "if", "while", "return"] {
        assert!(seen.contains(&format!("yield in {place}")), "yield in {place}: {seen:?}");
    }
    for form in ["yield below a loop condition", "assign in binary", "return in binary", "negative number"] {
        assert!(seen.contains(form), "{form}: {seen:?}");
    }
    for spelling in [" and ", " or ", "not ", " && ", " || ", "!", "else if", "else {", ", "] {
        assert!(texts.contains(spelling), "{spelling}");
    }
}
