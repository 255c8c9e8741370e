//! Whether some serial order of the requests of a run respects the order in time.
//!
//! Let the requests of a complete run be `1 … n` with letters `a₁ … aₙ`. Call a set `X` of them *closed* if with `j` it
//! has every `i ≺ j`, and let `S(X)` be the global states in which serial runs of exactly the requests `X` with these
//! letters end, in orders that extend `≺`:
//!
//! ```text
//! S(∅) = {g0}        S(X) = ⋃ over j in X, which no i in X follows, of post of letter aⱼ (S(X − j))
//! ```
//!
//! **Lemma.** The run is strict iff `S` of all requests is not empty. *Proof.* A serial run of `X` in an order that
//! extends `≺` has a last request `j`; no `i` of `X` has `j ≺ i`, so `X − j` is closed, and the run before it is one of
//! `X − j`. Conversely, `j` can be put behind every serial run of `X − j`. ∎
//!
//! So `run.order` shows that a system is not strict, and an input of which it is a component is not either: the run is
//! one of the product, and of a serial run of the product with its requests the component has all.

use std::collections::{BTreeMap, BTreeSet};

use serval_model::{GlobalId, Letter, Moves, SerialExplorer};

use crate::{Caps, Refusal, TooLarge, Work};

/// A request of a complete run: its letter, and when it came and answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) letter: Letter,
    pub(crate) came: usize,
    pub(crate) answered: usize,
}

/// As many requests as a set of them has places for.
const REQUESTS: usize = 128;

/// Whether some serial run has these requests in an order that extends the one in time. Costs ticks for each set of
/// requests and each global state, besides those of the explorer; there are as many sets as the caps allow for answers.
pub(crate) fn is_in_order<M: Moves>(
    explorer: &mut SerialExplorer<M>,
    served: &[Interval],
    caps: &Caps,
    work: &mut Work,
) -> Result<bool, Refusal<M::Stop>> {
    let limit = u64::try_from(REQUESTS).unwrap_or(u64::MAX);
    if served.len() > REQUESTS {
        return Err(Refusal::TooLarge { what: "requests in an order in time", limit });
    }
    // For each request those that have answered before it came.
    let before: Vec<u128> = served
        .iter()
        .map(|later| (0..).zip(served).filter(|(_, one)| one.answered < later.came).fold(0, |set, (index, _)| set | 1u128 << index))
        .collect();
    let initial = explorer.system().initial_global();
    let mut level: BTreeMap<u128, BTreeSet<GlobalId>> = BTreeMap::from([(0, BTreeSet::from([initial]))]);
    let mut sets: u64 = 1;
    for _ in 0..served.len() {
        let mut next: BTreeMap<u128, BTreeSet<GlobalId>> = BTreeMap::new();
        for (set, globals) in level {
            for (index, one) in served.iter().enumerate().filter(|&(index, _)| set & (1 << index) == 0 && before[index] & !set == 0) {
                work.spend(globals.len().saturating_add(1))?;
                let (request, response) = one.letter;
                let mut after: BTreeSet<GlobalId> = BTreeSet::new();
                for &global in &globals {
                    let results = work.within(|budget| explorer.alone(request, global, budget).map(<[_]>::to_vec))?;
                    work.spend(results.len())?;
                    after.extend(results.iter().filter(|&&(given, _)| given == response).map(|&(_, to)| to));
                }
                if !after.is_empty() {
                    next.entry(set | 1 << index).or_default().extend(after);
                }
            }
        }
        sets = sets.saturating_add(u64::try_from(next.len()).unwrap_or(u64::MAX));
        if sets > caps.submultisets {
            return Err(TooLarge { what: "sets of requests", limit: caps.submultisets }.into());
        }
        level = next;
    }
    Ok(!level.is_empty())
}
