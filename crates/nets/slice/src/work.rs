//! The rounds, on masks of what is left.

use rustc_hash::FxHashMap;
use serval_budget::{Budget, Stopped};
use serval_petri::{Arc, Constraint, Net, PlaceId, Target, TransitionId, greatest_trap, weight};

use super::constants::{Truth, forced, truth};
use super::{Forced, Refutation, Round, Sliced};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Left,
    /// Left out, and empty in every run that counts.
    Empty,
    /// Left out, and without influence on the target.
    Irrelevant,
}

/// Where a token is moved from and to; from nowhere where it is made, to nowhere
/// where it is used up.
type Moved = (Option<PlaceId>, Option<PlaceId>);

/// For each place, transitions.
type ByPlace = Vec<Vec<TransitionId>>;

/// How far slicing has come.
///
/// Once a place is `Empty`, no transition that is left touches it. Once it is
/// irrelevant, transitions that are left may still give to it, and none takes
/// from it.
pub(super) struct SliceProgress<'a> {
    net: &'a Net,
    target: &'a Target,
    places: Vec<Status>,
    transitions: Vec<bool>,
    /// Which transitions take from a place.
    takers: ByPlace,
    /// Which transitions give to a place.
    givers: ByPlace,
    rounds: Vec<Round>,
}

impl<'a> SliceProgress<'a> {
    pub(super) fn new(net: &'a Net, target: &'a Target) -> Self {
        let mut takers = vec![Vec::new(); net.place_count()];
        let mut givers = vec![Vec::new(); net.place_count()];
        for transition in net.transitions() {
            for &(place, _) in net.inputs(transition) {
                takers[place.index()].push(transition);
            }
            for &(place, _) in net.outputs(transition) {
                givers[place.index()].push(transition);
            }
        }
        let (places, transitions) = (vec![Status::Left; net.place_count()], vec![true; net.transition_count()]);
        Self { net, target, places, transitions, takers, givers, rounds: Vec::new() }
    }

    /// How much a round looks at, at most.
    pub(super) fn size(&self) -> u64 {
        let size = self.net.place_count() + self.net.transition_count() + self.net.arc_count();
        u64::try_from(size).unwrap_or(u64::MAX).saturating_add(1)
    }

    /// How many rounds have left out something.
    pub(super) fn rounds_made(&self) -> usize {
        self.rounds.len()
    }

    pub(super) fn into_rounds(self) -> Vec<Round> {
        self.rounds
    }

    fn is_left(&self, place: PlaceId) -> bool {
        self.places[place.index()] == Status::Left
    }

    /// A place that the net does not have is always empty.
    fn is_empty(&self, place: PlaceId) -> bool {
        self.places.get(place.index()).is_none_or(|&status| status == Status::Empty)
    }

    fn left_places(&self) -> impl Iterator<Item = PlaceId> {
        self.net.places().filter(|&place| self.is_left(place))
    }

    fn left_transitions(&self) -> impl Iterator<Item = TransitionId> {
        self.net.transitions().filter(|transition| self.transitions[transition.index()])
    }

    fn transitions_among(&self, candidates: &'a ByPlace, place: PlaceId) -> impl Iterator<Item = TransitionId> {
        candidates[place.index()].iter().copied().filter(|transition| self.transitions[transition.index()])
    }

    /// Leaves out `places`, and the transitions that are `at` them; which those were.
    fn leave_out(&mut self, places: &[PlaceId], status: Status, at: impl Fn(&Self, TransitionId) -> bool) -> Vec<TransitionId> {
        let gone: Vec<TransitionId> = self.left_transitions().filter(|&transition| at(self, transition)).collect();
        for &place in places {
            self.places[place.index()] = status;
        }
        for transition in &gone {
            self.transitions[transition.index()] = false;
        }
        gone
    }

