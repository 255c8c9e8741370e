//! Facts: what holds for the answers of every complete run.
//!
//! # Slices
//!
//! Let `O` be a set of letters, the *outside*. The *slice* of a system leaves out
//! the steps to done nodes of `O`, and then those to nodes from which no done
//! node can be reached along steps that are left, whatever the global state.
//!
//! **Lemma.** The complete runs of the slice are those of the system that answer
//! no letter of `O`.
//!
//! *Proof.* A run of the slice is one of the system, and lands on no done node of
//! `O`. Conversely, in a complete run that answers no letter of `O` each request
//! goes on from each node where it is to a done node that is not of `O`, so it
//! makes no step that the slice leaves out. ∎
//!
//! # Kinds of facts
//!
//! - `reach`: in no run of the slice is a letter of `never` answered. With the
//!   least sets `G'` and `L'` such that the initial global state is in `G'`, the
//!   initial nodes are in `L'`, and each step of the slice from a point of `L' × G'`
//!   ends in one: no letter of `never` is in `L'` (`letters.reach`). *Proof.* By
//!   induction a run of the slice stays in `L' × G'`. ∎
//! - `pairs`: the same, because [pair pruning](crate::script::pairs) of the slice
//!   leaves no step to a letter of `never` (`letters.pairs`). *Proof.* It leaves out
//!   no step that a complete run makes. ∎
//!
//! The clause of both is: no letter of `never`, or some letter of `O`. *Proof.* If
//! a complete run answers no letter of `O`, it is one of the slice. ∎
//!
//! Both can also be said of runs that answer letters of some sets exactly a given number of
//! times (`exactly`), and are then shown for the [explicit system](super::explicit)
//! of the slice; the clause then also has, for each set, that its letters are
//! answered fewer or more times. If no final control can be reached, nothing is
//! left of the explicit system, and everything is said of it. An empty `never`
//! says that there is no such run at all, because no final control can be
//! reached, and the clause has no literal for it. *Proof.* A complete run for
//! which all other literals fail is one of the slice that answers the sets exactly that
//! often. The explicit system has a complete run with the same answers outside
//! the sets, and `never` has no letter of a set (`letters.apart`). ∎
//!
//! - `count`: a clause over the numbers of answers, or some letter of `O`. The
//!   [counts of steps](crate::flow) of a complete run of the slice whose answers
//!   violate each literal of the clause solve the problem that is made of what
//!   holds for counts (1 to 3), of cuts (4 to 6), and of the negations of the
//!   literals: for `e ≥ 0` that `−e − 1 ≥ 0`, for "`d` does not divide `e`" that `e =
//!   d·q − d·q'` with two more variables `q` and `q'`; where the number of answers
//!   with a letter is the sum of the counts of the steps to its done node. A
//!   tree shows that the problem has no solution. *Proof.* A complete run that
//!   answers no letter of `O` is one of the slice, its counts meet 1 to 6, and if
//!   its answers violated all literals, they would meet the rest. ∎

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serval_budget::{Budget, Stopped};
use serval_evidence::{objects, require};
use serval_linear::{Linear, Literal, Problem, Tree};
use serval_model::{Node, NodeStep, NormalForm};

use super::explicit::{Exactly, explicit_system};
pub use super::slice::slice;
use crate::flow::{Clause, Cut, TOO_LARGE, check_cut, cut_clause, flow_problem, phases_fit};
use crate::script::{pairs, size};
use crate::{Checked, Work};

/// What holds for the answers of every complete run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fact {
    /// By what can be reached.
    Reach(Absence),
    /// By pairs.
    Pairs(Absence),
    /// By counting.
    Count(Box<Counting>),
}

/// Letters that are not answered unless others are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Absence {
    /// `O`, sorted.
    pub outside: Vec<Node>,
    /// Sets of letters that are answered exactly a given number of times; mostly none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exactly: Vec<Exactly>,
    /// What is not answered without them, sorted.
    pub never: Vec<Node>,
}

