//! Transactions of sessions. A pooler that shares sessions gives each of them one transaction after the other, so what
//! stands between BEGIN and COMMIT belongs together, and a statement outside is a transaction by itself.

use std::collections::BTreeMap;

use crate::counts::Counts;
use crate::entry::{Entry, Said};
use crate::pattern::Patterns;
use crate::shape::{Shaped, shapes};

/// Statements of a transaction that are kept, and how long they are together; a longer one is left out.
const MOST_STATEMENTS: usize = 1000;
const MOST_BYTES: usize = 1 << 20;
/// Sessions that are followed at once.
const MOST_SESSIONS: usize = 20_000;

/// What was read.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    open: BTreeMap<String, Session>,
    pub(crate) patterns: Patterns,
    pub(crate) counts: Counts,
}

#[derive(Debug, Default)]
struct Session {
    /// A statement of which it is not yet known whether it fails.
    pending: Option<(String, Option<String>)>,
    transaction: Option<Transaction>,
    /// Statements before the first BEGIN: the log may begin within a transaction.
    before: Vec<Vec<Shaped>>,
    before_bytes: usize,
    is_known: bool,
    /// The level of transactions that name none.
    isolation: Option<String>,
    /// The entry that was last.
    last: u64,
}

#[derive(Debug, Default)]
struct Transaction {
    statements: Vec<Shaped>,
    bytes: usize,
    has_failed: bool,
    is_long: bool,
}

impl Sessions {
    pub(crate) fn take(&mut self, entry: Entry) {
        let Entry { session: name, said } = entry;
        match said {
            Said::Other => return,
            Said::Foreign => {
                self.counts.foreign += 1;
                return;
            }
            Said::Statement { .. } if name.is_empty() => {
                self.counts.without_session += 1;
                return;
            }
            _ => {}
        }
        let Self { open, patterns, counts } = self;
        if open.len() >= MOST_SESSIONS && !open.contains_key(&name) {
            shrink(open, patterns, counts);
        }
        let session = open.entry(name).or_default();
        session.last = counts.statements;
        match said {
            Said::Statement { sql, values } => {
                session.settle(patterns, counts);
                session.pending = Some((sql, values));
                counts.statements += 1;
            }
            Said::Values(values) => {
                if let Some((_, known)) = &mut session.pending {
                    known.get_or_insert(values);
                }
            }
            Said::Failed => {
                let had = session.pending.take().is_some();
                match &mut session.transaction {
                    Some(transaction) => transaction.has_failed = true,
                    None => counts.failed += u64::from(had),
                }
            }
            Said::Foreign | Said::Other => {}
        }
    }

    /// The log is over.
    pub(crate) fn finish(&mut self) {
        let Self { open, patterns, counts } = self;
        open.retain(|_, session| session.end(patterns, counts));
    }
}

/// Forgets half of the sessions: those that said nothing for the longest time.
fn shrink(open: &mut BTreeMap<String, Session>, patterns: &mut Patterns, counts: &mut Counts) {
    let mut last: Vec<u64> = open.values().map(|session| session.last).collect();
    last.sort_unstable();
    let middle = last[last.len() / 2];
    open.retain(|_, session| session.last > middle || session.end(patterns, counts));
}