    /// Leaves out what can never be marked.
    pub(super) fn never_marked(&mut self) {
        let mut marked: Vec<bool> = self.net.places().map(|place| self.net.initial_tokens(place) > 0).collect();
        let left_inputs = |work: &Self, transition| work.net.inputs(transition).iter().filter(|&&(place, _)| work.is_left(place)).count();
        let mut missing: Vec<usize> = self.net.transitions().map(|transition| left_inputs(self, transition)).collect();
        // Marked places whose takers have not been told, and transitions that miss nothing.
        let mut fresh: Vec<PlaceId> = self.left_places().filter(|place| marked[place.index()]).collect();
        let mut ready: Vec<TransitionId> = self.left_transitions().filter(|transition| missing[transition.index()] == 0).collect();
        loop {
            while let Some(transition) = ready.pop() {
                for &(place, _) in self.net.outputs(transition) {
                    if self.is_left(place) && !std::mem::replace(&mut marked[place.index()], true) {
                        fresh.push(place);
                    }
                }
            }
            let Some(place) = fresh.pop() else { break };
            for &transition in &self.takers[place.index()] {
                missing[transition.index()] -= 1;
                if missing[transition.index()] == 0 && self.transitions[transition.index()] {
                    ready.push(transition);
                }
            }
        }
        let places: Vec<PlaceId> = self.left_places().filter(|place| !marked[place.index()]).collect();
        if !places.is_empty() {
            let takes = |work: &Self, transition| {
                work.net.inputs(transition).iter().any(|&(place, _)| !marked[place.index()] && work.is_left(place))
            };
            let transitions = self.leave_out(&places, Status::Empty, takes);
            self.rounds.push(Round::UnmarkedSiphon { places, transitions });
        }
    }

    /// All places that the target forces to 0, or a constraint that nothing
    /// satisfies.
    fn forced(&self, budget: &mut Budget) -> Result<(Vec<Forced>, Option<usize>), Stopped> {
        let mut zero = vec![false; self.net.place_count()];
        let mut found: Vec<Forced> = Vec::new();
        loop {
            let before = found.len();
            for (position, constraint) in self.target.constraints().iter().enumerate() {
                budget.spend(u64::try_from(constraint.expression().terms().len()).unwrap_or(u64::MAX).saturating_add(1))?;
                let is_zero = |place: PlaceId| self.is_empty(place) || zero[place.index()];
                match truth(constraint, &is_zero) {
                    Truth::Never => return Ok((found, Some(position))),
                    Truth::Always => {}
                    Truth::Open => {
                        for place in forced(constraint, &is_zero) {
                            zero[place.index()] = true;
                            found.push(Forced { place, constraint: position });
                        }
                    }
                }
            }
            if found.len() == before {
                return Ok((found, None));
            }
        }
    }

    /// Leaves out what a run to the target cannot mark, or says why there is none.
    pub(super) fn trap(&mut self, budget: &mut Budget) -> Result<Option<Refutation>, Stopped> {
        let (forced, unsatisfiable) = self.forced(budget)?;
        if let Some(constraint) = unsatisfiable {
            return Ok(Some(Refutation::Unsatisfiable { constraint, forced }));
        }
        let mut inside = vec![false; self.net.place_count()];
        for entry in &forced {
            inside[entry.place.index()] = true;
        }
        let inside = greatest_trap(self.net, self.left_transitions(), inside);
        let places: Vec<PlaceId> = self.left_places().filter(|place| inside[place.index()]).collect();
        if let Some(&marked) = places.iter().find(|&&place| self.net.initial_tokens(place) > 0) {
            return Ok(Some(Refutation::MarkedTrap { places, forced, marked }));
        }
        if !places.is_empty() {
            let gives = |work: &Self, transition| work.net.outputs(transition).iter().any(|&(place, _)| inside[place.index()]);
            let transitions = self.leave_out(&places, Status::Empty, gives);
            self.rounds.push(Round::Trap { places, forced, transitions });
        }
        Ok(None)
    }

