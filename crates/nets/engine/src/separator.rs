//! Presburger inductive invariants (Leroux 2009), found by Houdini (Flanagan, Leino 2001): separators of a few shapes.
//!
//! A separator is clauses about tokens, firings and residues that exclude a goal; candidates are of few shapes
//! (`templates`).
//!
//! Clauses that hold on reachable markings are assumed to hold always, with the marking equation. If they do not
//! exclude the goal, there is no separator among them. If they do, some of them are *needed* for that; for each of
//! these and each transition others may be needed that the transition does not end it. A marking that meets all
//! clauses, and from which a transition leads to one that does not, takes all clauses away that do not hold there: no
//! invariant that is made of clauses that are left can have them (Houdini). So clauses become fewer until those that
//! are needed need no others, or the goal is not excluded. Only what is needed is ever asked about.
//!
//! Questions begin without clauses; a solution that does not meet all of them adds one that it does not meet.

mod templates;

use std::collections::{BTreeMap, BTreeSet};

use serval_arith::{Outcome, Solver};
use serval_budget::{Budget, Stopped};
use serval_linear::{Linear, Problem, Tree};
use serval_net_proof::backward::said_by_all;
use serval_net_proof::inductive::{Effect, goal_problem, step_problem};
use serval_net_proof::separator::{Atom, counting};
use serval_net_proof::{Evidence, Refusal, Separator};
use serval_petri::{Formula, Net, TransitionId};

use templates::Templates;

/// Places, and transitions, up to which separators are looked for.
const MOST: usize = 16;

/// What is known while clauses become fewer.
struct Houdini {
    counting: Net,
    effects: Vec<Effect>,
    /// The marking equation: two clauses for each place, which no transition changes.
    equation: Vec<Vec<Atom>>,
    templates: Templates,
    is_left: Vec<bool>,
}

/// What became of a question.
enum SeparatorOutcome {
    /// There is no solution; these clauses are enough.
    Refuted(BTreeSet<usize>),
    /// A solution that meets all clauses.
    Solution(Vec<i64>),
}

/// Looks for a separator; `None` where there is none of the shapes that are tried.
pub fn ask(net: &Net, goal: &Formula, budget: &mut Budget) -> Result<Option<Evidence>, Stopped> {
    if net.place_count() > MOST || net.transition_count() > MOST {
        return Ok(None);
    }
    budget.spend(1_000)?;
    let Some(mut houdini) = Houdini::new(net, goal) else { return Ok(None) };
    // By clause and transition the clauses that are enough.
    let mut proved: BTreeMap<(usize, usize), BTreeSet<usize>> = BTreeMap::new();
    'again: loop {
        proved.retain(|_, enough| enough.iter().all(|&clause| houdini.is_left[clause]));
        let Some(mut needed) = houdini.goal(goal, budget)? else { return Ok(None) };
        let mut open: Vec<usize> = needed.iter().copied().collect();
        while let Some(clause) = open.pop() {
            for transition in 0..houdini.effects.len() {
                let enough = match proved.get(&(clause, transition)) {
                    Some(enough) => enough.clone(),
                    None => match houdini.step(clause, transition, &needed, budget)? {
                        None => return Ok(None),
                        Some(SeparatorOutcome::Refuted(enough)) => {
                            proved.insert((clause, transition), enough.clone());
                            enough
                        }
                        Some(SeparatorOutcome::Solution(marking)) => {
                            houdini.remove(&marking, transition);
                            continue 'again;
                        }
                    },
                };
                open.extend(enough.into_iter().filter(|&more| needed.insert(more)));
            }
        }
        return houdini.written(goal, &needed, budget);
    }
}

/// The expression is 0, as two clauses.
fn zero(linear: &Linear) -> Option<[Vec<Atom>; 2]> {
    let opposite = Linear::from_wide(linear.terms().iter().map(|&(of, factor)| (of, -i128::from(factor))), -i128::from(linear.constant()))?;
    Some([vec![Atom::bound(linear.clone())], vec![Atom::bound(opposite)]])
}

impl Houdini {
    fn new(net: &Net, goal: &Formula) -> Option<Self> {
        let counting = counting(net)?;
        let effects: Vec<Effect> = counting.transitions().map(|transition| Effect::new(&counting, transition)).collect();
        let mut equation = Vec::new();
        for (number, place) in (0_u32..).zip(net.places()) {
            // M(p) − M0(p) − Σ e(t)(p)·y(t)
            let changes = effects.iter().zip(net.place_count()..).map(|(effect, counter)| {
                let change = effect.change().iter().find(|one| one.0 == number).map_or(0, |one| one.1);
                Some((u32::try_from(counter).ok()?, change.checked_neg()?))
            });
            let terms = changes.collect::<Option<Vec<_>>>()?.into_iter().chain([(number, 1)]);
            equation.extend(zero(&Linear::from_wide(terms, -i128::from(net.initial_tokens(place)))?)?);
        }
        let templates = Templates::new(&counting, net.place_count(), &said_by_all(net, goal)?);
        let is_left = vec![true; templates.clauses.len()];
        Some(Self { counting, effects, equation, templates, is_left })
    }

    fn clause(&self, clause: usize) -> Vec<Atom> {
        self.templates.clauses[clause].iter().map(|&atom| self.templates.atoms[atom].clone()).collect()
    }

