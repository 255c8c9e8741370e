//! Verdicts that were found before, with their evidence.
//!
//! An entry holds the certificate and a few words about how it was found. It
//! is believed no more than an engine is: the independent checker goes through
//! the certificate again, with the text of the program as it is now, and only
//! then there is a verdict. So a cache saves searching, and whatever is in it,
//! it cannot make a verdict wrong. An entry that cannot be read, that is about
//! another program, or that the checker refuses is passed over, and replaced
//! when the program has been decided.
//!
//! What is said beside the verdict and can be found out again without a search
//! is: sizes, warnings, stuck requests, the run as it is shown and the words of
//! `-v`. What cannot ([`Found`]: the method, what was ruled out, and whether a
//! counterexample is minimal) is taken from the entry, which is found only by
//! the very build of serval that wrote it, and has a checksum.
//!
//! An entry is a file of three parts: a line with the form, the version, the
//! build and the checksum of the rest; a line of JSON; the certificate. It is
//! written to a temporary name and renamed, so several processes may use the
//! same directory.
//!
//! Undecided programs are not remembered, for more time may help; nor is what
//! `--method classic` says, which is asked for the sake of its work.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serval_engine::portfolio::Method;
use serval_proof::fingerprint;

use crate::input::{Content, Input};
use crate::limits::visibly;
use crate::output::say;

/// The first word of every entry, with the version of the form.
const FORM: &str = "serval-verdict-1";
/// How entries end.
const ENDING: &str = "verdict";
/// More than this is not remembered, nor read.
const LARGEST_ENTRY: u64 = 8 << 20;
/// When the entries together are larger than this, the oldest go.
const LARGEST_CACHE: u64 = 64 << 20;
/// Temporary files older than this belong to nobody.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Tells backup programs that nothing here is worth keeping.
const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n# This directory was made by serval. See https://bford.info/cachedir/\n";

/// What is told beside a verdict and cannot be found out again without a
/// search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Found {
    /// The name of the method that decided.
    pub(super) method: String,
    /// Whether there is no counterexample with fewer requests.
    pub(super) minimal: bool,
    /// No counterexample has so few requests.
    pub(super) requests_up_to: u32,
    /// No counterexample has so few requests in flight at a time.
    pub(super) concurrent_up_to: Option<u32>,
    /// Global states, local states and steps after reductions.
    pub(super) reduced: Option<[usize; 3]>,
    /// How many states were explored.
    pub(super) explored: Explored,
}

/// How many states of a program were explored beside the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Explored {
    /// All, or all until one failed.
    All,
    /// As many as is cheap.
    Aside,
    /// There are too many.
    TooMany,
}

/// What is remembered about a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) found: Found,
    /// The evidence, as JSON.
    pub(super) certificate: String,
}

/// A directory of entries.
pub(in crate::commands) struct Cache {
    directory: PathBuf,
    build: String,
    quiet: bool,
    /// Whether it has been said that nothing can be written.
    told: AtomicBool,
}

impl Cache {
    /// The user's cache. `None` where there is no place for one, or where it
    /// cannot be told which build of serval this is.
    pub(super) fn of_user(quiet: bool) -> Option<Self> {
        Some(Self { directory: user_directory()?, build: build()?, quiet, told: AtomicBool::new(false) })
    }

    /// What the entry for an input is called. Whatever changes what is printed
    /// and cannot be found out again is part of the name.
    pub(super) fn name(&self, input: &Input, methods: &[Method]) -> String {
        let kind = match input.content {
            Content::Program(_) => "program",
            Content::Systems(_) => "systems",
        };
        let methods: Vec<&str> = methods.iter().map(|method| method.name()).collect();
        fingerprint(&format!("{FORM} {} {} {kind} {}\n{}", env!("CARGO_PKG_VERSION"), self.build, methods.join(","), input.text))
    }

    /// The entry of this name, if there is one that can be read. Nothing is
    /// known about its certificate.
    pub(super) fn recall(&self, name: &str) -> Option<Entry> {
        let mut text = String::new();
        let file = File::open(self.path(name)).ok()?;
        let read = file.take(LARGEST_ENTRY + 1).read_to_string(&mut text).ok()?;
        if u64::try_from(read).is_ok_and(|read| read <= LARGEST_ENTRY) { self.read(&text) } else { None }
    }

    /// Remembers an entry. Says so, once, where that is not possible.
    pub(super) fn remember(&self, name: &str, entry: &Entry) {
        let Some(text) = self.written(entry) else { return };
        if u64::try_from(text.len()).is_ok_and(|size| size > LARGEST_ENTRY) {
            return;
        }
        if let Err(error) = visibly(|| self.write(name, &text))
            && !self.told.swap(true, Ordering::Relaxed)
            && !self.quiet
        {
            let directory = self.directory.display();
            say(&format!("warning: verdicts cannot be remembered in {directory}: {error}; --no-cache leaves it out\n"));
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}.{ENDING}"))
    }

    /// The first line, up to the checksum.
    fn heading(&self) -> String {
        format!("{FORM} {} {}", env!("CARGO_PKG_VERSION"), self.build)
    }

    fn written(&self, entry: &Entry) -> Option<String> {
        let found = serde_json::to_string(&entry.found).ok()?;
        let rest = format!("{found}\n{}", entry.certificate);
        Some(format!("{} {}\n{rest}", self.heading(), fingerprint(&rest)))
    }

