//! Random expressions and the range that their values stay in.

use super::generate::Maker;
use crate::naive::term::{self, Operator, Term};

/// Every variable stays in this range, a loop counter in `COUNTER`.
const VARIABLE: (i64, i64) = (-1, 2);
const COUNTER: (i64, i64) = (0, 3);
pub(super) const COUNTERS: [&str; 2] = ["i", "j"];

const COMPARISONS: [Operator; 8] = [
    Operator::Equal,
    Operator::Equal,
    Operator::Equal,
    Operator::NotEqual,
    Operator::Less,
    Operator::LessOrEqual,
    Operator::Greater,
    Operator::GreaterOrEqual,
];

impl Maker {
    /// A variable that can be written, twice as often a global.
    pub(super) fn target(&mut self) -> &'static str {
        if self.rng.chance(65) { self.global() } else { self.local() }
    }

    pub(super) fn global(&mut self) -> &'static str {
        self.rng.pick(&self.globals)
    }

    pub(super) fn local(&mut self) -> &'static str {
        self.rng.pick(&self.locals)
    }

    /// A read of any variable.
    pub(super) fn variable(&mut self) -> Term {
        if self.counters > 0 && self.rng.chance(15) {
            return term::read(COUNTERS[self.counters - 1]);
        }
        term::read(self.target())
    }

    fn leaf(&mut self) -> Term {
        if self.yields_left > 0 && self.rng.chance(self.profile.yield_leaves) {
            return self.yields();
        }
        if self.edges && self.rng.chance(8) {
            return term::number(self.edge());
        }
        match self.rng.below(10) {
            0 => term::number(self.rng.between(0, 2)),
            1 if self.rng.chance(50) => term::number(self.rng.between(-3, 12)),
            2 if self.rng.chance(60) => term::choice(),
            _ => self.variable(),
        }
    }

    /// A number near an end of 64 bits, or one whose square is.
    pub(super) fn edge(&mut self) -> i64 {
        self.rng.pick(&[i64::MAX, i64::MAX, i64::MAX - 1, i64::MIN + 1, i64::MIN + 2, 3_037_000_499, 3_037_000_500, 1 << 62])
    }

    /// Arithmetic for nothing, with a pause between its operands, or a write that changes nothing.
    pub(super) fn discarded(&mut self) -> Term {
        let name = self.target();
        if self.rng.chance(25) {
            return term::assign(name, term::read(name));
        }
        let ops = [Operator::Add, Operator::Add, Operator::Subtract, Operator::Multiply];
        let (first, second) = (self.rng.pick(&ops), self.rng.pick(&ops));
        let pause = if self.rng.chance(70) { self.yields() } else { self.variable() };
        let last = if self.rng.chance(60) { term::number(self.rng.between(-1, 2)) } else { self.variable() };
        let value = term::binary(term::binary(term::read(name), first, pause), second, last);
        let value = if self.rng.chance(20) { term::negate(value) } else { value };
        if self.rng.chance(30) {
            // Into a local variable, which may be tested and forgotten.
            return term::assign(self.local(), value);
        }
        value
    }

    /// Any expression. Its value may leave the range of variables.
    pub(super) fn expression(&mut self, depth: usize) -> Term {
        if depth == 0 {
            return self.leaf();
        }
        let inner = depth - 1;
        match self.rng.below(100) {
            0..18 => self.leaf(),
            18..38 => {
                let op = self.rng.pick(&[Operator::Add, Operator::Subtract]);
                let left = if self.rng.chance(20) { self.assignment(inner) } else { self.expression(inner) };
                term::binary(left, op, self.expression(inner))
            }
            38..42 => term::binary(self.expression(inner), Operator::Multiply, self.expression(inner)),
            42..50 => self.division(inner),
            50..66 => self.comparison(inner),
            66..72 => term::not(self.expression(inner)),
            72..76 => term::negate(self.expression(inner)),
            76..82 => term::and(self.expression(inner), self.expression(inner)),
            82..88 => term::or(self.expression(inner), self.expression(inner)),
            88..93 => self.assignment(inner),
            93..96 => term::if_else(self.condition(inner), self.expression(inner), self.expression(inner)),
            96..98 => {
                let first = self.assignment(inner);
                term::sequence(first, self.expression(inner))
            }
            98 => {
                // A loop is an operand like any other; it has the value 0.
                let condition = self.condition(inner);
                let body = self.yields();
                term::while_do(condition, body)
            }
            _ => term::returns(self.expression(inner)),
        }
    }

    /// An expression used for its truth.
    pub(super) fn condition(&mut self, depth: usize) -> Term {
        match self.rng.below(10) {
            0..6 => self.comparison(depth),
            6 => self.variable(),
            7 => {
                let e = self.variable();
                term::not(e)
            }
            8 => self.expression(depth + 1),
            _ => {
                let left = self.comparison(depth);
                let right = self.expression(depth);
                if self.rng.chance(50) { term::and(left, right) } else { term::or(left, right) }
            }
        }
    }

    fn comparison(&mut self, depth: usize) -> Term {
        let op = self.rng.pick(&COMPARISONS);
        let left = if depth == 0 { self.variable() } else { self.expression(depth) };
        let right = if self.rng.chance(60) { term::number(self.rng.between(0, 1)) } else { self.expression(depth) };
        // `X == X` says too little.
        let right = if left == right { term::number(1) } else { right };
        term::binary(left, op, right)
    }

    /// `/` or `%`, by a number that is not 0, by a variable within a test for
    /// 0, or in a risky program by anything.
    fn division(&mut self, depth: usize) -> Term {
        let op = self.rng.pick(&[Operator::Divide, Operator::Remainder]);
        if !self.risky && self.rng.chance(15) {
            // The dividend is a mere read, so nothing can change the divisor
            // between the test and the division.
            let (dividend, name) = (self.variable(), self.global());
            let quotient = term::binary(dividend, op, term::read(name));
            return term::if_else(term::read(name), quotient, term::number(self.rng.between(0, 1)));
        }
        let dividend = self.expression(depth);
        if self.risky && self.rng.chance(50) {
            return term::binary(dividend, op, self.expression(depth));
        }
        let divisor = self.rng.pick(&[2, 2, 3, 3, -2, 1, -3]);
        term::binary(dividend, op, term::number(divisor))
    }

    /// `v := e` with `e` in range.
    pub(super) fn assignment(&mut self, depth: usize) -> Term {
        let value = match self.rng.below(10) {
            0 if depth > 0 => self.assignment(depth - 1),
            _ => self.expression(depth),
        };
        let target = self.target();
        // `X := X` does too little; the toggle keeps the range.
        let value = if value == term::read(target) { term::binary(term::number(1), Operator::Subtract, value) } else { value };
        term::assign(target, self.bounded(value))
    }

    /// `e`, reduced where its value may leave the range of variables.
    pub(super) fn bounded(&mut self, e: Term) -> Term {
        let (low, high) = range(&e);
        if low >= VARIABLE.0 && high <= VARIABLE.1 {
            return e;
        }
        term::binary(e, Operator::Remainder, term::number(self.modulus))
    }
}

