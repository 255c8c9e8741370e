//! The names of variables, and how they are used.

use rustc_hash::FxHashMap;

use crate::program::{Expr, Local, Param};
use serval_diagnostic::Span;

/// A request as far as it could be read.
pub(crate) struct Lowered {
    pub(crate) name: String,
    pub(crate) name_span: Span,
    pub(crate) locals: Names,
    pub(crate) params: Vec<Param>,
    pub(crate) body: Expr,
}

/// How one variable is used.
#[derive(Clone, Debug, Default)]
pub(crate) struct Usage {
    /// Where it is read first.
    pub(crate) read: Option<Span>,
    /// Whether it is assigned anywhere, or has an initial value.
    pub(crate) written: bool,
    /// Whether it is a local that holds versions.
    pub(crate) token: bool,
    /// Whether it is a parameter.
    pub(crate) param: bool,
}

/// The variables of one scope: of all requests, or of one.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) list: Vec<(String, Span)>,
    pub(crate) usage: Vec<Usage>,
    index: FxHashMap<String, u32>,
}

impl Names {
    /// The number of a name, which is new or known.
    pub(crate) fn number(&mut self, name: &str, place: Span) -> u32 {
        if let Some(&number) = self.index.get(name) {
            return number;
        }
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.index.insert(name.to_owned(), number);
        self.list.push((name.to_owned(), place));
        self.usage.push(Usage::default());
        number
    }

    /// How the variable with this number is used. Where only a constant will do there are no names but those of that
    /// expression, and elements of arrays have the numbers that they have elsewhere: what is noted there is never read.
    pub(crate) fn usage_mut(&mut self, number: u32) -> &mut Usage {
        let number = number as usize;
        if number >= self.usage.len() {
            self.usage.resize_with(number + 1, Usage::default);
        }
        &mut self.usage[number]
    }

    /// Where the name first appears.
    pub(crate) fn place(&self, name: &str) -> Option<Span> {
        self.index.get(name).map(|&number| self.list[number as usize].1)
    }

    /// The names that are written somewhere.
    pub(crate) fn written(&self) -> impl Iterator<Item = &str> {
        self.list.iter().zip(&self.usage).filter(|(_, usage)| usage.written).map(|((name, _), _)| name.as_str())
    }

    /// Each name with its place and use.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Span, &Usage)> {
        self.list.iter().zip(&self.usage).map(|((name, place), usage)| (name.as_str(), *place, usage))
    }

    pub(crate) fn to_locals(&self) -> Vec<Local> {
        let hidden = |name: &str| name.starts_with('#');
        let local =
            |(name, span, usage): (&str, Span, &Usage)| Local { name: name.to_owned(), span, hidden: hidden(name), token: usage.token };
        self.iter().map(local).collect()
    }
}
