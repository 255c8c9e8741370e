//! Random nets and targets, and trying everything.

use std::collections::HashMap;
use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::num::NonZeroU64;

use proptest::prelude::*;
use serval_petri::{Constraint, Linear, Marking, Net, PlaceId, Target, TransitionId};

use crate::nets::{Plan, arcs, named_net};

/// A net with these tokens, inputs and outputs; names count up.
pub(crate) fn net_of((tokens, transitions): Plan) -> Net {
    let names = (0..tokens.len()).map(|n| format!("p{n}")).collect::<Vec<_>>();
    let more = (0..transitions.len()).map(|n| format!("t{n}")).collect::<Vec<_>>();
    named_net("net".to_owned(), names, more, (tokens, transitions))
}

/// Few places, few tokens, and weights that are mostly 1.
pub(crate) fn small_net() -> impl Strategy<Value = Net> {
    let tokens = proptest::collection::vec(prop_oneof![1 => Just(0), 1 => 1..3u64], 1..7);
    let transition = (arcs(1..=2, 2), arcs(1..=2, 2));
    (tokens, proptest::collection::vec(transition, 2..9)).prop_map(net_of)
}

/// A target over `places` places, mostly about single places.
pub(crate) fn target(places: usize) -> impl Strategy<Value = Target> {
    let place = move || (0..places).prop_map(|index| PlaceId::try_from_index(index).unwrap());
    let zero = place().prop_map(|place| Constraint::Zero(Linear::variable(place)));
    let some = (place(), 1..3i64).prop_map(|(place, least)| Constraint::AtLeastZero(Linear::new([(place, 1)], -least).unwrap()));
    let linear = move || {
        let terms = proptest::collection::vec((place(), -3..=3i64), 0..4);
        (terms, -4..=4i64).prop_map(|(terms, constant)| Linear::new(terms, constant).unwrap())
    };
    let divisor = (1..5u64).prop_map(|divisor| NonZeroU64::new(divisor).unwrap());
    let constraint = prop_oneof![
        6 => zero,
        3 => some,
        2 => linear().prop_map(Constraint::AtLeastZero),
        1 => linear().prop_map(Constraint::Zero),
        1 => (divisor, linear()).prop_map(|(divisor, expression)| Constraint::NotDivisible { divisor, expression }),
    ];
    proptest::collection::vec(constraint, 0..6).prop_map(Target::new)
}

/// All markings that can be reached with at most `tokens` tokens on any place,
/// and how, or the first `markings` of them. Says whether that was all there is.
pub(crate) struct Explored {
    from: HashMap<Marking, Option<(Marking, TransitionId)>>,
    pub(crate) order: Vec<Marking>,
    pub(crate) is_complete: bool,
}

pub(crate) fn explore(net: &Net, tokens: u64, markings: usize) -> Explored {
    let initial = net.initial();
    let mut explored = Explored { from: HashMap::new(), order: vec![initial.clone()], is_complete: true };
    explored.from.insert(initial.clone(), None);
    let mut to_visit = VecDeque::from([initial]);
    while let Some(marking) = to_visit.pop_front() {
        for transition in net.transitions().filter(|&transition| net.is_enabled(&marking, transition)) {
            let mut next = marking.clone();
            net.fire(&mut next, transition).unwrap();
            if next.as_slice().iter().any(|&count| count > tokens) || explored.order.len() >= markings {
                explored.is_complete = false;
                continue;
            }
            if let Entry::Vacant(entry) = explored.from.entry(next.clone()) {
                entry.insert(Some((marking.clone(), transition)));
                explored.order.push(next.clone());
                to_visit.push_back(next);
            }
        }
    }
    explored
}

impl Explored {
    /// A sequence to the first marking that `is_meant`.
    pub(crate) fn way_to(&self, is_meant: impl Fn(&Marking) -> bool) -> Option<Vec<TransitionId>> {
        let mut marking = self.order.iter().find(|marking| is_meant(marking))?;
        let mut sequence = Vec::new();
        while let Some((before, transition)) = &self.from[marking] {
            sequence.push(*transition);
            marking = before;
        }
        sequence.reverse();
        Some(sequence)
    }
}
