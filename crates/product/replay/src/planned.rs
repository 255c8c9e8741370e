//! The statements of a run with their values, without a server.
//!
//! A run says what each request gets. What its statements give follows from that where the script answers all that it
//! reads. How many rows a statement touches, and which one fails, is tried: only what leaves one list of statements is
//! taken.

use serval_budget::checkpoint;
use serval_sql::Answered;

use crate::address::ServerFailure;
use crate::answer::{ServerAnswer, SqlError, SqlTable};
use crate::client::{ClientState, ClientStep, ScriptSession};
use crate::follow::{PerformsRun, Plan, RunToFollow};

/// How many rows a statement is supposed to touch at most.
const MOST_ROWS: usize = 3;
/// How many answers are tried for a session.
const MOST_TRIED: usize = 20_000;

/// A run as statements in an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedRun {
    /// Statements that make the tables.
    pub setup: Vec<String>,
    /// The requests, one for each session.
    pub sessions: Vec<String>,
    /// Which session issues what, in order.
    pub steps: Vec<(usize, String)>,
}

/// The statements of a run.
///
/// # Errors
///
/// What the run does not say.
pub fn planned(wanted: RunToFollow<'_>) -> Result<PlannedRun, String> {
    let plan = Plan::new(wanted)?;
    let mut lists = Vec::new();
    for ((session, expected), name) in plan.sessions.iter().zip(&plan.expected).zip(&plan.names) {
        lists.push(listed(session, expected).map_err(|why| format!("{name}: {why}"))?);
    }
    let mut listed = Listed { at: vec![0; lists.len()], lists, steps: Vec::new() };
    plan.follow(&mut listed).map_err(|failure| failure.to_string())?;
    for session in 0..plan.sessions.len() {
        while let Some((text, place, _)) = listed.next(session) {
            listed.perform(session, &text, place).map_err(|failure| failure.to_string())?;
        }
    }
    Ok(PlannedRun { setup: plan.setup.clone(), sessions: plan.names.clone(), steps: listed.steps })
}

/// Statements that are known, session by session.
struct Listed {
    lists: Vec<Vec<ClientStep>>,
    at: Vec<usize>,
    steps: Vec<(usize, String)>,
}

impl PerformsRun for Listed {
    fn next(&self, session: usize) -> Option<(String, Option<u32>, bool)> {
        let step = self.lists[session].get(self.at[session])?;
        Some((step.statement.clone(), Some(step.place), step.begins))
    }

    fn perform(&mut self, session: usize, text: &str, _: Option<u32>) -> Result<(), ServerFailure> {
        self.at[session] += 1;
        self.steps.push((session, text.to_owned()));
        Ok(())
    }
}

/// What a session issues, if it gets this in the end.
fn listed(session: &ScriptSession<'_>, expected: &Answered) -> Result<Vec<ClientStep>, String> {
    let script = session.script();
    if script.answer.is_some() && !script.variables.is_empty() {
        return Err("the script says itself what it answers, so that the run does not have the values that it reads".to_owned());
    }
    let mut found: Option<Vec<ClientStep>> = None;
    let mut open: Vec<(Vec<ServerAnswer>, Vec<ClientStep>)> = vec![(Vec::new(), Vec::new())];
    let mut tried = 0;
    while let Some((answers, steps)) = open.pop() {
        checkpoint::pass();
        tried += 1;
        if tried > MOST_TRIED {
            return Err("there are too many ways to get what it gets".to_owned());
        }
        match session.state(&answers) {
            ClientState::Done(got) if got == *expected => {
                let mut steps = steps;
                if answers.last().is_some_and(|last| last.state().is_some()) {
                    let place = steps.last().map_or(0, |step: &ClientStep| step.place);
                    steps.push(ClientStep { statement: "rollback".to_owned(), place, begins: false });
                }
                if found.as_ref().is_some_and(|known| *known != steps) {
                    return Err("the run does not say how many rows a statement touches that others depend on".to_owned());
                }
                found = Some(steps);
            }
            ClientState::Done(_) | ClientState::Repeats | ClientState::Stuck(_) => {}
            ClientState::Issues(step) => {
                for answer in possible(&step, expected) {
                    open.push(([answers.clone(), vec![answer]].concat(), [steps.clone(), vec![step.clone()]].concat()));
                }
            }
        }
    }
    found.ok_or_else(|| "no answers of a server lead to what it gets".to_owned())
}

/// What a server can answer to a statement.
fn possible(step: &ClientStep, expected: &Answered) -> Vec<ServerAnswer> {
    let first = step.statement.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
    if step.begins || ["commit", "rollback", "set"].contains(&first.as_str()) {
        return vec![ServerAnswer::Command(first)];
    }
    let failed = expected.outcomes.iter().filter_map(|outcome| outcome.strip_prefix("error "));
    let failed = failed.map(|state| ServerAnswer::Error(SqlError { state: state.to_owned(), message: String::new() }));
    let table = |rows| ServerAnswer::Rows(SqlTable { columns: Vec::new(), rows });
    let done = match expected.rows.get(&step.place) {
        Some(rows) => vec![table(rows.clone())],
        None if first == "select" => vec![table(Vec::new())],
        None => (0..=MOST_ROWS).map(|count| ServerAnswer::Command(format!("{first} {count}"))).collect(),
    };
    done.into_iter().chain(failed).collect()
}
