//! Performs the run of a counterexample: each request is a session, and statements come in the order of the run.
//!
//! At READ COMMITTED a step of the run is a statement, or a part of one that waited. Above, the first step of a
//! transaction is its first statement, which takes the snapshot, and the second is the rest. A statement that is a
//! transaction of its own, and in the run does not end at once, gets BEGIN and COMMIT around it.
//!
//! A run can have a gap in the middle of a statement of several rows. The server makes none by itself; then all orders
//! are tried, with sessions that hold a row for a moment, until one gives the answers of the run.

use serval_budget::Cancel;
use serval_report::SqlRun;
use serval_sql::{Answered, Isolation, Item, ItemKind, Statement as SqlStatement, StatementKind, Translation, Workload};

use crate::address::{ServerAddress, ServerFailure};
use crate::answer::ServerAnswer;
use crate::client::{ClientState, ScriptSession, session_settings};
use crate::lexical::{Refusable, Statement};
use crate::orders::{ListedStatements, OrdersWanted, PerformedOrder, SessionScript, all_orders};
use crate::perform::{PerformedStep, ReplayReport};
use crate::playground::{Issued, Playground};
use crate::schedule::{AwaitedWait, ScheduleStep, SqlSchedule};
use crate::sql_text::{self, setup};

/// How many orders are tried where the run itself is not enough.
const MOST_ORDERS: usize = 1000;
/// How many rows are held at once by sessions that do nothing else.
const MOST_HELD: usize = 2;

/// What came of following a run.
#[derive(Clone, Debug)]
pub struct FollowedRun {
    /// What was issued, and what the server did.
    pub report: ReplayReport,
    /// For each request: what it should get, and what it got, if it came to its end.
    pub answers: Vec<(Answered, Option<Answered>)>,
    /// How many orders were tried beside that of the run.
    pub tried: usize,
}

impl FollowedRun {
    /// Whether all requests got what they get in the run.
    pub fn is_same(&self) -> bool {
        self.answers.iter().all(|(wanted, got)| Some(wanted) == got.as_ref())
    }
}

/// A run, and the workload that it is of.
#[derive(Clone, Copy)]
pub struct RunToFollow<'w> {
    /// The workload.
    pub workload: &'w Workload,
    /// What it is translated to.
    pub translation: &'w Translation,
    /// The run.
    pub run: &'w SqlRun,
}

/// Performs a run in a schema of its own, which is gone afterwards.
///
/// # Errors
///
/// Where it could not be performed: one line for people.
pub fn follow(wanted: RunToFollow<'_>, address: &ServerAddress, cancel: &Cancel) -> Result<FollowedRun, ServerFailure> {
    let address = ServerAddress { settings: session_settings(wanted.workload), ..address.clone() };
    let plan = Plan::new(wanted).map_err(ServerFailure::NotIssued)?;
    let directly = plan.performed(&address, cancel, &[], |stage| plan.follow(stage))?;
    if directly.is_same() {
        return Ok(directly);
    }
    let mut tried = 0;
    for held in plan.rows_to_hold() {
        let left = MOST_ORDERS.saturating_sub(tried);
        let (found, orders) = plan.searched(&held, left, &address, cancel)?;
        tried += orders;
        if let Some(order) = found {
            let followed = plan.performed(&address, cancel, &held, |stage| order.iter().try_for_each(|session| stage.issue(*session)))?;
            return Ok(FollowedRun { tried, ..followed });
        }
    }
    Ok(FollowedRun { tried, ..directly })
}

/// What is to be performed.
pub(crate) struct Plan<'w> {
    wanted: RunToFollow<'w>,
    pub(crate) sessions: Vec<ScriptSession<'w>>,
    pub(crate) names: Vec<String>,
    pub(crate) expected: Vec<Answered>,
    /// For each session: where its transactions begin, and whether they have a snapshot.
    begins: Vec<Vec<(u32, bool)>>,
    pub(crate) setup: Vec<String>,
}

/// Who has statements, and performs them: sessions of a server, or a list.
pub(crate) trait PerformsRun {
    /// The next statement of a session that is free: its text, its place, and whether it begins a transaction.
    fn next(&self, session: usize) -> Option<(String, Option<u32>, bool)>;
    /// Performs it.
    fn perform(&mut self, session: usize, text: &str, place: Option<u32>) -> Result<(), ServerFailure>;
}

/// Where a transaction begins.
struct BeginPlace {
    at: u32,
    /// Whether it is one statement outside of BEGIN and COMMIT.
    alone: bool,
    /// The level that it names.
    level: Option<Isolation>,
}

