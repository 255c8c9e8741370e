//! How long one decision may go on.

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serval_budget::Cancel;

/// What ends a decision that has not come to an end by itself.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// The clock, which measurements go by.
    Time(Duration),
    /// So much work of one core, that of the thread that calls [`within`]: what
    /// the clock would say if no other thread wanted the core.
    Core(Duration),
    /// So many looks at the flag, which are the same on every machine, however
    /// busy it is. Only those of the thread that calls [`within`] are counted.
    Looks(u64),
}

/// How often a watch looks at how much a core has worked.
const WATCH: Duration = Duration::from_millis(5);

/// How much a core has worked for one thread, by what Linux tells; elsewhere by
/// the clock.
#[derive(Clone, Debug)]
pub struct CoreTime {
    file: Option<PathBuf>,
    before: Duration,
    start: Instant,
}

impl CoreTime {
    /// For the thread that calls this, from now on.
    pub fn start() -> Self {
        let file = fs::read_link("/proc/thread-self").ok().map(|own| PathBuf::from("/proc").join(own).join("schedstat"));
        let mut time = Self { file, before: Duration::ZERO, start: Instant::now() };
        match time.told() {
            Some(before) => time.before = before,
            None => time.file = None,
        }
        time
    }

    /// Since the start.
    pub fn elapsed(&self) -> Duration {
        match self.told() {
            Some(told) => told.saturating_sub(self.before),
            None => self.start.elapsed(),
        }
    }

    fn told(&self) -> Option<Duration> {
        let text = fs::read_to_string(self.file.as_ref()?).ok()?;
        text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
    }
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
        Limit::Time(time) => watched(time, || true, work),
        Limit::Core(time) => {
            let worked = CoreTime::start();
            watched(WATCH.min(time), move || worked.elapsed() >= time, work)
        }
    }
}

/// Asks every so often whether the work has gone on for long enough, and then
/// cancels it.
fn watched<T>(every: Duration, enough: impl Fn() -> bool + Send, work: impl FnOnce(&Cancel) -> T) -> T {
    let cancel = Cancel::new();
    let (done, waiting) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let watched = cancel.clone();
        scope.spawn(move || {
            while waiting.recv_timeout(every) == Err(mpsc::RecvTimeoutError::Timeout) {
                if enough() {
                    watched.cancel();
                    break;
                }
            }
        });
        let result = work(&cancel);
        drop(done);
        result
    })
}
