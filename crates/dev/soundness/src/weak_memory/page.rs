//! The tables of a campaign.

use std::fmt::Write as _;

use super::KINDS;
use super::summary::{Size, SummaryPart};

/// What the page is about.
pub const ABOUT: &str = "\
Random programs have two or three threads of two to five statements, two or three cells, fences, locked instructions and
sections. “Trying everything” is an interpreter of a few lines that shares nothing with the language, the engine or the
checker, and follows all runs with their traces. The checker accepted every answer of the engine before it was compared. A
disagreement would have ended the run with the program; there was none. Kinds and seeds may be run one after another.";

const SIZES: &str = "\
## Sizes

Decided, and the evidence checked, in one thread: seconds on a core, and by the clock, which is longer where others use the machine too. “robust” is what was said of robustness; then the answers to the questions, in their order, under SC and under TSO.
";

/// A number with commas.
fn number(of: u64) -> String {
    let digits = of.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn minutes(seconds: u64) -> String {
    if seconds < 120 { format!("{seconds} s") } else { format!("{} min", number(seconds.div_ceil(60))) }
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03}", number(ms / 1000), ms % 1000)
}

/// What a kind compares, and how much of it was seen.
fn kinds(parts: &[SummaryPart]) -> String {
    let mut text = "| kind | compares | programs | of | time |\n|---|---|---:|---:|---:|\n".to_owned();
    for kind in &KINDS {
        let part = parts.iter().find(|part| part.kind == kind.name);
        let count = |what: &str| part.map_or(0, |part| part.counts.of(what));
        let time = part.map_or_else(|| "not run".to_owned(), |part| minutes(part.seconds));
        let _ = writeln!(text, "| `{}` | {} | {} | {} | {time} |", kind.name, kind.compares, number(count("programs")), number(kind.whole));
    }
    text
}

fn seen(part: &SummaryPart) -> String {
    let range = |[from, to]: &[u64; 2]| format!("{} to {}", number(*from), number(to - 1));
    let seeds: Vec<String> = part.seeds.iter().map(range).collect();
    let mut text = format!("### `{}`\n\nSeeds {}.\n\n| seen | |\n|---|---:|\n", part.kind, seeds.join(", "));
    for (what, count) in &part.counts {
        let _ = writeln!(text, "| {what} | {} |", number(*count));
    }
    text
}

fn sizes(sizes: &[Size]) -> String {
    let mut text = format!("{SIZES}\n| program | on a core | clock | said |\n|---|---:|---:|---|\n");
    for Size { program, ms, core_ms, said } in sizes {
        let on_core = core_ms.map_or_else(String::new, seconds);
        let _ = writeln!(text, "| {program} | {on_core} | {} | {said} |", seconds(*ms));
    }
    text
}

/// The tables: kinds, what each has seen, and times.
pub fn sections(parts: &[SummaryPart]) -> String {
    let mut sections = vec![kinds(parts), "## What was seen\n".to_owned()];
    sections.extend(parts.iter().filter(|part| !part.counts.is_empty()).map(seen));
    sections.extend(parts.iter().filter(|part| !part.sizes.is_empty()).map(|part| sizes(&part.sizes)));
    sections.join("\n")
}
