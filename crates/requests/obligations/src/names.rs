//! What nodes and global states are called.

use serval_model::{LocalId, NetworkSystem, Node, NodeKind, NodeStep, NormalForm};
use serval_proof::script::Entry;

/// Names for the parts of a system in normal form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    globals: Vec<String>,
    nodes: Vec<String>,
}

impl Names {
    /// The names of a system in normal form; `locals` are the local states of its
    /// nodes, as [`NormalForm::new`] gives them.
    pub fn new(system: &NetworkSystem, form: &NormalForm, locals: &[LocalId]) -> Self {
        let globals = system.globals().map(|global| system.global_name(global).to_owned()).collect();
        let nodes = form.nodes().iter().enumerate().map(|(index, &(request, kind))| match (kind, locals.get(index)) {
            (NodeKind::Done(response), _) => format!("{}/{}", system.request_name(request), system.response_name(response)),
            (_, Some(&local)) => system.local_name(local).to_owned(),
            (_, None) => format!("node {index}"),
        });
        Self { globals, nodes: nodes.collect() }
    }

    /// The names after a script, which keeps numbers but may add copies.
    #[must_use]
    pub fn after(mut self, script: &[Entry]) -> Self {
        for entry in script {
            if let Some(node) = entry.copied() {
                self.nodes.push(format!("{} (coming in)", self.node(node)));
            }
        }
        self
    }

    pub(crate) fn node(&self, node: Node) -> &str {
        self.nodes.get(node as usize).map_or("?", String::as_str)
    }

    pub(crate) fn global(&self, global: u32) -> &str {
        self.globals.get(global as usize).map_or("?", String::as_str)
    }

    pub(crate) fn step(&self, index: usize, step: NodeStep) -> String {
        let (from, to) = (self.node(step.node), self.node(step.to_node));
        let (before, after) = (self.global(step.global), self.global(step.to_global));
        format!("step {index}: {from} under {before} to {to} under {after}")
    }

    /// The head of the scripts about an invariant.
    pub(crate) fn title(&self, what: &str) -> Vec<String> {
        let mut title = vec![format!("About {what}.")];
        title.extend(self.globals.iter().enumerate().map(|(index, name)| format!("g = {index}: {name}")));
        title.extend(self.nodes.iter().enumerate().map(|(index, name)| format!("at{index}: requests at {name}")));
        title.push("made0, made1, …: how often each step was made.".to_owned());
        title
    }
}
