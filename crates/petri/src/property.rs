//! What is asked about a net.
//!
//! Every property is decided by whether markings of some *goals* can be reached. Quasi-liveness has a goal for each
//! transition, and a net without dead places one for each place: different goals may need different runs.

use crate::formula::enough;
use crate::{Constraint, Formula, Linear, Marking, Net};

/// A property of a net with its initial marking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    /// Every reachable marking enables some transition.
    DeadlockFree,
    /// No place ever has more than so many tokens.
    Safe(u64),
    /// Each transition is enabled in some reachable marking.
    QuasiLive,
    /// Each place is marked in some reachable marking.
    NoDeadPlaces,
    /// All reachable markings are in the formula.
    Invariant(Formula),
    /// Some reachable marking is in the formula.
    Reachable(Formula),
    /// This marking can be reached.
    Reaches(Marking),
}

/// How the goals decide a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decides {
    /// It holds iff every goal can be reached.
    IfReachable,
    /// It holds iff no goal can be reached.
    UnlessReachable,
}

impl Property {
    /// The name on the command line, without what comes after the colon.
    pub fn name(&self) -> &'static str {
        match self {
            Self::DeadlockFree => "deadlock-free",
            Self::Safe(1) => "one-safe",
            Self::Safe(_) => "safe",
            Self::QuasiLive => "quasi-live",
            Self::NoDeadPlaces => "no-dead-places",
            Self::Invariant(_) => "invariant",
            Self::Reachable(_) => "reachable",
            Self::Reaches(_) => "reaches",
        }
    }

    /// How its goals decide it.
    pub fn decides(&self) -> Decides {
        match self {
            Self::DeadlockFree | Self::Safe(_) | Self::Invariant(_) => Decides::UnlessReachable,
            Self::QuasiLive | Self::NoDeadPlaces | Self::Reachable(_) | Self::Reaches(_) => Decides::IfReachable,
        }
    }

    /// Its goals; for quasi-liveness one for each transition, for dead places one for each place, in order, and else one.
    /// `None` where a number does not fit 64 bits, or the formula has no opposite.
    pub fn goals(&self, net: &Net) -> Option<Vec<Formula>> {
        let zero = |linear: Option<Linear>| linear.map(|linear| Formula::constraint(Constraint::Zero(linear)));
        match self {
            Self::DeadlockFree => Some(vec![Formula::deadlock(net)?]),
            Self::Safe(most) => {
                let more = most.checked_add(1)?;
                let places = net.places().map(|place| enough((place, more), false).map(Formula::constraint));
                Some(vec![Formula::any(places.collect::<Option<Vec<_>>>()?)])
            }
            Self::QuasiLive => net.transitions().map(|transition| Formula::fireable(net, transition)).collect(),
            Self::NoDeadPlaces => net.places().map(|place| enough((place, 1), false).map(Formula::constraint)).collect(),
            Self::Invariant(formula) => Some(vec![formula.negated()?]),
            Self::Reachable(formula) => Some(vec![formula.clone()]),
            Self::Reaches(marking) => {
                let places = net.places().map(|place| zero(Linear::from_wide([(place, 1)], -i128::from(marking.tokens(place)))));
                Some(vec![Formula::all(places.collect::<Option<Vec<_>>>()?)])
            }
        }
    }
}
