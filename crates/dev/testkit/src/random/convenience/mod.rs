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
use crate::naive::term::Operator;

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
struct Values {
    low: i64,
    high: i64,
    fit: Fit,
    initial: i64,
}

#[derive(Debug)]
struct File {
    constant: i64,
    scalar: Values,
    array: Values,
    last_index: i64,
    functions: Vec<Function>,
    requests: Vec<Request>,
}

#[derive(Debug)]
struct Function {
    name: &'static str,
    params: Vec<&'static str>,
    body: Vec<Form>,
}

#[derive(Debug)]
struct Request {
    name: &'static str,
    /// The greatest value of the parameter `n`, if there is one; `true` where
    /// its range is that of the `enum`.
    param: Option<(i64, bool)>,
    body: Vec<Form>,
}

#[derive(Clone, Debug)]
enum Form {
    Number(i64),
    /// A constant, a parameter, the variable of a loop, or a variable.
    Name(&'static str),
    Element(Box<Form>),
    Binary(Operator, Box<Form>, Box<Form>),
    Not(Box<Form>),
    Choose(Vec<Form>),
    ChooseRange(i64),
    ChooseEnum,
    Call(usize, Vec<Form>),
    Group(Vec<Form>),
    Assign(&'static str, Box<Form>),
    AssignElement(Box<Form>, Box<Form>),
    Yield,
    Skip,
    Lock,
    Unlock,
    LockElement(Box<Form>, bool),
    Await(Box<Form>),
    Atomic(Vec<Form>),
    If(Box<Form>, Vec<Form>, Option<Vec<Form>>),
    For(&'static str, i64, Vec<Form>),
    Return(Box<Form>),
}

/// The members of the `enum` of every program.
const MEMBERS: [&str; 3] = ["Off", "Dim", "Bright"];
