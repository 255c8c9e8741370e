//! What the rows of the schedule ask, where a method has one way to be asked. Each function says whether more ticks
//! could help.

use serval_budget::{Budget, Stopped};
use serval_net_proof::{Evidence, Run};
use serval_petri::{Formula, Net};

use super::attempt::{Attempt, AttemptAtAll, fired};
use crate::answer::{GoalOutcome, Method};
use crate::decompose::goals as decomposition;
use crate::goals::Goals;
use crate::reduce::{self, Reduced};
use crate::{equation, explicit, inductive, separator};

/// Random walks that look at all goals.
pub(super) fn walk(attempt: &mut AttemptAtAll<'_>) -> bool {
    let AttemptAtAll { round, goals, found, ticks, .. } = attempt;
    let session = round.session;
    let mut open: Vec<bool> = found.iter().map(GoalOutcome::is_open).collect();
    let looked = Goals::new(goals, session.deadlock.as_ref(), round.net.place_count());
    let mut reached = |goal: usize, word: &[u32]| found[goal] = round.checked(&goals[goal], fired(word), Method::Walk.name());
    let seed = u64::from(round.number) + 1;
    let (overflowed, _) = crate::walk::walk(&session.fast, &looked, &mut open, seed, &mut reached, &mut round.budget(*ticks));
    if overflowed {
        found.iter_mut().for_each(GoalOutcome::too_many_tokens);
    }
    true
}

/// Places that stay empty.
pub(super) fn siphon(attempt: &mut Attempt<'_>) -> bool {
    if let Some(evidence) = attempt.round.session.empty.exclude(attempt.round.net, attempt.goal) {
        attempt.take(evidence, Method::Siphon.name());
    }
    false
}

/// Weighted sums that no transition increases.
pub(super) fn weights(attempt: &mut Attempt<'_>) -> bool {
    let net = attempt.round.net;
    let mut budget = attempt.budget();
    match attempt.progress.bounds(net).exclude(net, attempt.goal, &mut budget) {
        Ok(Some(evidence)) => attempt.take(evidence, Method::Weights.name()),
        Ok(None) => {}
        Err(_) => return true,
    }
    false
}

/// The marking equation: a proof, or a plan. With more ticks come other plans.
pub(super) fn equation(attempt: &mut Attempt<'_>) -> bool {
    let (net, session, round) = (attempt.round.net, attempt.round.session, attempt.round.number);
    let (seed, plans) = (u64::from(round) + 1, usize::try_from(4_u32.saturating_pow(round)).unwrap_or(usize::MAX));
    match equation::ask_from(&session.equation, &session.fast, net, attempt.goal, (seed, plans), &mut attempt.budget()) {
        Ok(equation::EquationOutcome::Excluded(evidence)) => attempt.take(*evidence, Method::Equation.name()),
        Ok(equation::EquationOutcome::Reached(word)) => attempt.take(Evidence::Run(Run { word }), "guided"),
        Ok(equation::EquationOutcome::Nothing) | Err(_) => {}
    }
    true
}

/// All markings, at most as many as there are ticks; after the first round those of a smaller net, if there is one.
pub(super) fn explicit(attempt: &mut Attempt<'_>) -> bool {
    let (session, most) = (attempt.round.session, attempt.markings());
    if attempt.round.number > 0
        && let Some(smaller) = reduce::reduced_by(attempt.round.net, attempt.goal, &session.rules, attempt.round.cancel)
    {
        explicit_reduced(attempt, &smaller, most);
        return true;
    }
    let budget = &mut attempt.round.budget(u64::MAX);
    let is_deadlock = session.deadlock.as_ref() == Some(attempt.goal);
    let (is_wanted, net) = (session.stubborn && (is_deadlock || attempt.round.number > 0), attempt.round.net);
    let said = with_sets(is_wanted, is_deadlock, net, attempt.goal, most, budget)
        .unwrap_or_else(|| attempt.progress.look(&session.fast, is_deadlock, attempt.goal, most, budget));
    match said {
        Ok(explicit::ExplicitOutcome::Reached(word)) => attempt.take(fired(&word), Method::Explicit.name()),
        Ok(explicit::ExplicitOutcome::Excluded(evidence)) => attempt.take(*evidence, Method::Explicit.name()),
        Ok(explicit::ExplicitOutcome::TooManyTokens) => attempt.found.too_many_tokens(),
        Ok(explicit::ExplicitOutcome::TooMany) => attempt.progress.explicit(most),
        Err(_) => {}
    }
    true
}

