//! Locks with tickets over integers without bounds, and what goes wrong next to them.

use serval_budget::Budget;
use serval_compile::{Options, Prepared};
use serval_lipton_engine::prove;
use serval_proof::Refusal;

/// With how many locks with tickets a program is proved, if it is.
fn proved(text: &str) -> Option<usize> {
    let program = serval_syntax::analyze(text).program.unwrap_or_else(|| panic!("{text}"));
    let prepared = Prepared::new(&program, Options::default());
    let found = prove(&prepared, &mut Budget::ticks(1_000_000)).ok()?;
    let checked: Result<(), Refusal<()>> = serval_lipton_proof::check(&prepared, &found.reduction, &mut Budget::ticks(1_000_000));
    assert_eq!(checked, Ok(()), "{text}");
    Some(found.reduction.tickets.len())
}

fn lock(draw: &str, wait: &str, leave: &str) -> String {
    format!("var X: 0..9\nrequest add {{ {draw}; {wait}; x := X; yield; if (x < 9) {{ X := x + 1 }}; {leave}; x }}\n")
}

const DRAW: &str = "t := NEXT; NEXT := NEXT + 1";
const WAIT: &str = "await (SERVING == t)";
const LEAVE: &str = "SERVING := SERVING + 1";

#[test]
fn tickets_are_proved() {
    for (draw, wait, leave) in [
        (DRAW, WAIT, LEAVE),
        ("t := NEXT; NEXT := NEXT + 1; yield", WAIT, LEAVE),
        ("t := NEXT; NEXT := t + 1", WAIT, LEAVE),
        (DRAW, "while (SERVING != t) { yield }", LEAVE),
        (DRAW, "while (SERVING < t) { yield }", LEAVE),
        (DRAW, WAIT, "SERVING := t + 1"),
        (DRAW, WAIT, "SERVING := SERVING + 1; yield; yield"),
    ] {
        assert_eq!(proved(&lock(draw, wait, leave)), Some(1), "{draw}; {wait}; {leave}");
    }
}

#[test]
fn other_numbers_are_not() {
    for (draw, wait, leave) in [
        ("t := NEXT; yield; NEXT := NEXT + 1", WAIT, LEAVE),
        ("t := NEXT; NEXT := NEXT + 1; if (?) { t := t + 1 }", WAIT, LEAVE),
        (DRAW, "await (SERVING <= t)", LEAVE),
        (DRAW, WAIT, "SERVING := SERVING + 2"),
        (DRAW, WAIT, "SERVING := NEXT"),
        (DRAW, "SERVING := SERVING + 1; await (SERVING >= t)", LEAVE),
    ] {
        assert_eq!(proved(&lock(draw, wait, leave)), None, "{draw}; {wait}; {leave}");
    }
}

/// Several requests with one lock, and with two.
#[test]
fn several() {
    let one = format!("{}request get {{ {DRAW}; {WAIT}; x := X; yield; y := X; {LEAVE}; x - y }}\n", lock(DRAW, WAIT, LEAVE));
    assert_eq!(proved(&one), Some(1));
    let two = format!(
        "{}request put {{ t := N; N := N + 1; await (S == t); a := Y; yield; Y := 1 - a; S := S + 1; a }}\n",
        lock(DRAW, WAIT, LEAVE).replace("X:", "Y: 0..1\nvar X:")
    );
    assert_eq!(proved(&two), Some(2));
    let beside = format!("{one}request poke {{ X := 0; 0 }}\n");
    assert_eq!(proved(&beside), None);
}
