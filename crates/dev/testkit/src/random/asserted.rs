//! Random programs with `assert`, `invariant` and `assume`, each with the terms that it must mean.
//!
//! Globals have values from 0 to 2. In the terms an invariant is tested right before *every* pause and answer, and what
//! does not hold divides by zero, so that whoever leaves a test out of the program has to be right about it.

use std::collections::BTreeMap;

use super::rng::SplitMix64;
use crate::naive::Source;
use crate::naive::term::{self, Operator, Term};

const GLOBALS: [&str; 3] = ["A", "B", "C"];
const LOCALS: [&str; 2] = ["x", "y"];

/// A text, and what it must mean.
pub struct AssertedProgram {
    /// The text.
    pub text: String,
    /// What it means.
    pub source: Source,
}

/// A part of a program in both forms.
#[derive(Clone)]
struct Part {
    text: String,
    term: Term,
}

/// The program of a seed.
pub fn random_asserted(seed: u64) -> AssertedProgram {
    let mut rng = SplitMix64::new(seed ^ 0x00a5_5e27);
    let initial: BTreeMap<String, i64> = GLOBALS.iter().map(|name| ((*name).to_owned(), rng.between(0, 2))).collect();
    let mut text = String::new();
    for (name, value) in &initial {
        text.push_str(&format!("var {name}: -20..20 := {value}\n"));
    }
    let mut invariants = Vec::new();
    for _ in 0..rng.below(3) {
        if let Some(invariant) = holding(&mut rng, &initial) {
            text.push_str(&format!("invariant {}\n", invariant.text));
            invariants.push(invariant.term);
        }
    }
    let mut maker = Maker { rng, invariants, yields: 0 };
    let mut requests = Vec::new();
    for name in ["one", "two"].iter().take(1 + maker.rng.below(2)) {
        maker.yields = 0;
        let mut parts: Vec<Part> = (0..2 + maker.rng.below(4)).map(|_| maker.statement(2)).collect();
        let value = maker.value();
        let answer = maker.answered(value.term);
        parts.push(Part { text: value.text, term: answer });
        let body: Vec<String> = parts.iter().map(|part| part.text.clone()).collect();
        text.push_str(&format!("request {name} {{ {} }}\n", body.join("; ")));
        requests.push(((*name).to_owned(), term::block(parts.into_iter().map(|part| part.term))));
    }
    AssertedProgram { text, source: Source { globals: initial, requests } }
}

/// A condition over globals that holds at first.
fn holding(rng: &mut SplitMix64, initial: &BTreeMap<String, i64>) -> Option<Part> {
    (0..8).find_map(|_| {
        let (left, right) = (rng.pick(&GLOBALS), rng.pick(&GLOBALS));
        let number = rng.between(0, 3);
        let (op, sign) = comparison(rng);
        let sum = initial[left] + initial[right];
        let (value, text, term) = if rng.chance(60) {
            (initial[left], left.to_owned(), term::read(left))
        } else {
            (sum, format!("{left} + {right}"), term::binary(term::read(left), Operator::Add, term::read(right)))
        };
        let holds = match op {
            Operator::Equal => value == number,
            Operator::NotEqual => value != number,
            Operator::Less => value < number,
            _ => value >= number,
        };
        holds.then(|| Part { text: format!("{text} {sign} {number}"), term: term::binary(term, op, term::number(number)) })
    })
}

fn comparison(rng: &mut SplitMix64) -> (Operator, &'static str) {
    rng.pick(&[(Operator::Equal, "=="), (Operator::NotEqual, "!="), (Operator::Less, "<"), (Operator::GreaterOrEqual, ">=")])
}

/// What must hold, and else divides by zero.
fn claimed(condition: Term) -> Term {
    let fails = term::binary(term::number(1), Operator::Divide, term::number(0));
    term::if_else(condition, term::number(0), fails)
}

struct Maker {
    rng: SplitMix64,
    invariants: Vec<Term>,
    yields: usize,
}

impl Maker {
    fn checks(&self) -> Vec<Term> {
        self.invariants.iter().cloned().map(claimed).collect()
    }

    /// An answer, behind all tests.
    fn answered(&self, value: Term) -> Term {
        let before = std::iter::once(term::assign("answer", value)).chain(self.checks());
        term::block(before.chain([term::read("answer")]))
    }

    fn paused(&self) -> Term {
        term::block(self.checks().into_iter().chain([term::yields()]))
    }

