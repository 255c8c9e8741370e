//! Isomorphic components, by colour refinement (Weisfeiler, Leman 1968): they do the same under other names.
//!
//! Keys of a cache, shards of a counter, rows of a table: handlers with a
//! parameter give components that differ in names only. One of them is worked
//! on; of the others a map to it is shown ([`serval_proof::same`]).
//!
//! Most come from the same handler with another parameter, so that states are
//! numbered in the same order: the identity is tried first. Otherwise nodes and
//! global states of both components get colours that say how they hang together
//! with others (colour refinement); while some colour is had by several, one of
//! each component gets a colour of its own, which is a guess. Whatever map comes
//! out is checked.

use std::collections::BTreeMap;

use serval_budget::{Budget, Cancel, StopReason, Stopped};
use serval_model::{NetworkSystem, NodeKind, NormalForm};
use serval_proof::same::{Same, check_same};
use serval_proof::{Caps, Part, Work};

use crate::decision::{Decision, Found};

/// Ticks for finding all maps.
const MAP_TICKS: u64 = 20_000_000;

/// Decides about components of which each is the only one of its kind, and says
/// of the others which of these they are the same as.
pub(crate) fn worked_on_once(
    systems: &[&NetworkSystem],
    cleared: u32,
    cancel: &Cancel,
    decide: impl FnOnce(&[&NetworkSystem]) -> Decision,
) -> Decision {
    let Ok(same) = find(systems, cancel) else {
        let found = Found::Unknown(StopReason::Cancelled);
        return Decision { found, cleared, concurrent: 0, reduced: None, open: Vec::new(), sampled: None, failed: Vec::new() };
    };
    let different: Vec<usize> = (0..systems.len()).filter(|&component| same[component].is_none()).collect();
    let mut decision = decide(&different.iter().map(|&component| systems[component]).collect::<Vec<_>>());
    match &mut decision.found {
        Found::Refuted { component, .. } => *component = different[*component],
        Found::Serializable(parts, _) => {
            let mut own = std::mem::take(parts).into_iter();
            *parts = same.into_iter().filter_map(|same| same.map(Part::Same).or_else(|| own.next())).collect();
        }
        Found::Unknown(_) => {}
    }
    for (component, _) in &mut decision.open {
        *component = different[*component];
    }
    decision
}

/// For each component the earlier one that it is the same as, if there is one
/// that is not said to be the same as another; as far as the ticks go.
fn find(systems: &[&NetworkSystem], cancel: &Cancel) -> Result<Vec<Option<Same>>, Stopped> {
    let mut same: Vec<Option<Same>> = vec![None; systems.len()];
    let mut budget = Budget::new(MAP_TICKS, cancel.clone());
    let mut forms: Vec<Option<NormalForm>> = Vec::with_capacity(systems.len());
    for (number, system) in systems.iter().enumerate() {
        let like = |(other, one): (usize, &&NetworkSystem)| other != number && sizes(one) == sizes(system);
        let form = systems.iter().enumerate().any(like).then(|| budget.during(|| NormalForm::new(system))).transpose()?;
        forms.push(form.flatten().map(|(form, _)| form));
    }
    for number in 0..systems.len() {
        let Some(form) = &forms[number] else { continue };
        let candidates = (0..number).filter(|&part| same[part].is_none() && sizes(systems[part]) == sizes(systems[number]));
        for part in candidates.collect::<Vec<_>>() {
            let Some(earlier) = &forms[part] else { continue };
            match map(form, earlier, part, &mut budget, cancel) {
                Ok(None) => {}
                Ok(found) => {
                    same[number] = found;
                    break;
                }
                Err(Stopped::OutOfTicks) => return Ok(same),
                Err(Stopped::Cancelled) => return Err(Stopped::Cancelled),
            }
        }
    }
    Ok(same)
}

/// What is alike in components that are the same.
fn sizes(system: &NetworkSystem) -> [usize; 5] {
    [system.global_count(), system.local_count(), system.steps().len(), system.starts().len(), system.answers().len()]
}

