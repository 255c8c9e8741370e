//! Evidence about Petri nets, and its checker.
//!
//! A *goal* is a set of markings ([`Formula`]). Evidence shows that a marking of the goal can be reached, or that none
//! can ([`Claim`]). Each kind has one module with its rule, and the proof of the rule at its head:
//!
//! | kind | module | shows |
//! |---|---|---|
//! | `run`, `runs` | [`run`] | that a goal can be reached, or several: firing sequences |
//! | `weights`, `dead` | [`bounds`] | that it cannot: place invariants and empty siphons bound the places |
//! | `equation` | [`equation`] | that it cannot: the marking equation with traps has no solution in it |
//! | `inductive` | [`inductive`] | that it cannot: an inductive invariant of clauses excludes it |
//! | `k-inductive` | [`k_inductive`] | that it cannot: k-induction |
//! | `states` | [`states`] | that it cannot: no reachable marking is in it |
//! | `stubborn` | [`states`] | that no deadlock can be reached: stubborn sets |
//! | `toward` | [`toward`] | that it cannot: stubborn sets for the goal |
//! | `script` | [`script`] | that it cannot: it cannot in a net from which reductions have left something out |
//! | `cover` | [`cover`] | that it cannot, or that places are bounded: a coverability set |
//! | `basis` | [`basis`] | that it cannot: the basis of an upward-closed set that no transition enters |
//! | `backward` | [`backward`] | that it cannot: in the reversed net the initial marking is not reachable from it |
//! | `separator` | [`separator`] | that it cannot: a Presburger inductive invariant excludes it |
//! | `decomposition` | [`decomposition`] | that it cannot: the KLMST decomposition leaves no case |
//! | `pump` | [`pump`] | that a place is not bounded: a run with repeatable parts |
//! | `homes` | [`homes`] | that goals can always be reached again: all markings, with how far each is from a home |
//! | `lost` | [`homes`] | that a goal cannot: a run to where it is out of reach |
//!
//! A [`Certificate`] is about a property of a net: evidence about as many of its goals as decide it ([`certificate`]).
//!
//! **Architecture Invariant:** no search, no solver, and no engine below; arithmetic is checked, and what does not fit
//! is "too large", never an answer.

// Numbers of inputs have 64 bits: what is done with them is checked, or done in 128 bits.
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))]

pub mod backward;
pub mod basis;
mod bounded;
pub mod bounds;
pub mod certificate;
mod conditions;
pub mod cover;
pub mod decomposition;
pub mod equation;
pub mod homes;
pub mod inductive;
pub mod k_inductive;
pub mod pump;
pub mod run;
pub mod script;
pub mod separator;
pub mod states;
#[cfg(test)]
mod tests;
pub mod toward;

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_petri::{Formula, Net};

pub use backward::Backward;
pub use basis::{Basis, Excluded};
pub use bounded::check_bounded;
pub use bounds::{Dead, Weights};
pub use certificate::{About, Certificate, MOST_BYTES, fingerprint};
pub use conditions::Condition;
pub use cover::Cover;
pub use decomposition::Decomposition;
pub use equation::Equation;
pub use homes::{Homes, Lost, check_homes};
pub use inductive::{Bound, Clause, Inductive, Invariant};
pub use k_inductive::KInductive;
pub use pump::{Again, Pump, PumpStep};
pub use run::{Item, Run, Runs};
pub use script::{ImplicitPlace, LeftOut, NeverFire, Script, SmallerNet};
pub use separator::Separator;
pub use serval_evidence::{RecentParts, Refusal, Rejection, RowSteps, Rows};
pub use states::{States, Stubborn};
pub use toward::{Helpers, Toward};

/// What is said of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// A marking of it can be reached.
    Reachable,
    /// No marking of it can be reached.
    Unreachable,
    /// The places that are claimed are bounded. This is said of places, not of a goal.
    Bounded,
    /// One of them is not.
    Unbounded,
    /// From every reachable marking a marking of the goal can be reached.
    Home,
    /// From some reachable marking none can.
    Lost,
}

impl Claim {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Reachable => "reachable",
            Self::Unreachable => "unreachable",
            Self::Bounded => "bounded",
            Self::Unbounded => "unbounded",
            Self::Home => "always in reach",
            Self::Lost => "not always in reach",
        }
    }
}

