//! `serval export FILE --to svg|nfa-svg|net-svg`: pictures.

use std::path::Path;

use serval_budget::Budget;
use serval_model::NetworkSystem;
use serval_report::Labels;
use serval_report::pictures::View;

use crate::failure::Failure;
use crate::pictures::picture;

/// One view of the systems, as a picture.
pub(super) fn svg(systems: &[(&NetworkSystem, Box<dyn Labels + '_>)], name: &str, view: View) -> Result<String, Failure> {
    let rows: Vec<(&NetworkSystem, &dyn Labels)> = systems.iter().map(|(system, labels)| (*system, &**labels)).collect();
    let drawn = picture(&rows, view, &mut Budget::unlimited()).map_err(|error| Failure::message(format!("{name}: {error}")))?;
    // Not the directory: the same file gives the same bytes wherever it lies.
    let file = Path::new(name).file_name().map_or_else(|| name.to_owned(), |file| file.to_string_lossy().into_owned());
    Ok(drawn.svg("serval", &view.words(&file).words()))
}
