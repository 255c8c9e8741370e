//! Where work that has no budget can be ended from outside.
//!
//! Reading a text and preparing a program take time that grows with the text
//! and nothing else, so they count no ticks and always have a result. With a
//! large text and a small limit that is too long all the same. Such work calls
//! [`pass`] now and then, which costs next to nothing; a caller with a limit does
//! the work within [`until`]. If the limit is reached, the work is unwound from
//! where it is, without a panic message, and all its memory is given back. So
//! a caller cannot take the part that was done for the whole: there is no result.
//!
//! Outside of [`until`], and in other threads, [`pass`] does nothing.
//!
//! ```
//! use std::cell::Cell;
//! use std::rc::Rc;
//! let left = Rc::new(Cell::new(3));
//! let asked = Rc::clone(&left);
//! let stop = move || asked.replace(asked.get() - 1) == 0;
//! let endless = || loop { serval_budget::checkpoint::pass() };
//! assert_eq!(serval_budget::checkpoint::until(stop, endless), None::<()>);
//! assert_eq!(serval_budget::checkpoint::until(|| false, || 7), Some(7));
//! ```

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

type Stop = Rc<dyn Fn() -> bool>;

thread_local! {
    static STOP: RefCell<Option<Stop>> = const { RefCell::new(None) };
    static PASSED: Cell<u32> = const { Cell::new(0) };
}

/// How many calls of [`pass`] there are to one question.
const SELDOM: u32 = 64;

/// What unwinds the work.
struct Ended;

/// Puts back what was asked before, however the work ends.
struct Before(Option<Stop>);

impl Drop for Before {
    fn drop(&mut self) {
        STOP.set(self.0.take());
    }
}

/// Does the work, unless `stop` says so before it is done.
pub fn until<T>(stop: impl Fn() -> bool + 'static, work: impl FnOnce() -> T) -> Option<T> {
    let before = Before(STOP.replace(Some(Rc::new(stop))));
    // Nothing of the work is seen afterwards if it does not come to its end.
    let outcome = catch_unwind(AssertUnwindSafe(work));
    drop(before);
    match outcome {
        Ok(done) => Some(done),
        Err(ended) if ended.is::<Ended>() => None,
        Err(panic) => resume_unwind(panic),
    }
}

/// Does the work; `None` where it panics, so that a mistake in one method costs its own answer and no other's. What the
/// panic says has been printed by then. The end that [`until`] asks for is no panic, and ends more than this.
///
/// ```
/// use serval_budget::checkpoint::{ask, fenced, until};
/// assert_eq!(fenced(|| 7), Some(7));
/// assert_eq!(fenced(|| i64::MIN.checked_neg().unwrap()), None);
/// assert_eq!(until(|| true, || fenced(ask)), None);
/// ```
pub fn fenced<T>(work: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => Some(done),
        Err(ended) if ended.is::<Ended>() => resume_unwind(ended),
        Err(_) => None,
    }
}

/// A place at which work may end. To be called every microsecond or so: most
/// calls only count.
#[inline]
pub fn pass() {
    PASSED.set(PASSED.get().wrapping_add(1));
    if PASSED.get().is_multiple_of(SELDOM) {
        ask();
    }
}

/// The same for work that takes longer from one place to the next.
#[cold]
pub fn ask() {
    let stop = STOP.with_borrow(Clone::clone);
    if stop.is_some_and(|stop| stop()) {
        resume_unwind(Box::new(Ended));
    }
}
