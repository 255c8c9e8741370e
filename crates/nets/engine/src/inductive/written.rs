//! From clauses that are said to be an invariant to evidence: trees for what needs one, and only the clauses that are
//! needed.
//!
//! The [engine](super::engine) says which clauses a question needs; the exact solver makes the tree from those. Trees
//! number facts and clauses as the problem does that they are about, so they are numbered anew when clauses are left
//! out.

use std::collections::{BTreeMap, BTreeSet};

use serval_arith::Solver;
use serval_budget::{Budget, Stopped};
use serval_linear::{Combination, Node, Reference, Tree};
use serval_net_proof::inductive::{Effect, goal_problem, step_problem};
use serval_net_proof::{Clause, Inductive, Invariant};
use serval_petri::{Formula, Net, TransitionId};

use super::engine::{EngineAnswer, Lit};
use super::facts::refuted;
use super::shrink::{TICKS, fewer_atoms, size};
use super::theory::{Theory, before};

/// For a clause and a transition, by number, a tree that shows that the transition does not end it.
type Steps = Vec<(u32, u32, Tree)>;

/// A tree, and the clauses of the problem that it is about, ascending.
struct Proof {
    tree: Tree,
    about: Vec<usize>,
    /// How many inequalities come before those of clauses.
    before: usize,
}

/// Why there is no evidence.
pub(crate) enum Failed {
    Stopped(Stopped),
    /// The clauses leave the goal open.
    Goal,
    /// A transition ends a clause, at this marking.
    Step {
        clause: usize,
        transition: usize,
        marking: Vec<i64>,
    },
    /// A number does not fit.
    Unfit,
}

impl From<Stopped> for Failed {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

/// Evidence that these clauses are an invariant that excludes the goal. What is needed neither for the goal nor for
/// what is needed is left out, clauses first and then atoms of clauses; with `all`, nothing is.
pub(crate) fn written(net: &Net, goal: &Formula, clauses: &[Clause], all: bool, budget: &mut Budget) -> Result<Inductive, Failed> {
    let found = of_clauses(net, goal, clauses, all, budget)?;
    if all {
        return Ok(found);
    }
    let Some(fewer) = fewer_atoms(net, &found.invariant.clauses, &mut budget.part(TICKS)) else { return Ok(found) };
    // A clause that says more may need trees where the longer one needed none.
    Ok(match of_clauses(net, goal, &fewer, false, &mut budget.part(TICKS)) {
        Ok(shorter) if size(&shorter) <= size(&found) => shorter,
        _ => found,
    })
}

fn of_clauses(net: &Net, goal: &Formula, clauses: &[Clause], all: bool, budget: &mut Budget) -> Result<Inductive, Failed> {
    let mut asked = ClauseQuery::new(net, clauses);
    let goal_core = asked.goal(goal, budget)?;
    let for_goal = asked.proof(goal_core, 0, budget, |part| goal_problem(net, part, goal).ok(), |_| Failed::Goal)?;
    let needed: BTreeSet<usize> = if all { (0..clauses.len()).collect() } else { used(&for_goal, clauses) };
    let (kept, steps) = asked.steps(needed, budget)?;
    let tree = renumbered(&for_goal, &kept, clauses).ok_or(Failed::Unfit)?;
    Ok(Inductive { invariant: Invariant { clauses: kept.iter().map(|&clause| clauses[clause].clone()).collect(), steps }, tree })
}

/// These clauses of an invariant with all that they need, and why they are one.
pub(crate) fn invariant(net: &Net, clauses: &[Clause], needed: BTreeSet<usize>, budget: &mut Budget) -> Result<Invariant, Failed> {
    let (kept, steps) = ClauseQuery::new(net, clauses).steps(needed, budget)?;
    Ok(Invariant { clauses: kept.iter().map(|&clause| clauses[clause].clone()).collect(), steps })
}

/// The clauses, to find out which of them a question needs.
struct ClauseQuery<'a> {
    net: &'a Net,
    clauses: &'a [Clause],
    theory: Theory,
}

