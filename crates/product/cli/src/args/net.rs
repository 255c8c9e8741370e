//! The command line of `serval net`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use serval::nets::{NetMethod, reduction_rules};

use super::{Limits, seconds};

/// Questions about Petri nets, with evidence
#[derive(ClapArgs, Debug)]
#[command(
    after_help = "Examples:\n  serval net check mutex.pnml              deadlocks, safety, what is dead\n  serval net info mutex.pnml               sizes, classes, bounds\n  serval net cover threads.net             what any number of threads can do\n  serval net decompose parity.net --target 'y=5'   why a marking is reached, or not\n  serval net run mutex.pnml --steps 20     a random run\n  serval net export mutex.pnml --to svg    a picture\n\nExit status: 0 success, 1 a property does not hold, 2 usage or input error, 3 undecided, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct Net {
    #[command(subcommand)]
    pub(crate) command: NetCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum NetCommand {
    Check(NetCheck),
    Info(NetInfo),
    Cover(NetCover),
    States(NetStates),
    Reduce(NetReduce),
    Decompose(NetDecompose),
    Invariant(NetInvariant),
    Run(NetRun),
    Export(NetExport),
}

/// How a net is written down, where its name does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NetKind {
    /// The Petri Net Markup Language
    Pnml,
    /// The format of Tina
    Net,
    /// A specification of mist
    Spec,
    /// A vector addition system with states
    Vass,
}

#[derive(ClapArgs, Clone, Debug)]
pub(crate) struct NetFile {
    /// A place/transition net or a symmetric net, which is unfolded (.pnml, .net, .spec or .vass); - reads standard
    /// input
    #[arg(value_name = "NET")]
    pub(crate) file: PathBuf,
    /// What the input is, where its name does not tell
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) input: Option<NetKind>,
    /// Compose the net with this one: transitions with the same name fire together; the word pages composes the pages
    /// and the nets of the file itself
    #[arg(long, value_name = "pages|FILE")]
    pub(crate) compose: Vec<PathBuf>,
    /// Begin with this marking: p0=1, q=3, and 0 on all other places, or, where it ends with *, what the file says of
    /// them
    #[arg(long, value_name = "MARKING")]
    pub(crate) from: Option<String>,
}