/// Where the transactions of a script begin: BEGIN, and statements outside.
fn begins(items: &[Item], open: &mut bool, found: &mut Vec<BeginPlace>) {
    for item in items {
        match &item.kind {
            ItemKind::Begin(level) => {
                *open = true;
                found.push(BeginPlace { at: item.span.start, alone: false, level: *level });
            }
            ItemKind::Statement(SqlStatement { kind: StatementKind::Level(level), .. }) => {
                if let Some(begin) = found.last_mut() {
                    begin.level = Some(*level);
                }
            }
            ItemKind::Commit | ItemKind::Rollback => *open = false,
            ItemKind::Statement(_) if !*open => found.push(BeginPlace { at: item.span.start, alone: true, level: None }),
            ItemKind::Statement(_) | ItemKind::Set { .. } => {}
            ItemKind::If { arms, otherwise } => {
                let before = *open;
                for (_, items) in arms {
                    *open = before;
                    begins(items, open, found);
                }
                let after = *open;
                *open = before;
                begins(otherwise, open, found);
                *open = after && *open;
            }
        }
    }
}

impl<'w> Plan<'w> {
    pub(crate) fn new(wanted: RunToFollow<'w>) -> Result<Self, String> {
        let RunToFollow { workload, translation, run } = wanted;
        let (mut sessions, mut expected, mut all_begins) = (Vec::new(), Vec::new(), Vec::new());
        for (number, request) in run.requests.iter().enumerate() {
            let no_such = || format!("this workload has no request `{}`: the run is of another one", request.request);
            let origin = translation.origins.iter().find(|origin| origin.request == request.request).ok_or_else(no_such)?;
            let values: Vec<String> = origin.values.iter().map(|(value, _)| value.clone()).collect();
            let session = ScriptSession::new(workload, &translation.limits, origin.script, &values).ok_or_else(no_such)?;
            expected.push(translation.answers.answered(&request.request, request.answer).ok_or_else(no_such)?);
            let mut found = Vec::new();
            begins(&session.script().body, &mut false, &mut found);
            let moves = |place: u32| run.moves.iter().filter(|one| one.session == number + 1 && one.bytes[0] == place).count();
            let is_stretched = found.iter().any(|begin| begin.alone && moves(begin.at) > 1);
            let script = session.script();
            let level = |begin: BeginPlace| (begin.at, workload.level_of(script, begin.level) != Isolation::ReadCommitted);
            all_begins.push(found.into_iter().map(level).collect());
            sessions.push(if is_stretched { session.stretched() } else { session });
        }
        let names = run.requests.iter().map(|request| request.request.clone()).collect();
        let setup = setup(workload, &translation.limits);
        Ok(Self { wanted, sessions, names, expected, begins: all_begins, setup })
    }

    /// Performs statements in the order of the run.
    pub(crate) fn follow(&self, by: &mut dyn PerformsRun) -> Result<(), ServerFailure> {
        let moves = &self.wanted.run.moves;
        let transaction = |session: usize, place: u32| self.begins[session].iter().filter(|(begin, _)| *begin <= place).count();
        for (at, one) in moves.iter().enumerate() {
            let (session, [start, end]) = (one.session - 1, one.bytes);
            let own = transaction(session, start);
            let is_snapshot = own.checked_sub(1).and_then(|at| self.begins[session].get(at)).is_some_and(|(_, snapshot)| *snapshot);
            let next = moves[at + 1..].iter().find(|later| later.session == one.session);
            let is_first = is_snapshot && next.is_some_and(|next| transaction(session, next.bytes[0]) == own);
            let mut last: Option<u32> = None;
            while let Some((text, place, begins)) = by.next(session) {
                let place = place.unwrap_or_default();
                let goes_on = if is_snapshot {
                    transaction(session, place) <= own && !(is_first && last.is_some())
                } else {
                    place <= end && last.is_none_or(|last| last < place)
                };
                if !goes_on {
                    break;
                }
                by.perform(session, &text, Some(place))?;
                if !begins {
                    last = Some(place);
                }
            }
        }
        Ok(())
    }

