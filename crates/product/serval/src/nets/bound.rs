//! Answers to questions how large a sum of tokens can be.

use serval_diagnostic::counted;
use serval_net_engine::{Extent, Far, GoalOutcome};
use serval_petri::{Linear, Most, Net, Property};
use serval_report::nets::NetAnswer;

use super::decided::{decided as decided_goals, decided_bounds};
use super::{NetDecision, NetOptions};

/// What follows from what was found out about a sum: the property that its largest value is this one, which is what was
/// asked with the answer behind it.
pub(super) fn decided(net: &Net, words: &str, sum: &Linear, extent: Extent, options: &NetOptions) -> NetDecision {
    let Extent { least, reached, most, excluded, unbounded, far } = extent;
    if !matches!(unbounded, GoalOutcome::Nothing | GoalOutcome::TooLarge { .. }) {
        let property = Property::Bound(sum.clone(), Some(Most::Omega));
        let words = format!("{words} = {}", Most::Omega);
        return valued(decided_bounds(net, (&words, &property), unbounded, options), Most::Omega);
    }
    let property = Property::Bound(sum.clone(), Some(Most::Number(least)));
    let is_refused = [&reached, &excluded].into_iter().any(|found| matches!(found, GoalOutcome::Refused(..)));
    if most == Some(least) || is_refused {
        let Some(goals) = property.goals(net) else { return too_large() };
        let words = format!("{words} = {least}");
        let decision = decided_goals(net, (&words, &property), &goals, vec![reached, excluded], options);
        return valued(decision, Most::Number(least)).with_far(far);
    }
    let GoalOutcome::Answer(_) = reached else { return too_large() };
    let more = match &excluded {
        GoalOutcome::TooLarge { what, limit } => format!("; there was too much on the way: more than {limit} {what}"),
        GoalOutcome::Nothing | GoalOutcome::Answer(_) | GoalOutcome::Refused(..) => String::new(),
    };
    let known = most.map_or_else(|| format!("it is at least {least}"), |most| format!("it is between {least} and {most}"));
    NetDecision {
        open: 1,
        ..NetDecision::without(NetAnswer::Undecided, format!("no method found the largest value within the limits: {known}{more}"))
    }
    .with_far(far)
}

fn too_large() -> NetDecision {
    NetDecision::without(NetAnswer::Undecided, "the value does not fit 63 bits")
}

/// With the value, where the decision is that it is this one.
fn valued(mut decision: NetDecision, value: Most) -> NetDecision {
    if decision.answer == NetAnswer::Holds {
        decision.value = Some(value.to_string());
        decision.why = decision.why.map(|why| format!("the largest value is {value}: {why}"));
    }
    decision
}

/// How far methods came, in words.
pub(super) fn far(Far { forwards, backwards, explicit, sequences, refuted, largest: (pieces, arcs), has_failed }: Far) -> Option<String> {
    let parts =
        [(forwards, "forwards", "markings with ω"), (backwards, "backwards", "least markings"), (explicit, "one by one", "markings")];
    let mut told: Vec<String> =
        parts.iter().filter(|one| one.0 > 0).map(|(count, direction, what)| format!("{direction} {count} {what}")).collect();
    if sequences > 0 {
        let largest = format!("the largest has {} and {}", counted(pieces, "piece"), counted(arcs, "arc"));
        told.push(format!("split into {}, {refuted} of them ruled out by equations; {largest}", counted(sequences, "case")));
    }
    if has_failed {
        told.push("a method failed, which is a bug in serval".to_owned());
    }
    (!told.is_empty()).then(|| format!("how far it came: {}", told.join(", ")))
}