/// Why it is so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// A run into the goal.
    Run(Run),
    /// Weights that bound places.
    Weights(Weights),
    /// Places that stay empty.
    Dead(Dead),
    /// The marking equation has no solution in the goal.
    Equation(Equation),
    /// An inductive invariant of clauses excludes the goal.
    Inductive(Inductive),
    /// No short run ends in the goal, and no long one.
    KInductive(KInductive),
    /// All markings that can be reached.
    States(States),
    /// Markings that are enough to see every deadlock.
    Stubborn(Stubborn),
    /// Markings that are enough to see every marking of the goal.
    Toward(Toward),
    /// ω-markings below which all reachable markings are.
    Cover(Cover),
    /// An upward-closed set that no transition enters contains the goal.
    Basis(Basis),
    /// From the goal nothing leads back to the beginning.
    Backward(Backward),
    /// Clauses about tokens, firings and residues exclude the goal.
    Separator(Separator),
    /// Cases until none is left.
    Decomposition(Decomposition),
    /// A run with parts that can be repeated as often as one likes.
    Pump(Pump),
    /// All markings that can be reached, with how far each is from a home.
    Homes(Homes),
    /// A run to a marking from which the goal cannot be reached.
    Lost(Lost),
    /// The goal cannot be reached in a smaller net.
    Script(Script),
}

impl Evidence {
    /// The name of the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Run(_) => "run",
            Self::Weights(_) => "weights",
            Self::Dead(_) => "dead",
            Self::Equation(_) => "equation",
            Self::Inductive(_) => "inductive",
            Self::KInductive(_) => "k-inductive",
            Self::States(_) => "states",
            Self::Stubborn(_) => "stubborn",
            Self::Toward(_) => "toward",
            Self::Cover(_) => "cover",
            Self::Basis(_) => "basis",
            Self::Backward(_) => "backward",
            Self::Separator(_) => "separator",
            Self::Decomposition(_) => "decomposition",
            Self::Pump(_) => "pump",
            Self::Homes(_) => "homes",
            Self::Lost(_) => "lost",
            Self::Script(_) => "script",
        }
    }

    /// What it can show of a goal; a pump shows nothing of goals.
    pub fn claim(&self) -> Claim {
        match self {
            Self::Run(_) => Claim::Reachable,
            Self::Pump(_) => Claim::Unbounded,
            Self::Homes(_) => Claim::Home,
            Self::Lost(_) => Claim::Lost,
            _ => Claim::Unreachable,
        }
    }
}

/// Checks that the evidence shows what is claimed of the goal.
pub fn check(net: &Net, goal: &Formula, claim: Claim, evidence: &Evidence, budget: &mut Budget) -> Result<(), Refusal> {
    let shown = evidence.claim();
    serval_evidence::require!(
        Claimed,
        shown == claim,
        "evidence of kind {} shows that a goal is {}, not {}",
        evidence.kind(),
        shown.word(),
        claim.word()
    );
    match evidence {
        Evidence::Run(run) => run::check(net, goal, run, budget),
        Evidence::Weights(weights) => bounds::check_weights(net, goal, weights, budget),
        Evidence::Dead(dead) => bounds::check_dead(net, goal, dead, budget),
        Evidence::Equation(equation) => equation::check(net, goal, equation, budget),
        Evidence::Inductive(inductive) => inductive::check(net, goal, inductive, budget),
        Evidence::KInductive(inductive) => k_inductive::check(net, goal, inductive, budget),
        Evidence::States(states) => states::check(net, goal, states, budget),
        Evidence::Stubborn(stubborn) => states::check_stubborn(net, goal, stubborn, budget),
        Evidence::Toward(toward) => toward::check(net, goal, toward, budget),
        Evidence::Cover(cover) => cover::check(net, goal, cover, budget),
        Evidence::Basis(basis) => basis::check(net, goal, basis, budget),
        Evidence::Backward(backward) => backward::check(net, goal, backward, budget),
        Evidence::Separator(separator) => separator::check(net, goal, separator, budget),
        Evidence::Decomposition(decomposition) => decomposition::check(net, goal, decomposition, budget),
        Evidence::Homes(homes) => homes::check(net, std::slice::from_ref(goal), homes, budget),
        Evidence::Lost(lost) => homes::check_lost(net, goal, lost, budget),
        Evidence::Script(script) => script::check(net, goal, script, budget),
        Evidence::Pump(_) => {
            serval_evidence::require!(Claimed, false, "evidence of kind pump is about places, not about a goal");
            Ok(())
        }
    }
}
