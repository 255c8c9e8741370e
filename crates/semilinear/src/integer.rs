//! Whether a system of linear equations and inequalities has a solution in
//! whole numbers. The Omega test of William Pugh (1991), without shortcuts.
//!
//! **Why it is right.** All steps keep whether there are solutions.
//!
//! *Equations* are used up first. Divided by the divisor that its coefficients
//! have in common, an equation has no solution if its constant is not a
//! whole number then. If a coefficient is 1 or −1, the equation gives that
//! variable in terms of the others. If not, let `a` be the smallest coefficient
//! in absolute value, that of `x`, and write `x = y − Σ q(i) x(i)` with `q(i)`
//! the quotients of the other coefficients by `a`: whole numbers `x` and `y`
//! determine each other, and in terms of `y` the other coefficients have become
//! remainders. These are smaller than `a`, so this ends, and they are not all
//! zero, as their divisor is one.
//!
//! *Inequalities* are divided likewise, and their constants rounded down. Of
//! those that differ in the constant only, the strongest is kept. Two opposite
//! ones either contradict each other, or make an equation, or are kept.
//!
//! A variable that is bounded from one side only can be as large or small as
//! the others want: its inequalities are dropped. Otherwise one variable `x` is
//! eliminated. Lower bounds `b x + L ≥ 0` and upper bounds `−a x + U ≥ 0`, with
//! `a, b ≥ 1`, imply `a L + b U ≥ 0` (the *real shadow*). Suppose a pair
//! satisfies that and there is still no whole number from `−L / b` to `U / a`.
//! Then both lie strictly between some `i` and `i + 1`: `−L ≥ b i + 1` and
//! `U ≤ a i + a − 1`, so that `a L + b U ≤ a b − a − b`. So if
//! `a L + b U ≥ (a − 1)(b − 1)` for all pairs (the *dark shadow*), which is more,
//! there is a whole number between the largest lower and the smallest upper
//! bound. If `a` or `b`
//! is 1 in all pairs both shadows are the same. If not, solutions outside of
//! the dark shadow have `a L + b U ≤ a b − a − b` for some pair, and since
//! `a x ≤ U`, `a (b x + L) ≤ a b − a − b` there: they satisfy
//! `b x + L = i` for some lower bound and some `i` from zero to
//! `(a b − a − b) / a` with the largest `a`. These equations are tried one by one.
//!
//! **Why it is here.** `serval_arith::solve` decides the same, all clauses of an
//! inclusion at once, and is faster: to export the query of
//! `load-balancer-least-busy.ser` takes 148 million instructions with it and 307
//! here, that of `ring-buffer-two-producers.ser` 778 and 3,912. All outputs for
//! the published suite are the same with both. But tests of inclusion and of
//! emptiness have a number of ticks, and other tests are done within it: for
//! four of the examples (these two and the two of `smallbank`) the set or its
//! complement is written with other components, mostly fewer, so that this
//! cannot go without changing what is written.

use std::collections::BTreeMap;

use serval_budget::Budget;

use crate::Error;
use crate::number::{content, minus, negative, plus, ticks, times};

/// `Σ coefficients(i) x(i) + constant`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// One for each variable.
    pub(crate) coefficients: Vec<i128>,
    pub(crate) constant: i128,
}

impl Row {
    fn coefficient(&self, variable: usize) -> i128 {
        self.coefficients.get(variable).copied().unwrap_or(0)
    }

    /// `factor · self + other_factor · other`.
    fn combined(&self, factor: i128, other: &Self, other_factor: i128) -> Result<Self, Error> {
        let entry = |a: i128, b: i128| plus(times(a, factor)?, times(b, other_factor)?);
        let coefficients = self.coefficients.iter().zip(&other.coefficients).map(|(&a, &b)| entry(a, b));
        Ok(Self { coefficients: coefficients.collect::<Result<_, _>>()?, constant: entry(self.constant, other.constant)? })
    }
}

/// Equations `row = 0` and inequalities `row ≥ 0` in whole numbers. All rows
/// have the same length.
#[derive(Clone, Debug, Default)]
pub(crate) struct System {
    pub(crate) equations: Vec<Row>,
    pub(crate) inequalities: Vec<Row>,
}

