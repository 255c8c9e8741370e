//! Proof obligations, as questions for other solvers.

use std::fmt;

use serval_budget::{Cancel, threads};
use serval_classic_engine::{ClassicVerdict, no_clock};
use serval_engine::portfolio::{self, Found, Plan};
use serval_model::NetworkSystem;
use serval_obligations::{Obligation, obligations};
use serval_proof::Part;

use crate::options::Methods;

/// Why there are no obligations: there is no proof of the kind that has some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unproved {
    /// It is not serializable: its evidence is a run.
    Refuted,
    /// The methods did not decide it, for this reason.
    Undecided(String),
    /// Its proof has no obligations, for this reason.
    NoObligations(String),
}

impl fmt::Display for Unproved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refuted => f.write_str("not serializable: the evidence is a run"),
            Self::Undecided(reason) => write!(f, "undecided: {reason}"),
            Self::NoObligations(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for Unproved {}

/// The obligations of all systems.
pub(super) fn proved(
    systems: &[&NetworkSystem],
    methods: &Methods,
    jobs: usize,
    cancel: &Cancel,
) -> Result<Vec<Vec<Obligation>>, Unproved> {
    let parts = match methods {
        Methods::Portfolio(methods) => {
            let plan = Plan { jobs: threads(jobs), rounds: usize::MAX, ..Plan::new(methods, cancel) };
            match portfolio::decide(systems, 0, &plan).found {
                Found::Serializable(parts, _) => parts,
                Found::Refuted { .. } => return Err(Unproved::Refuted),
                Found::Unknown(reason) => return Err(Unproved::Undecided(reason.to_string())),
            }
        }
        Methods::Classic(options) => {
            let invariant = |system: &&NetworkSystem| match serval_classic_engine::decide(system, options, cancel, &no_clock).verdict {
                ClassicVerdict::Serializable(proof) => Ok(Part::Invariant(proof)),
                ClassicVerdict::Refuted(_) => Err(Unproved::Refuted),
                ClassicVerdict::Unknown(reason) => Err(Unproved::Undecided(format!("stopped at the stage {reason}"))),
            };
            systems.iter().map(invariant).collect::<Result<Vec<Part>, Unproved>>()?
        }
    };
    let of_system = |(system, part): (&&NetworkSystem, Part)| obligations(system, part, cancel).map_err(Unproved::NoObligations);
    systems.iter().zip(parts).map(of_system).collect()
}
