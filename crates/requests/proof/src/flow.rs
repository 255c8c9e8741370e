//! Proofs by counting: how often each step is made.
//!
//! A [`FlowProof`] reduces the system by a script (which may be empty), says
//! what holds for the numbers of times that the steps of a complete run are
//! made, and shows by a [proof tree](serval_linear::tree) that no such numbers give
//! answers that are not serial.
//!
//! # What holds for counts
//!
//! The runs of a finite automaton are described by how often its edges are used:
//! flow equations, and that what is used is connected (Verma, Seidl and
//! Schwentick, On the complexity of equational Horn clauses, 2005). Here the
//! automaton is that of the global states, and the requests come in addition.
//!
//! Let a complete run of the system in normal form be given. It has a variable
//! `x_t` for each step `t`: how often it is made; a variable `f_g` for each
//! global state `g`: 1 for the one in which the run ends, 0 for the others.
//! Let the global states be put into *phases*, in any way. For each two phases
//! `P ≠ Q` such that some step leads from a state of `P` to one of `Q`, and each
//! node `n` that is not done and is landed on by some step, there is a variable
//! `c_{n,P,Q}`: how many requests are at `n`, before and after the step, when a
//! step leads from `P` to `Q`, summed over all such moments.
//!
//! 1. For each `g`: steps to `g`, plus 1 if `g` is initial, are as many as steps
//!    from `g` plus `f_g`. The sum of all `f_g` is 1, and one of them is at least 1
//!    (the first clause). (The global state is in `g` once for each arrival, and
//!    leaves or ends there.)
//! 2. For each node `n` that is not done and each phase `P`: landings on `n` under
//!    a global state in `P`, plus what is carried into `P`, is as much as
//!    departures from `n` under one in `P`, plus what is carried out of `P`; at
//!    most as much if `n` is initial. (Follow the requests at `n` while the
//!    global state is in `P`; each came there by landing or was there when the
//!    phase began, and leaves or is there when it ends; at the end of the run
//!    no request is at `n`. At initial nodes requests also come in.)
//! 3. `c_{n,P,Q} > 0` only if a step from `P` to `Q` is made.
//! 4. *Forwards* (`flow.forward`): let `G'` contain the initial global state and
//!    `L'` all initial nodes. If a step from outside `G' × L'` is made, a step from
//!    a point of `G' × L'` is made that ends in a global state outside `G'`, or at a
//!    node neither in `L'` nor done. (Until the first such step the global state
//!    is in `G'` and all requests are in `L'` or done.)
//! 5. *Backwards* (`flow.backward`): let `L'` contain all done nodes. If the final
//!    global state is in `G'` and a step is made that ends outside `G' × L'`, a step
//!    is made that ends at a point of `G' × L'` and begins in a global state outside
//!    `G'`, or at a node that is neither in `L'` nor *fresh*: initial, and landed on
//!    by no step. (The same, backwards from the end. Before the first step that
//!    a request makes from a fresh node it has made none, so for it nothing
//!    remains to be said; at an initial node that is landed on it may have made
//!    steps before.)
//! 6. *Pairs*: let `T'` be a set of steps, and let [pair pruning](crate::script::pairs)
//!    of the system with these steps alone leave out the steps `D`. If a step of
//!    `D` is made, one outside `T'` is made. (Otherwise the run is one of that
//!    system, and makes no step of `D`.)
//! 7. *Linear sets*: a set of answers that are all serial, see below. If all
//!    answers of the run were in it, they would be serial.
//!
//! # Linear sets
//!
//! An *edge* `g –a→ g'` says that one request alone, from an initial node under
//! `g`, can get to the done node `a` under `g'`. Edges are numbered by `(g, a, g')`.
//! A linear set is given by a *base* and *periods*, each a number of times for
//! some edges (`flow.edges`). In the base each state is left as often as it is
//! entered, but for the initial state, which is left once more, and a last one,
//! which is entered once more, unless the two are the same (`flow.base`). In a
//! period each state is left as often as entered (`flow.period`). The base is
//! connected and contains the initial state, and so are the base and any one
//! period together (`flow.connected`).
//!
//! *Then base plus any number of times each period is serial*: together they
//! are balanced but for the first and last state, and connected, so there is
//! an Euler walk from the initial state which uses each edge that often: a
//! serial run (the requests one after the other) with these answers.
//!
//! Let `b` and `p_1 … p_k` be the numbers of answers of base and periods, and
//! let for each period an expression `E_i` in the answers `r` and a number `d_i`
//! be given, any that the certificate likes. If all `E_i(r)` are at least 0 and
//! divisible by `d_i`, and `r − b = Σ (E_i(r)/d_i)·p_i`, then `r` is in the linear
//! set. So one of these fails for answers that are not serial, which is the
//! clause: some `E_i(r) ≤ −1`, or some `E_i(r)` is not divisible by `d_i`, or for
//! some letter `a` the number `D·(r_a − b_a) − Σ (D/d_i)·E_i(r)·p_i(a)` is not 0, where
//! `D` is a common multiple of the `d_i`.
//!
//! **Theorem.** If `check_flow` accepts, the system is serializable.
//!
//! *Proof.* The script keeps `Int` and `Ser` ([`crate::script`]). Let the answers
//! of a complete run be not serial. Then its counts solve the problem made of
//! 1 to 7: 1 to 6 hold for all complete runs, and 7 because the answers are in
//! no linear set. But the tree shows that there is no solution. ∎

