//! What to do with a point that is not integral.

use serval_budget::{Budget, Stopped};

use super::frame::Split;
use super::{BranchStack, Solver, Visit, assumptions, number};
use crate::lattice::Taken;
use crate::refutation::{self, Multiples, RefutationStep};
use crate::simplex::{Bound, Explanation, Side, Source, Variable};
use crate::{Int, Rational};

/// The largest coefficient in an expression to split on. Beyond it the cut is
/// shallow, and a split on a variable does as well.
const LARGEST_COEFFICIENT: i64 = 1_000;

/// How many terms an expression to split on may have. Longer ones make the
/// rows of the simplex dense. But splits on variables alone do not end on
/// problems without bounds, so that now and then any length is taken.
const SHORT: usize = 4;

/// An equation of the lattice test: its expression is a multiple of that of a
/// fact.
#[derive(Clone)]
struct LatticeRow {
    source: Source,
    scale: Rational,
    terms: Vec<(Variable, Int)>,
    /// The group of bounds that shows that it is an equality.
    group: Option<usize>,
}

impl Solver {
    pub(super) fn split_fraction(&mut self, fractional: Variable, search: &mut BranchStack, budget: &mut Budget) -> Result<Visit, Stopped> {
        if let Some(multipliers) = self.take_equalities(budget)? {
            let rows = self.problem_rows(&multipliers);
            return self.lattice_leaf(rows, &[], search);
        }
        let first = self.lattice.len();
        let visit = self.beyond_equalities(first, fractional, search, budget);
        self.lattice.truncate(first);
        visit
    }

    /// Brings the lattice of the problem's equalities up to date; multipliers
    /// by equality if they have no integral solution.
    fn take_equalities(&mut self, budget: &mut Budget) -> Result<Option<Vec<(usize, Rational)>>, Stopped> {
        while let Some(linear) = self.problem.equalities.get(self.lattice_told) {
            let terms = linear.terms().iter().map(|&(number, coefficient)| (self.variables[number as usize].0, Int::from(coefficient)));
            let terms: Vec<_> = terms.collect();
            let constant = -&Int::from(linear.constant());
            match self.lattice.take(terms, constant, budget)? {
                Taken::Consistent => self.lattice_sources.push((Source::Equality(number(self.lattice_told)), Rational::ONE)),
                Taken::Redundant => {}
                // The simplex would have found it; it is no matter for the lattice.
                Taken::Contradicts => {}
                Taken::Refuted(multipliers) => return Ok(Some(multipliers)),
            }
            self.lattice_told += 1;
        }
        Ok(None)
    }

    fn problem_rows(&self, multipliers: &[(usize, Rational)]) -> Vec<(LatticeRow, Rational)> {
        let source = |index: usize| match self.lattice_sources.get(index) {
            Some((source, scale)) => (*source, scale.clone()),
            None => (Source::Equality(number(self.lattice_told)), Rational::ONE),
        };
        let row = |&(index, ref multiplier): &(usize, Rational)| {
            let (source, scale) = source(index);
            (LatticeRow { source, scale, terms: Vec::new(), group: None }, multiplier.clone())
        };
        multipliers.iter().map(row).collect()
    }

