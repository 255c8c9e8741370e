//! The command line.

mod bench;
mod export;
mod handlers;
mod net;
mod sql;
mod tso;
mod workload;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args as ClapArgs, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use serval_report::escape;

use crate::output::{Colour, say};
pub(crate) use bench::{Bench, BenchCommand, BenchFormat, Merge};
pub(crate) use export::ExportForm;
#[cfg(feature = "handlers")]
pub(crate) use handlers::HandlerTurns;
pub(crate) use handlers::{HandlerArgs, Replay, ReplayFormat, TranslationArgs};
pub(crate) use net::{
    CoverFormat, LustreEncoding, Net, NetCheck, NetCommand, NetCover, NetDecompose, NetExport, NetFile, NetForm, NetFormat, NetInfo,
    NetInvariant, NetKind, NetReduce, NetRun, NetStates, ReducedForm, SpaceForm, SpaceFormat, TreeForm,
};
pub(crate) use sql::{
    Sql, SqlCommand, SqlFix, SqlLevels, SqlLevelsCommand, SqlLevelsFormat, SqlLevelsMerge, SqlMine, SqlReplay, SqlReplayFormat,
};
pub(crate) use tso::{Tso, TsoAim, TsoCheck, TsoCheckFormat, TsoCommand, TsoFix, TsoFormat, TsoInputKind, TsoOnly, TsoWith};
pub(crate) use workload::SqlArgs;

/// The least memory that a process can be given, in MiB.
pub(crate) const LEAST_MEMORY: u64 = 32;
/// How many threads there may be.
pub(crate) const JOBS: RangeInclusive<usize> = 1..=1024;

/// Decides whether request handlers are serializable, with evidence.
///
/// Inputs are programs in the SER language (.ser) and network systems (.json).
#[derive(Parser, Debug)]
#[command(name = "serval", version, max_term_width = 100)]
#[command(
    after_help = "Examples:\n  serval new bank                 a program to begin with, in the directory bank\n  serval check bank/bank.ser      is it serializable?\n  serval fix bank/bank.ser        what to change so that it is\n\nExit status: 0 success, 1 a problem was found (not serializable, invalid, not formatted), 2 usage or input error, 3 undecided, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) manners: Manners,
}

/// What every command can be told.
#[derive(ClapArgs, Debug)]
pub(crate) struct Manners {
    /// When to use colours
    // Behind the options of the command, wherever these end.
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto, value_name = "WHEN", display_order = 900)]
    pub(crate) color: Colour,
    /// Print errors only; `check` also prints one line for each verdict
    #[arg(short, long, global = true, display_order = 901)]
    pub(crate) quiet: bool,
}

impl Args {
    /// What the command line says; where it cannot be understood, or asks for
    /// help, that has been said, and this is the exit status.
    pub(crate) fn of_process() -> Result<Self, ExitCode> {
        let matches = match check_alone() {
            Some(matches) => matches,
            None => Self::command().try_get_matches().map_err(|error| tell(&shortened(error)))?,
        };
        let mut args = Self::from_arg_matches(&matches).map_err(|error| tell(&error.format(&mut Self::command())))?;
        if let (Command::Check(check), Some((_, given))) = (&mut args.command, matches.subcommand()) {
            check.explicit = explicit(given);
        }
        Ok(args)
    }
}

/// The options of `check` that its `--help` has: those that people use. `--help-all` has all of them, as have the
/// manual pages, the reference and the completions.
const USUAL: [&str; 14] = [
    "files",
    "timeout",
    "format",
    "certificate",
    "html",
    "strict",
    "expected",
    "exit_zero",
    "watch",
    "full",
    "verbose",
    "quiet",
    "help",
    "help_all",
];

/// Help on `check` with the usual options alone, unless all of them are asked for; any other message as it is.
fn shortened(error: clap::Error) -> clap::Error {
    let is_help = matches!(error.kind(), clap::error::ErrorKind::DisplayHelp);
    if !is_help || std::env::args_os().any(|argument| argument == "--help-all") {
        return error;
    }
    let mut command = Args::command();
    // Options of all commands are put into each of them.
    command.build();
    if let Some(check) = command.find_subcommand_mut("check") {
        let brief = |option: clap::Arg| match USUAL.contains(&option.get_id().as_str()) {
            true => option,
            false => option.hide_short_help(true).hide_long_help(true),
        };
        *check = std::mem::take(check).mut_args(brief);
    }
    command.try_get_matches().err().unwrap_or(error)
}

