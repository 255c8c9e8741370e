//! Failures of requests that run one at a time.
//!
//! Whether a step can fail without requests that overlap tells a mistake in a
//! program from a race. Serial runs are explored by steps, fewest first; where
//! they are finitely many and none fails, it takes requests that overlap.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serval_model::{GlobalId, LocalId};

use super::trail::{Trail, TrailStep};
use crate::machine::{Fault, FaultKind};
use crate::space::Space;

/// What serial runs say about failures.
pub(crate) enum SerialFault {
    /// A shortest serial run after which a request fails in this state.
    Found { fault: Fault, trail: Trail, last: (LocalId, GlobalId) },
    /// No serial run fails.
    Never,
    /// There are more serial runs than were looked at.
    Unknown,
}

/// The global state and the request in flight, if there is one.
type Config = (GlobalId, Option<LocalId>);

/// Looks at so many configurations of serial runs.
pub(crate) fn serial_fault(space: &mut Space, limit: usize) -> SerialFault {
    let mut initial: Vec<LocalId> = space.starts().map(|&(_, local)| local).collect();
    initial.sort_unstable();
    initial.dedup();
    let mut configs: IndexMap<Config, Option<(usize, LocalId, usize)>, FxBuildHasher> = IndexMap::default();
    configs.insert((space.initial_global(), None), None);
    let mut position = 0;
    while let Some((&(global, flight), _)) = configs.get_index(position) {
        if configs.len() > limit {
            return SerialFault::Unknown;
        }
        let sources = flight.map_or_else(|| initial.clone(), |local| vec![local]);
        for source in sources {
            let moves = space.moves(source, global);
            if let Some(fault) = space.fault(source, global).filter(|fault| fault.kind != FaultKind::TooLong) {
                return SerialFault::Found { fault, trail: trail(space, &configs, position), last: (source, global) };
            }
            for index in moves {
                let to = space.moves[index];
                let after = (!space.is_finished(to.local)).then_some(to.local);
                configs.entry((to.global, after)).or_insert(Some((position, source, index)));
            }
        }
        position += 1;
    }
    SerialFault::Never
}

/// The steps to a configuration.
fn trail(space: &Space, configs: &IndexMap<Config, Option<(usize, LocalId, usize)>, FxBuildHasher>, to: usize) -> Trail {
    let mut trail = Vec::new();
    let mut at = to;
    while let Some((_, &Some((before, from, step)))) = configs.get_index(at) {
        let from_global = configs.get_index(before).map_or(space.initial_global(), |(config, _)| config.0);
        trail.push(TrailStep { thread: 0, from, from_global, step });
        at = before;
    }
    trail.reverse();
    let mut thread = 0;
    for step in &mut trail {
        step.thread = thread;
        thread += usize::from(space.is_finished(space.moves[step.step].local));
    }
    trail
}
