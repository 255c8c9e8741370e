//! Smaller evidence: places that do not matter are forgotten.
//!
//! In a cover a place is forgotten by ω in all members, in a basis by no token in all members; what is then larger than
//! another, or smaller, is left out. The checker is asked whether what remains is still evidence, and if not, the place
//! stays. This is done for one place after the other while there are few markings, and only with ticks that are left.

use serval_budget::Budget;
use serval_net_proof::{Basis, Claim, Cover, Evidence, Pump, check, check_bounded};
use serval_petri::{Formula, Net, PlaceId};

/// Markings and places up to which this is tried.
const MOST: usize = 400;
const TICKS: u64 = 2_000_000;

/// A cover that excludes the goal as well.
pub(super) fn cover(net: &Net, goal: &Formula, cover: Cover, budget: &mut Budget) -> Cover {
    smaller_cover(net, cover, budget, |evidence, budget| check(net, goal, Claim::Unreachable, evidence, budget).is_ok())
}

/// A cover that bounds the places as well.
pub(super) fn bounded(net: &Net, places: &[PlaceId], cover: Cover, budget: &mut Budget) -> Cover {
    smaller_cover(net, cover, budget, |evidence, budget| check_bounded(net, places, evidence, budget) == Ok(Claim::Bounded))
}

/// A run with pumps that shows it with fewer steps: one after the other is left out, if it can be.
pub fn pump(net: &Net, places: &[PlaceId], mut best: Pump, budget: &mut Budget) -> Pump {
    if best.steps.len() > MOST {
        return best;
    }
    for at in (0..best.steps.len()).rev() {
        if budget.spend(1).is_err() {
            break;
        }
        let mut steps = best.steps.clone();
        steps.remove(at);
        let evidence = Evidence::Pump(Pump { steps });
        if check_bounded(net, places, &evidence, &mut Budget::ticks(TICKS)) == Ok(Claim::Unbounded)
            && let Evidence::Pump(shorter) = evidence
        {
            best = shorter;
        }
    }
    best
}

fn smaller_cover(net: &Net, mut best: Cover, budget: &mut Budget, is_enough: impl Fn(&Evidence, &mut Budget) -> bool) -> Cover {
    if best.markings.len() > MOST || net.place_count() > MOST {
        return best;
    }
    for place in 0..net.place_count() {
        if budget.spend(1).is_err() {
            break;
        }
        if best.markings.iter().all(|marking| marking[place].is_none()) {
            continue;
        }
        let mut markings = best.markings.clone();
        markings.iter_mut().for_each(|marking| marking[place] = None);
        let markings = unless(&markings, serval_net_proof::cover::is_below);
        let evidence = Evidence::Cover(Cover { markings });
        if is_enough(&evidence, &mut Budget::ticks(TICKS))
            && let Evidence::Cover(smaller) = evidence
        {
            best = smaller;
        }
    }
    best
}

/// A basis that excludes the goal as well, first without what need not be excluded.
pub(super) fn basis(net: &Net, goal: &Formula, mut best: Basis, budget: &mut Budget) -> Basis {
    if best.markings.len() > MOST || net.place_count() > MOST {
        return best;
    }
    for at in (0..best.excluded.len()).rev() {
        if budget.spend(1).is_err() {
            break;
        }
        let mut fewer = best.clone();
        fewer.excluded.remove(at);
        let evidence = Evidence::Basis(fewer);
        if check(net, goal, Claim::Unreachable, &evidence, &mut Budget::ticks(TICKS)).is_ok()
            && let Evidence::Basis(fewer) = evidence
        {
            best = fewer;
        }
    }
    for place in 0..u32::try_from(net.place_count()).unwrap_or(u32::MAX) {
        if budget.spend(1).is_err() {
            break;
        }
        if best.markings.iter().flatten().all(|one| one.0 != place) {
            continue;
        }
        let mut markings = best.markings.clone();
        markings.iter_mut().for_each(|marking| marking.retain(|one| one.0 != place));
        let tokens = |marking: &[(u32, u64)], place: u32| marking.iter().find(|one| one.0 == place).map_or(0, |one| one.1);
        let is_above = |upper: &[(u32, u64)], lower: &[(u32, u64)]| lower.iter().all(|&(place, least)| tokens(upper, place) >= least);
        let evidence = Evidence::Basis(Basis {
            markings: unless(&markings, is_above),
            weights: best.weights.clone(),
            excluded: best.excluded.clone(),
        });
        if check(net, goal, Claim::Unreachable, &evidence, &mut Budget::ticks(TICKS)).is_ok()
            && let Evidence::Basis(smaller) = evidence
        {
            best = smaller;
        }
    }
    best
}

/// The markings without those that another one stands for; of equal ones the first stays.
fn unless<T: Clone + PartialEq>(markings: &[Vec<T>], stands_below: impl Fn(&[T], &[T]) -> bool) -> Vec<Vec<T>> {
    let is_needless = |at: usize| {
        let by =
            |other: usize| other != at && stands_below(&markings[at], &markings[other]) && (markings[at] != markings[other] || other < at);
        (0..markings.len()).any(by)
    };
    (0..markings.len()).filter(|&at| !is_needless(at)).map(|at| markings[at].clone()).collect()
}
