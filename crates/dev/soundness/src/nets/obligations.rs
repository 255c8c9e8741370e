//! What makes evidence evidence, as problems that other solvers can be asked about: none of them has a solution.

use serval_arith::smtlib::script;
use serval_budget::Budget;
use serval_linear::Problem;
use serval_net_proof::backward::mirrored;
use serval_net_proof::decomposition::sequence::Sequence;
use serval_net_proof::decomposition::system::System;
use serval_net_proof::decomposition::{SequenceStep, replaced, value_problem};
use serval_net_proof::inductive::{Atom, goal_problem, step_problem};
use serval_net_proof::separator::counting;
use serval_net_proof::{Decomposition, Evidence, Refusal, equation, k_inductive};
use serval_petri::{Formula, Net, TransitionId};

const NOT_THERE: Refusal = Refusal::TooLarge { what: "transitions", limit: u32::MAX as u64 };

fn steps<A: Atom>(net: &Net, clauses: &[Vec<A>], steps: &[(u32, u32, serval_linear::Tree)]) -> Result<Vec<Problem>, Refusal> {
    let one = |&(clause, transition, _): &(u32, u32, serval_linear::Tree)| {
        step_problem(net, clauses, clause as usize, TransitionId::try_from_index(transition as usize).ok_or(NOT_THERE)?)
    };
    steps.iter().map(one).collect()
}

fn decomposition(net: &Net, goal: &Formula, decomposition: &Decomposition) -> Result<Vec<Problem>, Refusal> {
    let budget = &mut Budget::unlimited();
    let mut open = Sequence::cases(net, goal)?;
    open.reverse();
    let mut problems = Vec::new();
    for step in &decomposition.steps {
        let Some(sequence) = open.pop() else { break };
        match step {
            SequenceStep::Refuted(_) => problems.push(System::new(net, &sequence, false, budget)?.problem),
            SequenceStep::Value(value) => problems.push(value_problem(System::new(net, &sequence, false, budget)?, value)?),
            _ => {}
        }
        open.extend(replaced(net, &sequence, step, usize::MAX, budget)?.into_iter().rev());
    }
    Ok(problems)
}

/// The problems that trees in the evidence are about.
pub fn problems(net: &Net, goal: &Formula, evidence: &Evidence) -> Result<Vec<Problem>, Refusal> {
    Ok(match evidence {
        Evidence::Equation(equation) => vec![equation::problem(net, goal, equation)?],
        Evidence::Inductive(inductive) => {
            let clauses = &inductive.invariant.clauses;
            let mut problems = steps(net, clauses, &inductive.invariant.steps)?;
            problems.push(goal_problem(net, clauses, goal)?);
            problems
        }
        Evidence::KInductive(inductive) => {
            let clauses = &inductive.invariant.clauses;
            let mut problems = steps(net, clauses, &inductive.invariant.steps)?;
            for length in 0..=inductive.base.len() {
                problems.push(k_inductive::problem(net, clauses, goal, length, length < inductive.base.len())?);
            }
            problems
        }
        Evidence::Separator(separator) => {
            let counting = counting(net).ok_or(NOT_THERE)?;
            let mut problems = steps(&counting, &separator.clauses, &separator.steps)?;
            problems.push(goal_problem(&counting, &separator.clauses, goal)?);
            problems
        }
        Evidence::Backward(backward) => {
            let (mirror, end) = mirrored(net, goal).ok_or(NOT_THERE)?;
            problems(&mirror, &end, &backward.evidence)?
        }
        Evidence::Decomposition(evidence) => decomposition(net, goal, evidence)?,
        _ => Vec::new(),
    })
}

/// The problems as scripts, each with what is claimed of it.
pub fn scripts(net: &Net, goal: &Formula, evidence: &Evidence) -> Result<Vec<String>, String> {
    let problems = problems(net, goal, evidence).map_err(|refusal| format!("{refusal:?}"))?;
    Ok(problems.iter().map(|problem| script(problem, Some("unsat"))).collect())
}
