//! The normal form of a network system: threads that go from an initial node
//! to a done node.
//!
//! A *node* is where a request can be: a pair of a request and a local state,
//! or the *done node* of a letter `request/response`, where a request is after
//! it has answered. Steps `(n, g) → (n', g')` move one request. A request that
//! has not come in yet is at an initial node, so coming in is no event; a
//! response is folded into the step that lands where it can be given. A run
//! chooses finitely many requests, each at an initial node; it is complete
//! when all of them are at done nodes, and serial when each request makes its
//! steps one after the other without a step of another request in between.
//!
//! # The same behaviours
//!
//! For each step `(l, g) → (l', g')` of the system and each request `r` that can
//! be in `l` (that is: `l` can be reached from a start of `r` along steps,
//! whatever the global state), the normal form has `((r,l), g) → ((r,l'), g')` if
//! some step leaves `l'`, and `((r,l), g) → (done r/a, g')` for each response `a`
//! of `l'`; and for each start `l` of `r` and each response `a` of `l` it has
//! `((r,l), g) → (done r/a, g)` for every `g`.
//!
//! **Theorem.** The system and its normal form have the same multisets of
//! letters of complete runs, and of complete serial runs.
//!
//! *Proof.* Take a complete run of the system. Every request in it answers.
//! Move its answer directly behind its last step, or, if it makes none, make
//! it an event of its own; an answer changes neither the global state nor
//! another request, so what results is a run with the same letters, serial if
//! the first was. Leave out the spawns. A last step together with the answer
//! is a step to a done node, and an answer without a step is one of the steps
//! `((r,l), g) → (done r/a, g)`; every other step lands where a further step of
//! that request leaves, so it is in the normal form. Conversely, put a spawn
//! before the first step of each request, and replace each step to a done
//! node by what it was made from; a serial run stays serial. ∎
//!
//! Nodes that no step leaves and no done node are left out, because no
//! complete run visits them.

use serval_budget::checkpoint;

use crate::{GlobalId, Letter, LocalId, NetworkSystem, RequestId, ResponseId, SystemBuilder};

/// A node of a [`NormalForm`], by number.
pub type Node = u32;

/// A node and a global state: a place a request can be in, and when.
pub type Point = (Node, u32);

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeKind {
    /// A request may come in here.
    Initial,
    /// Somewhere on the way.
    Inner,
    /// The request has answered so.
    Done(ResponseId),
}

/// One step `(node, global) → (to_node, to_global)`; global states by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeStep {
    /// Where the request is.
    pub node: Node,
    /// The global state before.
    pub global: u32,
    /// Where the request is afterwards.
    pub to_node: Node,
    /// The global state afterwards.
    pub to_global: u32,
}

impl NodeStep {
    /// Where it begins.
    pub fn source(self) -> Point {
        (self.node, self.global)
    }

    /// Where it lands.
    pub fn target(self) -> Point {
        (self.to_node, self.to_global)
    }

    /// Whether it changes nothing.
    pub fn is_no_op(self) -> bool {
        self.source() == self.target()
    }
}

/// A system in normal form.
///
/// Nodes are numbered: first the pairs of a request and a local state, by
/// request and then by local state, then the done nodes by letter. Nodes that
/// rules add come last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NormalForm {
    globals: u32,
    initial_global: u32,
    nodes: Vec<(RequestId, NodeKind)>,
    /// Sorted, without repetition and without steps that change nothing.
    steps: Vec<NodeStep>,
    /// `steps[first[n] .. first[n + 1]]` leave node `n`.
    first: Vec<u32>,
}

