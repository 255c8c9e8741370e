//! The command line of `serval sql`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::seconds;

/// SQL transactions: what a server does with them
#[derive(ClapArgs, Debug)]
#[command(
    after_help = "Examples:\n  serval sql replay lost-update.trace.json     performs a run on the server that libpq's environment names\n  serval sql replay bank run.json              performs the counterexample that check --trace has saved\n\nExit status: 0 success, 1 the server did something else, 2 usage or input error, or no connection, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct Sql {
    #[command(subcommand)]
    pub(crate) command: SqlCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum SqlCommand {
    Replay(SqlReplay),
}

/// Perform a saved run on a PostgreSQL server, session by session, and compare
#[derive(ClapArgs, Clone, Debug)]
#[command(
    after_help = "Works through psql, in a schema with a random name that is dropped at the end; no other table is touched.\n\nExamples:\n  serval check bank --trace run.json; serval sql replay bank run.json\n  serval sql replay lost-update.trace.json\n  serval sql replay lost-update.trace.json --dsn 'host=/tmp dbname=test'\n  serval sql replay lost-update.trace.json --dsn postgresql://me@localhost/test --format json\n\nExit status: 0 the server did the same, 1 it did something else, 2 usage or input error, or no connection, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct SqlReplay {
    /// The directory of the workload, where the run is a counterexample of `check --trace`, and the run, as JSON; - reads
    /// standard input
    #[arg(value_name = "[DIR] TRACE", required = true, num_args = 1..=2)]
    pub(crate) files: Vec<PathBuf>,
    /// How to connect, as psql reads it; default is libpq's environment
    #[arg(long, value_name = "DSN")]
    pub(crate) dsn: Option<String>,
    /// For people or for machines
    #[arg(long, value_enum, default_value_t = SqlReplayFormat::Text, value_name = "FORMAT")]
    pub(crate) format: SqlReplayFormat,
    /// How long the replay may take, everything included
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) timeout: f64,
}

impl SqlReplay {
    /// The directory of the workload, if there is one, and the run.
    pub(crate) fn places(&self) -> (Option<&PathBuf>, &PathBuf) {
        match self.files.as_slice() {
            [directory, run] => (Some(directory), run),
            files => (None, &files[0]),
        }
    }

    /// How long it may take.
    pub(crate) fn time(&self) -> Duration {
        Duration::try_from_secs_f64(self.timeout).unwrap_or(Duration::MAX)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SqlReplayFormat {
    /// A table with a column for each session
    Text,
    /// One object
    Json,
}
