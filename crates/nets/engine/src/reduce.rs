//! Structural reductions (Berthelot 1986): a smaller net for one goal.
//!
//! Why the goal is out of reach where it is so in the smaller net is said at the head of [`serval_net_proof::script`].
//! The rules here keep more than that, so that a run of the smaller net fires in the whole one, too:
//!
//! - *dead transitions*: an input place is in the greatest siphon that is empty in the beginning;
//! - *like transitions*: of those with the same effect one that needs no more stays;
//! - *idle transitions*: they change nothing;
//! - *sinks*: places from which no transition takes; the goal does not speak of them;
//! - *constant places*: no transition changes them, and they have enough for all;
//! - *twins*: of places with the same arcs that with the fewest tokens stays;
//! - *irrelevant places* (Rakow 2008): the goal does not speak of them, nor do they matter, over any number of
//!   transitions, for places of which it does. What changes only such places is idle then.
//!
//! They are tried in this order, from the first again as long as one of them leaves out something.

use std::collections::{BTreeMap, BTreeSet};

use serval_net_proof::{Dead, Evidence, Item, LeftOut, NeverFire, Script};
use serval_petri::{Formula, Net, PlaceId, TransitionId, greatest_siphon, weight};

/// A net from which something was left out, for a goal.
pub struct Reduced {
    /// What is left.
    pub net: Net,
    /// The goal in it.
    pub goal: Formula,
    /// What was left out, in order.
    pub entries: Vec<LeftOut>,
    /// By transition of what is left its number in the whole net.
    transitions: Vec<u32>,
}

/// A rule: what it leaves out of a net for a goal.
type ReductionRule = fn(&Net, &Formula) -> Option<LeftOut>;

/// The rules, each with its name, in the order in which they are tried.
pub const RULES: [(&str, ReductionRule); 7] = [
    ("dead", dead_transitions),
    ("like", like_transitions),
    ("idle", idle_transitions),
    ("sinks", sinks),
    ("constant", constant_places),
    ("twins", twins),
    ("irrelevant", irrelevant_places),
];

/// Reduces a net for a goal by all rules; nothing where none leaves out anything.
pub fn reduced(net: &Net, goal: &Formula) -> Option<Reduced> {
    reduced_by(net, goal, &RULES)
}

/// The same by some rules.
pub fn reduced_by(net: &Net, goal: &Formula, rules: &[(&str, ReductionRule)]) -> Option<Reduced> {
    let all = 0..u32::try_from(net.transition_count()).ok()?;
    let mut left = Reduced { net: net.clone(), goal: goal.clone(), entries: Vec::new(), transitions: all.collect() };
    while let Some(entry) = rules.iter().find_map(|rule| rule.1(&left.net, &left.goal)) {
        let (net, goal) = entry.applied(&left.net, &left.goal)?;
        let kept: BTreeSet<&str> = net.transitions().map(|transition| net.transition_name(transition)).collect();
        let names = left.net.transitions().map(|transition| left.net.transition_name(transition));
        let transitions = names.zip(&left.transitions).filter(|one| kept.contains(one.0)).map(|one| *one.1).collect();
        left = Reduced { net, goal, transitions, entries: std::mem::take(&mut left.entries) };
        left.entries.push(entry);
    }
    (!left.entries.is_empty()).then_some(left)
}

impl Reduced {
    /// Evidence about the whole net from evidence about what is left: a run fires the same transitions, and why the
    /// goal is out of reach has the script before it.
    pub fn lifted(&self, evidence: Evidence) -> Evidence {
        match evidence {
            Evidence::Run(mut run) => {
                let whole = |number: &mut u32| *number = self.transitions.get(*number as usize).copied().unwrap_or(u32::MAX);
                for item in &mut run.word {
                    match item {
                        Item::Fire(number) => whole(number),
                        Item::Repeat(_, word) => word.iter_mut().for_each(whole),
                    }
                }
                Evidence::Run(run)
            }
            other => Evidence::Script(Script { entries: self.entries.clone(), evidence: Box::new(other) }),
        }
    }
}

