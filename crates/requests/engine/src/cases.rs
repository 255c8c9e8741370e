//! Serializability by reachability of nets: proofs by cases, and counterexamples.
//!
//! What a proof by cases is, and why it proves something, is said in [`serval_case_proof`]; here it is looked for.
//! Cases are gone through one after the other, from the one that says nothing. Of each the net is made that the checker
//! will make, and the marking equation is asked whether its goal can be reached:
//!
//! - if not, that is the evidence;
//! - if the answers of its solution are in a set of serial answers ([`sets`]), the case is split by this set: nothing
//!   else about it can be decided as long as serial answers are among it;
//! - otherwise the methods for nets are asked, the decomposition last. They exclude the case, or find a run. If the
//!   answers of the run are serial, the case is split by a set that contains them, and if not, the run is a
//!   counterexample.
//!
//! A literal of the case holds for its answers, so no case is split by the same set twice. Where the sets are those of
//! the whole semilinear set, there are finitely many; each question about a net is decided, if there are ticks enough;
//! so this is a decision procedure for the systems whose serial answers are at hand as a semilinear set. It is bounded
//! by ticks all the same.
//!
//! Nothing here is believed: proofs are checked, runs are replayed.

pub mod sets;

use serval_arith::{Outcome, Solver};
use serval_budget::{Budget, Cancel, StopReason, Stopped};
use serval_case_proof::net::CaseNet;
use serval_case_proof::{Entry, text};
use serval_linear::Literal;
use serval_model::{NodeStep, NormalForm, Run};
use serval_net_engine::{GoalOutcome, decide};
use serval_net_proof::equation::problem;
use serval_net_proof::{Equation, Evidence, Item, Refusal};
use serval_proof::CasesProof;

use crate::flow::run_of;
use sets::Sets;

/// What a stop here is called.
const STAGE: &str = "decompose";

/// Ticks that give one round of the methods for nets. Four times as many give one more, as each round is worth four
/// times the one before.
const TICKS: u64 = 500_000;
/// The part of all ticks that one question about a net is worth, in the first rounds. Later ones are worth less, so
/// that there may be more of them, the more ticks there are: else their number would be what decides.
const SHARE: u64 = 16;
/// The longest runs that are written out.
const LONGEST: usize = 100_000;

/// What the cases of a system came to.
#[derive(Debug)]
pub enum CaseOutcome {
    /// A proof, but for its script.
    Proof(Box<CasesProof>),
    /// A run of [`NormalForm::to_system`] that should be a counterexample.
    Run(Run),
    /// Nothing, for this reason; more ticks might have helped.
    Short(StopReason),
    /// Nothing, for this reason, however many ticks there are.
    Ended(StopReason),
}

/// Looks for a proof of a system in normal form, or for a counterexample.
pub fn prove(form: &NormalForm, ticks: u64, cancel: &Cancel) -> CaseOutcome {
    let mut budget = Budget::new(ticks, cancel.clone());
    let stopped = |stopped| CaseOutcome::Short(StopReason::stopped(STAGE, ticks, stopped));
    let sets = match Sets::new(form, &mut budget) {
        Ok(sets) => sets,
        Err(reason) => return stopped(reason),
    };
    let mut search = CaseSearch { form, sets, entries: Vec::new(), ticks, cancel, undecided: None };
    match search.all(&mut budget) {
        Ok(Some(run)) => CaseOutcome::Run(run),
        Ok(None) => match search.undecided.take() {
            Some(CaseEnd::Short) if search.sets.is_cut() => CaseOutcome::Short(search.sets.reason()),
            Some(CaseEnd::Short) => CaseOutcome::Short(inconclusive("some case could neither be reached nor excluded")),
            Some(CaseEnd::Large(what, limit)) => CaseOutcome::Ended(too_many(what, limit)),
            None => {
                let (sets, cases) = (search.sets.used, text(&search.entries));
                CaseOutcome::Proof(Box::new(CasesProof { script: Vec::new(), sets, cases }))
            }
        },
        Err(CaseEnd::Large(what, limit)) => CaseOutcome::Ended(too_many(what, limit)),
        Err(CaseEnd::Short) if search.sets.is_cut() => CaseOutcome::Short(search.sets.reason()),
        Err(CaseEnd::Short) => stopped(if cancel.is_cancelled() { Stopped::Cancelled } else { Stopped::OutOfTicks }),
    }
}

fn inconclusive(what: &str) -> StopReason {
    StopReason::Inconclusive { stage: STAGE, what: what.to_owned() }
}

fn too_many(what: &'static str, limit: u64) -> StopReason {
    StopReason::TooMany { stage: STAGE, what, cap: usize::try_from(limit).unwrap_or(usize::MAX) }
}

