//! All markings one by one, breadth first.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serval_budget::{Budget, Stopped};
use serval_netproof::{Evidence, States};
use serval_petri::{Formula, Marking, Net};

use crate::fast::Fast;

/// What looking at all markings says of a goal.
pub enum Said {
    /// A shortest run into it.
    Reached(Vec<u32>),
    /// All markings, none of which is in it.
    Excluded(Box<Evidence>),
}

/// Looks at all markings until one is in the goal; `None` where there are more than `most`, or a number does not fit. A tick is a marking.
pub fn look(net: &Net, goal: &Formula, most: usize, budget: &mut Budget) -> Result<Option<Said>, Stopped> {
    let fast = Fast::new(net);
    let mut known: IndexMap<Vec<u64>, Option<(usize, u32)>, FxBuildHasher> = IndexMap::default();
    known.insert(fast.initial.clone(), None);
    let mut at = 0;
    while let Some((marking, _)) = known.get_index(at) {
        budget.spend(1)?;
        let marking = marking.clone();
        if goal.holds(&Marking::new(marking.clone())) {
            return Ok(Some(Said::Reached(run_to(&known, at))));
        }
        for transition in (0..fast.inputs.len()).filter(|&transition| fast.is_enabled(&marking, transition)) {
            let mut next = marking.clone();
            if !fast.fire(&mut next, transition) {
                return Ok(None);
            }
            known.entry(next).or_insert(Some((at, u32::try_from(transition).unwrap_or(u32::MAX))));
        }
        if known.len() > most {
            return Ok(None);
        }
        at += 1;
    }
    let mut markings: Vec<Vec<u64>> = known.into_keys().collect();
    markings.sort_unstable();
    Ok(Some(Said::Excluded(Box::new(Evidence::States(States { markings })))))
}

fn run_to(known: &IndexMap<Vec<u64>, Option<(usize, u32)>, FxBuildHasher>, to: usize) -> Vec<u32> {
    let (mut run, mut at) = (Vec::new(), to);
    while let Some((_, Some((before, transition)))) = known.get_index(at) {
        run.push(*transition);
        at = *before;
    }
    run.reverse();
    run
}