/// Decide properties of a net, with evidence for both answers
#[derive(ClapArgs, Clone, Debug)]
#[command(
    mut_arg("timeout", |timeout| timeout.help("How long one question may take; what serves all questions may take as long")),
    after_help = "Properties: deadlock-free, one-safe, safe:K, quasi-live, no-dead-places, stable-marking, live, reversible, invariant:FORMULA, reachable:FORMULA, reaches:MARKING, coverable:MARKING, bounded, bounded:SUM, bound:SUM.\nFormulas: 2*idle + busy <= 3 and not fireable(grab) or done = 0; names that are no words stand in \"…\".\nMarkings: p0=1, q=3; the rest is 0. In reaches:'p0=1, *' the rest may be any number.\nQuestions share what is found out about the net, and --jobs of them are answered at a time; their number changes no answer.\n\nExamples:\n  serval net check mutex.pnml                                        the usual questions\n  serval net check mutex.pnml --property 'invariant:crit1 + crit2 <= 1'\n  serval net check mutex.pnml --queries ReachabilityCardinality.xml --format mcc\n  serval net check mutex.pnml --certificate proofs; serval verify mutex.pnml proofs/one-safe.certificate.json\n\nExit status: 0 all hold, 1 some do not, 2 usage or input error, 3 undecided, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct NetCheck {
    #[command(flatten)]
    pub(crate) net: NetFile,
    /// What is asked; default deadlock-free, one-safe, quasi-live and no-dead-places
    #[arg(long, short, value_name = "PROPERTY")]
    pub(crate) property: Vec<String>,
    /// Questions of the Model Checking Contest about reachability
    #[arg(long, value_name = "FILE.xml")]
    pub(crate) queries: Vec<PathBuf>,
    /// Only these of them
    #[arg(long, value_name = "ID", requires = "queries")]
    pub(crate) query: Vec<String>,
    /// How long all questions may take together; those that it leaves no time are undecided
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = super::seconds)]
    pub(crate) timeout_all: Option<f64>,
    /// One method alone, instead of all in the order in which they pay
    #[arg(long, value_parser = methods(), value_name = "METHOD")]
    pub(crate) method: Option<NetMethod>,
    #[command(flatten)]
    pub(crate) reductions: Reductions,
    /// Look at all markings, not only at those that stubborn sets lead to
    #[arg(long)]
    pub(crate) no_stubborn: bool,
    /// Take this for granted in inductive proofs: a property, which is proved first, or a certificate (.json), which is
    /// checked first
    #[arg(long, value_name = "PROPERTY|FILE")]
    pub(crate) assume: Vec<String>,
    /// A formula that is proposed as an invariant: is it inductive, or which transition ends it?
    #[arg(long, value_name = "FILE")]
    pub(crate) invariant: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// For people or for machines
    #[arg(long, value_enum, default_value_t = NetFormat::Text, value_name = "FORMAT")]
    pub(crate) format: NetFormat,
    /// Save the evidence in this directory, a file for each question
    #[arg(long, value_name = "DIR")]
    pub(crate) certificate: Option<PathBuf>,
    /// Save runs in this directory, for `serval net run --replay`; the word all shows the whole marking after each step
    #[arg(long, value_name = "DIR|all")]
    pub(crate) trace: Vec<PathBuf>,
    /// Exit with 0 instead of 1 and 3
    #[arg(long)]
    pub(crate) exit_zero: bool,
    /// Leave times out, so that the output is the same every time
    #[arg(long)]
    pub(crate) no_times: bool,
    /// Show runs and lists as a whole
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// With --format json: also write objects that tell how far the work is
    #[arg(long)]
    pub(crate) progress: bool,
    /// Check again whenever the net or a file of queries changes, until interrupted
    #[arg(long)]
    pub(crate) watch: bool,
}

/// How nets become smaller.
#[derive(ClapArgs, Clone, Debug)]
pub(crate) struct Reductions {
    /// Leave out what does not matter by these rules alone: dead, like, idle, sinks, constant, twins, irrelevant,
    /// divided, post, pre, implicit
    #[arg(long, value_parser = rules(), value_name = "RULES", value_delimiter = ',', hide_possible_values = true)]
    reduce: Vec<String>,
    /// Look at markings one by one in the whole net only, not in smaller nets without what does not matter
    #[arg(long, conflicts_with = "reduce")]
    no_reduce: bool,
}

impl Reductions {
    /// The names of the rules.
    pub(crate) fn rules(&self) -> Vec<String> {
        match &self.reduce[..] {
            _ if self.no_reduce => Vec::new(),
            [] => reduction_rules().map(str::to_owned).collect(),
            some => some.to_vec(),
        }
    }
}

/// The names of rules, as the rules themselves have them.
fn rules() -> PossibleValuesParser {
    PossibleValuesParser::new(reduction_rules().map(PossibleValue::new).collect::<Vec<_>>())
}

/// The names of methods, as the methods themselves have them.
fn methods() -> impl TypedValueParser<Value = NetMethod> {
    let known = NetMethod::all().map(|method| PossibleValue::new(method.name()).help(method.words()));
    PossibleValuesParser::new(known).try_map(|name| NetMethod::named(&name).ok_or("it is not a method"))
}

/// Print an invariant that shows that a property holds, in words
#[derive(ClapArgs, Clone, Debug)]
#[command(
    after_help = "Example:\n  serval net invariant mutex.pnml --property 'invariant:crit1 + crit2 <= 1'\n\nExit status: 0 all hold, 1 some do not, 2 usage or input error, 3 undecided, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct NetInvariant {
    #[command(flatten)]
    pub(crate) net: NetFile,
    /// What is to be shown; default deadlock-free and one-safe
    #[arg(long, short, value_name = "PROPERTY")]
    pub(crate) property: Vec<String>,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// Show all of it
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NetFormat {
    /// For people
    Text,
    /// One object per question, a line each
    Json,
    /// The lines of the Model Checking Contest
    Mcc,
    /// Markdown with tables
    Markdown,
    /// SARIF 2.1.0, one log for all questions
    Sarif,
}

