//! How long work goes on without looking at its flag: a Markdown table on
//! standard output.
//!
//! `polls SUITE [SECONDS]`, with the published suite in the directory and the
//! time after which work has to stop. Ends with status 1 where a time is
//! longer than it should be.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serval_families::Family;
use serval_measure::polls::{Seen, Subject, watch};
use serval_verify::InputKind;

/// Longer than this no work should go on.
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

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seconds = |text: &str| text.parse::<u64>().ok().map(Duration::from_secs);
    let given = match arguments.as_slice() {
        [suite] => Some((suite, Duration::from_secs(3))),
        [suite, limit] => seconds(limit).map(|limit| (suite, limit)),
        _ => None,
    };
    let Some((suite, limit)) = given else {
        let _ = writeln!(io::stderr(), "error: usage: polls SUITE [SECONDS]");
        return ExitCode::from(2);
    };
    match table(Path::new(suite), limit) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            let _ = writeln!(io::stderr(), "error: {message}");
            ExitCode::from(2)
        }
    }
}

/// All inputs: families, the published programs, and texts that are large.
fn subjects(suite: &Path) -> Result<Vec<Subject>, String> {
    let program = |name: String, text: String| Subject { name, text, kind: InputKind::Program };
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
    all.push(Subject { name: "400,000 steps".to_owned(), text, kind: InputKind::System });
    Ok(all)
}

fn table(suite: &Path, limit: Duration) -> Result<bool, String> {
    let mut seen: Vec<Seen> = Vec::new();
    let subjects = subjects(suite)?;
    for subject in &subjects {
        let new = watch(subject, limit);
        for long in new.iter().filter(|one| one.longest > LONG) {
            let _ = writeln!(io::stderr(), "{:.0} ms  {}  {}  {}", millis(long.longest), long.work, long.input, long.place);
        }
        seen.extend(new);
    }
    let mut works: Vec<&str> = Vec::new();
    for one in &seen {
        if !works.contains(&one.work.as_str()) {
            works.push(&one.work);
        }
    }
    let mut page = vec![
        "# How long work goes on without looking at its flag".to_owned(),
        String::new(),
        "Written by `cargo run --release -p serval-measure --bin polls SUITE`. Limits on time and memory end work by a flag. Each stage and"
            .to_owned(),
        format!(
            "each method runs on {} inputs, most of them made to be slow, and has to stop after {} s; the longest time",
            subjects.len(),
            limit.as_secs()
        ),
        "between two looks at the flag, from the beginning to the end of the work, is by the processor's clock.".to_owned(),
        String::new(),
        "| work | runs | looks | longest ms | on | runs with more than 10 ms |".to_owned(),
        "|---|---:|---:|---:|---|---:|".to_owned(),
    ];
    for work in works {
        let of: Vec<&Seen> = seen.iter().filter(|one| one.work == work).collect();
        let Some(worst) = of.iter().max_by_key(|one| one.longest) else { continue };
        let looks: u64 = of.iter().map(|one| one.looks).sum();
        let slow = of.iter().filter(|one| one.longest > Duration::from_millis(10)).count();
        page.push(format!("| {work} | {} | {looks} | {:.1} | {} | {slow} |", of.len(), millis(worst.longest), worst.input));
    }
    let long = seen.iter().filter(|one| one.longest > LONG).count();
    page.push(String::new());
    page.push(format!("{long} of {} runs have a time of more than {} ms.", seen.len(), LONG.as_millis()));
    writeln!(io::stdout().lock(), "{}", page.join("\n")).map_err(|error| error.to_string())?;
    Ok(long == 0)
}

#[expect(clippy::float_arithmetic, reason = "a time for people")]
fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
