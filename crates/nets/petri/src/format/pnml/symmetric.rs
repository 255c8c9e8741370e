//! Symmetric nets: tokens have colours of finite classes, and the net is unfolded to one without.
//!
//! Read: the classes dot, finite and cyclic enumerations, ranges of integers, and products of these; variables; initial
//! markings and arcs made of constants, variables, successors, predecessors, tuples, `all`, `numberof`,
//! `scalarproduct`, `add` and `subtract`; conditions made of `and`, `or`, `not`, `imply` and comparisons. Refused:
//! partitions, operators of their own, and other classes.
//!
//! Unfolded, a place `p` is a place `p(c)` for each colour `c` of its class, and a transition `t` a transition
//! `t(x=c, y=d)` for each choice of colours for its variables that its condition allows, in the order of the
//! declarations. So names tell colours, in traces as well. What has the class dot, or no variable, keeps its name.
//! Questions of the contest speak of places and transitions of the file: the tokens of a place are those of all its
//! colours together, and a transition can fire where it can for some choice of colours ([`Ids::places_of`]). The number
//! of choices that are tried, of nodes and of arcs is limited.

mod sorts;
mod terms;

use roxmltree::Node;
use rustc_hash::FxHashMap;

use self::sorts::Sorts;
use self::terms::{Binding, Guard, Multiset};
use super::{Ids, PnmlReader, ReadNet, name_of};
use crate::format::FormatError;
use crate::format::xml::{elements, error, only_child};
use crate::{Arc, Net, PlaceId, TransitionId};

/// How many choices of colours are tried for all transitions together, and how many colours are looked at for them.
const CHOICES: u64 = 1 << 22;
const WORK: u64 = 1 << 26;

/// A transition before it is unfolded.
#[derive(Default)]
struct Coloured {
    guard: Option<Guard>,
    /// What it takes and gives: places by position, and what of them.
    arcs: [Vec<(usize, Multiset)>; 2],
}

/// The only element of a structure.
fn structure<'a, 'i>(node: Node<'a, 'i>) -> Result<Node<'a, 'i>, FormatError> {
    let Some(structure) = only_child(node, "structure")? else {
        return Err(error(node, format!("<{}> without <structure>", node.tag_name().name())));
    };
    let mut children = elements(structure);
    match (children.next(), children.next()) {
        (Some((_, only)), None) => Ok(only),
        _ => Err(error(structure, "expected one element in <structure>")),
    }
}

/// The net without colours.
pub(super) fn unfold(reader: &PnmlReader<'_, '_>, root: Node<'_, '_>) -> Result<ReadNet, FormatError> {
    let sorts = Sorts::declared(&reader.declarations)?;
    let ends = reader.ends()?;
    let mut sorts_of = Vec::with_capacity(reader.places.own.len());
    for (.., node) in &reader.places.own {
        let kind = only_child(*node, "type")?.ok_or_else(|| error(*node, "a place of a symmetric net without <type>"))?;
        sorts_of.push(sorts.known(structure(kind)?)?);
    }
    let mut transitions: Vec<Coloured> = Vec::new();
    for (.., node) in &reader.transitions.own {
        let guard = match only_child(*node, "condition")? {
            Some(condition) => Some(Guard::read(&sorts, structure(condition)?)?),
            None => None,
        };
        transitions.push(Coloured { guard, ..Coloured::default() });
    }
    for end in &ends.arcs {
        let Some(inscription) = only_child(end.arc, "hlinscription")? else {
            return Err(error(end.arc, "an arc of a symmetric net without <hlinscription>"));
        };
        let multiset = Multiset::read(&sorts, structure(inscription)?, sorts_of[end.place])?;
        transitions[end.transition].arcs[end.side].push((end.place, multiset));
    }
    let mut unfolding =
        Unfolding { reader, sorts: &sorts, net: Net::new(""), places: Vec::new(), arcs: 0, choices: 0, work: 0, ids: Ids::default() };
    unfolding.net = Net::new(name_of(root)?.unwrap_or_else(|| root.attribute("id").unwrap_or("").to_owned()));
    unfolding.places(&sorts_of)?;
    let unfolded = unfolding.transitions(&transitions)?;
    let (places, mut ids) = (unfolding.places, unfolding.ids);
    ids.unfolded_places = ends.places.into_iter().map(|(id, position)| (id.to_owned(), places[position].clone())).collect();
    ids.unfolded_transitions = ends.transitions.into_iter().map(|(id, position)| (id.to_owned(), unfolded[position].clone())).collect();
    Ok(ReadNet { net: unfolding.net, ids })
}

struct Unfolding<'r, 'a, 'i> {
    reader: &'r PnmlReader<'a, 'i>,
    sorts: &'r Sorts<'a>,
    net: Net,
    /// By place and colour.
    places: Vec<Vec<PlaceId>>,
    arcs: usize,
    choices: u64,
    work: u64,
    ids: Ids,
}

