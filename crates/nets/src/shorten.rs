//! Shorter runs into a goal: what people read should have nothing in it that is not needed.
//!
//! Among few markings the shortest run is found by looking at all of them. Else a run is cut at the first marking of the
//! goal, loops are cut out, and whatever can be left out is left out, longer pieces first.

use rustc_hash::FxHashMap;
use serval_budget::{Budget, Stopped};
use serval_petri::{Formula, Marking, Net};

use crate::explicit::{self, Said};
use crate::fast::Fast;

/// A run, and whether no other one into the goal is shorter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Short {
    /// What fires, in order.
    pub run: Vec<u32>,
    /// Whether it is shortest.
    pub shortest: bool,
}

/// A run into the goal that is no longer than the given one, which leads into it. A tick is a marking that is looked at; where the
/// budget ends, the best so far is given.
pub fn shorten(net: &Net, goal: &Formula, run: &[u32], most: usize, budget: &mut Budget) -> Short {
    if run.is_empty() {
        return Short { run: Vec::new(), shortest: true };
    }
    if let Ok(Some(Said::Reached(found))) = explicit::look(net, goal, most, budget)
        && found.len() <= run.len()
    {
        return Short { run: found, shortest: true };
    }
    let fast = Fast::new(net);
    let mut best = run.to_vec();
    // What was found before the budget ended is kept.
    let _ = improve(&fast, goal, &mut best, budget);
    let shortest = best.len() <= 1;
    Short { run: best, shortest }
}

fn improve(fast: &Fast, goal: &Formula, best: &mut Vec<u32>, budget: &mut Budget) -> Result<(), Stopped> {
    if let Some(straight) = without_loops(fast, goal, best, budget)? {
        *best = straight;
    }
    let mut piece = best.len() / 2;
    while piece > 0 {
        let mut at = best.len().saturating_sub(piece);
        loop {
            let shorter: Vec<u32> = best[..at].iter().chain(&best[(at + piece).min(best.len())..]).copied().collect();
            if shorter.len() < best.len()
                && let Some(straight) = without_loops(fast, goal, &shorter, budget)?
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

/// The run up to the first marking of the goal, without loops; `None` where it cannot fire or does not meet the goal.
fn without_loops(fast: &Fast, goal: &Formula, run: &[u32], budget: &mut Budget) -> Result<Option<Vec<u32>>, Stopped> {
    let mut marking = fast.initial.clone();
    let mut straight: Vec<u32> = Vec::new();
    // After how many transitions of the straight run a marking was met.
    let mut met: FxHashMap<Vec<u64>, usize> = FxHashMap::default();
    met.insert(marking.clone(), 0);
    let mut markings = vec![marking.clone()];
    if goal.holds(&Marking::new(marking.clone())) {
        return Ok(Some(straight));
    }
    for &number in run {
        budget.spend(1)?;
        let transition = usize::try_from(number).unwrap_or(usize::MAX);
        if transition >= fast.inputs.len() || !fast.is_enabled(&marking, transition) || !fast.fire(&mut marking, transition) {
            return Ok(None);
        }
        if let Some(&before) = met.get(&marking) {
            for forgotten in markings.drain(before + 1..) {
                met.remove(&forgotten);
            }
            straight.truncate(before);
            continue;
        }
        straight.push(number);
        if goal.holds(&Marking::new(marking.clone())) {
            return Ok(Some(straight));
        }
        met.insert(marking.clone(), straight.len());
        markings.push(marking.clone());
    }
    Ok(None)
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
