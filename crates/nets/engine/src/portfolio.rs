//! Which method is tried when, and with how many ticks.
//!
//! What is found out about a net serves all questions about it ([`Session`]). Walks look at all goals at once, and the
//! bounds of places come from one simplex: that is how a session begins, with a fixed order of goals. From then on each
//! goal is asked about by itself, and nothing that is found out about one changes what is found out about another, so
//! that questions can be spread over threads.
//!
//! The order of methods is a table (`schedule`); what a method is given is an `Attempt`, and what it keeps from round
//! to round is in `Progress`.

mod attempt;
mod bound;
mod covering;
mod homes;
mod methods;
mod progress;
mod reach;
mod rounds;
mod schedule;
mod ticks;

use std::sync::OnceLock;

use attempt::{AttemptAtAll, BeforeRounds, Round, fired};
pub use bound::Extent;
pub use homes::Homing;
pub use progress::Far;
use progress::Progress;
use serval_budget::{Budget, Cancel};
use serval_net_proof::Clause;
use serval_petri::{Formula, Net};
use ticks::{EQUATION_TICKS, EXPLICIT_TICKS, MOST_AT_ONCE, WALK_TICKS, WEIGHTS_TICKS};

use crate::answer::{GoalOutcome, Method, checked};
use crate::equation::Base;
use crate::explicit;
use crate::fast::Fast;
use crate::reduce::{RULES, ReductionRule, rules_named};
use crate::siphon::Empty;
use crate::weights::PlaceBounds;

/// What is known about a net.
pub struct Session {
    fast: Fast,
    deadlock: Option<Formula>,
    empty: Empty,
    known: PlaceBounds,
    /// Whether there were not enough ticks for the bounds of all places that goals count.
    is_cut: bool,
    equation: Base,
    /// Clauses that hold in all reachable markings, by what was shown before.
    proved: Vec<Clause>,
    /// By which rules methods may make the net smaller.
    rules: Vec<(&'static str, ReductionRule)>,
    /// Whether methods may look at some of the markings with stubborn sets.
    stubborn: bool,
    /// The method that rounds do not ask beside the others.
    left_out: Option<Method>,
    /// Sums that no transition increases, which are looked for when a method needs them.
    sums: OnceLock<Vec<Vec<(u32, u64)>>>,
}

impl Session {
    /// Looks at a net.
    pub fn new(net: &Net, cancel: &Cancel) -> Self {
        let equation = Base::new(net, &mut Budget::new(EQUATION_TICKS, cancel.clone()));
        let (fast, empty, known) = (Fast::new(net), Empty::new(net), PlaceBounds::new(net));
        let (deadlock, is_cut, proved, sums) = (Formula::deadlock(net), false, Vec::new(), OnceLock::new());
        let (rules, stubborn, left_out) = (RULES.to_vec(), true, None);
        Self { fast, deadlock, empty, known, is_cut, equation, proved, rules, stubborn, left_out, sums }
    }

    /// The same, in which methods make the net smaller by the rules with these names alone; without any they look at
    /// the whole net.
    pub fn reducing_by(self, names: &[impl AsRef<str>]) -> Self {
        Self { rules: rules_named(names), ..self }
    }

    /// The same, in which all markings are looked at, without stubborn sets.
    pub fn without_stubborn_sets(self) -> Self {
        Self { stubborn: false, ..self }
    }

    /// The same, in which rounds do not ask this method beside the others.
    pub fn leaving_out(self, method: Method) -> Self {
        Self { left_out: Some(method), ..self }
    }

