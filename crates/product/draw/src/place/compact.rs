//! Places across with little room between.
//!
//! Layer after layer, downwards and upwards in turns, vertices move to the weighted
//! mean of their neighbours' places in such a way that the sum of squares of what
//! is missing is least among all places that keep order and distances. That is a regression
//! by a function that does not fall, which pooling neighbours solves exactly. Then
//! parts of long edges are made straight where what stands beside them allows it.

use super::{HorizontalReach, distance};
use crate::order::Layered;

/// How often all layers are gone through.
const SWEEPS: usize = 24;

/// The places of all vertices; the leftmost reaches to 0.
pub(super) fn places(graph: &Layered, reach: &[HorizontalReach]) -> Vec<i32> {
    let mut places = vec![0_i32; reach.len()];
    // In the beginning each layer is as narrow as can be, around 0.
    for layer in &graph.layers {
        let offsets = offsets(layer, reach);
        let middle = offsets.last().copied().unwrap_or(0) / 2;
        for (&vertex, offset) in layer.iter().zip(&offsets) {
            places[vertex] = offset - middle;
        }
    }
    let count = graph.layers.len();
    for sweep in 0..SWEEPS {
        for step in 0..count {
            let at = if sweep % 2 == 0 { step } else { count - 1 - step };
            // First from one side, in the end from both.
            let (above, below) = (sweep % 2 == 0 || sweep + 6 > SWEEPS, sweep % 2 == 1 || sweep + 6 > SWEEPS);
            settle(graph, reach, &graph.layers[at], (above, below), &mut places);
        }
    }
    straighten(graph, reach, &mut places);
    let left = places.iter().zip(reach).map(|(place, reach)| place - reach.left).min().unwrap_or(0);
    places.iter().map(|place| place - left).collect()
}

/// How far from the first each vertex of a layer is at least.
fn offsets(layer: &[usize], reach: &[HorizontalReach]) -> Vec<i32> {
    let mut offsets = vec![0; layer.len()];
    for at in 1..layer.len() {
        offsets[at] = offsets[at - 1] + distance(reach[layer[at - 1]], reach[layer[at]]);
    }
    offsets
}

/// Vertices that stand as close as they may: the sum of what they want, weighted,
/// the sum of weights, and how many they are.
struct Pool {
    sum: i64,
    weight: i64,
    count: usize,
}

impl Pool {
    fn place(&self) -> i64 {
        self.sum.div_euclid(self.weight)
    }
}

/// Places one layer by its neighbours.
fn settle(graph: &Layered, reach: &[HorizontalReach], layer: &[usize], (above, below): (bool, bool), places: &mut [i32]) {
    let offsets = offsets(layer, reach);
    let mut pools: Vec<Pool> = Vec::new();
    for (&vertex, &offset) in layer.iter().zip(&offsets) {
        let up = graph.up[vertex].iter().filter(|_| above);
        let near: Vec<usize> = up.chain(graph.down[vertex].iter().filter(|_| below)).copied().collect();
        let mut pool = Pool { sum: 0, weight: 0, count: 1 };
        for other in near {
            // Long edges should be straight above all.
            let weight = match (reach[vertex].is_inner, reach[other].is_inner) {
                (true, true) => 16,
                (false, false) => 1,
                _ => 3,
            };
            pool.sum += weight * i64::from(places[other] - offset);
            pool.weight += weight;
        }
        if pool.weight == 0 {
            pool = Pool { sum: i64::from(places[vertex] - offset), weight: 1, count: 1 };
        }
        while let Some(last) = pools.pop_if(|last| last.place() >= pool.place()) {
            pool = Pool { sum: pool.sum + last.sum, weight: pool.weight + last.weight, count: pool.count + last.count };
        }
        pools.push(pool);
    }
    let mut at = 0;
    for pool in pools {
        // Between places of this layer's neighbours, which are such numbers.
        let place = i32::try_from(pool.place()).unwrap_or(0);
        for _ in 0..pool.count {
            places[layer[at]] = place + offsets[at];
            at += 1;
        }
    }
}

/// Gives runs of parts of long edges one place, where there is one that all can have.
fn straighten(graph: &Layered, reach: &[HorizontalReach], places: &mut [i32]) {
    let position = graph.positions();
    for (number, layer) in graph.layers.iter().enumerate() {
        for &first in layer {
            let begins = reach[first].is_inner && !graph.up[first].iter().any(|&above| reach[above].is_inner);
            if !begins {
                continue;
            }
            let mut run: Vec<usize> = Vec::new();
            let (mut least, mut most) = (i32::MIN, i32::MAX);
            let mut next = Some(first);
            let mut depth = number;
            while let Some(vertex) = next {
                let (beside, at) = (&graph.layers[depth], position[vertex]);
                let left = at.checked_sub(1).map(|at| beside[at]).map(|left| places[left] + distance(reach[left], reach[vertex]));
                let right = beside.get(at + 1).map(|&right| places[right] - distance(reach[vertex], reach[right]));
                let (low, high) = (least.max(left.unwrap_or(i32::MIN)), most.min(right.unwrap_or(i32::MAX)));
                if low > high {
                    align(&run, (least, most), places);
                    run.clear();
                    (least, most) = (left.unwrap_or(i32::MIN), right.unwrap_or(i32::MAX));
                } else {
                    (least, most) = (low, high);
                }
                run.push(vertex);
                next = graph.down[vertex].first().copied().filter(|&below| reach[below].is_inner);
                depth += 1;
            }
            align(&run, (least, most), places);
        }
    }
}

/// Puts a run at the middle of its places, or as near as it may be.
fn align(run: &[usize], (least, most): (i32, i32), places: &mut [i32]) {
    let mut here: Vec<i32> = run.iter().map(|&vertex| places[vertex]).collect();
    here.sort_unstable();
    if let Some(&middle) = here.get(here.len() / 2) {
        for &vertex in run {
            places[vertex] = middle.clamp(least, most);
        }
    }
}