/// Some of the markings, with stubborn sets: for deadlocks, or an eighth of the markings for another goal; `None` where
/// that does not decide it, or is not wanted.
fn with_sets(
    is_wanted: bool,
    is_deadlock: bool,
    net: &Net,
    goal: &Formula,
    most: usize,
    budget: &mut Budget,
) -> Option<Result<explicit::ExplicitOutcome, Stopped>> {
    if !is_wanted {
        return None;
    }
    if is_deadlock {
        return explicit::look_for_deadlock(net, most, budget).transpose();
    }
    match explicit::look_toward(net, goal, most / 8, budget) {
        Ok(Some(said @ (explicit::ExplicitOutcome::Reached(_) | explicit::ExplicitOutcome::Excluded(_)))) => Some(Ok(said)),
        Ok(_) => None,
        Err(stopped) => Some(Err(stopped)),
    }
}

/// All markings of a smaller net.
fn explicit_reduced(attempt: &mut Attempt<'_>, smaller: &Reduced, most: usize) {
    let budget = &mut attempt.round.budget(u64::MAX);
    let is_deadlock = Formula::deadlock(&smaller.net).as_ref() == Some(&smaller.goal);
    let said = with_sets(attempt.round.session.stubborn, is_deadlock, &smaller.net, &smaller.goal, most, budget)
        .unwrap_or_else(|| explicit::look(&smaller.net, &smaller.goal, most, budget));
    match said {
        Ok(explicit::ExplicitOutcome::Reached(word)) => attempt.take(smaller.lifted(fired(&word)), Method::Explicit.name()),
        Ok(explicit::ExplicitOutcome::Excluded(evidence)) => attempt.take(smaller.lifted(*evidence), Method::Explicit.name()),
        Ok(explicit::ExplicitOutcome::TooManyTokens) => attempt.found.too_many_tokens(),
        Ok(explicit::ExplicitOutcome::TooMany) => attempt.progress.explicit(most),
        Err(_) => {}
    }
}

/// An invariant, clause by clause.
pub(super) fn pdr(attempt: &mut Attempt<'_>) -> bool {
    inductively(attempt, Method::Pdr)
}

/// Several steps at once.
pub(super) fn induction(attempt: &mut Attempt<'_>) -> bool {
    inductively(attempt, Method::Induction)
}

fn inductively(attempt: &mut Attempt<'_>, method: Method) -> bool {
    let (net, session) = (attempt.round.net, attempt.round.session);
    let ask = if method == Method::Induction { inductive::induction } else { inductive::pdr };
    match ask(net, &session.equation, &session.proved, attempt.goal, &mut attempt.budget()) {
        Ok(inductive::InductiveOutcome::Excluded(evidence)) => attempt.take(*evidence, method.name()),
        Ok(inductive::InductiveOutcome::Reached(word)) => attempt.take(fired(&word), method.name()),
        Ok(inductive::InductiveOutcome::Nothing) => {}
        Err(_) => return true,
    }
    false
}

/// Clauses about tokens, firings and residues.
pub(super) fn separator(attempt: &mut Attempt<'_>) -> bool {
    match separator::ask(attempt.round.net, attempt.goal, &mut attempt.budget()) {
        Ok(Some(evidence)) => attempt.take(evidence, Method::Separator.name()),
        Ok(None) => {}
        Err(_) => return true,
    }
    false
}

/// The decomposition after all other methods, for what is theirs not to decide.
pub(super) fn decompose_the_rest(attempt: &mut Attempt<'_>) -> bool {
    let counts = decomposition::ask(attempt.round.net, attempt.goal, attempt.found, attempt.ticks, attempt.round.cancel);
    attempt.progress.decomposed(counts);
    true
}

/// The decomposition alone.
pub(super) fn decompose(attempt: &mut Attempt<'_>) -> bool {
    let (more, counts) = decomposition::ask_alone(attempt.round.net, attempt.goal, attempt.found, attempt.ticks, attempt.round.cancel);
    attempt.progress.decomposed(counts);
    more
}
