//! Sessions in a schema of their own, and how they wait for each other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use serval_budget::Cancel;

use crate::address::{ServerAddress, ServerFailure};
use crate::answer::ServerAnswer;
use crate::control::{Control, greeting, last_said, not_connected};
use crate::lexical::{Refusable, Statement};
use crate::process::{PsqlEvent, PsqlProcess};

/// How long an answer is waited for before the server is asked who waits: most come sooner.
const GLANCE: Duration = Duration::from_micros(1500);
/// How long a session may take to end.
const ENDING: Duration = Duration::from_secs(2);

/// Sessions, each with those for which it waits.
pub type WaitsFor = BTreeMap<usize, Vec<usize>>;
/// Sessions, each with the processes of others for which it waits.
type HeldByOthers = BTreeMap<usize, Vec<i64>>;

/// One session of a playground.
#[derive(Debug)]
struct SqlSession {
    process: PsqlProcess,
    /// The server's number of it.
    backend: i64,
    /// Whether the answer to a statement is awaited, and whether that names its command.
    busy: Option<bool>,
}

/// What became of issuing a statement, when each session has its answer or waits for one that does nothing by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Issued {
    /// The answers that came, by session, in the order in which they came.
    pub answers: Vec<(usize, ServerAnswer)>,
    /// Which sessions wait for which now.
    pub waiting: WaitsFor,
    /// Which sessions waited in a circle, until the server ended one of them.
    pub circle: BTreeSet<usize>,
}

/// A schema with a random name, and sessions in it. Dropping it drops the schema.
#[derive(Debug)]
pub struct Playground {
    control: Control,
    sessions: Vec<SqlSession>,
    sender: Sender<(usize, PsqlEvent)>,
    events: Receiver<(usize, PsqlEvent)>,
    address: ServerAddress,
    cancel: Cancel,
    /// Schemas whose names lead to this one.
    led: Vec<String>,
    is_closed: bool,
}

impl Playground {
    /// Connects and makes the schema. These schemas, and those of the database, lead there.
    ///
    /// # Errors
    ///
    /// Where there is no server, or it does not let us.
    pub fn open(address: &ServerAddress, schemas: &[String], cancel: &Cancel) -> Result<Self, ServerFailure> {
        let control = Control::open(address, cancel)?;
        let (sender, events) = mpsc::channel();
        let mut led = schemas.to_vec();
        led.extend(control.others.iter().cloned());
        let (address, cancel) = (address.clone(), cancel.clone());
        Ok(Self { control, sessions: Vec::new(), sender, events, address, cancel, led, is_closed: false })
    }

    /// Has the keeper of the schema run a statement, which makes tables or rows.
    ///
    /// # Errors
    ///
    /// Where it is not issued, or fails.
    pub fn set_up(&mut self, text: &str, refusable: Refusable) -> Result<ServerAnswer, ServerFailure> {
        let refused = |why: String| ServerFailure::Setup(format!("{why}: {}", one_line(text)));
        let statement = Statement::read(text, refusable).map_err(refused)?;
        match self.control.answer(&statement.led(&self.led), statement.has_tag())? {
            ServerAnswer::Error(error) => Err(ServerFailure::Setup(format!("{} ({}): {}", error.message, error.state, one_line(text)))),
            answer => Ok(answer),
        }
    }

    /// Has the keeper of the schema run several statements as one transaction, without looking at them.
    pub(crate) fn set_up_together(&mut self, statements: &[String]) -> Result<(), ServerFailure> {
        match self.control.answer(&statements.join("\\;"), true)? {
            ServerAnswer::Error(error) => Err(ServerFailure::Setup(format!("{} ({})", error.message, error.state))),
            _ => Ok(()),
        }
    }

    /// The rows of a question that the keeper of the schema asks.
    pub(crate) fn question(&mut self, text: &str) -> Result<Vec<crate::SqlRow>, ServerFailure> {
        self.control.ask(text)
    }

