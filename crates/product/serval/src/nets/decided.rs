//! What follows from what was found about the goals of a question.

use serval_budget::Budget;
use serval_net_engine::{GoalAnswer, GoalOutcome};
use serval_net_proof::{About, Certificate, Evidence, Refusal, Runs, fingerprint};
use serval_petri::{Decides, Formula, Net, PlaceId, Property};
use serval_report::nets::NetAnswer;

use super::{NetDecision, NetOptions, NetQuestion, paragraph, runs, why};

/// A question as the checker reads it.
pub(super) struct ReadQuestion {
    /// In the words in which it was asked.
    pub(super) words: String,
    pub(super) property: Property,
    pub(super) goals: Vec<Formula>,
    /// The places, where it is asked whether they are bounded; there are no goals then.
    pub(super) places: Option<Vec<PlaceId>>,
    /// What should always be reached again, where that is asked; there are no other goals then.
    pub(super) homes: Option<Vec<Formula>>,
    pub(super) found: Vec<GoalOutcome>,
}

/// A property, and the words in which it was asked.
pub(super) type Worded<'a> = (&'a str, &'a Property);

impl ReadQuestion {
    pub(super) fn worded(&self) -> Worded<'_> {
        (&self.words, &self.property)
    }

    pub(super) fn new(net: &Net, question: &NetQuestion) -> Option<Self> {
        // Evidence is about the property as the checker reads it.
        let words = question.asked.clone()?;
        let property = Property::parse(&words, net).ok()?;
        let places = property.bounded_places(net);
        let homes = property.homes(net);
        let goals = if places.is_some() || homes.is_some() { Vec::new() } else { property.goals(net)? };
        Some(Self { words, property, found: vec![GoalOutcome::Nothing; goals.len()], goals, places, homes })
    }
}

