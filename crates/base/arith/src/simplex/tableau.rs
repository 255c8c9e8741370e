//! The rows of a simplex.

use std::cell::RefCell;

use serval_budget::{Budget, Stopped};

use crate::{Int, Rational};

/// Rows `Σ aᵢ·xᵢ = 0`, sorted by variable, and which rows a variable is in.
#[derive(Clone, Default)]
pub(super) struct Tableau {
    rows: Vec<TableauRow>,
    /// For each variable the rows that it occurs in, in no particular order.
    columns: Vec<Vec<u32>>,
    /// For each variable the row in which it is basic.
    basic_in: Vec<Option<u32>>,
    /// Where the next row is put together.
    scratch: Vec<(u32, Int)>,
    /// Whether a pivot has not come to its end.
    broken: bool,
}

#[derive(Clone)]
struct TableauRow {
    entries: Vec<(u32, Int)>,
    basic: u32,
    /// The coefficient of the basic variable.
    coefficient: Int,
}

impl TableauRow {
    fn coefficient_of(&self, variable: u32) -> &Int {
        const ZERO: &Int = &Int::ZERO;
        self.entries.binary_search_by_key(&variable, |&(variable, _)| variable).map_or(ZERO, |at| &self.entries[at].1)
    }
}

impl Tableau {
    pub(super) fn add_column(&mut self) -> u32 {
        let variable = u32::try_from(self.columns.len()).unwrap_or(u32::MAX);
        self.columns.push(Vec::new());
        self.basic_in.push(None);
        variable
    }

