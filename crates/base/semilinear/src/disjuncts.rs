//! The complement as a disjunction, one disjunct after the other.
//!
//! **What it computes.** Conjunctions of literals whose union is the set of
//! vectors for which all clauses hold. They are found depth first, by choosing
//! a literal of one clause after the other, and none is kept: the caller may
//! stop at any time.
//!
//! **Why it is right.** Below a choice of literals `C`, with clauses `K` that
//! are not decided yet, the search yields disjuncts that cover exactly the
//! vectors that satisfy `C` and all of `K`, apart from what other branches
//! cover:
//!
//! - a literal of a clause that *contradicts* `C` is passed by: nothing
//!   satisfies both;
//! - a clause with a literal that `C` *implies* says nothing more, and is dropped;
//! - otherwise the search branches over the literals that are left of the
//!   clause with the fewest of them.
//!
//! Every disjunct therefore implies all clauses. Conversely, let `r` satisfy
//! all clauses, and follow the search, choosing at each branch the first
//! literal that `r` satisfies; there is one. So `r` satisfies the disjunct at
//! the end. The literals before the chosen ones are false at `r`, while all
//! chosen ones are true, so that no choice on this way implies a literal that
//! was passed on the way. That is why choices that imply one can be dropped:
//! whatever they would cover is covered by earlier branches.
//!
//! Whether literals contradict or imply each other is decided by intervals: for
//! each sum of letters that occurs in a literal (divided by common divisors,
//! and with a sign), the interval of values that the choice allows, narrowed by
//! the intervals of single letters. That misses some contradictions, so
//! disjuncts can be empty; [`Disjunct::is_empty`] is exact. With
//! [`Disjuncts::exact`] the search asks at each choice whether some vector
//! satisfies it and none of the inequalities that were passed, and drops it if
//! there is none: on the way of `r` above, `r` is one. With many clauses nearly
//! all of what intervals leave can be empty.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU64;

use serval_budget::{Budget, Stopped};

use crate::complement::{Clause, Complement, Literal};
use crate::expression::{Expression, below_zero, sum};
use crate::inclusion::literals_satisfiable;
use crate::number::{content, gcd, negative, ticks};
use crate::{Counts, Error, Letter};

/// A conjunction of literals.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Disjunct {
    literals: Vec<Literal>,
}

impl Disjunct {
    /// The literals. If there are none, every vector satisfies the disjunct.
    pub fn literals(&self) -> &[Literal] {
        &self.literals
    }

    /// Whether `vector` satisfies all literals.
    pub fn holds(&self, vector: &Counts<Letter>) -> Result<bool, Error> {
        for literal in &self.literals {
            if !literal.holds(vector)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether no vector over the letters `0..letters` satisfies it; exact.
    pub fn is_empty(&self, letters: usize, budget: &mut Budget) -> Result<bool, Error> {
        Ok(!literals_satisfiable(letters, &self.literals, budget)?)
    }

    /// A text such as `a ≥ b + 1 ∧ 2 ∤ b`.
    pub fn display<'a>(&'a self, name: &'a dyn Fn(Letter) -> String) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| {
            if self.literals.is_empty() {
                return f.write_str("true");
            }
            for (place, literal) in self.literals.iter().enumerate() {
                let and = if place > 0 { " ∧ " } else { "" };
                write!(f, "{and}{}", literal.display(name))?;
            }
            Ok(())
        })
    }
}

/// Values between two bounds, where there are any.
#[derive(Clone, Copy, Default)]
struct Range {
    low: Option<i128>,
    high: Option<i128>,
}

impl Range {
    /// Values in both.
    fn and(self, other: Self) -> Self {
        let low = self.low.into_iter().chain(other.low).max();
        let high = self.high.into_iter().chain(other.high).min();
        Self { low, high }
    }

    fn is_empty(self) -> bool {
        matches!((self.low, self.high), (Some(low), Some(high)) if low > high)
    }

