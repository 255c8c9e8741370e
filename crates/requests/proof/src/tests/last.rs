//! The weaker last condition of movers: for each of its parts a system with two
//! requests, and a set and paths that meet all other parts, whose complete runs
//! would be lost. Each was found by a generator that completes systems until
//! everything can be exchanged (`reductions` in the bench crate), and made small.
//!
//! In all of them the global state says how far the two have come. `*` marks
//! landings in the set. The only complete runs begin with an interrupted landing
//! in it; what the exchanges make of them again begins with one.

use super::scripts::{Draft, Paths, Wrong};
use super::switch::without;
use crate::script::Side;
use crate::{Condition, Refusal};

type Step = [u32; 4];

/// A system, a set for a right mover, and the paths where single steps do not do.
struct Chase {
    globals: u32,
    nodes: &'static [&'static str],
    steps: &'static [Step],
    set: &'static [(u32, &'static [u32])],
    paths: &'static [Paths<'static>],
}

/// Two requests that chase each other, if it were not for the condition.
fn chase(condition: Condition) -> Chase {
    match condition {
        Condition::MoverLastOther => Chase {
            globals: 9,
            nodes: &["a!", "a", "b!", "b", "a/x", "b/z"],
            steps: &[
                [0, 0, 1, 1], // *
                [1, 1, 1, 2], // *
                [1, 5, 1, 6],
                [0, 3, 1, 6],
                [0, 4, 1, 5], // *
                [2, 0, 3, 3], // *
                [3, 3, 3, 4], // *
                [3, 6, 3, 5],
                [2, 1, 3, 5],
                [2, 2, 3, 6], // *
                [1, 5, 4, 7],
                [3, 7, 5, 8],
            ],
            set: &[(1, &[1, 2, 5]), (3, &[3, 4, 6])],
            paths: &[
                ([0, 0, 1, 1], [2, 1, 3, 5], &[(3, 3), (3, 4)], &[(1, 5)]),
                ([2, 0, 3, 3], [0, 3, 1, 6], &[(1, 1), (1, 2)], &[(3, 6)]),
            ],
        },
        Condition::MoverLastOwn => Chase {
            globals: 7,
            nodes: &["a!", "a", "a", "a/x"],
            steps: &[
                [0, 0, 1, 1], // *
                [1, 1, 2, 2], // *
                [0, 2, 1, 3],
                [0, 1, 2, 3], // *
                [2, 3, 1, 4],
                [1, 4, 2, 3], // *
                [1, 4, 3, 5],
                [1, 5, 3, 6],
            ],
            set: &[(1, &[1]), (2, &[2, 3])],
            paths: &[
                ([0, 0, 1, 1], [0, 1, 2, 3], &[(1, 1), (2, 2)], &[(1, 3)]),
                ([1, 1, 2, 2], [0, 2, 1, 3], &[(2, 3), (1, 4)], &[(2, 3)]),
            ],
        },
        Condition::MoverLastSingle => Chase {
            globals: 8,
            nodes: &["a!", "a", "a", "a/x"],
            steps: &[
                [0, 0, 1, 1], // *
                [1, 1, 2, 2], // *
                [0, 2, 1, 5],
                [1, 5, 1, 3], // *
                [0, 1, 2, 3], // *
                [2, 3, 1, 4],
                [1, 4, 2, 5],
                [2, 5, 1, 4],
                [1, 4, 3, 6],
                [1, 6, 3, 7],
            ],
            set: &[(1, &[1, 3]), (2, &[2, 3])],
            paths: &[
                ([0, 0, 1, 1], [0, 1, 2, 3], &[(1, 1), (2, 2)], &[(1, 5), (1, 3)]),
                ([1, 1, 2, 2], [0, 2, 1, 5], &[(2, 3), (1, 4)], &[(2, 5)]),
                ([1, 5, 1, 3], [2, 3, 1, 4], &[(1, 4)], &[(2, 5), (1, 4)]),
            ],
        },
        Condition::MoverLastLeaves => Chase {
            globals: 8,
            nodes: &["a!", "a", "a", "a/x"],
            steps: &[
                [0, 0, 1, 1], // *
                [0, 1, 1, 2], // *
                [1, 1, 1, 6], // *
                [0, 6, 1, 3], // *
                [0, 6, 1, 4],
                [1, 2, 1, 3], // *
                [1, 3, 1, 4],
                [1, 4, 2, 6],
                [2, 6, 1, 3], // *
                [2, 6, 1, 4],
                [1, 4, 3, 5],
                [1, 5, 3, 7],
            ],
            set: &[(1, &[1, 2, 3, 6])],
            paths: &[
                ([0, 0, 1, 1], [0, 1, 1, 2], &[(1, 1)], &[(1, 2)]),
                ([0, 1, 1, 2], [1, 2, 1, 3], &[(1, 6)], &[(1, 3)]),
                ([1, 2, 1, 3], [1, 3, 1, 4], &[(1, 3), (1, 4)], &[(2, 6), (1, 4)]),
                ([1, 1, 1, 6], [0, 6, 1, 3], &[(1, 2), (1, 3), (1, 4)], &[(2, 6), (1, 3)]),
                ([1, 1, 1, 6], [0, 6, 1, 4], &[(1, 2), (1, 3), (1, 4)], &[(2, 6), (1, 4)]),
            ],
        },
        _ => panic!("no case for {condition}"),
    }
}

