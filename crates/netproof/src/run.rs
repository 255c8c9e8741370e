//! Evidence of kind `run`: a word that fires from the initial marking into the goal.
//!
//! A word is a list of items, each a transition or a word that is repeated. It need not be
//! written out to be followed, however often something is repeated:
//!
//! **Lemma.** For a word `w` there are `need(w) ∈ ℕ^P` and `e(w) ∈ ℤ^P` such that `w` can fire at `M` iff `M ≥ need(w)`, and
//! leads to `M + e(w)`. For a transition they are its inputs and its effect. For `u v`: `need = max(need(u), need(v) − e(u))`, `e =
//! e(u) + e(v)`. For `n ≥ 1` times `w`: `e = n·e(w)`, and `need = max(need(w), need(w) − (n − 1)·e(w))`.
//!
//! **Proof.** For a transition by definition. `u v` fires at `M` iff `u` does and `v` fires at `M + e(u)`. For a repetition, it fires iff
//! `M + i·e(w) ≥ need(w)` for all `0 ≤ i < n`; place by place the left side is linear in `i`, so it is enough for the first
//! and the last `i`. ∎
//!
//! **Theorem.** If [`check()`] accepts, a marking of the goal can be reached. **Proof.** The items name transitions of the net
//! (`net.run.transition`); the initial marking is at least what the word needs (`net.run.enabled`), so by the lemma the word
//! fires and ends in the marking that was computed, which is in the goal (`net.run.end`). ∎

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_petri::{Formula, Marking, Net, TransitionId};

use crate::Refusal;
use crate::conditions::{NUMBERS, require};

/// A run, and where it ends follows from it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// What fires, in order.
    pub word: Vec<Item>,
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Item {
    /// A transition, by its number in the file.
    Fire(u32),
    /// So many times a list of transitions, one after the other.
    Repeat(u64, Vec<u32>),
}

/// What a word needs and what it does, by place.
struct Summary {
    need: Vec<i128>,
    effect: Vec<i128>,
}

impl Summary {
    fn new(places: usize) -> Self {
        Self { need: vec![0; places], effect: vec![0; places] }
    }

    /// Fires a transition behind it.
    fn fire(&mut self, net: &Net, number: u32) -> Result<(), Refusal> {
        let known = usize::try_from(number).ok().filter(|&index| index < net.transition_count()).and_then(TransitionId::try_from_index);
        let Some(transition) = known else {
            require!(RunTransition, false, "the net has no transition number {number}");
            return Ok(());
        };
        for &(place, weight) in net.inputs(transition) {
            let at = place.index();
            let needed = i128::from(weight).checked_sub(self.effect[at]).ok_or(NUMBERS)?;
            self.need[at] = self.need[at].max(needed);
            self.effect[at] = self.effect[at].checked_sub(weight.into()).ok_or(NUMBERS)?;
        }
        for &(place, weight) in net.outputs(transition) {
            let at = place.index();
            self.effect[at] = self.effect[at].checked_add(weight.into()).ok_or(NUMBERS)?;
        }
        Ok(())
    }

    /// Repeats another word behind it.
    fn repeat(&mut self, times: u64, word: &Self) -> Result<(), Refusal> {
        let Some(last) = times.checked_sub(1) else { return Ok(()) };
        for at in 0..self.need.len() {
            let before_last = word.effect[at].checked_mul(last.into()).ok_or(NUMBERS)?;
            let need = word.need[at].max(word.need[at].checked_sub(before_last).ok_or(NUMBERS)?);
            self.need[at] = self.need[at].max(need.checked_sub(self.effect[at]).ok_or(NUMBERS)?);
            let effect = word.effect[at].checked_mul(times.into()).ok_or(NUMBERS)?;
            self.effect[at] = self.effect[at].checked_add(effect).ok_or(NUMBERS)?;
        }
        Ok(())
    }
}

/// Where a run ends.
pub fn end(net: &Net, run: &Run, budget: &mut Budget) -> Result<Marking, Refusal> {
    let mut all = Summary::new(net.place_count());
    for item in &run.word {
        budget.spend(1)?;
        match item {
            Item::Fire(number) => all.fire(net, *number)?,
            Item::Repeat(times, word) => {
                budget.spend(u64::try_from(word.len().saturating_add(net.place_count())).unwrap_or(u64::MAX))?;
                let mut one = Summary::new(net.place_count());
                word.iter().try_for_each(|&number| one.fire(net, number))?;
                all.repeat(*times, &one)?;
            }
        }
    }
    let mut tokens = Vec::with_capacity(net.place_count());
    for place in net.places() {
        let (has, need) = (i128::from(net.initial_tokens(place)), all.need[place.index()]);
        require!(RunEnabled, has >= need, "the word needs {need} on “{}” in the beginning, which has {has}", net.place_name(place));
        let end = has.checked_add(all.effect[place.index()]).ok_or(NUMBERS)?;
        tokens.push(u64::try_from(end.max(0)).map_err(|_| Refusal::TooLarge { what: "tokens on a place", limit: u64::MAX })?);
    }
    Ok(Marking::new(tokens))
}

/// Checks that the run ends in the goal.
pub(crate) fn check(net: &Net, goal: &Formula, run: &Run, budget: &mut Budget) -> Result<(), Refusal> {
    let end = end(net, run, budget)?;
    require!(RunEnd, goal.holds(&end), "the run ends in a marking that is not in the goal");
    Ok(())
}
