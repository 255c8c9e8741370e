//! Movers against their statement: what exchanges two steps, written down
//! once more for each side, and tried on all that small systems offer.

use serval_budget::{Budget, Cancel};
use serval_model::{NodeKind, NodeStep, NormalForm, Point, RequestId, ResponseId, SplitMix64};

use crate::script::movers::{Exchange, PointSet};
use crate::script::{Entry, Mover, Reduced, Side, Witness, check_script};
use crate::{Caps, Refusal, Work};

const GLOBALS: u32 = 3;
/// An initial node, two on the way, two where it has answered.
const NODES: u32 = 5;

/// Which condition an exchange owes its acceptance to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Last {
    Empty,
    Outside,
    Weaker,
}

fn random_form(random: &mut SplitMix64) -> NormalForm {
    let done = |response| NodeKind::Done(ResponseId::from_index(response));
    let kinds = [NodeKind::Initial, NodeKind::Inner, NodeKind::Inner, done(0), done(1)];
    let mut below = |bound: u32| u32::try_from(random.below(bound.into())).unwrap();
    let steps: Vec<NodeStep> = (0..6 + below(5))
        .map(|_| NodeStep { node: below(3), global: below(GLOBALS), to_node: below(NODES), to_global: below(GLOBALS) })
        .collect();
    NormalForm::from_parts(GLOBALS, 0, kinds.map(|kind| (RequestId::from_index(0), kind)).to_vec(), steps)
}

/// All paths of at most two steps from a node under some global state: where
/// it begins, and the points after that.
fn paths(form: &NormalForm, node: u32) -> Vec<(Point, Vec<Point>)> {
    let mut paths = Vec::new();
    for from in (0..GLOBALS).map(|global| (node, global)) {
        paths.push((from, Vec::new()));
        for one in form.steps_from(from) {
            paths.push((from, vec![one.target()]));
            for two in form.steps_from(one.target()) {
                paths.push((from, vec![one.target(), two.target()]));
            }
        }
    }
    paths
}

/// Where a path ends.
fn end((from, path): &(Point, Vec<Point>)) -> Point {
    path.last().copied().unwrap_or(*from)
}

/// Whether two steps have to be exchanged.
fn meet(reduced: &Reduced, side: Side, tau: NodeStep, sigma: NodeStep) -> bool {
    match side {
        // τ: (l, g) → (l1, g1), σ: (m, g1) → (m1, g2).
        Side::Right => {
            tau.to_global == sigma.global
                && reduced.may_meet(tau.node, sigma.node, tau.global)
                && reduced.may_meet(tau.to_node, sigma.node, tau.to_global)
                && reduced.may_meet(tau.to_node, sigma.to_node, sigma.to_global)
        }
        // τ: (l1, g1) → (l2, g2), σ: (m, g) → (m1, g1).
        Side::Left => {
            sigma.to_global == tau.global
                && reduced.may_meet(tau.node, sigma.node, sigma.global)
                && reduced.may_meet(tau.node, sigma.to_node, tau.global)
                && reduced.may_meet(tau.to_node, sigma.to_node, tau.to_global)
        }
    }
}

/// Whether `other` and `own` may stand for σ and τ, and by which condition.
fn exchanges(
    form: &NormalForm,
    side: Side,
    set: &PointSet,
    (tau, sigma): (NodeStep, NodeStep),
    other: &(Point, Vec<Point>),
    own: &(Point, Vec<Point>),
) -> Option<Last> {
    let inside = |node: u32, global: u32| set.contains(&(node, global));
    let inner = own.1.split_last()?.1;
    if inner.iter().any(|point| set.contains(point)) {
        return None;
    }
    let single = inner.is_empty();
    let (fits, outside, weaker) = match side {
        Side::Right => {
            let (h, l1, m1, g2) = (end(other).1, tau.to_node, sigma.to_node, sigma.to_global);
            let fits = other.0 == (sigma.node, tau.global) && end(other) == (m1, h) && own.0 == (tau.node, h) && end(own) == (l1, g2);
            let goes_round = form.steps().iter().any(|step| step.source() == (m1, g2) && step.to_node == m1);
            (fits, !inside(m1, h), inside(m1, g2) && inside(l1, g2) && single && !goes_round)
        }
        Side::Left => {
            let (h, l1, m, g) = (end(own).1, tau.node, sigma.node, sigma.global);
            let fits =
                own.0 == (l1, g) && end(own) == (tau.to_node, h) && other.0 == (m, h) && end(other) == (sigma.to_node, tau.to_global);
            let goes_round = form.steps().iter().any(|step| step.node == m && step.target() == (m, g));
            (fits, !inside(m, h), inside(m, g) && inside(l1, g) && single && !goes_round)
        }
    };
    let last = if other.1.is_empty() {
        Some(Last::Empty)
    } else if outside {
        Some(Last::Outside)
    } else {
        weaker.then_some(Last::Weaker)
    };
    last.filter(|_| fits)
}

/// A set without the points that it may not have, and all that can be
/// exchanged around it: the numbers of the two steps.
fn random_set(random: &mut SplitMix64, reduced: &Reduced, side: Side) -> (PointSet, Vec<(u32, u32)>) {
    let form = reduced.form();
    let allowed = |node: u32| if side == Side::Right { !form.is_done(node) } else { !form.is_initial(node) };
    let points = (0..NODES).filter(|&node| allowed(node)).flat_map(|node| (0..GLOBALS).map(move |global| (node, global)));
    let set: PointSet = points.filter(|_| random.below(2) == 0).collect();
    let mut met = Vec::new();
    for (number, &tau) in (0..).zip(form.steps()) {
        let lands = set.contains(&if side == Side::Right { tau.target() } else { tau.source() });
        for (other, &sigma) in (0..).zip(form.steps()) {
            let meets = meet(reduced, side, tau, sigma);
            assert_eq!(Exchange::new(reduced, side, tau, sigma).is_some(), meets, "{side:?} {tau:?} {sigma:?}");
            if lands && meets {
                met.push((number, other));
            }
        }
    }
    (set, met)
}

