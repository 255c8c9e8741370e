//! Reachability in the reversed net (Murata 1989), evidence of the kind `backward`: the initial marking cannot be
//! reached from the goal, against the transitions.
//!
//! The *mirror image* of a net and a goal is a net with the same places:
//!
//! - Its initial marking has the numbers on which all cases of the goal ([`Formula::targets`]) agree (`p = n`), and 0
//!   on all other places.
//! - It has each transition with inputs and outputs exchanged, in the same order; and then, for each place on which the
//!   cases do not agree, in order, a transition that takes nothing and puts one token there.
//! - Its goal is the initial marking of the net, exactly.
//!
//! **Theorem.** If the goal of the mirror image cannot be reached there, no marking of the goal can be reached.
//!
//! **Proof.** Let `M0 –t1→ M1 … –tn→ Mn` be a run of the net into the goal.
//!
//! - `Mn` meets one of the cases, so it has these numbers, and in the mirror image the transitions that put tokens on
//!   other places lead from its initial marking to `Mn`.
//! - From there `tn, …, t1` lead back to `M0`: at `Mi = M(i−1) − in(ti) + out(ti)` there is `out(ti)`, since
//!   `M(i−1) ≥ in(ti)`, so `ti` with its arcs exchanged can fire, and it leads to `Mi − out(ti) + in(ti) = M(i−1)`.
//!
//! So the goal of the mirror image can be reached. ∎
//!
//! The evidence is evidence of any kind that a goal cannot be reached (`net.claim`), about the mirror image: a list of
//! markings that is closed backwards is `states` there, and ω-markings above all from which the goal can be reached are
//! `cover` there. Where the goal says nothing else of places the converse of the theorem holds, too; the checker does
//! not use it.

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_petri::{Formula, Marking, Net, Property};

use crate::conditions::NUMBERS;
use crate::decomposition::sequence::{Label, MOST_CONDITIONS, label_of};
use crate::{Claim, Evidence, Refusal, check as check_evidence};

/// Evidence about the mirror image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Backward {
    /// Why the initial marking cannot be reached from the goal.
    pub evidence: Box<Evidence>,
}

serval_evidence::objects!(Backward);

/// What every marking of a goal is under: the numbers that all its cases say; `None` where there are too many cases.
pub fn said_by_all(net: &Net, goal: &Formula) -> Option<Label> {
    let mut labels = goal.targets(MOST_CONDITIONS)?.into_iter().map(|target| label_of(net, &target).0);
    let first = labels.next().unwrap_or_else(|| vec![None; net.place_count()]);
    Some(labels.fold(first, |said, other| said.into_iter().zip(other).map(|(one, other)| one.filter(|_| one == other)).collect()))
}

/// The mirror image of a net and a goal; `None` where a number does not fit. Who looks for evidence asks here.
pub fn mirrored(net: &Net, goal: &Formula) -> Option<(Net, Formula)> {
    let label = said_by_all(net, goal)?;
    let mut mirror = Net::new(net.name());
    for (place, tokens) in net.places().zip(&label) {
        mirror.add_place(net.place_name(place), tokens.unwrap_or(0)).ok()?;
    }
    for transition in net.transitions() {
        let (inputs, outputs) = (net.outputs(transition).iter().copied(), net.inputs(transition).iter().copied());
        mirror.add_transition(net.transition_name(transition), inputs, outputs).ok()?;
    }
    for (place, _) in net.places().zip(&label).filter(|(_, tokens)| tokens.is_none()) {
        let mut name = format!("any {}", net.place_name(place));
        while mirror.transition_named(&name).is_some() {
            name.push('\'');
        }
        mirror.add_transition(name, [], [(place, 1)]).ok()?;
    }
    let end = Property::Reaches(Marking::new(net.initial().as_slice().to_vec())).goals(net)?.pop()?;
    Some((mirror, end))
}

/// Checks the evidence about the mirror image.
pub(crate) fn check(net: &Net, goal: &Formula, backward: &Backward, budget: &mut Budget) -> Result<(), Refusal> {
    let size = net.arc_count().saturating_add(net.place_count()).saturating_add(goal.parts().len());
    budget.spend(u64::try_from(size).unwrap_or(u64::MAX))?;
    let (mirror, end) = mirrored(net, goal).ok_or(NUMBERS)?;
    check_evidence(&mirror, &end, Claim::Unreachable, &backward.evidence, budget)
}
