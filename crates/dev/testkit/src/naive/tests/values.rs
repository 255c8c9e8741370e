//! Values, order of evaluation, control flow within one step.

use super::super::term::*;
use super::super::{Caps, Fault, Naive, Rejected};
use super::{add, answer, answers, divide, equal, x_is};

#[test]
fn a_number_is_its_value() {
    assert_eq!(answer(number(-7)), -7);
}

#[test]
fn variables_start_at_zero() {
    assert_eq!(answer(add(read("x"), read("X"))), 0);
}

#[test]
fn an_assignment_has_the_value_assigned_and_stores_it() {
    assert_eq!(answer(assign("x", number(4))), 4);
    assert_eq!(answer(block([assign("x", number(4)), add(read("x"), read("x"))])), 8);
    // x := Y := 3
    assert_eq!(answer(block([assign("x", assign("Y", number(3))), add(read("x"), read("Y"))])), 6);
}

#[test]
fn operands_are_evaluated_left_to_right() {
    // x + (x := 3), (x := 3) + x
    assert_eq!(answer(add(read("x"), assign("x", number(3)))), 3);
    assert_eq!(answer(add(assign("x", number(3)), read("x"))), 6);
    // (x := 1) == x, x == (x := 1)
    assert_eq!(answer(equal(assign("x", number(1)), read("x"))), 1);
    assert_eq!(answer(equal(read("x"), assign("x", number(1)))), 0);
}

#[test]
fn the_right_side_of_an_assignment_comes_before_the_store() {
    // x := 2; x := x + (x := 5) + x
    let body = block([assign("x", number(2)), assign("x", add(add(read("x"), assign("x", number(5))), read("x"))), read("x")]);
    assert_eq!(answer(body), 12);
}

#[test]
fn arithmetic() {
    let of = |a, op, b| answer(binary(number(a), op, number(b)));
    assert_eq!(of(5, Operator::Add, -7), -2);
    assert_eq!(of(5, Operator::Subtract, 7), -2);
    assert_eq!(of(-3, Operator::Multiply, 4), -12);
    assert_eq!(answer(negate(read("x"))), 0);
    assert_eq!(answer(block([assign("x", number(3)), negate(read("x"))])), -3);
}

#[test]
fn division_and_remainder_floor() {
    let of = |a, b| (answer(divide(number(a), number(b))), answer(binary(number(a), Operator::Remainder, number(b))));
    assert_eq!(of(7, 2), (3, 1));
    assert_eq!(of(-7, 2), (-4, 1));
    assert_eq!(of(7, -2), (-4, -1));
    assert_eq!(of(-7, -2), (3, -1));
    assert_eq!(of(6, 3), (2, 0));
    assert_eq!(of(-6, 3), (-2, 0));
    assert_eq!(of(6, -3), (-2, 0));
    assert_eq!(of(-6, -3), (2, 0));
    assert_eq!(of(0, -5), (0, 0));
    assert_eq!(of(-1, 3), (-1, 2));
}

#[test]
fn division_by_zero_is_a_fault() {
    let fault = Err(Rejected::Fault(Fault::DivisionByZero));
    assert_eq!(answers(divide(number(1), read("x"))), fault);
    assert_eq!(answers(binary(number(0), Operator::Remainder, number(0))), fault);
}

#[test]
fn leaving_64_bits_is_a_fault() {
    let fault = Err(Rejected::Fault(Fault::Overflow));
    assert_eq!(answers(add(number(i64::MAX), number(1))), fault);
    assert_eq!(answers(binary(number(i64::MIN), Operator::Subtract, number(1))), fault);
    assert_eq!(answers(binary(number(i64::MAX), Operator::Multiply, number(2))), fault);
    assert_eq!(answers(divide(number(i64::MIN), number(-1))), fault);
    assert_eq!(answers(negate(number(i64::MIN))), fault);
    assert_eq!(answer(binary(number(i64::MIN), Operator::Remainder, number(-1))), 0);
    assert_eq!(answer(negate(number(i64::MAX))), -i64::MAX);
}

#[test]
fn comparisons_give_zero_or_one() {
    let row = |op| [(1, 2), (2, 2), (3, 2)].map(|(a, b)| answer(binary(number(a), op, number(b))));
    assert_eq!(row(Operator::Equal), [0, 1, 0]);
    assert_eq!(row(Operator::NotEqual), [1, 0, 1]);
    assert_eq!(row(Operator::Less), [1, 0, 0]);
    assert_eq!(row(Operator::LessOrEqual), [1, 1, 0]);
    assert_eq!(row(Operator::Greater), [0, 0, 1]);
    assert_eq!(row(Operator::GreaterOrEqual), [0, 1, 1]);
}

#[test]
fn not_of_nonzero_is_zero() {
    assert_eq!([0, 1, 5, -1].map(|n| answer(not(number(n)))), [1, 0, 0, 0]);
}

