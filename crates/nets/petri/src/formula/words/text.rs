//! Formulas and markings written down, so that reading gives them back.
//!
//! What is read back has the same conditions in the same order under the same operators, but for operators with one
//! operand, which are left out, and chains: `all` directly under `all` is one `all`, and so it is with `any`. Writing
//! it again gives the same text.

use super::{NESTING, WORDS};
use crate::{Constraint, Formula, FormulaPart, Linear, Marking, Net, PlaceId};

/// A formula on the way.
struct FormulaPiece {
    text: String,
    /// What joins it, if something does.
    joined: Option<&'static str>,
    /// How deep parentheses nest in it.
    depth: usize,
}

/// The formula in words that are read as it, up to chains; `None` where it nests too deep, or asks for divisibility,
/// for which there are no words.
///
/// ```
/// use serval_petri::{Net, words};
/// let mut net = Net::new("a lock");
/// let free = net.add_place("free", 1).unwrap();
/// let held = net.add_place("my lock", 0).unwrap();
/// net.add_transition("take", [(free, 1)], [(held, 1)]).unwrap();
/// let formula = words::formula("not (free > 2*\"my lock\" or deadlock)", &net).unwrap();
/// assert_eq!(words::text(&formula, &net).unwrap(), r#"2*"my lock" >= free and free >= 1"#);
/// ```
pub fn text(formula: &Formula, net: &Net) -> Option<String> {
    let mut pieces: Vec<FormulaPiece> = Vec::new();
    for part in formula.parts() {
        let piece = match part {
            FormulaPart::Constraint(constraint) => FormulaPiece { text: compared(constraint, net)?, joined: None, depth: 0 },
            FormulaPart::All(count) => join(&mut pieces, *count, "and")?,
            FormulaPart::Any(count) => join(&mut pieces, *count, "or")?,
        };
        pieces.push(piece);
    }
    pieces.pop().map(|piece| piece.text)
}

fn join(pieces: &mut Vec<FormulaPiece>, count: usize, operator: &'static str) -> Option<FormulaPiece> {
    let operands = pieces.split_off(pieces.len().checked_sub(count)?);
    let empty = if operator == "and" { "true" } else { "false" };
    let mut whole = FormulaPiece { text: String::new(), joined: Some(operator), depth: 0 };
    for (number, operand) in operands.into_iter().enumerate() {
        if count == 1 {
            return Some(operand);
        }
        if number > 0 {
            whole.text.extend([" ", operator, " "]);
        }
        // `and` binds tighter than `or`.
        let is_looser = operator == "and" && operand.joined == Some("or");
        let (open, close) = if is_looser { ("(", ")") } else { ("", "") };
        whole.text.extend([open, &operand.text, close]);
        whole.depth = whole.depth.max(operand.depth + usize::from(is_looser));
    }
    if count == 0 {
        whole = FormulaPiece { text: empty.to_owned(), joined: None, depth: 0 };
    }
    Some(whole).filter(|whole| whole.depth < NESTING)
}

/// A comparison without negative numbers.
fn compared(constraint: &Constraint, net: &Net) -> Option<String> {
    let (operator, turned, linear) = match constraint {
        Constraint::AtLeastZero(linear) => (">=", "<=", linear),
        Constraint::Zero(linear) => ("=", "=", linear),
        Constraint::NotDivisible { .. } => return None,
    };
    let (positive, negative) = (side(linear, true, net), side(linear, false, net));
    // Places first, where one side has none; an equation would change its sign.
    if operator == ">=" && !linear.terms().is_empty() && linear.terms().iter().all(|term| term.1 < 0) {
        return Some(format!("{negative} {turned} {positive}"));
    }
    Some(format!("{positive} {operator} {negative}"))
}

/// What is added, or what is taken away.
fn side(linear: &Linear, is_positive: bool, net: &Net) -> String {
    let here = |number: i64| number != 0 && (number > 0) == is_positive;
    let term = |&(place, factor): &(PlaceId, i64)| match factor.unsigned_abs() {
        1 => quoted(net.place_name(place)),
        factor => format!("{factor}*{}", quoted(net.place_name(place))),
    };
    let mut terms: Vec<String> = linear.terms().iter().filter(|term| here(term.1)).map(term).collect();
    if here(linear.constant()) || terms.is_empty() {
        terms.push(if here(linear.constant()) { linear.constant().unsigned_abs() } else { 0 }.to_string());
    }
    terms.join(" + ")
}

/// A sum of places, of which none is taken away.
pub fn sum_text(sum: &Linear, net: &Net) -> String {
    side(sum, true, net)
}

/// A marking as a list of `place = number`.
pub fn marking_text(marking: &Marking, net: &Net) -> String {
    let places: Vec<String> = marking.marked().map(|(place, tokens)| format!("{} = {tokens}", quoted(net.place_name(place)))).collect();
    places.join(", ")
}

/// A name as it stands in formulas: in quotes where it is no word.
pub fn quoted(name: &str) -> String {
    let begins = |first: char| first.is_alphabetic() || first == '_';
    let goes_on = |next: char| next.is_alphanumeric() || matches!(next, '_' | '.');
    if name.starts_with(begins) && name.chars().all(goes_on) && !WORDS.contains(&name) {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}