/// The numbers of some nodes.
fn numbers<Id>(nodes: impl Iterator<Item = Id>, index: impl Fn(Id) -> usize) -> Option<Vec<u32>> {
    let numbers: Vec<u32> = nodes.map(|node| u32::try_from(index(node)).ok()).collect::<Option<_>>()?;
    (!numbers.is_empty()).then_some(numbers)
}

/// By place whether the goal speaks of it.
fn asked(net: &Net, goal: &Formula) -> Vec<bool> {
    let mut asked = vec![false; net.place_count()];
    for term in goal.constraints().flat_map(|constraint| constraint.expression().terms()) {
        asked[term.0.index()] = true;
    }
    asked
}

fn dead_transitions(net: &Net, _: &Formula) -> Option<LeftOut> {
    let empty = net.places().map(|place| net.initial_tokens(place) == 0).collect();
    let inside = greatest_siphon(net, net.transitions(), empty);
    let is_dead = |transition: &TransitionId| net.inputs(*transition).iter().any(|arc| inside[arc.0.index()]);
    let transitions = numbers(net.transitions().filter(is_dead), TransitionId::index)?;
    let places = numbers(net.places().filter(|place| inside[place.index()]), PlaceId::index)?;
    Some(LeftOut::Dead(NeverFire { transitions, evidence: Box::new(Evidence::Dead(Dead { places })) }))
}

/// By place what a transition adds.
fn effect(net: &Net, transition: TransitionId) -> Vec<(PlaceId, i128)> {
    let places: BTreeSet<PlaceId> = net.inputs(transition).iter().chain(net.outputs(transition)).map(|arc| arc.0).collect();
    let change = |place| i128::from(weight(net.outputs(transition), place)) - i128::from(weight(net.inputs(transition), place));
    places.into_iter().map(|place| (place, change(place))).filter(|one| one.1 != 0).collect()
}

fn like_transitions(net: &Net, _: &Formula) -> Option<LeftOut> {
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

fn idle_transitions(net: &Net, _: &Formula) -> Option<LeftOut> {
    numbers(net.transitions().filter(|&transition| effect(net, transition).is_empty()), TransitionId::index).map(LeftOut::Idle)
}

fn sinks(net: &Net, goal: &Formula) -> Option<LeftOut> {
    let mut stays = asked(net, goal);
    net.transitions().flat_map(|transition| net.inputs(transition)).for_each(|arc| stays[arc.0.index()] = true);
    numbers(net.places().filter(|place| !stays[place.index()]), PlaceId::index).map(LeftOut::Places)
}

fn constant_places(net: &Net, goal: &Formula) -> Option<LeftOut> {
    let mut stays = asked(net, goal);
    for transition in net.transitions() {
        effect(net, transition).into_iter().for_each(|one| stays[one.0.index()] = true);
        let lacks = net.inputs(transition).iter().filter(|arc| net.initial_tokens(arc.0) < arc.1);
        lacks.for_each(|arc| stays[arc.0.index()] = true);
    }
    numbers(net.places().filter(|place| !stays[place.index()]), PlaceId::index).map(LeftOut::Places)
}

fn twins(net: &Net, goal: &Formula) -> Option<LeftOut> {
    let asked = asked(net, goal);
    let mut arcs: Vec<Vec<(usize, u64, bool)>> = vec![Vec::new(); net.place_count()];
    for transition in net.transitions() {
        for (side, is_output) in [(net.inputs(transition), false), (net.outputs(transition), true)] {
            side.iter().for_each(|&(place, weight)| arcs[place.index()].push((transition.index(), weight, is_output)));
        }
    }
    let mut alike: BTreeMap<&Vec<(usize, u64, bool)>, Vec<PlaceId>> = BTreeMap::new();
    net.places().for_each(|place| alike.entry(&arcs[place.index()]).or_default().push(place));
    let mut left_out: Vec<PlaceId> = Vec::new();
    for same in alike.into_values().filter(|same| same.len() > 1) {
        let least = same.iter().copied().min_by_key(|&place| (net.initial_tokens(place), !asked[place.index()], place));
        left_out.extend(same.into_iter().filter(|&place| Some(place) != least && !asked[place.index()]));
    }
    left_out.sort_unstable();
    numbers(left_out.into_iter(), PlaceId::index).map(LeftOut::Places)
}

fn irrelevant_places(net: &Net, goal: &Formula) -> Option<LeftOut> {
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
