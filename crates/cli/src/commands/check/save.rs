//! The files that `check` writes.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::input;
use crate::output::write_file;

/// What is written for a file is called in a directory.
pub(in crate::commands) fn name_in_directory(file: &str, ending: &str) -> String {
    // A name that begins with a dot would be hidden.
    format!("{}.{ending}", file.replace(['/', '\\'], "_").trim_start_matches(['.', '_']))
}

/// Saves a file where the option asks for it: the path itself for one input, a
/// file in that directory for several. Gives how it is called.
pub(in crate::commands) fn save(
    path: Option<&Path>,
    several: bool,
    file: &str,
    ending: &str,
    text: &str,
) -> Result<Option<String>, Failure> {
    let Some(path) = path else { return Ok(None) };
    let target: PathBuf = if several {
        std::fs::create_dir_all(path).map_err(|error| Failure::message(format!("cannot make {}: {error}", input::shown(path))))?;
        path.join(name_in_directory(file, ending))
    } else {
        path.to_owned()
    };
    write_file(&target, text)?;
    Ok(Some(input::name_of(&target)))
}
