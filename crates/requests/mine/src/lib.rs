//! Scripts from the log of a PostgreSQL server (`log_statement = all`).
//!
//! [`Miner::feed`] takes the bytes of a log piece by piece, and [`Miner::finish`] gives the scripts. Memory is that of
//! the open transactions and of the different shapes of transactions, however long the log is.
//!
//! | what | module |
//! |---|---|
//! | entries of the three formats (stderr, csvlog, jsonlog) | `entry`, `lines` |
//! | statements without their values | `shape` |
//! | transactions of sessions | `session` |
//! | what executions of one shape have in common | `pattern` |
//! | scripts as text | `script` |
//!
//! Nothing here panics, prints, or reads anything but what it is fed. No verdict rests on it: what is decided are the
//! scripts that it writes.

mod counts;
mod entry;
mod lines;
mod pattern;
mod script;
mod session;
mod shape;

pub use entry::LogFormat;
pub use script::{LeftOut, MinedScript, MinedWorkload, NothingMined};

use lines::Lines;
use session::Sessions;

/// Reads a log.
///
/// ```
/// use serval_mine::{LogFormat, Miner};
/// let log = "2026-11-19 01:00:00 UTC [7] LOG:  statement: BEGIN
/// 2026-11-19 01:00:00 UTC [7] LOG:  statement: UPDATE t SET n = n + 1 WHERE id = 1
/// 2026-11-19 01:00:00 UTC [7] LOG:  statement: COMMIT
/// ";
/// let mut miner = Miner::new(LogFormat::Stderr);
/// miner.feed(log.as_bytes());
/// let mined = miner.finish().unwrap();
/// assert_eq!((mined.transactions, mined.scripts[0].name.as_str()), (1, "update_t"));
/// ```
#[derive(Debug)]
pub struct Miner {
    lines: Lines,
    sessions: Sessions,
}

impl Miner {
    /// Begins.
    pub fn new(format: LogFormat) -> Self {
        Self { lines: Lines::new(format), sessions: Sessions::default() }
    }

    /// Takes the next bytes of the log.
    pub fn feed(&mut self, bytes: &[u8]) {
        let sessions = &mut self.sessions;
        self.lines.feed(bytes, &mut |entry| sessions.take(entry));
    }

    /// Another file of the same log begins: what is open goes on in it. It may have another format.
    pub fn next_file(&mut self, format: LogFormat) {
        let sessions = &mut self.sessions;
        self.lines.end_file(&mut |entry| sessions.take(entry));
        self.lines.format(format);
    }

    /// The log is over.
    ///
    /// # Errors
    ///
    /// Why there is no script.
    pub fn finish(mut self) -> Result<MinedWorkload, NothingMined> {
        let sessions = &mut self.sessions;
        self.lines.end_file(&mut |entry| sessions.take(entry));
        self.sessions.finish();
        script::workload(self.sessions, &self.lines)
    }
}
