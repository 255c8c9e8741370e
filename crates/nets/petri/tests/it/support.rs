//! Random nets.

use proptest::prelude::*;
use proptest::sample::Index;
use serval_effort::Sweep;
use serval_petri::{Arc, Net, PlaceId};

/// How many cases a sweep has, as proptest counts them.
pub(crate) fn cases(sweep: Sweep) -> u32 {
    u32::try_from(sweep.count()).unwrap_or(u32::MAX)
}

/// The tokens, inputs and outputs of a net.
pub(crate) type Plan = (Vec<u64>, Vec<(Vec<(Index, u64)>, Vec<(Index, u64)>)>);

pub(crate) fn named_net(name: String, places: Vec<String>, names: Vec<String>, (tokens, transitions): Plan) -> Net {
    let mut net = Net::new(name);
    let places: Vec<PlaceId> = places.into_iter().zip(tokens).map(|(name, tokens)| net.add_place(name, tokens).unwrap()).collect();
    for (name, (inputs, outputs)) in names.into_iter().zip(transitions) {
        let arcs = |plan: Vec<(Index, u64)>| -> Vec<Arc> {
            if places.is_empty() { Vec::new() } else { plan.into_iter().map(|(index, weight)| (*index.get(&places), weight)).collect() }
        };
        net.add_transition(name, arcs(inputs), arcs(outputs)).unwrap();
    }
    net.check_invariants();
    net
}

pub(crate) fn arcs(weights: std::ops::RangeInclusive<u64>, count: usize) -> impl Strategy<Value = Vec<(Index, u64)>> {
    proptest::collection::vec((any::<Index>(), weights), 0..=count)
}
