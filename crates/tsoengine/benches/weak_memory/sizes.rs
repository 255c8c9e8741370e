//! Programs whose size matters: how long an answer with its check takes.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use serval_budget::Budget;
use serval_tso::Program;
use serval_tsoengine::{AnyOutcome, Fixed, Limits, decide, decide_any, fix};
use serval_tsoproof::Certificate;

/// Store buffering of so many threads in a ring.
fn ring(threads: usize, fence: &str) -> String {
    let cells: Vec<String> = (0..threads).map(|cell| format!("x{cell} = 0")).collect();
    let mut text = format!("memory {};\n", cells.join(", "));
    for thread in 0..threads {
        let _ = writeln!(text, "thread P{thread} {{ x{thread} := 1; {fence} r := x{}; }}", (thread + 1) % threads);
    }
    let all: Vec<String> = (0..threads).map(|thread| format!("P{thread}.r == 0")).collect();
    text + &format!("exists {};\n", all.join(" && "))
}

/// The filter lock, Peterson's for more than two threads.
fn filter(threads: usize, fence: &str) -> String {
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

fn word(said: Option<bool>) -> &'static str {
    said.map_or("undecided", |said| if said { "yes" } else { "no" })
}

/// Decides and checks; what is said, in words.
fn decided(program: &Program) -> String {
    let mut certificate = Certificate::new(program);
    if program.many().is_empty() {
        match decide(program, &Limits::default(), &mut Budget::unlimited()) {
            Ok(outcome) => certificate = outcome.certificate,
            Err(_) => return "a fault".to_owned(),
        }
    } else {
        match decide_any(program, &Limits::default(), &mut Budget::unlimited()) {
            AnyOutcome::Robust(any) => certificate.any = Some(any),
            AnyOutcome::Violated(copies, violation) => (certificate.copies, certificate.violation) = (Some(copies), Some(violation)),
            AnyOutcome::Fault(..) => return "a fault".to_owned(),
            AnyOutcome::Unknown(_) => {}
        }
    }
    match certificate.check(program, &mut Budget::unlimited()) {
        Ok(shown) => format!("robust {}, SC {:?}, TSO {:?}", word(shown.robust), shown.sc, shown.tso),
        Err(refusal) => format!("refused: {refusal}"),
    }
}

/// Says at once what is known last.
fn say(parts: &[String]) {
    let _ = writeln!(std::io::stderr(), "{}", parts.last().map_or("", String::as_str));
}

fn timed(name: &str, text: &str, into: &mut Vec<String>) {
    let Ok(program) = serval_tso::read(text) else {
        into.push(format!("\"{name}\": \"cannot be read\""));
        return;
    };
    let start = Instant::now();
    let said = decided(&program);
    into.push(format!("\"{name}\": {{\"ms\": {}, \"said\": \"{said}\"}}", start.elapsed().as_millis()));
    say(into);
}

/// The times, as parts of a JSON object; programs of a directory together.
pub(crate) fn sizes(directory: Option<&Path>) -> Vec<String> {
    let mut parts = Vec::new();
    timed("ring of 12", &ring(12, ""), &mut parts);
    timed("ring of 5, fenced", &ring(5, "fence;"), &mut parts);
    timed("filter lock of 3, fenced", &filter(3, "fence;"), &mut parts);
    timed("filter lock of 3", &filter(3, ""), &mut parts);
    let ten = "values 0..9 wrap; memory n = 0; thread* P { o := fadd(n, 1); r := o; s := n; }";
    timed("ten values, any number of copies", ten, &mut parts);
    let lamport = include_str!("../../../../examples/tso/lamport-fast.tso");
    timed("Lamport's fast mutex", lamport, &mut parts);
    if let Ok(program) = serval_tso::read(lamport)
        && let Ok(Fixed::Fences(fences)) = fix(&program, &Limits::default(), &mut Budget::unlimited())
    {
        let place =
            |&(thread, point): &(u32, u32)| serval_tso::Place { thread: serval_tso::ThreadId(thread), point: serval_tso::Point(point) };
        let fenced = program.with_fences(&fences.places().iter().map(place).collect::<Vec<_>>());
        let start = Instant::now();
        let said = decided(&fenced);
        parts.push(format!(
            "\"Lamport's fast mutex, {} fences\": {{\"ms\": {}, \"said\": \"{said}\"}}",
            fences.places().len(),
            start.elapsed().as_millis()
        ));
        say(&parts);
    }
    if let Some(directory) = directory {
        let mut files: Vec<_> = std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "tso"));
        files.sort();
        let start = Instant::now();
        let programs: Vec<Program> = files.iter().filter_map(|file| serval_tso::read(&std::fs::read_to_string(file).ok()?).ok()).collect();
        programs.iter().for_each(|program| drop(decided(program)));
        parts.push(format!("\"all of a directory\": {{\"ms\": {}, \"programs\": {}}}", start.elapsed().as_millis(), programs.len()));
        say(&parts);
    }
    parts
}
