//! What is unwound, and what is not.

use std::cell::Cell;
use std::panic::catch_unwind;
use std::rc::Rc;

use serval_budget::checkpoint::{ask, pass, until};

#[test]
fn the_innermost_that_says_so_ends() {
    let outer = until(
        || false,
        || {
            assert_eq!(until(|| true, ask), None);
            // Now the outer one is asked again.
            ask();
            7
        },
    );
    assert_eq!(outer, Some(7));
    // Outside there is no limit.
    ask();
    pass();
}

#[test]
fn a_panic_is_no_end() {
    let panicked = catch_unwind(|| until(|| false, || panic!("this is part of a test")));
    assert!(panicked.is_err_and(|panic| panic.downcast_ref::<&str>() == Some(&"this is part of a test")));
}

#[test]
fn what_is_unwound_is_given_back() {
    let held = Rc::new(Cell::new(0));
    let given = Rc::clone(&held);
    let ended: Option<()> = until(
        || true,
        move || {
            let _kept = given;
            loop {
                pass();
            }
        },
    );
    assert_eq!((ended, Rc::strong_count(&held)), (None, 1));
}
