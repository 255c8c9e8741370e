//! Place invariants (Murata 1989), by linear programming: weighted sums that no transition increases, as bounds of
//! places.
//!
//! The marking equation, without integers, says how many tokens a place `p` can have at most: the largest
//! `M(p) = M0(p) + Σ x_t·e(t)(p)` with `x ≥ 0` and `M ≥ 0`. By duality that is the least `y·M0` among all `y ≥ 0` with
//! `y·e(t) ≤ 0` and `y_p = 1`, and the simplex that finds the one has the other in its tableau. `x = 0` is a solution,
//! so it begins at once, and asks for one place after the other on the same tableau. One sum often bounds many places,
//! and a place that has a good bound already is not asked for again.

use std::ops::Mul;

use serval_arith::lp::{Largest, Region};
use serval_arith::{Int, Rational};
use serval_budget::{Budget, Stopped};
use serval_linear::Linear;
use serval_net_proof::bounds::excludes;
use serval_net_proof::equation::marking_equation;
use serval_net_proof::{Evidence, Weights};
use serval_petri::{Formula, Net, PlaceId};

/// Bounds of places that are known so far, with the sums that show them.
#[derive(Default)]
pub struct PlaceBounds {
    sums: Vec<Vec<(u32, u64)>>,
    bounds: Vec<Option<i128>>,
    /// By place the sum that its bound comes from.
    from: Vec<Option<usize>>,
    asked: Vec<bool>,
    simplex: SimplexState,
}

/// The simplex of a net, which is made when the first place is asked for.
#[derive(Default)]
enum SimplexState {
    #[default]
    None,
    /// There is none, because a number does not fit.
    Unfit,
    Ready(Box<Region>),
}

impl PlaceBounds {
    /// Nothing is known of the places of a net.
    pub fn new(net: &Net) -> Self {
        let places = net.place_count();
        Self {
            sums: Vec::new(),
            bounds: vec![None; places],
            from: vec![None; places],
            asked: vec![false; places],
            simplex: SimplexState::None,
        }
    }

    /// Asks for bounds of the places that the goal counts, until they exclude it.
    pub fn exclude(&mut self, net: &Net, goal: &Formula, budget: &mut Budget) -> Result<Option<Evidence>, Stopped> {
        for constraint in goal.constraints() {
            let alone = Formula::constraint(constraint.clone());
            for &(place, _) in constraint.expression().terms() {
                // What is excluded already needs no better bounds, and one sum bounds many places.
                if excludes(&alone, &self.bounds) {
                    break;
                }
                if !self.asked[place.index()] {
                    self.bound(net, place.index(), budget)?;
                    self.asked[place.index()] = true;
                }
            }
        }
        if !excludes(goal, &self.bounds) {
            return Ok(None);
        }
        let places = goal.constraints().flat_map(|constraint| constraint.expression().terms().iter().map(|term| term.0.index()));
        let mut used: Vec<usize> = places.filter_map(|place| self.from[place]).collect();
        used.sort_unstable();
        used.dedup();
        Ok(Some(Evidence::Weights(Weights { sums: used.into_iter().map(|sum| self.sums[sum].clone()).collect() })))
    }

    /// Asks for bounds of these places; `None` where one has none, or the budget ends.
    pub fn bounded(&mut self, net: &Net, places: &[PlaceId], budget: &mut Budget) -> Option<Evidence> {
        for place in places.iter().map(|place| place.index()) {
            if self.bounds[place].is_none() {
                self.bound(net, place, budget).ok()?;
            }
            self.bounds[place]?;
        }
        let mut used: Vec<usize> = places.iter().filter_map(|place| self.from[place.index()]).collect();
        used.sort_unstable();
        used.dedup();
        Some(Evidence::Weights(Weights { sums: used.into_iter().map(|sum| self.sums[sum].clone()).collect() }))
    }

    /// Asks for bounds of all places.
    pub fn bound_all(&mut self, net: &Net, budget: &mut Budget) -> Result<(), Stopped> {
        for place in 0..net.place_count() {
            if !std::mem::replace(&mut self.asked[place], true) {
                self.bound(net, place, budget)?;
            }
        }
        Ok(())
    }

    /// By place its bound, where there is one, and the number of the sum that it comes from.
    pub fn bounds_with_sums(&self) -> Vec<Option<(i128, usize)>> {
        self.bounds.iter().zip(&self.from).map(|(bound, from)| Some(((*bound)?, (*from)?))).collect()
    }

    /// The sums: places with their weights.
    pub fn into_sums(self) -> Vec<Vec<(u32, u64)>> {
        self.sums
    }

    fn bound(&mut self, net: &Net, place: usize, budget: &mut Budget) -> Result<(), Stopped> {
        if matches!(self.simplex, SimplexState::None) {
            self.simplex = region_of(net, budget)?.map_or(SimplexState::Unfit, |region| SimplexState::Ready(Box::new(region)));
        }
        let SimplexState::Ready(region) = &mut self.simplex else { return Ok(()) };
        let Largest::Multipliers(mut values) = region.largest(place, budget)? else { return Ok(()) };
        values.push((place, Rational::ONE));
        values.sort_unstable_by_key(|one| one.0);
        let Some(sum) = scaled(&values) else { return Ok(()) };
        let total = sum.iter().try_fold(0_i128, |total, &(place, weight)| {
            let tokens = net.initial().as_slice()[place as usize];
            i128::from(weight).checked_mul(tokens.into()).and_then(|more| total.checked_add(more))
        });
        let Some(total) = total else { return Ok(()) };
        for &(place, weight) in sum.iter().filter(|one| one.1 > 0) {
            let (place, most) = (place as usize, total / i128::from(weight));
            if self.bounds[place].is_none_or(|known| most < known) {
                self.bounds[place] = Some(most);
                self.from[place] = Some(self.sums.len());
            }
        }
        self.sums.push(sum);
        Ok(())
    }
}

/// The tokens of all places, by how often each transition fires.
fn region_of(net: &Net, budget: &mut Budget) -> Result<Option<Region>, Stopped> {
    let Ok((equation, _)) = marking_equation(net) else { return Ok(None) };
    let transitions = u32::try_from(net.transition_count()).unwrap_or(u32::MAX);
    // The variables behind those of the transitions are the tokens themselves.
    let tokens = |row: &Linear| Linear::new(row.terms().iter().copied().filter(|term| term.0 < transitions), row.constant());
    let Some(tokens) = equation.equalities.iter().map(tokens).collect::<Option<Vec<_>>>() else { return Ok(None) };
    Region::around_zero(transitions, &tokens, budget)
}

/// The least multiple that is integer.
fn scaled(values: &[(usize, Rational)]) -> Option<Vec<(u32, u64)>> {
    let mut common = Int::ONE;
    for (_, value) in values {
        let denominator = value.denominator();
        let (quotient, _) = denominator.div_rem_floor(&common.gcd(&denominator))?;
        // Integers of any size: nothing overflows.
        common = Mul::mul(&common, &quotient);
    }
    let common = Rational::from(&common);
    let weights = values.iter().map(|(place, value)| {
        let weight = Mul::mul(value, &common).floor().to_i128()?;
        Some((u32::try_from(*place).ok()?, u64::try_from(weight).ok()?))
    });
    weights.collect()
}
