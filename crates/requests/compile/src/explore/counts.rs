//! What the global state counts: how many requests are somewhere.
//!
//! A *count* is a function `φ` of the global state that is 0 at the initial one, with a weight `w(l) ≥ 0` for each
//! local state, which is 0 where requests begin and where they are done. A pair `(l, g)` is *admitted* if
//! `w(l) ≤ φ(g)`. The count is *conserved* if each step `(l, g) → (l', g')` from an admitted pair has
//! `φ(g') − φ(g) = w(l') − w(l)`.
//!
//! **Claim.** At every moment of a run the weights of the requests in flight add up to `φ(g)`, if the count is
//! conserved. *Proof* by induction on the run. At the beginning both are 0. A request that begins or leaves weighs
//! nothing. A request that steps from `(l, g)` weighs no more than all of them together, which is `φ(g)`, so the pair
//! is admitted, and both sides change by the same. ∎
//!
//! Hence only admitted pairs occur, and two requests in flight, in `l` and `m`, have `w(l) + w(m) ≤ φ(g)`: when the one
//! makes a step the other is there to see the result only if this holds. That is what [`super::product`] asks.
//!
//! A number of readers, a lock, a semaphore are counts. Candidates for `φ` are the values of variables, up and down,
//! whether they differ from what they are at first, and combinations of several ([`super::conserved`]). Weights follow
//! from the steps: one step to a local state gives its weight, and all others have to agree. A candidate that fails is
//! dropped and the pass begins again, so that in the end the steps of all pairs that the counts admit have been
//! compared.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serval_model::{GlobalId, LocalId};

use super::conserved::combinations;
use super::function::Function;
use super::trail::Neighbourhood;
use crate::space::{Move, Space};

/// Real configurations from which weights are guessed.
const SAMPLE: usize = 400;
/// Candidates at most: comparing them must not cost more than the steps.
const MAX_CANDIDATES: usize = 96;

/// The local states of one class have the same weights.
pub(crate) type Class = u32;

/// Counts, as far as they have been found out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    functions: Vec<Function>,
    /// The weights of each class, one per function. The first class weighs nothing.
    classes: IndexSet<Box<[i64]>, FxBuildHasher>,
    /// The class of each local state that has been met.
    class_of: Vec<Option<Class>>,
    /// The functions at each global state, as they are needed.
    levels: Vec<Option<Box<[i64]>>>,
}

/// The functions that a step does not conserve, by their positions.
pub(crate) struct Broken(Vec<usize>);

impl Counts {
    fn new(space: &Space, functions: Vec<Function>) -> Self {
        let mut classes = IndexSet::default();
        classes.insert(vec![0; functions.len()].into());
        let mut counts = Self { functions, classes, class_of: Vec::new(), levels: Vec::new() };
        for &(_, start) in space.starts() {
            counts.set_class(start, 0);
        }
        counts
    }

    /// The candidates that short runs do not refute.
    pub(crate) fn guess(space: &mut Space) -> Self {
        let slots = space.global(space.initial_global()).len();
        let of = |slot| [Function::Above(slot), Function::Below(slot), Function::Differs(slot)];
        let mut candidates: Vec<Function> = (0..slots).flat_map(of).take(MAX_CANDIDATES).collect();
        let pairs = Neighbourhood::explore(space, SAMPLE).pairs();
        candidates.extend(combinations(space, &pairs));
        let mut counts = Self::new(space, candidates);
        let mut refuted = vec![false; counts.functions.len()];
        for (local, global) in pairs {
            for index in space.moves(local, global) {
                if let Err(Broken(broken)) = counts.conserve(space, local, global, space.moves[index]) {
                    for position in broken {
                        refuted[position] = true;
                    }
                }
            }
        }
        // A function by which nothing weighs anything excludes nothing.
        let weighs = |position: usize| counts.classes.iter().any(|weights| weights[position] > 0);
        let kept = counts.functions.iter().enumerate().filter(|&(position, _)| !refuted[position] && weighs(position));
        Self::new(space, kept.map(|(_, function)| function.clone()).collect())
    }

