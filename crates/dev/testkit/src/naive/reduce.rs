//! Small steps on interned terms, straight from the evaluation contexts
//!
//! ```text
//! E ::= [] | x := E | E op e | v op E | !E | -E | E && e | E || e
//!     | E; e | if (E) {e} else {e} | return E | up to x: E
//! ```
//!
//! [`Terms::reduce`] walks down the context to the redex, reduces it there,
//! and plugs the result back on the way up. Terms are interned, so equal terms
//! have equal ids and a configuration ⟨e, ρ, g⟩ compares in a few words.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::Fault;
use super::term::{Operator, RoundExit, Term, is_global};

/// An interned term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct TermId(u32);

/// Where a variable lies in the store: globals first, then the locals of the
/// request that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Slot(u32);

impl Slot {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum NaiveNode {
    Number(i64),
    Choice,
    Yield,
    Read(Slot),
    Assign(Slot, TermId),
    Not(TermId),
    Negate(TermId),
    Binary(Operator, TermId, TermId),
    And(TermId, TermId),
    Or(TermId, TermId),
    Sequence(TermId, TermId),
    If(TermId, TermId, TermId),
    While(TermId, TermId),
    Return(TermId),
    Exit(RoundExit),
    UpTo(RoundExit, TermId),
}

/// What one small step makes of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reduced {
    /// The term is a value: there is no small step.
    Value(i64),
    /// The term became this one.
    To(TermId),
    /// `?` was in the hole: the term became either of these.
    Either(TermId, TermId),
    /// `yield` was in the hole: the request waits at this term.
    Waits(TermId),
    /// `return v` was in the hole: all that is left is `v`.
    Returns(i64),
    /// `break` or `continue` was in the hole, and nothing around it stops it.
    Leaves(RoundExit),
}

/// All terms that came up.
#[derive(Default)]
pub(super) struct Terms {
    nodes: IndexSet<NaiveNode, FxBuildHasher>,
    /// The variable that the last small step read or wrote, whether it wrote,
    /// and the value; to be taken by the caller.
    pub(super) accessed: Option<(Slot, bool, i64)>,
}

/// Gives the variables of one request their places.
pub(super) struct Slots<'a> {
    globals: &'a FxHashMap<String, u32>,
    locals: FxHashMap<String, u32>,
}

impl<'a> Slots<'a> {
    /// The given globals and no locals yet.
    pub(super) fn new(globals: &'a FxHashMap<String, u32>) -> Self {
        Self { globals, locals: FxHashMap::default() }
    }

    /// The number of locals that occurred.
    pub(super) fn local_count(&self) -> usize {
        self.locals.len()
    }

    fn slot(&mut self, name: &str) -> Slot {
        if is_global(name) {
            return Slot(self.globals[name]);
        }
        let next = count(self.globals.len() + self.locals.len());
        Slot(*self.locals.entry(name.to_owned()).or_insert(next))
    }
}

/// Table sizes stay far below 2³²: memory ends first.
pub(super) fn count(length: usize) -> u32 {
    u32::try_from(length).expect("fewer than 2^32 entries")
}

impl Terms {
    fn add(&mut self, node: NaiveNode) -> TermId {
        TermId(count(self.nodes.insert_full(node).0))
    }

    fn number(&mut self, n: i64) -> TermId {
        self.add(NaiveNode::Number(n))
    }

    /// Interns a term.
    pub(super) fn intern(&mut self, e: &Term, slots: &mut Slots<'_>) -> TermId {
        let node = match e {
            Term::Number(n) => NaiveNode::Number(*n),
            Term::Choice => NaiveNode::Choice,
            Term::Yield => NaiveNode::Yield,
            Term::Read(name) => NaiveNode::Read(slots.slot(name)),
            Term::Assign(name, e) => NaiveNode::Assign(slots.slot(name), self.intern(e, slots)),
            Term::Not(e) => NaiveNode::Not(self.intern(e, slots)),
            Term::Negate(e) => NaiveNode::Negate(self.intern(e, slots)),
            Term::Binary(op, a, b) => NaiveNode::Binary(*op, self.intern(a, slots), self.intern(b, slots)),
            Term::And(a, b) => NaiveNode::And(self.intern(a, slots), self.intern(b, slots)),
            Term::Or(a, b) => NaiveNode::Or(self.intern(a, slots), self.intern(b, slots)),
            Term::Sequence(a, b) => NaiveNode::Sequence(self.intern(a, slots), self.intern(b, slots)),
            Term::If(c, a, b) => NaiveNode::If(self.intern(c, slots), self.intern(a, slots), self.intern(b, slots)),
            Term::While(c, b) => NaiveNode::While(self.intern(c, slots), self.intern(b, slots)),
            Term::Return(e) => NaiveNode::Return(self.intern(e, slots)),
            Term::Exit(how) => NaiveNode::Exit(*how),
            Term::UpTo(how, e) => NaiveNode::UpTo(*how, self.intern(e, slots)),
        };
        self.add(node)
    }

