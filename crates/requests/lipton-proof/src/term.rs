//! Values of a step as functions of the values at its start.
//!
//! A [`Term`] is a constant plus symbols times factors. A symbol is a global or a register at the start of the step, or
//! an *opaque* product, quotient or remainder of two terms, which is known by what it is made of: equal opaque symbols
//! have equal values. Arithmetic on terms is that of the integers. It gives the value of the program wherever no
//! operation on the way left 64 bits, which is for others to prove: see [`crate::execute`].
//!
//! A [`Form`] is a term without constant, its factors without common divisor and the first of them positive. Every term
//! is one form times a number plus a constant, so tests of `x - y < 3`, `y - x > 1` and `2 * x == 2 * y` all speak of
//! the form `x - y`.

use rustc_hash::FxHashMap;
use serval_compile::control::Reg;
use serval_syntax::{ArithmeticOp, GlobalVar};

use crate::domain::Domain;

/// Opaque symbols are nested at most so deep.
const MAX_DEPTH: u32 = 8;
/// Factors, constants and the number of symbols stay below these. Values have 64 bits, so a term stays within
/// 2^16 · 2^40 · 2^63 + 2^66, which is less than where [`Domain`]s are cut off: bounds of terms are exact numbers.
const MAX_FACTOR: i128 = 1 << 40;
const MAX_CONSTANT: i128 = 1 << 66;
const MAX_PARTS: usize = 1 << 16;

/// Something whose value is fixed while a step runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symbol {
    /// The value of a global at the start.
    Global(GlobalVar),
    /// The value of a register at the start.
    Local(Reg),
    /// An operation on terms, by its number in [`Opaques`].
    Opaque(u32),
}

/// A constant plus symbols times factors.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term {
    /// The constant.
    pub constant: i128,
    /// Symbols, ascending, and their factors, which are not 0.
    pub parts: Vec<(Symbol, i128)>,
}

/// A linear form in its normal shape.
pub type Form = Vec<(Symbol, i128)>;

/// A term as `factor * form + constant`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scaled {
    /// The form.
    pub form: Form,
    /// What it is multiplied by.
    pub factor: i128,
    /// What is added.
    pub constant: i128,
}

impl Term {
    /// A number.
    pub fn constant(value: i128) -> Self {
        Self { constant: value, parts: Vec::new() }
    }

    /// A symbol.
    pub fn symbol(symbol: Symbol) -> Self {
        Self { constant: 0, parts: vec![(symbol, 1)] }
    }

    /// The number that it is, if it is one.
    pub fn as_constant(&self) -> Option<i128> {
        self.parts.is_empty().then_some(self.constant)
    }

    /// `self + factor * other`, unless numbers get too large.
    pub fn plus(&self, other: &Self, factor: i128) -> Option<Self> {
        // A long sum is mostly made by adding one part to it.
        if let [(symbol, times)] = other.parts[..]
            && let Err(at) = self.parts.binary_search_by_key(&symbol, |part| part.0)
            && times != 0
            && factor != 0
        {
            let mut parts = Vec::with_capacity(self.parts.len() + 1);
            parts.extend_from_slice(&self.parts[..at]);
            parts.push((symbol, times.checked_mul(factor)?));
            parts.extend_from_slice(&self.parts[at..]);
            let constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
            // The other parts are of a term, so they are small.
            let small = parts.len() <= MAX_PARTS && is_within(parts[at].1, MAX_FACTOR) && is_within(constant, MAX_CONSTANT);
            return small.then_some(Self { constant, parts });
        }
        let mut parts = Vec::with_capacity(self.parts.len() + other.parts.len());
        let (mut a, mut b) = (self.parts.iter().peekable(), other.parts.iter().peekable());
        loop {
            let part = match (a.peek(), b.peek()) {
                (Some(&&(x, f)), Some(&&(y, _))) if x < y => {
                    a.next();
                    (x, f)
                }
                (Some(&&(x, f)), Some(&&(y, g))) if x == y => {
                    a.next();
                    b.next();
                    (x, f.checked_add(g.checked_mul(factor)?)?)
                }
                (_, Some(&&(y, g))) => {
                    b.next();
                    (y, g.checked_mul(factor)?)
                }
                (Some(&&part), None) => {
                    a.next();
                    part
                }
                (None, None) => break,
            };
            if part.1 != 0 {
                parts.push(part);
            }
        }
        let constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        Self { constant, parts }.small()
    }

    /// `self * factor`, unless numbers get too large.
    pub fn times(&self, factor: i128) -> Option<Self> {
        Self::default().plus(self, factor)
    }

