//! Methods for goals that say of places how many tokens they have: backwards, one by one and with ω, and what is never
//! covered.

use serval_budget::Stopped;
use serval_net_proof::backward::mirrored;
use serval_net_proof::backward::said_by_all;
use serval_net_proof::{Backward, Evidence};
use serval_petri::{Constraint, Formula, Linear, Net};

use super::attempt::{Attempt, fired};
use crate::answer::Method;
use crate::cover::{CoverOutcome, Tree};
use crate::decompose::MOST_PLACES;
use crate::explicit;

/// That each place has at least as many tokens as the goal says; `None` where it says of no place that it has some.
fn covered(net: &Net, goal: &Formula) -> Option<Formula> {
    if net.place_count() > MOST_PLACES {
        return None;
    }
    let label = said_by_all(net, goal)?;
    let marked = net.places().zip(&label).filter_map(|(place, tokens)| Some((place, tokens.filter(|&tokens| tokens > 0)?)));
    let least = marked.map(|(place, tokens)| Linear::from_wide([(place, 1)], -i128::from(tokens)));
    let least: Vec<Linear> = least.collect::<Option<_>>()?;
    (!least.is_empty()).then(|| Formula::all(least.into_iter().map(|linear| Formula::constraint(Constraint::AtLeastZero(linear)))))
}

/// All markings from which a goal can be reached that is one marking, at most as many as there are ticks.
pub(super) fn explicit_backward(attempt: &mut Attempt<'_>) -> bool {
    let net = attempt.round.net;
    if net.place_count() > MOST_PLACES {
        return true;
    }
    let (most, method) = (attempt.markings(), "explicit-backward");
    match explicit::look_back(net, attempt.goal, most, &mut attempt.round.budget(u64::MAX)) {
        Ok(Some(explicit::ExplicitOutcome::Reached(word))) => attempt.take(fired(&word), method),
        Ok(Some(explicit::ExplicitOutcome::Excluded(evidence))) => attempt.take(*evidence, method),
        Ok(Some(explicit::ExplicitOutcome::TooMany)) => attempt.progress.explicit(most),
        Ok(Some(explicit::ExplicitOutcome::TooManyTokens) | None) | Err(_) => {}
    }
    true
}

/// Whether a goal that is not upward closed is never covered, or the initial marking never is, backwards from the goal.
pub(super) fn numbers(attempt: &mut Attempt<'_>) -> bool {
    let never_covered = never_covered(attempt);
    never_covered.is_err() | (attempt.found.is_open() && never_covered_backwards(attempt).is_err())
}

/// Whether the goal is never covered.
fn never_covered(attempt: &mut Attempt<'_>) -> Result<(), Stopped> {
    let (net, mut budget) = (attempt.round.net, attempt.budget());
    // The tree is there for other goals, too.
    let tree = attempt.progress.tree(net);
    if let (Some(goal), Some(tree)) = (covered(net, attempt.goal), tree)
        && let CoverOutcome::Excluded(evidence) = tree.ask(net, &goal, &mut budget)?
    {
        attempt.take(*evidence, Method::Cover.name());
    }
    Ok(())
}

/// Whether the initial marking is never covered from the goal, all transitions turned round.
fn never_covered_backwards(attempt: &mut Attempt<'_>) -> Result<(), Stopped> {
    let net = attempt.round.net;
    if net.place_count() > MOST_PLACES || said_by_all(net, attempt.goal).is_none_or(|said| said.iter().all(Option::is_none)) {
        return Ok(());
    }
    if let Some((mirror, end)) = mirrored(net, attempt.goal)
        && let Some(goal) = covered(&mirror, &end)
        && let Some(mut tree) = Tree::new(&mirror)
        && let CoverOutcome::Excluded(evidence) = tree.ask(&mirror, &goal, &mut attempt.budget())?
    {
        attempt.take(Evidence::Backward(Backward { evidence }), "cover-backward");
    }
    Ok(())
}
