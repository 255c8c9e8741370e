//! Which files are meant.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::input;

/// The files named, and those in directories named, in order.
pub(crate) fn all(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    found(given, &["ser", "json"])
}

/// The files named, and the programs in directories named, in order.
pub(crate) fn programs(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    found(given, &["ser"])
}

fn found(given: &[PathBuf], endings: &[&str]) -> Result<Vec<PathBuf>, Failure> {
    if given.iter().filter(|path| path.as_path() == Path::new("-")).count() > 1 {
        return Err(Failure::message("standard input can be read only once; name - once"));
    }
    let mut files = Vec::new();
    for path in given {
        if path.is_dir() {
            let before = files.len();
            search(path, endings, &mut files)?;
            if files.len() == before {
                let wanted: Vec<String> = endings.iter().map(|ending| format!(".{ending}")).collect();
                return Err(Failure::message(format!("there is no {} file in {}", wanted.join(" or "), input::shown(path))));
            }
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// Files with such endings in a directory and below, sorted. Hidden entries and
/// links are passed over.
fn search(directory: &Path, endings: &[&str], files: &mut Vec<PathBuf>) -> Result<(), Failure> {
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
    files.extend(found);
    Ok(())
}
