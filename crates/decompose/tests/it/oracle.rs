//! Whether a marking can be reached, by trying everything, forwards and backwards.

use std::collections::HashSet;

use serval_petri::Net;

/// Where one step leads.
fn next(net: &Net, marking: &[u64], forward: bool) -> Vec<Vec<u64>> {
    let step = |transition| {
        let (takes, gives) = (net.inputs(transition), net.outputs(transition));
        let (takes, gives) = if forward { (takes, gives) } else { (gives, takes) };
        let mut next = marking.to_vec();
        for &(place, weight) in takes {
            next[place.index()] = next[place.index()].checked_sub(weight)?;
        }
        gives.iter().for_each(|&(place, weight)| next[place.index()] += weight);
        Some(next)
    };
    net.transitions().filter_map(step).collect()
}

/// Whether the one can be reached from the other, if at most so many markings have to be looked at.
fn look(net: &Net, from: &[u64], to: &[u64], most: usize, forward: bool) -> Option<bool> {
    let mut known: HashSet<Vec<u64>> = HashSet::from([from.to_vec()]);
    let mut open = std::collections::VecDeque::from([from.to_vec()]);
    while let Some(marking) = open.pop_front() {
        if marking == to {
            return Some(true);
        }
        for next in next(net, &marking, forward) {
            if known.len() < most && known.insert(next.clone()) {
                open.push_back(next);
            }
        }
        if known.len() >= most {
            return known.contains(to).then_some(true);
        }
    }
    Some(false)
}

/// Whether the marking can be reached, where trying everything tells.
pub(crate) fn reaches(net: &Net, target: &[u64], most: usize) -> Option<bool> {
    let initial = net.initial();
    look(net, initial.as_slice(), target, most, true).or_else(|| look(net, target, initial.as_slice(), most, false))
}
