//! Points and the paths between them.
//!
//! A *point* is a place where a request waits: a node of the control graph with the values of those registers that are
//! known there. A *path* is a step from point to point that is run without interruption. All its terms speak of the
//! values at its start.

use serval_compile::control::{NodeId, Reg};
use serval_syntax::{GlobalVar, Limit, Span};

use crate::domain::Domain;
use crate::term::{Form, Opaques, Symbol, Term};

/// A point, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PointId(pub u32);

impl PointId {
    /// The end of all requests.
    pub const END: Self = Self(0);

    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A path, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathId(pub u32);

impl PathId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A place where a request waits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Point {
    /// Where it goes on; none at the end.
    pub node: Option<NodeId>,
    /// The registers that have the same value in every request here, ascending.
    pub constants: Vec<(Reg, i64)>,
    /// The registers that are kept here, ascending.
    pub live: Vec<Reg>,
}

/// What tests say of forms, ascending by form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Conditions(pub Vec<(Form, Domain)>);

impl Conditions {
    fn at(&self, form: &[(Symbol, i128)]) -> Result<usize, usize> {
        self.0.binary_search_by(|(other, _)| other.as_slice().cmp(form))
    }

    /// What is said of a form.
    pub fn form(&self, form: &[(Symbol, i128)]) -> Option<&Domain> {
        self.at(form).ok().map(|at| &self.0[at].1)
    }

    /// What is said of a symbol.
    pub fn symbol(&self, symbol: Symbol) -> Option<&Domain> {
        self.form(&[(symbol, 1)])
    }

    /// Says something else of a form.
    pub fn set(&mut self, form: Form, domain: Domain) {
        match self.at(&form) {
            Ok(at) => self.0[at].1 = domain,
            Err(at) => self.0.insert(at, (form, domain)),
        }
    }

    /// Adds what is said of terms; whether all can hold. None where a multiple is tested.
    pub(crate) fn add(&mut self, said: Vec<(Term, Domain)>) -> Option<bool> {
        for (term, domain) in said {
            if let Some(value) = term.as_constant() {
                if !domain.contains(value) {
                    return Some(false);
                }
                continue;
            }
            let scaled = term.scaled();
            if scaled.factor.abs() != 1 {
                return None;
            }
            let domain = domain.image(scaled.factor, -scaled.factor * scaled.constant);
            let domain = self.form(&scaled.form).map_or(domain.clone(), |known| known.and(&domain));
            if domain.is_empty() {
                return Some(false);
            }
            self.set(scaled.form, domain);
        }
        Some(true)
    }

    /// Between which numbers a term lies where these conditions hold and `base` says what else is known of globals and
    /// registers.
    pub fn bounds(&self, opaques: &Opaques, term: &Term, base: &dyn Fn(Symbol) -> Option<Domain>) -> Domain {
        let known = |symbol: Symbol| match (self.symbol(symbol), base(symbol)) {
            (Some(said), Some(other)) => Some(said.and(&other)),
            (Some(said), None) => Some(said.clone()),
            (None, other) => other,
        };
        let bounds = opaques.bounds(term, &known);
        if term.parts.len() < 2 || self.0.iter().all(|(form, _)| form.len() < 2) {
            return bounds;
        }
        let scaled = term.scaled();
        match self.form(&scaled.form) {
            Some(said) => bounds.and(&said.image(scaled.factor, scaled.constant)),
            None => bounds,
        }
    }

    /// Whether they can hold, as far as intervals tell.
    pub fn may_hold(&self, opaques: &Opaques, base: &dyn Fn(Symbol) -> Option<Domain>) -> bool {
        self.0.iter().all(|(form, said)| match form.as_slice() {
            // What is said of one global or register is all that is said of it here.
            &[(symbol @ (Symbol::Global(_) | Symbol::Local(_)), 1)] => base(symbol).is_none_or(|known| !known.and(said).is_empty()),
            parts => {
                let term = Term { constant: 0, parts: parts.to_vec() };
                !self.bounds(opaques, &term, base).and(said).is_empty()
            }
        })
    }
}

/// A value and between which numbers it lies in steps without error.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    /// The value.
    pub term: Term,
    /// What a test for a range or an index on the way has found.
    pub checked: Option<(i64, i64)>,
}

/// A step from point to point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Where it begins.
    pub from: PointId,
    /// Where it ends.
    pub to: PointId,
    /// What it tests.
    pub conditions: Conditions,
    /// The globals that it changes, ascending, and their values.
    pub updates: Vec<(GlobalVar, Value)>,
    /// The registers that are kept at its end and not known there, ascending, and their values.
    pub kept: Vec<(Reg, Value)>,
    /// The answer, if it ends at the end.
    pub answer: Option<Term>,
    /// The text that it runs.
    pub span: Span,
    /// The reads and writes of globals on the way.
    pub accesses: Vec<(GlobalVar, bool, Span)>,
}

impl Path {
    /// Whether it does the same as a path from another point.
    pub fn does_as(&self, other: &Self) -> bool {
        self.to == other.to
            && self.conditions == other.conditions
            && self.updates == other.updates
            && self.kept == other.kept
            && self.answer == other.answer
    }

    /// What it tests about a global alone.
    pub fn guard(&self, global: GlobalVar) -> Option<&Domain> {
        self.conditions.symbol(Symbol::Global(global))
    }

    /// The new value of a global that it changes.
    pub fn update(&self, global: GlobalVar) -> Option<&Value> {
        self.updates.binary_search_by_key(&global, |update| update.0).ok().map(|at| &self.updates[at].1)
    }
}

/// Something that must hold wherever a step comes by; else it is an error of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Obligation {
    /// Where the step began.
    pub from: PointId,
    /// What it has tested so far.
    pub conditions: Conditions,
    /// What must hold.
    pub need: Need,
    /// The operation.
    pub span: Span,
}

impl Need {
    /// The terms that it speaks of.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        let (first, second) = match self {
            Self::Within { term, .. } | Self::Divisor(term) => (term, None),
            Self::Product(left, right) | Self::Quotient(left, right) => (left, Some(right)),
        };
        std::iter::once(first).chain(second)
    }
}

/// What must hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Need {
    /// The term lies between two numbers.
    Within {
        /// The term.
        term: Term,
        /// The least that is allowed.
        low: i64,
        /// The greatest that is allowed.
        high: i64,
        /// What asks for it; 64 bits if nothing does.
        limit: Option<Limit>,
    },
    /// The term is not 0.
    Divisor(Term),
    /// The product fits 64 bits.
    Product(Term, Term),
    /// The quotient fits 64 bits: it is not the least number by -1.
    Quotient(Term, Term),
}