    fn small(self) -> Option<Self> {
        let small = self.parts.len() <= MAX_PARTS && self.parts.iter().all(|part| is_within(part.1, MAX_FACTOR));
        (small && is_within(self.constant, MAX_CONSTANT)).then_some(self)
    }

    /// The form that this is a multiple of, with a constant.
    pub fn scaled(&self) -> Scaled {
        let divisor = self.parts.iter().fold(0, |divisor, part| gcd(divisor, part.1.abs())).max(1);
        let sign = if self.parts.first().is_some_and(|part| part.1 < 0) { -1 } else { 1 };
        let factor = divisor * sign;
        Scaled { form: self.parts.iter().map(|&(symbol, f)| (symbol, f / factor)).collect(), factor, constant: self.constant }
    }

    /// The same where some symbols have known values.
    #[must_use]
    pub fn with(&self, value: &dyn Fn(Symbol) -> Option<i128>) -> Self {
        let known: Vec<Option<i128>> = self.parts.iter().map(|&(symbol, _)| value(symbol)).collect();
        if known.iter().all(Option::is_none) {
            return self.clone();
        }
        let mut constant = self.constant;
        let mut parts = Vec::new();
        for (&(symbol, factor), known) in self.parts.iter().zip(known) {
            match known {
                // Values have 64 bits and factors not many more.
                Some(value) => constant = constant.saturating_add(factor.saturating_mul(value)),
                None => parts.push((symbol, factor)),
            }
        }
        Self { constant, parts }.small().unwrap_or_else(|| self.clone())
    }
}

fn is_within(number: i128, most: i128) -> bool {
    -most <= number && number <= most
}

fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// An operation that no linear term says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Opaque {
    /// Multiplication, division or remainder.
    pub op: ArithmeticOp,
    /// The left operand.
    pub left: Term,
    /// The right operand.
    pub right: Term,
    depth: u32,
    /// The globals inside, ascending.
    globals: Vec<GlobalVar>,
    /// The registers inside, ascending.
    locals: Vec<Reg>,
}

/// All opaque symbols of a program.
#[derive(Debug, Default)]
pub struct Opaques {
    list: Vec<Opaque>,
    numbers: FxHashMap<(ArithmeticOp, Term, Term), u32>,
}

impl Opaques {
    /// The symbol for an operation; none if it is nested too deep.
    pub fn symbol(&mut self, op: ArithmeticOp, left: Term, right: Term) -> Option<Symbol> {
        let key = (op, left, right);
        if let Some(&number) = self.numbers.get(&key) {
            return Some(Symbol::Opaque(number));
        }
        let (mut depth, mut globals, mut locals) = (0, Vec::new(), Vec::new());
        for &(symbol, _) in key.1.parts.iter().chain(&key.2.parts) {
            match symbol {
                Symbol::Global(global) => globals.push(global),
                Symbol::Local(reg) => locals.push(reg),
                Symbol::Opaque(number) => {
                    let inner = self.list.get(number as usize)?;
                    depth = depth.max(inner.depth);
                    locals.extend(&inner.locals);
                    globals.extend(&inner.globals);
                }
            }
        }
        if depth >= MAX_DEPTH {
            return None;
        }
        globals.sort_unstable();
        globals.dedup();
        locals.sort_unstable();
        locals.dedup();
        let number = u32::try_from(self.list.len()).ok()?;
        let (op, left, right) = key.clone();
        self.list.push(Opaque { op, left, right, depth: depth + 1, globals, locals });
        self.numbers.insert(key, number);
        Some(Symbol::Opaque(number))
    }

    /// From now on operations get new symbols, even such as there were before; so what is found does not depend on what
    /// was found before.
    pub(crate) fn begin_anew(&mut self) {
        self.numbers.clear();
    }

    fn get(&self, number: u32) -> Option<&Opaque> {
        self.list.get(number as usize)
    }

    /// Adds the globals inside these parts to `out`.
    pub fn globals_in(&self, parts: &[(Symbol, i128)], out: &mut Vec<GlobalVar>) {
        for &(symbol, _) in parts {
            match symbol {
                Symbol::Global(global) => out.push(global),
                Symbol::Local(_) => {}
                Symbol::Opaque(number) => out.extend(self.get(number).into_iter().flat_map(|opaque| &opaque.globals)),
            }
        }
    }

