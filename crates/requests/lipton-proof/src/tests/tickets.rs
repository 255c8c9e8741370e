//! Each condition on tickets is needed: a program that is not serializable or fails, and a proof that only it refuses.

use serval_budget::Budget;
use serval_compile::Prepared;
use serval_effort::side_by_side;
use serval_proof::{Bounds, Condition, Reduction, Refusal, Ticket};
use serval_testkit::naive::{Caps, Naive, Rejected, Source};

use super::conditions::{global, prepared};
use super::switch::without;
use crate::check;
use crate::check::transformed;

const DRAW: &str = "t := N; N := N + 1";
const CALL: &str = "S := S + 1";
/// Reads and writes in two steps what others read and write; two that are there together both find 0.
const WORK: [&str; 2] = ["x := X", "if (x == 0) { X := 1 } else { X := 0 }"];

/// A request only goes on where a test holds.
fn only(test: &str) -> String {
    format!("if (not ({test})) {{ while (1) {{ 1 }} }}")
}

fn request(parts: &[&str]) -> String {
    format!("var X: 0..1\nrequest r {{ {}; x }}\n", parts.join("; "))
}

/// A lock with tickets: draw, wait, work, call the next.
fn lock(draw: &str, test: &str, call: &str) -> String {
    request(&[draw, "yield", &only(test), WORK[0], "yield", WORK[1], call])
}

/// Whether two or three requests do what they do not do one after the other, or come to an error.
fn is_wrong(text: &str) -> bool {
    let caps = Caps { configurations: 100_000, small_steps: 10_000 };
    let mut naive = Naive::new(&Source::from(prepared(text).program()));
    (2..=3).any(|requests| match naive.is_serializable(requests, caps) {
        Ok(serializable) => !serializable,
        Err(Rejected::Fault(_)) => true,
        Err(Rejected::TooLarge) => panic!("too large: {text}"),
    })
}

fn points(mask: u32) -> impl Iterator<Item = u32> {
    (0..32).filter(move |point| mask >> point & 1 == 1)
}

/// Certificates with tickets at some points, with the tickets in some register.
fn proofs(text: &str) -> Vec<Reduction> {
    let slow: Vec<u32> = [global(text, "N"), global(text, "S")].to_vec();
    let base = Reduction { slow, ranges: vec![(global(text, "X"), 0, 1)], ..Reduction::default() };
    let model = transformed::<()>(&prepared(text), &base, &mut Budget::unlimited()).unwrap();
    // The first request has the first points; others are single steps.
    let last = model.entries.get(1).map_or(u32::try_from(model.points.len()).unwrap(), |entry| entry.0);
    let masks = || (0..1_u32 << last).filter(|mask| mask & 1 == 0);
    let mut proofs = Vec::new();
    for register in 0..3 {
        for (holders, inside) in masks().flat_map(|holders| masks().map(move |inside| (holders, inside))) {
            for post in masks().filter(|post| post & 2 == 0) {
                let ticket = Ticket {
                    next: global(text, "N"),
                    called: global(text, "S"),
                    holders: points(holders).map(|point| (point, register)).collect(),
                    inside: points(inside).map(|point| (point, point)).collect(),
                };
                let post = points(post).map(|point| (point, point)).collect();
                proofs.push(Reduction { tickets: vec![ticket], post, ..base.clone() });
            }
        }
    }
    proofs
}

fn checked(prepared: &Prepared, proof: &Reduction) -> Result<(), Refusal<()>> {
    check(prepared, proof, &mut Budget::ticks(100_000))
}

/// The program is wrong, all proofs are refused, and one of them for this condition alone; each with something else
/// that it says.
fn needs_with(condition: Condition, text: &str, more: impl Fn(&mut Reduction) + Sync) {
    assert!(is_wrong(text), "{text}");
    let prepared = prepared(text);
    let alone = side_by_side(&proofs(text), |proof| {
        let mut proof = proof.clone();
        more(&mut proof);
        match checked(&prepared, &proof) {
            Ok(()) => panic!("{text}\n{proof:?}"),
            Err(Refusal::Invalid(why)) if why.condition == condition => without(condition, || checked(&prepared, &proof)) == Ok(()),
            Err(_) => false,
        }
    });
    assert!(alone.contains(&true), "{condition} hides behind another condition\n{text}");
}

fn needs(condition: Condition, text: &str) {
    needs_with(condition, text, |_| {});
}

#[test]
fn a_lock_with_tickets_is_one() {
    for test in ["S == t", "S >= t", "t <= S"] {
        let text = lock(DRAW, test, CALL);
        assert!(!is_wrong(&text));
        let prepared = prepared(&text);
        assert!(proofs(&text).iter().any(|proof| checked(&prepared, proof) == Ok(())), "{text}");
    }
}

