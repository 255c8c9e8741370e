//! Levels, and the guards of the letters that they remove.

use std::collections::{BTreeMap, BTreeSet};

use serval_budget::{Budget, Stopped};
use serval_model::{Node, NormalForm};
use serval_proof::letters::{Automaton, Fact, Level, Loop};

use super::collapse;
use super::support::{self, HOW, are_in};

/// An automaton made small.
#[derive(Clone, Debug)]
pub(super) struct Collapsed {
    pub(super) levels: Vec<Level>,
    /// What the last level leaves.
    pub(super) automaton: Automaton,
    /// The letters that are not in it.
    pub(super) removed: BTreeSet<Node>,
}

/// Makes an automaton small that has no edges of the letters that are removed. A
/// letter is removed only if its guard is proved, which is added to the facts.
pub(super) fn collapse(
    form: &NormalForm,
    mut automaton: Automaton,
    mut removed: BTreeSet<Node>,
    facts: &mut Vec<Fact>,
    budget: &mut Budget,
) -> Result<Collapsed, Stopped> {
    let mut levels: Vec<Level> = Vec::new();
    loop {
        let mut loops = Vec::new();
        if !levels.is_empty() {
            loops = guarded(form, &automaton, facts, budget)?;
        }
        removed.extend(loops.iter().map(|removal: &Loop| removal.letter));
        let (small, relation) = collapse::shrink(&automaton.without(|letter| removed.contains(&letter)), budget)?;
        if loops.is_empty() && !levels.is_empty() && small.states == automaton.states {
            return Ok(Collapsed { levels, automaton, removed });
        }
        levels.push(Level { loops, automaton: small.clone(), relation });
        automaton = small;
    }
}

/// The loop letters that are free or whose guards are proved; adds the guards
/// to the facts.
fn guarded(form: &NormalForm, automaton: &Automaton, facts: &mut Vec<Fact>, budget: &mut Budget) -> Result<Vec<Loop>, Stopped> {
    let found = collapse::loop_letters(automaton, budget)?;
    let mut loops = Vec::new();
    // Letters with the same guards are asked about together.
    let mut groups: BTreeMap<Vec<Node>, Vec<Node>> = BTreeMap::new();
    for letter in found {
        if letter.free {
            loops.push(Loop { letter: letter.letter, guard: None });
        } else {
            groups.entry(letter.guards).or_default().push(letter.letter);
        }
    }
    for (guards, letters) in groups {
        let mut open = letters;
        for how in HOW {
            if open.is_empty() {
                break;
            }
            let never = support::never(form, &guards, how, budget)?;
            let (absent, present): (Vec<Node>, Vec<Node>) = open.into_iter().partition(|letter| never.binary_search(letter).is_ok());
            open = present;
            for letter in absent {
                let each = guards.iter().map(|&guard| vec![guard]).collect();
                let is_enough = |outside: &[Node]| Ok(are_in(&[letter], &support::never(form, outside, how, budget)?));
                let outside = support::narrowed(each, is_enough)?;
                let fact = support::absence(how, outside, Vec::new(), vec![letter]);
                let number = u32::try_from(facts.len()).map_err(|_| Stopped::OutOfTicks)?;
                facts.push(fact);
                loops.push(Loop { letter, guard: Some(number) });
            }
        }
    }
    loops.sort_by_key(|removal| removal.letter);
    Ok(loops)
}
