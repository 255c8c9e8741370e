//! Entries that are drawn, not found.
//!
//! The finders propose what is useful. What the checker accepts is more, and
//! all of it must be right: these entries are drawn at random, with relations
//! and paths that make it likely enough that the checker accepts them.

use std::collections::BTreeSet;

use serval_engine::reduce::Rule;
use serval_model::{Node, NodeKind, NormalForm, Point, SplitMix64};
use serval_proof::script::{Dominated, Entry, Mover, Quotient, Reduced, Side, Track, WaitingElimination};

use super::movers::{Taste, draw_witnesses};

type OfferedPairs = BTreeSet<(u32, u32)>;

/// An entry for a rule; the checker may or may not accept it.
pub fn draw(reduced: &Reduced, rule: Rule, random: &mut SplitMix64) -> Option<Entry> {
    let form = reduced.form();
    match rule {
        Rule::IdentityElimination => {
            let waits: Vec<_> = form.steps().iter().filter(|s| s.global == s.to_global).map(|s| (s.node, s.to_node)).collect();
            // Now and then a node with itself, which may be there but must do nothing.
            let nodes: Vec<_> = form.node_numbers().map(|node| (node, node)).collect();
            let folds: Option<Vec<_>> = (0..1 + random.below(2))
                .map(|_| {
                    let from = if random.below(8) == 0 { &nodes } else { &waits };
                    random.pick(from)
                })
                .collect();
            folds.map(Entry::IdentityElimination)
        }
        Rule::Pairs => Some(Entry::Pairs),
        Rule::WaitingElimination => {
            let mut relation = node_simulation(form, true);
            spoil(&mut relation, &open_nodes(form), random);
            let from: Vec<Point> = form.steps().iter().filter(|s| s.global == s.to_global).map(|s| s.source()).collect();
            let points: Option<Vec<_>> = (0..1 + random.below(3)).map(|_| random.pick(&from)).collect();
            points.map(|points| Entry::WaitingElimination(WaitingElimination { relation: relation.into_iter().collect(), points }))
        }
        Rule::Right => draw_mover(reduced, Side::Right, random),
        Rule::Left => draw_mover(reduced, Side::Left, random),
        Rule::Dominated => {
            // A weak simulation must not be accepted but where it is strong.
            let weak = random.below(2) == 0;
            let (mut locals, mut globals) = (node_simulation(form, weak), global_simulation(form, weak));
            spoil(&mut locals, &open_nodes(form), random);
            spoil(&mut globals, &(0..form.global_count()).collect::<Vec<_>>(), random);
            let mut drops: Vec<(u32, u32)> = Vec::new();
            for (index, step) in (0..).zip(form.steps()) {
                for (other, rival) in (0..).zip(form.steps()) {
                    let better = step.source() == rival.source()
                        && (step.to_global == rival.to_global && locals.contains(&(rival.to_node, step.to_node))
                            || step.to_node == rival.to_node && globals.contains(&(rival.to_global, step.to_global)));
                    let is_free = drops.iter().all(|&(dropped, kept)| dropped != other && dropped != index && kept != index);
                    if better && is_free && random.below(2) == 0 {
                        drops.push((index, other));
                    }
                }
            }
            let filled = !drops.is_empty();
            filled.then(|| {
                Entry::Dominated(Dominated { locals: locals.into_iter().collect(), globals: globals.into_iter().collect(), drops })
            })
        }
        Rule::LocalQuotient => {
            let mut relation = node_simulation(form, true);
            spoil(&mut relation, &open_nodes(form), random);
            let classes = draw_classes(form.node_numbers().end, &relation, random);
            (!classes.is_empty()).then(|| Entry::LocalQuotient(Quotient { relation: relation.into_iter().collect(), classes }))
        }
        Rule::Track => {
            // Now and then of a node that must not be counted.
            let nodes: Vec<Node> =
                form.node_numbers().filter(|&node| random.below(12) == 0 || form.nodes()[node as usize].1 == NodeKind::Inner).collect();
            let mut groups: Vec<Vec<Node>> = vec![Vec::new(); 1 + random.index(2)];
            for group in &mut groups {
                group.extend(nodes.iter().filter(|_| random.below(2) == 0));
            }
            let most = u8::try_from(random.below(4)).unwrap_or(1);
            Some(Entry::Track(Track { groups, most }))
        }
        Rule::GlobalQuotient => {
            let mut relation = global_simulation(form, true);
            spoil(&mut relation, &(0..form.global_count()).collect::<Vec<_>>(), random);
            let classes = draw_classes(form.global_count(), &relation, random);
            (!classes.is_empty()).then(|| Entry::GlobalQuotient(Quotient { relation: relation.into_iter().collect(), classes }))
        }
    }
}

/// A mover with a few points taken away, or none if nothing is left.
pub fn shrunk(reduced: &Reduced, side: Side, mover: &Mover, random: &mut SplitMix64) -> Option<Entry> {
    let mut points: Vec<Point> = mover.points.iter().flat_map(|(node, at)| at.iter().map(|&global| (*node, global))).collect();
    let gone = random.pick(&points)?;
    points.retain(|&point| point != gone);
    mover_of(reduced, side, points, random)
}

