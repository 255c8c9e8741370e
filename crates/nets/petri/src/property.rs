//! What is asked about a net.
//!
//! Every property is decided by whether markings of some *goals* can be reached. Quasi-liveness has a goal for each
//! transition, and a net without dead places one for each place: different goals may need different runs. A stable
//! marking has one for each place, too: that it has another number of tokens than in the beginning.
//!
//! Boundedness has no goals, as no single marking decides it; it is about places instead
//! ([`Property::bounded_places`]). Nor have liveness and reversibility: they ask whether some sets of markings can be
//! reached from *every* marking that can be reached ([`Property::homes`]). How large a sum of tokens can be is a
//! question for a number, or ω; that it is this number is a property with two goals, of which one can be reached and
//! the other cannot.

use crate::formula::enough;
use crate::words::{self, Most, Unknown, WordsError};
use crate::{Constraint, Formula, Linear, Marking, Net, PlaceId};

/// A property of a net with its initial marking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    /// Every reachable marking enables some transition.
    DeadlockFree,
    /// No place ever has more than this number of tokens.
    Safe(u64),
    /// Each transition is enabled in some reachable marking.
    QuasiLive,
    /// Each place is marked in some reachable marking.
    NoDeadPlaces,
    /// Some place has the same number of tokens in all reachable markings.
    StableMarking,
    /// From every reachable marking each transition can be enabled again.
    Live,
    /// From every reachable marking the initial one can be reached again.
    Reversible,
    /// All reachable markings are in the formula.
    Invariant(Formula),
    /// Some reachable marking is in the formula.
    Reachable(Formula),
    /// This marking can be reached.
    Reaches(Marking),
    /// Some reachable marking is in the formula, which is upward closed.
    Coverable(Formula),
    /// These places, or all, have a largest number of tokens each.
    Bounded(Option<Vec<PlaceId>>),
    /// The largest value of a sum of places is this; without a value it is what is asked for.
    Bound(Linear, Option<Most>),
}

/// How the goals decide a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decides {
    /// It holds iff every goal can be reached.
    IfReachable,
    /// It holds iff no goal can be reached.
    UnlessReachable,
    /// It holds iff some goal cannot be reached.
    UnlessAllReachable,
    /// It holds iff the first of two goals can be reached, and the second cannot.
    IfFirst,
    /// It holds iff each of some sets of markings can be reached from every reachable marking.
    IfHome,
}

impl Property {
    /// The names of all properties; those with something behind a colon have it here.
    pub const NAMES: &[&str] = &[
        "deadlock-free",
        "one-safe",
        "safe:K",
        "quasi-live",
        "no-dead-places",
        "stable-marking",
        "live",
        "reversible",
        "invariant:FORMULA",
        "reachable:FORMULA",
        "reaches:MARKING",
        "coverable:MARKING",
        "bounded",
        "bounded:SUM",
        "bound:SUM",
    ];

    /// The property as it stands on the command line. What is read from that text is this property up to how its
    /// formula is written down ([`words::text`]); `None` where there are no words for the formula.
    ///
    /// ```
    /// use serval_petri::{Net, Property};
    /// let mut net = Net::new("a lock");
    /// net.add_place("my place", 1).unwrap();
    /// let property = Property::parse("invariant: not \"my place\" > 3", &net).unwrap();
    /// assert_eq!(property.text(&net).unwrap(), "invariant:\"my place\" <= 3");
    /// assert_eq!(Property::parse("safe:1", &net).unwrap().text(&net).unwrap(), "one-safe");
    /// ```
    pub fn text(&self, net: &Net) -> Option<String> {
        let name = self.name();
        Some(match self {
            Self::DeadlockFree | Self::Safe(1) | Self::QuasiLive | Self::NoDeadPlaces => name.to_owned(),
            Self::StableMarking | Self::Live | Self::Reversible | Self::Bounded(None) => name.to_owned(),
            Self::Safe(most) => format!("{name}:{most}"),
            Self::Bounded(Some(places)) => {
                let names: Vec<String> = places.iter().map(|&place| words::quoted(net.place_name(place))).collect();
                format!("{name}:{}", names.join(" + "))
            }
            Self::Bound(sum, most) => {
                let is = most.map_or_else(String::new, |most| format!(" = {most}"));
                format!("{name}:{}{is}", words::sum_text(sum, net))
            }
            Self::Invariant(formula) | Self::Reachable(formula) | Self::Coverable(formula) => {
                format!("{name}:{}", words::text(formula, net)?)
            }
            Self::Reaches(marking) => format!("{name}:{}", words::marking_text(marking, net)),
        })
    }

