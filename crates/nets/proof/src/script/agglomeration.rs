//! Post- and pre-agglomeration (Berthelot 1986), entries `post` and `pre` of a script: a place is left out, and each
//! of its *givers* fires together with each of its *takers*, as one transition.
//!
//! Let `p` be a place that is empty in the beginning (`net.script.empty`), `H` the transitions that give to it, and
//! `F` those that take from it. Each of `H` gives it 1, each of `F` takes 1 from it, and none is in both
//! (`net.script.one`). In the net that is left there is neither `p` nor any of `H` and `F`, and for each `h` of `H`
//! and `f` of `F` there is `h.f`, which takes what both take and gives what both give, but for `p`. An entry may name
//! several places, where no transition touches two of them (`net.script.apart`): then it is the same to leave them out
//! one after the other, as none of the transitions that touch one changes when another is left out.
//!
//! - *Post*: each of `F` takes from nothing else (`net.script.alone`), and there is one (`net.script.taken`). The goal
//!   does not speak of `p`, and some `f₀` of `F` gives to no place of which it speaks (`net.script.asked`).
//! - *Pre*: each of `H` gives to nothing else (`net.script.alone`). The goal speaks neither of `p` nor of a place from
//!   which one of `H` takes (`net.script.asked`).
//! - If the goal is that nothing can fire, what is said of the goal is not asked. Instead, for `pre`, whatever takes
//!   from a place from which one of `H` takes is in `H` (`net.script.conflict`).
//!
//! **Lemma.** If a marking of the goal can be reached in the net, then one can in the net that is left.
//!
//! **Proof.** Let a run lead to a marking `M` of the goal. The `k`-th token that is taken from `p` is, in the order of
//! their coming, the `k`-th that was given, since `p` is empty in the beginning: so each occurrence of one of `F` has
//! its own occurrence of one of `H` before it.
//!
//! *Post.* Where the goal is that nothing can fire, `M(p) = 0`, since one of `F`, which exists, could fire otherwise.
//! Else let `f₀` fire at the end until `p` is empty; that changes no place of which the goal speaks. Now each
//! occurrence of one of `H` has its own of `F`, too. Move that directly behind it. It fires there, because it takes
//! from `p` alone, where its token has just come; it gives sooner than before, and takes from no other place, so that
//! on all places but `p` there are never fewer tokens than before. What does not take from `p` fires as before. The
//! last marking is the same, and the run is one of the net that is left, with `h.f` for each such pair. Where nothing
//! can fire at `M`, nothing can in the net that is left: a transition of both nets needs the same, and `h.f` needs
//! what `h` needs.
//!
//! *Pre.* Leave out all occurrences of `H` that have none of `F`, and move each other one directly before its own.
//! Each gives to `p` alone, so that on all other places there are never fewer tokens than before, and more by what
//! those of `H` take that were left out or that have not yet fired. So what takes nothing from `p` fires as before,
//! and where an occurrence of `F` had what it takes, beside `p`, its own of `H` can fire just before it, from what was
//! kept for it, and leaves that. The run is one of the net that is left. At its end there is more, by what those take
//! that were left out, on places from which `H` takes, and the rest is the same: the goal does not speak of these
//! places. Let the goal be that nothing can fire, and `M'` the last marking in the net that is left. A transition `t`
//! of both nets is not in `H`, so it takes from no place from which one of `H` takes: where it needs something, `M'`
//! is `M`, and it cannot fire. If `h.f` could fire at `M'`, then `f`, which is not in `H` either, has at `M` what it
//! takes beside `p`. So `M(p) = 0`, or `f` could fire at `M`; then nothing was left out, `M'` is `M`, and `h` could
//! fire there. ∎

use serval_evidence::require;
use serval_petri::{Formula, Net, PlaceId, TransitionId, weight};

use super::asked;
use crate::Refusal;

/// Arcs that all transitions together may have that one entry makes.
pub(super) const MOST_ARCS: u64 = 1 << 22;

/// By place of these, in their order, the transitions that give to it and that take from it.
fn neighbours(net: &Net, places: &[PlaceId]) -> Vec<(Vec<TransitionId>, Vec<TransitionId>)> {
    let mut at = vec![None; net.place_count()];
    places.iter().enumerate().for_each(|(number, place)| at[place.index()] = Some(number));
    let mut all = vec![(Vec::new(), Vec::new()); places.len()];
    for transition in net.transitions() {
        for number in net.outputs(transition).iter().filter_map(|arc| at[arc.0.index()]) {
            all[number].0.push(transition);
        }
        for number in net.inputs(transition).iter().filter_map(|arc| at[arc.0.index()]) {
            all[number].1.push(transition);
        }
    }
    all
}

