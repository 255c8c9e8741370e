//! The command line of `serval tso`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use serval::tso::TsoMethod;

use super::Limits;

/// Programs on weak memory: what can be reached, robustness, fences
#[derive(ClapArgs, Debug)]
#[command(
    after_help = "Examples:\n  serval tso check dekker.tso              SC, TSO and robustness\n  serval tso fix dekker.tso                the fewest fences\n\nExit status: 0 success, 1 a defect, 2 usage or input error, 3 undecided, 4 a bug in serval, 130 interrupted."
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

/// What `--jobs` does here.
const ONE_THREAD: &str = "No effect: searches on weak memory use one thread";

/// Answer the questions of programs under SC and TSO, and say whether they are robust
#[derive(ClapArgs, Clone, Debug)]
#[command(
    mut_arg("jobs", |jobs| jobs.help(ONE_THREAD)),
    after_help = "SC is sequential consistency; TSO is memory with a store buffer for each thread, as on x86. A program is robust if every run under TSO has the order of one under SC.\n`never`, `forall` and `assert` are demands; `exists` is a question, and no defect.\n\nExamples:\n  serval tso check sb.tso\n  serval tso check sb.tso --only robust\n  serval tso check SB.litmus --html sb.html\n  serval tso check sb.tso --question 'exists L.r == 1'\n  serval tso check sb.tso --certificate sb.cert; serval verify sb.tso sb.cert\n\nExit status: 0 nothing bad can be reached and the program is robust, 1 something bad can be reached under TSO or it is not robust, 2 usage or input error, 3 undecided, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct TsoCheck {
    /// Programs (.tso) and litmus tests (.litmus); - reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// What the input is, where its name does not tell: a program unless this says otherwise
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) input: Option<TsoInputKind>,
    /// Ask this too, such as 'never L@cs && R@cs'
    #[arg(long, value_name = "TEXT")]
    pub(crate) question: Vec<String>,
    /// Which answers count for the exit status
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) only: Option<TsoOnly>,
    /// Store buffers of at most N places, where the program is not robust
    #[arg(long, default_value_t = 64, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) buffer: u16,
    /// Where the program is not robust, look only for runs in which each thread has at most K rounds: one that is found
    /// is one, and that none is found says nothing
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=32))]
    pub(crate) rounds: Option<u32>,
    /// One method alone for questions under TSO
    #[arg(long, value_enum, value_name = "METHOD", hide = true, conflicts_with = "rounds")]
    pub(crate) method: Option<TsoBy>,
    /// Take N copies of each `thread*` instead of any number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) copies: Option<u32>,
    /// List all final states, and which of them need store buffers
    #[arg(long)]
    pub(crate) final_states: bool,
    /// States of one search, at most
    #[arg(long, default_value_t = 10_000_000, value_name = "N")]
    pub(crate) max_states: usize,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// For people or for machines
    #[arg(long, value_enum, default_value_t = TsoCheckFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TsoCheckFormat,
    /// Save a page with the runs; with several programs a directory, which is made
    #[arg(long, value_name = "PATH")]
    pub(crate) html: Option<PathBuf>,
    /// Save the evidence in this file; with several programs a directory, which is made
    #[arg(long, value_name = "PATH")]
    pub(crate) certificate: Option<PathBuf>,
    /// Say what the answers rest on, in words
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Leave times out of the JSON, so that it is the same every time
    #[arg(long)]
    pub(crate) no_times: bool,
    /// Exit with 0 instead of 1 and 3
    #[arg(long)]
    pub(crate) exit_zero: bool,
}

/// Find the fewest fences that make a program robust, or keep bad states out
#[derive(ClapArgs, Clone, Debug)]
#[command(
    mut_arg("jobs", |jobs| jobs.help(ONE_THREAD)),
    after_help = "The changed program is proved to meet the goal, and every cheaper set is refuted, before anything is said.\n\nExamples:\n  serval tso fix sb.tso\n  serval tso fix sb.tso --goal reach       no bad state is reached; the program need not be robust\n  serval tso fix sb.tso --with xchg        locked stores instead of fences\n  serval tso fix sb.tso --cost loop=10     a fence in a loop is as dear as ten\n  serval tso fix sb.tso --all 5 --apply=2  five sets, the second of which is written into the file\n\nExit status: 0 robust already or fixed, 1 no set of fences helps, or a question is violated under SC too, 2 usage or input error, 3 undecided, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct TsoFix {
    /// A program (.tso) or a litmus test (.litmus); - reads standard input
    pub(crate) file: PathBuf,
    /// What the changes are for
    #[arg(long, value_enum, default_value_t = TsoAim::Robust, value_name = "GOAL")]
    pub(crate) goal: TsoAim,
    /// What is put into the program
    #[arg(long, value_enum, default_value_t = TsoWith::Fence, value_name = "WHAT")]
    pub(crate) with: TsoWith,
    /// Find up to N sets of the same cost
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) all: u16,
    /// What a place in a loop costs, as loop=10; any other costs 1
    #[arg(long, value_name = "loop=N", value_parser = loop_cost)]
    pub(crate) cost: Option<u64>,
    /// Write a set into the file, the first unless another is named, as --apply=2
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
    pub(crate) apply: Option<usize>,
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

/// The cost of a place in a loop.
fn loop_cost(text: &str) -> Result<u64, String> {
    let number = text.strip_prefix("loop=").and_then(|number| number.parse::<u64>().ok());
    number.filter(|number| (1..=1_000_000).contains(number)).ok_or_else(|| "write loop=N with N from 1 to 1000000".to_owned())
}

/// What changes are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TsoAim {
    /// The program is robust
    Robust,
    /// What `never`, `forall` and `assert` forbid cannot be reached
    Reach,
}

/// What changes are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TsoWith {
    /// Fences
    Fence,
    /// Locked exchanges in the place of stores
    Xchg,
}

/// How answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TsoFormat {
    /// For people
    Text,
    /// One object for each file, a line each
    Json,
}

/// A method for questions under TSO.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TsoBy {
    /// Store buffers with a growing bound
    StoreBuffers,
    /// Load buffers, backwards
    LoadBuffers,
}

impl TsoCheck {
    /// How questions under TSO are answered.
    pub(crate) fn by(&self) -> TsoMethod {
        match (self.rounds, self.method) {
            (Some(rounds), _) => TsoMethod::Rounds(rounds),
            (None, Some(TsoBy::StoreBuffers)) => TsoMethod::StoreBuffers,
            (None, Some(TsoBy::LoadBuffers)) => TsoMethod::LoadBuffers,
            (None, None) => TsoMethod::All,
        }
    }
}

/// How answers of `tso check` are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TsoCheckFormat {
    /// For people
    Text,
    /// One object for each file, a line each
    Json,
    /// Workflow commands of GitHub
    Github,
    /// A section of Markdown for each file
    Markdown,
}

/// What a file holds, where its name does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TsoInputKind {
    /// A program on weak memory
    Tso,
    /// A litmus test
    Litmus,
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