/// What a statement is to a session.
enum Role {
    Begin,
    Commit,
    Rollback,
    Statement,
    /// ROLLBACK TO a savepoint.
    Back,
    /// Left out, and of which kind.
    LeftOut(&'static str),
    /// Sets the level of later transactions.
    Level(String),
}

fn role(shaped: &Shaped) -> Role {
    let upper = shaped.shape.to_ascii_uppercase();
    let mut words = upper.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    let (first, second, third) = (words.next().unwrap_or_default(), words.next().unwrap_or_default(), words.next().unwrap_or_default());
    match (first, second) {
        ("BEGIN", _) | ("START", "TRANSACTION") => Role::Begin,
        ("COMMIT" | "END", _) if !upper.ends_with(" CHAIN") => Role::Commit,
        ("ROLLBACK" | "ABORT", "TO") | ("ROLLBACK", "WORK" | "TRANSACTION") if second == "TO" || third == "TO" => Role::Back,
        ("ROLLBACK" | "ABORT", _) if !upper.ends_with(" CHAIN") => Role::Rollback,
        ("SET", "TRANSACTION") => Role::Statement,
        ("SET", _) => level_in(&upper, shaped).map_or(Role::LeftOut("SET"), Role::Level),
        _ => match LEFT_OUT.iter().find(|(word, _)| *word == first) {
            Some((_, kind)) => Role::LeftOut(kind),
            None if CATALOGS.iter().any(|name| upper.contains(name)) => Role::LeftOut("questions about the catalog"),
            None if first == "SELECT" && is_health_check(&upper) => Role::LeftOut("health checks"),
            None => Role::Statement,
        },
    }
}

/// Statements that change nothing and tell nothing of tables, by their first words; and changes of the schema.
const LEFT_OUT: [(&str, &str); 22] = [
    ("SHOW", "SHOW"),
    ("RESET", "RESET"),
    ("DEALLOCATE", "DEALLOCATE"),
    ("DISCARD", "DISCARD"),
    ("PREPARE", "PREPARE"),
    ("LISTEN", "LISTEN and NOTIFY"),
    ("UNLISTEN", "LISTEN and NOTIFY"),
    ("NOTIFY", "LISTEN and NOTIFY"),
    ("EXPLAIN", "EXPLAIN"),
    ("ANALYZE", "maintenance"),
    ("VACUUM", "maintenance"),
    ("CHECKPOINT", "maintenance"),
    ("REINDEX", "maintenance"),
    ("CLUSTER", "maintenance"),
    ("CREATE", "changes of the schema"),
    ("ALTER", "changes of the schema"),
    ("DROP", "changes of the schema"),
    ("GRANT", "changes of the schema"),
    ("REVOKE", "changes of the schema"),
    ("COMMENT", "changes of the schema"),
    ("REFRESH", "changes of the schema"),
    ("REASSIGN", "changes of the schema"),
];

const CATALOGS: [&str; 5] = ["PG_CATALOG.", "INFORMATION_SCHEMA.", " PG_TYPE", " PG_CLASS", " PG_RANGE"];

/// A SELECT of constants and of what the server says of itself.
fn is_health_check(upper: &str) -> bool {
    const KNOWN: [&str; 8] = ["SELECT", "AS", "VERSION", "CURRENT_SCHEMA", "CURRENT_DATABASE", "CURRENT_USER", "SERVER_VERSION", "NOW"];
    let mut words = upper.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    let mut after_as = false;
    words.all(|word| {
        let known = after_as || KNOWN.contains(&word);
        after_as = word == "AS";
        known
    })
}

/// The level that a SET gives to the session.
fn level_in(upper: &str, shaped: &Shaped) -> Option<String> {
    let value = match upper.strip_prefix("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL ") {
        Some(level) => level.to_owned(),
        None if upper.contains("DEFAULT_TRANSACTION_ISOLATION") => {
            shaped.holes.first()?.value.clone()?.trim_matches('\'').to_ascii_uppercase()
        }
        None => return None,
    };
    ["SERIALIZABLE", "REPEATABLE READ", "READ COMMITTED", "READ UNCOMMITTED"]
        .iter()
        .find(|level| value.starts_with(**level))
        .map(|level| (*level).to_owned())
}

impl Transaction {
    fn take(&mut self, shaped: Shaped, goes_back: bool) {
        self.bytes += shaped.bytes();
        if self.is_long || self.statements.len() > MOST_STATEMENTS || self.bytes > MOST_BYTES {
            self.is_long = true;
            self.statements.truncate(1);
            return;
        }
        // What failed is undone, and the transaction goes on.
        self.has_failed &= !goes_back;
        self.statements.push(shaped);
    }
}

/// Savepoints to which nothing goes back do nothing.
fn leave_out_savepoints(statements: &mut Vec<Shaped>, counts: &mut Counts) {
    let is = |shaped: &Shaped, word: &str| {
        let begins = shaped.shape.get(..word.len()).is_some_and(|first| first.eq_ignore_ascii_case(word));
        begins && shaped.shape[word.len()..].starts_with(' ')
    };
    let is_savepoint = |shaped: &Shaped| is(shaped, "savepoint") || is(shaped, "release");
    if !statements.iter().any(|shaped| is(shaped, "rollback") || is(shaped, "abort")) {
        let before = statements.len();
        statements.retain(|shaped| !is_savepoint(shaped));
        let left = u64::try_from(before - statements.len()).unwrap_or(u64::MAX);
        if left > 0 {
            *counts.left_out.entry("savepoints to which nothing goes back".to_owned()).or_default() += left;
        }
    }
}

impl Session {
    /// It says nothing more; never kept.
    fn end(&mut self, patterns: &mut Patterns, counts: &mut Counts) -> bool {
        self.settle(patterns, counts);
        self.know(patterns, counts);
        counts.cut += u64::from(self.transaction.take().is_some_and(|open| !open.statements.is_empty()));
        false
    }

