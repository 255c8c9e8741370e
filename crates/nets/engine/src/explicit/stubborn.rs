//! Stubborn sets (Valmari 1990): which transitions are enough at a marking so that no deadlock is missed.
//!
//! What such a set must meet is said, with the proof, at the head of [`serval_net_proof::states`].

use serval_net_proof::Helpers;

use crate::fast::Fast;

/// From how many transitions a set is grown, at a marking.
const SEEDS: usize = 16;

/// Makes stubborn sets for the markings of a net.
pub(super) struct Sets<'a> {
    fast: &'a Fast,
    /// By place the transitions that leave more on it than there was.
    givers: Vec<Vec<usize>>,
    is_member: Vec<bool>,
}

impl<'a> Sets<'a> {
    pub(super) fn new(fast: &'a Fast) -> Self {
        let mut givers = vec![Vec::new(); fast.initial.len()];
        for (transition, effects) in fast.effects.iter().enumerate() {
            effects.iter().filter(|effect| effect.1 > 0).for_each(|&(place, _)| givers[place].push(transition));
        }
        Self { fast, givers, is_member: vec![false; fast.inputs.len()] }
    }

    /// A stubborn set of the marking with few enabled members, ascending; none where nothing is enabled.
    pub(super) fn of(&mut self, marking: &[u64]) -> Vec<u32> {
        let fast = self.fast;
        let enabled = (0..fast.inputs.len()).filter(|&transition| fast.is_enabled(marking, transition));
        let mut best: Option<(usize, Vec<usize>)> = None;
        for seed in enabled.take(SEEDS) {
            let members = self.grown([seed], marking);
            let count = members.iter().filter(|&&member| fast.is_enabled(marking, member)).count();
            if best.as_ref().is_none_or(|(least, _)| count < *least) {
                best = Some((count, members));
            }
            if count == 1 {
                break;
            }
        }
        let mut set: Vec<u32> = best.into_iter().flat_map(|best| best.1).filter_map(|member| u32::try_from(member).ok()).collect();
        set.sort_unstable();
        set
    }

    /// A stubborn set of a marking with what helps the goal there, with few enabled members, ascending; `None` where
    /// the goal holds there, or a number does not fit.
    pub(super) fn toward(&mut self, helpers: &Helpers<'_>, marking: &[u64]) -> Option<Vec<u32>> {
        // Of several that may be chosen from, the first few; of several that are all needed, the first of each.
        let choices = helpers.fold(
            |place| marking[place.index()],
            |helps| vec![helps.concat()],
            |parts| parts.into_iter().flatten().take(SEEDS).collect(),
            |parts| vec![parts.into_iter().filter_map(|mut part| (!part.is_empty()).then(|| part.swap_remove(0))).flatten().collect()],
        )??;
        let mut best: Option<(usize, Vec<usize>)> = None;
        for choice in choices {
            let members = self.grown(choice.into_iter().map(|helper| helper as usize), marking);
            let count = members.iter().filter(|&&member| self.fast.is_enabled(marking, member)).count();
            if best.as_ref().is_none_or(|(least, _)| count < *least) {
                best = Some((count, members));
            }
        }
        let mut set: Vec<u32> = best?.1.into_iter().filter_map(|member| u32::try_from(member).ok()).collect();
        set.sort_unstable();
        Some(set)
    }

    /// The set that some transitions need.
    fn grown(&mut self, seeds: impl IntoIterator<Item = usize>, marking: &[u64]) -> Vec<usize> {
        let fast = self.fast;
        let mut members = Vec::new();
        for seed in seeds {
            if !std::mem::replace(&mut self.is_member[seed], true) {
                members.push(seed);
            }
        }
        let mut at = 0;
        while let Some(&member) = members.get(at) {
            at += 1;
            let inputs = &fast.inputs[member];
            // What it waits for: the place with the fewest that give to it.
            let lacking = inputs.iter().filter(|&&(place, weight)| marking[place] < weight).map(|input| input.0);
            let waits = lacking.min_by_key(|&place| self.givers[place].len());
            let more: Vec<usize> = match waits {
                Some(place) => self.givers[place].clone(),
                None => inputs.iter().flat_map(|&(place, _)| fast.takers[place].iter().copied()).collect(),
            };
            for transition in more {
                if !std::mem::replace(&mut self.is_member[transition], true) {
                    members.push(transition);
                }
            }
        }
        members.iter().for_each(|&member| self.is_member[member] = false);
        members
    }
}
