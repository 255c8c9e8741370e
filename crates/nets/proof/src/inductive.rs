//! Inductive invariants (found by IC3, Bradley 2011), evidence of the kind `inductive`: clauses that hold initially,
//! that every transition preserves, and that exclude the goal.
//!
//! An *invariant* is a list of *clauses*. A clause is a list of *atoms*, of which one must hold: bounds `a·M + c ≥ 0`
//! over the places of the net (`net.inductive.places`), or, in a [`separator`](crate::separator), residues: `d` does
//! not divide `a·M + c`. Each clause holds in the initial marking (`net.inductive.initial`). For each clause and each
//! transition `t` one of these is so (`net.inductive.step`):
//!
//! 1. no atom of the clause can be lost: `a·e(t) ≥ 0` for each bound of it, and `d` divides `a·e(t)` for each residue;
//! 2. some bound is met by what `t` gives: `a ≥ 0`, and `a·out(t) + c ≥ 0`;
//! 3. there is a proof tree for the clause and `t` (`net.inductive.number`: they are there), which shows that no
//!    numbers of tokens `M ≥ 0` meet all of
//!    - `M ≥ in(t)`, an inequality for each input;
//!    - all clauses (a clause of one bound is an inequality);
//!    - the negation, after the step, of each atom of the clause: for a bound `a·(M + e(t)) + c ≤ −1`, an inequality;
//!      for a residue `a'·M + c' = d·k`, an equality with a new variable `k ≥ 0`, where `a'` and `c'` are `a` and
//!      `a·e(t) + c` with each number reduced modulo `d`, from 0 to `d − 1`.
//!
//! **Theorem.** All clauses hold in every reachable marking.
//!
//! **Proof.** By induction on runs: they hold in the initial marking. Let them all hold at `M`, and let `t` lead from
//! `M ≥ in(t)` to `M + e(t)`. For each clause:
//!
//! 1. the bound that holds at `M` has a value that is no smaller at `M + e(t)`, and the value of a residue there is the
//!    same modulo `d`;
//! 2. `M + e(t) ≥ out(t)`, since `M ≥ in(t)`, so that the bound with `a ≥ 0` is at least `a·out(t) + c ≥ 0`;
//! 3. if no atom held at `M + e(t)`, each bound would be at most −1, as they are integers, and `d` would divide the
//!    value of each residue, which is `a'·M + c'` modulo `d`. This is not negative, so it is `d·k` with `k ≥ 0`, and
//!    `M` with these would solve the problem that has no solution. ∎
//!
//! A weighted sum that no transition increases is a clause of one bound, and so is a trap that is marked in the
//! beginning; (1) and (2) need no trees for them.
//!
//! **Theorem.** If moreover a tree shows that no `M ≥ 0` meets all clauses and the goal, written as in
//! [`equation`](crate::equation), no marking of the goal can be reached.
//!
//! **Proof.** A reachable marking of the goal would meet all clauses, and with the values of the variables that name
//! parts of the goal it would be a solution. ∎

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_evidence::require;
use serval_linear::{Linear, Literal, Problem, Tree, check_tree};
use serval_petri::{Formula, Net, PlaceId, TransitionId};

use crate::Refusal;
use crate::conditions::NUMBERS;
use crate::equation::add_goal;

/// A linear expression over the places of a net, by number, that is at least 0. As JSON a list: the constant, then
/// places, ascending, each with its factor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Vec<i64>", into = "Vec<i64>")]
pub struct Bound(pub Linear);

impl From<Bound> for Vec<i64> {
    fn from(Bound(linear): Bound) -> Self {
        let terms = linear.terms().iter().flat_map(|&(place, factor)| [i64::from(place), factor]);
        std::iter::once(linear.constant()).chain(terms).collect()
    }
}

impl TryFrom<Vec<i64>> for Bound {
    type Error = &'static str;

    fn try_from(numbers: Vec<i64>) -> Result<Self, &'static str> {
        let bound = numbers.split_first().and_then(|(&constant, rest)| {
            let (pairs, []) = rest.as_chunks() else { return None };
            let terms = pairs.iter().map(|&[place, factor]| Some((u32::try_from(place).ok()?, factor)));
            Linear::from_sorted(terms.collect::<Option<_>>()?, constant)
        });
        bound.map(Self).ok_or("these numbers are no bound")
    }
}

/// One of these bounds holds.
pub type Clause = Vec<Bound>;

/// What a clause is a list of.
pub trait Atom {
    /// An expression over the places of a net, by number.
    fn linear(&self) -> &Linear;

    /// A number, at least 1, that must not divide the expression; where there is none, it must be at least 0.
    fn divisor(&self) -> Option<u64>;
}

impl Atom for Bound {
    fn linear(&self) -> &Linear {
        &self.0
    }

    fn divisor(&self) -> Option<u64> {
        None
    }
}

