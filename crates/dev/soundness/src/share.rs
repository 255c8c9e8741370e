//! What the programs here have in common: two numbers as arguments, and work
//! that is shared by threads.

/// How many to try, and from which seed, as the arguments say; `None` where
/// they say something else.
pub fn count_and_seed() -> Option<(u64, u64)> {
    let arguments: Vec<u64> = std::env::args().skip(1).map(|argument| argument.parse().ok()).collect::<Option<_>>()?;
    match arguments[..] {
        [] => Some((20_000, 1)),
        [count] => Some((count, 1)),
        [count, seed] => Some((count, seed)),
        _ => None,
    }
}

/// Has each thread do its part; what came of all of them, in order, or the
/// first failure.
pub fn in_threads<T: Send, E: Send>(threads: u64, part: impl Fn(u64) -> Result<T, E> + Sync) -> Result<Vec<T>, E> {
    let part = &part;
    let done: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|thread| scope.spawn(move || part(thread))).collect();
        workers.into_iter().map(|worker| worker.join()).collect()
    });
    done.into_iter().map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
}
