//! Automata for tests, and what their walks are by trying everything.

use std::collections::BTreeSet;

use serval_proof::letters::Automaton;
use serval_testkit::random::SplitMix64;

use super::dual::restrict;

/// An automaton with up to four states, all of which can be reached.
pub(super) fn draw(random: &mut SplitMix64, classes: usize) -> Automaton {
    let mut below = |bound: usize| u32::try_from(random.below(bound)).unwrap();
    let states = 1 + below(4);
    let edges: BTreeSet<(u32, u32, u32)> =
        (0..3 + below(7)).map(|_| (below(states as usize), below(classes), below(states as usize))).collect();
    restrict(&Automaton { states, start: 0, edges: edges.into_iter().collect() }, |_| true)
}

/// The counts of all walks of at most `length` edges.
pub(super) fn walks(automaton: &Automaton, classes: usize, length: usize) -> BTreeSet<Vec<i64>> {
    let mut layer = BTreeSet::from([(automaton.start, vec![0; classes])]);
    let mut found = BTreeSet::new();
    for _ in 0..=length {
        found.extend(layer.iter().map(|(_, counts)| counts.clone()));
        let mut next = BTreeSet::new();
        for (state, counts) in &layer {
            for &(_, label, to) in automaton.edges.iter().filter(|(from, ..)| from == state) {
                let mut counts = counts.clone();
                counts[label as usize] += 1;
                next.insert((to, counts));
            }
        }
        layer = next;
    }
    found
}

/// All counts with a sum up to so much, by sum.
pub(super) fn counts_up_to(classes: usize, sum: i64) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for _ in 0..classes {
        let longer = |counts: &Vec<i64>| {
            let (counts, left) = (counts.clone(), sum - counts.iter().sum::<i64>());
            (0..=left).map(move |count| counts.iter().copied().chain([count]).collect::<Vec<_>>())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.sort_by_key(|counts| counts.iter().sum::<i64>());
    all
}

/// A counter modulo `n`, as a lock with expiry leaves it: label `i` leads from `i` to the next
/// number, and `extra` more labels do from every number.
pub(super) fn clock(n: u32, extra: u32) -> Automaton {
    let edges: BTreeSet<(u32, u32, u32)> =
        (0..n).flat_map(|i| std::iter::once(i).chain(n..n + extra).map(move |label| (i, label, (i + 1) % n))).collect();
    Automaton { states: n, start: 0, edges: edges.into_iter().collect() }
}

/// Bits that are set and cleared one by one, by two labels each; and a label for each number of
/// bits that are set but 0, which is read.
pub(super) fn shards(bits: u32) -> Automaton {
    let mut edges = BTreeSet::new();
    for state in 0..1_u32 << bits {
        for bit in 0..bits {
            edges.insert((state, 2 * bit + (state >> bit & 1), state ^ 1 << bit));
        }
        if state > 0 {
            edges.insert((state, 2 * bits + state.count_ones() - 1, state));
        }
    }
    Automaton { states: 1 << bits, start: 0, edges: edges.into_iter().collect() }
}