    fn variable(&mut self) -> &'static str {
        if self.rng.chance(60) { self.rng.pick(&GLOBALS) } else { self.rng.pick(&LOCALS) }
    }

    /// A number from 0 to 2, or a variable that has one.
    fn operand(&mut self) -> Part {
        if self.rng.chance(35) {
            let number = self.rng.between(0, 2);
            return Part { text: number.to_string(), term: term::number(number) };
        }
        let name = self.variable();
        Part { text: name.to_owned(), term: term::read(name) }
    }

    /// A value from 0 to 2.
    fn value(&mut self) -> Part {
        let left = self.operand();
        if self.rng.chance(50) {
            return left;
        }
        let right = self.operand();
        let sum = term::binary(left.term, Operator::Add, right.term);
        let text = format!("({} + {}) % 3", left.text, right.text);
        Part { text, term: term::binary(sum, Operator::Remainder, term::number(3)) }
    }

    fn condition(&mut self) -> Part {
        let (left, right) = (self.variable(), self.operand());
        let (op, sign) = comparison(&mut self.rng);
        let first = Part { text: format!("{left} {sign} {}", right.text), term: term::binary(term::read(left), op, right.term) };
        match self.rng.below(6) {
            0 => {
                let other = self.condition();
                Part { text: format!("({}) and ({})", first.text, other.text), term: term::and(first.term, other.term) }
            }
            1 => {
                let other = self.condition();
                Part { text: format!("({}) or ({})", first.text, other.text), term: term::or(first.term, other.term) }
            }
            _ => first,
        }
    }

    fn block(&mut self, depth: usize) -> Part {
        let parts: Vec<Part> = (0..1 + self.rng.below(2)).map(|_| self.statement(depth)).collect();
        let text: Vec<String> = parts.iter().map(|part| part.text.clone()).collect();
        Part { text: text.join("; "), term: term::block(parts.into_iter().map(|part| part.term)) }
    }

    fn statement(&mut self, depth: usize) -> Part {
        match self.rng.below(if depth > 0 { 14 } else { 9 }) {
            0..=3 => {
                let (name, value) = (self.variable(), self.value());
                Part { text: format!("{name} := {}", value.text), term: term::assign(name, value.term) }
            }
            4 | 5 if self.yields < 3 => {
                self.yields += 1;
                Part { text: "yield".to_owned(), term: self.paused() }
            }
            6 if self.rng.chance(40) => {
                let condition = self.condition();
                let endless = term::while_do(term::not(condition.term), term::number(0));
                Part { text: format!("assume ({})", condition.text), term: endless }
            }
            4..=8 => {
                let condition = self.condition();
                // Most of what is claimed should often hold.
                let (name, least) = (self.variable(), self.rng.below(4));
                let held = Part { text: format!("{name} < 3"), term: term::binary(term::read(name), Operator::Less, term::number(3)) };
                let claim = if least > 0 {
                    Part { text: format!("({}) or {}", condition.text, held.text), term: term::or(condition.term, held.term) }
                } else {
                    condition
                };
                Part { text: format!("assert ({})", claim.text), term: term::block([claimed(claim.term), term::number(0)]) }
            }
            9 | 10 => {
                let (condition, then) = (self.condition(), self.block(depth - 1));
                if self.rng.chance(40) {
                    let other = self.block(depth - 1);
                    let text = format!("if ({}) {{ {} }} else {{ {} }}", condition.text, then.text, other.text);
                    return Part { text, term: term::if_else(condition.term, then.term, other.term) };
                }
                let text = format!("if ({}) {{ {} }}", condition.text, then.text);
                Part { text, term: term::if_else(condition.term, then.term, term::number(0)) }
            }
            11 => {
                let (condition, value) = (self.condition(), self.value());
                let text = format!("if ({}) {{ return {} }}", condition.text, value.text);
                Part { text, term: term::if_else(condition.term, term::returns(self.answered(value.term)), term::number(0)) }
            }
            12 if self.yields < 3 => {
                self.yields += 1;
                let (condition, pause) = (self.condition(), self.paused());
                Part { text: format!("await ({})", condition.text), term: term::while_do(term::not(condition.term), pause) }
            }
            _ => {
                self.yields += 1;
                let (condition, inner, pause) = (self.condition(), self.block(0), self.paused());
                let text = format!("while ({}) {{ {}; yield }}", condition.text, inner.text);
                Part { text, term: term::while_do(condition.term, term::block([inner.term, pause])) }
            }
        }
    }
}
