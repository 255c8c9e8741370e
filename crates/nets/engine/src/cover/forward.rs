//! The minimal coverability set (Finkel 1993), by a pruned tree of ω-markings (Karp, Miller 1969): exactly those
//! markings are below its members that are below a reachable one.
//!
//! A tree of ω-markings grows from the initial marking. A node is *expanded* by firing what can fire at it; what comes
//! out is *accelerated* and becomes a child. Acceleration: if an ancestor `a` is below the new ω-marking `n` and not
//! equal to it, the word from `a` to `n` can be repeated, and where `n` has more, ω takes the place of the number.
//! Words that were repeated once are tried at every new ω-marking, too.
//!
//! *Pruning.* A child that is below a node of the tree, or equal to one, is not made. A node that is strictly below
//! another when its turn comes is not expanded. Nodes are never removed, so that every node has all its ancestors. (To
//! remove nodes together with their subtrees when a larger one turns up is the mistake of Finkel 1993 that Geeraerts,
//! Raskin, Van Begin 2007 describe: a removed subtree may be what justifies the larger one.)
//!
//! **Every ω-marking is justified**: the words lead to it as a run with pumps, in the sense of
//! `serval_net_proof::pump`. Let `w` be the word of transitions from the ancestor `a` to `n`, without pumps between.
//! Places that are ω on the way are ω at `n`. On the others the tokens on the way from `a` are what the transitions of
//! `w` make of them, since pumps do not change numbers, and from `n ≥ a` there are at least as many at each point. So
//! `w` fires at `n`, its effect there is `n − a ≥ 0`, and it is a pump. A word that was found elsewhere is tested for
//! just that before it is used. By the lemma there, each marking below a node is below a reachable one.
//!
//! **Everything is covered.** When no node is left to be expanded, let `E` be the nodes that are strictly below no
//! other. They are expanded: no two nodes are equal, and only what is strictly below another is passed over. Every node
//! is below a member of `E`, as there are finitely many. The initial marking is a node. For `m ∈ E` and `t` that can
//! fire at it, `m + e(t)` is below its accelerated form, which is a node or below one, hence below a member of `E`. So
//! `E` meets the conditions of `serval_net_proof::cover`, and every reachable marking is below a member. With the
//! above, `E` is the minimal coverability set.
//!
//! **It ends.** If not, the tree is infinite, and as each node has finitely many children, it has an infinite branch,
//! whose nodes are all expanded. ω never goes away on a branch, so from some node on the places with ω are the same.
//! Among infinitely many nodes after it two are in order, `a` before `n` with `a ≤ n` (Dickson). They are not equal,
//! since then `n` would not have been made; if `n` has more somewhere, acceleration would have made that ω: a
//! contradiction. ∎

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use serval_budget::{Budget, Stopped};
use serval_net_proof::bounds::excludes;
use serval_net_proof::{Again, Cover, Evidence, Item, Pump, PumpStep};
use serval_petri::{Formula, Linear, Net, PlaceId, at_least};

use super::index::{Index, is_at_most};
use super::{CoverOutcome, OMEGA, cost, run, shrink, written};
use crate::fast::{Circle, Fast};

/// Words that are tried at every new ω-marking.
const WORDS: usize = 64;

/// How a node came to be.
struct CoverNode {
    /// The parent, and what fired there.
    from: Option<(usize, u32)>,
    /// The words, by number, that were repeated then.
    pumps: Vec<usize>,
}

/// A word that was repeated, with what it needs and does.
struct Word {
    word: Vec<u32>,
    circle: Circle,
}

/// The tree, as far as it has grown.
pub struct Tree {
    fast: Fast,
    rows: Index,
    nodes: Vec<CoverNode>,
    words: Vec<Word>,
    /// Nodes that may have to be expanded: most ω first, then the oldest.
    open: BinaryHeap<(usize, Reverse<usize>)>,
}

/// Why a tree stopped growing.
enum Grown {
    /// A node is what was looked for.
    Met(usize),
    /// Everything is covered.
    All,
    /// A place has more tokens than fit.
    TooManyTokens,
}