/// Clauses that are enough; `None` where that is not known.
type Core = Option<BTreeSet<usize>>;

/// Ticks for the engine in a question whose answer is known: it only makes the tree smaller.
const CORE_TICKS: u64 = 200_000;

impl<'a> ClauseQuery<'a> {
    fn new(net: &'a Net, clauses: &'a [Clause]) -> Self {
        let mut theory = Theory::new(net);
        clauses.iter().for_each(|clause| theory.clause(clause));
        Self { net, clauses, theory }
    }

    fn core(&mut self, more: Vec<Lit>, budget: &mut Budget) -> Result<Core, Failed> {
        budget.spend(1)?;
        let mut assumed = self.theory.switches.clone();
        assumed.extend(more);
        let mut part = budget.part(CORE_TICKS);
        let given = part.left();
        let answer = self.theory.engine.solve(&assumed, &mut part);
        budget.spend(given.saturating_sub(part.left()))?;
        Ok(match answer {
            Ok(EngineAnswer::None(needed)) => {
                let switches = &self.theory.switches;
                Some(needed.iter().filter_map(|lit| switches.binary_search_by_key(&lit.variable, |switch| switch.variable).ok()).collect())
            }
            _ => None,
        })
    }

    fn goal(&mut self, goal: &Formula, budget: &mut Budget) -> Result<Core, Failed> {
        match self.theory.formula(goal) {
            Some(lit) => self.core(vec![lit], budget),
            None => Ok(None),
        }
    }

    fn step(&mut self, clause: usize, transition: TransitionId, effect: &Effect, budget: &mut Budget) -> Result<Core, Failed> {
        match before(self.net, &self.clauses[clause], transition, effect) {
            Some(more) => self.core(more, budget),
            None => Ok(None),
        }
    }

    /// These clauses with all that they need, and trees for what needs one.
    fn steps(&mut self, mut needed: BTreeSet<usize>, budget: &mut Budget) -> Result<(Vec<usize>, Steps), Failed> {
        let (net, clauses) = (self.net, self.clauses);
        let mut open: Vec<usize> = needed.iter().copied().collect();
        let mut steps: BTreeMap<(usize, usize), Proof> = BTreeMap::new();
        let effects: Vec<Effect> = net.transitions().map(|transition| Effect::new(net, transition)).collect();
        while let Some(number) = open.pop() {
            for (transition, effect) in net.transitions().zip(&effects) {
                budget.spend(1)?;
                if effect.keeps(&clauses[number]).map_err(|_| Failed::Unfit)? {
                    continue;
                }
                // The clause itself is part of the problem.
                let core = self.step(number, transition, effect, budget)?;
                let core = core.map(|core| core.into_iter().chain([number]).collect());
                let before = net.inputs(transition).len();
                let failed = |marking| Failed::Step { clause: number, transition: transition.index(), marking };
                let problem = |part: &[Clause]| {
                    let at = part.iter().position(|clause| *clause == clauses[number])?;
                    step_problem(net, part, at, transition).ok()
                };
                let proof = self.proof(core, before, budget, problem, failed)?;
                for more in used(&proof, clauses) {
                    if needed.insert(more) {
                        open.push(more);
                    }
                }
                steps.insert((number, transition.index()), proof);
            }
        }
        let kept: Vec<usize> = needed.into_iter().collect();
        let number = |clause: usize| kept.binary_search(&clause).ok().and_then(|at| u32::try_from(at).ok());
        let trees = steps.into_iter().map(|((clause, transition), proof)| {
            Some((number(clause)?, u32::try_from(transition).ok()?, renumbered(&proof, &kept, clauses)?))
        });
        let steps = trees.collect::<Option<Vec<_>>>().ok_or(Failed::Unfit)?;
        Ok((kept, steps))
    }

