//! Methods, and what they find out: nothing that the checker has not accepted counts.

use serval_budget::{Budget, Cancel, Stopped};
use serval_net_proof::{Claim, Evidence, Refusal, Rejection, check};
use serval_petri::{Formula, Net};

/// An answer, which the checker has accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoalAnswer {
    /// What is so.
    pub claim: Claim,
    /// Why.
    pub evidence: Evidence,
    /// Who found it.
    pub method: &'static str,
}

/// A method that can be asked alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Random walks.
    Walk,
    /// Places that stay empty.
    Siphon,
    /// Sums that no transition increases.
    Weights,
    /// The marking equation, with traps, and as a plan.
    Equation,
    /// All markings.
    Explicit,
    /// Several steps at once.
    Induction,
    /// An invariant, clause by clause.
    Pdr,
    /// ω-markings that cover all markings.
    Cover,
    /// The least markings from which a goal can be covered.
    Backward,
    /// Clauses about tokens, firings and residues.
    Separator,
    /// All runs into a goal, split into cases.
    Decompose,
}

impl Method {
    /// All methods, each with its name and what it does in a few words.
    const ALL: [(Self, &'static str, &'static str); 11] = [
        (Self::Walk, "walk", "Random walks"),
        (Self::Siphon, "siphon", "Places that stay empty"),
        (Self::Weights, "weights", "Sums of tokens that no transition increases"),
        (Self::Equation, "equation", "The marking equation, with traps, and as a plan"),
        (Self::Explicit, "explicit", "All markings, one by one"),
        (Self::Induction, "induction", "Several steps at once"),
        (Self::Pdr, "pdr", "An invariant, clause by clause"),
        (Self::Cover, "cover", "Markings with ω that cover all markings"),
        (Self::Backward, "backward", "From the goal backwards, to the least markings that lead to it"),
        (Self::Separator, "separator", "Clauses about tokens, firings and residues that exclude the goal"),
        (Self::Decompose, "decompose", "All runs to a marking, split into cases until none is left"),
    ];

    /// All methods.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().map(|one| one.0)
    }

    /// The method that is called so.
    ///
    /// ```
    /// use serval_net_engine::Method;
    /// assert_eq!(Method::named("pdr"), Some(Method::Pdr));
    /// assert!(Method::all().all(|method| Method::named(method.name()) == Some(method)));
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.1 == name).map(|one| one.0)
    }

    /// What it is called, on the command line and in reports.
    pub fn name(self) -> &'static str {
        self.described().0
    }

    /// What it does, in a few words.
    pub fn words(self) -> &'static str {
        self.described().1
    }

    fn described(self) -> (&'static str, &'static str) {
        Self::ALL.into_iter().find(|one| one.0 == self).map_or(("", ""), |one| (one.1, one.2))
    }
}

/// What was found out about a goal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum GoalOutcome {
    /// Nothing, within the limits.
    #[default]
    Nothing,
    /// Nothing, and something was too large on the way.
    TooLarge {
        /// What there was too much of.
        what: &'static str,
        /// How much is allowed.
        limit: u64,
    },
    /// An answer.
    Answer(GoalAnswer),
    /// An answer whose evidence the checker refuses: a bug.
    Refused(GoalAnswer, Rejection),
}

impl GoalOutcome {
    /// Whether nothing was found that could be told.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Nothing | Self::TooLarge { .. })
    }

    /// The answer, if there is one.
    pub fn answer(&self) -> Option<&GoalAnswer> {
        match self {
            Self::Answer(answer) => Some(answer),
            Self::Nothing | Self::TooLarge { .. } | Self::Refused(..) => None,
        }
    }

    pub(crate) fn too_many_tokens(&mut self) {
        self.too_many("tokens on a place", u64::MAX);
    }

    /// Nothing is found, and something was too large on the way.
    pub(crate) fn too_many(&mut self, what: &'static str, limit: u64) {
        if *self == Self::Nothing {
            *self = Self::TooLarge { what, limit };
        }
    }
}

/// What the checker says of the evidence.
pub(crate) fn checked(net: &Net, goal: &Formula, evidence: Evidence, method: &'static str, cancel: &Cancel) -> GoalOutcome {
    let claim = evidence.claim();
    let checked = check(net, goal, claim, &evidence, &mut Budget::new(u64::MAX, cancel.clone()));
    told(checked, GoalAnswer { claim, evidence, method })
}

pub(crate) fn told(checked: Result<(), Refusal>, answer: GoalAnswer) -> GoalOutcome {
    match checked {
        Ok(()) => GoalOutcome::Answer(answer),
        Err(Refusal::Invalid(rejection)) => GoalOutcome::Refused(answer, rejection),
        Err(Refusal::TooLarge { what, limit }) => GoalOutcome::TooLarge { what, limit },
        Err(Refusal::Stopped(Stopped::Cancelled | Stopped::OutOfTicks)) => GoalOutcome::Nothing,
    }
}
