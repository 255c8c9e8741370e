//! Where random runs stand among the methods.

use serval_budget::Budget;

use super::{Attempt, Method, PortfolioWork};
use crate::sample::{SampleOutcome, Sampler, seed_of};

impl PortfolioWork<'_> {
    /// Draws runs of a component, going on from those that were drawn before.
    pub(super) fn sample(&self, component: usize, budget: &mut Budget) -> Attempt {
        let system = self.systems[component];
        let taken = self.samplers.lock().ok().and_then(|mut all| all.remove(&component));
        let mut sampler = taken.unwrap_or_else(|| Sampler::new(system, self.plan.seed.unwrap_or_else(|| seed_of(&system))));
        match sampler.look(budget) {
            Ok(SampleOutcome::Found(found)) => {
                if let Ok(mut how) = self.sampled.lock() {
                    *how = Some(found.how);
                }
                Attempt::Run(found.run)
            }
            Ok(SampleOutcome::Stops(stops)) => match stops.stop {},
            Err(_) => {
                if let Ok(mut all) = self.samplers.lock() {
                    all.insert(component, sampler);
                }
                // There are always more runs: where others have come to an end, these are no reason to go on.
                if self.plan.methods == [Method::Sample] { Attempt::Short } else { Attempt::Ended }
            }
        }
    }
}
