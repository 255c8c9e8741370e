//! Weak memory: engine and checker against trying everything, and times of programs.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serval_soundness::Tally;
use serval_soundness::weak_memory::summary::{SummaryPart, joined};
use serval_soundness::weak_memory::{KINDS, measured, page as pages, sizes};

use super::progress;
use crate::page::Page;

/// The file that has the results of earlier runs, and gets those of this one.
const RESULTS: &str = "weak-memory.json";

/// What is measured beside the kinds of comparison.
const SIZES: &str = "sizes";

/// The names of all kinds.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|kind| kind.name).chain([SIZES])
}

/// Compares programs of some kinds, or of all, with these seeds or with all, and times the programs in directories.
/// What earlier runs have found of other kinds and seeds is in a file of the directory `out`, and is joined.
pub fn page(directories: &[PathBuf], named: &[String], seeds: Option<&Range<u64>>, out: &Path) -> Result<Page, String> {
    let is_named = |name: &str| named.is_empty() || named.iter().any(|given| given == name);
    let mut lines = std::fs::read_to_string(out.join(RESULTS)).unwrap_or_default();
    for kind in KINDS.iter().filter(|kind| is_named(kind.name)) {
        progress(kind.name);
        lines.push_str(&measured(kind, seeds.unwrap_or(&(0..u64::MAX))).line());
        lines.push('\n');
    }
    if is_named(SIZES) {
        progress(SIZES);
        let (start, found) = (Instant::now(), sizes::sizes(directories));
        let (kind, seconds) = (SIZES.to_owned(), start.elapsed().as_secs());
        lines.push_str(&SummaryPart { kind, seeds: Vec::new(), seconds, counts: Tally::default(), sizes: found }.line());
    }
    let parts = joined(&lines).map_err(|error| format!("{}: {error}", out.join(RESULTS).display()))?;
    let mut page = Page::new("Weak memory against trying everything", pages::ABOUT);
    page.line(pages::sections(&parts).trim_end());
    let results: Vec<String> = parts.iter().map(SummaryPart::line).collect();
    page.file(RESULTS, results.join("\n") + "\n");
    Ok(page)
}
