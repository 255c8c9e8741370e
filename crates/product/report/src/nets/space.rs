//! What was counted of all markings of a net, and the graph of all of them.

use std::fmt::Write;

use serde::Serialize;

use super::marking_words;
use crate::escape::{dot, json, line};

/// What was counted of all markings that can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpaceReport {
    /// How many there are.
    pub markings: usize,
    /// Pairs of a marking and a transition that is enabled there.
    pub firings: u128,
    /// The most tokens on one place.
    pub most_on_place: u64,
    /// The most tokens on all places together.
    pub most_in_all: u128,
}

impl SpaceReport {
    /// For people.
    pub fn to_text(&self) -> String {
        let rows = [
            ("markings", u128::try_from(self.markings).unwrap_or(u128::MAX)),
            ("firings", self.firings),
            ("most tokens on a place", self.most_on_place.into()),
            ("most tokens in all", self.most_in_all),
        ];
        let mut text = String::new();
        for (name, number) in rows {
            text += &format!("{name:<24}{number}\n");
        }
        text + "counted, without evidence\n"
    }

    /// The lines of the Model Checking Contest for its examination StateSpace.
    pub fn to_mcc(&self) -> String {
        let line = |name: &str, number: u128| format!("STATE_SPACE {name} {number} TECHNIQUES EXPLICIT\n");
        [
            line("STATES", u128::try_from(self.markings).unwrap_or(u128::MAX)),
            line("TRANSITIONS", self.firings),
            line("MAX_TOKEN_PER_MARKING", self.most_in_all),
            line("MAX_TOKEN_IN_PLACE", self.most_on_place.into()),
        ]
        .concat()
    }
}

/// All markings that can be reached, and what leads from which to which.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpaceGraph {
    /// The places of the net.
    pub places: Vec<String>,
    /// Its transitions.
    pub transitions: Vec<String>,
    /// The tokens by place. The first marking is the initial one.
    pub markings: Vec<Vec<u64>>,
    /// From which marking which transition leads to which, by their numbers, ascending.
    pub firings: Vec<(usize, usize, usize)>,
}

impl SpaceGraph {
    /// For programs: an object with `places`, `transitions`, `markings` and `firings`.
    pub fn to_json(&self) -> String {
        // Only numbers and texts, which serde writes.
        json(serde_json::to_string(self).unwrap_or_default()) + "\n"
    }

    /// For Graphviz.
    pub fn to_dot(&self) -> String {
        let mut out = String::from("digraph markings {\n  node [fontsize=10, shape=box];\n");
        for (number, marking) in self.markings.iter().enumerate() {
            let marked = self.places.iter().zip(marking).filter(|one| *one.1 > 0).map(|(place, &tokens)| (place.as_str(), tokens));
            let first = if number == 0 { ", penwidth=2" } else { "" };
            // Writing to a string does not fail.
            let _ = writeln!(out, "  m{number} [label={}{first}];", dot(&marking_words(marked)));
        }
        for &(from, transition, to) in &self.firings {
            let label = self.transitions.get(transition).map_or("", String::as_str);
            let _ = writeln!(out, "  m{from} -> m{to} [label={}];", dot(label));
        }
        out.push_str("}\n");
        out
    }

    /// A labelled transition system in the format of Aldebaran, which CADP and mCRL2 read: labels are the names of
    /// transitions.
    pub fn to_aut(&self) -> String {
        let mut out = format!("des (0, {}, {})\n", self.firings.len(), self.markings.len());
        for &(from, transition, to) in &self.firings {
            let label = self.transitions.get(transition).map_or("", String::as_str);
            // A quotation mark would end the label.
            let label = line(label).replace('"', "'");
            let _ = writeln!(out, "({from}, \"{label}\", {to})");
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names that others have chosen stay within their place in each form.
    #[test]
    fn names_stay_in_their_place() {
        let graph = SpaceGraph {
            places: vec!["a \"b\"".to_owned(), "c\nd".to_owned()],
            transitions: vec!["t\", 7)\n(0".to_owned()],
            markings: vec![vec![1, 0], vec![0, 2]],
            firings: vec![(0, 0, 1)],
        };
        assert_eq!(graph.to_aut(), "des (0, 1, 2)\n(0, \"t', 7)\\u{a}(0\", 1)\n");
        assert_eq!(graph.to_dot().lines().count(), 6);
        assert!(graph.to_json().starts_with("{\"places\":[\"a \\\"b\\\"\",\"c\\nd\"]"), "{}", graph.to_json());
    }
}
