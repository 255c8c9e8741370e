//! Invariants: what holds at every moment of every run.
//!
//! An [`InvariantProof`] reduces the system by a script (which may be empty),
//! gives a formula about how often steps have been made and how many requests
//! are where, and shows by [proof trees](serval_linear::tree) that it holds in the
//! beginning, that each step keeps it, and that it leaves no complete run whose
//! answers are not serial.
//!
//! # What is said
//!
//! At each moment of a run of the system in normal form there is the global
//! state; a variable for each step: how often it has been made; and after
//! these a variable for each node: how many requests are there. (For a done node:
//! how many have answered so.) Variables are integers and at least 0.
//!
//! A *bound* says that a linear expression in these variables is at least 0; its
//! constant may depend on the global state. A *clause* is a list of bounds, one
//! of which holds. The *invariant* says that all clauses hold.
//!
//! # What is checked
//!
//! All numbers are of variables and global states that there are
//! (`invariant.numbers`).
//!
//! 1. *Beginning.* In the initial global state, where all variables are 0, some
//!    bound of each clause holds: it has a constant that is not negative
//!    (`invariant.initial`).
//! 2. *Arrivals.* No bound has a negative coefficient for an initial node
//!    (`invariant.arrival`).
//! 3. *Steps.* For a step `(l, g) → (l', g')` and a clause, the clause *afterwards*
//!    is the clause under `g'` with 1 added to the variables of the step and of
//!    `l'`, and 1 taken from that of `l`. If each of its bounds has at least the
//!    constant that it has under `g`, the step keeps the clause. Otherwise
//!    there is a tree for this step and this clause (`invariant.step`), which
//!    shows that the following has no solution: at least one request is at `l`;
//!    all clauses hold under `g`; no bound of the clause afterwards holds.
//! 4. *End.* For each global state there is a tree (`invariant.ends`), which shows
//!    that the following has no solution: no request is at a node that is not
//!    done; all clauses hold; the answers are in none of the linear sets.
//!
//! Linear sets and their conditions are those of
//! [proofs by counting](crate::flow).
//!
//! **Theorem.** If `check_invariant` accepts, the system is serializable.
//!
//! *Proof.* The script keeps `Int` and `Ser` ([`crate::script`]). By induction all
//! clauses hold at every moment of every run. In the beginning nothing has
//! happened, and 1 says so. A request that comes in adds 1 to the variable of
//! an initial node, which by 2 makes no bound smaller. After a step each
//! expression has the value that the bound afterwards has before it. If all
//! constants are at least what they were, a bound that held before holds after.
//! Otherwise the values before the step would be a solution of the problem in
//! 3, if the clause did not hold after it: there is a request at `l`, as it makes
//! the step, and the clauses hold before it.
//!
//! Let the answers of a complete run be not serial. At its end no request is in
//! flight, all clauses hold, and the answers are in no linear set, as these
//! contain serial answers only. But 4 says that there are no such numbers. ∎
//!
//! # Problems and their numbers
//!
//! In 3 and 4 clauses with one bound are inequalities of the problem, the others
//! are clauses, in the order in which they are given. In 3 the first inequality
//! is that a request is at `l`; after those of the invariant come the negated
//! bounds: an expression `e` is at most −1. In 4 the equalities say that no request
//! is at the nodes that are not done, in their order; the clauses of the
//! linear sets come last.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serval_diagnostic::counted;
use serval_evidence::{objects, require};
use serval_model::{NodeStep, NormalForm};

use crate::flow::{Clause, LinearSet, TOO_LARGE, check_set, serial_edges, set_clause};
use crate::script::{Entry, check_script, size};
use crate::{Checked, Work};
use serval_linear::{Linear, Literal, Problem, Tree};

/// Evidence that something holds at every moment, and leaves no answers that
/// are not serial.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InvariantProof {
    /// Reductions, before anything is said.
    pub script: Vec<Entry>,
    /// The invariant: of each of these lists one bound holds.
    pub clauses: Vec<Vec<Bound>>,
    /// Why steps keep clauses.
    pub kept: Vec<Preservation>,
    /// Sets of serial answers.
    pub sets: Vec<LinearSet>,
    /// For each global state why no run ends there with other answers.
    pub ends: Vec<Tree>,
}

