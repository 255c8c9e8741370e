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
    /// Of the arrays that are declared in requests and functions.
    own: RandomValues,
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
    /// The values of the parameter `n`, if there is one.
    param: Option<ParamValues>,
    body: Vec<ConvenienceForm>,
}

/// Where the values of a parameter come from.
#[derive(Clone, Debug)]
enum ParamValues {
    /// From 0 to this number.
    Range(i64),
    /// All members of the `enum`.
    Members,
    /// A set, in which names may stand: how each is written and called, and the number.
    Set(Vec<(&'static str, &'static str, i64)>),
}

/// An array of which one element is named; all have the indices 0 and 1, and perhaps one more at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArrayName {
    /// `B`, shared, with one index.
    Row,
    /// `C`, shared, with two.
    Table,
    /// `s` of the request or function, with one.
    Own,
    /// `g` of the request or function, with two.
    OwnTable,
}

impl ArrayName {
    fn name(self) -> &'static str {
        match self {
            Self::Row => "B",
            Self::Table => "C",
            Self::Own => "s",
            Self::OwnTable => "g",
        }
    }

    fn indices(self) -> usize {
        match self {
            Self::Row | Self::Own => 1,
            Self::Table | Self::OwnTable => 2,
        }
    }

    /// The greatest value of each index, where the last index of an array is `last`.
    fn ends(self, last: i64) -> Vec<i64> {
        if self.indices() == 1 { vec![last] } else { vec![1, last] }
    }
}

#[derive(Clone, Debug)]
enum ConvenienceForm {
    Number(i64),
    /// A constant, a parameter, the variable of a loop, or a variable.
    Name(&'static str),
    /// A member with the name of the `enum`.
    Member(&'static str),
    Element(ArrayName, Vec<ConvenienceForm>),
    /// Declares the array of the request or function.
    Declare(ArrayName),
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
    AssignElement(ArrayName, Vec<ConvenienceForm>, Box<ConvenienceForm>),
    AddToElement(ArrayName, Vec<ConvenienceForm>, Box<ConvenienceForm>),
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
