//! Sections of several steps that only one thread at a time is in: in an attack, threads that are no helpers stand
//! still, also within such a section, and no violation is missed for that.

use serval_budget::Budget;
use serval_tso_engine::{EngineLimits, decide};

/// Robust or not, as the checker accepts it.
fn robust(text: &str) -> bool {
    let program = serval_tso_program::read(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}"));
    let outcome = decide(&program, &EngineLimits::default(), &mut Budget::unlimited()).unwrap();
    outcome.certificate.check(&program, &mut Budget::unlimited()).unwrap().robust.unwrap()
}

const ENTER: &str = "loop { o := xchg(lock, 1); if (o == 0) { break; } }";

#[test]
fn a_helper_waits_for_a_thread_that_is_none() {
    // The attacker sees that the second thread is in the section; the third one, which must be a helper, enters after
    // it has left.
    let text = format!(
        "memory x = 0, y = 0, z = 0, lock = 0;
        thread A {{ x := 1; w := z; assume w == 1; r := y; }}
        thread B {{ {ENTER} z := 1; skip; z := 2; fence; lock := 0; }}
        thread C {{ {ENTER} y := 1; fence; s := x; lock := 0; }}
        exists A.r == 0 && C.s == 0;"
    );
    assert!(!robust(&text));
    // With a fence in the attacker nothing is left.
    assert!(robust(&text.replace("x := 1; w", "x := 1; fence; w")));
}

#[test]
fn a_queue_with_a_section_for_compare_and_swap() {
    // Each thread takes its place in a queue in a section of two steps, and waits for the one before it; what it stores
    // before that it reads through the buffer.
    let thread = |own: usize| {
        let other = 3 - own;
        format!(
            "thread P{own} {{ n{own} := 1; {ENTER} p := tail; q := cas(tail, p, {own}); lock := 0;
                loop {{ if (p == {other}) {{ w := n{other}; }} if (p != {other} || w == 0) {{ break; }} }} c := d; d := {own}; n{own} := 0; r := d; }}"
        )
    };
    let text = format!("memory n1 = 0, n2 = 0, tail = 0, lock = 0, d = 0; {} {}", thread(1), thread(2));
    // The lock is taken by a locked instruction, before which all stores have landed.
    assert!(robust(&text));
    // A section that is entered by plain stores lets them wait.
    let plain = text.replace(ENTER, "g := lock; assume g == 0; lock := 1;");
    assert!(!robust(&plain));
}
