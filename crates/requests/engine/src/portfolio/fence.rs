//! A method that panics costs its own answer and no other's.

use std::collections::BTreeSet;
use std::panic::resume_unwind;

use serval_budget::checkpoint::fenced;

use super::tasks::Kind;
use super::{Decision, End, Found, Method, PortfolioWork};

/// What panicked, and is not asked again.
#[derive(Default)]
pub(super) struct Broken {
    /// The search for counterexamples by number of requests.
    pub(super) search: bool,
    /// Components whose reduction did.
    pub(super) reductions: BTreeSet<usize>,
    /// Tasks about a component.
    pub(super) tasks: BTreeSet<(usize, Kind)>,
}

impl Broken {
    /// The methods that panicked, in their order.
    pub(super) fn methods(&self) -> Vec<Method> {
        let mut methods: BTreeSet<Method> = self.tasks.iter().map(|(_, kind)| kind.method()).collect();
        methods.extend(self.search.then_some(Method::Search));
        methods.extend((!self.reductions.is_empty()).then_some(Method::Reduce));
        methods.into_iter().collect()
    }
}

impl PortfolioWork<'_> {
    /// Searches, unless a search has panicked. What had been ruled out by then stays: a layer counts when it is over.
    pub(super) fn searching(&mut self, search: impl FnOnce(&mut Self) -> Result<(), End>) -> Result<(), End> {
        if self.broken.search {
            return Ok(());
        }
        fenced(|| search(&mut *self)).unwrap_or_else(|| {
            self.broken.search = true;
            Ok(())
        })
    }
}

/// What was decided. Where nothing was, and a method panicked, that is the outcome; what it says has been printed by
/// then.
pub(super) fn decided(decision: Decision) -> Decision {
    if matches!(decision.found, Found::Unknown(_)) && !decision.failed.is_empty() {
        resume_unwind(Box::new("a method failed, and no other has an answer"));
    }
    decision
}
