//! Order in time at a few moments: strictness with boundedly many cuts (Bouajjani, Emmi, Enea, Hamza 2013), which is
//! serializability of another system.
//!
//! A run is *c-strict* if for any `c` of its moments some serial run has its requests with their letters in an order
//! that has `A` before `B` wherever one of the moments is behind the last step of `A` and before the first step of `B`.
//! A system is `c`-strict if its complete runs are. A run of `n` requests is strict iff it is `(n - 1)`-strict: the
//! moments directly behind the last steps of all requests but one are between any two of which one precedes the other.
//!
//! # The system with cuts
//!
//! It has global states `(g, t)` for `t = 0 … c`, at first `(g₀, 0)`, and one more request, `tick`, which goes from
//! `(g, t)` to `(g, t + 1)` in one step. The other requests make the steps that they made and leave `t` alone. With its
//! first step a request takes some `i ≤ t`, with its last one some `j ≥ t`, and it answers `(a, i, j)` where it
//! answered `a`.
//!
//! **Theorem.** A system is `c`-strict iff the one with `c` cuts is serializable.
//!
//! *Proof.* Let the system with cuts be serializable, and let a complete run and `c` moments be given. Put ticks there,
//! and let each request take the `t` of its first step as `i` and that of its last step as `j`. Some serial run has the
//! same letters; there each request comes to be at a time `t` with `i ≤ t ≤ j`. If a moment is between the last step of
//! `A` and the first of `B`, then `A` has a `j` below the `i` of `B`, so it stands before `B`. Without ticks it is a
//! serial run of the system.
//!
//! Let the system be `c`-strict, and let a complete run of the one with cuts be given. Its ticks are at most `c`
//! moments of a run of the system, so there is an order for these. If `A` has a `j` below the `i` of `B`, then its last
//! step is at a time `t ≤ j`, and the first step of `B` is at a time `t ≥ i`, so that a tick is between them and `A`
//! stands before `B`. Put each request `x` into the phase that is the greatest `i` of the requests up to `x` in this
//! order. It is not below the `i` of `x`; and if it were above its `j`, then so were the `i` of some `y` before `x`,
//! and `x` stood before `y`. Phases do not fall, and there are as many ticks as the greatest needs; the others come at
//! the end. So it is a serial run with the same letters. ∎
//!
//! A run of the system with cuts that no serial run explains is therefore, without its ticks, one that is not strict.

use serval_budget::{Budget, Cancel, Stopped};
use serval_model::{Event, GlobalId, LocalId, NetworkSystem, Node, NodeStep, NormalForm, Run, Step, SystemBuilder};
use serval_proof::{Body, Caps, Certificate, Claim, Systems, check, fingerprint};

use crate::portfolio::{self, Found, Plan};

/// A system with cuts, and what its states are of the one without.
#[derive(Clone, Debug)]
pub struct Cut {
    /// The system.
    pub system: NetworkSystem,
    /// The node of each local state; none for those of ticks.
    nodes: Vec<Option<Node>>,
    /// How many global states there are without ticks.
    globals: u32,
}

/// The system with so many cuts. A tick for each step that is made.
pub fn cut(form: &NormalForm, cuts: u32, budget: &mut Budget) -> Result<Cut, Stopped> {
    let phases = u64::from(cuts) + 1;
    budget.spend((form.steps().len() as u64).saturating_mul(phases.saturating_mul(phases)))?;
    let mut builder = SystemBuilder::new();
    let mut nodes: Vec<Option<Node>> = Vec::new();
    let mut local = |builder: &mut SystemBuilder, name: &str, node: Option<Node>| {
        let made = builder.local(name);
        if made.index() == nodes.len() {
            nodes.push(node);
        }
        made
    };
    let globals: Vec<Vec<GlobalId>> =
        (0..=cuts).map(|t| (0..form.global_count()).map(|g| builder.global(&format!("{g} {t}"))).collect()).collect();
    for node in form.node_numbers().filter(|&node| form.is_initial(node)) {
        let (request, _) = form.nodes()[node as usize];
        let (start, request) = (local(&mut builder, &format!("{node}"), Some(node)), builder.request(&format!("{}", request.index())));
        builder.start(request, start);
    }
    for &NodeStep { node, global, to_node, to_global } in form.steps() {
        let answer = form.letter(to_node);
        for t in 0..=cuts {
            let (from_global, to_global) = (globals[t as usize][global as usize], globals[t as usize][to_global as usize]);
            for i in 0..=t {
                let from = local(&mut builder, &format!("{node} {i}"), Some(node));
                let come = form.is_initial(node).then(|| local(&mut builder, &format!("{node}"), Some(node)));
                let Some((_, response)) = answer else {
                    let to = local(&mut builder, &format!("{to_node} {i}"), Some(to_node));
                    come.into_iter().chain([from]).for_each(|from| builder.step(from, from_global, to, to_global));
                    continue;
                };
                for j in t..=cuts {
                    let to = local(&mut builder, &format!("{to_node} {i} {j}"), Some(to_node));
                    let told = builder.response(&format!("{} {i} {j}", response.index()));
                    builder.answer(to, told);
                    come.into_iter().chain([from]).for_each(|from| builder.step(from, from_global, to, to_global));
                }
            }
        }
    }
    let (tick, start, over) = (builder.request("tick"), local(&mut builder, "tick", None), local(&mut builder, "over", None));
    let told = builder.response("over");
    builder.start(tick, start);
    builder.answer(over, told);
    for two in globals.windows(2) {
        two[0].iter().zip(&two[1]).for_each(|(&before, &after)| builder.step(start, before, over, after));
    }
    let initial = globals[0][form.initial_global() as usize];
    Ok(Cut { system: builder.finish(initial), nodes, globals: form.global_count() })
}

