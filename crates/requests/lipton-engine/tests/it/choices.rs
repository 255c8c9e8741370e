//! Choices among many values, which a proof takes as what requests begin with: never a proof where trying all values
//! one by one shows that there is none, and no such reading where a request may choose twice.

use std::sync::Arc;

use serval_budget::Budget;
use serval_compile::{Options, Prepared};
use serval_lipton_engine::prove;
use serval_model::SplitMix64;
use serval_proof::{Reduction, Refusal};
use serval_syntax::{Program, Reading, analyze, read_for_proof};
use serval_testkit::say;

use crate::soundness::{Truth, truth};

const CHOICES: Reading = Reading { integers: false, choices: true };

fn prepared(program: Option<Program>) -> Arc<Prepared> {
    Arc::new(Prepared::new(&program.unwrap(), Options::default()))
}

fn proof(prepared: &Prepared) -> Option<Reduction> {
    let reduction = prove(prepared, &mut Budget::ticks(2_000_000)).ok()?.reduction;
    let checked: Result<(), Refusal<()>> = serval_lipton_proof::check(prepared, &reduction, &mut Budget::ticks(50_000_000));
    assert_eq!(checked, Ok(()));
    Some(reduction)
}

/// A request that chooses, waits, stores, looks at what it or another one has stored, and answers.
fn request(draw: &mut SplitMix64, name: &str) -> String {
    let choice = "choose(0..8)";
    let mut parts: Vec<String> = Vec::new();
    let locked = draw.chance(40);
    if locked {
        parts.push("lock(L)".to_owned());
    }
    let mut chosen = false;
    for _ in 0..=2 + draw.index(4) {
        let part = match draw.index(10) {
            0 | 1 => {
                chosen = true;
                format!("v := {choice}")
            }
            2 => "yield".to_owned(),
            3 => "X := v".to_owned(),
            4 => format!("Y := {choice}"),
            5 => "x := X".to_owned(),
            6 => "if (X == v) { Y := v }".to_owned(),
            7 => "await (X == v)".to_owned(),
            8 => format!("for i in 0..1 {{ v := {choice}; if (i == 0) {{ X := v }} }}"),
            _ => "if (v == 3) { Y := 1 }".to_owned(),
        };
        parts.push(part);
    }
    if draw.chance(30) {
        parts.push("yield".to_owned());
    }
    if locked {
        parts.push("unlock(L)".to_owned());
    }
    let answer = if chosen { ["v", "X", "9 * x + v", "0", "X == v"] } else { ["x", "X", "Y", "0", "X == Y"] };
    parts.push(answer[draw.index(answer.len())].to_owned());
    format!("request {name} {{ {} }}\n", parts.join("; "))
}

#[test]
fn choices_of_a_request_that_it_makes_when_it_begins_prove_no_more() {
    let sweep = serval_effort::sweep("lipton.choices", 60, 20_000);
    let each = sweep.map(0, |seed| {
        let draw = &mut SplitMix64::new(seed);
        let text = format!("var X: 0..8\nvar Y: 0..8\n{}{}", request(draw, "a"), request(draw, "b"));
        let Some(program) = read_for_proof(&text, CHOICES) else { return [0; 3] };
        let truth = truth(&prepared(analyze(&text).program), 2);
        let found = proof(&prepared(Some(program)));
        let wrong = matches!(truth, Truth::NotSerializable | Truth::Error(_));
        assert!(found.is_none() || !wrong, "{seed}: {truth:?}\n{text}");
        [1, usize::from(found.is_some()), usize::from(wrong)]
    });
    let [read, proved, wrong] = each.into_iter().fold([0; 3], |sum, one| [sum[0] + one[0], sum[1] + one[1], sum[2] + one[2]]);
    say(&format!("choices: {read} read, {proved} proved, {wrong} wrong"));
    assert!(!sweep.is_representative() || proved * 10 > read && wrong * 60 > read, "{read} {proved} {wrong}");
}

/// Each reads a value at two places, or comes to its choice more than once.
#[test]
fn who_may_choose_twice_does_not_choose_at_first() {
    let other = "request set { X := choose(0..99); 0 }\n";
    for body in [
        "while (X == 0) { X := choose(0..99) }",
        "await (X == choose(0..99))",
        "while (choose(0..99) == 0) { yield }",
        "n := 0; while (n < 2) { v := choose(0..99); yield; n := n + 1 }; v",
        "lock(A[choose(0..99)]); 0",
    ] {
        let text = format!("var X: 0..99\nvar A[0..99]: 0..1\nrequest get {{ {body} }}\n{other}");
        let read = read_for_proof(&text, CHOICES);
        let params = read.map(|program| program.requests.iter().map(|request| request.params.len()).collect::<Vec<_>>());
        assert!(params.is_none_or(|params| params == [0, 1]), "{text}");
    }
    // Each call and each round that is written out chooses for itself.
    let text = "fn one() { choose(0..99) }\nrequest r { a := one(); b := one(); for i in 1..3 { X := choose(1..50) }; a - b }";
    assert_eq!(read_for_proof(text, CHOICES).unwrap().requests[0].params.len(), 5);
}

/// A value from outside that is stored and read is as good as another.
#[test]
fn values_from_outside_are_moved_around() {
    let text = "var Version: 0..1000\nvar Flags: 0..1000\n\
                request reload { yield; v := choose(1..1000); yield; f := choose(1..1000); Version := v; Flags := f; 0 }\n\
                request read { Version }\nrequest both { 2000 * Version + Flags }\n";
    assert!(proof(&prepared(read_for_proof(text, CHOICES))).is_some());
    let torn = text.replace("Version := v;", "Version := v; yield;");
    assert!(proof(&prepared(read_for_proof(&torn, CHOICES))).is_none());
}