/// What a tree says of a goal.
pub(super) enum Reached {
    /// A word that leads there, and what it needs in the beginning by place.
    Word(Vec<Item>, Vec<i128>),
    /// What covers all markings, and has none of the goal below it.
    Nothing(Cover),
    /// A place has more tokens than fit.
    TooManyTokens,
}

/// An ω-marking, with a run with pumps that leads to it.
pub type Justified = (Vec<Option<u64>>, Pump);

/// How large a sum of places can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Largest {
    /// As large as one likes.
    Omega(Pump),
    /// As large as this.
    Number {
        /// The value.
        value: u64,
        /// A run to where it has it.
        word: Vec<Item>,
        /// ω-markings none of which has more.
        cover: Cover,
    },
    /// A number does not fit.
    TooMany,
}

/// What is known about bounds of places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// They are bounded, or one is not.
    Shown(Box<Evidence>),
    /// A place has more tokens than fit.
    TooManyTokens,
}

impl Tree {
    /// The tree of the initial marking alone.
    pub fn new(net: &Net) -> Option<Self> {
        let fast = Fast::new(net);
        (!fast.initial.contains(&OMEGA)).then(|| Self::from(fast))
    }

    /// The tree of a marking that may have ω in the beginning.
    pub(super) fn from(fast: Fast) -> Self {
        let mut tree = Self { rows: Index::new(fast.initial.len()), nodes: Vec::new(), words: Vec::new(), open: BinaryHeap::new(), fast };
        let initial = tree.fast.initial.clone();
        tree.insert(&initial, None, Vec::new());
        tree
    }

    fn insert(&mut self, marking: &[u64], from: Option<(usize, u32)>, pumps: Vec<usize>) -> usize {
        let node = self.nodes.len();
        self.rows.add(node, marking);
        self.nodes.push(CoverNode { from, pumps });
        let omegas = marking.iter().filter(|&&tokens| tokens == OMEGA).count();
        self.open.push((omegas, Reverse(node)));
        node
    }

    /// Grows until a node is looked for, or everything is covered. A tick is a child that is looked at, and more where
    /// there are many places.
    fn grow(&mut self, is_met: impl Fn(&[u64]) -> bool, budget: &mut Budget) -> Result<Grown, Stopped> {
        if let Some(node) = (0..self.nodes.len()).find(|&node| is_met(self.rows.row(node))) {
            return Ok(Grown::Met(node));
        }
        while let Some(next) = self.open.pop() {
            let grown = self.expand(next.1.0, &is_met, budget);
            if !matches!(grown, Ok(None)) {
                // It is done again when the search goes on, and what it has made already is passed over then.
                self.open.push(next);
            }
            if let Some(grown) = grown? {
                return Ok(grown);
            }
        }
        Ok(Grown::All)
    }

    /// Makes the children of a node, unless it is strictly below another.
    fn expand(&mut self, node: usize, is_met: &impl Fn(&[u64]) -> bool, budget: &mut Budget) -> Result<Option<Grown>, Stopped> {
        let marking = self.rows.row(node).to_vec();
        if self.rows.above(&marking, true).is_some() {
            return Ok(None);
        }
        for transition in 0..self.fast.inputs.len() {
            // ω is the largest number, so that it is always enough.
            if !self.fast.is_enabled(&marking, transition) {
                continue;
            }
            budget.spend(cost(self.fast.initial.len()))?;
            let Some(mut next) = self.fired(&marking, transition) else { return Ok(Some(Grown::TooManyTokens)) };
            if self.rows.above(&next, false).is_some() {
                continue;
            }
            let transition = u32::try_from(transition).unwrap_or(u32::MAX);
            let pumps = self.accelerate(node, transition, &mut next, budget)?;
            if !pumps.is_empty() && self.rows.above(&next, false).is_some() {
                continue;
            }
            let made = self.insert(&next, Some((node, transition)), pumps);
            if is_met(&next) {
                return Ok(Some(Grown::Met(made)));
            }
        }
        Ok(None)
    }

    /// What an enabled transition leads to.
    fn fired(&self, marking: &[u64], transition: usize) -> Option<Vec<u64>> {
        let mut next = marking.to_vec();
        for &(place, change) in self.fast.effects[transition].iter().filter(|one| marking[one.0] != OMEGA) {
            let after = i128::from(next[place]).checked_add(change)?;
            next[place] = u64::try_from(after).ok().filter(|&tokens| tokens != OMEGA)?;
        }
        Some(next)
    }

