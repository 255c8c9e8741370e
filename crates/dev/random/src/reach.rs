//! Small nets and counter systems at random, with targets, and whether these can be reached, by trying everything
//! forwards and backwards.

use std::collections::{HashSet, VecDeque};

use serval_model::SplitMix64;
use serval_petri::{Formula, Marking, Net, PlaceId};

/// A net with 2 to 5 places, up to 5 transitions, weights to 3.
pub fn net(draw: &mut SplitMix64) -> Net {
    let mut net = Net::new("drawn");
    let places: Vec<PlaceId> = (0..2 + draw.index(4)).map(|place| add_place(&mut net, format!("p{place}"), tokens(draw, 3))).collect();
    for number in 0..1 + draw.index(5) {
        let arcs = |draw: &mut SplitMix64| -> Vec<(PlaceId, u64)> {
            let places: Vec<PlaceId> = places.iter().copied().filter(|_| draw.chance(40)).collect();
            places.into_iter().map(|place| (place, 1 + tokens(draw, 3))).collect()
        };
        let (inputs, outputs) = (arcs(draw), arcs(draw));
        transition(&mut net, format!("t{number}"), inputs, outputs);
    }
    net
}

fn add_place(net: &mut Net, name: String, tokens: u64) -> PlaceId {
    net.add_place(name, tokens).unwrap_or_else(|error| unreachable!("{error}"))
}

fn transition(net: &mut Net, name: String, inputs: Vec<(PlaceId, u64)>, outputs: Vec<(PlaceId, u64)>) {
    net.add_transition(name, inputs, outputs).unwrap_or_else(|error| unreachable!("{error}"));
}

fn tokens(draw: &mut SplitMix64, below: usize) -> u64 {
    u64::try_from(draw.index(below)).unwrap_or(0)
}

/// A counter system with 2 or 3 states and 1 to 3 counters, as a net: the states come first. Each step changes counters
/// by −2 to 2.
pub fn counters(draw: &mut SplitMix64) -> Net {
    let mut net = Net::new("drawn counters");
    let states: Vec<PlaceId> =
        (0..2 + draw.index(2)).map(|state| add_place(&mut net, format!("q{state}"), u64::from(state == 0))).collect();
    let counters: Vec<PlaceId> = (0..1 + draw.index(3)).map(|place| add_place(&mut net, format!("c{place}"), tokens(draw, 3))).collect();
    for number in 0..2 + draw.index(4) {
        step(draw, &mut net, &states, &counters, number);
    }
    net
}

fn step(draw: &mut SplitMix64, net: &mut Net, states: &[PlaceId], counters: &[PlaceId], number: usize) {
    let (from, to) = (states[draw.index(states.len())], states[draw.index(states.len())]);
    let (mut inputs, mut outputs) = (vec![(from, 1)], vec![(to, 1)]);
    for &counter in counters {
        match draw.index(6) {
            0 => inputs.push((counter, 1)),
            1 => inputs.push((counter, 2)),
            2 => outputs.push((counter, 1)),
            3 => outputs.push((counter, 2)),
            _ => {}
        }
    }
    transition(net, format!("t{number}"), inputs, outputs);
}

/// A chain of modes: each state has loops that move tokens between counters, and a step to the next state. At the end
/// some counters are to be empty.
pub fn chain(draw: &mut SplitMix64) -> (Net, Vec<u64>) {
    let mut net = Net::new("drawn chain");
    let states: Vec<PlaceId> =
        (0..2 + draw.index(2)).map(|state| add_place(&mut net, format!("q{state}"), u64::from(state == 0))).collect();
    let counters: Vec<PlaceId> = (0..2 + draw.index(2)).map(|place| add_place(&mut net, format!("c{place}"), tokens(draw, 3))).collect();
    let mut number = 0;
    for at in 0..states.len() {
        for _ in 0..1 + draw.index(2) {
            let (from, to) = (counters[draw.index(counters.len())], counters[draw.index(counters.len())]);
            let (mut inputs, mut outputs) = (vec![(states[at], 1)], vec![(states[at], 1)]);
            if !draw.chance(25) {
                inputs.push((from, 1 + tokens(draw, 2)));
            }
            if !draw.chance(25) {
                outputs.push((to, 1 + tokens(draw, 2)));
            }
            transition(&mut net, format!("t{number}"), inputs, outputs);
            number += 1;
        }
        if let Some(&next) = states.get(at + 1) {
            let mut outputs = vec![(next, 1)];
            if draw.chance(30) {
                outputs.push((counters[draw.index(counters.len())], 1));
            }
            transition(&mut net, format!("t{number}"), vec![(states[at], 1)], outputs);
            number += 1;
        }
    }
    // A way back, sometimes, with a price.
    if draw.chance(40) {
        let inputs = vec![(states[states.len() - 1], 1), (counters[0], 1 + tokens(draw, 2))];
        transition(&mut net, "back".to_owned(), inputs, vec![(states[0], 1)]);
    }
    let mut target = vec![0; net.place_count()];
    target[states.len() - 1] = 1;
    for counter in &counters {
        if draw.chance(40) {
            target[counter.index()] = tokens(draw, 6);
        }
    }
    (net, target)
}

