//! Certificates of all kinds with one thing changed: they are refused, or what they still show is so.
//!
//! What is changed is a number, an element of a list, or a word, anywhere in the certificate as it is written, and most
//! often in the part that the certificate was made for.

use std::ops::Range;

use serde_json::Value;
use serval_budget::Budget;
use serval_tso_engine::{
    AnyOutcome, EngineLimits, Fixed, Method, Wanted, decide, decide_any, decide_by, decide_many, fix_as, sequential_finals,
};
use serval_tso_program::Program;
use serval_tso_proof::{Certificate, Goal, Means, Shown};

use super::naive::{Act, Code, Final, Random, behaviour, random};
use super::question;
use crate::Tally;

/// Changes of each certificate.
const CHANGES: usize = 4;

/// A certificate made for one of its parts, and what is known of the program.
struct Case {
    part: &'static str,
    program: Program,
    certificate: Certificate,
    known: Shown,
}

/// A part, the word for its mutants that were refused, and for those that are still true.
const PARTS: [(&str, &str, &str); 10] = [
    ("answers", "answers, refused", "answers, and still true"),
    ("sc", "sc, refused", "sc, and still true"),
    ("tso", "tso, refused", "tso, and still true"),
    ("finals", "finals, refused", "finals, and still true"),
    ("merged", "merged, refused", "merged, and still true"),
    ("basis", "basis, refused", "basis, and still true"),
    ("robust", "robust, refused", "robust, and still true"),
    ("violation", "violation, refused", "violation, and still true"),
    ("any", "any, refused", "any, and still true"),
    ("any_sc", "any_sc, refused", "any_sc, and still true"),
];
const FENCES: (&str, &str, &str) = ("fences", "fences, refused", "fences, and still true");

