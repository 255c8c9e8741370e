//! Questions in the property language of the Model Checking Contest, as far as
//! it is about reachability: `exists-path finally` and `all-paths globally`.
//!
//! Written: a [`Target`] as `exists-path finally`, a conjunction of
//! `integer-le`. Positive terms are on one side and negative ones on the other,
//! as there are no negative coefficients: those of 1 in one `tokens-count`, each
//! other in an `integer-product`, all in an `integer-sum`. An equation is a
//! conjunction of two `integer-le`, one each way. That `d` does not divide an
//! expression has no form in this language, nor a finite conjunction that says
//! the same: it is refused ([`NotWritten`]).
//!
//! Read: `conjunction`, `disjunction`, `negation`, `implication`, `true`, `false`, comparisons (`integer-le` and its
//! relatives) of `integer-constant`, `tokens-count`, `integer-sum`, `integer-difference` and `integer-product` with at
//! most one factor that is not a constant, `is-fireable` and `deadlock`. Places and transitions are named by the ids of
//! the file of the net ([`Ids`]). In a symmetric net, which has been unfolded, `tokens-count` counts the tokens of all
//! colours of a place, and `is-fireable` asks whether a transition can fire for some choice of colours.
//!
//! Questions as properties, with the global ones of the contest, are read by [`properties`].
//!
//! What is read is a [`Question`]: the markings whose reachability decides the
//! property, as a [`Formula`] that can be turned into targets. What
//! [`write()`] wrote comes back as one target, the same as before.
//!
//! ```
//! use serval_petri::{Constraint, Linear, Net, Target, mcc, pnml};
//! let mut net = Net::new("example");
//! let (a, b) = (net.add_place("a", 1).unwrap(), net.add_place("b", 0).unwrap());
//! let expression = Linear::new([(a, 2), (b, -1)], -3).unwrap();
//! let target = Target::new(vec![Constraint::AtLeastZero(expression)]);
//! let text = mcc::write(&[("question", &target)]).unwrap();
//! let questions = mcc::read(&text, &net, &pnml::Ids::written(&net)).unwrap();
//! assert_eq!(questions[0].formula.targets(10), Some(vec![target]));
//! ```

mod asked;
mod global;

use std::fmt::{self, Write};

use roxmltree::{Document, Node};

use super::pnml::{Ids, place_id};
use super::xml::{elements, error, is_plain, only_child, parse, push_escaped, text_of};
use super::{FormatError, Limits};
use crate::formula::enough;
use crate::{Constraint, Formula, FormulaPart, Linear, Net, PlaceId, Target, TransitionId};

pub use global::{Each, Query, each_property, properties};

/// Why questions cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotWritten {
    /// A constraint is about divisibility.
    Divisibility {
        /// The position of the question.
        question: usize,
        /// The position of the constraint.
        constraint: usize,
    },
    /// The id has characters that XML does not have.
    Id {
        /// The position of the question.
        question: usize,
    },
}

impl fmt::Display for NotWritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Divisibility { question, constraint } => {
                write!(f, "question {question}, constraint {constraint}: the format has no divisibility")
            }
            Self::Id { question } => write!(f, "question {question}: its id has characters that XML does not have"),
        }
    }
}

impl std::error::Error for NotWritten {}

/// One side of a comparison: the terms of `sign`, made positive.
fn push_side(text: &mut String, expression: &Linear, sign: i64) {
    let terms = || expression.terms().iter().filter(|&&(_, c)| c.signum() == sign).map(|&(place, c)| (place, c.unsigned_abs()));
    let single: Vec<PlaceId> = terms().filter(|&(_, c)| c == 1).map(|(place, _)| place).collect();
    let mut parts: Vec<String> = Vec::new();
    let count = |places: &[PlaceId]| {
        let places: String = places.iter().map(|&place| format!("<place>{}</place>", place_id(place))).collect();
        format!("<tokens-count>{places}</tokens-count>")
    };
    let constant = |number: u64| format!("<integer-constant>{number}</integer-constant>");
    if !single.is_empty() {
        parts.push(count(&single));
    }
    for (place, c) in terms().filter(|&(_, c)| c != 1) {
        parts.push(format!("<integer-product>{}{}</integer-product>", constant(c), count(&[place])));
    }
    let rest = expression.constant();
    if rest.signum() == sign {
        parts.push(constant(rest.unsigned_abs()));
    }
    // Writing to a string does not fail.
    let _ = match &parts[..] {
        [] => write!(text, "{}", constant(0)),
        [part] => write!(text, "{part}"),
        _ => write!(text, "<integer-sum>{}</integer-sum>", parts.concat()),
    };
}

