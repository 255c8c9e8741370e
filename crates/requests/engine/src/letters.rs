//! Proofs over the numbers of answers alone.
//!
//! What such a proof is, and why it proves anything, is said in
//! [`serval_proof::letters`]; here it is found. The serial automaton is made
//! small (`collapse`); often a single state is left, and with it nothing to
//! prove but the guards of letters that were removed. Otherwise the solver is
//! asked for numbers of answers, small ones first, that meet all facts and are
//! in no region:
//!
//! - if a walk of the small automaton has them, a region around them is added
//!   (`region`);
//! - if not, they are not serial: a run is looked for that has them (`realise`),
//!   which is a counterexample, and a fact that excludes them: that some letter
//!   is not answered without others (`support`), or a clause that all serial
//!   runs meet (`dual`) and that global states (`heights`) or counting show for all runs (`counting`); or what
//!   is seen when a few requests are followed one by one;
//! - if neither is found, we are stuck, and say at which answers.
//!
//! Where letters fall into groups that do not stand in each other's way, each group
//! is covered on its own (`groups`), which takes the sum of the work and not the product.
//!
//! The solver gets every constraint only once; when it finds nothing more, its
//! refutation is the proof.

mod collapse;
mod counting;
#[cfg(test)]
mod covering;
mod dual;
mod followed;
mod groups;
mod heights;
mod levels;
mod realise;
mod region;
#[cfg(test)]
mod sample;
mod support;
mod told;
pub(crate) mod walk;

use std::collections::{BTreeMap, BTreeSet};

use serval_budget::{Budget, Stopped};
use serval_linear::{Linear, Literal, Node as TreeNode, Problem};
use serval_model::{Node, NormalForm, Run};
use serval_proof::flow::serial_edges;
use serval_proof::letters::{Automaton, Bound, Fact, LettersProof, add_region, class_automaton, class_clause, serial_automaton};

use crate::flow::realise::run_of;
use counting::Proved;
use groups::Grouped;
use levels::Collapsed;
use realise::{Realised, Wanted};
use support::{HOW, How, are_in};
use told::IncrementalSolver;

/// Answers of a run that is looked for, at most.
const PROBED: i64 = 12;
/// Ticks without which no runs are looked for beside answers that stay open.
const PROBING: u64 = 500_000;
/// Configurations that are looked at for a run, at least.
const CONFIGURATIONS: usize = 4_000;

/// A way to judge answers that are not serial: by a fact that excludes them, or by a run that has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refiner {
    /// A letter that is not answered without others, shown in the cheapest way.
    FirstSupport,
    /// A clause that all serial runs meet, shown by global states.
    GlobalStates,
    /// As [`Self::FirstSupport`], shown in the other ways.
    LaterSupports,
    /// A run.
    Run,
    /// A clause that all serial runs meet, shown by counting.
    Counting,
    /// What following a few requests one by one shows.
    Following,
}

/// The order for all letters together. To give a refiner a place, add it here and to `refined`.
const OF_THE_WHOLE: &[Refiner] =
    &[Refiner::FirstSupport, Refiner::GlobalStates, Refiner::LaterSupports, Refiner::Run, Refiner::Counting, Refiner::Following];
/// The order for a group. Runs are those of the whole system, and so are the pairs of the later supports, while a group
/// has few letters to be counted.
const OF_A_GROUP: &[Refiner] = &[Refiner::FirstSupport, Refiner::GlobalStates, Refiner::Counting, Refiner::LaterSupports];

/// What a refiner found.
enum Refinement {
    Fact(Fact),
    Run(Run),
}

/// How an attempt to prove a system ended.
#[derive(Debug)]
pub enum LettersOutcome {
    /// A proof, but for its script.
    Proof(LettersProof),
    /// A run of [`NormalForm::to_system`] that should be a counterexample.
    Run(Run),
    /// Neither; these answers could neither be realised nor excluded.
    Stuck(Vec<(Node, i64)>),
}

/// Tries to prove that a system is serializable.
pub fn prove(form: &NormalForm, budget: &mut Budget) -> Result<LettersOutcome, Stopped> {
    LettersProgress::default().prove(form, budget)
}

/// What attempts to prove a system have found so far. The next one goes on from there: facts and
/// regions hold however many ticks they took, so that attempts with more and more ticks take
/// together about as long as the last one alone.
#[derive(Debug, Default)]
pub struct LettersProgress(Option<Box<Begun>>);

/// The small automaton, and how far each way to go on from it has come.
#[derive(Debug)]
struct Begun {
    collapsed: Collapsed,
    /// The guards of letters that are removed.
    facts: Vec<Fact>,
    groups: Grouped,
    whole: Option<LettersWork>,
}