/// A clause, and why it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Counting {
    /// `O`, sorted.
    pub outside: Vec<Node>,
    /// The clause, without that some letter of `O` is answered.
    pub clause: Vec<Bound>,
    /// For each global state the number of its phase; empty: all in one.
    pub phases: Vec<u32>,
    /// What else holds for counts of steps of the slice.
    pub cuts: Vec<Cut>,
    /// Why no run of the slice violates the clause.
    pub tree: Tree,
}

/// A literal over the numbers of answers: an expression is at least 0, or a
/// number does not divide it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Bound {
    /// What does not divide the expression; 0: the expression is at least 0.
    pub divisor: u64,
    /// The constant of the expression.
    pub constant: i64,
    /// Letters and their coefficients, sorted by letter, none 0.
    pub terms: Vec<(Node, i64)>,
}

objects!(Absence, Counting, Bound);

impl Fact {
    /// What it says about letters that are not answered without others, however
    /// often others are.
    pub fn absence(&self) -> Option<&Absence> {
        match self {
            Self::Reach(absence) | Self::Pairs(absence) => Some(absence).filter(|absence| absence.exactly.is_empty()),
            Self::Count(_) => None,
        }
    }

    /// The letters of `O`.
    pub fn outside(&self) -> &[Node] {
        match self {
            Self::Reach(absence) | Self::Pairs(absence) => &absence.outside,
            Self::Count(counting) => &counting.outside,
        }
    }

    /// How many literals its clause has, at most.
    pub(super) fn literals(&self) -> usize {
        match self {
            Self::Reach(absence) | Self::Pairs(absence) => absence.exactly.len().saturating_mul(2).saturating_add(2),
            Self::Count(counting) => counting.clause.len().saturating_add(1),
        }
    }
}

/// Checks a fact; says whether it can be looked at any further.
pub(crate) fn check_fact(form: &NormalForm, fact: &Fact, work: &mut Work) -> Checked<bool> {
    let are_letters = |nodes: &[Node]| nodes.is_sorted_by(|a, b| a < b) && nodes.iter().all(|&node| super::is_letter(form, node));
    let literal = |bound: &Bound| {
        let sorted = bound.terms.is_sorted_by(|a, b| a.0 < b.0) && bound.terms.iter().all(|&(_, factor)| factor != 0);
        sorted && bound.terms.iter().all(|&(node, _)| super::is_letter(form, node))
    };
    let (listed, written) = match fact {
        Fact::Reach(absence) | Fact::Pairs(absence) => {
            let sets = absence.exactly.iter().all(|exactly| are_letters(&exactly.letters));
            let listed = absence.exactly.iter().map(|exactly| exactly.letters.len() + 1).sum::<usize>();
            (absence.never.len().saturating_add(listed), sets && are_letters(&absence.never))
        }
        Fact::Count(counting) => {
            let terms = counting.clause.iter().map(|bound| bound.terms.len() + 1).sum();
            (terms, counting.clause.iter().all(literal))
        }
    };
    work.spend(listed.saturating_add(fact.outside().len()))?;
    let known = written && are_letters(fact.outside());
    require!(LettersNumbers, known, "a letter that is not there, or a list not in order");
    if !known {
        return Ok(false);
    }
    work.spend(size(form).saturating_mul(2))?;
    let slice = slice(form, fact.outside());
    match fact {
        Fact::Reach(absence) => {
            let Some(system) = followed(slice, absence, work)? else { return Ok(true) };
            let reached = work.within(|budget| reached_nodes(&system, budget))?;
            let never = !absence.never.is_empty() && absence.never.iter().all(|&letter| !reached[letter as usize]);
            require!(LettersReach, never, "what should not be reached is");
        }
        Fact::Pairs(absence) => {
            let Some(system) = followed(slice, absence, work)? else { return Ok(true) };
            let (pruned, _) = work.within(|budget| pairs::prune(system, budget))?;
            let never = pruned.steps().iter().all(|step| absence.never.binary_search(&step.to_node).is_err());
            require!(LettersPairs, !absence.never.is_empty() && never, "what should not be answered is");
        }
        Fact::Count(counting) => check_counting(&slice, counting, work)?,
    }
    Ok(true)
}

