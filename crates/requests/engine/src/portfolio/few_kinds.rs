//! Where the search by sets of kinds stands among the methods.

use serval_budget::{Budget, Stopped};

use super::{End, Method, PortfolioWork};
use crate::search::SubsetSearch;

impl PortfolioWork<'_> {
    /// Searches sets of few kinds of requests in the components that are not
    /// proved, with `ticks` ticks for each, or those that a first search is worth.
    pub(super) fn few_kinds(&mut self, ticks: Option<u64>) -> Result<(), End> {
        for component in self.open() {
            let mut subsets = SubsetSearch::new(self.systems[component]);
            if subsets.first_ticks() == 0 {
                continue;
            }
            let mut budget = Budget::new(ticks.unwrap_or_else(|| subsets.first_ticks()), self.plan.cancel.clone());
            match subsets.search(self.cleared, u32::MAX, &mut budget) {
                Ok(Some(run)) => return Err(self.refuted(component, run, Method::Search)),
                Ok(None) | Err(Stopped::OutOfTicks) => {}
                Err(Stopped::Cancelled) => return Err(End::Cancelled),
            }
        }
        Ok(())
    }
}