    /// Puts ω where a word can be repeated; the words that were.
    fn accelerate(&mut self, parent: usize, transition: u32, marking: &mut [u64], budget: &mut Budget) -> Result<Vec<usize>, Stopped> {
        let mut pumps = Vec::new();
        while let Some(number) = self.repeated(parent, transition, marking, budget)? {
            pumps.push(number);
        }
        Ok(pumps)
    }

    /// Puts ω where one word can be repeated.
    fn repeated(&mut self, parent: usize, transition: u32, marking: &mut [u64], budget: &mut Budget) -> Result<Option<usize>, Stopped> {
        if let Some(number) = self.words.iter().take(WORDS).position(|word| word.pump(marking)) {
            return Ok(Some(number));
        }
        let (mut at, mut word) = (parent, vec![transition]);
        loop {
            let ancestor = self.rows.row(at);
            let grows = |place: usize| ancestor[place] < marking[place] && marking[place] != OMEGA;
            if is_at_most(ancestor, marking) && (0..marking.len()).any(grows) {
                word.reverse();
                let found = Word::new(&self.fast, word);
                let pumped = found.pump(marking);
                debug_assert!(pumped, "the word from an ancestor below can be repeated");
                self.words.push(found);
                return Ok(pumped.then(|| self.words.len() - 1));
            }
            let Some((before, fired)) = self.nodes[at].from else {
                budget.spend(u64::try_from(word.len() / 8).unwrap_or(u64::MAX))?;
                return Ok(None);
            };
            word.push(fired);
            at = before;
        }
    }

    /// The run with pumps that leads to a node.
    fn steps(&self, node: usize) -> Vec<PumpStep> {
        let (mut chain, mut at) = (Vec::new(), node);
        while let Some((parent, fired)) = self.nodes[at].from {
            chain.push((fired, &self.nodes[at].pumps));
            at = parent;
        }
        let again = |&number: &usize| PumpStep::Again(Again { pump: self.words[number].word.clone() });
        let mut steps = Vec::new();
        for (fired, pumps) in chain.into_iter().rev() {
            steps.push(PumpStep::Item(Item::Fire(fired)));
            steps.extend(pumps.iter().map(again));
        }
        steps
    }

    /// The nodes that are strictly below no other.
    fn largest(&self) -> Vec<usize> {
        (0..self.nodes.len()).filter(|&node| self.rows.above(self.rows.row(node), true).is_none()).collect()
    }

    fn cover(&self) -> Cover {
        let mut markings: Vec<Vec<Option<u64>>> = self.largest().into_iter().map(|node| written(self.rows.row(node))).collect();
        markings.sort_unstable();
        Cover { markings }
    }

    /// How many ω-markings there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none, which is never so.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The minimal coverability set, each ω-marking with a run with pumps that leads to it. `None` where a place has
    /// more tokens than fit.
    pub fn all(&mut self, budget: &mut Budget) -> Result<Option<Vec<Justified>>, Stopped> {
        match self.grow(|_| false, budget)? {
            Grown::All => {
                let mut all: Vec<_> =
                    self.largest().into_iter().map(|node| (written(self.rows.row(node)), Pump { steps: self.steps(node) })).collect();
                all.sort_unstable_by(|left, right| left.0.cmp(&right.0));
                Ok(Some(all))
            }
            Grown::Met(_) | Grown::TooManyTokens => Ok(None),
        }
    }

    /// Whether a goal that is upward closed can be reached.
    pub fn ask(&mut self, net: &Net, goal: &Formula, budget: &mut Budget) -> Result<CoverOutcome, Stopped> {
        if goal.not_upward().is_some() {
            return Ok(CoverOutcome::Nothing);
        }
        Ok(match self.reach(goal, budget)? {
            Reached::TooManyTokens => CoverOutcome::TooManyTokens,
            Reached::Word(word, _) => CoverOutcome::Reached(word),
            Reached::Nothing(cover) => CoverOutcome::Excluded(Box::new(Evidence::Cover(shrink::cover(net, goal, cover, budget)))),
        })
    }

