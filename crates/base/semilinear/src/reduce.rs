//! The same set with fewer components.
//!
//! Pruning on the way compares components one by one. When a set is done,
//! more can be said, since the others together may have what none of them has
//! alone. Some rules are applied until nothing changes.
//!
//! **Lowering.** Let `p` be a period of the component `C = b + ℕ P`, let `p ≤ b`,
//! and let the other components together include `(b − p) + ℕ (P without p)`.
//! Then `C` can be replaced by `(b − p) + ℕ P`, and the union stays the same: by
//! whether `p` occurs,
//!
//! ```text
//! (b − p) + ℕ P = ((b − p) + ℕ (P without p)) ∪ (b + ℕ P).
//! ```
//!
//! Stars leave such pairs: `L* = {0} ∪ (b + ℕ b + ℕ P)` has two components, and
//! for `P = ∅` it is one, `ℕ b`.
//!
//! So this does afterwards what factoring does before, and more slowly; it is not
//! done where factoring is switched off, nor where pruning is.
//!
//! **Growing.** If all components together include `b + ℕ (P ∪ {q})`, then this
//! can take the place of `b + ℕ P`, which it includes. What is tried as `q` are
//! periods of other components, and differences of bases: `4 ℕ`, `1 + 4 ℕ`,
//! `2 + 4 ℕ` and `3 + 4 ℕ` together are `ℕ`.
//!
//! **Dropping.** A component that is included in the union of the others says
//! nothing. What a component includes after it became larger is dropped, too.
//!
//! **Witnesses.** Dropping keeps them. A lowered component needs a walk for its
//! new base, from the initial state, such that each of its periods passes a
//! state that this walk visits. The base is in one of the others, and so has a
//! walk there; a period that passes no state of it, but has the letters of a
//! period there, is replaced by that one, which does. If some period remains,
//! the next walk is tried, and if none will do the component stays as it is. A
//! grown component need not have a witness at all: letters of a single edge
//! that is no closed walk, say. So there are two sets, a small one for its
//! complement and one with witnesses ([`Image`](crate::Image)).
//!
//! Inclusion is decided exactly, as far as a number of ticks goes; what takes
//! longer counts as not included, which is always right. Each test takes from
//! a fixed number of ticks, so that this ends.

use serval_budget::Stopped;

use crate::set::{Options, Semilinear, SetWork};
use crate::{Counts, EdgeId, Error, Letter, LinearSet, Vector};

/// Ticks for one test of inclusion.
const TEST_TICKS: u64 = 100_000;
/// Ticks for all of them.
const ALL_TICKS: u64 = 10_000_000;

/// Whether a period passes a state that a walk visits: the edges of the walk,
/// and those of the period.
pub(crate) type Passes<'a> = dyn Fn(&Counts<EdgeId>, &Counts<EdgeId>) -> bool + 'a;

struct Reduction<'a, 'b> {
    letters: usize,
    components: Vec<LinearSet>,
    /// If witnesses are to be kept.
    passes: Option<&'a Passes<'a>>,
    work: &'a mut SetWork<'b>,
    /// For tests that are exact.
    ticks: u64,
}

type RewriteRule<'a, 'b> = fn(&mut Reduction<'a, 'b>, usize) -> Result<bool, Error>;

impl<'a, 'b> Reduction<'a, 'b> {
    /// All components but one, if one is left out.
    fn others(&self, without: Option<usize>) -> impl Iterator<Item = &LinearSet> {
        self.components.iter().enumerate().filter(move |&(place, _)| Some(place) != without).map(|(_, component)| component)
    }