/// Loops that add a vector and take it away again, so that everything can be pumped from both ends, and steps that
/// change the differences, which can be used finitely often.
pub fn pairs(draw: &mut SplitMix64) -> (Net, Vec<u64>) {
    let mut net = Net::new("drawn pairs");
    let states: Vec<PlaceId> =
        (0..1 + draw.index(2)).map(|state| add_place(&mut net, format!("q{state}"), u64::from(state == 0))).collect();
    let counters: Vec<PlaceId> = (0..2 + draw.index(2)).map(|place| add_place(&mut net, format!("c{place}"), tokens(draw, 3))).collect();
    let mut number = 0;
    for &state in &states {
        let vector: Vec<(PlaceId, u64)> = counters.iter().map(|&counter| (counter, 1 + tokens(draw, 2))).collect();
        let with = |arcs: &[(PlaceId, u64)]| arcs.iter().copied().chain([(state, 1)]).collect::<Vec<_>>();
        transition(&mut net, format!("up{number}"), with(&[]), with(&vector));
        transition(&mut net, format!("down{number}"), with(&vector), with(&[]));
        number += 1;
    }
    for _ in 0..1 + draw.index(3) {
        step(draw, &mut net, &states, &counters, number);
        number += 1;
    }
    let mut target: Vec<u64> = net.places().map(|_| tokens(draw, 4)).collect();
    states.iter().for_each(|state| target[state.index()] = 0);
    target[draw.index(states.len())] = 1;
    (net, target)
}

/// A target: at random, or where a walk leads, or nearly.
pub fn target(draw: &mut SplitMix64, net: &Net) -> Vec<u64> {
    let mut marking = net.initial();
    if draw.chance(70) {
        for _ in 0..draw.index(8) {
            let enabled: Vec<_> = net.transitions().filter(|&transition| net.is_enabled(&marking, transition)).collect();
            if enabled.is_empty() {
                break;
            }
            net.fire(&mut marking, enabled[draw.index(enabled.len())]).unwrap_or_else(|error| unreachable!("{error}"));
        }
        let mut target = marking.as_slice().to_vec();
        if draw.chance(60) {
            let place = draw.index(target.len());
            target[place] = if draw.chance(50) { target[place] + 1 } else { target[place].saturating_sub(1) };
        }
        return target;
    }
    net.places().map(|_| tokens(draw, 4)).collect()
}

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

/// Whether the one can be reached from the other, if at most `most` markings have to be looked at.
fn look(net: &Net, from: &[u64], to: &[u64], most: usize, forward: bool) -> Option<bool> {
    let mut known: HashSet<Vec<u64>> = HashSet::from([from.to_vec()]);
    let mut open = VecDeque::from([from.to_vec()]);
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

/// Whether the marking can be reached, where trying everything tells, and whether it was tried forwards: backwards only
/// where there are too many forwards.
pub fn looked(net: &Net, target: &[u64], most: usize) -> Option<(bool, bool)> {
    let initial = net.initial();
    let forward = look(net, initial.as_slice(), target, most, true).map(|reached| (reached, true));
    forward.or_else(|| look(net, target, initial.as_slice(), most, false).map(|reached| (reached, false)))
}

/// Whether the marking can be reached, where trying everything tells.
pub fn reaches(net: &Net, target: &[u64], most: usize) -> Option<bool> {
    looked(net, target, most).map(|looked| looked.0)
}

/// Whether a marking of a formula can be reached, where trying everything forwards tells.
pub fn meets(net: &Net, goal: &Formula, most: usize) -> Option<bool> {
    let first = net.initial().as_slice().to_vec();
    let mut known: HashSet<Vec<u64>> = HashSet::from([first.clone()]);
    let mut open = VecDeque::from([first]);
    while let Some(marking) = open.pop_front() {
        if goal.holds(&Marking::new(marking.clone())) {
            return Some(true);
        }
        for next in next(net, &marking, true) {
            if known.len() >= most {
                return None;
            }
            if known.insert(next.clone()) {
                open.push_back(next);
            }
        }
    }
    Some(false)
}