    /// Grows until a goal that is upward closed is met, or everything is covered.
    pub(super) fn reach(&mut self, goal: &Formula, budget: &mut Budget) -> Result<Reached, Stopped> {
        let is_met = |marking: &[u64]| {
            let bounds: Vec<Option<i128>> = marking.iter().map(|&tokens| (tokens != OMEGA).then_some(tokens.into())).collect();
            !excludes(goal, &bounds)
        };
        Ok(match self.grow(is_met, budget)? {
            Grown::TooManyTokens => Reached::TooManyTokens,
            Grown::Met(node) => {
                let word = run::covering(&self.fast, &self.steps(node), self.rows.row(node), goal);
                word.map_or(Reached::TooManyTokens, |(word, needed)| Reached::Word(word, needed))
            }
            Grown::All => Reached::Nothing(self.cover()),
        })
    }

    /// How large a sum of places, each with a factor of at least 1, can be. Where the places are ω in no member of the
    /// whole set, the members have what is reached: each is justified, so that a marking with as many tokens on these
    /// places can be reached, and each reachable marking is below one.
    pub fn largest_value(&mut self, net: &Net, sum: &Linear, budget: &mut Budget) -> Result<Largest, Stopped> {
        let places: Vec<PlaceId> = sum.terms().iter().map(|term| term.0).collect();
        Ok(match self.grow(|marking| places.iter().any(|place| marking[place.index()] == OMEGA), budget)? {
            Grown::TooManyTokens => Largest::TooMany,
            Grown::Met(node) => Largest::Omega(shrink::pump(net, &places, Pump { steps: self.steps(node) }, budget)),
            Grown::All => {
                let value = |node: usize| {
                    let row = self.rows.row(node);
                    let parts = sum.terms().iter().map(|&(place, factor)| i128::from(factor).checked_mul(row[place.index()].into()));
                    parts.chain([Some(sum.constant().into())]).try_fold(0_i128, |value, part| value.checked_add(part?))
                };
                let values: Option<Vec<(i128, usize)>> = self.largest().into_iter().map(|node| Some((value(node)?, node))).collect();
                let Some((value, node)) = values.and_then(|values| values.into_iter().max()) else { return Ok(Largest::TooMany) };
                let found = u64::try_from(value).ok().and_then(|value| {
                    let (goal, more) = (at_least(sum, value)?, at_least(sum, value.checked_add(1)?)?);
                    let (word, _) = run::covering(&self.fast, &self.steps(node), self.rows.row(node), &goal)?;
                    Some(Largest::Number { value, word, cover: shrink::cover(net, &more, self.cover(), budget) })
                });
                found.unwrap_or(Largest::TooMany)
            }
        })
    }

    /// Whether places are bounded.
    pub fn bounded(&mut self, net: &Net, places: &[PlaceId], budget: &mut Budget) -> Result<Bounds, Stopped> {
        let grown = self.grow(|marking| places.iter().any(|place| marking[place.index()] == OMEGA), budget)?;
        Ok(match grown {
            Grown::TooManyTokens => Bounds::TooManyTokens,
            Grown::Met(node) => {
                let pump = shrink::pump(net, places, Pump { steps: self.steps(node) }, budget);
                Bounds::Shown(Box::new(Evidence::Pump(pump)))
            }
            Grown::All => Bounds::Shown(Box::new(Evidence::Cover(shrink::bounded(net, places, self.cover(), budget)))),
        })
    }
}

impl Word {
    fn new(fast: &Fast, word: Vec<u32>) -> Self {
        let circle = run::circle(fast, &word);
        Self { word, circle }
    }

    /// Whether the word can be repeated and something grows; then ω is put there.
    fn pump(&self, marking: &mut [u64]) -> bool {
        let is_omega = |place: usize| marking[place] == OMEGA;
        let effects = self.circle.effects();
        let can = effects.iter().any(|&(place, effect)| effect > 0 && !is_omega(place))
            && effects.iter().all(|&(place, effect)| effect >= 0 || is_omega(place))
            && self.circle.needs().iter().all(|&(place, need)| is_omega(place) || i128::from(marking[place]) >= need);
        if can {
            effects.iter().filter(|one| one.1 > 0).for_each(|&(place, _)| marking[place] = OMEGA);
        }
        can
    }
}