    /// `factor · value + constant`; a bound that does not fit is none.
    fn scaled(self, factor: i128, constant: i128) -> Self {
        let scale = |bound: Option<i128>| bound?.checked_mul(factor)?.checked_add(constant);
        if factor < 0 {
            Self { low: scale(self.high), high: scale(self.low) }
        } else {
            Self { low: scale(self.low), high: scale(self.high) }
        }
    }
}

/// A sum of letters without a common divisor, whose first coefficient is positive.
type Direction = Vec<(Letter, i128)>;

/// What a literal says, given those that were chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Contradicts,
    Implied,
    Open,
}

/// The literals that were chosen.
#[derive(Clone, Default)]
struct Chosen {
    ranges: BTreeMap<Direction, Range>,
    indivisible: Vec<(Expression, NonZeroU64)>,
}

/// The direction of an expression and the factor it has; not for constants.
fn direction(expression: &Expression) -> Result<(Direction, i128), Error> {
    let wide = || expression.terms().iter().map(|&(letter, coefficient)| (letter, i128::from(coefficient)));
    let content = content(wide().map(|(_, coefficient)| coefficient))?.max(1);
    let factor = content * wide().next().map_or(1, |(_, coefficient)| coefficient.signum());
    Ok((wide().map(|(letter, coefficient)| (letter, coefficient / factor)).collect(), factor))
}

/// `d ∤ E` with smaller numbers, or `None` if `d` divides no value of `E`.
fn reduced(expression: &Expression, divisor: NonZeroU64) -> Result<Option<(Expression, NonZeroU64)>, Error> {
    let modulus = i128::from(divisor.get());
    let rest = |number: i64| i128::from(number).rem_euclid(modulus);
    let terms: Vec<(Letter, i128)> = expression.terms().iter().map(|&(letter, coefficient)| (letter, rest(coefficient))).collect();
    let constant = rest(expression.constant());
    let common = terms.iter().try_fold(modulus, |common, &(_, coefficient)| gcd(common, coefficient))?;
    if constant % common != 0 {
        return Ok(None);
    }
    let expression = sum(terms.into_iter().map(|(letter, coefficient)| (letter, coefficient / common)), constant / common)?;
    let divisor = u64::try_from(modulus / common).ok().and_then(NonZeroU64::new).ok_or(Error::Overflow)?;
    Ok(Some((expression, divisor)))
}

impl Chosen {
    /// The values of one letter.
    fn letter(&self, letter: Letter) -> Range {
        let natural = Range { low: Some(0), high: None };
        self.ranges.get(&vec![(letter, 1)]).map_or(natural, |range| range.and(natural))
    }

    /// The values of a sum that follow from those of its letters.
    fn by_letters(&self, terms: &[(Letter, i128)]) -> Range {
        let mut sum = Range { low: Some(0), high: Some(0) };
        for &(letter, coefficient) in terms {
            let term = self.letter(letter).scaled(coefficient, 0);
            let add = |a: Option<i128>, b: Option<i128>| a?.checked_add(b?);
            sum = Range { low: add(sum.low, term.low), high: add(sum.high, term.high) };
        }
        sum
    }

    /// The values of an expression.
    fn range(&self, expression: &Expression) -> Result<Range, Error> {
        let (direction, factor) = direction(expression)?;
        let range = self.ranges.get(&direction).copied().unwrap_or_default();
        Ok(range.and(self.by_letters(&direction)).scaled(factor, expression.constant().into()))
    }

    fn effect(&self, literal: &Literal) -> Result<Effect, Error> {
        match literal {
            Literal::AtLeastZero(expression) => {
                let range = self.range(expression)?;
                Ok(match range {
                    Range { high: Some(..0), .. } => Effect::Contradicts,
                    Range { low: Some(0..), .. } => Effect::Implied,
                    _ => Effect::Open,
                })
            }
            Literal::NotDivisible(expression, divisor) => {
                let Some((expression, divisor)) = reduced(expression, *divisor)? else { return Ok(Effect::Implied) };
                if self.indivisible.iter().any(|(other, number)| *other == expression && *number == divisor) {
                    return Ok(Effect::Implied);
                }
                self.divided(&expression, divisor)
            }
        }
    }

