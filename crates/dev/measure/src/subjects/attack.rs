//! Tests of other crates, with many more cases: four readings of random programs, compilations, and files at limits.

use clap::ValueEnum;

use super::{progress, tests};
use crate::page::Page;

/// What is attacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sweep {
    /// Compiled systems and programs as written.
    Translation,
    /// Files in one call, one in ten at a limit.
    Limits,
    /// `check`, `run`, replayed traces and the naive interpreter on random programs.
    Agreement,
}

/// Runs these sweeps, or all.
pub fn page(sweeps: &[Sweep], count: Option<u64>) -> Result<Page, String> {
    let all = [Sweep::Translation, Sweep::Limits, Sweep::Agreement];
    let mut page = Page::new(
        "Under attack",
        "Each section is a test with many more cases than in CI. The test fails where anything differs; these are the counts\n\
         of what was compared.",
    );
    for &sweep in if sweeps.is_empty() { &all } else { sweeps } {
        let (name, package, program, usual, beginnings): (_, _, _, _, &[&str]) = match sweep {
            Sweep::Translation => ("translation", "serval-compile", "it", 20_000, &["translation of"]),
            Sweep::Limits => ("limits", "serval-cli", "clock", 1_000, &["memory, ", "time, "]),
            Sweep::Agreement => ("agreement", "serval-cli", "it", 100_000, &["agreement:"]),
        };
        let count = count.unwrap_or(usual);
        progress(&format!("{name}: {count} cases"));
        page.section(format!("`SERVAL_COUNT={count} cargo test --release -p {package} --test {program} {name}`"));
        match tests(package, program, &[&format!("{name}::")], count, beginnings) {
            Ok(lines) => page.line(format!("```text\n{}\n```", lines.join("\n"))),
            Err(log) => page.fail(format!("{name} fails\n{log}")),
        }
    }
    Ok(page)
}
