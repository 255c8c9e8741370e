//! The results of a campaign, a line of JSON for each kind, and how several of them are taken together.

use serde::{Deserialize, Serialize};

use crate::{Merge, Tally};

/// What one kind has seen, of these seeds: the first, and the one behind the last.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SummaryPart {
    /// The kind of comparison, or `sizes`.
    pub kind: String,
    /// First seeds, and those behind the last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seeds: Vec<[u64; 2]>,
    /// By the clock.
    pub seconds: u64,
    /// How often what was seen.
    #[serde(default, skip_serializing_if = "Tally::is_empty")]
    pub counts: Tally,
    /// Times of single programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<Size>,
}

/// How long a program took, and what was said of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Which one.
    pub program: String,
    /// By the clock.
    pub ms: u64,
    /// On a core, where the system tells: on a machine that others use too the clock says little.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_ms: Option<u64>,
    /// The answers, in words.
    pub said: String,
}

impl SummaryPart {
    /// As one line.
    pub fn line(&self) -> String {
        // Strings, numbers and structures of them always have a JSON form.
        serde_json::to_string(self).unwrap_or_default()
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.seeds.is_empty() || self.seeds.iter().any(|one| other.seeds.iter().any(|two| one[0] < two[1] && two[0] < one[1]))
    }

    fn add(&mut self, other: Self) {
        self.seconds += other.seconds;
        self.counts.absorb(other.counts);
        self.seeds.extend(other.seeds);
        self.seeds.sort_unstable();
        let mut joined: Vec<[u64; 2]> = Vec::new();
        for range in std::mem::take(&mut self.seeds) {
            match joined.last_mut() {
                Some(last) if last[1] == range[0] => last[1] = range[1],
                _ => joined.push(range),
            }
        }
        self.seeds = joined;
    }
}

/// Adds up lines of one kind with other seeds; one that has seeds of an earlier one was made anew, and takes its place.
pub fn joined(text: &str) -> Result<Vec<SummaryPart>, serde_json::Error> {
    let mut parts: Vec<SummaryPart> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let part: SummaryPart = serde_json::from_str(line)?;
        match parts.iter_mut().find(|known| known.kind == part.kind) {
            Some(known) if known.overlaps(&part) => *known = part,
            Some(known) => known.add(part),
            None => parts.push(part),
        }
    }
    Ok(parts)
}
