//! Cuts: a set of global states and a set of nodes that nothing leaves
//! unless a certain step is made.

use std::collections::BTreeMap;

use serval_model::{Node, NodeStep, NormalForm};

use crate::inductive::{Inductive, StepChange};
use crate::smtlib::{SmtTerm, all, any, at_most, equal, not, sum};
use crate::state::{GLOBAL, at, change, global_is, landed, made, made_of};
use crate::{Names, Obligation};

/// A step has led out, or the global state and all requests are inside and no
/// step was made outside.
fn cut(led_out: &str, globals: &[u32], outside: impl Iterator<Item = Node>, made_outside: &str) -> SmtTerm {
    let mut inside = vec![any(&globals.iter().map(|&global| global_is(global)).collect::<Vec<_>>())];
    inside.extend(outside.map(|node| equal(&at(node), "0")));
    inside.push(equal(made_outside, "0"));
    any(&[at_most("1", led_out), all(&inside)])
}

/// A cut from the beginning of the run.
pub(crate) fn forward(form: &NormalForm, globals: &[u32], nodes: &[Node], is_there: impl Fn(Node) -> bool) -> SmtTerm {
    let holds = |set: &[u32], number: u32| set.binary_search(&number).is_ok();
    let inside = |step: &NodeStep| holds(globals, step.global) && holds(nodes, step.node);
    let stays = |step: &NodeStep| holds(globals, step.to_global) && (holds(nodes, step.to_node) || form.is_done(step.to_node));
    let led_out = made_of(form, |step| inside(step) && !stays(step));
    let outside = form.node_numbers().filter(|&node| is_there(node) && !holds(nodes, node));
    cut(&led_out, globals, outside, &made_of(form, |step| !inside(step)))
}

/// A cut from the end of the run backwards, for runs that end inside.
///
/// The state of the run backwards is the global state, how many requests are
/// at each node, and how often each step has been taken back. A request that
/// is taken back to a fresh node is gone; one that is taken back to another
/// initial node may be gone at any time, as it may have come in there.
pub(crate) struct Backward<'a> {
    pub(crate) form: &'a NormalForm,
    pub(crate) globals: &'a [u32],
    pub(crate) nodes: &'a [Node],
}

impl Backward<'_> {
    fn inside(&self, step: &NodeStep) -> bool {
        self.globals.binary_search(&step.to_global).is_ok() && self.nodes.binary_search(&step.to_node).is_ok()
    }

    fn is_there(&self, landed: &[bool], node: Node) -> bool {
        !self.form.is_done(node) && (!self.form.is_initial(node) || landed[node as usize])
    }

    /// The steps that begin outside and end inside.
    fn led_in(&self) -> SmtTerm {
        let landed = landed(self.form);
        let stays = |step: &NodeStep| {
            let fresh = self.form.is_initial(step.node) && !landed[step.node as usize];
            self.globals.binary_search(&step.global).is_ok() && (fresh || self.nodes.binary_search(&step.node).is_ok())
        };
        made_of(self.form, |step| self.inside(step) && !stays(step))
    }

    fn made_outside(&self) -> SmtTerm {
        made_of(self.form, |step| !self.inside(step))
    }

    /// What it says about a whole run; the global state is the last.
    pub(crate) fn clause(&self) -> SmtTerm {
        let ends_outside: Vec<SmtTerm> = self.globals.iter().map(|&global| not(&global_is(global))).collect();
        any(&[all(&ends_outside), at_most("1", &self.led_in()), equal(&self.made_outside(), "0")])
    }

    pub(crate) fn obligations(&self, index: usize, names: &Names) -> Vec<Obligation> {
        let form = self.form;
        let landed = landed(form);
        let nodes: Vec<Node> = form.node_numbers().filter(|&node| self.is_there(&landed, node)).collect();
        let mut variables = vec![GLOBAL.to_owned()];
        variables.extend(nodes.iter().map(|&node| at(node)));
        variables.extend((0..form.steps().len()).map(made));
        let mut holds: Vec<SmtTerm> = variables.iter().map(|variable| at_most("0", variable)).collect();
        let outside = nodes.iter().copied().filter(|node| self.nodes.binary_search(node).is_err());
        holds.push(cut(&self.led_in(), self.globals, outside, &self.made_outside()));
        let title = vec![format!("A cut from the end of the run backwards (fact {}): what holds while steps are taken back.", index + 1)];
        let invariant = Inductive { title, name: format!("backward-{}-", index + 1), variables, holds, known: Vec::new() };
        let mut begins: Vec<SmtTerm> = invariant.variables.iter().skip(1).map(|variable| equal(variable, "0")).collect();
        begins.push(any(&self.globals.iter().map(|&global| global_is(global)).collect::<Vec<_>>()));
        let mut obligations = vec![invariant.initially(&begins)];
        for (index, &step) in form.steps().iter().enumerate() {
            obligations.push(invariant.after(&self.taken_back(index, step, &landed, names)));
        }
        for &node in nodes.iter().filter(|&&node| form.is_initial(node)) {
            let says = format!("a request that came in at {} is gone", names.node(node));
            let new = BTreeMap::from([(at(node), sum([(at(node), 1)], -1))]);
            obligations.push(invariant.after(&StepChange {
                name: format!("arrival-{node}"),
                says,
                needs: vec![at_most("1", &at(node))],
                new,
            }));
        }
        obligations
    }

    fn taken_back(&self, index: usize, step: NodeStep, landed: &[bool], names: &Names) -> StepChange {
        let back = NodeStep { node: step.to_node, global: step.to_global, to_node: step.node, to_global: step.global };
        // What has answered is not counted, so it is always there to be taken back.
        let is_there = |node: Node| self.is_there(landed, node);
        let mut change = change(self.form, index, back, is_there, names);
        change.says = format!("this is taken back: {}", names.step(index, step));
        change
    }
}