impl Unfolding<'_, '_, '_> {
    fn places(&mut self, sorts_of: &[usize]) -> Result<(), FormatError> {
        for ((name, &sort), (id, _, _, node)) in self.reader.places.names().into_iter().zip(sorts_of).zip(&self.reader.places.own) {
            let size = self.sorts.size(sort);
            if self.net.place_count().saturating_add(size) > self.reader.limits.nodes {
                return Err(error(*node, format!("unfolded, there are more than {} places", self.reader.limits.nodes)));
            }
            let mut tokens = vec![0_u64; size];
            if let Some(marking) = only_child(*node, "hlinitialMarking")? {
                let marking = Multiset::read(self.sorts, structure(marking)?, sort)?;
                if let Some(variable) = marking.variables().first() {
                    return Err(error(*node, format!("the variable “{}” in an initial marking", self.sorts.variables[*variable].1)));
                }
                if marking.work() > WORK {
                    return Err(error(*node, format!("unfolding this net looks at more than {WORK} colours")));
                }
                for (colour, count) in marking.value(&Vec::new(), *node)? {
                    tokens[colour] = count;
                }
            }
            let mut all = Vec::with_capacity(size);
            for (colour, tokens) in tokens.into_iter().enumerate() {
                let colours = self.sorts.in_brackets(sort, colour);
                let place = self.net.add_place(format!("{name}{colours}"), tokens).map_err(|problem| error(*node, problem.to_string()))?;
                self.ids.places.insert(format!("{id}{colours}"), place);
                all.push(place);
            }
            self.places.push(all);
        }
        Ok(())
    }

    /// Adds the transitions; says which those of each are.
    fn transitions(&mut self, transitions: &[Coloured]) -> Result<Vec<Vec<TransitionId>>, FormatError> {
        let mut unfolded = Vec::with_capacity(transitions.len());
        for (number, name) in self.reader.transitions.names().into_iter().enumerate() {
            let coloured = &transitions[number];
            let mut variables: Vec<usize> = coloured.guard.iter().flat_map(Guard::variables).collect();
            variables.extend(coloured.arcs.iter().flatten().flat_map(|arc| arc.1.variables()));
            variables.sort_unstable();
            variables.dedup();
            let sizes: Vec<usize> = variables.iter().map(|&variable| self.sorts.size(self.sorts.variables[variable].2)).collect();
            let mut binding: Binding = vec![0; self.sorts.variables.len()];
            let mut all = Vec::new();
            loop {
                all.extend(self.choice(number, &name, coloured, &variables, &binding)?);
                // The last variable changes first.
                let next = (0..variables.len()).rev().find(|&position| binding[variables[position]] + 1 < sizes[position]);
                let Some(next) = next else { break };
                binding[variables[next]] += 1;
                variables[next + 1..].iter().for_each(|&variable| binding[variable] = 0);
            }
            unfolded.push(all);
        }
        Ok(unfolded)
    }

    /// The transition for one choice of colours, if its condition allows it.
    fn choice(
        &mut self,
        number: usize,
        name: &str,
        coloured: &Coloured,
        variables: &[usize],
        binding: &Binding,
    ) -> Result<Option<TransitionId>, FormatError> {
        let (id, _, _, node) = &self.reader.transitions.own[number];
        self.choices = self.choices.saturating_add(1);
        if self.choices > CHOICES {
            return Err(error(*node, format!("unfolding this net tries more than {CHOICES} choices of colours")));
        }
        if coloured.guard.as_ref().is_some_and(|guard| !guard.holds(binding)) {
            return Ok(None);
        }
        let work = coloured.arcs.iter().flatten().fold(0_u64, |work, arc| work.saturating_add(arc.1.work()));
        self.work = self.work.saturating_add(work);
        if self.work > WORK {
            return Err(error(*node, format!("unfolding this net looks at more than {WORK} colours")));
        }
        let mut arcs: [Vec<Arc>; 2] = Default::default();
        for (side, arcs) in coloured.arcs.iter().zip(&mut arcs) {
            // Several arcs to one place add up, as they do in the net.
            let mut weights: FxHashMap<PlaceId, u64> = FxHashMap::default();
            for (place, multiset) in side {
                for (colour, count) in multiset.value(binding, *node)? {
                    let weight = weights.entry(self.places[*place][colour]).or_default();
                    *weight = weight.checked_add(count).ok_or_else(|| error(*node, "the weight of an arc does not fit 64 bits"))?;
                }
            }
            *arcs = weights.into_iter().collect();
            arcs.sort_unstable();
            self.arcs = self.arcs.saturating_add(arcs.len());
        }
        if self.net.transition_count() >= self.reader.limits.nodes || self.arcs > self.reader.limits.arcs {
            let (nodes, arcs) = (self.reader.limits.nodes, self.reader.limits.arcs);
            return Err(error(*node, format!("unfolded, there are more than {nodes} transitions or {arcs} arcs")));
        }
        let chosen: Vec<String> = variables
            .iter()
            .map(|&variable| {
                let (_, name, sort) = &self.sorts.variables[variable];
                format!("{name}={}", self.sorts.name(*sort, binding[variable]))
            })
            .collect();
        let chosen = if chosen.is_empty() { String::new() } else { format!("({})", chosen.join(",")) };
        let [inputs, outputs] = arcs;
        let added: Result<TransitionId, _> = self.net.add_transition(format!("{name}{chosen}"), inputs, outputs);
        let added = added.map_err(|problem| error(*node, problem.to_string()))?;
        self.ids.transitions.insert(format!("{id}{chosen}"), added);
        Ok(Some(added))
    }
}
