//! The text of a tree of forms.

use super::{ArrayName, ConvenienceForm, File, Fit, MEMBERS, ParamValues, RandomValues};
use crate::naive::term::{Operator, RoundExit};

pub(super) fn file(file: &File) -> String {
    let speller = Speller { file };
    let mut out = format!("const K = {}\nenum Lamp {{ {} }}\n", file.constant, MEMBERS.join(", "));
    out += &format!("var A{}\nvar B[0..{}]{}\n", values(&file.scalar), file.last_index, values(&file.array));
    out += &format!("var M[0..{}]\nvar C[0..1][0..{}]{}\n", file.last_index, file.last_index, values(&file.array));
    for function in &file.functions {
        out += &format!("fn {}({}) {{ {} }}\n", function.name, function.params.join(", "), speller.list(&function.body));
    }
    for request in &file.requests {
        let param = match &request.param {
            None => String::new(),
            Some(ParamValues::Members) => "(n: Lamp)".to_owned(),
            Some(ParamValues::Range(high)) => format!("(n: 0..{high})"),
            Some(ParamValues::Set(values)) => {
                let written: Vec<&str> = values.iter().map(|(written, ..)| *written).collect();
                format!("(n: {{{}}})", written.join(", "))
            }
        };
        out += &format!("request {}{param} {{ {} }}\n", request.name, speller.list(&request.body));
    }
    out
}

fn values(values: &RandomValues) -> String {
    let fit = match values.fit {
        Fit::Plain => "",
        Fit::Wrap => " wrap",
        Fit::Saturate => " saturate",
    };
    format!(": {}..{}{fit} := {}", values.low, values.high, values.initial)
}

struct Speller<'f> {
    file: &'f File,
}

impl Speller<'_> {
    fn list(&self, forms: &[ConvenienceForm]) -> String {
        forms.iter().map(|form| self.one(form)).collect::<Vec<_>>().join("; ")
    }

    fn comma(&self, forms: &[ConvenienceForm]) -> String {
        forms.iter().map(|form| self.one(form)).collect::<Vec<_>>().join(", ")
    }

    fn one(&self, form: &ConvenienceForm) -> String {
        match form {
            ConvenienceForm::Number(value) => value.to_string(),
            ConvenienceForm::Name(name) => (*name).to_owned(),
            ConvenienceForm::Member(name) => format!("Lamp.{name}"),
            ConvenienceForm::Element(array, indices) => self.element(*array, indices),
            ConvenienceForm::Declare(array) => {
                let second = if array.indices() == 2 { format!("[0..{}]", self.file.last_index) } else { String::new() };
                let first = if array.indices() == 2 { 1 } else { self.file.last_index };
                format!("var {}[0..{first}]{second}{}", array.name(), values(&self.file.own))
            }
            ConvenienceForm::Binary(op, left, right) => format!("{} {} {}", self.operand(left), sign(*op), self.operand(right)),
            ConvenienceForm::Not(inner) => format!("not ({})", self.one(inner)),
            ConvenienceForm::Logic(any, operands) => {
                operands.iter().map(|operand| self.operand(operand)).collect::<Vec<_>>().join(if *any { " or " } else { " && " })
            }
            ConvenienceForm::Sum(first, rest) => {
                let more = rest.iter().map(|(less, operand)| format!(" {} {}", if *less { "-" } else { "+" }, self.operand(operand)));
                self.operand(first) + &more.collect::<String>()
            }
            ConvenienceForm::Choose(values) => format!("choose({})", self.comma(values)),
            ConvenienceForm::ChooseRange(high) => format!("choose(0..{high})"),
            ConvenienceForm::ChooseEnum => "choose(Lamp)".to_owned(),
            ConvenienceForm::Call(called, arguments) => {
                let function = &self.file.functions[*called];
                format!("{}({})", function.name, self.comma(&arguments[..function.params.len()]))
            }
            ConvenienceForm::Group(forms) => format!("({})", self.list(forms)),
            ConvenienceForm::Assign(name, value) => format!("{name} := {}", self.one(value)),
            ConvenienceForm::AssignElement(array, indices, value) => {
                format!("{} := {}", self.element(*array, indices), self.one(value))
            }
            ConvenienceForm::AddToElement(array, indices, value) => {
                format!("{} += {}", self.element(*array, indices), self.one(value))
            }
            ConvenienceForm::Yield => "yield".to_owned(),
            ConvenienceForm::Skip => "skip".to_owned(),
            ConvenienceForm::Lock => "lock(L)".to_owned(),
            ConvenienceForm::Unlock => "unlock(L)".to_owned(),
            ConvenienceForm::LockElement(index, locks) => format!("{}(M[{}])", if *locks { "lock" } else { "unlock" }, self.operand(index)),
            ConvenienceForm::Await(condition) => format!("await ({})", self.one(condition)),
            ConvenienceForm::Atomic(body) => format!("atomic {{ {} }}", self.list(body)),
            ConvenienceForm::If(condition, then, otherwise) => {
                let rest = otherwise.as_ref().map_or_else(String::new, |forms| format!(" else {{ {} }}", self.list(forms)));
                format!("if ({}) {{ {} }}{rest}", self.one(condition), self.list(then))
            }
            ConvenienceForm::For(name, high, body) => format!("for {name} in 0..{high} {{ {} }}", self.list(body)),
            ConvenienceForm::Return(value) => format!("return {}", self.one(value)),
            ConvenienceForm::While(condition, body) => format!("while ({}) {{ {} }}", self.list(condition), self.list(body)),
            ConvenienceForm::Exit(RoundExit::Break) => "break".to_owned(),
            ConvenienceForm::Exit(RoundExit::Continue) => "continue".to_owned(),
            ConvenienceForm::Extreme(greatest, values) => format!("{}({})", if *greatest { "max" } else { "min" }, self.comma(values)),
        }
    }

    fn element(&self, array: ArrayName, indices: &[ConvenienceForm]) -> String {
        let brackets = indices.iter().map(|index| format!("[{}]", self.operand(index)));
        format!("{}{}", array.name(), brackets.collect::<String>())
    }

    fn operand(&self, form: &ConvenienceForm) -> String {
        match form {
            ConvenienceForm::Number(_)
            | ConvenienceForm::Name(_)
            | ConvenienceForm::Member(_)
            | ConvenienceForm::Element(..)
            | ConvenienceForm::Choose(_)
            | ConvenienceForm::ChooseRange(_)
            | ConvenienceForm::ChooseEnum
            | ConvenienceForm::Call(..)
            | ConvenienceForm::Exit(_)
            | ConvenienceForm::Extreme(..)
            | ConvenienceForm::Group(_) => self.one(form),
            _ => format!("({})", self.one(form)),
        }
    }
}

fn sign(op: Operator) -> &'static str {
    match op {
        Operator::Add => "+",
        Operator::Subtract => "-",
        Operator::Multiply => "*",
        Operator::Remainder => "%",
        Operator::Equal => "==",
        Operator::NotEqual => "!=",
        Operator::Less => "<",
        _ => unreachable!("not made here"),
    }
}
