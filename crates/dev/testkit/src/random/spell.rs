//! Text of a term, with as few parentheses as the grammar needs and a random
//! choice among spellings that mean the same.

use super::rng::SplitMix64;
use crate::naive::term::{Operator, RoundExit, Source, Term};

/// How tightly a form binds. A form stands without parentheses where its own
/// level is at least the level asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum BindingLevel {
    Sequence,
    Assign,
    Or,
    And,
    Compare,
    Sum,
    Product,
    Unary,
    Atom,
}

/// A text of the program. Different seeds give different spellings of it.
pub fn spell(source: &Source, seed: u64) -> String {
    let mut speller = Speller { rng: SplitMix64::new(seed), text: String::new(), indent: 0, parentheses: 0 };
    speller.source(source);
    speller.text
}

struct Speller {
    rng: SplitMix64,
    text: String,
    indent: usize,
    /// Parentheses around the current place: within them, all is on one line.
    parentheses: usize,
}

impl Speller {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn line(&mut self) {
        if self.parentheses > 0 {
            self.text.push(' ');
            return;
        }
        self.text.push('\n');
        for _ in 0..self.indent {
            self.text.push_str("    ");
        }
    }

    fn source(&mut self, source: &Source) {
        let all_zero = source.globals.values().all(|&value| value == 0);
        if let [(name, body)] = source.requests.as_slice()
            && name == "request"
            && all_zero
        {
            self.expr(body, BindingLevel::Sequence);
            self.put("\n");
            return;
        }
        let mut first = true;
        for (name, &value) in &source.globals {
            if value != 0 || self.rng.chance(5) {
                self.put(if first { "" } else { ", " });
                self.put(&format!("{name} := {value}"));
                first = false;
            }
        }
        if !first {
            self.put("\n");
        }
        for (name, body) in &source.requests {
            self.put(&format!("request {name} "));
            self.block(body);
            self.put("\n");
        }
    }

    /// `{ e }`, on lines of its own where `e` is a sequence.
    fn block(&mut self, e: &Term) {
        if let Term::Sequence(..) | Term::If(..) | Term::While(..) = e {
            self.put("{");
            self.indent += 1;
            self.line();
            self.expr(e, BindingLevel::Sequence);
            if self.rng.chance(10) {
                self.put(";");
            }
            self.indent -= 1;
            self.line();
            self.put("}");
        } else {
            self.put("{ ");
            self.expr(e, BindingLevel::Sequence);
            self.put(" }");
        }
    }

    fn expr(&mut self, e: &Term, at_least: BindingLevel) {
        let needed = level(e) < at_least;
        if needed || self.rng.chance(3) {
            self.put("(");
            self.parentheses += 1;
            self.bare(e);
            self.parentheses -= 1;
            self.put(")");
        } else {
            self.bare(e);
        }
    }

    fn bare(&mut self, e: &Term) {
        match e {
            Term::Number(n @ (0 | 1)) if self.rng.chance(10) => self.put(if *n == 1 { "true" } else { "false" }),
            Term::Number(n) => self.put(&n.to_string()),
            Term::Choice => self.put("?"),
            Term::Yield => self.put("yield"),
            Term::Read(name) => self.put(name),
            Term::Assign(name, value) if self.adds(name, value) => {
                if let Term::Binary(op, _, right) = &**value {
                    self.put(name);
                    self.put(if *op == Operator::Add { " += " } else { " -= " });
                    self.expr(right, BindingLevel::Assign);
                }
            }
            Term::Assign(name, value) => {
                self.put(name);
                self.put(" := ");
                self.expr(value, BindingLevel::Assign);
            }
            Term::Not(e) => {
                let word = self.rng.chance(30);
                self.put(if word { "not " } else { "!" });
                self.expr(e, BindingLevel::Unary);
            }
            Term::Negate(e) => {
                self.put("-");
                self.expr(e, BindingLevel::Unary);
            }
            Term::Binary(op, left, right) => self.binary(*op, left, right),
            Term::And(left, right) => {
                let word = self.rng.chance(30);
                self.expr(left, BindingLevel::Compare);
                self.put(if word { " and " } else { " && " });
                self.expr(right, BindingLevel::And);
            }
            Term::Or(left, right) => {
                let word = self.rng.chance(30);
                self.expr(left, BindingLevel::And);
                self.put(if word { " or " } else { " || " });
                self.expr(right, BindingLevel::Or);
            }
            Term::Sequence(first, then) => {
                self.expr(first, BindingLevel::Assign);
                let end = self.text.len();
                let is_block = self.text.ends_with('}') && self.rng.chance(40);
                if !is_block {
                    self.put(";");
                }
                self.line();
                self.expr(then, BindingLevel::Sequence);
                // Behind a block the `;` may be left out, but a sign would belong to what is before it.
                if is_block && self.text[end..].trim_start().starts_with('-') {
                    self.text.insert(end, ';');
                }
            }
            Term::If(condition, then, otherwise) => self.conditional(condition, then, otherwise),
            Term::While(condition, body) => {
                self.put("while (");
                self.expr(condition, BindingLevel::Sequence);
                self.put(") ");
                self.block(body);
            }
            Term::Return(e) => {
                self.put("return ");
                self.expr(e, BindingLevel::Assign);
            }
            Term::Exit(how) => self.put(if *how == RoundExit::Break { "break" } else { "continue" }),
            // The loop itself says up to where.
            Term::UpTo(_, e) => self.expr(e, BindingLevel::Sequence),
        }
    }

