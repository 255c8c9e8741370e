//! Parts of a measurement put together again.
//!
//! `serval bench --shard K/N` runs every N-th file, beginning with the K-th; so
//! the rows of all parts, taken in turns, are those of one run, in its order.

use std::fmt;

use super::{BenchReport, BenchRow};

/// Why parts do not make a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeError {
    /// This file is not what `serval bench --format json` writes.
    Unreadable(String, String),
    /// This file does not say which part it is.
    NoShard(String),
    /// The file is one of another number of parts than the files before it.
    OtherNumber(String, usize, usize),
    /// Two files are the same part.
    Twice(usize),
    /// This part is missing.
    Missing(usize, usize),
    /// The parts were made by different versions.
    Versions(String, String),
    /// This part has another number of rows than it must have beside the others.
    Rows(usize),
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(file, why) => write!(f, "{file} is not what `serval bench --format json` writes: {why}"),
            Self::NoShard(file) => write!(f, "{file} was made without --shard: there is nothing to merge"),
            Self::OtherNumber(file, one, other) => write!(f, "{file} is one of {one} parts, the others are of {other}"),
            Self::Twice(number) => write!(f, "part {number} is given twice"),
            Self::Missing(number, of) => write!(f, "part {number} of {of} is missing"),
            Self::Versions(one, other) => write!(f, "one part was made by serval {one}, another by {other}"),
            Self::Rows(number) => write!(f, "part {number} does not fit the others: was it interrupted, or were there other files?"),
        }
    }
}

impl std::error::Error for MergeError {}

/// The measurement that parts, each by name and text, come from.
pub fn merged(files: &[(String, String)]) -> Result<BenchReport, MergeError> {
    let mut peak = None;
    let mut parts: Vec<MeasurementPart<BenchRow>> = Vec::new();
    for (file, text) in files {
        let part: BenchReport = serde_json::from_str(text).map_err(|error| MergeError::Unreadable(file.clone(), error.to_string()))?;
        peak = peak.max(part.summary.peak_mib);
        parts.push(MeasurementPart { file: file.clone(), version: part.version, shard: part.shard, rows: part.rows });
    }
    let (version, rows) = together(parts)?;
    Ok(BenchReport::new(version, rows, peak))
}

/// A part of a measurement.
pub(super) struct MeasurementPart<R> {
    /// The name of its file.
    pub(super) file: String,
    /// The version that made it.
    pub(super) version: String,
    /// Which part it is, from 1, and of how many.
    pub(super) shard: Option<[usize; 2]>,
    /// Its rows.
    pub(super) rows: Vec<R>,
}

/// The version that made all parts, and all their rows in the order of one run.
pub(super) fn together<R: Clone>(given: Vec<MeasurementPart<R>>) -> Result<(String, Vec<R>), MergeError> {
    let mut parts: Vec<Option<Vec<R>>> = Vec::new();
    let mut version = None::<String>;
    for part in given {
        let MeasurementPart { file, shard, .. } = &part;
        let [number, of] = shard.filter(|[number, of]| (1..=*of).contains(number)).ok_or_else(|| MergeError::NoShard(file.clone()))?;
        if parts.is_empty() {
            parts.resize(of, None);
        }
        if parts.len() != of {
            return Err(MergeError::OtherNumber(file.clone(), of, parts.len()));
        }
        match &version {
            Some(known) if *known != part.version => return Err(MergeError::Versions(known.clone(), part.version)),
            _ => version = Some(part.version),
        }
        if parts[number - 1].replace(part.rows).is_some() {
            return Err(MergeError::Twice(number));
        }
    }
    let of = parts.len();
    let missing = |number: usize| MergeError::Missing(number + 1, of);
    let parts = parts.into_iter().enumerate().map(|(number, part)| part.ok_or_else(|| missing(number))).collect::<Result<Vec<_>, _>>()?;
    let all: usize = parts.iter().map(Vec::len).sum();
    // The first parts have one row more where the number of rows is no multiple.
    let due = |number: usize| all / of.max(1) + usize::from(number < all % of.max(1));
    if let Some(number) = parts.iter().enumerate().position(|(number, part)| part.len() != due(number)) {
        return Err(MergeError::Rows(number + 1));
    }
    let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
    let rows = (0..all).filter_map(|row| parts[row % of].next()).collect();
    Ok((version.unwrap_or_default(), rows))
}
