//! At which `yield`s a run really switches.
//!
//! A request *waits* at a `yield` of a run if another request makes a step
//! while it stands there. Spawns and answers of others do not count: they
//! touch nothing but the request that comes or goes, so they can be moved
//! before or behind the steps beside them.

use std::collections::{BTreeMap, BTreeSet};

use serval_compile::Prepared;
use serval_proof::{Action, RunCertificate};
use serval_syntax::Span;

use super::yields::Yield;

/// The `yield`s at which some request waits in this run, as positions in
/// `yields`; `None` if the run cannot be followed on the text.
pub(crate) fn switches(prepared: &Prepared, component: usize, run: &RunCertificate, yields: &[Yield]) -> Option<BTreeSet<usize>> {
    let mut source = prepared.source().start();
    let mut standing: BTreeMap<u32, Span> = BTreeMap::new();
    let mut waited: BTreeSet<Span> = BTreeSet::new();
    for event in &run.steps {
        match &event.action {
            Action::Spawn { request, local } => prepared.follow_spawn(&mut source, event.id, component, request, local).ok()?,
            Action::Step { to, .. } => {
                let step = prepared.follow_step(&mut source, event.id, &to.local, &to.global).ok()?;
                waited.extend(standing.iter().filter(|&(&other, _)| other != event.id).map(|(_, &place)| place));
                // A request that has its answer waits no more.
                match step.answer() {
                    Some(_) => standing.remove(&event.id),
                    None => standing.insert(event.id, step.ended_at),
                };
            }
            Action::Respond { .. } => source.respond(event.id).ok()?,
        }
    }
    Some((0..yields.len()).filter(|&index| waited.contains(&yields[index].span)).collect())
}