    /// Without those that are broken, and with all weights open again.
    pub(crate) fn without(&self, space: &Space, broken: &Broken) -> Self {
        let kept = self.functions.iter().enumerate().filter(|(position, _)| !broken.0.contains(position));
        Self::new(space, kept.map(|(_, function)| function.clone()).collect())
    }

    pub(crate) fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The weights of a local state, one per function.
    pub(crate) fn weights(&self, local: LocalId) -> Box<[i64]> {
        self.classes[self.class(local) as usize].clone()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// The class of a local state. One that has not been met weighs nothing yet.
    pub(crate) fn class(&self, local: LocalId) -> Class {
        self.class_of.get(local.index()).copied().flatten().unwrap_or(0)
    }

    fn set_class(&mut self, local: LocalId, class: Class) {
        if self.class_of.len() <= local.index() {
            self.class_of.resize(local.index() + 1, None);
        }
        self.class_of[local.index()] = Some(class);
    }

    /// Whether requests of these two classes can be in flight together. The global state has been compared.
    pub(crate) fn admit(&self, one: Class, other: Class, global: GlobalId) -> bool {
        let weights = |class: Class| self.classes.get_index(class as usize);
        let (Some(one), Some(other), Some(Some(level))) = (weights(one), weights(other), self.levels.get(global.index())) else {
            return true;
        };
        one.iter().zip(other).zip(level).all(|((one, other), level)| one.checked_add(*other).is_some_and(|sum| sum <= *level))
    }

    /// Finds the functions at a global state, unless one has no value.
    fn measure(&mut self, space: &Space, global: GlobalId) {
        if self.levels.len() <= global.index() {
            self.levels.resize(global.index() + 1, None);
        }
        let level = &mut self.levels[global.index()];
        if level.is_none() {
            let (values, initial) = (space.global(global), space.global(space.initial_global()));
            *level = self.functions.iter().map(|function| function.at(values, initial)).collect();
        }
    }

    /// Compares a step from an admitted pair, or learns the weights of the state that it leads to.
    pub(crate) fn conserve(&mut self, space: &Space, local: LocalId, global: GlobalId, step: Move) -> Result<(), Broken> {
        if self.functions.is_empty() {
            return Ok(());
        }
        self.measure(space, global);
        self.measure(space, step.global);
        let (Some(Some(before)), Some(Some(after))) = (self.levels.get(global.index()), self.levels.get(step.global.index())) else {
            return Err(Broken((0..self.functions.len()).collect()));
        };
        let from = &self.classes[self.class(local) as usize];
        let gained = |position: usize| from[position].checked_add(after[position].checked_sub(before[position])?);
        let known = if space.is_finished(step.local) { Some(0) } else { self.class_of.get(step.local.index()).copied().flatten() };
        let positions = 0..self.functions.len();
        let Some(class) = known else {
            let weights: Vec<Option<i64>> = positions.clone().map(|position| gained(position).filter(|&weight| weight >= 0)).collect();
            let broken: Vec<usize> = positions.filter(|&position| weights[position].is_none()).collect();
            let weights = weights.into_iter().map(Option::unwrap_or_default).collect();
            let class = self.classes.insert_full(weights).0;
            self.set_class(step.local, Class::try_from(class).unwrap_or(Class::MAX));
            return if broken.is_empty() { Ok(()) } else { Err(Broken(broken)) };
        };
        // Weights that are known are never negative. Nearly all steps are of this kind, so nothing is written down for
        // them.
        let weights = &self.classes[class as usize];
        let broken: Vec<usize> = positions.filter(|&position| gained(position) != Some(weights[position])).collect();
        if broken.is_empty() { Ok(()) } else { Err(Broken(broken)) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serval_budget::Budget;
    use serval_syntax::analyze;
    use serval_testkit::random::{Shape, random_program};

    use super::*;
    use crate::explore::cover::Cover;
    use crate::explore::product::Product;
    use crate::explore::run_counted;
    use crate::options::Options;
    use crate::prepared::Prepared;

    const TICKS: u64 = 10_000;

    /// Whether the pass with counts and the exact one are both complete for all parts, and some part has counts. What
    /// really occurs must be among what the counts admit.
    fn compared(text: &str) -> bool {
        let prepared = Prepared::new(&analyze(text).program.unwrap(), Options::default());
        let mut counting = false;
        for part in 0..prepared.component_count() {
            let mut space = prepared.space(part);
            let mut cover = Cover::default();
            if cover.run(&mut space, &mut Budget::ticks(TICKS)).is_err() {
                return false;
            }
            let mut counted = Product::with(Counts::guess(&mut space));
            if counted.counts().is_empty() || !matches!(run_counted(&mut counted, &mut space, &mut Budget::ticks(TICKS)), Ok(true)) {
                continue;
            }
            counting |= !counted.counts().is_empty();
            let admitted: BTreeSet<(LocalId, GlobalId)> = counted.pairs.iter().copied().collect();
            let complete = counted.counts().is_empty() || cover.pairs.iter().all(|pair| admitted.contains(pair));
            assert!(complete, "{text}");
        }
        counting
    }

    #[test]
    fn what_occurs_is_admitted() {
        let sweep = serval_effort::sweep("compile.counts", 200, 600);
        let compared = sweep.map(0, |seed| {
            let shape = Shape::ALL[usize::try_from(seed).unwrap() % Shape::ALL.len()];
            compared(&random_program(seed, shape))
        });
        let count = u64::try_from(compared.iter().filter(|counting| **counting).count()).unwrap();
        assert!(!sweep.is_representative() || count * 200 >= sweep.count(), "{count}");
    }

    /// Programs that take and give back, of which some do so wrongly.
    #[test]
    fn what_occurs_is_admitted_where_something_is_counted() {
        let takes = ["L == 1", "L == 2", "L > 2", "L != 0", "M == 1", "L == 1 && M == 0", "0"];
        let enters = ["L := L + 1", "L := 1", "L := 1 - L", "M := 1", "L := L + 1; M := 1 - M", "L := (L + 1) % 3"];
        let leaves = ["L := L - 1", "L := 0", "L := 1 - L", "M := 0", "L := (L + 2) % 3", "if (L > 0) { L := L - 1 }"];
        let (mut all, mut counting) = (0, 0);
        for (position, take) in takes.iter().enumerate() {
            for enter in enters {
                for leave in leaves {
                    let other = takes[(position + 3) % takes.len()];
                    let text = format!(
                        "request a {{ while ({take}) {{ yield }}; {enter}; yield; X := 1 - X; yield; {leave}; X }}
                         request b {{ while ({other}) {{ yield }}; L := L + 1; yield; L := L - 1; 0 }}"
                    );
                    all += 1;
                    counting += usize::from(compared(&text));
                }
            }
        }
        assert!(counting * 10 > all, "{counting} of {all}");
    }

    /// Programs in which something moves between variables, and of which some lose it or have two of it.
    #[test]
    fn what_occurs_is_admitted_where_something_moves() {
        let takes = ["A > 0", "A > 1", "A != 0", "B < 2", "A == 2 or B == 0", "1"];
        let moves = ["A := A - 1", "A := A - 1; C := C + 1", "A := 0", "A := A - 2", "C := 1", "A := 2 - B"];
        let gives = ["B := B + 1", "B := B + 1; C := C - 1", "B := B + 2", "C := 0; B := B + 1", "C := 2; B := 1", "B := B + 1; C := 0"];
        let (mut all, mut sums) = (0, 0);
        for (position, take) in takes.iter().enumerate() {
            for mv in moves {
                for give in gives {
                    let back = gives[(position + 1) % gives.len()].replace("B :=", "A :=").replace("B +", "A +");
                    let text = format!(
                        "A := 2 request out {{ await ({take}); {mv}; yield; {give}; 0 }}
                         request back {{ await (B > 0); B := B - 1; yield; {back}; 0 }}"
                    );
                    all += 1;
                    sums += usize::from(compared(&text));
                }
            }
        }
        assert!(sums * 20 > all, "{sums} of {all}");
    }
}
