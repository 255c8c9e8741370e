//! Certificates of kind `points`: each request takes its place in the order at one of its steps.
//!
//! A proof has a script, a list of steps of the system that the script leaves, which are *places* (`points.places`),
//! and a proof of any kind that the *product* is serializable. The product has global states `(g, s)`, at first
//! `(g₀, g₀)`, and nodes `(n, open)` and `(n, a)` for letters `a`. For each step `(n, g) → (n', g')` and each `s`:
//!
//! - a request that is open, where the step is a place, looks at the letters `a` that steps lead to from `n'` and that
//!   one request alone can give from `s`. If there is exactly one, it takes it, and `s` becomes an `s'` that such a
//!   lone run leaves behind: `s` if it is one, else `g'`, else the least. If there is none or there are several, it
//!   stays open;
//! - if `n'` is the done node of a letter `a`, a request that is open takes `a` now, if it can be given from `s`. It
//!   answers `ok` if it has taken `a`, and else `bad`.
//!
//! **Theorem.** If no serial run of the product answers `bad` (`points.bad`) and the product is serializable, the
//! system is strict.
//!
//! *Proof.* A complete run of the product that answers `bad` has no serial run with the same answers, so there is none.
//! What the product adds is determined by the step and by where it is made, and hinders no step; so every complete run
//! of the reduced system is one of the product, by the same requests at the same places. All requests in it answer
//! `ok`: each has taken the letter that it gives, by a step of its own, and one after the other their lone runs lead
//! from `g₀` through the values of `s`. So they are a serial run, in the order of the steps by which the letters were
//! taken. If `A ≺ B`, all steps of `A` are before those of `B`, so it extends `≺`. The reduced system is strict, and
//! then the system is (lemmas 1 and 2 of [`super`]). ∎

use std::collections::BTreeSet;
use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};
use serval_budget::{Budget, Stopped};
use serval_evidence::require;
use serval_model::{NetworkSystem, Node, NodeStep, NormalForm, RequestId, ResponseId, SystemBuilder};

use super::monitor::Monitor;
pub use crate::certificate::Points;
use crate::flow::serial_edges;
use crate::script::check_script;
use crate::{Checked, Part, TooLarge, Work};

/// The names of the answers of the product.
const OK: &str = "ok";
const BAD: &str = "bad";

/// Checks that the product is serializable, and that none of its serial runs answers `bad`.
///
/// If so, the system is strict.
pub(crate) fn check_points(
    form: NormalForm,
    proof: &Points,
    inner: &mut dyn FnMut(NormalForm, &Part, &mut Work) -> Checked,
    work: &mut Work,
) -> Checked {
    let reduced = check_script(form, &proof.script, work)?;
    let form = reduced.form();
    work.spend(proof.places.len())?;
    let means = proof.places.is_sorted_by(|a, b| a < b) && proof.places.iter().all(|&step| (step as usize) < form.steps().len());
    require!(PointsPlaces, means, "a place is no step, or they are not in order");
    let product = work.within(|budget| product(form, &proof.places, budget))?;
    let (made, _) = NormalForm::new(&product).ok_or(TooLarge { what: "steps of the product", limit: u64::from(u32::MAX) })?;
    let bad = product.response_named(BAD);
    let edges = work.within(|budget| serial_edges(&made, budget))?;
    let answers = edges.iter().filter_map(|&(_, done, _)| made.letter(done));
    let all_fine = answers.map(|(_, response)| response).all(|response| Some(response) != bad);
    require!(PointsBad, all_fine, "one at a time, a request does not answer what it takes at its place");
    inner(made, &proof.proof, work)
}

/// Where a request of the product is: its node, and the letter that it has taken.
type ProductPlace = (Node, Option<Node>);

/// The product, as far as its local and its global states can be reached, whatever meets. A tick for each step.
pub fn product(form: &NormalForm, places: &[u32], budget: &mut Budget) -> Result<NetworkSystem, Stopped> {
    let monitor = Monitor::new(form, budget)?;
    let numbers: FxHashSet<u32> = places.iter().copied().collect();
    let is_place: FxHashSet<NodeStep> =
        (0..).zip(form.steps()).filter(|(number, _)| numbers.contains(number)).map(|(_, &step)| step).collect();
    let globals = Numbered::new([(form.initial_global(), form.initial_global())]);
    let nodes = Numbered::new(form.node_numbers().filter(|&node| form.is_initial(node)).map(|node| (node, None)));
    let mut making = Making { form, monitor, is_place, globals, nodes, steps: Vec::new() };
    making.explore(budget)?;
    Ok(making.finish())
}

/// Where a step of the product lands.
#[derive(Clone, Copy)]
enum Landing {
    At(usize),
    Answers { fine: bool },
}

/// Things by number, in the order in which they were met.
struct Numbered<T> {
    all: Vec<T>,
    numbers: FxHashMap<T, usize>,
}

