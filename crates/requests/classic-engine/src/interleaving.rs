//! The interleaving net of a network system (Amir, Barbone, Amat, Jacobs 2026): the published construction.
//!
//! With `G`, `L`, `REQ` and `RESP` the global states, local states, requests and
//! responses that the system lists, the places are
//!
//! - one per global state;
//! - one per request and local state, for all of `REQ × L`;
//! - one per request and response, for all of `REQ × RESP`;
//!
//! and the transitions are
//!
//! - *spawn*, per request and start: takes nothing, gives the local state;
//! - *step*, per request and step `(l, g) → (l', g')`: takes `l` of this request
//!   and `g`, gives `l'` of this request and `g'`;
//! - *respond*, per request, local state and response of it: takes the local
//!   state of this request, gives the answer to it.
//!
//! In the beginning there is one token on the initial global state and nothing
//! else. A marking that can be reached is a configuration: exactly one global
//! state has a token, and only one; the others count requests.
//!
//! # What the text says
//!
//! The places are defined by the products above. The transitions are listed per
//! start, per step and per pair of local state and response; what the last two
//! take and give is then defined “for” each request of `REQ`, and the size is
//! given as `|G| + |REQ|·|L| + |REQ|·|RESP|` places and
//! `|REQ|·(1 + |δ| + |RESP|)` transitions, up to a factor. A sentence below adds
//! that in these two cases the request “concerns requests that eventually give
//! rise to” the local state. Whether that leaves out the steps and responses of
//! other requests, or only says where a request in a local state comes from, is
//! not clear from it. Here they are in the net, as the formula says. It makes no
//! difference to what the net can do: the place that such a transition takes
//! from could get a token only by a step of the same kind, hence never. The
//! first round of [slicing](serval_net_slice::slice()) leaves them out, with their places.
//!
//! Which states there are is for the system to say: the compiler lists those that
//! can occur. With that the running example of the publication, compiled plainly,
//! has the published 8 places (2 global states, 4 local states, 2 answers) and 7
//! transitions (1 spawn, 4 steps, 2 responses). The variant with a spin-lock has
//! 9 places where the published figure has 8: the compiler tells a request that
//! has not begun from one that waits in the loop, and the published translation
//! does not, as what remains to be done is the same.

use rustc_hash::FxHashMap;
use serval_budget::checkpoint;
use serval_model::{GlobalId, Letter, LocalId, NetAction, NetworkSystem, PlaceKind, RequestId, ResponseId};
use serval_petri::{Constraint, Linear, Net, NetError, PlaceId, Target, TransitionId};

/// What the places and transitions of an interleaving net stand for, and back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    kinds: Vec<PlaceKind>,
    actions: Vec<NetAction>,
    places: FxHashMap<PlaceKind, PlaceId>,
    transitions: FxHashMap<NetAction, TransitionId>,
}

impl Places {
    /// What a place of the net stands for.
    pub fn kind(&self, place: PlaceId) -> Option<PlaceKind> {
        self.kinds.get(place.index()).copied()
    }

    /// What a transition of the net stands for.
    pub fn action(&self, transition: TransitionId) -> Option<NetAction> {
        self.actions.get(transition.index()).copied()
    }

    /// The place that stands for this.
    pub fn place(&self, kind: PlaceKind) -> Option<PlaceId> {
        self.places.get(&kind).copied()
    }

    /// The transition that stands for this.
    pub fn transition(&self, action: NetAction) -> Option<TransitionId> {
        self.transitions.get(&action).copied()
    }

    /// The place of a global state.
    pub fn global(&self, global: GlobalId) -> Option<PlaceId> {
        self.place(PlaceKind::Global(global))
    }

    /// The place of the requests in a local state.
    pub fn local(&self, request: RequestId, local: LocalId) -> Option<PlaceId> {
        self.place(PlaceKind::InFlight(request, local))
    }

    /// The place of the requests that got an answer.
    pub fn answer(&self, request: RequestId, response: ResponseId) -> Option<PlaceId> {
        self.place(PlaceKind::Answer(request, response))
    }

    /// What all places stand for, in order.
    pub fn kinds(&self) -> &[PlaceKind] {
        &self.kinds
    }

    /// What all transitions stand for, in order.
    pub fn actions(&self) -> &[NetAction] {
        &self.actions
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
        let kinds = self.kinds.iter().enumerate().filter(move |(_, kind)| is_meant(kind));
        kinds.filter_map(|(index, _)| PlaceId::try_from_index(index))
    }

