//! Unboundedness by ω-runs (Karp, Miller 1969), evidence of kind `pump`: a run with parts that can be repeated as often
//! as one likes, so that a place has no largest number of tokens.
//!
//! A *step* is a transition, a word that is repeated a given number of times, or a *pump*: a word that can be repeated
//! any number of times. Steps lead through *ω-markings*, which have a number of tokens or ω for each place:
//!
//! - Firing changes the numbers and leaves ω as it is; a step needs enough tokens only where there is a number
//!   (`net.run.transition`, `net.run.enabled`).
//! - A pump must fire (`net.run.enabled`), and must not take from a place that has a number (`net.pump.rising`: its
//!   effect there is at least 0); where it adds, ω takes the place of the number.
//!
//! **Lemma.** Let `m` be an ω-marking to which the steps lead. For each `k` a marking can be reached that has at least
//! `m(p)` tokens on each place `p` with a number, and at least `k` on each place with ω.
//!
//! **Proof.** By induction on the steps. The initial marking is itself. Let `m` be before a step and `m'` after it, and
//! `k` given.
//!
//! - A word `w`, perhaps repeated: let `need` and `e` be as in the lemma of [`run`](crate::run), and `k'` at least
//!   `k − e(p)` and `need(p)` for all places `p`. Take the reachable marking for `m` and `k'`. It has at least `need`
//!   everywhere, so `w` fires, and leads to at least `m(p) + e(p) = m'(p)` on places with a number, and to at least
//!   `k' + e(p) ≥ k` on those with ω.
//! - A pump `w`: repeat it `k` times. Where `m` has a number, `e ≥ 0`, so that `need(w^k) = need(w) ≤ m`, and there are
//!   at least `m(p) + k·e(p)` tokens afterwards: at least `m(p)`, and at least `k` where `e(p) ≥ 1`. Where `m` has ω,
//!   `k' = max(need(w^k), k − k·e)` is enough as before. ∎
//!
//! **Theorem.** If one of the places that are claimed has ω in the end (`net.pump.place`), they are not all bounded.
//! **Proof.** By the lemma that place has at least `k` tokens in some reachable marking, for each `k`. ∎
//!
//! One run `u v` with `e(v) ≥ 0` is not enough: where `v` takes from a place that had to be filled before, in another
//! part of the net, no such `v` exists, and the place that it gives to is unbounded all the same.

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_evidence::require;
use serval_petri::{Net, PlaceId};

use crate::run::Walk;
use crate::{Item, Refusal};

/// A run with pumps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Pump {
    /// What fires, in order.
    pub steps: Vec<PumpStep>,
}

/// A step of a run with pumps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PumpStep {
    /// It fires, perhaps several times.
    Item(Item),
    /// It is repeated as often as one likes.
    Again(Again),
}

/// What is repeated as often as one likes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Again {
    /// Transitions, one after the other.
    pub pump: Vec<u32>,
}

serval_evidence::objects!(Pump, Again);

/// Where the steps lead: tokens by place, `None` for ω.
pub fn end(net: &Net, pump: &Pump, budget: &mut Budget) -> Result<Vec<Option<i128>>, Refusal> {
    let mut walk = Walk::new(net);
    for step in &pump.steps {
        budget.spend(1)?;
        match step {
            PumpStep::Item(item) => walk.fire(item, budget)?,
            PumpStep::Again(Again { pump }) => walk.pump(pump, budget)?,
        }
    }
    Ok(walk.tokens().to_vec())
}

/// Checks that one of the places has no largest number of tokens.
pub(crate) fn check(net: &Net, places: &[PlaceId], pump: &Pump, budget: &mut Budget) -> Result<(), Refusal> {
    let end = end(net, pump, budget)?;
    let grows = places.iter().any(|place| end[place.index()].is_none());
    require!(PumpPlace, grows, "no place that is claimed grows without end");
    Ok(())
}