/// The system that something is said about: the slice, or its explicit system;
/// `None` if there is none.
fn followed(slice: NormalForm, absence: &Absence, work: &mut Work) -> Checked<Option<NormalForm>> {
    if absence.exactly.is_empty() {
        return Ok(Some(slice));
    }
    let mut seen: BTreeSet<Node> = absence.never.iter().copied().collect();
    let apart = absence.exactly.iter().flat_map(|exactly| &exactly.letters).all(|&letter| seen.insert(letter));
    require!(LettersApart, apart, "a letter is in two of the sets, or in one of them and in `never`");
    work.within(|budget| explicit_system(&slice, &absence.exactly, budget))
}

/// The clause holds in the slice.
fn check_counting(slice: &NormalForm, counting: &Counting, work: &mut Work) -> Checked {
    let phases = phases_fit(slice, &counting.phases, work)?;
    // A letter is written as the steps to it, in each literal that has it.
    let landings = landings(slice);
    let written = |&(letter, _): &(Node, i64)| landings.get(letter as usize).map_or(0, Vec::len);
    let terms = counting.clause.iter().flat_map(|bound| &bound.terms).map(written);
    work.spend(terms.fold(0, usize::saturating_add))?;
    let mut problem = counting_problem(slice, phases, &counting.clause).ok_or(TOO_LARGE)?;
    for cut in &counting.cuts {
        work.spend(size(slice))?;
        check_cut(slice, cut)?;
        let clause = work.within(|budget| cut_clause(slice, cut, budget))?;
        problem.clauses.push(clause.ok_or(TOO_LARGE)?);
    }
    work.check_tree(&problem, &counting.tree)
}

/// What counts of steps of a complete run solve whose answers violate every
/// literal; `None` where numbers do not fit. Passes checkpoints.
pub fn counting_problem(slice: &NormalForm, phases: &[u32], clause: &[Bound]) -> Option<Problem> {
    let mut problem = flow_problem(slice, phases)?;
    let landings = landings(slice);
    for bound in clause {
        let mut terms = Vec::new();
        for &(letter, factor) in &bound.terms {
            let factor = factor.checked_neg()?;
            terms.extend(landings.get(letter as usize)?.iter().map(|&variable| (variable, factor)));
        }
        let constant = bound.constant.checked_neg()?;
        if bound.divisor == 0 {
            problem.inequalities.push(Linear::new(terms, constant.checked_sub(1)?)?);
        } else {
            let divisor = i64::try_from(bound.divisor).ok()?;
            let (more, less) = (problem.variables, problem.variables.checked_add(1)?);
            problem.variables = less.checked_add(1)?;
            problem.equalities.push(Linear::new(terms.into_iter().chain([(more, divisor), (less, divisor.checked_neg()?)]), constant)?);
        }
    }
    Some(problem)
}

/// For each done node the variables of the steps to it.
fn landings(slice: &NormalForm) -> Vec<Vec<u32>> {
    let mut landings: Vec<Vec<u32>> = vec![Vec::new(); slice.nodes().len()];
    for (variable, step) in (0..).zip(slice.steps()) {
        if slice.is_done(step.to_node) {
            landings[step.to_node as usize].push(variable);
        }
    }
    landings
}

