//! Where the server is, and what can be wrong with it.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// How to connect.
#[derive(Clone, Debug)]
pub struct ServerAddress {
    /// The client.
    pub psql: PathBuf,
    /// A connection string or an address, as libpq reads it; else libpq's environment decides.
    pub dsn: Option<String>,
    /// Settings of all sessions, beside those that a replay needs.
    pub settings: Vec<(String, String)>,
    /// How long to wait for a connection.
    pub connecting: Duration,
    /// How long a statement may take that waits for no session of the replay.
    pub answering: Duration,
}

impl ServerAddress {
    /// What libpq's environment says, with `psql` from the path.
    pub fn new(dsn: Option<String>) -> Self {
        let ten = Duration::from_secs(10);
        Self { psql: PathBuf::from("psql"), dsn, settings: Vec::new(), connecting: ten, answering: ten }
    }
}

/// Why a replay came to no end. Each is one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerFailure {
    /// There is no client.
    NoClient(String),
    /// The client is older than 12.
    OldClient(String),
    /// The server does not let us in; in libpq's words.
    CannotConnect(String),
    /// Nothing came in so many seconds.
    NoAnswer(u64),
    /// The server is older than 12.
    OldServer(String),
    /// The role may not create a schema.
    NoCreate(String),
    /// A statement that makes the tables failed.
    Setup(String),
    /// A statement is not issued.
    NotIssued(String),
    /// The connection ended.
    GoneAway(String),
    /// A statement waits for a session that is not of this replay, or goes on for too long.
    Held(String),
    /// The user has had enough.
    Interrupted,
    /// After another failure, something may be left on the server.
    Left(Box<ServerFailure>, String),
}

/// The oldest server and client with all that is used.
pub(crate) const OLDEST: u32 = 12;

impl fmt::Display for ServerFailure {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoClient(why) => write!(to, "psql, the client of PostgreSQL, does not start: {why}"),
            Self::OldClient(version) => write!(to, "psql is of version {version}; a replay needs {OLDEST} or newer"),
            Self::CannotConnect(why) => write!(to, "cannot connect to PostgreSQL: {why}"),
            Self::NoAnswer(seconds) => write!(to, "cannot connect to PostgreSQL: no answer in {seconds} s"),
            Self::OldServer(version) => write!(to, "the server is PostgreSQL {version}; a replay needs {OLDEST} or newer"),
            Self::NoCreate(why) => write!(to, "the role cannot make the schema of the replay: {why}"),
            Self::Setup(why) => write!(to, "the tables cannot be made: {why}"),
            Self::NotIssued(why) => to.write_str(why),
            Self::GoneAway(why) => write!(to, "the server went away: {why}"),
            Self::Held(why) => to.write_str(why),
            Self::Interrupted => to.write_str("interrupted"),
            Self::Left(failure, schema) => write!(to, "{failure}; the schema {schema} may be left on the server"),
        }
    }
}

impl std::error::Error for ServerFailure {}
