//! Place invariants (Murata 1989) and empty siphons (Commoner 1972), evidence of the kinds `weights` and `dead`: bounds
//! on the tokens of places.
//!
//! **Weights.** Let `y ∈ ℕ^P`, one weight for each place (`net.weights.places`), with `y·e(t) ≤ 0` for all transitions
//! `t` (`net.weights.falling`). By induction on runs `y·M ≤ y·M0` for every reachable `M`, since a step adds `y·e(t)`.
//! As all tokens and weights are at least 0, `y_p·M(p) ≤ y·M0`, so `M(p) ≤ ⌊y·M0 / y_p⌋` where `y_p ≥ 1`.
//!
//! **Dead places.** Let `D` be places (`net.dead.places`) that are empty in the beginning (`net.dead.empty`), such that
//! each transition that gives to `D` takes from `D` (`net.dead.siphon`). By induction on runs `D` is empty in every
//! reachable marking: a transition that gives to it takes from it, and cannot fire. So `M(p) ≤ 0` for `p ∈ D`.
//!
//! **Theorem.** If the bounds exclude the goal (`net.bounds.goal`), no marking of the goal can be reached.
//!
//! **Proof.** Let `0 ≤ M(p) ≤ b(p)` for all places, with `b(p) = ∞` where no bound is known. [`excludes`] computes, by
//! structure:
//!
//! - The largest value of `Σ a_p·M(p) + c` takes `b(p)` where `a_p > 0` and 0 elsewhere, the smallest the other way
//!   round. A constraint all of whose values are on the wrong side holds in no such marking.
//! - `all` of several holds in no such marking if one of them holds in none, `any` of several if each of them holds in
//!   none. ∎

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_evidence::require;
use serval_petri::{Constraint, Formula, FormulaPart, Linear, Net, PlaceId, TransitionId};

use crate::Refusal;
use crate::conditions::NUMBERS;

/// Weighted sums that no transition increases.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Weights {
    /// For each sum the places that have a weight, ascending, with it.
    pub sums: Vec<Vec<(u32, u64)>>,
}

/// Places that stay empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Dead {
    /// Their numbers, ascending.
    pub places: Vec<u32>,
}

serval_evidence::objects!(Weights, Dead);

/// How many tokens each place has at most, where that is known.
pub(crate) type PlaceBounds = Vec<Option<i128>>;

/// The numbers of places, ascending and of the net, or nothing.
pub(crate) fn places_of(net: &Net, numbers: impl IntoIterator<Item = u32>) -> Option<Vec<PlaceId>> {
    let places: Option<Vec<PlaceId>> = numbers.into_iter().map(|number| PlaceId::try_from_index(usize::try_from(number).ok()?)).collect();
    places.filter(|places| places.is_sorted_by(|a, b| a < b) && places.last().is_none_or(|last| last.index() < net.place_count()))
}

/// What the weights add to the bounds.
pub(crate) fn bounds_of(net: &Net, weights: &Weights, budget: &mut Budget) -> Result<PlaceBounds, Refusal> {
    let mut bounds: PlaceBounds = vec![None; net.place_count()];
    for (number, sum) in weights.sums.iter().enumerate() {
        budget.spend(u64::try_from(net.arc_count()).unwrap_or(u64::MAX))?;
        let Some(places) = places_of(net, sum.iter().map(|&(place, _)| place)) else {
            require!(WeightsPlaces, false, "sum {number} is not about places of the net, ascending");
            continue;
        };
        let mut weight = vec![0_i128; net.place_count()];
        let mut initial = 0_i128;
        for (place, &(_, factor)) in places.iter().zip(sum) {
            weight[place.index()] = factor.into();
            let tokens = i128::from(factor).checked_mul(net.initial_tokens(*place).into()).ok_or(NUMBERS)?;
            initial = initial.checked_add(tokens).ok_or(NUMBERS)?;
        }
        for transition in net.transitions() {
            let change = change(net, transition, &weight)?;
            require!(WeightsFalling, change <= 0, "“{}” adds {change} to sum {number}", net.transition_name(transition));
        }
        for place in places {
            let factor = weight[place.index()];
            if factor >= 1 {
                let bound = &mut bounds[place.index()];
                let most = initial / factor;
                *bound = Some(bound.map_or(most, |known| known.min(most)));
            }
        }
    }
    Ok(bounds)
}