    /// Sets of rows that could be held, the smallest first.
    fn rows_to_hold(&self) -> Vec<Vec<String>> {
        let rows = self.wanted.translation.rows.values().filter(|row| !row.key.is_empty()).map(|row| {
            let table = self.wanted.workload.table(row.table);
            let column = |(column, value): &(serval_sql::ColumnId, String)| {
                let value = if value.parse::<i64>().is_ok() { value.clone() } else { sql_text::quoted(value) };
                format!("{} = {value}", sql_text::name(&table.column(*column).name))
            };
            let key: Vec<String> = row.key.iter().map(column).collect();
            format!("select 1 from {} where {} for update", sql_text::name(&table.name), key.join(" and "))
        });
        let rows: Vec<String> = rows.collect();
        let mut sets = vec![Vec::new()];
        sets.extend(rows.iter().map(|row| vec![row.clone()]));
        if MOST_HELD > 1 {
            let pairs = rows.iter().enumerate().flat_map(|(at, one)| rows[at + 1..].iter().map(|other| vec![one.clone(), other.clone()]));
            sets.extend(pairs);
        }
        sets
    }

    fn is_wanted(&self, seen: &PerformedOrder) -> bool {
        let is = |((session, expected), answers): ((&ScriptSession<'_>, &Answered), &Vec<ServerAnswer>)| {
            session.state(answers) == ClientState::Done(expected.clone())
        };
        self.sessions.iter().zip(&self.expected).zip(&seen.answers).all(is)
    }

    /// An order that gives the answers of the run, and how many were tried.
    fn searched(
        &self,
        held: &[String],
        most: usize,
        address: &ServerAddress,
        cancel: &Cancel,
    ) -> Result<(Option<Vec<usize>>, usize), ServerFailure> {
        let helpers: Vec<Holder> = held.iter().map(|row| Holder::of(row)).collect();
        let mut sessions: Vec<&(dyn SessionScript + Sync)> = self.sessions.iter().map(|session| session as _).collect();
        sessions.extend(helpers.iter().map(|helper| helper as &(dyn SessionScript + Sync)));
        let is_wanted = |seen: &PerformedOrder| self.is_wanted(seen);
        let wanted = OrdersWanted { setup: &self.setup, sessions: &sessions, afterwards: &[], most, enough: Some(&is_wanted) };
        let found = all_orders(&wanted, std::slice::from_ref(address), cancel)?;
        let order = found.outcomes.into_iter().find(|(seen, _)| self.is_wanted(seen)).map(|(_, order)| order);
        Ok((order, found.orders))
    }

    fn performed(
        &self,
        address: &ServerAddress,
        cancel: &Cancel,
        held: &[String],
        work: impl FnOnce(&mut Stage<'_>) -> Result<(), ServerFailure>,
    ) -> Result<FollowedRun, ServerFailure> {
        let mut playground = Playground::open(address, &[], cancel)?;
        let helpers: Vec<Holder> = held.iter().map(|row| Holder::of(row)).collect();
        let done = self.staged(&mut playground, &helpers, work);
        match (done, playground.close()) {
            (Ok(followed), Ok(())) => Ok(followed),
            (Err(failure), Ok(())) => Err(failure),
            (Ok(_), Err(schema)) => Err(ServerFailure::Left(Box::new(ServerFailure::GoneAway("after the replay".to_owned())), schema)),
            (Err(failure), Err(schema)) => Err(ServerFailure::Left(Box::new(failure), schema)),
        }
    }

    fn staged(
        &self,
        playground: &mut Playground,
        helpers: &[Holder],
        work: impl FnOnce(&mut Stage<'_>) -> Result<(), ServerFailure>,
    ) -> Result<FollowedRun, ServerFailure> {
        for text in &self.setup {
            playground.set_up(text, Refusable::AllButSetup)?;
        }
        let count = self.sessions.len() + helpers.len();
        playground.open_sessions(count)?;
        let mut stage = Stage {
            plan: self,
            playground,
            helpers,
            answers: vec![Vec::new(); count],
            failed: vec![false; count],
            current: vec![0; count],
            steps: Vec::new(),
            performed: Vec::new(),
        };
        work(&mut stage)?;
        stage.drain()?;
        Ok(stage.finished())
    }
}

/// A session that holds a row until it gives it back.
struct Holder(ListedStatements);

impl Holder {
    fn of(row: &str) -> Self {
        Self(ListedStatements(vec!["begin".to_owned(), row.to_owned(), "rollback".to_owned()]))
    }
}

impl SessionScript for Holder {
    fn next_statement(&self, answers: &[ServerAnswer]) -> Option<String> {
        self.0.next_statement(answers)
    }

    fn goes_on(&self, answers: &[ServerAnswer]) -> bool {
        answers.is_empty()
    }
}

/// Sessions at work.
struct Stage<'a> {
    plan: &'a Plan<'a>,
    playground: &'a mut Playground,
    helpers: &'a [Holder],
    answers: Vec<Vec<ServerAnswer>>,
    failed: Vec<bool>,
    /// The step in which each session is.
    current: Vec<usize>,
    steps: Vec<(ScheduleStep, Option<u32>)>,
    performed: Vec<PerformedStep>,
}

impl PerformsRun for Stage<'_> {
    fn next(&self, session: usize) -> Option<(String, Option<u32>, bool)> {
        if self.failed[session] || self.playground.is_busy(session) {
            return None;
        }
        let answers = &self.answers[session];
        match self.plan.sessions.get(session) {
            Some(client) => match client.state(answers) {
                ClientState::Issues(step) => Some((step.statement, Some(step.place), step.begins)),
                _ => None,
            },
            None => {
                let helper = self.helpers.get(session - self.plan.sessions.len())?;
                helper.next_statement(answers).map(|text| (text, None, helper.goes_on(answers)))
            }
        }
    }

    fn perform(&mut self, session: usize, text: &str, place: Option<u32>) -> Result<(), ServerFailure> {
        let statement = Statement::read(text, Refusable::AllButScripts).map_err(ServerFailure::NotIssued)?;
        let at = self.steps.len();
        self.steps.push((ScheduleStep { session, statement: text.to_owned(), wait: None, answer: None }, place));
        self.performed.push(PerformedStep { issued: true, ..PerformedStep::default() });
        self.current[session] = at;
        let Issued { answers, waiting, .. } = self.playground.issue(session, &statement)?;
        let mut failed = Vec::new();
        for (number, answer) in answers {
            let done = self.current[number];
            if answer.state().is_some() && !self.failed[number] {
                failed.push(number);
            }
            if !self.failed[number] {
                self.answers[number].push(answer.clone());
            }
            self.performed[done].answer = Some(answer);
            if let Some(wait) = &mut self.performed[done].wait {
                wait.until = Some(at);
            }
        }
        if let Some(by) = waiting.get(&session) {
            self.performed[at].wait = Some(AwaitedWait { by: by.clone(), until: None });
        }
        // The server has given up the transactions of these.
        for number in failed {
            self.failed[number] = true;
            self.perform(number, "rollback", None)?;
        }
        Ok(())
    }
}

impl Stage<'_> {
    /// Issues the next statement of a session, and what a BEGIN stands before.
    fn issue(&mut self, session: usize) -> Result<(), ServerFailure> {
        while let Some((text, place, begins)) = self.next(session) {
            self.perform(session, &text, place)?;
            if !begins {
                break;
            }
        }
        Ok(())
    }

