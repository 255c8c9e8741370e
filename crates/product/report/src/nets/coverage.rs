//! The coverability set of a net, for people and for machines.

use std::fmt::Write;

use serde::Serialize;

use serval_diagnostic::counted;

use crate::escape::{self, dot, name};

/// Places that a line names, and members that are shown, unless all are wanted.
const NAMED: usize = 8;
const LINES: usize = 40;

/// A coverability set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CoverReport {
    /// The version of this form.
    pub schema: u32,
    /// The file of the net.
    pub file: String,
    /// The places, in order.
    pub places: Vec<String>,
    /// Of each the largest number of tokens; nothing where there is none.
    pub bounds: Vec<Option<u64>>,
    /// For each place that has none a run in which what is in parentheses with a star can be repeated as often as one
    /// likes.
    pub pumps: Vec<Option<String>>,
    /// The members.
    pub markings: Vec<CoverMarking>,
    /// A member, a transition, and a member that is above what it leads to.
    #[serde(skip)]
    pub edges: Vec<(usize, String, usize)>,
}

/// A member of a coverability set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CoverMarking {
    /// The tokens by place; nothing is ω.
    pub tokens: Vec<Option<u64>>,
    /// A run with pumps that leads to it.
    pub run: String,
}

impl CoverReport {
    /// A member in words: `2·idle + ω·queue`.
    fn words(&self, marking: &CoverMarking) -> String {
        let term = |(place, tokens): (&String, &Option<u64>)| match tokens {
            Some(0) => None,
            Some(1) => Some(name(place).into_owned()),
            Some(tokens) => Some(format!("{tokens}·{}", name(place))),
            None => Some(format!("ω·{}", name(place))),
        };
        let terms: Vec<String> = self.places.iter().zip(&marking.tokens).filter_map(term).collect();
        if terms.is_empty() { "no tokens".to_owned() } else { terms.join(" + ") }
    }

    /// For people.
    pub fn to_text(&self, verbose: bool) -> String {
        let (named, lines) = if verbose { (usize::MAX, usize::MAX) } else { (NAMED, LINES) };
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = writeln!(out, "coverability set  {}", counted(self.markings.len(), "marking"));
        let mut bounds: Vec<u64> = self.bounds.iter().flatten().copied().collect();
        bounds.sort_unstable();
        bounds.dedup();
        let bounded = self.bounds.iter().flatten().count();
        let _ = writeln!(out, "bounded places    {bounded} of {}", self.places.len());
        for bound in bounds {
            let all: Vec<String> =
                self.places.iter().zip(&self.bounds).filter(|one| *one.1 == Some(bound)).map(|one| name(one.0).into_owned()).collect();
            let more = all.len().checked_sub(named).filter(|&more| more > 0).map_or_else(String::new, |more| format!(", … ({more} more)"));
            let _ = writeln!(out, "  at most {bound}: {}{more}", all[..all.len().min(named)].join(", "));
        }
        let unbounded: Vec<(&String, &Option<String>)> =
            self.places.iter().zip(&self.pumps).zip(&self.bounds).filter(|one| one.1.is_none()).map(|one| one.0).collect();
        if !unbounded.is_empty() {
            let _ = writeln!(out, "unbounded places  {}", unbounded.len());
        }
        for (place, pump) in unbounded {
            let _ = writeln!(out, "  {}: {}", name(place), escape::line(pump.as_deref().unwrap_or_default()));
        }
        let _ = writeln!(out, "markings");
        for marking in self.markings.iter().take(lines) {
            let _ = writeln!(out, "  {}", self.words(marking));
        }
        if let Some(left) = self.markings.len().checked_sub(lines).filter(|&left| left > 0) {
            let _ = writeln!(out, "  … and {left} more; -v shows them");
        }
        out
    }

    /// For machines.
    pub fn to_json(&self) -> String {
        // Strings, numbers and structures of them always have a JSON form.
        let mut text = escape::json(serde_json::to_string(self).unwrap_or_default());
        text.push('\n');
        text
    }

    /// For Graphviz.
    pub fn to_dot(&self) -> String {
        let mut out = "digraph cover {\n  node [shape=box, fontsize=10];\n".to_owned();
        for (number, marking) in self.markings.iter().enumerate() {
            let _ = writeln!(out, "  m{number} [label={}];", dot(&self.words(marking)));
        }
        for (from, transition, to) in &self.edges {
            let _ = writeln!(out, "  m{from} -> m{to} [label={}];", dot(transition));
        }
        out.push_str("}\n");
        out
    }
}