/// A command line of `check` that has nothing wrong and asks for no help.
/// To describe all commands takes longer than some programs need to be
/// decided, so the command that is given most is described alone first; where
/// that does not do, everything is described, and says what is wrong.
fn check_alone() -> Option<ArgMatches> {
    if std::env::args_os().nth(1)? != "check" {
        return None;
    }
    let check = Check::augment_args(clap::Command::new("check"));
    let alone = Manners::augment_args(clap::Command::new("serval").disable_help_subcommand(true)).subcommand(check);
    alone.try_get_matches().ok()
}

/// Says what is wrong with the command line. It may quote arguments, and these
/// may be names of files that others have chosen.
fn tell(error: &clap::Error) -> ExitCode {
    let status = ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
    let arguments: Vec<String> = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    if !arguments.iter().any(|argument| argument.contains(escape::is_hidden)) {
        // If standard error is closed there is no reader.
        let _ = error.print();
        return status;
    }
    let mut text = error.render().to_string();
    for argument in &arguments {
        // Options are quoted without their values, and values without options.
        for part in [argument.as_str()].into_iter().chain(argument.split('=')).filter(|part| part.contains(escape::is_hidden)) {
            text = text.replace(part, &escape::line(part));
        }
    }
    say(&escape::lines(&text));
    status
}

/// The options that stand on the command line.
fn explicit(matches: &ArgMatches) -> BTreeSet<String> {
    let ids = matches.ids().map(|id| id.as_str());
    ids.filter(|id| matches.value_source(id) == Some(ValueSource::CommandLine)).map(str::to_owned).collect()
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Check(Check),
    Verify(Verify),
    Export(Export),
    Run(RunArgs),
    Replay(Replay),
    Fmt(Fmt),
    Fix(Fix),
    Bench(Bench),
    Net(Net),
    Tso(Tso),
    Sql(Sql),
    Explain(Explain),
    Lsp(Lsp),
    Playground(Playground),
    New(New),
    Completions(Completions),
    Man(Man),
}

/// What a file holds, where its name does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputKind {
    /// A program in the SER language
    Ser,
    /// A network system
    Json,
}

/// What a certificate is about, where the name of the file does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerifiedKind {
    /// A program in the SER language
    Ser,
    /// A network system
    Json,
    /// A Petri net in PNML
    Pnml,
    /// A Petri net as Tina writes it
    Net,
    /// A specification of mist
    Spec,
    /// A vector addition system with states
    Vass,
    /// A program on weak memory
    Tso,
    /// A litmus test
    Litmus,
}

#[derive(ClapArgs, Clone, Debug)]
pub(crate) struct InputArgs {
    /// A program (.ser) or a network system (.json); - reads standard input
    pub(crate) file: PathBuf,
    /// What the input is, where its name does not tell
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) input: Option<InputKind>,
    /// Compile without dead-local reset, folding, merging and splitting
    #[arg(long)]
    pub(crate) plain: bool,
    /// The most pairs of local and global states that are explored
    #[arg(long, default_value_t = 4_000_000, value_name = "N")]
    pub(crate) max_states: u64,
}

/// What can be switched off in the published method
#[derive(ClapArgs, Clone, Debug, Default)]
pub(crate) struct Classic {
    /// With --method classic: eliminate states in the order of their numbers
    #[arg(long)]
    pub(crate) no_elimination_order: bool,
    /// With --method classic: keep redundant periods and components
    #[arg(long)]
    pub(crate) no_prune: bool,
    /// With --method classic: leave everything under the star
    #[arg(long)]
    pub(crate) no_factor: bool,
    /// With --method classic: ask about the whole net
    #[arg(long)]
    pub(crate) no_slice: bool,
}

