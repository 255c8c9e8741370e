//! Runs of nets as files.

use serde::{Deserialize, Serialize};

use super::NetRun;
use crate::escape::json;

/// What the file says that it is.
const FORMAT: &str = "serval-net-trace";
const VERSION: u32 = 1;

/// A run of a net, by the names of its transitions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetTrace {
    format: String,
    version: u32,
    /// What fires, in order.
    pub steps: Vec<TraceStep>,
}

/// A transition, or a word that fires some times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TraceStep {
    /// A transition.
    Fire(String),
    /// These transitions one after the other, repeated.
    Repeat {
        /// How often.
        times: u64,
        /// What fires.
        fire: Vec<String>,
    },
}

impl NetTrace {
    /// The trace of a run.
    pub fn new(run: &NetRun) -> Self {
        let steps = run.steps.iter().map(|step| match (&step.fire[..], step.times) {
            ([transition], 1) => TraceStep::Fire(transition.clone()),
            _ => TraceStep::Repeat { times: step.times, fire: step.fire.clone() },
        });
        Self { format: FORMAT.to_owned(), version: VERSION, steps: steps.collect() }
    }

    /// The trace in which these transitions fire one by one.
    pub fn of_transitions(names: impl IntoIterator<Item = String>) -> Self {
        Self { format: FORMAT.to_owned(), version: VERSION, steps: names.into_iter().map(TraceStep::Fire).collect() }
    }

    /// The text of the file.
    pub fn to_json(&self) -> String {
        // Only maps with keys that are not strings could fail.
        let mut text = json(serde_json::to_string_pretty(self).unwrap_or_default());
        text.push('\n');
        text
    }

    /// Reads a file; what is wrong with it, in one line.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let trace: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if trace.format != FORMAT || trace.version != VERSION {
            return Err(format!("expected the format “{FORMAT}” in version {VERSION}"));
        }
        Ok(trace)
    }
}
