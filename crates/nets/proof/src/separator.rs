//! Presburger inductive invariants (Leroux 2009), evidence of the kind `separator`: an invariant about tokens, about
//! how often transitions have fired, and about residues, which excludes the goal.
//!
//! The *counting net* has the places of the net and, behind them, one place for each transition, empty in the
//! beginning, on which the transition puts one token more. Clauses are those of an [`inductive`] invariant of the
//! counting net, with residues among their atoms. A clause that no transition changes needs no tree there: the marking
//! equation `M = M0 + C·y` is such clauses, two for each place.
//!
//! **Theorem.** If the clauses are an invariant of the counting net, by the rule there, and a tree shows that no
//! numbers of tokens meet all clauses and the goal, no marking of the goal can be reached.
//!
//! **Proof.** No transition takes from the places that count, so each run of the net is one of the counting net, which
//! leads to the same tokens on the places of the net. Where it ends all clauses hold, by the theorem there; in the goal
//! this would be a solution. ∎

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_linear::{Linear, Tree, check_tree};
use serval_petri::{Formula, Net};

use crate::Refusal;
use crate::conditions::NUMBERS;
use crate::inductive::{self, check_clauses, goal_problem};

/// A linear expression over the places of the counting net, by number: at least 0, or not divisible by a number. As
/// JSON a list: the divisor, or 0; the constant; then places, ascending, each with its factor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Vec<i64>", into = "Vec<i64>")]
pub struct Atom {
    divisor: i64,
    linear: Linear,
}

impl Atom {
    /// That the expression is at least 0.
    pub fn bound(linear: Linear) -> Self {
        Self { divisor: 0, linear }
    }

    /// That a number does not divide the expression; `None` where it is less than 1.
    pub fn residue(divisor: i64, linear: Linear) -> Option<Self> {
        (divisor >= 1).then_some(Self { divisor, linear })
    }
}

impl inductive::Atom for Atom {
    fn linear(&self) -> &Linear {
        &self.linear
    }

    fn divisor(&self) -> Option<u64> {
        u64::try_from(self.divisor).ok().filter(|&divisor| divisor > 0)
    }
}

impl From<Atom> for Vec<i64> {
    fn from(Atom { divisor, linear }: Atom) -> Self {
        std::iter::once(divisor).chain(Self::from(inductive::Bound(linear))).collect()
    }
}

impl TryFrom<Vec<i64>> for Atom {
    type Error = &'static str;

    fn try_from(mut numbers: Vec<i64>) -> Result<Self, &'static str> {
        let divisor = *numbers.first().filter(|&&divisor| divisor >= 0).ok_or("these numbers are no atom")?;
        let inductive::Bound(linear) = numbers.split_off(1).try_into()?;
        Ok(Self { divisor, linear })
    }
}

/// Clauses that hold in all reachable markings of the counting net, and exclude the goal, with the reasons.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Separator {
    /// What holds: of each one atom at least.
    pub clauses: Vec<Vec<Atom>>,
    /// For a clause and a transition, by number, a tree that shows that the transition does not end it.
    pub steps: Vec<(u32, u32, Tree)>,
    /// Why the goal does not hold.
    pub tree: Tree,
}

serval_evidence::objects!(Separator);

/// The net with a place for each transition that counts how often it has fired; `None` where there are too many. Who
/// looks for clauses asks here.
pub fn counting(net: &Net) -> Option<Net> {
    let mut counting = Net::new(net.name());
    for place in net.places() {
        counting.add_place(net.place_name(place), net.initial_tokens(place)).ok()?;
    }
    let mut counters = Vec::with_capacity(net.transition_count());
    for transition in net.transitions() {
        let mut name = format!("count {}", net.transition_name(transition));
        while counting.place_named(&name).is_some() {
            name.push('\'');
        }
        counters.push(counting.add_place(name, 0).ok()?);
    }
    for (transition, counter) in net.transitions().zip(counters) {
        let outputs = net.outputs(transition).iter().copied().chain([(counter, 1)]);
        counting.add_transition(net.transition_name(transition), net.inputs(transition).iter().copied(), outputs).ok()?;
    }
    Some(counting)
}

/// Checks the clauses, and that they exclude the goal.
pub(crate) fn check(net: &Net, goal: &Formula, separator: &Separator, budget: &mut Budget) -> Result<(), Refusal> {
    let size = net.arc_count().saturating_add(net.place_count()).saturating_add(net.transition_count());
    budget.spend(u64::try_from(size).unwrap_or(u64::MAX))?;
    let counting = counting(net).ok_or(NUMBERS)?;
    let clauses = check_clauses(&counting, &separator.clauses, &separator.steps, budget)?;
    check_tree(&goal_problem(&counting, &clauses, goal)?, &separator.tree, budget)
}
