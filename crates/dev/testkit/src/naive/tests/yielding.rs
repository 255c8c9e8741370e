//! Where steps end.

use super::super::term::*;
use super::{Led, Stop, add, answer, equal, x_is};

#[test]
fn a_step_ends_at_a_yield() {
    // X := 1; yield; X := X + 1
    let mut led = Led::new(block([assign("X", number(1)), yields(), assign("X", add(read("X"), number(1)))]));
    assert_eq!(led.step(0), (Stop::Waits, 1));
    assert_eq!(led.step(6), (Stop::Answers(7), 7));
}

#[test]
fn a_yield_at_the_end_waits_once_more_and_answers_zero() {
    let mut led = Led::new(block([assign("X", number(5)), yields()]));
    assert_eq!(led.step(0), (Stop::Waits, 5));
    assert_eq!(led.step(2), (Stop::Answers(0), 2));
}

#[test]
fn a_yield_in_an_operand_keeps_the_left_value() {
    // X + yield + X
    let mut led = Led::new(add(add(read("X"), yields()), read("X")));
    assert_eq!(led.step(5), (Stop::Waits, 5));
    assert_eq!(led.step(7), (Stop::Answers(12), 7));
}

#[test]
fn a_yield_on_the_left_comes_before_the_right() {
    // yield == X
    let mut led = Led::new(equal(yields(), read("X")));
    assert_eq!(led.step(1), (Stop::Waits, 1));
    assert_eq!(led.step(0), (Stop::Answers(1), 0));
}

#[test]
fn an_assignment_of_a_yield_happens_in_the_next_step() {
    let mut led = Led::new(block([assign("X", yields()), number(3)]));
    assert_eq!(led.step(4), (Stop::Waits, 4));
    assert_eq!(led.step(4), (Stop::Answers(3), 0));
}

#[test]
fn not_of_a_yield_is_one_afterwards() {
    let mut led = Led::new(assign("X", not(yields())));
    assert_eq!(led.step(0), (Stop::Waits, 0));
    assert_eq!(led.step(0), (Stop::Answers(1), 1));
}

#[test]
fn a_yield_as_condition_is_false() {
    let mut led = Led::new(if_else(yields(), number(1), read("X")));
    assert_eq!(led.step(0), (Stop::Waits, 0));
    assert_eq!(led.step(9), (Stop::Answers(9), 9));
    // while (yield) { X := 1 }
    let mut led = Led::new(while_do(yields(), assign("X", number(1))));
    assert_eq!(led.step(0), (Stop::Waits, 0));
    assert_eq!(led.step(0), (Stop::Answers(0), 0));
}

#[test]
fn a_yield_in_a_loop_condition_happens_each_time_round() {
    // while (yield + X == 1) { x := x + 1 }; x
    let condition = equal(add(yields(), read("X")), number(1));
    let mut led = Led::new(block([while_do(condition, assign("x", add(read("x"), number(1)))), read("x")]));
    assert_eq!(led.step(1), (Stop::Waits, 1));
    assert_eq!(led.step(1), (Stop::Waits, 1));
    assert_eq!(led.step(1), (Stop::Waits, 1));
    assert_eq!(led.step(0), (Stop::Answers(2), 0));
}

#[test]
fn a_yield_in_a_loop_body_happens_each_time_round() {
    // while (x < 2) { x := x + 1; yield; X := X + 10 }
    let body = block([assign("x", add(read("x"), number(1))), yields(), assign("X", add(read("X"), number(10)))]);
    let mut led = Led::new(while_do(binary(read("x"), Operator::Less, number(2)), body));
    assert_eq!(led.step(0), (Stop::Waits, 0));
    assert_eq!(led.step(0), (Stop::Waits, 10));
    assert_eq!(led.step(10), (Stop::Answers(0), 20));
}

#[test]
fn waiting_looks_again_at_each_step() {
    // while (X == 1) { yield }; X := 1
    let mut led = Led::new(block([while_do(x_is(1), yields()), assign("X", number(1))]));
    assert_eq!(led.step(1), (Stop::Waits, 1));
    assert_eq!(led.step(1), (Stop::Waits, 1));
    assert_eq!(led.step(0), (Stop::Answers(1), 1));
}

#[test]
fn short_circuit_decides_whether_to_yield() {
    // X && yield
    let mut led = Led::new(and(read("X"), yields()));
    assert_eq!(led.step(0), (Stop::Answers(0), 0));
    let mut led = Led::new(or(yields(), read("X")));
    assert_eq!(led.step(0), (Stop::Waits, 0));
    assert_eq!(led.step(7), (Stop::Answers(1), 7));
}

#[test]
fn return_of_a_yield_waits_and_answers_zero() {
    let mut led = Led::new(block([returns(yields()), assign("X", number(1))]));
    assert_eq!(led.step(0), (Stop::Waits, 0));
    assert_eq!(led.step(0), (Stop::Answers(0), 0));
}

#[test]
fn an_endless_loop_after_a_yield_leaves_the_request_there() {
    let mut led = Led::new(block([yields(), while_do(x_is(0), number(1)), number(2)]));
    assert_eq!(led.step(0), (Stop::Waits, 0));
    assert_eq!(led.step_count(0), 0);
    assert_eq!(led.step(1), (Stop::Answers(2), 1));
}

#[test]
fn a_loop_that_yields_for_ever_has_steps() {
    let mut led = Led::new(block([read("X"), while_do(number(1), yields())]));
    for _ in 0..5 {
        assert_eq!(led.step(0), (Stop::Waits, 0));
    }
}

#[test]
fn choices_before_a_yield_are_kept() {
    // x := ?; yield; x + X
    let mut led = Led::new(block([assign("x", choice()), yields(), add(read("x"), read("X"))]));
    assert_eq!(led.step_count(0), 2);
}

#[test]
fn alone_a_yield_changes_nothing() {
    assert_eq!(answer(block([assign("x", number(2)), yields(), add(add(read("x"), yields()), read("x"))])), 4);
}
