//! Nets and properties for other model checkers, as text, and the traces of those, read back.
//!
//! - [`lustre`]: a synchronous program, for Kind 2 and JKind, as published and corrected; [`sets`] of transitions that
//!   may fire together;
//! - [`horn`]: constrained Horn clauses; [`vmt`]: symbolic transition systems; [`nuxmv`]; [`mist`]: coverability;
//! - [`names`]: names as identifiers, reversibly; [`map`]: what was called how, as a file;
//! - [`trace`]: counterexamples of Kind 2 and JKind.
//!
//! Writers are deterministic, leave no blank at the end of a line, and refuse in one sentence what they cannot say
//! ([`ExportRefusal`]).
//!
//! **Architecture Invariant:** decides nothing, and no answer rests on it.

pub mod horn;
pub mod lustre;
pub mod map;
pub mod mist;
pub mod names;
pub mod nuxmv;
pub mod sets;
mod step;
mod term;
mod text;
pub mod trace;
pub mod vmt;

use std::fmt;

use serval_petri::{Decides, Formula, Net, Property};

/// Why something cannot be written, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportRefusal(pub String);

impl fmt::Display for ExportRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ExportRefusal {}

/// A property, and what it is called.
#[derive(Clone, Debug)]
pub struct NamedProperty {
    /// The property in words, or the id of a query.
    pub name: String,
    /// What is asked.
    pub property: Property,
}

impl NamedProperty {
    /// The set of markings that it is about, if it is about one, and whether it says that one of these can be reached.
    fn goal(&self, net: &Net) -> Result<(Formula, bool), ExportRefusal> {
        let mut goals = goals(net, &self.property)?;
        match (goals.pop(), goals.len()) {
            (Some(goal), 0) => Ok((goal, self.property.decides() == Decides::IfReachable)),
            (_, others) => Err(ExportRefusal(format!(
                "{} asks {} questions, and here only one can be asked, such as reachable:fireable(t)",
                self.property.name(),
                others + 1
            ))),
        }
    }
}

fn goals(net: &Net, property: &Property) -> Result<Vec<Formula>, ExportRefusal> {
    if property.bounded_places(net).is_some() {
        return Err(ExportRefusal("that places are bounded is no question about single markings".to_owned()));
    }
    if property.decides() == Decides::IfHome {
        let name = property.name();
        return Err(ExportRefusal(format!("{name} asks what can always be reached again, which is no question about single markings")));
    }
    property
        .goals(net)
        .ok_or_else(|| ExportRefusal(format!("a number in {} does not fit 64 bits, or it is about divisibility", property.name())))
}