/// What follows from what was found about the goals of a property, which was asked for in these words.
pub(super) fn decided(
    net: &Net,
    (words, property): Worded<'_>,
    goals: &[Formula],
    found: Vec<GoalOutcome>,
    options: &NetOptions,
) -> NetDecision {
    let open = found.iter().filter(|found| found.is_open()).count();
    let too_large = found.iter().find_map(|found| match found {
        GoalOutcome::TooLarge { what, limit } => Some(format!("there was too much on the way: more than {limit} {what}")),
        GoalOutcome::Nothing | GoalOutcome::Answer(_) | GoalOutcome::Refused(..) => None,
    });
    let mut evidence: Vec<(usize, Evidence)> = Vec::new();
    let mut methods: Vec<(usize, &'static str)> = Vec::new();
    for (goal, found) in found.into_iter().enumerate() {
        match found {
            GoalOutcome::Nothing | GoalOutcome::TooLarge { .. } => {}
            GoalOutcome::Answer(answer) => {
                methods.push((goal, answer.method));
                evidence.push((goal, answer.evidence));
            }
            GoalOutcome::Refused(GoalAnswer { evidence, .. }, rejection) => {
                let certificate = Some(refused(net, (words, property), goal, evidence));
                let reason = format!("internal error: the checker refuses our evidence: {rejection}");
                return NetDecision { certificate, open, ..NetDecision::without(NetAnswer::Error, reason) };
            }
        }
    }
    let mut shortest = false;
    // With a largest value the first goal is that it is reached.
    let is_one = goals.len() == 1 || property.decides() == Decides::IfFirst;
    if let Some((goal, Evidence::Run(run))) = evidence.first_mut().filter(|_| is_one)
        && let Some(goal) = goals.get(*goal)
    {
        let mut budget = Budget::new(options.shorten, options.cancel.clone());
        (*run, shortest) = runs::shortened(net, goal, std::mem::take(run), &mut budget);
    }
    let run = match evidence.first() {
        Some((goal, Evidence::Run(run))) if is_one => Some((*goal, run.clone())),
        _ => None,
    };
    let mut used: Vec<usize> = evidence.iter().map(|one| one.0).collect();
    // Evidence may be large, and only where each of several goals is told more of it is needed than the certificate
    // has.
    let is_each = matches!(property.decides(), Decides::IfReachable | Decides::UnlessAllReachable);
    let mut each = if is_each { evidence.clone() } else { Vec::new() };
    let Some(mut certificate) = Certificate::new(net, words, property.decides(), goals.len(), evidence) else {
        let reason = match (goals.len(), open) {
            (1, _) => "no method found an answer within the limits".to_owned(),
            (all, open) => {
                let settled = all.saturating_sub(open);
                let nodes = why::nodes(property);
                format!("of {all} {nodes}, {settled} are settled and {open} are open: no method found an answer within the limits")
            }
        };
        let reason = too_large.map_or(reason.clone(), |more| format!("{reason}; {more}"));
        return NetDecision { open, ..NetDecision::without(NetAnswer::Undecided, reason) };
    };
    if certificate.holds == (property.decides() == Decides::UnlessAllReachable) && is_each {
        // One is enough, but the report has each of them, and so each of them needs evidence.
        each.retain(|one| !matches!(one.1, Evidence::Run(_)));
        used = each.iter().map(|one| one.0).collect();
        certificate.evidence = each.iter().map(|(goal, evidence)| About { goal: *goal, evidence: evidence.clone() }).collect();
    }
    let mut names: Vec<&'static str> = methods.iter().filter(|one| used.binary_search(&one.0).is_ok()).map(|one| one.1).collect();
    names.sort_unstable();
    names.dedup();
    if let Some(decision) = not_accepted(net, &certificate, &names, options) {
        return NetDecision { open, ..decision };
    }
    let answer = if certificate.holds { NetAnswer::Holds } else { NetAnswer::DoesNotHold };
    let named = why::named_nodes(net, property, &each);
    let (dead, stable) = if *property == Property::StableMarking { (Vec::new(), named) } else { (named, Vec::new()) };
    NetDecision {
        answer,
        methods: names,
        reason: None,
        why: why::why(net, property, &certificate),
        explanation: paragraph::paragraph(net, property, goals, &certificate),
        run: run.and_then(|(goal, run)| runs::told(net, &run, shortest, why::end(net, property, &goals[goal], &run))),
        value: None,
        far: None,
        dead,
        stable,
        open,
        certificate: Some(certificate),
    }
}

/// What follows from what was found about bounds of places.
pub(super) fn decided_bounds(net: &Net, (words, property): Worded<'_>, found: GoalOutcome, options: &NetOptions) -> NetDecision {
    let undecided = |reason: String| NetDecision { open: 1, ..NetDecision::without(NetAnswer::Undecided, reason) };
    let nothing = "no method found an answer within the limits".to_owned();
    let answer = match found {
        GoalOutcome::Nothing => return undecided(nothing),
        GoalOutcome::TooLarge { what, limit } => {
            return undecided(format!("{nothing}; there was too much on the way: more than {limit} {what}"));
        }
        GoalOutcome::Refused(GoalAnswer { evidence, .. }, rejection) => {
            let reason = format!("internal error: the checker refuses our evidence: {rejection}");
            let certificate = Certificate::bounded(net, words, property, evidence);
            return NetDecision { certificate, open: 1, ..NetDecision::without(NetAnswer::Error, reason) };
        }
        GoalOutcome::Answer(answer) => answer,
    };
    let Some(certificate) = Certificate::bounded(net, words, property, answer.evidence.clone()) else { return undecided(nothing) };
    if let Some(decision) = not_accepted(net, &certificate, &[answer.method], options) {
        return decision;
    }
    NetDecision {
        answer: if certificate.holds { NetAnswer::Holds } else { NetAnswer::DoesNotHold },
        methods: vec![answer.method],
        why: why::bounds(net, property, &answer.evidence),
        certificate: Some(certificate),
        ..NetDecision::with_reason(None)
    }
}

/// What follows where the checker does not accept a certificate, which these methods have made; nothing where it does.
pub(super) fn not_accepted(net: &Net, certificate: &Certificate, methods: &[&str], options: &NetOptions) -> Option<NetDecision> {
    let undecided = |reason: String| NetDecision { open: 1, ..NetDecision::without(NetAnswer::Undecided, reason) };
    let uncertified = |limit: u64, what: &str| {
        let (who, says) = (methods.join(" and "), if methods.len() == 1 { "says" } else { "say" });
        let answer = if certificate.holds { "that it holds" } else { "that it does not hold" };
        undecided(format!("uncertified: {who} {says} {answer}, but checking it is too large: more than {limit} {what}"))
    };
    if certificate.is_longer_than(options.most_bytes) {
        return Some(uncertified(options.most_bytes, "bytes"));
    }
    match certificate.check(net, &mut Budget::new(u64::MAX, options.cancel.clone())).err()? {
        Refusal::Invalid(rejection) => {
            let reason = format!("internal error: the checker refuses our evidence: {rejection}");
            Some(NetDecision { certificate: Some(certificate.clone()), open: 1, ..NetDecision::without(NetAnswer::Error, reason) })
        }
        Refusal::TooLarge { what, limit } => Some(uncertified(limit, what)),
        Refusal::Stopped(_) => Some(undecided("stopped before the evidence was checked".to_owned())),
    }
}

/// A certificate with evidence that the checker has refused, to find out why.
fn refused(net: &Net, (words, property): Worded<'_>, goal: usize, evidence: Evidence) -> Certificate {
    let is_run = matches!(evidence, Evidence::Run(_));
    let holds = is_run == (property.decides() == Decides::IfReachable);
    let evidence = vec![About { goal, evidence }];
    Certificate { net: fingerprint(net), property: words.to_owned(), holds, evidence, runs: Runs::default() }
}

#[cfg(test)]
mod tests {
    use serval_net_proof::{Claim, Item, Run, Weights, check};

    use super::*;
    use crate::nets::{NetInput, NetKind};

    /// An answer whose evidence is longer than what the checker reads is none.
    #[test]
    fn evidence_beyond_the_limit_is_no_answer() {
        let input = NetInput::read("pl a (1)\ntr t a -> b\ntr u b -> a\n", NetKind::Tina).unwrap();
        for (words, method, says) in [
            ("deadlock-free", "explicit", "that it holds"),
            ("one-safe", "weights", "that it holds"),
            ("reachable:b = 1", "walk", "that it holds"),
            ("reachable:b = 2", "explicit", "that it does not hold"),
            ("reversible", "explicit", "that it holds"),
            ("bounded", "weights", "that it holds"),
        ] {
            let method = serval_net_engine::Method::named(method);
            let mut options = NetOptions { method, ..NetOptions::default() };
            let question = input.question(words).unwrap();
            let decision = crate::nets::decide_net(&input, &question, &options);
            let Some(certificate) = decision.certificate else { panic!("{words}: {:?}", decision.reason) };
            let length = u64::try_from(certificate.to_json().len()).unwrap();
            options.most_bytes = length;
            assert_eq!(crate::nets::decide_net(&input, &question, &options).answer, decision.answer, "{words}");
            options.most_bytes = length - 1;
            let beyond = crate::nets::decide_net(&input, &question, &options);
            assert_eq!((beyond.answer, beyond.certificate), (NetAnswer::Undecided, None), "{words}");
            let reason =
                format!("uncertified: {} says {says}, but checking it is too large: more than {} bytes", decision.methods[0], length - 1);
            assert_eq!(beyond.reason, Some(reason));
        }
    }

    /// Evidence that the checker refuses is a bug that is reported, whatever it claims.
    #[test]
    fn refused_evidence_is_an_internal_error() {
        let input = NetInput::read("pl a (1)\ntr t a -> b\ntr u b -> a\n", NetKind::Tina).unwrap();
        let run = Evidence::Run(Run { word: vec![Item::Fire(1)] });
        for (words, evidence) in
            [("one-safe", Evidence::Weights(Weights::default())), ("reachable:b = 1", run.clone()), ("quasi-live", run)]
        {
            let property = Property::parse(words, &input.net).unwrap();
            let goals = property.goals(&input.net).unwrap();
            let claim = evidence.claim();
            let Err(Refusal::Invalid(rejection)) = check(&input.net, &goals[0], claim, &evidence, &mut Budget::unlimited()) else {
                panic!("accepted");
            };
            let mut found = vec![GoalOutcome::Nothing; goals.len()];
            found[0] = GoalOutcome::Refused(GoalAnswer { claim, evidence, method: "none" }, rejection);
            let decision = decided(&input.net, (words, &property), &goals, found, &NetOptions::default());
            assert_eq!(decision.answer, NetAnswer::Error);
            assert!(decision.reason.unwrap().starts_with("internal error: the checker refuses our evidence"));
            let certificate = decision.certificate.unwrap();
            assert_eq!(certificate.holds, (claim == Claim::Reachable) == (property.decides() == Decides::IfReachable));
            assert!(matches!(certificate.check(&input.net, &mut Budget::unlimited()), Err(Refusal::Invalid(_))));
        }
    }
}
