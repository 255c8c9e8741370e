//! Questions of a file in the words of the command line, as the file asks them: `fireable`, `deadlock`, negations,
//! implications and comparisons stay what they are, so that a certificate has the question itself. Nodes have the names
//! of the net; a node of a symmetric net is all that unfolding makes of it.
//!
//! The words must mean what the reader understood. They are read again, and where that gives another formula the
//! question has its normal form instead; so the words are never another question.

use roxmltree::Node;

use super::super::xml::{elements, text_of};
use super::{Holds, QueryReader, kind, single, two};
use crate::words::{quoted, text};
use crate::{Formula, Net, Property};

/// How deep elements may nest, since this recurses by them.
const NESTING: usize = 150;

/// A piece of a question, and whether it needs parentheses inside another.
struct QuestionText(String, bool);

impl QuestionText {
    fn single(text: impl Into<String>) -> Self {
        Self(text.into(), false)
    }

    fn inner(self) -> String {
        if self.1 { format!("({})", self.0) } else { self.0 }
    }
}

/// The question that a property is, in words: as the file has it, or else in normal form. `None` where there are no
/// words.
pub(super) fn asked(reader: &QueryReader<'_>, formula: Option<Node<'_, '_>>, property: &Property) -> Option<String> {
    let normal = property.text(reader.net);
    let own = match property {
        // What the contest calls by a name has one here.
        Property::Safe(_) | Property::QuasiLive | Property::StableMarking | Property::Live | Property::Reversible => None,
        _ => match formula {
            Some(formula) => question(reader, formula),
            None => Some("reachable:deadlock".to_owned()),
        },
    };
    own.filter(|own| Property::parse(own, reader.net).is_ok_and(|read| is_same(&read, property, reader.net))).or(normal)
}

/// Whether two properties are the same up to how equations are written.
fn is_same(one: &Property, other: &Property, net: &Net) -> bool {
    use Property::{Invariant, Reachable};
    match (one, other) {
        (Invariant(one), Invariant(other)) | (Reachable(one), Reachable(other)) => {
            // Negated twice, each equation is two comparisons.
            let comparisons = |formula: &Formula| formula.negated()?.negated().and_then(|twice| text(&twice, net));
            comparisons(one).is_some_and(|one| comparisons(other) == Some(one))
        }
        _ => one == other,
    }
}

fn question(reader: &QueryReader<'_>, formula: Node<'_, '_>) -> Option<String> {
    match formula.tag_name().name() {
        "place-bound" => Some(format!("bound:{}", counted(reader, formula)?.0)),
        "conjunction" => {
            let parts = elements(formula).map(|(_, path)| within(reader, path).map(QuestionText::inner)).collect::<Option<Vec<_>>>()?;
            Some(format!("invariant:{}", parts.join(" and ")))
        }
        _ => {
            let name = if kind(formula).ok()? == Holds::IfReachable { "reachable" } else { "invariant" };
            Some(format!("{name}:{}", within(reader, formula)?.0))
        }
    }
}

/// What stands behind the two quantifiers.
fn within(reader: &QueryReader<'_>, path: Node<'_, '_>) -> Option<QuestionText> {
    words(reader, single(single(path).ok()?).ok()?, 0)
}

fn words(reader: &QueryReader<'_>, node: Node<'_, '_>, depth: usize) -> Option<QuestionText> {
    if depth > NESTING {
        return None;
    }
    let joined = |operator: &str| {
        let mut parts = elements(node).map(|(_, child)| words(reader, child, depth + 1)).collect::<Option<Vec<_>>>()?;
        if parts.len() == 1 {
            return parts.pop();
        }
        Some(QuestionText(parts.into_iter().map(QuestionText::inner).collect::<Vec<_>>().join(operator), true))
    };
    match node.tag_name().name() {
        "conjunction" => joined(" and "),
        "disjunction" => joined(" or "),
        "implication" => {
            let [first, second] = two(node).ok()?;
            let (first, second) = (words(reader, first, depth + 1)?, words(reader, second, depth + 1)?);
            Some(QuestionText(format!("{} -> {}", first.inner(), second.inner()), true))
        }
        "negation" => Some(QuestionText(format!("not {}", words(reader, single(node).ok()?, depth + 1)?.inner()), false)),
        word @ ("true" | "false" | "deadlock") => Some(QuestionText::single(word)),
        "is-fireable" => fireable(reader, node),
        name => {
            let operator = ["<=", "<", ">=", ">", "=", "!="]
                [["le", "lt", "ge", "gt", "eq", "ne"].into_iter().position(|ending| name.strip_prefix("integer-") == Some(ending))?];
            let [first, second] = two(node).ok()?;
            Some(QuestionText(format!("{} {operator} {}", sum(reader, first, depth)?.0, sum(reader, second, depth)?.0), true))
        }
    }
}

fn fireable(reader: &QueryReader<'_>, node: Node<'_, '_>) -> Option<QuestionText> {
    let mut names = Vec::new();
    for (_, child) in elements(node) {
        let id = text_of(child).ok()?;
        names.extend(reader.transitions(child, id.trim()).ok()?.iter().map(|&transition| quoted(reader.net.transition_name(transition))));
    }
    Some(QuestionText::single(if names.is_empty() { "false".to_owned() } else { format!("fireable({})", names.join(", ")) }))
}

/// The tokens of all places that an element names.
fn counted(reader: &QueryReader<'_>, node: Node<'_, '_>) -> Option<QuestionText> {
    let mut names = Vec::new();
    for (_, child) in elements(node) {
        let id = text_of(child).ok()?;
        names.extend(reader.ids.places_of(id.trim())?.iter().map(|&place| quoted(reader.net.place_name(place))));
    }
    Some(if names.is_empty() { QuestionText::single("0") } else { QuestionText(names.join(" + "), names.len() > 1) })
}

fn sum(reader: &QueryReader<'_>, node: Node<'_, '_>, depth: usize) -> Option<QuestionText> {
    if depth > NESTING {
        return None;
    }
    let part = |child| sum(reader, child, depth + 1);
    let parts = |operator: &str| {
        let parts = elements(node).map(|(_, child)| part(child).map(QuestionText::inner)).collect::<Option<Vec<_>>>()?;
        Some(QuestionText(parts.join(operator), parts.len() > 1)).filter(|words| !words.0.is_empty())
    };
    match node.tag_name().name() {
        "integer-constant" => {
            let number = text_of(node).ok()?.trim().trim_start_matches('+').to_owned();
            let is_negative = number.starts_with('-');
            Some(QuestionText(number, is_negative))
        }
        "tokens-count" => counted(reader, node),
        "integer-sum" => Some(parts(" + ").unwrap_or(QuestionText::single("0"))),
        "integer-difference" => parts(" - "),
        "integer-product" => Some(parts(" * ").unwrap_or(QuestionText::single("1"))),
        _ => None,
    }
}
