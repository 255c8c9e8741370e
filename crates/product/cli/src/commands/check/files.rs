//! Which files are meant.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::input;

/// The files that are meant.
pub(crate) struct GivenFiles {
    /// In order.
    pub(crate) files: Vec<PathBuf>,
    /// How many JSON files in directories are no network systems, such as `package.json`.
    pub(crate) skipped: usize,
}

/// The files named, and those in directories named, in order.
pub(crate) fn all(given: &[PathBuf]) -> Result<GivenFiles, Failure> {
    found(given, &["ser", "json"])
}

/// The files named, and the programs of both languages in directories named, in order.
pub(crate) fn formatted(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    Ok(found(given, &["ser", "tso"])?.files)
}

fn found(given: &[PathBuf], endings: &[&str]) -> Result<GivenFiles, Failure> {
    if given.iter().filter(|path| path.as_path() == Path::new("-")).count() > 1 {
        return Err(Failure::message("standard input can be read only once; name - once"));
    }
    let (mut files, mut skipped) = (Vec::new(), 0);
    for path in given {
        if path.is_dir() {
            let before = (files.len(), skipped);
            skipped += search(path, endings, &mut files)?;
            if files.len() == before.0 {
                let wanted: Vec<String> = endings.iter().map(|ending| format!(".{ending}")).collect();
                let mut why = if skipped > before.1 { format!("; {}", skipped_words(skipped - before.1)) } else { String::new() };
                why += &elsewhere(path)?;
                return Err(Failure::message(format!("there is no {} file in {}{why}", wanted.join(" or "), input::shown(path))));
            }
        } else {
            files.push(path.clone());
        }
    }
    Ok(GivenFiles { files, skipped })
}

/// Whether there are programs or network systems in a directory or below.
pub(crate) fn has_programs(directory: &Path) -> bool {
    let mut files = Vec::new();
    search(directory, &["ser", "json"], &mut files).is_ok() && !files.is_empty()
}

/// The files of a directory that other commands take, and which.
fn elsewhere(directory: &Path) -> Result<String, Failure> {
    const OTHERS: [(&[&str], &str); 2] = [(&["tso", "litmus"], "serval tso check"), (&["pnml", "net", "spec", "vass"], "serval net check")];
    let mut told = String::new();
    for (endings, command) in OTHERS {
        let mut files = Vec::new();
        search(directory, endings, &mut files)?;
        match files.len() {
            0 => {}
            1 => told += &format!("; `{command}` takes the file that is there"),
            _ => told += &format!("; `{command}` takes those that are there, one by one"),
        }
    }
    Ok(told)
}

/// What is said about JSON files that were passed over.
pub(crate) fn skipped_words(skipped: usize) -> String {
    match skipped {
        1 => "1 JSON file is no network system and was skipped".to_owned(),
        _ => format!("{skipped} JSON files are no network systems and were skipped"),
    }
}

/// Whether a JSON file that the command line does not name is meant to be a network system: an
/// object, or an array of objects, with one of the fields that only these have.
/// One with a mistake in it counts, so that the mistake is shown.
fn is_system(path: &Path) -> bool {
    const FIELDS: [&str; 2] = ["initial_global", "transitions"];
    let Ok(text) = std::fs::read_to_string(path) else { return true };
    if !FIELDS.iter().any(|field| text.contains(field)) {
        return false;
    }
    let has_fields = |value: &serde_json::Value| FIELDS.iter().any(|field| value.get(field).is_some());
    match serde_json::from_str::<serde_json::Value>(&text) {
        Ok(serde_json::Value::Array(systems)) => systems.iter().any(has_fields),
        Ok(value) => has_fields(&value),
        Err(_) => true,
    }
}

/// Files with such endings in a directory and below, sorted; how many JSON files
/// are something else. Hidden entries and links are passed over.
fn search(directory: &Path, endings: &[&str], files: &mut Vec<PathBuf>) -> Result<usize, Failure> {
    let mut open = vec![directory.to_owned()];
    let mut found = Vec::new();
    while let Some(directory) = open.pop() {
        let fail = |error: std::io::Error| Failure::message(format!("cannot read {}: {error}", input::shown(&directory)));
        for entry in std::fs::read_dir(&directory).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let kind = entry.file_type().map_err(fail)?;
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            let path = entry.path();
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|extension| endings.iter().any(|ending| extension == *ending)) {
                found.push(path);
            }
        }
    }
    found.sort();
    let before = found.len();
    found.retain(|path| path.extension().is_none_or(|extension| extension != "json") || is_system(path));
    let skipped = before - found.len();
    files.extend(found);
    Ok(skipped)
}
