//! Few requests that stand for all combinations of parameters: what is proved of them holds of all.
//!
//! Random programs with parameters that name rows, are numbers, or are compared with constants are proved by their
//! stand-ins ([`analyze_standing`]). The same program with all combinations written out must have no run of two
//! requests, or of three, with answers that no serial run has, and no error.

use std::sync::Arc;

use serval_budget::Budget;
use serval_compile::{Options, Prepared};
use serval_effort::sweep;
use serval_lipton_engine::prove;
use serval_proof::Refusal;
use serval_syntax::{Program, analyze, analyze_of, analyze_standing};
use serval_testkit::random::SplitMix64;
use serval_testkit::say;

use crate::soundness::{Truth, truth};

fn prepared(program: &Program) -> Arc<Prepared> {
    Arc::new(Prepared::new(program, Options::default()))
}

/// A program with one array, or one with a lock for each row, and two kinds of requests.
fn random_many(seed: u64) -> String {
    let rng = &mut SplitMix64::new(seed);
    let rows = 2 + rng.below(4);
    let locked = rng.chance(40);
    let mut text = format!("var A[0..{rows}]: 0..1\n");
    if locked {
        text += &format!("var L[0..{rows}]\n");
    } else if rng.chance(40) {
        text += "var T: 0..2\n";
    }
    let has_total = text.contains("var T");
    for name in ["r", "s"].into_iter().take(if rng.chance(60) { 2 } else { 1 }) {
        let two = rng.chance(50);
        let number = rng.chance(50);
        let mut params = vec![format!("a: 0..{rows}")];
        if two {
            // Another range cuts the rows once more.
            params.push(format!("b: {}..{rows}", rng.below(2)));
        }
        if number {
            params.push("n: 0..1".to_owned());
        }
        let row = |rng: &mut SplitMix64| match rng.below(if two { 7 } else { 5 }) {
            0 => rng.below(rows).to_string(),
            1..=4 => "a".to_owned(),
            _ => "b".to_owned(),
        };
        let mut statements: Vec<String> = Vec::new();
        for _ in 0..1 + rng.below(3) {
            let (to, from) = (row(rng), row(rng));
            let value = match rng.below(4) {
                0 if number => "n".to_owned(),
                1 => "1".to_owned(),
                2 if number => format!("(A[{from}] + n) % 2"),
                _ => format!("1 - A[{from}]"),
            };
            let assign = format!("A[{to}] := {value}");
            let test = match rng.below(8) {
                0 if two => "a < b".to_owned(),
                1 if two => "a == b".to_owned(),
                2 => format!("a > {}", rng.below(rows)),
                3 if number => "n == 1".to_owned(),
                4 => format!("A[{from}] == 0"),
                _ => String::new(),
            };
            statements.push(if test.is_empty() { assign } else { format!("if ({test}) {{ {assign} }}") });
            if has_total && rng.chance(40) {
                statements.push("T := (T + 1) % 3".to_owned());
            }
            if rng.chance(45) {
                statements.push("yield".to_owned());
            }
        }
        let answer = match rng.below(4) {
            0 => "0".to_owned(),
            1 if number => "n".to_owned(),
            _ => format!("x := A[{}]", row(rng)),
        };
        let body = statements.join("; ");
        let body = if number && rng.chance(35) { format!("if (n == 1) {{ {body} }}") } else { body };
        let body = match (locked, two) {
            (true, true) => format!(
                "if (a < b) {{ lock(L[a]); lock(L[b]) }} else {{ lock(L[b]); if (a != b) {{ lock(L[a]) }} }}; {body}; {answer}; \
                 unlock(L[a]); unlock(L[b]); x"
            ),
            (true, false) => format!("lock(L[a]); {body}; {answer}; unlock(L[a]); x"),
            (false, _) => format!("{body}; {answer}"),
        };
        text += &format!("request {name}({}) {{ {body} }}\n", params.join(", "));
    }
    text
}

#[test]
fn stand_ins_prove_no_more_than_all() {
    let sweep = sweep("lipton.many", 50, 400);
    let each = sweep.map(0, |seed| {
        let text = random_many(seed);
        let all = analyze(&text).program.unwrap_or_else(|| panic!("{seed}\n{text}"));
        let standing = analyze_standing(&text).program.unwrap_or_else(|| panic!("{seed}\n{text}"));
        let many = standing.many.as_ref().unwrap();
        assert!(many.stands && many.combinations() == all.requests.len() as u64, "{seed}\n{text}");
        let fewer = standing.requests.len() < all.requests.len();
        let standing = prepared(&standing);
        let truth = truth(&prepared(&all), if seed % 8 == 0 { 3 } else { 2 });
        let Ok(found) = prove(&standing, &mut Budget::ticks(20_000_000)) else {
            return [0, usize::from(truth != Truth::Serializable), 0];
        };
        let accepted: Result<(), Refusal<()>> = serval_lipton_proof::check(&standing, &found.reduction, &mut Budget::ticks(50_000_000));
        assert_eq!(accepted, Ok(()), "{seed}: refused\n{text}");
        assert!(matches!(truth, Truth::Serializable | Truth::TooLarge), "{seed}: proved, but {truth:?}\n{text}\n{:?}", found.reduction);
        [usize::from(truth == Truth::Serializable), 0, usize::from(fewer)]
    });
    let [proved, wrong, fewer] = [0, 1, 2].map(|which| each.iter().map(|one| one[which]).sum::<usize>());
    say(&format!("stand-ins: {proved} proved, {fewer} of them by fewer requests, {wrong} not serializable"));
    assert!(!sweep.is_representative() || (proved * 10 > each.len() && fewer * 10 > each.len() && wrong * 10 > each.len()));
}

/// The requests that are asked for by name are those that are written out where all are.
#[test]
fn requests_by_name_are_those_of_all() {
    for seed in 0..40 {
        let text = random_many(seed);
        let all = analyze(&text).program.unwrap();
        let names = all.requests.iter().map(|request| request.name.clone()).collect();
        let mut named = analyze_of(&text, &names).program.unwrap();
        let sorted = |program: &Program| {
            let mut requests = program.requests.clone();
            requests.sort_by(|one, other| one.name.cmp(&other.name));
            requests
        };
        assert_eq!(sorted(&named), sorted(&all), "{seed}\n{text}");
        named.requests.clone_from(&all.requests);
        assert_eq!(named, all, "{seed}\n{text}");
    }
}

/// A certificate of stand-ins has to say so, and what does not stand for all proves nothing.
#[test]
fn what_does_not_stand_for_all_proves_nothing() {
    let mut program = analyze_standing("var A[0..9]: 0..1 request r(a: 0..9) { A[a] := 1; A[a] }").program.unwrap();
    let found = prove(&prepared(&program), &mut Budget::ticks(1_000_000)).unwrap().reduction;
    let check = |program: &Program, reduction| {
        let checked: Result<(), Refusal<()>> = serval_lipton_proof::check(&prepared(program), reduction, &mut Budget::ticks(1_000_000));
        checked
    };
    assert_eq!(check(&program, &found), Ok(()));
    let alone = serval_proof::Reduction { bodies: Vec::new(), ..found.clone() };
    assert!(check(&program, &alone).is_err());
    program.many.as_mut().unwrap().stands = false;
    assert!(check(&program, &found).is_err());
}