    /// The statement before did not fail.
    fn settle(&mut self, patterns: &mut Patterns, counts: &mut Counts) {
        let Some((sql, values)) = self.pending.take() else { return };
        let shaped = shapes(&sql, values.as_deref());
        counts.without_values += u64::from(shaped.iter().flat_map(|one| &one.holes).any(|hole| hole.value.is_none()));
        let roles: Vec<(Role, Shaped)> = shaped.into_iter().map(|shaped| (role(&shaped), shaped)).collect();
        let statements = roles.iter().filter(|(role, _)| matches!(role, Role::Statement | Role::Back)).count();
        let begins = roles.iter().any(|(role, _)| matches!(role, Role::Begin | Role::Commit | Role::Rollback));
        // Several statements in one message are one transaction.
        if self.transaction.is_none() && statements > 1 && !begins {
            let all =
                roles.into_iter().filter(|(role, _)| matches!(role, Role::Statement | Role::Back)).map(|(_, shaped)| shaped).collect();
            return self.single(all, patterns, counts);
        }
        for (role, shaped) in roles {
            self.perform(role, shaped, patterns, counts);
        }
    }

    fn perform(&mut self, role: Role, mut shaped: Shaped, patterns: &mut Patterns, counts: &mut Counts) {
        match role {
            Role::LeftOut(kind) => *counts.left_out.entry(kind.to_owned()).or_default() += 1,
            Role::Level(level) => {
                *counts.left_out.entry("SET".to_owned()).or_default() += 1;
                self.isolation = Some(level);
            }
            Role::Begin => {
                self.know(patterns, counts);
                if self.transaction.is_none() {
                    let level = shaped.shape.to_ascii_uppercase();
                    shaped.shape = begin(&level, self.isolation.as_deref());
                    shaped.holes.clear();
                    self.transaction = Some(Transaction { statements: vec![shaped], ..Transaction::default() });
                }
            }
            Role::Statement | Role::Back => match &mut self.transaction {
                Some(transaction) => transaction.take(shaped, matches!(role, Role::Back)),
                None => self.single(vec![shaped], patterns, counts),
            },
            Role::Commit | Role::Rollback => match self.transaction.take() {
                Some(Transaction { has_failed: true, .. }) => counts.failed += 1,
                Some(Transaction { is_long: true, .. }) => {
                    *counts.left_out.entry("transactions of more than 1000 statements, or a megabyte".to_owned()).or_default() += 1
                }
                Some(Transaction { mut statements, .. }) => {
                    leave_out_savepoints(&mut statements, counts);
                    if statements.len() > 1 {
                        counts.transactions += 1;
                        counts.longer += u64::from(statements.len() > 2);
                        let end = if matches!(role, Role::Commit) { "COMMIT" } else { "ROLLBACK" };
                        statements.push(Shaped { shape: end.to_owned(), holes: Vec::new() });
                        patterns.add(&statements, counts);
                    }
                }
                // The log begins within it.
                None if !self.is_known => {
                    self.before.clear();
                    self.is_known = true;
                    counts.cut += 1;
                }
                None => {}
            },
        }
    }

    /// Statements that are a transaction without BEGIN.
    fn single(&mut self, statements: Vec<Shaped>, patterns: &mut Patterns, counts: &mut Counts) {
        if !self.is_known && self.before.len() < MOST_STATEMENTS && self.before_bytes < MOST_BYTES {
            self.before_bytes += statements.iter().map(Shaped::bytes).sum::<usize>();
            self.before.push(statements);
            return;
        }
        self.know(patterns, counts);
        alone(statements, self.isolation.as_deref(), patterns, counts);
    }

    /// What came before the first BEGIN was no part of a transaction.
    fn know(&mut self, patterns: &mut Patterns, counts: &mut Counts) {
        (self.is_known, self.before_bytes) = (true, 0);
        for statements in std::mem::take(&mut self.before) {
            alone(statements, self.isolation.as_deref(), patterns, counts);
        }
    }
}

fn alone(mut statements: Vec<Shaped>, isolation: Option<&str>, patterns: &mut Patterns, counts: &mut Counts) {
    counts.transactions += 1;
    counts.longer += u64::from(statements.len() > 1);
    if statements.len() > 1 || isolation.is_some() {
        let word = |shape: String| Shaped { shape, holes: Vec::new() };
        statements.insert(0, word(begin("BEGIN", isolation)));
        statements.push(word("COMMIT".to_owned()));
    }
    patterns.add(&statements, counts);
}

/// `BEGIN`, with the level that it names or that the session has.
fn begin(upper: &str, isolation: Option<&str>) -> String {
    let named = upper.split_once("ISOLATION LEVEL ").map(|(_, level)| level);
    let level = ["SERIALIZABLE", "REPEATABLE READ", "READ COMMITTED", "READ UNCOMMITTED"];
    let named = level.iter().find(|level| named.is_some_and(|named| named.starts_with(**level))).copied();
    let only = if upper.contains("READ ONLY") { " READ ONLY" } else { "" };
    match named.or(isolation) {
        Some(level) => format!("BEGIN ISOLATION LEVEL {level}{only}"),
        None => format!("BEGIN{only}"),
    }
}
