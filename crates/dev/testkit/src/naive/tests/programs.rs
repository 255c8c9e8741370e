//! Several requests.

use super::super::term::*;
use super::super::{Caps, Fault, Rejected};
use super::{add, divide, of_size, program, x_is};

/// `x := X; yield; X := x + 1`
fn lossy_increment() -> Term {
    block([assign("x", read("X")), yields(), assign("X", add(read("x"), number(1)))])
}

#[test]
fn a_lost_update_is_seen_with_two_requests() {
    let mut naive = program(&[], &[("inc", lossy_increment())]);
    let completed = naive.completed(2, Caps::default()).unwrap();
    assert_eq!(of_size(&completed, 0).len(), 1);
    assert_eq!(of_size(&completed, 1), [[("inc", 1)]]);
    assert_eq!(of_size(&completed, 2), [[("inc", 1), ("inc", 1)], [("inc", 1), ("inc", 2)]]);
    let serial = naive.serial(2, Caps::default()).unwrap();
    assert_eq!(of_size(&serial, 2), [[("inc", 1), ("inc", 2)]]);
    assert_eq!(naive.is_serializable(1, Caps::default()), Ok(true));
    assert_eq!(naive.is_serializable(2, Caps::default()), Ok(false));
}

#[test]
fn a_lock_makes_the_update_safe() {
    let take = block([while_do(binary(read("L"), Operator::Equal, number(1)), yields()), assign("L", number(1))]);
    let put = block([assign("L", number(0)), read("X")]);
    let mut naive = program(&[], &[("inc", block([take, lossy_increment(), put]))]);
    assert_eq!(naive.is_serializable(3, Caps::default()), Ok(true));
    let completed = naive.completed(3, Caps::default()).unwrap();
    assert_eq!(of_size(&completed, 3), [[("inc", 1), ("inc", 2), ("inc", 3)]]);
}

#[test]
fn globals_start_at_their_initial_values() {
    let mut naive = program(&[("X", 40)], &[("inc", lossy_increment())]);
    assert_eq!(of_size(&naive.completed(1, Caps::default()).unwrap(), 1), [[("inc", 41)]]);
}

#[test]
fn two_bodies_of_one_name_are_alternatives() {
    let mut naive = program(&[], &[("a", number(1)), ("b", number(3)), ("a", number(2))]);
    let completed = naive.completed(2, Caps::default()).unwrap();
    assert_eq!(of_size(&completed, 1), [[("a", 1)], [("a", 2)], [("b", 3)]]);
    assert_eq!(of_size(&completed, 2).len(), 6);
    assert_eq!(naive.serial(2, Caps::default()).unwrap(), completed);
}

#[test]
fn locals_are_private_and_survive_a_yield() {
    // x := X; X := X + 1; yield; x, which is a ticket
    let body = block([assign("x", read("X")), assign("X", add(read("X"), number(1))), yields(), read("x")]);
    let mut naive = program(&[], &[("ticket", body)]);
    assert_eq!(of_size(&naive.completed(2, Caps::default()).unwrap(), 2), [[("ticket", 0), ("ticket", 1)]]);
    // A second request finds the local of the first at 0 again.
    let mut naive = program(&[], &[("count", assign("x", add(read("x"), number(1))))]);
    assert_eq!(of_size(&naive.serial(2, Caps::default()).unwrap(), 2), [[("count", 1), ("count", 1)]]);
}

#[test]
fn a_request_that_waits_for_ever_completes_no_run() {
    let mut naive = program(&[], &[("wait", while_do(x_is(0), yields())), ("open", assign("X", number(1)))]);
    let completed = naive.completed(2, Caps::default()).unwrap();
    assert_eq!(of_size(&completed, 1), [[("open", 1)]]);
    assert_eq!(of_size(&completed, 2), [[("open", 1), ("open", 1)], [("open", 1), ("wait", 0)]]);
    assert_eq!(naive.serial(2, Caps::default()).unwrap(), completed);
}

#[test]
fn a_run_with_a_request_left_in_flight_is_not_complete() {
    // Only beside `half`, which never ends, can `see` answer 1.
    let half = block([assign("X", number(1)), while_do(number(1), yields())]);
    let mut naive = program(&[], &[("half", half), ("see", read("X"))]);
    let completed = naive.completed(2, Caps::default()).unwrap();
    assert_eq!(of_size(&completed, 1), [[("see", 0)]]);
    assert_eq!(of_size(&completed, 2), [[("see", 0), ("see", 0)]]);
}

#[test]
fn three_requests_may_be_needed() {
    // The reader sees 1, then 2, then 1 only if two writers come between.
    let seen = |n| block([yields(), while_do(not(x_is(n)), number(0))]);
    let reader = block([while_do(not(x_is(1)), number(0)), seen(2), number(9)]);
    let writers = [("one", assign("X", number(1))), ("two", assign("X", number(2)))];
    let mut naive = program(&[], &[("read", reader), writers[0].clone(), writers[1].clone()]);
    assert_eq!(naive.is_serializable(2, Caps::default()), Ok(true));
    assert_eq!(naive.is_serializable(3, Caps::default()), Ok(false));
    let completed = naive.completed(3, Caps::default()).unwrap();
    assert!(of_size(&completed, 3).contains(&vec![("one", 1), ("read", 9), ("two", 2)]));
}

#[test]
fn a_fault_counts_where_it_can_be_reached() {
    // X := 1; yield; X := 0 beside a request that divides by 1 - X
    let pulse = block([assign("X", number(1)), yields(), assign("X", number(0))]);
    let by = divide(number(2), binary(number(1), Operator::Subtract, read("X")));
    let mut naive = program(&[], &[("pulse", pulse), ("divide", by)]);
    assert!(naive.serial(3, Caps::default()).is_ok());
    assert!(naive.completed(1, Caps::default()).is_ok());
    assert_eq!(naive.completed(2, Caps::default()), Err(Rejected::Fault(Fault::DivisionByZero)));
    assert_eq!(naive.is_serializable(2, Caps::default()), Err(Rejected::Fault(Fault::DivisionByZero)));
}

#[test]
fn caps_are_kept() {
    let mut naive = program(&[], &[("inc", lossy_increment())]);
    let few = Caps { configurations: 5, ..Caps::default() };
    assert_eq!(naive.completed(3, few), Err(Rejected::TooLarge));
    let short = Caps { small_steps: 3, ..Caps::default() };
    let mut naive = program(&[], &[("inc", lossy_increment())]);
    assert_eq!(naive.completed(1, short), Err(Rejected::TooLarge));
}

#[test]
fn the_closure_is_finite_for_bounded_programs_only() {
    let mut naive = program(&[], &[("inc", lossy_increment())]);
    assert_eq!(naive.closure(Caps::default()), Err(Rejected::TooLarge));
    // X := 1 - X; yield: the start, and the value 0 at which it waits.
    let toggle = block([assign("X", binary(number(1), Operator::Subtract, read("X"))), yields()]);
    assert_eq!(program(&[], &[("toggle", toggle)]).closure(Caps::default()), Ok((2, 2)));
}
