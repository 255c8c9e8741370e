//! Time, memory, and work spread over threads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serval_budget::Cancel;

/// What takes longer than this is timed again.
const AGAIN: Duration = Duration::from_millis(5);

/// What takes longer than this is not.
const LONG: Duration = Duration::from_secs(1);

/// Does something, and says how long it took. On a machine that others use, too, a short time can be long by accident: what took 5 ms or more, and no second, is done up to twice again, and the shortest time counts.
pub fn timed<T>(work: impl Fn() -> T) -> (T, Duration) {
    let once = || {
        let start = Instant::now();
        let result = work();
        (result, start.elapsed())
    };
    let (result, mut time) = once();
    for _ in 0..2 {
        if time >= AGAIN && time < LONG {
            time = time.min(once().1);
        }
    }
    (result, time)
}

/// The most memory that this program has used, in MiB, where the system tells.
pub fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.div_ceil(1024))
}

/// Does work with a flag that is raised when the time is over.
pub fn within<T>(limit: Duration, work: impl FnOnce(&Cancel) -> T) -> T {
    let cancel = Cancel::new();
    let (ended, wait) = std::sync::mpsc::channel::<()>();
    let watched = cancel.clone();
    let watcher = std::thread::spawn(move || {
        if wait.recv_timeout(limit) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            watched.cancel();
        }
    });
    let result = work(&cancel);
    drop(ended);
    // It only waits.
    let _ = watcher.join();
    result
}

/// Does the work of all numbers below `count` in `jobs` threads, and gives what came out in the order of the numbers.
pub fn in_order<T: Send>(jobs: usize, count: u64, work: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let (next, done) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    let result = work(number);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|one| one.0);
    done.into_iter().map(|one| one.1).collect()
}
