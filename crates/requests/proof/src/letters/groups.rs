//! Groups: letters that do not stand in each other's way.
//!
//! After the levels the letters of an automaton `A` may be put into groups, each of which is
//! then proved on its own. Some loop letters may be removed first, those of `visits`; `A'` is
//! `A` without their edges. The groups `A_1, …, A_m` are disjoint sets of letters that are not
//! removed (`letters.groups`); `A_0` has the letters that are left. `A'|A_i` is `A'` with the
//! edges of letters of `A_i` alone.
//!
//! *Diamonds* (`letters.diamond`): if two edges `p –a→ q` and `p –b→ q'` of `A'` leave a state
//! with letters of different groups, `A_0` among them, there is a state `s` with edges
//! `q –b→ s` and `q' –a→ s`.
//!
//! *Visits* (`letters.visits`). A *beginning* is a walk of `A'` from the start that makes up to
//! `k_1` steps with letters of `A_1`, then up to `k_2` with letters of `A_2`, and so on up to
//! `A_m`, where `k_i` is the number of steps that group `i` is given. If it makes fewer than
//! `k_i`, the letters of `A_i` that it does not use are *absent*. For each loop letter `ℓ` of
//! `visits` and each beginning that visits no state with a loop `ℓ`, there is a guard of `ℓ`
//! all of whose letters `outside` are absent. A guard is a fact about all complete runs that
//! says "if `ℓ` is answered, so is some letter of `outside`" (`letters.guard`).
//!
//! **Lemma.** Let `r` be answers that meet the facts, such that for each `i` from 0 on what `r`
//! says of the letters of `A_i` is in `Ψ(A'|A_i)`. Then what `r` says of the letters of `A` is
//! in `Ψ(A)`.
//!
//! *Proof.* First: if `p –a→ q` is an edge with a letter of `A_i`, and from `p` there is a walk
//! of `A'|A_j` with the letters `w`, where `j ≠ i`, then there is one from `q` with the letters
//! `w`. By induction on the length of `w`, for all edges at once: let `w = b·v` and `p –b→ q'`
//! be the first edge. Take `s` from the diamond. From `q'` there is a walk with the letters
//! `v`, and `q' –a→ s`; so there is one from `s` with the letters `v`. With `q –b→ s` before
//! it, it is the one from `q`.
//!
//! Let `w_i` be the letters of a walk of `A'|A_i` from the start with what `r` says of `A_i`.
//! From the start there is a walk with the letters `w_i` for each `i`. If that is so at a
//! state, for what is left of the `w_i`, and something is left of `w_i`, then the walk for it
//! has a first edge, and it is so at the end of this edge as well, where one letter less is
//! left of `w_i`: for `i` because the walk goes on from there, and for all others by what was
//! shown first. So all letters can be made in one walk of `A'`, in any order that keeps each
//! `w_i` in order. Let this be the order: of `w_1` the first `k_1` letters, or all if there are
//! fewer; then of `w_2`, and so on; and then all that is left. What the walk makes before that
//! is a beginning. If it makes fewer than `k_i` steps with letters of `A_i`, these are all of
//! `w_i`, and so `r` has none of the absent letters.
//!
//! Let `ℓ` be a letter of `visits` that `r` has. If the beginning visited no state with a loop
//! `ℓ`, there would be a guard of which `r` has no letter `outside`, and `r` would not meet it.
//! So the walk visits such a state. Insert there as many loops as `r` says. Loops that are
//! inserted for one letter change no state that the walk visits, so they do not disturb those
//! for another. ∎
//!
//! Each group has levels, classes, regions and a tree of its own, which show that what `r` says
//! of the group is in `Ψ(A'|A_i)`, as those of the proof as a whole do for `A_0`. There all
//! letters of other groups count as removed, so that a guard inside a group speaks of its own
//! letters alone.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serval_evidence::{objects, require};
use serval_linear::Tree;
use serval_model::{Node, NormalForm};

use super::{Automaton, Cover, Fact, Level, Region, check_cover, check_levels, is_letter};
use crate::{Checked, Work};

