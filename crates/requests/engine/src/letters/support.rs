//! Facts about letters that are not answered unless others are.

use serval_budget::{Budget, Stopped};
use serval_model::{Node, NormalForm};
use serval_proof::letters::explicit::explicit_system;
use serval_proof::letters::fact::{reached_nodes, slice};
use serval_proof::letters::{Absence, Exactly, Fact};
use serval_proof::script::{Entry, Reduced};

/// How a letter is shown not to be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    Reach,
    Pairs,
}

/// Both, the cheap one first.
pub(super) const HOW: [How; 2] = [How::Reach, How::Pairs];

/// The letters that are never answered without one of `outside`, which is
/// sorted.
pub(super) fn never(form: &NormalForm, outside: &[Node], how: How, budget: &mut Budget) -> Result<Vec<Node>, Stopped> {
    budget.spend(form.steps().len() as u64 + 1)?;
    never_in(form, slice(form, outside), how, budget)
}

/// The letters that are never answered without one of `outside` by runs that
/// answer others exactly a given number of times; `None` if there is no such run.
pub(super) fn never_exactly(
    form: &NormalForm,
    outside: &[Node],
    exactly: &[Exactly],
    how: How,
    budget: &mut Budget,
) -> Result<Option<Vec<Node>>, Stopped> {
    budget.spend(form.steps().len() as u64 + 1)?;
    let Some(system) = explicit_system(&slice(form, outside), exactly, budget)? else { return Ok(None) };
    let mut never = never_in(form, system, how, budget)?;
    never.retain(|letter| !exactly.iter().any(|exactly| exactly.letters.binary_search(letter).is_ok()));
    Ok(Some(never))
}

fn never_in(form: &NormalForm, slice: NormalForm, how: How, budget: &mut Budget) -> Result<Vec<Node>, Stopped> {
    let letters = form.node_numbers().filter(|&node| form.is_done(node));
    Ok(match how {
        How::Reach => {
            let reached = reached_nodes(&slice, budget)?;
            letters.filter(|&letter| !reached[letter as usize]).collect()
        }
        How::Pairs => {
            let mut pruned = Reduced::new(slice);
            pruned.apply(&Entry::Pairs, budget)?;
            let mut answered = vec![false; pruned.form().nodes().len()];
            for step in pruned.form().steps() {
                answered[step.to_node as usize] = true;
            }
            letters.filter(|&letter| !answered[letter as usize]).collect()
        }
    })
}

/// A fact that says of these letters that they are never answered without one
/// of the outside.
pub(super) fn absence(how: How, outside: Vec<Node>, exactly: Vec<Exactly>, never: Vec<Node>) -> Fact {
    let absence = Absence { outside, exactly, never };
    match how {
        How::Reach => Fact::Reach(absence),
        How::Pairs => Fact::Pairs(absence),
    }
}

/// Makes the outside smaller, groups of letters at a time, while it is enough: the
/// smaller it is, the more is said.
pub(super) fn narrowed(
    mut outside: Vec<Vec<Node>>,
    mut is_enough: impl FnMut(&[Node]) -> Result<bool, Stopped>,
) -> Result<Vec<Node>, Stopped> {
    let mut at = 0;
    // Half of them at a time first: most are not needed.
    let mut size = outside.len().div_ceil(2).max(1);
    loop {
        while at < outside.len() {
            let end = (at + size).min(outside.len());
            let mut rest: Vec<Node> = outside[..at].iter().chain(&outside[end..]).flatten().copied().collect();
            rest.sort_unstable();
            if is_enough(&rest)? {
                outside.drain(at..end);
            } else {
                at = end;
            }
        }
        if size == 1 {
            break;
        }
        (at, size) = (0, size.div_ceil(2));
    }
    let mut outside: Vec<Node> = outside.into_iter().flatten().collect();
    outside.sort_unstable();
    Ok(outside)
}

/// Whether all of these are in a sorted list.
pub(super) fn are_in(letters: &[Node], list: &[Node]) -> bool {
    letters.iter().all(|letter| list.binary_search(letter).is_ok())
}
