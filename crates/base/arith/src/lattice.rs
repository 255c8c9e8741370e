//! The Hermite normal form (Schrijver 1986): whether linear equations have a solution in integers, and why not.
//!
//! Equations are taken one after the other. Each is brought into the form `g·z
//! = c` by unimodular column operations (differences of columns, chosen as in
//! Euclid's algorithm) on the variables that no earlier equation uses up. So
//! the matrix becomes lower triangular, with a new variable `z` per equation:
//! its Hermite form, without the reduction left of the diagonal. The column
//! operations are kept and done to each new equation when it comes. The
//! equations have a solution iff each `g` divides its `c` once the values of
//! the earlier `z` are put in, since the operations can be undone over the
//! integers.
//!
//! **Why not.** If `g` does not divide `c` in equation `k`, let `H` be the
//! lower triangular matrix of the equations up to `k`, and let `y` be such
//! that `y·H` is integral and `y_k = 1/g`. Such a `y` is found from `k` down to
//! the first equation: `yᵢ` is chosen so that entry `i` of `y·H` is an
//! integer, and can be taken from 0 up to 1. Then `y` times the equations has
//! integral coefficients (in the `z`, hence in the variables, as the
//! operations are unimodular) and a constant that is not an integer: if it
//! were, then, with `w` the last row of `H⁻¹`, `(y − w)·H` would be integral,
//! but the earlier equations have the integral solution `z`, so `(y − w)`
//! times the constants is an integer, and `w` times them is `c/g`, which is not.

use serval_budget::{Budget, Stopped};
use serval_linear::Linear;

use crate::{Int, Rational};

/// Equations that have been taken, and what was done to them.
#[derive(Clone, Default)]
pub(crate) struct Lattice {
    steps: Vec<ColumnStep>,
    equations: Vec<Equation>,
    /// The equation that is brought into form, by variable.
    row: Vec<Int>,
    /// Variables at which `row` may be other than 0.
    touched: Vec<u32>,
}

/// Column operations: `q` times column `pivot` is subtracted from others.
#[derive(Clone)]
struct ColumnStep {
    pivot: u32,
    others: Vec<(u32, Int)>,
    /// The equation in which only the pivot is left, after the operations.
    pins: Option<usize>,
}

#[derive(Clone)]
struct Equation {
    /// Entries left of the diagonal: earlier equations with coefficients.
    left: Vec<(usize, Int)>,
    /// The diagonal.
    pivot: Int,
    /// The value of the new variable.
    value: Int,
}

/// What came of an equation.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It has been added, and there is an integral solution.
    Consistent,
    /// It follows from the others, and has not been added.
    Redundant,
    /// No values, integers or not, solve it together with the others.
    Contradicts,
    /// These multiples of equations (by number, this one is the next number)
    /// add up to integral coefficients and a constant that is no integer.
    Refuted(Vec<(usize, Rational)>),
}

impl Lattice {
    /// How many equations have been added.
    pub(crate) fn len(&self) -> usize {
        self.equations.len()
    }

