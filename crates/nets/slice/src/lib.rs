//! Slicing: leaves out what no run to the target can use.
//!
//! # What is done
//!
//! A *round* takes a net and a target and leaves out places and transitions.
//! Rounds follow each other until none leaves out anything. After a round a net
//! is what is left: places, transitions, and the arcs between them; in the
//! target, places that were left out *as empty* read as 0. A constraint that
//! then holds for all markings (below) is dropped. There are five rounds.
//!
//! - **Unmarked siphon.** `S` is the largest set of places such that none has a
//!   token in the beginning and every transition that gives a token to a place
//!   in `S` takes one from a place in `S`. Left out: `S` as empty, and all
//!   transitions that take from `S`.
//! - **Trap.** `Z` is a set of places that are 0 in every marking of the target
//!   (below). `B` is the largest subset of `Z` such that every transition that
//!   takes a token from a place in `B` gives one to a place in `B`. Where `B`
//!   has a token in the beginning, the target is out of reach. Otherwise left
//!   out: `B` as empty, and all transitions that give to `B`.
//! - **Irrelevant.** `R` is the smallest set of places that holds all places
//!   with a coefficient in the target and, with a place whose number of tokens a
//!   transition changes, all places that the transition takes from. Left out:
//!   all places outside `R`, and all transitions that change the number of
//!   tokens of no place in `R`.
//! - **Repeated.** Of transitions that take the same and give the same the first
//!   stays.
//! - **Dispensable.** A transition *moves* a token where, apart from what it takes
//!   and gives back, it takes at most one token and gives at most one. A place is
//!   *alone* if no transition takes from it and gives to it. `P` is the largest
//!   set of places that are alone and without a token in the beginning, such that
//!   whatever gives to `P` moves a token from a place in `P` or from nowhere. `F`
//!   is the largest set of places that are alone and *spare* (below), such that
//!   whatever takes from `F` moves a token to a place in `F` or to nowhere. Left
//!   out: the places in both, as empty, and all transitions that take from them or
//!   give to them.
//!
//! *Spare places.* A place is spare if it is forced to 0 (below), or if it occurs
//! in no constraint but of the form `Σ c·p + k ≥ 0`, and there with negative
//! coefficients: with fewer tokens there a marking of the target is still one.
//!
//! *Forced zeros.* `Z` is built up: with the places in `Z` so far read as 0, an
//! expression `Σ c·p + k` that must be at least 0, and in which no coefficient
//! is positive, forces to 0 each place with `-c > k`; and no marking is in the
//! target where `k < 0`. An expression that must be 0 is two such expressions,
//! itself and its negation.
//!
//! *Constant constraints.* `Σ c·p + k ≥ 0` holds for all markings where nothing
//! is negative. `Σ c·p + k = 0` holds for all where there are no terms and
//! `k = 0`, and for none where the greatest common divisor of the coefficients
//! does not divide `k`. “`d` does not divide `Σ c·p + k`”, with `g` the greatest
//! common divisor of `d` and the coefficients, holds for all markings where `g`
//! does not divide `k`, and for none where it does and `g = d`. Where a
//! constraint holds for no marking, the target is out of reach.
//!
//! # Theorem
//!
//! *Let `N'` with target `T'` come from `N` with target `T` by one round. Then
//! (1) a sequence of transitions that leads `N'` to `T'` is one that leads `N`
//! to `T`; (2) from a sequence that leads `N` to `T`, one that leads `N'` to `T'`
//! comes by leaving out some occurrences of transitions or replacing repeated ones. So the target is
//! reachable in `N` iff in `N'`; and it is not where the round says that it is
//! out of reach.*
//!
//! By induction the same holds for all rounds together.
//!
//! *Proof.* Forced zeros first: let `M` be in the target and, by induction, 0 on
//! `Z` so far. The terms of the expression are `≤ 0`, so for each place
//! `0 ≤ c·M(p) + k`, and `M(p) ≥ 1` would make that `≤ c + k < 0` where
//! `-c > k`; and no term at all can lift `k < 0`. Dropping or refuting constant
//! constraints changes no set of markings: the values of `Σ c·p + k` differ from
//! `k` by multiples of the greatest common divisor, so it divides all or none of
//! them; and what it does not divide, no multiple of it does.
//!
//! *Unmarked siphon.* No marking that can be reached has a token in `S`: the first
//! transition to put one there would have taken one from there before. So the
//! transitions that take from `S` never fire, and `S` reads as 0 in all markings
//! that can be reached. All transitions that give to `S` take from it, so that
//! what stays has no arc to or from `S`: sequences of what stays do the same in
//! `N` and in `N'`.
//!
//! *Trap.* Once some place in `B` has a token, some place in `B` has one ever
//! after: a transition that takes from `B` gives a token to `B`, and others take
//! none from it. At the end of a run to the target all of `Z`, hence `B`, is
//! empty. So `B` is empty all along: there is no such run where `B` is marked in
//! the beginning, and otherwise no transition that gives to `B` is fired in such
//! a run. A transition that takes from `B` gives to `B`, so that what stays has
//! no arc to or from `B`, and again sequences do the same in both nets. In `N'`
//! the places of `B` are not there, in `N` they are 0 throughout a run of what
//! stays: so reading them as 0 in the target changes nothing.
//!
//! *Irrelevant.* A transition that stays changes some place in `R`; all places
//! that it takes from are then in `R`. Whether it can fire is a matter of `R`
//! alone, and so is the target. (1) A sequence of what stays does the same to `R`
//! in both nets. (2) In a sequence of `N`, the transitions that are left out
//! change nothing in `R`; without them the markings restricted to `R` are the
//! same, so the others still fire, to a marking that is the same on `R`.
//!
//! *Repeated.* Firing either of two equal transitions is the same.
//!
//! *Dispensable.* Let `E` be the places in both `P` and `F`. (1) What stays does
//! not touch `E`, which is empty in the beginning, so that a sequence of it does
//! the same in both nets. (2) In a sequence that leads `N` to `T`, follow each
//! token: a transition that moves one takes it from one place to the next; all
//! others use up the tokens that they take (but for what they give back) and make
//! new ones. Let `X` be the tokens that are in `E` at some time. Before, they were
//! in `P`, as what gives to `P` moves a token from `P`; so they were made by a
//! transition that made nothing else, and moved by transitions that moved nothing
//! else. Afterwards they are in `F`, for the same reason until the end or until a
//! transition removes them and nothing else. Leave out all these transitions. At
//! each moment the marking is then the same without the tokens in `X`. What
//! remains in the sequence still fires: it uses up no token of `X`, or it would
//! have been left out, and what it only needs to be there is not in a place that is
//! alone, as all that have tokens of `X` are. None of it touches `E`: a token that
//! it gave there or took from there would be in `X`. The marking at the end has
//! fewer tokens only in places of `F`, which are spare, so it is in the target; and
//! `E` is empty. ∎
//!
//! # Inductive arguments
//!
//! From an inductive invariant `I` of the sliced net that excludes the target
//! comes one of the net by undoing the rounds, last one first:
//!
//! - *unmarked siphon*: `I` and “`S` is empty”, which is inductive by itself;
//! - *trap*: “`I` and `B` is empty, or `B` has a token”; the second part excludes
//!   the target and, `B` being a trap, is never left. What was forced to 0, and
//!   by which constraint, is listed;
//! - *irrelevant*, *repeated*: `I` itself, as what was left out changes no place
//!   that `I` speaks of, or does what another does;
//! - *dispensable*: “without some tokens in `P` and `F`, `I`”, which speaks of
//!   tokens one by one and is no formula over numbers of tokens. Who needs one uses
//!   [`slice_inductive`], which does without this round.
//!
//! # The published version
//!
//! The first two rounds are the published slicing: its backward closure is the
//! complement of `B`, for `Z` the places that are 0 in all markings of the
//! target. (There, in one sentence, the closure starts only from places that
//! also have a token in the beginning; with that, an answer that the target
//! asks for would be cut off. The formula beside it does not have this.) Places
//! whose number is bounded, but not by 0, cannot be treated alike: a token there
//! may stay. The published proof leaves open why places with no way to the
//! target cannot serve on the way; above it is the trap that answers: what is in
//! `B` can never be got rid of.
//!
//! ```
//! use serval_budget::Budget;
//! use serval_net_slice::{Slice, slice};
//! use serval_petri::{Constraint, Linear, Net, Target};
//! let mut net = Net::new("a lock");
//! let (free, held) = (net.add_place("free", 1).unwrap(), net.add_place("held", 0).unwrap());
//! net.add_transition("take", [(free, 1)], [(held, 1)]).unwrap();
//! // Nothing gives back what it never took.
//! let both = [free, held].map(|place| Constraint::Zero(Linear::variable(place)));
//! let target = Target::new(both.to_vec());
//! assert!(matches!(slice(&net, &target, &mut Budget::unlimited()), Ok(Slice::Unreachable(_))));
//! ```