fn random_reduced(random: &mut SplitMix64, seed: u64) -> Reduced {
    let mut reduced = Reduced::new(random_form(random));
    if seed.is_multiple_of(3) {
        reduced.apply(&Entry::Pairs, &mut Budget::ticks(1_000_000)).unwrap();
    }
    reduced
}

#[test]
fn what_is_accepted_exchanges() {
    let sweep = serval_effort::sweep("proof.exchanges", 100, 400);
    let mut seen = [0; 4];
    for seed in sweep.seeds(0) {
        let random = &mut SplitMix64::new(seed);
        let reduced = random_reduced(random, seed);
        let form = reduced.form();
        for side in [Side::Right, Side::Left] {
            let (set, met) = random_set(random, &reduced, side);
            for (tau, sigma) in met.into_iter().map(|(tau, sigma)| (form.steps()[tau as usize], form.steps()[sigma as usize])) {
                let exchange = Exchange::new(&reduced, side, tau, sigma).unwrap();
                let mut simple = false;
                for other in paths(form, sigma.node) {
                    for own in paths(form, tau.node) {
                        let expected = exchanges(form, side, &set, (tau, sigma), &other, &own);
                        simple |= expected.is_some() && other.1.len() <= 1 && own.1.len() == 1;
                        // Where the paths begin is not written: only those count that begin where they should.
                        let middle = if side == Side::Right { end(&other).1 } else { end(&own).1 };
                        let begin = match side {
                            Side::Right => other.0.1 == tau.global && own.0.1 == middle,
                            Side::Left => own.0.1 == sigma.global && other.0.1 == middle,
                        };
                        if begin {
                            let accepted = exchange.accepts(form, &set, &other.1, &own.1);
                            assert_eq!(accepted, expected.is_some(), "{side:?} {tau:?} {sigma:?} {other:?} {own:?} {set:?}\n{form:?}");
                            seen[expected.map_or(3, |last| last as usize)] += 1;
                        }
                    }
                }
                assert_eq!(exchange.is_simple(form, &set), simple, "{side:?} {tau:?} {sigma:?} {set:?}\n{form:?}");
            }
        }
    }
    assert!(!sweep.is_representative() || seen.iter().all(|&count| count * 40 > sweep.count()), "{seen:?}");
}

#[test]
fn an_entry_is_accepted_if_all_exchanges_are() {
    let sweep = serval_effort::sweep("proof.movers", 800, 3_000);
    let (mut accepted, mut refused, mut weaker) = (0, 0, 0);
    for seed in sweep.seeds(0) {
        let random = &mut SplitMix64::new(seed);
        let reduced = Reduced::new(random_form(random));
        let form = reduced.form();
        for side in [Side::Right, Side::Left] {
            let (set, met) = random_set(random, &reduced, side);
            let (mut holds, mut uses_weaker, mut witnesses) = (true, false, Vec::new());
            for (number, other_number) in met {
                let steps = (form.steps()[number as usize], form.steps()[other_number as usize]);
                let mut found = Vec::new();
                for other in paths(form, steps.1.node) {
                    for own in paths(form, steps.0.node) {
                        if let Some(last) = exchanges(form, side, &set, steps, &other, &own) {
                            found.push((last, other.1.clone(), own.1));
                        }
                    }
                }
                // Mostly something that will do, and now and then any two paths.
                let chosen = usize::try_from(random.below(u64::try_from(found.len().max(1)).unwrap())).unwrap();
                if random.below(12) == 0 {
                    let (others, owns) = (paths(form, steps.1.node), paths(form, steps.0.node));
                    let pick = |random: &mut SplitMix64, of: &[(Point, Vec<Point>)]| {
                        of[usize::try_from(random.below(u64::try_from(of.len()).unwrap())).unwrap()].1.clone()
                    };
                    let (other_path, own_path) = (pick(random, &others), pick(random, &owns));
                    holds &= found.iter().any(|(_, other, own)| (other, own) == (&other_path, &own_path));
                    witnesses.push(Witness { step: number, other: other_number, other_path, own_path });
                } else if random.below(3) == 0 || found.is_empty() {
                    holds &= found.iter().any(|(_, other, own)| other.len() <= 1 && own.len() == 1);
                } else {
                    let (last, other_path, own_path) = found.swap_remove(chosen);
                    uses_weaker |= last == Last::Weaker;
                    witnesses.push(Witness { step: number, other: other_number, other_path, own_path });
                }
            }
            let mover = Mover { points: set.iter().map(|&(node, global)| (node, vec![global])).collect(), witnesses };
            let entry = if side == Side::Right { Entry::Right(mover) } else { Entry::Left(mover) };
            let work = &mut Work::new(&Caps { ticks: 1_000_000, ..Caps::default() }, &Cancel::new());
            match check_script(form.clone(), std::slice::from_ref(&entry), work) {
                Ok(_) => assert!(holds, "{entry:?}\n{form:?}"),
                Err(Refusal::Invalid(rejection)) => assert!(!holds, "{rejection} {entry:?}\n{form:?}"),
                Err(other) => panic!("{other}"),
            }
            *(if holds { &mut accepted } else { &mut refused }) += 1;
            weaker += u64::from(holds && uses_weaker);
        }
    }
    let many = accepted * 10 > sweep.count() && refused * 10 > sweep.count() && weaker * 500 > sweep.count();
    assert!(!sweep.is_representative() || many, "{accepted} accepted, {weaker} by the weaker condition, {refused} refused");
}
