//! Expressions, and what they are worth. All arithmetic is checked.

use std::fmt;

/// What joins two expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `%`, which is never negative
    Remainder,
}

impl BinaryOp {
    /// As it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::And => "&&",
            Self::Equal => "==",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Remainder => "%",
        }
    }

    fn apply(self, left: i64, right: i64) -> Result<i64, Undefined> {
        let defined = match self {
            Self::Or => Some(i64::from(left != 0 || right != 0)),
            Self::And => Some(i64::from(left != 0 && right != 0)),
            Self::Equal => Some(i64::from(left == right)),
            Self::Unequal => Some(i64::from(left != right)),
            Self::Less => Some(i64::from(left < right)),
            Self::LessOrEqual => Some(i64::from(left <= right)),
            Self::Greater => Some(i64::from(left > right)),
            Self::GreaterOrEqual => Some(i64::from(left >= right)),
            Self::Add => left.checked_add(right),
            Self::Subtract => left.checked_sub(right),
            Self::Multiply => left.checked_mul(right),
            Self::Remainder => left.checked_rem_euclid(right),
        };
        defined.ok_or(Undefined)
    }
}

/// A number too large for 64 bits, or a remainder by 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undefined;

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number does not fit 64 bits, or is divided by 0")
    }
}

/// An expression over atoms: registers in a thread, what can be observed in a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr<A> {
    /// A number.
    Number(i64),
    /// An atom.
    Atom(A),
    /// `!`
    Not(Box<Self>),
    /// `-`
    Negate(Box<Self>),
    /// Two expressions joined.
    Binary(BinaryOp, Box<Self>, Box<Self>),
}

impl<A: Copy> Expr<A> {
    /// The value, where atoms have these values. What is true is 1, and what is not 0 counts as true. Both sides are
    /// always evaluated.
    pub fn value(&self, atom: &impl Fn(A) -> i64) -> Result<i64, Undefined> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Atom(a) => Ok(atom(*a)),
            Self::Not(inner) => Ok(i64::from(inner.value(atom)? == 0)),
            Self::Negate(inner) => inner.value(atom)?.checked_neg().ok_or(Undefined),
            Self::Binary(op, left, right) => op.apply(left.value(atom)?, right.value(atom)?),
        }
    }

    /// Calls `visit` with every atom.
    pub fn atoms(&self, visit: &mut impl FnMut(A)) {
        match self {
            Self::Number(_) => {}
            Self::Atom(atom) => visit(*atom),
            Self::Not(inner) | Self::Negate(inner) => inner.atoms(visit),
            Self::Binary(_, left, right) => {
                left.atoms(visit);
                right.atoms(visit);
            }
        }
    }
}