/// Whether an atom whose expression has this value holds.
fn is_met(atom: &impl Atom, value: i128) -> bool {
    atom.divisor().map_or(value >= 0, |divisor| value.rem_euclid(i128::from(divisor)) != 0)
}

/// Clauses that hold in all reachable markings, with the reasons.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Invariant {
    /// What holds.
    pub clauses: Vec<Clause>,
    /// For a clause and a transition, by number, a tree that shows that the transition does not end it.
    pub steps: Vec<(u32, u32, Tree)>,
}

/// An invariant that excludes the goal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Inductive {
    /// What holds in all reachable markings.
    pub invariant: Invariant,
    /// Why the goal does not.
    pub tree: Tree,
}

serval_evidence::objects!(Invariant, Inductive);

/// Checks the invariant, and that it excludes the goal.
pub(crate) fn check(net: &Net, goal: &Formula, inductive: &Inductive, budget: &mut Budget) -> Result<(), Refusal> {
    let clauses = check_invariant(net, &inductive.invariant, budget)?;
    let problem = goal_problem(net, &clauses, goal)?;
    check_tree(&problem, &inductive.tree, budget)
}

/// Checks that all clauses hold in all reachable markings, and gives them.
pub fn check_invariant(net: &Net, invariant: &Invariant, budget: &mut Budget) -> Result<Vec<Clause>, Refusal> {
    check_clauses(net, &invariant.clauses, &invariant.steps, budget)
}

/// Checks that all clauses hold in all reachable markings, with these trees, and gives them.
pub(crate) fn check_clauses<A: Atom + Clone>(
    net: &Net,
    given: &[Vec<A>],
    steps: &[(u32, u32, Tree)],
    budget: &mut Budget,
) -> Result<Vec<Vec<A>>, Refusal> {
    let mut clauses: Vec<Vec<A>> = Vec::with_capacity(given.len());
    let initial = |place: u32| place_of(net, place).map_or(0, |place| net.initial_tokens(place).into());
    for (number, clause) in given.iter().enumerate() {
        budget.spend(size(clause))?;
        if !clause.iter().flat_map(|atom| atom.linear().terms()).all(|&(place, _)| place_of(net, place).is_some()) {
            require!(InductivePlaces, false, "clause {number} is not about places of the net");
            continue;
        }
        clauses.push(clause.clone());
        let mut holds = false;
        for atom in clause {
            holds |= is_met(atom, atom.linear().value(initial).ok_or(NUMBERS)?);
        }
        require!(InductiveInitial, holds, "clause {number} does not hold in the beginning");
    }
    let mut trees: BTreeMap<(usize, usize), &Tree> = BTreeMap::new();
    for (clause, transition, tree) in steps {
        let (clause, transition) = (*clause as usize, *transition as usize);
        let known = clause < clauses.len() && transition < net.transition_count();
        require!(InductiveNumber, known, "there is a tree for clause {clause} and transition {transition}, which are not there");
        trees.insert((clause, transition), tree);
    }
    let effects: Vec<Effect> = net.transitions().map(|transition| Effect::new(net, transition)).collect();
    for (number, clause) in clauses.iter().enumerate() {
        for (transition, effect) in net.transitions().zip(&effects) {
            budget.spend(size(clause))?;
            if effect.keeps(clause)? {
                continue;
            }
            let name = net.transition_name(transition);
            match trees.get(&(number, transition.index())) {
                Some(tree) => {
                    let problem = step_problem(net, &clauses, number, transition)?;
                    budget.spend(u64::try_from(problem.inequalities.len() + problem.clauses.len()).unwrap_or(u64::MAX))?;
                    check_tree(&problem, tree, budget)?;
                }
                None => require!(InductiveStep, false, "nothing shows that “{name}” does not end clause {number}"),
            }
        }
    }
    Ok(clauses)
}

fn size(clause: &[impl Atom]) -> u64 {
    u64::try_from(clause.iter().map(|atom| atom.linear().terms().len() + 1).sum::<usize>()).unwrap_or(u64::MAX)
}

fn place_of(net: &Net, number: u32) -> Option<PlaceId> {
    PlaceId::try_from_index(usize::try_from(number).ok()?).filter(|place| place.index() < net.place_count())
}

/// What a transition does, and what it gives, by place, ascending.
pub struct Effect {
    change: Vec<(u32, i128)>,
    given: Vec<(u32, i128)>,
}

impl Effect {
    /// That of a transition of the net.
    pub fn new(net: &Net, transition: TransitionId) -> Self {
        let number = |place: PlaceId| u32::try_from(place.index()).unwrap_or(u32::MAX);
        let given: Vec<(u32, i128)> = net.outputs(transition).iter().map(|&(place, weight)| (number(place), weight.into())).collect();
        let mut change: BTreeMap<u32, i128> = given.iter().copied().collect();
        net.inputs(transition).iter().for_each(|&(place, weight)| *change.entry(number(place)).or_default() -= i128::from(weight));
        Self { change: change.into_iter().filter(|one| one.1 != 0).collect(), given }
    }

