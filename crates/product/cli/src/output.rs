//! Files and the terminal.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use clap::ValueEnum;
use serval_report::{Look, Style};

use crate::failure::Failure;
use crate::limits::visibly;
use crate::names::shown;

/// When colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    Auto,
    Always,
    Never,
}

/// How a file was written.
#[must_use]
pub(crate) struct Written {
    /// Where the name is a link: the file that it leads to, which was written.
    through: Option<PathBuf>,
    /// Whether the file has another owner or group now, as the system does not
    /// let us keep it.
    given_away: bool,
}

impl Written {
    /// What there is to say about it, after the name of the file.
    pub(crate) fn words(&self) -> String {
        let through = self.through.as_deref().map_or_else(String::new, |real| format!(", through the link to {}", shown(real)));
        format!("{through}{}", if self.given_away { "; its owner or group could not be kept" } else { "" })
    }
}

/// Writes a file as a whole, whether it is there or not. What is no ordinary
/// file, such as a device or a pipe, is written as it is: a file must not take
/// its place. Otherwise as [`rewrite_file`].
pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    write_file_by(path, |file| file.write_all(text.as_bytes()))
}

/// The same for what is written piece by piece.
pub(crate) fn write_file_by(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), Failure> {
    match fs::metadata(path) {
        Ok(known) if !known.is_file() && !known.is_dir() => {
            let written = visibly(|| fs::OpenOptions::new().write(true).open(path).and_then(|mut file| write(&mut file)));
            written.map_err(|error| cannot_write(path, error))
        }
        Ok(_) => rewrite_file_by(path, write).map(|_| ()),
        Err(_) if path.is_symlink() => Err(cannot_write(path, "it is a link that leads nowhere")),
        Err(_) => visibly(|| replace_by(path, write, FileAudience::Everyone, File::sync_all)).map_err(|error| cannot_write(path, error)),
    }
}

/// Writes a file that is there already, as a whole: to a temporary name in the
/// same directory, then renamed, so that no reader ever sees a part of it, and
/// nothing is lost where writing fails. Mode and owner stay. Where the name is
/// a link, the file that it leads to is written, and the link stays; the result
/// tells. A file that is read-only, or that we may not write, is left alone,
/// although a new one could take its place.
pub(crate) fn rewrite_file(path: &Path, text: &str) -> Result<Written, Failure> {
    rewrite_file_by(path, |file| file.write_all(text.as_bytes()))
}

fn rewrite_file_by(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<Written, Failure> {
    let fail = |error: io::Error| cannot_write(path, error);
    let through = if path.is_symlink() { Some(fs::canonicalize(path).map_err(fail)?) } else { None };
    let real = through.as_deref().unwrap_or(path);
    let known = fs::metadata(real).map_err(fail)?;
    if known.is_file() && known.permissions().readonly() {
        return Err(cannot_write(path, "it is read-only"));
    }
    // To open a pipe would be to wait for its reader.
    if !known.is_file() && !known.is_dir() {
        return Err(cannot_write(path, "it is no ordinary file"));
    }
    // Opened as it would be to write into it, but not cut off.
    fs::OpenOptions::new().write(true).open(real).map_err(fail)?;
    let mut given_away = false;
    let finish = |file: &File| {
        given_away = !keep_owner_and_mode(file, &known)?;
        file.sync_all()
    };
    visibly(|| replace_by(real, write, FileAudience::Owner, finish)).map_err(fail)?;
    Ok(Written { through, given_away })
}

fn cannot_write(path: &Path, why: impl std::fmt::Display) -> Failure {
    Failure::message(format!("cannot write {}: {why}", shown(path)))
}

/// Who may read a file that is being written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileAudience {
    /// Every user who may read other new files.
    Everyone,
    /// Only its owner.
    Owner,
}

/// Puts a new file in the place of whatever has this name, a link or a pipe
/// included. `finish` is done to it before it gets the name; if anything fails,
/// nothing has happened.
pub(crate) fn replace(path: &Path, bytes: &[u8], reader: FileAudience, finish: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    replace_by(path, |file| file.write_all(bytes), reader, finish)
}

