//! Which method is tried when, and with how many ticks.
//!
//! What is found out about a net serves all questions about it ([`Session`]). Walks look at all goals at once, and the bounds of places
//! come from one simplex: that is how a session begins, with a fixed order of goals. From then on each goal is asked about by itself, and nothing
//! that is found out about one changes what is found out about another, so that questions can be spread over threads.

mod bound;
mod covering;
mod reach;

use std::sync::OnceLock;

pub use bound::Extent;
pub use covering::Far;
use covering::Work;
use serval_budget::{Budget, Cancel};
use serval_net_proof::{Clause, Evidence, Item, Run};
use serval_petri::{Formula, Net};

use crate::answer::{Found, Method, checked};
use crate::equation::Base;
use crate::fast::Fast;
use crate::goals::Goals;
use crate::siphon::Empty;
use crate::walk::walk;
use crate::weights::Known;
use crate::{decompose, equation, explicit, inductive};

/// Ticks in the first round.
const WALK_TICKS: u64 = 5_000;
const WEIGHTS_TICKS: u64 = 10_000_000;
const EQUATION_TICKS: u64 = 250_000;
const EXPLICIT: u64 = 1_000;
const INDUCTIVE_TICKS: u64 = 250_000;
const COVER_TICKS: u64 = 10_000;
const SEPARATOR_TICKS: u64 = 10_000;
const DECOMPOSE_TICKS: u64 = 10_000;
/// By how much they grow.
const GROWTH: u64 = 4;

fn ticks(first: u64, round: u32) -> u64 {
    first.saturating_mul(GROWTH.saturating_pow(round))
}

fn fired(word: &[u32]) -> Evidence {
    Evidence::Run(Run { word: word.iter().map(|&transition| Item::Fire(transition)).collect() })
}

/// What is known about a net.
pub struct Session {
    fast: Fast,
    deadlock: Option<Formula>,
    empty: Empty,
    known: Known,
    /// Whether there were not enough ticks for the bounds of all places that goals count.
    is_cut: bool,
    equation: Base,
    /// Clauses that hold in all reachable markings, by what was shown before.
    proved: Vec<Clause>,
    /// Sums that no transition increases, computed when a method first needs them.
    sums: OnceLock<Vec<Vec<(u32, u64)>>>,
}

impl Session {
    /// Looks at a net.
    pub fn new(net: &Net, cancel: &Cancel) -> Self {
        let equation = Base::new(net, &mut Budget::new(EQUATION_TICKS, cancel.clone()));
        let (fast, empty, known) = (Fast::new(net), Empty::new(net), Known::new(net));
        Self { fast, deadlock: Formula::deadlock(net), empty, known, is_cut: false, equation, proved: Vec::new(), sums: OnceLock::new() }
    }

    /// Asks about all goals at once what can be asked so: a short walk, places that stay empty, and bounds of places.
    pub fn begin(&mut self, net: &Net, goals: &[Formula], cancel: &Cancel) -> Vec<Found> {
        let mut found = vec![Found::Nothing; goals.len()];
        self.walk(net, goals, &mut found, 0, cancel);
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
        found
    }

    /// Adds clauses that hold in all reachable markings, for the inductive methods: evidence shows them again where it uses them.
    pub fn strengthen(&mut self, clauses: Vec<Clause>) {
        for clause in clauses {
            if !self.proved.contains(&clause) {
                self.proved.push(clause);
            }
        }
    }

    /// Asks one method alone, in rounds of growing budgets; says how far it came, too.
    pub fn alone(&self, net: &Net, goals: &[Formula], method: Method, rounds: u32, cancel: &Cancel) -> (Vec<Found>, Far) {
        let mut found = vec![Found::Nothing; goals.len()];
        let mut work = Work::default();
        for round in 0..rounds {
            let is_cut = work.ask(|work| self.one_round(net, goals, &mut found, work, (method, round), cancel));
            if !is_cut || !found.iter().any(Found::is_open) || cancel.is_cancelled() {
                break;
            }
        }
        (found, work.far())
    }

