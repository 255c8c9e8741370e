//! What is about handlers in JavaScript and TypeScript, and `replay`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args as ClapArgs, ValueEnum};

use super::seconds;

/// Options of `check` about handlers.
#[derive(ClapArgs, Clone, Debug, Default)]
pub(crate) struct HandlerArgs {
    /// With handlers: write the counterexample as a test for Node beside the file, NAME.test.mjs, where there is none
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) emit: Option<EmittedForm>,
    /// With handlers, also such as are outside of the subset: where nothing is decided, try all orders of up to N calls
    /// in Node; no verdict
    #[arg(long = "try", value_name = "N", value_parser = clap::value_parser!(u32).range(2..=4))]
    pub(crate) tried: Option<u32>,
    /// With handlers: how many events a turn of the event loop may begin with; default any
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) turns: Option<HandlerTurns>,
    #[command(flatten)]
    pub(crate) bounds: TranslationArgs,
}

/// What the program of a file of handlers depends on beside its text.
#[derive(ClapArgs, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TranslationArgs {
    /// With handlers: these requests of the file alone, with commas; the verdict says so
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) requests: Vec<String>,
    /// With handlers: how many values the outside has where they are only moved; default 2
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(i64).range(1..=9))]
    pub(crate) values: Option<i64>,
    /// With handlers: how many keys there are; default 2, or 1 where one stands for all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=9))]
    pub(crate) keys: Option<i64>,
    /// With handlers: status codes that mean that nothing has happened, with commas, or none; default
    /// 409,423,425,429,503
    #[arg(long, value_name = "CODES", value_delimiter = ',', value_parser = refusal)]
    pub(crate) refusals: Option<Vec<String>>,
}

/// A status code, or the word that stands for no code.
fn refusal(said: &str) -> Result<String, String> {
    let is_code = said.len() == 3 && said.parse().is_ok_and(|code: u16| (100..=599).contains(&code));
    if is_code || said == "none" { Ok(said.to_owned()) } else { Err("a status code has three digits, such as 409".to_owned()) }
}

impl HandlerArgs {
    /// Whether one of the options is there.
    pub(crate) fn is_said(&self) -> bool {
        self.emit.is_some() || self.tried.is_some() || self.turns.is_some() || self.bounds.is_said()
    }
}

impl TranslationArgs {
    /// Whether one of the options is there.
    pub(crate) fn is_said(&self) -> bool {
        *self != Self::default()
    }
}

/// How many events a turn of the event loop may begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HandlerTurns {
    /// Several, as where two answers arrive at once
    Any,
    /// One
    One,
}

/// What `check --emit` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EmittedForm {
    /// A test that fails until the race is fixed
    Test,
}

/// Perform a saved run, and compare
#[derive(ClapArgs, Debug)]
#[command(
    after_help = "Handlers in JavaScript and TypeScript are performed by the Node that is installed, `node` or the program in SERVAL_NODE, with what they import replaced by stubs; the file is not touched. Workloads of SQL are performed on a PostgreSQL server as by `serval sql replay`, and programs as by `serval run --replay`.\n\nExamples:\n  serval check token.ts --trace run.json; serval replay token.ts run.json\n  serval replay bank run.json                      a workload of SQL\n  serval replay bank.ser run.json                  a program\n\nExit status: 0 the same answers, 1 others, 2 usage or input error, no Node or no connection, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct Replay {
    /// Handlers (.js, .ts), the directory of a workload of SQL, a program (.ser) or a network system (.json)
    pub(crate) file: PathBuf,
    /// The run, as `--trace` has saved it
    pub(crate) trace: PathBuf,
    /// With workloads of SQL: how to connect, as psql reads it; default is libpq's environment
    #[arg(long, value_name = "DSN")]
    pub(crate) dsn: Option<String>,
    /// For people or for machines
    #[arg(long, value_enum, default_value_t = ReplayFormat::Text, value_name = "FORMAT")]
    pub(crate) format: ReplayFormat,
    /// How long it may take; default 10 for handlers, else 60
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) timeout: Option<f64>,
}

impl Replay {
    /// How long it may take.
    pub(crate) fn time(&self) -> Duration {
        Duration::try_from_secs_f64(self.timeout.unwrap_or(10.0)).unwrap_or(Duration::MAX)
    }
}

/// How `replay` tells what came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReplayFormat {
    /// A table
    Text,
    /// One object
    Json,
}