/// Tell how large a net is, of which class, and what bounds its places
#[derive(ClapArgs, Clone, Debug)]
#[command(after_help = "Example:\n  serval net info mutex.pnml\n\nExit status: 0 done, 2 usage or input error, 130 interrupted.")]
pub(crate) struct NetInfo {
    #[command(flatten)]
    pub(crate) net: NetFile,
    /// Also tell how long a run that covers this marking has to be at most, by the bound of Rackoff
    #[arg(long, value_name = "MARKING")]
    pub(crate) rackoff: Option<String>,
    /// How long the search for bounds may take
    #[arg(long, default_value_t = 10.0, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: f64,
    /// Name all places
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

/// Print the minimal coverability set: which tokens are possible together, for any number of them
#[derive(ClapArgs, Clone, Debug)]
#[command(
    after_help = "Example:\n  serval net cover threads.net\n\nω is more than every number. A run with parentheses and stars, as t (u v)*, shows that a place is unbounded: what is in them can be repeated as often as one likes.\n\nExit status: 0 done, 2 usage or input error, 3 stopped by a limit, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct NetCover {
    #[command(flatten)]
    pub(crate) net: NetFile,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// For people or for machines
    #[arg(long, value_enum, default_value_t = CoverFormat::Text, value_name = "FORMAT")]
    pub(crate) format: CoverFormat,
    /// Show all markings and places
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

/// Count the markings that can be reached, without evidence, or write them down
#[derive(ClapArgs, Clone, Debug)]
#[command(
    after_help = "Examples:\n  serval net states mutex.pnml\n  serval net states mutex.pnml --format mcc    the lines of the contest's StateSpace\n  serval net states mutex.pnml --to aut --out mutex.aut    all markings, for tools that compare behaviour\n\nExit status: 0 done, 2 usage or input error, 3 stopped by a limit, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct NetStates {
    #[command(flatten)]
    pub(crate) net: NetFile,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// For people or for machines
    #[arg(long, value_enum, default_value_t = SpaceFormat::Text, value_name = "FORMAT")]
    pub(crate) format: SpaceFormat,
    /// Write all markings, and what leads from which to which, instead of counting
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "format")]
    pub(crate) to: Option<SpaceForm>,
    /// Write to this file instead of standard output
    #[arg(long, value_name = "PATH", requires = "to")]
    pub(crate) out: Option<PathBuf>,
    /// Write at most N markings, or nothing
    #[arg(long, value_name = "N", default_value_t = 10_000, requires = "to")]
    pub(crate) most: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SpaceForm {
    /// A picture for Graphviz
    Dot,
    /// Places, transitions, markings and firings
    Json,
    /// Aldebaran, which CADP and mCRL2 read
    Aut,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SpaceFormat {
    /// For people
    Text,
    /// The lines of the Model Checking Contest
    Mcc,
}

/// Leave out of a net what does not matter for a question, and say what that is
#[derive(ClapArgs, Clone, Debug)]
#[command(
    after_help = "Examples:\n  serval net reduce mutex.pnml --property 'invariant:crit1 + crit2 <= 1'\n  serval net reduce mutex.pnml --property deadlock-free --reduce post,pre\n  serval net reduce mutex.pnml --property one-safe --to pnml --out small.pnml --script small.json\n\nThe markings that are asked for can be reached in the smaller net iff they can in the whole one.\n\nExit status: 0 done, 2 usage or input error, 3 stopped by a limit, 130 interrupted."
)]
pub(crate) struct NetReduce {
    #[command(flatten)]
    pub(crate) net: NetFile,
    /// What is asked
    #[arg(long, short, value_name = "PROPERTY")]
    pub(crate) property: String,
    #[command(flatten)]
    pub(crate) reductions: Reductions,
    /// Write the smaller net in this form
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: Option<ReducedForm>,
    /// Write to this file instead of standard output
    #[arg(long, value_name = "PATH", requires = "to")]
    pub(crate) out: Option<PathBuf>,
    /// Write what was left out to this file, as certificates have it, with the question about the smaller net (.json)
    #[arg(long, value_name = "PATH")]
    pub(crate) script: Option<PathBuf>,
    /// Name all that is left out
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReducedForm {
    /// The format of Tina
    Net,
    /// The Petri Net Markup Language
    Pnml,
    /// The format of LoLA
    Lola,
    /// For Graphviz
    Dot,
    /// A picture
    Svg,
    /// For Mermaid
    Mermaid,
}

/// Decide whether a marking can be reached by splitting all runs into cases, and show the tree
#[derive(ClapArgs, Clone, Debug)]
#[command(
    after_help = "Examples:\n  serval net decompose parity.net --target 'q=1, y=5, u=1'\n  serval net decompose parity.net --target 'q=1, y=5, *' --explain      why each sequence was replaced\n  serval net decompose doubling.vass --target 'p (2, 0, 1)' --steps 20    only the first steps\n  serval net decompose parity.net --target 'q=1 and y>=5' --to html --out tree.html\n\nExit status: 0 reachable, 1 not reachable, 2 usage or input error, 3 undecided, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct NetDecompose {
    #[command(flatten)]
    pub(crate) net: NetFile,
    /// What is to be reached: a marking, p0=1, q=3, where the rest is 0, or any number after *; a formula; or a state
    /// with its counters, q (0, 4). Default: what the file asks itself
    #[arg(long, short, value_name = "MARKING|FORMULA")]
    pub(crate) target: Option<String>,
    /// The form
    #[arg(long, value_enum, default_value_t = TreeForm::Text, value_name = "FORMAT")]
    pub(crate) to: TreeForm,
    /// Write to this file instead of standard output
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Stop after N sequences
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<usize>,
    /// Say in whole sentences why each sequence was replaced
    #[arg(long)]
    pub(crate) explain: bool,
    /// Only the pieces and the covering graph of this sequence, for dot and svg
    #[arg(long, value_name = "NUMBER")]
    pub(crate) node: Option<usize>,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// Exit with 0 instead of 1 and 3
    #[arg(long)]
    pub(crate) exit_zero: bool,
    /// Show all sequences, with their graphs and equations
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TreeForm {
    /// For people
    Text,
    /// One object
    Json,
    /// For Graphviz
    Dot,
    /// A picture
    Svg,
    /// A page that opens from disk
    Html,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CoverFormat {
    /// For people
    Text,
    /// One object
    Json,
    /// For Graphviz
    Dot,
}

/// Fire transitions at random, by hand, or as a trace says
#[derive(ClapArgs, Clone, Debug)]
#[command(
    after_help = "Examples:\n  serval net run mutex.pnml --steps 20 --seed 3\n  serval net run mutex.pnml --interactive                choose what fires\n  serval net check mutex.pnml --trace runs; serval net run mutex.pnml --replay runs/deadlock-free.trace.json\n\nExit status: 0 done, 2 usage or input error, 130 interrupted."
)]
pub(crate) struct NetRun {
    #[command(flatten)]
    pub(crate) net: NetFile,
    /// How many transitions fire
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u64).range(..=1_000_000))]
    pub(crate) steps: u64,
    /// The same seed gives the same run
    #[arg(long, default_value_t = 1, value_name = "S")]
    pub(crate) seed: u64,
    /// Fire what this file says: a saved run, or a counterexample of Kind 2 (XML, JSON) or JKind (XML)
    #[arg(long, value_name = "TRACE", conflicts_with_all = ["steps", "seed"])]
    pub(crate) replay: Option<PathBuf>,
    /// The counterexample of this property of the file; default the first
    #[arg(long, value_name = "NAME", requires = "replay")]
    pub(crate) counterexample: Option<String>,
    /// Choose by hand what fires
    #[arg(short, long, conflicts_with_all = ["replay", "steps", "seed", "verbose"])]
    pub(crate) interactive: bool,
    /// Save the run in this file; the word all shows the whole marking after each step
    #[arg(long, value_name = "PATH|all")]
    pub(crate) trace: Vec<PathBuf>,
    /// Show all steps
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