/// A linear expression that is at least 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Bound {
    /// Variables and their coefficients, sorted, none 0: steps, then nodes.
    pub terms: Vec<(u32, i64)>,
    /// What is added under some global states, sorted.
    pub under: Vec<(u32, i64)>,
    /// What is added under all.
    pub constant: i64,
}

/// Why a step keeps a clause.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Preservation {
    /// The number of the step.
    pub step: u32,
    /// The number of the clause.
    pub clause: u32,
    /// The tree.
    pub tree: Tree,
}

objects!(Bound, Preservation);

impl Bound {
    /// The constant under a global state.
    fn constant_under(&self, global: u32) -> Option<i64> {
        let more = self.under.binary_search_by_key(&global, |&(at, _)| at).map_or(0, |at| self.under[at].1);
        self.constant.checked_add(more)
    }

    /// The expression under a global state, after its constant has changed.
    fn linear(&self, constant: i64) -> Option<Linear> {
        Linear::from_sorted(self.terms.clone(), constant)
    }

    fn coefficient(&self, variable: u32) -> i64 {
        self.terms.binary_search_by_key(&variable, |&(at, _)| at).map_or(0, |at| self.terms[at].1)
    }
}

/// The variable of a node. Those of the steps come first, in their order.
/// `None` where there are too many.
pub fn node_variable(form: &NormalForm, node: u32) -> Option<u32> {
    u32::try_from(form.steps().len()).ok()?.checked_add(node)
}

/// Checks a proof.
///
/// If it is accepted, the system is serializable.
pub(crate) fn check_invariant(form: NormalForm, proof: &InvariantProof, work: &mut Work) -> Checked {
    let reduced = check_script(form, &proof.script, work)?;
    let form = reduced.form();
    let bounds = || proof.clauses.iter().flatten();
    let terms = bounds().map(|bound| bound.terms.len() + bound.under.len() + 1).sum::<usize>();
    work.spend(terms.saturating_add(size(form)))?;
    let variables = node_variable(form, form.node_numbers().end).ok_or(TOO_LARGE)?;
    let known = bounds().all(|bound| {
        let sorted = bound.under.is_sorted_by(|a, b| a.0 < b.0) && bound.under.iter().all(|&(global, _)| global < form.global_count());
        sorted && bound.linear(0).is_some_and(|linear| linear.is_over(variables))
    });
    require!(InvariantNumbers, known, about("the invariant"), "a variable or global state that is not there, or a list not in order");
    if !known {
        return Ok(());
    }
    for (index, clause) in proof.clauses.iter().enumerate() {
        let begins = clause.iter().any(|bound| bound.constant_under(form.initial_global()).is_some_and(|constant| constant >= 0));
        require!(InvariantInitial, begins, about(format!("clause {index}")), "it does not hold in the beginning");
        for node in form.node_numbers().filter(|&node| form.is_initial(node)) {
            let variable = node_variable(form, node).ok_or(TOO_LARGE)?;
            let kept = clause.iter().all(|bound| bound.coefficient(variable) >= 0);
            require!(InvariantArrival, kept, about(format!("clause {index}")), "a request that comes in at node {node} can break it");
        }
        work.spend(form.nodes().len())?;
    }
    check_steps(form, proof, terms, work)?;
    check_ends(form, proof, terms, work)
}

/// Each step keeps each clause.
fn check_steps(form: &NormalForm, proof: &InvariantProof, terms: usize, work: &mut Work) -> Checked {
    let trees: BTreeMap<(u32, u32), &Tree> = proof.kept.iter().map(|kept| ((kept.step, kept.clause), &kept.tree)).collect();
    for (number, step) in (0..).zip(form.steps()) {
        for (index, clause) in (0..).zip(&proof.clauses) {
            work.spend(clause.len() + 1)?;
            let afterwards = afterwards(form, clause, number, step).ok_or(TOO_LARGE)?;
            if is_kept(clause, step.global, &afterwards) {
                continue;
            }
            let tree = trees.get(&(number, index));
            require!(InvariantStep, tree.is_some(), about(format!("clause {index}")), "nothing says why step {number} keeps it");
            let Some(tree) = tree else { continue };
            work.spend(terms)?;
            let problem = step_problem(form, &proof.clauses, step, &afterwards).ok_or(TOO_LARGE)?;
            let checked = work.check_tree(&problem, tree);
            checked.map_err(|refusal| refusal.about(None, format!("step {number} and clause {index}")))?;
        }
    }
    Ok(())
}