fn replace_by(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
    reader: FileAudience,
    finish: impl FnOnce(&File) -> io::Result<()>,
) -> io::Result<()> {
    let (temporary, mut file) = temporary_beside(path, reader)?;
    let written = write(&mut file).and_then(|()| finish(&file)).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // Best effort: the error that matters is the first one.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// A new file in the directory of another. Its name does not depend on the other
/// one's, which may be as long as names can be.
fn temporary_beside(path: &Path, reader: FileAudience) -> io::Result<(PathBuf, File)> {
    /// How many names to try: files of these names may have been left, or put there.
    const MOST_TRIES: u32 = 100;
    static NEXT: AtomicU32 = AtomicU32::new(0);
    if path.file_name().is_none() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file name"));
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if reader == FileAudience::Owner {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = reader;
    let mut tries = 0;
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let temporary = path.with_file_name(format!(".serval.{}.{number}.tmp", std::process::id()));
        match options.open(&temporary) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < MOST_TRIES => tries += 1,
            opened => return opened.map(|file| (temporary, file)),
        }
    }
}

/// Gives a new file the owner and the mode of the one that it replaces. Whether
/// that was possible: who is not root cannot give files away, and then no user
/// may do more with the new file than with the old one.
#[cfg(unix)]
fn keep_owner_and_mode(file: &File, known: &fs::Metadata) -> io::Result<bool> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let new = file.metadata()?;
    let owner = new.uid() == known.uid() || fchown(file, Some(known.uid()), None).is_ok();
    let group = new.gid() == known.gid() || fchown(file, None, Some(known.gid())).is_ok();
    let mode = known.permissions().mode() & 0o7777;
    let mode = if owner { mode } else { mode & 0o3777 };
    // To those of another group it is as to all others.
    let mode = if group { mode } else { mode & 0o5707 | (mode & 0o007) << 3 };
    file.set_permissions(fs::Permissions::from_mode(mode))?;
    Ok(owner && group)
}

#[cfg(not(unix))]
fn keep_owner_and_mode(file: &File, known: &fs::Metadata) -> io::Result<bool> {
    file.set_permissions(known.permissions())?;
    Ok(true)
}

/// Refuses to write over what is read.
pub(crate) fn keep_input(input: &Path, output: Option<&Path>) -> Result<(), Failure> {
    let same = |output: &Path| matches!((fs::canonicalize(input), fs::canonicalize(output)), (Ok(one), Ok(other)) if one == other);
    match output.filter(|output| same(output)) {
        Some(output) => Err(Failure::message(format!("{} is the input and would be overwritten; name another file", shown(output)))),
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
    if has_colours(colour, io::stderr().is_terminal()) { Style::Colour } else { Style::Plain }
}

/// Whether there are colours, on a terminal or elsewhere.
fn has_colours(colour: Colour, terminal: bool) -> bool {
    match colour {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => {
            let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
            terminal && !dumb && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    }
}

/// How reports look: as wide as `COLUMNS` says, else as the terminal is;
/// elsewhere sentences are not broken.
pub(crate) fn look(colour: Colour) -> Look {
    let terminal = io::stdout().is_terminal();
    let asked = std::env::var("COLUMNS").ok().and_then(|text| text.parse::<usize>().ok()).filter(|&width| width >= 20);
    let has = || terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0)).filter(|&width| width >= 20);
    let width = asked.or_else(has);
    // As programs in C do: the first of these that is set decides.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().filter_map(|name| std::env::var(name).ok()).find(|value| !value.is_empty());
    let ascii = locale.is_some_and(|value| {
        let value = value.to_ascii_lowercase();
        value == "c" || value == "posix" || value.contains('.') && !value.contains("utf")
    });
    Look { width: width.unwrap_or(Look::default().width), wrap: width.is_some(), ascii, colour: has_colours(colour, terminal) }
}

/// Says something that is not the result.
pub(crate) fn say(text: &str) {
    // If standard error is closed there is no reader.
    let _ = visibly(|| io::stderr().lock().write_all(text.as_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_leaves_the_file_as_it_was_and_nothing_beside_it() {
        let place = std::env::temp_dir().join(format!("serval-output-{}", std::process::id()));
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(&place).unwrap();
        // As long as names can be.
        let path = place.join("n".repeat(255));
        fs::write(&path, "old").unwrap();
        let full = |_: &File| Err(io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!(replace(&path, b"new", FileAudience::Owner, full).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), fs::read_dir(&place).unwrap().count()), ("old", 1));
        let _ = rewrite_file(&path, "new").ok().unwrap();
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), fs::read_dir(&place).unwrap().count()), ("new", 1));
        fs::remove_dir_all(&place).unwrap();
    }
}
