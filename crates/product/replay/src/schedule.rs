//! Which session issues what when, and what is expected.

use crate::answer::ServerAnswer;
use crate::lexical::{Refusable, Statement};

/// Statements in an order, over tables that are made first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SqlSchedule {
    /// Schemas whose names, as qualifiers, lead to the schema of the replay.
    pub schemas: Vec<String>,
    /// Statements that make tables and rows.
    pub setup: Vec<String>,
    /// The names of the sessions.
    pub sessions: Vec<String>,
    /// What is issued, in this order.
    pub steps: Vec<ScheduleStep>,
}

/// A statement, and what is expected of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleStep {
    /// The session, from 0.
    pub session: usize,
    /// One statement.
    pub statement: String,
    /// Whether it is expected to wait.
    pub wait: Option<AwaitedWait>,
    /// What is expected of it; `None` if nothing is, or if it waits until the end.
    pub answer: Option<ServerAnswer>,
}

/// A wait that is expected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AwaitedWait {
    /// For one of these sessions; for any, where the list is empty.
    pub by: Vec<usize>,
    /// The step, from 0, with which it ends; `None` where it does not.
    pub until: Option<usize>,
}

/// How many sessions there may be: each is a connection.
pub(crate) const MOST_SESSIONS: usize = 64;

impl SqlSchedule {
    /// The statements of the steps, ready to be issued.
    ///
    /// # Errors
    ///
    /// Which step is not performed, and why.
    pub fn statements(&self) -> Result<Vec<Statement>, String> {
        if self.sessions.len() > MOST_SESSIONS {
            return Err(format!("there are {} sessions, and at most {MOST_SESSIONS} are performed", self.sessions.len()));
        }
        let statement = |(at, step): (usize, &ScheduleStep)| {
            let wrong = |why: String| format!("step {} is not performed: {why}", at + 1);
            if step.session >= self.sessions.len() {
                return Err(wrong(format!("there is no session {}", step.session.wrapping_add(1))));
            }
            if let Some(wait) = &step.wait {
                let is_later = wait.until.is_none_or(|until| until > at && until < self.steps.len());
                if !is_later || wait.by.iter().any(|session| *session >= self.sessions.len() || *session == step.session) {
                    return Err(wrong("it waits for what is not there".to_owned()));
                }
            }
            Statement::read(&step.statement, Refusable::AllButScripts).map_err(wrong)
        };
        self.steps.iter().enumerate().map(statement).collect()
    }
}