mod constants;
mod work;

use serval_budget::{Budget, Stopped};
use serval_petri::{Net, PlaceId, Target, TransitionId};

use work::SliceProgress;

/// A place that is 0 in every marking of the target, because of a constraint
/// and of the places that were forced before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forced {
    /// The place.
    pub place: PlaceId,
    /// The position of the constraint in the target.
    pub constraint: usize,
}

/// What one round left out, and why. Ids are those of the original net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Round {
    /// Forward: the places have no token in the beginning, and whatever gives
    /// one to them takes one from them. The transitions take from them.
    UnmarkedSiphon {
        /// The places, in order.
        places: Vec<PlaceId>,
        /// The transitions, in order.
        transitions: Vec<TransitionId>,
    },
    /// Backward: the places have no token in the beginning and must have none
    /// in the end, and whatever takes from them gives to them. The transitions
    /// give to them.
    Trap {
        /// The places, in order.
        places: Vec<PlaceId>,
        /// Why they must be empty in the end; later entries rest on earlier ones.
        forced: Vec<Forced>,
        /// The transitions, in order.
        transitions: Vec<TransitionId>,
    },
    /// Nothing that the target speaks of depends on these.
    Irrelevant {
        /// The places, in order.
        places: Vec<PlaceId>,
        /// The transitions, in order.
        transitions: Vec<TransitionId>,
    },
    /// Every token that comes to these places can be left out of a run to the
    /// target, with all that was done with it. The transitions take from them or
    /// give to them.
    Dispensable {
        /// The places, in order.
        places: Vec<PlaceId>,
        /// What is 0 in every marking of the target; later entries rest on
        /// earlier ones.
        forced: Vec<Forced>,
        /// The transitions, in order.
        transitions: Vec<TransitionId>,
    },
    /// Each transition does what another does.
    Repeated {
        /// What was left out, and the same that stays; in the order of the first.
        transitions: Vec<(TransitionId, TransitionId)>,
    },
}