impl NormalForm {
    /// The normal form of a system, and for each node that is not done the
    /// local state it stands for. `None` if it would have 2³² parts or more.
    pub fn new(system: &NetworkSystem) -> Option<(Self, Vec<LocalId>)> {
        let mut nodes = Vec::new();
        let mut locals = Vec::new();
        let mut letters: Vec<Letter> = Vec::new();
        // For each request the node of each local state.
        let mut node_of: Vec<Vec<Option<Node>>> = Vec::new();
        for request in system.requests() {
            // Every request may need a list of all local states.
            checkpoint::ask();
            let starts: Vec<LocalId> = system.starts().iter().filter(|&&(r, _)| r == request).map(|&(_, local)| local).collect();
            let mut of_request = vec![None; system.local_count()];
            for local in reachable(system, &starts).into_iter().enumerate().filter(|&(_, is)| is).map(|(l, _)| LocalId::from_index(l)) {
                letters.extend(system.answers_of(local).iter().map(|&(_, response)| (request, response)));
                let initial = starts.contains(&local);
                if initial || !system.steps_of(local).is_empty() {
                    of_request[local.index()] = Some(u32::try_from(nodes.len()).ok()?);
                    nodes.push((request, if initial { NodeKind::Initial } else { NodeKind::Inner }));
                    locals.push(local);
                }
            }
            node_of.push(of_request);
        }
        letters.sort_unstable();
        letters.dedup();
        let first_done = u32::try_from(nodes.len()).ok()?;
        nodes.extend(letters.iter().map(|&(request, response)| (request, NodeKind::Done(response))));
        u32::try_from(nodes.len()).ok()?;
        let globals = u32::try_from(system.global_count()).ok()?;
        let done = |request: RequestId, response: ResponseId| {
            letters.binary_search(&(request, response)).ok().and_then(|at| u32::try_from(at).ok()).map(|at| first_done + at)
        };
        let mut steps = Vec::new();
        for (node, &local) in (0..first_done).zip(&locals) {
            checkpoint::pass();
            let (request, kind) = nodes[node as usize];
            for step in system.steps_of(local) {
                let (global, to_global) = (number(step.global), number(step.to_global));
                let onward = node_of[request.index()][step.to_local.index()];
                if let Some(to_node) = onward.filter(|_| !system.steps_of(step.to_local).is_empty()) {
                    steps.push(NodeStep { node, global, to_node, to_global });
                }
                for &(_, response) in system.answers_of(step.to_local) {
                    steps.push(NodeStep { node, global, to_node: done(request, response)?, to_global });
                }
            }
            if kind == NodeKind::Initial {
                for &(_, response) in system.answers_of(local) {
                    let to_node = done(request, response)?;
                    steps.extend((0..globals).map(|g| NodeStep { node, global: g, to_node, to_global: g }));
                }
            }
        }
        u32::try_from(steps.len()).ok()?;
        Some((Self::from_parts(globals, number(system.initial_global()), nodes, steps), locals))
    }

    /// A normal form from its parts. Steps may come in any order and more than
    /// once; those that change nothing are left out, because without them the
    /// same runs are possible but for events that change nothing.
    ///
    /// The caller sees to it that all numbers are in range, and that there are
    /// fewer than 2³² steps.
    pub fn from_parts(globals: u32, initial_global: u32, nodes: Vec<(RequestId, NodeKind)>, mut steps: Vec<NodeStep>) -> Self {
        steps.retain(|step| !step.is_no_op());
        steps.sort_unstable();
        steps.dedup();
        let mut first = vec![0; nodes.len() + 1];
        for step in &steps {
            first[step.node as usize + 1] += 1;
        }
        for node in 0..nodes.len() {
            first[node + 1] += first[node];
        }
        Self { globals, initial_global, nodes, steps, first }
    }

    /// The same with other steps; see [`NormalForm::from_parts`].
    #[must_use]
    pub fn with_steps(self, steps: Vec<NodeStep>) -> Self {
        Self::from_parts(self.globals, self.initial_global, self.nodes, steps)
    }

    /// The number of global states.
    pub fn global_count(&self) -> u32 {
        self.globals
    }

    /// The global state in which everything begins.
    pub fn initial_global(&self) -> u32 {
        self.initial_global
    }

    /// The nodes: the request that can be there, and what the node is.
    pub fn nodes(&self) -> &[(RequestId, NodeKind)] {
        &self.nodes
    }

