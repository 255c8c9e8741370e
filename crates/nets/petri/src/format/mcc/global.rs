//! Questions as properties, among them the global ones of the contest.
//!
//! Besides what [`read`](super::read) reads there are
//! - `all-paths globally` of `tokens-count` of each place at most 1, in one formula or as a `conjunction` of one for
//!   each place: 1-safety (OneSafe);
//! - a `conjunction` of `exists-path finally is-fireable`, one for each transition: quasi-liveness (QuasiLiveness);
//! - a `conjunction` of `all-paths globally exists-path finally is-fireable`, one for each transition: liveness
//!   (Liveness); one of them alone where there is one transition;
//! - a `conjunction` of several `all-paths globally`, which is one of all of them;
//! - a property without a formula, whose id is the name of an examination that asks one thing, alone or behind the name
//!   of a model and a hyphen: `ReachabilityDeadlock`, `OneSafe`, `QuasiLiveness`, `StableMarking`, `Liveness`.
//!
//! Answers are about the question: ReachabilityDeadlock asks whether a deadlock can be reached. Of symmetric nets
//! OneSafe, QuasiLiveness, StableMarking and Liveness are refused without a formula: they could be about places and
//! transitions before or after unfolding.

use roxmltree::Node;

use super::super::FormatError;
use super::super::pnml::Ids;
use super::super::xml::{elements, error, only_child, text_of};
use super::{GrowingSum, Holds, QueryReader, asked, kind, required, root_of, single};
use crate::formula::enough;
use crate::{Constraint, Formula, FormulaPart, Limits, Linear, Net, Property};

/// Reads all questions of a file as properties, each with its id, within the default [`Limits`].
///
/// ```
/// use serval_petri::{Net, Property, mcc, pnml};
/// let mut net = Net::new("a lock");
/// let (free, held) = (net.add_place("free", 1).unwrap(), net.add_place("held", 0).unwrap());
/// net.add_transition("take", [(free, 1)], [(held, 1)]).unwrap();
/// let text = "<property-set><property><id>Lock-PT-1-OneSafe</id></property></property-set>";
/// let read = mcc::properties(text, &net, &pnml::Ids::written(&net)).unwrap();
/// assert_eq!(read, [("Lock-PT-1-OneSafe".to_owned(), Property::Safe(1))]);
/// ```
pub fn properties(text: &str, net: &Net, ids: &Ids) -> Result<Vec<(String, Property)>, FormatError> {
    each_property(text, net, ids)?.into_iter().map(|each| each.map(|query| (query.id, query.property))).collect()
}

/// A question of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Its id.
    pub id: String,
    /// What it asks.
    pub property: Property,
    /// The same in words, as the file has it; `None` where there are none.
    pub asked: Option<String>,
}

/// A question, or what is wrong with it.
pub type Each = Result<Query, FormatError>;

/// The same, where one that cannot be read costs no other.
pub fn each_property(text: &str, net: &Net, ids: &Ids) -> Result<Vec<Each>, FormatError> {
    let limits = Limits::default();
    let document = super::parse(text, &limits)?;
    let mut reader = QueryReader { net, ids, left: limits.arcs };
    Ok(root_of(&document)?.into_iter().map(|property| reader.property(property)).collect())
}

/// What can always be so again: the `exists-path` of `all-paths globally exists-path`.
fn always_again<'a, 'i: 'a>(path: Node<'a, 'i>) -> Option<Node<'a, 'i>> {
    let is = |node: &Node<'_, '_>, name: &str| node.tag_name().name() == name;
    let globally = single(path).ok().filter(|one| is(&path, "all-paths") && is(one, "globally"))?;
    single(globally).ok().filter(|one| is(one, "exists-path"))
}

/// The examination that an id names.
fn examination(id: &str) -> Option<&str> {
    let last = id.trim().rsplit('-').find(|part| !part.bytes().all(|byte| byte.is_ascii_digit()))?;
    Some(last)
}