fn shown(program: &Program, certificate: &Certificate) -> Shown {
    certificate.check(program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{refusal}"))
}

/// A random program without loops that asks for a few final states, and what trying everything says.
fn straight(seed: u64) -> (Program, Shown) {
    let mut code = random(seed, seed.is_multiple_of(2));
    if seed / 8 % 2 == 1 {
        // Threads that are alike.
        code.threads = vec![code.threads[0].clone(); code.threads.len()];
    }
    let (sc, tso) = (behaviour(&code, false), behaviour(&code, true));
    let mut asked: Vec<Final> = tso.finals.difference(&sc.finals).chain(&sc.finals).take(3).cloned().collect();
    let mut nowhere = asked[0].clone();
    nowhere.1[0] = 7;
    asked.push(nowhere);
    let program = serval_tso_program::read(&code.text(&asked.iter().map(question).collect::<String>())).unwrap();
    let among = |finals: &std::collections::BTreeSet<Final>| asked.iter().map(|state| Some(finals.contains(state))).collect();
    (program, Shown { sc: among(&sc.finals), tso: among(&tso.finals), robust: Some(!tso.cyclic), ..Shown::default() })
}

/// A thread that stores equal values again and again, so that buffers have no bound.
fn again(seed: u64) -> Program {
    let mut choice = Random(seed | 1);
    let mut one = |names: &[&str]| names[choice.below(names.len())].to_owned();
    let (value, first, between, asked) =
        (one(&["1", "2"]), one(&["y", "x"]), one(&["", "skip;", "s := x;"]), one(&["R.s == 3", "L.r == 3", "R.s == 3 && L.r == 0"]));
    let text = format!(
        "memory x = 0, y = 0;
        thread L {{ loop {{ x := {value}; r := y; if (r == 1) {{ {between} }} }} }}
        thread R {{ y := 1; {between} s := {first}; x := 1; }}
        never {asked};"
    );
    serval_tso_program::read(&text).unwrap()
}

/// Any number of copies of a short thread.
fn copies(seed: u64, asks: bool) -> Program {
    let mut code: Code = random(seed, false);
    code.threads.truncate(2);
    code.threads.iter_mut().for_each(|thread| thread.truncate(2));
    // Without what waits there is nothing to be robust against.
    code.threads[0].retain(|stmt| !matches!(stmt.act, Act::Fence));
    let asked = if asks { "never P0.r0 == 3;" } else { "" };
    serval_tso_program::read(&code.text(asked).replacen("thread P0", "thread* P0", 1)).unwrap()
}

fn case(seed: u64) -> Option<Case> {
    let (limits, mut budget) = (EngineLimits::default(), Budget::unlimited());
    let known_of = |part: &'static str, program: Program, certificate: Certificate| {
        let known = shown(&program, &certificate);
        Some(Case { part, program, certificate, known })
    };
    match seed % 8 {
        0 | 1 => {
            let (program, known) = straight(seed);
            let certificate = decide(&program, &limits, &mut budget).unwrap().certificate;
            let parts = [
                ("violation", certificate.violation.is_some()),
                ("robust", certificate.robust.is_some()),
                ("tso", certificate.tso.is_some()),
                ("sc", certificate.sc.is_some()),
                ("answers", true),
            ];
            let there: Vec<&'static str> = parts.into_iter().filter(|(_, there)| *there).map(|(part, _)| part).collect();
            let part = there[usize::try_from(seed / 8).unwrap() % there.len()];
            Some(Case { part, program, certificate, known })
        }
        2 => {
            let (program, known) = straight(seed);
            let certificate = decide_by(Method::LoadBuffers, &program, &limits, &mut budget).unwrap().certificate;
            certificate.basis.is_some().then_some(Case { part: "basis", program, certificate, known })
        }
        3 => {
            let (program, known) = straight(seed);
            let certificate = sequential_finals(&program, &limits, &mut budget).unwrap().certificate;
            certificate.finals.is_some().then_some(Case { part: "finals", program, certificate, known })
        }
        4 => {
            let program = again(seed);
            let certificate = decide(&program, &limits, &mut budget).unwrap().certificate;
            if certificate.merged.is_some() { known_of("merged", program, certificate) } else { None }
        }
        5 => {
            let program = copies(seed, false);
            let AnyOutcome::Robust(any) = decide_any(&program, &limits, &mut budget) else { return None };
            let mut certificate = Certificate::new(&program);
            certificate.any = Some(any);
            known_of("any", program, certificate)
        }
        6 => {
            let program = copies(seed, true);
            let certificate = decide_many(&program, &limits, &mut budget).ok()?.certificate;
            if certificate.any_sc.is_some() { known_of("any_sc", program, certificate) } else { None }
        }
        _ => {
            let code = random(seed, false);
            let program = serval_tso_program::read(&code.text("")).unwrap();
            let means = if seed % 16 < 8 { Means::Fence } else { Means::Locked };
            let wanted = Wanted { means, goal: Goal::Robust, sets: 20, ..Wanted::default() };
            let Ok(Fixed::Fences(fences)) = fix_as(&program, &wanted, &limits, &mut budget) else { return None };
            let mut certificate = Certificate::new(&program);
            certificate.fences = Some(fences);
            known_of("fences", program, certificate)
        }
    }
}

/// How many things there are to change.
fn sites(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(sites).sum(),
        Value::Object(fields) => fields.values().map(sites).sum(),
        _ => 0,
    }
}

