//! Questions at random.

use serval_model::SplitMix64;
use serval_petri::{Formula, Marking, Net, Property};
use serval_random::reach::{chain, counters, net, pairs, target};

/// What a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 2 to 5 places, weights to 3.
    Net,
    /// 2 or 3 states, 1 to 3 counters.
    Counters,
    /// Modes one after the other whose counters must end at a number, most of them at 0.
    Chain,
    /// Loops that add a vector and take it away again.
    Pairs,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Net, Self::Counters, Self::Chain, Self::Pairs];

    /// One after the other.
    pub fn of(number: u64) -> Self {
        match number % 4 {
            0 => Self::Net,
            1 => Self::Counters,
            2 => Self::Chain,
            _ => Self::Pairs,
        }
    }

    /// What they are called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Net => "nets",
            Self::Counters => "counter systems",
            Self::Chain => "chains of modes",
            Self::Pairs => "pairs of loops",
        }
    }
}

/// A net and a marking.
#[derive(Clone, Debug)]
pub struct Case {
    /// Where it comes from.
    pub told: String,
    /// The net.
    pub net: Net,
    /// The tokens by place.
    pub target: Vec<u64>,
    /// That it is reached.
    pub goal: Formula,
}

/// That a marking is reached, as a goal. Its numbers must be small.
pub fn goal_of(net: &Net, target: &[u64]) -> Formula {
    let goals = Property::Reaches(Marking::new(target.to_vec())).goals(net).and_then(|mut goals| goals.pop());
    goals.unwrap_or_else(|| unreachable!("numbers are small"))
}

/// The question with this number.
pub fn case(kind: Kind, seed: u64, number: u64) -> Case {
    let draw = &mut SplitMix64::new(seed.wrapping_mul(1_000_003).wrapping_add(number));
    let (net, target) = match kind {
        Kind::Chain => chain(draw),
        Kind::Pairs => pairs(draw),
        Kind::Net | Kind::Counters => {
            let net = if kind == Kind::Net { net(draw) } else { counters(draw) };
            let target = target(draw, &net);
            (net, target)
        }
    };
    Case { told: format!("{} {number} of seed {seed}", kind.name()), goal: goal_of(&net, &target), net, target }
}