    /// The effect of `d ∤ E` where the value of `E` is known.
    fn divided(&self, expression: &Expression, divisor: NonZeroU64) -> Result<Effect, Error> {
        let range = self.range(expression)?;
        Ok(match range.low {
            _ if divisor.get() == 1 => Effect::Contradicts,
            Some(value) if range.high == range.low => {
                if value.rem_euclid(i128::from(divisor.get())) == 0 {
                    Effect::Contradicts
                } else {
                    Effect::Implied
                }
            }
            _ => Effect::Open,
        })
    }

    /// Adds a literal that is open; false if there is a contradiction now.
    fn choose(&mut self, literal: &Literal, budget: &mut Budget) -> Result<bool, Error> {
        budget.spend(ticks(self.ranges.len() + self.indivisible.len()).saturating_add(1))?;
        match literal {
            Literal::AtLeastZero(expression) => {
                // factor · sum + constant ≥ 0, and values of sums are whole numbers.
                let (direction, factor) = direction(expression)?;
                let bound = i128::from(expression.constant()).div_euclid(factor.abs());
                let range = if factor > 0 { Range { low: Some(-bound), high: None } } else { Range { low: None, high: Some(bound) } };
                let old = self.ranges.entry(direction).or_default();
                *old = old.and(range);
            }
            Literal::NotDivisible(expression, divisor) => {
                if let Some(reduced) = reduced(expression, *divisor)? {
                    self.indivisible.push(reduced);
                }
            }
        }
        if self.ranges.iter().any(|(direction, range)| range.and(self.by_letters(direction)).is_empty()) {
            return Ok(false);
        }
        for (expression, divisor) in &self.indivisible {
            if self.divided(expression, *divisor)? == Effect::Contradicts {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn disjunct(&self) -> Result<Disjunct, Error> {
        let mut literals = Vec::new();
        for (direction, range) in &self.ranges {
            if let Some(low) = range.low {
                literals.push(Literal::AtLeastZero(sum(direction.iter().copied(), negative(low)?)?));
            }
            if let Some(high) = range.high {
                let terms = direction.iter().map(|&(letter, coefficient)| (letter, -coefficient));
                literals.push(Literal::AtLeastZero(sum(terms, high)?));
            }
        }
        literals.extend(self.indivisible.iter().map(|(expression, divisor)| Literal::NotDivisible(expression.clone(), *divisor)));
        Ok(Disjunct { literals })
    }
}

/// A branch over the literals of one clause.
struct ClauseFrame<'a> {
    chosen: Chosen,
    /// Clauses that are not decided, without the one that is branched over.
    clauses: Vec<&'a Clause>,
    branches: Vec<&'a Literal>,
    next: usize,
    /// How many literals had been passed before this branch.
    passed: usize,
}

/// Finds disjuncts one after the other.
///
/// After `cap` disjuncts it yields [`Error::TooLarge`] if there are more. After
/// an error it yields nothing.
pub struct Disjuncts<'a> {
    budget: &'a mut Budget,
    stack: Vec<ClauseFrame<'a>>,
    /// Literals of branches before those on the stack.
    passed: Vec<&'a Literal>,
    letters: usize,
    /// Not looked at yet.
    start: Option<&'a Complement>,
    found: usize,
    cap: usize,
    /// The ticks for one exact test, if there shall be any.
    exact: Option<u64>,
}

impl Complement {
    /// The disjuncts, at most `cap`.
    pub fn disjuncts<'a>(&'a self, cap: usize, budget: &'a mut Budget) -> Disjuncts<'a> {
        Disjuncts { budget, stack: Vec::new(), passed: Vec::new(), letters: self.letters(), start: Some(self), found: 0, cap, exact: None }
    }
}

impl<'a> Disjuncts<'a> {
    /// Also tests exactly whether choices can be satisfied, with this number of ticks
    /// for each test. A choice whose test takes longer is kept.
    #[must_use]
    pub fn exact(mut self, ticks: u64) -> Self {
        self.exact = Some(ticks);
        self
    }