/// What work may take.
#[derive(ClapArgs, Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// How long one file may take, everything included
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) timeout: f64,
    /// How much memory the process may take; default 80 % of the machine's
    #[arg(long, value_name = "MIB", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(LEAST_MEMORY..))]
    pub(crate) memory: Option<u64>,
    /// How many threads; default as many as there are cores
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) jobs: Option<usize>,
}

impl Limits {
    /// How long one file may take.
    pub(crate) fn time(&self) -> Duration {
        Duration::try_from_secs_f64(self.timeout).unwrap_or(Duration::MAX)
    }
}

/// Decide whether programs or systems are serializable
#[derive(ClapArgs, Clone, Debug)]
#[command(
    after_help = "Examples:\n  serval check bank.ser                            one program\n  serval check examples                            all files in a directory, a line each\n  serval check examples --format json              the same for machines\n  serval check bank.ser --certificate bank.cert    saves the evidence\n  serval check - < bank.ser                        standard input\n  serval check examples --watch                    again whenever a file changes\n  serval check examples --expected                 is each as its header says?\n\nDefaults can stand in serval.toml, below [check].\n\nExit status: 0 all serializable (with --strict: strict), 1 some not, 2 usage or input error, 3 undecided, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct Check {
    /// Programs (.ser), network systems (.json), directories, or workloads of SQL; - reads standard input
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// What the input is, where its name does not tell
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) input: Option<InputKind>,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// Which methods: auto, names among search, lipton, reduce, letters, flow, bounded, sample, decompose, or classic
    #[arg(long, default_value = "auto", value_delimiter = ',', value_name = "NAMES")]
    pub(crate) method: Vec<String>,
    /// Which random runs the method sample draws; the same seed gives the same runs
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) classic: Classic,
    /// For people or for machines
    #[arg(long, value_enum, default_value_t = OutputFormat::Text, value_name = "FORMAT")]
    pub(crate) format: OutputFormat,
    #[command(flatten)]
    pub(crate) sql: SqlArgs,
    /// With workloads of SQL: exit with 3 where SERIALIZABLE is taken at its word
    #[arg(long)]
    pub(crate) require_certificate: bool,
    /// With workloads of SQL: decide again with one more row for each table and twice the range of columns
    #[arg(long)]
    pub(crate) grow: bool,
    /// Perform the counterexample: of a workload of SQL on a PostgreSQL server, without DSN the one of libpq's
    /// environment; of handlers in Node
    #[arg(long, value_name = "DSN", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(crate) replay: Option<String>,
    #[command(flatten)]
    pub(crate) handlers: HandlerArgs,
    /// Say nothing about these warnings and notes, such as W0203
    #[arg(long, value_delimiter = ',', value_name = "CODES", value_parser = silenceable)]
    pub(crate) allow: Vec<String>,
    /// Save the evidence (a directory when there are several files)
    #[arg(long, value_name = "PATH")]
    pub(crate) certificate: Option<PathBuf>,
    /// Save the counterexample for `serval run --replay` (a directory when there are several files)
    #[arg(long, value_name = "PATH")]
    pub(crate) trace: Option<PathBuf>,
    /// Write a page with pictures (a directory when there are several files)
    #[arg(long, value_name = "PATH")]
    pub(crate) html: Option<PathBuf>,
    /// Draw the counterexample (a directory when there are several files)
    #[arg(long, value_name = "PATH")]
    pub(crate) svg: Option<PathBuf>,
    /// Ask one thing alone: whether a step can fail, such as an assertion; nothing is said about answers
    #[arg(long, value_name = "WHAT", conflicts_with_all = ["scale", "expected"])]
    pub(crate) only: Option<OnlyAsked>,
    /// Decide about the program in which no declared range goes beyond N: another program, and a hint at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..), conflicts_with_all = ["certificate", "trace", "html", "svg", "watch", "expected"])]
    pub(crate) scale: Option<i64>,
    /// Do not look for a fix of what is not serializable, nor for advice on what is undecided
    #[arg(long)]
    pub(crate) no_fix: bool,
    /// Propose no fix that removes or moves the yield on this line, as a comment `// keep` beside it would
    #[arg(long, value_name = "LINE", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) keep: Vec<u32>,
    /// Exit with 0 where the verdict is the one that `// expect:` in the file promises, with 1 where it is another
    #[arg(long)]
    pub(crate) expected: bool,
    /// Decide about the order in time, too: is each request as if it was done between coming and answering?
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = false, default_missing_value = "true", hide_default_value = true, hide_possible_values = true, action = clap::ArgAction::Set)]
    pub(crate) strict: bool,
    /// Exit with 0 instead of 1 and 3
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = false, default_missing_value = "true", hide_default_value = true, hide_possible_values = true, action = clap::ArgAction::Set)]
    pub(crate) exit_zero: bool,
    /// Leave times out of the JSON, so that it is the same every time
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = false, default_missing_value = "true", hide_default_value = true, hide_possible_values = true, action = clap::ArgAction::Set)]
    pub(crate) no_times: bool,
    /// Also say how it was decided, and what holds at every moment
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// The whole report on every file where there are several, instead of a line each and the first counterexample
    #[arg(long)]
    pub(crate) full: bool,
    /// With --format json: also write objects that tell how far the work is
    #[arg(long)]
    pub(crate) progress: bool,
    /// Decide anew, and do not remember the verdict
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = false, default_missing_value = "true", hide_default_value = true, hide_possible_values = true, action = clap::ArgAction::Set)]
    pub(crate) no_cache: bool,
    /// Check again whenever a file changes, until interrupted
    #[arg(long)]
    pub(crate) watch: bool,
    /// Print help with all options
    #[arg(long, action = clap::ArgAction::HelpLong, display_order = 1000)]
    pub(crate) help_all: Option<bool>,
    /// The options that stand on the command line; what a file says does not
    /// change these.
    #[arg(skip)]
    pub(crate) explicit: BTreeSet<String>,
}