    /// Adds the registers inside these parts to `out`.
    pub fn locals_in(&self, parts: &[(Symbol, i128)], out: &mut Vec<Reg>) {
        for &(symbol, _) in parts {
            match symbol {
                Symbol::Global(_) => {}
                Symbol::Local(reg) => out.push(reg),
                Symbol::Opaque(number) => out.extend(self.get(number).into_iter().flat_map(|opaque| &opaque.locals)),
            }
        }
    }

    /// Whether these parts speak of nothing but one global.
    pub fn only_global(&self, parts: &[(Symbol, i128)], global: GlobalVar) -> bool {
        parts.iter().all(|&(symbol, _)| match symbol {
            Symbol::Global(other) => other == global,
            Symbol::Local(_) => false,
            Symbol::Opaque(number) => {
                self.get(number).is_some_and(|opaque| opaque.locals.is_empty() && opaque.globals.iter().all(|&other| other == global))
            }
        })
    }

    /// A term as a global plus a rest, in which the global may occur inside operations alone; and if the remainder of
    /// that sum is taken and a number added, that number and by what it is divided.
    pub fn addition(&self, term: &Term, global: GlobalVar) -> Option<(Option<(i128, i128)>, Term)> {
        let here = Symbol::Global(global);
        let (turn, sum) = match term.parts[..] {
            [(Symbol::Opaque(number), 1)] => {
                let Opaque { op: ArithmeticOp::Remainder, left, right, .. } = self.get(number)? else { return None };
                (Some((term.constant, right.as_constant()?)), left)
            }
            _ => (None, term),
        };
        let rest = sum.plus(&Term::symbol(here), -1)?;
        sum.parts.contains(&(here, 1)).then_some((turn, rest))
    }

    /// How the sum of a global and of something that depends on no global is turned, if a term is that.
    pub fn turned(&self, term: &Term, global: GlobalVar) -> Option<(i128, i128)> {
        let (turn, rest) = self.addition(term, global)?;
        let mut inside = Vec::new();
        self.globals_in(&rest.parts, &mut inside);
        turn.filter(|_| inside.is_empty())
    }

    /// The term with others in the place of symbols; none if numbers get too large.
    pub fn put(&mut self, term: &Term, other: &dyn Fn(Symbol) -> Option<Term>) -> Option<Term> {
        let mut result = Term::constant(term.constant);
        for &(symbol, factor) in &term.parts {
            let put = match symbol {
                Symbol::Opaque(number) => {
                    // Opaque symbols are nested at most `MAX_DEPTH` deep.
                    let Opaque { op, left, right, .. } = self.get(number)?.clone();
                    let (new_left, new_right) = (self.put(&left, other)?, self.put(&right, other)?);
                    let same = left == new_left && right == new_right;
                    Term::symbol(if same { symbol } else { self.symbol(op, new_left, new_right)? })
                }
                _ => other(symbol).unwrap_or_else(|| Term::symbol(symbol)),
            };
            result = result.plus(&put, factor)?;
        }
        Some(result)
    }

    /// Between which numbers a term lies, given that of globals and registers. `known` may say something of opaque
    /// symbols, too.
    pub fn bounds(&self, term: &Term, known: &dyn Fn(Symbol) -> Option<Domain>) -> Domain {
        if let [(symbol, factor)] = term.parts[..] {
            return self.symbol_bounds(symbol, known).image(factor, term.constant);
        }
        let (mut low, mut high) = (term.constant, term.constant);
        for &(symbol, factor) in &term.parts {
            let values = self.symbol_bounds(symbol, known);
            if values.is_empty() {
                return Domain::empty();
            }
            let (a, b) = match factor {
                1 => (values.low(), values.high()),
                factor => (values.low().saturating_mul(factor), values.high().saturating_mul(factor)),
            };
            (low, high) = (low.saturating_add(a.min(b)), high.saturating_add(a.max(b)));
        }
        Domain::between(low, high)
    }

    fn symbol_bounds(&self, symbol: Symbol, known: &dyn Fn(Symbol) -> Option<Domain>) -> Domain {
        let said = known(symbol).unwrap_or_else(Domain::values);
        let Symbol::Opaque(number) = symbol else { return said };
        let Some(opaque) = self.get(number) else { return said };
        let (left, right) = (self.bounds(&opaque.left, known), self.bounds(&opaque.right, known));
        // What leaves 64 bits is an error, and then there is no value.
        operation(opaque.op, &left, &right).and(&Domain::values()).and(&said)
    }

