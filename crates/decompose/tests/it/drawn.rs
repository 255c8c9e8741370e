//! Small nets and counter systems by seed, with targets.

use serval_model::SplitMix64;
use serval_petri::{Net, PlaceId};

/// A net with 2 to 5 places, up to 5 transitions, weights to 3.
pub(crate) fn net(draw: &mut SplitMix64) -> Net {
    let mut net = Net::new("drawn");
    let places: Vec<PlaceId> = (0..2 + draw.index(4)).map(|place| net.add_place(format!("p{place}"), tokens(draw, 3)).unwrap()).collect();
    for number in 0..1 + draw.index(5) {
        let arcs = |draw: &mut SplitMix64| -> Vec<(PlaceId, u64)> {
            let places: Vec<PlaceId> = places.iter().copied().filter(|_| draw.chance(40)).collect();
            places.into_iter().map(|place| (place, 1 + tokens(draw, 3))).collect()
        };
        let (inputs, outputs) = (arcs(draw), arcs(draw));
        net.add_transition(format!("t{number}"), inputs, outputs).unwrap();
    }
    net
}

fn tokens(draw: &mut SplitMix64, below: usize) -> u64 {
    u64::try_from(draw.index(below)).unwrap()
}

/// A counter system with 2 or 3 states and 1 to 3 counters, as a net: the states come first. Each step changes counters by −2 to 2.
pub(crate) fn counters(draw: &mut SplitMix64) -> Net {
    let mut net = Net::new("drawn counters");
    let states: Vec<PlaceId> =
        (0..2 + draw.index(2)).map(|state| net.add_place(format!("q{state}"), u64::from(state == 0)).unwrap()).collect();
    let counters: Vec<PlaceId> = (0..1 + draw.index(3)).map(|place| net.add_place(format!("c{place}"), tokens(draw, 3)).unwrap()).collect();
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
    net.add_transition(format!("t{number}"), inputs, outputs).unwrap();
}

/// A chain of modes: each state has loops that move tokens between counters, and a step to the next state. At the end some counters are to be empty.
pub(crate) fn chain(draw: &mut SplitMix64) -> (Net, Vec<u64>) {
    let mut net = Net::new("drawn chain");
    let states: Vec<PlaceId> =
        (0..2 + draw.index(2)).map(|state| net.add_place(format!("q{state}"), u64::from(state == 0)).unwrap()).collect();
    let counters: Vec<PlaceId> = (0..2 + draw.index(2)).map(|place| net.add_place(format!("c{place}"), tokens(draw, 3)).unwrap()).collect();
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
            net.add_transition(format!("t{number}"), inputs, outputs).unwrap();
            number += 1;
        }
        if let Some(&next) = states.get(at + 1) {
            let mut outputs = vec![(next, 1)];
            if draw.chance(30) {
                outputs.push((counters[draw.index(counters.len())], 1));
            }
            net.add_transition(format!("t{number}"), [(states[at], 1)], outputs).unwrap();
            number += 1;
        }
    }
    // A way back, sometimes, with a price.
    if draw.chance(40) {
        let inputs = [(states[states.len() - 1], 1), (counters[0], 1 + tokens(draw, 2))];
        net.add_transition("back", inputs, [(states[0], 1)]).unwrap();
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

/// Loops that add a vector and take it away again, so that everything can be pumped from both ends, and steps that change the differences, which can be used finitely often.
pub(crate) fn pairs(draw: &mut SplitMix64) -> (Net, Vec<u64>) {
    let mut net = Net::new("drawn pairs");
    let states: Vec<PlaceId> =
        (0..1 + draw.index(2)).map(|state| net.add_place(format!("q{state}"), u64::from(state == 0)).unwrap()).collect();
    let counters: Vec<PlaceId> = (0..2 + draw.index(2)).map(|place| net.add_place(format!("c{place}"), tokens(draw, 3)).unwrap()).collect();
    let mut number = 0;
    for &state in &states {
        let vector: Vec<(PlaceId, u64)> = counters.iter().map(|&counter| (counter, 1 + tokens(draw, 2))).collect();
        let with = |arcs: &[(PlaceId, u64)]| arcs.iter().copied().chain([(state, 1)]).collect::<Vec<_>>();
        net.add_transition(format!("up{number}"), with(&[]), with(&vector)).unwrap();
        net.add_transition(format!("down{number}"), with(&vector), with(&[])).unwrap();
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
pub(crate) fn target(draw: &mut SplitMix64, net: &Net) -> Vec<u64> {
    let mut marking = net.initial();
    if draw.chance(70) {
        for _ in 0..draw.index(8) {
            let enabled: Vec<_> = net.transitions().filter(|&transition| net.is_enabled(&marking, transition)).collect();
            if enabled.is_empty() {
                break;
            }
            net.fire(&mut marking, enabled[draw.index(enabled.len())]).unwrap();
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