    /// One small step of `⟨e, store⟩`. At most one variable changes, so the
    /// store is updated in place.
    pub(super) fn reduce(&mut self, e: TermId, store: &mut [i64]) -> Result<Reduced, Fault> {
        let node = self.nodes[e.0 as usize];
        match node {
            NaiveNode::Number(n) => Ok(Reduced::Value(n)),
            NaiveNode::Choice => Ok(Reduced::Either(self.number(0), self.number(1))),
            NaiveNode::Yield => Ok(Reduced::Waits(self.number(0))),
            NaiveNode::Read(slot) => {
                self.accessed = Some((slot, false, store[slot.index()]));
                Ok(Reduced::To(self.number(store[slot.index()])))
            }
            NaiveNode::Assign(slot, value) => match self.reduce(value, store)? {
                Reduced::Value(v) => {
                    store[slot.index()] = v;
                    self.accessed = Some((slot, true, v));
                    Ok(Reduced::To(value))
                }
                inner => Ok(self.plug(inner, |hole| NaiveNode::Assign(slot, hole))),
            },
            NaiveNode::Not(operand) => match self.reduce(operand, store)? {
                Reduced::Value(v) => Ok(Reduced::To(self.number(i64::from(v == 0)))),
                inner => Ok(self.plug(inner, NaiveNode::Not)),
            },
            NaiveNode::Negate(operand) => match self.reduce(operand, store)? {
                Reduced::Value(v) => Ok(Reduced::To(self.number(v.checked_neg().ok_or(Fault::Overflow)?))),
                inner => Ok(self.plug(inner, NaiveNode::Negate)),
            },
            NaiveNode::Binary(op, left, right) => match self.reduce(left, store)? {
                Reduced::Value(a) => match self.reduce(right, store)? {
                    Reduced::Value(b) => Ok(Reduced::To(self.number(apply(op, a, b)?))),
                    inner => Ok(self.plug(inner, |hole| NaiveNode::Binary(op, left, hole))),
                },
                inner => Ok(self.plug(inner, |hole| NaiveNode::Binary(op, hole, right))),
            },
            NaiveNode::And(left, right) => match self.reduce(left, store)? {
                Reduced::Value(0) => Ok(Reduced::To(left)),
                Reduced::Value(_) => Ok(Reduced::To(self.truth(right))),
                inner => Ok(self.plug(inner, |hole| NaiveNode::And(hole, right))),
            },
            NaiveNode::Or(left, right) => match self.reduce(left, store)? {
                Reduced::Value(0) => Ok(Reduced::To(self.truth(right))),
                Reduced::Value(_) => Ok(Reduced::To(self.number(1))),
                inner => Ok(self.plug(inner, |hole| NaiveNode::Or(hole, right))),
            },
            NaiveNode::Sequence(first, then) => match self.reduce(first, store)? {
                Reduced::Value(_) => Ok(Reduced::To(then)),
                inner => Ok(self.plug(inner, |hole| NaiveNode::Sequence(hole, then))),
            },
            NaiveNode::If(condition, then, otherwise) => match self.reduce(condition, store)? {
                Reduced::Value(v) => Ok(Reduced::To(if v != 0 { then } else { otherwise })),
                inner => Ok(self.plug(inner, |hole| NaiveNode::If(hole, then, otherwise))),
            },
            NaiveNode::While(condition, body) => {
                let again = self.add(NaiveNode::Sequence(body, e));
                let zero = self.number(0);
                Ok(Reduced::To(self.add(NaiveNode::If(condition, again, zero))))
            }
            NaiveNode::Return(value) => match self.reduce(value, store)? {
                Reduced::Value(v) => Ok(Reduced::Returns(v)),
                inner => Ok(self.plug(inner, NaiveNode::Return)),
            },
            NaiveNode::Exit(how) => Ok(Reduced::Leaves(how)),
            NaiveNode::UpTo(how, inside) => match self.reduce(inside, store)? {
                Reduced::Value(_) => Ok(Reduced::To(inside)),
                Reduced::Leaves(left) if left == how => Ok(Reduced::To(self.number(0))),
                inner => Ok(self.plug(inner, |hole| NaiveNode::UpTo(how, hole))),
            },
        }
    }

    /// `!!e`: what is left of `1 && e` and of `0 || e`.
    fn truth(&mut self, e: TermId) -> TermId {
        let not = self.add(NaiveNode::Not(e));
        self.add(NaiveNode::Not(not))
    }

    /// Puts what became of the hole back into the context around it. The
    /// answer of a `return` has no context, and what is left has none either.
    fn plug(&mut self, inner: Reduced, context: impl Fn(TermId) -> NaiveNode) -> Reduced {
        match inner {
            Reduced::Value(_) => unreachable!("the contexts take values out themselves"),
            Reduced::To(e) => Reduced::To(self.add(context(e))),
            Reduced::Either(a, b) => Reduced::Either(self.add(context(a)), self.add(context(b))),
            Reduced::Waits(e) => Reduced::Waits(self.add(context(e))),
            Reduced::Returns(v) => Reduced::Returns(v),
            Reduced::Leaves(how) => Reduced::Leaves(how),
        }
    }
}

/// `a op b`. Division rounds towards minus infinity, and the remainder takes
/// the sign of the divisor: `a == (a / b) * b + a % b`.
pub(super) fn apply(op: Operator, a: i64, b: i64) -> Result<i64, Fault> {
    if b == 0 && matches!(op, Operator::Divide | Operator::Remainder) {
        return Err(Fault::DivisionByZero);
    }
    // Everything fits 128 bits, so the meaning is computed exactly and then
    // checked for size.
    let (x, y) = (i128::from(a), i128::from(b));
    let floor = |x: i128, y: i128| x.div_euclid(y) - i128::from(y < 0 && x.rem_euclid(y) != 0);
    let exact = match op {
        Operator::Add => x + y,
        Operator::Subtract => x - y,
        Operator::Multiply => x * y,
        Operator::Divide => floor(x, y),
        Operator::Remainder => x - floor(x, y) * y,
        Operator::Equal => i128::from(x == y),
        Operator::NotEqual => i128::from(x != y),
        Operator::Less => i128::from(x < y),
        Operator::LessOrEqual => i128::from(x <= y),
        Operator::Greater => i128::from(x > y),
        Operator::GreaterOrEqual => i128::from(x >= y),
    };
    i64::try_from(exact).map_err(|_| Fault::Overflow)
}
