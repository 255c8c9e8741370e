//! Replaying a saved run.

use std::collections::BTreeMap;
use std::path::Path;

use serval_report::{Trace, TraceEvent};

use super::stage::{Action, Stage};
use crate::failure::Failure;
use crate::output::write_to;

/// Performs the events of the file at `path` one after the other.
pub(crate) fn run(stage: &mut dyn Stage, path: &Path) -> Result<(), Failure> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| Failure::message(format!("cannot read {name}: {error} [E0502]")))?;
    let trace = Trace::from_json(&text).map_err(|error| Failure::message(format!("{name}:{error} [E0510]")))?;
    let mut out = format!("replay of {name}, {} events\n", trace.steps.len());
    // Traces may number requests as they like; here they count from 1.
    let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
    let mut next = 1;
    for (position, event) in trace.steps.iter().enumerate() {
        if let TraceEvent::Spawn { id, .. } = event {
            if numbers.insert(*id, next).is_some() {
                return Err(impossible(&out, &name.to_string(), position, &format!("request #{id} comes twice")));
            }
            next += 1;
        }
        let actions = stage.actions();
        let found = actions.iter().position(|action| fits(event, action, &numbers));
        let Some(found) = found else {
            let offered: Vec<&str> = actions.iter().take(8).map(|action| action.text.as_str()).collect();
            let why = format!("{}\npossible would be: {}", written(event), offered.join("; "));
            return Err(impossible(&out, &name.to_string(), position, &why));
        };
        out.push_str(&format!("{:4}  {}\n", position + 1, stage.perform(found)));
    }
    out.push_str(&super::summary(stage));
    write_to(None, &out)
}

fn impossible(before: &str, name: &str, position: usize, why: &str) -> Failure {
    Failure::Input(format!("{before}error[E0511]: event {} of {name} cannot happen here: {why}\n", position + 1))
}

fn written(event: &TraceEvent) -> String {
    match event {
        TraceEvent::Spawn { id, local, .. } => format!("#{id} comes in {local}"),
        TraceEvent::Step { id, from, to, .. } => {
            format!("#{id} goes from {} and {} to {} and {}", from.local, from.global, to.local, to.global)
        }
        TraceEvent::Respond { id, response, .. } => format!("#{id} returns {response}"),
    }
}

/// Whether an action is what the trace says.
fn fits(event: &TraceEvent, action: &Action, numbers: &BTreeMap<u32, u32>) -> bool {
    match (event, &action.event) {
        (
            TraceEvent::Spawn { component, request, local, .. },
            Some(TraceEvent::Spawn { component: has_component, request: has_request, local: has_local, .. }),
        ) => component == has_component && local == has_local && (request.is_none() || request == has_request),
        (TraceEvent::Step { id, from, to, .. }, Some(TraceEvent::Step { id: has_id, from: has_from, to: has_to, .. })) => {
            numbers.get(id) == Some(has_id) && from == has_from && to == has_to
        }
        (TraceEvent::Respond { id, response, .. }, Some(TraceEvent::Respond { id: has_id, response: has_response, .. })) => {
            numbers.get(id) == Some(has_id) && response == has_response
        }
        _ => false,
    }
}