    /// The schema.
    pub fn schema(&self) -> &str {
        &self.control.schema
    }

    /// Opens so many sessions.
    ///
    /// # Errors
    ///
    /// Where one of them cannot connect.
    pub fn open_sessions(&mut self, count: usize) -> Result<(), ServerFailure> {
        let first = self.sessions.len();
        for number in first..first + count {
            let mut process = PsqlProcess::start(&self.address, number, self.sender.clone(), None)?;
            process.send(&greeting(&self.address, &self.control.schema));
            self.sessions.push(SqlSession { process, backend: 0, busy: Some(false) });
        }
        let start = Instant::now();
        while self.sessions.iter().any(|session| session.busy.is_some()) {
            match self.events.recv_timeout(GLANCE) {
                Ok((number, PsqlEvent::Answered(printed))) => {
                    let session = &mut self.sessions[number];
                    let answer = printed.answer(&session.process.null(), false);
                    let backend = answer.rows().and_then(|rows| rows.first()?.first()?.as_ref()?.parse().ok());
                    session.backend = backend.ok_or_else(|| ServerFailure::CannotConnect(answer.words()))?;
                    session.busy = None;
                }
                Ok((_, PsqlEvent::Ended(said))) => return Err(not_connected(&said, self.address.connecting, start.elapsed())),
                Err(_) if self.cancel.is_cancelled() => return Err(ServerFailure::Interrupted),
                Err(_) if start.elapsed() >= self.address.connecting => {
                    return Err(ServerFailure::NoAnswer(self.address.connecting.as_secs()));
                }
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// How many sessions there are.
    pub fn sessions(&self) -> usize {
        self.sessions.len()
    }

    /// Whether this session has no answer yet.
    pub fn is_busy(&self, session: usize) -> bool {
        self.sessions[session].busy.is_some()
    }

    /// Issues a statement in a session that is not busy, and waits until all is quiet.
    ///
    /// # Errors
    ///
    /// Where a connection ends, or it does not become quiet in time.
    pub fn issue(&mut self, session: usize, statement: &Statement) -> Result<Issued, ServerFailure> {
        let led = statement.led(&self.led);
        let one = &mut self.sessions[session];
        one.busy = Some(statement.has_tag());
        // A comment at the end must not swallow the semicolon.
        one.process.send(&format!("{led}\n;"));
        self.settle()
    }

    /// Waits until each session has its answer or waits for one that does nothing by itself.
    fn settle(&mut self) -> Result<Issued, ServerFailure> {
        let (mut issued, mut before, mut since) = (Issued::default(), None, Instant::now());
        while self.sessions.iter().any(|session| session.busy.is_some()) {
            if self.take_events(GLANCE, &mut issued)? {
                (before, since) = (None, Instant::now());
                continue;
            }
            if self.cancel.is_cancelled() {
                return Err(ServerFailure::Interrupted);
            }
            let (waiting, foreign) = self.waiting()?;
            if self.take_events(Duration::ZERO, &mut issued)? {
                (before, since) = (None, Instant::now());
                continue;
            }
            let busy = self.sessions.iter().filter(|session| session.busy.is_some()).count();
            // What was seen twice was so at one moment: all of these waited, and no answer came in between.
            if waiting.len() == busy && before.as_ref() == Some(&waiting) {
                let circle = circle(&waiting);
                if circle.is_empty() {
                    issued.waiting = waiting;
                    return Ok(issued);
                }
                issued.circle.extend(circle);
            }
            if since.elapsed() >= self.address.answering {
                return Err(self.held(&waiting, &foreign));
            }
            before = Some(waiting);
        }
        Ok(issued)
    }

    /// Takes what has come, after waiting for so long for the first; whether there was something.
    fn take_events(&mut self, patience: Duration, issued: &mut Issued) -> Result<bool, ServerFailure> {
        let mut next = if patience.is_zero() { self.events.try_recv().ok() } else { self.events.recv_timeout(patience).ok() };
        let came = next.is_some();
        while let Some((number, event)) = next {
            let session = &mut self.sessions[number];
            match event {
                PsqlEvent::Ended(said) => return Err(ServerFailure::GoneAway(last_said(&said))),
                PsqlEvent::Answered(printed) => {
                    let has_tag = session.busy.take().unwrap_or(true);
                    issued.answers.push((number, printed.answer(&session.process.null(), has_tag)));
                }
            }
            next = self.events.try_recv().ok();
        }
        Ok(came)
    }

    /// Who waits for which of ours, and who waits for others alone.
    fn waiting(&mut self) -> Result<(WaitsFor, HeldByOthers), ServerFailure> {
        let busy: Vec<(usize, i64)> =
            self.sessions.iter().enumerate().filter(|(_, one)| one.busy.is_some()).map(|(at, one)| (at, one.backend)).collect();
        let processes: Vec<i64> = busy.iter().map(|(_, backend)| *backend).collect();
        let blocked = self.control.blocked(&processes)?;
        let (mut waiting, mut foreign) = (BTreeMap::new(), BTreeMap::new());
        for (number, backend) in busy {
            let others = blocked.get(&backend).cloned().unwrap_or_default();
            let ours = self.sessions.iter().enumerate().filter(|(_, one)| others.contains(&one.backend)).map(|(at, _)| at);
            let ours: Vec<usize> = ours.collect();
            if !ours.is_empty() {
                waiting.insert(number, ours);
            } else if !others.is_empty() {
                foreign.insert(number, others);
            }
        }
        Ok((waiting, foreign))
    }

    fn held(&self, waiting: &WaitsFor, foreign: &HeldByOthers) -> ServerFailure {
        let seconds = self.address.answering.as_secs();
        let running = self.sessions.iter().enumerate().filter(|(at, one)| one.busy.is_some() && !waiting.contains_key(at));
        let session = running.map(|(at, _)| at).next().unwrap_or_default();
        ServerFailure::Held(match foreign.get(&session) {
            Some(others) => {
                let others: Vec<String> = others.iter().map(i64::to_string).collect();
                let of = "the server's process";
                format!("session {} has waited {seconds} s for {of} {}, which is not of this replay", session + 1, others.join(", "))
            }
            None => format!("a statement of session {} has gone on for {seconds} s", session + 1),
        })
    }

    /// Ends all sessions and drops the schema.
    ///
    /// # Errors
    ///
    /// The schema, where it may be left on the server.
    pub fn close(mut self) -> Result<(), String> {
        self.end()
    }

    fn end(&mut self) -> Result<(), String> {
        if std::mem::replace(&mut self.is_closed, true) {
            return Ok(());
        }
        let closed = self.control.close();
        for session in &mut self.sessions {
            session.process.end(if session.busy.is_some() { Duration::ZERO } else { ENDING });
        }
        closed
    }
}

impl Drop for Playground {
    fn drop(&mut self) {
        // There is no caller left who could be told.
        let _ = self.end();
    }
}

/// Sessions that wait for each other in a circle, or for such ones.
fn circle(waiting: &WaitsFor) -> BTreeSet<usize> {
    let mut left: BTreeSet<usize> = waiting.keys().copied().collect();
    // What waits for no session that waits is taken away, again and again.
    loop {
        let before = left.len();
        let next = left.iter().copied().filter(|one| waiting[one].iter().any(|other| left.contains(other))).collect();
        left = next;
        if left.len() == before {
            return left;
        }
    }
}

/// A statement on one line, for messages.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_found() {
        let waiting = |pairs: &[(usize, usize)]| pairs.iter().map(|(one, other)| (*one, vec![*other])).collect();
        assert_eq!(circle(&waiting(&[(1, 0), (2, 1)])), BTreeSet::new());
        assert_eq!(circle(&waiting(&[(1, 2), (2, 1), (3, 0)])), BTreeSet::from([1, 2]));
    }
}