/// `expression ≥ 0`, or `≤ 0` where it is reversed.
fn push_comparison(text: &mut String, expression: &Linear, is_reversed: bool) {
    let (smaller, larger) = if is_reversed { (1, -1) } else { (-1, 1) };
    text.push_str("<integer-le>");
    push_side(text, expression, smaller);
    push_side(text, expression, larger);
    text.push_str("</integer-le>");
}

/// Each target as a question with an id.
pub fn write(questions: &[(&str, &Target)]) -> Result<String, NotWritten> {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<property-set xmlns=\"http://mcc.lip6.fr/\">\n");
    for (question, (id, target)) in questions.iter().enumerate() {
        if !is_plain(id) {
            return Err(NotWritten::Id { question });
        }
        text.push_str("<property><id>");
        push_escaped(&mut text, id);
        text.push_str("</id><description>Can a marking be reached?</description>\n<formula><exists-path><finally>");
        let mut parts: Vec<String> = Vec::new();
        for (constraint, condition) in target.constraints().iter().enumerate() {
            let mut part = String::new();
            match condition {
                Constraint::AtLeastZero(expression) => push_comparison(&mut part, expression, false),
                Constraint::Zero(expression) => {
                    part.push_str("<conjunction>");
                    push_comparison(&mut part, expression, false);
                    push_comparison(&mut part, expression, true);
                    part.push_str("</conjunction>");
                }
                Constraint::NotDivisible { .. } => return Err(NotWritten::Divisibility { question, constraint }),
            }
            parts.push(part);
        }
        match &parts[..] {
            [] => text.push_str("<true/>"),
            [part] => text.push_str(part),
            // Two comparisons alone would read as an equation if they are one
            // another's reverse; with a third part they do not.
            [_, _] if target.constraints().iter().all(|constraint| matches!(constraint, Constraint::AtLeastZero(_))) => {
                let _ = write!(text, "<conjunction>\n{}\n<true/></conjunction>", parts.join("\n"));
            }
            _ => {
                let _ = write!(text, "<conjunction>\n{}</conjunction>", parts.join("\n"));
            }
        }
        text.push_str("</finally></exists-path></formula></property>\n");
    }
    text.push_str("</property-set>\n");
    Ok(text)
}

/// What a property says of the markings of its formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Holds {
    /// It holds iff one of them can be reached (`exists-path finally`).
    IfReachable,
    /// It holds iff none of them can be reached: they are those that violate
    /// what should always be (`all-paths globally`).
    UnlessReachable,
}

/// A property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its id.
    pub id: String,
    /// What the reachability of the formula says about it.
    pub holds: Holds,
    /// The markings that it is about.
    pub formula: Formula,
}

/// Reads all questions within the default [`Limits`].
pub fn read(text: &str, net: &Net, ids: &Ids) -> Result<Vec<Question>, FormatError> {
    read_within(text, net, ids, &Limits::default())
}

/// Reads all questions. `net` is the net that they are about and `ids` says how
/// its file calls its nodes.
pub fn read_within(text: &str, net: &Net, ids: &Ids, limits: &Limits) -> Result<Vec<Question>, FormatError> {
    let document = parse(text, limits)?;
    let mut reader = QueryReader { net, ids, left: limits.arcs };
    root_of(&document)?.into_iter().map(|property| reader.question(property)).collect()
}

/// The properties of a file.
fn root_of<'a, 'i>(document: &'a Document<'i>) -> Result<Vec<Node<'a, 'i>>, FormatError> {
    let root = document.root_element();
    if root.tag_name().name() != "property-set" {
        let name = root.tag_name().name();
        return Err(error(root, format!("expected <property-set>, found <{name}>")).misspelt(name, ["property-set"]));
    }
    let properties = elements(root).map(|(name, property)| match name {
        "property" => Ok(property),
        _ => Err(error(property, format!("expected <property>, found <{name}>")).misspelt(name, ["property"])),
    });
    properties.collect()
}

struct QueryReader<'a> {
    net: &'a Net,
    ids: &'a Ids,
    /// How many more parts may be made.
    left: usize,
}

