//! Counterexample-guided abstraction refinement (Clarke, Grumberg, Jha, Lu, Veith 2000) of coverability: places are
//! forgotten until they matter.
//!
//! A *slice* keeps some places; all others have ω in the beginning, so that no transition ever waits for them. It is
//! the tree of [`forward`](super::forward) from that ω-marking.
//!
//! - If no node is in the goal, the members that are strictly below no other are evidence of kind `cover` for the net
//!   itself: the initial marking is below its own with ω, and a transition leads from a member to below a member, as
//!   the proof there says of every ω-marking that a tree begins with. So the goal cannot be reached.
//! - If a node is, its pumps are repeated as often as the kept places and the goal need ([`run`](super::run)), which
//!   tells how many tokens the word needs in the beginning. If the initial marking has them, the word is a run of the
//!   net. If not, it has too few on places that were forgotten, and these are kept from now on.
//!
//! **It ends** with an answer, if its budget does not end it: each slice ends, and a word of a slice has enough tokens
//! on all places that are kept, so that whatever has too few was forgotten, and the next slice keeps more. When
//! everything is kept, the slice is the tree of the net. The first slice keeps what the goal counts.
//!
//! # Nets in which no transition takes from two unbounded places
//!
//! In such a net the places with a bound are a finite control, and each step of it waits for one counter only. One
//! might hope that each counter could then be looked at alone, with the control. **That is not so**, and the class is
//! as hard as all nets: let a net be given, and let `idle` be a new place with one token. A transition `t` that takes
//! from `p_1, …, p_k` is replaced by `k + 1` steps over new places `t_1, …, t_k` with at most one token in all: from
//! `idle` to `t_1`, which takes what `t` takes from `p_1`; from `t_1` to `t_2`, which takes from `p_2`; …; from `t_k`
//! to `idle`, which gives what `t` gives. With `idle` marked, just the markings of the net are reached: what is between
//! is undone by nothing, and nothing else happens meanwhile. So a marking can be covered in the net iff it can be
//! covered in the new one together with `idle`, and in the new one no transition takes from two places other than the
//! control.
//!
//! A slice with the control and one counter is exact where no other counter is waited for on the way to the goal, and
//! else it is one-sided, as above. So the class needs no method of its own, and what is gained from looking at few
//! counters is gained in every net: three copies of each problem in `examples/nets/coverability` beside each other take
//! 4,064,970 ticks by whole trees, and 20,176 by slices; but the problems themselves take 2,099 by whole trees, and
//! 3,763 by slices. That is why slices come second.

use serval_budget::{Budget, Stopped};
use serval_net_proof::Evidence;
use serval_petri::{Formula, Net};

use super::forward::{Reached, Tree};
use super::{CoverOutcome, OMEGA, shrink};
use crate::fast::Fast;

/// Whether a goal that is upward closed can be reached, by slices that keep more and more places; says how many
/// ω-markings the largest had, too. A tick is as in a tree.
pub fn ask(net: &Net, goal: &Formula, markings: &mut usize, budget: &mut Budget) -> Result<CoverOutcome, Stopped> {
    let whole = Fast::new(net);
    if goal.not_upward().is_some() {
        return Ok(CoverOutcome::Nothing);
    }
    if whole.initial.contains(&OMEGA) {
        return Ok(CoverOutcome::TooManyTokens);
    }
    let mut kept = vec![false; whole.initial.len()];
    for constraint in goal.constraints() {
        constraint.expression().terms().iter().for_each(|term| kept[term.0.index()] = true);
    }
    loop {
        let initial = whole.initial.iter().zip(&kept).map(|(&tokens, &kept)| if kept { tokens } else { OMEGA }).collect();
        let mut tree = Tree::from(Fast { initial, ..Fast::new(net) });
        let reached = tree.reach(goal, budget);
        *markings = tree.len().max(*markings);
        match reached? {
            Reached::TooManyTokens => return Ok(CoverOutcome::TooManyTokens),
            Reached::Nothing(cover) => {
                return Ok(CoverOutcome::Excluded(Box::new(Evidence::Cover(shrink::cover(net, goal, cover, budget)))));
            }
            Reached::Word(word, needed) => {
                let too_few = (0..kept.len()).filter(|&place| needed[place] > whole.initial[place].into());
                let missing: Vec<usize> = too_few.filter(|&place| !kept[place]).collect();
                if missing.is_empty() {
                    return Ok(CoverOutcome::Reached(word));
                }
                missing.into_iter().for_each(|place| kept[place] = true);
            }
        }
    }
}