    /// Reads a property of a net as it stands on the command line. A marking that leaves places free is a formula:
    /// `reaches:a=2, *` is `reachable:a = 2`.
    pub fn parse(text: &str, net: &Net) -> Result<Self, WordsError> {
        let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let fail = |(start, end): (usize, usize), message: String, unknown| WordsError { start, end, message, unknown };
        let within = |error: WordsError| WordsError { start: error.start + name.len() + 1, end: error.end + name.len() + 1, ..error };
        let property = match (name.trim(), rest) {
            ("deadlock-free", None) => Self::DeadlockFree,
            ("one-safe", None) => Self::Safe(1),
            ("quasi-live", None) => Self::QuasiLive,
            ("no-dead-places", None) => Self::NoDeadPlaces,
            ("stable-marking", None) => Self::StableMarking,
            ("live", None) => Self::Live,
            ("reversible", None) => Self::Reversible,
            ("safe", Some(number)) => match number.trim().parse() {
                Ok(most) if number.trim().bytes().all(|byte| byte.is_ascii_digit()) => Self::Safe(most),
                _ => return Err(fail((name.len() + 1, text.len()), "after “safe:” comes a number of 64 bits".to_owned(), None)),
            },
            ("invariant", Some(rest)) => Self::Invariant(words::formula(rest, net).map_err(within)?),
            ("reachable", Some(rest)) => Self::Reachable(words::formula(rest, net).map_err(within)?),
            ("reaches", Some(rest)) => match words::partial_marking(rest, net).map_err(within)? {
                (tokens, None) => Self::Reaches(Marking::new(tokens.into_iter().map(Option::unwrap_or_default).collect())),
                // With places that are free it is a formula.
                (_, Some(_)) => Self::Reachable(words::target(rest, net).map_err(within)?),
            },
            ("coverable", Some(rest)) => Self::Coverable(covered(rest, net).map_err(within)?),
            ("bounded", None) => Self::Bounded(None),
            ("bounded", Some(rest)) => Self::Bounded(Some(words::places(rest, net).map_err(within)?)),
            ("bound", Some(rest)) => {
                let (sum, most) = words::bound(rest, net).map_err(within)?;
                Self::Bound(sum, most)
            }
            ("deadlock-free" | "one-safe" | "quasi-live" | "no-dead-places" | "stable-marking" | "live" | "reversible", Some(_)) => {
                return Err(fail((name.len(), text.len()), format!("nothing comes after “{}”", name.trim()), None));
            }
            ("safe" | "invariant" | "reachable" | "reaches" | "coverable" | "bound", None) => {
                let name = name.trim();
                let what = Self::NAMES.iter().find(|one| one.strip_prefix(name).is_some_and(|rest| rest.starts_with(':'))).unwrap_or(&name);
                return Err(fail((0, text.len()), format!("“{name}” needs something behind a colon: {what}"), None));
            }
            (unknown, _) => {
                let message = format!("there is no property “{unknown}”; there are {}", Self::NAMES.join(", "));
                return Err(fail((0, name.len()), message, Some(Unknown::Property(unknown.to_owned()))));
            }
        };
        Ok(property)
    }

