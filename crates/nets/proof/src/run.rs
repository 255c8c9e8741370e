//! Firing sequences, evidence of kind `run`: a word that fires from the initial marking into the goal.
//!
//! A word is a list of items, each a transition or a word that is repeated. The checker need not write it out to follow
//! it, however often something is repeated:
//!
//! **Lemma.** For a word `w` there are `need(w) ∈ ℕ^P` and `e(w) ∈ ℤ^P` such that `w` can fire at `M` iff
//! `M ≥ need(w)`, and then leads to `M + e(w)`:
//!
//! - for a transition they are its inputs and its effect;
//! - for `u v`: `need = max(need(u), need(v) − e(u))` and `e = e(u) + e(v)`;
//! - for `n ≥ 1` times `w`: `need = max(need(w), need(w) − (n − 1)·e(w))` and `e = n·e(w)`.
//!
//! **Proof.** For a transition by definition. `u v` fires at `M` iff `u` does and `v` fires at `M + e(u)`. A repetition
//! fires iff `M + i·e(w) ≥ need(w)` for all `0 ≤ i < n`; place by place the left side is linear in `i`, so the first
//! and the last `i` are enough. ∎
//!
//! **Theorem.** If the checker accepts, a marking of the goal can be reached.
//!
//! **Proof.** The items name transitions of the net (`net.run.transition`). Item by item, the marking is at least what
//! the item needs (`net.run.enabled`), so by the lemma it fires and leads to the marking that is computed; the last one
//! is in the goal (`net.run.end`). ∎
//!
//! **Several goals.** Evidence of kind `runs` has a few words, and for some goals which word and how many of its items
//! lead into it (`net.runs.word`): each prefix of a word that fires is a word that fires, and the theorem is about each
//! of them.

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_diagnostic::counted;
use serval_evidence::require;
use serval_petri::{Formula, Marking, Net, PlaceId, TransitionId};

use crate::Refusal;
use crate::conditions::NUMBERS;

/// A run, and where it ends follows from it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Run {
    /// What fires, in order.
    pub word: Vec<Item>,
}

/// Runs into several goals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Runs {
    /// What fires, in order.
    pub words: Vec<Vec<Item>>,
    /// Goals, each with the number of a word, and how many of its items lead into the goal.
    pub ends: Vec<(usize, usize, usize)>,
}

serval_evidence::objects!(Run, Runs);

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Item {
    /// A transition, by its number in the file.
    Fire(u32),
    /// A number of repetitions of a list of transitions.
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
        let Some(transition) = transition(net, number)? else { return Ok(()) };
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

    /// The word `times` times, if at all.
    fn repeated(mut self, times: u64) -> Result<Option<Self>, Refusal> {
        let Some(last) = times.checked_sub(1) else { return Ok(None) };
        for (need, effect) in self.need.iter_mut().zip(&mut self.effect) {
            let before_last = effect.checked_mul(last.into()).ok_or(NUMBERS)?;
            *need = (*need).max(need.checked_sub(before_last).ok_or(NUMBERS)?);
            *effect = effect.checked_mul(times.into()).ok_or(NUMBERS)?;
        }
        Ok(Some(self))
    }
}

/// The transition with this number.
pub(crate) fn transition(net: &Net, number: u32) -> Result<Option<TransitionId>, Refusal> {
    let known = usize::try_from(number).ok().filter(|&index| index < net.transition_count()).and_then(TransitionId::try_from_index);
    require!(RunTransition, known.is_some(), "the net has no transition number {number}");
    Ok(known)
}