/// Letters that are proved group by group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Groups {
    /// The loop letters that are removed before.
    pub visits: Vec<Visit>,
    /// The groups; what is in none of them is `A_0`.
    pub each: Vec<Group>,
}

/// A loop letter whose loops every walk that needs them visits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Visit {
    /// The letter.
    pub letter: Node,
    /// The numbers of facts that say beside which letters it is answered.
    pub guards: Vec<u32>,
}

/// A group of letters, and why what is answered with them is serial.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Group {
    /// The letters, sorted.
    pub letters: Vec<Node>,
    /// How many steps of the group a walk makes in the beginning, if there are as many.
    pub steps: u32,
    /// From the automaton of the group to a smaller one.
    pub levels: Vec<Level>,
    /// The letters that are not removed: those of a class have the same edges.
    pub classes: Vec<Vec<Node>>,
    /// Counts of classes that are serial.
    pub regions: Vec<Region>,
    /// Why all counts that meet the facts are in a region.
    pub tree: Tree,
}

objects!(Groups, Visit, Group);

/// Checks the groups; adds their letters to those that are removed. Says which automaton is left,
/// or that nothing can be looked at any further.
pub(super) fn check_groups(
    form: &NormalForm,
    before: &Automaton,
    groups: &Groups,
    facts: (&[Fact], &[&Fact]),
    removed: &mut BTreeSet<Node>,
    work: &mut Work,
) -> Checked<Option<Automaton>> {
    let Groups { visits, each } = groups;
    let listed = each.iter().fold(0_usize, |sum, group| sum.saturating_add(group.letters.len()));
    work.spend(visits.len().saturating_add(each.len()).saturating_add(listed))?;
    let sorted = each.iter().all(|group| group.letters.is_sorted_by(|a, b| a < b));
    let letters = visits.iter().map(|visit| &visit.letter).chain(each.iter().flat_map(|group| &group.letters));
    let known = sorted && letters.copied().all(|letter| is_letter(form, letter));
    require!(LettersNumbers, known, about("the groups"), "a letter that is not there, or a list not in order");
    if !known {
        return Ok(None);
    }
    let (without, group_of) = check_apart(before, groups, facts.0, removed, work)?;
    let all: BTreeSet<Node> = form.node_numbers().filter(|&node| form.is_done(node)).collect();
    for (number, group) in each.iter().enumerate() {
        work.spend(all.len().saturating_add(without.edges.len()))?;
        let mut others = all.clone();
        for letter in &group.letters {
            others.remove(letter);
        }
        let own = without.without(|label| others.contains(&label));
        let Group { classes, regions, tree, .. } = group;
        let cover = Cover { classes, regions, tree };
        let mut check = || {
            let Some(automaton) = check_levels(form, &own, &group.levels, facts.0, &mut others, work)? else { return Ok(()) };
            check_cover(form, automaton, &cover, &others, facts.1, work)
        };
        check().map_err(|refusal| refusal.about(None, format!("group {number}")))?;
    }
    removed.extend(group_of.keys());
    Ok(Some(without.without(|label| group_of.contains_key(&label))))
}

/// An automaton without loop letters, and the group of each letter that is in one.
type Apart = (Automaton, BTreeMap<Node, usize>);

/// The conditions of the lemma: groups are disjoint, their letters can be exchanged, and loops are visited. Adds the
/// loop letters to those that are removed.
pub(crate) fn check_apart(
    before: &Automaton,
    Groups { visits, each }: &Groups,
    facts: &[Fact],
    removed: &mut BTreeSet<Node>,
    work: &mut Work,
) -> Checked<Apart> {
    removed.extend(visits.iter().map(|visit| visit.letter));
    work.spend(before.edges.len())?;
    let without = before.without(|label| removed.contains(&label));
    let mut group_of: BTreeMap<Node, usize> = BTreeMap::new();
    for (number, group) in each.iter().enumerate() {
        for &letter in &group.letters {
            let alone = group_of.insert(letter, number).is_none() && !removed.contains(&letter);
            require!(LettersGroups, alone, about(format!("group {number}")), "letter {letter} is removed, or in another group");
        }
    }
    check_diamonds(&without, &group_of, work)?;
    for visit in visits {
        check_visit((before, &without), each, visit, facts, work)?;
    }
    Ok((without, group_of))
}

