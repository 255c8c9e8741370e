//! Weighted sums that no transition increases, as bounds of places.
//!
//! The best bound of a place `p` by such a sum is the least `y·M0` among all `y ≥ 0` with `y·e(t) ≤ 0` and `y_p = 1`: a linear
//! program. One sum often bounds many places, and a place that has a good bound already is not asked for again.

use serval_arith::lp::{Optimum, minimise};
use serval_arith::{Int, Rational};
use serval_budget::{Budget, Stopped};
use serval_linear::{Linear, Problem};
use serval_netproof::bounds::excludes;
use serval_netproof::{Evidence, Weights};
use serval_petri::{Formula, Net};

/// Bounds of places that are known so far, with the sums that show them.
#[derive(Default)]
pub struct Known {
    sums: Vec<Vec<(u32, u64)>>,
    bounds: Vec<Option<i128>>,
    /// By place the sum that its bound comes from.
    from: Vec<Option<usize>>,
    asked: Vec<bool>,
}

impl Known {
    /// Nothing is known of the places of a net.
    pub fn new(net: &Net) -> Self {
        let places = net.place_count();
        Self { sums: Vec::new(), bounds: vec![None; places], from: vec![None; places], asked: vec![false; places] }
    }

    /// Asks for bounds of the places that the goal counts, until they exclude it.
    pub fn exclude(&mut self, net: &Net, goal: &Formula, budget: &mut Budget) -> Result<Option<Evidence>, Stopped> {
        let Some(problem) = sums_of(net) else { return Ok(None) };
        for constraint in goal.constraints() {
            let alone = Formula::constraint(constraint.clone());
            for &(place, _) in constraint.expression().terms() {
                // What is excluded already needs no better bounds, and one sum bounds many places.
                if excludes(&alone, &self.bounds) {
                    break;
                }
                if !self.asked[place.index()] {
                    self.bound(net, &problem, place.index(), budget)?;
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

    /// Asks for bounds of all places.
    pub fn bound_all(&mut self, net: &Net, budget: &mut Budget) -> Result<(), Stopped> {
        let Some(problem) = sums_of(net) else { return Ok(()) };
        for place in 0..net.place_count() {
            if !std::mem::replace(&mut self.asked[place], true) {
                self.bound(net, &problem, place, budget)?;
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

    fn bound(&mut self, net: &Net, problem: &Problem, place: usize, budget: &mut Budget) -> Result<(), Stopped> {
        // A bound of a place that has none is new; a better one than a sum gives by chance is rare.
        let (Ok(variable), Some(cost)) = (u32::try_from(place), initial(net)) else { return Ok(()) };
        let mut problem = problem.clone();
        problem.equalities.extend(Linear::new([(variable, 1)], -1));
        let Optimum::Vertex(values, _) = minimise(&problem, &cost, budget)? else { return Ok(()) };
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

/// `y·e(t) ≤ 0` for all transitions.
fn sums_of(net: &Net) -> Option<Problem> {
    let mut problem = Problem { variables: u32::try_from(net.place_count()).ok()?, ..Problem::default() };
    for transition in net.transitions() {
        let arcs = |arcs: &[serval_petri::Arc], sign: i128| {
            arcs.iter()
                .map(|&(place, weight)| (u32::try_from(place.index()).unwrap_or(u32::MAX), sign * i128::from(weight)))
                .collect::<Vec<_>>()
        };
        let terms = [arcs(net.inputs(transition), 1), arcs(net.outputs(transition), -1)].concat();
        let linear = Linear::from_wide(terms, 0)?;
        if !linear.terms().is_empty() {
            problem.inequalities.push(linear);
        }
    }
    Some(problem)
}

/// `y·M0`.
fn initial(net: &Net) -> Option<Linear> {
    let terms = net
        .initial()
        .marked()
        .map(|(place, tokens)| (u32::try_from(place.index()).unwrap_or(u32::MAX), i128::from(tokens)))
        .collect::<Vec<_>>();
    Linear::from_wide(terms, 0)
}

/// The least multiple that is integer, without zeros.
fn scaled(values: &[Rational]) -> Option<Vec<(u32, u64)>> {
    let mut common = Int::ONE;
    for value in values {
        let denominator = value.denominator();
        let (quotient, _) = denominator.div_rem_floor(&common.gcd(&denominator))?;
        common = &common * &quotient;
    }
    let common = Rational::from(&common);
    let weights = (0..).zip(values).filter(|(_, value)| !value.is_zero()).map(|(place, value)| {
        let weight = (value * &common).floor().to_i128()?;
        Some((place, u64::try_from(weight).ok()?))
    });
    weights.collect()
}
