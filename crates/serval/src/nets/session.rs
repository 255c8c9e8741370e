//! Questions about one net, which share what is found out about it.
//!
//! A session begins with what can be asked about all questions at once; then each is decided by itself. What is found out about one
//! changes nothing for another, so that they can be decided in any order, and on any number of threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serval_budget::{Budget, Cancel, threads};
use serval_netproof::{About, Certificate, Evidence, Refusal, Runs, fingerprint};
use serval_nets::inductive::clauses_shown;
use serval_nets::{Answer, Found, Session};
use serval_petri::{Decides, Formula, Net, PlaceId, Property};
use serval_report::nets::NetAnswer;

use super::{NetDecision, NetInput, NetOptions, NetQuestion, bound, paragraph, runs, why};

/// Rounds for the question whether places are safe, before all others.
const SAFETY_ROUNDS: u32 = 2;

/// Questions about a net, after what can be asked at once has been asked.
pub struct NetSession {
    session: Session,
    /// `None` where a number in a question does not fit.
    asked: Vec<Option<Asked>>,
}

/// A question as the checker reads it.
pub(super) struct Asked {
    pub(super) property: Property,
    pub(super) goals: Vec<Formula>,
    /// The places, where it is asked whether they are bounded; there are no goals then.
    places: Option<Vec<PlaceId>>,
    found: Vec<Found>,
}

impl Asked {
    pub(super) fn new(net: &Net, question: &NetQuestion) -> Option<Self> {
        // Evidence is about the property as the checker reads it.
        let property = Property::parse(&question.property.text(net)?, net).ok()?;
        let places = property.bounded_places(net);
        let goals = if places.is_some() { Vec::new() } else { property.goals(net)? };
        Some(Self { property, found: vec![Found::Nothing; goals.len()], goals, places })
    }
}

impl NetSession {
    /// Begins to look for answers to all questions, as far as that can be done at once.
    pub fn begin(input: &NetInput, questions: &[NetQuestion], cancel: &Cancel) -> Self {
        let mut session = Self::without_beginning(input, questions, cancel);
        let goals: Vec<Formula> = session.asked.iter().flatten().flat_map(|asked| asked.goals.iter().cloned()).collect();
        let mut found = session.session.begin(&input.net, &goals, cancel).into_iter();
        for asked in session.asked.iter_mut().flatten() {
            asked.found = found.by_ref().take(asked.goals.len()).collect();
        }
        session.safety_first(input, cancel);
        session
    }

    /// Whether places are safe is asked first, for a while, if it is asked at all: what shows it helps with other questions.
    fn safety_first(&mut self, input: &NetInput, cancel: &Cancel) {
        if self.asked.len() < 2 {
            return;
        }
        for asked in self.asked.iter_mut().flatten().filter(|asked| matches!(asked.property, Property::Safe(_))) {
            let found = std::mem::take(&mut asked.found);
            asked.found = self.session.go_on(&input.net, &asked.goals, found, SAFETY_ROUNDS, cancel).0;
            let shown = asked.found.iter().filter_map(Found::answer);
            let clauses = shown.flat_map(|answer| clauses_shown(&input.net, &answer.evidence)).collect();
            self.session.strengthen(clauses);
        }
    }

    /// Takes for granted what a certificate shows, which the checker has accepted: the inductive methods may use it, and show it again where they
    /// do. The error says why it is of no use.
    pub fn assume(&mut self, input: &NetInput, certificate: &Certificate) -> Result<(), String> {
        if !certificate.holds {
            return Err("the certificate shows that it does not hold".to_owned());
        }
        let clauses: Vec<_> = certificate.evidence.iter().flat_map(|about| clauses_shown(&input.net, &about.evidence)).collect();
        if clauses.is_empty() {
            let kinds: Vec<&str> = certificate.evidence.iter().map(|about| about.evidence.kind()).collect();
            return Err(format!("its evidence has no clauses that could help: {}", kinds.first().unwrap_or(&"runs")));
        }
        self.session.strengthen(clauses);
        Ok(())
    }

    /// The questions alone: nothing has been asked yet, as where one method is to answer alone.
    pub fn without_beginning(input: &NetInput, questions: &[NetQuestion], cancel: &Cancel) -> Self {
        let asked = questions.iter().map(|question| Asked::new(&input.net, question)).collect();
        Self { session: Session::new(&input.net, cancel), asked }
    }