    /// By how much tokens change, by place.
    pub fn change(&self) -> &[(u32, i128)] {
        &self.change
    }

    /// The sum of what the bound counts of these tokens.
    fn sum(bound: &Linear, tokens: &[(u32, i128)]) -> Result<i128, Refusal> {
        let mut sum = 0_i128;
        for &(place, factor) in bound.terms() {
            if let Ok(at) = tokens.binary_search_by_key(&place, |one| one.0) {
                let part = i128::from(factor).checked_mul(tokens[at].1).ok_or(NUMBERS)?;
                sum = sum.checked_add(part).ok_or(NUMBERS)?;
            }
        }
        Ok(sum)
    }

    /// Whether the transition keeps a clause for one of the reasons that need no tree.
    pub fn keeps(&self, clause: &[impl Atom]) -> Result<bool, Refusal> {
        let mut none_lost = true;
        for atom in clause {
            let (linear, change) = (atom.linear(), Self::sum(atom.linear(), &self.change)?);
            let Some(divisor) = atom.divisor() else {
                if linear.terms().iter().all(|term| term.1 >= 0)
                    && Self::sum(linear, &self.given)?.checked_add(linear.constant().into()).ok_or(NUMBERS)? >= 0
                {
                    return Ok(true);
                }
                none_lost &= change >= 0;
                continue;
            };
            none_lost &= change.rem_euclid(i128::from(divisor)) == 0;
        }
        Ok(none_lost)
    }
}

/// Adds all clauses; `variable` is that of a place.
pub(crate) fn add_clauses(problem: &mut Problem, clauses: &[Vec<impl Atom>], variable: impl Fn(u32) -> u32) -> Result<(), Refusal> {
    for clause in clauses {
        let mut literals = Vec::with_capacity(clause.len());
        for atom in clause {
            let linear = atom.linear();
            let terms = linear.terms().iter().map(|&(place, factor)| (variable(place), factor));
            let renamed = Linear::new(terms, linear.constant()).ok_or(NUMBERS)?;
            literals.push(match atom.divisor() {
                None => Literal::AtLeastZero(renamed),
                Some(divisor) => Literal::NotDivisible(renamed, divisor),
            });
        }
        match (literals.len(), literals.pop()) {
            (1, Some(Literal::AtLeastZero(bound))) => problem.inequalities.push(bound),
            (_, last) => problem.clauses.push(literals.into_iter().chain(last).collect()),
        }
    }
    Ok(())
}

/// What has no solution if the transition does not end the clause with this number: inputs, all clauses, and that no
/// atom of the clause holds afterwards. Who looks for a tree asks for it here.
pub fn step_problem<A: Atom>(net: &Net, clauses: &[Vec<A>], clause: usize, transition: TransitionId) -> Result<Problem, Refusal> {
    let mut problem = Problem { variables: u32::try_from(net.place_count()).map_err(|_| NUMBERS)?, ..Problem::default() };
    for &(place, weight) in net.inputs(transition) {
        let place = u32::try_from(place.index()).map_err(|_| NUMBERS)?;
        problem.inequalities.push(Linear::from_wide([(place, 1)], -i128::from(weight)).ok_or(NUMBERS)?);
    }
    add_clauses(&mut problem, clauses, |place| place)?;
    let effect = Effect::new(net, transition);
    for atom in clauses.get(clause).into_iter().flatten() {
        let linear = atom.linear();
        let constant = i128::from(linear.constant()).checked_add(Effect::sum(linear, &effect.change)?).ok_or(NUMBERS)?;
        let terms = linear.terms().iter();
        let Some(divisor) = atom.divisor().map(i128::from) else {
            let terms = terms.map(|&(place, factor)| (place, -i128::from(factor)));
            let constant = constant.checked_neg().and_then(|opposite| opposite.checked_sub(1)).ok_or(NUMBERS)?;
            problem.inequalities.push(Linear::from_wide(terms, constant).ok_or(NUMBERS)?);
            continue;
        };
        let quotient = problem.variables;
        problem.variables = quotient.checked_add(1).ok_or(NUMBERS)?;
        let terms = terms.map(|&(place, factor)| (place, i128::from(factor).rem_euclid(divisor))).chain([(quotient, -divisor)]);
        problem.equalities.push(Linear::from_wide(terms, constant.rem_euclid(divisor)).ok_or(NUMBERS)?);
    }
    Ok(problem)
}

/// What has no solution if the clauses exclude the goal.
pub fn goal_problem<A: Atom>(net: &Net, clauses: &[Vec<A>], goal: &Formula) -> Result<Problem, Refusal> {
    let mut problem = Problem { variables: u32::try_from(net.place_count()).map_err(|_| NUMBERS)?, ..Problem::default() };
    add_clauses(&mut problem, clauses, |place| place)?;
    add_goal(&mut problem, goal, |place| place)?;
    Ok(problem)
}
