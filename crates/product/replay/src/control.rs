//! The session that keeps the schema: makes it, asks who waits for whom, and drops it when its input ends.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serval_budget::Cancel;

use crate::address::{OLDEST, ServerAddress, ServerFailure};
use crate::answer::{Printed, ServerAnswer, SqlRow};
use crate::process::{NOT_FOUND, PsqlEvent, PsqlProcess, random_word};

/// Settings that a user's own could make different, each with what it has to be.
const SETTINGS: [(&str, &str); 14] = [
    ("bytea_output", "hex"),
    ("client_min_messages", "error"),
    ("datestyle", "ISO, MDY"),
    ("default_transaction_deferrable", "off"),
    ("default_transaction_isolation", "read committed"),
    ("default_transaction_read_only", "off"),
    ("extra_float_digits", "1"),
    ("idle_in_transaction_session_timeout", "0"),
    ("idle_session_timeout", "0"),
    ("intervalstyle", "postgres"),
    ("lock_timeout", "0"),
    ("standard_conforming_strings", "on"),
    ("statement_timeout", "0"),
    ("timezone", "UTC"),
];

/// How long the schema may take to be dropped.
const DROPPING: Duration = Duration::from_secs(10);
/// How often the cancel flag is looked at.
const GLANCE: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub(crate) struct Control {
    process: PsqlProcess,
    events: Receiver<(usize, PsqlEvent)>,
    pub(crate) schema: String,
    /// Schemas of the database whose names, as qualifiers, lead to ours.
    pub(crate) others: Vec<String>,
    is_gone: bool,
    address: ServerAddress,
}

