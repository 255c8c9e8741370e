//! Arcs that are used finitely often.
//!
//! If some arcs `E` of a piece are not free, a run uses them at most `B` times together, where `B` is the greatest sum
//! of their numbers. The rule `first` splits the piece at the first of them that is used: before it comes the piece
//! without `E`, after it the piece as it was, which is split again until none of `E` is used any more.
//!
//! **Lemma.** After one of `E` is used, at most `B − 1` uses of `E` are left. **Proof.** Take a solution of the system
//! of the new sequence. Adding up, arc by arc, the numbers of the two pieces, and one for the arc between them, solves
//! the old system: tokens at both ends of the piece are the same, and at each vertex what enters and leaves adds up.
//! There the sum over `E` is at most `B`, and the arc between the pieces counts one. ∎
//!
//! So after at most `B` splits the system of everything but the piece without `E` has no solution, and the piece
//! without `E` has fewer arcs.

use serval_budget::Budget;
use serval_linear::Linear;
use serval_net_proof::Refusal;
use serval_net_proof::decomposition::system::System;

use crate::decompose::{NUMBERS, least};

/// Arcs that a piece is being split at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// Their numbers.
    pub arcs: Vec<usize>,
    /// How often they can be used, at most.
    pub allowance: u64,
}

/// Begins to split a piece at arcs that are not free; the system has a solution.
pub fn split(system: &System, piece: usize, arcs: Vec<usize>, budget: &mut Budget) -> Result<Split, Refusal> {
    let variable = |arc: usize| u32::try_from(arc).ok().and_then(|arc| system.offsets[piece].checked_add(arc)).ok_or(NUMBERS);
    let terms = arcs.iter().map(|&arc| Ok((variable(arc)?, -1))).collect::<Result<Vec<_>, Refusal>>()?;
    let most = least(&system.problem, &Linear::new(terms, 0).ok_or(NUMBERS)?, budget)?.ok_or(NUMBERS)?;
    Ok(Split { arcs, allowance: u64::try_from(-most).map_err(|_| NUMBERS)? })
}