/// `L'`: for each node whether it is in the least set. A tick for each step
/// that is looked at.
pub fn reached_nodes(form: &NormalForm, budget: &mut Budget) -> Result<Vec<bool>, Stopped> {
    let (nodes, globals) = (form.nodes().len(), form.global_count() as usize);
    budget.spend((nodes + globals) as u64)?;
    // Under each global state, the steps that wait for it or for their node.
    let mut under: Vec<Vec<NodeStep>> = vec![Vec::new(); globals];
    for step in form.steps() {
        under[step.global as usize].push(*step);
    }
    let mut reached = vec![false; nodes];
    let mut present = vec![false; globals];
    let mut new_nodes: Vec<Node> = form.node_numbers().filter(|&node| form.is_initial(node)).collect();
    for &node in &new_nodes {
        reached[node as usize] = true;
    }
    let mut new_globals = vec![form.initial_global()];
    present[form.initial_global() as usize] = true;
    loop {
        let fired: Vec<NodeStep> = if let Some(node) = new_nodes.pop() {
            form.steps_of(node).iter().copied().filter(|step| present[step.global as usize]).collect()
        } else if let Some(global) = new_globals.pop() {
            under[global as usize].iter().copied().filter(|step| reached[step.node as usize]).collect()
        } else {
            return Ok(reached);
        };
        budget.spend(fired.len() as u64 + 1)?;
        for step in fired {
            if !std::mem::replace(&mut reached[step.to_node as usize], true) {
                new_nodes.push(step.to_node);
            }
            if !std::mem::replace(&mut present[step.to_global as usize], true) {
                new_globals.push(step.to_global);
            }
        }
    }
}

/// What a fact says about sums over classes of letters: its clause, where
/// variable `i` is the number of answers with letters of class `i`. `None` if it
/// says nothing about these sums.
pub fn class_clause(classes: &[Vec<Node>], fact: &Fact) -> Option<Clause> {
    let outside = class_sum(classes, fact.outside().iter().map(|&letter| (letter, 1)).collect::<Vec<_>>().as_slice())?;
    let some = Literal::AtLeastZero(Linear::new(outside, -1)?);
    let mut clause = match fact {
        Fact::Reach(absence) | Fact::Pairs(absence) => {
            let mut clause = Vec::new();
            if !absence.never.is_empty() {
                // Of a class of which only some letters are never answered nothing is said.
                let whole = (0..).zip(classes).filter(|(_, class)| class.iter().all(|letter| absence.never.binary_search(letter).is_ok()));
                clause.push(Literal::AtLeastZero(Linear::new(whole.map(|(number, _)| (number, -1)), 0)?));
            }
            for Exactly { letters, times } in &absence.exactly {
                let sum = class_sum(classes, &letters.iter().map(|&letter| (letter, 1)).collect::<Vec<_>>())?;
                let fewer = sum.iter().map(|&(class, _)| (class, -1));
                clause.push(Literal::AtLeastZero(Linear::new(fewer, i64::from(*times).checked_sub(1)?)?));
                clause.push(Literal::AtLeastZero(Linear::new(sum.clone(), -i64::from(*times).checked_add(1)?)?));
            }
            clause
        }
        Fact::Count(counting) => {
            let literal = |bound: &Bound| {
                let linear = Linear::new(class_sum(classes, &bound.terms)?, bound.constant)?;
                Some(if bound.divisor == 0 { Literal::AtLeastZero(linear) } else { Literal::NotDivisible(linear, bound.divisor) })
            };
            counting.clause.iter().map(literal).collect::<Option<_>>()?
        }
    };
    clause.push(some);
    Some(clause)
}

/// Letters with coefficients as classes with coefficients: all letters of a
/// class must have the same.
fn class_sum(classes: &[Vec<Node>], terms: &[(Node, i64)]) -> Option<Vec<(u32, i64)>> {
    let of = |letter: Node| terms.binary_search_by_key(&letter, |&(letter, _)| letter).map_or(0, |at| terms[at].1);
    let mut sum = Vec::new();
    let mut covered = 0;
    for (number, class) in (0..).zip(classes) {
        let factor = of(*class.first()?);
        if class.iter().any(|&letter| of(letter) != factor) {
            return None;
        }
        if factor != 0 {
            covered += class.len();
            sum.push((number, factor));
        }
    }
    (covered == terms.len()).then_some(sum)
}
