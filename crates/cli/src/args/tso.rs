//! The command line of `serval tso`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::Limits;

/// Programs on weak memory: what can be reached, robustness, fences
#[derive(ClapArgs, Debug)]
#[command(
    after_help = "Examples:\n  serval tso check dekker.tso              SC, TSO and robustness\n  serval tso fix dekker.tso                the fewest fences\n\nExit status: 0 done and all is well, 1 a defect, 2 usage or input error, 3 undecided, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct Tso {
    #[command(subcommand)]
    pub(crate) command: TsoCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum TsoCommand {
    Check(TsoCheck),
    Fix(TsoFix),
}

/// Answer the questions of programs under SC and TSO, and say whether they are robust
#[derive(ClapArgs, Clone, Debug)]
#[command(
    after_help = "SC is sequential consistency; TSO is memory with a store buffer for each thread, as on x86. A program is robust if every run under TSO has the order of one under SC.\n`never`, `forall` and `assert` are demands; `exists` is a question, and no defect.\n\nExamples:\n  serval tso check sb.tso\n  serval tso check sb.tso --only robust\n  serval tso check sb.tso --certificate sb.cert; serval verify sb.tso sb.cert\n\nExit status: 0 nothing bad can be reached and the program is robust, 1 something bad can be reached under TSO or it is not robust, 2 usage or input error, 3 undecided, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct TsoCheck {
    /// Programs (.tso); - reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Which answers count for the exit status
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) only: Option<TsoOnly>,
    /// Store buffers of at most so many places, where the program is not robust
    #[arg(long, default_value_t = 64, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) buffer: u16,
    /// States of one search, at most
    #[arg(long, default_value_t = 10_000_000, value_name = "N")]
    pub(crate) max_states: usize,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// For people or for machines
    #[arg(long, value_enum, default_value_t = TsoFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TsoFormat,
    /// Save the evidence in this file; with several programs a directory, which is made
    #[arg(long, value_name = "PATH")]
    pub(crate) certificate: Option<PathBuf>,
    /// Leave times out of the JSON, so that it is the same every time
    #[arg(long)]
    pub(crate) no_times: bool,
    /// Exit with 0 instead of 1 and 3
    #[arg(long)]
    pub(crate) exit_zero: bool,
}

/// Find the fewest fences that make a program robust
#[derive(ClapArgs, Clone, Debug)]
#[command(
    after_help = "The program with the fences is proved robust, and every smaller set of fences is refuted, before anything is said.\n\nExamples:\n  serval tso fix sb.tso\n  serval tso fix sb.tso --format json\n\nExit status: 0 robust already or fixed, 2 usage or input error, 3 undecided, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct TsoFix {
    /// A program (.tso); - reads standard input
    pub(crate) file: PathBuf,
    /// States of one search, at most
    #[arg(long, default_value_t = 10_000_000, value_name = "N")]
    pub(crate) max_states: usize,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// For people or for machines
    #[arg(long, value_enum, default_value_t = TsoFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TsoFormat,
    /// Save the evidence in this file
    #[arg(long, value_name = "PATH")]
    pub(crate) certificate: Option<PathBuf>,
}

/// How answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TsoFormat {
    /// For people
    Text,
    /// One object for each file, a line each
    Json,
}

/// Which answers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TsoOnly {
    /// Questions under sequential consistency
    Sc,
    /// Questions with store buffers
    Tso,
    /// Whether the program is robust
    Robust,
}
