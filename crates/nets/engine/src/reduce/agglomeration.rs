//! What gives to a place fires together with what takes from it.

use serval_net_proof::LeftOut;
use serval_petri::{Arc, Formula, Net, PlaceId, TransitionId, weight};

use super::rules::{asked, is_deadlock};

/// What gives to a place, and what takes from it.
#[derive(Clone, Default)]
struct AroundPlace {
    givers: Vec<TransitionId>,
    takers: Vec<TransitionId>,
}

fn around(net: &Net) -> Vec<AroundPlace> {
    let mut around = vec![AroundPlace::default(); net.place_count()];
    for transition in net.transitions() {
        net.outputs(transition).iter().for_each(|arc| around[arc.0.index()].givers.push(transition));
        net.inputs(transition).iter().for_each(|arc| around[arc.0.index()].takers.push(transition));
    }
    around
}

impl AroundPlace {
    /// Whether both rules may leave out the place, and there are no more transitions then.
    fn is_plain(&self, net: &Net, place: PlaceId) -> bool {
        let Self { givers, takers } = self;
        let gives_one = |&giver: &TransitionId| weight(net.outputs(giver), place) == 1 && weight(net.inputs(giver), place) == 0;
        !givers.is_empty()
            && !takers.is_empty()
            && givers.len().saturating_mul(takers.len()) <= givers.len().saturating_add(takers.len())
            && net.initial_tokens(place) == 0
            && givers.iter().all(gives_one)
            && takers.iter().all(|&taker| weight(net.inputs(taker), place) == 1)
    }
}

/// The places, none of which the same transition touches as one before, of which this is so.
fn apart(net: &Net, around: &[AroundPlace], is_so: impl Fn(PlaceId, &AroundPlace) -> bool) -> Vec<u32> {
    let mut is_taken = vec![false; net.transition_count()];
    let mut found = Vec::new();
    for (place, one) in net.places().zip(around) {
        let mut touching = one.givers.iter().chain(&one.takers);
        if touching.clone().any(|transition| is_taken[transition.index()]) || !one.is_plain(net, place) || !is_so(place, one) {
            continue;
        }
        touching.by_ref().for_each(|transition| is_taken[transition.index()] = true);
        found.extend(u32::try_from(place.index()));
    }
    found
}

/// By place whether the goal speaks of it, where it is not that nothing can fire.
fn spoken_of(net: &Net, goal: &Formula) -> (bool, Vec<bool>) {
    let is_deadlock = is_deadlock(net, goal);
    (is_deadlock, if is_deadlock { vec![false; net.place_count()] } else { asked(net, goal) })
}

fn only(arcs: &[Arc], place: PlaceId) -> bool {
    arcs.iter().all(|arc| arc.0 == place)
}

pub(super) fn post(net: &Net, goal: &Formula) -> Option<LeftOut> {
    let (_, asked) = spoken_of(net, goal);
    let found = apart(net, &around(net), |place, AroundPlace { takers, .. }| {
        let is_silent = |taker: &TransitionId| !net.outputs(*taker).iter().any(|arc| asked[arc.0.index()]);
        !asked[place.index()] && takers.iter().all(|&taker| only(net.inputs(taker), place)) && takers.iter().any(is_silent)
    });
    (!found.is_empty()).then_some(LeftOut::Post(found))
}

pub(super) fn pre(net: &Net, goal: &Formula) -> Option<LeftOut> {
    let (is_deadlock, asked) = spoken_of(net, goal);
    let around = around(net);
    let found = apart(net, &around, |place, AroundPlace { givers, .. }| {
        let needed = || givers.iter().flat_map(|&giver| net.inputs(giver)).map(|arc| arc.0.index());
        let is_shared = |needed: usize| around[needed].takers.iter().any(|taker| givers.binary_search(taker).is_err());
        !asked[place.index()]
            && givers.iter().all(|&giver| only(net.outputs(giver), place))
            && !needed().any(|needed| asked[needed])
            // Givers that need nothing can always fire, and others may need what they need.
            && (!is_deadlock || (!givers.iter().any(|&giver| net.inputs(giver).is_empty()) && !needed().any(is_shared)))
    });
    (!found.is_empty()).then_some(LeftOut::Pre(found))
}

/// What may still fire where nothing can in the net that is left.
pub(super) fn rest(net: &Net, goal: &Formula, entry: &LeftOut) -> Option<Vec<TransitionId>> {
    let LeftOut::Pre(places) = entry else { return None };
    let gives = |transition: &TransitionId| {
        net.outputs(*transition).iter().any(|arc| u32::try_from(arc.0.index()).is_ok_and(|place| places.binary_search(&place).is_ok()))
    };
    is_deadlock(net, goal).then(|| net.transitions().filter(gives).collect())
}
