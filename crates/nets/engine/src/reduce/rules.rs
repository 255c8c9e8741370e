//! Rules that leave out places and transitions as they are.

use std::collections::{BTreeMap, BTreeSet};

use serval_net_proof::{Dead, Evidence, ImplicitPlace, LeftOut, NeverFire};
use serval_petri::{Formula, Net, PlaceId, TransitionId, greatest_siphon, weight};

/// The numbers of some nodes.
pub(super) fn numbers<Id>(nodes: impl Iterator<Item = Id>, index: impl Fn(Id) -> usize) -> Option<Vec<u32>> {
    let numbers: Vec<u32> = nodes.map(|node| u32::try_from(index(node)).ok()).collect::<Option<_>>()?;
    (!numbers.is_empty()).then_some(numbers)
}

/// Whether the goal is that nothing can fire.
pub(super) fn is_deadlock(net: &Net, goal: &Formula) -> bool {
    Formula::deadlock(net).as_ref() == Some(goal)
}

/// By place whether the goal speaks of it.
pub(super) fn asked(net: &Net, goal: &Formula) -> Vec<bool> {
    let mut asked = vec![false; net.place_count()];
    for term in goal.constraints().flat_map(|constraint| constraint.expression().terms()) {
        asked[term.0.index()] = true;
    }
    asked
}

pub(super) fn dead_transitions(net: &Net, _: &Formula) -> Option<LeftOut> {
    let empty = net.places().map(|place| net.initial_tokens(place) == 0).collect();
    let inside = greatest_siphon(net, net.transitions(), empty);
    let is_dead = |transition: &TransitionId| net.inputs(*transition).iter().any(|arc| inside[arc.0.index()]);
    let transitions = numbers(net.transitions().filter(is_dead), TransitionId::index)?;
    let places = numbers(net.places().filter(|place| inside[place.index()]), PlaceId::index)?;
    Some(LeftOut::Dead(NeverFire { transitions, evidence: Box::new(Evidence::Dead(Dead { places })) }))
}

/// By place what a transition adds.
pub(super) fn effect(net: &Net, transition: TransitionId) -> Vec<(PlaceId, i128)> {
    let places: BTreeSet<PlaceId> = net.inputs(transition).iter().chain(net.outputs(transition)).map(|arc| arc.0).collect();
    let change = |place| i128::from(weight(net.outputs(transition), place)) - i128::from(weight(net.inputs(transition), place));
    places.into_iter().map(|place| (place, change(place))).filter(|one| one.1 != 0).collect()
}

pub(super) fn like_transitions(net: &Net, _: &Formula) -> Option<LeftOut> {
    let mut by_effect: BTreeMap<Vec<(PlaceId, i128)>, Vec<TransitionId>> = BTreeMap::new();
    for transition in net.transitions() {
        by_effect.entry(effect(net, transition)).or_default().push(transition);
    }
    let needs_no_more =
        |one: TransitionId, other: TransitionId| net.inputs(one).iter().all(|&(place, needed)| needed <= weight(net.inputs(other), place));
    let number = |transition: TransitionId| u32::try_from(transition.index()).ok();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for same in by_effect.values().filter(|same| same.len() > 1) {
        let mut kept: Vec<TransitionId> = Vec::new();
        for &transition in same {
            // One that needs no more, and of equal ones the first.
            let better = same.iter().copied().find(|&other| {
                let is_before = other.index() < transition.index();
                other != transition && needs_no_more(other, transition) && (is_before || !needs_no_more(transition, other))
            });
            if better.is_none() {
                kept.push(transition);
            }
        }
        for &transition in same.iter().filter(|transition| !kept.contains(transition)) {
            if let Some(&by) = kept.iter().find(|&&by| needs_no_more(by, transition)) {
                pairs.push((number(transition)?, number(by)?));
            }
        }
    }
    pairs.sort_unstable();
    (!pairs.is_empty()).then_some(LeftOut::Like(pairs))
}

pub(super) fn idle_transitions(net: &Net, goal: &Formula) -> Option<LeftOut> {
    if is_deadlock(net, goal) {
        return None;
    }
    numbers(net.transitions().filter(|&transition| effect(net, transition).is_empty()), TransitionId::index).map(LeftOut::Idle)
}