    /// Answers a question, by its number.
    pub fn decide(&self, input: &NetInput, question: usize, options: &NetOptions) -> NetDecision {
        let Some(asked) = self.asked.get(question).and_then(Option::as_ref) else {
            return NetDecision::without(NetAnswer::Undecided, "a number in the question does not fit 64 bits, or it nests too deep");
        };
        if let Property::Bound(sum, None) = &asked.property {
            let extent = self.session.largest(&input.net, sum, options.method, options.rounds, &options.cancel);
            return bound::decided(&input.net, sum, extent, options);
        }
        if let Some(places) = &asked.places {
            let (found, far) = self.session.bounded(&input.net, places, options.method, options.rounds, &options.cancel);
            return decided_bounds(&input.net, &asked.property, found, options).with_far(far);
        }
        let (found, far) = match options.method {
            Some(method) => self.session.alone(&input.net, &asked.goals, method, options.rounds, &options.cancel),
            None => self.session.go_on(&input.net, &asked.goals, asked.found.clone(), options.rounds, &options.cancel),
        };
        let mut decision = decided(&input.net, &asked.property, &asked.goals, found, options).with_far(far);
        if let Some(run) = &mut decision.run {
            input.in_states(run);
        }
        decision
    }
}

/// Answers a question about a net.
pub fn decide_net(input: &NetInput, question: &NetQuestion, options: &NetOptions) -> NetDecision {
    let questions = std::slice::from_ref(question);
    let session = match options.rounds {
        _ if options.method.is_some() => NetSession::without_beginning(input, questions, &options.cancel),
        0 => NetSession::without_beginning(input, questions, &options.cancel),
        _ => NetSession::begin(input, questions, &options.cancel),
    };
    session.decide(input, 0, options)
}

/// Answers questions about a net on at most so many threads; with 0, on as many as the machine offers. Their number changes no
/// answer.
pub fn decide_nets(input: &NetInput, questions: &[NetQuestion], jobs: usize, options: &NetOptions) -> Vec<NetDecision> {
    let session = match options.method {
        None => NetSession::begin(input, questions, &options.cancel),
        Some(_) => NetSession::without_beginning(input, questions, &options.cancel),
    };
    let threads = if questions.len() < 2 { 1 } else { threads(jobs).min(questions.len()) };
    if threads < 2 {
        return (0..questions.len()).map(|question| session.decide(input, question, options)).collect();
    }
    let (next, decisions) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(questions.len())));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let question = next.fetch_add(1, Ordering::Relaxed);
                    if question >= questions.len() {
                        return;
                    }
                    let decision = session.decide(input, question, options);
                    decisions.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((question, decision));
                }
            });
        }
    });
    let mut decisions = decisions.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    decisions.sort_unstable_by_key(|one| one.0);
    decisions.into_iter().map(|one| one.1).collect()
}

