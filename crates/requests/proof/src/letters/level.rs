//! Levels: the serial automaton made smaller.
//!
//! `Ψ(B)` is the set of counts of labels that the walks of an automaton `B` from
//! its start have. A *level* goes from an automaton `A` over letters to one,
//! `B`, in two moves, each of which can only lose counts; the *removed* letters
//! are those that levels before it have removed.
//!
//! # Loop letters
//!
//! Let `ℓ` be a letter, `P` the set of states with a loop `ℓ`, and `A'` the
//! automaton `A` without all edges of the loop letters of this level.
//!
//! **Lemma.** Let `c'` be in `Ψ(A')`, and `k ≥ 0`. Then `c' + k·ℓ` is in `Ψ(A)` if
//! `k = 0`; or if the start is in `P` (`letters.free`); or if `c'` has a letter of
//! a set `Γ` such that no letter of `Γ` is removed or a loop letter of this
//! level (`letters.kept`), and each edge of `A` with a letter of `Γ` begins or
//! ends in `P` (`letters.touch`). The same for several loop letters at once.
//!
//! *Proof.* A walk of `A'` for `c'` is one of `A`. In the second case it begins in
//! `P`. In the third it uses an edge with a letter of `Γ`: the letter is one
//! that `A'` still has, so that its count in `c'` is how often the walk uses its
//! edges. So the walk visits `P`. Insert `k` loops there. Loops that are
//! inserted for one letter change no state that the walk visits, so they do
//! not disturb those for another. ∎
//!
//! Which of the three it is depends on the answers: for a letter without a
//! guard the start must be in `P`; for one with a guard, the guard is a fact
//! about all complete runs that says "if `ℓ` is answered, so is some letter of
//! `Γ`" (`letters.guard`).
//!
//! # Simulation
//!
//! **Lemma.** Let `R` relate states of `B` and `A'`, the two starts among them
//! (`letters.start`), such that for `(p, q)` in `R` and each edge `p –a→ p'` of `B`
//! there is an edge `q –a→ q'` of `A'` with `(p', q')` in `R` (`letters.relation`).
//! Then `Ψ(B) ⊆ Ψ(A')`.
//!
//! *Proof.* By induction on its length, a walk of `B` that ends in `p` has a walk
//! of `A'` with the same letters that ends in some `q` with `(p, q)` in `R`. ∎

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serval_evidence::{objects, require};
use serval_model::{Node, NormalForm};

use super::{Automaton, Fact};
use crate::{Checked, Work};

/// From one automaton to a smaller one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Level {
    /// The loop letters that are removed.
    pub loops: Vec<Loop>,
    /// What is left.
    pub automaton: Automaton,
    /// `R`: states of this automaton, and states of the one before that can do
    /// what they can.
    pub relation: Vec<(u32, u32)>,
}

/// A letter that is removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Loop {
    /// The letter.
    pub letter: Node,
    /// The number of a fact, if it can be answered only beside others.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "crate::format::present")]
    pub guard: Option<u32>,
}

objects!(Level, Loop);

/// Checks a level; adds what it removes, and says whether its automaton can be
/// looked at any further.
pub(crate) fn check_level(
    form: &NormalForm,
    before: &Automaton,
    level: &Level,
    facts: &[Fact],
    removed: &mut BTreeSet<Node>,
    work: &mut Work,
) -> Checked<bool> {
    let Level { loops, automaton, relation } = level;
    work.spend(automaton.edges.len().saturating_add(loops.len()).saturating_add(relation.len()))?;
    let letters = loops.iter().all(|removal| super::is_letter(form, removal.letter));
    let related = relation.iter().all(|&(p, q)| p < automaton.states && q < before.states);
    let known = letters && related && automaton.is_well_formed();
    require!(LettersNumbers, known, "a letter or a state that is not there, or edges out of order");
    if !known {
        return Ok(false);
    }
    for removal in loops {
        removed.insert(removal.letter);
    }
    for removal in loops {
        check_loop(before, removal, facts, removed, work)?;
    }
    let before = before.without(|label| removed.contains(&label));
    work.spend(before.edges.len())?;
    check_relation(&before, automaton, relation, work)?;
    Ok(true)
}

/// A loop letter comes with a guard, or is free.
fn check_loop(before: &Automaton, removal: &Loop, facts: &[Fact], removed: &BTreeSet<Node>, work: &mut Work) -> Checked {
    let &Loop { letter, guard } = removal;
    let Some(guard) = guard else {
        let free = before.has_loop(before.start, letter);
        require!(LettersFree, free, "letter {letter} has no loop at the start, and no guard");
        return Ok(());
    };
    let absence = facts.get(guard as usize).and_then(Fact::absence).filter(|absence| absence.never.binary_search(&letter).is_ok());
    require!(LettersGuard, absence.is_some(), "fact {guard} does not say when letter {letter} is not answered");
    let Some(absence) = absence else { return Ok(()) };
    work.spend(absence.outside.len())?;
    let kept = absence.outside.iter().all(|other| !removed.contains(other));
    require!(LettersKept, kept, "the guard of letter {letter} speaks of a letter that is removed");
    work.spend(before.edges.len())?;
    for &(from, label, to) in before.edges.iter().filter(|(_, label, _)| absence.outside.binary_search(label).is_ok()) {
        let touches = before.has_loop(from, letter) || before.has_loop(to, letter);
        require!(LettersTouch, touches, "an edge of letter {label} does not touch a loop of letter {letter}");
    }
    Ok(())
}

/// `R` is a simulation.
fn check_relation(before: &Automaton, after: &Automaton, relation: &[(u32, u32)], work: &mut Work) -> Checked {
    let related: BTreeSet<(u32, u32)> = relation.iter().copied().collect();
    let begins = related.contains(&(after.start, before.start));
    require!(LettersStart, begins, "the starts are not related");
    for &(p, q) in relation {
        for &(_, letter, to) in after.edges_of(p) {
            let candidates = before.edges_from(q, letter);
            work.spend(candidates.len().saturating_add(1))?;
            let follows = candidates.iter().any(|&(.., then)| related.contains(&(to, then)));
            require!(LettersRelation, follows, "state {q} cannot do what state {p} does with letter {letter}");
        }
    }
    Ok(())
}