    /// Asks about all goals at once what can be asked so: a short walk, places that stay empty, bounds of places, and
    /// which goals the first markings are in, if there are several.
    pub fn begin(&mut self, net: &Net, goals: &[Formula], cancel: &Cancel) -> Vec<GoalOutcome> {
        let mut found = vec![GoalOutcome::Nothing; goals.len()];
        if !goals.is_empty() {
            let round = Round { session: self, net, number: 0, before: BeforeRounds::Nothing, cancel };
            let progress = &mut Progress::default();
            methods::walk(&mut AttemptAtAll { round, goals, found: &mut found, progress, ticks: WALK_TICKS });
        }
        let mut budget = Budget::new(WEIGHTS_TICKS, cancel.clone());
        for (formula, found) in goals.iter().zip(&mut found).filter(|one| one.1.is_open()) {
            if let Some(evidence) = self.empty.exclude(net, formula) {
                *found = checked(net, formula, evidence, Method::Siphon.name(), cancel);
                continue;
            }
            match self.known.exclude(net, formula, &mut budget) {
                Ok(Some(evidence)) => *found = checked(net, formula, evidence, Method::Weights.name(), cancel),
                Ok(None) => {}
                Err(_) => self.is_cut = true,
            }
        }
        if self.left_out != Some(Method::Explicit) {
            self.begin_explicit(net, goals, &mut found, cancel);
        }
        found
    }

    /// Looks for all goals that are open in one search, with as many markings as each of them would get.
    fn begin_explicit(&self, net: &Net, goals: &[Formula], found: &mut [GoalOutcome], cancel: &Cancel) {
        let all = goals.iter().enumerate().zip(&*found).filter(|one| one.1.is_open());
        let open: Vec<(usize, bool, &Formula)> =
            all.map(|((number, goal), _)| (number, self.deadlock.as_ref() == Some(goal), goal)).collect();
        let most = usize::try_from(EXPLICIT_TICKS).unwrap_or(usize::MAX).saturating_mul(open.len().min(MOST_AT_ONCE));
        if open.len() > 1 {
            let reached = |goal: usize, way: &[u32]| {
                found[goal] = checked(net, &goals[goal], fired(way), Method::Explicit.name(), cancel);
            };
            // What is not found until then is for the rounds.
            let _ = explicit::look_for_all(&self.fast, &open, most, &mut Budget::new(u64::MAX, cancel.clone()), reached);
        }
    }

    /// Adds clauses that hold in all reachable markings, for the inductive methods: evidence shows them again where it
    /// uses them.
    pub fn strengthen(&mut self, clauses: Vec<Clause>) {
        for clause in clauses {
            if !self.proved.contains(&clause) {
                self.proved.push(clause);
            }
        }
    }

    /// Asks one method alone, in rounds of growing budgets; says how far it came, too.
    pub fn alone(&self, net: &Net, goals: &[Formula], method: Method, rounds: u32, cancel: &Cancel) -> (Vec<GoalOutcome>, Far) {
        let (mut found, mut progress) = (vec![GoalOutcome::Nothing; goals.len()], Progress::of(goals.len()));
        for number in 0..rounds {
            let round = Round { session: self, net, number, before: BeforeRounds::Nothing, cancel };
            let is_cut = round.ask(goals, &mut found, Some(method), &mut progress);
            if !is_cut || !found.iter().any(GoalOutcome::is_open) || cancel.is_cancelled() {
                break;
            }
        }
        (found, progress.far())
    }

    /// Goes on with goals of which nothing was found in the beginning: rounds of growing budgets, until all is known,
    /// the flag is raised, or the rounds are over; says how far they came, too.
    pub fn go_on(
        &self,
        net: &Net,
        goals: &[Formula],
        mut found: Vec<GoalOutcome>,
        rounds: u32,
        cancel: &Cancel,
    ) -> (Vec<GoalOutcome>, Far) {
        let mut progress = Progress::of(goals.len());
        for number in 0..rounds {
            let round = Round { session: self, net, number, before: BeforeRounds::Beginning { is_cut: self.is_cut }, cancel };
            round.ask(goals, &mut found, None, &mut progress);
            if !found.iter().any(GoalOutcome::is_open) || cancel.is_cancelled() {
                break;
            }
        }
        (found, progress.far())
    }
}

/// Asks about each goal whether a marking of it can be reached; a session with these goals alone.
pub fn decide(net: &Net, goals: &[Formula], rounds: u32, cancel: &Cancel) -> Vec<GoalOutcome> {
    if rounds == 0 {
        return vec![GoalOutcome::Nothing; goals.len()];
    }
    let mut session = Session::new(net, cancel);
    let begun = session.begin(net, goals, cancel);
    session.go_on(net, goals, begun, rounds, cancel).0
}
