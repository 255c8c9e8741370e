//! Where proofs of parts that few letters join stand among the methods.

use serval_budget::{Cancel, Stopped};
use serval_proof::Part;
use serval_proof::shared::SharedProof;

use super::schedule::TASK_TICKS;
use super::{Attempt, Found, Plan, PortfolioWork, decide};
use crate::shared::{PartSplit, find};

/// How many times the ticks of a task it may take to find the parts.
const FIND_TIMES: u64 = 64;

/// What is known of the parts of a component.
pub(super) enum PartsKnown {
    /// There are none, or one of them is not serializable.
    None,
    /// These.
    Found(PartSplit),
}

impl PortfolioWork<'_> {
    /// Proves the parts of a component that few letters join.
    pub(super) fn in_parts(&self, component: usize, ticks: u64, cancel: &Cancel) -> Attempt {
        let taken = self.splits.lock().ok().and_then(|mut all| all.remove(&component));
        let known = match taken.map_or_else(
            || find(self.systems[component], ticks.saturating_mul(FIND_TIMES), cancel),
            |known| match known {
                PartsKnown::Found(split) => Ok(Some(split)),
                PartsKnown::None => Ok(None),
            },
        ) {
            Ok(known) => known,
            Err(Stopped::OutOfTicks | Stopped::Cancelled) => return Attempt::Short,
        };
        let (known, found) = match known {
            None => (PartsKnown::None, Attempt::Ended),
            Some(split) => self.each_part(split, ticks, cancel),
        };
        if let Ok(mut all) = self.splits.lock() {
            all.insert(component, known);
        }
        found
    }

    fn each_part(&self, split: PartSplit, ticks: u64, cancel: &Cancel) -> (PartsKnown, Attempt) {
        let percent = (u128::from(ticks) * 100 / u128::from(TASK_TICKS)).max(1);
        let percent = u64::try_from(percent).unwrap_or(u64::MAX);
        let plan = Plan { rounds: 1, percent, in_parts: false, ..Plan::new(&self.plan.methods, cancel) };
        let systems: Vec<_> = split.parts.iter().collect();
        match decide(&systems, 0, &plan).found {
            Found::Serializable(parts, _) => {
                let proof = SharedProof { touches: split.touches.clone(), parts };
                (PartsKnown::Found(split), Attempt::Part(Part::Shared(Box::new(proof))))
            }
            // That a part is not serializable says nothing: the others may keep a shared request from answering.
            Found::Refuted { .. } => (PartsKnown::None, Attempt::Ended),
            Found::Unknown(_) => (PartsKnown::Found(split), Attempt::Short),
        }
    }
}
