//! Changes to scripts.

use serval_model::{NodeStep, NormalForm, SplitMix64};
use serval_proof::script::{Dominated, Entry, Mover, Quotient, Reduced, Side, Track, WaitingElimination};
use serval_soundness::requests::reductions::offers;

use super::sources::Source;

fn number(random: &mut SplitMix64, count: usize) -> u32 {
    // Now and then just out of range.
    let beyond = usize::from(random.below(60) == 0);
    u32::try_from(random.index((count + beyond).max(1))).unwrap()
}

/// How many nodes, global states and steps there are.
#[derive(Clone, Copy)]
struct Size {
    nodes: usize,
    globals: usize,
    steps: usize,
}

impl Size {
    fn of(form: &NormalForm) -> Self {
        Self { nodes: form.nodes().len(), globals: usize::try_from(form.global_count()).unwrap(), steps: form.steps().len() }
    }
}

/// A script with one or two things changed; `other` is of another system.
pub(crate) fn script(source: &Source, other: &[Entry], random: &mut SplitMix64) -> Vec<Entry> {
    let mut script = source.script.clone();
    let reduced = &source.reduced;
    for _ in 0..1 + random.below(2) {
        let length = script.len();
        let at = random.index(length.max(1));
        match random.below(14) {
            _ if length == 0 => script.push(wild(&reduced[0], random)),
            0 => drop(script.remove(at)),
            1 => script.insert(at, script[random.index(length)].clone()),
            2 if length > 1 => script.swap(at, (at + 1) % length),
            3 => script.truncate(at + 1),
            4 if !other.is_empty() => script.insert(random.index(length + 1), other[random.index(other.len())].clone()),
            5 => script.extend_from_slice(other),
            6 | 7 => {
                let entry = wild(&reduced[at.min(reduced.len() - 1)], random);
                script.insert(at, entry);
            }
            _ => {
                // An entry with nothing in it to change is left to the others.
                let picked: Vec<usize> = (0..length).filter(|&index| !matches!(script[index], Entry::Pairs)).collect();
                if let Some(index) = random.pick(&picked) {
                    let size = Size::of(reduced[index.min(reduced.len() - 1)].form());
                    change(&mut script[index], size, random);
                }
            }
        }
    }
    script
}

/// Adds, removes or changes a pair.
fn change_pairs(pairs: &mut Vec<(u32, u32)>, first: usize, second: usize, random: &mut SplitMix64) {
    let fresh = (number(random, first), number(random, second));
    match random.below(5) {
        0 => pairs.push(fresh),
        _ if pairs.is_empty() => pairs.push(fresh),
        1 | 2 => drop(pairs.remove(random.index(pairs.len()))),
        3 => {
            let at = random.index(pairs.len());
            pairs[at] = (pairs[at].1, pairs[at].0);
        }
        _ => {
            let at = random.index(pairs.len());
            if random.below(2) == 0 {
                pairs[at].0 = fresh.0;
            } else {
                pairs[at].1 = fresh.1;
            }
        }
    }
}

fn change_classes(classes: &mut Vec<Vec<u32>>, count: usize, random: &mut SplitMix64) {
    let member = number(random, count);
    if classes.is_empty() {
        classes.push(vec![member, number(random, count)]);
        return;
    }
    let at = random.index(classes.len());
    match random.below(7) {
        0 => classes[at].push(member),
        1 => classes.push(vec![member, number(random, count)]),
        2 => drop(classes.remove(at)),
        3 => classes[at].reverse(),
        4 => {
            let again = classes[at].clone();
            classes.push(again);
        }
        5 if classes.len() > 1 => {
            let moved = classes.remove(at);
            classes[0].extend(moved);
        }
        _ => {
            let place = random.index(classes[at].len().max(1));
            if place < classes[at].len() {
                classes[at][place] = member;
            }
        }
    }
}

