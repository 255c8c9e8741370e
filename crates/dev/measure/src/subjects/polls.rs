//! How long work goes on without looking at its flag.

use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::time::Duration;

use serval_families::Family;
use serval_verify::InputKind;

use super::progress;
use crate::page::Page;
use crate::polls::{PollFigures, PollSubject, watch};

/// No work should go on for longer than this.
const LONG: Duration = Duration::from_millis(50);

/// Sizes at which something takes long.
const FAMILIES: &[(&str, usize)] = &[
    ("counter", 400_000),
    ("counter_racy", 3_000),
    ("lock", 5_000),
    ("flips", 2_000),
    ("ring", 2_001),
    ("watch", 30),
    ("monitors", 16),
    ("monitors_atomic", 22),
    ("bank", 12),
    ("bank_split", 8),
    ("route", 2_000),
    ("two_locks", 9),
];

/// All inputs: families, the published programs, and texts that are large.
fn subjects(suite: &Path) -> Result<Vec<PollSubject>, String> {
    let program = |name: String, text: String| PollSubject { name, text, kind: InputKind::Program };
    let mut all = Vec::new();
    for &(name, n) in FAMILIES {
        let family = Family::named(name).ok_or_else(|| format!("there is no family {name}"))?;
        all.push(program(format!("{name}-{n}"), family.program(n)));
    }
    let fail = |error: io::Error| format!("{}: {error}", suite.display());
    let mut paths: Vec<_> = std::fs::read_dir(suite).map_err(fail)?.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|ending| ending == "ser")) {
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        all.push(program(name, std::fs::read_to_string(path).map_err(fail)?));
    }
    let mut requests = String::new();
    for number in 0..100_000 {
        let _ = writeln!(requests, "request r{number} {{ X := (X + {}) % 7; yield; Y{} := X }}", number % 5, number % 3);
    }
    all.push(program("100,000 requests".to_owned(), requests));
    let mut long = "request r {\n".to_owned();
    for number in 0..200_000 {
        let _ = writeln!(long, "  x{} := (X + {number}) % 7; X := x{} * 2 % 5;", number % 50, number % 50);
    }
    long.push_str("  X\n}\n");
    all.push(program("400,000 statements".to_owned(), long));
    let loops = "request r { for i in 0..400 { for j in 0..400 { X := (X + i) % 7 } }; X }\n".to_owned();
    all.push(program("loops written out".to_owned(), loops));
    let steps: Vec<String> = (0..400_000).map(|n| format!(r#"["L{n}","G{}","L{}","G{}"]"#, n % 1000, n + 1, (n + 1) % 1000)).collect();
    let text = format!(
        r#"{{"initial_global": "G0", "requests": [["R", "L0"]], "responses": [["L1", "S"]], "transitions": [{}]}}"#,
        steps.join(",\n")
    );
    all.push(PollSubject { name: "400,000 steps".to_owned(), text, kind: InputKind::System });
    Ok(all)
}

/// Runs each stage and each method on all inputs, and tells it to stop after so many seconds.
pub fn page(suite: &Path, seconds: u64) -> Result<Page, String> {
    let limit = Duration::from_secs(seconds);
    let mut seen: Vec<PollFigures> = Vec::new();
    let subjects = subjects(suite)?;
    for subject in &subjects {
        let new = watch(subject, limit);
        for long in new.iter().filter(|one| one.longest > LONG) {
            progress(&format!("{:.0} ms  {}  {}  {}", millis(long.longest), long.work, long.input, long.place));
        }
        seen.extend(new);
    }
    let mut works: Vec<&str> = Vec::new();
    for one in &seen {
        if !works.contains(&one.work.as_str()) {
            works.push(&one.work);
        }
    }
    let mut page = Page::new(
        "Looks at the flag",
        format!(
            "How long work goes on without looking at its flag. Limits on time and memory end work by a flag. Each stage and each\n\
             method runs on {} inputs, most of them made to be slow, and its flag is raised after {seconds} s; the longest time between\n\
             two looks at the flag, from the beginning to the end of the work, is by the processor's clock.",
            subjects.len()
        ),
    );
    page.table(&["work", ">runs", ">looks", ">longest ms", "on", ">runs with more than 10 ms"]);
    for work in works {
        let of: Vec<&PollFigures> = seen.iter().filter(|one| one.work == work).collect();
        let Some(worst) = of.iter().max_by_key(|one| one.longest) else { continue };
        let looks: u64 = of.iter().map(|one| one.looks).sum();
        let slow = of.iter().filter(|one| one.longest > Duration::from_millis(10)).count();
        page.line(format!("| {work} | {} | {looks} | {:.1} | {} | {slow} |", of.len(), millis(worst.longest), worst.input));
    }
    let long = seen.iter().filter(|one| one.longest > LONG).count();
    page.line(format!("\n{long} of {} runs have a time of more than {} ms.", seen.len(), LONG.as_millis()));
    if long > 0 {
        page.fail(format!("{long} runs go on for more than {} ms", LONG.as_millis()));
    }
    Ok(page)
}

#[expect(clippy::float_arithmetic, reason = "a time for people")]
fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
