//! Coverability sets (Karp, Miller 1969), evidence of kind `cover`: ω-markings below which all reachable markings are.
//!
//! An *ω-marking* has a number of tokens or ω for each place (`net.cover.places`), and ω is more than every number. Let
//! `C` be a list of them such that
//!
//! 1. the initial marking is below a member, or equal to it (`net.cover.initial`);
//! 2. for each member `m` and each transition `t` that has its inputs at `m`, `m + e(t)` is below a member
//!    (`net.cover.closed`), where ω stays ω.
//!
//! **Lemma.** Every reachable marking is below a member.
//!
//! **Proof.** By induction on runs: the initial marking by (1). Let `M ≤ m` and let `t` lead from `M` to `M + e(t)`.
//! Then `m` has the inputs of `t`, too, and `M + e(t) ≤ m + e(t)`, place by place, which is below a member by (2). ∎
//!
//! Soundness does not depend on the members being justified, that is, on so many tokens being possible.
//!
//! **Theorem.** If no marking below a member is in the goal (`net.cover.goal`), no marking of the goal can be reached.
//! The checker decides this as in [`bounds`], with the numbers of the member as bounds, and none for ω. **Proof.** By
//! the lemma and the theorem there. ∎
//!
//! **Theorem.** If every member has a number for each of certain places (`net.cover.finite`), these places are bounded.
//! **Proof.** By the lemma a place never has more tokens than the largest of finitely many numbers. ∎
//!
//! The checker sorts the members once, so that binary search finds a successor that is itself a member, hence below
//! one. It compares all other successors with all members, which is quadratic; beyond [`COMPARISONS`] the check ends as
//! "too large".

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_evidence::require;
use serval_petri::{Formula, Net, PlaceId};

use crate::bounds::excludes;
use crate::conditions::NUMBERS;
use crate::{Refusal, bounds};

/// How many pairs of markings are compared at most.
pub const COMPARISONS: u64 = 1 << 33;

/// The refusal beyond that.
pub(crate) const TOO_MANY: Refusal = too_many(COMPARISONS);

const fn too_many(limit: u64) -> Refusal {
    Refusal::TooLarge { what: "comparisons of markings", limit }
}

/// ω-markings below which all reachable markings are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Cover {
    /// The tokens by place, of each; nothing is ω.
    pub markings: Vec<Vec<Option<u64>>>,
}

serval_evidence::objects!(Cover);

/// Whether one ω-marking is below another, or equal to it.
pub fn is_below(lower: &[Option<u64>], upper: &[Option<u64>]) -> bool {
    lower.iter().zip(upper).all(|(lower, upper)| match (lower, upper) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(lower), Some(upper)) => lower <= upper,
    })
}

/// A list that is asked whether something is below a member.
struct List<'a> {
    markings: &'a [Vec<Option<u64>>],
    /// The member that was above what was asked for last: often it is so again.
    last: usize,
    /// The members in order, to find what is equal to one.
    sorted: Vec<&'a [Option<u64>]>,
    compared: u64,
    /// How many may be compared.
    most: u64,
}

impl List<'_> {
    fn is_below(&mut self, marking: &[Option<u64>], budget: &mut Budget) -> Result<bool, Refusal> {
        if self.markings.get(self.last).is_some_and(|member| is_below(marking, member)) {
            return Ok(true);
        }
        budget.spend(u64::from(self.sorted.len().checked_ilog2().unwrap_or(0)))?;
        if self.sorted.binary_search(&marking).is_ok() {
            return Ok(true);
        }
        let found = self.markings.iter().position(|member| is_below(marking, member));
        let compared = u64::try_from(found.map_or(self.markings.len(), |at| at + 1)).unwrap_or(u64::MAX);
        budget.spend(compared)?;
        self.compared = self.compared.saturating_add(compared);
        if self.compared > self.most {
            return Err(too_many(self.most));
        }
        self.last = found.unwrap_or(self.last);
        Ok(found.is_some())
    }
}

/// Checks that every reachable marking is below a member, with at most `most` comparisons.
pub(crate) fn check_closed(net: &Net, cover: &Cover, most: u64, budget: &mut Budget) -> Result<(), Refusal> {
    let well_formed = cover.markings.iter().all(|marking| marking.len() == net.place_count());
    require!(CoverPlaces, well_formed, "a marking has another number of places than the net");
    let mut sorted: Vec<&[Option<u64>]> = cover.markings.iter().map(Vec::as_slice).collect();
    sorted.sort_unstable();
    let mut list = List { markings: &cover.markings, last: 0, sorted, compared: 0, most };
    let initial: Vec<Option<u64>> = net.places().map(|place| Some(net.initial_tokens(place))).collect();
    require!(CoverInitial, list.is_below(&initial, budget)?, "the initial marking is below no member");
    let cost = u64::try_from(net.arc_count()).unwrap_or(u64::MAX);
    let mut next = Vec::with_capacity(net.place_count());
    for (number, member) in cover.markings.iter().enumerate() {
        budget.spend(cost)?;
        list.last = number;
        for transition in net.transitions() {
            let tokens = |place: PlaceId| member.get(place.index()).copied().unwrap_or(Some(0));
            if !net.inputs(transition).iter().all(|&(place, weight)| tokens(place).is_none_or(|tokens| tokens >= weight)) {
                continue;
            }
            budget.spend(u64::try_from(net.place_count()).unwrap_or(u64::MAX))?;
            next.clone_from(member);
            next.resize(net.place_count(), Some(0));
            for &(place, weight) in net.inputs(transition) {
                next[place.index()] = next[place.index()].map(|tokens| tokens.saturating_sub(weight));
            }
            for &(place, weight) in net.outputs(transition) {
                if let Some(tokens) = &mut next[place.index()] {
                    *tokens = tokens.checked_add(weight).ok_or(NUMBERS)?;
                }
            }
            let name = net.transition_name(transition);
            require!(CoverClosed, list.is_below(&next, budget)?, "“{name}” leads from member {number} to what is below no member");
        }
    }
    Ok(())
}

/// Checks that no marking of the goal can be reached.
pub(crate) fn check(net: &Net, goal: &Formula, cover: &Cover, budget: &mut Budget) -> Result<(), Refusal> {
    check_closed(net, cover, COMPARISONS, budget)?;
    for (number, member) in cover.markings.iter().enumerate() {
        budget.spend(u64::try_from(goal.parts().len()).unwrap_or(u64::MAX))?;
        let bounds: bounds::PlaceBounds = member.iter().map(|tokens| tokens.map(i128::from)).collect();
        require!(CoverGoal, excludes(goal, &bounds), "a marking of the goal may be below member {number}");
    }
    Ok(())
}

/// Checks that the places are bounded.
pub(crate) fn check_bounded(net: &Net, places: &[PlaceId], cover: &Cover, budget: &mut Budget) -> Result<(), Refusal> {
    check_closed(net, cover, COMPARISONS, budget)?;
    for (number, member) in cover.markings.iter().enumerate() {
        let unbounded = places.iter().find(|place| member.get(place.index()).copied().flatten().is_none());
        if let Some(&place) = unbounded {
            require!(CoverFinite, false, "“{}” is ω in member {number}", net.place_name(place));
        }
    }
    Ok(())
}