/// What follows from what was found about the goals of a property.
pub(super) fn decided(net: &Net, property: &Property, goals: &[Formula], found: Vec<Found>, options: &NetOptions) -> NetDecision {
    let open = found.iter().filter(|found| found.is_open()).count();
    let too_large = found.iter().find_map(|found| match found {
        Found::TooLarge { what, limit } => Some(format!("there was too much on the way: more than {limit} {what}")),
        Found::Nothing | Found::Answer(_) | Found::Refused(..) => None,
    });
    let mut evidence: Vec<(usize, Evidence)> = Vec::new();
    let mut methods: Vec<(usize, &'static str)> = Vec::new();
    for (goal, found) in found.into_iter().enumerate() {
        match found {
            Found::Nothing | Found::TooLarge { .. } => {}
            Found::Answer(answer) => {
                methods.push((goal, answer.method));
                evidence.push((goal, answer.evidence));
            }
            Found::Refused(Answer { evidence, .. }, rejection) => {
                let certificate = refused(net, property, goal, evidence);
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
    let Some(mut certificate) = Certificate::new(net, property, goals.len(), evidence.clone()) else {
        let reason = match (goals.len(), open) {
            (1, _) => "no method found an answer within the limits".to_owned(),
            (all, open) => format!("of {all} {}, {open} are open: no method found an answer within the limits", why::nodes(property)),
        };
        let reason = too_large.map_or(reason.clone(), |more| format!("{reason}; {more}"));
        return NetDecision { open, ..NetDecision::without(NetAnswer::Undecided, reason) };
    };
    if !certificate.holds && property.decides() == Decides::IfReachable {
        // One is enough, but each of them is told, and so each of them is shown.
        evidence.retain(|one| !matches!(one.1, Evidence::Run(_)));
        certificate.evidence = evidence.iter().map(|(goal, evidence)| About { goal: *goal, evidence: evidence.clone() }).collect();
    }
    if let Err(refusal) = certificate.check(net, &mut Budget::new(u64::MAX, options.cancel.clone())) {
        let (answer, reason) = match refusal {
            Refusal::Invalid(rejection) => (NetAnswer::Error, format!("internal error: the checker refuses our evidence: {rejection}")),
            Refusal::TooLarge { what, limit } => (NetAnswer::Undecided, format!("the evidence is too large: more than {limit} {what}")),
            Refusal::Stopped(_) => (NetAnswer::Undecided, "stopped before the evidence was checked".to_owned()),
        };
        let kept = (answer == NetAnswer::Error).then_some(certificate);
        return NetDecision { certificate: kept, open, ..NetDecision::without(answer, reason) };
    }
    let used: Vec<usize> = evidence.iter().map(|one| one.0).collect();
    let mut names: Vec<&'static str> = methods.iter().filter(|one| used.binary_search(&one.0).is_ok()).map(|one| one.1).collect();
    names.sort_unstable();
    names.dedup();
    let answer = if certificate.holds { NetAnswer::Holds } else { NetAnswer::DoesNotHold };
    NetDecision {
        answer,
        methods: names,
        reason: None,
        why: why::why(net, property, &certificate),
        explanation: paragraph::paragraph(net, property, goals, &certificate),
        run: match evidence.first() {
            Some((goal, Evidence::Run(run))) if is_one => runs::told(net, run, shortest, why::end(net, property, &goals[*goal], run)),
            _ => None,
        },
        value: None,
        far: None,
        dead: why::dead(net, property, &evidence),
        open,
        certificate: Some(certificate),
    }
}

/// What follows from what was found about bounds of places.
pub(super) fn decided_bounds(net: &Net, property: &Property, found: Found, options: &NetOptions) -> NetDecision {
    let undecided = |reason: String| NetDecision { open: 1, ..NetDecision::without(NetAnswer::Undecided, reason) };
    let nothing = "no method found an answer within the limits".to_owned();
    let answer = match found {
        Found::Nothing => return undecided(nothing),
        Found::TooLarge { what, limit } => return undecided(format!("{nothing}; there was too much on the way: more than {limit} {what}")),
        Found::Refused(Answer { evidence, .. }, rejection) => {
            let reason = format!("internal error: the checker refuses our evidence: {rejection}");
            let certificate = Certificate::bounded(net, property, evidence);
            return NetDecision { certificate, open: 1, ..NetDecision::without(NetAnswer::Error, reason) };
        }
        Found::Answer(answer) => answer,
    };
    let Some(certificate) = Certificate::bounded(net, property, answer.evidence.clone()) else { return undecided(nothing) };
    match certificate.check(net, &mut Budget::new(u64::MAX, options.cancel.clone())) {
        Ok(()) => {}
        Err(Refusal::Invalid(rejection)) => {
            let reason = format!("internal error: the checker refuses our evidence: {rejection}");
            return NetDecision { certificate: Some(certificate), open: 1, ..NetDecision::without(NetAnswer::Error, reason) };
        }
        Err(Refusal::TooLarge { what, limit }) => return undecided(format!("the evidence is too large: more than {limit} {what}")),
        Err(Refusal::Stopped(_)) => return undecided("stopped before the evidence was checked".to_owned()),
    }
    NetDecision {
        answer: if certificate.holds { NetAnswer::Holds } else { NetAnswer::DoesNotHold },
        methods: vec![answer.method],
        reason: None,
        why: why::bounds(net, property, &answer.evidence),
        explanation: None,
        run: None,
        value: None,
        far: None,
        dead: Vec::new(),
        open: 0,
        certificate: Some(certificate),
    }
}

/// A certificate with evidence that the checker has refused, to find out why.
fn refused(net: &Net, property: &Property, goal: usize, evidence: Evidence) -> Option<Certificate> {
    let is_run = matches!(evidence, Evidence::Run(_));
    let holds = is_run == (property.decides() == Decides::IfReachable);
    let evidence = vec![About { goal, evidence }];
    Some(Certificate { net: fingerprint(net), property: property.text(net)?, holds, evidence, runs: Runs::default() })
}

#[cfg(test)]
mod tests {
    use serval_netproof::{Claim, Item, Run, Weights, check};

    use super::*;
    use crate::nets::NetKind;

    /// Evidence that the checker refuses is a bug that is told, whatever it claims.
    #[test]
    fn refused_evidence_is_an_internal_error() {
        let input = NetInput::read("pl a (1)\ntr t a -> b\ntr u b -> a\n", NetKind::Tina).unwrap();
        let run = Evidence::Run(Run { word: vec![Item::Fire(1)] });
        for (property, evidence) in
            [("one-safe", Evidence::Weights(Weights::default())), ("reachable:b = 1", run.clone()), ("quasi-live", run)]
        {
            let property = Property::parse(property, &input.net).unwrap();
            let goals = property.goals(&input.net).unwrap();
            let claim = evidence.claim();
            let Err(Refusal::Invalid(rejection)) = check(&input.net, &goals[0], claim, &evidence, &mut Budget::unlimited()) else {
                panic!("accepted");
            };
            let mut found = vec![Found::Nothing; goals.len()];
            found[0] = Found::Refused(Answer { claim, evidence, method: "none" }, rejection);
            let decision = decided(&input.net, &property, &goals, found, &NetOptions::default());
            assert_eq!(decision.answer, NetAnswer::Error);
            assert!(decision.reason.unwrap().starts_with("internal error: the checker refuses our evidence"));
            let certificate = decision.certificate.unwrap();
            assert_eq!(certificate.holds, (claim == Claim::Reachable) == (property.decides() == Decides::IfReachable));
            assert!(matches!(certificate.check(&input.net, &mut Budget::unlimited()), Err(Refusal::Invalid(_))));
        }
    }
}
