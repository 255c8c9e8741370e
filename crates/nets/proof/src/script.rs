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
//! - *Post* and *pre*: places, whose givers and takers become one transition (post- and pre-agglomeration, below).
//! - *Implicit* places, which never stop a transition (below).
//! - *Divided*: places whose tokens are counted in heaps (below).
//!
//! Where the goal is that nothing can fire, the goal in the net that is left is that nothing can fire there, unless
//! places of which the goal does not speak or idle transitions are left out. In all other cases it is what the goal
//! says of the places that are left.
//!
//! **Lemma.** If a marking of the goal can be reached in a net, then one can in the net that an entry leaves.
//!
//! **Proof.** Let a run of the net lead to a marking `M` of the goal.
//!
//! - *Places*: the same transitions fire in the net that is left, since they need no more there, and its markings are
//!   those of the run without the places that are left out. The goal does not speak of these, so it has the last one.
//! - *Dead*: no transition of the run is one of them, so that it is a run of the net that is left. Where nothing can
//!   fire, none of the transitions that are left can.
//! - *Idle*: without the occurrences of these transitions, the markings are the same, and so all others fire.
//! - *Like*: where one is left out, the one that is like it fires instead: it needs no more, and leads to the same
//!   marking. It stays, so it is itself not left out. Where nothing can fire, none of those that are left can.
//! - For the others it is proved below. ∎
//!
//! **Theorem.** If the checker accepts, no marking of the goal can be reached. **Proof.** By the theorem of the kind of
//! the evidence none can in the net that is left, and so, by the lemma for one entry after the other from the last,
//! none can in the net before them. ∎
//!
//! For this direction it does not matter whether leaving out a place makes more markings reachable. Where a search of
//! the smaller net finds a run into the goal, that run is evidence if it fires in the whole net, and else it is
//! nothing.

mod agglomeration;
mod division;
mod implicit;

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
    /// Places from which every token can be taken at once.
    Post(Vec<u32>),
    /// Places to which every token can be given at the last moment.
    Pre(Vec<u32>),
    /// Places that never stop a transition.
    Implicit(Vec<ImplicitPlace>),
    /// Places, each with a number that divides all weights of its arcs.
    Divided(Vec<(u32, u64)>),
}

/// A place that never stops a transition: its number and its factor, and other places with their weights. The place
/// has at least so many tokens, times the factor, as the others by their weights, but for how it was in the beginning.
pub type ImplicitPlace = (u32, u64, Vec<(u32, u64)>);

/// The net that an entry leaves.
#[derive(Clone, Debug)]
pub struct SmallerNet {
    /// What is left.
    pub net: Net,
    /// The goal in it.
    pub goal: Formula,
    /// By transition of what is left the transitions of the net before, one after the other, that it stands for.
    pub words: Vec<Vec<u32>>,
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
    fn left_out(&self) -> (Vec<u32>, Vec<u32>) {
        match self {
            Self::Places(places) | Self::Post(places) | Self::Pre(places) => (places.clone(), Vec::new()),
            Self::Implicit(places) => (places.iter().map(|place| place.0).collect(), Vec::new()),
            Self::Dead(NeverFire { transitions, .. }) | Self::Idle(transitions) => (Vec::new(), transitions.clone()),
            Self::Like(pairs) => (Vec::new(), pairs.iter().map(|pair| pair.0).collect()),
            Self::Divided(_) => (Vec::new(), Vec::new()),
        }
    }

    /// How many places and transitions of a net are left out.
    pub fn size(&self) -> (usize, usize) {
        let (places, transitions) = self.left_out();
        (places.len(), transitions.len())
    }

    /// The net without what an entry leaves out, and the goal in it; `None` where nodes are none of the net, or out of
    /// order, or a number is too large.
    pub fn applied(&self, net: &Net, goal: &Formula) -> Option<SmallerNet> {
        let is_deadlock = !matches!(self, Self::Places(_) | Self::Idle(_)) && Formula::deadlock(net).as_ref() == Some(goal);
        let mut smaller = match self {
            Self::Divided(divisors) => division::applied(net, goal, divisors)?,
            _ => self.without(net, goal)?,
        };
        if is_deadlock {
            smaller.goal = Formula::deadlock(&smaller.net)?;
        }
        Some(smaller)
    }

