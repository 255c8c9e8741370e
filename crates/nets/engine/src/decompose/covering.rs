//! Covering graphs (Karp, Miller 1969) of a piece: what it can do from its beginning, or towards its end.
//!
//! The graph begins with the entry and the first label of the piece. From a vertex with its label each arc leads on
//! that can fire; a place that has more tokens than at an ancestor of the same vertex, which is at most as large
//! everywhere, has ω from there on (Karp and Miller). Labels that are there already are not made again.
//!
//! **Theorem.** The graph is finite, and it *covers*: a marking under a label leads, along an arc, to a marking under
//! the label that its edge leads to. **Proof.** It covers by construction: the label of an edge is what firing leads
//! to, with some numbers made ω. It is finite by Dickson's and Kőnig's lemmas: on an infinite way two labels of a
//! vertex would be comparable, and since no label occurs twice, places become ω again and again, but there are finitely
//! many. ∎
//!
//! If a vertex has all places at ω that its label in the piece has, the piece is *pumpable* there: from its first label
//! a cycle at its entry can fire that adds to all places that are ω in the label of the entry and have a number in the
//! first label. If not, all strongly connected parts of the graph have fewer places at ω than the piece. Towards the
//! end, the same is done against the arcs.

use rustc_hash::FxHashMap;
use serval_budget::Budget;
use serval_net_proof::Refusal;
use serval_net_proof::decomposition::Covering;
use serval_net_proof::decomposition::sequence::{Edge, Label, Piece, fired};
use serval_petri::Net;

/// How many vertices a graph has at most.
pub const MOST_VERTICES: usize = 1_000_000;

/// By vertex the arcs that begin there, or end there.
pub(crate) fn arcs_from(piece: &Piece, forward: bool) -> Vec<Vec<(usize, Edge)>> {
    let mut from = vec![Vec::new(); piece.labels.len()];
    for (number, arc) in piece.arcs.iter().enumerate() {
        from[if forward { arc.from } else { arc.to }].push((number, *arc));
    }
    from
}

/// Whether one label has at most as many tokens everywhere.
pub(crate) fn is_at_most(one: &Label, other: &Label) -> bool {
    one.iter().zip(other).all(|(one, other)| match (one, other) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(one), Some(other)) => one <= other,
    })
}

/// The covering graph of a piece, or nothing where it is pumpable.
pub fn covering(net: &Net, number: usize, piece: &Piece, forward: bool, budget: &mut Budget) -> Result<Option<Covering>, Refusal> {
    let (begin, first) = if forward { (piece.entry, &piece.first) } else { (piece.exit, &piece.last) };
    let is_full = |vertex: usize, label: &Label| *label == piece.labels[vertex];
    if is_full(begin, first) {
        return Ok(None);
    }
    let from = arcs_from(piece, forward);
    let mut vertices: Vec<(usize, Label)> = vec![(begin, first.clone())];
    let mut parents: Vec<Option<usize>> = vec![None];
    let mut known: FxHashMap<(usize, Label), usize> = FxHashMap::default();
    known.insert((begin, first.clone()), 0);
    let mut edges = Vec::new();
    let cost = u64::try_from(net.place_count() / 16).unwrap_or(u64::MAX).saturating_add(1);
    let mut at = 0;
    while at < vertices.len() {
        let (vertex, label) = vertices[at].clone();
        for (_, arc) in &from[vertex] {
            budget.spend(cost)?;
            let Some(mut next) = fired(net, &label, arc.transition, forward)? else { continue };
            let end = if forward { arc.to } else { arc.from };
            let mut ancestor = Some(at);
            while let Some(older) = ancestor {
                budget.spend(1)?;
                let (vertex, label) = &vertices[older];
                if *vertex == end && is_at_most(label, &next) {
                    next.iter_mut().zip(label).filter(|(next, label)| next != label).for_each(|(next, _)| *next = None);
                }
                ancestor = parents[older];
            }
            let key = (end, next);
            if let Some(&there) = known.get(&key) {
                edges.push(there);
                continue;
            }
            if is_full(end, &key.1) {
                return Ok(None);
            }
            if vertices.len() == MOST_VERTICES {
                return Err(Refusal::TooLarge { what: "markings of a covering graph", limit: MOST_VERTICES as u64 });
            }
            edges.push(vertices.len());
            vertices.push(key.clone());
            parents.push(Some(at));
            known.insert(key, vertices.len() - 1);
        }
        at += 1;
    }
    Ok(Some(Covering { piece: number, vertices, edges }))
}