    /// The name on the command line, without what comes after the colon.
    pub fn name(&self) -> &'static str {
        match self {
            Self::DeadlockFree => "deadlock-free",
            Self::Safe(1) => "one-safe",
            Self::Safe(_) => "safe",
            Self::QuasiLive => "quasi-live",
            Self::NoDeadPlaces => "no-dead-places",
            Self::StableMarking => "stable-marking",
            Self::Live => "live",
            Self::Reversible => "reversible",
            Self::Invariant(_) => "invariant",
            Self::Reachable(_) => "reachable",
            Self::Reaches(_) => "reaches",
            Self::Coverable(_) => "coverable",
            Self::Bounded(_) => "bounded",
            Self::Bound(..) => "bound",
        }
    }

    /// How its goals decide it.
    pub fn decides(&self) -> Decides {
        match self {
            Self::DeadlockFree | Self::Safe(_) | Self::Invariant(_) | Self::Bounded(_) => Decides::UnlessReachable,
            Self::QuasiLive | Self::NoDeadPlaces | Self::Reachable(_) | Self::Reaches(_) | Self::Coverable(_) => Decides::IfReachable,
            Self::StableMarking => Decides::UnlessAllReachable,
            Self::Live | Self::Reversible => Decides::IfHome,
            Self::Bound(..) => Decides::IfFirst,
        }
    }

    /// Its goals; for quasi-liveness one for each transition, for dead places and a stable marking one for each place,
    /// in order, for a largest value that it can be this and that it can be more, and else one. `None` where a number
    /// does not fit 64 bits, or the formula has no opposite, or no marking decides it (boundedness, a largest value
    /// that is asked for or ω, liveness and reversibility).
    pub fn goals(&self, net: &Net) -> Option<Vec<Formula>> {
        match self {
            Self::DeadlockFree => Some(vec![Formula::deadlock(net)?]),
            Self::Safe(most) => {
                let more = most.checked_add(1)?;
                let places = net.places().map(|place| enough((place, more), false).map(Formula::constraint));
                Some(vec![Formula::any(places.collect::<Option<Vec<_>>>()?)])
            }
            Self::QuasiLive => net.transitions().map(|transition| Formula::fireable(net, transition)).collect(),
            Self::NoDeadPlaces => net.places().map(|place| enough((place, 1), false).map(Formula::constraint)).collect(),
            Self::StableMarking => net.places().map(|place| changed(net, place)).collect(),
            Self::Invariant(formula) => Some(vec![formula.negated()?]),
            Self::Reachable(formula) | Self::Coverable(formula) => Some(vec![formula.clone()]),
            Self::Bound(sum, Some(Most::Number(most))) => Some(vec![at_least(sum, *most)?, at_least(sum, most.checked_add(1)?)?]),
            Self::Bounded(_) | Self::Bound(..) | Self::Live | Self::Reversible => None,
            Self::Reaches(marking) => Some(vec![exactly(net, marking)?]),
        }
    }

    /// The sets of markings of which it is asked whether each can be reached from every reachable marking, where that
    /// is what decides it: for liveness the markings that enable a transition, for each one in order, and for
    /// reversibility the initial marking alone. `None` for other properties, and where a number does not fit.
    pub fn homes(&self, net: &Net) -> Option<Vec<Formula>> {
        match self {
            Self::Live => net.transitions().map(|transition| Formula::fireable(net, transition)).collect(),
            Self::Reversible => Some(vec![exactly(net, &net.initial())?]),
            _ => None,
        }
    }

    /// The places of which it is asked whether they are bounded, where that is what decides it: they are if boundedness
    /// holds, and are not if a largest value is ω.
    pub fn bounded_places(&self, net: &Net) -> Option<Vec<PlaceId>> {
        match self {
            Self::Bounded(places) => Some(places.clone().unwrap_or_else(|| net.places().collect())),
            Self::Bound(sum, None | Some(Most::Omega)) => Some(sum.terms().iter().map(|term| term.0).collect()),
            _ => None,
        }
    }
}

/// That a sum of places is at least so large.
pub fn at_least(sum: &Linear, least: u64) -> Option<Formula> {
    let terms = sum.terms().iter().map(|&(place, factor)| (place, i128::from(factor)));
    let linear = Linear::from_wide(terms, i128::from(sum.constant()).checked_sub(i128::from(least))?)?;
    Some(Formula::constraint(Constraint::AtLeastZero(linear)))
}

/// That this is the marking.
fn exactly(net: &Net, marking: &Marking) -> Option<Formula> {
    let place = |place: PlaceId| {
        let linear = Linear::from_wide([(place, 1)], -i128::from(marking.tokens(place)))?;
        Some(Formula::constraint(Constraint::Zero(linear)))
    };
    Some(Formula::all(net.places().map(place).collect::<Option<Vec<_>>>()?))
}

/// That a place has another number of tokens than in the beginning.
fn changed(net: &Net, place: PlaceId) -> Option<Formula> {
    let initial = net.initial_tokens(place);
    let more = enough((place, initial.checked_add(1)?), false).map(Formula::constraint)?;
    // No place has fewer than 0.
    let fewer = if initial > 0 { vec![enough((place, initial), true).map(Formula::constraint)?] } else { Vec::new() };
    Some(Formula::any([more].into_iter().chain(fewer)))
}

/// What is to be covered: a marking, or a formula that is upward closed.
fn covered(text: &str, net: &Net) -> Result<Formula, WordsError> {
    let fail = |message: String| WordsError { start: 0, end: text.len(), message, unknown: None };
    if let Ok(marking) = words::marking(text, net) {
        let places = marking.marked().map(|arc| enough(arc, false).map(Formula::constraint)).collect::<Option<Vec<_>>>();
        return places.map(Formula::all).ok_or_else(|| fail("a number does not fit 63 bits".to_owned()));
    }
    let formula = words::formula(text, net)?;
    match formula.not_upward() {
        None => Ok(formula),
        Some(constraint) => {
            let atom = words::text(&Formula::constraint(constraint.clone()), net).unwrap_or_default();
            Err(fail(format!("“{atom}” can end when tokens are added, so that covering does not mean it; ask reachable:FORMULA instead")))
        }
    }
}