impl System {
    /// Whether there is a solution.
    pub(crate) fn satisfiable(mut self, budget: &mut Budget) -> Result<bool, Error> {
        loop {
            if !self.use_equations(budget)? || !self.normalize(budget)? {
                return Ok(false);
            }
            if self.equations.is_empty() {
                break;
            }
        }
        let Some((variable, exact)) = self.next_variable() else { return Ok(true) };
        let (mut lower, mut upper, mut shadow) = (Vec::new(), Vec::new(), Vec::new());
        for row in &self.inequalities {
            match row.coefficient(variable).signum() {
                1 => lower.push(row),
                -1 => upper.push(row),
                _ => shadow.push(row.clone()),
            }
        }
        let mut dark = shadow.clone();
        for &low in &lower {
            for &high in &upper {
                budget.spend(ticks(low.coefficients.len()).saturating_add(1))?;
                let (b, a) = (low.coefficient(variable), negative(high.coefficient(variable))?);
                let row = low.combined(a, high, b)?;
                if !exact {
                    let constant = minus(row.constant, times(a - 1, b - 1)?)?;
                    dark.push(Row { constant, ..row.clone() });
                }
                shadow.push(row);
            }
        }
        let shadow = Self { equations: Vec::new(), inequalities: shadow }.satisfiable(budget)?;
        if exact || !shadow {
            return Ok(shadow);
        }
        if (Self { equations: Vec::new(), inequalities: dark }).satisfiable(budget)? {
            return Ok(true);
        }
        let mut a = 1;
        for high in &upper {
            a = a.max(negative(high.coefficient(variable))?);
        }
        for &low in &lower {
            let b = low.coefficient(variable);
            let last = minus(minus(times(a, b)?, a)?, b)?.div_euclid(a);
            let mut off = 0;
            while off <= last {
                let equation = Row { constant: minus(low.constant, off)?, ..low.clone() };
                let part = Self { equations: vec![equation], inequalities: self.inequalities.clone() };
                if part.satisfiable(budget)? {
                    return Ok(true);
                }
                off += 1;
            }
        }
        Ok(false)
    }

    /// Eliminates a variable for each equation; false if one has no solution.
    fn use_equations(&mut self, budget: &mut Budget) -> Result<bool, Error> {
        while let Some(mut equation) = self.equations.pop() {
            loop {
                let rows = ticks(self.equations.len() + self.inequalities.len());
                budget.spend(rows.saturating_mul(ticks(equation.coefficients.len())).saturating_add(1))?;
                let divisor = content(equation.coefficients.iter().copied())?;
                if divisor == 0 {
                    if equation.constant != 0 {
                        return Ok(false);
                    }
                    break;
                }
                if equation.constant % divisor != 0 {
                    return Ok(false);
                }
                equation.coefficients.iter_mut().for_each(|coefficient| *coefficient /= divisor);
                equation.constant /= divisor;
                let present = equation.coefficients.iter().enumerate().filter(|&(_, &coefficient)| coefficient != 0);
                let Some((variable, &smallest)) = present.min_by_key(|(_, coefficient)| coefficient.unsigned_abs()) else { break };
                if smallest.unsigned_abs() == 1 {
                    for row in self.equations.iter_mut().chain(&mut self.inequalities) {
                        let factor = row.coefficient(variable);
                        if factor != 0 {
                            *row = row.combined(1, &equation, negative(times(factor, smallest)?)?)?;
                        }
                    }
                    break;
                }
                let quotients: Vec<i128> = equation
                    .coefficients
                    .iter()
                    .enumerate()
                    .map(|(other, &of)| if other == variable { 0 } else { of.div_euclid(smallest) })
                    .collect();
                let rows = self.equations.iter_mut().chain(&mut self.inequalities).chain(std::iter::once(&mut equation));
                for row in rows {
                    let factor = row.coefficient(variable);
                    if factor == 0 {
                        continue;
                    }
                    for (coefficient, &quotient) in row.coefficients.iter_mut().zip(&quotients) {
                        *coefficient = minus(*coefficient, times(factor, quotient)?)?;
                    }
                }
            }
        }
        Ok(true)
    }

    /// Makes inequalities as strong as they are and finds equations among
    /// them; false if they contradict each other.
    fn normalize(&mut self, budget: &mut Budget) -> Result<bool, Error> {
        let mut strongest: BTreeMap<Vec<i128>, i128> = BTreeMap::new();
        for mut row in self.inequalities.drain(..) {
            budget.spend(ticks(row.coefficients.len()).saturating_add(1))?;
            let divisor = content(row.coefficients.iter().copied())?;
            if divisor == 0 {
                if row.constant < 0 {
                    return Ok(false);
                }
                continue;
            }
            row.coefficients.iter_mut().for_each(|coefficient| *coefficient /= divisor);
            let constant = row.constant.div_euclid(divisor);
            strongest.entry(row.coefficients).and_modify(|old| *old = constant.min(*old)).or_insert(constant);
        }
        for (coefficients, &constant) in &strongest {
            let opposite: Vec<i128> = coefficients.iter().map(|&coefficient| negative(coefficient)).collect::<Result<_, _>>()?;
            let row = Row { coefficients: coefficients.clone(), constant };
            match strongest.get(&opposite).map(|&other| plus(constant, other)).transpose()? {
                Some(..=-1) => return Ok(false),
                // The pair is met twice; one equation is enough.
                Some(0) if *coefficients < opposite => {}
                Some(0) => self.equations.push(row),
                _ => self.inequalities.push(row),
            }
        }
        Ok(true)
    }

