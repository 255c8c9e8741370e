//! Switches one condition off.

use std::cell::Cell;

thread_local! {
    static OFF: Cell<Option<&'static str>> = const { Cell::new(None) };
}

pub(crate) fn is_off(condition: &str) -> bool {
    OFF.get() == Some(condition)
}

/// Does `work` without one condition, on this thread.
pub(super) fn without<T>(condition: &'static str, work: impl FnOnce() -> T) -> T {
    OFF.set(Some(condition));
    let result = work();
    OFF.set(None);
    result
}
