//! Equal behaviour means equal state, and what is independent stays apart.

use serval_budget::Budget;
use serval_compile::{Compiled, Mode, Options, compile};
use serval_syntax::analyze;

fn compiled(text: &str, mode: Mode) -> Compiled {
    let program = analyze(text).program.unwrap_or_else(|| panic!("{text}"));
    compile(&program, Options { mode, ..Options::default() }, &Budget::unlimited()).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

/// Local states of the only component.
fn locals(text: &str, mode: Mode) -> usize {
    let compiled = compiled(text, mode);
    assert_eq!(compiled.components().len(), 1, "{text}");
    compiled.components()[0].system().local_count()
}

#[test]
fn dead_locals_are_reset() {
    // `x` is 0 or 1 while the request waits, and no step reads it again.
    let text = "request a { x := ?; yield; Y := 1 - Y; Y }";
    assert_eq!(locals(text, Mode::Optimised), 4); // begun, waiting, done 0, done 1
    assert_eq!(locals(text, Mode::Plain), 7); // waiting twice, done with either x
}

#[test]
fn a_local_that_a_loop_or_the_answer_reads_is_kept() {
    let loop_reads = "request a { x := ?; yield; while (x == 1) { yield; x := 0 }; Y := 1 - Y; 0 }";
    let answer_reads = "request a { x := ?; yield; Y := 1 - Y; x }";
    let begun_waiting_twice = 3;
    assert!(locals(loop_reads, Mode::Optimised) > begun_waiting_twice);
    assert_eq!(locals(answer_reads, Mode::Optimised), 5);
}

#[test]
fn equal_continuations_are_one_state() {
    let twice = "request a { if (?) { X := 1; yield; X } else { X := 0; yield; X } }";
    assert_eq!(locals(twice, Mode::Optimised), 4);
    assert_eq!(locals(twice, Mode::Plain), 4);
    let loops = "request a { if (?) { X := 1; while (X == 1) { yield }; 5 } else { while (X == 1) { yield }; 5 } } request b { X := 0 }";
    // a: begun, waiting, done; b: begun, done.
    assert_eq!(locals(loops, Mode::Optimised), 5);
}

#[test]
fn a_request_that_waits_at_its_start_has_not_begun() {
    assert_eq!(locals("request a { while (L == 1) { yield }; L := 1 - L }", Mode::Optimised), 2);
}

#[test]
fn requests_that_share_nothing_are_components() {
    let text = "request a { X := 1 - X } request b { Y := 1 - Y } request c { x := ?; yield; x } request d { X }";
    let compiled = compiled(text, Mode::Optimised);
    let bodies: Vec<&[usize]> = compiled.components().iter().map(|component| component.bodies()).collect();
    assert_eq!(bodies, [&[0, 3][..], &[1], &[2]]);
    assert_eq!(self::compiled(text, Mode::Plain).components().len(), 1);
}

#[test]
fn what_nobody_writes_or_nobody_reads_joins_nothing() {
    let text = "C := 7 request a { X := C % 2 - X } request b { LOG := 1; Y := C; Y } request c { LOG := 2; 0 }";
    assert_eq!(compiled(text, Mode::Optimised).components().len(), 3);
}

#[test]
fn bodies_of_one_name_stay_together() {
    // Apart, each part could look refutable although the whole is not.
    let text = "request q { X := 1; yield; y := X; X := 0; y } request q { ? } request r { Y := 1 - Y }";
    let compiled = compiled(text, Mode::Optimised);
    assert_eq!(compiled.components()[0].bodies(), [0, 1]);
    assert_eq!(compiled.components().len(), 2);
    assert_eq!(compiled.components()[0].system().request_count(), 1);
    assert_eq!(compiled.components()[0].system().starts().len(), 2);
}

#[test]
fn a_step_that_cannot_end_is_no_step() {
    for text in
        ["request a { while (1) { X := 1 - X } }", "request a { while (x == 0) { y := 1 - y } }", "request a { while (1) { x := x + 1 } }"]
    {
        let compiled = compiled(text, Mode::Optimised);
        assert_eq!(compiled.components()[0].system().steps().len(), 0, "{text}");
    }
}

#[test]
fn states_and_steps_know_their_text() {
    let text = "request a {\n  x := X;\n  yield;\n  X := 1 - x\n}\n";
    let compiled = compiled(text, Mode::Optimised);
    let component = &compiled.components()[0];
    let at = |span: serval_syntax::Span| &text[span.range()];
    let system = component.system();
    let (_, start) = system.starts()[0];
    assert_eq!(at(component.local_span(start)), "a");
    for (position, step) in system.steps().iter().enumerate() {
        let run = at(component.step_span(position));
        if step.local == start {
            assert_eq!(run, "X;\n  yield");
            assert_eq!(at(component.local_span(step.to_local)), "yield");
        } else {
            assert_eq!(run, "X := 1 - x");
            assert_eq!(at(component.local_span(step.to_local)), "X := 1 - x");
        }
    }
}