    /// The equalities of the problem have integral solutions. Do they still,
    /// with those that are assumed and implied, and with the bounds that the
    /// point is at?
    fn beyond_equalities(
        &mut self,
        first: usize,
        fractional: Variable,
        search: &mut BranchStack,
        budget: &mut Budget,
    ) -> Result<Visit, Stopped> {
        let mut rows: Vec<LatticeRow> = Vec::new();
        let assumed = search.frames.iter().filter_map(|frame| Some((frame.equality?, Source::Assumption(frame.assumption))));
        for (variable, source) in assumed.collect::<Vec<_>>() {
            // One of the two bounds may have been known before, from elsewhere.
            let sides = [Side::Lower, Side::Upper].into_iter();
            let mut own = sides.filter_map(|side| Some((side, self.simplex.bound(variable, side).filter(|bound| bound.source == source)?)));
            let Some((side, bound)) = own.next_back().map(|(side, bound)| (side, bound.clone())) else { continue };
            if let Some(found) = self.take(variable, &bound, side, None, &mut rows, budget)? {
                let rows = self.found_rows(first, &found, &rows);
                return self.lattice_leaf(rows, &[], search);
            }
        }
        let groups = self.simplex.stuck();
        for (index, group) in groups.iter().enumerate() {
            for &(variable, side, _) in group {
                let Some(bound) = self.simplex.bound(variable, side).cloned() else { continue };
                if let Some(found) = self.take(variable, &bound, side, Some(index), &mut rows, budget)? {
                    let rows = self.found_rows(first, &found, &rows);
                    return self.lattice_leaf(rows, &groups, search);
                }
            }
        }
        // Plain variables before defined ones, which are longer.
        let mut tight: Vec<Variable> = self.simplex.nonbasic().collect();
        tight.sort_by_key(|variable| (self.definitions[variable.index()].as_ref().map_or(1, Vec::len), *variable));
        for variable in tight {
            let Some(bound) = self.simplex.tight(variable).cloned() else { continue };
            if let Some(found) = self.take(variable, &bound, Side::Lower, None, &mut rows, budget)? {
                let rows = self.found_rows(first, &found, &rows);
                let tried = search.frames.iter().filter(|frame| frame.is_bound()).count();
                let most = if tried % 8 == 7 { usize::MAX } else { SHORT };
                if let Some(split) = self.cut(&rows, most) {
                    return Ok(Visit::Split(split));
                }
                break;
            }
        }
        let at_most = self.simplex.value(fractional).floor().to_i64().ok_or(Stopped::OutOfTicks)?;
        Ok(Visit::Split(Split::Bound { terms: vec![(fractional, 1)], at_most }))
    }

    /// Takes a bound as an equation. Multipliers if there is no integral
    /// solution any more; then its row is the last.
    fn take(
        &mut self,
        variable: Variable,
        bound: &Bound,
        side: Side,
        group: Option<usize>,
        rows: &mut Vec<LatticeRow>,
        budget: &mut Budget,
    ) -> Result<Option<Vec<(usize, Rational)>>, Stopped> {
        if matches!(bound.source, Source::Equality(_)) {
            return Ok(None);
        }
        // q·x − p for the value p/q, which is ±q·factor times the expression of the source.
        let (p, q) = (bound.value.numerator(), bound.value.denominator());
        let terms: Vec<(Variable, Int)> = match &self.definitions[variable.index()] {
            None => vec![(variable, q.clone())],
            Some(terms) => terms.iter().map(|(variable, coefficient)| (*variable, coefficient * &q)).collect(),
        };
        let scale = &bound.factor * &Rational::from(&q);
        let scale = if side == Side::Lower { scale } else { -&scale };
        let taken = self.lattice.take(terms.iter().map(|(variable, coefficient)| (variable.0, coefficient.clone())), p, budget)?;
        let row = LatticeRow { source: bound.source, scale, terms, group };
        match taken {
            Taken::Redundant | Taken::Contradicts => Ok(None),
            Taken::Consistent => {
                rows.push(row);
                Ok(None)
            }
            Taken::Refuted(multipliers) => {
                rows.push(row);
                Ok(Some(multipliers))
            }
        }
    }

    /// The rows that multipliers refer to.
    fn found_rows(&self, first: usize, multipliers: &[(usize, Rational)], rows: &[LatticeRow]) -> Vec<(LatticeRow, Rational)> {
        let (own, later): (Vec<_>, Vec<_>) = multipliers.iter().cloned().partition(|(index, _)| *index < first);
        let mut found = self.problem_rows(&own);
        found.extend(later.into_iter().filter_map(|(index, multiplier)| Some((rows.get(index - first)?.clone(), multiplier))));
        found
    }