    /// The numbers of all nodes.
    pub fn node_numbers(&self) -> std::ops::Range<Node> {
        // Fewer than 2³² by construction.
        0..u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    /// Whether a request may come in at `node`.
    pub fn is_initial(&self, node: Node) -> bool {
        self.nodes[node as usize].1 == NodeKind::Initial
    }

    /// Whether a request at `node` has answered.
    pub fn is_done(&self, node: Node) -> bool {
        matches!(self.nodes[node as usize].1, NodeKind::Done(_))
    }

    /// The letter of a done node.
    pub fn letter(&self, node: Node) -> Option<Letter> {
        match self.nodes[node as usize] {
            (request, NodeKind::Done(response)) => Some((request, response)),
            _ => None,
        }
    }

    /// All steps, sorted.
    pub fn steps(&self) -> &[NodeStep] {
        &self.steps
    }

    /// The steps that a request at `node` can make.
    pub fn steps_of(&self, node: Node) -> &[NodeStep] {
        &self.steps[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }

    /// The steps that a request at a point can make.
    pub fn steps_from(&self, (node, global): Point) -> &[NodeStep] {
        let steps = self.steps_of(node);
        let from = steps.partition_point(|step| step.global < global);
        let to = from + steps[from..].partition_point(|step| step.global == global);
        &steps[from..to]
    }

    /// Whether there is a step from one point to another.
    pub fn has_step(&self, from: Point, to: Point) -> bool {
        let step = NodeStep { node: from.0, global: from.1, to_node: to.0, to_global: to.1 };
        self.steps_of(from.0).binary_search(&step).is_ok()
    }

    /// Whether every step goes from an initial node to a done node.
    ///
    /// Then every run is serial, as each request makes one step.
    pub fn is_atomic(&self) -> bool {
        self.steps.iter().all(|step| self.is_initial(step.node) && self.is_done(step.to_node))
    }

    /// A network system with these behaviours. Its requests and responses are
    /// those of `named`, with the same ids; its states have names of their own.
    pub fn to_system(&self, named: &NetworkSystem) -> NetworkSystem {
        let mut builder = SystemBuilder::new();
        let requests: Vec<RequestId> = named.requests().map(|request| builder.request(named.request_name(request))).collect();
        let responses: Vec<ResponseId> = named.responses().map(|response| builder.response(named.response_name(response))).collect();
        let globals: Vec<GlobalId> = (0..self.globals).map(|global| builder.global(&format!("g{global}"))).collect();
        let locals: Vec<LocalId> = self.node_numbers().map(|node| builder.local(&format!("n{node}"))).collect();
        for (&local, &(request, kind)) in locals.iter().zip(&self.nodes) {
            match kind {
                NodeKind::Initial => builder.start(requests[request.index()], local),
                NodeKind::Inner => {}
                NodeKind::Done(response) => builder.answer(local, responses[response.index()]),
            }
        }
        for step in &self.steps {
            let (from, to) = (globals[step.global as usize], globals[step.to_global as usize]);
            builder.step(locals[step.node as usize], from, locals[step.to_node as usize], to);
        }
        builder.finish(globals[self.initial_global as usize])
    }
}

fn number(global: GlobalId) -> u32 {
    // Ids are 32 bits wide.
    u32::try_from(global.index()).unwrap_or(u32::MAX)
}

/// The local states that can be reached from `starts` along steps, whatever
/// the global state.
fn reachable(system: &NetworkSystem, starts: &[LocalId]) -> Vec<bool> {
    let mut seen = vec![false; system.local_count()];
    let mut to_visit = Vec::new();
    let mut visit = |local: LocalId, to_visit: &mut Vec<LocalId>| {
        if !std::mem::replace(&mut seen[local.index()], true) {
            to_visit.push(local);
        }
    };
    for &local in starts {
        visit(local, &mut to_visit);
    }
    while let Some(local) = to_visit.pop() {
        for step in system.steps_of(local) {
            visit(step.to_local, &mut to_visit);
        }
    }
    seen
}