fn change_mover(mover: &mut Mover, size: Size, random: &mut SplitMix64) {
    let (node, global) = (number(random, size.nodes), number(random, size.globals));
    match random.below(7) {
        0 => mover.points.push((node, vec![global])),
        1 if !mover.points.is_empty() => drop(mover.points.remove(random.index(mover.points.len()))),
        2 if !mover.points.is_empty() => {
            let at = random.index(mover.points.len());
            mover.points[at].1.push(global);
        }
        3 if !mover.points.is_empty() => {
            let at = random.index(mover.points.len());
            mover.points[at].0 = node;
        }
        4 if !mover.witnesses.is_empty() => drop(mover.witnesses.remove(random.index(mover.witnesses.len()))),
        5 if !mover.witnesses.is_empty() => {
            let at = random.index(mover.witnesses.len());
            let witness = &mut mover.witnesses[at];
            match random.below(4) {
                0 => witness.step = number(random, size.steps),
                1 => witness.other = number(random, size.steps),
                2 => change_pairs(&mut witness.own_path, size.nodes, size.globals, random),
                _ => change_pairs(&mut witness.other_path, size.nodes, size.globals, random),
            }
        }
        _ => {
            // Less or more than all of a node.
            let all = (0..u32::try_from(size.globals).unwrap()).collect();
            mover.points.push((node, all));
        }
    }
}

fn change(entry: &mut Entry, size: Size, random: &mut SplitMix64) {
    match entry {
        Entry::Split(node) => *node = number(random, size.nodes),
        Entry::IdentityElimination(folds) => change_pairs(folds, size.nodes, size.nodes, random),
        Entry::Pairs => {}
        Entry::LocalQuotient(Quotient { relation, classes }) => match random.below(2) {
            0 => change_pairs(relation, size.nodes, size.nodes, random),
            _ => change_classes(classes, size.nodes, random),
        },
        Entry::GlobalQuotient(Quotient { relation, classes }) => match random.below(2) {
            0 => change_pairs(relation, size.globals, size.globals, random),
            _ => change_classes(classes, size.globals, random),
        },
        Entry::Dominated(Dominated { locals, globals, drops }) => match random.below(3) {
            0 => change_pairs(locals, size.nodes, size.nodes, random),
            1 => change_pairs(globals, size.globals, size.globals, random),
            _ => change_pairs(drops, size.steps, size.steps, random),
        },
        Entry::WaitingElimination(WaitingElimination { relation, points }) => match random.below(2) {
            0 => change_pairs(relation, size.nodes, size.nodes, random),
            _ => change_pairs(points, size.nodes, size.globals, random),
        },
        Entry::Track(Track { groups, most }) => match random.below(3) {
            0 => *most = u8::try_from(random.below(4)).unwrap(),
            _ => change_classes(groups, size.nodes, random),
        },
        // The same on the other side.
        Entry::Right(mover) if random.below(8) == 0 => *entry = Entry::Left(std::mem::take(mover)),
        Entry::Left(mover) if random.below(8) == 0 => *entry = Entry::Right(std::mem::take(mover)),
        Entry::Right(mover) | Entry::Left(mover) => change_mover(mover, size, random),
    }
}

