//! Pair pruning against its statement, for systems whose rows of pairs take
//! more than one word, too.

use std::collections::BTreeMap;

use serval_budget::Budget;
use serval_model::{NodeKind, NodeStep, NormalForm, Point, RequestId, ResponseId, SplitMix64};

use crate::script::{Entry, Pairs, Reduced};

/// What a turn that goes wrong may cost before it is stopped.
const TICKS: u64 = 20_000_000;

/// The number of nodes that are not done, and how much it costs to prune the system.
///
/// The price is what messages say about caps, see `prices.rs`; in rows of
/// several words it is paid per word.
const WIDE: [(u32, u64); 8] =
    [(4, 454), (20, 8581), (62, 78_761), (63, 73_548), (64, 103_752), (75, 124_438), (100, 238_369), (140, 478_360)];

/// A system with two initial nodes and two done nodes among many. Global
/// states other than 0 are locks. Most nodes are entered by a step that takes
/// one and left by a step that gives it back; at others requests wait whatever
/// is locked; lock 1 is not a good one, and from lock 4 no request comes back. So
/// many pairs are possible, and many are not.
fn wide(random: &mut SplitMix64, nodes: u32) -> NormalForm {
    let below = |random: &mut SplitMix64, bound: u32| u32::try_from(random.below(bound.into())).unwrap();
    let (begin, other_begin) = (below(random, nodes), below(random, nodes));
    let mut kinds = vec![NodeKind::Inner; nodes as usize];
    for initial in [begin, other_begin] {
        kinds[initial as usize] = NodeKind::Initial;
    }
    kinds.extend([0, 1].map(|response| NodeKind::Done(ResponseId::from_index(response))));
    let mut steps = Vec::new();
    let mut step = |node, global, to_node, to_global| steps.push(NodeStep { node, global, to_node, to_global });
    for node in (0..nodes).filter(|&node| node != begin && node != other_begin) {
        let (lock, done) = (1 + below(random, 4), nodes + below(random, 2));
        match random.below(6) {
            0 => {
                step(other_begin, 0, node, 0);
                step(node, lock, done, lock);
            }
            1 => {
                step(other_begin, below(random, 2), node, below(random, 2));
                step(node, below(random, 2), below(random, nodes), below(random, 2));
            }
            _ => {
                step(begin, 0, node, lock);
                step(node, lock, done, if lock == 4 { 4 } else { 0 });
                // Never made, unless another request gives the lock back.
                step(node, 0, done, below(random, 4));
            }
        }
    }
    let request = RequestId::from_index(0);
    NormalForm::from_parts(5, 0, kinds.into_iter().map(|kind| (request, kind)).collect(), steps)
}

/// The set of pairs and the steps that are left, word for word as the module
/// says, with no thought for speed. All done nodes are one, the last.
struct Statement {
    places: usize,
    done: usize,
    set: Vec<bool>,
}

impl Statement {
    fn at(&self, a: usize, b: usize, global: usize) -> usize {
        (global * self.places + a) * self.places + b
    }

    fn has(&self, a: usize, b: usize, global: usize) -> bool {
        self.set[self.at(a, b, global)]
    }

    fn place(&self, form: &NormalForm, node: u32) -> usize {
        if form.is_done(node) { self.done } else { node as usize }
    }

    fn new(form: &mut NormalForm) -> Self {
        let (places, globals) = (form.nodes().len() + 1, form.global_count() as usize);
        let mut now = Self { places, done: places - 1, set: vec![true; globals * places * places] };
        // As long as any turn changes anything, in both directions.
        let (mut unchanged, mut backwards) = (0, false);
        while unchanged < 2 {
            let after = now.turn(form, backwards);
            let possible = |(node, global): Point| after.has(after.place(form, node), after.done, global as usize);
            let kept: Vec<NodeStep> =
                form.steps().iter().filter(|step| possible(step.source()) && possible(step.target())).copied().collect();
            unchanged = if after.set == now.set && kept.len() == form.steps().len() { unchanged + 1 } else { 0 };
            *form = form.clone().with_steps(kept);
            now = after;
            backwards = !backwards;
        }
        now
    }

