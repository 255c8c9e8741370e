//! The published method (Amir, Barbone, Amat, Jacobs 2026: Deciding Serializability in Network Systems) as one method
//! among others.

use serval_budget::{Cancel, StopReason};
use serval_classic_engine::{ClassicVerdict, Options, decide, no_clock};
use serval_model::NetworkSystem;
use serval_proof::Part;

use super::Attempt;

/// Disjuncts that it looks at: the fewest, and one more for each portion of ticks.
const FEWEST_DISJUNCTS: usize = 16;
const TICKS_PER_DISJUNCT: u64 = 500_000;

/// What it finds within `ticks` ticks or a few times as many.
pub(super) fn prove(system: &NetworkSystem, ticks: u64, cancel: &Cancel) -> Attempt {
    let disjuncts = usize::try_from(ticks / TICKS_PER_DISJUNCT).unwrap_or(usize::MAX).saturating_add(FEWEST_DISJUNCTS);
    let options = Options { ticks: [ticks, ticks / 8, ticks], max_disjuncts: disjuncts, net_first: false, ..Options::default() };
    match decide(system, &options, cancel, &no_clock).verdict {
        ClassicVerdict::Serializable(proof) => Attempt::Part(Part::Invariant(proof)),
        ClassicVerdict::Refuted(run) => Attempt::Run(run),
        ClassicVerdict::Unknown(StopReason::Unsupported { .. } | StopReason::NumberTooLarge { .. }) => Attempt::Ended,
        ClassicVerdict::Unknown(_) => Attempt::Short,
    }
}