/// Why nothing is known of a case, or of all.
enum CaseEnd {
    /// More ticks might help.
    Short,
    /// There is too much of something.
    Large(&'static str, u64),
}

impl From<Stopped> for CaseEnd {
    fn from(_: Stopped) -> Self {
        Self::Short
    }
}

impl From<Refusal> for CaseEnd {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::TooLarge { what, limit } => Self::Large(what, limit),
            Refusal::Stopped(_) | Refusal::Invalid(_) => Self::Short,
        }
    }
}

/// What becomes of a case.
enum NextCase {
    Excluded(Evidence),
    /// Answers in this set are among it.
    Split(usize),
    Run(Run),
    Unknown(CaseEnd),
}

struct CaseSearch<'a> {
    form: &'a NormalForm,
    sets: Sets,
    entries: Vec<Entry>,
    /// All that there were.
    ticks: u64,
    cancel: &'a Cancel,
    /// Why the first case is not known of which nothing is.
    undecided: Option<CaseEnd>,
}

impl CaseSearch<'_> {
    /// Goes through all cases; a counterexample ends it.
    fn all(&mut self, budget: &mut Budget) -> Result<Option<Run>, CaseEnd> {
        // Cases by the numbers of sets and of literals of their clauses.
        let mut open: Vec<Vec<(usize, usize)>> = vec![Vec::new()];
        while let Some(case) = open.pop() {
            budget.spend(1)?;
            match self.next(&case, budget)? {
                NextCase::Excluded(evidence) => self.entries.push(Entry::Excluded(evidence)),
                NextCase::Split(set) => {
                    self.entries.push(Entry::Split(set));
                    let literals = (0..self.sets.clauses[set].len()).rev();
                    open.extend(literals.map(|literal| case.iter().copied().chain([(set, literal)]).collect()));
                }
                NextCase::Run(run) => return Ok(Some(run)),
                // What is not known of one case does not matter if another has a run.
                NextCase::Unknown(end) => self.undecided = self.undecided.take().or(Some(end)),
            }
        }
        Ok(None)
    }

    fn next(&mut self, case: &[(usize, usize)], budget: &mut Budget) -> Result<NextCase, CaseEnd> {
        let made = {
            let literals: Vec<&Literal> = case.iter().map(|&(set, literal)| &self.sets.clauses[set][literal]).collect();
            CaseNet::new(self.form, &literals, budget)?
        };
        let equation = Equation::default();
        let counts = match Solver::new(problem(&made.net, &made.goal, &equation)?).solve(budget) {
            Outcome::Refuted(tree) => return Ok(NextCase::Excluded(Evidence::Equation(Equation { tree, ..equation }))),
            Outcome::Satisfiable(counts) => counts,
            Outcome::Stopped(stopped) => return Err(stopped.into()),
        };
        if let Some(set) = self.sets.containing(self.form, &counts, budget)? {
            return Ok(NextCase::Split(set));
        }
        let further = (self.ticks / TICKS).checked_ilog(4).unwrap_or(0);
        budget.spend(self.ticks / SHARE / u64::from(further).pow(2).max(1))?;
        let rounds = 1_u32.saturating_add(further);
        match decide(&made.net, std::slice::from_ref(&made.goal), rounds, self.cancel).pop() {
            Some(GoalOutcome::Answer(answer)) => match answer.evidence {
                Evidence::Run(run) => self.run(&run.word, budget),
                evidence => Ok(NextCase::Excluded(evidence)),
            },
            Some(GoalOutcome::TooLarge { what, limit }) => Ok(NextCase::Unknown(CaseEnd::Large(what, limit))),
            Some(GoalOutcome::Nothing | GoalOutcome::Refused(..)) | None => Ok(NextCase::Unknown(CaseEnd::Short)),
        }
    }

    /// What a run of the net says: it is a counterexample, or its answers are serial.
    fn run(&mut self, word: &[Item], budget: &mut Budget) -> Result<NextCase, CaseEnd> {
        let mut steps: Vec<NodeStep> = Vec::new();
        let mut counts = vec![0_i64; self.form.steps().len()];
        for item in word {
            let (times, part) = match item {
                Item::Fire(one) => (1, std::slice::from_ref(one)),
                Item::Repeat(times, part) => (*times, part.as_slice()),
            };
            let times = usize::try_from(times).unwrap_or(usize::MAX);
            if part.len().max(1).saturating_mul(times).saturating_add(steps.len()) > LONGEST {
                return Ok(NextCase::Unknown(CaseEnd::Large("steps of a run", LONGEST as u64)));
            }
            for _ in 0..times {
                // The first transitions are the steps, with their numbers; others count.
                for &number in part {
                    if let Some(step) = self.form.steps().get(number as usize) {
                        steps.push(*step);
                        counts[number as usize] += 1;
                    }
                }
            }
        }
        if let Some(set) = self.sets.containing(self.form, &counts, budget)? {
            return Ok(NextCase::Split(set));
        }
        Ok(run_of(self.form, &steps).map_or(NextCase::Unknown(CaseEnd::Short), NextCase::Run))
    }
}
