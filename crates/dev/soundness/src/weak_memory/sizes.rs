//! Programs whose size matters: how long an answer with its check takes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serval_budget::Budget;
use serval_tso_engine::{EngineLimits, decide, decide_many};
use serval_tso_program::Program;
use serval_tso_proof::Certificate;

use super::summary::Size;

/// Store buffering of `threads` threads in a ring.
pub fn ring(threads: usize, fence: &str) -> String {
    let cells: Vec<String> = (0..threads).map(|cell| format!("x{cell} = 0")).collect();
    let mut text = format!("memory {};\n", cells.join(", "));
    for thread in 0..threads {
        let _ = writeln!(text, "thread P{thread} {{ x{thread} := 1; {fence} r := x{}; }}", (thread + 1) % threads);
    }
    let all: Vec<String> = (0..threads).map(|thread| format!("P{thread}.r == 0")).collect();
    text + &format!("exists {};\n", all.join(" && "))
}

/// The filter lock, Peterson's for more than two threads.
pub fn filter(threads: usize, fence: &str) -> String {
    let levels: Vec<String> = (0..threads).map(|thread| format!("level{thread} = 0")).collect();
    let last: Vec<String> = (1..threads).map(|level| format!("last{level} = 0")).collect();
    let mut text = format!("memory {}, {};\n", levels.join(", "), last.join(", "));
    for thread in 0..threads {
        let _ = writeln!(text, "thread P{thread} {{ loop {{");
        for level in 1..threads {
            let _ = writeln!(
                text,
                "level{thread} := {level}; last{level} := {thread}; {fence} loop {{ v := last{level}; if (v != {thread}) {{ break; }}"
            );
            let others: Vec<usize> = (0..threads).filter(|other| *other != thread).collect();
            for other in &others {
                let _ = writeln!(text, "a{other} := level{other};");
            }
            let below: Vec<String> = others.iter().map(|other| format!("a{other} < {level}")).collect();
            let _ = writeln!(text, "if ({}) {{ break; }} }}", below.join(" && "));
        }
        let _ = writeln!(text, "cs: skip; level{thread} := 0; {fence} }} }}");
    }
    for one in 0..threads {
        for other in one + 1..threads {
            let _ = writeln!(text, "never P{one}@cs && P{other}@cs;");
        }
    }
    text
}

/// Any number of copies that take numbers, of ten values, and look at what others have done.
const NUMBERS: &str = "values 0..9 wrap; memory n = 0;
    thread* P { o := fadd(n, 1); r := n; if (o == r) { same: skip; } s := n; }
    never P.s == 10;";

/// Any number of copies that count under a lock, with registers of ten values; a copy of its own looks on.
const COUNTS: &str = "values 0..9 wrap; memory lock = 0, n = 0;
    thread Q { loop { o := xchg(lock, 1); if (o == 0) { break; } } r := n; s := n; if (r != s) { torn: skip; } lock := 0; }
    thread* P { loop { o := xchg(lock, 1); if (o == 0) { break; } } r := n; n := r + 1; cs: skip; lock := 0; }
    never Q@torn;";

fn word(said: Option<bool>, yes: &'static str, no: &'static str) -> &'static str {
    said.map_or("undecided", |said| if said { yes } else { no })
}

/// How many states the lists of a certificate have.
fn states(certificate: &Certificate) -> usize {
    let lists = [&certificate.sc, &certificate.tso, &certificate.merged, &certificate.finals];
    let attacks = certificate.robust.as_ref().map_or(0, |robust| robust.attackers.iter().map(serval_tso_proof::Rows::len).sum());
    lists.into_iter().flatten().map(|list| list.states.len()).sum::<usize>() + attacks
}

/// Decides and checks; what is said, in words.
fn decided(program: &Program) -> String {
    decided_within(program, &EngineLimits::default(), false)
}