    /// The variable to eliminate next and whether that is exact. None if there
    /// are no inequalities; then every choice of numbers is a solution.
    fn next_variable(&self) -> Option<(usize, bool)> {
        let variables = self.inequalities.first()?.coefficients.len();
        let mut best: Option<((bool, usize), usize)> = None;
        for variable in 0..variables {
            let of = |sign: i128| self.inequalities.iter().map(move |row| row.coefficient(variable)).filter(move |of| of.signum() == sign);
            let (lower, upper) = (of(1).count(), of(-1).count());
            if lower + upper == 0 {
                continue;
            }
            let inexact = of(1).any(|of| of != 1) && of(-1).any(|of| of != -1);
            let cost = (inexact, lower.saturating_mul(upper));
            if best.is_none_or(|(best, _)| cost < best) {
                best = Some((cost, variable));
            }
        }
        best.map(|((inexact, _), variable)| (variable, !inexact))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    fn row(numbers: &[i128]) -> Row {
        let (&constant, coefficients) = numbers.split_last().unwrap();
        Row { coefficients: coefficients.to_vec(), constant }
    }

    fn satisfiable(equations: &[&[i128]], inequalities: &[&[i128]]) -> bool {
        let rows = |rows: &[&[i128]]| rows.iter().map(|numbers| row(numbers)).collect();
        System { equations: rows(equations), inequalities: rows(inequalities) }.satisfiable(&mut Budget::ticks(1_000_000)).unwrap()
    }

    #[test]
    fn known_systems() {
        // Two examples of Pugh's: the second has rational solutions only.
        assert!(satisfiable(&[&[7, 12, 31, -17], &[3, 5, 14, -7]], &[&[1, 0, 0, -1], &[-1, 0, 0, 40], &[0, 1, 0, 50], &[0, -1, 0, 50]]));
        assert!(!satisfiable(&[], &[&[11, 13, -27], &[-11, -13, 45], &[7, -9, 10], &[-7, 9, 4]]));
        assert!(!satisfiable(&[&[2, 4, -3]], &[]));
        assert!(satisfiable(&[&[3, 5, -1]], &[]));
        assert!(!satisfiable(&[&[3, 5, -7]], &[&[1, 0, 0], &[0, 1, 0]]));
        assert!(satisfiable(&[], &[]));
        assert!(!satisfiable(&[], &[&[0, -1]]));
    }

    #[test]
    fn stops_and_overflows() {
        let system = System { equations: vec![], inequalities: vec![row(&[1, 0])] };
        assert!(matches!(system.satisfiable(&mut Budget::ticks(0)), Err(Error::Stopped(_))));
        let huge = i128::MAX;
        let system = System { equations: vec![], inequalities: vec![row(&[huge, 2, 0]), row(&[-3, huge, 1]), row(&[-5, -huge, 7])] };
        assert_eq!(system.satisfiable(&mut Budget::unlimited()), Err(Error::Overflow));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, rng_seed: RngSeed::Fixed(0), ..ProptestConfig::default() })]

        #[test]
        fn agrees_with_trying(
            equations in prop::collection::vec(prop::collection::vec(-6i128..=6, 4), 0..2),
            inequalities in prop::collection::vec(prop::collection::vec(-7i128..=7, 4), 0..6),
        ) {
            let mut system = System {
                equations: equations.iter().map(|numbers| row(numbers)).collect(),
                inequalities: inequalities.iter().map(|numbers| row(numbers)).collect(),
            };
            // A box, so that trying ends.
            for variable in 0..3 {
                for sign in [1, -1] {
                    let mut bound = row(&[0, 0, 0, 4]);
                    bound.coefficients[variable] = sign;
                    system.inequalities.push(bound);
                }
            }
            let mut found = false;
            for x in -4..=4 {
                for y in -4..=4 {
                    for z in -4..=4 {
                        let value = |row: &Row| row.coefficients[0] * x + row.coefficients[1] * y + row.coefficients[2] * z + row.constant;
                        found |= system.equations.iter().all(|row| value(row) == 0) && system.inequalities.iter().all(|row| value(row) >= 0);
                    }
                }
            }
            prop_assert_eq!(system.satisfiable(&mut Budget::unlimited()), Ok(found));
        }
    }
}
