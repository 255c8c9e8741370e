//! Files and the terminal.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use serval_report::Style;

use crate::args::Colour;
use crate::failure::Failure;
use crate::limits::visibly;

/// Writes a file as a whole: to a temporary name beside it, then renamed, so
/// that no reader ever sees a part of it. Where the name is a link, the file
/// that it leads to is written. What is no ordinary file, such as a device or a
/// pipe, is written as it is: a file must not take its place.
pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    match fs::metadata(path) {
        Ok(known) if !known.is_file() && !known.is_dir() => {
            let written = visibly(|| fs::OpenOptions::new().write(true).open(path).and_then(|mut file| file.write_all(text.as_bytes())));
            written.map_err(|error| Failure::message(format!("cannot write {}: {error}", path.display())))
        }
        Ok(_) if path.is_symlink() => write_renamed(&fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()), text, None),
        _ => write_renamed(path, text, None),
    }
}

/// Writes a file that is there already, as a whole. Its permissions stay, and
/// where the name is a link, the file that it leads to is written.
pub(crate) fn rewrite_file(path: &Path, text: &str) -> Result<(), Failure> {
    let fail = |error: io::Error| Failure::message(format!("cannot write {}: {error}", path.display()));
    let real = fs::canonicalize(path).map_err(fail)?;
    let permissions = fs::metadata(&real).map_err(fail)?.permissions();
    // A new file would take the place of one that is not to be written.
    if permissions.readonly() {
        return Err(Failure::message(format!("cannot write {}: it is read-only", path.display())));
    }
    write_renamed(&real, text, Some(permissions))
}

fn write_renamed(path: &Path, text: &str, permissions: Option<fs::Permissions>) -> Result<(), Failure> {
    let fail = |error: io::Error| Failure::message(format!("cannot write {}: {error}", path.display()));
    let name = path.file_name().ok_or_else(|| Failure::message(format!("cannot write {}: not a file name", path.display())))?;
    let mut temporary = name.to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(temporary);
    let permit = || permissions.map_or(Ok(()), |permissions| fs::set_permissions(&temporary, permissions));
    let written = visibly(|| fs::write(&temporary, text).and_then(|()| permit()).and_then(|()| fs::rename(&temporary, path)));
    written.map_err(|error| {
        // Best effort: the error that matters is the first one.
        let _ = fs::remove_file(&temporary);
        fail(error)
    })
}

/// Refuses to write over what is read.
pub(crate) fn keep_input(input: &Path, output: Option<&Path>) -> Result<(), Failure> {
    let same = |output: &Path| matches!((fs::canonicalize(input), fs::canonicalize(output)), (Ok(one), Ok(other)) if one == other);
    match output.filter(|output| same(output)) {
        Some(output) => Err(Failure::message(format!("{} is the input and would be overwritten; name another file", output.display()))),
        None => Ok(()),
    }
}

/// Writes to standard output, or to a file.
pub(crate) fn write_to(path: Option<&Path>, text: &str) -> Result<(), Failure> {
    match path {
        Some(path) => write_file(path, text),
        None => visibly(|| {
            let mut out = io::stdout().lock();
            out.write_all(text.as_bytes())?;
            Ok(out.flush()?)
        }),
    }
}

/// How to draw on standard error.
pub(crate) fn error_style(colour: Colour) -> Style {
    let colour = match colour {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    };
    if colour { Style::Colour } else { Style::Plain }
}

/// Says something that is not the result.
pub(crate) fn say(text: &str) {
    // If standard error is closed there is nobody to tell.
    let _ = visibly(|| io::stderr().lock().write_all(text.as_bytes()));
}
