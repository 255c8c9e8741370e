//! Random programs with the convenience forms, and what they must mean.
//!
//! A program is made as a tree of forms. The tree is spelled, and it is turned
//! into terms of the core language by the translations of the manual, written
//! down here a second time: with a variable for every index, argument and
//! value, whether it is needed or not.

mod generate;
mod meaning;
mod spell;

use std::collections::BTreeSet;

use crate::naive::Source;
use crate::naive::term::{Operator, RoundExit};

/// A program, what it must mean, and which forms it has.
#[derive(Clone, Debug)]
pub struct ConvenienceProgram {
    /// The text.
    pub text: String,
    /// What it means.
    pub source: Source,
    /// The words of the forms in it.
    pub forms: BTreeSet<&'static str>,
}

/// The program of this seed.
pub fn random_convenience(seed: u64) -> ConvenienceProgram {
    let (file, forms) = generate::file(seed);
    ConvenienceProgram { text: spell::file(&file), source: meaning::source(&file), forms }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    Plain,
    Wrap,
    Saturate,
}

#[derive(Clone, Copy, Debug)]
struct RandomValues {
    low: i64,
    high: i64,
    fit: Fit,
    initial: i64,
}

#[derive(Debug)]
struct File {
    constant: i64,
    scalar: RandomValues,
    array: RandomValues,
    last_index: i64,
    functions: Vec<Function>,
    requests: Vec<Request>,
}

#[derive(Debug)]
struct Function {
    name: &'static str,
    params: Vec<&'static str>,
    body: Vec<ConvenienceForm>,
}

#[derive(Debug)]
struct Request {
    name: &'static str,
    /// The greatest value of the parameter `n`, if there is one; `true` where
    /// its range is that of the `enum`.
    param: Option<(i64, bool)>,
    body: Vec<ConvenienceForm>,
}

#[derive(Clone, Debug)]
enum ConvenienceForm {
    Number(i64),
    /// A constant, a parameter, the variable of a loop, or a variable.
    Name(&'static str),
    Element(Box<ConvenienceForm>),
    Binary(Operator, Box<ConvenienceForm>, Box<ConvenienceForm>),
    Not(Box<ConvenienceForm>),
    /// All of several; `true` for one of them.
    Logic(bool, Vec<ConvenienceForm>),
    /// `a + b - c`, flat; `true` before what is taken away.
    Sum(Box<ConvenienceForm>, Vec<(bool, ConvenienceForm)>),
    Choose(Vec<ConvenienceForm>),
    ChooseRange(i64),
    ChooseEnum,
    Call(usize, Vec<ConvenienceForm>),
    Group(Vec<ConvenienceForm>),
    Assign(&'static str, Box<ConvenienceForm>),
    AssignElement(Box<ConvenienceForm>, Box<ConvenienceForm>),
    Yield,
    Skip,
    Lock,
    Unlock,
    LockElement(Box<ConvenienceForm>, bool),
    Await(Box<ConvenienceForm>),
    Atomic(Vec<ConvenienceForm>),
    If(Box<ConvenienceForm>, Vec<ConvenienceForm>, Option<Vec<ConvenienceForm>>),
    For(&'static str, i64, Vec<ConvenienceForm>),
    Return(Box<ConvenienceForm>),
    /// The condition is a sequence.
    While(Vec<ConvenienceForm>, Vec<ConvenienceForm>),
    Exit(RoundExit),
    /// The least of several; `true` for the greatest.
    Extreme(bool, Vec<ConvenienceForm>),
}

/// The members of the `enum` of every program.
const MEMBERS: [&str; 3] = ["Off", "Dim", "Bright"];