/// What `check --only` asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnlyAsked {
    /// Steps that fail: assertions, ranges, arrays, arithmetic
    Faults,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people
    Text,
    /// One object per file, a line each
    Json,
    /// SARIF 2.1.0, one log for all files
    Sarif,
    /// Annotations for GitHub, a line each
    Github,
    /// Markdown with diagrams
    Markdown,
}

/// The code of a warning or a note.
fn silenceable(text: &str) -> Result<String, String> {
    match serval::codes().find(|info| info.code.0 == text) {
        Some(info) if info.severity == serval::Severity::Error => Err("errors cannot be silenced".to_owned()),
        Some(_) => Ok(text.to_owned()),
        None => Err("there is no such warning; see the code in brackets behind the word `warning`".to_owned()),
    }
}

/// A time in seconds, more than nothing.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds > 0.0 => Ok(seconds),
        _ => Err("a number of seconds greater than 0".to_owned()),
    }
}

fn positive(text: &str) -> Result<usize, String> {
    text.parse::<usize>().ok().filter(|number| JOBS.contains(number)).ok_or_else(|| "a number from 1 to 1024".to_owned())
}

/// Check evidence with the independent checker
#[derive(ClapArgs, Debug)]
#[command(
    after_help = "Examples:\n  serval check bank.ser --certificate bank.cert; serval verify bank.ser bank.cert\n  serval verify lock.pnml one-safe.json            what is said of a Petri net\n\nExit status: 0 valid, 1 invalid, 2 usage or input error, 3 too large, 4 a bug in serval."
)]
pub(crate) struct Verify {
    /// The program (.ser, .tso), network system, net (.pnml, .net), file of handlers (.js, .ts) or directory of a
    /// workload of SQL
    pub(crate) file: PathBuf,
    /// The certificate
    pub(crate) certificate: PathBuf,
    /// What the input is, where its name does not tell
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) input: Option<VerifiedKind>,
    /// Also check that the compiled program has the answers of the program as written: the map between their states,
    /// step by step
    #[arg(long)]
    pub(crate) check_compile: bool,
    /// For nets: compose the net with this one, as `serval net check` was told to; the word pages composes the pages
    /// and the nets of the file itself
    #[arg(long, value_name = "pages|FILE")]
    pub(crate) compose: Vec<PathBuf>,
    /// For nets: begin with this marking, as `serval net check` was told to
    #[arg(long, value_name = "MARKING")]
    pub(crate) from: Option<String>,
    /// For programs on weak memory: a question that `serval tso check` was asked beside those of the file
    #[arg(long, value_name = "TEXT")]
    pub(crate) question: Vec<String>,
    #[command(flatten)]
    pub(crate) sql: SqlArgs,
    #[command(flatten)]
    pub(crate) bounds: TranslationArgs,
}

