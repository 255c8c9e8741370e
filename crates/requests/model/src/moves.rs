//! What can happen next, for systems that are written out and for systems
//! that are made on demand.
//!
//! Simulation, the serial behaviours and a search for counterexamples need
//! little of a system: where it begins, how requests start, and what a
//! request in a local state can do under a global state. [`Moves`] is that
//! little. A [`NetworkSystem`] offers it by looking things up; a program
//! whose states are compiled when they are first reached offers it by
//! compiling them, which is why asking takes `&mut self` and may fail.
//!
//! ```
//! use serval_model::{Configuration, Move, SystemBuilder, enabled_moves};
//! let mut builder = SystemBuilder::new();
//! let (g, l) = (builder.global("g"), builder.local("l"));
//! let get = builder.request("get");
//! builder.start(get, l);
//! let system = builder.finish(g);
//! let Ok(moves) = enabled_moves(&system, &Configuration::initial(g));
//! assert_eq!(moves, [Move::Spawn { request: get, local: l }]);
//! ```

use std::convert::Infallible;
use std::fmt;

use serval_budget::Stopped;

use crate::{Configuration, GlobalId, LocalId, NetworkSystem, RequestId, ResponseId, Step, ThreadId};

/// A system as seen by one who runs it.
///
/// Answers must not change over time: the same question gets the same answer,
/// in the same order, without repetitions. Ids that were given out stay valid.
pub trait Moves {
    /// Why the system could not say how a request goes on.
    /// [`Infallible`] for systems that are written out.
    type Stop;

    /// The global state in which everything begins.
    fn initial_global(&self) -> GlobalId;

    /// Which request may start in which local state, sorted.
    fn starts(&self) -> &[(RequestId, LocalId)];

    /// Appends all `(l', g')` with a step `(local, global) → (l', g')` to `out`.
    fn successors(&mut self, local: LocalId, global: GlobalId, out: &mut Vec<(LocalId, GlobalId)>) -> Result<(), Self::Stop>;

    /// Appends all responses that `local` may give to `out`.
    fn responses(&mut self, local: LocalId, out: &mut Vec<ResponseId>);

    /// Whether it is known that no step leaves `local`, whatever the global
    /// state. `false` is always a right answer.
    fn is_final(&self, local: LocalId) -> bool {
        let _ = local;
        false
    }
}

/// A system whose states, requests and responses have names.
///
/// Within one kind of thing, different things have different names.
pub trait Named: Moves {
    /// The name of a global state.
    fn global_name(&self, id: GlobalId) -> String;

    /// The name of a local state.
    fn local_name(&self, id: LocalId) -> String;

    /// The name of a request.
    fn request_name(&self, id: RequestId) -> String;

    /// The name of a response.
    fn response_name(&self, id: ResponseId) -> String;
}

impl Named for &NetworkSystem {
    fn global_name(&self, id: GlobalId) -> String {
        NetworkSystem::global_name(self, id).to_owned()
    }

    fn local_name(&self, id: LocalId) -> String {
        NetworkSystem::local_name(self, id).to_owned()
    }

    fn request_name(&self, id: RequestId) -> String {
        NetworkSystem::request_name(self, id).to_owned()
    }

    fn response_name(&self, id: ResponseId) -> String {
        NetworkSystem::response_name(self, id).to_owned()
    }
}

impl Moves for &NetworkSystem {
    type Stop = Infallible;

    fn initial_global(&self) -> GlobalId {
        NetworkSystem::initial_global(self)
    }

    fn starts(&self) -> &[(RequestId, LocalId)] {
        NetworkSystem::starts(self)
    }

    fn successors(&mut self, local: LocalId, global: GlobalId, out: &mut Vec<(LocalId, GlobalId)>) -> Result<(), Infallible> {
        out.extend(self.steps_from(local, global).iter().map(|step| (step.to_local, step.to_global)));
        Ok(())
    }

    fn responses(&mut self, local: LocalId, out: &mut Vec<ResponseId>) {
        out.extend(self.answers_of(local).iter().map(|&(_, response)| response));
    }

