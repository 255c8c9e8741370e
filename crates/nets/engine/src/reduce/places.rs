//! Places that are counted in heaps, and implicit places.

use serval_arith::Outcome;
use serval_budget::Budget;
use serval_linear::{Linear, Problem};
use serval_net_proof::{ImplicitPlace, LeftOut};
use serval_petri::{Formula, Net, PlaceId, TransitionId, weight};

use super::rules::{asked, effect, is_deadlock};

/// Places and transitions of nets in which implicit places are looked for.
const MOST_NODES: usize = 400;
/// Ticks for all places of a net.
const TICKS: u64 = 100_000;

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a.checked_rem(b).unwrap_or(0));
    }
    a
}

pub(super) fn divided(net: &Net, _: &Formula) -> Option<LeftOut> {
    let mut divisor_of = vec![0; net.place_count()];
    for &(place, weight) in net.transitions().flat_map(|transition| net.inputs(transition).iter().chain(net.outputs(transition))) {
        let divisor: &mut u64 = &mut divisor_of[place.index()];
        *divisor = greatest_common_divisor(*divisor, weight);
    }
    let divisors = (0..).zip(divisor_of).filter(|one| one.1 > 1).collect::<Vec<(u32, u64)>>();
    (!divisors.is_empty()).then_some(LeftOut::Divided(divisors))
}

/// The first place that other places show to be implicit.
pub(super) fn implicit(net: &Net, goal: &Formula) -> Option<LeftOut> {
    if net.place_count().saturating_add(net.transition_count()) > MOST_NODES {
        return None;
    }
    let asked = if is_deadlock(net, goal) { vec![false; net.place_count()] } else { asked(net, goal) };
    let mut budget = Budget::ticks(TICKS);
    let mut left_out = net.places().filter(|place| !asked[place.index()]).filter_map(|place| shown(net, place, &mut budget));
    left_out.next().map(|place| LeftOut::Implicit(vec![place]))
}

/// The factor of a place and the weights of others that show that it never stops a transition. The variable of the
/// place is its factor, those of others are their weights.
fn shown(net: &Net, place: PlaceId, budget: &mut Budget) -> Option<ImplicitPlace> {
    let takers: Vec<TransitionId> = net.transitions().filter(|&transition| weight(net.inputs(transition), place) > 0).collect();
    if takers.is_empty() {
        return None;
    }
    let variable = |place: PlaceId| u32::try_from(place.index()).ok();
    let mut inequalities = vec![Linear::new([(variable(place)?, 1)], -1)?];
    for transition in net.transitions() {
        let terms: Option<Vec<(u32, i128)>> = effect(net, transition)
            .into_iter()
            .map(|(other, change)| Some((variable(other)?, if other == place { change } else { -change })))
            .collect();
        inequalities.push(Linear::from_wide(terms?, 0)?);
    }
    for &taker in &takers {
        let mut terms: Vec<(u32, i128)> = Vec::new();
        for other in net.places() {
            let (needed, initial) = (i128::from(weight(net.inputs(taker), other)), i128::from(net.initial_tokens(other)));
            terms.push((variable(other)?, if other == place { initial - needed + 1 } else { needed - initial }));
        }
        inequalities.push(Linear::from_wide(terms, -1)?);
    }
    let variables = u32::try_from(net.place_count()).ok()?;
    let Outcome::Satisfiable(values) = serval_arith::solve(Problem { variables, inequalities, ..Problem::default() }, budget) else {
        return None;
    };
    let number = |value: i64| u64::try_from(value).ok();
    let factor = number(*values.get(place.index())?)?;
    let others = (0..).zip(&values).filter(|&(other, &value)| Some(other) != variable(place) && value > 0);
    let weights: Option<Vec<(u32, u64)>> = others.map(|(other, &value)| Some((other, number(value)?))).collect();
    Some((variable(place)?, factor, weights?))
}
