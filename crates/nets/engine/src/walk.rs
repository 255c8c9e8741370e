//! Random walks from the initial marking that look at all goals at once.
//!
//! Seeds are fixed, so the same net and goals give the same runs. A walk goes on until nothing can fire or it has
//! been long enough; walks become longer.

use serval_budget::{Budget, Stopped};

use crate::fast::Fast;
use crate::goals::Goals;

/// Steps of the first walks.
const FIRST: usize = 256;
/// Steps of the longest.
const LONGEST: usize = 1 << 16;

/// Splitmix: small, and good enough to choose.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::try_from((u128::from(self.next()) * (count as u128)) >> 64).unwrap_or(0)
    }
}

/// The transitions that are enabled, in no order, with where each one is.
#[derive(Clone)]
pub(crate) struct Enabled {
    list: Vec<usize>,
    at: Vec<Option<usize>>,
}

impl Enabled {
    pub(crate) fn new(fast: &Fast, marking: &[u64]) -> Self {
        let mut enabled = Self { list: Vec::new(), at: vec![None; fast.inputs.len()] };
        for transition in 0..fast.inputs.len() {
            enabled.set(transition, fast.is_enabled(marking, transition));
        }
        enabled
    }

    fn set(&mut self, transition: usize, enabled: bool) {
        match (self.at[transition], enabled) {
            (None, true) => {
                self.at[transition] = Some(self.list.len());
                self.list.push(transition);
            }
            (Some(at), false) => {
                self.at[transition] = None;
                self.list.swap_remove(at);
                if let Some(&moved) = self.list.get(at) {
                    self.at[moved] = Some(at);
                }
            }
            _ => {}
        }
    }

    /// Looks again at those that the change of these places concerns.
    pub(crate) fn moved(&mut self, fast: &Fast, marking: &[u64], changes: &[(usize, i128)]) {
        for &(place, _) in changes {
            for &transition in &fast.takers[place] {
                self.set(transition, fast.is_enabled(marking, transition));
            }
        }
    }

    pub(crate) fn list(&self) -> &[usize] {
        &self.list
    }
}

/// Walks until all goals are reached or the budget ends. Each run is reported once, as transitions and the goal that
/// its end is in. A tick is a step. Says whether there were more tokens somewhere than fit.
pub(crate) fn walk(
    fast: &Fast,
    goals: &Goals,
    open: &mut [bool],
    seed: u64,
    found: &mut dyn FnMut(usize, &[u32]),
    budget: &mut Budget,
) -> (bool, Result<(), Stopped>) {
    let mut overflowed = false;
    let done = walk_on(fast, goals, open, seed, found, &mut overflowed, budget);
    (overflowed, done)
}

fn walk_on(
    fast: &Fast,
    goals: &Goals,
    open: &mut [bool],
    seed: u64,
    found: &mut dyn FnMut(usize, &[u32]),
    overflowed: &mut bool,
    budget: &mut Budget,
) -> Result<(), Stopped> {
    let mut random = Random(seed);
    let (start, start_enabled) = (goals.values(&fast.initial), Enabled::new(fast, &fast.initial));
    let mut stack = Vec::new();
    let mut left = 0;
    for (goal, open) in open.iter_mut().enumerate() {
        let is_deadlock = goals.is_deadlock(goal) && start_enabled.list().is_empty();
        if *open && (is_deadlock || goals.holds(goal, &start, &mut stack)) {
            *open = false;
            found(goal, &[]);
        }
        left += usize::from(*open);
    }
    let (mut length, mut walks) = (FIRST, 0_u32);
    let (mut run, mut touched): (Vec<u32>, Vec<usize>) = (Vec::new(), Vec::new());
    while left > 0 {
        let (mut marking, mut values, mut enabled) = (fast.initial.clone(), start.clone(), start_enabled.clone());
        run.clear();
        budget.spend(1)?;
        while run.len() < length && !enabled.list().is_empty() && left > 0 {
            budget.spend(1)?;
            let transition = enabled.list()[random.below(enabled.list().len())];
            if !fast.fire(&mut marking, transition) {
                *overflowed = true;
                break;
            }
            run.push(u32::try_from(transition).unwrap_or(u32::MAX));
            enabled.moved(fast, &marking, &fast.effects[transition]);
            goals.moved(&mut values, &marking, &fast.effects[transition], &mut touched);
            if enabled.list().is_empty() {
                touched.extend((0..open.len()).filter(|&goal| goals.is_deadlock(goal)));
            }
            for &goal in &touched {
                if open[goal] && (goals.is_deadlock(goal) || goals.holds(goal, &values, &mut stack)) {
                    open[goal] = false;
                    left -= 1;
                    found(goal, &run);
                }
            }
        }
        walks = walks.saturating_add(1);
        if walks.is_multiple_of(16) {
            length = (length * 2).min(LONGEST);
        }
    }
    Ok(())
}