    fn read(&self, text: &str) -> Option<Entry> {
        let (heading, rest) = text.split_once('\n')?;
        if heading != format!("{} {}", self.heading(), fingerprint(rest)) {
            return None;
        }
        let (found, certificate) = rest.split_once('\n')?;
        Some(Entry { found: serde_json::from_str(found).ok()?, certificate: certificate.to_owned() })
    }

    fn write(&self, name: &str, text: &str) -> io::Result<()> {
        if !self.directory.is_dir() {
            fs::create_dir_all(&self.directory)?;
            // Best effort: nothing depends on it.
            let _ = fs::write(self.directory.join("CACHEDIR.TAG"), TAG);
        }
        let temporary = self.directory.join(format!("{name}.{}.tmp", std::process::id()));
        let written = fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, self.path(name)));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        // Looking at all entries costs more than writing one.
        if name.starts_with('0') {
            tidy(&self.directory, LARGEST_CACHE);
        }
        written
    }
}

/// Removes what is abandoned, and the oldest entries until the others are not
/// larger than `bound`. Others may be doing the same; what cannot be removed
/// stays.
fn tidy(directory: &Path, bound: u64) {
    let Ok(listed) = fs::read_dir(directory) else { return };
    let mut entries: Vec<(SystemTime, PathBuf, u64)> = Vec::new();
    for path in listed.flatten().map(|listed| listed.path()) {
        let Ok(known) = fs::metadata(&path) else { continue };
        let written = known.modified().unwrap_or(UNIX_EPOCH);
        match path.extension().and_then(|ending| ending.to_str()) {
            Some(ENDING) => entries.push((written, path, known.len())),
            Some("tmp") if written.elapsed().is_ok_and(|age| age > ABANDONED) => {
                let _ = fs::remove_file(&path);
            }
            _ => {}
        }
    }
    entries.sort();
    let mut size: u64 = entries.iter().map(|(_, _, size)| size).sum();
    for (_, path, freed) in entries {
        if size <= bound {
            break;
        }
        let _ = fs::remove_file(path);
        size = size.saturating_sub(freed);
    }
}

/// Where the user's cache is: `SERVAL_CACHE_DIR`, where an empty one means that
/// there is none; else where the user's caches are.
fn user_directory() -> Option<PathBuf> {
    if let Some(said) = std::env::var_os("SERVAL_CACHE_DIR") {
        return (!said.is_empty()).then(|| PathBuf::from(said));
    }
    let directory = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = directory("XDG_CACHE_HOME").or_else(|| match directory("HOME") {
        Some(home) => Some(home.join(".cache")),
        None => directory("LOCALAPPDATA"),
    })?;
    Some(caches.join("serval"))
}

/// Which build of serval this is. A version is not enough while serval is
/// being worked on, and reading the whole program would take longer than most
/// verdicts: so where it is, how long, and when it was written.
fn build() -> Option<String> {
    let path = std::env::current_exe().ok()?;
    let known = fs::metadata(&path).ok()?;
    let written = known.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(fingerprint(&format!("{} {} {}", path.display(), known.len(), written.as_nanos())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(name: &str) -> Cache {
        let directory = std::env::temp_dir().join(format!("serval-cache-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        Cache { directory, build: "b".to_owned(), quiet: true, told: AtomicBool::new(false) }
    }

    fn entry() -> Entry {
        let found = Found {
            method: "flow".to_owned(),
            minimal: false,
            requests_up_to: 3,
            concurrent_up_to: None,
            reduced: Some([1, 2, 3]),
            explored: Explored::All,
        };
        Entry { found, certificate: "{\n}\n".to_owned() }
    }

    #[test]
    fn what_is_remembered_is_recalled() {
        let cache = cache("recall");
        assert_eq!(cache.recall("a"), None);
        cache.remember("a", &entry());
        assert_eq!(cache.recall("a"), Some(entry()));
        assert_eq!(cache.recall("b"), None);
        let other = Cache { build: "c".to_owned(), ..cache };
        assert_eq!(other.recall("a"), None, "another build");
        fs::remove_dir_all(other.directory).unwrap();
    }

    #[test]
    fn every_change_of_a_byte_is_noticed() {
        let cache = cache("bytes");
        let text = cache.written(&entry()).unwrap();
        assert!(cache.read(&text).is_some());
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            assert_eq!(String::from_utf8(bytes).ok().and_then(|text| cache.read(&text)), None, "byte {at}");
            assert_eq!(cache.read(&text[..at]), None, "the first {at} bytes");
        }
    }

    #[test]
    fn the_oldest_go_first() {
        let directory = cache("tidy").directory;
        fs::create_dir_all(&directory).unwrap();
        let now = SystemTime::now();
        let age = |name: &str, hours: u64| {
            let path = directory.join(name);
            fs::write(&path, [b'x'; 100]).unwrap();
            File::options().write(true).open(path).unwrap().set_modified(now - Duration::from_secs(3600 * hours)).unwrap();
        };
        for (name, hours) in
            [("a.verdict", 3), ("b.verdict", 5), ("c.verdict", 1), ("d.verdict", 4), ("old.1.tmp", 2), ("new.2.tmp", 0), ("else", 9)]
        {
            age(name, hours);
        }
        tidy(&directory, 250);
        let mut left: Vec<String> =
            fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        left.sort();
        assert_eq!(left, ["a.verdict", "c.verdict", "else", "new.2.tmp"]);
        fs::remove_dir_all(directory).unwrap();
    }
}
