//! What is declared outside of requests: constants, variables with ranges,
//! arrays, functions.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::{Diagnostic, codes};
use crate::program::{GlobalVar, IndexPlace, NoValue, ParamValues, Variable};
use crate::tree::ast;
use serval_diagnostic::Span;

/// How many values a choice may have, and how many combinations of parameters are written out.
pub(crate) const MAX_ELEMENTS: i64 = 1024;
/// How many elements an array may have.
pub(crate) const MAX_ROWS: i64 = 1 << 16;
/// How many values a parameter may have.
pub(crate) const MAX_VALUES: i64 = 1 << 31;

/// How a text is read for a proof about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Whether versions are integers and have no slots.
    pub integers: bool,
    /// Whether requests choose among ranges when they begin.
    pub choices: bool,
}

/// What happens to a value that leaves a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// It is an error.
    Error,
    /// It comes in again at the other end.
    Wrap,
    /// It stays at the end.
    Saturate,
}

/// The values of a variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Values {
    pub(crate) low: i64,
    pub(crate) high: i64,
    pub(crate) fit: Fit,
}

/// An array: a variable for each element.
#[derive(Debug)]
pub(crate) struct Array {
    /// Those with the same first index follow one another.
    pub(crate) elements: Vec<Variable>,
    /// The least and the greatest value of each index; there are one or two.
    pub(crate) indices: Vec<(i64, i64)>,
}

impl Array {
    /// How an element is written: `[…][…]`.
    pub(crate) fn brackets(&self) -> String {
        "[…]".repeat(self.indices.len())
    }

    /// Which of its indices the one at this position is.
    pub(crate) fn index_place(&self, position: usize) -> IndexPlace {
        match (self.indices.len(), position) {
            (1, _) => IndexPlace::Only,
            (_, 0) => IndexPlace::First,
            _ => IndexPlace::Second,
        }
    }
}

/// What a `var` says about the variables that it declares.
pub(crate) struct VarShape {
    /// What stands behind the name of each variable, `[0][1]`; nothing where it is no array.
    pub(crate) elements: Vec<String>,
    /// The range of each index.
    pub(crate) indices: Vec<(i64, i64)>,
    pub(crate) values: Option<Values>,
    pub(crate) initial: i64,
}

/// A version: globals with numbers that follow one another, a slot for each
/// token that is held.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    /// The number of the first.
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) place: Span,
}

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) params: Vec<(String, Span)>,
    pub(crate) body: ast::Block,
}

/// A range of constants; with the names of the values where an `enum` gives
/// them.
#[derive(Clone, Debug)]
pub(crate) struct Interval {
    pub(crate) low: i64,
    pub(crate) high: i64,
    members: Vec<String>,
}

impl Interval {
    /// From one number to another.
    pub(crate) fn new(low: i64, high: i64) -> Self {
        Self { low, high, members: Vec::new() }
    }

    /// The values, the least first.
    pub(crate) fn values(&self) -> impl Iterator<Item = i64> + use<> {
        self.low..=self.high
    }

    /// As the values of a parameter.
    pub(crate) fn of_parameter(self) -> ParamValues {
        ParamValues::Range { low: self.low, high: self.high, members: self.members }
    }
}

/// An `invariant` that makes sense.
#[derive(Clone, Debug)]
pub(crate) struct Invariant {
    pub(super) condition: ast::Expr,
    pub(super) place: Span,
    /// The globals that it names.
    pub(super) globals: FxHashSet<GlobalVar>,
}

/// Everything that is declared in a file.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    pub(crate) constants: FxHashMap<String, i64>,
    pub(crate) enums: BTreeMap<String, Vec<String>>,
    pub(crate) arrays: FxHashMap<String, Rc<Array>>,
    pub(crate) functions: FxHashMap<String, Function>,
    pub(crate) versions: BTreeMap<String, Slots>,
    /// How the text is read for a proof about it.
    pub(crate) reading: Reading,
    /// By the number of the global.
    pub(crate) values: FxHashMap<u32, Values>,
    /// By the number of the global.
    pub(crate) initial: FxHashMap<u32, i64>,
    pub(crate) invariants: Vec<Invariant>,
    /// Where every name is declared.
    pub(crate) places: FxHashMap<String, Span>,
    /// Whether something declared could not be read, so that it is unknown
    /// what its name means.
    pub(crate) incomplete: bool,
}

impl Declared {
    /// Where a name is declared, other than by use.
    pub(crate) fn place(&self, name: &str) -> Option<Span> {
        self.places.get(name).copied()
    }

    /// The names that can be called.
    pub(crate) fn function_names(&self) -> impl Iterator<Item = &str> {
        self.functions.keys().map(String::as_str)
    }

    /// The values of an `enum`.
    pub(crate) fn members(&self, name: &str) -> Option<Interval> {
        let members = self.enums.get(name)?.clone();
        Some(Interval { low: 0, high: i64::try_from(members.len()).unwrap_or(0) - 1, members })
    }

    /// How many members an `enum` has.
    pub(crate) fn enum_size(&self, name: &str) -> i64 {
        self.enums.get(name).map_or(0, |members| i64::try_from(members.len()).unwrap_or(i64::MAX))
    }

    /// Whether the name is that of an `enum`.
    pub(crate) fn is_enum(&self, name: &str) -> bool {
        self.enums.contains_key(name)
    }
}

pub(crate) fn bad_range(place: Span, message: String, expected: &str) -> Diagnostic {
    Diagnostic::error(codes::BAD_RANGE, place, message).expected(expected).help("write a range such as `0..3`, which includes both ends")
}

pub(crate) fn bad_parameter(name: &str, place: Span) -> Diagnostic {
    Diagnostic::error(codes::DECLARED_TWICE, place, format!("`{name}` cannot be a parameter"))
        .expected("a name with a small first letter that is no constant")
        .help("choose another name; a capital first letter stands for a global variable")
}

pub(crate) fn no_value(reason: NoValue) -> Diagnostic {
    match reason {
        NoValue::NotConstant(place) => Diagnostic::error(codes::INITIAL_NOT_CONSTANT, place, "this value must be constant")
            .expected("numbers, constants and operators")
            .help("write the number itself; what depends on variables belongs into a request"),
        NoValue::Overflow(place) => Diagnostic::error(codes::INITIAL_UNDEFINED, place, "this value is too large")
            .expected(format!("a value from {} to {}", i64::MIN, i64::MAX))
            .help("use smaller numbers; integers have 64 bits"),
        NoValue::DivisionByZero(place) => Diagnostic::error(codes::INITIAL_UNDEFINED, place, "this divides by zero")
            .expected("a divisor other than 0")
            .help("change the divisor"),
    }
}