/// No run ends with answers that are not serial.
fn check_ends(form: &NormalForm, proof: &InvariantProof, terms: usize, work: &mut Work) -> Checked {
    let edges = work.within(|budget| serial_edges(form, budget))?;
    let mut sets = Vec::new();
    for (index, set) in proof.sets.iter().enumerate() {
        let checked = check_set(form, &edges, set, work);
        if checked.map_err(|refusal| refusal.about(None, format!("set {index}")))? {
            work.spend(form.steps().len())?;
            sets.push(set_clause(form, &edges, set).ok_or(TOO_LARGE)?);
        }
    }
    let said = proof.ends.len() == form.global_count() as usize;
    require!(
        InvariantEnds,
        said,
        about("the ends"),
        "there are {}, and {}",
        proof.ends.len(),
        counted(form.global_count(), "global state")
    );
    for (global, tree) in (0..form.global_count()).zip(&proof.ends) {
        work.spend(terms.saturating_add(size(form)).saturating_add(sets.iter().map(Vec::len).sum()))?;
        let problem = end_problem(form, &proof.clauses, &sets, global).ok_or(TOO_LARGE)?;
        work.check_tree(&problem, tree).map_err(|refusal| refusal.about(None, format!("global state {global}")))?;
    }
    Ok(())
}

/// The bounds of a clause after a step, in terms of the variables before it;
/// `None` where numbers do not fit.
pub fn afterwards(form: &NormalForm, clause: &[Bound], number: u32, step: &NodeStep) -> Option<Clause> {
    let (leaves, lands) = (node_variable(form, step.node)?, node_variable(form, step.to_node)?);
    let after = |bound: &Bound| {
        let more = bound.coefficient(number).checked_add(bound.coefficient(lands))?.checked_sub(bound.coefficient(leaves))?;
        bound.linear(bound.constant_under(step.to_global)?.checked_add(more)?)
    };
    clause.iter().map(|bound| after(bound).map(Literal::AtLeastZero)).collect()
}

/// Whether each bound has at least the constant that it has under `global`.
pub fn is_kept(clause: &[Bound], global: u32, afterwards: &[Literal]) -> bool {
    let mut both = clause.iter().zip(afterwards);
    both.all(|(bound, after)| bound.constant_under(global).is_some_and(|before| before <= after.linear().constant()))
}

/// What would hold if a step broke a clause; `None` where numbers do not fit.
pub fn step_problem(form: &NormalForm, clauses: &[Vec<Bound>], step: &NodeStep, afterwards: &[Literal]) -> Option<Problem> {
    let mut problem = Problem { variables: node_variable(form, form.node_numbers().end)?, ..Problem::default() };
    problem.inequalities.push(Linear::new([(node_variable(form, step.node)?, 1)], -1)?);
    state(&mut problem, clauses, step.global)?;
    for literal in afterwards {
        let linear = literal.linear();
        let negated = linear.terms().iter().map(|&(variable, coefficient)| Some((variable, coefficient.checked_neg()?)));
        problem.inequalities.push(Linear::new(negated.collect::<Option<Vec<_>>>()?, linear.constant().checked_neg()?.checked_sub(1)?)?);
    }
    Some(problem)
}

/// What would hold if a run ended in a global state with answers that are in
/// none of the sets; `None` where numbers do not fit.
pub fn end_problem(form: &NormalForm, clauses: &[Vec<Bound>], sets: &[Clause], global: u32) -> Option<Problem> {
    let mut problem = Problem { variables: node_variable(form, form.node_numbers().end)?, ..Problem::default() };
    for node in form.node_numbers().filter(|&node| !form.is_done(node)) {
        problem.equalities.push(Linear::new([(node_variable(form, node)?, 1)], 0)?);
    }
    state(&mut problem, clauses, global)?;
    problem.clauses.extend(sets.iter().cloned());
    Some(problem)
}

/// The clauses under a global state.
fn state(problem: &mut Problem, clauses: &[Vec<Bound>], global: u32) -> Option<()> {
    let under = |bound: &Bound| bound.linear(bound.constant_under(global)?);
    for clause in clauses {
        if let [only] = clause.as_slice() {
            problem.inequalities.push(under(only)?);
        } else {
            problem.clauses.push(clause.iter().map(|bound| under(bound).map(Literal::AtLeastZero)).collect::<Option<_>>()?);
        }
    }
    Some(())
}
