//! Whether counts are a sum of other counts.
//!
//! **What it computes.** Natural numbers `k` with `target = Σ k(i) · periods(i)`,
//! if there are any.
//!
//! **Why it is right.** The search takes one period after the other and tries
//! all numbers that leave nothing negative, which is finite since periods are
//! not zero. It takes a shortcut where there is no choice: a period larger than
//! what is left in some letter occurs no more; a letter of which something is
//! left and that no period has cannot be made up; and if one period alone has
//! it, then its number is known. What is left of the target and which periods
//! remain determine the rest of the search, so that such pairs which failed
//! once are not tried again.

use std::collections::HashSet;

use serval_budget::Budget;

use crate::number::ticks;
use crate::{Counts, Error, Letter};

/// What remains to be done: which periods may still be used, and what is left
/// of each letter of the target.
#[derive(Clone, PartialEq, Eq, Hash)]
struct CombinationTask {
    periods: Vec<usize>,
    rest: Vec<u64>,
}

/// Tries numbers for one period, from large to small.
struct PeriodFrame {
    task: CombinationTask,
    period: usize,
    /// The next number to be tried, if there is one.
    next: Option<u64>,
}

enum CombinationStep {
    Solved,
    Failed,
    /// Several numbers of this period are possible.
    Branch(usize),
}

struct CombinationSearch<'a> {
    /// For each period, how much it has of each letter of the target.
    periods: Vec<Vec<u64>>,
    /// How often each is used.
    used: Vec<u64>,
    budget: &'a mut Budget,
}

impl CombinationSearch<'_> {
    fn period(&self, period: usize) -> &[u64] {
        self.periods.get(period).map_or(&[], Vec::as_slice)
    }

    /// How often the period fits into what is left.
    fn most(&self, period: usize, rest: &[u64]) -> u64 {
        self.period(period).iter().zip(rest).filter_map(|(&of, &left)| left.checked_div(of)).min().unwrap_or(0)
    }

    /// Uses the period so often, which fits.
    fn take(&mut self, period: usize, number: u64, rest: &mut [u64]) {
        for (left, &of) in rest.iter_mut().zip(self.period(period)) {
            *left = left.saturating_sub(of.saturating_mul(number));
        }
        if let Some(used) = self.used.get_mut(period) {
            *used = number;
        }
    }

    /// Does what there is no choice about.
    fn propagate(&mut self, task: &mut CombinationTask) -> Result<CombinationStep, Error> {
        loop {
            self.budget.spend(ticks(task.periods.len()).saturating_add(1))?;
            if task.rest.iter().all(|&left| left == 0) {
                return Ok(CombinationStep::Solved);
            }
            task.periods.retain(|&period| self.most(period, &task.rest) > 0);
            let mut fewest: Option<(usize, usize, usize)> = None;
            for (letter, _) in task.rest.iter().enumerate().filter(|&(_, &left)| left > 0) {
                let mut having = task.periods.iter().copied().filter(|&period| self.period(period).get(letter).is_some_and(|&of| of > 0));
                let Some(first) = having.next() else { return Ok(CombinationStep::Failed) };
                let number = 1 + having.count();
                if fewest.is_none_or(|(fewest, ..)| number < fewest) {
                    fewest = Some((number, letter, first));
                }
            }
            let Some((number, letter, period)) = fewest else { return Ok(CombinationStep::Failed) };
            if number > 1 {
                return Ok(CombinationStep::Branch(period));
            }
            let (of, left) = (self.period(period).get(letter).copied().unwrap_or(0), task.rest.get(letter).copied().unwrap_or(0));
            let wanted = left.checked_div(of).unwrap_or(0);
            if left.checked_rem(of) != Some(0) || wanted > self.most(period, &task.rest) {
                return Ok(CombinationStep::Failed);
            }
            task.periods.retain(|&other| other != period);
            self.take(period, wanted, &mut task.rest);
        }
    }

    fn run(&mut self, mut task: CombinationTask) -> Result<bool, Error> {
        let mut failed: HashSet<CombinationTask> = HashSet::new();
        let mut stack: Vec<PeriodFrame> = Vec::new();
        loop {
            match self.propagate(&mut task)? {
                CombinationStep::Solved => return Ok(true),
                CombinationStep::Branch(period) if !failed.contains(&task) => {
                    let next = Some(self.most(period, &task.rest));
                    stack.push(PeriodFrame { task, period, next });
                }
                CombinationStep::Branch(_) | CombinationStep::Failed => {}
            }
            loop {
                let Some(frame) = stack.last_mut() else { return Ok(false) };
                if let Some(number) = frame.next {
                    frame.next = number.checked_sub(1);
                    let period = frame.period;
                    task = frame.task.clone();
                    // What the last number led to is undone.
                    for &other in &task.periods {
                        if let Some(used) = self.used.get_mut(other) {
                            *used = 0;
                        }
                    }
                    task.periods.retain(|&other| other != period);
                    self.take(period, number, &mut task.rest);
                    break;
                }
                if let Some(frame) = stack.pop() {
                    failed.insert(frame.task);
                }
            }
        }
    }
}

/// Numbers by which `periods` add up to `target`, if there are any.
pub(crate) fn combination<'a>(
    target: &Counts<Letter>,
    periods: impl IntoIterator<Item = &'a Counts<Letter>>,
    budget: &mut Budget,
) -> Result<Option<Vec<u64>>, Error> {
    let letters: Vec<Letter> = target.iter().map(|(letter, _)| letter).collect();
    let mut dense: Vec<Vec<u64>> = Vec::new();
    let mut fits: Vec<usize> = Vec::new();
    for (place, period) in periods.into_iter().enumerate() {
        // One with a letter that the target has not cannot be used.
        if target.minus(period).is_some() {
            fits.push(place);
            dense.push(letters.iter().map(|&letter| period.get(letter)).collect());
        } else {
            dense.push(Vec::new());
        }
    }
    budget.spend(ticks(dense.len()).saturating_add(1))?;
    let task = CombinationTask { periods: fits, rest: target.iter().map(|(_, count)| count).collect() };
    let mut search = CombinationSearch { used: vec![0; dense.len()], periods: dense, budget };
    Ok(search.run(task)?.then_some(search.used))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(numbers: &[u64]) -> Counts<Letter> {
        Counts::new(numbers.iter().enumerate().map(|(letter, &count)| (Letter(letter), count))).unwrap()
    }

    fn solve(target: &[u64], periods: &[&[u64]]) -> Option<Vec<u64>> {
        let periods: Vec<_> = periods.iter().map(|period| counts(period)).collect();
        combination(&counts(target), &periods, &mut Budget::unlimited()).unwrap()
    }

    #[test]
    fn coins() {
        assert_eq!(solve(&[43], &[&[6], &[9], &[20]]), None);
        assert!(solve(&[44], &[&[6], &[9], &[20]]).is_some());
        assert_eq!(solve(&[], &[&[6]]), Some(vec![0]));
        assert_eq!(solve(&[3, 3], &[&[1, 2], &[2, 1]]), Some(vec![1, 1]));
        assert_eq!(solve(&[3, 2], &[&[1, 2], &[2, 1]]), None);
        assert_eq!(solve(&[3, 0], &[&[1, 2], &[1, 0]]), Some(vec![0, 3]));
        assert_eq!(solve(&[3], &[]), None);
    }

    #[test]
    fn stops() {
        let periods = [counts(&[2]), counts(&[4])];
        let far = counts(&[u64::MAX]);
        assert!(matches!(combination(&far, &periods, &mut Budget::ticks(1000)), Err(Error::Stopped(_))));
    }
}
