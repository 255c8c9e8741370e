//! Performs a schedule.

use serval_budget::Cancel;

use crate::address::{ServerAddress, ServerFailure};
use crate::answer::ServerAnswer;
use crate::compare::is_same_answer;
use crate::lexical::{Refusable, Statement};
use crate::playground::{Issued, Playground};
use crate::schedule::{AwaitedWait, ScheduleStep, SqlSchedule};

/// What the server did in a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PerformedStep {
    /// Whether it was issued: a session that waits can issue nothing.
    pub issued: bool,
    /// Whether it waited, for whom, and until when.
    pub wait: Option<AwaitedWait>,
    /// The answer, if one came.
    pub answer: Option<ServerAnswer>,
    /// Whether wait and answer are the expected ones.
    pub same: bool,
}

/// What the server did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayReport {
    /// What was to be performed.
    pub schedule: SqlSchedule,
    /// What became of its steps, one by one.
    pub steps: Vec<PerformedStep>,
}

impl ReplayReport {
    /// Whether the server did what was expected.
    pub fn is_same(&self) -> bool {
        self.steps.iter().all(|step| step.same)
    }
}

/// Performs a schedule in a schema of its own, which is gone afterwards.
///
/// # Errors
///
/// Where it could not be performed: one line for people.
pub fn perform(schedule: &SqlSchedule, address: &ServerAddress, cancel: &Cancel) -> Result<ReplayReport, ServerFailure> {
    let statements = schedule.statements().map_err(ServerFailure::NotIssued)?;
    // Before anything is done on a server.
    for text in &schedule.setup {
        Statement::read(text, Refusable::AllButSetup).map_err(|why| ServerFailure::NotIssued(format!("the setup has what {why}")))?;
    }
    let mut playground = Playground::open(address, &schedule.schemas, cancel)?;
    let performed = performed(schedule, &statements, &mut playground);
    match (performed, playground.close()) {
        (Ok(report), Ok(())) => Ok(report),
        (Err(failure), Ok(())) => Err(failure),
        (Ok(_), Err(schema)) => Err(ServerFailure::Left(Box::new(ServerFailure::GoneAway("after the replay".to_owned())), schema)),
        (Err(failure), Err(schema)) => Err(ServerFailure::Left(Box::new(failure), schema)),
    }
}

fn performed(schedule: &SqlSchedule, statements: &[Statement], playground: &mut Playground) -> Result<ReplayReport, ServerFailure> {
    for text in &schedule.setup {
        playground.set_up(text, Refusable::AllButSetup)?;
    }
    playground.open_sessions(schedule.sessions.len())?;
    let mut steps = vec![PerformedStep::default(); schedule.steps.len()];
    // The step in which each session is.
    let mut current = vec![0; schedule.sessions.len()];
    for (at, (step, statement)) in schedule.steps.iter().zip(statements).enumerate() {
        if playground.is_busy(step.session) {
            break;
        }
        current[step.session] = at;
        let Issued { answers, waiting, circle } = playground.issue(step.session, statement)?;
        steps[at].issued = true;
        // Who is ended in a circle is the server's choice, and that all of it waited for a moment is no wait.
        let _ = circle;
        for (session, answer) in answers {
            let done = current[session];
            steps[done].answer = Some(answer);
            if let Some(wait) = &mut steps[done].wait {
                wait.until = Some(at);
            }
        }
        if let Some(by) = waiting.get(&step.session) {
            steps[at].wait = Some(AwaitedWait { by: by.clone(), until: None });
        }
    }
    for ((step, statement), performed) in schedule.steps.iter().zip(statements).zip(&mut steps) {
        performed.same = is_as_expected(step, statement, performed);
    }
    Ok(ReplayReport { schedule: schedule.clone(), steps })
}

fn is_as_expected(step: &ScheduleStep, statement: &Statement, performed: &PerformedStep) -> bool {
    let wait = match (&step.wait, &performed.wait) {
        (None, None) => true,
        // Of several that share a lock the server names one after the other.
        (Some(expected), Some(wait)) => {
            let is_by = expected.by.is_empty() || expected.by.iter().any(|session| wait.by.contains(session));
            is_by && expected.until == wait.until
        }
        _ => false,
    };
    let answer = match (&step.answer, &performed.answer) {
        (Some(expected), Some(answer)) => is_same_answer(expected, answer, statement),
        (Some(_), None) => false,
        (None, _) => true,
    };
    performed.issued && wait && answer
}