    /// Whether one of the others obviously includes this set.
    fn obvious(&mut self, linear: &LinearSet, place: usize) -> Result<bool, Error> {
        for (other, component) in self.components.iter().enumerate() {
            if other != place && linear.obviously_within(component, self.work.budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the components together include this set, as far as the ticks go.
    fn exact(&mut self, linear: &LinearSet, without: Option<usize>) -> Result<bool, Error> {
        let ticks = self.ticks.min(TEST_TICKS);
        // Those that share no vector with it do not help, and cost much.
        let near: Vec<LinearSet> = self.others(without).filter(|other| may_meet(linear, other)).cloned().collect();
        if ticks == 0 || near.is_empty() {
            return Ok(false);
        }
        let (one, near) = (Semilinear::new(self.letters, vec![linear.clone()])?, Semilinear::new(self.letters, near)?);
        let mut part = self.work.budget.part(ticks);
        let before = part.left();
        let options = Options { prune: true, ..self.work.options.clone() };
        let included = one.is_included_in(&near, &mut SetWork::new(&options, &mut part));
        let spent = before.saturating_sub(part.left());
        self.ticks = self.ticks.saturating_sub(spent.max(1));
        self.work.budget.spend(spent)?;
        match included {
            Err(Error::Stopped(Stopped::Cancelled)) => Err(Error::Stopped(Stopped::Cancelled)),
            Ok(included) => Ok(included),
            Err(_) => Ok(false),
        }
    }

    /// This base with these periods, and with a witness if there has to be one.
    fn witnessed(&mut self, base: Counts<Letter>, periods: &[Vector], place: usize) -> Result<Option<LinearSet>, Error> {
        let Some(passes) = self.passes else { return Ok(Some(LinearSet::new(base.into(), periods.iter().cloned()))) };
        for (other, component) in self.components.iter().enumerate() {
            if other == place {
                continue;
            }
            let Some(edges) = component.witness(&base, self.work.budget)? else { continue };
            let attached = periods.iter().map(|period| {
                if passes(&edges, period.edges()) {
                    return Some(period.clone());
                }
                component.periods().binary_search(period).ok().and_then(|same| component.periods().get(same).cloned())
            });
            if let Some(periods) = attached.collect::<Option<Vec<Vector>>>() {
                return Ok(Some(LinearSet::new(Vector::new(base, edges), periods)));
            }
        }
        Ok(None)
    }

    /// Lowers a component by one of its periods, if that can be.
    fn lower(&mut self, place: usize, exact: bool) -> Result<bool, Error> {
        let Some(component) = self.components.get(place).cloned() else { return Ok(false) };
        for period in component.periods() {
            let Some(base) = component.base().letters().minus(period.letters()) else { continue };
            let without = component.periods().iter().filter(|other| *other != period).cloned();
            let below = LinearSet::new(base.clone().into(), without);
            if !(self.obvious(&below, place)? || (exact && self.exact(&below, Some(place))?)) {
                continue;
            }
            if let Some(lowered) = self.witnessed(base, component.periods(), place)? {
                self.replace(place, &lowered)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Gives a component another period, if that can be.
    fn grow(&mut self, place: usize) -> Result<bool, Error> {
        let Some(component) = self.components.get(place).cloned() else { return Ok(false) };
        let differences = self.others(Some(place)).filter_map(|other| other.base().letters().minus(component.base().letters()));
        let periods = self.others(Some(place)).flat_map(|other| other.periods().iter().map(|period| period.letters().clone()));
        let mut tried: Vec<Counts<Letter>> = differences.chain(periods).collect();
        tried.sort();
        tried.dedup();
        for period in tried {
            let grown = component.with_periods(&[Vector::from(period)]).without_redundant_periods(self.work.budget)?;
            if !grown.obviously_within(&component, self.work.budget)? && self.exact(&grown, None)? {
                self.replace(place, &grown)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Puts a component in the place of a smaller one, and drops what it includes.
    fn replace(&mut self, place: usize, linear: &LinearSet) -> Result<(), Error> {
        let mut kept = Vec::with_capacity(self.components.len());
        for (other, component) in self.components.drain(..).enumerate() {
            if other == place {
                kept.push(linear.clone());
            } else if !component.obviously_within(linear, self.work.budget)? {
                kept.push(component);
            }
        }
        self.components = kept;
        Ok(())
    }

    /// Drops a component that the others include.
    fn drop_included(&mut self, place: usize) -> Result<bool, Error> {
        let Some(component) = self.components.get(place).cloned() else { return Ok(false) };
        let included = self.exact(&component, Some(place))?;
        if included {
            self.components.remove(place);
        }
        Ok(included)
    }

    /// Applies a rule to one component after the other until it applies no more.
    fn exhaust(&mut self, rule: RewriteRule<'a, 'b>) -> Result<bool, Error> {
        let mut changed = false;
        let mut place = self.components.len();
        // The last ones are the largest as a rule.
        while let Some(before) = place.checked_sub(1) {
            place = before;
            if rule(self, place)? {
                changed = true;
                place = self.components.len();
            }
        }
        Ok(changed)
    }

    fn run(&mut self) -> Result<(), Error> {
        self.exhaust(|reduction, place| reduction.lower(place, false))?;
        loop {
            let mut changed = self.exhaust(Self::drop_included)?;
            changed |= self.exhaust(|reduction, place| reduction.lower(place, true))?;
            if self.passes.is_none() {
                changed |= self.exhaust(Self::grow)?;
            }
            if !changed {
                return Ok(());
            }
        }
    }
}

/// Whether two sets may have a vector in common: what the base of each has,
/// the other must be able to have.
fn may_meet(one: &LinearSet, other: &LinearSet) -> bool {
    let fits =
        |base: &LinearSet, within: &LinearSet| base.base().letters().iter().all(|(letter, _)| within.letters().any(|has| has == letter));
    fits(one, other) && fits(other, one)
}

impl Semilinear {
    fn reduced(&self, passes: Option<&Passes<'_>>, work: &mut SetWork<'_>) -> Result<Self, Error> {
        let (letters, components) = (self.letters(), self.components().to_vec());
        let mut reduction = Reduction { letters, components, passes, work, ticks: ALL_TICKS };
        reduction.run()?;
        let components = reduction.components;
        Self::new(letters, components)
    }

    /// The same set with fewer components, and with witnesses.
    ///
    /// `passes` says whether a period, given by its edges, passes a state that a
    /// walk visits, given by its edges, too.
    pub(crate) fn with_fewer(&self, passes: &Passes<'_>, work: &mut SetWork<'_>) -> Result<Self, Error> {
        self.reduced(Some(passes), work)
    }

    /// The same set with few components, and without witnesses. What is hard to
    /// decide is kept.
    pub fn small(&self, work: &mut SetWork<'_>) -> Result<Self, Error> {
        let bare = |vector: &Vector| Vector::from(vector.letters().clone());
        let components = self.components().iter().map(|linear| LinearSet::new(bare(linear.base()), linear.periods().iter().map(bare)));
        Self::new(self.letters(), components.collect())?.reduced(None, work)
    }
}
