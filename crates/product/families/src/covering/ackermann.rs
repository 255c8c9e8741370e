//! Systems that compute weakly what grows faster than every tower: `f_1(n) = 2·n`, and `f_(k+1)(n)` is `f_k` applied
//! `n` times to 1.
//!
//! Level `k` has the counters `in_k` and `out_k`. Level 1 doubles: it takes one from `in_1` and gives two to `out_1`.
//! Level `k + 1` puts 1 into `in_k`, then for each that it takes from `in_(k+1)` it goes through level `k` and moves
//! what is in `out_k` back to `in_k`; in the end it moves `in_k` to `out_(k+1)`. Every loop may end too early. What is
//! left behind then is there the next time, but counts for less: `f_k(a − r) + r ≤ f_k(a)`, as `f_k` grows with each
//! step. So the largest value that `out_k` can have is `f_k(n)`.

use std::fmt::Write;

/// `f_level(n)`, if it fits.
pub fn ackermann_value(level: usize, n: u64) -> Option<u64> {
    match level {
        0 | 1 => n.checked_mul(2),
        _ => {
            let mut value = 1;
            for _ in 0..n {
                value = ackermann_value(level - 1, value)?;
            }
            Some(value)
        }
    }
}

/// The system for a level from 1 on, which begins with `n`. The targets are its value, and one more; `None` where it
/// does not fit.
pub fn ackermann(level: usize, n: u64) -> Option<String> {
    let level = level.max(1);
    let value = ackermann_value(level, n).filter(|&value| i64::try_from(value).is_ok_and(|value| value < i64::MAX))?;
    // Counters: in_1, out_1, in_2, out_2, …
    let vector = |changes: &[(usize, i128)]| {
        let change = |counter: usize| changes.iter().filter(|one| one.0 == counter).map(|one| one.1).sum::<i128>().to_string();
        format!("({})", (0..2 * level).map(change).collect::<Vec<_>>().join(", "))
    };
    let (input, output) = (|level: usize| 2 * level - 2, |level: usize| 2 * level - 1);
    let (enter, leave) = (|level: usize| format!("enter{level}"), |level: usize| format!("leave{level}"));
    let mut text = format!("# level {level} of what grows fast, weakly\nstate {} {}\n", enter(level), vector(&[(input(level), n.into())]));
    let mut step = |from: &str, to: &str, changes: &[(usize, i128)], name: &str, level: usize| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{from} -> {to} {} {name}{level}", vector(changes));
    };
    for level in 1..=level {
        let (enter, leave) = (enter(level), leave(level));
        if level == 1 {
            step(&enter, &enter, &[(input(1), -1), (output(1), 2)], "double", 1);
            step(&enter, &leave, &[], "done", 1);
            continue;
        }
        let (below, turn, back) = (level - 1, format!("turn{level}"), format!("back{level}"));
        step(&enter, &turn, &[(input(below), 1)], "one", level);
        step(&turn, &format!("enter{below}"), &[(input(level), -1)], "call", level);
        step(&format!("leave{below}"), &back, &[], "return", level);
        step(&back, &back, &[(output(below), -1), (input(below), 1)], "again", level);
        step(&back, &turn, &[], "next", level);
        step(&turn, &leave, &[], "end", level);
        step(&leave, &leave, &[(input(below), -1), (output(level), 1)], "result", level);
    }
    for least in [value, value + 1] {
        let _ = writeln!(text, "target {} {}", leave(level), vector(&[(output(level), least.into())]));
    }
    Some(text)
}
