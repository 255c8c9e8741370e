//! One step of a net as a choice: 0 is no step, `k` fires the transition of number `k − 1`.
//!
//! The size of this relation is that of the net, since what does not change is said by the sum of no changes.

use serval_petri::{Net, PlaceId};

use crate::names;

/// The variable of a place. What is made here is called otherwise, and no tool has a keyword like this.
pub(crate) fn variable(net: &Net, place: PlaceId) -> String {
    format!("p_{}", names::identifier(net.place_name(place), |_| false))
}

/// By place the choices that change it, ascending, with by how much.
pub(crate) fn effects(net: &Net) -> Vec<Vec<(usize, i128)>> {
    let mut all: Vec<Vec<(usize, i128)>> = vec![Vec::new(); net.place_count()];
    for (number, transition) in net.transitions().enumerate() {
        for (arcs, sign) in [(net.inputs(transition), -1), (net.outputs(transition), 1)] {
            for &(place, weight) in arcs {
                let (choice, change) = (number + 1, sign * i128::from(weight));
                match all[place.index()].last_mut() {
                    Some((last, sum)) if *last == choice => *sum += change,
                    _ => all[place.index()].push((choice, change)),
                }
            }
        }
    }
    for effects in &mut all {
        effects.retain(|effect| effect.1 != 0);
    }
    all
}

/// A number in SMT-LIB, which has no negative ones.
pub(crate) fn integer(number: i128) -> String {
    if number < 0 { format!("(- {})", number.unsigned_abs()) } else { number.to_string() }
}