    /// Asks one method for one round; says whether more ticks could help.
    fn one_round(
        &self,
        net: &Net,
        goals: &[Formula],
        found: &mut [Found],
        work: &mut Work,
        (method, round): (Method, u32),
        cancel: &Cancel,
    ) -> bool {
        if method == Method::Walk {
            self.walk(net, goals, found, round, cancel);
        }
        let mut is_cut = matches!(method, Method::Walk | Method::Equation | Method::Explicit);
        for (formula, found) in goals.iter().zip(found).filter(|one| one.1.is_open()) {
            if cancel.is_cancelled() {
                break;
            }
            match method {
                Method::Walk => {}
                Method::Siphon => {
                    if let Some(evidence) = self.empty.exclude(net, formula) {
                        *found = checked(net, formula, evidence, method.name(), cancel);
                    }
                }
                Method::Weights => {
                    match work.known(net).exclude(net, formula, &mut Budget::new(ticks(WEIGHTS_TICKS, round), cancel.clone())) {
                        Ok(Some(evidence)) => *found = checked(net, formula, evidence, method.name(), cancel),
                        Ok(None) => {}
                        Err(_) => is_cut = true,
                    }
                }
                Method::Equation => self.ask_equation(net, formula, found, round, cancel),
                Method::Explicit => {
                    self.ask_explicit(net, formula, found, work, round, cancel);
                    if found.is_open() {
                        self.ask_explicit_back(net, formula, found, work, round, cancel);
                    }
                }
                Method::Cover => is_cut |= self.ask_cover(net, formula, found, work, round, cancel),
                Method::Backward => is_cut |= self.ask_backward(net, formula, found, work, round, cancel),
                Method::Separator => is_cut |= self.ask_separator(net, formula, found, round, cancel),
                Method::Decompose => {
                    let (more, counts) = decompose::ask_alone(net, formula, found, ticks(DECOMPOSE_TICKS, round), cancel);
                    work.decomposed(counts);
                    is_cut |= more;
                }
                Method::Induction | Method::Pdr => is_cut |= self.ask_inductive(net, formula, found, method, round, cancel),
            }
        }
        is_cut
    }

    /// Goes on with goals of which nothing was found in the beginning: rounds of growing budgets, until all is known, the budget is cancelled, or
    /// the rounds are over; says how far they came, too.
    pub fn go_on(&self, net: &Net, goals: &[Formula], mut found: Vec<Found>, rounds: u32, cancel: &Cancel) -> (Vec<Found>, Far) {
        let is_open = |found: &[Found]| found.iter().any(Found::is_open);
        // Bounds that the beginning had no ticks for, and ω-markings, which serve all goals.
        let mut work = Work::default();
        for round in 0..rounds {
            if round > 0 {
                work.ask(|_| self.walk(net, goals, &mut found, round, cancel));
            }
            work.ask(|work| self.ask_backward_all(net, goals, &mut found, work, round, cancel));
            for (formula, found) in goals.iter().zip(&mut found) {
                if found.is_open() && !cancel.is_cancelled() {
                    if round > 0
                        && self.is_cut
                        && let Ok(Some(evidence)) =
                            work.known(net).exclude(net, formula, &mut Budget::new(ticks(WEIGHTS_TICKS, round), cancel.clone()))
                    {
                        *found = checked(net, formula, evidence, Method::Weights.name(), cancel);
                        continue;
                    }
                    self.ask(net, formula, found, &mut work, round, cancel);
                }
            }
            if !is_open(&found) || cancel.is_cancelled() {
                break;
            }
        }
        (found, work.far())
    }

    fn walk(&self, net: &Net, goals: &[Formula], found: &mut [Found], round: u32, cancel: &Cancel) {
        let mut open: Vec<bool> = found.iter().map(Found::is_open).collect();
        if !open.contains(&true) {
            return;
        }
        let looked = Goals::new(goals, self.deadlock.as_ref(), net.place_count());
        let mut reached = |goal: usize, word: &[u32]| found[goal] = checked(net, &goals[goal], fired(word), Method::Walk.name(), cancel);
        let mut budget = Budget::new(ticks(WALK_TICKS, round), cancel.clone());
        let (overflowed, _) = walk(&self.fast, &looked, &mut open, u64::from(round) + 1, &mut reached, &mut budget);
        if overflowed {
            found.iter_mut().for_each(Found::too_many_tokens);
        }
    }

