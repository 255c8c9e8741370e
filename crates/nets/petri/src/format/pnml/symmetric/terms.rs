//! Colours, multisets of colours, and conditions, for a choice of colours for the variables.

use std::collections::BTreeMap;

use roxmltree::Node;

use super::sorts::{NESTING, Sort, Sorts, only};
use crate::format::FormatError;
use crate::format::pnml::attribute;
use crate::format::xml::{elements, error};

/// By variable its colour.
pub(super) type Binding = Vec<usize>;

/// A colour of a class that is known from where it stands.
#[derive(Debug)]
pub(super) enum Colour {
    Constant(usize),
    Variable(usize),
    /// A colour a number of places on, cyclically, in a class of this size.
    Turned(Box<Colour>, usize, usize),
    /// Each with the size of its class.
    Tuple(Vec<(Colour, usize)>),
}

/// How two colours are compared.
#[derive(Clone, Copy, Debug)]
pub(super) enum Comparison {
    Equal,
    Different,
    Less,
    LessOrEqual,
}

/// A condition.
#[derive(Debug)]
pub(super) enum Guard {
    All(Vec<Guard>),
    Any(Vec<Guard>),
    Not(Box<Guard>),
    Compare(Comparison, Box<[Colour; 2]>),
}

/// A multiset of colours.
#[derive(Debug)]
pub(super) enum Multiset {
    One(Colour),
    /// Every colour of a class of this size.
    All(usize),
    Times(u64, Box<Multiset>),
    Sum(Vec<Multiset>),
    /// The first without the others.
    Difference(Vec<Multiset>),
    /// All tuples of them, each with the size of its class.
    Tuple(Vec<(Multiset, usize)>),
}

/// The terms that an operator is applied to.
fn subterms<'a, 'i>(node: Node<'a, 'i>, depth: usize) -> Result<Vec<Node<'a, 'i>>, FormatError> {
    if depth > NESTING {
        return Err(error(node, format!("terms nest more than {NESTING} deep")));
    }
    elements(node)
        .map(|(name, child)| if name == "subterm" { only(child) } else { Err(error(child, format!("expected <subterm>, found <{name}>"))) })
        .collect()
}

/// The two terms that an operator is applied to.
fn pair<'a, 'i>(node: Node<'a, 'i>, depth: usize) -> Result<[Node<'a, 'i>; 2], FormatError> {
    let terms = subterms(node, depth)?;
    terms.try_into().map_err(|_| error(node, format!("<{}> is about two terms", node.tag_name().name())))
}

impl Colour {
    fn read(sorts: &Sorts<'_>, node: Node<'_, '_>, sort: usize, depth: usize) -> Result<Self, FormatError> {
        let of = |found: usize, colour: Self| {
            if found == sort { Ok(colour) } else { Err(error(node, "this is a colour of another class than is expected here")) }
        };
        match node.tag_name().name() {
            "dotconstant" => match sorts.get(sort) {
                Sort::Dot => Ok(Self::Constant(0)),
                _ => Err(error(node, "this is a colour of another class than is expected here")),
            },
            "useroperator" => sorts.constant(node).and_then(|(found, colour)| of(found, Self::Constant(colour))),
            "finiteintrangeconstant" => sorts.integer(node).and_then(|(found, colour)| of(found, Self::Constant(colour))),
            "variable" => sorts.variable(node).and_then(|variable| of(sorts.variables[variable].2, Self::Variable(variable))),
            name @ ("successor" | "predecessor") => {
                let (Sort::Names(names, true), [inner]) = (sorts.get(sort), &subterms(node, depth)?[..]) else {
                    return Err(error(node, format!("<{name}> is about one colour of a cyclic class")));
                };
                let inner = Self::read(sorts, *inner, sort, depth + 1)?;
                Ok(Self::Turned(Box::new(inner), if name == "successor" { 1 } else { names.len() - 1 }, names.len()))
            }
            "tuple" => {
                let parts = tuple(sorts, node, sort, depth)?;
                let parts = parts.into_iter().map(|(part, sort)| Ok((Self::read(sorts, part, sort, depth + 1)?, sorts.size(sort))));
                parts.collect::<Result<_, _>>().map(Self::Tuple)
            }
            name => Err(error(node, format!("<{name}> is no colour"))),
        }
    }

    /// The class of a colour, where that can be told without looking around.
    fn sort(sorts: &Sorts<'_>, node: Node<'_, '_>) -> Option<usize> {
        let mut node = node;
        loop {
            match node.tag_name().name() {
                "useroperator" => return sorts.constant(node).ok().map(|one| one.0),
                "finiteintrangeconstant" => return sorts.integer(node).ok().map(|one| one.0),
                "variable" => return sorts.variable(node).ok().map(|variable| sorts.variables[variable].2),
                "successor" | "predecessor" => node = *subterms(node, 0).ok()?.first()?,
                _ => return None,
            }
        }
    }