impl LettersProgress {
    /// Whether there is anything to go on from.
    pub fn is_begun(&self) -> bool {
        self.0.is_some()
    }

    /// Tries to prove a system, which is the same each time.
    pub fn prove(&mut self, form: &NormalForm, budget: &mut Budget) -> Result<LettersOutcome, Stopped> {
        let mut begun = match self.0.take() {
            Some(begun) => begun,
            None => {
                let serial = serial_automaton(form, serial_edges(form, budget)?);
                let mut facts = Vec::new();
                let collapsed = levels::collapse(form, serial, BTreeSet::new(), &mut facts, budget)?;
                Box::new(Begun { collapsed, facts, groups: Grouped::default(), whole: None })
            }
        };
        let found = begun.prove(form, budget);
        if !matches!(found, Ok(LettersOutcome::Proof(_) | LettersOutcome::Run(_))) {
            self.0 = Some(begun);
        }
        found
    }
}

impl Begun {
    fn prove(&mut self, form: &NormalForm, budget: &mut Budget) -> Result<LettersOutcome, Stopped> {
        // Where groups are not enough, all letters together may be.
        let mut part = budget.part(budget.left() / 2);
        let had = part.left();
        let grouped = self.groups.prove(form, &self.collapsed, &self.facts, &mut part);
        budget.spend(had - part.left())?;
        let proof = match grouped {
            Ok(Some(proof)) => proof,
            Ok(None) | Err(Stopped::OutOfTicks) => {
                let Collapsed { automaton, removed, .. } = &self.collapsed;
                let rest = || Collapsed { levels: Vec::new(), automaton: automaton.clone(), removed: removed.clone() };
                match self.whole.get_or_insert_with(|| LettersWork::new(form, rest(), self.facts.clone())).cover(form, budget)? {
                    LettersOutcome::Proof(proof) => proof,
                    other => return Ok(other),
                }
            }
            Err(stopped) => return Err(stopped),
        };
        Ok(LettersOutcome::Proof(LettersProof { levels: std::mem::take(&mut self.collapsed.levels), ..proof }))
    }
}

/// A proof in the making.
#[derive(Clone, Debug)]
struct LettersWork {
    proof: LettersProof,
    /// The automaton over classes that is left.
    automaton: Automaton,
    /// For each node that is done the number of its class.
    class_of: Vec<Option<usize>>,
    /// Letters that are removed.
    removed: BTreeSet<Node>,
    /// What counts of classes must meet that are not known to be serial.
    problem: Problem,
    /// For each of its clauses the number of its fact; those of regions have none.
    fact_of: Vec<Option<usize>>,
    /// Whether this is about a group of letters: then the whole is looked at elsewhere if it
    /// cannot be proved.
    is_group: bool,
    /// Knows the problem, and so does another solver of solutions whose sum is bounded.
    all: IncrementalSolver,
    small: IncrementalSolver,
    bound: i64,
}

impl LettersWork {
    /// What is left to prove about the letters of an automaton that levels lead to.
    fn new(form: &NormalForm, collapsed: Collapsed, facts: Vec<Fact>) -> Self {
        let Collapsed { levels, automaton, removed } = collapsed;
        let mut proof = LettersProof { facts, levels, ..LettersProof::default() };
        let mut classes: BTreeMap<Vec<(u32, u32)>, Vec<Node>> = BTreeMap::new();
        let mut arcs: BTreeMap<Node, Vec<(u32, u32)>> = BTreeMap::new();
        for &(from, letter, to) in &automaton.edges {
            arcs.entry(letter).or_default().push((from, to));
        }
        for letter in form.node_numbers().filter(|&node| form.is_done(node) && !removed.contains(&node)) {
            classes.entry(arcs.remove(&letter).unwrap_or_default()).or_default().push(letter);
        }
        proof.classes = classes.into_values().collect();
        proof.classes.sort_unstable();
        let mut class_of = vec![None; form.nodes().len()];
        for (number, class) in proof.classes.iter().enumerate() {
            for &letter in class {
                class_of[letter as usize] = Some(number);
            }
        }
        let automaton = class_automaton(&automaton, &proof.classes);
        let variables = u32::try_from(proof.classes.len()).unwrap_or(u32::MAX);
        let mut problem = Problem { variables, ..Problem::default() };
        let mut fact_of = Vec::new();
        for (number, fact) in proof.facts.iter().enumerate() {
            if let Some(clause) = class_clause(&proof.classes, fact) {
                problem.clauses.push(clause);
                fact_of.push(Some(number));
            }
        }
        let (all, small) = (IncrementalSolver::new(variables, None), IncrementalSolver::new(variables, Some(1)));
        Self { proof, automaton, class_of, removed, problem, fact_of, is_group: false, all, small, bound: 1 }
    }