    /// The marking equation with these clauses.
    fn clauses<'a>(&self, clauses: impl IntoIterator<Item = &'a usize>) -> Vec<Vec<Atom>> {
        self.equation.iter().cloned().chain(clauses.into_iter().map(|&clause| self.clause(clause))).collect()
    }

    /// Clauses that are left and do not hold.
    fn broken<'a>(&'a self, numbers: &[i64]) -> impl Iterator<Item = usize> + 'a {
        let holding = self.templates.holding(numbers);
        let holds = move |clause: &Vec<usize>| clause.iter().any(|&atom| holding[atom]);
        let left = self.templates.clauses.iter().enumerate().filter(|one| self.is_left[one.0]);
        left.filter(move |one| !holds(one.1)).map(|one| one.0)
    }

    /// Asks with more and more clauses, first with those that are needed anyway.
    fn question(
        &self,
        mut used: BTreeSet<usize>,
        needed: &BTreeSet<usize>,
        problem: impl Fn(&[Vec<Atom>]) -> Result<Problem, Refusal>,
        budget: &mut Budget,
    ) -> Result<Option<SeparatorOutcome>, Stopped> {
        loop {
            let clauses = self.clauses(&used);
            let Ok(problem) = problem(&clauses) else { return Ok(None) };
            budget.spend(u64::try_from(self.templates.atoms.len() / 8).unwrap_or(u64::MAX))?;
            match Solver::new(problem).solve(budget) {
                Outcome::Stopped(stopped) => return Err(stopped),
                Outcome::Refuted(_) => return Ok(Some(SeparatorOutcome::Refuted(used))),
                Outcome::Satisfiable(mut numbers) => {
                    numbers.truncate(self.counting.place_count());
                    let broken: Vec<usize> = self.broken(&numbers).collect();
                    let Some(&next) = broken.iter().find(|&clause| needed.contains(clause)).or(broken.first()) else {
                        return Ok(Some(SeparatorOutcome::Solution(numbers)));
                    };
                    used.insert(next);
                }
            }
        }
    }

    /// Clauses that exclude the goal.
    fn goal(&self, goal: &Formula, budget: &mut Budget) -> Result<Option<BTreeSet<usize>>, Stopped> {
        let said = self.question(BTreeSet::new(), &BTreeSet::new(), |clauses| goal_problem(&self.counting, clauses, goal), budget)?;
        Ok(match said {
            Some(SeparatorOutcome::Refuted(enough)) => Some(enough),
            Some(SeparatorOutcome::Solution(_)) | None => None,
        })
    }

    /// Clauses that are enough for the transition not to end this one.
    fn step(
        &self,
        clause: usize,
        transition: usize,
        needed: &BTreeSet<usize>,
        budget: &mut Budget,
    ) -> Result<Option<SeparatorOutcome>, Stopped> {
        let atoms = self.clause(clause);
        match (self.effects[transition].keeps(&atoms), TransitionId::try_from_index(transition)) {
            (Ok(true), _) => Ok(Some(SeparatorOutcome::Refuted(BTreeSet::new()))),
            (Ok(false), Some(transition)) => {
                let problem = |clauses: &[Vec<Atom>]| {
                    let at = clauses.iter().position(|one| *one == atoms).unwrap_or(clauses.len());
                    step_problem(&self.counting, clauses, at, transition)
                };
                self.question(BTreeSet::from([clause]), needed, problem, budget)
            }
            (Err(_), _) | (_, None) => Ok(None),
        }
    }

    /// Takes away the clauses that do not hold after the transition.
    fn remove(&mut self, marking: &[i64], transition: usize) {
        let mut after = marking.to_vec();
        for &(place, change) in self.effects[transition].change() {
            after[place as usize] = after[place as usize].saturating_add(i64::try_from(change).unwrap_or(0));
        }
        let broken: Vec<usize> = self.broken(&after).collect();
        broken.into_iter().for_each(|clause| self.is_left[clause] = false);
    }

    /// Evidence from clauses that need no others.
    fn written(&self, goal: &Formula, needed: &BTreeSet<usize>, budget: &mut Budget) -> Result<Option<Evidence>, Stopped> {
        let clauses = self.clauses(needed);
        let mut tree = |problem: Result<Problem, Refusal>| -> Result<Option<Tree>, Stopped> {
            let Ok(problem) = problem else { return Ok(None) };
            match Solver::new(problem).solve(budget) {
                Outcome::Stopped(stopped) => Err(stopped),
                Outcome::Refuted(tree) => Ok(Some(tree)),
                Outcome::Satisfiable(_) => Ok(None),
            }
        };
        let mut steps = Vec::new();
        for (number, clause) in clauses.iter().enumerate() {
            for (transition, effect) in self.counting.transitions().zip(&self.effects) {
                if effect.keeps(clause) == Ok(true) {
                    continue;
                }
                let Some(tree) = tree(step_problem(&self.counting, &clauses, number, transition))? else { return Ok(None) };
                let (Ok(number), Ok(transition)) = (u32::try_from(number), u32::try_from(transition.index())) else { return Ok(None) };
                steps.push((number, transition, tree));
            }
        }
        let Some(tree) = tree(goal_problem(&self.counting, &clauses, goal))? else { return Ok(None) };
        Ok(Some(Evidence::Separator(Separator { clauses, steps, tree })))
    }
}