/// A map of one component to an earlier one.
fn map(form: &NormalForm, earlier: &NormalForm, part: usize, budget: &mut Budget, cancel: &Cancel) -> Result<Option<Same>, Stopped> {
    budget.spend(form.steps().len() as u64)?;
    let holds = |same: &Same| check_same(form, earlier, same, &mut Work::new(&Caps::default(), cancel)).is_ok();
    let identity = |count: usize| (0..u32::try_from(count).unwrap_or(u32::MAX)).collect::<Vec<u32>>();
    let same = Same { part, globals: identity(form.global_count() as usize), nodes: identity(form.nodes().len()) };
    if holds(&same) {
        return Ok(Some(same));
    }
    let maps = Colours::new([form, earlier]).matched(budget)?;
    Ok(maps.map(|(globals, nodes)| Same { part, globals, nodes }).filter(holds))
}

/// Colours of the global states and nodes of two components.
struct Colours<'a> {
    forms: [&'a NormalForm; 2],
    globals: [Vec<u32>; 2],
    nodes: [Vec<u32>; 2],
    count: usize,
}

/// Where global states go, and where nodes go.
type Maps = (Vec<u32>, Vec<u32>);

/// How something hangs together with the rest: its colour, and for each step
/// that it occurs in, as what it does and the colours of the others.
type Signature = (u32, Vec<(u8, [u32; 3])>);

impl<'a> Colours<'a> {
    fn new(forms: [&'a NormalForm; 2]) -> Self {
        let kind = |kind: NodeKind| match kind {
            NodeKind::Initial => 2,
            NodeKind::Inner => 3,
            NodeKind::Done(_) => 4,
        };
        let globals = forms.map(|form| (0..form.global_count()).map(|global| u32::from(global == form.initial_global())).collect());
        let nodes = forms.map(|form| form.nodes().iter().map(|&(_, of)| kind(of)).collect());
        Self { forms, globals, nodes, count: 0 }
    }

    /// Maps of global states and of nodes that keep colours, once each colour is
    /// had by one.
    fn matched(mut self, budget: &mut Budget) -> Result<Option<Maps>, Stopped> {
        loop {
            while self.refine(budget)? {}
            let (globals, nodes) = (classes(&self.globals), classes(&self.nodes));
            if globals.values().chain(nodes.values()).any(|[own, other]| own.len() != other.len()) {
                return Ok(None);
            }
            // Colours begin again from 0 with every refinement.
            let new = u32::MAX;
            if let Some([own, other]) = globals.values().find(|class| class[0].len() > 1) {
                (self.globals[0][own[0]], self.globals[1][other[0]]) = (new, new);
            } else if let Some([own, other]) = nodes.values().find(|class| class[0].len() > 1) {
                (self.nodes[0][own[0]], self.nodes[1][other[0]]) = (new, new);
            } else {
                return Ok(Some((images(&globals), images(&nodes))));
            }
        }
    }

    /// Tells apart what hangs together differently; whether there is more to be told apart.
    fn refine(&mut self, budget: &mut Budget) -> Result<bool, Stopped> {
        let mut globals: [Vec<Signature>; 2] =
            self.globals.clone().map(|colours| colours.into_iter().map(|colour| (colour, Vec::new())).collect());
        let mut nodes: [Vec<Signature>; 2] =
            self.nodes.clone().map(|colours| colours.into_iter().map(|colour| (colour, Vec::new())).collect());
        for side in 0..2 {
            budget.spend((globals[side].len() + nodes[side].len() + 4 * self.forms[side].steps().len()) as u64)?;
            let (of_global, of_node) = (&self.globals[side], &self.nodes[side]);
            for step in self.forms[side].steps() {
                let [node, to_node, global, to_global] =
                    [step.node, step.to_node, step.global, step.to_global].map(|number| number as usize);
                let [n, to_n, g, to_g] = [of_node[node], of_node[to_node], of_global[global], of_global[to_global]];
                nodes[side][node].1.push((0, [g, to_n, to_g]));
                nodes[side][to_node].1.push((1, [n, g, to_g]));
                globals[side][global].1.push((0, [n, to_n, to_g]));
                globals[side][to_global].1.push((1, [n, to_n, g]));
            }
        }
        let mut known: [BTreeMap<Signature, u32>; 2] = Default::default();
        let before = self.count;
        self.count = 0;
        for (table, signatures, colours) in [(0, globals, &mut self.globals), (1, nodes, &mut self.nodes)] {
            for (side, signatures) in signatures.into_iter().enumerate() {
                for (position, mut signature) in signatures.into_iter().enumerate() {
                    signature.1.sort_unstable();
                    let next = u32::try_from(known[table].len()).unwrap_or(u32::MAX);
                    colours[side][position] = *known[table].entry(signature).or_insert(next);
                }
            }
            self.count += known[table].len();
        }
        Ok(self.count > before)
    }
}

/// What has each colour, on both sides.
fn classes(colours: &[Vec<u32>; 2]) -> BTreeMap<u32, [Vec<usize>; 2]> {
    let mut classes: BTreeMap<u32, [Vec<usize>; 2]> = BTreeMap::new();
    for (side, colours) in colours.iter().enumerate() {
        for (position, &colour) in colours.iter().enumerate() {
            classes.entry(colour).or_default()[side].push(position);
        }
    }
    classes
}

/// The image of each number, where each class has one of each side.
fn images(classes: &BTreeMap<u32, [Vec<usize>; 2]>) -> Vec<u32> {
    let pairs: BTreeMap<usize, usize> = classes.values().flat_map(|[own, other]| own.iter().copied().zip(other.iter().copied())).collect();
    pairs.values().map(|&image| u32::try_from(image).unwrap_or(u32::MAX)).collect()
}

#[cfg(test)]
mod tests {
    use serval_model::{GlobalId, LocalId, RequestId, ResponseId, SystemBuilder};
    use serval_random::{handlers, uniform};