    /// The constraints that say something.
    fn open_constraints(&self) -> impl Iterator<Item = &'a Constraint> {
        self.target.constraints().iter().filter(|constraint| truth(constraint, &|place| self.is_empty(place)) != Truth::Always)
    }

    /// Leaves out what the target does not depend on.
    pub(super) fn irrelevant(&mut self) {
        let mut relevant = vec![false; self.net.place_count()];
        let mut fresh: Vec<PlaceId> = Vec::new();
        for constraint in self.open_constraints() {
            for &(place, _) in constraint.expression().terms() {
                if !self.is_empty(place) && !std::mem::replace(&mut relevant[place.index()], true) {
                    fresh.push(place);
                }
            }
        }
        let changes = |transition: TransitionId, place: PlaceId| {
            weight(self.net.inputs(transition), place) != weight(self.net.outputs(transition), place)
        };
        let mut useful = vec![false; self.net.transition_count()];
        while let Some(place) = fresh.pop() {
            for transition in self.transitions_among(&self.takers, place).chain(self.transitions_among(&self.givers, place)) {
                if changes(transition, place) && !std::mem::replace(&mut useful[transition.index()], true) {
                    for &(input, _) in self.net.inputs(transition) {
                        if !std::mem::replace(&mut relevant[input.index()], true) {
                            fresh.push(input);
                        }
                    }
                }
            }
        }
        let places: Vec<PlaceId> = self.left_places().filter(|place| !relevant[place.index()]).collect();
        let transitions = self.leave_out(&places, Status::Irrelevant, |_, transition| !useful[transition.index()]);
        if !places.is_empty() || !transitions.is_empty() {
            self.rounds.push(Round::Irrelevant { places, transitions });
        }
    }

    /// What a transition that is left moves: from where, and to where. `None`
    /// where that is more than one token.
    fn moved(&self, transition: TransitionId) -> Option<Moved> {
        let one = |from: &[Arc], to: &[Arc]| -> Option<Option<PlaceId>> {
            let mut found = None;
            for &(place, tokens) in from.iter().filter(|arc| self.is_left(arc.0)) {
                match tokens.saturating_sub(weight(to, place)) {
                    0 => {}
                    1 if found.is_none() => found = Some(place),
                    _ => return None,
                }
            }
            Some(found)
        };
        let (inputs, outputs) = (self.net.inputs(transition), self.net.outputs(transition));
        Some((one(inputs, outputs)?, one(outputs, inputs)?))
    }

    /// Places of which every token can be left out at the end: there is none,
    /// or fewer are as good.
    fn spare_at_the_end(&self, forced: &[Forced]) -> Vec<bool> {
        let mut spare = vec![true; self.net.place_count()];
        for constraint in self.open_constraints() {
            let is_bound = matches!(constraint, Constraint::AtLeastZero(_));
            for &(place, coefficient) in constraint.expression().terms() {
                if !(is_bound && coefficient < 0)
                    && let Some(spare) = spare.get_mut(place.index())
                {
                    *spare = false;
                }
            }
        }
        for entry in forced {
            spare[entry.place.index()] = true;
        }
        spare
    }

    /// Leaves out where only tokens come that can be left out of every run, from
    /// the beginning to the end.
    pub(super) fn dispensable(&mut self, budget: &mut Budget) -> Result<(), Stopped> {
        let (forced, None) = self.forced(budget)? else { return Ok(()) };
        // Nothing that stays needs a token there and leaves it.
        let mut alone: Vec<bool> = self.net.places().map(|place| self.is_left(place)).collect();
        for transition in self.left_transitions() {
            for &(place, _) in self.net.inputs(transition) {
                if weight(self.net.outputs(transition), place) > 0 {
                    alone[place.index()] = false;
                }
            }
        }
        let both = |one: &[bool], other: &[bool]| one.iter().zip(other).map(|(&one, &other)| one && other).collect::<Vec<bool>>();
        let unmarked: Vec<bool> = self.net.places().map(|place| self.net.initial_tokens(place) == 0).collect();
        let mut past = both(&alone, &unmarked);
        let mut future = both(&alone, &self.spare_at_the_end(&forced));
        let moves: Vec<(TransitionId, Option<Moved>)> =
            self.left_transitions().map(|transition| (transition, self.moved(transition))).collect();
        let mut again = true;
        while std::mem::take(&mut again) {
            budget.spend(self.size())?;
            for &(transition, moved) in &moves {
                match moved {
                    Some((Some(from), Some(to))) => {
                        again |= !past[from.index()] && std::mem::replace(&mut past[to.index()], false);
                        again |= !future[to.index()] && std::mem::replace(&mut future[from.index()], false);
                    }
                    Some(_) => {}
                    None => {
                        for &(place, _) in self.net.outputs(transition) {
                            again |= std::mem::replace(&mut past[place.index()], false);
                        }
                        for &(place, _) in self.net.inputs(transition) {
                            again |= std::mem::replace(&mut future[place.index()], false);
                        }
                    }
                }
            }
        }
        let found = both(&past, &future);
        let places: Vec<PlaceId> = self.left_places().filter(|place| found[place.index()]).collect();
        if !places.is_empty() {
            let touches = |work: &Self, transition| {
                work.net.inputs(transition).iter().chain(work.net.outputs(transition)).any(|(place, _)| found[place.index()])
            };
            let transitions = self.leave_out(&places, Status::Empty, touches);
            self.rounds.push(Round::Dispensable { places, forced, transitions });
        }
        Ok(())
    }

    fn arcs(&self, arcs: &[Arc]) -> Vec<Arc> {
        arcs.iter().copied().filter(|&(place, _)| self.is_left(place)).collect()
    }

    /// Leaves out what does the same as something before it.
    pub(super) fn repeated(&mut self) {
        let mut first: FxHashMap<(Vec<Arc>, Vec<Arc>), TransitionId> = FxHashMap::default();
        let mut transitions: Vec<(TransitionId, TransitionId)> = Vec::new();
        for transition in self.left_transitions() {
            let effect = (self.arcs(self.net.inputs(transition)), self.arcs(self.net.outputs(transition)));
            let same = *first.entry(effect).or_insert(transition);
            if same != transition {
                transitions.push((transition, same));
            }
        }
        for &(transition, _) in &transitions {
            self.transitions[transition.index()] = false;
        }
        if !transitions.is_empty() {
            self.rounds.push(Round::Repeated { transitions });
        }
    }

    /// What is left, as a net of its own.
    pub(super) fn finish(self) -> Sliced {
        let mut net = Net::new(self.net.name());
        let mut new_place: Vec<Option<PlaceId>> = vec![None; self.net.place_count()];
        let places: Vec<PlaceId> = self.left_places().collect();
        for &place in &places {
            // A part of a net has no more names than the net, and they differ.
            new_place[place.index()] = net.add_place(self.net.place_name(place), self.net.initial_tokens(place)).ok();
        }
        let renamed = |arcs: &[Arc]| -> Vec<Arc> {
            arcs.iter().filter_map(|&(place, weight)| new_place[place.index()].map(|place| (place, weight))).collect()
        };
        let mut transitions: Vec<TransitionId> = Vec::new();
        for transition in self.left_transitions() {
            let (inputs, outputs) = (renamed(self.net.inputs(transition)), renamed(self.net.outputs(transition)));
            if net.add_transition(self.net.transition_name(transition), inputs, outputs).is_ok() {
                transitions.push(transition);
            }
        }
        let constraints =
            self.open_constraints().map(|constraint| constraint.renamed(|place: PlaceId| new_place.get(place.index()).copied().flatten()));
        let target = Target::new(constraints.collect());
        Sliced { net, target, places, transitions, rounds: self.rounds }
    }
}