mod sets;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serval_budget::{Budget, Stopped, checkpoint};
use serval_diagnostic::counted;
use serval_evidence::{objects, require};
use serval_model::{NodeStep, NormalForm};

use crate::script::{Entry, check_script, pairs, size};
use crate::{Checked, TooLarge, Work};
use serval_linear::{Linear, Literal, Problem, Tree};

pub use sets::{Edge, LinearSet, Period, Uses, answers_clause, check_set, lcm, letters_of, serial_edges, set_clause};

/// Evidence that no counts of steps give answers that are not serial.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowProof {
    /// Reductions, before anything is counted.
    pub script: Vec<Entry>,
    /// For each global state the number of its phase; empty: all in one.
    pub phases: Vec<u32>,
    /// What else holds for counts, in the order of the clauses.
    pub facts: Vec<Fact>,
    /// Why there are no counts.
    pub tree: Tree,
}

/// What holds for the counts of a run whose answers are not serial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fact {
    /// Nothing happens outside before something leads outside.
    Forward(Region),
    /// The same backwards.
    Backward(Region),
    /// Some steps need others: the steps that are *not* in `T'`, sorted.
    Pairs(Vec<u32>),
    /// The answers are not in a set of serial ones.
    Set(LinearSet),
}

/// What holds for the counts of every complete run, beside the equations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cut {
    /// As [`Fact::Forward`].
    Forward(Region),
    /// As [`Fact::Backward`].
    Backward(Region),
    /// As [`Fact::Pairs`].
    Pairs(Vec<u32>),
}

impl From<Cut> for Fact {
    fn from(cut: Cut) -> Self {
        match cut {
            Cut::Forward(region) => Self::Forward(region),
            Cut::Backward(region) => Self::Backward(region),
            Cut::Pairs(without) => Self::Pairs(without),
        }
    }
}

/// The points `G' × L'`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Region {
    /// `G'`, sorted.
    pub globals: Vec<u32>,
    /// `L'`, sorted.
    pub nodes: Vec<u32>,
}

objects!(Region);

impl Region {
    /// Whether both lists are in order: they are searched.
    fn is_sorted(&self) -> bool {
        [&self.globals, &self.nodes].into_iter().all(|list| list.is_sorted_by(|a, b| a < b))
    }

    fn has_global(&self, global: u32) -> bool {
        self.globals.binary_search(&global).is_ok()
    }

    fn has_node(&self, node: u32) -> bool {
        self.nodes.binary_search(&node).is_ok()
    }
}

/// A disjunction.
pub type Clause = Vec<Literal>;

/// Numbers that do not fit.
pub const TOO_LARGE: TooLarge = TooLarge { what: "integer bits", limit: 63 };

/// Checks a proof.
///
/// If it is accepted, the system is serializable.
pub(crate) fn check_flow(form: NormalForm, proof: &FlowProof, work: &mut Work) -> Checked {
    let reduced = check_script(form, &proof.script, work)?;
    let form = reduced.form();
    let phases = phases_fit(form, &proof.phases, work)?;
    let mut problem = flow_problem(form, phases).ok_or(TOO_LARGE)?;
    let edges = work.within(|budget| serial_edges(form, budget))?;
    for (index, fact) in proof.facts.iter().enumerate() {
        let checked = check_fact(form, &edges, fact, work);
        if checked.map_err(|refusal| refusal.about(None, format!("fact {}", index + 1)))? {
            work.spend(form.steps().len())?;
            let clause = work.within(|budget| fact_clause(form, &edges, fact, budget))?;
            problem.clauses.push(clause.ok_or(TOO_LARGE)?);
        }
    }
    work.check_tree(&problem, &proof.tree)
}

