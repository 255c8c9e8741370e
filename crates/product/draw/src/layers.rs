//! Which layer each vertex is in.
//!
//! Edges that close cycles are turned first. Vertices are ordered by distance
//! from the roots; edges along that order have no cycle, and of the others each
//! is kept as it is if it closes none with those kept so far. Hence an edge is
//! turned only if it lies on a cycle, and turning fewer of them leaves a cycle.
//!
//! Layers are by longest paths. Then vertices move towards most of their
//! neighbours as long as that makes edges shorter.

use std::collections::VecDeque;

/// An edge between two different vertices, and over how many layers it goes at least.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) least: usize,
}

/// Which edges were turned, and the layers of all vertices, from 0.
pub(crate) struct Layers {
    pub(crate) turned: Vec<bool>,
    pub(crate) layer: Vec<usize>,
}

/// The layers of `count` vertices.
pub(crate) fn layers(count: usize, spans: &[Span], roots: &[usize]) -> Layers {
    let turned = turned(count, spans, roots);
    let ahead: Vec<Span> = spans
        .iter()
        .zip(&turned)
        .map(|(span, &turned)| if turned { Span { from: span.to, to: span.from, ..*span } } else { *span })
        .collect();
    let mut layer = longest(count, &ahead);
    tighten(&mut layer, &ahead);
    let top = layer.iter().copied().min().unwrap_or(0);
    for layer in &mut layer {
        *layer -= top;
    }
    Layers { turned, layer }
}

/// Positions in the order of distance from the roots, then from vertices that nothing
/// leads to, then from whatever is left.
fn by_distance(count: usize, spans: &[Span], roots: &[usize]) -> Vec<usize> {
    let mut next = vec![Vec::new(); count];
    let mut entered = vec![false; count];
    for span in spans {
        next[span.from].push(span.to);
        entered[span.to] = true;
    }
    let mut order: Vec<usize> = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    let sources: Vec<usize> = (0..count).filter(|&vertex| !entered[vertex]).collect();
    // All roots and sources begin together, each of the others on its own.
    let starts = std::iter::once(roots.iter().copied().chain(sources).collect()).chain((0..count).map(|vertex| vec![vertex]));
    for start in starts {
        let mut queue: VecDeque<usize> = start.into();
        while let Some(vertex) = queue.pop_front() {
            if !std::mem::replace(&mut seen[vertex], true) {
                order.push(vertex);
                queue.extend(&next[vertex]);
            }
        }
    }
    let mut position = vec![0; count];
    for (index, &vertex) in order.iter().enumerate() {
        position[vertex] = index;
    }
    position
}

fn turned(count: usize, spans: &[Span], roots: &[usize]) -> Vec<bool> {
    let position = by_distance(count, spans, roots);
    let mut next = vec![Vec::new(); count];
    for span in spans.iter().filter(|span| position[span.from] < position[span.to]) {
        next[span.from].push(span.to);
    }
    let mut seen = vec![0_usize; count];
    let mut turned = vec![false; spans.len()];
    for (index, span) in spans.iter().enumerate().filter(|(_, span)| position[span.from] > position[span.to]) {
        let mark = index + 1;
        let mut stack = vec![span.to];
        while let Some(vertex) = stack.pop() {
            if std::mem::replace(&mut seen[vertex], mark) != mark {
                stack.extend(&next[vertex]);
            }
        }
        turned[index] = seen[span.from] == mark;
        // Turned, it goes along a path that is there already.
        if !turned[index] {
            next[span.from].push(span.to);
        }
    }
    turned
}

/// The lengths of the longest paths to each vertex.
fn longest(count: usize, spans: &[Span]) -> Vec<usize> {
    let mut next = vec![Vec::new(); count];
    let mut open = vec![0_usize; count];
    for span in spans {
        next[span.from].push(*span);
        open[span.to] += 1;
    }
    let mut layer = vec![0; count];
    let mut ready: Vec<usize> = (0..count).filter(|&vertex| open[vertex] == 0).collect();
    while let Some(vertex) = ready.pop() {
        for span in &next[vertex] {
            layer[span.to] = layer[span.to].max(layer[vertex] + span.least);
            open[span.to] -= 1;
            if open[span.to] == 0 {
                ready.push(span.to);
            }
        }
    }
    layer
}

/// Moves vertices up or down, within what their neighbours allow, where more
/// edges get shorter by it than longer. Each move makes the sum smaller.
fn tighten(layer: &mut [usize], spans: &[Span]) {
    let (mut before, mut after) = (vec![Vec::new(); layer.len()], vec![Vec::new(); layer.len()]);
    for span in spans {
        before[span.to].push(*span);
        after[span.from].push(*span);
    }
    let mut again = true;
    while again {
        again = false;
        for vertex in (0..layer.len()).rev() {
            let lowest = before[vertex].iter().map(|span| layer[span.from] + span.least).max();
            let highest = after[vertex].iter().map(|span| layer[span.to] - span.least).min();
            let wanted = match before[vertex].len().cmp(&after[vertex].len()) {
                std::cmp::Ordering::Greater => lowest,
                std::cmp::Ordering::Less => highest,
                std::cmp::Ordering::Equal => None,
            };
            if let Some(wanted) = wanted
                && wanted != layer[vertex]
            {
                layer[vertex] = wanted;
                again = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(pairs: &[(usize, usize)]) -> Vec<Span> {
        pairs.iter().map(|&(from, to)| Span { from, to, least: 1 }).collect()
    }

    #[test]
    fn a_cycle_is_opened_where_it_returns_to_its_root() {
        let layers = layers(3, &spans(&[(0, 1), (1, 2), (2, 0)]), &[0]);
        assert_eq!((layers.turned, layers.layer), (vec![false, false, true], vec![0, 1, 2]));
    }

    #[test]
    fn no_edge_is_turned_where_there_is_no_cycle() {
        // The short way to 3 is met before the long one.
        let layers = layers(5, &spans(&[(0, 1), (1, 2), (2, 3), (0, 3), (4, 3)]), &[0]);
        assert_eq!((layers.turned, layers.layer), (vec![false; 5], vec![0, 1, 2, 3, 2]));
    }
}