/// Write a program or system in another form
#[derive(ClapArgs, Clone, Debug)]
#[command(
    after_help = "Examples:\n  serval export bank.ser --to ns                   the network system as JSON\n  serval export bank.ser --to svg --out bank.svg   a picture\n  serval export bank.ser --to nfa-dot --out a.dot  the serial automaton\n  serval export bank.ser --to ns --component 1     one of several components\n  serval export bank.ser --to smtlib --out bank    obligations, all unsat\n  serval export bank.ser --to pnml --out n.pnml    the Petri net, for model checkers\n  serval export bank.ser --to query --out q.xml    what to ask about it\n  serval export SB.litmus --to tso                 a litmus test as a program\n  serval export shop --to spec                     the counterexample of a workload of SQL\n\nPrograms on weak memory (.tso) and litmus tests (.litmus) have the forms tso, dot (the automata of the threads), ns and net (any number of copies under sequential consistency) and sc-rounds:K.\n\nA program of independent components exports one system per component; net, pnml and query are about one, and ask for --component or --product.\n\nExit status: 0 done, 2 usage or input error, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// The form
    #[arg(long, value_name = "FORMAT", value_parser = export::FormParser)]
    pub(crate) to: ExportForm,
    #[command(flatten)]
    pub(crate) sql: SqlArgs,
    #[command(flatten)]
    pub(crate) bounds: TranslationArgs,
    /// Write to this file instead of standard output; for smtlib and psql a directory, which is made
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// With core: JSON, with the map between states of the program as written and of its network systems
    #[arg(long)]
    pub(crate) with_map: bool,
    /// How long the work may take, for smtlib, regex, semilinear, query, spec and psql
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: f64,
    /// Which methods may prove it, for smtlib; with flow or classic nothing is left to the checker's rules
    #[arg(long, default_value = "auto", value_delimiter = ',', value_name = "NAMES")]
    pub(crate) method: Vec<String>,
    /// Only this component, counted from 0
    #[arg(long, value_name = "K", conflicts_with = "product")]
    pub(crate) component: Option<usize>,
    /// One system for all components: their product
    #[arg(long)]
    pub(crate) product: bool,
    /// Eliminate states by number, not those with few edges first; for regex, semilinear, query and method classic
    #[arg(long)]
    pub(crate) no_elimination_order: bool,
    /// Keep redundant periods and components; for semilinear, query and method classic
    #[arg(long)]
    pub(crate) no_prune: bool,
    /// Do not factor components out of stars; for semilinear, query and method classic
    #[arg(long)]
    pub(crate) no_factor: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The network system as JSON
    Ns,
    /// The program in the core language, with all convenience forms written out
    Core,
    /// The program that a workload of SQL stands for, with its statements as comments
    Ser,
    /// A file of handlers without its types, as Node performs it
    Js,
    /// The counterexample of a workload of SQL for PostgreSQL's isolation tester
    Spec,
    /// The counterexample of a workload of SQL as scripts for psql, one for each session (a directory)
    Psql,
    /// The network system for Graphviz
    Dot,
    /// The network system for Mermaid
    Mermaid,
    /// The serial automaton for Graphviz
    NfaDot,
    /// A picture of the network system
    Svg,
    /// A picture of the serial automaton
    NfaSvg,
    /// A picture of the interleaving net
    NetSvg,
    /// Proof obligations, as questions for SMT solvers (a directory)
    Smtlib,
    /// The interleaving net in the format of Tina
    Net,
    /// The interleaving net as PNML
    Pnml,
    /// Which markings of the net are not serial, as properties of the Model Checking Contest
    Query,
    /// The regular expression of the serial automaton
    Regex,
    /// The semilinear set of serial answers, and its complement
    Semilinear,
    /// A litmus test as a program on weak memory
    Tso,
    /// The program under sequential consistency that does what a program on weak memory does in K rounds of each
    /// thread: sc-rounds:K
    #[value(name = "sc-rounds:K")]
    ScRounds,
}

