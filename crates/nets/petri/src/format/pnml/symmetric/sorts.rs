//! Classes of colours, and what is declared of them.

use roxmltree::Node;
use rustc_hash::FxHashMap;

use crate::format::FormatError;
use crate::format::pnml::attribute;
use crate::format::xml::{elements, error};

/// How many colours a class has at most.
const COLOURS: usize = 1 << 20;
/// How deep products and terms may nest.
pub(super) const NESTING: usize = 50;

/// A class of colours. A colour is its number in the class.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sort {
    /// One colour.
    Dot,
    /// Names; whether the first comes after the last.
    Names(Vec<String>, bool),
    /// Integers, both ends among them.
    Range(i64, i64),
    /// Tuples; the last part changes first.
    Product(Vec<usize>),
}

/// What a net declares.
#[derive(Default)]
pub(super) struct Sorts<'a> {
    sorts: Vec<(Sort, usize, usize)>,
    /// Dots, ranges and products with the same parts are the same class wherever they are written.
    same: FxHashMap<Sort, usize>,
    named: FxHashMap<&'a str, usize>,
    constants: FxHashMap<&'a str, (usize, usize)>,
    /// Each with its id, its name and its class.
    pub(super) variables: Vec<(&'a str, String, usize)>,
    variable_numbers: FxHashMap<&'a str, usize>,
}