    /// Defines a variable that is in no row yet; basic variables among the
    /// terms are replaced by what they stand for.
    pub(super) fn add_row<'a>(&mut self, defined: u32, terms: impl Iterator<Item = (u32, &'a Int)>) {
        let mut entries: Vec<(u32, Int)> = terms.map(|(variable, coefficient)| (variable, coefficient.clone())).collect();
        entries.push((defined, -&Int::ONE));
        entries.sort_unstable_by_key(|&(variable, _)| variable);
        let basics: Vec<u32> = entries.iter().filter_map(|&(variable, _)| self.basic_in[variable as usize]).collect();
        let mut row = TableauRow { entries, basic: defined, coefficient: Int::ZERO };
        for basic in basics {
            let other = &self.rows[basic as usize];
            let factor = row.coefficient_of(other.basic).clone();
            // Columns follow when the row is complete.
            merge((&row.entries, &other.coefficient), (&other.entries, &-&factor), &mut self.scratch, |_| {}, |_| {});
            std::mem::swap(&mut row.entries, &mut self.scratch);
            normalise(&mut row.entries);
        }
        row.coefficient = row.coefficient_of(defined).clone();
        let index = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        for &(variable, _) in &row.entries {
            self.columns[variable as usize].push(index);
        }
        self.basic_in[defined as usize] = Some(index);
        self.rows.push(row);
    }

    /// Adds a variable that is in no row to what a basic one stands for.
    pub(super) fn extend_row(&mut self, defined: u32, by: u32) {
        let Some(index) = self.basic_in[defined as usize] else { return };
        let row = &mut self.rows[index as usize];
        let coefficient = -&row.coefficient;
        let at = row.entries.partition_point(|&(variable, _)| variable < by);
        row.entries.insert(at, (by, coefficient));
        self.columns[by as usize].push(index);
    }

    pub(super) fn rows(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn basics(&self) -> impl Iterator<Item = u32> {
        self.rows.iter().map(|row| row.basic)
    }

    /// The row in which a variable is basic.
    #[inline]
    pub(super) fn row_of(&self, variable: u32) -> Option<u32> {
        self.basic_in[variable as usize]
    }

    /// The rows that a variable is in.
    pub(super) fn column(&self, variable: u32) -> &[u32] {
        &self.columns[variable as usize]
    }

    pub(super) fn entries(&self, row: u32) -> &[(u32, Int)] {
        &self.rows[row as usize].entries
    }

    /// The basic variable of a row, and how much it moves when another
    /// variable of the row moves by 1.
    #[inline]
    pub(super) fn rate(&self, row: u32, variable: u32) -> (u32, Rational) {
        let row = &self.rows[row as usize];
        let coefficient = row.coefficient_of(variable);
        let rate = match row.coefficient.to_i64() {
            Some(1) => Rational::from(&-coefficient),
            Some(-1) => Rational::from(coefficient),
            _ => Rational::new(&-coefficient, &row.coefficient).unwrap_or_default(),
        };
        (row.basic, rate)
    }

    /// The sign of the basic variable's coefficient in a row.
    pub(super) fn sign(&self, row: u32) -> i32 {
        self.rows[row as usize].coefficient.signum()
    }

    /// Whether the basic variable of a row rises when another one rises.
    pub(super) fn rises_with(&self, row: u32, variable: u32) -> bool {
        let row = &self.rows[row as usize];
        row.coefficient_of(variable).signum() * row.coefficient.signum() < 0
    }

    /// How many entries a pivot looks at.
    pub(super) fn pivot_cost(&self, row: u32, entering: u32) -> u64 {
        let length = self.rows[row as usize].entries.len();
        let others = self.columns[entering as usize].iter().map(|&other| self.rows[other as usize].entries.len() + length);
        others.sum::<usize>() as u64
    }

    /// Whether a pivot was cancelled, after which nothing here means anything.
    pub(super) fn is_broken(&self) -> bool {
        self.broken
    }

    /// Makes a variable of the row basic in it, and takes it out of all other
    /// rows. With thousands of long rows that takes seconds, so the flag is looked at
    /// before each; a tableau that is cancelled in between is of no use any more.
    pub(super) fn pivot(&mut self, row: u32, entering: u32, budget: &mut Budget) -> Result<(), Stopped> {
        self.broken = true;
        let mut pivot =
            std::mem::replace(&mut self.rows[row as usize], TableauRow { entries: Vec::new(), basic: entering, coefficient: Int::ZERO });
        let coefficient = pivot.coefficient_of(entering).clone();
        self.basic_in[pivot.basic as usize] = None;
        self.basic_in[entering as usize] = Some(row);
        for index in std::mem::replace(&mut self.columns[entering as usize], vec![row]) {
            if index == row {
                continue;
            }
            // What it costs has been paid.
            budget.spend(0)?;
            let other = &mut self.rows[index as usize];
            let factor = other.coefficient_of(entering).clone();
            let divisor = coefficient.gcd(&factor);
            let (mut keep, mut add) = (coefficient.div_exact(&divisor), -&factor.div_exact(&divisor));
            if keep.signum() < 0 {
                (keep, add) = (-&keep, -&add);
            }
            let columns = RefCell::new(&mut self.columns);
            let comes = |variable: u32| columns.borrow_mut()[variable as usize].push(index);
            // The column of the entering variable has been replaced already.
            let goes = |variable: u32| {
                let column = &mut columns.borrow_mut()[variable as usize];
                if variable != entering
                    && let Some(at) = column.iter().position(|&row| row == index)
                {
                    column.swap_remove(at);
                }
            };
            merge((&other.entries, &keep), (&pivot.entries, &add), &mut self.scratch, comes, goes);
            std::mem::swap(&mut other.entries, &mut self.scratch);
            // A common divisor does no harm; it must only not pile up by multiplication.
            if keep != Int::ONE {
                normalise(&mut other.entries);
            }
            other.coefficient = other.coefficient_of(other.basic).clone();
        }
        pivot.basic = entering;
        pivot.coefficient = coefficient;
        self.rows[row as usize] = pivot;
        self.broken = false;
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn check_invariants(&self) {
        for (index, row) in (0..).zip(&self.rows) {
            assert!(row.entries.is_sorted_by(|a, b| a.0 < b.0));
            assert!(row.entries.iter().all(|(_, coefficient)| !coefficient.is_zero()));
            assert_eq!(self.basic_in[row.basic as usize], Some(index));
            assert_eq!(self.columns[row.basic as usize], [index]);
            assert_eq!(&row.coefficient, row.coefficient_of(row.basic));
            for (variable, _) in &row.entries {
                assert_eq!(self.columns[*variable as usize].iter().filter(|&&other| other == index).count(), 1);
            }
        }
        assert_eq!(self.columns.iter().map(Vec::len).sum::<usize>(), self.rows.iter().map(|row| row.entries.len()).sum::<usize>());
    }
}

/// `keep · row + add · other`, without zeros. Says which variables come into
/// the row and which go.
fn merge(
    (row, keep): (&[(u32, Int)], &Int),
    (other, add): (&[(u32, Int)], &Int),
    out: &mut Vec<(u32, Int)>,
    mut comes: impl FnMut(u32),
    mut goes: impl FnMut(u32),
) {
    out.clear();
    out.reserve(row.len() + other.len());
    let kept = keep == &Int::ONE;
    let keep_one = |x: &Int| if kept { x.clone() } else { x * keep };
    let mut right = other;
    for (a, x) in row {
        // What is only in the other row, up to here.
        while let Some(((b, y), rest)) = right.split_first()
            && b < a
        {
            comes(*b);
            out.push((*b, y * add));
            right = rest;
        }
        match right.split_first() {
            Some(((b, y), rest)) if b == a => {
                right = rest;
                let sum = Int::combine(keep, x, add, y);
                if sum.is_zero() {
                    goes(*a);
                } else {
                    out.push((*a, sum));
                }
            }
            _ => out.push((*a, keep_one(x))),
        }
    }
    for (b, y) in right {
        comes(*b);
        out.push((*b, y * add));
    }
}

/// Divides a row by what all its coefficients have in common.
fn normalise(entries: &mut [(u32, Int)]) {
    let mut divisor = Int::ZERO;
    for (_, coefficient) in entries.iter() {
        if coefficient.is_unit() {
            return;
        }
        divisor = divisor.gcd(coefficient);
        if divisor == Int::ONE {
            return;
        }
    }
    if divisor > Int::ONE {
        for (_, coefficient) in entries {
            *coefficient = coefficient.div_exact(&divisor);
        }
    }
}
