//! The general simplex (Dutertre, de Moura 2006), exact, with bounds that can be taken back.
//!
//! The general simplex of Dutertre and de Moura (A fast linear-arithmetic
//! solver for DPLL(T), 2006). *Structural* variables are those of the problem;
//! each other variable is *defined* by a row as a combination of structural
//! ones. Every variable can have a lower and an upper bound. Some variables
//! are *basic*: each row has one, occurs in no other row, and its value
//! follows from the row.
//!
//! **Invariants.** (1) Every row holds of the present values. (2) Every
//! variable that is not basic is within its bounds. [`Simplex::check`] moves
//! basic variables within theirs, or finds a row that shows that it cannot be
//! done. Bounds that are taken back only widen, so (2) stays true and nothing
//! is recomputed.
//!
//! Rows have integer coefficients, `Σ aᵢ·xᵢ = 0`; on the networks that this is
//! made for most stay 1 and −1.
//!
//! After some time leaving and entering variables are chosen by least index
//! (Bland's rule), which ends.

mod tableau;

use serval_budget::{Budget, Stopped};

use crate::{Int, Rational};
use tableau::Tableau;

/// A variable of the simplex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Variable(pub(crate) u32);

impl Variable {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a bound comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    /// The variable is one of the problem's.
    Nonnegative(Variable),
    /// An equality of the problem, by its index.
    Equality(u32),
    /// An inequality of the problem, by its index.
    Inequality(u32),
    /// What a branch of the search assumes, by its number.
    Assumption(u32),
}

/// Which bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Lower,
    Upper,
}

/// A bound and its reason: `x − value` (of a lower bound) or `value − x` (of
/// an upper one) is `factor` times the expression of `source`.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub(crate) value: Rational,
    pub(crate) source: Source,
    pub(crate) factor: Rational,
}

/// Multiples of expressions that are 0, or at least 0.
pub(crate) type Explanation = Vec<(Source, Rational)>;

#[derive(Clone, Default)]
struct TableauColumn {
    lower: Option<Bound>,
    upper: Option<Bound>,
    value: Rational,
}

/// See the module.
#[derive(Clone, Default)]
pub(crate) struct Simplex {
    tableau: Tableau,
    columns: Vec<TableauColumn>,
    /// Bounds that were replaced, to be put back.
    trail: Vec<(Variable, Side, Option<Bound>)>,
}

/// Pivots after which least indices are chosen.
const PATIENCE: u32 = 200;

impl Simplex {
    /// A new variable without bounds, at 0.
    pub(crate) fn variable(&mut self) -> Variable {
        self.columns.push(TableauColumn::default());
        Variable(self.tableau.add_column())
    }

    /// A new variable that is defined by these terms.
    pub(crate) fn define(&mut self, terms: &[(Variable, Int)]) -> Variable {
        let mut value = Rational::ZERO;
        for (variable, coefficient) in terms {
            value = &value + &(&Rational::from(coefficient) * self.value(*variable));
        }
        let defined = self.variable();
        self.columns[defined.index()].value = value;
        self.tableau.add_row(defined.0, terms.iter().map(|(variable, coefficient)| (variable.0, coefficient)));
        defined
    }

    /// Adds a new variable, which is not basic and at 0, to the definition of
    /// a defined one that is basic.
    pub(crate) fn extend(&mut self, defined: Variable, by: Variable) {
        self.tableau.extend_row(defined.0, by.0);
    }

    /// The present value.
    #[inline]
    pub(crate) fn value(&self, variable: Variable) -> &Rational {
        &self.columns[variable.index()].value
    }

    /// The bound on one side, if there is one.
    pub(crate) fn bound(&self, variable: Variable, side: Side) -> Option<&Bound> {
        let column = &self.columns[variable.index()];
        match side {
            Side::Lower => column.lower.as_ref(),
            Side::Upper => column.upper.as_ref(),
        }
    }

