//! The report on a file as a page.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use serval::{Content, ValueNames};
use serval_budget::{Budget, Cancel};
use serval_compile::Compiled;
use serval_model::NetworkSystem;
use serval_report::escape;
use serval_report::html::{Figure, Page};
use serval_report::pictures::View;
use serval_report::{FileReport, Labels, PlainLabels, ProgramLabels};
use serval_syntax::LineIndex;

use crate::input::File;
use crate::pictures::picture;

/// Pairs of states beyond which nothing is drawn.
const MOST_PAIRS: u64 = 50_000;
/// States of automata that are looked at for pictures.
const TICKS: u64 = 2_000_000;
/// Components that are drawn.
const MOST_COMPONENTS: usize = 4;

/// The page, with pictures of the states.
pub(super) fn page(file: &File, report: &FileReport, cancel: &Cancel) -> String {
    let page = Page {
        text: file.input.text(),
        is_program: matches!(file.input.content(), Content::Program(_)),
        figures: figures(file, cancel),
        figure_style: serval_draw::style(),
        version: env!("CARGO_PKG_VERSION"),
    };
    report.to_html(&page)
}

/// The pictures, as far as they are not too large.
fn figures(file: &File, cancel: &Cancel) -> Vec<Figure> {
    let lines = LineIndex::new(file.input.text());
    let compiled: Arc<Compiled>;
    let given: Vec<Cow<'_, NetworkSystem>>;
    let systems: Vec<(&NetworkSystem, Box<dyn Labels + '_>)> = match file.input.content() {
        Content::Systems(systems) => {
            given = systems.iter().map(NetworkSystem::shown).collect();
            given.iter().map(|system| (&**system, Box::new(PlainLabels) as Box<dyn Labels>)).collect()
        }
        Content::Program(program) => {
            let known = file.input.compiled_within(MOST_PAIRS, &Budget::new(u64::MAX, cancel.clone()));
            let Some(Ok(known)) = known else { return Vec::new() };
            compiled = known;
            let names = ValueNames::new(program, file.input.text());
            given = compiled.components().iter().map(|component| names.in_system(program, component.system())).collect();
            let labelled = compiled.components().iter().zip(&given).map(|(component, system)| {
                let labels = Box::new(ProgramLabels::new(component, file.input.text(), &lines)) as Box<dyn Labels>;
                (&**system, labels)
            });
            labelled.collect()
        }
    };
    let rows: Vec<(&NetworkSystem, &dyn Labels)> =
        systems.iter().take(MOST_COMPONENTS).map(|(system, labels)| (*system, &**labels)).collect();
    let left = systems.len() - rows.len();
    let more = if left == 0 { String::new() } else { format!(" The first {MOST_COMPONENTS} components are drawn, {left} are not.") };
    let name = Path::new(&file.name).file_name().map_or_else(|| file.name.clone(), |name| name.to_string_lossy().into_owned());
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
        if let Ok(drawn) = picture(&rows, view, &mut budget) {
            let caption = format!("{}{more}", words.description);
            figures.push(Figure { title: title.to_owned(), caption, svg: drawn.element(prefix, &words.words()) });
        }
    }
    figures
}