/// Run a program or system
#[derive(ClapArgs, Debug)]
#[command(
    after_help = "Examples:\n  serval run bank.ser --requests 4 --seed 7        a random run\n  serval run bank.ser --runs 100 --trace t.json    a hundred of them, the last one saved\n  serval run bank.ser --replay t.json              the same run again\n  serval run bank.ser --interactive                you decide what happens next\n\nExit status: 0 done, 2 usage or input error, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// How many requests come
    #[arg(long, default_value_t = 3, value_name = "K")]
    pub(crate) requests: u32,
    /// Which random run; the same seed gives the same run
    #[arg(long, default_value_t = 0, value_name = "S")]
    pub(crate) seed: u64,
    /// How many runs, with seeds S, S+1, …
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) runs: u64,
    /// Give up a run after N steps
    #[arg(long, default_value_t = 1_000, value_name = "N")]
    pub(crate) max_steps: u64,
    /// Replay a saved run
    #[arg(long, value_name = "TRACE", conflicts_with_all = ["interactive", "requests", "seed", "runs"])]
    pub(crate) replay: Option<PathBuf>,
    /// Choose what happens next
    #[arg(long, conflicts_with_all = ["seed", "runs", "requests"])]
    pub(crate) interactive: bool,
    /// Save the run
    #[arg(long, value_name = "PATH")]
    pub(crate) trace: Option<PathBuf>,
}

/// Format programs
#[derive(ClapArgs, Debug)]
#[command(
    after_help = "Examples:\n  serval fmt bank.ser                              formats the file\n  serval fmt --check examples                      is everything formatted?\n  serval fmt --diff bank.ser                       what would change\n  serval fmt - < bank.ser                          standard input to standard output\n\nIndentation and width can be set in serval.toml.\n\nExit status: 0 done, or nothing to change; 1 --check: something would change; 2 usage or input error; 4 a bug in serval."
)]
pub(crate) struct Fmt {
    /// Programs (.ser, .tso) or directories; - formats standard input to standard output
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// What standard input is: a program of requests unless this says otherwise
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) input: Option<FmtInput>,
    /// Write nothing; name the files that would change, and exit with 1 if there are any
    #[arg(long)]
    pub(crate) check: bool,
    /// Write nothing; show what would change
    #[arg(long)]
    pub(crate) diff: bool,
}

/// The languages that are formatted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FmtInput {
    /// A program in the SER language
    Ser,
    /// A program on weak memory
    Tso,
}

/// Find the smallest change that makes a program serializable
#[derive(ClapArgs, Debug)]
#[command(
    after_help = "Examples:\n  serval fix bank.ser                              what to change, as a diff\n  serval fix bank.ser --lock MUTEX                 which requests need a lock\n  serval fix bank.ser --keep 12                    the yield on line 12 stays where it is\n  serval fix bank.ser --apply 1                    do what is offered first\n  serval fix bank.ser --format json                one object, for programs\n\nExit status: 0 serializable already or a fix was found, 1 no fix exists, 2 usage or input error, 3 undecided, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct Fix {
    /// A program (.ser), or the directory of a workload of SQL; - reads standard input
    pub(crate) file: PathBuf,
    /// What the input is, where its name does not tell
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) input: Option<InputKind>,
    /// Put the fewest requests under a new lock of this name, and propose nothing else
    #[arg(long, value_name = "NAME")]
    pub(crate) lock: Option<String>,
    /// Make it strict: look for yields without which the order agrees with the one in time
    #[arg(long, conflicts_with = "lock")]
    pub(crate) strict: bool,
    /// Leave the yield on this line alone, as a comment `// keep` beside it would
    #[arg(long, value_name = "LINE", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) keep: Vec<u32>,
    /// Write fix N, counted from 1, into the file
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) apply: Option<usize>,
    /// For people or for machines
    #[arg(long, value_enum, default_value_t = FixFormat::Text, value_name = "FORMAT")]
    pub(crate) format: FixFormat,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