    fn lattice_leaf(
        &self,
        rows: Vec<(LatticeRow, Rational)>,
        groups: &[Vec<(Variable, Side, Rational)>],
        search: &mut BranchStack,
    ) -> Result<Visit, Stopped> {
        let mut used_groups: Vec<usize> = rows.iter().filter_map(|(row, _)| row.group).collect();
        used_groups.sort_unstable();
        used_groups.dedup();
        let mut tight: Explanation = Vec::new();
        for (variable, side, rate) in used_groups.into_iter().flat_map(|group| &groups[group]) {
            let Some(bound) = self.simplex.bound(*variable, *side) else { continue };
            tight.push((bound.source, rate * &bound.factor));
        }
        let tight = refutation::falling(tight).ok_or(Stopped::OutOfTicks)?;
        let combination = refutation::collect(rows.into_iter().map(|(row, multiplier)| (row.source, &multiplier * &row.scale)).collect());
        // Times the denominator the coefficients are multiples of it and the constant is not; multipliers count modulo
        // it.
        let modulus = refutation::common_denominator(&combination);
        let multiples = combination.iter().filter_map(|(source, multiplier)| {
            let (_, residue) = (multiplier * &Rational::from(&modulus)).numerator().div_rem_floor(&modulus)?;
            (!residue.is_zero()).then(|| Some((*source, residue.to_i128()?)))
        });
        let combination = multiples.collect::<Option<Multiples>>().ok_or(Stopped::OutOfTicks)?;
        let modulus = modulus.to_i128().ok_or(Stopped::OutOfTicks)?;
        let mut used = assumptions(&combination);
        used.extend(assumptions(&tight));
        used.sort_unstable();
        used.dedup();
        Ok(Visit::Refuted((search.refutation.add(RefutationStep::Lattice { modulus, combination, tight }), used)))
    }

    /// The combination of rows has integral coefficients; a split on its value
    /// at the point, which is not integral. `None` if it has too many terms or
    /// too large coefficients.
    fn cut(&self, rows: &[(LatticeRow, Rational)], most: usize) -> Option<Split> {
        let mut terms: Vec<(Variable, Rational)> = Vec::new();
        for (row, multiplier) in rows {
            let factor = multiplier;
            match row.source {
                Source::Equality(index) if row.terms.is_empty() => {
                    let linear = &self.problem.equalities[index as usize];
                    terms.extend(
                        linear
                            .terms()
                            .iter()
                            .map(|&(number, coefficient)| (self.variables[number as usize], factor * &Rational::from(coefficient))),
                    );
                }
                _ => terms.extend(row.terms.iter().map(|(variable, coefficient)| (*variable, factor * &Rational::from(coefficient)))),
            }
        }
        terms.sort_by_key(|&(variable, _)| variable);
        let mut collected: Vec<(Variable, Rational)> = Vec::with_capacity(terms.len());
        for (variable, coefficient) in terms {
            match collected.last_mut() {
                Some((last, sum)) if *last == variable => *sum = &*sum + &coefficient,
                _ => collected.push((variable, coefficient)),
            }
        }
        collected.retain(|(_, coefficient)| !coefficient.is_zero());
        if collected.len() > most {
            return None;
        }
        let mut value = Rational::ZERO;
        let mut terms: Vec<(Variable, i64)> = Vec::with_capacity(collected.len());
        for (variable, coefficient) in collected {
            value = &value + &(&coefficient * self.simplex.value(variable));
            let coefficient = Some(coefficient).filter(Rational::is_integer)?.numerator().to_i64()?;
            terms.push((
                variable,
                Some(coefficient).filter(|coefficient| (-LARGEST_COEFFICIENT..=LARGEST_COEFFICIENT).contains(coefficient))?,
            ));
        }
        // The value is known not to be integral; a split where it is would not cut anything off.
        let at_most = value.floor().to_i64().filter(|_| !value.is_integer())?;
        Some(Split::Bound { terms, at_most })
    }
}
