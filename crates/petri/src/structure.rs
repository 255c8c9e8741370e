//! What can be said of a net by its arcs alone.

use crate::{Net, TransitionId};

/// The greatest trap among `inside`, which says of each place whether it is
/// there: the greatest set of these places such that whatever of the transitions
/// takes from it gives to it. It is marked for ever once it is.
///
/// A transition that gives nothing to the set leaves it, so its inputs are not
/// in a trap; without them others may leave it. Each arc is looked at twice.
pub fn greatest_trap(net: &Net, transitions: impl Iterator<Item = TransitionId>, mut inside: Vec<bool>) -> Vec<bool> {
    // For each transition how many of its outputs are inside.
    let mut giving = vec![0_usize; net.transition_count()];
    let mut givers: Vec<Vec<TransitionId>> = vec![Vec::new(); net.place_count()];
    let mut ways_out: Vec<TransitionId> = Vec::new();
    for transition in transitions {
        for &(place, _) in net.outputs(transition).iter().filter(|(place, _)| inside[place.index()]) {
            giving[transition.index()] += 1;
            givers[place.index()].push(transition);
        }
        if giving[transition.index()] == 0 {
            ways_out.push(transition);
        }
    }
    while let Some(transition) = ways_out.pop() {
        for &(place, _) in net.inputs(transition) {
            if std::mem::replace(&mut inside[place.index()], false) {
                for &giver in &givers[place.index()] {
                    giving[giver.index()] -= 1;
                    if giving[giver.index()] == 0 {
                        ways_out.push(giver);
                    }
                }
            }
        }
    }
    inside
}