    /// What is left is issued, session by session.
    fn drain(&mut self) -> Result<(), ServerFailure> {
        while let Some(session) = (0..self.answers.len()).rev().find(|session| self.next(*session).is_some()) {
            self.issue(session)?;
        }
        Ok(())
    }

    fn finished(self) -> FollowedRun {
        let Self { plan, answers, helpers, mut steps, mut performed, .. } = self;
        let mut told = Vec::new();
        for (session, (client, expected)) in plan.sessions.iter().zip(&plan.expected).enumerate() {
            let got = match client.state(&answers[session]) {
                ClientState::Done(got) => Some(got),
                _ => None,
            };
            let is_same = got.as_ref() == Some(expected);
            for ((step, place), performed) in steps.iter_mut().zip(&mut performed).filter(|((step, _), _)| step.session == session) {
                let rows = performed.answer.as_ref().and_then(ServerAnswer::rows).map(<[_]>::to_vec).map(sorted);
                let wanted = place.and_then(|place| expected.rows.get(&place));
                performed.same = is_same || rows.as_ref() == wanted;
                if !performed.same
                    && let Some(wanted) = wanted
                {
                    let table = crate::answer::SqlTable { columns: Vec::new(), rows: wanted.clone() };
                    step.answer = Some(ServerAnswer::Rows(table));
                }
            }
            told.push((expected.clone(), got));
        }
        let helping = plan.sessions.len();
        for ((step, _), performed) in steps.iter_mut().zip(&mut performed) {
            performed.same |= step.session >= helping;
            step.wait.clone_from(&performed.wait);
        }
        let mut sessions = plan.names.clone();
        sessions.extend((0..helpers.len()).map(|_| "holds a row".to_owned()));
        let steps = steps.into_iter().map(|(step, _)| step).collect();
        let schedule = SqlSchedule { schemas: Vec::new(), setup: plan.setup.clone(), sessions, steps };
        FollowedRun { report: ReplayReport { schedule, steps: performed }, answers: told, tried: 0 }
    }
}

fn sorted(mut rows: Vec<crate::SqlRow>) -> Vec<crate::SqlRow> {
    rows.sort();
    rows
}