/// An entry that looks as if it meant something here, and is mostly wrong.
pub(crate) fn wild(reduced: &Reduced, random: &mut SplitMix64) -> Entry {
    let form = reduced.form();
    let size = Size::of(form);
    if size.nodes == 0 || size.steps == 0 {
        return Entry::Pairs;
    }
    let step = form.steps()[random.index(size.steps)];
    let same_request = |node: u32| {
        let of = |node: u32| form.nodes()[usize::try_from(node).unwrap()].0;
        form.node_numbers().filter(|&other| other != node && of(other) == of(node) && !form.is_done(other)).collect::<Vec<_>>()
    };
    let any_node = |random: &mut SplitMix64| u32::try_from(random.index(size.nodes)).unwrap();
    let any_global = |random: &mut SplitMix64| u32::try_from(random.index(size.globals)).unwrap();
    // Two nodes that a relation could be about; now and then any.
    let two = |random: &mut SplitMix64| {
        let like = same_request(step.node);
        match random.pick(&like) {
            Some(other) if random.below(12) > 0 => (step.node, other),
            _ => (any_node(random), any_node(random)),
        }
    };
    match random.below(11) {
        10 => Entry::Track(Track { groups: vec![vec![any_node(random)]], most: u8::try_from(random.below(3)).unwrap() }),
        0 => Entry::Split(any_node(random)),
        1 => Entry::IdentityElimination(vec![if random.below(3) > 0 {
            (step.node, step.to_node)
        } else {
            (any_node(random), any_node(random))
        }]),
        2 => {
            let (x, y) = two(random);
            let relation = if random.below(8) == 0 { Vec::new() } else { vec![(x, y), (y, x)] };
            Entry::LocalQuotient(Quotient { relation, classes: vec![vec![x, y]] })
        }
        3 => {
            let (h, g) = (any_global(random), any_global(random));
            let relation = if random.below(8) == 0 { Vec::new() } else { vec![(h, g), (g, h)] };
            Entry::GlobalQuotient(Quotient { relation, classes: vec![vec![h, g]] })
        }
        4 => dominated(form, step, random),
        5 => {
            let (x, y) = if random.below(2) == 0 { two(random) } else { (step.node, step.to_node) };
            Entry::WaitingElimination(WaitingElimination {
                relation: vec![(x, y)],
                points: vec![(x, step.global), (x, any_global(random))],
            })
        }
        _ => mover(reduced, step, random),
    }
}

/// Leaves out a step for another from the same point, if there is one.
fn dominated(form: &NormalForm, step: NodeStep, random: &mut SplitMix64) -> Entry {
    let numbered = |step: &NodeStep| u32::try_from(form.steps().binary_search(step).unwrap()).unwrap();
    let others: Vec<NodeStep> = form.steps_from(step.source()).iter().filter(|&&other| other != step).copied().collect();
    let kept = random.pick(&others).unwrap_or(step);
    let mut drops = vec![(numbered(&step), numbered(&kept))];
    if random.below(4) == 0 {
        drops.push((numbered(&kept), numbered(&step)));
    }
    let (mut locals, mut globals) = (Vec::new(), Vec::new());
    if random.below(4) > 0 {
        locals.push((kept.to_node, step.to_node));
        globals.push((kept.to_global, step.to_global));
    }
    if random.below(4) == 0 {
        locals.clear();
    }
    if drops.len() > 1 && random.below(2) == 0 {
        locals.push((step.to_node, kept.to_node));
        globals.push((step.to_global, kept.to_global));
    }
    Entry::Dominated(Dominated { locals, globals, drops })
}

/// Joins steps around where a step lands or departs, and perhaps more; with
/// paths that begin and end where they should, or lead anywhere now and then.
fn mover(reduced: &Reduced, step: NodeStep, random: &mut SplitMix64) -> Entry {
    let form = reduced.form();
    let side = if random.below(2) == 0 { Side::Right } else { Side::Left };
    let near = if side == Side::Right { step.target() } else { step.source() };
    let mut points = vec![near];
    match random.below(4) {
        0 => points = (0..form.global_count()).map(|global| (near.0, global)).collect(),
        1 => points.push(form.steps()[random.index(form.steps().len())].target()),
        _ => {}
    }
    let mut entry = offers::mover_of(reduced, side, points, random).unwrap();
    let (Entry::Right(mover) | Entry::Left(mover)) = &mut entry else { unreachable!("a mover was drawn") };
    mover.witnesses.truncate(200);
    for witness in &mut mover.witnesses {
        if random.below(20) == 0 {
            let [own, other] = [witness.step, witness.other].map(|step| form.steps()[usize::try_from(step).unwrap()]);
            let before = if side == Side::Right { own.global } else { other.global };
            witness.other_path = walk(form, (other.node, before), random);
            witness.own_path = walk(form, (own.node, before), random);
        }
    }
    entry
}

fn walk(form: &NormalForm, from: (u32, u32), random: &mut SplitMix64) -> Vec<(u32, u32)> {
    let mut at = from;
    let mut path = Vec::new();
    for _ in 0..random.below(4) {
        let Some(step) = random.pick(form.steps_from(at)) else { break };
        at = step.target();
        path.push(at);
    }
    path
}