    /// The variables that are not basic.
    pub(crate) fn nonbasic(&self) -> impl Iterator<Item = Variable> {
        (0..self.columns.len()).filter_map(|index| {
            let variable = u32::try_from(index).ok()?;
            self.tableau.row_of(variable).is_none().then_some(Variable(variable))
        })
    }

    /// The bound that a variable is at, if it is at one.
    pub(crate) fn tight(&self, variable: Variable) -> Option<&Bound> {
        let column = &self.columns[variable.index()];
        [&column.lower, &column.upper].into_iter().flatten().find(|bound| bound.value == column.value)
    }

    /// A place to which bounds can be taken back.
    pub(crate) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Takes back the bounds since the place.
    pub(crate) fn take_back(&mut self, mark: usize) {
        while self.trail.len() > mark {
            let Some((variable, side, bound)) = self.trail.pop() else { return };
            *self.side_mut(variable, side) = bound;
        }
    }

    fn side_mut(&mut self, variable: Variable, side: Side) -> &mut Option<Bound> {
        let column = &mut self.columns[variable.index()];
        match side {
            Side::Lower => &mut column.lower,
            Side::Upper => &mut column.upper,
        }
    }

    /// Sets a bound, unless it says nothing new; explains if it contradicts
    /// the other bound of the variable.
    pub(crate) fn assume(
        &mut self,
        variable: Variable,
        side: Side,
        bound: Bound,
        budget: &mut Budget,
    ) -> Result<Option<Explanation>, Stopped> {
        let column = &self.columns[variable.index()];
        let (weaker, opposite) = match side {
            Side::Lower => (
                column.lower.as_ref().is_some_and(|old| bound.value <= old.value),
                column.upper.as_ref().filter(|upper| bound.value > upper.value),
            ),
            Side::Upper => (
                column.upper.as_ref().is_some_and(|old| bound.value >= old.value),
                column.lower.as_ref().filter(|lower| bound.value < lower.value),
            ),
        };
        if weaker {
            return Ok(None);
        }
        if let Some(opposite) = opposite {
            return Ok(Some(vec![(bound.source, bound.factor), (opposite.source, opposite.factor.clone())]));
        }
        let outside = match side {
            Side::Lower => column.value < bound.value,
            Side::Upper => column.value > bound.value,
        };
        if outside && self.tableau.row_of(variable.0).is_none() {
            let by = &bound.value - &column.value;
            budget.spend(1 + self.tableau.column(variable.0).len() as u64)?;
            self.shift(variable, &by);
        }
        let old = self.side_mut(variable, side).replace(bound);
        self.trail.push((variable, side, old));
        Ok(None)
    }

    /// Moves a variable that is not basic, and the basic ones with it.
    fn shift(&mut self, variable: Variable, by: &Rational) {
        for &row in self.tableau.column(variable.0) {
            let (basic, rate) = self.tableau.rate(row, variable.0);
            let value = &mut self.columns[basic as usize].value;
            *value = &*value + &(&rate * by);
        }
        let value = &mut self.columns[variable.index()].value;
        *value = &*value + by;
    }

    /// Which bound a value is beyond.
    fn beyond(&self, variable: u32) -> Option<(Side, &Bound)> {
        let column = &self.columns[variable as usize];
        match (&column.lower, &column.upper) {
            (Some(lower), _) if column.value < lower.value => Some((Side::Lower, lower)),
            (_, Some(upper)) if column.value > upper.value => Some((Side::Upper, upper)),
            _ => None,
        }
    }

    /// Whether a variable can move up (or down) from where it is.
    fn can_move(&self, variable: u32, up: bool) -> bool {
        let column = &self.columns[variable as usize];
        if up {
            column.upper.as_ref().is_none_or(|upper| column.value < upper.value)
        } else {
            column.lower.as_ref().is_none_or(|lower| column.value > lower.value)
        }
    }