/// Write a net in another form
#[derive(ClapArgs, Clone, Debug)]
#[command(
    after_help = "Examples:\n  serval net export mutex.pnml --to svg --out mutex.svg\n  serval net export mutex.net --to smtlib --property one-safe\n  serval net export mutex.net --to lustre --map names.json > mutex.lus; kind2 -xml mutex.lus > trace.xml\n  serval net run mutex.net --replay trace.xml\n\nFor smtlib: the marking equation with the goal of the property, for SMT solvers. Where it has no solution (unsat), no marking of the goal can be reached.\nFor lustre: deadlock-free, one-safe, and for each transition and place whether it is dead; --property and --queries add to these.\nFor horn, mist and smtlib: one property; for vmt and nuxmv: any number. Default deadlock-free, for mist one-safe.\n\nExit status: 0 done, 2 usage or input error, 4 a bug in serval, 130 interrupted."
)]
pub(crate) struct NetExport {
    #[command(flatten)]
    pub(crate) net: NetFile,
    /// The form
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: NetForm,
    /// Write to this file instead of standard output
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// What is asked, for the forms that ask something
    #[arg(long, short, value_name = "PROPERTY")]
    pub(crate) property: Vec<String>,
    /// Questions of the Model Checking Contest about reachability, for these forms
    #[arg(long, value_name = "FILE.xml")]
    pub(crate) queries: Vec<PathBuf>,
    /// Only these of them
    #[arg(long, value_name = "ID", requires = "queries")]
    pub(crate) query: Vec<String>,
    /// For lustre: how the net becomes a program
    #[arg(long, value_enum, default_value_t = LustreEncoding::Corrected, value_name = "ENCODING")]
    pub(crate) encoding: LustreEncoding,
    /// For lustre: which transitions may fire together: the word one for none, or a file, an array of arrays of names
    /// in JSON; default as many as share no place
    #[arg(long, value_name = "one|FILE")]
    pub(crate) sets: Option<PathBuf>,
    /// For lustre: assert bounds of places and of weighted sums, each of which has been proved
    #[arg(long)]
    pub(crate) assume_bounds: bool,
    /// Save the evidence for what is asserted in this directory
    #[arg(long, value_name = "DIR", requires = "assume_bounds")]
    pub(crate) certificate: Option<PathBuf>,
    /// For lustre: write to this file which identifier stands for which name
    #[arg(long, value_name = "PATH")]
    pub(crate) map: Option<PathBuf>,
    /// How long the proofs for --assume-bounds may take
    #[arg(long, default_value_t = 10.0, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LustreEncoding {
    /// Observers that see the initial marking, a property for each transition and place
    Corrected,
    /// As published, which misses what is enabled or marked only at the start
    Published,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NetForm {
    /// The format of Tina
    Net,
    /// The Petri Net Markup Language
    Pnml,
    /// For Graphviz
    Dot,
    /// A picture
    Svg,
    /// For Mermaid
    Mermaid,
    /// The format of LoLA
    Lola,
    /// The marking equation, for SMT solvers
    Smtlib,
    /// A program in Lustre, for Kind 2 and JKind
    Lustre,
    /// Constrained Horn clauses in SMT-LIB
    Horn,
    /// A symbolic transition system in VMT
    Vmt,
    /// A module of nuXmv
    Nuxmv,
    /// Coverability, in the format of mist
    Mist,
    /// A vector addition system with states
    Vass,
}
