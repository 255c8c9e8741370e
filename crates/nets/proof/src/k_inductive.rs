//! k-induction (Sheeran, Singh, Stålmarck 2000), evidence of the kind `k-inductive`: no short run ends in the goal, and
//! no long one does so for the first time.
//!
//! There is an invariant, as in [`inductive`](crate::inductive), which may have no clauses; `k` trees for the base
//! case; and one tree for the induction step. Each tree is about a problem that speaks of `j + 1` consecutive markings:
//!
//! 1. for the base case, in the `j`-th tree, `j < k`: `M_0` is the initial marking, an equality for each place; for the
//!    step, `j = k`, and `M_0` is any marking;
//! 2. for each moment `i < j` a choice of one transition: `s_{i,t} ≥ 0` with `Σ_t s_{i,t} = 1`;
//!    `M_{i+1} = M_i + Σ_t s_{i,t}·e(t)`, an equality for each place, and `M_i(p) ≥ Σ_t s_{i,t}·in(t)(p)`, an
//!    inequality for each place;
//! 3. all clauses of the invariant hold at `M_0, …, M_j`;
//! 4. for the step: `M_0, …, M_{k−1}` are not in the goal, if that can be written as a formula (divisibility cannot,
//!    and is left out);
//! 5. `M_j` is in the goal.
//!
//! The variables are those of `M_0`, `s_0`, `M_1`, `s_1` and so on, by place and by transition, and behind them those
//! that name parts of the goal and of its opposite.
//!
//! **Theorem.** If the checker accepts all trees, no marking of the goal can be reached.
//!
//! **Proof.** Otherwise take a run into the goal, and cut it off where it is there for the first time, after `n` steps.
//! All its markings meet the clauses, and `s_{i,t} = 1` for the transition that fires at `i`, 0 for others, meets (2).
//!
//! - If `n < k`, the run solves the problem of tree `n`.
//! - If not, its last `k + 1` markings solve that of the step, since the `k` before the last are not in the goal.
//!
//! But these problems have no solutions. ∎

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_linear::{Linear, Problem, Tree, check_tree};
use serval_petri::{Formula, Net};

use crate::Refusal;
use crate::conditions::NUMBERS;
use crate::equation::add_goal;
use crate::inductive::{Clause, Invariant, add_clauses, check_invariant};

/// Steps that are looked at at once, at most.
pub const MOST_STEPS: usize = 64;

/// No short run ends in the goal, and no long one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct KInductive {
    /// What holds in all reachable markings.
    pub invariant: Invariant,
    /// For each number of steps below `k`: no such run ends in the goal.
    pub base: Vec<Tree>,
    /// No `k` steps that begin anywhere lead into the goal for the first time.
    pub step: Tree,
}

serval_evidence::objects!(KInductive);

/// Checks the invariant and all trees.
pub(crate) fn check(net: &Net, goal: &Formula, evidence: &KInductive, budget: &mut Budget) -> Result<(), Refusal> {
    let steps = evidence.base.len();
    if steps > MOST_STEPS {
        return Err(Refusal::TooLarge { what: "steps of an induction", limit: u64::try_from(MOST_STEPS).unwrap_or(u64::MAX) });
    }
    let clauses = check_invariant(net, &evidence.invariant, budget)?;
    let moment = net.arc_count().saturating_add(net.place_count()).saturating_add(goal.parts().len());
    let moment = u64::try_from(moment).unwrap_or(u64::MAX);
    for (length, tree) in evidence.base.iter().chain([&evidence.step]).enumerate() {
        budget.spend(moment.saturating_mul(u64::try_from(length).unwrap_or(u64::MAX).saturating_add(1)))?;
        let problem = problem(net, &clauses, goal, length, length < steps)?;
        check_tree(&problem, tree, budget)?;
    }
    Ok(())
}

/// The problem of `length` steps, from the initial marking or, for the step, from anywhere. Who looks for a tree asks
/// for it here.
pub fn problem(net: &Net, clauses: &[Clause], goal: &Formula, length: usize, from_initial: bool) -> Result<Problem, Refusal> {
    let places = u32::try_from(net.place_count()).map_err(|_| NUMBERS)?;
    let transitions = u32::try_from(net.transition_count()).map_err(|_| NUMBERS)?;
    let steps = u32::try_from(length).map_err(|_| NUMBERS)?;
    let all = places.checked_add(transitions).and_then(|one| one.checked_mul(steps)).and_then(|all| all.checked_add(places));
    // All that follow are below this, so that nothing saturates.
    let mut problem = Problem { variables: all.ok_or(NUMBERS)?, ..Problem::default() };
    let width = places.saturating_add(transitions);
    let number = |moment: u32, of: u32| moment.saturating_mul(width).saturating_add(of);
    if from_initial {
        for (number, place) in (0..).zip(net.places()) {
            problem.equalities.push(Linear::from_wide([(number, -1)], net.initial_tokens(place).into()).ok_or(NUMBERS)?);
        }
    }
    for moment in 0..steps {
        let choice = |transition: u32| number(moment, places.saturating_add(transition));
        problem.equalities.push(Linear::new((0..transitions).map(|transition| (choice(transition), 1)), -1).ok_or(NUMBERS)?);
        let place_of = |place: u32| number(moment, place);
        let mut after: Vec<Vec<(u32, i128)>> =
            (0..places).map(|place| vec![(place_of(place), 1), (number(moment.saturating_add(1), place), -1)]).collect();
        let mut enough: Vec<Vec<(u32, i128)>> = (0..places).map(|place| vec![(place_of(place), 1)]).collect();
        for (chosen, transition) in (0..).zip(net.transitions()) {
            for &(place, weight) in net.inputs(transition) {
                after[place.index()].push((choice(chosen), -i128::from(weight)));
                enough[place.index()].push((choice(chosen), -i128::from(weight)));
            }
            for &(place, weight) in net.outputs(transition) {
                after[place.index()].push((choice(chosen), weight.into()));
            }
        }
        let linear = |terms: Vec<(u32, i128)>| Linear::from_wide(terms, 0).ok_or(NUMBERS);
        problem.equalities.extend(after.into_iter().map(linear).collect::<Result<Vec<_>, _>>()?);
        problem.inequalities.extend(enough.into_iter().map(linear).collect::<Result<Vec<_>, _>>()?);
    }
    for moment in 0..=steps {
        add_clauses(&mut problem, clauses, |place| number(moment, place))?;
    }
    if let Some(opposite) = goal.negated().filter(|_| !from_initial) {
        for moment in 0..steps {
            add_goal(&mut problem, &opposite, |place| number(moment, place))?;
        }
    }
    add_goal(&mut problem, goal, |place| number(steps, place))?;
    Ok(problem)
}
