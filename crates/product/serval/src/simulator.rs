//! What programs and network systems have in common when they are run.

mod program;
mod random;
mod serial;
mod system;

use std::collections::BTreeMap;

use serval_report::escape::name;
use serval_report::{States, TraceEvent};

pub(crate) use program::Performance;
pub use program::{ProgramSimulator, prepare};
pub use random::RandomRun;
pub use serial::{Serial, serial};
pub use system::SystemSimulator;

/// What an action does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionKind {
    /// A request comes.
    Spawn,
    /// A request makes a step.
    Step,
    /// A request answers.
    Respond,
}

/// Something that can happen next.
pub struct Action {
    /// What it does.
    pub kind: ActionKind,
    /// For a menu, before it happens.
    pub text: String,
    /// For a trace; `None` where the states have no names.
    pub event: Option<TraceEvent>,
}

/// A program or a system in the middle of a run.
pub trait Simulator {
    /// Everything that can happen next, in a fixed order.
    fn actions(&mut self) -> Vec<Action>;

    /// Does the action at this position of the last list and tells what
    /// happened, in one line.
    fn perform(&mut self, position: usize) -> String;

    /// The values that all requests share.
    fn globals(&self) -> String;

    /// The requests in flight and where they are.
    fn waiting(&self) -> Vec<String>;

    /// Requests and responses so far, in order.
    fn answers(&self) -> &[(String, String)];

    /// What happened so far, as far as it has names.
    fn events(&self) -> &[TraceEvent];

    /// What the names in the events stand for, where there is more to say.
    fn states(&self) -> States;

    /// How many actions have been performed.
    fn events_so_far(&self) -> usize;

    /// A step of some request that has no result, met by the last `actions`.
    fn fault(&self) -> Option<String> {
        None
    }
}

/// The numbers that requests of a trace get here. Traces may number requests
/// as they like; a stage counts them from 1.
#[derive(Default)]
pub struct Numbers {
    given: BTreeMap<u32, u32>,
}

impl Numbers {
    /// Gives a number to a request that comes.
    pub fn arrival(&mut self, event: &TraceEvent) -> Result<(), String> {
        if let TraceEvent::Spawn { id, .. } = event {
            let next = u32::try_from(self.given.len()).unwrap_or(u32::MAX).saturating_add(1);
            if self.given.insert(*id, next).is_some() {
                return Err(format!("request #{id} comes twice"));
            }
        }
        Ok(())
    }
}

/// The position of the action that an event of a trace means.
pub fn find_action(event: &TraceEvent, actions: &[Action], numbers: &Numbers) -> Result<usize, String> {
    actions.iter().position(|action| fits(event, action, numbers)).ok_or_else(|| {
        let offered: Vec<&str> = actions.iter().take(8).map(|action| action.text.as_str()).collect();
        format!("{}\npossible would be: {}", written(event), offered.join("; "))
    })
}

fn written(event: &TraceEvent) -> String {
    match event {
        TraceEvent::Spawn { id, local, .. } => format!("#{id} comes in {}", name(local)),
        TraceEvent::Step { id, from, to, .. } => {
            format!("#{id} goes from {} and {} to {} and {}", name(&from.local), name(&from.global), name(&to.local), name(&to.global))
        }
        TraceEvent::Respond { id, response, .. } => format!("#{id} returns {}", name(response)),
    }
}

/// Whether an action is what the trace says.
fn fits(event: &TraceEvent, action: &Action, numbers: &Numbers) -> bool {
    match (event, &action.event) {
        (
            TraceEvent::Spawn { component, request, local, .. },
            Some(TraceEvent::Spawn { component: has_component, request: has_request, local: has_local, .. }),
        ) => component == has_component && local == has_local && (request.is_none() || request == has_request),
        (TraceEvent::Step { id, from, to, .. }, Some(TraceEvent::Step { id: has_id, from: has_from, to: has_to, .. })) => {
            numbers.given.get(id) == Some(has_id) && from == has_from && to == has_to
        }
        (TraceEvent::Respond { id, response, .. }, Some(TraceEvent::Respond { id: has_id, response: has_response, .. })) => {
            numbers.given.get(id) == Some(has_id) && response == has_response
        }
        _ => false,
    }
}