/// The phases, if there is one for each global state; pays for the problem that
/// they lead to.
pub(crate) fn phases_fit<'a>(form: &NormalForm, phases: &'a [u32], work: &mut Work) -> Checked<&'a [u32]> {
    let (given, there) = (phases.len(), form.global_count());
    let fits = given == 0 || given == there as usize;
    require!(FlowPhases, fits, about("the phases"), "there are {given}, and {}", counted(there, "global state"));
    let phases = if fits { phases } else { &[] };
    // Between two phases there is a variable for each node.
    let phase = |global: u32| phases.get(global as usize);
    let crossings: BTreeSet<_> = form.steps().iter().map(|step| (phase(step.global), phase(step.to_global))).collect();
    work.spend(size(form).saturating_add(crossings.len().saturating_mul(form.nodes().len())))?;
    Ok(phases)
}

/// The conditions of a fact; says whether it can be looked at any further.
fn check_fact(form: &NormalForm, edges: &[Edge], fact: &Fact, work: &mut Work) -> Checked<bool> {
    match fact {
        Fact::Forward(region) => check_forward(form, region)?,
        Fact::Backward(region) => check_backward(form, region)?,
        Fact::Pairs(_) => {}
        Fact::Set(set) => return check_set(form, edges, set, work),
    }
    Ok(true)
}

/// The conditions of a cut.
pub(crate) fn check_cut(form: &NormalForm, cut: &Cut) -> Checked {
    match cut {
        Cut::Forward(region) => check_forward(form, region),
        Cut::Backward(region) => check_backward(form, region),
        Cut::Pairs(_) => Ok(()),
    }
}

fn check_forward(form: &NormalForm, region: &Region) -> Checked {
    let begins = region.has_global(form.initial_global());
    let comes = form.node_numbers().filter(|&node| form.is_initial(node)).all(|node| region.has_node(node));
    let known = region.is_sorted() && begins && comes;
    require!(FlowForward, known, "the initial global state or an initial node is missing, or a list is not in order");
    Ok(())
}

fn check_backward(form: &NormalForm, region: &Region) -> Checked {
    let ends = form.node_numbers().filter(|&node| form.is_done(node)).all(|node| region.has_node(node));
    require!(FlowBackward, region.is_sorted() && ends, "a done node is missing, or a list is not in order");
    Ok(())
}

/// The clause of a fact; `None` where numbers do not fit.
pub fn fact_clause(form: &NormalForm, edges: &[Edge], fact: &Fact, budget: &mut Budget) -> Result<Option<Clause>, Stopped> {
    Ok(match fact {
        Fact::Forward(region) => forward_clause(form, region),
        Fact::Backward(region) => backward_clause(form, region),
        Fact::Pairs(without) => return pairs_clause(form, without, budget),
        Fact::Set(set) => set_clause(form, edges, set),
    })
}

/// The clause of a cut; `None` where numbers do not fit.
pub fn cut_clause(form: &NormalForm, cut: &Cut, budget: &mut Budget) -> Result<Option<Clause>, Stopped> {
    Ok(match cut {
        Cut::Forward(region) => forward_clause(form, region),
        Cut::Backward(region) => backward_clause(form, region),
        Cut::Pairs(without) => return pairs_clause(form, without, budget),
    })
}

fn forward_clause(form: &NormalForm, region: &Region) -> Option<Clause> {
    let inside = |step: &NodeStep| region.has_global(step.global) && region.has_node(step.node);
    let stays = |step: &NodeStep| region.has_global(step.to_global) && (region.has_node(step.to_node) || form.is_done(step.to_node));
    implies(form, |_, step| !inside(step), |_, step| inside(step) && !stays(step), &[])
}

fn backward_clause(form: &NormalForm, region: &Region) -> Option<Clause> {
    let inside = |step: &NodeStep| region.has_global(step.to_global) && region.has_node(step.to_node);
    let mut fresh: Vec<bool> = form.node_numbers().map(|node| form.is_initial(node)).collect();
    for step in form.steps() {
        fresh[step.to_node as usize] = false;
    }
    let stays = |step: &NodeStep| region.has_global(step.global) && (region.has_node(step.node) || fresh[step.node as usize]);
    let elsewhere: Vec<u32> = (0..form.global_count()).filter(|&global| !region.has_global(global)).collect();
    implies(form, |_, step| !inside(step), |_, step| inside(step) && !stays(step), &elsewhere)
}

fn pairs_clause(form: &NormalForm, without: &[u32], budget: &mut Budget) -> Result<Option<Clause>, Stopped> {
    let without: BTreeSet<u32> = without.iter().copied().collect();
    let outside = |variable: u32| without.contains(&variable);
    let kept = (0..).zip(form.steps()).filter(|&(variable, _)| !outside(variable)).map(|(_, step)| *step);
    let (pruned, _) = pairs::prune(form.clone().with_steps(kept.collect()), budget)?;
    let dead = |step: &NodeStep| pruned.steps().binary_search(step).is_err();
    Ok(implies(form, |variable, step| !outside(variable) && dead(step), |variable, _| outside(variable), &[]))
}