fn draw_mover(reduced: &Reduced, side: Side, random: &mut SplitMix64) -> Option<Entry> {
    let form = reduced.form();
    let near: Vec<Point> = form.steps().iter().map(|step| if side == Side::Right { step.target() } else { step.source() }).collect();
    // Mostly points where it can hold; now and then any.
    let any_end = random.below(20) == 0;
    let fits = |&(node, _): &Point| any_end || if side == Side::Right { !form.is_done(node) } else { !form.is_initial(node) };
    let near: Vec<Point> = near.into_iter().filter(fits).collect();
    let points = match random.below(4) {
        3 => near.clone(),
        0 => near.iter().copied().filter(|_| random.below(4) > 0).collect(),
        1 => {
            let node = random.pick(&near)?.0;
            near.iter().copied().filter(|point| point.0 == node).collect()
        }
        _ => (0..1 + random.below(3)).filter_map(|_| random.pick(&near)).collect(),
    };
    mover_of(reduced, side, points, random)
}

/// A mover with these points and paths of any taste; none without points.
pub fn mover_of(reduced: &Reduced, side: Side, mut points: Vec<Point>, random: &mut SplitMix64) -> Option<Entry> {
    let taste = Taste { weak: random.below(2) == 0, through: random.below(4) == 0 };
    points.sort_unstable();
    points.dedup();
    let witnesses = draw_witnesses(reduced, side, &points, taste);
    let listed = points.iter().map(|&(node, global)| (node, vec![global])).collect::<Vec<_>>();
    let mover = Mover { points: listed, witnesses };
    (!points.is_empty()).then(|| if side == Side::Right { Entry::Right(mover) } else { Entry::Left(mover) })
}

/// Adds pairs that are there for no reason, now and then. The checker should
/// refuse what comes of that, unless it happens to be right.
fn spoil(relation: &mut OfferedPairs, members: &[u32], random: &mut SplitMix64) {
    if random.below(4) > 0 {
        return;
    }
    if let (Some(a), Some(b)) = (random.pick(members), random.pick(members))
        && a != b
    {
        relation.insert((a, b));
        if random.below(3) > 0 {
            relation.insert((b, a));
        }
    }
}

/// The nodes that are not done.
fn open_nodes(form: &NormalForm) -> Vec<Node> {
    form.node_numbers().filter(|&node| !matches!(form.nodes()[node as usize].1, NodeKind::Done(_))).collect()
}

/// Classes of things that simulate each other, not the largest.
fn draw_classes(count: u32, relation: &OfferedPairs, random: &mut SplitMix64) -> Vec<Vec<u32>> {
    let mut classes: Vec<Vec<u32>> = Vec::new();
    for member in 0..count {
        let fits = |class: &&mut Vec<u32>| relation.contains(&(class[0], member)) && relation.contains(&(member, class[0]));
        match classes.iter_mut().find(fits) {
            Some(class) if random.below(3) > 0 => class.insert(usize::try_from(random.below(2)).unwrap_or(0), member),
            _ => classes.push(vec![member]),
        }
    }
    classes.retain(|class| class.len() > 1);
    classes
}

/// Where one request can get to from a point.
fn reach(form: &NormalForm, from: Point, weak: bool) -> Vec<Point> {
    if !weak {
        return form.steps_from(from).iter().map(|step| step.target()).collect();
    }
    let mut found = vec![from];
    let mut next = 0;
    while next < found.len() {
        for step in form.steps_from(found[next]) {
            if !found.contains(&step.target()) {
                found.push(step.target());
            }
        }
        next += 1;
    }
    found
}

/// The greatest simulation of nodes, by striking out pairs.
fn node_simulation(form: &NormalForm, weak: bool) -> OfferedPairs {
    let nodes = open_nodes(form);
    let of = |node: Node| form.nodes()[node as usize].0;
    let pairs = nodes.iter().flat_map(|&x| nodes.iter().map(move |&y| (x, y))).filter(|&(x, y)| x != y && of(x) == of(y)).collect();
    strike(pairs, |relation, (x, y)| {
        form.steps_of(y).iter().all(|step| {
            let fits =
                |&(node, global): &Point| global == step.to_global && (node == step.to_node || relation.contains(&(node, step.to_node)));
            reach(form, (x, step.global), weak).iter().any(fits)
        })
    })
}

/// The greatest simulation of global states, by striking out pairs.
fn global_simulation(form: &NormalForm, weak: bool) -> OfferedPairs {
    let count = form.global_count();
    let pairs = (0..count).flat_map(|h| (0..count).map(move |g| (h, g))).filter(|(h, g)| h != g).collect();
    strike(pairs, |relation, (h, g)| {
        form.steps().iter().filter(|step| step.global == g).all(|step| {
            let fits = |&(node, global): &Point| {
                node == step.to_node && (global == step.to_global || relation.contains(&(global, step.to_global)))
            };
            reach(form, (step.node, h), weak).iter().any(fits)
        })
    })
}

fn strike(mut relation: OfferedPairs, holds: impl Fn(&OfferedPairs, (u32, u32)) -> bool) -> OfferedPairs {
    loop {
        let bad: Vec<(u32, u32)> = relation.iter().copied().filter(|&pair| !holds(&relation, pair)).collect();
        if bad.is_empty() {
            return relation;
        }
        for pair in bad {
            relation.remove(&pair);
        }
    }
}