    /// Covers all numbers of answers that the facts leave with regions. Can be called again where it
    /// found no proof.
    fn cover(&mut self, form: &NormalForm, budget: &mut Budget) -> Result<LettersOutcome, Stopped> {
        let classes = self.problem_classes();
        loop {
            let counts = match self.small.solve(&self.problem, budget)? {
                Ok(counts) => counts,
                Err(_) => match self.all.solve(&self.problem, budget)? {
                    Err(tree) => {
                        self.proof.tree = tree;
                        if !self.is_group {
                            self.number_clauses(None);
                        }
                        return Ok(LettersOutcome::Proof(std::mem::take(&mut self.proof)));
                    }
                    Ok(counts) => {
                        // Smaller ones first: they are easier to judge.
                        let sum = counts.iter().take(self.proof.classes.len()).fold(0_i64, |sum, &count| sum.saturating_add(count));
                        self.bound = sum.min(self.bound.saturating_mul(2));
                        self.small = IncrementalSolver::new(classes, Some(self.bound));
                        continue;
                    }
                },
            };
            let counts = &counts[..self.proof.classes.len()];
            if walk::walk(&self.automaton, counts, budget)?.is_some() {
                let Some(region) = region::find_region(&self.automaton, classes, counts, budget)? else {
                    return Ok(self.stuck(counts));
                };
                if add_region(&mut self.problem, &self.automaton, classes, &region).is_none() {
                    return Err(Stopped::OutOfTicks);
                }
                self.fact_of.resize(self.problem.clauses.len(), None);
                self.proof.regions.push(region);
            } else {
                match self.refined(form, counts, budget)? {
                    Some(Refinement::Fact(fact)) => self.learn(fact)?,
                    Some(Refinement::Run(run)) => return Ok(LettersOutcome::Run(run)),
                    None => {
                        // No proof any more; but answers near these may be those of a run.
                        let first = self.stuck(counts);
                        if self.is_group || budget.left() < PROBING {
                            return Ok(first);
                        }
                        // What is excluded there without a fact must be forgotten here.
                        let run = self.clone().probe(form, counts.to_vec(), budget)?;
                        return Ok(run.map_or(first, LettersOutcome::Run));
                    }
                }
            }
        }
    }

    /// What the first refiner that succeeds says of answers that are not serial.
    fn refined(&self, form: &NormalForm, counts: &[i64], budget: &mut Budget) -> Result<Option<Refinement>, Stopped> {
        let (first, later) = HOW.split_at(1);
        let mut separation = None;
        for refiner in if self.is_group { OF_A_GROUP } else { OF_THE_WHOLE } {
            // What separates them from serial answers is found when the first refiner needs it.
            if separation.is_none() && matches!(refiner, Refiner::GlobalStates | Refiner::Counting) {
                separation = Some(dual::separate(&self.automaton, self.problem_classes(), counts, budget)?);
            }
            let apart = || separation.as_ref().and_then(Option::as_deref);
            let fact = match refiner {
                Refiner::FirstSupport => self.absent(form, counts, first, budget)?,
                Refiner::GlobalStates => self.seen(form, apart(), budget)?,
                Refiner::LaterSupports => self.absent(form, counts, later, budget)?,
                Refiner::Counting => self.counted(form, counts, apart(), budget)?,
                Refiner::Following => self.followed(form, counts, budget)?,
                Refiner::Run => match self.realised(form, counts, budget)? {
                    Some(run) => return Ok(Some(Refinement::Run(run))),
                    None => None,
                },
            };
            if let Some(fact) = fact {
                return Ok(Some(Refinement::Fact(fact)));
            }
        }
        Ok(None)
    }