/// Changes the thing of a number.
fn change(value: &mut Value, site: &mut usize, choice: &mut Random) {
    if *site > 0 {
        *site -= 1;
        let inside: Vec<&mut Value> = match value {
            Value::Array(list) => list.iter_mut().collect(),
            Value::Object(fields) => fields.values_mut().collect(),
            _ => return,
        };
        for part in inside {
            let within = sites(part);
            if *site < within {
                return change(part, site, choice);
            }
            *site -= within;
        }
        return;
    }
    *value = match value.take() {
        Value::Number(number) => {
            let number = number.as_i64().unwrap_or(0);
            match choice.below(6) {
                0 | 1 => Value::from(number.saturating_add(1)),
                2 | 3 => Value::from(number.saturating_sub(1)),
                4 => Value::from(i64::try_from(choice.below(4)).unwrap()),
                _ => Value::Null,
            }
        }
        Value::Null => Value::from(choice.below(4)),
        Value::Bool(is) => Value::from(!is),
        Value::String(_) => {
            Value::from(["sc", "tso", "states", "finals", "merged", "basis", "robust", "any", "fence", "locked", "reach"][choice.below(11)])
        }
        Value::Array(mut list) if !list.is_empty() => {
            let (one, other) = (choice.below(list.len()), choice.below(list.len()));
            match choice.below(4) {
                0 | 1 => drop(list.remove(one)),
                2 => list.insert(one, list[other].clone()),
                _ => list.swap(one, other),
            }
            Value::Array(list)
        }
        Value::Array(_) => Value::from(vec![0]),
        Value::Object(mut fields) => {
            let name = fields.keys().nth(choice.below(fields.len().max(1))).cloned();
            name.into_iter().for_each(|name| drop(fields.remove(&name)));
            Value::Object(fields)
        }
    };
}

/// Whether everything that is shown is so.
fn is_true(shown: &Shown, known: &Shown) -> bool {
    let agree = |said: &[Option<bool>], known: &[Option<bool>]| said.iter().zip(known).all(|(said, known)| said.is_none() || said == known);
    let robust = shown.robust.is_none() || shown.robust == known.robust;
    let fences = match (&shown.fences, &known.fences) {
        (None, _) => true,
        (Some(_), None) => false,
        // Nothing bad can be reached in a program that asks nothing, whatever else is known of it.
        (Some(said), Some(_)) if said.goal == Goal::Reach && known.sc.is_empty() => said.cost == 0 && said.sets.iter().all(Vec::is_empty),
        (Some(said), Some(known)) => {
            let among = |sets: &[Vec<serval_tso_program::FencePlace>], of: &[Vec<serval_tso_program::FencePlace>]| {
                sets.iter().all(|set| of.contains(set))
            };
            (said.means, said.goal, said.cost) == (known.means, known.goal, known.cost)
                && (!known.all || among(&said.sets, &known.sets))
                && (!said.all || among(&known.sets, &said.sets))
        }
    };
    agree(&shown.sc, &known.sc) && agree(&shown.tso, &known.tso) && robust && fences && shown.instance == known.instance
}

pub(super) fn compare(seeds: Range<u64>) -> Tally {
    let mut counts = Tally::default();
    for seed in seeds {
        counts.count("programs");
        let Some(case) = case(seed) else {
            counts.count("without the part that was sought");
            continue;
        };
        assert!(is_true(&shown(&case.program, &case.certificate), &case.known), "seed {seed}");
        let right: Value = serde_json::from_str(&case.certificate.to_json()).unwrap();
        let mut choice = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let mut changes = 0;
        while changes < CHANGES {
            let mut mutant = right.clone();
            let part = if choice.below(4) == 0 { "answers" } else { case.part };
            let Some(mut within) = mutant.get_mut(part) else { continue };
            // Groups are few numbers among many.
            if choice.below(4) == 0 && within.get("alike").is_some() {
                counts.count("mutants with other groups");
                within = &mut within["alike"];
            }
            let mut site = choice.below(sites(within));
            change(within, &mut site, &mut choice);
            if mutant == right {
                continue;
            }
            changes += 1;
            counts.count("mutants");
            let Ok(mutant) = Certificate::from_json(&mutant.to_string()) else {
                counts.count("mutants that are no certificates");
                continue;
            };
            let words = PARTS.into_iter().chain([FENCES]).find(|(name, ..)| *name == part).unwrap();
            match mutant.check(&case.program, &mut Budget::unlimited()) {
                Err(_) => counts.count(words.1),
                Ok(shown) => {
                    assert!(is_true(&shown, &case.known), "seed {seed}: {part}\n{}\n{shown:?}\n{:?}", mutant.to_json(), case.known);
                    counts.count(words.2);
                }
            }
        }
    }
    counts
}