impl Cut {
    /// A run without its ticks: which request, by number from 0 in the order in which they come, makes which step.
    pub fn steps(&self, run: &Run) -> Vec<(usize, NodeStep)> {
        let node = |local: LocalId| self.nodes.get(local.index()).copied().flatten();
        let global = |global: GlobalId| u32::try_from(global.index()).ok().map(|global| global % self.globals.max(1));
        let mut came = Vec::new();
        let mut steps = Vec::new();
        for event in run.events() {
            let &Event::Step { thread, step: Step { local, global: from, to_local, to_global } } = event else { continue };
            let (Some(node), Some(to_node), Some(from), Some(to)) = (node(local), node(to_local), global(from), global(to_global)) else {
                continue;
            };
            let number = came.iter().position(|&one| one == thread).unwrap_or_else(|| {
                came.push(thread);
                came.len() - 1
            });
            steps.push((number, NodeStep { node, global: from, to_node, to_global: to }));
        }
        steps
    }
}

/// What is known of the order in time at a few moments.
#[derive(Clone, Debug)]
pub enum AtCuts {
    /// A run that is not strict: which of its requests makes which step.
    Refuted(Vec<(usize, NodeStep)>),
    /// It agrees, whatever the moments: the checker has accepted a proof.
    Holds,
    /// Neither.
    Open,
}

/// Whether the order in time is kept at any so many moments. `rounds` and `percent` are those of the portfolio.
pub fn decide(form: &NormalForm, cuts: u32, (rounds, percent): (usize, u64), ticks: u64, cancel: &Cancel) -> Result<AtCuts, Stopped> {
    let cut = match cut(form, cuts, &mut Budget::new(ticks, cancel.clone())) {
        Ok(cut) => cut,
        Err(Stopped::OutOfTicks) => return Ok(AtCuts::Open),
        Err(Stopped::Cancelled) => return Err(Stopped::Cancelled),
    };
    let mut plan = Plan::new(portfolio::Method::ALL, cancel);
    (plan.rounds, plan.percent) = (rounds, percent);
    match portfolio::decide(&[&cut.system], 0, &plan).found {
        Found::Refuted { run, .. } => Ok(AtCuts::Refuted(cut.steps(&run))),
        Found::Serializable(parts, _) => Ok(if accepted(&cut.system, parts, cancel) { AtCuts::Holds } else { AtCuts::Open }),
        Found::Unknown(_) if cancel.is_cancelled() => Err(Stopped::Cancelled),
        Found::Unknown(_) => Ok(AtCuts::Open),
    }
}

/// Whether the checker accepts that a system is serializable.
fn accepted(system: &NetworkSystem, mut parts: Vec<serval_proof::Part>, cancel: &Cancel) -> bool {
    let text = system.to_json();
    let Some(part) = parts.pop().filter(|_| parts.is_empty()) else { return false };
    let certificate = Certificate { input: fingerprint(&text), component: 0, claim: Claim::Serializable, body: Body::Part(part) };
    check(&Systems { text: &text, systems: vec![system] }, &certificate, &Caps::default(), cancel).is_ok()
}
