//! Methods for any number of tokens: forwards and backwards, and whether places are bounded.

use crate::decompose::Counts;
use serval_budget::checkpoint::fenced;
use serval_budget::{Budget, Cancel, Stopped};
use serval_net_proof::{Claim, Evidence, Run, check_bounded};
use serval_petri::{Formula, Net, PlaceId};

use super::{COVER_TICKS, Session, WEIGHTS_TICKS, ticks};
use crate::answer::{Answer, Found, Method, checked, told};
use crate::cover::backward::{Filter, Search};
use crate::cover::{self, Bounds, Tree};
use crate::weights::Known;

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

/// What methods keep from round to round.
#[derive(Default)]
pub(super) struct Work {
    pub(super) tree: Option<Tree>,
    /// Bounds that the beginning had no ticks for.
    known: Option<Known>,
    backwards: usize,
    explicit: usize,
    /// ω-markings of the slice that had most.
    sliced: usize,
    decomposed: Counts,
    has_failed: bool,
}

impl Work {
    /// Asks a method. Where it panics it has found nothing, and the work remembers that. What was found before stays,
    /// since the checker has accepted it.
    pub(super) fn ask<T: Default>(&mut self, method: impl FnOnce(&mut Self) -> T) -> T {
        fenced(|| method(&mut *self)).unwrap_or_else(|| {
            self.has_failed = true;
            T::default()
        })
    }

    pub(super) fn far(&self) -> Far {
        let Counts { nodes: sequences, refuted, pieces, arcs, .. } = self.decomposed;
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

    pub(super) fn decomposed(&mut self, counts: Counts) {
        if counts.nodes > self.decomposed.nodes {
            self.decomposed = counts;
        }
    }

    pub(super) fn known(&mut self, net: &Net) -> &mut Known {
        self.known.get_or_insert_with(|| Known::new(net))
    }

    pub(super) fn explicit(&mut self, markings: usize) {
        self.explicit = self.explicit.max(markings);
    }
}

/// Ticks for the equation as a filter.
const FILTER_TICKS: u64 = 5_000;

impl Session {
    /// Sums that no transition increases, which are looked for once.
    fn known_sums(&self, net: &Net, cancel: &Cancel) -> &[Vec<(u32, u64)>] {
        self.sums.get_or_init(|| {
            let mut known = Known::new(net);
            // What is found before the ticks end is enough.
            let _ = known.bound_all(net, &mut Budget::new(WEIGHTS_TICKS, cancel.clone()));
            known.into_sums()
        })
    }

    /// Goes backwards from all goals that are open and upward closed, if there are several.
    pub(super) fn ask_backward_all(&self, net: &Net, goals: &[Formula], found: &mut [Found], work: &mut Work, round: u32, cancel: &Cancel) {
        let open: Vec<usize> = (0..goals.len()).filter(|&goal| found[goal].is_open() && goals[goal].not_upward().is_none()).collect();
        if open.len() < 2 || cancel.is_cancelled() {
            return;
        }
        let search = Search { fast: &self.fast, net, sums: self.known_sums(net, cancel), filter: None };
        let asked: Vec<&Formula> = open.iter().map(|&goal| &goals[goal]).collect();
        let mut markings = 0;
        let (said, _) = search.ask_all(&asked, &mut markings, &mut Budget::new(ticks(COVER_TICKS, round), cancel.clone()));
        work.backwards = work.backwards.max(markings);
        for (goal, said) in open.into_iter().zip(said) {
            covered(net, &goals[goal], &mut found[goal], Ok(said), Method::Backward, cancel);
        }
    }

    /// Goes backwards from a goal that is upward closed; says whether more ticks could help.
    pub(super) fn ask_backward(
        &self,
        net: &Net,
        formula: &Formula,
        found: &mut Found,
        work: &mut Work,
        round: u32,
        cancel: &Cancel,
    ) -> bool {
        if formula.not_upward().is_some() {
            return false;
        }
        let mut budget = Budget::new(ticks(COVER_TICKS, round), cancel.clone());
        let mut markings = 0;
        // The equation is asked where nothing was found without it.
        let filter = (round > 0).then_some(Filter { base: &self.equation, net, ticks: FILTER_TICKS });
        let search = Search { fast: &self.fast, net, sums: self.known_sums(net, cancel), filter };
        let said = search.ask(formula, &mut markings, &mut budget);
        work.backwards = work.backwards.max(markings);
        covered(net, formula, found, said, Method::Backward, cancel)
    }