/// What is left, as a net of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sliced {
    /// The net that is left, with the names of the original.
    pub net: Net,
    /// The target, over the places that are left.
    pub target: Target,
    /// For each place that is left, which it was.
    pub places: Vec<PlaceId>,
    /// For each transition that is left, which it was.
    pub transitions: Vec<TransitionId>,
    /// What was left out, in order.
    pub rounds: Vec<Round>,
}

impl Sliced {
    /// The place that is left of a place of the original net.
    pub fn kept_place(&self, original: PlaceId) -> Option<PlaceId> {
        self.places.binary_search(&original).ok().and_then(PlaceId::try_from_index)
    }

    /// The transition that is left of a transition of the original net.
    pub fn kept_transition(&self, original: TransitionId) -> Option<TransitionId> {
        self.transitions.binary_search(&original).ok().and_then(TransitionId::try_from_index)
    }

    /// The sequence of the original net for a sequence of this one, where all
    /// transitions exist. If one leads to the target, so does the other.
    pub fn lift(&self, sequence: &[TransitionId]) -> Option<Vec<TransitionId>> {
        sequence.iter().map(|transition| self.transitions.get(transition.index()).copied()).collect()
    }
}

/// Why no marking of the target can be reached in what the rounds left: what
/// a checker of slicing looks at last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refutation {
    /// The places must be empty in the end, whatever takes from them gives to
    /// them, and one of them has a token in the beginning.
    MarkedTrap {
        /// The places, in order.
        places: Vec<PlaceId>,
        /// Why they must be empty in the end; later entries rest on earlier ones.
        forced: Vec<Forced>,
        /// The first place with a token.
        marked: PlaceId,
    },
    /// No marking satisfies this constraint, given what was left out and forced.
    Unsatisfiable {
        /// The position of the constraint in the target.
        constraint: usize,
        /// What is 0 in every marking of the target; later entries rest on
        /// earlier ones.
        forced: Vec<Forced>,
    },
}

/// That no marking of the target can be reached, with all that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreachable {
    /// What was left out before, in order.
    pub rounds: Vec<Round>,
    /// Why nothing reaches the target in what is left.
    pub refutation: Refutation,
}

/// What slicing comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slice {
    /// The target is reachable in the net iff it is in this one.
    Kept(Box<Sliced>),
    /// The target is not reachable.
    Unreachable(Unreachable),
}

/// Slices `net` for `target` until nothing more can be left out. The budget
/// counts places, transitions, arcs and terms looked at.
pub fn slice(net: &Net, target: &Target, budget: &mut Budget) -> Result<Slice, Stopped> {
    rounds(net, target, true, budget)
}

/// As [`slice()`], with only those rounds from which inductive arguments come back.
pub fn slice_inductive(net: &Net, target: &Target, budget: &mut Budget) -> Result<Slice, Stopped> {
    rounds(net, target, false, budget)
}

fn rounds(net: &Net, target: &Target, with_dispensable: bool, budget: &mut Budget) -> Result<Slice, Stopped> {
    let mut work = SliceProgress::new(net, target);
    loop {
        budget.spend(work.size())?;
        let made_before = work.rounds_made();
        work.never_marked();
        if let Some(refutation) = work.trap(budget)? {
            return Ok(Slice::Unreachable(Unreachable { rounds: work.into_rounds(), refutation }));
        }
        // Traps and unmarked places first: they say more, and leave less to look at.
        if work.rounds_made() == made_before {
            work.irrelevant();
            work.repeated();
        }
        // What is said here cannot be said of the whole net so easily.
        if with_dispensable && work.rounds_made() == made_before {
            work.dispensable(budget)?;
        }
        if work.rounds_made() == made_before {
            return Ok(Slice::Kept(Box::new(work.finish())));
        }
    }
}
