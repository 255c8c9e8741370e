//! Structural reductions (Berthelot 1986), evidence of kind `script`: a smaller net, in which the goal cannot be
//! reached either.
//!
//! A script is a list of entries, each of which leaves out nodes of the net so far, and evidence of another kind about
//! the net that is left. Entries name nodes by their numbers in the net so far, ascending (`net.script.nodes`):
//!
//! - *Places* of which the goal does not speak (`net.script.asked`).
//! - *Dead* transitions, with evidence that no reachable marking of the net so far enables one of them (that of its
//!   kind; `net.claim`).
//! - *Idle* transitions, whose effect is 0 (`net.script.idle`).
//! - Transitions, each with one that is *like* it: that one stays, takes no more tokens from any place, and has the
//!   same effect (`net.script.like`).
//!
//! **Lemma.** If a marking of the goal can be reached in a net, then one can in the net that an entry leaves.
//!
//! **Proof.** Let a run of the net lead to a marking `M` of the goal.
//!
//! - *Places*: the same transitions fire in the net that is left, since they need no more there, and its markings are
//!   those of the run without the places that are left out. The goal does not speak of these, so it has the last one.
//! - *Dead*: no transition of the run is one of them, so that it is a run of the net that is left.
//! - *Idle*: without the occurrences of these transitions, the markings are the same, and so all others fire.
//! - *Like*: where one is left out, the one that is like it fires instead: it needs no more, and leads to the same
//!   marking. It stays, so it is itself not left out. ∎
//!
//! **Theorem.** If the checker accepts, no marking of the goal can be reached. **Proof.** By the theorem of the kind of
//! the evidence none can in the net that is left, and so, by the lemma for one entry after the other from the last,
//! none can in the net before them. ∎
//!
//! For this direction it does not matter whether leaving out a place makes more markings reachable. Where a search of
//! the smaller net finds a run into the goal, that run is evidence if it fires in the whole net, and else it is
//! nothing.

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_evidence::require;
use serval_petri::{Formula, Net, PlaceId, TransitionId};

use crate::conditions::NUMBERS;
use crate::{Claim, Evidence, Refusal, check as check_goal};

/// Reductions, and evidence about what is left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Script {
    /// What is left out, in order.
    pub entries: Vec<LeftOut>,
    /// Why the goal cannot be reached in the net that is left.
    pub evidence: Box<Evidence>,
}

/// Nodes that are left out, by their numbers in the net so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeftOut {
    /// Places of which the goal does not speak.
    Places(Vec<u32>),
    /// Transitions that never fire.
    Dead(NeverFire),
    /// Transitions that change nothing.
    Idle(Vec<u32>),
    /// Transitions, each with one that does the same and needs no more.
    Like(Vec<(u32, u32)>),
}

/// Transitions that never fire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct NeverFire {
    /// Their numbers.
    pub transitions: Vec<u32>,
    /// Why: the same for each of them.
    pub evidence: Box<Evidence>,
}

serval_evidence::objects!(Script, NeverFire);

impl LeftOut {
    /// What is left out: places, and transitions.
    fn left_out(&self) -> (&[u32], Vec<u32>) {
        match self {
            Self::Places(places) => (places, Vec::new()),
            Self::Dead(NeverFire { transitions, .. }) | Self::Idle(transitions) => (&[], transitions.clone()),
            Self::Like(pairs) => (&[], pairs.iter().map(|pair| pair.0).collect()),
        }
    }

    /// The net without what an entry leaves out, and the goal in it; `None` where nodes are none of the net, or out of
    /// order.
    pub fn applied(&self, net: &Net, goal: &Formula) -> Option<(Net, Formula)> {
        let (places, transitions) = self.left_out();
        let (keeps_place, keeps) = (kept(places, net.place_count())?, kept(&transitions, net.transition_count())?);
        let mut smaller = Net::new(net.name());
        let mut names: Vec<Option<PlaceId>> = Vec::with_capacity(keeps_place.len());
        for (place, &keeps) in net.places().zip(&keeps_place) {
            let added = keeps.then(|| smaller.add_place(net.place_name(place), net.initial_tokens(place)).ok());
            names.push(added.flatten());
        }
        let renamed = |arcs: &[(PlaceId, u64)]| -> Vec<(PlaceId, u64)> {
            arcs.iter().filter_map(|&(place, weight)| Some((names[place.index()]?, weight))).collect()
        };
        for (transition, _) in net.transitions().zip(&keeps).filter(|one| *one.1) {
            let (inputs, outputs) = (renamed(net.inputs(transition)), renamed(net.outputs(transition)));
            smaller.add_transition(net.transition_name(transition), inputs, outputs).ok()?;
        }
        let goal = goal.renamed(|place| names.get(place.index()).copied().flatten());
        Some((smaller, goal))
    }
}