    /// Looks for a run with answers that are not serial, small ones first, beside
    /// these, which could neither be realised nor excluded.
    fn probe(mut self, form: &NormalForm, mut counts: Vec<i64>, budget: &mut Budget) -> Result<Option<Run>, Stopped> {
        let classes = self.problem_classes();
        loop {
            let others = (0..).zip(&counts).flat_map(|(class, &count)| {
                let (fewer, more) = (Linear::new([(class, -1)], count.saturating_sub(1)), Linear::new([(class, 1)], -count - 1));
                [fewer, more].into_iter().flatten().map(Literal::AtLeastZero)
            });
            self.problem.clauses.push(others.collect());
            counts = loop {
                match self.small.solve(&self.problem, budget)? {
                    Ok(counts) => break counts[..self.proof.classes.len()].to_vec(),
                    Err(_) if self.bound >= PROBED => return Ok(None),
                    Err(_) => {
                        self.bound = self.bound.saturating_mul(2).min(PROBED);
                        self.small = IncrementalSolver::new(classes, Some(self.bound));
                    }
                }
            };
            if walk::walk(&self.automaton, &counts, budget)?.is_some() {
                if let Some(region) = region::find_region(&self.automaton, classes, &counts, budget)? {
                    add_region(&mut self.problem, &self.automaton, classes, &region).ok_or(Stopped::OutOfTicks)?;
                }
            } else if let Some(run) = self.realised(form, &counts, budget)? {
                return Ok(Some(run));
            } else if let Some(fact) = self.absent(form, &counts, &HOW, budget)? {
                self.learn(fact)?;
            }
        }
    }

    /// Numbers the clauses of the tree as the checker does: those of facts first. These are
    /// the facts of this proof, or others that have come after them.
    fn number_clauses(&mut self, facts: Option<&[Fact]>) {
        let LettersProof { classes, tree, facts: own, .. } = &mut self.proof;
        let mut next = 0..;
        let places: Vec<Option<u32>> = match facts {
            Some(facts) => facts.iter().map(|fact| class_clause(classes, fact).and_then(|_| next.next())).collect(),
            // Each clause of a fact has been seen.
            None => {
                let mut places = vec![None; own.len()];
                for &fact in self.fact_of.iter().flatten() {
                    places[fact] = next.next();
                }
                places
            }
        };
        let numbers: Vec<Option<u32>> = self.fact_of.iter().map(|fact| fact.and_then(|fact| places[fact])).collect();
        let numbers: Vec<Option<u32>> = numbers.into_iter().map(|number| number.or_else(|| next.next())).collect();
        for node in &mut tree.nodes {
            if let TreeNode::Clause { clause } = node {
                *clause = numbers.get(*clause as usize).copied().flatten().unwrap_or(*clause);
            }
        }
    }

    fn problem_classes(&self) -> u32 {
        u32::try_from(self.proof.classes.len()).unwrap_or(u32::MAX)
    }

    fn stuck(&self, counts: &[i64]) -> LettersOutcome {
        let given = self.proof.classes.iter().zip(counts).filter(|&(_, &count)| count > 0);
        LettersOutcome::Stuck(given.filter_map(|(class, &count)| Some((*class.first()?, count))).collect())
    }

    /// Adds a fact that speaks of classes.
    fn learn(&mut self, fact: Fact) -> Result<(), Stopped> {
        let clause = class_clause(&self.proof.classes, &fact).ok_or(Stopped::OutOfTicks)?;
        self.problem.clauses.push(clause);
        self.fact_of.push(Some(self.proof.facts.len()));
        log::trace!("letters: fact {}: {fact:?}", self.proof.facts.len());
        self.proof.facts.push(fact);
        Ok(())
    }

    /// A fact that says that some class which is answered here is not, without
    /// one that is not answered here.
    fn absent(&self, form: &NormalForm, counts: &[i64], ways: &[How], budget: &mut Budget) -> Result<Option<Fact>, Stopped> {
        let (groups, outside) = self.not_answered(counts);
        for &how in ways {
            let never = support::never(form, &outside, how, budget)?;
            let absent = self.proof.classes.iter().zip(counts).find(|(class, count)| **count > 0 && are_in(class, &never));
            if let Some((class, _)) = absent {
                let outside = support::narrowed(groups, |outside| Ok(are_in(class, &support::never(form, outside, how, budget)?)))?;
                let mut never = support::never(form, &outside, how, budget)?;
                never.retain(|letter| outside.binary_search(letter).is_err());
                return Ok(Some(support::absence(how, outside, Vec::new(), never)));
            }
        }
        Ok(None)
    }

    /// The classes that are not answered, and all their letters.
    fn not_answered(&self, counts: &[i64]) -> (Vec<Vec<Node>>, Vec<Node>) {
        let classes = self.proof.classes.iter().zip(counts).filter(|&(_, &count)| count == 0).map(|(class, _)| class);
        let groups: Vec<Vec<Node>> = classes.cloned().collect();
        let mut letters: Vec<Node> = groups.iter().flatten().copied().collect();
        letters.sort_unstable();
        (groups, letters)
    }

