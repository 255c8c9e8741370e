//! Formulas in the syntax of other tools.

use serval_petri::{Constraint, Formula, FormulaPart, Linear, PlaceId};

use crate::ExportRefusal;
use crate::text::Text;

/// How a tool writes formulas.
pub(crate) enum Syntax {
    /// `a and b`, with words for and, or, true and false.
    Infix { and: &'static str, or: &'static str, yes: &'static str, no: &'static str },
    /// `(and a b)`.
    Prefix,
}

/// Formulas of Lustre.
pub(crate) const LUSTRE: Syntax = Syntax::Infix { and: "and", or: "or", yes: "true", no: "false" };
/// Formulas of nuXmv.
pub(crate) const NUXMV: Syntax = Syntax::Infix { and: "&", or: "|", yes: "TRUE", no: "FALSE" };

/// What remains to be written.
enum Todo {
    Part(usize),
    Word(&'static str),
    Close,
}

impl Syntax {
    /// Writes a formula. Nothing recurses by its nesting, and its length is that of the formula.
    pub(crate) fn formula(&self, text: &mut Text, formula: &Formula, name: impl Fn(PlaceId) -> String) -> Result<(), ExportRefusal> {
        let parts = formula.parts();
        let operands = operands(parts);
        let mut todo = vec![Todo::Part(parts.len().saturating_sub(1))];
        while let Some(next) = todo.pop() {
            let number = match next {
                Todo::Part(number) => number,
                Todo::Word(word) => {
                    text.word(word);
                    continue;
                }
                Todo::Close => {
                    text.close(")");
                    continue;
                }
            };
            let is_all = match &parts[number] {
                FormulaPart::Constraint(constraint) => {
                    self.constraint(text, constraint, &name)?;
                    continue;
                }
                FormulaPart::All(_) => true,
                FormulaPart::Any(_) => false,
            };
            match &operands[number][..] {
                [] => text.word(match self {
                    Self::Infix { yes, no, .. } => {
                        if is_all {
                            yes
                        } else {
                            no
                        }
                    }
                    Self::Prefix => {
                        if is_all {
                            "true"
                        } else {
                            "false"
                        }
                    }
                }),
                [only] => todo.push(Todo::Part(*only)),
                several => {
                    todo.push(Todo::Close);
                    match self {
                        Self::Infix { and, or, .. } => {
                            text.open("(");
                            for (position, operand) in several.iter().enumerate().rev() {
                                todo.push(Todo::Part(*operand));
                                if position > 0 {
                                    todo.push(Todo::Word(if is_all { and } else { or }));
                                }
                            }
                        }
                        Self::Prefix => {
                            text.word(if is_all { "(and" } else { "(or" });
                            todo.extend(several.iter().rev().map(|&operand| Todo::Part(operand)));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes a condition with what is negative on the other side, so that no tool has to read a sign.
    fn constraint(&self, text: &mut Text, constraint: &Constraint, name: impl Fn(PlaceId) -> String) -> Result<(), ExportRefusal> {
        let (linear, sign) = match constraint {
            Constraint::AtLeastZero(linear) => (linear, ">="),
            Constraint::Zero(linear) => (linear, "="),
            Constraint::NotDivisible { .. } => {
                return Err(ExportRefusal("a condition about divisibility cannot be written in this format".to_owned()));
            }
        };
        match self {
            Self::Infix { .. } => {
                self.side(text, linear, true, &name);
                text.word(sign);
                self.side(text, linear, false, &name);
            }
            Self::Prefix => {
                text.open("(");
                text.word(sign);
                self.side(text, linear, true, &name);
                self.side(text, linear, false, &name);
                text.close(")");
            }
        }
        Ok(())
    }

    /// Writes the sum of what is positive, or of what is negative.
    fn side(&self, text: &mut Text, linear: &Linear, is_positive: bool, name: impl Fn(PlaceId) -> String) {
        let mut words: Vec<String> = Vec::new();
        for &(place, factor) in linear.terms().iter().filter(|term| (term.1 > 0) == is_positive) {
            let name = name(place);
            words.push(match (factor.unsigned_abs(), self) {
                (1, _) => name,
                (factor, Self::Infix { .. }) => format!("{factor} * {name}"),
                (factor, Self::Prefix) => format!("(* {factor} {name})"),
            });
        }
        let constant = linear.constant();
        if words.is_empty() || constant != 0 && (constant > 0) == is_positive {
            words.push(if (constant > 0) == is_positive { constant.unsigned_abs() } else { 0 }.to_string());
        }
        match (self, &words[..]) {
            (Self::Prefix, [_, _, ..]) => {
                text.word("(+");
                words.iter().for_each(|word| text.words(word));
                text.close(")");
            }
            _ => text.joined(words, "+", "0"),
        }
    }
}

/// By part the operands of an operator, in order.
fn operands(parts: &[FormulaPart]) -> Vec<Vec<usize>> {
    let mut open: Vec<usize> = Vec::new();
    let mut all = Vec::with_capacity(parts.len());
    for (number, part) in parts.iter().enumerate() {
        let count = match part {
            FormulaPart::Constraint(_) => 0,
            FormulaPart::All(count) | FormulaPart::Any(count) => *count,
        };
        all.push(open.split_off(open.len().saturating_sub(count)));
        open.push(number);
    }
    all
}
