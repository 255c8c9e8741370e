//! Where work that has no budget can be ended from outside.
//!
//! Reading a text and preparing a program take time that grows with the text
//! and nothing else, so they count no ticks and always have a result. With a
//! large text and a small limit that is too long all the same. Such work calls
//! [`pass`] now and then, which costs next to nothing; a caller with a limit does
//! the work within [`until`]. If the limit is reached, there is no result.
//!
//! Outside of [`until`], and in other threads, [`pass`] does nothing.
//!
//! # How it ends
//!
//! Where panics unwind, the work is unwound from where it is, without a panic
//! message, and all its memory is given back.
//!
//! On WebAssembly a panic ends the whole module, so nothing may be unwound. There a checkpoint that sees that the limit
//! is reached only notes it, the work goes on to its own end, and [`until`] throws away what comes out. That takes
//! longer, but not long: work without a budget is bounded by the length of the text, and all other work looks at its
//! budget, which has the same flag.
//!
//! **Claim: no partial result escapes.** Let `until` return `Some(value)`. Then `work` has returned `value`. A
//! checkpoint has no result, so that code that passes one cannot tell whether it is to end, and takes no other way
//! because of it: either the checkpoint returns and the work goes on as if it were not there, or it unwinds and the
//! work returns nothing. So `value` is what the work returns without any checkpoint: it is whole. Unwinding ends at the
//! next `until` ([`fenced`] passes it on), which returns `None`. What a `None` of an inner `until` becomes is up to the
//! code around it, which must take it for what it is: work that was stopped, such as
//! [`Stopped::Cancelled`](crate::Stopped).
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

/// What is asked at checkpoints, and what came of it.
struct Limit {
    stop: Box<dyn Fn() -> bool>,
    /// Whether work is unwound; otherwise it goes on to its end.
    unwinds: bool,
    /// Whether the limit was reached at a checkpoint.
    reached: Cell<bool>,
}

thread_local! {
    static LIMIT: RefCell<Option<Rc<Limit>>> = const { RefCell::new(None) };
    static PASSED: Cell<u32> = const { Cell::new(0) };
}

/// How many calls of [`pass`] there are to one question.
const SELDOM: u32 = 64;

/// What unwinds the work.
struct Ended;

/// Puts back what was asked before, however the work ends.
struct Before(Option<Rc<Limit>>);

impl Drop for Before {
    fn drop(&mut self) {
        LIMIT.set(self.0.take());
    }
}

/// Does the work, unless `stop` says so before it is done.
pub fn until<T>(stop: impl Fn() -> bool + 'static, work: impl FnOnce() -> T) -> Option<T> {
    ended_by(cfg!(panic = "unwind"), stop, work)
}

fn ended_by<T>(unwinds: bool, stop: impl Fn() -> bool + 'static, work: impl FnOnce() -> T) -> Option<T> {
    let limit = Rc::new(Limit { stop: Box::new(stop), unwinds, reached: Cell::new(false) });
    let before = Before(LIMIT.replace(Some(Rc::clone(&limit))));
    // Nothing of the work is seen afterwards if it does not come to its end.
    let outcome = catch_unwind(AssertUnwindSafe(work));
    drop(before);
    match outcome {
        Ok(done) => (!limit.reached.get()).then_some(done),
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
    let Some(limit) = LIMIT.with_borrow(Clone::clone) else { return };
    if limit.reached.get() || !(limit.stop)() {
        return;
    }
    if limit.unwinds {
        resume_unwind(Box::new(Ended));
    }
    limit.reached.set(true);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A limit that is reached after so many questions.
    fn after(count: u32) -> impl Fn() -> bool + 'static {
        let left = Cell::new(count);
        move || left.replace(left.get().saturating_sub(1)) == 0
    }

    /// Both ways give the same, and the one without unwinding does all of the work.
    #[test]
    fn without_unwinding_the_result_is_thrown_away() {
        for unwinds in [true, false] {
            let steps = Rc::new(Cell::new(0));
            for (questions, found) in [(3, None), (5, Some(4))] {
                steps.set(0);
                let counted = Rc::clone(&steps);
                let work = move || {
                    for _ in 0..4 {
                        ask();
                        counted.set(counted.get() + 1);
                    }
                    counted.get()
                };
                assert_eq!(ended_by(unwinds, after(questions), work), found);
                assert_eq!(steps.get(), if unwinds && found.is_none() { 3 } else { 4 });
            }
        }
    }

    /// What an inner limit ends costs only the inner work, and the outer limit is asked again afterwards.
    #[test]
    fn limits_within_limits() {
        for unwinds in [true, false] {
            let outer = || {
                let inner = ended_by(unwinds, || true, ask);
                assert_eq!(inner, None);
                7
            };
            assert_eq!(ended_by(unwinds, || false, outer), Some(7));
            assert_eq!(
                ended_by(
                    unwinds,
                    || true,
                    || {
                        ended_by(unwinds, || false, ask);
                        ask();
                    }
                ),
                None
            );
        }
    }
}
