//! Strongly connected parts of a piece.
//!
//! A covering graph is no component: runs go from one strongly connected part to the next. [`order`] numbers the
//! vertices such that vertices of one part have one number, and numbers do not fall along arcs. What cannot come to the
//! exit any more has greater numbers than the exit, so that the rule `leave` does not go there.

use serval_net_proof::decomposition::sequence::Piece;
use serval_states::graph::{parts, reached};

/// By vertex where arcs lead, or where they come from.
fn neighbours(piece: &Piece, forward: bool) -> Vec<Vec<usize>> {
    let mut next = vec![Vec::new(); piece.labels.len()];
    for arc in piece.arcs.iter() {
        let (from, to) = if forward { (arc.from, arc.to) } else { (arc.to, arc.from) };
        next[from].push(to);
    }
    next
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

/// Numbers of the vertices that fall along no arc, the same just for vertices of one strongly connected part. What
/// comes to the exit is before what does not.
pub fn order(piece: &Piece) -> Vec<u32> {
    let comes = reached(&neighbours(piece, false), piece.exit);
    // Of what leads to a vertex that comes to the exit all does.
    let numbers = parts(&neighbours(piece, true), |vertex| comes[vertex]);
    numbers.into_iter().map(|number| u32::try_from(number).unwrap_or(u32::MAX)).collect()
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
