//! Where vertices stand across: straight long edges, nothing overlapping.
//!
//! After Brandes and Köpf, *Fast and simple horizontal coordinate assignment*
//! (2002): vertices are aligned with the median of their neighbours in four ways
//! (from above or below, from the left or right), parts of long edges before
//! anything that crosses them; aligned vertices form blocks, which are packed; and
//! the result is the mean of the two middle ones of the four.
//!
//! Blocks are packed along longest paths in the graph of blocks, not by the
//! classes of the paper, whose shifts can bring vertices too close to each other.
//! What is promised, that neighbours in a layer keep their distance, holds for each of
//! the four, hence for the values in second and third place of a sorted vertex, and hence
//! for their mean.
//!
//! Alignment takes room: pictures of dense graphs become twice as wide as their densest
//! layer. Where the result is very wide, a second way is tried (`compact`), and taken if it
//! saves much.

mod compact;

use std::collections::BTreeSet;

use crate::order::Layered;

/// How far a vertex reaches to the left and to the right of its place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HorizontalReach {
    pub(crate) left: i32,
    pub(crate) right: i32,
    /// Whether it is a part of a long edge.
    pub(crate) is_inner: bool,
}

/// The free room between neighbours.
const GAP: i32 = 22;
/// The same where one of them is a part of an edge.
const INNER_GAP: i32 = 12;

/// How far the places of two neighbours are apart at least.
fn distance(left: HorizontalReach, right: HorizontalReach) -> i32 {
    let gap = if left.is_inner || right.is_inner { INNER_GAP } else { GAP };
    left.right + gap + right.left
}

/// Up to this width straight lines matter more than room.
const FAIR_WIDTH: i32 = 1400;

/// The places of all vertices across; the leftmost reaches to 0.
pub(crate) fn places(graph: &Layered, reach: &[HorizontalReach]) -> Vec<i32> {
    let width = |places: &[i32]| places.iter().zip(reach).map(|(place, reach)| place + reach.right).max().unwrap_or(0);
    let straight = straight(graph, reach);
    if width(&straight) > FAIR_WIDTH {
        let compact = compact::places(graph, reach);
        if width(&compact) < width(&straight) / 4 * 3 {
            return compact;
        }
    }
    straight
}

/// The places by alignment.
fn straight(graph: &Layered, reach: &[HorizontalReach]) -> Vec<i32> {
    let crossed = crossed(graph, reach);
    let mut four: Vec<Vec<i32>> = Vec::with_capacity(4);
    for upwards in [false, true] {
        for mirrored in [false, true] {
            four.push(aligned(graph, reach, &crossed, upwards, mirrored));
        }
    }
    let bounds = |places: &[i32]| {
        let left = places.iter().zip(reach).map(|(place, reach)| place - reach.left).min().unwrap_or(0);
        let right = places.iter().zip(reach).map(|(place, reach)| place + reach.right).max().unwrap_or(0);
        (left, right)
    };
    // Those packed to the left are put against the left border of the narrowest, the others against the right.
    let narrowest = four.iter().map(|places| bounds(places)).min_by_key(|(left, right)| right - left).unwrap_or((0, 0));
    for (index, places) in four.iter_mut().enumerate() {
        let (left, right) = bounds(places);
        let shift = if index % 2 == 0 { narrowest.0 - left } else { narrowest.1 - right };
        for place in places {
            *place += shift;
        }
    }
    let mut places: Vec<i32> = (0..reach.len())
        .map(|vertex| {
            let mut values = [four[0][vertex], four[1][vertex], four[2][vertex], four[3][vertex]];
            values.sort_unstable();
            (values[1] + values[2]).div_euclid(2)
        })
        .collect();
    let left = bounds(&places).0;
    for place in &mut places {
        *place -= left;
    }
    places
}

