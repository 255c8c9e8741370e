//! What is measured: files, and programs of families.

use std::path::{Path, PathBuf};

use serval_families::{FAMILIES, Family};
use serval_report::Verdict;

use crate::args::{Bench, InputKind};
use crate::commands::check::files;
use crate::failure::Failure;
use crate::input::{self, Loaded};

/// Something to measure.
pub(super) struct Subject {
    /// How the table calls it.
    pub(super) name: String,
    /// Where it lies; for a program of a family, its name.
    pub(super) path: PathBuf,
    /// The program, where it is not in a file.
    pub(super) program: Option<String>,
    /// Its verdict, where that is known by construction.
    pub(super) verdict: Option<Verdict>,
}

impl Subject {
    /// Reads it.
    pub(super) fn load(&self) -> Result<Loaded, Failure> {
        match &self.program {
            Some(text) => Ok(input::loaded(self.name.clone(), text.clone().into_bytes(), InputKind::Ser)),
            None => input::load("check", &self.path, None),
        }
    }
}

/// All files, then all programs of families.
pub(super) fn all(args: &Bench) -> Result<Vec<Subject>, Failure> {
    let mut subjects = Vec::new();
    // The files of one directory are called by their names in it, so that
    // tables of different places can be compared.
    let only = match args.files.as_slice() {
        [only] if only.is_dir() => Some(only.as_path()),
        _ => None,
    };
    if !args.files.is_empty() {
        for path in files::all(&args.files)?.files {
            if path == Path::new("-") {
                return Err(Failure::message("serval bench reads files, not standard input"));
            }
            let name = input::name_of(only.and_then(|only| path.strip_prefix(only).ok()).unwrap_or(&path));
            subjects.push(Subject { name, path, program: None, verdict: None });
        }
    }
    if let Some(name) = &args.family {
        subjects.extend(programs(name, &args.n)?);
    }
    if let Some(shard) = args.shard {
        // Every so-manieth, so that what is next to each other, and often alike, is spread.
        subjects = subjects.into_iter().skip(shard.number - 1).step_by(shard.of).collect();
    }
    Ok(subjects)
}

/// The programs of one family, or of all, at these sizes or the usual ones.
fn programs(name: &str, sizes: &[usize]) -> Result<Vec<Subject>, Failure> {
    let families: Vec<&Family> = match Family::named(name) {
        Some(family) => vec![family],
        None if name == "all" => FAMILIES.iter().collect(),
        None => {
            let known: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
            return Err(Failure::message(format!("there is no family {name}; there are all, {}", known.join(", "))));
        }
    };
    let mut programs = Vec::new();
    for family in families {
        let usual = [family.usual];
        for &n in if sizes.is_empty() { &usual[..] } else { sizes } {
            let name = format!("{}-{n}", family.name);
            let verdict = match family.verdict {
                serval_families::FamilyVerdict::Serializable => Verdict::Serializable,
                serval_families::FamilyVerdict::NotSerializable => Verdict::NotSerializable,
            };
            programs.push(Subject { path: PathBuf::from(&name), name, program: Some(family.program(n)), verdict: Some(verdict) });
        }
    }
    Ok(programs)
}
