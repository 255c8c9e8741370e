//! What can be said of a net by its arcs alone.

use crate::{Arc, Net, TransitionId};

/// The greatest trap among `inside`, which says of each place whether it is
/// there: the greatest set of these places such that whatever of the transitions
/// takes from it gives to it. It is marked for ever once it is.
///
/// A transition that gives nothing to the set leaves it, so its inputs are not
/// in a trap; without them others may leave it. Each arc is looked at twice.
pub fn greatest_trap(net: &Net, transitions: impl Iterator<Item = TransitionId>, inside: Vec<bool>) -> Vec<bool> {
    closed(net, transitions, inside, Net::inputs, Net::outputs)
}

/// The greatest siphon among `inside`: the greatest set of these places such that whatever of the transitions gives to
/// it takes from it. It is empty for ever once it is. This is a trap of the net with all arcs turned around.
pub fn greatest_siphon(net: &Net, transitions: impl Iterator<Item = TransitionId>, inside: Vec<bool>) -> Vec<bool> {
    closed(net, transitions, inside, Net::outputs, Net::inputs)
}

/// The greatest trap among `inside`, where `from` and `to` say what a transition takes from and gives to.
fn closed(
    net: &Net,
    transitions: impl Iterator<Item = TransitionId>,
    mut inside: Vec<bool>,
    from: impl Fn(&Net, TransitionId) -> &[Arc],
    to: impl Fn(&Net, TransitionId) -> &[Arc],
) -> Vec<bool> {
    // For each transition how many of its outputs are inside.
    let mut giving = vec![0_usize; net.transition_count()];
    let mut givers: Vec<Vec<TransitionId>> = vec![Vec::new(); net.place_count()];
    let mut ways_out: Vec<TransitionId> = Vec::new();
    for transition in transitions {
        for &(place, _) in to(net, transition).iter().filter(|(place, _)| inside[place.index()]) {
            giving[transition.index()] += 1;
            givers[place.index()].push(transition);
        }
        if giving[transition.index()] == 0 {
            ways_out.push(transition);
        }
    }
    while let Some(transition) = ways_out.pop() {
        for &(place, _) in from(net, transition) {
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
