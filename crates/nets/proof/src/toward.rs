//! Stubborn sets for a goal (Valmari 1990; Schmidt 1999), evidence of kind `toward`: markings that are enough to see
//! every marking of a goal that is a formula.
//!
//! As for deadlocks ([`states`](crate::states)), each marking `M` of the list has a set `S` of transitions
//! (`net.stubborn.sets`) that meets (2) and (3) there (`net.stubborn.conflict`, `net.stubborn.waiting`). In the place
//! of (1), `S` has *what helps* the goal at `M` (`net.toward.goal`), by structure:
//!
//! - a condition that does not hold at `M`: all transitions that change its sum in the direction in which it would
//!   have to change; for a condition about divisibility, all that change its sum at all;
//! - `all` of several: what helps one of them that does not hold;
//! - `any` of several: what helps each of them, none of which holds.
//!
//! The list contains the initial marking, and every successor of a marking by an enabled member of its set.
//!
//! **Theorem.** No marking of the goal can be reached.
//!
//! **Proof.** By structure, the goal does not hold at a marking of the list, and a word that leads from there to where
//! it holds has a transition that helps. For a condition: its sum is too small, too large, or divisible, and is not at
//! the end, so that some transition changes it, in that direction. For `all`: at the end the one of them holds, too.
//! For `any`: at the end one of them holds.
//!
//! Suppose a marking of the goal can be reached from some marking of the list, and let `M` be one from which it takes
//! the fewest steps, by a word `w`. It has a member of `S`; let `w = u s v` with `s` the first member in it. As for
//! deadlocks, `s` is enabled at `M`, by (3), and `s u v` fires at `M` and leads to the same marking, by (2). So `M`
//! leads by `s` to a marking of the list from which that takes fewer steps: a contradiction. The initial marking is in
//! the list. ∎

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_evidence::{Rows, require};
use serval_petri::{Constraint, Formula, FormulaPart, Marking, Net, PlaceId, weight};

use crate::Refusal;
use crate::conditions::NUMBERS;
use crate::states::check_sets;

/// Markings, each with a set of transitions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Toward {
    /// The tokens by place, of each marking; the markings ascend.
    pub markings: Rows<u64>,
    /// For each marking its stubborn set, ascending.
    pub sets: Vec<Vec<u32>>,
}

serval_evidence::objects!(Toward);

/// How often transitions may change places of conditions of a goal.
const MOST: usize = 8_000_000;

/// What helps the conditions of a goal.
pub struct Helpers<'a> {
    goal: &'a Formula,
    /// By condition, in the order of the goal, the transitions that make its sum larger, and those that make it
    /// smaller.
    sums: Vec<[Vec<u32>; 2]>,
}

impl<'a> Helpers<'a> {
    /// Those of a goal; `None` where a number does not fit, or where they are too many.
    pub fn new(net: &Net, goal: &'a Formula) -> Option<Self> {
        let (changes, mut left, mut sums) = (changes(net)?, MOST, Vec::new());
        for constraint in goal.constraints() {
            let mut by_transition: BTreeMap<u32, i128> = BTreeMap::new();
            for &(place, factor) in constraint.expression().terms() {
                let changes = changes.get(place.index())?;
                left = left.checked_sub(changes.len())?;
                for &(transition, change) in changes {
                    let sum = by_transition.entry(transition).or_default();
                    *sum = sum.checked_add(change.checked_mul(factor.into())?)?;
                }
            }
            let [mut larger, mut smaller] = [Vec::new(), Vec::new()];
            for (transition, change) in by_transition {
                match change {
                    0 => {}
                    1.. => larger.push(transition),
                    _ => smaller.push(transition),
                }
            }
            sums.push([larger, smaller]);
        }
        Some(Self { goal, sums })
    }