    /// Moves all variables within their bounds, or explains why that cannot be
    /// done: multiples of expressions that add up to a negative number.
    ///
    /// If the objective, which is basic, is as small as it can be without the
    /// latest bounds, this is the dual simplex, and it is again in the end:
    /// the entering variable is the one that makes the objective grow least.
    pub(crate) fn check(&mut self, objective: Option<Variable>, budget: &mut Budget) -> Result<Option<Explanation>, Stopped> {
        if self.tableau.is_broken() {
            return Err(Stopped::Cancelled);
        }
        let mut pivots = 0_u32;
        loop {
            budget.spend(1 + self.tableau.rows() as u64 / 8)?;
            let Some((leaving, side)) = self.leaving(pivots > PATIENCE) else { return Ok(None) };
            let Some(row) = self.tableau.row_of(leaving) else { return Ok(None) };
            budget.spend(self.tableau.entries(row).len() as u64)?;
            // Up towards a lower bound, down towards an upper one.
            let up = side == Side::Lower;
            let sign = self.tableau.sign(row);
            let movable = self.tableau.entries(row).iter().filter(|&&(variable, ref coefficient)| {
                variable != leaving && self.can_move(variable, (coefficient.signum() * sign < 0) == up)
            });
            let entering = if pivots > PATIENCE {
                movable.map(|&(variable, _)| variable).min()
            } else {
                self.cheapest(movable, objective.and_then(|objective| self.tableau.row_of(objective.0)))
            };
            let Some(entering) = entering else { return Ok(Some(self.explain(row, leaving, side))) };
            let Some(bound) = self.bound(Variable(leaving), side) else { return Ok(None) };
            let distance = &bound.value - &self.columns[leaving as usize].value;
            let (_, rate) = self.tableau.rate(row, entering);
            let Some(by) = &distance / &rate else { return Ok(None) };
            // The budget is asked before anything changes, so that the invariants hold whenever work stops.
            budget.spend(self.tableau.pivot_cost(row, entering))?;
            self.shift(Variable(entering), &by);
            self.tableau.pivot(row, entering, budget)?;
            pivots = pivots.saturating_add(1);
        }
    }

    /// A basic variable that is beyond a bound: the one with the least index,
    /// or else the one that is farthest away.
    fn leaving(&self, least: bool) -> Option<(u32, Side)> {
        let mut best: Option<(u32, Side, Rational)> = None;
        for basic in self.tableau.basics() {
            let Some((side, bound)) = self.beyond(basic) else { continue };
            let value = &self.columns[basic as usize].value;
            let distance = if side == Side::Lower { &bound.value - value } else { value - &bound.value };
            let better = best.as_ref().is_none_or(
                |(other, _, farthest)| {
                    if least || distance == *farthest { basic < *other } else { distance > *farthest }
                },
            );
            if better {
                best = Some((basic, side, distance));
            }
        }
        best.map(|(basic, side, _)| (basic, side))
    }