/// The elements of formulas.
const ELEMENTS: [&str; 27] = [
    "exists-path",
    "all-paths",
    "finally",
    "globally",
    "conjunction",
    "disjunction",
    "implication",
    "negation",
    "true",
    "false",
    "is-fireable",
    "deadlock",
    "transition",
    "place",
    "tokens-count",
    "place-bound",
    "integer-le",
    "integer-lt",
    "integer-ge",
    "integer-gt",
    "integer-eq",
    "integer-ne",
    "integer-constant",
    "integer-sum",
    "integer-difference",
    "integer-product",
    "formula",
];

fn unknown(node: Node<'_, '_>) -> FormatError {
    let name = node.tag_name().name();
    let error = error(node, format!("<{name}> is not supported here"));
    // What is spelt well stands in the wrong place.
    if ELEMENTS.contains(&name) { error } else { error.misspelt(name, ELEMENTS) }
}

/// The element of this name, or the error that there is none.
fn required<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Result<Node<'a, 'i>, FormatError> {
    only_child(node, name)?.ok_or_else(|| {
        let missing = error(node, format!("a <{}> without <{name}>", node.tag_name().name()));
        let other = elements(node).map(|(name, _)| name).find(|other| !["id", "description", "formula"].contains(other));
        other.map_or(missing.clone(), |other| missing.misspelt(other, [name]))
    })
}

/// What a quantifier over paths says.
fn kind(path: Node<'_, '_>) -> Result<Holds, FormatError> {
    match path.tag_name().name() {
        "exists-path" => Ok(Holds::IfReachable),
        "all-paths" => Ok(Holds::UnlessReachable),
        _ => Err(unknown(path)),
    }
}

/// The only child element.
fn single<'a, 'i: 'a>(node: Node<'a, 'i>) -> Result<Node<'a, 'i>, FormatError> {
    match &elements(node).map(|(_, child)| child).take(2).collect::<Vec<_>>()[..] {
        [child] => Ok(*child),
        _ => Err(error(node, format!("<{}> needs exactly one element", node.tag_name().name()))),
    }
}

/// The two child elements.
fn two<'a, 'i: 'a>(node: Node<'a, 'i>) -> Result<[Node<'a, 'i>; 2], FormatError> {
    match &elements(node).map(|(_, child)| child).take(3).collect::<Vec<_>>()[..] {
        [first, second] => Ok([*first, *second]),
        _ => Err(error(node, format!("<{}> needs exactly two elements", node.tag_name().name()))),
    }
}

/// `Σ c·p + k` while it grows.
#[derive(Default)]
struct GrowingSum {
    terms: Vec<(PlaceId, i128)>,
    constant: i128,
}

/// What remains to be done, last entry first.
enum ParseTask<'a, 'i> {
    Visit(Node<'a, 'i>, bool),
    Close(FormulaPart),
}

impl<'a> QueryReader<'a> {
    fn question(&mut self, property: Node<'_, '_>) -> Result<Question, FormatError> {
        let (id, formula) = (required(property, "id")?, required(property, "formula")?);
        let (holds, formula) = self.path(single(formula)?)?;
        Ok(Question { id: text_of(id)?, holds, formula })
    }

    /// What is said of the markings of which formula.
    fn path(&mut self, path: Node<'_, '_>) -> Result<(Holds, Formula), FormatError> {
        let holds = kind(path)?;
        let step = single(path)?;
        let inner = if holds == Holds::IfReachable { "finally" } else { "globally" };
        if step.tag_name().name() != inner {
            return Err(unknown(step));
        }
        Ok((holds, self.formula(single(step)?, holds == Holds::UnlessReachable)?))
    }

    fn push(&mut self, parts: &mut Vec<FormulaPart>, node: Node<'_, '_>, part: FormulaPart) -> Result<(), FormatError> {
        self.left = self.left.checked_sub(1).ok_or_else(|| error(node, "the formulas have too many parts"))?;
        parts.push(part);
        Ok(())
    }