    /// A tree from the clauses of a core, or from all of them.
    fn proof(
        &self,
        core: Core,
        before: usize,
        budget: &mut Budget,
        problem: impl Fn(&[Clause]) -> Option<serval_linear::Problem>,
        failed: impl Fn(Vec<i64>) -> Failed,
    ) -> Result<Proof, Failed> {
        let everything: Vec<usize> = (0..self.clauses.len()).collect();
        let cores = core.map(|core| core.into_iter().collect::<Vec<_>>()).into_iter().chain([everything]);
        let mut last = Failed::Unfit;
        for about in cores {
            let part: Vec<Clause> = about.iter().map(|&clause| self.clauses[clause].clone()).collect();
            let problem = problem(&part).ok_or(Failed::Unfit)?;
            match refuted(&mut Solver::new(problem), budget)? {
                Ok(tree) => return Ok(Proof { tree, about, before }),
                Err(values) => last = failed(values[..self.net.place_count()].to_vec()),
            }
        }
        Err(last)
    }
}

/// The places of clauses among the inequalities of a problem, or among its clauses.
struct Numbers {
    units: Vec<usize>,
    others: Vec<usize>,
}

impl Numbers {
    fn new(about: &[usize], clauses: &[Clause]) -> Self {
        let (units, others) = about.iter().partition(|&&clause| clauses[clause].len() == 1);
        Self { units, others }
    }
}

/// The clauses that a tree uses.
fn used(proof: &Proof, clauses: &[Clause]) -> BTreeSet<usize> {
    let numbers = Numbers::new(&proof.about, clauses);
    let mut used = BTreeSet::new();
    for node in &proof.tree.nodes {
        match node {
            Node::Clause { clause } => used.extend(numbers.others.get(*clause as usize)),
            Node::Farkas { combination } => used.extend(units(combination, proof.before, &numbers)),
            Node::Lattice { combination, tight, .. } => {
                used.extend(units(combination, proof.before, &numbers).chain(units(tight, proof.before, &numbers)));
            }
            Node::Bound { .. } | Node::Residue { .. } => {}
        }
    }
    used
}

fn units<'a>(combination: &'a Combination, before: usize, numbers: &'a Numbers) -> impl Iterator<Item = usize> + 'a {
    combination.iter().filter_map(move |&(reference, _)| match reference {
        Reference::Fact(fact) => numbers.units.get((fact as usize).checked_sub(before)?).copied(),
        Reference::AtLeastZero(_) => None,
    })
}

/// The tree with the numbers of the problem about these clauses.
fn renumbered(proof: &Proof, kept: &[usize], clauses: &[Clause]) -> Option<Tree> {
    let (from, to) = (Numbers::new(&proof.about, clauses), Numbers::new(kept, clauses));
    // Clauses of the goal come behind those of the invariant, and variables that name parts behind both.
    let clause = |number: usize| match from.others.get(number) {
        Some(clause) => to.others.binary_search(clause).ok(),
        None => Some(number - from.others.len() + to.others.len()),
    };
    let fact = |number: usize| match number.checked_sub(proof.before) {
        None => Some(number),
        Some(at) => match from.units.get(at) {
            Some(clause) => Some(proof.before + to.units.binary_search(clause).ok()?),
            None => Some(number - from.units.len() + to.units.len()),
        },
    };
    let combination = |given: &Combination| -> Option<Combination> {
        let one = |&(reference, multiplier): &(Reference, i128)| match reference {
            Reference::Fact(number) => Some((Reference::Fact(u32::try_from(fact(number as usize)?).ok()?), multiplier)),
            Reference::AtLeastZero(_) => Some((reference, multiplier)),
        };
        given.iter().map(one).collect()
    };
    let node = |node: &Node| {
        Some(match node {
            Node::Clause { clause: number } => Node::Clause { clause: u32::try_from(clause(*number as usize)?).ok()? },
            Node::Farkas { combination: given } => Node::Farkas { combination: combination(given)? },
            Node::Lattice { modulus, combination: given, tight } => {
                Node::Lattice { modulus: *modulus, combination: combination(given)?, tight: combination(tight)? }
            }
            Node::Bound { .. } | Node::Residue { .. } => node.clone(),
        })
    };
    Some(Tree { nodes: proof.tree.nodes.iter().map(node).collect::<Option<_>>()? })
}