/// A range of the values of `e` if all variables are in theirs.
fn range(e: &Term) -> (i64, i64) {
    match e {
        Term::Number(n) => (*n, *n),
        Term::Yield | Term::While(..) => (0, 0),
        Term::Choice | Term::Not(_) | Term::And(..) | Term::Or(..) => (0, 1),
        Term::Read(name) if COUNTERS.contains(&name.as_ref()) => COUNTER,
        Term::Read(_) => VARIABLE,
        Term::Assign(_, e) => range(e),
        Term::Negate(e) => {
            let (low, high) = range(e);
            (high.saturating_neg(), low.saturating_neg())
        }
        Term::Binary(op, a, b) => binary_range(*op, range(a), range(b)),
        Term::Sequence(_, e) => range(e),
        Term::If(_, a, b) => {
            let ((a_low, a_high), (b_low, b_high)) = (range(a), range(b));
            (a_low.min(b_low), a_high.max(b_high))
        }
        // It has no value where it stands; any range will do.
        Term::Return(_) | Term::Exit(_) => (0, 0),
        Term::UpTo(_, e) => range(e),
    }
}

fn binary_range(op: Operator, a: (i64, i64), b: (i64, i64)) -> (i64, i64) {
    let largest = a.0.saturating_abs().max(a.1.saturating_abs());
    match op {
        Operator::Add => (a.0.saturating_add(b.0), a.1.saturating_add(b.1)),
        Operator::Subtract => (a.0.saturating_sub(b.1), a.1.saturating_sub(b.0)),
        Operator::Multiply => {
            let corners = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)].map(|(x, y)| x.saturating_mul(y));
            (corners.into_iter().min().unwrap_or(0), corners.into_iter().max().unwrap_or(0))
        }
        Operator::Divide => (-largest, largest),
        // It lies between 0 and the divisor, the divisor excluded.
        Operator::Remainder => (b.0.saturating_add(1).min(0), b.1.saturating_sub(1).max(0)),
        _ => (0, 1),
    }
}
