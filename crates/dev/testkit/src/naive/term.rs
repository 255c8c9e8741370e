//! Terms: the expressions of the language as a tree with names.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// An expression. Sugar is gone and chains are binary: `a; b; c` is
/// `a; (b; c)`, `a && b && c` is `a && (b && c)` (both mean the same however
/// they are bracketed), `a - b - c` is `(a - b) - c`.
///
/// Build with the functions of the same names, which keep that normal form, so
/// that equal meaning up to brackets is equality.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A number, possibly negative.
    Number(i64),
    /// `?`
    Choice,
    /// `yield`
    Yield,
    /// A variable, global where its first letter is upper-case.
    Read(Rc<str>),
    /// `x := e`
    Assign(Rc<str>, Rc<Term>),
    /// `!e`
    Not(Rc<Term>),
    /// `-e`
    Negate(Rc<Term>),
    /// `e op e`
    Binary(Operator, Rc<Term>, Rc<Term>),
    /// `e && e`
    And(Rc<Term>, Rc<Term>),
    /// `e || e`
    Or(Rc<Term>, Rc<Term>),
    /// `e; e`
    Sequence(Rc<Term>, Rc<Term>),
    /// `if (e) { e } else { e }`
    If(Rc<Term>, Rc<Term>, Rc<Term>),
    /// `while (e) { e }`
    While(Rc<Term>, Rc<Term>),
    /// `return e`
    Return(Rc<Term>),
    /// `break` or `continue`
    Exit(RoundExit),
    /// What this way of leaving goes up to; then its value is 0.
    UpTo(RoundExit, Rc<Term>),
}

/// A way to leave the round of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RoundExit {
    /// `break`: no round follows.
    Break,
    /// `continue`: the next round follows.
    Continue,
}

/// Operators that evaluate both operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, floors
    Divide,
    /// `%`, floors
    Remainder,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Operator {
    /// Whether it is one of `==  !=  <  <=  >  >=`.
    pub fn is_comparison(self) -> bool {
        self >= Self::Equal
    }
}

/// A program: initial values and bodies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Initial values of the globals that do not start at 0. Others may be listed.
    pub globals: BTreeMap<String, i64>,
    /// Name and body. Two bodies may share a name.
    pub requests: Vec<(String, Term)>,
}

/// Whether a variable of this name is shared between requests: its first
/// letter decides, not an underscore before it.
pub fn is_global(name: &str) -> bool {
    name.chars().find(|c| c.is_alphabetic()).is_some_and(char::is_uppercase)
}

/// `n`
pub fn number(n: i64) -> Term {
    Term::Number(n)
}

/// `?`
pub fn choice() -> Term {
    Term::Choice
}

/// `yield`
pub fn yields() -> Term {
    Term::Yield
}

/// A read of the variable `name`.
pub fn read(name: &str) -> Term {
    Term::Read(name.into())
}

/// `name := value`
pub fn assign(name: &str, value: Term) -> Term {
    Term::Assign(name.into(), Rc::new(value))
}

/// `!e`
pub fn not(e: Term) -> Term {
    Term::Not(Rc::new(e))
}

/// `-e`; of a number, that number with the other sign.
pub fn negate(e: Term) -> Term {
    match e {
        Term::Number(n) if n != i64::MIN => Term::Number(-n),
        e => Term::Negate(Rc::new(e)),
    }
}

/// `left op right`
pub fn binary(left: Term, op: Operator, right: Term) -> Term {
    Term::Binary(op, Rc::new(left), Rc::new(right))
}

/// `left && right`
pub fn and(left: Term, right: Term) -> Term {
    match left {
        Term::And(first, rest) => Term::And(first, Rc::new(and(rest.as_ref().clone(), right))),
        left => Term::And(Rc::new(left), Rc::new(right)),
    }
}

/// `left || right`
pub fn or(left: Term, right: Term) -> Term {
    match left {
        Term::Or(first, rest) => Term::Or(first, Rc::new(or(rest.as_ref().clone(), right))),
        left => Term::Or(Rc::new(left), Rc::new(right)),
    }
}

/// `first; then`
pub fn sequence(first: Term, then: Term) -> Term {
    match first {
        Term::Sequence(start, rest) => Term::Sequence(start, Rc::new(sequence(rest.as_ref().clone(), then))),
        first => Term::Sequence(Rc::new(first), Rc::new(then)),
    }
}

/// `a; b; c; …`; the empty list is 0.
pub fn block(terms: impl IntoIterator<Item = Term, IntoIter: DoubleEndedIterator>) -> Term {
    let mut terms = terms.into_iter().rev();
    let Some(last) = terms.next() else { return Term::Number(0) };
    terms.fold(last, |then, first| sequence(first, then))
}

/// `if (condition) { then } else { otherwise }`
pub fn if_else(condition: Term, then: Term, otherwise: Term) -> Term {
    Term::If(Rc::new(condition), Rc::new(then), Rc::new(otherwise))
}

/// `while (condition) { body }`
pub fn while_do(condition: Term, body: Term) -> Term {
    Term::While(Rc::new(condition), Rc::new(body))
}

/// `break` or `continue`
pub fn exit(how: RoundExit) -> Term {
    Term::Exit(how)
}

/// `e`, or 0 where it is left in this way.
pub fn up_to(how: RoundExit, e: Term) -> Term {
    Term::UpTo(how, Rc::new(e))
}

/// `return e`
pub fn returns(e: Term) -> Term {
    Term::Return(Rc::new(e))
}

impl Source {
    /// A program of one body, all globals 0.
    pub fn single(body: Term) -> Self {
        Self { globals: BTreeMap::new(), requests: vec![("request".into(), body)] }
    }
}

impl Term {
    /// The names of the globals that occur.
    pub fn globals(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let mut open = vec![self];
        while let Some(e) = open.pop() {
            if let Self::Read(name) | Self::Assign(name, _) = e
                && is_global(name)
            {
                names.insert(name.to_string());
            }
            open.extend(e.operands());
        }
        names
    }

    /// The terms directly below, left to right.
    pub fn operands(&self) -> Vec<&Self> {
        match self {
            Self::Number(_) | Self::Choice | Self::Yield | Self::Read(_) | Self::Exit(_) => Vec::new(),
            Self::Assign(_, e) | Self::Not(e) | Self::Negate(e) | Self::Return(e) | Self::UpTo(_, e) => vec![e],
            Self::Binary(_, a, b) | Self::And(a, b) | Self::Or(a, b) | Self::Sequence(a, b) | Self::While(a, b) => vec![a, b],
            Self::If(c, a, b) => vec![c, a, b],
        }
    }

    /// Whether `yield` occurs.
    pub fn has_yield(&self) -> bool {
        *self == Self::Yield || self.operands().into_iter().any(Self::has_yield)
    }
}