#[test]
fn nobody_is_called_at_first() {
    needs(Condition::ReductionTicket, &format!("S := 2\n{}", lock(DRAW, "S >= t", CALL)));
}

#[test]
fn requests_begin_without_a_ticket() {
    needs(
        Condition::ReductionTicket,
        &format!("{}request n {{ N := N + 1; S }}\nrequest s {{ if (N == 0) {{ S := S }}; 0 }}\n", request(&[WORK[0], "yield", WORK[1]])),
    );
}

#[test]
fn a_ticket_is_the_next_number() {
    needs(Condition::ReductionTicket, &lock("t := S; N := N + 1", "S == t", CALL));
}

#[test]
fn numbers_are_not_drawn_twice() {
    needs(Condition::ReductionTicket, &format!("{}request n {{ N := N + 1; 0 }}\n", lock("t := N", "S == t", CALL)));
    needs(Condition::ReductionTicket, &format!("{}request n {{ N := 0; 0 }}\n", lock(DRAW, "S == t", CALL)));
}

#[test]
fn who_draws_does_not_call() {
    needs(Condition::ReductionTicket, &lock("t := N; N := N + 1; S := S + 1", "S >= t", CALL));
}

#[test]
fn who_draws_is_not_inside() {
    needs(Condition::ReductionTicket, &request(&[DRAW, "yield", WORK[0], "yield", WORK[1], "if (S == t) { S := S + 1 }"]));
}

#[test]
fn who_stays_does_not_call() {
    needs(Condition::ReductionTicket, &request(&[DRAW, "yield", &only("S == t"), WORK[0], CALL, "yield", WORK[1]]));
}

#[test]
fn a_ticket_does_not_change() {
    let change = "if (?) { t := t - 1 }";
    let text = request(&[DRAW, "yield", change, "yield", &only("S == t"), WORK[0], "yield", WORK[1], CALL]);
    // The register is far from the ends of 64 bits, as the variable is.
    needs_with(Condition::ReductionTicket, &text, |proof| {
        let register = proof.tickets[0].holders.first().map_or(0, |holder| holder.1);
        proof.locals = vec![Bounds { variable: register, low: -(1 << 61), high: 1 << 61, points: vec![(2, 2)] }];
    });
}

#[test]
fn nobody_comes_in_without_asking() {
    needs(Condition::ReductionTicket, &request(&[DRAW, "yield", WORK[0], "yield", WORK[1], CALL]));
    needs(Condition::ReductionTicket, &lock(DRAW, "S <= t", CALL));
    needs(Condition::ReductionTicket, &lock(DRAW, "S + 1 >= t", CALL));
}

#[test]
fn one_is_called_after_the_other() {
    needs(Condition::ReductionTicket, &lock(DRAW, "S >= t", "S := S + 2"));
}

/// In complete runs no request does that, but there is an error in others.
#[test]
fn who_waits_does_not_call() {
    let away = "if (?) { S := S + 1; yield; while (1) { 1 } }";
    let parts = [DRAW, "yield", away, &only("S == t"), "X := 1", "yield", "x := 1 / X; X := 0", CALL];
    let text = request(&parts);
    let points: Vec<u32> = points(0b11000).collect();
    let alone = |point: &u32| {
        let known = vec![Bounds { variable: 0, low: 1, high: 1, points: vec![(*point, *point)] }];
        let prepared = prepared(&text);
        let is_accepted = |proof: &Reduction| {
            let known_there = Reduction { known: known.clone(), ..proof.clone() };
            without(Condition::ReductionTicket, || checked(&prepared, &known_there)) == Ok(())
        };
        side_by_side(&proofs(&text), is_accepted).contains(&true)
    };
    let point = points.into_iter().find(alone).expect("hides behind another condition");
    needs_with(Condition::ReductionTicket, &text, |proof| {
        proof.known = vec![Bounds { variable: 0, low: 1, high: 1, points: vec![(point, point)] }];
    });
}

#[test]
fn nobody_else_calls() {
    needs(Condition::ReductionTicket, &format!("{}request c {{ S := S + 1; 0 }}\n", lock(DRAW, "S == t", CALL)));
}

/// The order in which `X` is read and written.
const TURN: [&str; 2] = ["x := X; X := 1 - x", "if (t == x) { x := 5 } else { x := 6 }"];

#[test]
fn turns() {
    let others = "request s { if (S == 7) { S := S }; 0 }\n";
    let needs = |parts: &[&str]| needs(Condition::ReductionTurns, &format!("{}{others}", request(parts)));
    // Who commits is called.
    needs(&[DRAW, "yield", TURN[0], TURN[1]]);
    // Who gives the ticket back has committed.
    needs(&[DRAW, "yield", "yield", TURN[0], TURN[1]]);
    // Who has committed does not draw.
    needs(&[TURN[0], "yield", DRAW, "yield", TURN[1]]);
}
