//! What makes proofs proofs, put to other solvers.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serval_budget::Cancel;
use serval_compile::Mode;
use serval_engine::portfolio::{Found, Method, Plan, decide};
use serval_obligations::{Obligation, obligations};

use serval_model::{NetworkSystem, systems_from_json};
use serval_testkit::solvers::Outside;

use crate::classic::compiled;

/// Examples that counting alone does not decide in a reasonable time; they
/// have to be made smaller first.
const NEED_REDUCTIONS: &[&str] = &[
    "connection-pool.ser",
    "dining-philosophers-ordered.ser",
    "dining-philosophers.ser",
    "entity-tags.ser",
    "leader-election.ser",
    "lru-cache-versioned.ser",
    "ring-buffer.ser",
    "two-phase-commit-readers.ser",
    "wiki-revisions.ser",
];

/// Examples that reductions or their text prove, and whose obligations, which are about counting, take long even so.
const HARD_TO_COUNT: &[&str] = &["orders-paid.ser"];

/// Whether these methods can be expected to decide a file, and to say why by counting.
pub fn is_for(file: &Path, methods: &[Method]) -> bool {
    let is_among = |names: &[&str]| file.file_name().and_then(|name| name.to_str()).is_some_and(|name| names.contains(&name));
    !is_among(HARD_TO_COUNT) && (methods.contains(&Method::Reduce) || !is_among(NEED_REDUCTIONS)) && !can_fail(file)
}

/// Whether a program promises that it can fail, so that nothing is proved about it.
fn can_fail(file: &Path) -> bool {
    std::fs::read_to_string(file).is_ok_and(|text| text.starts_with("// expect: can fail"))
}

/// How long a solver may take for all questions about one program.
const PATIENCE: Duration = Duration::from_secs(3_600);

/// The obligations of one program.
#[derive(Debug)]
pub struct ProgramObligations {
    /// The name of the file.
    pub name: String,
    /// How many there are.
    pub files: usize,
    /// How many bytes they have.
    pub bytes: usize,
    /// For each solver how long it took, and the names of those that it did not
    /// answer with `unsat`.
    pub answers: Vec<(Duration, Vec<String>)>,
}

/// Programs and systems in some directories, by name.
pub fn files(directories: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for directory in directories {
        let entries = std::fs::read_dir(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
        let mut here: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        here.retain(|path| path.extension().is_some_and(|extension| extension == "ser" || extension == "json"));
        here.sort();
        files.extend(here);
    }
    Ok(files)
}

/// The components of a program or system.
pub fn systems(path: &Path) -> Result<Vec<NetworkSystem>, String> {
    let fail = |error: String| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
    if path.extension().is_some_and(|extension| extension == "json") {
        return systems_from_json(&text).map_err(|error| fail(error.to_string()));
    }
    compiled(&text, Mode::Optimised).map_err(fail)
}

/// The obligations of a program; `None` if it is not serializable.
pub fn of_file(path: &Path, methods: &[Method]) -> Result<Option<Vec<Obligation>>, String> {
    let systems = systems(path)?;
    let systems: Vec<&NetworkSystem> = systems.iter().collect();
    let cancel = Cancel::new();
    let plan = Plan::new(methods, &cancel);
    match decide(&systems, 0, &plan).found {
        Found::Refuted { .. } => Ok(None),
        Found::Unknown(reason) => Err(format!("{}: undecided: {reason:?}", path.display())),
        Found::Serializable(parts, _) => {
            let mut all = Vec::new();
            for (system, part) in systems.iter().zip(parts) {
                all.extend(obligations(system, part, &cancel).map_err(|error| format!("{}: {error}", path.display()))?);
            }
            Ok(Some(all))
        }
    }
}

/// Puts the obligations of a program to each solver.
pub fn ask(path: &Path, obligations: &[Obligation], solvers: &[Outside]) -> ProgramObligations {
    let answers = solvers.iter().map(|outside| {
        let start = Instant::now();
        let answers = outside.ask_all(obligations.iter().map(|obligation| obligation.text.as_str()), PATIENCE);
        let others = obligations.iter().zip(answers).filter(|(_, answer)| answer != "unsat");
        (start.elapsed(), others.map(|(obligation, answer)| format!("{}: {answer}", obligation.name)).collect())
    });
    ProgramObligations {
        name: path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        files: obligations.len(),
        bytes: obligations.iter().map(|obligation| obligation.text.len()).sum(),
        answers: answers.collect(),
    }
}
