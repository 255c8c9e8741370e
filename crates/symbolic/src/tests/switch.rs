//! Switches conditions off, one at a time, to see that they are needed.

use std::cell::Cell;

use serval_proof::Condition;

thread_local! {
    static OFF: Cell<Option<Condition>> = const { Cell::new(None) };
}

/// Whether a condition is switched off.
pub(crate) fn is_off(condition: Condition) -> bool {
    OFF.get() == Some(condition)
}

/// Does something without a condition.
pub(crate) fn without<T>(condition: Condition, work: impl FnOnce() -> T) -> T {
    OFF.set(Some(condition));
    let result = work();
    OFF.set(None);
    result
}
