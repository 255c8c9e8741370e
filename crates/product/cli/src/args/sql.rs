//! The command line of `serval sql`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::bench::{Shard, shard};
use super::workload::Level;
use super::{FixFormat, Limits, positive, seconds};

/// SQL transactions: what a server does with them
#[derive(ClapArgs, Debug)]
#[command(
    after_help = "Examples:\n  serval sql levels shop                       which isolation level is enough for each script\n  serval sql fix shop                          what to change, with a proof\n  serval sql replay lost-update.trace.json     performs a run on the server that libpq's environment names\n  serval sql replay bank run.json              performs the counterexample that check --trace has saved\n\nExit status: 0 success, 1 the server did something else, 2 usage or input error, or no connection, 3 undecided, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct Sql {
    #[command(subcommand)]
    pub(crate) command: SqlCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum SqlCommand {
    Fix(SqlFix),
    Levels(SqlLevels),
    Mine(SqlMine),
    Replay(SqlReplay),
}

/// Find the smallest changes that make a workload serializable
#[derive(ClapArgs, Clone, Debug)]
#[command(
    after_help = "Tries other levels, FOR UPDATE, one UPDATE for a read and a write, locks that are taken first, and ON CONFLICT; what is offered is proved of the very text that --apply writes.\n\nExamples:\n  serval sql fix shop                    what to change, as a diff\n  serval sql fix shop --apply 1          do what is offered first\n  serval sql fix shop --isolation rr     where transactions that name no level run at REPEATABLE READ\n  serval sql fix shop --format json      one object, for programs\n\nExit status: 0 serializable already or a fix was found, 1 no fix was found, 2 usage or input error, 3 undecided, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct SqlFix {
    /// A workload: a directory with a schema and scripts
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
    /// Write fix N, counted from 1, into the files
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) apply: Option<usize>,
    /// The level of transactions that name none
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) isolation: Option<Level>,
    /// Add a script that reads the whole table
    #[arg(long)]
    pub(crate) observe: bool,
    /// The range of columns that have none, such as "0..2 wrap"
    #[arg(long, value_name = "RANGE")]
    pub(crate) default_range: Option<String>,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// How long all texts may take together
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) timeout_all: Option<f64>,
    /// For people or for machines
    #[arg(long, value_enum, default_value_t = FixFormat::Text, value_name = "FORMAT")]
    pub(crate) format: FixFormat,
}

/// Which isolation level is enough, script by script
#[derive(ClapArgs, Clone, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    subcommand_help_heading = "Commands",
    after_help = "Finds the lowest allocations of READ COMMITTED and REPEATABLE READ to scripts that are proved serializable, with a counterexample for each next lower one.\n\nExamples:\n  serval sql levels shop                                  the lowest levels that are proved\n  serval sql levels shop --subsets                        which scripts are safe together\n  serval sql levels shop --format markdown                for a page of text\n  serval sql levels shop --shard 3/16 --format json > 3.json   one part of sixteen, on one machine of sixteen …\n  serval sql levels merge *.json                          … and the table of all\n\nExit status: 0 levels are proved or assumed, 2 usage or input error, 3 undecided, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct SqlLevels {
    #[command(subcommand)]
    pub(crate) command: Option<SqlLevelsCommand>,
    /// A workload: a directory with a schema and scripts
    #[arg(required = true, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// Also find the largest sets of scripts that are serializable together, all at one level
    #[arg(long, conflicts_with = "shard")]
    pub(crate) subsets: bool,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// How long all questions may take together; what is left then stays undecided
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) timeout_all: Option<f64>,
    /// Decide only a part of the questions, such as 3/16: the third of sixteen parts
    #[arg(long, value_name = "K/N", value_parser = shard)]
    pub(crate) shard: Option<Shard>,
    /// Add a script that reads all tables
    #[arg(long)]
    pub(crate) observe: bool,
    /// The range of columns that have none, such as "0..2 wrap"
    #[arg(long, value_name = "RANGE")]
    pub(crate) default_range: Option<String>,
    /// For people or for machines
    #[arg(long, value_enum, default_value_t = SqlLevelsFormat::Text, value_name = "FORMAT")]
    pub(crate) format: SqlLevelsFormat,
    /// Also write a page that opens from disk
    #[arg(long, value_name = "FILE.html")]
    pub(crate) html: Option<PathBuf>,
    /// Say how far the work is, a line for each question, also where standard error is no terminal
    #[arg(long)]
    pub(crate) progress: bool,
}

/// Make scripts from the log of a PostgreSQL server
#[derive(ClapArgs, Clone, Debug)]
#[command(
    after_help = "The server has to log all statements (log_statement = all), in the format stderr with %p or %c in log_line_prefix, csvlog or jsonlog. Each sequence of statements of a transaction becomes one script; its constants that change become parameters.\n\nExamples:\n  serval sql mine postgresql.log --out shop\n  serval sql mine monday.csv tuesday.csv --out shop      files of one log, in order\n  pg_dump --schema-only shop > shop/schema.sql           … and the schema beside\n\nExit status: 0 success, 2 usage or input error, 4 a bug in serval."
)]
pub(crate) struct SqlMine {
    /// Files of a log, in order; - reads standard input
    #[arg(required = true, value_name = "LOG")]
    pub(crate) logs: Vec<PathBuf>,
    /// Where the scripts go: a directory, which may be there and have a schema
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
}

#[derive(Subcommand, Clone, Debug)]
pub(crate) enum SqlLevelsCommand {
    Merge(SqlLevelsMerge),
}

/// Put the parts of the work together
#[derive(ClapArgs, Clone, Debug)]
#[command(
    after_help = "Example:\n  serval sql levels merge part-*.json\n\nExit status: 0 levels are proved or assumed, 2 usage or input error, 3 undecided, 4 a bug in serval."
)]
pub(crate) struct SqlLevelsMerge {
    /// What `serval sql levels --shard K/N --format json` wrote, all N parts in any order
    #[arg(required = true, value_name = "FILE.json")]
    pub(crate) files: Vec<PathBuf>,
    /// For people or for machines
    #[arg(long, value_enum, default_value_t = SqlLevelsFormat::Text, value_name = "FORMAT")]
    pub(crate) format: SqlLevelsFormat,
    /// Also write a page that opens from disk
    #[arg(long, value_name = "FILE.html")]
    pub(crate) html: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SqlLevelsFormat {
    /// A table of scripts and levels
    Text,
    /// One object
    Json,
    /// A section of Markdown
    Markdown,
}

/// Perform a saved run on a PostgreSQL server, session by session, and compare
#[derive(ClapArgs, Clone, Debug)]
#[command(
    after_help = "Works through psql, in a schema with a random name that is dropped at the end; no other table is touched.\n\nExamples:\n  serval check bank --trace run.json; serval sql replay bank run.json\n  serval sql replay lost-update.trace.json\n  serval sql replay lost-update.trace.json --dsn 'host=/tmp dbname=test'\n  serval sql replay lost-update.trace.json --dsn postgresql://me@localhost/test --format json\n\nExit status: 0 the server did the same, 1 it did something else, 2 usage or input error, or no connection, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct SqlReplay {
    /// The directory of the workload, where the run is a counterexample of `check --trace`, and the run, as JSON; -
    /// reads standard input
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