/// Letters of different groups can be exchanged at each state.
fn check_diamonds(automaton: &Automaton, group_of: &BTreeMap<Node, usize>, work: &mut Work) -> Checked {
    let group: Vec<Option<usize>> = automaton.edges.iter().map(|(_, letter, _)| group_of.get(letter).copied()).collect();
    let mut begin = 0;
    while let Some(&(state, ..)) = automaton.edges.get(begin) {
        let end = begin + automaton.edges_of(state).len();
        for first in begin..end {
            for second in first + 1..end {
                work.spend(1)?;
                if group[first] == group[second] {
                    continue;
                }
                let ((_, a, q), (_, b, other)) = (automaton.edges[first], automaton.edges[second]);
                let ends = automaton.edges_from(q, b);
                work.spend(ends.len())?;
                let closed = ends.iter().any(|&(.., end)| automaton.edges.binary_search(&(other, a, end)).is_ok());
                require!(LettersDiamond, closed, about("the groups"), "letters {a} and {b} cannot be exchanged at state {state}");
            }
        }
        begin = end;
    }
    Ok(())
}

/// A beginning, as far as it has come.
struct Beginning {
    state: u32,
    /// The group whose turn it is, and how many steps it has made.
    group: usize,
    made: u32,
    /// Its letters that have been used.
    used: Vec<Node>,
    /// Letters of groups before it that are absent, sorted.
    absent: Vec<Node>,
}

/// Each beginning visits a loop of the letter, or a guard says that the letter is
/// not answered then. `automata` are those with and without loop letters.
fn check_visit((with, without): (&Automaton, &Automaton), each: &[Group], visit: &Visit, facts: &[Fact], work: &mut Work) -> Checked {
    let Visit { letter, guards } = visit;
    let mut outside: Vec<&[Node]> = Vec::new();
    for &guard in guards {
        let absence = facts.get(guard as usize).and_then(Fact::absence).filter(|absence| absence.never.binary_search(letter).is_ok());
        require!(LettersGuard, absence.is_some(), about("the groups"), "fact {guard} does not say when letter {letter} is not answered");
        outside.extend(absence.map(|absence| absence.outside.as_slice()));
    }
    let named = outside.iter().fold(outside.len(), |sum, outside| sum.saturating_add(outside.len()));
    let mut to_do = vec![Beginning { state: without.start, group: 0, made: 0, used: Vec::new(), absent: Vec::new() }];
    while let Some(Beginning { state, group, made, used, absent }) = to_do.pop() {
        work.spend(1)?;
        if with.has_loop(state, *letter) {
            continue;
        }
        if made == 0 {
            work.spend(named)?;
            let excluded = |outside: &&[Node]| outside.iter().all(|letter| absent.binary_search(letter).is_ok());
            if outside.iter().any(excluded) {
                continue;
            }
        }
        let Some(Group { letters, steps, .. }) = each.get(group) else {
            require!(LettersVisits, false, about("the groups"), "a walk need not visit a loop of letter {letter}");
            continue;
        };
        let next = group + 1;
        if made >= *steps {
            to_do.push(Beginning { state, group: next, made: 0, used: Vec::new(), absent });
            continue;
        }
        let edges = without.edges_of(state);
        work.spend(letters.len().saturating_mul(used.len() + 1).saturating_add(absent.len()).saturating_add(edges.len()))?;
        for &(_, label, to) in edges.iter().filter(|(_, label, _)| letters.binary_search(label).is_ok()) {
            work.spend(used.len().saturating_add(absent.len()))?;
            let used = used.iter().copied().chain([label]).collect();
            to_do.push(Beginning { state: to, group, made: made + 1, used, absent: absent.clone() });
        }
        let unused = letters.iter().copied().filter(|letter| !used.contains(letter));
        let mut absent: Vec<Node> = absent.into_iter().chain(unused).collect();
        absent.sort_unstable();
        to_do.push(Beginning { state, group: next, made: 0, used: Vec::new(), absent });
    }
    Ok(())
}