/// The edges that cross a part of a long edge and are none themselves: they are not aligned.
fn crossed(graph: &Layered, reach: &[HorizontalReach]) -> BTreeSet<(usize, usize)> {
    let position = graph.positions();
    let mut crossed = BTreeSet::new();
    for layer in &graph.layers {
        let mut edges: Vec<(usize, usize)> = Vec::new();
        for &above in layer {
            edges.extend(graph.down[above].iter().map(|&below| (above, below)));
        }
        let is_inner = |&(above, below): &(usize, usize)| reach[above].is_inner && reach[below].is_inner;
        let inner: Vec<(usize, usize)> = edges.iter().filter(|edge| is_inner(edge)).copied().collect();
        for edge in edges.iter().filter(|edge| !is_inner(edge)) {
            let crosses = |other: &&(usize, usize)| {
                let (above, below) = (position[edge.0].cmp(&position[other.0]), position[edge.1].cmp(&position[other.1]));
                above != below && above.is_ne() && below.is_ne()
            };
            if inner.iter().any(|other| crosses(&other)) {
                crossed.insert(*edge);
            }
        }
    }
    crossed
}

/// One of the four.
fn aligned(graph: &Layered, reach: &[HorizontalReach], crossed: &BTreeSet<(usize, usize)>, upwards: bool, mirrored: bool) -> Vec<i32> {
    let mut layers = graph.layers.clone();
    if upwards {
        layers.reverse();
    }
    if mirrored {
        for layer in &mut layers {
            layer.reverse();
        }
    }
    let neighbours = if upwards { &graph.down } else { &graph.up };
    let mut position = vec![0_usize; reach.len()];
    for layer in &layers {
        for (at, &vertex) in layer.iter().enumerate() {
            position[vertex] = at;
        }
    }
    // Blocks: each vertex joins the block of a median neighbour that is right of those taken.
    let mut root: Vec<usize> = (0..reach.len()).collect();
    for layer in &layers {
        let mut free = 0;
        for &vertex in layer {
            let mut near = neighbours[vertex].clone();
            near.sort_by_key(|&other| position[other]);
            let Some(last) = near.len().checked_sub(1) else { continue };
            for other in &near[last / 2..=last.div_ceil(2)] {
                let edge = if upwards { (vertex, *other) } else { (*other, vertex) };
                if root[vertex] == vertex && position[*other] >= free && !crossed.contains(&edge) {
                    root[vertex] = root[*other];
                    free = position[*other] + 1;
                }
            }
        }
    }
    let mut places = packed(&layers, reach, &root, mirrored);
    if mirrored {
        for place in &mut places {
            *place = -*place;
        }
    }
    places
}

/// Blocks as far left as they can be, then to the right where that brings them
/// closer to what stands there.
fn packed(layers: &[Vec<usize>], reach: &[HorizontalReach], root: &[usize], mirrored: bool) -> Vec<i32> {
    let turned = |vertex: usize| {
        let HorizontalReach { left, right, is_inner } = reach[vertex];
        if mirrored { HorizontalReach { left: right, right: left, is_inner } } else { reach[vertex] }
    };
    let mut next: Vec<Vec<(usize, i32)>> = vec![Vec::new(); reach.len()];
    let mut open = vec![0_usize; reach.len()];
    for layer in layers {
        for pair in layer.windows(2) {
            next[root[pair[0]]].push((root[pair[1]], distance(turned(pair[0]), turned(pair[1]))));
            open[root[pair[1]]] += 1;
        }
    }
    let mut ready: Vec<usize> = (0..reach.len()).filter(|&vertex| root[vertex] == vertex && open[vertex] == 0).collect();
    let mut order = Vec::new();
    let mut place = vec![0_i32; reach.len()];
    while let Some(block) = ready.pop() {
        order.push(block);
        for &(other, distance) in &next[block] {
            place[other] = place[other].max(place[block] + distance);
            open[other] -= 1;
            if open[other] == 0 {
                ready.push(other);
            }
        }
    }
    for &block in order.iter().rev() {
        if let Some(most) = next[block].iter().map(|&(other, distance)| place[other] - distance).min() {
            place[block] = place[block].max(most);
        }
    }
    root.iter().map(|&block| place[block]).collect()
}