fn decided_within(program: &Program, limits: &EngineLimits, counts: bool) -> String {
    let mut budget = Budget::unlimited();
    let certificate = if program.many().is_empty() {
        decide(program, limits, &mut budget).ok().map(|outcome| outcome.certificate)
    } else {
        decide_many(program, limits, &mut budget).ok().map(|outcome| outcome.certificate)
    };
    let Some(certificate) = certificate else { return "a fault".to_owned() };
    match certificate.check(program, &mut budget) {
        Ok(shown) => {
            let all = |answers: &[Option<bool>]| {
                let words: Vec<&str> = answers.iter().map(|said| word(*said, "reachable", "unreachable")).collect();
                if words.is_empty() { "nothing asked".to_owned() } else { words.join(", ") }
            };
            let evidence = if counts { format!("; {} states in lists", states(&certificate)) } else { String::new() };
            format!("{}; SC {}; TSO {}{evidence}", word(shown.robust, "robust", "not robust"), all(&shown.sc), all(&shown.tso))
        }
        Err(refusal) => format!("refused: {refusal}"),
    }
}

/// A moment, by the clock and on a core.
struct Moment(Instant, Option<u64>);

impl Moment {
    fn now() -> Self {
        // The first number is how many nanoseconds the thread was on a core.
        let on_core = || std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split_whitespace().next()?.parse().ok();
        Self(Instant::now(), on_core())
    }

    /// What was said of something that began at this moment.
    fn said(&self, program: String, said: String) -> Size {
        let Self(now, on_core) = Self::now();
        let ms = u64::try_from((now - self.0).as_millis()).unwrap_or(u64::MAX);
        let core_ms = on_core.zip(self.1).map(|(now, then)| now.saturating_sub(then) / 1_000_000);
        Size { program, ms, core_ms, said }
    }
}

fn timed(program: String, text: &str) -> Size {
    let start = Moment::now();
    let said = serval_tso_program::read(text).map_or_else(|_| "cannot be read".to_owned(), |program| decided(&program));
    start.said(program, said)
}

/// States of a search with all orders of copies, and of one with one order, at most.
const STATES: usize = 300_000;

/// Some numbers of copies of a `thread*`, in one order and in all.
fn copied(stem: &str, text: &str, into: &mut Vec<Size>) {
    let Ok(program) = serval_tso_program::read(text) else { return };
    for copies in if program.many().is_empty() { 0..0 } else { 3..7 } {
        for (alike, orders) in [(true, "one order"), (false, "all orders")] {
            let limits = EngineLimits { states: STATES, alike, ..EngineLimits::default() };
            let start = Moment::now();
            let said = decided_within(&program.with_copies(copies), &limits, true);
            into.push(start.said(format!("`{stem}.tso`, {copies} copies, {orders}"), said));
        }
    }
}

/// The programs of a directory, each, and together.
fn of_directory(directory: &Path, into: &mut Vec<Size>) {
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "tso"));
    files.sort();
    let start = Moment::now();
    for file in &files {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        into.push(timed(format!("`{stem}.tso`"), &std::fs::read_to_string(file).unwrap_or_default()));
    }
    let all = start.said(String::new(), String::new());
    for file in &files {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        copied(&stem, &std::fs::read_to_string(file).unwrap_or_default(), into);
    }
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    let parent = directory.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    into.push(Size { program: format!("all {} of `{parent}/{name}`, each once", files.len()), ..all });
}

/// The times.
pub fn sizes(directories: &[PathBuf]) -> Vec<Size> {
    let mut sizes = vec![
        timed("store buffering in a ring of 12 threads".to_owned(), &ring(12, "")),
        timed("the same with fences, in a ring of 5".to_owned(), &ring(5, "fence;")),
        timed("the filter lock of 3 threads, with fences".to_owned(), &filter(3, "fence;")),
        timed("the filter lock of 3 threads".to_owned(), &filter(3, "")),
        timed("any number of copies that take numbers of ten values".to_owned(), NUMBERS),
        timed("any number of copies that count to ten under a lock".to_owned(), COUNTS),
    ];
    directories.iter().for_each(|directory| of_directory(directory, &mut sizes));
    sizes
}
