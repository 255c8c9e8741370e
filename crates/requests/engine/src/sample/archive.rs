//! First return, then explore (Ecoffet, Huizinga, Lehman, Stanley, Clune 2021): runs that have come to where no other
//! one has been.
//!
//! A *cell* is a global state and what is in flight, each local state counted up to two. The first run that comes to a
//! cell is kept there, and a later run goes on from a cell that few runs have been in. Two different cells may have the
//! same number, which costs one of them its run and nothing else. Where a serial run is not known with the same answers
//! piece by piece nothing is kept, because all that follows would have to be looked at as a whole.

use std::hash::{Hash, Hasher};

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHasher};
use serval_model::{GlobalId, SplitMix64};

use super::play::{Flying, Play};

/// Cells, and acts of a run, that are kept at most.
const CELLS: usize = 1 << 12;
const ACTS: usize = 600;
/// Cells of which the least visited one is taken.
const AMONG: usize = 4;

/// A run in a cell.
#[derive(Clone)]
pub(super) struct Kept {
    pub(super) play: Play,
    /// Where a serial run with the answers before `explained` ends.
    pub(super) serial: GlobalId,
    pub(super) explained: usize,
}

/// The cells.
#[derive(Default)]
pub(super) struct Archive {
    cells: IndexMap<u64, (u64, Kept), FxBuildHasher>,
}

impl Archive {
    /// A run to go on from, the least visited among a few.
    pub(super) fn draw(&mut self, random: &mut SplitMix64) -> Option<Kept> {
        let drawn: Vec<usize> = (0..AMONG).map(|_| random.index(self.cells.len())).collect();
        let least = drawn.into_iter().min_by_key(|&at| self.cells.get_index(at).map_or(u64::MAX, |(_, cell)| cell.0))?;
        let (_, cell) = self.cells.get_index_mut(least)?;
        cell.0 += 1;
        Some(cell.1.clone())
    }

    /// Keeps a run, if it is the first one here; the number of requests that were copied.
    pub(super) fn keep(&mut self, play: &Play, serial: GlobalId, explained: usize) -> u64 {
        if play.acts.len() > ACTS {
            return 0;
        }
        let number = cell(play.global, &play.flight);
        let (is_full, count) = (self.cells.len() >= CELLS, play.acts.len() as u64);
        match self.cells.entry(number) {
            indexmap::map::Entry::Occupied(mut known) => {
                known.get_mut().0 += 1;
                0
            }
            indexmap::map::Entry::Vacant(_) if is_full => 0,
            indexmap::map::Entry::Vacant(new) => {
                new.insert((0, Kept { play: play.clone(), serial, explained }));
                1 + count
            }
        }
    }
}

/// The number of a cell.
fn cell(global: GlobalId, flight: &[Flying]) -> u64 {
    let mut places: Vec<_> = flight.iter().map(|flying| (flying.request, flying.local)).collect();
    places.sort_unstable();
    let mut hasher = FxHasher::default();
    global.hash(&mut hasher);
    for same in places.chunk_by(|one, other| one == other) {
        (same[0], same.len().min(2)).hash(&mut hasher);
    }
    hasher.finish()
}