#[test]
fn and_or_give_zero_or_one() {
    let both = |a, b| (answer(and(number(a), number(b))), answer(or(number(a), number(b))));
    assert_eq!(both(2, 3), (1, 1));
    assert_eq!(both(2, 0), (0, 1));
    assert_eq!(both(0, -3), (0, 1));
    assert_eq!(both(0, 0), (0, 0));
}

#[test]
fn what_short_circuit_skips_does_not_happen() {
    assert_eq!(answer(block([and(number(0), assign("x", number(1))), read("x")])), 0);
    assert_eq!(answer(block([and(number(2), assign("x", number(1))), read("x")])), 1);
    assert_eq!(answer(block([or(number(2), assign("x", number(1))), read("x")])), 0);
    assert_eq!(answer(block([or(number(0), assign("x", number(1))), read("x")])), 1);
    assert_eq!(answer(and(number(0), divide(number(1), number(0)))), 0);
    assert_eq!(answer(and(number(0), and(number(1), divide(number(1), number(0))))), 0);
}

#[test]
fn choice_is_zero_or_one_each_time() {
    assert_eq!(answers(choice()).unwrap(), [0, 1].into());
    assert_eq!(answers(add(choice(), choice())).unwrap(), [0, 1, 2].into());
    assert_eq!(answers(block([assign("x", choice()), add(read("x"), read("x"))])).unwrap(), [0, 2].into());
}

#[test]
fn a_sequence_has_the_value_of_its_last() {
    assert_eq!(answer(block([number(1), number(2), number(3)])), 3);
}

#[test]
fn nonzero_is_true() {
    assert_eq!([0, 1, 2, -1].map(|n| answer(if_else(number(n), number(10), number(20)))), [20, 10, 10, 10]);
}

#[test]
fn a_loop_runs_while_true_and_is_zero() {
    // while (i < 5) { i := i + 2 }
    let round = while_do(binary(read("i"), Operator::Less, number(5)), assign("i", add(read("i"), number(2))));
    assert_eq!(answer(round.clone()), 0);
    assert_eq!(answer(block([round.clone(), read("i")])), 6);
    // As an operand: 7 + while … + i
    assert_eq!(answer(add(add(number(7), round), read("i"))), 13);
}

#[test]
fn an_endless_loop_gives_no_step() {
    assert!(answers(while_do(number(1), number(1))).unwrap().is_empty());
    // It comes round with the same values only every second time.
    let flip = assign("x", binary(number(1), Operator::Subtract, read("x")));
    assert!(answers(block([while_do(number(1), flip), number(3)])).unwrap().is_empty());
}

#[test]
fn an_endless_branch_leaves_the_other() {
    let body = if_else(choice(), while_do(number(1), number(0)), number(8));
    assert_eq!(answers(body).unwrap(), [8].into());
    // A loop that ends by chance ends.
    let body = block([while_do(choice(), assign("x", number(1))), read("x")]);
    assert_eq!(answers(body).unwrap(), [0, 1].into());
}

#[test]
fn a_loop_that_grows_for_ever_is_too_large() {
    let body = while_do(number(1), assign("x", add(read("x"), number(1))));
    assert_eq!(answers(body.clone()), Err(Rejected::TooLarge));
    // The same on a global: it is no step either, and cannot be seen to be none.
    assert_eq!(answers(while_do(not(x_is(-1)), assign("X", add(read("X"), number(1))))), Err(Rejected::TooLarge));
}

#[test]
fn return_discards_the_context() {
    assert_eq!(answer(add(number(1), returns(number(5)))), 5);
    assert_eq!(answer(block([returns(number(2)), number(9)])), 2);
    assert_eq!(answer(not(returns(number(4)))), 4);
    assert_eq!(answer(returns(add(number(1), returns(number(6))))), 6);
    // The assignment around it does not take place.
    let body = assign("X", returns(number(5)));
    let mut naive = Naive::new(&Source::single(block([body, number(0)])));
    let ends = naive.ends(naive.first_state(), &[3], Caps::default()).unwrap();
    assert_eq!(ends, [(Ok(5), vec![3])].into());
}

#[test]
fn return_leaves_loops_and_conditions() {
    assert_eq!(answer(while_do(number(1), returns(number(3)))), 3);
    assert_eq!(answer(while_do(returns(number(4)), number(0))), 4);
    assert_eq!(answer(if_else(returns(number(6)), number(0), number(1))), 6);
    assert_eq!(answer(and(number(1), returns(number(7)))), 7);
    assert_eq!(answer(and(number(0), returns(number(7)))), 0);
}

#[test]
fn a_fault_before_a_return_or_an_endless_loop_counts() {
    let fault = Err(Rejected::Fault(Fault::DivisionByZero));
    assert_eq!(answers(returns(divide(number(1), number(0)))), fault);
    assert_eq!(answers(block([divide(number(1), number(0)), while_do(number(1), number(1))])), fault);
    // After an endless loop there is nothing.
    assert!(answers(block([while_do(number(1), number(1)), divide(number(1), number(0))])).unwrap().is_empty());
}
