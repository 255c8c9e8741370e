//! Proofs that were found before.
//!
//! An entry holds a certificate, and nothing else. It is believed no more than
//! an engine is: the independent checker goes through the certificate again,
//! with the text of the program as it is now, and only then there is a verdict.
//! All that is said beside the verdict is found out again: sizes, warnings,
//! stuck requests and the words of `-v` from the program; the method and what
//! its reductions leave from the proof, by performing them. So a cache saves
//! searching, and whatever is in it, it cannot make anything wrong that is said.
//! An entry that cannot be read, that is about another program, or that the
//! checker refuses is passed over, and replaced when the program has been
//! decided. So is one that is no ordinary file: a pipe would have to be waited
//! for, and a link may lead anywhere.
//!
//! What could be told again only after a search is not remembered:
//!
//! - Counterexamples. That no fewer requests will do, and what else has been
//!   ruled out, is known by having searched, and no certificate shows it. To
//!   search again for smaller ones costs about as much as to find the
//!   counterexample.
//! - A proof that does not use the reductions which were made.
//! - Undecided programs, for more time may help; and what `--method classic`
//!   says, which is asked for the sake of its work.
//!
//! An entry is a file of two parts: a line with the form, the version, the build
//! and the checksum of the rest; the certificate. The checksum is there for
//! accidents. An entry is written to a temporary name and renamed, so several
//! processes may use the same directory.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serval::{Content, Input, Method, fingerprint};

use crate::input;
use crate::limits::visibly;
use crate::output::{FileAudience, replace, say};

/// The first word of every entry, with the version of the form.
const FORM: &str = "serval-verdict-2";
/// How entries end.
const ENDING: &str = "verdict";
/// More than this is not remembered, nor read.
const LARGEST_ENTRY: u64 = 8 << 20;
/// When the entries together are larger than this, the oldest go.
const LARGEST_CACHE: u64 = 64 << 20;
/// Temporary files older than this belong to no running process.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Tells backup programs that nothing here is worth keeping.
const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n# This directory was made by serval. See https://bford.info/cachedir/\n";

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
        let kind = match input.content() {
            Content::Program(_) => "program",
            Content::Systems(_) => "systems",
        };
        let methods: Vec<&str> = methods.iter().map(|method| method.name()).collect();
        fingerprint(&format!("{FORM} {} {} {kind} {}\n{}", env!("CARGO_PKG_VERSION"), self.build, methods.join(","), input.text()))
    }

    /// The certificate of this name, if there is one that can be read. Nothing is
    /// known about it.
    pub(super) fn recall(&self, name: &str) -> Option<String> {
        let path = self.path(name);
        let usable = |known: fs::Metadata| known.is_file() && known.len() <= LARGEST_ENTRY;
        // Before it is opened, which waits where it is a pipe; and after, as it
        // may have become another one.
        fs::symlink_metadata(&path).ok().filter(|known| usable(known.clone()))?;
        let file = File::open(path).ok()?;
        file.metadata().ok().filter(|known| usable(known.clone()))?;
        let mut text = String::new();
        let read = file.take(LARGEST_ENTRY + 1).read_to_string(&mut text).ok()?;
        if u64::try_from(read).is_ok_and(|read| read <= LARGEST_ENTRY) { self.read(&text) } else { None }
    }

    /// Remembers a certificate. Says so, once, where that is not possible.
    pub(super) fn remember(&self, name: &str, certificate: &str) {
        let text = self.written(certificate);
        if u64::try_from(text.len()).is_ok_and(|size| size > LARGEST_ENTRY) {
            return;
        }
        if let Err(error) = visibly(|| self.write(name, &text))
            && !self.told.swap(true, Ordering::Relaxed)
            && !self.quiet
        {
            let directory = input::shown(&self.directory);
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

    fn written(&self, certificate: &str) -> String {
        format!("{} {}\n{certificate}", self.heading(), fingerprint(certificate))
    }

    fn read(&self, text: &str) -> Option<String> {
        let (heading, certificate) = text.split_once('\n')?;
        (heading == format!("{} {}", self.heading(), fingerprint(certificate))).then(|| certificate.to_owned())
    }

    fn write(&self, name: &str, text: &str) -> io::Result<()> {
        if !self.directory.is_dir() {
            fs::create_dir_all(&self.directory)?;
            // Best effort: nothing depends on it.
            let _ = fs::write(self.directory.join("CACHEDIR.TAG"), TAG);
        }
        // What is lost when the machine stops is found again.
        let written = replace(&self.path(name), text.as_bytes(), FileAudience::Everyone, |_| Ok(()));
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
    Some(fingerprint(&format!("{} {} {}", input::name_of(&path), known.len(), written.as_nanos())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(name: &str) -> Cache {
        let directory = std::env::temp_dir().join(format!("serval-cache-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        Cache { directory, build: "b".to_owned(), quiet: true, told: AtomicBool::new(false) }
    }

    const CERTIFICATE: &str = "{\n}\n";

    #[test]
    fn what_is_remembered_is_recalled() {
        let cache = cache("recall");
        assert_eq!(cache.recall("a"), None);
        cache.remember("a", CERTIFICATE);
        assert_eq!(cache.recall("a").as_deref(), Some(CERTIFICATE));
        assert_eq!(cache.recall("b"), None);
        let other = Cache { build: "c".to_owned(), ..cache };
        assert_eq!(other.recall("a"), None, "another build");
        fs::remove_dir_all(other.directory).unwrap();
    }

    #[test]
    fn every_change_of_a_byte_is_noticed() {
        let cache = cache("bytes");
        let text = cache.written(CERTIFICATE);
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