    /// The formula at `root`, or its negation.
    fn formula(&mut self, root: Node<'_, '_>, is_negated: bool) -> Result<Formula, FormatError> {
        let mut parts: Vec<FormulaPart> = Vec::new();
        let mut tasks = vec![ParseTask::Visit(root, is_negated)];
        while let Some(task) = tasks.pop() {
            let (node, is_negated) = match task {
                ParseTask::Close(part) => {
                    self.push(&mut parts, root, part)?;
                    continue;
                }
                ParseTask::Visit(node, is_negated) => (node, is_negated),
            };
            // By De Morgan, negation changes what joins the parts.
            let joined = |is_all: bool, count: usize| if is_all != is_negated { FormulaPart::All(count) } else { FormulaPart::Any(count) };
            match node.tag_name().name() {
                name @ ("conjunction" | "disjunction") => {
                    if let (false, Some(equation)) = (is_negated, self.equation(node)?) {
                        self.push(&mut parts, node, FormulaPart::Constraint(equation))?;
                        continue;
                    }
                    let children: Vec<_> = elements(node).map(|(_, child)| child).collect();
                    if children.is_empty() {
                        return Err(error(node, format!("an empty <{name}>")));
                    }
                    tasks.push(ParseTask::Close(joined(name == "conjunction", children.len())));
                    tasks.extend(children.into_iter().rev().map(|child| ParseTask::Visit(child, is_negated)));
                }
                "implication" => {
                    let [first, second] = two(node)?;
                    tasks.push(ParseTask::Close(joined(false, 2)));
                    tasks.extend([ParseTask::Visit(second, is_negated), ParseTask::Visit(first, !is_negated)]);
                }
                "negation" => tasks.push(ParseTask::Visit(single(node)?, !is_negated)),
                "true" => self.push(&mut parts, node, joined(true, 0))?,
                "false" => self.push(&mut parts, node, joined(false, 0))?,
                "is-fireable" => self.fireable(&mut parts, node, is_negated)?,
                "deadlock" => self.deadlock(&mut parts, node, is_negated)?,
                _ => self.comparison(&mut parts, node, is_negated)?,
            }
        }
        Ok(Formula::from_parts(parts))
    }

    /// The equation that a conjunction of two opposite comparisons is.
    fn equation(&mut self, node: Node<'_, '_>) -> Result<Option<Constraint>, FormatError> {
        let children: Vec<_> = elements(node).take(3).collect();
        let [("integer-le", first), ("integer-le", second)] = children[..] else { return Ok(None) };
        if node.tag_name().name() != "conjunction" {
            return Ok(None);
        }
        let ([a, b], [c, d]) = (two(first)?, two(second)?);
        let (forth, back) = (self.difference(first, b, a, 0)?, self.difference(second, c, d, 0)?);
        Ok((forth == back).then_some(Constraint::Zero(forth)))
    }

