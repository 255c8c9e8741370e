//! Facts by counting: whether a clause over the numbers of answers holds for
//! all complete runs of a slice.

use serval_arith::{Outcome, Solver};
use serval_budget::{Budget, Stopped};
use serval_linear::{Node as TreeNode, Tree};
use serval_model::{Node, NormalForm};
use serval_proof::flow::cut_clause;
use serval_proof::letters::fact::{counting_problem, slice};
use serval_proof::letters::{Bound, Counting};

use super::heights;
use crate::flow::{cuts, phases};

/// How an attempt to prove a clause ended.
pub(super) enum Proved {
    Yes(Counting),
    /// There are counts of steps that look like a run which violates it.
    No,
}

/// Tries to prove a clause, or that one of `outside` is answered.
///
/// As a proof by counting does, it goes by the global state in which a run ends.
pub(super) fn prove(form: &NormalForm, outside: &[Node], clause: &[Bound], budget: &mut Budget) -> Result<Proved, Stopped> {
    let slice = slice(form, outside);
    let phases = phases::phases(&slice);
    let problem = budget.during(|| counting_problem(&slice, &phases, clause))?;
    let Some(problem) = problem else { return Err(Stopped::OutOfTicks) };
    // What global states alone show is shown soon. Where nothing is outside they have been asked before.
    if !outside.is_empty()
        && let Some(tree) = heights::refute_within(&slice, &problem, clause, budget)?
    {
        return Ok(Proved::Yes(Counting { outside: outside.to_vec(), clause: clause.to_vec(), phases, cuts: Vec::new(), tree }));
    }
    let mut cuts = Vec::new();
    let mut clauses = Vec::new();
    // Without saying where the run ends: this refutes most, and is shorter.
    let mut solver = budget.during(|| Solver::new(serval_linear::Problem { clauses: Vec::new(), ..problem.clone() }))?;
    let mut tree = None;
    let mut part = budget.part(budget.left() / 2);
    let had = part.left();
    if let Outcome::Refuted(found) = solver.solve(&mut part) {
        tree = Some(found);
    }
    budget.spend(had - part.left())?;
    drop(solver);
    if tree.is_none() {
        let mut nodes = vec![TreeNode::Clause { clause: 0 }];
        for end in 0..slice.global_count() {
            let mut solver = budget.during(|| Solver::new(problem.clone()))?;
            match problem.clauses.first().and_then(|ends| ends.get(end as usize)) {
                Some(serval_linear::Literal::AtLeastZero(ends_here)) => solver.add_inequality(ends_here.clone()),
                _ => return Err(Stopped::OutOfTicks),
            }
            for clause in &clauses {
                solver.add_clause(Vec::clone(clause));
            }
            loop {
                let counts = match solver.solve(budget) {
                    Outcome::Satisfiable(counts) => counts,
                    Outcome::Refuted(tree) => {
                        nodes.extend(tree.nodes);
                        break;
                    }
                    Outcome::Stopped(stopped) => return Err(stopped),
                };
                let Some(cut) = cuts::cut(&slice, &counts, end, budget)? else { return Ok(Proved::No) };
                let Some(clause) = cut_clause(&slice, &cut, budget)? else { return Err(Stopped::OutOfTicks) };
                cuts.push(cut);
                solver.add_clause(clause.clone());
                clauses.push(clause);
            }
        }
        tree = Some(Tree { nodes });
    }
    let tree = tree.unwrap_or_default();
    Ok(Proved::Yes(Counting { outside: outside.to_vec(), clause: clause.to_vec(), phases, cuts, tree }))
}