    /// Asks about a goal what is asked about each by itself. The inductive methods come late, and the decomposition last: what
    /// the others decide they decide sooner, and with smaller evidence.
    fn ask(&self, net: &Net, formula: &Formula, found: &mut Found, work: &mut Work, round: u32, cancel: &Cancel) {
        work.ask(|_| self.ask_equation(net, formula, found, round, cancel));
        if found.is_open() {
            work.ask(|work| self.ask_explicit(net, formula, found, work, round, cancel));
        }
        if found.is_open() && !cancel.is_cancelled() {
            work.ask(|work| self.ask_explicit_back(net, formula, found, work, round, cancel));
        }
        if found.is_open() && !cancel.is_cancelled() {
            work.ask(|work| self.ask_backward(net, formula, found, work, round, cancel));
        }
        if found.is_open() && !cancel.is_cancelled() {
            work.ask(|work| self.ask_cover(net, formula, found, work, round, cancel));
        }
        for (method, first) in [(Method::Pdr, 1), (Method::Induction, 2)] {
            if round >= first && found.is_open() && !cancel.is_cancelled() {
                work.ask(|_| self.ask_inductive(net, formula, found, method, round, cancel));
            }
        }
        if round >= 1 && found.is_open() && !cancel.is_cancelled() {
            work.ask(|_| self.ask_separator(net, formula, found, round, cancel));
        }
        if round >= 1 && found.is_open() && !cancel.is_cancelled() {
            work.ask(|work| work.decomposed(decompose::ask(net, formula, found, ticks(DECOMPOSE_TICKS, round), cancel)));
        }
    }

    /// Asks an inductive method; says whether it had not enough ticks.
    fn ask_inductive(&self, net: &Net, formula: &Formula, found: &mut Found, method: Method, round: u32, cancel: &Cancel) -> bool {
        let mut budget = Budget::new(ticks(INDUCTIVE_TICKS, round), cancel.clone());
        let ask = if method == Method::Induction { inductive::induction } else { inductive::pdr };
        let said = ask(net, &self.equation, &self.proved, formula, &mut budget);
        let is_cut = said.is_err();
        match said {
            Ok(inductive::Said::Excluded(evidence)) => *found = checked(net, formula, *evidence, method.name(), cancel),
            Ok(inductive::Said::Reached(word)) => *found = checked(net, formula, fired(&word), method.name(), cancel),
            Ok(inductive::Said::Nothing) | Err(_) => {}
        }
        is_cut
    }

    fn ask_equation(&self, net: &Net, formula: &Formula, found: &mut Found, round: u32, cancel: &Cancel) {
        let (seed, plans) = (u64::from(round) + 1, usize::try_from(4_u32.saturating_pow(round)).unwrap_or(usize::MAX));
        let mut budget = Budget::new(ticks(EQUATION_TICKS, round), cancel.clone());
        match equation::ask_from(&self.equation, &self.fast, net, formula, (seed, plans), &mut budget) {
            Ok(equation::Said::Excluded(evidence)) => *found = checked(net, formula, *evidence, Method::Equation.name(), cancel),
            Ok(equation::Said::Reached(word)) => *found = checked(net, formula, Evidence::Run(Run { word }), "guided", cancel),
            Ok(equation::Said::Nothing) | Err(_) => {}
        }
    }

    fn ask_explicit(&self, net: &Net, formula: &Formula, found: &mut Found, work: &mut Work, round: u32, cancel: &Cancel) {
        let most = usize::try_from(ticks(EXPLICIT, round)).unwrap_or(usize::MAX);
        let budget = &mut Budget::new(u64::MAX, cancel.clone());
        let said = if self.deadlock.as_ref() == Some(formula) {
            explicit::look_for_deadlock_fast(&self.fast, most, budget)
        } else {
            explicit::look_fast(&self.fast, formula, most, budget)
        };
        match said {
            Ok(explicit::Said::Reached(word)) => *found = checked(net, formula, fired(&word), Method::Explicit.name(), cancel),
            Ok(explicit::Said::Excluded(evidence)) => *found = checked(net, formula, *evidence, Method::Explicit.name(), cancel),
            Ok(explicit::Said::TooManyTokens) => found.too_many_tokens(),
            Ok(explicit::Said::TooMany) => work.explicit(most),
            Err(_) => {}
        }
    }
}

/// Asks about each goal whether a marking of it can be reached; a session with these goals alone.
pub fn decide(net: &Net, goals: &[Formula], rounds: u32, cancel: &Cancel) -> Vec<Found> {
    if rounds == 0 {
        return vec![Found::Nothing; goals.len()];
    }
    let mut session = Session::new(net, cancel);
    let begun = session.begin(net, goals, cancel);
    session.go_on(net, goals, begun, rounds, cancel).0
}
