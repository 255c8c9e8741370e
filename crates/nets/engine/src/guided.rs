//! Carries out plans: how often each transition should fire, in no order.
//!
//! Each try fires what the plan still asks for, and now and then something else. Tries differ in how they choose
//! ([`Manner`]): at random, or by a random order of the transitions, which is kept; one by one, or as often in a row as
//! possible. An order that is kept goes round in circles, and a circle that was gone twice is gone as often as the plan
//! and the tokens allow, in one step, so that plans of any length are carried out.

use serval_budget::{Budget, Stopped};
use serval_net_proof::Item;

use crate::fast::{Circle, Fast};
use crate::goals::Goal;
use crate::walk::{Enabled, Random};

/// How often a plan is tried.
const TRIES: u64 = 64;
/// Firings of a plan that are tried one by one.
const LONG: u64 = 10_000;
/// The longest circle that is seen.
const CIRCLE: usize = 24;

/// How a try chooses.
#[derive(Clone, Copy)]
struct Manner {
    /// By a fixed order, and round in circles.
    is_ordered: bool,
    /// As often in a row as possible.
    in_bursts: bool,
}

/// A run into the goal that does what the plan asks for, with a little slack.
pub(crate) fn carried_out(
    fast: &Fast,
    goal: &Goal,
    plan: &[i64],
    random: &mut Random,
    budget: &mut Budget,
) -> Result<Option<Vec<Item>>, Stopped> {
    let total = plan.iter().fold(0_u64, |sum, &times| sum.saturating_add(times.unsigned_abs()));
    for attempt in 0..TRIES {
        let manner = Manner { is_ordered: attempt % 4 >= 2, in_bursts: attempt % 2 == 1 };
        if !manner.is_ordered && !manner.in_bursts && total > LONG {
            continue;
        }
        let mut order: Vec<u64> = Vec::new();
        if manner.is_ordered {
            order.extend(plan.iter().map(|_| random.next()));
        }
        let rest = plan.iter().map(|times| times.unsigned_abs()).collect();
        let mut tried = Try {
            fast,
            marking: fast.initial.clone(),
            enabled: Enabled::new(fast, &fast.initial),
            rest,
            order,
            run: Vec::new(),
            recent: Vec::new(),
        };
        let mut spare = attempt / 8;
        for _ in 0..total.min(LONG).saturating_mul(2).saturating_add(16) {
            budget.spend(1)?;
            if !tried.step(manner, &mut spare, random) {
                break;
            }
            if goal.holds(&tried.marking) {
                return Ok(Some(tried.run));
            }
        }
    }
    Ok(None)
}

/// A plan that is being carried out.
struct Try<'a> {
    fast: &'a Fast,
    marking: Vec<u64>,
    enabled: Enabled,
    /// How often each transition should still fire.
    rest: Vec<u64>,
    /// The order in which transitions are preferred, if there is one.
    order: Vec<u64>,
    run: Vec<Item>,
    /// What fired one by one, since the last repetition.
    recent: Vec<u32>,
}

impl Try<'_> {
    /// Fires something; false where there is nothing to fire.
    fn step(&mut self, manner: Manner, spare: &mut u64, random: &mut Random) -> bool {
        if manner.is_ordered && self.go_round() {
            return true;
        }
        let wanted = || self.enabled.list().iter().copied().filter(|&transition| self.rest[transition] > 0);
        let count = wanted().count();
        let (transition, times) = if count > 0 && (*spare == 0 || random.below(16) > 0) {
            let chosen = if manner.is_ordered {
                wanted().min_by_key(|&transition| self.order[transition])
            } else {
                wanted().nth(random.below(count))
            };
            let Some(chosen) = chosen else { return false };
            let times = if manner.in_bursts { self.fast.most(&self.marking, chosen).min(self.rest[chosen]) } else { 1 };
            self.rest[chosen] = self.rest[chosen].saturating_sub(times);
            (chosen, times)
        } else if *spare > 0 && !self.enabled.list().is_empty() {
            *spare = spare.saturating_sub(1);
            (self.enabled.list()[random.below(self.enabled.list().len())], 1)
        } else {
            return false;
        };
        if !self.fast.fire_often(&mut self.marking, transition, times) {
            return false;
        }
        self.enabled.moved(self.fast, &self.marking, &self.fast.effects[transition]);
        let number = u32::try_from(transition).unwrap_or(u32::MAX);
        if times == 1 {
            self.run.push(Item::Fire(number));
            self.recent.push(number);
        } else {
            self.run.push(Item::Repeat(times, vec![number]));
            self.recent.clear();
        }
        true
    }

    /// If what fired last is the same twice: goes on with it as often as the plan and the tokens allow.
    fn go_round(&mut self) -> bool {
        let fired = self.recent.len();
        let circle =
            (1..=CIRCLE.min(fired / 2)).find(|&length| self.recent[fired - length..] == self.recent[fired - 2 * length..fired - length]);
        let Some(length) = circle else { return false };
        let word: Vec<u32> = self.recent[fired - length..].to_vec();
        let numbers: Vec<usize> = word.iter().map(|&number| number as usize).collect();
        let planned = numbers.iter().map(|&transition| {
            let each = numbers.iter().filter(|&&other| other == transition).count();
            self.rest[transition].checked_div(u64::try_from(each).unwrap_or(u64::MAX)).unwrap_or(0)
        });
        let circle = Circle::new(self.fast, &numbers);
        let times = planned.min().unwrap_or(0).min(circle.most(&self.marking));
        if times < 2 {
            return false;
        }
        circle.go(&mut self.marking, times);
        numbers.iter().for_each(|&transition| self.rest[transition] = self.rest[transition].saturating_sub(times));
        self.enabled.moved(self.fast, &self.marking, circle.effects());
        self.run.push(Item::Repeat(times, word));
        self.recent.clear();
        true
    }
}