/// A marking that items lead on.
pub(crate) struct Walk<'a> {
    net: &'a Net,
    /// By place. Never below 0 while each item can fire. `None` is ω, which only [`Walk::pump`] makes.
    tokens: Vec<Option<i128>>,
    fired: usize,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(net: &'a Net) -> Self {
        Self { net, tokens: net.places().map(|place| Some(net.initial_tokens(place).into())).collect(), fired: 0 }
    }

    /// Fires an item.
    pub(crate) fn fire(&mut self, item: &Item, budget: &mut Budget) -> Result<(), Refusal> {
        budget.spend(1)?;
        match item {
            Item::Fire(number) => {
                if let Some(transition) = transition(self.net, *number)? {
                    let (inputs, outputs) = (self.net.inputs(transition), self.net.outputs(transition));
                    inputs.iter().try_for_each(|&(place, weight)| self.change(place, weight.into(), -i128::from(weight)))?;
                    outputs.iter().try_for_each(|&(place, weight)| self.change(place, 0, weight.into()))?;
                }
            }
            Item::Repeat(times, word) => {
                budget.spend(u64::try_from(word.len().saturating_add(self.tokens.len())).unwrap_or(u64::MAX))?;
                let mut one = Summary::new(self.tokens.len());
                word.iter().try_for_each(|&number| one.fire(self.net, number))?;
                if let Some(all) = one.repeated(*times)? {
                    self.net.places().try_for_each(|place| self.change(place, all.need[place.index()], all.effect[place.index()]))?;
                }
            }
        }
        self.fired += 1;
        Ok(())
    }

    /// Needs `need` tokens on a place, and changes their number.
    fn change(&mut self, place: PlaceId, need: i128, by: i128) -> Result<(), Refusal> {
        let (item, name) = (self.fired, self.net.place_name(place));
        let Some(tokens) = &mut self.tokens[place.index()] else { return Ok(()) };
        require!(RunEnabled, *tokens >= need, "item {item} of the word needs {need} on “{name}”, which has {tokens}");
        *tokens = tokens.checked_add(by).ok_or(NUMBERS)?;
        Ok(())
    }

    /// Repeats a word as often as one likes: it fires, takes from no place that is not ω, and what it adds to becomes ω
    /// ([`pump`](crate::pump)).
    pub(crate) fn pump(&mut self, word: &[u32], budget: &mut Budget) -> Result<(), Refusal> {
        budget.spend(u64::try_from(word.len().saturating_add(self.tokens.len())).unwrap_or(u64::MAX))?;
        let mut one = Summary::new(self.tokens.len());
        word.iter().try_for_each(|&number| one.fire(self.net, number))?;
        let item = self.fired;
        for place in self.net.places() {
            let (need, effect) = (one.need[place.index()], one.effect[place.index()]);
            self.change(place, need, 0)?;
            let (name, tokens) = (self.net.place_name(place), &mut self.tokens[place.index()]);
            require!(PumpRising, tokens.is_none() || effect >= 0, "what step {item} repeats takes {} from “{name}”", effect.unsigned_abs());
            if effect > 0 {
                *tokens = None;
            }
        }
        self.fired += 1;
        Ok(())
    }

    /// The tokens by place; `None` is ω.
    pub(crate) fn tokens(&self) -> &[Option<i128>] {
        &self.tokens
    }

    /// Where it is.
    fn marking(&self) -> Result<Marking, Refusal> {
        let large = Refusal::TooLarge { what: "tokens on a place", limit: u64::MAX };
        let tokens = self.tokens.iter().map(|&tokens| u64::try_from(tokens?.max(0)).ok());
        tokens.collect::<Option<_>>().map(Marking::new).ok_or(large)
    }
}

/// Where a run ends.
pub fn end(net: &Net, run: &Run, budget: &mut Budget) -> Result<Marking, Refusal> {
    let mut walk = Walk::new(net);
    run.word.iter().try_for_each(|item| walk.fire(item, budget))?;
    walk.marking()
}

/// Checks that the run ends in the goal.
pub(crate) fn check(net: &Net, goal: &Formula, run: &Run, budget: &mut Budget) -> Result<(), Refusal> {
    budget.spend(u64::try_from(goal.parts().len()).unwrap_or(u64::MAX))?;
    let end = end(net, run, budget)?;
    require!(RunEnd, goal.holds(&end), "the run ends in a marking that is not in the goal");
    Ok(())
}

/// Checks that beginnings of the words end in the goals that are named.
pub(crate) fn check_runs(net: &Net, goals: &[Formula], runs: &Runs, budget: &mut Budget) -> Result<(), Refusal> {
    let mut ends: Vec<Vec<(usize, usize)>> = vec![Vec::new(); runs.words.len()];
    for &(goal, word, items) in &runs.ends {
        require!(Goal, goal < goals.len(), "there is no goal number {goal}");
        match ends.get_mut(word).filter(|_| runs.words[word].len() >= items) {
            Some(ends) => ends.push((items, goal)),
            None => require!(RunsWord, false, "there is no word number {word} with {}", counted(items, "item")),
        }
    }
    for (word, mut ends) in runs.words.iter().zip(ends) {
        ends.sort_unstable();
        let mut walk = Walk::new(net);
        for (items, goal) in ends {
            word[walk.fired..items].iter().try_for_each(|item| walk.fire(item, budget))?;
            let Some(formula) = goals.get(goal) else { continue };
            let marking = walk.marking()?;
            budget.spend(u64::try_from(formula.parts().len().saturating_add(net.place_count())).unwrap_or(u64::MAX))?;
            require!(RunEnd, formula.holds(&marking), "after {} the marking is not in goal {goal}", counted(items, "item"));
        }
    }
    Ok(())
}