impl<T: Copy + Eq + Hash> Numbered<T> {
    fn new(first: impl IntoIterator<Item = T>) -> Self {
        let mut numbered = Self { all: Vec::new(), numbers: FxHashMap::default() };
        for one in first {
            numbered.number(one);
        }
        numbered
    }

    fn number(&mut self, one: T) -> usize {
        *self.numbers.entry(one).or_insert_with(|| {
            self.all.push(one);
            self.all.len() - 1
        })
    }
}

/// A product that is being made.
struct Making<'a> {
    form: &'a NormalForm,
    monitor: Monitor<'a>,
    is_place: FxHashSet<NodeStep>,
    globals: Numbered<(u32, u32)>,
    nodes: Numbered<ProductPlace>,
    steps: Vec<(usize, usize, Landing, usize)>,
}

impl Making<'_> {
    /// Every node with every global state, until no new ones come.
    fn explore(&mut self, budget: &mut Budget) -> Result<(), Stopped> {
        let (mut globals, mut nodes) = (0, 0);
        while globals < self.globals.all.len() || nodes < self.nodes.all.len() {
            let (all_globals, all_nodes) = (self.globals.all.len(), self.nodes.all.len());
            for node in 0..all_nodes {
                let from = if node < nodes { globals } else { 0 };
                for global in from..all_globals {
                    self.steps_of(node, global, budget)?;
                }
            }
            (globals, nodes) = (all_globals, all_nodes);
        }
        Ok(())
    }

    fn steps_of(&mut self, node: usize, global: usize, budget: &mut Budget) -> Result<(), Stopped> {
        let form = self.form;
        let ((at, taken), (now, serial)) = (self.nodes.all[node], self.globals.all[global]);
        budget.spend(1)?;
        for &step in form.steps_from((at, now)) {
            budget.spend(1)?;
            let mut after = (taken, serial);
            if taken.is_none() && self.is_place.contains(&step) {
                let letters: BTreeSet<Node> = self.open_letters(step.to_node, serial, budget)?;
                if let (1, Some(&letter)) = (letters.len(), letters.first()) {
                    after = (Some(letter), self.left_behind(serial, letter, step.to_global).unwrap_or(serial));
                }
            }
            let landing = if form.is_done(step.to_node) {
                if after.0.is_none()
                    && let Some(behind) = self.left_behind(serial, step.to_node, step.to_global)
                {
                    after = (Some(step.to_node), behind);
                }
                Landing::Answers { fine: after.0 == Some(step.to_node) }
            } else {
                Landing::At(self.nodes.number((step.to_node, after.0)))
            };
            let to_global = self.globals.number((step.to_global, after.1));
            self.steps.push((node, global, landing, to_global));
        }
        Ok(())
    }

    /// The letters that steps lead to from a node, and that one request alone can give.
    fn open_letters(&self, node: Node, serial: u32, budget: &mut Budget) -> Result<BTreeSet<Node>, Stopped> {
        let alone = self.monitor.alone(serial);
        budget.spend(alone.len() as u64)?;
        Ok(alone.iter().map(|&(done, _)| done).filter(|&done| self.monitor.may_answer(node, done)).collect())
    }

    /// What a lone run with a letter leaves behind: the same, what is there now, or the least.
    fn left_behind(&self, serial: u32, letter: Node, now: u32) -> Option<u32> {
        let alone = self.monitor.alone(serial);
        let all = || alone.iter().filter(|&&(done, _)| done == letter).map(|&(_, to)| to);
        all().find(|&to| to == serial).or_else(|| all().find(|&to| to == now)).or_else(|| all().min())
    }

    fn finish(self) -> NetworkSystem {
        let mut builder = SystemBuilder::new();
        let answers = [OK, BAD].map(|name| {
            let (local, response): (_, ResponseId) = (builder.local(name), builder.response(name));
            builder.answer(local, response);
            local
        });
        let globals: Vec<_> = self.globals.all.iter().map(|(now, serial)| builder.global(&format!("{now} {serial}"))).collect();
        let locals: Vec<_> = (0..self.nodes.all.len()).map(|node| builder.local(&format!("at {node}"))).collect();
        for (&(node, taken), &local) in self.nodes.all.iter().zip(&locals) {
            let (request, _) = self.form.nodes()[node as usize];
            if taken.is_none() && self.form.is_initial(node) {
                let request: RequestId = builder.request(&format!("{}", request.index()));
                builder.start(request, local);
            }
        }
        for &(node, global, landing, to_global) in &self.steps {
            let to = match landing {
                Landing::At(at) => locals[at],
                Landing::Answers { fine } => answers[usize::from(!fine)],
            };
            builder.step(locals[node], globals[global], to, globals[to_global]);
        }
        builder.finish(globals[0])
    }
}
