//! Implicit places (Colom, Silva 1991), entries `implicit` of a script: places that never stop a transition.
//!
//! For each such place `p` there are a factor `v ≥ 1` and weights `y_q` of places that stay (`net.script.weights`),
//! such that for the number `c = v·M0(p) − Σ y_q·M0(q)`
//!
//! 1. no transition `t` makes `v·M(p) − Σ y_q·M(q)` less: `v·e(t)(p) ≥ Σ y_q·e(t)(q)` (`net.script.falling`);
//! 2. for each transition `t` that takes `w ≥ 1` from `p`, `Σ y_q·in(t)(q) + c > v·(w − 1)` (`net.script.enough`).
//!
//! The goal does not speak of `p`, or it is that nothing can fire (`net.script.asked`).
//!
//! **Lemma.** If a marking of the goal can be reached in the net, then one can in the net that is left.
//!
//! **Proof.** The run that leads to it is one of the net that is left. Where the goal does not speak of the places, it
//! has the last marking. Let the goal be that nothing can fire, and suppose a transition `t` could fire at the last
//! marking `M` in the net that is left: all places that stay have what it takes. For each of the places, by (1) and
//! induction on runs, `v·M(p) ≥ Σ y_q·M(q) + c ≥ Σ y_q·in(t)(q) + c`, since the `q` stay and weights are at least 0.
//! If `t` takes `w` from `p` this is more than `v·(w − 1)` by (2), so that `M(p) ≥ w`. Hence `t` could fire at `M` in
//! the net itself, and nothing can. ∎

use serval_budget::Budget;
use serval_evidence::require;
use serval_petri::{Arc, Formula, Net, weight};

use super::{ImplicitPlace, asked, places};
use crate::Refusal;
use crate::conditions::NUMBERS;

/// The weighted sum of some numbers of tokens.
fn sum(arcs: &[Arc], weights: &[i128]) -> Result<i128, Refusal> {
    let product = |&(place, tokens): &Arc| weights[place.index()].checked_mul(tokens.into());
    arcs.iter().try_fold(0_i128, |sum, arc| sum.checked_add(product(arc)?)).ok_or(NUMBERS)
}

/// Checks what an entry says of the net so far.
pub(super) fn check(number: usize, net: &Net, goal: &Formula, left_out: &[ImplicitPlace], budget: &mut Budget) -> Result<(), Refusal> {
    let is_deadlock = Formula::deadlock(net).as_ref() == Some(goal);
    let asked = asked(net, goal);
    let goes = places(net, left_out.iter().map(|one| one.0));
    for (number_of, factor, weights) in left_out {
        budget.spend(u64::try_from(net.arc_count()).unwrap_or(u64::MAX))?;
        let Some(&place) = places(net, [*number_of]).first() else { continue };
        let name = net.place_name(place);
        let is_asked = asked[place.index()] && !is_deadlock;
        require!(ScriptAsked, !is_asked, "entry {number} leaves out “{name}”, of which the goal speaks");
        let others = places(net, weights.iter().map(|one| one.0));
        let stay = others.len() == weights.len() && others.iter().all(|other| goes.binary_search(other).is_err());
        require!(ScriptWeights, *factor > 0 && stay, "entry {number} has no factor for “{name}”, or weights of what is not there then");
        let mut weight_of = vec![0_i128; net.place_count()];
        for (other, &(_, weight)) in others.iter().zip(weights) {
            weight_of[other.index()] = weight.into();
        }
        let factor = i128::from(*factor);
        // What the place has above the others.
        let above = |arcs: &[Arc]| -> Result<i128, Refusal> {
            let own = factor.checked_mul(weight(arcs, place).into()).ok_or(NUMBERS)?;
            own.checked_sub(sum(arcs, &weight_of)?).ok_or(NUMBERS)
        };
        let initial: Vec<Arc> = net.places().map(|place| (place, net.initial_tokens(place))).collect();
        let spare = above(&initial)?;
        for transition in net.transitions() {
            let change = above(net.outputs(transition))?.checked_sub(above(net.inputs(transition))?).ok_or(NUMBERS)?;
            let told = net.transition_name(transition);
            require!(ScriptFalling, change >= 0, "entry {number} leaves out “{name}”, which loses against the others when “{told}” fires");
            let needed = weight(net.inputs(transition), place);
            if let Some(less) = needed.checked_sub(1) {
                let there = sum(net.inputs(transition), &weight_of)?.checked_add(spare).ok_or(NUMBERS)?;
                let too_few = factor.checked_mul(less.into()).ok_or(NUMBERS)?;
                require!(ScriptEnough, there > too_few, "entry {number} leaves out “{name}”, which may have too few for “{told}”");
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serval_petri::tina;

    #[test]
    fn sums_that_do_not_fit_are_too_large() {
        let net = tina::read("pl a (1)\npl b (18446744073709551615)\npl c (18446744073709551615)\ntr t a -> a\n").unwrap();
        let entry = vec![(0, 1, vec![(1, u64::MAX), (2, u64::MAX)])];
        let goal = Formula::all([]);
        assert_eq!(check(0, &net, &goal, &entry, &mut Budget::unlimited()), Err(NUMBERS));
    }
}