    /// The least set that contains where the turn begins and is closed.
    fn turn(&self, form: &NormalForm, backwards: bool) -> Self {
        let mut after = Self { set: vec![false; self.set.len()], ..*self };
        // For each global state the steps from it: who moves, where to, and what follows.
        let mut steps: BTreeMap<usize, Vec<(usize, usize, usize)>> = BTreeMap::new();
        for step in form.steps() {
            let (from, to) = if backwards { (step.target(), step.source()) } else { (step.source(), step.target()) };
            steps.entry(from.1 as usize).or_default().push((self.place(form, from.0), self.place(form, to.0), to.1 as usize));
        }
        let add = |after: &mut Self, a: usize, b: usize, global: usize| {
            let new = self.has(a, b, global) && !after.has(a, b, global);
            for (a, b) in [(a, b), (b, a)] {
                let at = after.at(a, b, global);
                after.set[at] |= new;
            }
            new
        };
        if backwards {
            for global in 0..form.global_count() as usize {
                add(&mut after, self.done, self.done, global);
            }
        } else {
            let begin =
                || form.node_numbers().filter(|&node| form.is_initial(node) || form.is_done(node)).map(|node| self.place(form, node));
            for (a, b) in begin().flat_map(|a| begin().map(move |b| (a, b))) {
                add(&mut after, a, b, form.initial_global() as usize);
            }
        }
        let mut grows = true;
        while grows {
            grows = false;
            for (&global, steps) in &steps {
                for a in 0..self.places {
                    for b in 0..self.places {
                        if !after.has(a, b, global) {
                            continue;
                        }
                        for &(c, to, then) in steps {
                            if c == a {
                                grows |= add(&mut after, to, b, then);
                            }
                            if !after.has(a, b, then) && after.has(a, c, global) && after.has(b, c, global) {
                                grows |= add(&mut after, a, b, then);
                            }
                        }
                    }
                }
            }
        }
        after
    }
}

fn pruned(form: &NormalForm) -> (Reduced, u64) {
    let mut reduced = Reduced::new(form.clone());
    let mut budget = Budget::ticks(TICKS);
    reduced.apply(&Entry::Pairs, &mut budget).expect("pruning comes to an end");
    (reduced, TICKS - budget.left())
}

#[test]
fn pruning_does_what_it_says() {
    let (mut possible, mut impossible, mut left_out) = (0, 0, 0);
    for (seed, &(nodes, _)) in (0..).zip(&WIDE) {
        let form = wide(&mut SplitMix64::new(seed), nodes);
        let (reduced, _) = pruned(&form);
        let mut stated = form.clone();
        let statement = Statement::new(&mut stated);
        assert_eq!(reduced.form(), &stated, "{nodes} nodes");
        left_out += form.steps().len() - stated.steps().len();
        let pairs: &Pairs = reduced.pairs().expect("pairs are known now");
        for global in 0..form.global_count() {
            for a in form.node_numbers() {
                let place = statement.place(&form, a);
                let visited = statement.has(place, statement.done, global as usize);
                assert_eq!(pairs.visits((a, global)), visited, "{nodes} nodes: {a} under {global}");
                for b in form.node_numbers() {
                    let meet = statement.has(place, statement.place(&form, b), global as usize);
                    assert_eq!(pairs.contains(a, b, global), meet, "{nodes} nodes: {a} and {b} under {global}");
                    assert_eq!(reduced.may_meet(a, b, global), meet);
                    *(if meet { &mut possible } else { &mut impossible }) += 1;
                }
            }
        }
    }
    assert!(possible > 10_000 && impossible > 10_000 && left_out > 50, "{possible} pairs, {impossible} not, {left_out} steps left out");
}

#[test]
fn pruning_has_its_price() {
    let prices: Vec<(u32, u64)> =
        (0..).zip(&WIDE).map(|(seed, &(nodes, _))| (nodes, pruned(&wide(&mut SplitMix64::new(seed), nodes)).1)).collect();
    assert_eq!(prices, WIDE);
}

#[test]
fn pairs_are_known_when_they_have_been_computed() {
    let mut reduced = Reduced::new(wide(&mut SplitMix64::new(0), 4));
    assert!(reduced.pairs().is_none() && reduced.may_meet(0, 0, 3));
    reduced.apply(&Entry::Pairs, &mut Budget::ticks(TICKS)).unwrap();
    assert!(reduced.pairs().is_some());
}
