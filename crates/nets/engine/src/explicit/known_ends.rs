//! Which transitions lead to markings that a search knows, by what led to where it is (sleep sets, Godefroid 1996).
//!
//! A search follows all transitions of one marking after the other, in their order, and numbers markings as it comes to
//! them. Let a marking `M` be new where `t` is followed at `P`, and let `u` be before `t` so that
//!
//! 1. `t` gives nothing to the input places of `u`: no such place has more tokens after it than before;
//! 2. `u` takes nothing from the input places of `t`: no such place has fewer tokens after it than before.
//!
//! **Theorem.** Where `u` is enabled at `M`, the marking to which it leads is known when `M` is followed, or noted to
//! be added before what `M` leads to. So a search that does not follow it gives all markings the same numbers.
//!
//! **Proof.** By induction on the number of `M`, for the search that leaves out such `u`, we show that all to which
//! an enabled transition leads from `M` is known once `M` has been followed. `u` is enabled at `P`, too, since by (1)
//! its input places have at least as many tokens there; let it lead to `N`. `t` is enabled at `N` by (2), and leads
//! to where `u` leads from `M`. `P` comes before `M`, so that `N` is known once `P` has been followed; and `M` was
//! new when `t`, which comes after `u`, was followed at `P`: either `N` was known then, or it is added before `M`. So
//! `N` has a smaller number than `M` and is followed before it, and by the induction hypothesis all to which `t`
//! leads from `N` is known then, or noted before what `M` leads to. ∎
//!
//! The search must follow all that is enabled: with stubborn sets `u` need not have been followed at `P`. Runs are
//! found again without this ([`super::Search::way_to`]). No evidence rests on it: the checker asks for all
//! successors.

use crate::fast::Fast;

/// By transition `t` the transitions `u` of the theorem.
pub(super) struct KnownEnds {
    /// A bit for each.
    bits: Vec<u64>,
    /// How many numbers a transition has for its bits.
    blocks: usize,
}

/// Transitions of nets for which pairs are looked at.
const MOST_TRANSITIONS: usize = 1 << 11;

impl KnownEnds {
    pub(super) fn new(fast: &Fast) -> Self {
        let count = fast.inputs.len();
        if count > MOST_TRANSITIONS {
            return Self { bits: Vec::new(), blocks: 0 };
        }
        let blocks = count.div_ceil(64);
        // First all that come before it.
        let mut bits: Vec<u64> = (0..count).flat_map(|after| (0..blocks).map(move |block| below(after, block))).collect();
        let mut changes = vec![0_i128; fast.initial.len()];
        for (one, effects) in fast.effects.iter().enumerate() {
            effects.iter().for_each(|&(place, change)| changes[place] = change);
            let touches = |other: usize, is_more: bool| {
                let change = |&(place, _): &(usize, u64)| changes[place];
                fast.inputs[other].iter().map(change).any(|change| if is_more { change > 0 } else { change < 0 })
            };
            for other in 0..count {
                // What leads here gives to what is to be left out, or that takes from what leads here.
                let (after, before) = (one.max(other), one.min(other));
                if other != one && touches(other, other == before) {
                    bits[after * blocks + before / 64] &= !(1 << (before % 64));
                }
            }
            effects.iter().for_each(|&(place, _)| changes[place] = 0);
        }
        Self { bits, blocks }
    }

    /// The transitions whose ends are known at a marking to which this one led first; none where none did.
    #[inline]
    pub(super) fn of(&self, came: Option<u32>) -> &[u64] {
        let start = came.and_then(|came| usize::try_from(came).ok()?.checked_mul(self.blocks));
        start.and_then(|start| self.bits.get(start..start.checked_add(self.blocks)?)).unwrap_or(&[])
    }
}

/// The bits of a block for all numbers below this one.
fn below(number: usize, block: usize) -> u64 {
    match number.saturating_sub(block * 64) {
        0 => 0,
        bits => u64::MAX >> (64 - bits.min(64)),
    }
}

#[cfg(test)]
mod tests {
    use serval_petri::Net;
    use serval_random::{nets, refined_net};

    use super::super::{Here, Search};
    use super::*;

    /// All markings in the order in which a search comes to them, so many at the most, and how many firings it follows.
    fn searched(fast: &Fast, known_ends: Option<KnownEnds>) -> (Vec<Vec<u64>>, usize) {
        let (mut search, mut followed) = (Search::new(fast), 0);
        search.known_ends = known_ends;
        while search.at < search.known.len() && search.known.len() < 1_500 {
            let end = search.batch();
            let mut next = |here: Here<'_>, into: &mut Vec<usize>| {
                here.enabled_to_new(into);
                followed += into.len();
            };
            if search.follow(fast, end, &mut next).is_err() {
                break;
            }
            assert_eq!(search.came.len(), search.known.len() - search.at);
        }
        (search.known.iter().collect(), followed)
    }

    /// What is left out changes neither the markings nor their order, and much is left out.
    #[test]
    fn what_is_left_out_is_known() {
        let (mut all, mut some) = (0, 0);
        for seed in serval_effort::sweep("nets.known_ends", 800, 50_000).seeds(1) {
            let net: Net = match seed % 4 {
                0 => nets::net(seed),
                1 => nets::open_net(seed),
                2 => refined_net(seed),
                _ => nets::safe_net(seed),
            };
            let fast = Fast::new(&net);
            let ((expected, whole), (found, few)) = (searched(&fast, None), searched(&fast, Some(KnownEnds::new(&fast))));
            assert!(found == expected, "net {seed}:\n{}", serval_petri::tina::write(&net));
            (all, some) = (all + whole, some + few);
        }
        assert!(some * 10 < all * 9, "{some} of {all}");
    }

    /// Which pairs are left out, by hand.
    #[test]
    fn pairs_are_those_of_the_theorem() {
        let text = "pl a (1)\npl b (1)\npl c (1)\ntr t0 a -> d\ntr t1 b -> e\ntr t2 b -> f\ntr t3 e -> a\ntr t4 c a -> a\n";
        let fast = Fast::new(&serval_petri::tina::read(text).unwrap());
        let ends = KnownEnds::new(&fast);
        // t1 and t2 share b, t3 gives to a, and t0 takes from a.
        let all: Vec<u64> = (0..5).map(|transition| ends.of(Some(transition))[0]).collect();
        assert_eq!(all, [0, 0b1, 0b1, 0b110, 0b1110]);
        assert!(ends.of(None).is_empty() && ends.of(Some(5)).is_empty() && ends.of(Some(u32::MAX)).is_empty());
        assert_eq!([0, 1, 64, 65, 200].map(|number| below(number, 1)), [0, 0, 0, 1, u64::MAX]);
    }
}
