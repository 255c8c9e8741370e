//! Runs out of runs with pumps: each pump is repeated as often as what comes after it needs.
//!
//! Let steps lead to an ω-marking `m`, and let there be a number of tokens that is needed in the end for each place, at
//! most `m(p)` where that is a number. From the end to the beginning, what is needed *before* each step is computed:
//! for a transition `max(need − e(t), in(t))`; a pump `w` that makes ω of the places `Q` is repeated `k` times, the
//! least number with `m(q) + k·e(w)(q) ≥ need(q)` for `q ∈ Q`, where `m` is the ω-marking before it, and
//! `max(need − k·e(w), need(w^k))` is needed before. At each point at most `m(p)` is needed where that is a number, so
//! that the initial marking has what is needed in the beginning, and the word fires. Pumps need not nest: what a later
//! one takes from the ω of an earlier one makes that `k` larger.

use serval_net_proof::{Again, Item, PumpStep};
use serval_petri::{Formula, Marking};

use super::OMEGA;
use crate::fast::{Circle, Fast};

/// What a word needs and does.
pub(crate) fn circle(fast: &Fast, word: &[u32]) -> Circle {
    let word: Vec<usize> = word.iter().map(|&transition| transition as usize).collect();
    Circle::new(fast, &word)
}

/// A run that leads into the goal, which is upward closed and met by the ω-marking to which the steps lead, and what it
/// needs in the beginning by place: where that is ω, it may need something, too. `None` where a number does not fit.
pub(crate) fn covering(fast: &Fast, steps: &[PumpStep], end: &[u64], goal: &Formula) -> Option<(Vec<Item>, Vec<i128>)> {
    let needed = enough(end, goal)?;
    unrolled(fast, steps, needed.iter().map(|&tokens| tokens.into()).collect())
}

/// A marking of the goal with no more tokens than the ω-marking, and few where that has ω.
fn enough(end: &[u64], goal: &Formula) -> Option<Vec<u64>> {
    let omegas: Vec<usize> = (0..end.len()).filter(|&place| end[place] == OMEGA).collect();
    let with = |tokens: u64| -> Vec<u64> { end.iter().map(|&one| if one == OMEGA { tokens } else { one }).collect() };
    let holds = |marking: &[u64]| goal.holds(&Marking::new(marking.to_vec()));
    let mut most = 0_u64;
    while !holds(&with(most)) {
        most = most.checked_mul(2)?.max(1);
    }
    let mut marking = with(most);
    for place in omegas {
        let (mut low, mut high) = (0, marking[place]);
        while low < high {
            let middle = low.midpoint(high);
            marking[place] = middle;
            if holds(&marking) { high = middle } else { low = middle.saturating_add(1) }
        }
        marking[place] = high;
    }
    Some(marking)
}

/// The word, with what is needed in the end by place, and then in the beginning.
fn unrolled(fast: &Fast, steps: &[PumpStep], mut needed: Vec<i128>) -> Option<(Vec<Item>, Vec<i128>)> {
    let mut before: Vec<Vec<u64>> = Vec::with_capacity(steps.len());
    let mut marking = fast.initial.clone();
    for step in steps {
        before.push(marking.clone());
        match step {
            PumpStep::Item(Item::Fire(transition)) => {
                for &(place, change) in &fast.effects[*transition as usize] {
                    if marking[place] != OMEGA {
                        marking[place] = u64::try_from(i128::from(marking[place]).checked_add(change)?).ok()?;
                    }
                }
            }
            PumpStep::Item(Item::Repeat(..)) => return None,
            PumpStep::Again(Again { pump }) => {
                let circle = circle(fast, pump);
                circle.effects().iter().filter(|one| one.1 > 0).for_each(|&(place, _)| marking[place] = OMEGA);
            }
        }
    }
    let mut word = Vec::new();
    for (step, before) in steps.iter().zip(&before).rev() {
        match step {
            PumpStep::Item(Item::Fire(transition)) => {
                let number = *transition as usize;
                for &(place, change) in &fast.effects[number] {
                    needed[place] = needed[place].checked_sub(change)?;
                }
                for &(place, weight) in &fast.inputs[number] {
                    needed[place] = needed[place].max(weight.into());
                }
                // What is given where nothing was needed leaves nothing to be needed.
                needed.iter_mut().for_each(|needed| *needed = (*needed).max(0));
                word.push(Item::Fire(*transition));
            }
            PumpStep::Item(Item::Repeat(..)) => return None,
            PumpStep::Again(Again { pump }) => {
                let circle = circle(fast, pump);
                let missing = |&(place, effect): &(usize, i128)| {
                    if effect <= 0 || before[place] == OMEGA {
                        return 0;
                    }
                    let missing = needed[place] - i128::from(before[place]);
                    if missing <= 0 { 0 } else { (missing - 1) / effect + 1 }
                };
                let times = circle.effects().iter().map(missing).max().unwrap_or(0);
                if times > 0 {
                    repeat(&circle, times, &mut needed)?;
                    word.push(Item::Repeat(u64::try_from(times).ok()?, pump.clone()));
                }
            }
        }
    }
    word.reverse();
    Some((word, needed))
}

/// What is needed before a word is repeated.
fn repeat(circle: &Circle, times: i128, needed: &mut [i128]) -> Option<()> {
    for &(place, effect) in circle.effects() {
        needed[place] = needed[place].checked_sub(effect.checked_mul(times)?)?.max(0);
    }
    for &(place, need) in circle.needs() {
        let effect = circle.effects().iter().find(|one| one.0 == place).map_or(0, |one| one.1);
        let last = need.checked_sub(effect.checked_mul(times - 1)?)?;
        needed[place] = needed[place].max(need).max(last);
    }
    Some(())
}