impl QueryReader<'_> {
    fn property(&mut self, property: Node<'_, '_>) -> Each {
        let id = required(property, "id")?;
        let name = text_of(id)?;
        let formula = only_child(property, "formula")?.filter(|formula| elements(*formula).next().is_some());
        let Some(formula) = formula else {
            let asked = self.named(property, examination(&name).unwrap_or_default())?;
            return Ok(Query { id: name, asked: asked::asked(self, None, &asked), property: asked });
        };
        let child = single(formula)?;
        let asked = match child.tag_name().name() {
            "conjunction" => self.several(child)?,
            // The largest number of tokens that these places have together.
            "place-bound" => {
                let mut sum = GrowingSum::default();
                self.add_places(&mut sum, child, 1)?;
                match Linear::from_wide(sum.terms, 0) {
                    Some(sum) if !sum.terms().is_empty() => Property::Bound(sum, None),
                    _ => return Err(error(child, "<place-bound> needs a place")),
                }
            }
            "all-paths" if always_again(child).is_some() => self.live(child, &[child])?,
            _ => {
                let question = self.question(property)?;
                self.meant(child, question.holds, question.formula)?
            }
        };
        Ok(Query { id: name, asked: asked::asked(self, Some(child), &asked), property: asked })
    }

    /// What an examination asks that needs no formula.
    fn named(&self, property: Node<'_, '_>, examination: &str) -> Result<Property, FormatError> {
        match examination {
            // Before unfolding it is about all colours of a place together, and about some choice of colours;
            // afterwards about each.
            "OneSafe" | "QuasiLiveness" | "StableMarking" | "Liveness" if self.ids.has_colours() => {
                let message = format!("{examination} of a symmetric net is meant before or after unfolding; say which with a <formula>");
                Err(error(property, message))
            }
            "OneSafe" => Ok(Property::Safe(1)),
            "QuasiLiveness" => Ok(Property::QuasiLive),
            "StableMarking" => Ok(Property::StableMarking),
            "Liveness" => Ok(Property::Live),
            "ReachabilityDeadlock" => {
                let deadlock = Formula::deadlock(self.net).ok_or_else(|| error(property, "a weight does not fit 63 bits"))?;
                Ok(Property::Reachable(deadlock))
            }
            _ => {
                if elements(property).any(|(name, _)| !["id", "description", "formula"].contains(&name)) {
                    required(property, "formula")?;
                }
                let message = "a <property> without <formula>, and its id names none of ReachabilityDeadlock, OneSafe, QuasiLiveness, StableMarking and Liveness";
                Err(error(property, message))
            }
        }
    }

    /// A conjunction of questions: all of one kind.
    fn several(&mut self, conjunction: Node<'_, '_>) -> Result<Property, FormatError> {
        let paths: Vec<(Node<'_, '_>, Holds)> =
            elements(conjunction).map(|(_, path)| Ok((path, kind(path)?))).collect::<Result<_, FormatError>>()?;
        let all: Vec<Node<'_, '_>> = paths.iter().map(|path| path.0).collect();
        if all.iter().any(|&path| always_again(path).is_some()) {
            return self.live(conjunction, &all);
        }
        if paths.iter().all(|path| path.1 == Holds::UnlessReachable) && !paths.is_empty() {
            let violations = paths.iter().map(|path| self.path(path.0).map(|one| one.1)).collect::<Result<Vec<_>, _>>()?;
            return self.meant(conjunction, Holds::UnlessReachable, Formula::any(violations));
        }
        // Each transition can fire, and nothing else is asked for.
        self.each(conjunction, &all, &all)?;
        Ok(Property::QuasiLive)
    }

    /// That each transition can always fire again, asked in one formula for each.
    fn live(&self, node: Node<'_, '_>, paths: &[Node<'_, '_>]) -> Result<Property, FormatError> {
        let mut within = Vec::with_capacity(paths.len());
        for &path in paths {
            let message = "in a <conjunction> of questions each one asks whether one transition can always fire again, or none does";
            within.push(always_again(path).ok_or_else(|| error(path, message))?);
        }
        self.each(node, paths, &within)?;
        Ok(Property::Live)
    }

    /// That the paths ask of each transition, one by one, whether it can fire; `shown` are the elements that errors
    /// name.
    fn each(&self, node: Node<'_, '_>, shown: &[Node<'_, '_>], paths: &[Node<'_, '_>]) -> Result<(), FormatError> {
        let mut is_asked = vec![false; self.net.transition_count()];
        for (&shown, &path) in shown.iter().zip(paths) {
            let message = "in a <conjunction> of questions each one asks whether one transition can fire, or none does";
            let transition = self.fires(path)?.ok_or_else(|| error(shown, message))?;
            is_asked[transition] = true;
        }
        if is_asked.contains(&false) {
            let name = node.tag_name().name();
            return Err(error(node, format!("this <{name}> does not ask about each transition; ask for one at a time")));
        }
        Ok(())
    }

    /// The transition of `exists-path finally is-fireable`.
    fn fires(&self, path: Node<'_, '_>) -> Result<Option<usize>, FormatError> {
        let fireable = single(single(path)?)?;
        if kind(path)? != Holds::IfReachable || fireable.tag_name().name() != "is-fireable" {
            return Ok(None);
        }
        let transition = single(fireable)?;
        let id = text_of(transition)?;
        let [known] = self.transitions(transition, id.trim())? else {
            return Err(error(transition, format!("“{}” has several choices of colours; ask for one transition at a time", id.trim())));
        };
        Ok(Some(known.index()))
    }

    /// The property that is decided by the reachability of a formula.
    fn meant(&self, node: Node<'_, '_>, holds: Holds, formula: Formula) -> Result<Property, FormatError> {
        match holds {
            Holds::IfReachable => Ok(Property::Reachable(formula)),
            Holds::UnlessReachable if self.is_one_safety(&formula) => Ok(Property::Safe(1)),
            // The formula has those that violate it.
            Holds::UnlessReachable => {
                Ok(Property::Invariant(formula.negated().ok_or_else(|| error(node, "a number does not fit 64 bits"))?))
            }
        }
    }

    /// Whether the markings are those with two tokens on some place.
    fn is_one_safety(&self, violations: &Formula) -> bool {
        let mut is_left = vec![true; self.net.place_count()];
        for part in violations.parts() {
            match part {
                FormulaPart::Any(count) if *count > 0 => {}
                FormulaPart::Constraint(constraint @ Constraint::AtLeastZero(linear)) => match linear.terms() {
                    [(place, 1)] if enough((*place, 2), false).as_ref() == Some(constraint) => is_left[place.index()] = false,
                    _ => return false,
                },
                _ => return false,
            }
        }
        !is_left.contains(&true) && !is_left.is_empty()
    }
}
