//! How long work takes.

use std::time::{Duration, Instant};

/// What takes longer than this is timed again.
const AGAIN: Duration = Duration::from_millis(5);

/// What takes longer than this is not.
const LONG: Duration = Duration::from_secs(1);

/// Runs `work` and measures how long it takes. On a machine that runs other programs, too, a short time can be long by
/// accident: what took 5 ms or more, and less than a second, runs up to twice again, and the shortest time counts.
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
