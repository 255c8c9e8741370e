//! `serval check --watch`, and `serval net check --watch`: checks, and checks again what has changed.
//!
//! Files are looked at several times a second. That is slower than asking the
//! operating system to tell, and works everywhere: on network file systems,
//! in containers, and for editors that write another file and rename it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use serval::nets::NetInput;
use serval::{Input, fingerprint};
use serval_report::counted;
use serval_report::escape::line;

use super::files;
use crate::config;
use crate::failure::Failure;
use crate::input::{self, Messages};
use crate::limits;
use crate::output::say;

/// How often files are looked at.
const GLANCE: Duration = Duration::from_millis(200);
/// A file that has changed is left alone until it has not for so long.
const SETTLE: Duration = Duration::from_millis(30);
/// How often that is tried; a file that is written all the time is checked all
/// the same.
const PATIENCE: usize = 20;
/// Clocks of file systems may be as coarse as this: a file that is younger may
/// change without its time.
const COARSE: Duration = Duration::from_secs(3);

/// Checks until the user interrupts: `round` gets the files that are new or have changed, and whether several are
/// watched.
pub(in crate::commands) fn run(
    given: &[PathBuf],
    messages: Messages,
    mut round: impl FnMut(&[PathBuf], bool) -> Result<ExitCode, Failure>,
) -> Result<ExitCode, Failure> {
    limits::watch_interrupts();
    if given.iter().any(|path| path == Path::new("-")) {
        return Err(Failure::message("--watch needs files or directories: standard input does not change"));
    }
    let mut seen = WatchedFiles::look(given, &WatchedFiles::default());
    let mut due = seen.files();
    loop {
        clear_terminal();
        if let Some(trouble) = &seen.trouble {
            say(&format!("error: {}\n", line(trouble)));
        }
        if !due.is_empty() {
            let several = seen.states.len() > 1;
            match round(&due, several) {
                Ok(_) => {}
                // The reader is gone.
                Err(Failure::ClosedPipe) => return Err(Failure::ClosedPipe),
                Err(failure) => {
                    failure.report();
                }
            }
        }
        if !messages.quiet && !limits::is_interrupted() {
            let count = seen.states.len();
            say(&format!("watching {}; Ctrl-C ends\n", counted(count, "file")));
        }
        loop {
            if !sleep(GLANCE) {
                return Ok(ExitCode::from(130));
            }
            let now = settled(given, &seen);
            if now != seen {
                due = now.since(&seen);
                let gone = seen.states.keys().filter(|path| !now.states.contains_key(*path));
                for path in gone {
                    say(&format!("{} is gone\n", input::shown(path)));
                }
                seen = now;
                break;
            }
        }
    }
}

/// Waits; whether there was no interrupt.
fn sleep(time: Duration) -> bool {
    const NAP: Duration = Duration::from_millis(10);
    let start = std::time::Instant::now();
    while start.elapsed() < time {
        if limits::is_interrupted() {
            return false;
        }
        std::thread::sleep(NAP);
    }
    !limits::is_interrupted()
}

/// What is there, after it has stopped changing.
fn settled(given: &[PathBuf], before: &WatchedFiles) -> WatchedFiles {
    let mut now = WatchedFiles::look(given, before);
    if now == *before {
        return now;
    }
    for _ in 0..PATIENCE {
        if !sleep(SETTLE) {
            break;
        }
        let next = WatchedFiles::look(given, &now);
        if next == now {
            break;
        }
        now = next;
    }
    now
}

fn clear_terminal() {
    let mut out = std::io::stdout();
    if out.is_terminal() {
        // A terminal that cannot be written need not be clear.
        let _ = out.write_all(b"\x1b[2J\x1b[H").and_then(|()| out.flush());
    }
}

/// What is known about a file.
#[derive(Clone, Debug)]
struct FileState {
    changed: Option<SystemTime>,
    size: u64,
    /// Of the bytes; `None` for a file that cannot be read.
    content: Option<String>,
}

/// A file with the same bytes has not changed, whatever its time.
impl PartialEq for FileState {
    fn eq(&self, other: &Self) -> bool {
        self.content == other.content
    }
}

impl FileState {
    /// Reads the file only if it may have changed.
    fn of(path: &Path, before: Option<&Self>) -> Self {
        let known = fs::metadata(path).ok();
        let changed = known.as_ref().and_then(|known| known.modified().ok());
        let size = known.as_ref().map_or(0, fs::Metadata::len);
        if let Some(before) = before
            && before.changed == changed
            && before.size == size
            && changed.is_some_and(|changed| changed.elapsed().is_ok_and(|age| age > COARSE))
        {
            return before.clone();
        }
        let most = Input::MOST_BYTES.max(NetInput::most_bytes());
        let content = if size > u64::try_from(most).unwrap_or(u64::MAX) {
            // It is no input, however often it is read.
            Some("too large".to_owned())
        } else {
            fs::read(path).ok().map(|bytes| fingerprint(&String::from_utf8_lossy(&bytes)))
        };
        Self { changed, size, content }
    }
}

/// The files that are watched.
#[derive(Default, PartialEq)]
struct WatchedFiles {
    states: BTreeMap<PathBuf, FileState>,
    /// In the order in which they are checked.
    order: Vec<PathBuf>,
    /// The settings of each, and of the whole call under no name.
    settings: BTreeMap<PathBuf, (PathBuf, FileState)>,
    /// Why some files cannot be listed.
    trouble: Option<String>,
}

impl WatchedFiles {
    fn look(given: &[PathBuf], before: &Self) -> Self {
        let mut seen = Self::default();
        for path in given {
            // A directory that is not there now may come back.
            match files::all(std::slice::from_ref(path)) {
                Ok(found) => seen.order.extend(found.files),
                Err(Failure::Message(trouble)) => seen.trouble = Some(trouble),
                Err(_) => {}
            }
        }
        let mut settings = BTreeMap::new();
        let mut watch_settings = |of: &Path, found: Option<PathBuf>| {
            let Some(found) = found else { return };
            let known = before.settings.get(of).filter(|(path, _)| *path == found).map(|(_, state)| state);
            let state = FileState::of(&found, known);
            settings.insert(of.to_owned(), (found, state));
        };
        watch_settings(Path::new(""), config::found_for_all(given));
        for path in &seen.order {
            seen.states.entry(path.clone()).or_insert_with(|| FileState::of(path, before.states.get(path)));
            watch_settings(path, config::found_for(path));
        }
        seen.settings = settings;
        seen
    }

    /// All files, in order.
    fn files(&self) -> Vec<PathBuf> {
        self.order.clone()
    }

    /// The files that have changed, or whose settings have.
    fn since(&self, before: &Self) -> Vec<PathBuf> {
        let same_settings = |path: &Path| self.settings.get(path) == before.settings.get(path);
        let same = |path: &PathBuf| self.states.get(path) == before.states.get(path) && same_settings(path) && same_settings(Path::new(""));
        self.order.iter().filter(|path| !same(path)).cloned().collect()
    }
}
