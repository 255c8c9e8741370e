//! Where evidence and runs are kept.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serval::nets::Certificate;

use crate::failure::Failure;
use crate::input::{name_of, shown};
use crate::limits::{Deadline, is_interrupted};
use crate::output::{write_file, write_file_by};

/// How long the name of a file is at most, without its ending.
const LONGEST_NAME: usize = 80;
/// Bytes that are written at once, after a look at the clock.
const PIECE: usize = 1 << 18;

/// Where evidence and runs are kept.
pub(super) struct Saving {
    certificates: Option<PathBuf>,
    traces: Option<PathBuf>,
    taken: BTreeSet<String>,
}

/// What became of a certificate.
pub(super) enum Kept {
    /// It is in this file.
    At(String),
    /// None are kept.
    Nowhere,
    /// It was not written before the time was over, and no part of it is there.
    OutOfTime,
}

impl Saving {
    pub(super) fn new(certificates: Option<&Path>, traces: &[PathBuf]) -> Result<Self, Failure> {
        let traces: Vec<&PathBuf> = traces.iter().filter(|path| *path != Path::new("all")).collect();
        if traces.len() > 1 {
            return Err(Failure::message("--trace names two directories"));
        }
        let traces = traces.first().map(|path| (*path).clone());
        Ok(Self { certificates: certificates.map(Path::to_path_buf), traces, taken: BTreeSet::new() })
    }

    /// A name for the files of a question, which no other question has.
    pub(super) fn slug(&mut self, question: &str) -> String {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' };
        let base: String = question.chars().take(LONGEST_NAME).map(plain).collect();
        let base = base.split('_').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_");
        let base = if base.is_empty() { "question".to_owned() } else { base };
        let mut slug = base.clone();
        let mut number = 2;
        while !self.taken.insert(slug.to_ascii_lowercase()) {
            slug = format!("{base}-{number}");
            number += 1;
        }
        slug
    }

    /// Keeps a certificate, which may be long and is written piece by piece.
    pub(super) fn certificate(&self, slug: &str, certificate: &Certificate, until: &Deadline) -> Result<Kept, Failure> {
        let Some(directory) = self.certificates.as_deref() else { return Ok(Kept::Nowhere) };
        let path = place(directory, slug, "certificate")?;
        let write = |file: &mut File| {
            let mut pieces = BufWriter::with_capacity(PIECE, Pieces { file, until });
            certificate.write_json(&mut pieces)?;
            pieces.flush()
        };
        match write_file_by(&path, write) {
            Err(_) if is_interrupted() => Err(Failure::Interrupted),
            Err(_) if until.is_over() => Ok(Kept::OutOfTime),
            written => written.map(|()| Kept::At(name_of(&path))),
        }
    }

    /// Keeps a run.
    pub(super) fn trace(&self, slug: &str, text: Option<&str>) -> Result<Option<String>, Failure> {
        let (Some(directory), Some(text)) = (self.traces.as_deref(), text) else { return Ok(None) };
        let path = place(directory, slug, "trace")?;
        write_file(&path, text)?;
        Ok(Some(name_of(&path)))
    }
}

fn place(directory: &Path, slug: &str, what: &str) -> Result<PathBuf, Failure> {
    std::fs::create_dir_all(directory).map_err(|error| Failure::message(format!("cannot make {}: {error}", shown(directory))))?;
    Ok(directory.join(format!("{slug}.{what}.json")))
}

/// A file that is written until the time is over or the user has interrupted.
struct Pieces<'a> {
    file: &'a mut File,
    until: &'a Deadline,
}

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if is_interrupted() || self.until.is_over() {
            return Err(io::Error::other("it is not written to its end"));
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serval::nets::{NetInput, NetKind, NetOptions, decide_net};

    use super::*;
    use crate::limits::Time;

    /// No part of a certificate stays that is not written in time.
    #[test]
    fn what_is_not_written_in_time_is_not_there() {
        let input = NetInput::read("pl a (1)\ntr t a -> b\n", NetKind::Tina).unwrap();
        let decision = decide_net(&input, &input.question("one-safe").unwrap(), &NetOptions::default());
        let certificate = decision.certificate.unwrap();
        let directory = std::env::temp_dir().join(format!("serval-saving-{}", std::process::id()));
        let saving = Saving::new(Some(&directory), &[]).ok().unwrap();
        let files = || std::fs::read_dir(&directory).unwrap().count();
        let over = Deadline::over(Time::from(Duration::ZERO));
        assert!(matches!(saving.certificate("one-safe", &certificate, &over), Ok(Kept::OutOfTime)));
        assert_eq!(files(), 0);
        let Ok(Kept::At(_)) = saving.certificate("one-safe", &certificate, &Time::from(Duration::MAX).end()) else { panic!("not written") };
        let text = std::fs::read_to_string(directory.join("one-safe.certificate.json")).unwrap();
        assert_eq!((files(), text), (1, certificate.to_json()));
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
