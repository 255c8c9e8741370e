//! Random runs, the same for the same seed on every machine.
//!
//! A simulation lets a given number of requests in. As long as something can
//! happen it draws one of the moves that are possible, each with the same
//! probability: one per step and per response of each request in flight, and
//! one for letting the next request in, while there are requests left. Which
//! request comes in is drawn evenly among the request names, then evenly
//! among the local states in which that request may start.
//!
//! ```
//! use serval_budget::Budget;
//! use serval_model::{NetworkSystem, Outcome, random_run};
//! let system = NetworkSystem::from_json(
//!     r#"{"initial_global": "G0", "requests": [["Req", "L0"]],
//!         "responses": [["L1", "Resp"]], "transitions": [["L0", "G0", "L1", "G1"]]}"#,
//! ).unwrap();
//! // Nothing leaves G1, so of two requests only one can finish.
//! let two = random_run(&system, 2, 7, 100, &mut Budget::unlimited());
//! assert_eq!(two.outcome, Outcome::Stuck);
//! assert_eq!(two.run.configuration().completed.size(), 1);
//! let one = random_run(&system, 1, 7, 100, &mut Budget::unlimited());
//! assert_eq!(one.outcome, Outcome::Complete);
//! assert_eq!(one.run.events().len(), 3);
//! ```

use std::convert::Infallible;

use serval_budget::{Budget, Stopped};

use crate::{Configuration, Fault, LocalId, Move, Moves, RequestId, Run, thread_moves};

/// The generator `SplitMix64` (Steele, Lea, Flood: Fast Splittable
/// Pseudorandom Number Generators, 2014): a counter in steps of the golden
/// ratio, scrambled. Not for secrets.
///
/// ```
/// use serval_model::SplitMix64;
/// let mut random = SplitMix64::new(1234567);
/// assert_eq!(random.next_u64(), 6457827717110365317);
/// assert_eq!(random.next_u64(), 3203168211198807973);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The generator for this seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next number, evenly among all 64-bit numbers.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, each with exactly the same probability; 0 when
    /// `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        // The largest multiple of `bound` that fits: numbers from there on
        // would favour small remainders, so they are drawn again. Fewer than
        // half of all numbers are.
        let bound = bound.max(1);
        let rest = (u64::MAX % bound + 1) % bound;
        let last_fair = u64::MAX - rest;
        loop {
            let number = self.next_u64();
            if number <= last_fair {
                return number % bound;
            }
        }
    }

    /// An index of something that has this length; 0 of what is empty.
    pub fn index(&mut self, length: usize) -> usize {
        // Whatever is below a length is one.
        usize::try_from(self.below(length as u64)).unwrap_or(0)
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of `items`, each with the same probability, or `None` of none.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        if items.is_empty() {
            return None;
        }
        items.get(self.index(items.len())).copied()
    }
}

/// How a simulation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome<S = Infallible> {
    /// All requests came in and answered.
    Complete,
    /// Requests are left, in flight or to come, and nothing can happen.
    Stuck,
    /// The step that was drawn would have been one too many.
    StepLimit,
    /// The budget ended the simulation.
    Stopped(Stopped),
    /// The system could not say how to go on: [`Moves::Stop`].
    System(S),
}

/// A random run, also where it was cut short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulated<S = Infallible> {
    /// What happened; [`Run::configuration`] is where it led.
    pub run: Run,
    /// How it ended.
    pub outcome: Outcome<S>,
}

/// Simulates `requests` requests, with at most `max_steps` steps in all.
/// Spawns and responses are not counted: there is at most one of each per
/// request.
///
/// `system` is a `&NetworkSystem`, or `&mut` anything else with [`Moves`].
pub fn random_run<M: Moves>(mut system: M, requests: usize, seed: u64, max_steps: usize, budget: &mut Budget) -> Simulated<M::Stop> {
    let mut random = SplitMix64::new(seed);
    let mut run = Run::new(system.initial_global());
    let (mut to_come, mut steps) = (requests, 0);
    let outcome = loop {
        let in_flight = run.configuration().in_flight.len();
        if to_come == 0 && in_flight == 0 {
            break Outcome::Complete;
        }
        // Listing the moves looks at every request in flight.
        if let Err(stopped) = budget.spend(1 + u64::try_from(in_flight).unwrap_or(u64::MAX - 1)) {
            break Outcome::Stopped(stopped);
        }
        let chosen = match draw_move(&mut system, run.configuration(), to_come > 0, &mut random) {
            Err(stop) => break Outcome::System(stop),
            Ok(None) => break Outcome::Stuck,
            Ok(Some(chosen)) => chosen,
        };
        match chosen {
            Move::Spawn { .. } => to_come -= 1,
            Move::Step { .. } if steps == max_steps => break Outcome::StepLimit,
            Move::Step { .. } => steps += 1,
            Move::Respond { .. } => {}
        }
        match run.perform(chosen) {
            Ok(_) => {}
            // Moves that were listed can be performed; what can run out is
            // the supply of numbers, and then no further request can come in.
            Err(fault) => {
                debug_assert_eq!(fault, Fault::NoNumberLeft);
                break Outcome::Stuck;
            }
        }
    };
    Simulated { run, outcome }
}

/// Draws what happens next, or `None` where nothing can: one of the moves of
/// the requests in flight or, if `may_spawn`, a spawn, all with the same
/// probability. Spawning counts as one move, however many starts there are.
///
/// A driver that runs several systems side by side lists their moves with
/// [`thread_moves`] and picks among all of them; it uses [`draw_spawn`] for
/// new requests.
pub fn draw_move<M: Moves>(
    mut system: M,
    configuration: &Configuration,
    may_spawn: bool,
    random: &mut SplitMix64,
) -> Result<Option<Move>, M::Stop> {
    let mut choices: Vec<Option<Move>> = thread_moves(&mut system, configuration)?.into_iter().map(Some).collect();
    if may_spawn && !system.starts().is_empty() {
        choices.push(None);
    }
    Ok(match random.pick(&choices) {
        Some(None) => draw_spawn(system.starts(), random),
        Some(chosen) => chosen,
        None => None,
    })
}

/// Draws a new request: its name evenly among the names in `starts`, then
/// where it starts evenly among its local states. `starts` is sorted.
pub fn draw_spawn(starts: &[(RequestId, LocalId)], random: &mut SplitMix64) -> Option<Move> {
    let groups: Vec<&[(RequestId, LocalId)]> = starts.chunk_by(|a, b| a.0 == b.0).collect();
    let group = random.pick(&groups)?;
    let (request, local) = random.pick(group)?;
    Some(Move::Spawn { request, local })
}