/// By how much a transition changes the weighted sum.
fn change(net: &Net, transition: TransitionId, weight: &[i128]) -> Result<i128, Refusal> {
    let mut change = 0_i128;
    for (arcs, sign) in [(net.outputs(transition), 1), (net.inputs(transition), -1)] {
        for &(place, tokens) in arcs {
            let part = weight[place.index()].checked_mul(i128::from(tokens) * sign).ok_or(NUMBERS)?;
            change = change.checked_add(part).ok_or(NUMBERS)?;
        }
    }
    Ok(change)
}

/// Checks that the weights exclude the goal.
pub(crate) fn check_weights(net: &Net, goal: &Formula, weights: &Weights, budget: &mut Budget) -> Result<(), Refusal> {
    let bounds = bounds_of(net, weights, budget)?;
    require!(BoundsGoal, excludes(goal, &bounds), "with these bounds a marking of the goal is possible");
    Ok(())
}

/// Checks that places that stay empty exclude the goal.
pub(crate) fn check_dead(net: &Net, goal: &Formula, dead: &Dead, budget: &mut Budget) -> Result<(), Refusal> {
    budget.spend(u64::try_from(net.arc_count()).unwrap_or(u64::MAX))?;
    let mut bounds: PlaceBounds = vec![None; net.place_count()];
    match places_of(net, dead.places.iter().copied()) {
        None => require!(DeadPlaces, false, "these are not places of the net, ascending"),
        Some(places) => {
            for place in places {
                let tokens = net.initial_tokens(place);
                require!(DeadEmpty, tokens == 0, "“{}” has {tokens} in the beginning", net.place_name(place));
                bounds[place.index()] = Some(0);
            }
        }
    }
    let touches = |arcs: &[(PlaceId, u64)]| arcs.iter().any(|(place, _)| bounds[place.index()].is_some());
    for transition in net.transitions() {
        let closed = !touches(net.outputs(transition)) || touches(net.inputs(transition));
        require!(DeadSiphon, closed, "“{}” gives to these places and takes from none of them", net.transition_name(transition));
    }
    require!(BoundsGoal, excludes(goal, &bounds), "with these places empty a marking of the goal is possible");
    Ok(())
}

/// Whether no marking within the bounds is in the goal. Where a number does not fit it may be.
pub fn excludes(goal: &Formula, bounds: &[Option<i128>]) -> bool {
    let mut values: Vec<bool> = Vec::new();
    for part in goal.parts() {
        let value = match part {
            FormulaPart::Constraint(constraint) => never(constraint, bounds),
            FormulaPart::All(count) => values.drain(values.len().saturating_sub(*count)..).any(|never| never),
            FormulaPart::Any(count) => values.drain(values.len().saturating_sub(*count)..).all(|never| never),
        };
        values.push(value);
    }
    values.pop().unwrap_or(false)
}

/// Whether a constraint holds in no marking within the bounds.
fn never(constraint: &Constraint, bounds: &[Option<i128>]) -> bool {
    match constraint {
        Constraint::AtLeastZero(linear) => largest(linear, 1, bounds).is_some_and(|most| most < 0),
        // The largest of −e below 0 is that e is above it.
        Constraint::Zero(linear) => [1, -1].into_iter().any(|sign| largest(linear, sign, bounds).is_some_and(|most| most < 0)),
        Constraint::NotDivisible { .. } => false,
    }
}

/// The largest value of `sign` times the expression, if there is one.
fn largest(linear: &Linear, sign: i128, bounds: &[Option<i128>]) -> Option<i128> {
    let mut sum = sign * i128::from(linear.constant());
    for &(place, factor) in linear.terms() {
        let factor = sign * i128::from(factor);
        if factor > 0 {
            let most = bounds.get(place.index()).copied().flatten()?;
            sum = sum.checked_add(factor.checked_mul(most)?)?;
        }
    }
    Some(sum)
}