    use super::*;

    /// The system with everything numbered the other way round, and other names.
    fn turned(system: &NetworkSystem) -> NetworkSystem {
        let mut builder = SystemBuilder::new();
        for global in (0..system.global_count()).rev() {
            builder.global(&format!("g{global}"));
        }
        for local in (0..system.local_count()).rev() {
            builder.local(&format!("l{local}"));
        }
        for request in (0..system.request_count()).rev() {
            builder.request(&format!("q{request}"));
        }
        for response in (0..system.response_count()).rev() {
            builder.response(&format!("r{response}"));
        }
        let global = |id: GlobalId| GlobalId::from_index(system.global_count() - 1 - id.index());
        let local = |id: LocalId| LocalId::from_index(system.local_count() - 1 - id.index());
        for &(request, at) in system.starts() {
            builder.start(RequestId::from_index(system.request_count() - 1 - request.index()), local(at));
        }
        for &(at, response) in system.answers() {
            builder.answer(local(at), ResponseId::from_index(system.response_count() - 1 - response.index()));
        }
        for step in system.steps() {
            builder.step(local(step.local), global(step.global), local(step.to_local), global(step.to_global));
        }
        builder.finish(global(system.initial_global()))
    }

    #[test]
    fn turned_systems_are_the_same_and_others_are_not() {
        let sweep = serval_effort::sweep("engine.same", 50, 200);
        let mut told_apart = 0;
        for seed in sweep.seeds(0) {
            for system in [uniform(seed), handlers(seed)] {
                let (turned, other) = (turned(&system), uniform(seed + 1_000));
                let found = find(&[&system, &turned, &other], &Cancel::new()).unwrap();
                assert!(found[1].as_ref().is_some_and(|same| same.part == 0), "seed {seed}");
                told_apart += u64::from(found[2].is_none());
            }
        }
        assert!(!sweep.is_representative() || told_apart * 2 > sweep.count() * 3, "{told_apart}");
    }
}
