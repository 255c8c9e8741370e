//! Proofs over the numbers of answers alone.
//!
//! A [`LettersProof`] reduces the system by a script (which may be empty), makes
//! the automaton of its serial runs smaller, level by level, and shows by a
//! [proof tree](serval_linear::tree) over the numbers of answers that what holds
//! for all complete runs (its facts) leaves only answers that are serial.
//!
//! # The steps of the argument
//!
//! The *serial automaton* has the global states as states, the initial one as
//! start, and an edge `g –a→ g'` if one request alone, from an initial node under
//! `g`, can get to the done node `a` under `g'`. Its counts `Ψ` are `Ser`.
//!
//! - [Levels](level) lead from it to an automaton `B` over the letters that are
//!   not removed.
//! - [Groups](groups) of letters may be removed and proved each on its own; then `B`
//!   stands for what is left of it.
//! - *Twins*: the letters that are not removed are put into classes, each into
//!   one (`letters.classes`), such that all letters of a class have edges between
//!   the same states of `B` (`letters.twins`). The class automaton `B̂` has these
//!   edges, labelled with classes.
//! - [Regions](region) are sets of counts of classes that are in `Ψ(B̂)`.
//! - [Facts](fact) hold for the answers of all complete runs.
//!
//! **Theorem.** If `check_letters` accepts, the system is serializable.
//!
//! *Proof.* The script keeps `Int` and `Ser` ([`crate::script`]). Let `r` be the
//! numbers of answers of a complete run, and `c` their sums over the classes.
//! All facts hold for `r`; those that speak of classes hold for `c`
//! ([`class_clause`]: a clause over letters whose coefficients are the same
//! for all letters of a class is one over the sums, and "no letter of `never`"
//! implies that of each class that lies in `never`). If `c` were in no region,
//! it would solve, with some values of the further variables of the regions,
//! the problem that the tree refutes. So `c` is in a region, and in `Ψ(B̂)`.
//!
//! Take a walk of `B̂` with the counts `c`, and on its edges with class `γ` write
//! the letters of `γ`, each as often as `r` says, in any order: all letters of
//! `γ` have these edges, and there are as many of them as edges. That is a walk
//! of `B`, so what `r` says of the letters that are not removed is in `Ψ(B)`. If
//! there are groups, the same is shown for each of them, and with the lemma about
//! groups what `r` says of all letters that the levels leave is in `Ψ` of the last
//! level's automaton.
//!
//! Now back through the levels: if what `r` says of the letters that a level
//! leaves is in `Ψ` of the level's automaton, then it is in that of the automaton
//! before it without loop letters, by the simulation; and with them what `r`
//! says of the letters before is in `Ψ` of the automaton before it, by the lemma
//! about loop letters: for a letter with a guard either `r` has none of it, or
//! some of `Γ`, as the guard is a fact. In the end `r` is in `Ψ` of the serial
//! automaton, which is `Ser`. ∎

mod automaton;
pub mod explicit;
pub mod fact;
pub mod groups;
pub mod level;
pub mod region;
mod slice;

use std::collections::{BTreeMap, BTreeSet};

use serval_evidence::require;
use serval_linear::{Problem, Tree};
use serval_model::{Node, NormalForm};

use crate::flow::{Edge, TOO_LARGE, serial_edges};
use crate::script::{Entry, check_script};
use crate::{Checked, Work};

pub use automaton::Automaton;
pub use explicit::Exactly;
pub use fact::{Absence, Bound, Counting, Fact, class_clause};
pub use groups::{Group, Groups, Visit};
pub use level::{Level, Loop};
pub use region::{Flow, Region, add_region, check_region, contains, gcd, region_clauses};

/// Evidence over the numbers of answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LettersProof {
    /// Reductions, before anything else.
    pub script: Vec<Entry>,
    /// What holds for the answers of all complete runs.
    pub facts: Vec<Fact>,
    /// From the serial automaton to a smaller one.
    pub levels: Vec<Level>,
    /// Letters that are then proved group by group.
    pub groups: Option<Groups>,
    /// The letters that are not removed: those of a class have the same edges.
    pub classes: Vec<Vec<Node>>,
    /// Counts of classes that are serial.
    pub regions: Vec<Region>,
    /// Why all counts that meet the facts are in a region.
    pub tree: Tree,
}

/// Whether a number is that of a done node.
fn is_letter(form: &NormalForm, node: Node) -> bool {
    (node as usize) < form.nodes().len() && form.is_done(node)
}

/// The serial automaton.
pub fn serial_automaton(form: &NormalForm, edges: Vec<Edge>) -> Automaton {
    Automaton { states: form.global_count(), start: form.initial_global(), edges }
}