/// Which of so many nodes are not left out; `None` where the numbers do not ascend, or one is none of them.
fn kept(left_out: &[u32], count: usize) -> Option<Vec<bool>> {
    let mut kept = vec![true; count];
    for &number in left_out {
        *kept.get_mut(usize::try_from(number).ok()?)? = false;
    }
    left_out.is_sorted_by(|one, other| one < other).then_some(kept)
}

/// The transition with this number.
fn transition(net: &Net, number: u32) -> Option<TransitionId> {
    TransitionId::try_from_index(usize::try_from(number).ok()?).filter(|transition| transition.index() < net.transition_count())
}

/// By place what a transition adds to it, where that is not 0.
fn effect(net: &Net, transition: TransitionId) -> Vec<(PlaceId, i128)> {
    let taken = net.inputs(transition).iter().map(|&(place, weight)| (place, i128::from(weight).saturating_neg()));
    let given = net.outputs(transition).iter().map(|&(place, weight)| (place, i128::from(weight)));
    let mut effect: Vec<(PlaceId, i128)> = taken.chain(given).collect();
    effect.sort_unstable();
    effect.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 = kept.1.saturating_add(next.1);
        }
        is_same
    });
    effect.retain(|one| one.1 != 0);
    effect
}

/// Whether a transition needs no more tokens anywhere than another.
fn needs_no_more(net: &Net, transition: TransitionId, than: TransitionId) -> bool {
    let needs = |of: TransitionId, place: PlaceId| serval_petri::weight(net.inputs(of), place);
    net.inputs(transition).iter().all(|&(place, weight)| weight <= needs(than, place))
}

/// Checks what an entry says of the net so far.
fn check_entry(number: usize, net: &Net, goal: &Formula, entry: &LeftOut, budget: &mut Budget) -> Result<(), Refusal> {
    let named = |number: u32| transition(net, number);
    match entry {
        LeftOut::Places(places) => {
            let mut asked = goal.constraints().flat_map(|constraint| constraint.expression().terms());
            let is_asked = asked.any(|term| u32::try_from(term.0.index()).is_ok_and(|place| places.contains(&place)));
            require!(ScriptAsked, !is_asked, "entry {number} leaves out a place of which the goal speaks");
        }
        LeftOut::Dead(NeverFire { transitions, evidence }) => {
            for transition in transitions.iter().filter_map(|&number| named(number)) {
                let fireable = Formula::fireable(net, transition).ok_or(NUMBERS)?;
                check_goal(net, &fireable, Claim::Unreachable, evidence, budget)?;
            }
        }
        LeftOut::Idle(transitions) => {
            let moves = transitions.iter().filter_map(|&number| named(number)).any(|transition| !effect(net, transition).is_empty());
            require!(ScriptIdle, !moves, "entry {number} leaves out a transition that changes something");
        }
        LeftOut::Like(pairs) => {
            let stays = |by: u32| pairs.binary_search_by_key(&by, |pair| pair.0).is_err();
            for &(left_out, by) in pairs {
                let both = named(left_out).zip(named(by)).filter(|_| stays(by));
                let arcs = both.map_or(0, |both| net.inputs(both.1).len().saturating_add(net.outputs(both.1).len()));
                budget.spend(u64::try_from(arcs).unwrap_or(u64::MAX))?;
                let is_like =
                    both.is_some_and(|(left_out, by)| effect(net, by) == effect(net, left_out) && needs_no_more(net, by, left_out));
                require!(ScriptLike, is_like, "entry {number} leaves out {left_out} for {by}, which is not like it, or does not stay");
            }
        }
    }
    Ok(())
}

/// Checks that the goal cannot be reached, as it cannot in the net that is left.
pub(crate) fn check(net: &Net, goal: &Formula, script: &Script, budget: &mut Budget) -> Result<(), Refusal> {
    let mut left: Option<(Net, Formula)> = None;
    for (number, entry) in script.entries.iter().enumerate() {
        let (net, goal) = left.as_ref().map_or((net, goal), |(net, goal)| (net, goal));
        let size = net.arc_count().saturating_add(net.place_count()).saturating_add(goal.parts().len());
        budget.spend(u64::try_from(size).unwrap_or(u64::MAX))?;
        let applied = entry.applied(net, goal);
        require!(ScriptNodes, applied.is_some(), "entry {number} leaves out what the net does not have, or not in order");
        check_entry(number, net, goal, entry, budget)?;
        if applied.is_some() {
            left = applied;
        }
    }
    let (net, goal) = left.as_ref().map_or((net, goal), |(net, goal)| (net, goal));
    check_goal(net, goal, Claim::Unreachable, &script.evidence, budget)
}
