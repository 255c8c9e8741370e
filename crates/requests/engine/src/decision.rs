//! What the methods are, and what is known at the end.

use serval_budget::StopReason;
use serval_model::{Letter, Run};
use serval_proof::Part;

use crate::sample::HowSampled;

/// A way to find a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// Counterexamples by number of requests.
    Search,
    /// Proofs on the text of a program, which another crate makes: systems have none.
    Lipton,
    /// Exact reductions.
    Reduce,
    /// Proofs over the numbers of answers.
    Letters,
    /// Proofs by counting.
    Flow,
    /// Counterexamples with few requests in flight at a time.
    Bounded,
    /// Counterexamples among random runs.
    Sample,
    /// The published method.
    Classic,
    /// Proofs by cases on nets.
    Decompose,
}

impl Method {
    /// All of them, in the order in which they are tried.
    pub const ALL: &[Self] =
        &[Self::Search, Self::Lipton, Self::Reduce, Self::Letters, Self::Flow, Self::Bounded, Self::Sample, Self::Classic, Self::Decompose];

    /// The name, as in `--method`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Lipton => "lipton",
            Self::Reduce => "reduce",
            Self::Letters => "letters",
            Self::Flow => "flow",
            Self::Bounded => "bounded",
            Self::Sample => "sample",
            Self::Classic => "classic",
            Self::Decompose => "decompose",
        }
    }

    /// The method with this name.
    pub fn named(name: &str) -> Option<Self> {
        Method::ALL.iter().copied().find(|method| method.name() == name)
    }
}

/// What was found.
#[derive(Debug)]
pub enum Found {
    /// A proof for each component, and the method that mattered.
    Serializable(Vec<Part>, Method),
    /// A run of a component that should be a counterexample.
    Refuted {
        /// The component.
        component: usize,
        /// The run.
        run: Run,
        /// Whether it has the fewest requests.
        minimal: bool,
        /// How it was found.
        method: Method,
    },
    /// Neither, and what stopped the work.
    Unknown(StopReason),
}

/// What is known at the end.
#[derive(Debug)]
pub struct Decision {
    /// The answer.
    pub found: Found,
    /// No counterexample has so few requests.
    pub cleared: u32,
    /// No counterexample has so few requests in flight at a time; 0 if nothing
    /// is known.
    pub concurrent: usize,
    /// Sizes of the reduced systems: global states, nodes, steps.
    pub reduced: Option<(usize, usize, usize)>,
    /// Components and sets of their answers that could neither be realised nor
    /// excluded, those of fewest answers first. There may be others behind them.
    pub open: Vec<(usize, Vec<(Letter, u64)>)>,
    /// How the run was found, where it was drawn.
    pub sampled: Option<HowSampled>,
    /// The methods that panicked, which is a mistake of ours and costs their answers alone.
    pub failed: Vec<Method>,
}
