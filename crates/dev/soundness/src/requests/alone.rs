//! Each method alone on random systems.
//!
//! Together methods hide each other's mistakes: what the first one decides, the
//! others are never asked about. Here each one is asked about every system. A
//! proof has to be accepted by the checker, and brute force with up to four
//! requests must find nothing against it; the run of a refutation has to be one
//! of the system, with answers that no serial run has. How many systems each
//! method decides is counted, since one that decides nothing is never wrong.

use std::collections::BTreeMap;

use serval_classic_engine::{ClassicVerdict, Options, no_clock};
use serval_engine::portfolio::{self, Method, Plan};
use serval_model::NetworkSystem;
use serval_proof::Part;
use serval_random::{Behaviours, Kind};

use crate::requests::verdicts::{BRUTE_TICKS, MethodOutcome, judged};
use crate::{Limit, Merge, merged, within};

/// A method that is asked alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sole {
    /// One of the portfolio.
    Portfolio(Method),
    /// The published one.
    Classic,
}

impl Sole {
    /// All that there are: those of the portfolio, whatever they are, but for
    /// the one that is about programs, and the published one.
    pub fn all() -> Vec<Self> {
        let portfolio = Method::ALL.iter().copied().filter(|&method| method != Method::Lipton).map(Self::Portfolio);
        portfolio.filter(|sole| sole.name() != Self::Classic.name()).chain([Self::Classic]).collect()
    }

    /// The name, as in `--method`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portfolio(method) => method.name(),
            Self::Classic => "classic",
        }
    }

    /// The method with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|sole| sole.name() == name)
    }

    fn told(self, system: &NetworkSystem, limit: Limit) -> MethodOutcome {
        within(limit, |cancel| match self {
            Self::Portfolio(method) => {
                let plan = Plan { rounds: 1, ..Plan::new(&[method], cancel) };
                MethodOutcome::from(portfolio::decide(&[system], 0, &plan).found)
            }
            Self::Classic => match serval_classic_engine::decide(system, &Options::default(), cancel, &no_clock).verdict {
                ClassicVerdict::Serializable(proof) => MethodOutcome::Proved(vec![Part::Invariant(proof)], self.name()),
                ClassicVerdict::Refuted(run) => MethodOutcome::Refuted(run, false, self.name()),
                ClassicVerdict::Unknown(_) => MethodOutcome::Unknown,
            },
        })
    }
}

/// What a method says of systems of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Systems that it proves serializable.
    pub proved: u64,
    /// Systems that it refutes.
    pub refuted: u64,
    /// Systems of which it says nothing.
    pub unknown: u64,
}

impl Merge for Figures {
    fn absorb(&mut self, other: Self) {
        self.proved += other.proved;
        self.refuted += other.refuted;
        self.unknown += other.unknown;
    }
}

/// What methods say of random systems.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// For each method and kind of systems.
    pub figures: BTreeMap<(Sole, Kind), Figures>,
    /// Systems about which brute force knows for up to four requests.
    pub compared: u64,
    /// Systems that are too much for brute force.
    pub not_compared: u64,
}

impl Tally {
    /// All kinds together.
    pub fn of(&self, sole: Sole) -> Figures {
        merged(self.figures.iter().filter(|((of, _), _)| *of == sole).map(|(_, &figures)| figures))
    }
}

impl Merge for Tally {
    fn absorb(&mut self, other: Self) {
        self.figures.absorb(other.figures);
        self.compared += other.compared;
        self.not_compared += other.not_compared;
    }
}

/// Asks each of these methods about the system of a kind and a seed; an error
/// is what went wrong.
pub fn try_alone(methods: &[Sole], kind: Kind, seed: u64, limit: Limit, tally: &mut Tally) -> Result<(), String> {
    let system = kind.system(seed);
    let brute = Behaviours::with(&system, 4, BRUTE_TICKS);
    match &brute {
        Some(_) => tally.compared += 1,
        None => tally.not_compared += 1,
    }
    for &sole in methods {
        let outcome = judged(&system, sole.told(&system, limit), brute.as_ref())
            .map_err(|why| format!("{} on {} {seed}: {why}\n{}", sole.name(), kind.name(), system.to_json()))?;
        let figures = tally.figures.entry((sole, kind)).or_default();
        match outcome.verdict {
            "serializable" => figures.proved += 1,
            "not-serializable" => figures.refuted += 1,
            _ => figures.unknown += 1,
        }
    }
    Ok(())
}
