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
use serval_evidence::{RecentParts, RowEnds, RowIndex, RowSteps, Rows, Sought, require};
use serval_petri::{Arc, Formula, Marking, Net, PlaceId, TransitionId};

use crate::Refusal;
use crate::bounds::excludes;
use crate::conditions::NUMBERS;

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

/// The transitions as steps from row to row.
fn steps_of(net: &Net) -> RowSteps {
    let mut steps = RowSteps::default();
    for transition in net.transitions() {
        let needs = net.inputs(transition).iter().map(|&(place, weight)| (place.index(), weight));
        let takes = net.inputs(transition).iter().map(|&(place, weight)| (place.index(), i128::from(weight).saturating_neg()));
        let gives = net.outputs(transition).iter().map(|&(place, weight)| (place.index(), i128::from(weight)));
        steps.add(needs, takes.chain(gives));
    }
    steps
}

const OTHER_PLACES: &str = "a marking has another number of places than the net";

/// The list ascends, its markings have the places of the net, and the initial one is in it.
fn check_form(net: &Net, markings: &Rows<u64>) -> Result<(), Refusal> {
    require!(StatesPlaces, markings.lengths().all(|places| places == net.place_count()), "{OTHER_PLACES}");
    let begins = markings.ascends() && markings.position(net.initial().as_slice()).is_some();
    require!(StatesInitial, begins, "the initial marking is not in the list, or the list does not ascend");
    Ok(())
}

fn require_in(net: &Net, is_in: bool, (number, transition): (usize, TransitionId)) -> Result<(), Refusal> {
    let name = net.transition_name(transition);
    require!(StatesClosed, is_in, "“{name}” leads from marking {number} to one that is not in the list");
    Ok(())
}

impl<'a> List<'a> {
    /// The list, which has the initial marking.
    pub(crate) fn new(net: &'a Net, markings: &'a Rows<u64>) -> Result<Self, Refusal> {
        check_form(net, markings)?;
        let (index, mut steps) = (RowIndex::of(markings), steps_of(net));
        let is_fitted = markings.is_empty() || steps.fit(markings);
        require!(StatesPlaces, is_fitted, "{OTHER_PLACES}");
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
        require_in(self.net, end.is_some(), (number, transition))?;
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
            Sought::NoRoom => require_in(self.net, false, (number, transition))?,
        }
        if self.open.len() >= TOGETHER { self.look_up() } else { Ok(()) }
    }

    /// The ends of all steps so far are in the list.
    pub(crate) fn look_up(&mut self) -> Result<(), Refusal> {
        let missing = self.index.find_sought(self.markings).err().and_then(|at| self.open.get(at)).copied();
        self.open.clear();
        missing.map_or(Ok(()), |step| require_in(self.net, false, step))
    }
}

fn cost(net: &Net) -> u64 {
    u64::try_from(net.arc_count().saturating_add(net.place_count())).unwrap_or(u64::MAX)
}

/// Markings that are looked at together.
const BLOCK: usize = 128;

/// Checks that the list is closed and has no marking of the goal.
///
/// Of the goal this need not be asked marking by marking where more tokens would be necessary than a place has in any
/// of them, nor again where the places that it speaks of have the same tokens as before. Where the goal is that no
/// transition can fire, it does not hold where one was seen to.
pub(crate) fn check(net: &Net, goal: &Formula, States { markings }: &States, budget: &mut Budget) -> Result<(), Refusal> {
    check_form(net, markings)?;
    let mut ends = RowEnds::new(markings, steps_of(net));
    require!(StatesPlaces, ends.is_some() || markings.is_empty(), "{OTHER_PLACES}");
    let tops: Vec<Option<i128>> = markings.tops().map(|top| Some(top.into())).collect();
    let (is_excluded, is_deadlock) = (excludes(goal, &tops), Formula::deadlock(net).as_ref() == Some(goal));
    let mut parts = RecentParts::at(goal.constraints().flat_map(|one| one.expression().terms()).map(|term| term.0.index()));
    let (mut marking, mut start) = (Marking::new(Vec::new()), 0_usize);
    while start < markings.len() {
        let block = start..markings.len().min(start.saturating_add(BLOCK));
        budget.spend(cost(net).saturating_mul(u64::try_from(block.len()).unwrap_or(u64::MAX)))?;
        start = block.end;
        if let Some(ends) = &mut ends
            && let Err((number, step)) = ends.look(block.clone())
        {
            let transition = TransitionId::try_from_index(step).ok_or(NUMBERS)?;
            require_in(net, false, (number, transition))?;
        }
        if is_excluded {
            continue;
        }
        for number in block {
            let can_fire = ends.as_ref().is_some_and(|ends| ends.can_go_on(number));
            if is_deadlock && can_fire || parts.keep(markings, number) {
                continue;
            }
            markings.read(number, marking.as_mut_vec());
            require!(StatesGoal, !goal.holds(&marking), "marking {number} is in the goal");
        }
    }
    Ok(())
}

/// Checks the stubborn sets, and that the list is closed under them.
pub(crate) fn check_stubborn(net: &Net, goal: &Formula, stubborn: &Stubborn, budget: &mut Budget) -> Result<(), Refusal> {
    require!(StubbornGoal, Formula::deadlock(net).as_ref() == Some(goal), "stubborn sets show only that nothing is a deadlock");
    let enabled = |number: usize, marking: &Marking, is_member: &[bool], _: &mut Budget| {
        let mut members = net.transitions().zip(is_member).filter(|one| *one.1);
        let enabled = members.any(|(member, _)| net.is_enabled(marking, member));
        require!(StubbornEnabled, enabled, "no member of set {number} is enabled");
        Ok(())
    };
    check_sets(net, &stubborn.markings, &stubborn.sets, enabled, budget)
}

/// Checks sets by what all of them must meet and by one thing more, and that the list is closed under them.
pub(crate) fn check_sets(
    net: &Net,
    markings: &Rows<u64>,
    all_sets: &[Vec<u32>],
    more: impl Fn(usize, &Marking, &[bool], &mut Budget) -> Result<(), Refusal>,
    budget: &mut Budget,
) -> Result<(), Refusal> {
    let sets = all_sets.len() == markings.len();
    require!(StubbornSets, sets, "{} for {}", counted(all_sets.len(), "set"), counted(markings.len(), "marking"));
    let mut list = List::new(net, markings)?;
    let (takers, givers) = (by_place(net, |net, t| net.inputs(t).iter().map(|arc| arc.0).collect()), by_place(net, increased));
    for (number, (tokens, set)) in markings.iter().zip(all_sets).enumerate() {
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
        for &member in &members {
            let name = net.transition_name(member);
            budget.spend(u64::try_from(net.inputs(member).len()).unwrap_or(u64::MAX))?;
            if net.is_enabled(&marking, member) {
                let conflicts = net.inputs(member).iter().all(|(place, _)| all_in(&takers[place.index()]));
                require!(StubbornConflict, conflicts, "set {number} has “{name}”, but not all that take from its inputs");
                list.check_step(number, member)?;
            } else {
                let lacks = |&&(place, weight): &&Arc| marking.tokens(place) < weight;
                let waits = net.inputs(member).iter().filter(lacks).any(|(place, _)| all_in(&givers[place.index()]));
                require!(StubbornWaiting, waits, "set {number} has “{name}”, but for no place that it waits for all that give to it");
            }
        }
        more(number, &marking, &is_member, budget)?;
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
