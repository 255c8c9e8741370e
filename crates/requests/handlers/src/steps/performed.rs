//! What has to be known to perform the requests of a program: how they are called, and what the outside answers where.

use std::collections::BTreeSet;

use super::outside::{Domain, given_name, short};
use super::state::Maker;
use super::values::{FALSE, FIRST_ATOM, NULL, TRUE, UNDEFINED};

/// A value that is given to handlers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum OutsideValue {
    Undefined,
    Null,
    Bool(bool),
    Number(i64),
    /// A text that the file has itself, or a key.
    Text(String),
    /// One that is only moved.
    Token(String),
    /// An object with these fields.
    Record(Vec<(String, OutsideValue)>),
}

/// A call of the outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideCall {
    /// What is called.
    pub path: String,
    /// Where the name of what is called begins.
    pub at: u32,
    /// What it may answer.
    pub values: Vec<OutsideValue>,
    /// Whether it answers later, and not at once.
    pub waits: bool,
    /// Whether it may fail.
    pub fails: bool,
}

/// A parameter of a request of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// Where it lies in what the caller gives, such as `body.form`.
    pub path: String,
    /// Whether its values are numbers, and not tags.
    pub number: bool,
}

/// How a request is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallShape {
    /// What it is called in the file: `POST /redeem`, `account.withdraw`.
    pub name: String,
    /// `express`, `fastify`, `koa`, `handed` where something outside calls it, or nothing.
    pub framework: &'static str,
    /// What it was given to, and as which of the functions there.
    pub handed: Option<(String, usize)>,
    /// The exported plugin of Fastify that registers it.
    pub plugin: Option<String>,
    /// The names of the parameters of the function.
    pub parameters: Vec<String>,
    /// The parameters of the request of the program, in order.
    pub given: Vec<Given>,
    /// Where what the caller gives has one value only.
    pub fixed: Vec<(String, OutsideValue)>,
    /// Answers that mean that nothing has happened.
    pub refusals: Vec<super::ShownAnswer>,
}

/// More combinations of fields than these are not tried.
const MOST_VALUES: usize = 64;

impl Maker<'_> {
    /// The calls of the outside that the last round has seen.
    pub(super) fn outside_calls(&mut self) -> Vec<OutsideCall> {
        let mut calls = Vec::new();
        for (origin, path) in self.outside.clone() {
            let at = origin.rsplit('@').next().and_then(|at| at.parse().ok()).unwrap_or(0);
            let waits = self.uses.get(&origin).is_some_and(|uses| uses.awaited);
            let domain = self.domain(&origin);
            let mut values = self.values_of(&origin, &domain);
            values.truncate(MOST_VALUES);
            calls.push(OutsideCall { path, at, values, waits, fails: waits });
        }
        for at in self.sleeps.clone() {
            let values = vec![OutsideValue::Undefined];
            calls.push(OutsideCall { path: "sleep".to_owned(), at, values, waits: true, fails: false });
        }
        calls
    }

    fn values_of(&self, origin: &str, domain: &Domain) -> Vec<OutsideValue> {
        let tags = |tags: &BTreeSet<i64>| tags.iter().map(|tag| self.value_of(origin, *tag)).collect::<Vec<_>>();
        match domain {
            Domain::Numbers { numbers, others } => numbers.iter().map(|number| OutsideValue::Number(*number)).chain(tags(others)).collect(),
            Domain::Tags(list) => tags(list),
            Domain::Record { fields, others } => {
                let mut records: Vec<Vec<(String, OutsideValue)>> = vec![Vec::new()];
                for (name, inner) in fields {
                    let values = self.values_of(&format!("{origin}.{name}"), inner);
                    let extended = records.iter().flat_map(|record| {
                        values.iter().map(|value| record.iter().cloned().chain([(name.clone(), value.clone())]).collect())
                    });
                    records = extended.take(MOST_VALUES + 1).collect();
                }
                records.into_iter().map(OutsideValue::Record).chain(tags(others)).collect()
            }
        }
    }

    fn value_of(&self, origin: &str, tag: i64) -> OutsideValue {
        let literal = !self.opaque.contains(&tag) && self.uses.get(origin).is_some_and(|uses| uses.literals.contains(&tag));
        match tag {
            FALSE | TRUE => OutsideValue::Bool(tag == TRUE),
            UNDEFINED => OutsideValue::Undefined,
            NULL => OutsideValue::Null,
            _ => {
                let text = self.text_of(tag).unwrap_or_else(|| short(origin).to_owned());
                if literal { OutsideValue::Text(text) } else { OutsideValue::Token(text) }
            }
        }
    }

    /// What callers give, where there is only one value.
    pub(super) fn fixed_parameters(&self) -> Vec<(String, OutsideValue)> {
        let mut fixed = Vec::new();
        for (origin, uses) in &self.uses {
            let Some(path) = origin.strip_prefix("p:") else { continue };
            let tags = self.given_tags(uses);
            if let (false, 1, Some(tag)) = (uses.arithmetic, tags.len(), tags.first()) {
                let text = self.text_of(*tag).unwrap_or_default();
                fixed.push((path.to_owned(), OutsideValue::Text(text)));
            }
        }
        fixed
    }

    /// The parameters of a request, of those that its operations read.
    pub(super) fn given_parameters(&self, wanted: &BTreeSet<String>) -> Vec<Given> {
        let paths = self.uses.iter().filter_map(|(origin, uses)| Some((origin.strip_prefix("p:")?, uses.arithmetic)));
        paths.filter(|(path, _)| wanted.contains(&given_name(path))).map(|(path, number)| Given { path: path.to_owned(), number }).collect()
    }
}

impl super::Answers {
    /// The value of a parameter, as the program writes it.
    pub fn given(&self, value: &str, number: bool) -> Option<OutsideValue> {
        let value: i64 = value.parse().ok()?;
        Some(match value {
            _ if number => OutsideValue::Number(value),
            FALSE | TRUE => OutsideValue::Bool(value == TRUE),
            UNDEFINED => OutsideValue::Undefined,
            NULL => OutsideValue::Null,
            tag if tag >= FIRST_ATOM => OutsideValue::Text(self.tag(tag)),
            _ => return None,
        })
    }
}
