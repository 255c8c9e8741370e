//! The report on a file as a page.

use std::path::Path;

use serval_budget::{Budget, Cancel};
use serval_report::html::{Figure, Page};
use serval_report::pictures::View;
use serval_report::{FileReport, escape};

use crate::export::Systems;
use crate::input::{Content, Input};

/// Pairs of states beyond which nothing is drawn.
const MOST_PAIRS: u64 = 50_000;
/// States of automata that are looked at for pictures.
const TICKS: u64 = 2_000_000;
/// Components that are drawn.
const MOST_COMPONENTS: usize = 4;

/// The report on an input as a page, with pictures of its states as far as they are not too large. The version is that
/// of the program that writes the page.
pub fn page(input: &Input, report: &FileReport, version: &str, cancel: &Cancel) -> String {
    report.to_html(&page_of(input, report, version, cancel))
}

/// The same on a workload of SQL: its files instead of a program, and no pictures of states, which have none of its
/// names.
#[cfg(feature = "sql")]
pub(crate) fn page_of_files<'a>(files: impl Iterator<Item = (&'a str, &'a str)>, report: &FileReport, version: &str) -> String {
    let files = files.map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    report.to_html(&Page { text: "", is_program: false, files, figures: Vec::new(), version })
}

/// What such a page has besides the report.
pub fn page_of<'a>(input: &'a Input, report: &FileReport, version: &'a str, cancel: &Cancel) -> Page<'a> {
    Page {
        text: input.text(),
        is_program: matches!(input.content(), Content::Program(_)),
        files: Vec::new(),
        figures: figures(input, &report.file, cancel),
        version,
    }
}

/// The pictures of an input that is called like this.
fn figures(input: &Input, file: &str, cancel: &Cancel) -> Vec<Figure> {
    let Some(systems) = Systems::small(input, MOST_PAIRS, cancel) else { return Vec::new() };
    let left = systems.len().saturating_sub(MOST_COMPONENTS);
    let systems = systems.first(MOST_COMPONENTS);
    let more = if left == 0 { String::new() } else { format!(" The first {MOST_COMPONENTS} components are drawn, {left} are not.") };
    let name = Path::new(file).file_name().map_or_else(|| file.to_owned(), |name| name.to_string_lossy().into_owned());
    let name = escape::name(&name);
    let mut budget = Budget::new(TICKS, cancel.clone());
    let mut figures = Vec::new();
    for (view, prefix, title) in [
        (View::System, "system", "The network system"),
        (View::Automaton, "serial", "One request at a time"),
        (View::Net, "net", "All requests together: the Petri net"),
    ] {
        let words = view.words(&name);
        // What is too large to draw is left out.
        if let Ok(drawn) = systems.picture(view, &mut budget) {
            let caption = format!("{}{more}", words.description);
            figures.push(Figure { title: title.to_owned(), caption, svg: drawn.element(prefix, &words.words()) });
        }
    }
    figures
}
