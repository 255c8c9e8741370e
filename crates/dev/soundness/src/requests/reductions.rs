//! The reduction rules against brute force.
//!
//! Random systems ([`Generator`]) are reduced by each rule alone, by each rule
//! after a few others, by all rules, and by entries that are drawn at random but
//! the checker accepts ([`offers`]). Each result has to have the completed
//! multisets of the system that it came from, interleaved and serial, as far
//! as trying everything goes ([`trial()`]); and, where the rules keep them, the
//! same global states at the ends of runs ([`endings`]). Beside these there are
//! systems made so that their movers lose answers if a condition is missing
//! ([`hunts`]). The figures are counted in a [`Tally`].

pub mod chase;
pub mod endings;
pub mod hunts;
pub mod movers;
pub mod offers;
pub mod tally;
pub mod trial;

pub use hunts::try_hunts;
pub use tally::{Hunts, Tally, TallyRow};
pub use trial::{Difference, Effort, trial};

use serval_model::{NetworkSystem, SplitMix64};
use serval_proof::script::Side;

use crate::requests::systems::{Generator, shrink};

/// A system that shows that something is wrong.
#[derive(Clone, Debug)]
pub struct ReductionFailure {
    /// Where it came from; `None`: from a search for movers that lose answers.
    pub generator: Option<Generator>,
    /// Its number.
    pub number: u64,
    /// The smallest system of its kind that was found.
    pub system: NetworkSystem,
    /// What is wrong with it.
    pub difference: Difference,
}

impl ReductionFailure {
    /// Where it came from, in a word.
    pub fn source(&self) -> &'static str {
        self.generator.map_or("chased", Generator::name)
    }
}

/// Tries the systems of these numbers. Stops at the first difference.
pub fn try_systems(numbers: impl IntoIterator<Item = u64>, seed: u64, effort: Effort) -> Result<Tally, Box<ReductionFailure>> {
    let mut tally = Tally::default();
    for number in numbers {
        let generator = Generator::of(number);
        for (part, system) in (0..).zip(generator.systems(seed, number)) {
            let random = SplitMix64::new(mixed(seed, number, part));
            if let Err(difference) = trial(&system, generator, random.clone(), effort, &mut tally) {
                let fails = |system: &NetworkSystem| trial(system, generator, random.clone(), effort, &mut Tally::default()).err();
                let (system, difference) = shrink(system, difference, fails);
                return Err(Box::new(ReductionFailure { generator: Some(generator), number, system, difference }));
            }
        }
    }
    Ok(tally)
}

/// Looks for movers that lose answers, on both sides, once for each number.
/// Stops at the first that it should not find.
pub fn try_chases(numbers: impl IntoIterator<Item = u64>, seed: u64, ticks: u64) -> Result<Tally, Box<ReductionFailure>> {
    let mut tally = Tally::default();
    for number in numbers {
        for side in [Side::Right, Side::Left] {
            try_hunts(mixed(seed, number, 0), side, ticks, tally.hunts(side)).map_err(|found| {
                let (chased, difference) = *found;
                ReductionFailure { generator: None, number, system: chased.system, difference }
            })?;
        }
    }
    Ok(tally)
}

/// A seed for one system.
fn mixed(seed: u64, number: u64, part: u64) -> u64 {
    SplitMix64::new(seed ^ SplitMix64::new(number ^ part.rotate_left(48)).next_u64()).next_u64()
}
