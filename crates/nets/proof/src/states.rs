//! Closed sets of markings and stubborn sets (Valmari 1990), evidence of the kinds `states` and `stubborn`: markings
//! one by one.
//!
//! **States.** A list of markings that contains the initial one (`net.states.initial`), with each marking all its
//! successors by any transition (`net.states.closed`), and none of the goal (`net.states.goal`). By induction on runs
//! it contains every reachable marking. ∎
//!
//! **Stubborn sets.** The goal is that no transition can fire (`net.stubborn.goal`). Each marking `M` of the list has a
//! set `S` of transitions (`net.stubborn.sets`) such that
//!
//! 1. some member is enabled (`net.stubborn.enabled`), so that `M` is no deadlock;
//! 2. for an enabled member, every transition that takes from one of its input places is a member
//!    (`net.stubborn.conflict`);
//! 3. for any other member, some input place has too few tokens, and every transition that increases it is a member
//!    (`net.stubborn.waiting`).
//!
//! The list contains the initial marking, and every successor of a marking by an *enabled member*.
//!
//! **Theorem.** No deadlock can be reached.
//!
//! **Proof.** Suppose a deadlock can be reached from some marking of the list, and let `M` be one from which it takes
//! the fewest steps, by a word `w`. `w` is not empty, by (1).
//!
//! - *Some member occurs in `w`.* Let `t` be an enabled member. If none occurs, no transition of `w` takes from the
//!   inputs of `t`, by (2), so `t` is still enabled after `w`, which is a deadlock: a contradiction. Let `w = u s v`
//!   with `s` the first member in it.
//! - *`s` is enabled at `M`.* Otherwise some input place of `s` has too few tokens at `M` and only members increase it,
//!   by (3); but `u` has no members, and `s` fires after `u`.
//! - *`s u v` fires at `M`* and leads to the same marking. As `s` is enabled, by (2) no transition of `u` takes from an
//!   input place of `s`; `s` takes only from its input places, so that the tokens that `u` needs on other places are
//!   there, and what `s` gives does no harm. After `s u` the marking is that after `u s`, and `v` fires as before.
//!
//! So `M` leads by the enabled member `s` to a marking of the list from which the deadlock takes fewer steps: a
//! contradiction. The initial marking is in the list, so no deadlock can be reached. ∎

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_diagnostic::counted;
use serval_evidence::{RowIndex, RowSteps, Rows, Sought, require};
use serval_petri::{Arc, Formula, Marking, Net, PlaceId, TransitionId};

use crate::Refusal;

/// All markings that can be reached, or more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct States {
    /// The tokens by place, of each marking; the markings ascend.
    pub markings: Rows<u64>,
}

/// Markings, each with a set of transitions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Stubborn {
    /// The tokens by place, of each marking; the markings ascend.
    pub markings: Rows<u64>,
    /// For each marking its stubborn set, ascending.
    pub sets: Vec<Vec<u32>>,
}

serval_evidence::objects!(States, Stubborn);

/// A list of markings that can be looked up.
pub(crate) struct List<'a> {
    net: &'a Net,
    markings: &'a Rows<u64>,
    index: RowIndex,
    /// The transitions, as steps from row to row.
    steps: RowSteps,
    /// Steps whose ends are still to be looked up: the number of a marking, and what fires.
    open: Vec<(usize, TransitionId)>,
}

/// Steps whose ends are looked up together.
const TOGETHER: usize = 256;

impl<'a> List<'a> {
    /// The list, which has the initial marking.
    pub(crate) fn new(net: &'a Net, markings: &'a Rows<u64>) -> Result<Self, Refusal> {
        let well_formed = markings.lengths().all(|places| places == net.place_count());
        require!(StatesPlaces, well_formed, "a marking has another number of places than the net");
        let mut index = RowIndex::of(markings);
        let begins = markings.ascends() && index.find(markings, net.initial().as_slice()).is_some();
        require!(StatesInitial, begins, "the initial marking is not in the list, or the list does not ascend");
        let mut steps = RowSteps::default();
        for transition in net.transitions() {
            let needs = net.inputs(transition).iter().map(|&(place, weight)| (place.index(), weight));
            let takes = net.inputs(transition).iter().map(|&(place, weight)| (place.index(), i128::from(weight).saturating_neg()));
            let gives = net.outputs(transition).iter().map(|&(place, weight)| (place.index(), i128::from(weight)));
            steps.add(needs, takes.chain(gives));
        }
        let is_fitted = markings.is_empty() || steps.fit(markings);
        require!(StatesPlaces, is_fitted, "a marking has another number of places than the net");
        Ok(Self { net, markings, index, steps, open: Vec::new() })
    }

    fn is_enabled(&self, number: usize, transition: TransitionId) -> bool {
        self.steps.can_be_taken(transition.index(), self.markings, number)
    }

    /// Pays for looking at a marking with all transitions.
    pub(crate) fn spend(&self, budget: &mut Budget) -> Result<(), Refusal> {
        Ok(budget.spend(cost(self.net))?)
    }

    /// The number of the marking to which a transition leads from this one, which has this number; nothing where it is
    /// not enabled.
    pub(crate) fn end_of(&mut self, number: usize, transition: TransitionId, marking: &Marking) -> Result<Option<usize>, Refusal> {
        if !self.is_enabled(number, transition) {
            return Ok(None);
        }
        let mut after = marking.clone();
        let fires = self.net.fire(&mut after, transition).is_ok();
        let end = self.index.find(self.markings, after.as_slice()).filter(|_| fires);
        self.require_in(end.is_some(), (number, transition))?;
        Ok(end)
    }

