//! Shorter runs into a goal: what people read should have nothing in it that is not needed.
//!
//! Among few markings the shortest run is found by looking at all of them. Else a run is cut at the first marking of
//! the goal, loops are cut out, and whatever can be left out is left out, longer pieces first.

use rustc_hash::FxHashMap;
use serval_budget::{Budget, Stopped};
use serval_petri::{Formula, Net};

use crate::explicit::{self, ExplicitOutcome};
use crate::fast::Fast;
use crate::goals::{ConditionValues, Goals};
use crate::walk::{Enabled, Random};

/// A run, and whether no other one into the goal is shorter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Short {
    /// What fires, in order.
    pub run: Vec<u32>,
    /// Whether it is shortest.
    pub shortest: bool,
}

/// A run into the goal that is no longer than the given one, which leads into it. A tick is a marking that is looked
/// at; where the budget ends, the best so far is given.
pub fn shorten(net: &Net, goal: &Formula, run: &[u32], most: usize, budget: &mut Budget) -> Short {
    if run.is_empty() {
        return Short { run: Vec::new(), shortest: true };
    }
    if let Ok(ExplicitOutcome::Reached(found)) = explicit::look(net, goal, most, budget)
        && found.len() <= run.len()
    {
        return Short { run: found, shortest: true };
    }
    let follower = Follower::new(net, goal);
    let mut best = run.to_vec();
    // What was found before the budget ended is kept.
    let _ = follower.improve(&mut best, budget);
    // One step is as few as there can be, unless there is nothing to do, which no search may have had the ticks to see.
    let shortest = best.is_empty() || (best.len() == 1 && !goal.holds(&net.initial()));
    Short { run: best, shortest }
}

/// Follows runs, and knows at each step whether the goal is met, and whether the marking has been met before.
struct Follower {
    fast: Fast,
    goals: Goals,
    enabled: Enabled,
    values: ConditionValues,
    /// By place a random number; the sum of all, each times the tokens on its place, tells markings apart, nearly
    /// always.
    keys: Vec<u64>,
}

/// Where a run has led.
struct At {
    marking: Vec<u64>,
    enabled: Enabled,
    values: ConditionValues,
    sum: u64,
}

impl Follower {
    fn new(net: &Net, goal: &Formula) -> Self {
        let fast = Fast::new(net);
        let goals = Goals::new(std::slice::from_ref(goal), Formula::deadlock(net).as_ref(), net.place_count());
        let mut random = Random(0);
        let keys = fast.initial.iter().map(|_| random.next()).collect();
        Self { enabled: Enabled::new(&fast, &fast.initial), values: goals.values(&fast.initial), fast, goals, keys }
    }

    fn start(&self) -> At {
        At { marking: self.fast.initial.clone(), enabled: self.enabled.clone(), values: self.values.clone(), sum: 0 }
    }

    fn is_there(&self, at: &At, stack: &mut Vec<(bool, usize)>) -> bool {
        if self.goals.is_deadlock(0) { at.enabled.list().is_empty() } else { self.goals.holds(0, &at.values, stack) }
    }

    /// Fires a transition; false where it cannot.
    fn fire(&self, at: &mut At, transition: usize) -> bool {
        if transition >= self.fast.inputs.len()
            || !self.fast.is_enabled(&at.marking, transition)
            || !self.fast.fire(&mut at.marking, transition)
        {
            return false;
        }
        let effects = &self.fast.effects[transition];
        at.enabled.moved(&self.fast, &at.marking, effects);
        self.goals.moved(&mut at.values, &at.marking, effects, &mut Vec::new());
        for &(place, change) in effects {
            at.sum = at.sum.wrapping_add(self.keys[place].wrapping_mul(low_bits(change)));
        }
        true
    }