    /// The transitions of the net that a transition of the file is.
    fn transitions(&self, node: Node<'_, '_>, id: &str) -> Result<&'a [TransitionId], FormatError> {
        let known = self.ids.transitions_of(id).filter(|all| all.iter().all(|one| one.index() < self.net.transition_count()));
        known.ok_or_else(|| {
            let [_, known] = self.ids.all();
            error(node, format!("there is no transition “{id}”")).misspelt(id, known)
        })
    }

    /// Whether some transition can fire, or none.
    fn fireable(&mut self, parts: &mut Vec<FormulaPart>, node: Node<'_, '_>, is_negated: bool) -> Result<(), FormatError> {
        let mut count = 0;
        for (name, child) in elements(node) {
            if name != "transition" {
                return Err(unknown(child));
            }
            let id = text_of(child)?;
            for &transition in self.transitions(child, id.trim())? {
                let inputs = self.net.inputs(transition);
                for &(place, weight) in inputs {
                    let constraint = enough((place, weight), is_negated).ok_or_else(|| error(child, "a weight does not fit 63 bits"))?;
                    self.push(parts, child, FormulaPart::Constraint(constraint))?;
                }
                self.push(parts, child, if is_negated { FormulaPart::Any(inputs.len()) } else { FormulaPart::All(inputs.len()) })?;
                count += 1;
            }
        }
        self.push(parts, node, if is_negated { FormulaPart::All(count) } else { FormulaPart::Any(count) })
    }

    /// Whether nothing can fire, or something.
    fn deadlock(&mut self, parts: &mut Vec<FormulaPart>, node: Node<'_, '_>, is_negated: bool) -> Result<(), FormatError> {
        let formula = Formula::deadlock(self.net).and_then(|formula| if is_negated { formula.negated() } else { Some(formula) });
        let formula = formula.ok_or_else(|| error(node, "a weight does not fit 63 bits"))?;
        formula.parts().iter().try_for_each(|part| self.push(parts, node, part.clone()))
    }

    fn comparison(&mut self, parts: &mut Vec<FormulaPart>, node: Node<'_, '_>, is_negated: bool) -> Result<(), FormatError> {
        let name = node.tag_name().name();
        if !matches!(name, "integer-le" | "integer-lt" | "integer-ge" | "integer-gt" | "integer-eq" | "integer-ne") {
            return Err(unknown(node));
        }
        let [a, b] = two(node)?;
        let mut at_least =
            |larger, smaller, by| Ok(FormulaPart::Constraint(Constraint::AtLeastZero(self.difference(node, larger, smaller, by)?)));
        let part = match (name, is_negated) {
            ("integer-le", false) | ("integer-gt", true) => at_least(b, a, 0)?,
            ("integer-lt", false) | ("integer-ge", true) => at_least(b, a, 1)?,
            ("integer-ge", false) | ("integer-lt", true) => at_least(a, b, 0)?,
            ("integer-gt", false) | ("integer-le", true) => at_least(a, b, 1)?,
            ("integer-eq", false) | ("integer-ne", true) => FormulaPart::Constraint(Constraint::Zero(self.difference(node, a, b, 0)?)),
            _ => {
                let (less, more) = (at_least(b, a, 1)?, at_least(a, b, 1)?);
                self.push(parts, node, less)?;
                self.push(parts, node, more)?;
                FormulaPart::Any(2)
            }
        };
        self.push(parts, node, part)
    }

    /// `larger − smaller − by`.
    fn difference(&mut self, node: Node<'_, '_>, larger: Node<'_, '_>, smaller: Node<'_, '_>, by: i128) -> Result<Linear, FormatError> {
        let mut sum = GrowingSum { constant: -by, ..GrowingSum::default() };
        self.add(&mut sum, larger, 1)?;
        self.add(&mut sum, smaller, -1)?;
        Linear::from_wide(sum.terms, sum.constant).ok_or_else(|| error(node, "a number does not fit 64 bits"))
    }

    /// Adds `factor` times the expression at `root`.
    /// The places that an element names.
    fn add_places(&mut self, sum: &mut GrowingSum, node: Node<'_, '_>, factor: i128) -> Result<(), FormatError> {
        for (name, child) in elements(node) {
            if name != "place" {
                return Err(unknown(child));
            }
            let id = text_of(child)?;
            let places = self.ids.places_of(id.trim()).ok_or_else(|| {
                let [known, _] = self.ids.all();
                error(child, format!("there is no place “{}”", id.trim())).misspelt(id.trim(), known)
            })?;
            // What unfolding adds counts, so that a short text makes no endless formula.
            let colours = places.len().saturating_sub(1);
            self.left = self.left.checked_sub(colours).ok_or_else(|| error(node, "the formulas have too many parts"))?;
            sum.terms.extend(places.iter().map(|&place| (place, factor)));
        }
        Ok(())
    }

    fn add(&mut self, sum: &mut GrowingSum, root: Node<'_, '_>, factor: i128) -> Result<(), FormatError> {
        let mut open = vec![(root, factor)];
        while let Some((node, factor)) = open.pop() {
            let too_large = || error(node, "a number does not fit 64 bits");
            match node.tag_name().name() {
                "integer-constant" => {
                    let added = constant(node)?.checked_mul(factor).and_then(|number| sum.constant.checked_add(number));
                    sum.constant = added.ok_or_else(too_large)?;
                }
                "tokens-count" => self.add_places(sum, node, factor)?,
                "integer-sum" => open.extend(elements(node).map(|(_, child)| (child, factor))),
                "integer-difference" => {
                    let [first, second] = two(node)?;
                    open.extend([(first, factor), (second, factor.checked_neg().ok_or_else(too_large)?)]);
                }
                "integer-product" => {
                    let mut rest = None;
                    let mut product = factor;
                    for (name, child) in elements(node) {
                        if name == "integer-constant" {
                            product = product.checked_mul(constant(child)?).ok_or_else(too_large)?;
                        } else if rest.replace(child).is_some() {
                            return Err(error(child, "a product of two expressions is not linear"));
                        }
                    }
                    match rest {
                        Some(child) => open.push((child, product)),
                        None => sum.constant = sum.constant.checked_add(product).ok_or_else(too_large)?,
                    }
                }
                _ => return Err(unknown(node)),
            }
        }
        Ok(())
    }
}

fn constant(node: Node<'_, '_>) -> Result<i128, FormatError> {
    let text = text_of(node)?;
    // 64 bits and a sign are enough for what can be in a constraint.
    let number = text.trim().parse::<i128>().ok().filter(|number| number.unsigned_abs() <= u128::from(u64::MAX));
    number.ok_or_else(|| error(node, format!("expected a number of 64 bits, found “{}”", text.trim())))
}
