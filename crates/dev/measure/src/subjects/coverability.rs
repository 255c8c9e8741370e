//! Coverability problems with known answers, random nets and mutants: an example and tests of `serval-net-engine`.

use std::process::Command;

use super::{output, progress, tests};
use crate::page::Page;

/// A test, and how many cases it tries for `count`.
type Sweep = (&'static str, fn(u64) -> u64);

const SWEEPS: [Sweep; 5] = [
    ("cover::forwards_is_backwards", |count| count),
    ("bound::largest_values_agree", |count| count / 10),
    ("cover::the_equation_decides_communication_free_nets", |count| 2 * count),
    ("mutants::what_is_changed_is_refused_or_still_so", |count| count / 10),
    ("mutants::changed_bounds_are_refused_or_still_so", |count| count / 10),
];

/// Runs the example, and the tests with so many nets.
pub fn page(count: u64) -> Result<Page, String> {
    let mut page = Page::new(
        "Coverability",
        "Each question is asked by itself, of all methods, on one thread, with ten seconds; the checker accepted every answer\n\
         as a certificate, and the answer is the known one. Times are of one core.",
    );
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["run", "--release", "--quiet", "-p", "serval-net-engine", "--example", "coverability"]);
    let example = output(&mut command)?;
    match example.status.code() {
        Some(0) => {}
        Some(1) => page.fail("an answer is wrong or missing, or evidence was refused"),
        _ => return Err(String::from_utf8_lossy(&example.stderr).into_owned()),
    }
    // The example has a title and an introduction of its own.
    let text = String::from_utf8_lossy(&example.stdout).into_owned();
    page.line(text.split_once("\n## ").map_or(text.as_str(), |(_, sections)| sections).trim_end().replacen("", "## ", 1));
    page.section("Random nets, and mutants");
    page.line("Each test fails where two methods differ, or the checker refuses evidence.\n");
    for (test, cases) in SWEEPS {
        let cases = cases(count);
        if cases == 0 {
            continue;
        }
        progress(&format!("{test}: {cases} cases"));
        let numbers = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "mutants of"];
        match tests("serval-net-engine", "it", &["--exact", test], cases, &numbers) {
            Ok(lines) => page.line(format!("`SERVAL_COUNT={cases}`, `{test}`:\n\n```text\n{}\n```\n", lines.join("\n"))),
            Err(log) => page.fail(format!("{test} fails\n{log}")),
        }
    }
    Ok(page)
}
