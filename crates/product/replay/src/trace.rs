//! Schedules as files: `docs/sql-trace.schema.json` describes them. Sessions and steps are numbered from 1.

use serde::{Deserialize, Serialize};
use serval_evidence::line;

use crate::answer::{ServerAnswer, SqlError, SqlRow, SqlTable};
use crate::schedule::{AwaitedWait, ScheduleStep, SqlSchedule};

/// The longest file that is read.
pub const MOST_TRACE_BYTES: usize = 16 << 20;

/// A schedule, and the workload that it is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlTrace {
    /// The fingerprint of the workload, where the file has one.
    pub workload: Option<String>,
    /// What is to be performed.
    pub schedule: SqlSchedule,
}

/// The name of the format.
const FORMAT: &str = "serval-sql-trace";
/// Its version.
const VERSION: u64 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TraceFile {
    format: String,
    version: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    workload: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    schemas: Vec<String>,
    setup: Vec<String>,
    sessions: Vec<String>,
    steps: Vec<StepInFile>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepInFile {
    session: usize,
    statement: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    waits: Option<WaitInFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gives: Option<AnswerInFile>,
}

/// A wait, as files have it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WaitInFile {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    by: Vec<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until: Option<usize>,
}

/// An answer, as files have it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
pub(crate) enum AnswerInFile {
    Rows(Vec<SqlRow>),
    Command(String),
    Error(String),
}

impl From<&ServerAnswer> for AnswerInFile {
    fn from(answer: &ServerAnswer) -> Self {
        match answer {
            ServerAnswer::Rows(table) => Self::Rows(table.rows.clone()),
            ServerAnswer::Command(tag) => Self::Command(tag.clone()),
            ServerAnswer::Error(error) => Self::Error(error.state.clone()),
        }
    }
}

impl From<AnswerInFile> for ServerAnswer {
    fn from(answer: AnswerInFile) -> Self {
        match answer {
            AnswerInFile::Rows(rows) => Self::Rows(SqlTable { columns: Vec::new(), rows }),
            AnswerInFile::Command(tag) => Self::Command(tag),
            AnswerInFile::Error(state) => Self::Error(SqlError { state, message: String::new() }),
        }
    }
}

impl From<&AwaitedWait> for WaitInFile {
    fn from(wait: &AwaitedWait) -> Self {
        Self { by: wait.by.iter().map(|session| session + 1).collect(), until: wait.until.map(|step| step + 1) }
    }
}

/// A number from 1 as one from 0; what is 0 becomes a number that nothing has, and is refused where it is used.
fn from_one(number: usize) -> usize {
    number.wrapping_sub(1)
}

/// Reads a trace, and looks whether it can be performed.
///
/// # Errors
///
/// What is wrong with it, with its place where it has one.
pub fn read_trace(text: &str) -> Result<SqlTrace, String> {
    let file: TraceFile = serval_evidence::read(text).map_err(|error| error.to_string())?;
    if file.format != FORMAT {
        return Err(format!("the format is {:?}, not {FORMAT:?}", file.format));
    }
    if file.version != VERSION {
        return Err(format!("this is version {} of the format; this program reads version {VERSION}", file.version));
    }
    let step = |step: StepInFile| ScheduleStep {
        session: from_one(step.session),
        statement: step.statement,
        wait: step.waits.map(|wait| AwaitedWait { by: wait.by.into_iter().map(from_one).collect(), until: wait.until.map(from_one) }),
        answer: step.gives.map(ServerAnswer::from),
    };
    let steps = file.steps.into_iter().map(step).collect();
    let schedule = SqlSchedule { schemas: file.schemas, setup: file.setup, sessions: file.sessions, steps };
    schedule.statements()?;
    Ok(SqlTrace { workload: file.workload, schedule })
}

/// A trace as a file, a step on each line.
pub fn trace_text(trace: &SqlTrace) -> String {
    let SqlSchedule { schemas, setup, sessions, steps } = &trace.schedule;
    let step = |step: &ScheduleStep| StepInFile {
        session: step.session + 1,
        statement: step.statement.clone(),
        waits: step.wait.as_ref().map(WaitInFile::from),
        gives: step.answer.as_ref().map(AnswerInFile::from),
    };
    let list = |values: Vec<String>| format!("[\n    {}\n  ]", values.join(",\n    "));
    let workload = trace.workload.as_ref().map_or_else(String::new, |name| format!("  \"workload\": {},\n", line(name)));
    let schemas = if schemas.is_empty() { String::new() } else { format!("  \"schemas\": {},\n", line(schemas)) };
    format!(
        "{{\n  \"format\": \"{FORMAT}\",\n  \"version\": {VERSION},\n{workload}{schemas}  \"setup\": {},\n  \"sessions\": {},\n  \"steps\": {}\n}}\n",
        list(setup.iter().map(line).collect()),
        line(sessions),
        list(steps.iter().map(|one| line(&step(one))).collect())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(steps: &str) -> String {
        format!("{{\"format\": \"serval-sql-trace\", \"version\": 1, \"setup\": [], \"sessions\": [\"a\", \"b\"], \"steps\": [{steps}]}}")
    }

    #[test]
    fn what_is_written_is_read() {
        let steps = r#"{"session": 1, "statement": "select 1", "waits": {"by": [2], "until": 2}, "gives": {"rows": [["1", null]]}},
            {"session": 2, "statement": "commit", "gives": {"command": "commit"}},
            {"session": 2, "statement": "commit", "waits": {}, "gives": {"error": "40001"}}"#;
        let mut trace = read_trace(&text(steps)).unwrap();
        assert_eq!(trace.schedule.steps[0].wait, Some(AwaitedWait { by: vec![1], until: Some(1) }));
        assert_eq!(read_trace(&trace_text(&trace)), Ok(trace.clone()));
        trace.workload = Some("abc".to_owned());
        trace.schedule.schemas = vec!["public".to_owned()];
        trace.schedule.setup = vec!["create table t (a int)".to_owned()];
        assert_eq!(read_trace(&trace_text(&trace)), Ok(trace));
    }

    #[test]
    fn what_cannot_be_performed_is_refused() {
        for (steps, why) in [
            (r#"{"session": 3, "statement": "select 1"}"#, "step 1 is not performed: there is no session 3"),
            (r#"{"session": 0, "statement": "select 1"}"#, "there is no session"),
            (r#"{"session": 1, "statement": "select 1", "waits": {"until": 1}}"#, "waits for what is not there"),
            (r#"{"session": 1, "statement": "select 1", "waits": {"by": [1]}}"#, "waits for what is not there"),
            (r#"{"session": 1, "statement": "select 1", "waits": {"by": [0]}}"#, "waits for what is not there"),
            (r#"{"session": 1, "statement": "drop table t"}"#, "does not issue DROP TABLE"),
            (r#"{"session": 1, "statement": "select 1 \\! date"}"#, "backslash"),
            (r#"{"session": 1}"#, "missing field"),
            (r#"{"session": 1, "statement": "select 1", "more": 1}"#, "unknown field"),
            (r#"{"session": 1, "statement": "select 1", "gives": {"rows": [[1]]}}"#, "invalid type"),
        ] {
            let refused = read_trace(&text(steps)).unwrap_err();
            assert!(refused.contains(why), "{steps}: {refused}");
        }
        let refused = read_trace(&text("").replace("\"version\": 1", "\"version\": 2")).unwrap_err();
        assert!(refused.contains("version 2"), "{refused}");
        assert!(read_trace("[").is_err() && read_trace("").is_err());
    }
}