/// A text as a constant of SQL.
pub(crate) fn constant(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The statement with which a session begins; it gives the number of its process.
pub(crate) fn greeting(address: &ServerAddress, schema: &str) -> String {
    let given = address.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut settings: BTreeMap<&str, &str> = SETTINGS.into_iter().collect();
    settings.extend(given);
    let path = format!("\"{schema}\"");
    settings.insert("search_path", &path);
    // By this name the sessions are found, also when serval is no more.
    settings.insert("application_name", schema);
    let values: Vec<String> = settings.iter().map(|(name, value)| format!("({}, {})", constant(name), constant(value))).collect();
    // Some are not known to every version.
    format!(
        "select pg_backend_pid(), count(set_config(s.name, v.value, false)) from (values {}) v(name, value) \
         join pg_settings s on lower(s.name) = v.name;",
        values.join(", ")
    )
}

/// The last line that says something, without the words that every message of `psql` begins with.
pub(crate) fn last_said(said: &str) -> String {
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let is_telling = |line: &&&str| line.contains("error:") || line.contains("FATAL:") || line.contains("ERROR:");
    let line = lines.iter().find(is_telling).or(lines.last()).copied().unwrap_or("the connection was closed");
    let line = line.rsplit_once("psql: error: ").map_or(line, |(_, rest)| rest);
    let line = line.split_once("<stdin>:").map_or(line, |(_, rest)| rest.split_once(": ").map_or(rest, |(_, rest)| rest));
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

impl Control {
    /// Connects, looks at the versions, and makes the schema.
    pub(crate) fn open(address: &ServerAddress, cancel: &Cancel) -> Result<Self, ServerFailure> {
        let schema = format!("serval_{}", random_word());
        let (sender, events) = mpsc::channel();
        let process = PsqlProcess::start(address, 0, sender, Some(&format!("{}; {}", end_statement(&schema), drop_statement(&schema))))?;
        let mut control = Self { process, events, schema, others: Vec::new(), is_gone: false, address: address.clone() };
        match control.prepare(cancel) {
            Ok(()) => Ok(control),
            Err(failure) => {
                // There is no schema yet, or it is dropped when the input ends.
                let patience = if failure == ServerFailure::NoAnswer(address.connecting.as_secs()) { Duration::ZERO } else { DROPPING };
                control.process.end(patience);
                Err(failure)
            }
        }
    }

    fn prepare(&mut self, cancel: &Cancel) -> Result<(), ServerFailure> {
        let printed = self.connected(cancel)?;
        let versions = printed.lines.last().cloned().unwrap_or_default();
        // The name may go on with that of the distribution.
        let mut words = versions.split_whitespace();
        let (server, client, name) = (words.next().unwrap_or_default(), words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let number = |text: &str| text.parse::<u32>().unwrap_or(0) / 10_000;
        if number(client) < OLDEST {
            return Err(ServerFailure::OldClient(number(client).to_string()));
        }
        if number(server) < OLDEST {
            return Err(ServerFailure::OldServer(name.to_owned()));
        }
        self.ask(&greeting(&self.address.clone(), &self.schema.clone()))?;
        match self.answer(&format!("create schema \"{}\"", self.schema), true)? {
            ServerAnswer::Error(error) if error.state == "42501" => return Err(ServerFailure::NoCreate(error.message)),
            ServerAnswer::Error(error) => return Err(ServerFailure::Setup(format!("{} ({})", error.message, error.state))),
            _ => {}
        }
        let others = "select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'";
        self.others = self.ask(others)?.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect();
        Ok(())
    }

    /// Waits for the connection.
    fn connected(&mut self, cancel: &Cancel) -> Result<Printed, ServerFailure> {
        self.process.send("\\echo :SERVER_VERSION_NUM :VERSION_NUM :SERVER_VERSION_NAME");
        let (start, patience) = (Instant::now(), self.address.connecting);
        loop {
            match self.events.recv_timeout(GLANCE) {
                Ok((_, PsqlEvent::Answered(printed))) => return Ok(printed),
                Ok((_, PsqlEvent::Ended(said))) => {
                    self.is_gone = true;
                    return Err(not_connected(&said, patience, start.elapsed()));
                }
                Err(_) if cancel.is_cancelled() => return Err(ServerFailure::Interrupted),
                Err(_) if start.elapsed() >= patience => return Err(ServerFailure::NoAnswer(patience.as_secs())),
                Err(_) => {}
            }
        }
    }

    /// Has it run one statement.
    pub(crate) fn answer(&mut self, statement: &str, has_tag: bool) -> Result<ServerAnswer, ServerFailure> {
        if self.is_gone {
            return Err(ServerFailure::GoneAway("the connection was closed".to_owned()));
        }
        self.process.send(&format!("{statement}\n;"));
        match self.events.recv_timeout(self.address.answering) {
            Ok((_, PsqlEvent::Answered(printed))) => Ok(printed.answer(&self.process.null(), has_tag)),
            Ok((_, PsqlEvent::Ended(said))) => {
                self.is_gone = true;
                Err(ServerFailure::GoneAway(last_said(&said)))
            }
            Err(RecvTimeoutError::Timeout) => {
                self.is_gone = true;
                let seconds = self.address.answering.as_secs();
                Err(ServerFailure::Held(format!("the server has not answered in {seconds} s: {statement}")))
            }
            Err(RecvTimeoutError::Disconnected) => Err(ServerFailure::GoneAway("the connection was closed".to_owned())),
        }
    }

    /// The rows of a question.
    pub(crate) fn ask(&mut self, question: &str) -> Result<Vec<SqlRow>, ServerFailure> {
        match self.answer(question.trim_end_matches(';'), false)? {
            ServerAnswer::Rows(table) => Ok(table.rows),
            ServerAnswer::Command(_) => Ok(Vec::new()),
            ServerAnswer::Error(error) => Err(ServerFailure::GoneAway(format!("{} ({})", error.message, error.state))),
        }
    }

    /// Which of these processes waits for which others.
    pub(crate) fn blocked(&mut self, processes: &[i64]) -> Result<BTreeMap<i64, Vec<i64>>, ServerFailure> {
        let list = processes.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        let question = format!(
            "select p, array_to_string(pg_blocking_pids(p) || pg_safe_snapshot_blocking_pids(p), ' ') from unnest('{{{list}}}'::int[]) p"
        );
        let mut blocked = BTreeMap::new();
        for row in self.ask(&question)? {
            let mut values = row.into_iter().map(Option::unwrap_or_default);
            let (process, others) = (values.next().unwrap_or_default(), values.next().unwrap_or_default());
            let others: Vec<i64> = others.split(' ').filter_map(|other| other.parse().ok()).collect();
            if let Ok(process) = process.parse() {
                blocked.insert(process, others);
            }
        }
        Ok(blocked)
    }

    /// Drops the schema and ends; the schema, where it may still be there.
    pub(crate) fn close(&mut self) -> Result<(), String> {
        if !self.is_gone {
            // What still waits would wait for ever, and hold what is to be dropped.
            let _ = self.ask(&end_statement(&self.schema.clone()));
        }
        if !self.is_gone && self.answer(&drop_statement(&self.schema.clone()), true).is_ok_and(|answer| answer.state().is_none()) {
            self.process.end(DROPPING);
            return Ok(());
        }
        self.process.end(Duration::ZERO);
        self.drop_anew().ok_or_else(|| self.schema.clone())
    }

    /// Drops the schema through a new connection.
    fn drop_anew(&self) -> Option<()> {
        let (sender, events) = mpsc::channel();
        let mut process = PsqlProcess::start(&self.address, 0, sender, None).ok()?;
        process.send(&format!("{};\n{};", end_statement(&self.schema), drop_statement(&self.schema)));
        let done = matches!(events.recv_timeout(DROPPING), Ok((_, PsqlEvent::Answered(printed))) if printed.state == "00000");
        process.end(if done { DROPPING } else { Duration::ZERO });
        done.then_some(())
    }
}

/// Ends the sessions of a schema. One that still runs a statement would hold what is to be dropped.
fn end_statement(schema: &str) -> String {
    let name = constant(schema);
    format!("select pg_terminate_backend(pid) from pg_stat_activity where application_name = {name} and pid <> pg_backend_pid()")
}

fn drop_statement(schema: &str) -> String {
    format!("drop schema if exists \"{schema}\" cascade")
}

/// Why there is no connection; libpq's own limit may come a little before ours.
pub(crate) fn not_connected(said: &str, patience: Duration, after: Duration) -> ServerFailure {
    if said.contains("timeout expired") && after + Duration::from_secs(1) >= patience {
        return ServerFailure::NoAnswer(patience.as_secs());
    }
    if let Some((_, why)) = said.split_once(NOT_FOUND) {
        return ServerFailure::NoClient(why.trim().to_owned());
    }
    if said.contains("option") && said.contains("csv") {
        return ServerFailure::OldClient(format!("{} or older", OLDEST - 1));
    }
    ServerFailure::CannotConnect(last_said(said))
}