    /// The value of a term where its symbols have values. None where an operation has no value.
    pub fn value(&self, term: &Term, known: &dyn Fn(Symbol) -> Option<i128>) -> Option<i128> {
        let mut sum = term.constant;
        for &(symbol, factor) in &term.parts {
            let value = match symbol {
                Symbol::Opaque(number) => {
                    let opaque = self.get(number)?;
                    calculate(opaque.op, self.value(&opaque.left, known)?, self.value(&opaque.right, known)?)?
                }
                _ => known(symbol)?,
            };
            sum = sum.checked_add(factor.checked_mul(value)?)?;
        }
        Some(sum)
    }
}

/// `left op right`, for division and remainder with the floor.
pub fn calculate(op: ArithmeticOp, left: i128, right: i128) -> Option<i128> {
    match op {
        ArithmeticOp::Add => left.checked_add(right),
        ArithmeticOp::Subtract => left.checked_sub(right),
        ArithmeticOp::Multiply => left.checked_mul(right),
        ArithmeticOp::Divide => Some(floor_divide(left, right)?.0),
        ArithmeticOp::Remainder => Some(floor_divide(left, right)?.1),
    }
}

/// The floor of a quotient, and the remainder that goes with it.
pub fn floor_divide(left: i128, right: i128) -> Option<(i128, i128)> {
    let (quotient, rest) = (left.checked_div(right)?, left.checked_rem(right)?);
    if rest != 0 && (rest < 0) != (right < 0) { Some((quotient - 1, rest + right)) } else { Some((quotient, rest)) }
}

/// Where the values of an operation lie, errors aside.
pub fn operation(op: ArithmeticOp, left: &Domain, right: &Domain) -> Domain {
    if left.is_empty() || right.is_empty() {
        return Domain::empty();
    }
    if let (Some(left), Some(right)) = (left.single(), right.single()) {
        return calculate(op, left, right).map_or_else(Domain::empty, Domain::point);
    }
    let corners = |op: ArithmeticOp, rights: &[i128]| {
        let values = rights.iter().flat_map(|&b| [left.low(), left.high()].map(|a| calculate(op, a, b)));
        values.flatten().fold(Domain::empty(), |hull, value| hull.hull(&Domain::point(value)))
    };
    match op {
        ArithmeticOp::Add => Domain::between(left.low().saturating_add(right.low()), left.high().saturating_add(right.high())),
        ArithmeticOp::Subtract => Domain::between(left.low().saturating_sub(right.high()), left.high().saturating_sub(right.low())),
        ArithmeticOp::Multiply => {
            let far = |domain: &Domain| domain.low().abs().max(domain.high().abs()) > 1 << 63;
            if far(left) || far(right) { Domain::all() } else { corners(op, &[right.low(), right.high()]) }
        }
        ArithmeticOp::Divide => {
            // A quotient is monotone in each operand on either side of 0, so its extremes are at the ends of the two
            // parts of the divisor.
            let inside = |x: i128| right.low() <= x && x <= right.high();
            let ends: Vec<i128> = [right.low(), right.high(), -1, 1].into_iter().filter(|&b| b != 0 && inside(b)).collect();
            corners(op, &ends)
        }
        ArithmeticOp::Remainder => {
            let (low, high) = (right.low(), right.high());
            let wide = Domain::between((low + 1).min(0), (high - 1).max(0));
            // What is not negative and below every divisor stays as it is.
            if low > 0 && left.low() >= 0 && left.high() < low {
                wide.and(left)
            } else if left.low() >= 0 && low > 0 {
                wide.and(&Domain::between(0, left.high()))
            } else {
                wide
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_lie_within_their_bounds() {
        let ops = [ArithmeticOp::Add, ArithmeticOp::Subtract, ArithmeticOp::Multiply, ArithmeticOp::Divide, ArithmeticOp::Remainder];
        for a in -4..=4 {
            for b in a..=4 {
                for c in -3..=3 {
                    for d in c..=3 {
                        for op in ops {
                            let bounds = operation(op, &Domain::between(a, b), &Domain::between(c, d));
                            for x in a..=b {
                                for y in c..=d {
                                    assert!(calculate(op, x, y).is_none_or(|value| bounds.contains(value)), "{op:?} {x} {y}");
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn scaled_terms_are_the_same() {
        let x = Symbol::Local(Reg(0));
        let y = Symbol::Local(Reg(1));
        let term = Term { constant: 5, parts: vec![(x, -4), (y, 6)] };
        let scaled = term.scaled();
        assert_eq!((scaled.form, scaled.factor, scaled.constant), (vec![(x, 2), (y, -3)], -2, 5));
    }
}
