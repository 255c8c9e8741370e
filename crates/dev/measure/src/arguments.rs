//! The arguments of `measure`: a subject, and how much of it.

use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand};
use serval::Method;
use serval_soundness::requests::alone::Sole;

use crate::page::Page;
use crate::subjects;

/// Measures what serval costs, and attacks what it says, at length.
///
/// A subject writes a page, SUBJECT.md, with the command, the commit and the machine. The program ends with 1 if a
/// verdict is wrong, evidence is refused or a promise is not kept, and with 2 if it cannot measure. Build `serval`
/// beside it (`scripts/measure` does), and run it on a machine that does nothing else.
#[derive(Debug, Parser)]
#[command(name = "measure", disable_help_subcommand = true, subcommand_value_name = "SUBJECT", subcommand_help_heading = "Subjects")]
pub struct Arguments {
    /// Where pages and other files go; `-` prints the page.
    #[arg(long, value_name = "DIRECTORY", default_value = "target/measurements", global = true)]
    pub out: PathBuf,
    /// What to measure.
    #[command(subcommand)]
    pub subject: MeasureSubject,
}

/// How many cases, and which.
#[derive(Clone, Copy, Debug, Args)]
pub struct Cases<const COUNT: u64> {
    /// How many cases.
    #[arg(long, default_value_t = COUNT)]
    pub count: u64,
    /// The seed of the random generator.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// What can be measured.
#[derive(Debug, Subcommand)]
pub enum MeasureSubject {
    /// Requests: verdicts and times for the published suite
    Suite {
        /// The suite, with `expected.csv`.
        suite: PathBuf,
    },
    /// Requests: time and memory for families of growing size
    Growth,
    /// Requests: whether work grows evenly with the size of a program
    Cliffs {
        /// Families; all of them where none is named.
        families: Vec<String>,
        /// Families that are measured at a time.
        #[arg(long, default_value_t = 1)]
        jobs: usize,
        /// Joins such pages instead, each with some of the families.
        #[arg(long, value_name = "PAGE", num_args = 1.., conflicts_with = "families")]
        merge: Vec<PathBuf>,
    },
    /// Requests: size, time and memory of compiling families
    Compiling,
    /// Random programs in the core language with all their answers, for `scripts/proved`.
    #[command(hide = true)]
    CoreAnswers {
        /// The file.
        file: PathBuf,
        /// Random programs.
        #[command(flatten)]
        cases: Cases<200>,
    },
    /// One row of `compiling`, in a process whose peak of memory is its own.
    #[command(hide = true)]
    CompilingRow {
        /// The family.
        family: String,
        /// Its size.
        n: usize,
    },
    /// Requests: times of counterexamples
    Refutations {
        /// The suite, with `expected.csv`.
        suite: PathBuf,
    },
    /// Requests: random runs alone, on all programs that are not serializable
    Sampled {
        /// Directories of programs, as the suite and `examples`.
        #[arg(required = true)]
        directories: Vec<PathBuf>,
        /// Seconds for each seed.
        #[arg(long, default_value_t = 2)]
        seconds: u64,
    },
    /// Requests: the published pipeline, its switches, and its agreement with the other methods on random systems
    Classic {
        /// The suite, with `expected.csv`; without it only random systems are compared.
        suite: Option<PathBuf>,
        /// Random systems.
        #[command(flatten)]
        cases: Cases<2_000>,
    },
    /// Requests: how many random systems stay undecided, and what was undecided at some time
    Undecided {
        /// Random systems, a quarter of each kind.
        #[command(flatten)]
        cases: Cases<20_000>,
        /// Seconds of one core for one system.
        #[arg(long, default_value_t = 5)]
        seconds: u64,
        /// Writes systems that stay undecided into this directory.
        #[arg(long, value_name = "DIRECTORY")]
        save: Option<PathBuf>,
        /// Leaves out what was undecided at some time.
        #[arg(long)]
        no_known: bool,
    },
    /// Requests: what one method decides alone of what was undecided at some time
    Decompose {
        /// The method.
        #[arg(long, default_value = "decompose", value_parser = method)]
        method: Method,
        /// Seconds of one core for one system; several make a section each.
        #[arg(long, num_args = 1.., default_values_t = [1, 5])]
        seconds: Vec<u64>,
    },
    /// Requests: proofs on the program text, why others have none, and how they grow
    Lipton {
        /// Directories of programs.
        directories: Vec<PathBuf>,
    },
    /// Requests: what z3 and cvc5 say about the obligations of proofs
    Obligations {
        /// Directories of programs.
        #[arg(required = true)]
        directories: Vec<PathBuf>,
    },
    /// Requests: how long work goes on without looking at its flag
    Polls {
        /// The suite.
        suite: PathBuf,
        /// Seconds after which the flag is raised.
        #[arg(long, default_value_t = 3)]
        seconds: u64,
    },
    /// Requests: whether `bench --baseline` marks what takes twice as long
    Slowdown {
        /// The suite.
        suite: PathBuf,
    },
    /// Requests: how long `serval` takes before it does anything
    Startup {
        /// Runs of each command.
        #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..))]
        runs: u64,
    },
    /// What is shipped: sizes of a release, and what each step of its profile brings
    Size {
        /// What `scripts/release` has made.
        #[arg(default_value = "dist")]
        release: PathBuf,
        /// Builds the program as each step of the profile has it; an hour of processor time.
        #[arg(long)]
        steps: bool,
        /// The suite, whose time each step is measured by.
        #[arg(long, requires = "steps")]
        suite: Option<PathBuf>,
    },
    /// Editors: how long is waited for diagnostics, verdicts and the end of cancelled work; memory
    Editor {
        /// The suite; without it verdicts are left out.
        suite: Option<PathBuf>,
        /// A program without the server, with which size and start are compared.
        #[arg(long, value_name = "PROGRAM")]
        before: Option<PathBuf>,
        /// Edits that are timed.
        #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..))]
        edits: u64,
        /// Edits after which memory is compared with that after a hundred.
        #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(101..))]
        many: u64,
    },
    /// Nets, weak memory: explicit search against an older program
    Older {
        /// The older program.
        old: PathBuf,
        /// The models of the contest.
        contest: PathBuf,
        /// Programs on weak memory.
        memory: PathBuf,
    },
    /// Attack: verdicts of all methods on random systems, against brute force
    Verdicts {
        /// Systems.
        #[command(flatten)]
        cases: Cases<20_000>,
        /// Programs with a planted counterexample, for each number of requests.
        #[arg(long, default_value_t = 50)]
        planted: u64,
    },
    /// Attack: each method alone on random systems, against brute force
    Alone {
        /// Methods; all of them where none is named.
        #[arg(value_name = "METHOD", value_parser = sole)]
        methods: Vec<Sole>,
        /// Systems for each method.
        #[command(flatten)]
        cases: Cases<100_000>,
    },
    /// Attack: reduction rules on random systems, against brute force
    Reductions {
        /// Systems.
        #[command(flatten)]
        cases: Cases<20_000>,
    },
    /// Attack: proofs on the text of random programs, and forged certificates of such proofs
    LiptonRandom {
        /// Programs.
        #[command(flatten)]
        cases: Cases<20_000>,
    },
    /// Attack: certificates that claim something false, against the checker
    Hostile {
        /// Directories of inputs to begin with, as the suite and `examples`.
        #[arg(required = true)]
        directories: Vec<PathBuf>,
        /// Certificates.
        #[command(flatten)]
        cases: Cases<90_000>,
    },
    /// Attack: `check`, `run`, traces and the naive interpreter on random programs; compilations; limits (runs tests)
    Attack {
        /// Which; all of them where none is named.
        sweeps: Vec<subjects::attack::Sweep>,
        /// Cases of each, instead of the usual number.
        #[arg(long)]
        count: Option<u64>,
    },
    /// Nets: questions about contest nets: answers, times, evidence
    Nets {
        /// The contest, with `expected.tsv`.
        contest: PathBuf,
    },
    /// Nets: the published tables about nets, cell by cell
    Published {
        /// The contest, with `expected.tsv`.
        contest: PathBuf,
    },
    /// Nets: what induction and PDR prove alone
    Inductive {
        /// The contest, with `expected.tsv`.
        contest: PathBuf,
        /// Nets of mutual exclusion algorithms.
        #[arg(default_value = "examples/nets/mutex")]
        mutex: PathBuf,
    },
    /// Nets: coverability problems with known answers, random nets and mutants (runs an example and tests)
    Coverability {
        /// Random nets for the comparison of both directions; the other sweeps try a tenth or twice as many.
        #[arg(long, default_value_t = 10_000)]
        count: u64,
    },
    /// Nets: questions about algorithms and plans, with search and reductions and without them (runs an example)
    Search {
        /// Seconds for a question.
        #[arg(long, default_value_t = 10)]
        seconds: u64,
        /// Processes, or things that are moved.
        #[arg(default_values_t = [2, 3, 4, 5])]
        sizes: Vec<usize>,
    },
    /// Nets: reachability of markings, against everything else that decides it
    Reachability {
        /// Nets, and as many counter systems.
        #[command(flatten)]
        cases: Cases<20_000>,
        /// Seconds for a question about a family.
        #[arg(long, default_value_t = 60)]
        family_seconds: u64,
    },
    /// Weak memory: engine and checker against trying everything, and times of programs
    WeakMemory {
        /// Directories of programs that are timed.
        directories: Vec<PathBuf>,
        /// Kinds of comparison; all of them, and `sizes`, where none is named.
        #[arg(long, num_args = 1.., value_parser = kind)]
        kind: Vec<String>,
        /// Seeds, as FROM..TO; all of a kind where none are given.
        #[arg(long, value_parser = seeds)]
        seeds: Option<Range<u64>>,
    },
    /// Fuzzing: completes the corpus of certificates
    Corpus {
        /// The corpus, `fuzz/corpus/certificate`.
        directory: PathBuf,
    },
}

fn method(name: &str) -> Result<Method, String> {
    Method::named(name).ok_or_else(|| format!("there is no method {name}"))
}

fn sole(name: &str) -> Result<Sole, String> {
    let names: Vec<&str> = Sole::all().into_iter().map(Sole::name).collect();
    Sole::named(name).ok_or_else(|| format!("methods are {}", names.join(", ")))
}

fn kind(name: &str) -> Result<String, String> {
    let names: Vec<&str> = subjects::weak_memory::kinds().collect();
    if names.contains(&name) { Ok(name.to_owned()) } else { Err(format!("kinds are {}", names.join(", "))) }
}

fn seeds(text: &str) -> Result<Range<u64>, String> {
    let range = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    range.filter(|range: &Range<u64>| range.start < range.end).ok_or_else(|| "seeds are FROM..TO".to_owned())
}

impl MeasureSubject {
    /// The name of the subject, and of its page.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Suite { .. } => "suite",
            Self::Growth => "growth",
            Self::Cliffs { .. } => "cliffs",
            Self::Compiling => "compiling",
            Self::CoreAnswers { .. } => "core-answers",
            Self::CompilingRow { .. } => "compiling-row",
            Self::Refutations { .. } => "refutations",
            Self::Sampled { .. } => "sampled",
            Self::Classic { .. } => "classic",
            Self::Undecided { .. } => "undecided",
            Self::Decompose { .. } => "decompose",
            Self::Lipton { .. } => "lipton",
            Self::Obligations { .. } => "obligations",
            Self::Polls { .. } => "polls",
            Self::Slowdown { .. } => "slowdown",
            Self::Startup { .. } => "startup",
            Self::Size { .. } => "size",
            Self::Editor { .. } => "editor",
            Self::Older { .. } => "older",
            Self::Verdicts { .. } => "verdicts",
            Self::Alone { .. } => "alone",
            Self::Reductions { .. } => "reductions",
            Self::LiptonRandom { .. } => "lipton-random",
            Self::Hostile { .. } => "hostile",
            Self::Attack { .. } => "attack",
            Self::Nets { .. } => "nets",
            Self::Published { .. } => "published",
            Self::Inductive { .. } => "inductive",
            Self::Coverability { .. } => "coverability",
            Self::Search { .. } => "search",
            Self::Reachability { .. } => "reachability",
            Self::WeakMemory { .. } => "weak-memory",
            Self::Corpus { .. } => "corpus",
        }
    }

    /// Measures; nothing where what is found was printed. An error is why it cannot be measured. `out` is where the
    /// page will go.
    pub fn page(&self, out: &Path) -> Result<Option<Page>, String> {
        let page = match self {
            Self::Suite { suite } => subjects::suite::page(suite),
            Self::Growth => subjects::growth::page(),
            Self::Cliffs { merge, .. } if !merge.is_empty() => subjects::cliffs::merged_page(merge),
            Self::Cliffs { families, jobs, .. } => subjects::cliffs::page(families, *jobs),
            Self::Compiling => subjects::compiling::page(),
            Self::CoreAnswers { file, cases } => return subjects::core_answers::write(file, cases.count, cases.seed).map(|()| None),
            Self::CompilingRow { family, n } => return subjects::compiling::print_row(family, *n).map(|()| None),
            Self::Refutations { suite } => subjects::refutations::page(suite),
            Self::Sampled { directories, seconds } => subjects::sampled::page(directories, *seconds),
            Self::Classic { suite, cases } => subjects::classic::page(suite.as_deref(), cases.count, cases.seed),
            Self::Undecided { cases, seconds, save, no_known } => {
                subjects::undecided::page(cases.count, cases.seed, *seconds, save.as_deref(), !no_known)
            }
            Self::Decompose { method, seconds } => subjects::undecided::alone_page(*method, seconds),
            Self::Lipton { directories } => subjects::lipton::page(directories),
            Self::Obligations { directories } => subjects::obligations::page(directories),
            Self::Polls { suite, seconds } => subjects::polls::page(suite, *seconds),
            Self::Slowdown { suite } => subjects::slowdown::page(suite),
            Self::Startup { runs } => subjects::startup::page(*runs),
            Self::Size { release, steps, suite } => subjects::size::page(release, *steps, suite.as_deref()),
            Self::Editor { suite, before, edits, many } => {
                let counts = subjects::editor::EditCounts { timed: *edits, many: *many };
                subjects::editor::page(suite.as_deref(), before.as_deref(), counts)
            }
            Self::Older { old, contest, memory } => subjects::older::page(old, contest, memory),
            Self::Verdicts { cases, planted } => subjects::verdicts::page(cases.count, cases.seed, *planted),
            Self::Alone { methods, cases } => subjects::alone::page(methods, cases.count, cases.seed),
            Self::Reductions { cases } => subjects::reductions::page(cases.count, cases.seed),
            Self::LiptonRandom { cases } => subjects::lipton_random::page(cases.count, cases.seed),
            Self::Hostile { directories, cases } => subjects::hostile::page(directories, cases.count, cases.seed),
            Self::Attack { sweeps, count } => subjects::attack::page(sweeps, *count),
            Self::Nets { contest } => subjects::nets::page(contest),
            Self::Published { contest } => subjects::published::page(contest),
            Self::Inductive { contest, mutex } => subjects::inductive::page(contest, mutex),
            Self::Coverability { count } => subjects::coverability::page(*count),
            Self::Search { seconds, sizes } => subjects::search::page(*seconds, sizes),
            Self::Reachability { cases, family_seconds } => subjects::reachability::page(cases.count, cases.seed, *family_seconds),
            Self::WeakMemory { directories, kind, seeds } => subjects::weak_memory::page(directories, kind, seeds.as_ref(), out),
            Self::Corpus { directory } => subjects::corpus::page(directory),
        };
        page.map(Some)
    }
}
