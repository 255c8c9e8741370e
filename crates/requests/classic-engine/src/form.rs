//! The net of a system, seen from its normal form.
//!
//! A configuration of the normal form is one of the net in which no request waits
//! that could answer and do nothing else: a step that lands on a done node is a
//! transition to the local state that answers, and then the answer. So tokens at
//! places, and how often transitions were fired, are linear in the variables of
//! an [invariant](serval_proof::invariant) of the normal form; how many requests
//! came in is the only thing that is not. The net has more places and
//! transitions than the normal form knows of, as it has all local states for all
//! requests: where a request cannot get to there is never a token, and nothing
//! is fired.

use crate::Places;
use rustc_hash::FxHashMap;
use serval_model::{GlobalId, LocalId, NetAction, NetworkSystem, NormalForm, Step};
use serval_petri::{PlaceId, TransitionId};
use serval_proof::invariant::{Bound, node_variable};

/// A normal form, and what places and transitions of the net are in it.
pub(crate) struct NetForm {
    pub(crate) form: NormalForm,
    /// For each transition of the net the steps that fire it, each time once.
    steps: FxHashMap<TransitionId, Vec<u32>>,
    nodes: FxHashMap<PlaceId, u32>,
    globals: FxHashMap<PlaceId, u32>,
}

impl NetForm {
    /// `None` where there is too much of something.
    pub(crate) fn new(system: &NetworkSystem, places: &Places) -> Option<Self> {
        let (form, locals) = NormalForm::new(system)?;
        let mut made = Self { form, steps: FxHashMap::default(), nodes: FxHashMap::default(), globals: FxHashMap::default() };
        for global in system.globals() {
            made.globals.insert(places.global(global)?, u32::try_from(global.index()).ok()?);
        }
        for (node, &(request, _)) in (0..).zip(made.form.nodes()) {
            let place = match (made.form.letter(node), locals.get(node as usize)) {
                (Some((request, response)), _) => places.answer(request, response),
                (None, Some(&local)) => places.local(request, local),
                (None, None) => None,
            };
            made.nodes.insert(place?, node);
        }
        let positions: FxHashMap<Step, usize> = system.steps().iter().enumerate().map(|(position, &step)| (step, position)).collect();
        for (number, step) in (0..).zip(made.form.steps()) {
            let (request, _) = made.form.nodes()[step.node as usize];
            let local = *locals.get(step.node as usize)?;
            let (global, to_global) = (GlobalId::from_index(step.global as usize), GlobalId::from_index(step.to_global as usize));
            let step_to = |to_local: LocalId| {
                let position = *positions.get(&Step { local, global, to_local, to_global })?;
                places.transition(NetAction::Step(request, position))
            };
            let fired: Vec<TransitionId> = match made.form.letter(step.to_node) {
                None => vec![step_to(*locals.get(step.to_node as usize)?)?],
                Some((_, response)) => {
                    let answers = |at: LocalId| system.answers_of(at).iter().any(|&(_, given)| given == response);
                    let at_once = step.global == step.to_global && made.form.is_initial(step.node) && answers(local);
                    if at_once {
                        vec![places.transition(NetAction::Respond(request, local, response))?]
                    } else {
                        let via = via(system, local, global, to_global, answers)?;
                        vec![step_to(via)?, places.transition(NetAction::Respond(request, via, response))?]
                    }
                }
            };
            for transition in fired {
                made.steps.entry(transition).or_default().push(number);
            }
        }
        Some(made)
    }

    /// Tokens at some places, times a factor, plus a constant.
    pub(crate) fn tokens(&self, places: &[PlaceId], factor: i64, constant: i64) -> Option<Bound> {
        let mut bound = Bound { constant, ..Bound::default() };
        for place in places {
            // No request waits anywhere else.
            if let Some(&node) = self.nodes.get(place) {
                bound.terms.push((node_variable(&self.form, node)?, factor));
            } else if let Some(&global) = self.globals.get(place) {
                bound.under.push((global, factor));
            }
        }
        bound.terms.sort_unstable();
        bound.under.sort_unstable();
        Some(bound)
    }

    /// How often some transitions were fired, times a factor, plus a constant.
    pub(crate) fn fired(&self, transitions: impl Iterator<Item = TransitionId>, factor: i64, constant: i64) -> Bound {
        let mut steps: Vec<u32> = transitions.filter_map(|transition| self.steps.get(&transition)).flatten().copied().collect();
        steps.sort_unstable();
        let mut terms: Vec<(u32, i64)> = Vec::new();
        for step in steps {
            match terms.last_mut() {
                Some((last, times)) if *last == step => *times += factor,
                _ => terms.push((step, factor)),
            }
        }
        Bound { terms, under: Vec::new(), constant }
    }
}

/// A local state to which a request can step, and that answers.
fn via(
    system: &NetworkSystem,
    local: LocalId,
    global: GlobalId,
    to_global: GlobalId,
    answers: impl Fn(LocalId) -> bool,
) -> Option<LocalId> {
    let steps = system.steps_of(local).iter();
    steps.filter(|step| step.global == global && step.to_global == to_global).map(|step| step.to_local).find(|&to| answers(to))
}