    fn is_final(&self, local: LocalId) -> bool {
        self.steps_of(local).is_empty()
    }
}

impl<M: Moves> Moves for &mut M {
    type Stop = M::Stop;

    fn initial_global(&self) -> GlobalId {
        (**self).initial_global()
    }

    fn starts(&self) -> &[(RequestId, LocalId)] {
        (**self).starts()
    }

    fn successors(&mut self, local: LocalId, global: GlobalId, out: &mut Vec<(LocalId, GlobalId)>) -> Result<(), M::Stop> {
        (**self).successors(local, global, out)
    }

    fn responses(&mut self, local: LocalId, out: &mut Vec<ResponseId>) {
        (**self).responses(local, out);
    }

    fn is_final(&self, local: LocalId) -> bool {
        (**self).is_final(local)
    }
}

impl<M: Named> Named for &mut M {
    fn global_name(&self, id: GlobalId) -> String {
        (**self).global_name(id)
    }

    fn local_name(&self, id: LocalId) -> String {
        (**self).local_name(id)
    }

    fn request_name(&self, id: RequestId) -> String {
        (**self).request_name(id)
    }

    fn response_name(&self, id: ResponseId) -> String {
        (**self).response_name(id)
    }
}

/// Why work on a system ended early: the budget, or the system itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt<S> {
    /// The budget said so.
    Budget(Stopped),
    /// The system could not go on: [`Moves::Stop`].
    System(S),
}

impl<S> From<Stopped> for Halt<S> {
    fn from(stopped: Stopped) -> Self {
        Self::Budget(stopped)
    }
}

/// A system that is written out cannot fail, so only the budget remains.
impl From<Halt<Infallible>> for Stopped {
    fn from(halt: Halt<Infallible>) -> Self {
        let Halt::Budget(stopped) = halt;
        stopped
    }
}

impl<S: fmt::Display> fmt::Display for Halt<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Budget(Stopped::OutOfTicks) => f.write_str("the work limit is used up"),
            Self::Budget(Stopped::Cancelled) => f.write_str("cancelled"),
            Self::System(stop) => stop.fmt(f),
        }
    }
}

/// Something that may happen next in a configuration. Performed by
/// [`Run::perform`](crate::Run::perform), it becomes an
/// [`Event`](crate::Event) of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// A new request comes in.
    Spawn {
        /// Its name.
        request: RequestId,
        /// Where it starts.
        local: LocalId,
    },
    /// A request in flight makes a step.
    Step {
        /// Which one.
        thread: ThreadId,
        /// The step.
        step: Step,
    },
    /// A request in flight answers and is gone.
    Respond {
        /// Which one.
        thread: ThreadId,
        /// The response.
        response: ResponseId,
    },
}

/// Everything that may happen next: first the spawns in the order of
/// [`Moves::starts`], then thread by thread in ascending order its steps and
/// after them its responses.
///
/// For a written-out system this cannot fail: `let Ok(moves) = …`.
pub fn enabled_moves<M: Moves>(mut system: M, configuration: &Configuration) -> Result<Vec<Move>, M::Stop> {
    let mut moves: Vec<Move> = system.starts().iter().map(|&(request, local)| Move::Spawn { request, local }).collect();
    moves.extend(thread_moves(&mut system, configuration)?);
    Ok(moves)
}

/// What the requests in flight may do next: [`enabled_moves`] without spawns.
pub fn thread_moves<M: Moves>(mut system: M, configuration: &Configuration) -> Result<Vec<Move>, M::Stop> {
    let mut moves = Vec::new();
    let (mut successors, mut responses) = (Vec::new(), Vec::new());
    let global = configuration.global;
    for (&thread, state) in &configuration.in_flight {
        system.successors(state.local, global, &mut successors)?;
        for (to_local, to_global) in successors.drain(..) {
            moves.push(Move::Step { thread, step: Step { local: state.local, global, to_local, to_global } });
        }
        system.responses(state.local, &mut responses);
        moves.extend(responses.drain(..).map(|response| Move::Respond { thread, response }));
    }
    Ok(moves)
}