    /// Goes forwards over ω-markings to a goal that is upward closed, or both ways for one that gives numbers; says whether more ticks could help.
    pub(super) fn ask_cover(&self, net: &Net, formula: &Formula, found: &mut Found, work: &mut Work, round: u32, cancel: &Cancel) -> bool {
        if formula.not_upward().is_some() {
            return self.ask_numbers(net, formula, found, work, round, cancel);
        }
        if work.tree.is_none() {
            work.tree = Tree::new(net);
        }
        let Some(tree) = &mut work.tree else {
            found.too_many_tokens();
            return false;
        };
        let said = tree.ask(net, formula, &mut Budget::new(ticks(COVER_TICKS, round), cancel.clone()));
        let is_cut = covered(net, formula, found, said, Method::Cover, cancel);
        if is_cut && !cancel.is_cancelled() {
            // Where the whole net has too many ω-markings, few places may be enough. In small nets the whole is sooner.
            let mut budget = Budget::new(ticks(COVER_TICKS, round), cancel.clone());
            let said = cover::sliced::ask(net, formula, &mut work.sliced, &mut budget);
            covered(net, formula, found, said, Method::Cover, cancel);
        }
        is_cut && found.is_open()
    }

    /// Asks whether places are bounded: by weighted sums, or by ω-markings. Other methods, if one is wanted alone, say nothing. Says how far they came, too.
    pub fn bounded(&self, net: &Net, places: &[PlaceId], method: Option<Method>, rounds: u32, cancel: &Cancel) -> (Found, Far) {
        let (mut found, mut work) = (Found::Nothing, Work::default());
        let wants = |wanted: Method| method.is_none_or(|method| method == wanted);
        if wants(Method::Weights) && rounds > 0 {
            let mut known = Known::new(net);
            let mut budget = Budget::new(WEIGHTS_TICKS, cancel.clone());
            if let Some(evidence) = known.bounded(net, places, &mut budget) {
                return (checked_bounds(net, places, evidence, Method::Weights, cancel), work.far());
            }
        }
        work.tree = Tree::new(net).filter(|_| wants(Method::Cover));
        for round in 0..rounds {
            let Some(tree) = &mut work.tree else { break };
            match tree.bounded(net, places, &mut Budget::new(ticks(COVER_TICKS, round), cancel.clone())) {
                Ok(Bounds::Shown(evidence)) => {
                    found = checked_bounds(net, places, *evidence, Method::Cover, cancel);
                    break;
                }
                Ok(Bounds::TooManyTokens) => {
                    found.too_many_tokens();
                    break;
                }
                Err(Stopped::Cancelled) => break,
                Err(Stopped::OutOfTicks) => {}
            }
        }
        (found, work.far())
    }
}

/// What a method that covers says of a goal, after the checker; and whether more ticks could help.
fn covered(net: &Net, goal: &Formula, found: &mut Found, said: Result<cover::Said, Stopped>, method: Method, cancel: &Cancel) -> bool {
    match said {
        Ok(cover::Said::Reached(word)) => *found = checked(net, goal, Evidence::Run(Run { word }), method.name(), cancel),
        Ok(cover::Said::Excluded(evidence)) => *found = checked(net, goal, *evidence, method.name(), cancel),
        Ok(cover::Said::TooManyTokens) => found.too_many_tokens(),
        Ok(cover::Said::TooManyLeast(most)) => found.too_many("least markings of a goal", u64::try_from(most).unwrap_or(u64::MAX)),
        Ok(cover::Said::Nothing) => {}
        Err(_) => return true,
    }
    false
}

/// What the checker says of evidence about bounds.
pub(super) fn checked_bounds(net: &Net, places: &[PlaceId], evidence: Evidence, method: Method, cancel: &Cancel) -> Found {
    let checked = check_bounded(net, places, &evidence, &mut Budget::new(u64::MAX, cancel.clone()));
    let claim = *checked.as_ref().unwrap_or(&Claim::Bounded);
    told(checked.map(|_| ()), Answer { claim, evidence, method: method.name() })
}