    fn value(&self, binding: &Binding) -> usize {
        match self {
            Self::Constant(colour) => *colour,
            Self::Variable(variable) => binding[*variable],
            Self::Turned(inner, by, size) => (inner.value(binding) + by) % size,
            Self::Tuple(parts) => parts.iter().fold(0, |colour, (part, size)| colour * size + part.value(binding)),
        }
    }

    fn add_variables(&self, all: &mut Vec<usize>) {
        match self {
            Self::Constant(_) => {}
            Self::Variable(variable) => all.push(*variable),
            Self::Turned(inner, ..) => inner.add_variables(all),
            Self::Tuple(parts) => parts.iter().for_each(|part| part.0.add_variables(all)),
        }
    }
}

/// The parts of a tuple with their classes.
fn tuple<'a, 'i>(sorts: &Sorts<'_>, node: Node<'a, 'i>, sort: usize, depth: usize) -> Result<Vec<(Node<'a, 'i>, usize)>, FormatError> {
    let parts = subterms(node, depth)?;
    match sorts.get(sort) {
        Sort::Product(kinds) if kinds.len() == parts.len() => Ok(parts.into_iter().zip(kinds.iter().copied()).collect()),
        _ => Err(error(node, "this tuple is no colour of the class that is expected here")),
    }
}

impl Guard {
    pub(super) fn read(sorts: &Sorts<'_>, node: Node<'_, '_>) -> Result<Self, FormatError> {
        Self::read_within(sorts, node, 0)
    }

    fn read_within(sorts: &Sorts<'_>, node: Node<'_, '_>, depth: usize) -> Result<Self, FormatError> {
        let guards = || -> Result<Vec<Self>, FormatError> {
            subterms(node, depth)?.into_iter().map(|term| Self::read_within(sorts, term, depth + 1)).collect()
        };
        let compare = |comparison, is_turned: bool| -> Result<Self, FormatError> {
            let [left, right] = pair(node, depth)?;
            let sort = Colour::sort(sorts, left).or_else(|| Colour::sort(sorts, right));
            let sort = sort.ok_or_else(|| error(node, "it cannot be told which class these colours are of"))?;
            let (left, right) = (Colour::read(sorts, left, sort, depth + 1)?, Colour::read(sorts, right, sort, depth + 1)?);
            Ok(Self::Compare(comparison, Box::new(if is_turned { [right, left] } else { [left, right] })))
        };
        match node.tag_name().name() {
            "and" => guards().map(Self::All),
            "or" => guards().map(Self::Any),
            "not" => match <[Self; 1]>::try_from(guards()?) {
                Ok([inner]) => Ok(Self::Not(Box::new(inner))),
                Err(_) => Err(error(node, "<not> is about one condition")),
            },
            "imply" => match <[Self; 2]>::try_from(guards()?) {
                Ok([left, right]) => Ok(Self::Any(vec![Self::Not(Box::new(left)), right])),
                Err(_) => Err(error(node, "<imply> is about two terms")),
            },
            "equality" => compare(Comparison::Equal, false),
            "inequality" => compare(Comparison::Different, false),
            "lessthan" => compare(Comparison::Less, false),
            "greaterthan" => compare(Comparison::Less, true),
            "lessthanorequal" => compare(Comparison::LessOrEqual, false),
            "greaterthanorequal" => compare(Comparison::LessOrEqual, true),
            name => Err(error(node, format!("the condition <{name}> is not supported"))),
        }
    }

    pub(super) fn holds(&self, binding: &Binding) -> bool {
        match self {
            Self::All(all) => all.iter().all(|one| one.holds(binding)),
            Self::Any(any) => any.iter().any(|one| one.holds(binding)),
            Self::Not(inner) => !inner.holds(binding),
            Self::Compare(comparison, colours) => {
                let [left, right] = [colours[0].value(binding), colours[1].value(binding)];
                match comparison {
                    Comparison::Equal => left == right,
                    Comparison::Different => left != right,
                    Comparison::Less => left < right,
                    Comparison::LessOrEqual => left <= right,
                }
            }
        }
    }

    pub(super) fn variables(&self) -> Vec<usize> {
        let mut all = Vec::new();
        self.add_variables(&mut all);
        all
    }

    fn add_variables(&self, all: &mut Vec<usize>) {
        match self {
            Self::All(several) | Self::Any(several) => several.iter().for_each(|one| one.add_variables(all)),
            Self::Not(inner) => inner.add_variables(all),
            Self::Compare(_, colours) => colours.iter().for_each(|colour| colour.add_variables(all)),
        }
    }
}

impl Multiset {
    pub(super) fn read(sorts: &Sorts<'_>, node: Node<'_, '_>, sort: usize) -> Result<Self, FormatError> {
        Self::read_within(sorts, node, sort, 0)
    }