/// How fixes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FixFormat {
    /// For people
    Text,
    /// One object on one line
    Json,
}

/// Explain an error code, a warning, a verdict or an anomaly
#[derive(ClapArgs, Debug)]
#[command(
    after_help = "Examples:\n  serval explain E0103\n  serval explain lost-update\n  serval explain            lists all pages\n\nExit status: 0 done, 2 usage or input error, 4 a bug in serval."
)]
pub(crate) struct Explain {
    /// What to explain, such as E0103; without it, all pages are listed
    #[arg(value_parser = PageName, hide_possible_values = true)]
    pub(crate) name: Option<String>,
}

/// The name of a page. Shells complete it; what is no page is answered by the command, which knows what is similar.
#[derive(Clone, Debug)]
struct PageName;

impl clap::builder::TypedValueParser for PageName {
    type Value = String;

    fn parse_ref(&self, command: &clap::Command, argument: Option<&clap::Arg>, value: &OsStr) -> Result<String, clap::Error> {
        clap::builder::StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
        let pages = serval_report::explain::names().into_iter();
        Some(Box::new(pages.map(|(name, title)| clap::builder::PossibleValue::new(name).help(title))))
    }
}

/// Serve an editor: the language server, on standard input and output
#[derive(ClapArgs, Debug)]
#[command(
    after_help = "Editors start it; what it can do, and how each editor is set up, is on the page `Editors` of the book. It reads `serval.toml`, writes no file and opens no connection.\n\nExamples:\n  serval lsp                   what the settings of an editor name as the server for .ser files\n  serval lsp --memory 2000     the same, with at most 2,000 MiB\n\nExit status: 0 after `shutdown` and `exit`, 1 where the editor ends without them, 2 usage error."
)]
pub(crate) struct Lsp {
    /// Limit on memory, in MiB; most of what the machine has where none is given
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) memory: Option<u64>,
    /// What many editors add; there is no other way
    #[arg(long, hide = true)]
    pub(crate) stdio: bool,
}

/// Serve the playground, a page that decides in the browser, on this machine
#[derive(ClapArgs, Debug)]
#[command(
    after_help = "It listens on loopback alone, reads no file, and opens no connection; the page decides in the browser. Releases have it; a build without the page says how to get it.\n\nExamples:\n  serval playground                   says the address, which a browser opens\n  serval playground --port 0          takes a port that is free\n\nExit status: 0 is never given, 2 usage error or the port is in use, 130 interrupted."
)]
pub(crate) struct Playground {
    /// The port on 127.0.0.1; 0 takes one that is free
    #[arg(long, value_name = "P", default_value_t = 7780)]
    pub(crate) port: u16,
}

/// Write a program to begin with
#[derive(ClapArgs, Debug)]
#[command(
    after_help = "Examples:\n  serval new bank                                  bank/bank.ser and bank/serval.toml\n  serval new bank.ser                              bank.ser alone\n\nNothing that is there is overwritten.\n\nExit status: 0 done, 2 usage error or a file cannot be written, 4 a bug in serval."
)]
pub(crate) struct New {
    /// The directory, which is made; its last part is the name of the program. Or a file that ends in .ser
    pub(crate) name: PathBuf,
}

/// Write a completion script for a shell
#[derive(ClapArgs, Debug)]
#[command(
    after_help = "Examples:\n  serval completions bash > ~/.local/share/bash-completion/completions/serval\n  serval completions zsh > ~/.zfunc/_serval\n  serval completions fish > ~/.config/fish/completions/serval.fish\n\nExit status: 0 done, 2 usage error, 4 a bug in serval."
)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Write the manual pages
#[derive(ClapArgs, Debug)]
#[command(
    after_help = "Examples:\n  serval man | man -l -                            the main page\n  serval man --out ~/.local/share/man/man1         all pages, for `man serval-check`\n\nExit status: 0 done, 2 usage error or a page cannot be written, 4 a bug in serval."
)]
pub(crate) struct Man {
    /// Write a page for serval and one for each command to this directory, which is made
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}
