//! Answers to questions about what can always be reached again.

use serval_budget::Budget;
use serval_diagnostic::counted;
use serval_net_engine::{GoalAnswer, GoalOutcome, Homing};
use serval_net_proof::{Certificate, Evidence, Homes, Lost, Run, run};
use serval_petri::{Net, Property, TransitionId};
use serval_report::nets::NetAnswer;

use super::decided::{Worded, not_accepted};
use super::{NetDecision, NetOptions, runs, why};

/// What follows from what was found about goals that should always be reached again.
pub(super) fn decided(net: &Net, (words, property): Worded<'_>, homing: Homing, options: &NetOptions) -> NetDecision {
    let Homing { goal, outcome, is_unbounded, far } = homing;
    let undecided = |reason: String| NetDecision { open: 1, ..NetDecision::without(NetAnswer::Undecided, reason) }.with_far(far);
    let nothing = "no method found an answer within the limits";
    let answer = match outcome {
        _ if is_unbounded && outcome.is_open() => {
            return undecided("the net is not bounded, and no run was found that refutes it".to_owned());
        }
        GoalOutcome::Nothing => return undecided(nothing.to_owned()),
        GoalOutcome::TooLarge { what, limit } => {
            return undecided(format!("{nothing}; there was too much on the way: more than {limit} {what}"));
        }
        GoalOutcome::Refused(GoalAnswer { evidence, .. }, rejection) => {
            let reason = format!("internal error: the checker refuses our evidence: {rejection}");
            let certificate = Certificate::homes(net, words, property, goal, evidence);
            return NetDecision { certificate, open: 1, ..NetDecision::without(NetAnswer::Error, reason) };
        }
        GoalOutcome::Answer(answer) => answer,
    };
    let GoalAnswer { mut evidence, method, .. } = answer;
    let shortest = if let Evidence::Lost(lost) = &mut evidence { shortened(net, lost, options) } else { false };
    let Some(certificate) = Certificate::homes(net, words, property, goal, evidence) else { return undecided(nothing.to_owned()) };
    if let Some(decision) = not_accepted(net, &certificate, &[method], options) {
        return decision;
    }
    let (why, run) = match certificate.evidence.first().map(|about| &about.evidence) {
        Some(Evidence::Homes(homes)) => (Some(led_back(property, homes)), None),
        Some(Evidence::Lost(lost)) => {
            let (word, is_empty) = (Run { word: lost.word.clone() }, lost.word.is_empty());
            let run = runs::told(net, &word, shortest, end(net, property, goal, is_empty));
            (out_of_reach(net, property, goal, lost), run)
        }
        _ => (None, None),
    };
    NetDecision {
        answer: if certificate.holds { NetAnswer::Holds } else { NetAnswer::DoesNotHold },
        methods: vec![method],
        why,
        run,
        certificate: Some(certificate),
        ..NetDecision::with_reason(None)
    }
}

/// A shorter run to the same marking; whether it is shortest.
fn shortened(net: &Net, lost: &mut Lost, options: &NetOptions) -> bool {
    let mut budget = Budget::new(options.shorten, options.cancel.clone());
    let word = Run { word: std::mem::take(&mut lost.word) };
    let there = run::end(net, &word, &mut budget).ok();
    let goal = there.and_then(|marking| Property::Reaches(marking).goals(net)?.pop());
    let (short, shortest) = match goal {
        Some(goal) => runs::shortened(net, &goal, word, &mut budget),
        None => (word, false),
    };
    lost.word = short.word;
    shortest
}

/// Why it holds.
fn led_back(property: &Property, homes: &Homes) -> String {
    let all = counted(homes.markings.len(), "marking");
    match (property, homes.words.len()) {
        (Property::Reversible, _) => format!("{all} can be reached, and each leads back to the initial one"),
        (_, 1) => format!("{all} can be reached, and each leads to one from which every transition can fire"),
        (_, several) => format!("{all} can be reached, and each leads to one of {several} from which every transition can fire"),
    }
}

/// The transition that a goal is about, where it is about one.
fn transition<'a>(net: &'a Net, property: &Property, goal: usize) -> Option<&'a str> {
    let known = TransitionId::try_from_index(goal).filter(|one| *property == Property::Live && one.index() < net.transition_count());
    known.map(|transition| net.transition_name(transition))
}

/// Why a goal cannot be reached from where a run ends.
fn out_of_reach(net: &Net, property: &Property, goal: usize, lost: &Lost) -> Option<String> {
    let there = if lost.word.is_empty() { "" } else { "from there " };
    Some(match &*lost.evidence {
        Evidence::States(states) => {
            let all = counted(states.markings.len(), "marking");
            match transition(net, property, goal) {
                Some(transition) => format!("{there}{all} can be reached, none of which enables “{transition}”"),
                None => format!("{there}{all} can be reached, none of which is the initial one"),
            }
        }
        other => format!("{there}{}", why::because(net, property, other)?),
    })
}

/// What is so where a run ends.
fn end(net: &Net, property: &Property, goal: usize, is_empty: bool) -> String {
    match transition(net, property, goal) {
        Some(transition) => format!("“{transition}” can never fire{}", if is_empty { "" } else { " again" }),
        None => "nothing leads back to the initial marking".to_owned(),
    }
}
