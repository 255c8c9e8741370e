//! `serval export FILE --to smtlib --out DIR`: proof obligations, as
//! questions for other solvers.

use std::fs;
use std::path::{Path, PathBuf};

use serval::Methods;
use serval_budget::Cancel;
use serval_classic_engine::Verdict;
use serval_engine::portfolio::{self, Found, Plan};
use serval_obligations::{Obligation, obligations};

use serval_model::NetworkSystem;
use serval_proof::Part;

use super::super::check;
use super::within_limits;
use crate::args::{Classic, Export};
use crate::failure::Failure;
use crate::input;

/// Proves each system and writes its obligations; a directory for each when
/// there are several.
pub(super) fn write(systems: &[&NetworkSystem], name: &str, args: &Export) -> Result<(), Failure> {
    let Some(directory) = args.out.as_deref() else {
        return Err(Failure::message("--to smtlib writes several files: name a directory with --out"));
    };
    if fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Failure::message(format!("{} is not empty", input::shown(directory))));
    }
    let &Export { no_elimination_order, no_prune, no_factor, .. } = args;
    let methods = check::methods(&args.method, &Classic { no_elimination_order, no_prune, no_factor, no_slice: false })?;
    let own_name = name.to_owned();
    let needs = ("no proof", "the proof needs");
    let files = within_limits(systems, name, args, needs, move |systems, watch| proved(systems, &own_name, methods, &watch.cancel()))?;
    write_all(directory, &files)
}

/// The obligations of all systems, with the names of their files.
fn proved(systems: &[&NetworkSystem], name: &str, methods: Methods, cancel: &Cancel) -> Result<Vec<(PathBuf, String)>, Failure> {
    let parts = match methods {
        Methods::Portfolio(methods) => {
            let jobs = std::thread::available_parallelism().map_or(1, usize::from);
            let plan = Plan { jobs, rounds: usize::MAX, ..Plan::new(&methods, cancel) };
            match portfolio::decide(systems, 0, &plan).found {
                Found::Serializable(parts, _) => parts,
                Found::Refuted { .. } => return Err(refuted(name)),
                Found::Unknown(reason) => return Err(undecided(name, &reason.to_string())),
            }
        }
        Methods::Classic(options) => {
            let invariant =
                |system: &&NetworkSystem| match serval_classic_engine::decide(system, &options, cancel, &serval_classic_engine::no_clock)
                    .verdict
                {
                    Verdict::Serializable(proof) => Ok(Part::Invariant(proof)),
                    Verdict::Refuted(_) => Err(refuted(name)),
                    Verdict::Unknown(reason) => Err(undecided(name, &format!("stopped at the stage {reason}"))),
                };
            systems.iter().map(invariant).collect::<Result<Vec<Part>, Failure>>()?
        }
    };
    let mut files = Vec::new();
    for (component, (system, part)) in systems.iter().zip(parts).enumerate() {
        let folder = if systems.len() > 1 { PathBuf::from(format!("component-{component}")) } else { PathBuf::new() };
        let obligations = obligations(system, part, cancel).map_err(|reason| Failure::message(format!("{name}: {reason}")))?;
        files.extend(obligations.into_iter().map(|Obligation { name, text }| (folder.join(format!("{name}.smt2")), text)));
    }
    Ok(files)
}

fn refuted(name: &str) -> Failure {
    Failure::message(format!("{name} is not serializable: its evidence is a run, and `serval check` shows it"))
}

fn undecided(name: &str, reason: &str) -> Failure {
    Failure::message(format!("{name} is undecided: {reason}"))
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