    /// The markings in which no request is in flight, and the numbers of answers are
    /// as `answers` say. Pairs that the net has no place for are 0.
    pub fn completed(&self, answers: impl IntoIterator<Item = Constraint<Letter>>) -> Target {
        let empty = self.in_flight().map(|place| Constraint::Zero(Linear::variable(place)));
        let answers = answers.into_iter().map(|constraint| constraint.renamed(|(request, response)| self.answer(request, response)));
        Target::new(empty.chain(answers).collect())
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

struct NetBuilder<'a> {
    system: &'a NetworkSystem,
    net: Net,
    places: Places,
}

impl NetBuilder<'_> {
    /// The place of `kind`, made if it is new.
    fn place(&mut self, kind: PlaceKind) -> Result<PlaceId, NetError> {
        checkpoint::pass();
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

    fn transition(&mut self, action: NetAction, inputs: &[PlaceKind], outputs: &[PlaceKind]) -> Result<(), NetError> {
        checkpoint::pass();
        let mut arcs = |kinds: &[PlaceKind]| kinds.iter().map(|&kind| Ok((self.place(kind)?, 1))).collect::<Result<Vec<_>, _>>();
        let (inputs, outputs) = (arcs(inputs)?, arcs(outputs)?);
        let system = self.system;
        let name = match action {
            NetAction::Spawn(request, local) => format!("spawn {}", pair(system.request_name(request), system.local_name(local))),
            // Positions are shorter than the four names of a step, which are those of its places.
            NetAction::Step(request, position) => format!("step {position} {}", system.request_name(request)),
            NetAction::Respond(request, local, response) => {
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

/// More places than this, or more transitions, are not made.
pub const MOST: usize = 1_000_000;

/// The interleaving net of `system`, called `interleaving`, and what its places
/// and transitions stand for. The only failure is a net with more than [`MOST`]
/// places or transitions.
///
/// Places come in the order global states, requests in flight, answers;
/// transitions in the order spawns, steps, responses; within that, by request,
/// and then in the order of the system.
pub fn interleaving(system: &NetworkSystem) -> Result<(Net, Places), NetError> {
    interleaving_within(system, MOST)
}

fn interleaving_within(system: &NetworkSystem, most: usize) -> Result<(Net, Places), NetError> {
    let (place_count, transition_count) = size(system);
    if place_count.max(transition_count) > most {
        return Err(NetError::TooLarge { places: place_count, transitions: transition_count, most });
    }
    let places = Places { kinds: Vec::new(), actions: Vec::new(), places: FxHashMap::default(), transitions: FxHashMap::default() };
    let mut builder = NetBuilder { system, net: Net::new("interleaving"), places };
    for global in system.globals() {
        builder.place(PlaceKind::Global(global))?;
    }
    for request in system.requests() {
        for local in system.locals() {
            builder.place(PlaceKind::InFlight(request, local))?;
        }
    }
    for request in system.requests() {
        for response in system.responses() {
            builder.place(PlaceKind::Answer(request, response))?;
        }
    }

    for &(request, local) in system.starts() {
        builder.transition(NetAction::Spawn(request, local), &[], &[PlaceKind::InFlight(request, local)])?;
    }
    for request in system.requests() {
        for (position, step) in system.steps().iter().enumerate() {
            let inputs = [PlaceKind::InFlight(request, step.local), PlaceKind::Global(step.global)];
            let outputs = [PlaceKind::InFlight(request, step.to_local), PlaceKind::Global(step.to_global)];
            builder.transition(NetAction::Step(request, position), &inputs, &outputs)?;
        }
    }
    for request in system.requests() {
        for &(local, response) in system.answers() {
            let (inputs, outputs) = (PlaceKind::InFlight(request, local), PlaceKind::Answer(request, response));
            builder.transition(NetAction::Respond(request, local, response), &[inputs], &[outputs])?;
        }
    }
    Ok((builder.net, builder.places))
}

/// How many places and transitions there will be; `usize::MAX` stands for that
/// many or more.
fn size(system: &NetworkSystem) -> (usize, usize) {
    let per_request = |count: usize| count.saturating_mul(system.request_count());
    let places = per_request(system.local_count().saturating_add(system.response_count()));
    let transitions = per_request(system.steps().len().saturating_add(system.answers().len()));
    (places.saturating_add(system.global_count()), transitions.saturating_add(system.starts().len()))
}

#[cfg(test)]
mod tests {
    use serval_model::SystemBuilder;

    use super::*;

    #[test]
    fn a_net_that_is_too_large_is_not_made() {
        let mut builder = SystemBuilder::new();
        let global = builder.global("g");
        let (local, response) = (builder.local("l"), builder.response("ok"));
        for name in ["a", "b", "c"] {
            let request = builder.request(name);
            builder.start(request, local);
        }
        builder.step(local, global, local, global);
        builder.answer(local, response);
        let system = builder.finish(global);
        // 1 global state, 3 requests in the local state, 3 answers; 3 spawns, 3 steps, 3 responses.
        assert_eq!(size(&system), (7, 9));
        assert!(interleaving_within(&system, 9).is_ok());
        let error = interleaving_within(&system, 8).unwrap_err();
        assert_eq!(error, NetError::TooLarge { places: 7, transitions: 9, most: 8 });
        assert_eq!(error.to_string(), "the net has 7 places and 9 transitions; the limit is 8 of each");
    }
}