    /// The variable with the least ratio of its coefficient in the objective
    /// to that in the row; then with the fewest rows, then with the least index.
    fn cheapest<'a>(&self, movable: impl Iterator<Item = &'a (u32, Int)>, objective: Option<u32>) -> Option<u32> {
        let mut costs = objective.map_or(&[][..], |row| self.tableau.entries(row));
        let mut best: Option<(u32, &Int, Int, usize)> = None;
        for (variable, coefficient) in movable {
            // Both rows are sorted by variable.
            while let Some(((other, _), rest)) = costs.split_first()
                && other < variable
            {
                costs = rest;
            }
            let cost = costs.first().filter(|(other, _)| other == variable).map_or(Int::ZERO, |(_, cost)| cost.abs());
            let length = self.tableau.column(*variable).len();
            let better = best.as_ref().is_none_or(|(_, least, least_cost, shortest)| {
                // Ratios of sizes, multiplied out.
                let (ours, theirs) = (&cost * &least.abs(), least_cost * &coefficient.abs());
                ours < theirs || (ours == theirs && length < *shortest)
            });
            if better {
                best = Some((*variable, coefficient, cost, length));
            }
        }
        best.map(|(variable, ..)| variable)
    }

    /// Why a basic variable cannot get to its bound, or not away from it: every
    /// other variable of the row is at the bound that stops it. With the
    /// multipliers `1` for the bound of the basic variable and the rates for
    /// the others, the variables cancel, and what is left is how far the basic
    /// variable is off.
    fn held(&self, row: u32, basic: u32, side: Side) -> impl Iterator<Item = (&Bound, Side, Variable, Rational)> {
        self.tableau.entries(row).iter().filter_map(move |&(variable, _)| {
            let (rate, side) = if variable == basic {
                (Rational::ONE, side)
            } else {
                let rises = self.tableau.rises_with(row, variable);
                let (_, rate) = self.tableau.rate(row, variable);
                let stopped = if rises == (side == Side::Lower) { Side::Upper } else { Side::Lower };
                (if rate.signum() < 0 { -&rate } else { rate }, stopped)
            };
            Some((self.bound(Variable(variable), side)?, side, Variable(variable), rate))
        })
    }

    fn explain(&self, row: u32, basic: u32, side: Side) -> Explanation {
        self.held(row, basic, side).map(|(bound, _, _, rate)| (bound.source, &rate * &bound.factor)).collect()
    }

    /// Bounds that are equalities, in groups: the basic variable of a row is at
    /// a bound, and every other variable of the row is at the bound that keeps
    /// it from moving away from there; or a variable has two equal bounds. In
    /// each group the multiples add up to 0, so that all of them are 0.
    pub(crate) fn stuck(&self) -> Vec<Vec<(Variable, Side, Rational)>> {
        let mut found = Vec::new();
        for (index, column) in (0..).map(Variable).zip(&self.columns) {
            if let (Some(lower), Some(upper)) = (&column.lower, &column.upper)
                && lower.value == upper.value
                && lower.source != upper.source
            {
                found.push(vec![(index, Side::Lower, Rational::ONE), (index, Side::Upper, Rational::ONE)]);
            }
        }
        for basic in self.tableau.basics() {
            let Some(row) = self.tableau.row_of(basic) else { continue };
            let column = &self.columns[basic as usize];
            for (side, bound) in [(Side::Lower, &column.lower), (Side::Upper, &column.upper)] {
                let at_bound = bound.as_ref().is_some_and(|bound| bound.value == column.value);
                let up = side == Side::Lower;
                let mut others = self.tableau.entries(row).iter().filter(|&&(variable, _)| variable != basic);
                if at_bound && others.all(|&(variable, _)| !self.can_move(variable, self.tableau.rises_with(row, variable) == up)) {
                    found.push(self.held(row, basic, side).map(|(_, side, variable, rate)| (variable, side, rate)).collect());
                    break;
                }
            }
        }
        found
    }

    /// Makes a variable that has no upper bound (`up`), or no lower one, as large or as small as possible while all
    /// stay within their bounds, where they must be when this is called, and says whether that is possible. If it can
    /// be made arbitrarily large or small, it is left where that is seen. Else it is basic in the end, unless there is
    /// nothing that could move it.
    pub(crate) fn push(&mut self, objective: Variable, up: bool, budget: &mut Budget) -> Result<bool, Stopped> {
        if self.tableau.is_broken() {
            return Err(Stopped::Cancelled);
        }
        let mut pivots = 0_u32;
        loop {
            let (entering, entering_up) = match self.tableau.row_of(objective.0) {
                // It is moved itself, until something stops it.
                None => (objective.0, up),
                Some(row) => match self.improving(row, objective.0, up, pivots > PATIENCE, budget)? {
                    Some(entering) => (entering, self.tableau.rises_with(row, entering) == up),
                    None => return Ok(true),
                },
            };
            let Some((by, leaving)) = self.longest_move(entering, entering_up, budget)? else { return Ok(false) };
            budget.spend(leaving.map_or(1, |row| self.tableau.pivot_cost(row, entering)))?;
            self.shift(Variable(entering), &by);
            if let Some(row) = leaving {
                self.tableau.pivot(row, entering, budget)?;
            }
            pivots = pivots.saturating_add(1);
        }
    }

    /// Makes a variable without a lower bound as small as possible, as [`push`](Self::push) does.
    pub(crate) fn minimise(&mut self, objective: Variable, budget: &mut Budget) -> Result<bool, Stopped> {
        self.push(objective, false, budget)
    }

    /// A variable of the row of the objective that moves it on: the first, or else the steepest.
    fn improving(&self, row: u32, objective: u32, up: bool, first: bool, budget: &mut Budget) -> Result<Option<u32>, Stopped> {
        let entries = self.tableau.entries(row);
        budget.spend(1 + entries.len() as u64)?;
        let sign = self.tableau.sign(row);
        let mut improving = entries.iter().filter(|&&(variable, ref coefficient)| {
            variable != objective && self.can_move(variable, (coefficient.signum() * sign < 0) == up)
        });
        let chosen = if first {
            improving.next()
        } else {
            // The first of several.
            improving.reduce(|best, other| if other.1.abs() > best.1.abs() { other } else { best })
        };
        Ok(chosen.map(|entry| entry.0))
    }

    /// What a basic variable is made of: the other variables of its row, with how much it moves with each.
    pub(crate) fn rates(&self, basic: Variable) -> impl Iterator<Item = (Variable, Rational)> {
        let row = self.tableau.row_of(basic.0);
        row.into_iter().flat_map(move |row| {
            let others = self.tableau.entries(row).iter().filter(move |entry| entry.0 != basic.0);
            others.map(move |&(variable, _)| (Variable(variable), self.tableau.rate(row, variable).1))
        })
    }

    /// How far a variable that is not basic can move, and the row whose basic
    /// variable stops it, if it is not its own bound.
    fn longest_move(&self, entering: u32, up: bool, budget: &mut Budget) -> Result<Option<(Rational, Option<u32>)>, Stopped> {
        let column = &self.columns[entering as usize];
        let own = if up { &column.upper } else { &column.lower };
        let size = |difference: Rational| if difference.signum() < 0 { -&difference } else { difference };
        let mut best: Option<(Rational, Option<(u32, u32)>)> = own.as_ref().map(|bound| (size(&bound.value - &column.value), None));
        let rows = self.tableau.column(entering);
        budget.spend(rows.len() as u64)?;
        for &row in rows {
            let (basic, rate) = self.tableau.rate(row, entering);
            let column = &self.columns[basic as usize];
            let bound = if (rate.signum() > 0) == up { &column.upper } else { &column.lower };
            let Some(bound) = bound else { continue };
            let Some(distance) = &(&bound.value - &column.value) / &rate else { continue };
            let distance = size(distance);
            let shorter = match &best {
                None => true,
                Some((least, stop)) => match distance.cmp(least) {
                    std::cmp::Ordering::Less => true,
                    // Its own bound needs no pivot; otherwise the least index, as Bland's rule has it.
                    std::cmp::Ordering::Equal => stop.is_some_and(|(other, _)| basic < other),
                    std::cmp::Ordering::Greater => false,
                },
            };
            if shorter {
                best = Some((distance, Some((basic, row))));
            }
        }
        Ok(best.map(|(distance, stop)| (if up { distance } else { -&distance }, stop.map(|(_, row)| row))))
    }

    /// Whether the invariants hold, from scratch.
    #[cfg(test)]
    pub(crate) fn check_invariants(&self) {
        self.tableau.check_invariants();
        for row in self.tableau.basics().filter_map(|basic| self.tableau.row_of(basic)) {
            let mut sum = Rational::ZERO;
            for (variable, coefficient) in self.tableau.entries(row) {
                sum = &sum + &(&Rational::from(coefficient) * &self.columns[*variable as usize].value);
            }
            assert!(sum.is_zero());
        }
        for variable in self.nonbasic() {
            assert!(self.beyond(variable.0).is_none());
        }
    }
}

impl Default for Rational {
    fn default() -> Self {
        Self::ZERO
    }
}