    /// Whether an exact test shows that nothing satisfies the choice, apart
    /// from what satisfies a literal that was passed.
    fn exactly_empty(&mut self, chosen: &Chosen) -> Result<bool, Error> {
        let Some(ticks) = self.exact else { return Ok(false) };
        let mut literals = chosen.disjunct()?.literals;
        for passed in &self.passed {
            if let Literal::AtLeastZero(expression) = passed {
                literals.push(Literal::AtLeastZero(below_zero(expression)?));
            }
        }
        let mut part = self.budget.part(ticks);
        let before = part.left();
        let satisfiable = literals_satisfiable(self.letters, &literals, &mut part);
        self.budget.spend(before.saturating_sub(part.left()))?;
        match satisfiable {
            Ok(satisfiable) => Ok(!satisfiable),
            Err(Error::Stopped(Stopped::Cancelled)) => Err(Error::Stopped(Stopped::Cancelled)),
            Err(_) => Ok(false),
        }
    }

    /// Looks at what a choice leaves open: a disjunct if that is nothing, and
    /// otherwise a new branch, unless there is a contradiction.
    fn open(&mut self, chosen: Chosen, clauses: Vec<&'a Clause>) -> Result<Option<Disjunct>, Error> {
        for passed in &self.passed {
            self.budget.spend(1)?;
            if chosen.effect(passed)? == Effect::Implied {
                return Ok(None);
            }
        }
        if self.exactly_empty(&chosen)? {
            return Ok(None);
        }
        let mut rest: Vec<&'a Clause> = Vec::with_capacity(clauses.len());
        let mut fewest: Option<(usize, Vec<&'a Literal>)> = None;
        'clauses: for clause in clauses {
            let mut branches = Vec::new();
            for literal in clause.literals() {
                self.budget.spend(1)?;
                match chosen.effect(literal)? {
                    Effect::Contradicts => {}
                    Effect::Implied => continue 'clauses,
                    Effect::Open => branches.push(literal),
                }
            }
            if branches.is_empty() {
                return Ok(None);
            }
            if fewest.as_ref().is_none_or(|(_, fewest)| branches.len() < fewest.len()) {
                fewest = Some((rest.len(), branches));
            }
            rest.push(clause);
        }
        let Some((place, branches)) = fewest else { return Ok(Some(chosen.disjunct()?)) };
        rest.remove(place);
        let passed = self.passed.len();
        self.stack.push(ClauseFrame { chosen, clauses: rest, branches, next: 0, passed });
        Ok(None)
    }

    fn advance(&mut self) -> Result<Option<Disjunct>, Error> {
        if let Some(start) = self.start.take()
            && let Some(disjunct) = self.open(Chosen::default(), start.clauses().iter().collect())?
        {
            return Ok(Some(disjunct));
        }
        while let Some(frame) = self.stack.last_mut() {
            self.passed.truncate(frame.passed);
            let Some(&literal) = frame.branches.get(frame.next) else {
                self.stack.pop();
                continue;
            };
            self.passed.extend(frame.branches.iter().take(frame.next));
            frame.next += 1;
            let mut chosen = frame.chosen.clone();
            let clauses = frame.clauses.clone();
            if chosen.choose(literal, self.budget)?
                && let Some(disjunct) = self.open(chosen, clauses)?
            {
                return Ok(Some(disjunct));
            }
        }
        Ok(None)
    }
}

impl Iterator for Disjuncts<'_> {
    type Item = Result<Disjunct, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let found = match self.advance() {
            Ok(None) => return None,
            Ok(Some(_)) if self.found == self.cap => Err(Error::TooLarge { what: "disjuncts", cap: self.cap }),
            Ok(Some(disjunct)) => {
                self.found += 1;
                Ok(disjunct)
            }
            Err(error) => Err(error),
        };
        if found.is_err() {
            self.start = None;
            self.stack.clear();
        }
        Some(found)
    }
}
