//! Questions about one net, which share what is found out about it.
//!
//! A session begins with what can be asked about all questions at once; then each is decided by itself. What is found
//! out about one changes nothing for another, so that they can be decided in any order, and on any number of threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serval_budget::{Cancel, threads};
use serval_net_engine::inductive::clauses_shown;
use serval_net_engine::{GoalOutcome, Session};
use serval_net_proof::Certificate;
use serval_petri::{Formula, Property};
use serval_report::nets::NetAnswer;

use super::decided::{ReadQuestion, decided, decided_bounds};
use super::{NetDecision, NetInput, NetOptions, NetQuestion, bound, homes};

/// Rounds for the question whether places are safe, before all others.
const SAFETY_ROUNDS: u32 = 2;

/// Questions about a net, after what can be asked at once has been asked.
pub struct NetSession {
    session: Session,
    /// `None` where a number in a question does not fit.
    asked: Vec<Option<ReadQuestion>>,
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

    /// Whether places are safe is asked first, for a while, if it is asked at all: what shows it helps with other
    /// questions.
    fn safety_first(&mut self, input: &NetInput, cancel: &Cancel) {
        if self.asked.len() < 2 {
            return;
        }
        for asked in self.asked.iter_mut().flatten().filter(|asked| matches!(asked.property, Property::Safe(_))) {
            let found = std::mem::take(&mut asked.found);
            asked.found = self.session.go_on(&input.net, &asked.goals, found, SAFETY_ROUNDS, cancel).0;
            let shown = asked.found.iter().filter_map(GoalOutcome::answer);
            let clauses = shown.flat_map(|answer| clauses_shown(&input.net, &answer.evidence)).collect();
            self.session.strengthen(clauses);
        }
    }

    /// Takes for granted what a certificate shows, which the checker has accepted: the inductive methods may use it,
    /// and show it again where they do. The error says why it is of no use.
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
        let asked = questions.iter().map(|question| ReadQuestion::new(&input.net, question)).collect();
        Self { session: Session::new(&input.net, cancel), asked }
    }

    /// The same, in which methods make the net smaller by the rules with these names alone.
    pub fn reducing_by(mut self, rules: &[String]) -> Self {
        self.session = self.session.reducing_by(rules);
        self
    }

    /// The same, in which methods look at all markings, without stubborn sets.
    pub fn without_stubborn_sets(mut self) -> Self {
        self.session = self.session.without_stubborn_sets();
        self
    }

    /// Answers a question, by its number.
    pub fn decide(&self, input: &NetInput, question: usize, options: &NetOptions) -> NetDecision {
        let Some(asked) = self.asked.get(question).and_then(Option::as_ref) else {
            return NetDecision::without(NetAnswer::Undecided, "a number in the question does not fit 64 bits, or it nests too deep");
        };
        if let Property::Bound(sum, None) = &asked.property {
            let extent = self.session.largest(&input.net, sum, options.method, options.rounds, &options.cancel);
            return bound::decided(&input.net, &asked.words, sum, extent, options);
        }
        if let Some(places) = &asked.places {
            let (found, far) = self.session.bounded(&input.net, places, options.method, options.rounds, &options.cancel);
            return decided_bounds(&input.net, asked.worded(), found, options).with_far(far);
        }
        if let Some(goals) = &asked.homes {
            let homing = self.session.homes(&input.net, goals, options.method, options.rounds, &options.cancel);
            return told_in_states(input, homes::decided(&input.net, asked.worded(), homing, options));
        }
        let (found, far) = match options.method {
            Some(method) => self.session.alone(&input.net, &asked.goals, method, options.rounds, &options.cancel),
            None => self.session.go_on(&input.net, &asked.goals, asked.found.clone(), options.rounds, &options.cancel),
        };
        told_in_states(input, decided(&input.net, asked.worded(), &asked.goals, found, options).with_far(far))
    }
}

/// The same decision, whose run says where it leads in terms of states and counters, where the net has them.
fn told_in_states(input: &NetInput, mut decision: NetDecision) -> NetDecision {
    if let Some(run) = &mut decision.run {
        input.in_states(run);
    }
    decision
}

/// Answers a question about a net.
pub fn decide_net(input: &NetInput, question: &NetQuestion, options: &NetOptions) -> NetDecision {
    let questions = std::slice::from_ref(question);
    let session = match options.rounds {
        _ if options.method.is_some() => NetSession::without_beginning(input, questions, &options.cancel),
        0 => NetSession::without_beginning(input, questions, &options.cancel),
        _ => NetSession::begin(input, questions, &options.cancel),
    };
    let session = session.reducing_by(&options.reduce);
    let session = if options.stubborn { session } else { session.without_stubborn_sets() };
    session.decide(input, 0, options)
}

/// Answers questions about a net on at most a given number of threads; with 0, on as many as the machine offers. Their
/// number changes no answer.
pub fn decide_nets(input: &NetInput, questions: &[NetQuestion], jobs: usize, options: &NetOptions) -> Vec<NetDecision> {
    let session = match options.method {
        None => NetSession::begin(input, questions, &options.cancel),
        Some(_) => NetSession::without_beginning(input, questions, &options.cancel),
    };
    let session = session.reducing_by(&options.reduce);
    let session = if options.stubborn { session } else { session.without_stubborn_sets() };
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
