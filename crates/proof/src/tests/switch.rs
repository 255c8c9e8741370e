//! Switches one condition off.

use std::cell::Cell;

use crate::Condition;

thread_local! {
    static OFF: Cell<Option<Condition>> = const { Cell::new(None) };
}

pub(crate) fn is_off(condition: Condition) -> bool {
    OFF.get() == Some(condition)
}

/// Does `work` without one condition, on this thread.
pub(super) fn without<T>(condition: Condition, work: impl FnOnce() -> T) -> T {
    OFF.set(Some(condition));
    let result = work();
    OFF.set(None);
    result
}
