//! What methods keep from round to round, and how far they came.

use serval_budget::checkpoint::fenced;
use serval_budget::{Budget, Stopped};
use serval_petri::{Formula, Net};

use crate::cover::Tree;
use crate::decompose::RuleCounts;
use crate::explicit::{ExplicitOutcome, Search};
use crate::fast::Fast;
use crate::weights::PlaceBounds;

/// How far methods came that found nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Far {
    /// ω-markings of the tree, forwards.
    pub forwards: usize,
    /// Least markings of the basis that had most, backwards.
    pub backwards: usize,
    /// Markings that were looked at one by one, at the most.
    pub explicit: usize,
    /// Sequences of the decomposition that looked at most.
    pub sequences: usize,
    /// How many of them were ruled out.
    pub refuted: usize,
    /// The most pieces that one of them had, and the most arcs.
    pub largest: (usize, usize),
    /// Whether a method panicked, which is a mistake of ours and costs its answer alone.
    pub has_failed: bool,
}

/// What methods keep from round to round, of one list of goals.
#[derive(Default)]
pub(super) struct Progress {
    tree: Option<Tree>,
    /// Bounds that the beginning had no ticks for.
    bounds: Option<PlaceBounds>,
    backwards: usize,
    explicit: usize,
    /// The search for all markings, which goes on from round to round, and serves all goals.
    search: Option<Search>,
    /// Whether there is one goal.
    is_one_goal: bool,
    /// ω-markings of the slice that had most.
    pub(super) sliced: usize,
    decomposed: RuleCounts,
    has_failed: bool,
}

impl Progress {
    /// What is kept for goals, so many of them.
    pub(super) fn of(goals: usize) -> Self {
        Self { is_one_goal: goals == 1, ..Self::default() }
    }

    /// Does what a method does. Where it panics it has found nothing, and the progress remembers that. What was found
    /// before stays, since the checker has accepted it.
    pub(super) fn guarded<T: Default>(&mut self, method: impl FnOnce(&mut Self) -> T) -> T {
        fenced(|| method(&mut *self)).unwrap_or_else(|| {
            self.has_failed = true;
            T::default()
        })
    }

    pub(super) fn far(&self) -> Far {
        let RuleCounts { nodes: sequences, refuted, pieces, arcs, .. } = self.decomposed;
        let forwards = self.tree.as_ref().map_or(0, Tree::len).max(self.sliced);
        Far {
            forwards,
            backwards: self.backwards,
            explicit: self.explicit,
            sequences,
            refuted,
            largest: (pieces, arcs),
            has_failed: self.has_failed,
        }
    }

    /// The ω-markings so far; `None` where a place has more tokens than fit.
    pub(super) fn tree(&mut self, net: &Net) -> Option<&mut Tree> {
        if self.tree.is_none() {
            self.tree = Tree::new(net);
        }
        self.tree.as_mut()
    }

    pub(super) fn bounds(&mut self, net: &Net) -> &mut PlaceBounds {
        self.bounds.get_or_insert_with(|| PlaceBounds::new(net))
    }

    /// That the decomposition came so far.
    pub(super) fn decomposed(&mut self, counts: RuleCounts) {
        if counts.nodes > self.decomposed.nodes {
            self.decomposed = counts;
        }
    }

    /// Looks at all markings, at most `most`, until one is in the goal; goes on where it ended for another goal, or in
    /// the round before.
    pub(super) fn look(
        &mut self,
        fast: &Fast,
        is_deadlock: bool,
        goal: &Formula,
        most: usize,
        budget: &mut Budget,
    ) -> Result<ExplicitOutcome, Stopped> {
        let search = self.search.get_or_insert_with(|| Search::new(fast));
        match search.look(fast, is_deadlock, goal, most, budget)? {
            Some(said) => Ok(said),
            None if self.is_one_goal => Ok(self.search.take().map_or(ExplicitOutcome::TooMany, Search::all)),
            None => Ok(search.copied()),
        }
    }

    /// That there are more markings than these.
    pub(super) fn explicit(&mut self, markings: usize) {
        self.explicit = self.explicit.max(markings);
    }

    /// That a basis had so many least markings.
    pub(super) fn backwards(&mut self, markings: usize) {
        self.backwards = self.backwards.max(markings);
    }
}
