//! After a flag is raised something no longer changes: who has seen it may look as often as it likes.

use serval_budget::Budget;
use serval_compile::{Options, Prepared};
use serval_lipton_engine::prove;
use serval_proof::Refusal;

fn is_proved(text: &str) -> bool {
    let program = serval_syntax::analyze(text).program.unwrap_or_else(|| panic!("{text}"));
    let prepared = Prepared::new(&program, Options::default());
    let Ok(found) = prove(&prepared, &mut Budget::ticks(1_000_000)) else { return false };
    let checked: Result<(), Refusal<()>> = serval_lipton_proof::check(&prepared, &found.reduction, &mut Budget::ticks(1_000_000));
    assert_eq!(checked, Ok(()), "{text}");
    true
}

/// One builds an object in several steps under a lock and says that it is ready; others wait for that, and look twice.
fn program(build: &str, look: &str, more: &str) -> String {
    format!(
        "var READY: 0..1\nvar OBJECT: 0..2\n\
         request build {{ lock(L); if (READY == 0) {{ {build} }}; unlock(L); 0 }}\n\
         request look {{ {look}; yield; a := OBJECT; yield; a + 3 * OBJECT }}\n{more}\n"
    )
}

const BUILD: &str = "yield; OBJECT := 1; yield; OBJECT := 2; yield; READY := 1";

#[test]
fn what_is_ready_does_not_change() {
    assert!(is_proved(&program(BUILD, "await (READY == 1)", "")));
    assert!(is_proved(&program(BUILD, "if (READY == 0) { return 9 }", "")));
    let reset = "request stop { lock(L); if (READY == 0) { READY := 1 }; unlock(L); 1 }";
    assert!(is_proved(&program(BUILD, "await (READY == 1)", reset)));
}

#[test]
fn what_is_not_may() {
    // The flag is raised too early, taken back, not waited for; or a request ignores it.
    assert!(!is_proved(&program("yield; OBJECT := 1; yield; READY := 1; yield; OBJECT := 2", "await (READY == 1)", "")));
    assert!(!is_proved(&program(BUILD, "await (READY == 1)", "request back { lock(L); READY := 0; unlock(L); 1 }")));
    assert!(!is_proved(&program(BUILD, "await (READY == 0)", "")));
    assert!(!is_proved(&program(BUILD, "await (READY == 1)", "request any { OBJECT := 0; 1 }")));
}

/// Who finds an object that is not there looks again under the lock.
fn checked_twice(again: &str, look: &str) -> String {
    format!(
        "request get {{ if (READY == 1) {{ return OBJECT }}; lock(L); yield; if ({again}) {{ OBJECT := 1 + ?; yield; READY := 1; unlock(L); return 10 + OBJECT }}; \
         unlock(L); {look} }}\n"
    )
}

#[test]
fn looking_twice() {
    assert!(is_proved(&checked_twice("READY == 0", "OBJECT")));
    // One builds it again, or says that it has come late.
    assert!(!is_proved(&checked_twice("1 == 1", "OBJECT")));
    assert!(!is_proved(&checked_twice("READY == 0", "20 + OBJECT")));
}

/// Which tests may be left out rests on ranges, and these on the tests that are: what is found holds for both, or
/// nothing is.
#[test]
fn looks_and_ranges_fit() {
    let text = "var B: 0..2\nvar O: 0..2\nvar READY: 0..2\nvar L: 0..1\n\
        request f { if (READY != 0 and B == 0) { return 5 }; a := READY; await (L == 0); L := 1; yield; if (READY != 0) { L := 0; return 5 }; \
        B := a; O := 1; yield; READY := 1; L := 0; a }\n\
        request g { if (READY > 0) { return O }; yield; yield; lock(L); if (READY > 0) { L := 0; return O }; B := a; O := 1; READY := 2; L := 0; a }\n\
        request h { await (READY == 1); a := O; yield; a + O }\n";
    // Whatever is found is accepted.
    assert!(!is_proved(text));
}

/// A request that counts itself in and then waits until none is counted waits forever. Of what follows both numbers can
/// be said, and what is said of points after that must not rest on the one that is not.
#[test]
fn nobody_comes_where_two_values_are_seen() {
    let text = "var Row[0..1]: 0..1 saturate\nvar L: 0..1\nvar Writer: 0..1\nvar Readers: 0..2\n\
         request get(i: 0..1) {\n  lock(L);\n  await (Writer == 0 and Readers < 1);\n  Readers := Readers + 1;\n  yield;\n  x := Row[i];\n  yield;\n  \
         await (Writer == 0 and Readers == 0);\n  Writer := 1;\n  yield;\n  if (x != 0) { Row[i] := Row[i] + 1 } else { y := Row[i] };\n  yield;\n  \
         Writer := 0;\n  yield;\n  x\n}\n";
    assert!(is_proved(text));
}
