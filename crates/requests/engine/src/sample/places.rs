//! Global states that serial runs lead to, and a short serial run to each.
//!
//! Where a quota is used up, a ring is full or a number is about to come round, two or three requests that overlap are
//! often all that is missing. The requests that lead there need not overlap, so they do not: the state is a *place*,
//! and what is drawn anew each time is only who overlaps there. Places are met on walks of whole requests. Each walk
//! begins at a place that few have begun at, and each place remembers a request that leads to it from a place with
//! fewer requests before it; where a walk comes to a known place with fewer, it remembers that one instead.
//!
//! The number of requests before a place is more than that before the one it comes from, always: it is set to one more,
//! and afterwards each only becomes less together with where it comes from, or because the other has become less. So
//! the way back ends where everything begins.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serval_budget::Budget;
use serval_model::{GlobalId, Moves, RequestId, SplitMix64};

use super::play::{Act, Play, PlayEnd, World};
use super::schedule::STEPS_WHOLE;

/// Places that are kept at most.
const PLACES: usize = 1 << 15;
/// Places of which the least visited one is taken.
const AMONG: usize = 4;
/// Acts of a request that leads to a place.
const ACTS: usize = 200;

/// A place.
struct Place {
    /// Where it comes from, by its number, and what the request does in between.
    from: usize,
    acts: Box<[Act]>,
    /// Requests before it, at most.
    before: usize,
    visits: u64,
}

/// The places, by their global states.
pub(super) struct KnownPlaces {
    known: IndexMap<GlobalId, Place, FxBuildHasher>,
}

impl KnownPlaces {
    /// The place where everything begins.
    pub(super) fn new(initial: GlobalId) -> Self {
        let first = Place { from: 0, acts: Box::default(), before: 0, visits: 0 };
        Self { known: IndexMap::from_iter([(initial, first)]) }
    }

    /// A place that few walks have begun at.
    pub(super) fn draw(&mut self, random: &mut SplitMix64) -> usize {
        let visits = |at: usize| self.known.get_index(at).map_or(u64::MAX, |(_, place)| place.visits);
        let drawn: Vec<usize> = (0..AMONG).map(|_| random.index(self.known.len())).collect();
        let least = drawn.into_iter().min_by_key(|&at| visits(at)).unwrap_or(0);
        if let Some((_, place)) = self.known.get_index_mut(least) {
            place.visits += 1;
        }
        least
    }

    /// Where a request of this kind leads from a place, if it runs whole.
    pub(super) fn whole<M: Moves>(
        &mut self,
        world: &mut World<M>,
        from: usize,
        kind: RequestId,
        budget: &mut Budget,
    ) -> Result<Option<usize>, PlayEnd<M::Stop>> {
        let Some((&global, place)) = self.known.get_index(from) else { return Ok(None) };
        let (mut play, before) = (Play::new(global), place.before + 1);
        if !world.come(&mut play, kind, None, budget)? {
            return Ok(None);
        }
        for _ in 0..STEPS_WHOLE.min(ACTS) {
            if play.flight.is_empty() || !world.act(&mut play, 0, None, budget)? {
                break;
            }
        }
        Ok(if play.flight.is_empty() { self.reached(from, before, play) } else { None })
    }

    /// Remembers where a request has led from a place.
    fn reached(&mut self, from: usize, before: usize, play: Play) -> Option<usize> {
        let is_full = self.known.len() >= PLACES;
        let place = |visits| Place { from, acts: play.acts.into_boxed_slice(), before, visits };
        match self.known.entry(play.global) {
            indexmap::map::Entry::Occupied(mut known) => {
                if known.get().before > before {
                    let visits = known.get().visits;
                    known.insert(place(visits));
                }
                Some(known.index())
            }
            indexmap::map::Entry::Vacant(_) if is_full => None,
            indexmap::map::Entry::Vacant(new) => {
                let at = new.index();
                new.insert(place(0));
                Some(at)
            }
        }
    }

    /// The serial run to a place.
    pub(super) fn play(&self, to: usize) -> Option<Play> {
        let (mut way, mut at) = (Vec::new(), to);
        while at != 0 {
            let (_, place) = self.known.get_index(at)?;
            way.push(&place.acts);
            at = place.from;
        }
        let (&initial, &global) = (self.known.get_index(0)?.0, self.known.get_index(to)?.0);
        let mut play = Play::new(initial);
        for acts in way.into_iter().rev() {
            let thread = play.threads;
            play.threads += 1;
            for act in acts {
                play.acts.push(Act { thread, ..*act });
                play.answers.extend(act.choice.answer.map(|response| (act.request, response)));
            }
        }
        play.global = global;
        Some(play)
    }
}