pub(super) fn sinks(net: &Net, goal: &Formula) -> Option<LeftOut> {
    let mut stays = asked(net, goal);
    net.transitions().flat_map(|transition| net.inputs(transition)).for_each(|arc| stays[arc.0.index()] = true);
    numbers(net.places().filter(|place| !stays[place.index()]), PlaceId::index).map(LeftOut::Places)
}

/// Places, each of which has at least so many tokens as another, or as are needed at all.
fn above(net: &Net, goal: &Formula, pairs: &[(PlaceId, Option<PlaceId>)]) -> Option<LeftOut> {
    if !is_deadlock(net, goal) {
        return numbers(pairs.iter().map(|pair| pair.0), PlaceId::index).map(LeftOut::Places);
    }
    let number = |place: PlaceId| u32::try_from(place.index()).ok();
    let implicit = |&(place, other): &(PlaceId, Option<PlaceId>)| -> Option<ImplicitPlace> {
        Some((number(place)?, 1, other.and_then(number).into_iter().map(|other| (other, 1)).collect()))
    };
    let places: Vec<ImplicitPlace> = pairs.iter().map(implicit).collect::<Option<_>>()?;
    (!places.is_empty()).then_some(LeftOut::Implicit(places))
}

pub(super) fn constant_places(net: &Net, goal: &Formula) -> Option<LeftOut> {
    let mut stays = if is_deadlock(net, goal) { vec![false; net.place_count()] } else { asked(net, goal) };
    for transition in net.transitions() {
        effect(net, transition).into_iter().for_each(|one| stays[one.0.index()] = true);
        let lacks = net.inputs(transition).iter().filter(|arc| net.initial_tokens(arc.0) < arc.1);
        lacks.for_each(|arc| stays[arc.0.index()] = true);
    }
    let constant: Vec<_> = net.places().filter(|place| !stays[place.index()]).map(|place| (place, None)).collect();
    above(net, goal, &constant)
}

pub(super) fn twins(net: &Net, goal: &Formula) -> Option<LeftOut> {
    let asked = if is_deadlock(net, goal) { vec![false; net.place_count()] } else { asked(net, goal) };
    let mut arcs: Vec<Vec<(usize, u64, bool)>> = vec![Vec::new(); net.place_count()];
    for transition in net.transitions() {
        for (side, is_output) in [(net.inputs(transition), false), (net.outputs(transition), true)] {
            side.iter().for_each(|&(place, weight)| arcs[place.index()].push((transition.index(), weight, is_output)));
        }
    }
    let mut alike: BTreeMap<&Vec<(usize, u64, bool)>, Vec<PlaceId>> = BTreeMap::new();
    net.places().for_each(|place| alike.entry(&arcs[place.index()]).or_default().push(place));
    let mut left_out: Vec<(PlaceId, Option<PlaceId>)> = Vec::new();
    for same in alike.into_values().filter(|same| same.len() > 1) {
        let least = same.iter().copied().min_by_key(|&place| (net.initial_tokens(place), !asked[place.index()], place));
        let others = same.into_iter().filter(|&place| Some(place) != least && !asked[place.index()]);
        left_out.extend(others.map(|place| (place, least)));
    }
    left_out.sort_unstable();
    above(net, goal, &left_out)
}

pub(super) fn irrelevant_places(net: &Net, goal: &Formula) -> Option<LeftOut> {
    let mut matters = asked(net, goal);
    let effects: Vec<Vec<(PlaceId, i128)>> = net.transitions().map(|transition| effect(net, transition)).collect();
    loop {
        let mut is_more = false;
        for (transition, effect) in net.transitions().zip(&effects) {
            if effect.iter().any(|one| matters[one.0.index()]) {
                for arc in net.inputs(transition) {
                    is_more |= !std::mem::replace(&mut matters[arc.0.index()], true);
                }
            }
        }
        if !is_more {
            break;
        }
    }
    numbers(net.places().filter(|place| !matters[place.index()]), PlaceId::index).map(LeftOut::Places)
}
