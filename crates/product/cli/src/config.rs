//! `serval.toml`: what holds for all files in a directory and below.
//!
//! ```toml
//! allow = ["W0203"]     # warnings that are not wanted
//!
//! [check]               # defaults of `serval check`
//! timeout = 60          # seconds for one file
//! memory = 4096         # MiB for the process
//! jobs = 4              # threads, 1 to 1024
//! method = "auto"       # or several: ["search", "flow"]
//! format = "text"       # text, json, sarif, github or markdown
//! color = "auto"        # auto, always or never
//! strict = false        # decide about the order in time, too
//! exit-zero = false     # 0 instead of 1 and 3
//! no-times = false      # leave times out
//! cache = true          # remember verdicts with their evidence
//!
//! [format]
//! indent = 2            # blanks per level, 1 to 16
//! width = 100           # characters per line, 20 to 1000
//! ```
//!
//! The file that counts is the nearest one upwards from the program, and for
//! standard input upwards from the current directory; files do not add up.
//! What is said on the command line goes before what the file says. What is
//! about the whole call and not about one program is taken from the file that
//! counts for the directory that all inputs have in common ([`Configs::common`]).
//! What is not understood is an error: a setting that is silently not in force
//! is worse than none.

mod read;
mod sql;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serval_report::{Style as Drawing, render_diagnostics};

use crate::args::{Check, OutputFormat};
use crate::failure::Failure;
use crate::input;
use crate::output::Colour;

/// What the file is called.
const NAME: &str = "serval.toml";

/// What it says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Config {
    /// How programs are formatted.
    pub(crate) format: serval::FormatStyle,
    /// Codes of warnings and notes that are not wanted, sorted.
    pub(crate) allow: Vec<&'static str>,
    /// Defaults of `serval check`.
    pub(crate) check: CheckDefaults,
    /// What `[sql]` says, as lines of the settings of a workload.
    pub(crate) sql: Vec<String>,
}

/// Options of `serval check` that the command line need not repeat.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CheckDefaults {
    /// Seconds for one file.
    pub(crate) timeout: Option<f64>,
    /// MiB for the process.
    pub(crate) memory: Option<u64>,
    /// How many threads.
    pub(crate) jobs: Option<usize>,
    /// Names of methods.
    pub(crate) method: Option<Vec<String>>,
    /// For people or for machines.
    pub(crate) format: Option<OutputFormat>,
    /// When to use colours.
    pub(crate) color: Option<Colour>,
    /// Decide about the order in time, too.
    pub(crate) strict: Option<bool>,
    /// 0 instead of 1 and 3.
    pub(crate) exit_zero: Option<bool>,
    /// Leave times out.
    pub(crate) no_times: Option<bool>,
    /// Remember verdicts.
    pub(crate) cache: Option<bool>,
}

impl CheckDefaults {
    /// The options with what a file says about the whole call, where the
    /// command line says nothing.
    pub(crate) fn for_call(&self, args: &Check) -> Check {
        let mut settled = args.clone();
        settle(args, &mut settled.limits.memory, "memory", self.memory.map(Some));
        settle(args, &mut settled.limits.jobs, "jobs", self.jobs.map(Some));
        settle(args, &mut settled.format, "format", self.format);
        settle(args, &mut settled.exit_zero, "exit_zero", self.exit_zero);
        settle(args, &mut settled.no_times, "no_times", self.no_times);
        settled
    }

    /// The options with what a file says about single programs, where the
    /// command line says nothing.
    pub(crate) fn for_program(&self, args: &Check) -> Check {
        let mut settled = args.clone();
        settle(args, &mut settled.limits.timeout, "timeout", self.timeout);
        settle(args, &mut settled.method, "method", self.method.clone());
        settle(args, &mut settled.strict, "strict", self.strict);
        settle(args, &mut settled.no_cache, "no_cache", self.cache.map(|cache| !cache));
        settled
    }
}

fn settle<V>(args: &Check, option: &mut V, name: &str, file: Option<V>) {
    if let Some(value) = file
        && !args.explicit.contains(name)
    {
        *option = value;
    }
}

/// Finds the configuration of each file, and reads each only once.
#[derive(Default)]
pub(crate) struct Configs {
    /// By the directory of the program.
    known: BTreeMap<PathBuf, Arc<Config>>,
}

impl Configs {
    /// What holds for the program at `path`, which is `-` for standard input.
    pub(crate) fn of(&mut self, path: &Path, drawing: Drawing) -> Result<Arc<Config>, Failure> {
        let directory = directory_of(path)?;
        self.at(directory, drawing)
    }

    /// What holds for a call with these inputs, files or directories: the file
    /// upwards from the directory that they have in common. With one input
    /// that is the file that counts for it.
    pub(crate) fn common(&mut self, given: &[PathBuf], drawing: Drawing) -> Result<Arc<Config>, Failure> {
        self.at(common_directory(given)?, drawing)
    }

    fn at(&mut self, directory: PathBuf, drawing: Drawing) -> Result<Arc<Config>, Failure> {
        if let Some(config) = self.known.get(&directory) {
            return Ok(Arc::clone(config));
        }
        let config = Arc::new(match nearest(&directory) {
            Some(found) => read(&found, drawing)?,
            None => Config::default(),
        });
        self.known.insert(directory, Arc::clone(&config));
        Ok(config)
    }
}

/// The file that counts for the program at `path`, if there is one.
pub(crate) fn found_for(path: &Path) -> Option<PathBuf> {
    nearest(&directory_of(path).ok()?)
}

/// The file that counts for a call with these inputs, if there is one.
pub(crate) fn found_for_all(given: &[PathBuf]) -> Option<PathBuf> {
    nearest(&common_directory(given).ok()?)
}

/// The directory that all inputs, files or directories, are in.
fn common_directory(given: &[PathBuf]) -> Result<PathBuf, Failure> {
    let mut common: Option<PathBuf> = None;
    for path in given {
        let directory = if path.is_dir() { real(here()?.join(path)) } else { directory_of(path)? };
        common = Some(match common {
            None => directory,
            Some(before) => before.ancestors().find(|&part| directory.starts_with(part)).unwrap_or(&before).to_path_buf(),
        });
    }
    common.map_or_else(here, Ok)
}

fn nearest(directory: &Path) -> Option<PathBuf> {
    directory.ancestors().map(|directory| directory.join(NAME)).find(|path| path.is_file())
}

fn here() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| Failure::message(format!("cannot tell the current directory: {error}")))
}

/// A directory without `..` in its name, where it is there: what is upwards
/// from `a/../b` is not in `a`.
fn real(directory: PathBuf) -> PathBuf {
    std::fs::canonicalize(&directory).unwrap_or(directory)
}

/// The directory in which the search begins, from the root.
fn directory_of(path: &Path) -> Result<PathBuf, Failure> {
    if path == Path::new("-") {
        return here();
    }
    let whole = here()?.join(path);
    Ok(real(whole.parent().unwrap_or(&whole).to_path_buf()))
}

fn read(path: &Path, drawing: Drawing) -> Result<Config, Failure> {
    // Shown as short as it can be.
    let here = std::env::current_dir().unwrap_or_default();
    let shown = path.strip_prefix(&here).unwrap_or(path);
    let text = input::plain_text(path)?;
    read::parse(&text).map_err(|mistakes| Failure::Input(render_diagnostics(&mistakes, &input::name_of(shown), &text, drawing)))
}