    /// Whether `name := name + e` or `name := name - e` is to be written in short.
    fn adds(&mut self, name: &str, value: &Term) -> bool {
        let Term::Binary(Operator::Add | Operator::Subtract, left, _) = value else { return false };
        matches!(&**left, Term::Read(read) if **read == *name) && self.rng.chance(50)
    }

    fn binary(&mut self, op: Operator, left: &Term, right: &Term) {
        let own = operator_level(op);
        // Sums and products chain to the left; comparisons do not chain.
        let (left_level, right_level) = match own {
            BindingLevel::Sum => (BindingLevel::Sum, BindingLevel::Product),
            BindingLevel::Product => (BindingLevel::Product, BindingLevel::Unary),
            _ => (BindingLevel::Sum, BindingLevel::Sum),
        };
        self.expr(left, left_level);
        self.put(match op {
            Operator::Add => " + ",
            Operator::Subtract => " - ",
            Operator::Multiply => " * ",
            Operator::Divide => " / ",
            Operator::Remainder => " % ",
            Operator::Equal => " == ",
            Operator::NotEqual => " != ",
            Operator::Less => " < ",
            Operator::LessOrEqual => " <= ",
            Operator::Greater => " > ",
            Operator::GreaterOrEqual => " >= ",
        });
        self.expr(right, right_level);
    }

    fn conditional(&mut self, condition: &Term, then: &Term, otherwise: &Term) {
        self.put("if (");
        self.expr(condition, BindingLevel::Sequence);
        self.put(") ");
        self.block(then);
        match otherwise {
            Term::Number(0) if self.rng.chance(60) => {}
            Term::If(condition, then, last) if self.rng.chance(70) => {
                self.put(" else ");
                self.conditional(condition, then, last);
            }
            otherwise => {
                self.put(" else ");
                self.block(otherwise);
            }
        }
    }
}

fn level(e: &Term) -> BindingLevel {
    match e {
        Term::Number(n) if *n < 0 => BindingLevel::Unary,
        Term::Number(_) | Term::Choice | Term::Yield | Term::Read(_) | Term::Exit(_) | Term::If(..) | Term::While(..) => BindingLevel::Atom,
        Term::UpTo(_, e) => level(e),
        Term::Assign(..) | Term::Return(_) => BindingLevel::Assign,
        Term::Not(_) | Term::Negate(_) => BindingLevel::Unary,
        Term::Binary(op, ..) => operator_level(*op),
        Term::And(..) => BindingLevel::And,
        Term::Or(..) => BindingLevel::Or,
        Term::Sequence(..) => BindingLevel::Sequence,
    }
}

fn operator_level(op: Operator) -> BindingLevel {
    match op {
        Operator::Add | Operator::Subtract => BindingLevel::Sum,
        Operator::Multiply | Operator::Divide | Operator::Remainder => BindingLevel::Product,
        _ => BindingLevel::Compare,
    }
}
