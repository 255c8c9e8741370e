//! What is known in the middle of a step: terms for registers and globals, and what tests have found.

use serval_compile::control::{NodeId, Operand, Reg};
use serval_syntax::{GlobalVar, Span};

use crate::domain::Domain;
use crate::path::Conditions;
use crate::term::{Form, Opaques, Symbol, Term, floor_divide};

/// A way in the middle of a step.
#[derive(Clone)]
pub(super) struct State {
    pub(super) node: NodeId,
    /// Ascending by register.
    pub(super) registers: Vec<(Reg, Term)>,
    /// The globals that have been written, ascending.
    pub(super) globals: Vec<(GlobalVar, Term)>,
    pub(super) conditions: Conditions,
    /// What tests for ranges have found.
    pub(super) checked: Vec<(Term, i64, i64)>,
    /// Heads of loops.
    pub(super) seen: Vec<Seen>,
    pub(super) span: Option<Span>,
    pub(super) accesses: Vec<(GlobalVar, bool, Span)>,
}

/// The head of a loop on a way.
#[derive(Clone)]
pub(super) struct Seen {
    node: NodeId,
    /// How often the way has been there.
    rounds: u32,
    /// What was there the last time, from the second on.
    last: Option<Box<Last>>,
}

/// Everything on which the way from the head of a loop on depends.
#[derive(Clone, PartialEq)]
struct Last {
    registers: Vec<(Reg, Term)>,
    globals: Vec<(GlobalVar, Term)>,
    conditions: Conditions,
}

/// What a way finds at the head of a loop.
pub(super) enum Round {
    /// What it found the last time.
    Same,
    /// Something else; how often it has been there.
    New(u32),
}

/// How a term is compared with 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Zero,
    NotZero,
    NotPositive,
}

/// A test: a term and how it is compared with 0.
pub(super) type Test = (Term, Relation);

pub(super) fn negated((term, relation): &Test) -> Option<Test> {
    Some(match relation {
        Relation::Zero => (term.clone(), Relation::NotZero),
        Relation::NotZero => (term.clone(), Relation::Zero),
        Relation::NotPositive => (Term::constant(1).plus(term, -1)?, Relation::NotPositive),
    })
}

impl State {
    pub(super) fn set(&mut self, reg: Reg, term: Term) {
        match self.registers.binary_search_by_key(&reg, |entry| entry.0) {
            Ok(at) => self.registers[at].1 = term,
            Err(at) => self.registers.insert(at, (reg, term)),
        }
    }

    pub(super) fn store(&mut self, global: GlobalVar, term: Term) {
        match self.globals.binary_search_by_key(&global, |entry| entry.0) {
            Ok(at) => self.globals[at].1 = term,
            Err(at) => self.globals.insert(at, (global, term)),
        }
    }

    /// The same term with numbers for what can have one value only.
    pub(super) fn simple(&self, term: &Term) -> Term {
        let known = |(form, said): &(Form, Domain)| form.len() == 1 && said.single().is_some();
        if term.parts.is_empty() || !self.conditions.0.iter().any(known) {
            return term.clone();
        }
        term.with(&|symbol| self.conditions.symbol(symbol)?.single())
    }

    pub(super) fn read(&self, operand: Operand) -> Term {
        match operand {
            Operand::Const(value) => Term::constant(value.into()),
            Operand::Reg(reg) => match self.registers.binary_search_by_key(&reg, |entry| entry.0) {
                Ok(at) => self.simple(&self.registers[at].1),
                Err(_) => self.simple(&Term::symbol(Symbol::Local(reg))),
            },
        }
    }

    pub(super) fn load(&self, global: GlobalVar) -> Term {
        match self.globals.binary_search_by_key(&global, |entry| entry.0) {
            Ok(at) => self.simple(&self.globals[at].1),
            Err(_) => self.simple(&Term::symbol(Symbol::Global(global))),
        }
    }

    /// Goes on where a test holds; whether that can be.
    pub(super) fn assume(&mut self, opaques: &Opaques, (term, relation): &Test) -> bool {
        let term = self.simple(term);
        let holds = |value: i128| match relation {
            Relation::Zero => value == 0,
            Relation::NotZero => value != 0,
            Relation::NotPositive => value <= 0,
        };
        if let Some(value) = term.as_constant() {
            return holds(value);
        }
        let scaled = term.scaled();
        let before = self.conditions.form(&scaled.form).cloned().unwrap_or_else(Domain::all);
        let form = Term { constant: 0, parts: scaled.form.clone() };
        let possible = self.conditions.bounds(opaques, &form, &|_| None).and(&before);
        let Some(after) = restrict(&possible, scaled.factor, scaled.constant, *relation) else { return false };
        if after.is_empty() {
            return false;
        }
        if after != possible {
            // Of a sum the tests alone are kept: what follows from its parts is no condition of its own.
            let kept =
                if scaled.form.len() == 1 { after } else { restrict(&before, scaled.factor, scaled.constant, *relation).unwrap_or(after) };
            self.conditions.set(scaled.form, kept);
        }
        true
    }

    /// Comes to the head of a loop.
    pub(super) fn comes_to(&mut self, node: NodeId, live: &dyn Fn() -> Vec<Reg>) -> Round {
        let Some(at) = self.seen.iter().position(|seen| seen.node == node) else {
            self.seen.push(Seen { node, rounds: 1, last: None });
            return Round::New(1);
        };
        let registers = live().into_iter().map(|reg| (reg, self.read(Operand::Reg(reg)))).collect();
        let now = Last { registers, globals: self.globals.clone(), conditions: self.conditions.clone() };
        let seen = &mut self.seen[at];
        if seen.last.as_deref() == Some(&now) {
            return Round::Same;
        }
        seen.rounds += 1;
        seen.last = Some(Box::new(now));
        Round::New(seen.rounds)
    }

    pub(super) fn visit(&mut self, span: Span) {
        self.span = Some(self.span.map_or(span, |before| before.to(span)));
    }
}

/// The `x` of a domain for which `factor * x + constant` is as the relation says; none if no `x` at all is.
fn restrict(domain: &Domain, factor: i128, constant: i128, relation: Relation) -> Option<Domain> {
    let (root, rest) = floor_divide(constant.checked_neg()?, factor)?;
    Some(match relation {
        Relation::Zero if rest != 0 => return None,
        Relation::Zero => domain.and(&Domain::point(root)),
        Relation::NotZero if rest != 0 => domain.clone(),
        Relation::NotZero => domain.without(root),
        // x <= floor(-constant / factor), or x >= ceiling of that.
        Relation::NotPositive if factor > 0 => domain.and(&Domain::between(Domain::all().low(), root)),
        Relation::NotPositive => domain.and(&Domain::between(root + i128::from(rest != 0), Domain::all().high())),
    })
}
