//! Ranks (Leroux, Schmitz 2015): why the decomposition ends.
//!
//! The *rank* of a piece is, in this order: the most places that are ω in the label of a vertex that arcs, entry or
//! exit touch; the number of arcs; how often arcs that it is being split at can still be used (as often as one likes
//! where it is not being split); how far it is from being strongly connected (2 if it is not, 1 if its vertices have an
//! order, 0 if it is); and how many places are ω in its first and last label.
//!
//! **Theorem.** Each step replaces a piece by finitely many of smaller rank. **Proof.** *Covering.* The graph has no
//! vertex whose label is that of its vertex in the piece, which has the most places at ω; so the first number falls.
//! *Order* makes 2 to 1. *Leave* takes away the arc that is left by, or, where there is none, all arcs of other parts;
//! if there are none of these either, the part is strongly connected, and 1 becomes 0. *Arcs.* The piece without them
//! has fewer arcs. In what comes after one of them they are used once less: solutions of the new system add up to
//! solutions of the old one ([`arcs`](crate::decompose::arcs)). *Value*: one ω less, and all else is as it was. ∎
//!
//! Ranks are well-ordered, so the multisets of ranks of sequences are, too, in the order in which one element is
//! replaced by finitely many smaller ones. Each sequence is replaced by finitely many. So by Kőnig's lemma the tree of
//! all of them is finite. There is no primitive recursive bound for its size.

use serval_net_proof::decomposition::sequence::{Label, Piece};

use crate::decompose::parts::is_connected;

/// What falls with every step. Ordered by its fields from first to last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    /// The most places at ω.
    pub omegas: usize,
    /// The number of arcs.
    pub arcs: usize,
    /// How often arcs that it is being split at can be used.
    pub allowance: u64,
    /// How far it is from being strongly connected.
    pub stage: u8,
    /// How many places are ω in the beginning or at the end.
    pub ends: usize,
}

/// How many places are ω.
pub(crate) fn omegas(label: &Label) -> usize {
    label.iter().filter(|tokens| tokens.is_none()).count()
}

/// The rank of a piece that is being split at arcs that can be used so often, or at none.
pub fn rank(piece: &Piece, allowance: Option<u64>) -> Rank {
    let touched = piece.arcs.iter().flat_map(|arc| [arc.from, arc.to]).chain([piece.entry, piece.exit]);
    let stage = match &piece.order {
        Some(_) => 1,
        None if is_connected(piece) => 0,
        None => 2,
    };
    Rank {
        omegas: touched.map(|vertex| omegas(&piece.labels[vertex])).max().unwrap_or(0),
        arcs: piece.arcs.len(),
        allowance: allowance.unwrap_or(u64::MAX),
        stage,
        ends: omegas(&piece.first) + omegas(&piece.last),
    }
}