    /// Where a transition is enabled, what it leads to is to be looked up.
    pub(crate) fn check_step(&mut self, number: usize, transition: TransitionId) -> Result<(), Refusal> {
        if !self.is_enabled(number, transition) {
            return Ok(());
        }
        match self.index.seek_step(self.markings, number, &self.steps, transition.index()) {
            Sought::Known => {}
            Sought::Noted => self.open.push((number, transition)),
            Sought::NoRoom => self.require_in(false, (number, transition))?,
        }
        if self.open.len() >= TOGETHER { self.look_up() } else { Ok(()) }
    }

    /// The ends of all steps so far are in the list.
    pub(crate) fn look_up(&mut self) -> Result<(), Refusal> {
        let missing = self.index.find_sought(self.markings).err().and_then(|at| self.open.get(at)).copied();
        self.open.clear();
        missing.map_or(Ok(()), |step| self.require_in(false, step))
    }

    fn require_in(&self, is_in: bool, (number, transition): (usize, TransitionId)) -> Result<(), Refusal> {
        let name = self.net.transition_name(transition);
        require!(StatesClosed, is_in, "“{name}” leads from marking {number} to one that is not in the list");
        Ok(())
    }
}

fn cost(net: &Net) -> u64 {
    u64::try_from(net.arc_count().saturating_add(net.place_count())).unwrap_or(u64::MAX)
}

/// Checks that the list is closed and has no marking of the goal.
pub(crate) fn check(net: &Net, goal: &Formula, states: &States, budget: &mut Budget) -> Result<(), Refusal> {
    let mut list = List::new(net, &states.markings)?;
    let mut marking = Marking::new(Vec::new());
    for number in 0..states.markings.len() {
        budget.spend(cost(net))?;
        states.markings.read(number, marking.as_mut_vec());
        require!(StatesGoal, !goal.holds(&marking), "marking {number} is in the goal");
        for transition in net.transitions() {
            list.check_step(number, transition)?;
        }
    }
    list.look_up()
}

/// Checks the stubborn sets, and that the list is closed under them.
pub(crate) fn check_stubborn(net: &Net, goal: &Formula, stubborn: &Stubborn, budget: &mut Budget) -> Result<(), Refusal> {
    require!(StubbornGoal, Formula::deadlock(net).as_ref() == Some(goal), "stubborn sets show only that nothing is a deadlock");
    let sets = stubborn.sets.len() == stubborn.markings.len();
    require!(StubbornSets, sets, "{} for {}", counted(stubborn.sets.len(), "set"), counted(stubborn.markings.len(), "marking"));
    let mut list = List::new(net, &stubborn.markings)?;
    let (takers, givers) = (by_place(net, |net, t| net.inputs(t).iter().map(|arc| arc.0).collect()), by_place(net, increased));
    for (number, (tokens, set)) in stubborn.markings.iter().zip(&stubborn.sets).enumerate() {
        budget.spend(cost(net))?;
        let marking = Marking::new(tokens);
        let members: Vec<TransitionId> = set
            .iter()
            .filter_map(|&number| TransitionId::try_from_index(usize::try_from(number).ok()?))
            .filter(|transition| transition.index() < net.transition_count())
            .collect();
        require!(StubbornSets, members.len() == set.len(), "set {number} has a transition that is not one of the net");
        let mut is_member = vec![false; net.transition_count()];
        members.iter().for_each(|member| is_member[member.index()] = true);
        let all_in = |transitions: &[TransitionId]| transitions.iter().all(|transition| is_member[transition.index()]);
        let mut enabled = false;
        for &member in &members {
            let name = net.transition_name(member);
            budget.spend(u64::try_from(net.inputs(member).len()).unwrap_or(u64::MAX))?;
            if net.is_enabled(&marking, member) {
                enabled = true;
                let conflicts = net.inputs(member).iter().all(|(place, _)| all_in(&takers[place.index()]));
                require!(StubbornConflict, conflicts, "set {number} has “{name}”, but not all that take from its inputs");
                list.check_step(number, member)?;
            } else {
                let lacks = |&&(place, weight): &&Arc| marking.tokens(place) < weight;
                let waits = net.inputs(member).iter().filter(lacks).any(|(place, _)| all_in(&givers[place.index()]));
                require!(StubbornWaiting, waits, "set {number} has “{name}”, but for no place that it waits for all that give to it");
            }
        }
        require!(StubbornEnabled, enabled, "no member of set {number} is enabled");
    }
    list.look_up()
}

/// For each place the transitions that touch it in some way.
fn by_place(net: &Net, touched: impl Fn(&Net, TransitionId) -> Vec<PlaceId>) -> Vec<Vec<TransitionId>> {
    let mut by_place = vec![Vec::new(); net.place_count()];
    for transition in net.transitions() {
        for place in touched(net, transition) {
            by_place[place.index()].push(transition);
        }
    }
    by_place
}

/// The places on which a transition leaves more tokens than there were.
fn increased(net: &Net, transition: TransitionId) -> Vec<PlaceId> {
    let taken = |place: PlaceId| net.inputs(transition).iter().find(|arc| arc.0 == place).map_or(0, |arc| arc.1);
    net.outputs(transition).iter().filter(|&&(place, weight)| weight > taken(place)).map(|arc| arc.0).collect()
}
