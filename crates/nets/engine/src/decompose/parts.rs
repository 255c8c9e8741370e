//! Strongly connected parts of a piece.
//!
//! A covering graph is no component: runs go from one strongly connected part to the next. [`order`] numbers the vertices such that vertices of one part have one number, and numbers do not fall along
//! arcs. What cannot come to the exit any more has greater numbers than the exit, so that the rule `leave` does not go there.

use serval_net_proof::decomposition::sequence::Piece;

/// By vertex where arcs lead, or where they come from.
fn neighbours(piece: &Piece, forward: bool) -> Vec<Vec<usize>> {
    let mut next = vec![Vec::new(); piece.labels.len()];
    for arc in piece.arcs.iter() {
        let (from, to) = if forward { (arc.from, arc.to) } else { (arc.to, arc.from) };
        next[from].push(to);
    }
    next
}

/// What can be reached from a vertex.
fn reached(next: &[Vec<usize>], from: usize) -> Vec<bool> {
    let mut seen = vec![false; next.len()];
    let mut open = vec![from];
    seen[from] = true;
    while let Some(vertex) = open.pop() {
        for &to in &next[vertex] {
            if !std::mem::replace(&mut seen[to], true) {
                open.push(to);
            }
        }
    }
    seen
}

/// Whether entry, exit and all arcs are in one strongly connected part.
pub fn is_connected(piece: &Piece) -> bool {
    if piece.arcs.is_empty() {
        return piece.entry == piece.exit;
    }
    let (after, before) = (reached(&neighbours(piece, true), piece.entry), reached(&neighbours(piece, false), piece.entry));
    let inside = |vertex: usize| after[vertex] && before[vertex];
    inside(piece.exit) && piece.arcs.iter().all(|arc| inside(arc.from) && inside(arc.to))
}

/// Numbers of the vertices that fall along no arc, the same just for vertices of one strongly connected part (Kosaraju). What comes to
/// the exit is before what does not.
pub fn order(piece: &Piece) -> Vec<u32> {
    let (next, before) = (neighbours(piece, true), neighbours(piece, false));
    // Depth first, with an explicit stack: vertices in the order in which they are done.
    let (mut done, mut seen) = (Vec::with_capacity(next.len()), vec![false; next.len()]);
    for root in 0..next.len() {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut way = vec![(root, 0)];
        while let Some((vertex, at)) = way.last_mut() {
            match next[*vertex].get(*at) {
                None => {
                    done.push(*vertex);
                    way.pop();
                }
                Some(&to) => {
                    *at += 1;
                    if !std::mem::replace(&mut seen[to], true) {
                        way.push((to, 0));
                    }
                }
            }
        }
    }
    // The last that is done begins a part that nothing else comes to.
    let comes = reached(&before, piece.exit);
    let (mut numbers, mut count) = (vec![u32::MAX; next.len()], 0);
    for useful in [true, false] {
        for &root in done.iter().rev() {
            if numbers[root] != u32::MAX || comes[root] != useful {
                continue;
            }
            let mut open = vec![root];
            numbers[root] = count;
            while let Some(vertex) = open.pop() {
                for &from in &before[vertex] {
                    // Of what comes to a useful part all is useful; to another one useful parts may lead, which have their numbers.
                    if numbers[from] == u32::MAX && comes[from] == useful {
                        numbers[from] = count;
                        open.push(from);
                    }
                }
            }
            count += 1;
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use serval_model::SplitMix64;
    use serval_net_proof::decomposition::sequence::Edge;
    use serval_petri::TransitionId;

    use super::*;

    fn piece(vertices: usize, arcs: &[(usize, usize)]) -> Piece {
        let transition = TransitionId::try_from_index(0).unwrap();
        Piece {
            labels: Rc::new(vec![Vec::new(); vertices]),
            arcs: Rc::new(arcs.iter().map(|&(from, to)| Edge { from, transition, to }).collect()),
            entry: 0,
            exit: vertices - 1,
            first: Vec::new(),
            last: Vec::new(),
            order: None,
        }
    }

    /// On random graphs, numbers are those of strongly connected parts, and they say what comes to the exit.
    #[test]
    fn numbers_are_parts() {
        let sweep = serval_effort::sweep("decompose.parts", 500, 2_000);
        let mut draw = SplitMix64::new(sweep.seed(7));
        for _ in 0..sweep.count() {
            let vertices = 1 + draw.index(6);
            let arcs: Vec<(usize, usize)> = (0..draw.index(10)).map(|_| (draw.index(vertices), draw.index(vertices))).collect();
            let piece = piece(vertices, &arcs);
            let numbers = order(&piece);
            let from: Vec<Vec<bool>> = (0..vertices).map(|vertex| reached(&neighbours(&piece, true), vertex)).collect();
            for one in 0..vertices {
                for other in 0..vertices {
                    assert_eq!(numbers[one] == numbers[other], from[one][other] && from[other][one], "{arcs:?}: {numbers:?}");
                    assert!(numbers[one] <= numbers[other] || !from[one][other], "{arcs:?}: {numbers:?}");
                }
                assert_eq!(numbers[one] <= numbers[vertices - 1], from[one][vertices - 1], "{arcs:?}: {numbers:?}");
            }
            let joined = (0..vertices).filter(|&v| arcs.iter().any(|arc| arc.0 == v || arc.1 == v) || v == 0 || v == vertices - 1);
            assert_eq!(is_connected(&piece), joined.into_iter().all(|v| numbers[v] == numbers[0]), "{arcs:?}");
        }
    }
}
