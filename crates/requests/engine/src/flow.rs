//! Proofs by counting, with counterexamples by the way.
//!
//! What holds for counts of steps, and why, is said in [`serval_proof::flow`];
//! here it is put to use. The solver is asked for counts of a run whose answers
//! are not serial, of which it knows only what it has been told so far. What it
//! answers is
//!
//! - nothing: then there is a proof;
//! - counts that no run has, for one of the reasons in `cuts`: it gets that constraint;
//! - counts with serial answers: it gets a linear set of serial answers that
//!   contains them (`serial`);
//! - otherwise, perhaps, counts of a counterexample: if a run makes exactly
//!   these steps, it is one (`realise`). If not, we are stuck, and say so.
//!
//! [`bounded`] does the same with runs in which only a few requests are in
//! flight at any time; there all counts that are connected belong to a run.

pub mod bounded;
pub(crate) mod cuts;
pub(crate) mod phases;
pub(crate) mod realise;
pub mod serial;

use std::collections::BTreeMap;

use serval_arith::{Outcome, Solver};
use serval_budget::{Budget, Stopped};
use serval_linear::{Literal, Node, Tree};
use serval_model::{NormalForm, Run};
use serval_proof::flow::{Clause, Fact, FlowProof, fact_clause, flow_problem};

pub use realise::run_of;
use serial::{Answers, Serial};

/// How an attempt to prove a system by counting ended.
#[derive(Debug)]
pub enum FlowOutcome {
    /// A proof, but for its script.
    Proof(FlowProof),
    /// A run of [`NormalForm::to_system`] that should be a counterexample.
    Run(Run),
    /// Counts were found that look like a counterexample, but no run was.
    Stuck,
}

/// Tries to prove that a system is serializable.
///
/// The proof goes by the global state in which a run ends: the tree splits on
/// the first clause, and below it each case is a problem of its own. That the
/// run ends in `g` is there the last inequality, so that facts have the same
/// numbers as they will have in the tree.
pub fn prove(form: &NormalForm, budget: &mut Budget) -> Result<FlowOutcome, Stopped> {
    let serial = Serial::new(form, budget)?;
    let phases = phases::phases(form);
    let Some(problem) = budget.during(|| flow_problem(form, &phases))? else { return Err(Stopped::OutOfTicks) };
    let mut proof = FlowProof { phases, tree: Tree { nodes: vec![Node::Clause { clause: 0 }] }, ..FlowProof::default() };
    let mut clauses: Vec<Clause> = Vec::new();
    for end in 0..form.global_count() {
        let mut solver = budget.during(|| Solver::new(problem.clone()))?;
        match problem.clauses.first().and_then(|ends| ends.get(end as usize)) {
            Some(Literal::AtLeastZero(ends_here)) => solver.add_inequality(ends_here.clone()),
            _ => return Err(Stopped::OutOfTicks),
        }
        for clause in &clauses {
            solver.add_clause(clause.clone());
        }
        // Every round takes ticks.
        loop {
            budget.spend(1)?;
            let counts = match solver.solve(budget) {
                Outcome::Satisfiable(counts) => counts,
                Outcome::Refuted(tree) => {
                    proof.tree.nodes.extend(tree.nodes);
                    break;
                }
                Outcome::Stopped(stopped) => return Err(stopped),
            };
            let fact = match cuts::cut(form, &counts, end, budget)? {
                Some(cut) => cut.into(),
                None => match serial.walk(&answers(form, &counts), budget)? {
                    Some(walk) => match serial.generalise(&walk) {
                        Some(set) => Fact::Set(set),
                        None => return Ok(FlowOutcome::Stuck),
                    },
                    None => {
                        let order = realise::order(form, &counts, budget)?;
                        return Ok(order.and_then(|steps| run_of(form, &steps)).map_or(FlowOutcome::Stuck, FlowOutcome::Run));
                    }
                },
            };
            let Some(clause) = fact_clause(form, &serial.edges, &fact, budget)? else { return Err(Stopped::OutOfTicks) };
            log::trace!("flow: end {end}, fact {}: {fact:?}", proof.facts.len());
            proof.facts.push(fact);
            solver.add_clause(clause.clone());
            clauses.push(clause);
        }
    }
    Ok(FlowOutcome::Proof(proof))
}

/// How often each answer is given.
fn answers(form: &NormalForm, counts: &[i64]) -> Answers {
    let mut answers: BTreeMap<serval_model::Node, i64> = BTreeMap::new();
    for (step, &count) in form.steps().iter().zip(counts) {
        if count > 0 && form.is_done(step.to_node) {
            *answers.entry(step.to_node).or_default() += count;
        }
    }
    answers
}