    /// Forgets all but the first equations.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.equations.truncate(len);
        while self.steps.last().is_some_and(|step| step.pins.is_none_or(|equation| equation >= len)) {
            self.steps.pop();
        }
    }

    /// Takes the equation `Σ terms = constant`.
    pub(crate) fn take(
        &mut self,
        terms: impl IntoIterator<Item = (u32, Int)>,
        constant: Int,
        budget: &mut Budget,
    ) -> Result<Taken, Stopped> {
        for (variable, coefficient) in terms {
            let at = variable as usize;
            if at >= self.row.len() {
                self.row.resize(at + 1, Int::ZERO);
            }
            self.row[at] = &self.row[at] + &coefficient;
            self.touched.push(variable);
        }
        let taken = self.reduce(constant, budget);
        for variable in self.touched.drain(..) {
            self.row[variable as usize] = Int::ZERO;
        }
        if taken.is_err() {
            // Steps of an equation that was not finished.
            self.truncate(self.len());
        }
        taken
    }

    fn reduce(&mut self, constant: Int, budget: &mut Budget) -> Result<Taken, Stopped> {
        budget.spend(1 + self.steps.len() as u64 / 8)?;
        let mut rest = constant;
        let mut left = Vec::new();
        for step in &self.steps {
            // Variables beyond what has been seen have no entry yet.
            let Some(pivot) = self.row.get(step.pivot as usize).filter(|pivot| !pivot.is_zero()).cloned() else { continue };
            budget.spend(1 + step.others.len() as u64)?;
            for (other, quotient) in &step.others {
                subtract(&mut self.row, &mut self.touched, *other, &(quotient * &pivot));
            }
            if let Some(equation) = step.pins {
                rest = &rest - &(&pivot * &self.equations[equation].value);
                left.push((equation, pivot));
                self.row[step.pivot as usize] = Int::ZERO;
            }
        }
        self.touched.sort_unstable();
        self.touched.dedup();
        let row = &self.row;
        let mut open: Vec<u32> = self.touched.iter().copied().filter(|&variable| !row[variable as usize].is_zero()).collect();
        if open.is_empty() {
            return Ok(if rest.is_zero() { Taken::Redundant } else { Taken::Contradicts });
        }
        let first_step = self.steps.len();
        loop {
            budget.spend(1 + open.len() as u64)?;
            let Some(&pivot) = open.iter().min_by_key(|&&variable| (self.row[variable as usize].abs(), variable)) else {
                return Ok(Taken::Redundant);
            };
            let least = self.row[pivot as usize].clone();
            let mut others = Vec::with_capacity(open.len());
            for &variable in open.iter().filter(|&&variable| variable != pivot) {
                let Some((quotient, remainder)) = self.row[variable as usize].div_rem_floor(&least) else { continue };
                if !quotient.is_zero() {
                    others.push((variable, quotient));
                }
                self.row[variable as usize] = remainder;
            }
            open.retain(|&variable| !self.row[variable as usize].is_zero());
            let done = open.len() == 1;
            self.steps.push(ColumnStep { pivot, others, pins: done.then_some(self.equations.len()) });
            if done {
                let Some((value, remainder)) = rest.div_rem_floor(&least) else { return Ok(Taken::Redundant) };
                if !remainder.is_zero() {
                    let multipliers = self.refutation(&left, &least, budget);
                    self.steps.truncate(first_step);
                    return multipliers.map(Taken::Refuted);
                }
                self.equations.push(Equation { left, pivot: least, value });
                return Ok(Taken::Consistent);
            }
        }
    }

    /// The multipliers of the module's documentation.
    fn refutation(&self, left: &[(usize, Int)], pivot: &Int, budget: &mut Budget) -> Result<Vec<(usize, Rational)>, Stopped> {
        // Entries of y·H so far.
        let mut sums: Vec<Rational> = vec![Rational::ZERO; self.equations.len()];
        let last = Rational::new(&Int::ONE, pivot).unwrap_or_default();
        let mut multipliers = vec![(self.equations.len(), last.clone())];
        for (equation, coefficient) in left {
            sums[*equation] = &Rational::from(coefficient) * &last;
        }
        for (index, equation) in self.equations.iter().enumerate().rev() {
            let needed = (-&sums[index]).fraction();
            if needed.is_zero() {
                continue;
            }
            budget.spend(1 + equation.left.len() as u64)?;
            let multiplier = (&needed / &Rational::from(&equation.pivot)).unwrap_or_default();
            for (other, coefficient) in &equation.left {
                sums[*other] = &sums[*other] + &(&Rational::from(coefficient) * &multiplier);
            }
            multipliers.push((index, multiplier));
        }
        Ok(multipliers)
    }
}

/// Multiples of expressions, by number, that add up to integral coefficients and a
/// constant that is no integer, so that no integers make all expressions 0; `None` if
/// some integers do, or if not even rationals do. Variables may be negative.
///
/// ```
/// use serval_arith::{Int, Rational, obstruction};
/// use serval_budget::Budget;
/// use serval_linear::Linear;
/// // x + y = 0 and x − y = 1: half of their difference is y = −1/2.
/// let equations = [Linear::new([(0, 1), (1, 1)], 0).unwrap(), Linear::new([(0, 1), (1, -1)], -1).unwrap()];
/// let half = Rational::new(&Int::ONE, &Int::from(2_i64)).unwrap();
/// let found = obstruction(&equations, &mut Budget::unlimited()).unwrap();
/// assert_eq!(found, Some(vec![(1, -&half), (0, half)]));
/// ```
pub fn obstruction(equations: &[Linear], budget: &mut Budget) -> Result<Option<Vec<(usize, Rational)>>, Stopped> {
    let mut lattice = Lattice::default();
    // Equations that follow from others are not numbered by the lattice.
    let mut numbers = Vec::new();
    for (index, equation) in equations.iter().enumerate() {
        let terms = equation.terms().iter().map(|&(variable, coefficient)| (variable, Int::from(coefficient)));
        match lattice.take(terms, -&Int::from(equation.constant()), budget)? {
            Taken::Consistent => numbers.push(index),
            Taken::Redundant => {}
            Taken::Contradicts => return Ok(None),
            Taken::Refuted(multiples) => {
                numbers.push(index);
                return Ok(Some(multiples.into_iter().filter_map(|(number, multiple)| Some((*numbers.get(number)?, multiple))).collect()));
            }
        }
    }
    Ok(None)
}

fn subtract(row: &mut Vec<Int>, touched: &mut Vec<u32>, at: u32, what: &Int) {
    let index = at as usize;
    if index >= row.len() {
        row.resize(index + 1, Int::ZERO);
    }
    if row[index].is_zero() {
        touched.push(at);
    }
    row[index] = &row[index] - what;
}