/// If a step of the first kind is made, so is one of the second, unless the run
/// ends in one of these global states. Steps are given with their variables.
fn implies(
    form: &NormalForm,
    first: impl Fn(u32, &NodeStep) -> bool,
    second: impl Fn(u32, &NodeStep) -> bool,
    unless: &[u32],
) -> Option<Clause> {
    let steps = || (0..).zip(form.steps());
    let none = steps().filter(|&(variable, step)| first(variable, step)).map(|(variable, _)| (variable, -1));
    let some = steps().filter(|&(variable, step)| second(variable, step)).map(|(variable, _)| (variable, 1));
    let mut clause = vec![Literal::AtLeastZero(Linear::new(none, 0)?), Literal::AtLeastZero(Linear::new(some, -1)?)];
    if !unless.is_empty() {
        let ends = unless.iter().map(|global| Some((final_variable(form, *global)?, 1)));
        clause.push(Literal::AtLeastZero(Linear::new(ends.collect::<Option<Vec<_>>>()?, -1)?));
    }
    Some(clause)
}

/// The variable `f_g`. Those of the steps come first, in their order.
fn final_variable(form: &NormalForm, global: u32) -> Option<u32> {
    u32::try_from(form.steps().len()).ok()?.checked_add(global)
}

/// What holds for the counts of every complete run: 1 to 3. The variables are
/// those of the steps, then those of the final global state, then what is
/// carried, by phases and node. Passes checkpoints.
pub fn flow_problem(form: &NormalForm, phases: &[u32]) -> Option<Problem> {
    let phase = |global: u32| phases.get(global as usize).copied().unwrap_or(0);
    let mut problem = Problem { variables: final_variable(form, form.global_count())?, ..Problem::default() };
    let mut control: Vec<Vec<(u32, i64)>> = vec![Vec::new(); form.global_count() as usize];
    let mut landed = vec![false; form.nodes().len()];
    // For each node and phase, what comes minus what goes.
    let mut tokens: BTreeMap<(u32, u32), Vec<(u32, i64)>> = BTreeMap::new();
    let mut crossings: BTreeMap<(u32, u32), Vec<(u32, i64)>> = BTreeMap::new();
    for (variable, step) in (0..).zip(form.steps()) {
        checkpoint::pass();
        control[step.to_global as usize].push((variable, 1));
        control[step.global as usize].push((variable, -1));
        tokens.entry((step.node, phase(step.global))).or_default().push((variable, -1));
        if !form.is_done(step.to_node) {
            landed[step.to_node as usize] = true;
            tokens.entry((step.to_node, phase(step.to_global))).or_default().push((variable, 1));
        }
        let (from, to) = (phase(step.global), phase(step.to_global));
        if from != to {
            crossings.entry((from, to)).or_default().push((variable, 1));
        }
    }
    let mut last = Vec::new();
    for (global, terms) in (0..form.global_count()).zip(control) {
        let ends = final_variable(form, global)?;
        last.push((ends, 1));
        let begins = i64::from(global == form.initial_global());
        problem.equalities.push(Linear::new(terms.into_iter().chain([(ends, -1)]), begins)?);
    }
    let ends = last.iter().map(|&(ends, _)| Linear::new([(ends, 1)], -1).map(Literal::AtLeastZero));
    problem.clauses.push(ends.collect::<Option<_>>()?);
    problem.equalities.push(Linear::new(last, -1)?);
    for (&(from, to), steps) in &crossings {
        for node in form.node_numbers().filter(|&node| landed[node as usize]) {
            checkpoint::pass();
            let carried = problem.variables;
            problem.variables = carried.checked_add(1)?;
            tokens.entry((node, from)).or_default().push((carried, -1));
            tokens.entry((node, to)).or_default().push((carried, 1));
            let taken = Linear::new(steps.iter().copied(), -1)?;
            problem.clauses.push(vec![Literal::AtLeastZero(Linear::new([(carried, -1)], 0)?), Literal::AtLeastZero(taken)]);
        }
    }
    for ((node, _), terms) in tokens {
        checkpoint::pass();
        if form.is_initial(node) {
            let goes = terms.into_iter().map(|(variable, sign)| (variable, -sign));
            problem.inequalities.push(Linear::new(goes, 0)?);
        } else {
            problem.equalities.push(Linear::new(terms, 0)?);
        }
    }
    Some(problem)
}