/// How many arcs the transitions have that are made, before weights to the same place add up.
pub(super) fn growth(net: &Net, places: &[u32]) -> u64 {
    let arcs = |transitions: &[TransitionId]| -> usize {
        let of = |&transition: &TransitionId| net.inputs(transition).len().saturating_add(net.outputs(transition).len());
        transitions.iter().map(of).fold(0, usize::saturating_add)
    };
    let all = neighbours(net, &super::places(net, places.iter().copied()));
    let made = all
        .iter()
        .map(|(givers, takers)| takers.len().saturating_mul(arcs(givers)).saturating_add(givers.len().saturating_mul(arcs(takers))));
    u64::try_from(made.fold(0, usize::saturating_add)).unwrap_or(u64::MAX)
}

/// The pairs of transitions that become one, place by place.
pub(super) fn fused(net: &Net, places: &[u32]) -> Vec<(TransitionId, TransitionId)> {
    let all = neighbours(net, &super::places(net, places.iter().copied()));
    let pairs = |(givers, takers): (Vec<TransitionId>, Vec<TransitionId>)| -> Vec<(TransitionId, TransitionId)> {
        givers.iter().flat_map(|&giver| takers.iter().map(move |&taker| (giver, taker))).collect()
    };
    all.into_iter().flat_map(pairs).collect()
}

/// Checks what an entry says of the net so far.
pub(super) fn check(number: usize, net: &Net, goal: &Formula, places: &[PlaceId], is_pre: bool) -> Result<(), Refusal> {
    let is_deadlock = Formula::deadlock(net).as_ref() == Some(goal);
    let asked = asked(net, goal);
    let is_asked = |arcs: &[(PlaceId, u64)]| !is_deadlock && arcs.iter().any(|arc| asked[arc.0.index()]);
    let mut is_taken = vec![false; net.transition_count()];
    for (&place, (givers, takers)) in places.iter().zip(neighbours(net, places)) {
        let name = net.place_name(place);
        require!(ScriptEmpty, net.initial_tokens(place) == 0, "entry {number} leaves out “{name}”, which is not empty in the beginning");
        let gives_one = |&giver: &TransitionId| weight(net.outputs(giver), place) == 1 && weight(net.inputs(giver), place) == 0;
        let is_one = givers.iter().all(gives_one) && takers.iter().all(|&taker| weight(net.inputs(taker), place) == 1);
        require!(ScriptOne, is_one, "entry {number} leaves out “{name}”, but not each transition gives it 1 or takes 1 from it");
        let is_apart = givers.iter().chain(&takers).all(|transition| !is_taken[transition.index()]);
        require!(ScriptApart, is_apart, "entry {number} leaves out “{name}” and another place that the same transition touches");
        givers.iter().chain(&takers).for_each(|transition| is_taken[transition.index()] = true);
        let only = |arcs: &[(PlaceId, u64)]| arcs.iter().all(|arc| arc.0 == place);
        let alone =
            if is_pre { givers.iter().all(|&giver| only(net.outputs(giver))) } else { takers.iter().all(|&taker| only(net.inputs(taker))) };
        require!(ScriptAlone, alone, "entry {number} leaves out “{name}”, but a transition gives to it, or takes from it, and not alone");
        let speaks = !is_deadlock && asked[place.index()];
        if is_pre {
            let speaks = speaks || givers.iter().any(|&giver| is_asked(net.inputs(giver)));
            require!(ScriptAsked, !speaks, "entry {number} leaves out “{name}”: the goal speaks of it, or of what its givers take from");
            if is_deadlock {
                let mut needed = vec![false; net.place_count()];
                givers.iter().flat_map(|&giver| net.inputs(giver)).for_each(|arc| needed[arc.0.index()] = true);
                let takes = |transition: &TransitionId| net.inputs(*transition).iter().any(|arc| needed[arc.0.index()]);
                let alone = net.transitions().filter(takes).all(|transition| givers.binary_search(&transition).is_ok());
                require!(ScriptConflict, alone, "entry {number} leaves out “{name}”, whose givers take what others take, too");
            }
        } else {
            require!(ScriptTaken, !takers.is_empty(), "entry {number} leaves out “{name}”, from which nothing takes");
            let speaks = speaks || (!takers.is_empty() && takers.iter().all(|&taker| is_asked(net.outputs(taker))));
            require!(ScriptAsked, !speaks, "entry {number} leaves out “{name}”: the goal speaks of it, or of what its takers give to");
        }
    }
    Ok(())
}