    fn improve(&self, best: &mut Vec<u32>, budget: &mut Budget) -> Result<(), Stopped> {
        if let Some(straight) = self.without_loops(best.iter(), budget)? {
            *best = straight;
        }
        let mut piece = best.len() / 2;
        while piece > 0 {
            let mut at = best.len().saturating_sub(piece);
            loop {
                let rest = best.get(at + piece..).unwrap_or_default();
                if at < best.len()
                    && let Some(straight) = self.without_loops(best[..at].iter().chain(rest), budget)?
                {
                    *best = straight;
                }
                if at == 0 {
                    break;
                }
                at = at.saturating_sub(piece).min(best.len().saturating_sub(1));
            }
            piece /= 2;
        }
        Ok(())
    }

    /// The run up to the first marking of the goal, without loops; `None` where it cannot fire or does not meet the
    /// goal.
    fn without_loops<'a>(&self, run: impl Iterator<Item = &'a u32>, budget: &mut Budget) -> Result<Option<Vec<u32>>, Stopped> {
        let (mut at, mut stack) = (self.start(), Vec::new());
        if self.is_there(&at, &mut stack) {
            return Ok(Some(Vec::new()));
        }
        let mut straight: Vec<u32> = Vec::new();
        // The sums of the markings along the straight run, and where each of them is.
        let mut sums = vec![at.sum];
        let mut met: FxHashMap<u64, usize> = FxHashMap::default();
        met.insert(at.sum, 0);
        for &number in run {
            budget.spend(1)?;
            if !self.fire(&mut at, usize::try_from(number).unwrap_or(usize::MAX)) {
                return Ok(None);
            }
            straight.push(number);
            if let Some(&before) = met.get(&at.sum)
                && self.is_loop(&straight[before..])
            {
                straight.truncate(before);
                for forgotten in sums.drain(before + 1..) {
                    met.remove(&forgotten);
                }
                continue;
            }
            if self.is_there(&at, &mut stack) {
                return Ok(Some(straight));
            }
            met.insert(at.sum, straight.len());
            sums.push(at.sum);
        }
        Ok(None)
    }

    /// Whether these transitions together change nothing.
    fn is_loop(&self, word: &[u32]) -> bool {
        let mut changes: FxHashMap<usize, i128> = FxHashMap::default();
        for effects in word.iter().filter_map(|&number| self.fast.effects.get(number as usize)) {
            effects.iter().for_each(|&(place, change)| *changes.entry(place).or_default() += change);
        }
        changes.values().all(|&change| change == 0)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sums are modulo 2^64")]
fn low_bits(change: i128) -> u64 {
    change as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use serval_petri::words;

    /// A token goes round, and each round leaves one behind.
    fn wheel() -> Net {
        let mut net = Net::new("wheel");
        let (a, b, out) = (net.add_place("a", 1).unwrap(), net.add_place("b", 0).unwrap(), net.add_place("out", 0).unwrap());
        net.add_transition("go", [(a, 1)], [(b, 1)]).unwrap();
        net.add_transition("come", [(b, 1)], [(a, 1), (out, 1)]).unwrap();
        net.add_transition("back", [(b, 1)], [(a, 1)]).unwrap();
        net
    }

    #[test]
    fn loops_and_needless_steps_are_left_out() {
        let net = wheel();
        let goal = words::formula("out >= 1 and a = 1", &net).unwrap();
        let long = [0, 2, 0, 1, 0, 2, 0, 1, 0, 1, 0];
        for most in [0, 1000] {
            let short = shorten(&net, &goal, &long[..10], most, &mut Budget::unlimited());
            assert_eq!(short, Short { run: vec![0, 1], shortest: most > 0 });
        }
        // With no budget at all the run stays.
        let kept = shorten(&net, &goal, &long[..10], 0, &mut Budget::ticks(0));
        assert_eq!(kept, Short { run: long[..10].to_vec(), shortest: false });
    }

    #[test]
    fn what_holds_at_once_needs_no_step() {
        let net = wheel();
        let goal = words::formula("a = 1", &net).unwrap();
        assert_eq!(shorten(&net, &goal, &[0, 1], 10, &mut Budget::unlimited()), Short { run: vec![], shortest: true });
    }
}
