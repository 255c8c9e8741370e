//! The interleaving net of a network system: the published construction.
//!
//! Places:
//!
//! - one per global state that the system lists;
//! - one per request and local state that the request can get to: its starts,
//!   and along any steps from there, whatever the global state;
//! - one per request and response that some local state of the request gives.
//!
//! Transitions, where *its* local states are those of the second kind of place:
//!
//! - *spawn*, per request and start: takes nothing, gives the local state;
//! - *step*, per request and step `(l, g) → (l', g')` from one of its local
//!   states: takes `l` and `g`, gives `l'` and `g'`;
//! - *respond*, per request, one of its local states and response of it: takes
//!   the local state, gives the answer.
//!
//! In the beginning there is one token on the initial global state and nothing
//! else. A marking that can be reached is a configuration: exactly one global
//! state has a token, and only one; the others count requests.
//!
//! The published text has a place for every pair of a request and a local
//! state ([`product()`]), and says of the steps and responses that they concern the requests
//! that “eventually give rise to” the local state; what is here is that rule for
//! places too. A place that is left out by it could get a token only by a step
//! that takes one from another place that is left out, hence never, and no other
//! transition asks for it. Which *global* states there are is for the system to
//! say: the compiler lists those that can occur. With
//! that the running example of the publication, compiled plainly, has the
//! published 8 places (2 global states, 4 local states, 2 answers) and 7
//! transitions (1 spawn, 4 steps, 2 responses). The variant with a spin-lock has
//! 9 places where the published figure has 8: the compiler tells a request that
//! has not begun from one that waits in the loop, and the published translation
//! does not, as what remains to be done is the same.

use rustc_hash::FxHashMap;
use serval_model::{GlobalId, LocalId, NetworkSystem, RequestId, ResponseId};

use crate::{Net, NetError, PlaceId, TransitionId};

/// What a place stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlaceKind {
    /// This is the global state.
    Global(GlobalId),
    /// Requests of this name in flight, in this local state.
    InFlight(RequestId, LocalId),
    /// Requests of this name that got this response.
    Answer(RequestId, ResponseId),
}

/// What a transition stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// A request comes in and is in this local state.
    Spawn(RequestId, LocalId),
    /// A request makes the step at this position of
    /// [`NetworkSystem::steps`].
    Step(RequestId, usize),
    /// A request in this local state gives this response.
    Respond(RequestId, LocalId, ResponseId),
}

/// What the places and transitions of an interleaving net stand for, and back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    kinds: Vec<PlaceKind>,
    actions: Vec<Action>,
    places: FxHashMap<PlaceKind, PlaceId>,
    transitions: FxHashMap<Action, TransitionId>,
}

impl Places {
    /// What a place of the net stands for.
    pub fn kind(&self, place: PlaceId) -> Option<PlaceKind> {
        self.kinds.get(place.index()).copied()
    }

    /// What a transition of the net stands for.
    pub fn action(&self, transition: TransitionId) -> Option<Action> {
        self.actions.get(transition.index()).copied()
    }

    /// The place that stands for this.
    pub fn place(&self, kind: PlaceKind) -> Option<PlaceId> {
        self.places.get(&kind).copied()
    }

    /// The transition that stands for this.
    pub fn transition(&self, action: Action) -> Option<TransitionId> {
        self.transitions.get(&action).copied()
    }

    /// The place of a global state.
    pub fn global(&self, global: GlobalId) -> Option<PlaceId> {
        self.place(PlaceKind::Global(global))
    }

    /// The place of the requests in a local state, where they can get there.
    pub fn local(&self, request: RequestId, local: LocalId) -> Option<PlaceId> {
        self.place(PlaceKind::InFlight(request, local))
    }

    /// The place of the requests that got an answer, where they can.
    pub fn answer(&self, request: RequestId, response: ResponseId) -> Option<PlaceId> {
        self.place(PlaceKind::Answer(request, response))
    }

    /// What all places stand for, in order.
    pub fn kinds(&self) -> &[PlaceKind] {
        &self.kinds
    }

    /// The places of requests in flight, in order.
    pub fn in_flight(&self) -> impl Iterator<Item = PlaceId> {
        self.of_kind(|kind| matches!(kind, PlaceKind::InFlight(..)))
    }

    /// The places of answers, in order.
    pub fn answers(&self) -> impl Iterator<Item = PlaceId> {
        self.of_kind(|kind| matches!(kind, PlaceKind::Answer(..)))
    }

    fn of_kind(&self, is_meant: fn(&PlaceKind) -> bool) -> impl Iterator<Item = PlaceId> {
        crate::ids::places(self.kinds.len()).zip(&self.kinds).filter(move |(_, kind)| is_meant(kind)).map(|(place, _)| place)
    }
}

/// `first/second` such that different pairs give different texts: the first
/// slash without a backslash before it is the one between them.
fn pair(first: &str, second: &str) -> String {
    let mut text = String::with_capacity(first.len() + second.len() + 1);
    for letter in first.chars() {
        if matches!(letter, '/' | '\\') {
            text.push('\\');
        }
        text.push(letter);
    }
    text.push('/');
    text.push_str(second);
    text
}

struct Builder<'a> {
    system: &'a NetworkSystem,
    net: Net,
    places: Places,
}

