//! `serval export FILE --to smtlib --out DIR`: proof obligations, as
//! questions for other solvers.

use std::fs;
use std::path::{Path, PathBuf};

use serval::export::{Systems, Unproved};

use super::super::check;
use super::within_limits;
use crate::args::{Classic, Export};
use crate::failure::Failure;
use crate::input;

/// Proves each system and writes its obligations; a directory for each when
/// there are several.
pub(super) fn write(systems: &Systems, name: &str, args: &Export) -> Result<(), Failure> {
    let Some(directory) = args.out.as_deref() else {
        return Err(Failure::message("--to smtlib writes several files: name a directory with --out"));
    };
    if fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Failure::message(format!("{} is not empty", input::shown(directory))));
    }
    let &Export { no_elimination_order, no_prune, no_factor, .. } = args;
    let methods = check::methods(&args.method, &Classic { no_elimination_order, no_prune, no_factor, no_slice: false })?;
    let (own_name, own) = (name.to_owned(), systems.clone());
    let needs = ("no proof", "the proof needs");
    let found = within_limits(name, args, needs, move |watch| {
        own.obligations(&methods, 0, &watch.cancel()).map_err(|unproved| failure(&own_name, unproved))
    })?;
    let several = found.len() > 1;
    let mut files = Vec::new();
    for (component, obligations) in found.into_iter().enumerate() {
        let folder = if several { PathBuf::from(format!("component-{component}")) } else { PathBuf::new() };
        files.extend(obligations.into_iter().map(|one| (folder.join(format!("{}.smt2", one.name)), one.text)));
    }
    write_all(directory, &files)
}

fn failure(name: &str, unproved: Unproved) -> Failure {
    Failure::message(match unproved {
        Unproved::Refuted => format!("{name} is not serializable: its evidence is a run, and `serval check` shows it"),
        Unproved::Undecided(reason) => format!("{name} is undecided: {reason}"),
        Unproved::NoObligations(reason) => format!("{name}: {reason}"),
    })
}

/// Writes all files into a directory that appears only when it is complete.
fn write_all(directory: &Path, files: &[(PathBuf, String)]) -> Result<(), Failure> {
    let fail = |error: std::io::Error| Failure::message(format!("cannot write {}: {error}", input::shown(directory)));
    let Some(name) = directory.file_name() else {
        return Err(Failure::message(format!("cannot write {}: not a directory name", input::shown(directory))));
    };
    let mut temporary = name.to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = directory.with_file_name(temporary);
    let written = || {
        for (path, text) in files {
            let path = temporary.join(path);
            fs::create_dir_all(path.parent().unwrap_or(&temporary))?;
            fs::write(path, text)?;
        }
        // An empty directory gives way.
        if directory.is_dir() {
            fs::remove_dir(directory)?;
        }
        fs::rename(&temporary, directory)
    };
    written().map_err(|error| {
        // Best effort: the error that matters is the first one.
        let _ = fs::remove_dir_all(&temporary);
        fail(error)
    })
}
