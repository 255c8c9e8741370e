//! Runs as JSON, in the form of the `steps` of a counterexample.
//!
//! ```json
//! {"schema": 1, "steps": [
//!   {"id": 1, "kind": "spawn", "request": "main", "local": "main@start"},
//!   {"id": 1, "kind": "step", "from": {"local": "main@start", "global": "X=0"},
//!    "to": {"local": "main@end 0", "global": "X=1"}},
//!   {"id": 1, "kind": "respond", "local": "main@end 0", "response": "0"}]}
//! ```
//!
//! States are named as in `serval export --to ns`. Where a program has several
//! components, every event says which one it belongs to.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::escape::json;

/// A run in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// The version of this format.
    pub schema: u32,
    /// What happens, in order.
    pub steps: Vec<TraceEvent>,
}

/// A local and a global state by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateName {
    /// The local state of the request.
    pub local: String,
    /// The global state.
    pub global: String,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum TraceEvent {
    /// A request comes.
    Spawn {
        /// Its number, from 1.
        id: u32,
        /// Its component, where there are several.
        #[serde(default, skip_serializing_if = "is_zero")]
        component: usize,
        /// Its name; may be left out where the local state tells.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
        /// Where it starts.
        local: String,
    },
    /// A request makes a step.
    Step {
        /// Its number.
        id: u32,
        /// Its component, where there are several.
        #[serde(default, skip_serializing_if = "is_zero")]
        component: usize,
        /// The states before.
        from: StateName,
        /// The states after.
        to: StateName,
        /// The text that runs: first line and column, last line and column.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        span: Option<[u32; 4]>,
        /// What it reads and writes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        accesses: Option<Vec<TraceAccess>>,
    },
    /// A request answers.
    Respond {
        /// Its number.
        id: u32,
        /// Its component, where there are several.
        #[serde(default, skip_serializing_if = "is_zero")]
        component: usize,
        /// Where it was.
        local: String,
        /// The answer.
        response: String,
        /// What it is called, where it is a member of an `enum`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
}

/// A read or write of a global variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceAccess {
    /// The variable.
    pub var: String,
    /// `read` or `write`.
    pub op: String,
    /// The value.
    pub value: i64,
    /// What the value is called, where it is a member of an `enum`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where in the text.
    pub span: [u32; 4],
}

impl TraceAccess {
    /// The value as people see it.
    pub fn shown_value(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.value.to_string())
    }
}

fn is_zero(component: &usize) -> bool {
    *component == 0
}

/// A text that is no trace.
#[derive(Debug)]
pub struct TraceError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// The version written and read.
const SCHEMA: u32 = 1;

impl Trace {
    /// A trace of these events.
    pub fn new(steps: Vec<TraceEvent>) -> Self {
        Self { schema: SCHEMA, steps }
    }

    /// Reads a trace.
    pub fn from_json(text: &str) -> Result<Self, TraceError> {
        let trace: Self = serde_json::from_str(text).map_err(|error| TraceError {
            line: error.line(),
            column: error.column(),
            message: error.to_string().split(" at line ").next().unwrap_or_default().to_owned(),
        })?;
        if trace.schema != SCHEMA {
            let message = format!("this is version {} of the format; this program reads version {SCHEMA}", trace.schema);
            return Err(TraceError { line: 1, column: 1, message });
        }
        Ok(trace)
    }

    /// Writes a trace, an event per line.
    pub fn to_json(&self) -> String {
        let events: Vec<String> = self.steps.iter().filter_map(|event| serde_json::to_string(event).ok()).collect();
        let mut out = format!("{{\"schema\": {}, \"steps\": [", self.schema);
        for (position, event) in events.iter().enumerate() {
            out.push_str(if position == 0 { "\n  " } else { ",\n  " });
            out.push_str(event);
        }
        out.push_str("]}\n");
        json(out)
    }
}
