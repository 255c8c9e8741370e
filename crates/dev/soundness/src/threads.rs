//! Cases of a sweep spread over threads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::Merge;

/// Has `threads` threads take the numbers below `count` one by one, each with a state of its own, until one of them
/// asks to stop. Gives the states.
fn spread<S: Default + Send>(threads: usize, count: u64, step: impl Fn(u64, &mut S) -> bool + Sync) -> Vec<S> {
    let (next, stopped) = (AtomicU64::new(0), AtomicBool::new(false));
    let worker = || {
        let mut state = S::default();
        while !stopped.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                break;
            }
            if !step(number, &mut state) {
                stopped.store(true, Ordering::Relaxed);
            }
        }
        state
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(worker)).collect();
        let states: Vec<_> = workers.into_iter().map(|worker| worker.join()).collect();
        states.into_iter().map(|state| state.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

/// What `work` makes of each number below `count`, in the order of the numbers.
pub fn in_order<T: Send>(threads: usize, count: u64, work: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let parts = spread(threads, count, |number, done: &mut Vec<(u64, T)>| {
        done.push((number, work(number)));
        true
    });
    let mut done: Vec<(u64, T)> = parts.into_iter().flatten().collect();
    done.sort_by_key(|one| one.0);
    done.into_iter().map(|one| one.1).collect()
}

/// The counts of all numbers below `count`, or the first failure among the numbers that were tried.
pub fn tallied<T: Merge + Send, E: Send>(threads: usize, count: u64, work: impl Fn(u64, &mut T) -> Result<(), E> + Sync) -> Result<T, E> {
    let parts = spread(threads, count, |number, (tally, failure): &mut (T, Option<(u64, E)>)| {
        *failure = work(number, tally).err().map(|error| (number, error));
        failure.is_none()
    });
    let (tallies, failures): (Vec<T>, Vec<Option<(u64, E)>>) = parts.into_iter().unzip();
    match failures.into_iter().flatten().min_by_key(|failure| failure.0) {
        Some((_, error)) => Err(error),
        None => Ok(crate::merged(tallies)),
    }
}