impl<'a> Sorts<'a> {
    /// What these elements declare.
    pub(super) fn declared(declarations: &[Node<'a, '_>]) -> Result<Self, FormatError> {
        let mut sorts = Self::default();
        sorts.add(Sort::Dot, 1, 0);
        let lists = declarations
            .iter()
            .flat_map(|one| one.descendants().filter(|node| node.is_element() && node.tag_name().name() == "declarations"));
        let all: Vec<(&'a str, Node<'a, '_>)> = lists.flat_map(elements).collect();
        for &(kind, node) in &all {
            match kind {
                "namedsort" => sorts.named(node)?,
                "variabledecl" => {}
                _ => return Err(error(node, format!("<{kind}> is not supported in declarations of symmetric nets"))),
            }
        }
        for (_, node) in all.into_iter().filter(|one| one.0 == "variabledecl") {
            let id = attribute(node, "id")?;
            let sort = sorts.sort(only(node)?, 0)?;
            let name = node.attribute("name").unwrap_or(id).to_owned();
            if sorts.variable_numbers.insert(id, sorts.variables.len()).is_some() {
                return Err(error(node, format!("a second variable with the id “{id}”")));
            }
            sorts.variables.push((id, name, sort));
        }
        Ok(sorts)
    }

    fn add(&mut self, sort: Sort, size: usize, depth: usize) -> usize {
        if !matches!(sort, Sort::Names(..)) {
            if let Some(&known) = self.same.get(&sort) {
                return known;
            }
            self.same.insert(sort.clone(), self.sorts.len());
        }
        self.sorts.push((sort, size, depth));
        self.sorts.len() - 1
    }

    /// A class with a name.
    fn named(&mut self, node: Node<'a, '_>) -> Result<(), FormatError> {
        let id = attribute(node, "id")?;
        let inner = only(node)?;
        let sort = match inner.tag_name().name() {
            kind @ ("finiteenumeration" | "cyclicenumeration") => {
                let constants: Vec<Node<'a, '_>> = elements(inner).map(|one| one.1).collect();
                let mut names = Vec::with_capacity(constants.len());
                for (number, constant) in constants.iter().enumerate() {
                    if constant.tag_name().name() != "feconstant" {
                        return Err(error(*constant, "expected <feconstant>"));
                    }
                    let id = attribute(*constant, "id")?;
                    names.push(constant.attribute("name").unwrap_or(id).to_owned());
                    if self.constants.insert(id, (self.sorts.len(), number)).is_some() {
                        return Err(error(*constant, format!("a second constant with the id “{id}”")));
                    }
                }
                if names.is_empty() || names.len() > COLOURS {
                    return Err(error(inner, format!("a class has between 1 and {COLOURS} colours")));
                }
                let size = names.len();
                self.add(Sort::Names(names, kind == "cyclicenumeration"), size, 0)
            }
            _ => self.sort(inner, 0)?,
        };
        if self.named.insert(id, sort).is_some() {
            return Err(error(node, format!("a second class with the id “{id}”")));
        }
        Ok(())
    }

    /// The class that an element is, which is made where it has none yet.
    fn sort(&mut self, node: Node<'a, '_>, depth: usize) -> Result<usize, FormatError> {
        if depth > NESTING {
            return Err(error(node, format!("products nest more than {NESTING} deep")));
        }
        match node.tag_name().name() {
            "productsort" => {
                let mut parts = Vec::new();
                for (_, part) in elements(node) {
                    parts.push(self.sort(part, depth + 1)?);
                }
                let size = parts.iter().try_fold(1_usize, |size, &part| size.checked_mul(self.size(part)));
                let Some(size) = size.filter(|&size| size <= COLOURS) else {
                    return Err(error(node, format!("a class has between 1 and {COLOURS} colours")));
                };
                let depth = parts.iter().map(|&part| self.sorts[part].2 + 1).max().unwrap_or(0);
                if depth > NESTING {
                    return Err(error(node, format!("products nest more than {NESTING} deep")));
                }
                Ok(self.add(Sort::Product(parts), size, depth))
            }
            "finiteintrange" => {
                let (start, end) = range(node)?;
                let size = end.checked_sub(start).and_then(|size| usize::try_from(size).ok()).filter(|&size| size < COLOURS);
                let Some(size) = size else { return Err(error(node, format!("a class has between 1 and {COLOURS} colours"))) };
                Ok(self.add(Sort::Range(start, end), size + 1, 0))
            }
            _ => self.known(node),
        }
    }

    /// The class that an element is, which has been declared.
    pub(super) fn known(&self, node: Node<'_, '_>) -> Result<usize, FormatError> {
        let known = |sort: &Sort| self.same.get(sort).copied();
        let found = match node.tag_name().name() {
            "usersort" => {
                let id = attribute(node, "declaration")?;
                return self.named.get(id).copied().ok_or_else(|| error(node, format!("there is no class “{id}”")));
            }
            "dot" => known(&Sort::Dot),
            "finiteintrange" => {
                let (start, end) = range(node)?;
                known(&Sort::Range(start, end))
            }
            "productsort" => {
                let parts = elements(node).map(|(name, part)| match name {
                    "productsort" => Err(error(part, "a product within a product needs a name")),
                    _ => self.known(part),
                });
                known(&Sort::Product(parts.collect::<Result<_, _>>()?))
            }
            kind => return Err(error(node, format!("the class <{kind}> is not supported"))),
        };
        found.ok_or_else(|| error(node, "this class has not been declared"))
    }

    pub(super) fn get(&self, sort: usize) -> &Sort {
        &self.sorts[sort].0
    }

    /// How many colours a class has.
    pub(super) fn size(&self, sort: usize) -> usize {
        self.sorts[sort].1
    }

    /// The class and the number of a constant.
    pub(super) fn constant(&self, node: Node<'_, '_>) -> Result<(usize, usize), FormatError> {
        let id = attribute(node, "declaration")?;
        self.constants.get(id).copied().ok_or_else(|| error(node, format!("there is no constant “{id}”")))
    }

    /// The number of a variable.
    pub(super) fn variable(&self, node: Node<'_, '_>) -> Result<usize, FormatError> {
        let id = attribute(node, "refvariable")?;
        self.variable_numbers.get(id).copied().ok_or_else(|| error(node, format!("there is no variable “{id}”")))
    }

    /// The number and the class of an integer of a range.
    pub(super) fn integer(&self, node: Node<'_, '_>) -> Result<(usize, usize), FormatError> {
        let sort = self.known(only(node)?)?;
        let value: Option<i64> = attribute(node, "value")?.parse().ok();
        match (self.get(sort), value) {
            (Sort::Range(start, end), Some(value)) if (start..=end).contains(&&value) => {
                Ok((sort, usize::try_from(i128::from(value) - i128::from(*start)).unwrap_or(0)))
            }
            _ => Err(error(node, "expected an integer of its range")),
        }
    }

    /// What a colour is called.
    pub(super) fn name(&self, sort: usize, colour: usize) -> String {
        match self.get(sort) {
            Sort::Dot => "dot".to_owned(),
            Sort::Names(names, _) => names[colour].clone(),
            Sort::Range(start, _) => {
                i64::try_from(colour).map_or_else(|_| String::new(), |colour: i64| start.saturating_add(colour).to_string())
            }
            Sort::Product(parts) => {
                let colours = self.parts(parts, colour);
                let names: Vec<String> = parts.iter().zip(colours).map(|(&part, colour)| self.name(part, colour)).collect();
                format!("({})", names.join(","))
            }
        }
    }

    /// What a colour is called behind the name of a place.
    pub(super) fn in_brackets(&self, sort: usize, colour: usize) -> String {
        match self.get(sort) {
            Sort::Dot => String::new(),
            Sort::Product(_) => self.name(sort, colour),
            Sort::Names(..) | Sort::Range(..) => format!("({})", self.name(sort, colour)),
        }
    }

    /// The colours that a tuple is made of.
    fn parts(&self, parts: &[usize], mut colour: usize) -> Vec<usize> {
        let mut colours: Vec<usize> = parts
            .iter()
            .rev()
            .map(|&part| {
                let size = self.size(part);
                let last = colour % size;
                colour /= size;
                last
            })
            .collect();
        colours.reverse();
        colours
    }
}

fn range(node: Node<'_, '_>) -> Result<(i64, i64), FormatError> {
    let number = |name| attribute(node, name)?.parse::<i64>().map_err(|_| error(node, format!("`{name}` is no number")));
    Ok((number("start")?, number("end")?))
}

/// The only element within an element.
pub(super) fn only<'a, 'i>(node: Node<'a, 'i>) -> Result<Node<'a, 'i>, FormatError> {
    let mut children = elements(node);
    match (children.next(), children.next()) {
        (Some((_, only)), None) => Ok(only),
        _ => Err(error(node, format!("expected one element in <{}>", node.tag_name().name()))),
    }
}