impl Builder<'_> {
    /// The place of `kind`, made if it is new.
    fn place(&mut self, kind: PlaceKind) -> Result<PlaceId, NetError> {
        if let Some(place) = self.places.place(kind) {
            return Ok(place);
        }
        let system = self.system;
        // The first word tells the kinds apart.
        let (name, tokens) = match kind {
            PlaceKind::Global(global) => (format!("global {}", system.global_name(global)), u64::from(global == system.initial_global())),
            PlaceKind::InFlight(request, local) => (format!("at {}", pair(system.request_name(request), system.local_name(local))), 0),
            PlaceKind::Answer(request, response) => {
                (format!("answer {}", pair(system.request_name(request), system.response_name(response))), 0)
            }
        };
        let place = self.net.add_place(name, tokens)?;
        self.places.kinds.push(kind);
        self.places.places.insert(kind, place);
        Ok(place)
    }

    fn transition(&mut self, action: Action, inputs: &[PlaceKind], outputs: &[PlaceKind]) -> Result<(), NetError> {
        let mut arcs = |kinds: &[PlaceKind]| kinds.iter().map(|&kind| Ok((self.place(kind)?, 1))).collect::<Result<Vec<_>, _>>();
        let (inputs, outputs) = (arcs(inputs)?, arcs(outputs)?);
        let system = self.system;
        let name = match action {
            Action::Spawn(request, local) => format!("spawn {}", pair(system.request_name(request), system.local_name(local))),
            // Positions are shorter than the four names of a step, which are those of its places.
            Action::Step(request, position) => format!("step {position} {}", system.request_name(request)),
            Action::Respond(request, local, response) => {
                let rest = pair(system.local_name(local), system.response_name(response));
                format!("respond {}", pair(system.request_name(request), &rest))
            }
        };
        let transition = self.net.add_transition(name, inputs, outputs)?;
        self.places.actions.push(action);
        self.places.transitions.insert(action, transition);
        Ok(())
    }
}

/// The local states that `request` can get to, in ascending order.
fn locals_of(system: &NetworkSystem, request: RequestId, seen: &mut [bool]) -> Vec<LocalId> {
    seen.fill(false);
    let mut found: Vec<LocalId> = Vec::new();
    let starts = system.starts().iter().filter(|&&(other, _)| other == request).map(|&(_, local)| local);
    for start in starts {
        if !std::mem::replace(&mut seen[start.index()], true) {
            found.push(start);
        }
    }
    let mut next = 0;
    while let Some(&local) = found.get(next) {
        next += 1;
        for step in system.steps_of(local) {
            if !std::mem::replace(&mut seen[step.to_local.index()], true) {
                found.push(step.to_local);
            }
        }
    }
    found.sort_unstable();
    found
}

/// The interleaving net of `system`, called `interleaving`, and what its places
/// and transitions stand for. The only failure is a system too large for ids.
///
/// Places come in the order global states, requests in flight, answers;
/// transitions in the order spawns, steps, responses; within that, in the order
/// of the system.
pub fn interleaving(system: &NetworkSystem) -> Result<(Net, Places), NetError> {
    let mut seen = vec![false; system.local_count()];
    let reached = system.requests().map(|request| (request, locals_of(system, request, &mut seen))).collect();
    net_of(system, reached)
}

/// The same with a place for every pair of a request and a local state, or a
/// response that some local state gives, and with every step and response for
/// every request: what the published formulas say where nobody asks what a
/// request can get to. Slicing finds that out: for a target it leaves the same of
/// this as of [`interleaving()`].
pub fn product(system: &NetworkSystem) -> Result<(Net, Places), NetError> {
    let reached = system.requests().map(|request| (request, system.locals().collect())).collect();
    net_of(system, reached)
}

/// How many places and transitions [`product()`] has.
pub fn product_size(system: &NetworkSystem) -> (usize, usize) {
    let requests = system.requests().count();
    let mut given: Vec<ResponseId> = system.answers().iter().map(|&(_, response)| response).collect();
    given.sort_unstable();
    given.dedup();
    let places = system.globals().count() + requests * (system.local_count() + given.len());
    (places, system.starts().len() + requests * (system.steps().len() + system.answers().len()))
}

/// The net for these local states of requests.
fn net_of(system: &NetworkSystem, reached: Vec<(RequestId, Vec<LocalId>)>) -> Result<(Net, Places), NetError> {
    let places = Places { kinds: Vec::new(), actions: Vec::new(), places: FxHashMap::default(), transitions: FxHashMap::default() };
    let mut builder = Builder { system, net: Net::new("interleaving"), places };
    for global in system.globals() {
        builder.place(PlaceKind::Global(global))?;
    }
    for (request, locals) in &reached {
        for &local in locals {
            builder.place(PlaceKind::InFlight(*request, local))?;
        }
    }
    for (request, locals) in &reached {
        let mut responses: Vec<ResponseId> =
            locals.iter().flat_map(|&local| system.answers_of(local)).map(|&(_, response)| response).collect();
        responses.sort_unstable();
        responses.dedup();
        for response in responses {
            builder.place(PlaceKind::Answer(*request, response))?;
        }
    }

    for &(request, local) in system.starts() {
        builder.transition(Action::Spawn(request, local), &[], &[PlaceKind::InFlight(request, local)])?;
    }
    for (request, locals) in &reached {
        let request = *request;
        for &local in locals {
            let first = system.steps().partition_point(|step| step.local < local);
            for (offset, step) in system.steps_of(local).iter().enumerate() {
                let inputs = [PlaceKind::InFlight(request, local), PlaceKind::Global(step.global)];
                let outputs = [PlaceKind::InFlight(request, step.to_local), PlaceKind::Global(step.to_global)];
                builder.transition(Action::Step(request, first + offset), &inputs, &outputs)?;
            }
        }
    }
    for (request, locals) in &reached {
        for &(local, response) in locals.iter().flat_map(|&local| system.answers_of(local)) {
            let (inputs, outputs) = (PlaceKind::InFlight(*request, local), PlaceKind::Answer(*request, response));
            builder.transition(Action::Respond(*request, local, response), &[inputs], &[outputs])?;
        }
    }
    Ok((builder.net, builder.places))
}
