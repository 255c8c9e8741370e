//! The command line of `serval bench`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::{Classic, Limits, positive};

/// Run many files and compare verdicts and times
#[derive(ClapArgs, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    subcommand_help_heading = "Commands",
    after_help = "Examples:\n  serval bench examples                                    verdicts as the headers promise?\n  serval bench suite --expected suite/expected.csv         verdicts as a table says?\n  serval bench examples --format json > before.json        remember the times …\n  serval bench examples --baseline before.json             … and compare with them\n  serval bench --family counter --n 10,100,1000            a family of programs that scales\n  serval bench --family counter --n 10 --emit              one of its programs\n  serval bench suite --shard 3/16 --format json > 3.json   one part of sixteen, on one machine of sixteen …\n  serval bench merge *.json                                … and the table of all\n  serval bench nets                                        a directory of Petri nets with an expected.tsv\n\nExit status: 0 all as expected, 1 a verdict differs or is missing, 2 usage or input error, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct Bench {
    #[command(subcommand)]
    pub(crate) command: Option<BenchCommand>,
    /// Directories, programs (.ser) and network systems (.json); or a directory of Petri nets with an expected.tsv
    #[arg(required_unless_present = "family", value_name = "DIR")]
    pub(crate) files: Vec<PathBuf>,
    /// Lines of file, verdict and, perhaps, published_total_ms; without it the headers of the files count
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) expected: Option<PathBuf>,
    /// Compare with what --format json wrote earlier
    #[arg(long, value_name = "FILE.json")]
    pub(crate) baseline: Option<PathBuf>,
    /// Run programs of a family, or of all
    #[arg(long, value_name = "NAME")]
    pub(crate) family: Option<String>,
    /// Sizes of these programs; each family has a usual one
    #[arg(long, value_name = "N", requires = "family", value_delimiter = ',', value_parser = size)]
    pub(crate) n: Vec<usize>,
    /// Print the program instead of running it
    #[arg(long, requires = "family", conflicts_with_all = ["files", "expected", "baseline"])]
    pub(crate) emit: bool,
    /// For people or for machines
    #[arg(long, value_enum, default_value_t = BenchFormat::Text, value_name = "FORMAT")]
    pub(crate) format: BenchFormat,
    /// Also draw the times: a cactus plot, or growth for programs of a family
    #[arg(long, value_name = "FILE.svg", conflicts_with_all = ["emit", "no_times"])]
    pub(crate) svg: Option<PathBuf>,
    /// How often each file is run; the middle time counts
    #[arg(long, default_value_t = 1, value_name = "R", value_parser = positive)]
    pub(crate) runs: usize,
    /// Run only part K of N parts of the files; `serval bench merge` puts what --format json wrote together
    #[arg(long, value_name = "K/N", conflicts_with = "emit", value_parser = shard)]
    pub(crate) shard: Option<Shard>,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// Which methods: auto, names among search, lipton, reduce, letters, flow, bounded, sample, decompose, or classic
    #[arg(long, default_value = "auto", value_delimiter = ',', value_name = "NAMES")]
    pub(crate) method: Vec<String>,
    #[command(flatten)]
    pub(crate) classic: Classic,
    /// Leave times and memory out, so that the output is the same every time
    #[arg(long)]
    pub(crate) no_times: bool,
    /// Run the published pipeline with all its switches on, each of them off, and all off
    #[arg(long, conflicts_with_all = ["expected", "baseline", "emit", "runs", "jobs", "svg"])]
    pub(crate) ablation: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BenchFormat {
    /// An aligned table
    Text,
    /// A line of titles and a line per file
    Csv,
    /// One object
    Json,
    /// A Markdown table
    Markdown,
}

/// A part of all files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shard {
    /// Which, from 1.
    pub(crate) number: usize,
    /// Of how many.
    pub(crate) of: usize,
}

#[derive(Subcommand, Clone, Debug)]
pub(crate) enum BenchCommand {
    Merge(Merge),
}

/// Put the parts of a measurement together
#[derive(ClapArgs, Clone, Debug)]
#[command(
    after_help = "Example:\n  serval bench merge part-*.json                           the table of one run\n\nExit status: 0 all as expected, 1 a verdict differs or is missing, 2 usage or input error, 4 a bug in serval."
)]
pub(crate) struct Merge {
    /// What `serval bench --shard K/N --format json` wrote, all N parts in any order
    #[arg(required = true, value_name = "FILE.json")]
    pub(crate) files: Vec<PathBuf>,
    /// For people or for machines
    #[arg(long, value_enum, default_value_t = BenchFormat::Text, value_name = "FORMAT")]
    pub(crate) format: BenchFormat,
    /// Also draw the times
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) svg: Option<PathBuf>,
}

/// `3/16`
pub(super) fn shard(text: &str) -> Result<Shard, String> {
    let parsed = text.split_once('/').and_then(|(number, of)| Some(Shard { number: number.parse().ok()?, of: of.parse().ok()? }));
    parsed.filter(|shard| (1..=shard.of).contains(&shard.number)).ok_or_else(|| "a part and how many there are, such as 3/16".to_owned())
}

/// The size of a program in a family. Some families mean something only from
/// 2 on; the upper end keeps texts in memory.
fn size(text: &str) -> Result<usize, String> {
    text.parse::<usize>().ok().filter(|size| (2..=1_000_000).contains(size)).ok_or_else(|| "a number from 2 to 1000000".to_owned())
}