/// Checks a proof.
///
/// If it is accepted, the system is serializable.
pub(crate) fn check_letters(form: NormalForm, proof: &LettersProof, work: &mut Work) -> Checked {
    let reduced = check_script(form, &proof.script, work)?;
    let form = reduced.form();
    let mut clauses = Vec::new();
    for (index, fact) in proof.facts.iter().enumerate() {
        let checked = fact::check_fact(form, fact, work);
        if checked.map_err(|refusal| refusal.about(None, format!("fact {index}")))? {
            work.spend(fact.outside().len())?;
            clauses.push(fact);
        }
    }
    let serial = work.within(|budget| serial_edges(form, budget))?;
    let serial = serial_automaton(form, serial);
    let mut removed = BTreeSet::new();
    let Some(automaton) = check_levels(form, &serial, &proof.levels, &proof.facts, &mut removed, work)? else { return Ok(()) };
    let left;
    let automaton = match &proof.groups {
        None => automaton,
        Some(groups) => match groups::check_groups(form, automaton, groups, (&proof.facts, &clauses), &mut removed, work)? {
            None => return Ok(()),
            Some(automaton) => {
                left = automaton;
                &left
            }
        },
    };
    let cover = Cover { classes: &proof.classes, regions: &proof.regions, tree: &proof.tree };
    check_cover(form, automaton, &cover, &removed, &clauses, work)
}

/// Checks levels one after the other; adds what they remove. The last automaton, or `None`
/// where nothing can be looked at any further.
fn check_levels<'a>(
    form: &NormalForm,
    first: &'a Automaton,
    levels: &'a [Level],
    facts: &[Fact],
    removed: &mut BTreeSet<Node>,
    work: &mut Work,
) -> Checked<Option<&'a Automaton>> {
    let mut automaton = first;
    for (index, level) in levels.iter().enumerate() {
        let checked = level::check_level(form, automaton, level, facts, removed, work);
        if !checked.map_err(|refusal| refusal.about(None, format!("level {index}")))? {
            return Ok(None);
        }
        automaton = &level.automaton;
    }
    Ok(Some(automaton))
}

/// Why all counts of the letters that are left are serial.
struct Cover<'a> {
    classes: &'a [Vec<Node>],
    regions: &'a [Region],
    tree: &'a Tree,
}

/// Checks that what the facts leave is in regions.
fn check_cover(
    form: &NormalForm,
    automaton: &Automaton,
    cover: &Cover<'_>,
    removed: &BTreeSet<Node>,
    facts: &[&Fact],
    work: &mut Work,
) -> Checked {
    let &Cover { classes, regions, tree } = cover;
    work.spend(automaton.edges.len().saturating_add(classes.iter().map(Vec::len).sum()))?;
    if !check_classes(form, automaton, classes, removed)? {
        return Ok(());
    }
    let automaton = class_automaton(automaton, classes);
    let count = u32::try_from(classes.len()).map_err(|_| TOO_LARGE)?;
    let mut problem = Problem { variables: count, ..Problem::default() };
    for fact in facts {
        // Each literal is put together class by class.
        work.spend(classes.iter().map(Vec::len).sum::<usize>().saturating_mul(fact.literals()))?;
        problem.clauses.extend(class_clause(classes, fact));
    }
    for (index, region) in regions.iter().enumerate() {
        let checked = check_region(&automaton, count, region, work);
        if checked.map_err(|refusal| refusal.about(None, format!("region {index}")))? {
            add_region(&mut problem, &automaton, count, region).ok_or(TOO_LARGE)?;
        }
    }
    work.check_tree(&problem, tree)
}

/// Each letter is removed or in one class, and all letters of a class have
/// edges between the same states; says whether the classes mean anything.
pub(crate) fn check_classes(form: &NormalForm, automaton: &Automaton, classes: &[Vec<Node>], removed: &BTreeSet<Node>) -> Checked<bool> {
    let known = classes.iter().all(|class| !class.is_empty() && class.iter().all(|&letter| is_letter(form, letter)));
    require!(LettersNumbers, known, about("the classes"), "a letter that is not there, or an empty class");
    if !known {
        return Ok(false);
    }
    let mut seen = removed.clone();
    let alone = classes.iter().flatten().all(|&letter| seen.insert(letter));
    let covered = form.node_numbers().filter(|&node| form.is_done(node)).all(|letter| seen.contains(&letter));
    require!(LettersClasses, alone && covered, about("the classes"), "a letter is in no class or in two, or in one and removed");
    let mut arcs: BTreeMap<Node, Vec<(u32, u32)>> = BTreeMap::new();
    for &(from, letter, to) in &automaton.edges {
        arcs.entry(letter).or_default().push((from, to));
    }
    for class in classes {
        let same = class.windows(2).all(|two| arcs.get(&two[0]) == arcs.get(&two[1]));
        require!(LettersTwins, same, about("the classes"), "two letters of a class have edges between different states");
    }
    Ok(true)
}

/// The automaton whose labels are the numbers of classes; of each class the
/// edges of its first letter.
pub fn class_automaton(automaton: &Automaton, classes: &[Vec<Node>]) -> Automaton {
    let of: BTreeMap<Node, u32> = (0..).zip(classes).filter_map(|(number, class)| Some((*class.first()?, number))).collect();
    let edge = |&(from, letter, to): &(u32, u32, u32)| Some((from, *of.get(&letter)?, to));
    let mut edges: Vec<(u32, u32, u32)> = automaton.edges.iter().filter_map(edge).collect();
    edges.sort_unstable();
    Automaton { edges, ..*automaton }
}