    /// A run with these answers, and perhaps some with letters that are removed.
    fn realised(&self, form: &NormalForm, counts: &[i64], budget: &mut Budget) -> Result<Option<Run>, Stopped> {
        let sum: i64 = counts.iter().sum();
        if sum > PROBED {
            return Ok(None);
        }
        // Letters that are removed are a class of their own.
        let mut class_of = self.class_of.clone();
        for &letter in &self.removed {
            class_of[letter as usize] = Some(counts.len());
        }
        let more = if self.removed.is_empty() || sum > PROBED / 2 { 0 } else { 2 };
        let configurations = CONFIGURATIONS.max(usize::try_from(budget.left() / 5_000).unwrap_or(usize::MAX));
        for others in 0..=more {
            let wanted = Wanted { class_of: &class_of, counts: counts.iter().copied().chain([others]).collect() };
            match realise::realise(form, wanted, configurations, budget)? {
                Realised::Run(steps) => return Ok(run_of(form, &steps)),
                Realised::TooMany => return Ok(None),
                Realised::None => {}
            }
        }
        Ok(None)
    }

    /// That a clause holds which all serial runs meet, if it is seen in global states alone that all runs do: where it
    /// is, that takes less than looking for a run that does not, of which there is none then.
    fn seen(&self, form: &NormalForm, clause: Option<&[Literal]>, budget: &mut Budget) -> Result<Option<Fact>, Stopped> {
        let Some(clause) = clause.and_then(|clause| self.all_in_letters(clause)) else { return Ok(None) };
        Ok(heights::prove(form, &clause, budget)?.map(|counting| Fact::Count(Box::new(counting))))
    }

    /// A clause that all serial runs meet and these answers do not, as that which sets them `apart`, if counting
    /// shows it for all runs.
    fn counted(&self, form: &NormalForm, counts: &[i64], apart: Option<&[Literal]>, budget: &mut Budget) -> Result<Option<Fact>, Stopped> {
        let classes = self.problem_classes();
        if let Some(clause) = apart
            && let Some(fact) = self.proved(form, clause, Vec::new(), budget)?
        {
            return Ok(Some(fact));
        }
        let mut part = budget.part(budget.left() / 4);
        let had = part.left();
        let among = dual::separate_among(&self.automaton, classes, counts, &mut part);
        budget.spend(had - part.left())?;
        let (_, others) = self.not_answered(counts);
        if let Ok(Some(dual::Conditional { among, clause })) = among {
            let outside = self.proof.classes.iter().zip(among).filter(|(_, among)| !among).flat_map(|(class, _)| class);
            let mut outside: Vec<Node> = outside.copied().collect();
            outside.sort_unstable();
            let is_all = outside == others;
            if let Some(fact) = self.proved(form, &clause, outside, budget)? {
                return Ok(Some(fact));
            }
            if is_all {
                return Ok(None);
            }
        }
        let answered = |class: u32| counts.get(class as usize).is_some_and(|&count| count > 0);
        let restricted = dual::restrict(&self.automaton, answered);
        let Some(clause) = dual::separate(&restricted, classes, counts, budget)? else { return Ok(None) };
        self.proved(form, &clause, others, budget)
    }

    /// The fact that a clause holds unless one of `outside` is answered, if
    /// counting shows it.
    fn proved(&self, form: &NormalForm, clause: &[Literal], outside: Vec<Node>, budget: &mut Budget) -> Result<Option<Fact>, Stopped> {
        let Some(clause) = self.all_in_letters(clause) else { return Ok(None) };
        let mut part = budget.part(budget.left() / 2);
        let had = part.left();
        let proved = counting::prove(form, &outside, &clause, &mut part);
        budget.spend(had - part.left())?;
        match proved {
            Ok(Proved::Yes(counting)) => Ok(Some(Fact::Count(Box::new(counting)))),
            Ok(Proved::No) | Err(Stopped::OutOfTicks) => Ok(None),
            Err(stopped) => Err(stopped),
        }
    }

    /// Literals over classes as those over letters.
    fn all_in_letters(&self, clause: &[Literal]) -> Option<Vec<Bound>> {
        clause.iter().map(|literal| self.in_letters(literal)).collect()
    }

    /// A literal over classes as one over letters.
    fn in_letters(&self, literal: &Literal) -> Option<Bound> {
        let (linear, divisor) = match literal {
            Literal::AtLeastZero(linear) => (linear, 0),
            Literal::NotDivisible(linear, divisor) => (linear, *divisor),
        };
        let mut terms: Vec<(Node, i64)> = Vec::new();
        for &(class, factor) in linear.terms() {
            terms.extend(self.proof.classes.get(class as usize)?.iter().map(|&letter| (letter, factor)));
        }
        terms.sort_unstable();
        Some(Bound { divisor, constant: linear.constant(), terms })
    }
}