impl Chase {
    fn right(&self) -> Draft {
        Draft::of(self.globals, self.nodes, self.steps).pairs().mover(Side::Right, self.set, self.paths).pairs()
    }

    /// Everything the other way round: requests begin where they ended.
    fn left(&self) -> Draft {
        let global = |global: u32| self.globals - 1 - global;
        // Done nodes come last, whatever they were before.
        let turned: Vec<(u32, String)> = self
            .nodes
            .iter()
            .zip(0..)
            .map(|(&name, node)| match (name.strip_suffix('!'), name.split_once('/')) {
                (Some(request), _) => (node, format!("{request}/y")),
                (None, Some((request, _))) => (node, format!("{request}!")),
                (None, None) => (node, name.to_owned()),
            })
            .collect();
        let rank = |(node, name): &(u32, String)| (name.contains('/'), name.trim_end_matches('!').to_owned(), !name.ends_with('!'), *node);
        let mut order = turned;
        order.sort_by_key(rank);
        let node = |node: u32| u32::try_from(order.iter().position(|(old, _)| *old == node).unwrap()).unwrap();
        let point = |(at, under): (u32, u32)| (node(at), global(under));
        let step = |[l, g, to_l, to_g]: Step| [node(to_l), global(to_g), node(l), global(g)];
        let backwards = |from: (u32, u32), path: &[(u32, u32)]| -> Vec<(u32, u32)> {
            std::iter::once(from).chain(path.iter().copied()).rev().skip(1).map(point).collect()
        };
        let names: Vec<&str> = order.iter().map(|(_, name)| name.as_str()).collect();
        let steps: Vec<Step> = self.steps.iter().copied().map(step).collect();
        let set: Vec<(u32, Vec<u32>)> =
            self.set.iter().map(|(at, under)| (node(*at), under.iter().copied().map(global).collect())).collect();
        let set: Vec<(u32, &[u32])> = set.iter().map(|(at, under)| (*at, under.as_slice())).collect();
        let paths: Vec<_> = self
            .paths
            .iter()
            .map(|&(own, other, other_path, own_path)| {
                let middle = other_path.last().map_or(own[1], |&(_, under)| under);
                (step(own), step(other), backwards((other[0], own[1]), other_path), backwards((own[0], middle), own_path))
            })
            .collect();
        let paths: Vec<Paths<'_>> =
            paths.iter().map(|(own, other, other_path, own_path)| (*own, *other, other_path.as_slice(), own_path.as_slice())).collect();
        Draft::of(self.globals, &names, &steps).pairs().mover(Side::Left, &set, &paths).pairs()
    }
}

/// Certificates that are refused for one part of the condition alone.
pub(super) fn violate(condition: Condition) -> Vec<Wrong> {
    let chase = chase(condition);
    vec![chase.right().falsely(), chase.left().falsely()]
}

/// Two requests change places for ever: what was moved behind the other is
/// interrupted in its turn. Two parts of the condition do not hold.
fn changing_places() -> [Draft; 2] {
    let right = [[0, 0, 1, 2], [0, 2, 1, 0], [1, 0, 2, 0]];
    let left = [[0, 0, 1, 0], [1, 0, 2, 2], [1, 2, 2, 0]];
    let nodes = ["a!", "a", "a/x"];
    [
        Draft::of(3, &nodes, &right).mover(Side::Right, &[(1, &[2])], &[(right[0], right[1], &[(1, 2)], &[(1, 0)])]).pairs(),
        // The mirror image.
        Draft::of(3, &nodes, &left)
            .mover(Side::Left, &[(1, &[2])], &[(left[2], left[1], &[(2, 0)], &[(2, 2)])])
            .pairs()
            .mover(Side::Right, &[(1, &[0])], &[])
            .pairs(),
    ]
}

#[test]
fn what_changes_places_is_refused_for_either_reason() {
    for draft in changing_places() {
        let wrong = draft.falsely();
        for &off in Condition::ALL {
            let Err(Refusal::Invalid(rejection)) = without(off, || wrong.case.check()) else { panic!("accepted without {off}") };
            let expected = if off == Condition::MoverLastOther { Condition::MoverLastOwn } else { Condition::MoverLastOther };
            assert_eq!(rejection.condition, expected);
        }
    }
}