    /// The net without nodes.
    fn without(&self, net: &Net, goal: &Formula) -> Option<SmallerNet> {
        let (places, transitions) = self.left_out();
        let (keeps_place, mut keeps) = (kept(&places, net.place_count())?, kept(&transitions, net.transition_count())?);
        let fused = match self {
            Self::Post(places) | Self::Pre(places) => agglomeration::fused(net, places),
            _ => Vec::new(),
        };
        if matches!(self, Self::Post(_) | Self::Pre(_)) {
            // Whatever touches the places is there in pairs.
            for transition in net.transitions() {
                let touches = |arcs: &[(PlaceId, u64)]| arcs.iter().any(|arc| !keeps_place[arc.0.index()]);
                keeps[transition.index()] = !touches(net.inputs(transition)) && !touches(net.outputs(transition));
            }
        }
        let mut smaller = Net::new(net.name());
        let mut names: Vec<Option<PlaceId>> = Vec::with_capacity(keeps_place.len());
        for (place, &keeps) in net.places().zip(&keeps_place) {
            let added = keeps.then(|| smaller.add_place(net.place_name(place), net.initial_tokens(place)).ok());
            names.push(added.flatten());
        }
        let renamed = |arcs: &[(PlaceId, u64)]| -> Vec<(PlaceId, u64)> {
            arcs.iter().filter_map(|&(place, weight)| Some((names[place.index()]?, weight))).collect()
        };
        let mut words = Vec::new();
        for (transition, _) in net.transitions().zip(&keeps).filter(|one| *one.1) {
            let (inputs, outputs) = (renamed(net.inputs(transition)), renamed(net.outputs(transition)));
            smaller.add_transition(net.transition_name(transition), inputs, outputs).ok()?;
            words.push(vec![number_of(transition)?]);
        }
        for (giver, taker) in fused {
            let both = |arcs: fn(&Net, TransitionId) -> &[(PlaceId, u64)]| [renamed(arcs(net, giver)), renamed(arcs(net, taker))].concat();
            let mut name = format!("{}.{}", net.transition_name(giver), net.transition_name(taker));
            while smaller.transition_named(&name).is_some() {
                name.push('\'');
            }
            smaller.add_transition(name, both(Net::inputs), both(Net::outputs)).ok()?;
            words.push(vec![number_of(giver)?, number_of(taker)?]);
        }
        let goal = goal.renamed(|place| names.get(place.index()).copied().flatten());
        Some(SmallerNet { net: smaller, goal, words })
    }
}

/// The number of a transition.
fn number_of(transition: TransitionId) -> Option<u32> {
    u32::try_from(transition.index()).ok()
}

/// Which of so many nodes are not left out; `None` where the numbers do not ascend, or one is none of them.
fn kept(left_out: &[u32], count: usize) -> Option<Vec<bool>> {
    let mut kept = vec![true; count];
    for &number in left_out {
        *kept.get_mut(usize::try_from(number).ok()?)? = false;
    }
    left_out.is_sorted_by(|one, other| one < other).then_some(kept)
}

/// The places with these numbers that are there.
fn places(net: &Net, numbers: impl IntoIterator<Item = u32>) -> Vec<PlaceId> {
    let named = numbers.into_iter().filter_map(|number| PlaceId::try_from_index(usize::try_from(number).ok()?));
    named.filter(|place| place.index() < net.place_count()).collect()
}

/// By place whether the goal speaks of it.
fn asked(net: &Net, goal: &Formula) -> Vec<bool> {
    let mut asked = vec![false; net.place_count()];
    for term in goal.constraints().flat_map(|constraint| constraint.expression().terms()) {
        if let Some(asked) = asked.get_mut(term.0.index()) {
            *asked = true;
        }
    }
    asked
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
        LeftOut::Places(left_out) => {
            let asked = asked(net, goal);
            let is_asked = places(net, left_out.iter().copied()).iter().any(|place| asked[place.index()]);
            require!(ScriptAsked, !is_asked, "entry {number} leaves out a place of which the goal speaks");
        }
        LeftOut::Post(left_out) | LeftOut::Pre(left_out) => {
            let is_pre = matches!(entry, LeftOut::Pre(_));
            agglomeration::check(number, net, goal, &places(net, left_out.iter().copied()), is_pre)?;
        }
        LeftOut::Implicit(left_out) => implicit::check(number, net, goal, left_out, budget)?,
        LeftOut::Divided(divisors) => division::check(number, net, divisors)?,
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
    let mut left: Option<SmallerNet> = None;
    for (number, entry) in script.entries.iter().enumerate() {
        let (net, goal) = left.as_ref().map_or((net, goal), |left| (&left.net, &left.goal));
        let size = net.arc_count().saturating_add(net.place_count()).saturating_add(goal.parts().len());
        budget.spend(u64::try_from(size).unwrap_or(u64::MAX))?;
        if let LeftOut::Post(places) | LeftOut::Pre(places) = entry {
            let arcs = agglomeration::growth(net, places);
            let limit = agglomeration::MOST_ARCS;
            if arcs > limit {
                return Err(Refusal::TooLarge { what: "arcs of transitions that an entry makes one", limit });
            }
            budget.spend(arcs)?;
        }
        let applied = entry.applied(net, goal);
        require!(ScriptNodes, applied.is_some(), "entry {number} leaves out what the net does not have, or not in order");
        check_entry(number, net, goal, entry, budget)?;
        if applied.is_some() {
            left = applied;
        }
    }
    let (net, goal) = left.as_ref().map_or((net, goal), |left| (&left.net, &left.goal));
    check_goal(net, goal, Claim::Unreachable, &script.evidence, budget)
}
