//! Places whose tokens are counted in heaps, entries `divided` of a script.
//!
//! For each such place `p` there is a number `d ≥ 1` that divides the weights of all its arcs (`net.script.divisor`).
//! In the net that is left the weights are divided by `d`, and `p` has `⌊M0(p) / d⌋` tokens in the beginning. With `r`
//! the rest, the goal has `d·M(p) + r` for the tokens of `p`.
//!
//! **Lemma.** If a marking of the goal can be reached in the net, then one can in the net that is left.
//!
//! **Proof.** By induction on runs the same transitions lead both nets to markings with `M(p) = d·M'(p) + r`, and the
//! same tokens elsewhere: that is so in the beginning; a transition that takes `d·w` can fire iff `d·M'(p) + r ≥ d·w`,
//! that is, as `0 ≤ r < d`, iff `M'(p) ≥ w`; and it adds `d` times what it adds in the other. So the goal, written for
//! `M'`, holds of `M'` iff it holds of `M`, and something can fire at `M'` iff something can at `M`. ∎

use serval_evidence::require;
use serval_petri::{Arc, Constraint, Formula, FormulaPart, Linear, Net, PlaceId};

use super::{SmallerNet, kept, number_of, places};
use crate::Refusal;

/// The net whose places are counted in heaps, and the goal in it; `None` where places are none of the net, or out of
/// order, or a number of the goal does not fit.
pub(super) fn applied(net: &Net, goal: &Formula, divisors: &[(u32, u64)]) -> Option<SmallerNet> {
    kept(&divisors.iter().map(|one| one.0).collect::<Vec<_>>(), net.place_count())?;
    let mut divisor_of = vec![1; net.place_count()];
    for (place, one) in places(net, divisors.iter().map(|one| one.0)).iter().zip(divisors) {
        divisor_of[place.index()] = one.1;
    }
    // Nothing is divided by 0, whatever the checker says of it.
    let divided = |place: PlaceId, number: u64| number.checked_div(divisor_of[place.index()]).unwrap_or(number);
    let rest = |place: PlaceId| net.initial_tokens(place).checked_rem(divisor_of[place.index()]).unwrap_or(0);
    let mut smaller = Net::new(net.name());
    for place in net.places() {
        smaller.add_place(net.place_name(place), divided(place, net.initial_tokens(place))).ok()?;
    }
    let arcs = |arcs: &[Arc]| -> Vec<Arc> { arcs.iter().map(|&(place, weight)| (place, divided(place, weight))).collect() };
    let mut words = Vec::with_capacity(net.transition_count());
    for transition in net.transitions() {
        let (inputs, outputs) = (arcs(net.inputs(transition)), arcs(net.outputs(transition)));
        smaller.add_transition(net.transition_name(transition), inputs, outputs).ok()?;
        words.push(vec![number_of(transition)?]);
    }
    let written = |linear: &Linear| -> Option<Linear> {
        let (mut terms, mut constant) = (Vec::with_capacity(linear.terms().len()), i128::from(linear.constant()));
        for &(place, factor) in linear.terms() {
            let factor = i128::from(factor);
            terms.push((place, factor.checked_mul(divisor_of[place.index()].into())?));
            constant = constant.checked_add(factor.checked_mul(rest(place).into())?)?;
        }
        Linear::from_wide(terms, constant)
    };
    let part = |part: &FormulaPart| -> Option<FormulaPart> {
        Some(match part {
            FormulaPart::Constraint(Constraint::AtLeastZero(linear)) => FormulaPart::Constraint(Constraint::AtLeastZero(written(linear)?)),
            FormulaPart::Constraint(Constraint::Zero(linear)) => FormulaPart::Constraint(Constraint::Zero(written(linear)?)),
            FormulaPart::Constraint(Constraint::NotDivisible { divisor, expression }) => {
                FormulaPart::Constraint(Constraint::NotDivisible { divisor: *divisor, expression: written(expression)? })
            }
            joined => joined.clone(),
        })
    };
    let goal = Formula::new(goal.parts().iter().map(part).collect::<Option<Vec<_>>>()?)?;
    Some(SmallerNet { net: smaller, goal, words })
}

/// Checks what an entry says of the net so far.
pub(super) fn check(number: usize, net: &Net, divisors: &[(u32, u64)]) -> Result<(), Refusal> {
    let mut divisor_of = vec![None; net.place_count()];
    for (place, one) in places(net, divisors.iter().map(|one| one.0)).iter().zip(divisors) {
        divisor_of[place.index()] = Some(one.1);
    }
    let divides = |&(place, weight): &Arc| divisor_of[place.index()].is_none_or(|divisor| divisor > 0 && weight.is_multiple_of(divisor));
    let arcs = |transition| net.inputs(transition).iter().chain(net.outputs(transition));
    let all = divisor_of.iter().all(|divisor| *divisor != Some(0)) && net.transitions().flat_map(arcs).all(divides);
    require!(ScriptDivisor, all, "entry {number} divides by 0, or by what does not divide the weights of all arcs of the place");
    Ok(())
}