    fn read_within(sorts: &Sorts<'_>, node: Node<'_, '_>, sort: usize, depth: usize) -> Result<Self, FormatError> {
        let several = || -> Result<Vec<Self>, FormatError> {
            let terms = subterms(node, depth)?;
            if terms.is_empty() {
                return Err(error(node, format!("<{}> is about no term", node.tag_name().name())));
            }
            terms.into_iter().map(|term| Self::read_within(sorts, term, sort, depth + 1)).collect()
        };
        match node.tag_name().name() {
            "numberof" | "scalarproduct" => {
                let terms = subterms(node, depth)?;
                let (number, inner) = match &terms[..] {
                    [inner] => (1, *inner),
                    [number, inner] if number.tag_name().name() == "numberconstant" => {
                        let value = attribute(*number, "value")?.parse();
                        (value.map_err(|_| error(*number, "expected a number of 64 bits"))?, *inner)
                    }
                    _ => return Err(error(node, "expected a number and what there is so many of")),
                };
                Ok(Self::Times(number, Box::new(Self::read_within(sorts, inner, sort, depth + 1)?)))
            }
            "all" => {
                if sorts.known(only(node)?)? != sort {
                    return Err(error(node, "these are colours of another class than is expected here"));
                }
                Ok(Self::All(sorts.size(sort)))
            }
            "add" => several().map(Self::Sum),
            "subtract" => several().map(Self::Difference),
            "tuple" => {
                let parts = tuple(sorts, node, sort, depth)?;
                let parts = parts.into_iter().map(|(part, sort)| Ok((Self::read_within(sorts, part, sort, depth + 1)?, sorts.size(sort))));
                parts.collect::<Result<_, _>>().map(Self::Tuple)
            }
            _ => Colour::read(sorts, node, sort, depth).map(Self::One),
        }
    }

    /// How many there are of each colour, without those of which there are none. What does not fit, or is taken away
    /// and is not there, is an error at `node`.
    pub(super) fn value(&self, binding: &Binding, node: Node<'_, '_>) -> Result<BTreeMap<usize, u64>, FormatError> {
        let wide = || error(node, "the number of tokens does not fit 64 bits");
        let value = |one: &Self| one.value(binding, node);
        let mut all: BTreeMap<usize, u64> = BTreeMap::new();
        match self {
            Self::One(colour) => {
                all.insert(colour.value(binding), 1);
            }
            Self::All(size) => all.extend((0..*size).map(|colour| (colour, 1))),
            Self::Times(number, inner) => {
                for (colour, count) in value(inner)? {
                    all.insert(colour, count.checked_mul(*number).ok_or_else(wide)?);
                }
            }
            Self::Sum(several) => {
                for one in several {
                    for (colour, count) in value(one)? {
                        let sum = all.entry(colour).or_default();
                        *sum = sum.checked_add(count).ok_or_else(wide)?;
                    }
                }
            }
            Self::Difference(several) => {
                for (number, one) in several.iter().enumerate() {
                    if number == 0 {
                        all = value(one)?;
                        continue;
                    }
                    for (colour, count) in value(one)? {
                        let rest = all.get(&colour).and_then(|there| there.checked_sub(count));
                        let rest = rest.ok_or_else(|| error(node, "<subtract> takes away a colour that is not there"))?;
                        all.insert(colour, rest);
                    }
                }
            }
            Self::Tuple(parts) => {
                all.insert(0, 1);
                for (part, size) in parts {
                    let part = value(part)?;
                    let mut longer = BTreeMap::new();
                    for (colour, count) in &all {
                        for (last, more) in &part {
                            longer.insert(colour * size + last, count.checked_mul(*more).ok_or_else(wide)?);
                        }
                    }
                    all = longer;
                }
            }
        }
        all.retain(|_, count| *count > 0);
        Ok(all)
    }

    /// How many colours are looked at to find its value, at most.
    pub(super) fn work(&self) -> u64 {
        let sum = |several: &[Self]| several.iter().fold(0_u64, |sum, one| sum.saturating_add(one.work()));
        match self {
            Self::One(_) => 1,
            Self::All(size) => u64::try_from(*size).unwrap_or(u64::MAX),
            Self::Times(_, inner) => inner.work(),
            Self::Sum(several) | Self::Difference(several) => sum(several),
            Self::Tuple(parts) => parts.iter().fold(1_u64, |product, part| product.saturating_mul(part.0.work().max(1))),
        }
    }

    pub(super) fn variables(&self) -> Vec<usize> {
        let mut all = Vec::new();
        self.add_variables(&mut all);
        all
    }

    fn add_variables(&self, all: &mut Vec<usize>) {
        match self {
            Self::One(colour) => colour.add_variables(all),
            Self::All(_) => {}
            Self::Times(_, inner) => inner.add_variables(all),
            Self::Sum(several) | Self::Difference(several) => several.iter().for_each(|one| one.add_variables(all)),
            Self::Tuple(parts) => parts.iter().for_each(|part| part.0.add_variables(all)),
        }
    }
}
