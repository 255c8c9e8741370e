//! How long one decision may go on.

use std::cell::Cell;
use std::sync::mpsc;
use std::time::Duration;

use serval_budget::Cancel;

/// What ends a decision that has not come to an end by itself.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// The clock, which measurements go by.
    Time(Duration),
    /// So many looks at the flag, which are the same on every machine, however
    /// busy it is. Only those of the thread that calls [`within`] are counted.
    Looks(u64),
}

thread_local! {
    static LOOKS_LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// Counts one look.
fn looked() -> bool {
    let left = LOOKS_LEFT.get();
    LOOKS_LEFT.set(left.saturating_sub(1));
    left == 0
}

/// Does work that can be cancelled, and cancels it at the limit.
pub fn within<T>(limit: Limit, work: impl FnOnce(&Cancel) -> T) -> T {
    match limit {
        Limit::Looks(looks) => {
            let before = LOOKS_LEFT.replace(looks);
            let result = work(&Cancel::asking(looked));
            LOOKS_LEFT.set(before);
            result
        }
        Limit::Time(time) => {
            let cancel = Cancel::new();
            let (done, waiting) = mpsc::channel::<()>();
            std::thread::scope(|scope| {
                let watched = cancel.clone();
                scope.spawn(move || {
                    if waiting.recv_timeout(time) == Err(mpsc::RecvTimeoutError::Timeout) {
                        watched.cancel();
                    }
                });
                let result = work(&cancel);
                drop(done);
                result
            })
        }
    }
}