    /// What helps a condition that does not hold, by its number; `None` where it holds. The error is that a number does
    /// not fit.
    fn of(&self, number: usize, constraint: &Constraint, tokens: &impl Fn(PlaceId) -> u64) -> Result<Option<Vec<&[u32]>>, ()> {
        if constraint.holds(tokens) {
            return Ok(None);
        }
        let [larger, smaller] = &self.sums[number];
        Ok(Some(match constraint {
            Constraint::AtLeastZero(_) => vec![&larger[..]],
            Constraint::Zero(linear) => match linear.value(|place| tokens(place).into()).ok_or(())? {
                1.. => vec![&smaller[..]],
                _ => vec![&larger[..]],
            },
            Constraint::NotDivisible { .. } => vec![&larger[..], &smaller[..]],
        }))
    }

    /// Works through the goal: `one` for what helps a condition, `all` and `any` for several, of which those that hold
    /// are `None`.
    pub fn fold<T>(
        &self,
        tokens: impl Fn(PlaceId) -> u64,
        one: impl Fn(&[&[u32]]) -> T,
        all: impl Fn(Vec<T>) -> T,
        any: impl Fn(Vec<T>) -> T,
    ) -> Option<Option<T>> {
        let (mut open, mut number): (Vec<Option<T>>, usize) = (Vec::new(), 0);
        for part in self.goal.parts() {
            let value = match part {
                FormulaPart::Constraint(constraint) => {
                    let helps = self.of(number, constraint, &tokens).ok()?;
                    number = number.saturating_add(1);
                    helps.map(|helps| one(&helps))
                }
                FormulaPart::All(count) => {
                    let parts: Vec<T> = open.drain(open.len().saturating_sub(*count)..).flatten().collect();
                    // It holds where each of them does.
                    (!parts.is_empty()).then(|| all(parts))
                }
                FormulaPart::Any(count) => {
                    let parts: Option<Vec<T>> = open.drain(open.len().saturating_sub(*count)..).collect();
                    parts.map(&any)
                }
            };
            open.push(value);
        }
        open.pop()
    }
}

/// By place the transitions that change how many tokens it has, and by how many.
fn changes(net: &Net) -> Option<Vec<Vec<(u32, i128)>>> {
    let mut changes = vec![Vec::new(); net.place_count()];
    for transition in net.transitions() {
        let number = u32::try_from(transition.index()).ok()?;
        let (inputs, outputs) = (net.inputs(transition), net.outputs(transition));
        let taken = inputs.iter().map(|arc| arc.0).filter(|&place| weight(outputs, place) == 0);
        for place in outputs.iter().map(|arc| arc.0).chain(taken) {
            let change = i128::from(weight(outputs, place)).checked_sub(weight(inputs, place).into())?;
            if change != 0 {
                changes.get_mut(place.index())?.push((number, change));
            }
        }
    }
    Some(changes)
}

/// Checks the stubborn sets, and that the list is closed under them.
pub(crate) fn check(net: &Net, goal: &Formula, toward: &Toward, budget: &mut Budget) -> Result<(), Refusal> {
    let size = goal.parts().len().saturating_add(net.arc_count()).saturating_add(net.place_count());
    budget.spend(u64::try_from(size).unwrap_or(u64::MAX))?;
    let helpers = Helpers::new(net, goal).ok_or(NUMBERS)?;
    let helped = |number: usize, marking: &Marking, is_member: &[bool], budget: &mut Budget| {
        budget.spend(u64::try_from(goal.parts().len().saturating_add(net.transition_count())).unwrap_or(u64::MAX))?;
        let has = |helps: &[u32]| helps.iter().all(|&helper| is_member.get(helper as usize) == Some(&true));
        let said = helpers.fold(
            |place| marking.tokens(place),
            |helps| helps.iter().all(|helps| has(helps)),
            |parts| parts.contains(&true),
            |parts| !parts.contains(&false),
        );
        let has_all = said.ok_or(NUMBERS)? == Some(true);
        require!(TowardGoal, has_all, "marking {number} is in the goal, or its set does not have all that helps the goal there");
        Ok(())
    };
    check_sets(net, &toward.markings, &toward.sets, helped, budget)
}
