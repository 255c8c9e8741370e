//! The published method (Amir, Barbone, Amat, Jacobs 2026) to decide serializability, step by step, as a second and
//! independent engine.
//!
//! ```text
//! network system ─▶ serial automaton ─▶ regular expression ─▶ semilinear set ─▶ its complement, disjunct by disjunct ┐
//!        └────────▶ interleaving net ───────────────────────────────────────────▶ sliced for each disjunct ◀─────────┘
//!                                                                                     │
//!                                     a run to the disjunct, or why there is none ◀───┘
//! ```
//!
//! The first stages are in `serval-semilinear` and `serval-petri`. Here is what
//! asks and answers the questions (`reach`): whether a net has a run to a target.
//! The state equation says no, with what [`Reason`]s make it precise; its
//! solutions, and bounded search, give runs. The reasons of all disjuncts together
//! become one invariant of the network system (`stitch`), which the checker
//! accepts or not.
//!
//! Architecture Invariant: shares with the other methods the model, the
//! arithmetic and the checker, and nothing else.

mod fire;
mod form;
mod interleaving;
mod reach;
mod serial;
mod stitch;

use std::time::Duration;

use serval_budget::{Budget, Cancel, StopReason, Stopped, threads};
use serval_model::{NetworkSystem, Run};
use serval_net_slice::{Round, Slice, Sliced, slice, slice_inductive};
use serval_petri::{Net, Target, TransitionId};
use serval_proof::invariant::InvariantProof;
use serval_semilinear::Complement;

pub use interleaving::{MOST, Places, interleaving};
pub use reach::Reason;
pub use serial::{Serial, SerialLanguage, query};
pub use stitch::linear_sets;

/// What can be switched off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Eliminate states with few edges first.
    pub order: bool,
    /// Drop redundant periods and components.
    pub prune: bool,
    /// Factor components out of stars.
    pub factor: bool,
    /// Slice the net for each disjunct.
    pub slice: bool,
    /// Make the net before the semilinear set, so that its size is known where that cannot be made. Otherwise it is
    /// made when it is first needed.
    pub net_first: bool,
    /// More components than this are too many.
    pub max_components: usize,
    /// More disjuncts than this are too many.
    pub max_disjuncts: usize,
    /// Ticks for the semilinear set, for one disjunct, and for the invariant.
    pub ticks: [u64; 3],
    /// Threads; 0 for as many as the machine offers. What comes out does not depend on their number.
    pub jobs: usize,
}

impl Default for Options {
    fn default() -> Self {
        let (max_components, max_disjuncts) = (20_000, 2_000);
        Self { order: true, prune: true, factor: true, slice: true, net_first: true, max_components, max_disjuncts, ticks: TICKS, jobs: 1 }
    }
}

impl Options {
    /// Those of the semilinear set.
    pub fn semilinear(&self) -> serval_semilinear::Options {
        let &Self { order, prune, factor, max_components, .. } = self;
        serval_semilinear::Options { order, prune, factor, max_components }
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub enum ClassicVerdict {
    /// It is serializable, and this should show it.
    Serializable(Box<InvariantProof>),
    /// A run that should be a counterexample.
    Refuted(Run),
    /// Undecided, for this reason.
    Unknown(StopReason),
}

/// How large the results of each stage were, and how long each took: what tables
/// of the published way show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stages {
    /// States and edges of the serial automaton.
    pub automaton: (usize, usize),
    /// Size and star height of the regular expression.
    pub regex: (u64, u64),
    /// Components of the semilinear set.
    pub components: usize,
    /// Components of the set as it was constructed, before it was reduced.
    pub constructed: usize,
    /// The most components of a set on the way.
    pub most_components: usize,
    /// Periods of all components together.
    pub periods: usize,
    /// The most periods of a component.
    pub most_periods: usize,
    /// Disjuncts of the complement that were looked at.
    pub disjuncts: usize,
    /// How many of them slicing alone showed to be out of reach.
    pub sliced_away: usize,
    /// Places and transitions of the net.
    pub net: (usize, usize),
    /// How many of the transitions are spawns, or of requests that can get to the
    /// local state that they take from.
    pub concerned: usize,
    /// Whether slicing left out requests that the goal does not need.
    pub dispensed: bool,
    /// Places and transitions after slicing, of all disjuncts together; none are
    /// left of those that are out of reach.
    pub left: (usize, usize),
    /// Solutions of state equations that no run has, and that were excluded.
    pub refinements: usize,
    /// Clauses of the invariant and trees of its proof.
    pub invariant: (usize, usize),
    /// Time for the semilinear set.
    pub serial_time: Duration,
    /// Time for the net and slices.
    pub slice_time: Duration,
    /// Time for questions about the net.
    pub reach_time: Duration,
    /// Time for the invariant.
    pub certify_time: Duration,
}

/// What was found, and how.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer.
    pub verdict: ClassicVerdict,
    /// Sizes and times.
    pub stages: Stages,
}

/// Ticks for the semilinear set and its complement.
pub const SERIAL_TICKS: u64 = 2_000_000_000;
/// Ticks for the semilinear set, for one disjunct, and for the invariant.
const TICKS: [u64; 3] = [SERIAL_TICKS, 400_000_000, 4_000_000_000];
/// Ticks for seeing that a disjunct is empty.
pub const EMPTY_TICKS: u64 = 200_000;

/// Disjuncts that are looked at before the reasons of each are known to the
/// others, at most. At first there are fewer: most is learned from the first
/// ones. The number of threads has no part in it, so that nothing depends on it.
const BATCH: usize = 8;

/// What tells the time since some moment. There is none here, as machines
/// without one decide, too: who wants to know the times of stages brings one.
pub type Clock<'a> = dyn Fn() -> Duration + Sync + 'a;

/// For who wants no times: no time passes.
pub fn no_clock() -> Duration {
    Duration::ZERO
}

/// Decides about one system.
pub fn decide(system: &NetworkSystem, options: &Options, cancel: &Cancel, clock: &Clock<'_>) -> Report {
    let mut stages = Stages::default();
    let verdict = ClassicWork { system, options, cancel, clock, stages: &mut stages }.run();
    Report { verdict: verdict.unwrap_or_else(ClassicVerdict::Unknown), stages }
}

/// What is known about one disjunct, from one thread to the other.
struct DisjunctProgress {
    /// A sequence to it; `None`: it is out of reach.
    answer: Result<Option<Vec<TransitionId>>, StopReason>,
    reasons: Vec<Reason>,
    stages: Stages,
}

impl Default for DisjunctProgress {
    fn default() -> Self {
        Self { answer: Ok(None), reasons: Vec::new(), stages: Stages::default() }
    }
}

impl Stages {
    /// Adds what was done for one disjunct.
    fn add(&mut self, asked: &Self) {
        self.disjuncts += asked.disjuncts;
        self.sliced_away += asked.sliced_away;
        self.dispensed |= asked.dispensed;
        self.left = (self.left.0 + asked.left.0, self.left.1 + asked.left.1);
        self.refinements += asked.refinements;
        self.slice_time += asked.slice_time;
        self.reach_time += asked.reach_time;
    }
}

struct ClassicWork<'a> {
    system: &'a NetworkSystem,
    options: &'a Options,
    cancel: &'a Cancel,
    clock: &'a Clock<'a>,
    stages: &'a mut Stages,
}

/// Which slicing.
#[derive(Clone, Copy)]
enum Slicing {
    All,
    /// Only what an invariant of the sliced net can be lifted over.
    Inductive,
}

/// What is looked at.
struct Look<'a> {
    net: &'a Net,
    places: &'a Places,
    serial: &'a Serial,
    complement: &'a Complement,
    how: Slicing,
    /// Ticks for the disjuncts.
    left: u64,
}

/// The stage that asks about the net.
const REACHABILITY: &str = "reachability";

fn inconclusive(what: &str) -> StopReason {
    StopReason::Inconclusive { stage: REACHABILITY, what: what.to_owned() }
}

/// A run of the net is none of the system. A bug, and no answer.
fn no_run() -> StopReason {
    StopReason::Inconclusive { stage: "run", what: "it could not be performed".to_owned() }
}

impl ClassicWork<'_> {
    /// How long it is since a moment.
    fn since(&self, start: Duration) -> Duration {
        (self.clock)().saturating_sub(start)
    }

    fn run(&mut self) -> Result<ClassicVerdict, StopReason> {
        let [ticks, ..] = self.options.ticks;
        let failed = |error: serval_semilinear::Error| error.reason("semilinear set", ticks);
        let first = if self.options.net_first { Some(self.net()?) } else { None };
        let start = (self.clock)();
        let mut budget = Budget::new(ticks, self.cancel.clone());
        let serial = Serial::new(self.system, self.options, &mut budget);
        self.stages.serial_time = self.since(start);
        let serial = serial.map_err(failed)?;
        self.stages.automaton = (serial.language.automaton.states(), serial.language.automaton.edges().len());
        self.stages.regex = (serial.image.regex.written_size(), serial.image.regex.star_height());
        let statistics = serial.image.statistics;
        self.stages.components = statistics.components;
        self.stages.constructed = statistics.constructed;
        self.stages.most_components = statistics.largest;
        self.stages.periods = statistics.periods;
        self.stages.most_periods = statistics.most_periods;
        let complement = serial.complement(self.options, &mut budget).map_err(failed)?;
        let (net, places) = &first.map_or_else(|| self.net(), Ok)?;
        let before = *self.stages;
        let mut look = Look { net, places, serial: &serial, complement: &complement, how: Slicing::All, left: budget.left() };
        let verdict = self.look(&look);
        let is_unproved = verdict.as_ref().is_err_and(|reason| reason.stage() == Some(stitch::STAGE));
        if !is_unproved || !self.stages.dispensed || self.cancel.is_cancelled() {
            return verdict;
        }
        // What is true without requests that are not needed may be hard to say with them.
        *self.stages = Stages { reach_time: self.stages.reach_time, certify_time: self.stages.certify_time, ..before };
        look.how = Slicing::Inductive;
        self.look(&look)
    }

    /// The net, and what its places are.
    fn net(&mut self) -> Result<(Net, Places), StopReason> {
        let start = (self.clock)();
        let budget = Budget::new(u64::MAX, self.cancel.clone());
        let net = budget.during(|| interleaving(self.system)).map_err(|_| StopReason::Cancelled)?;
        let (net, places) = net.map_err(|error| StopReason::Unsupported { stage: "net", what: error.to_string() })?;
        self.stages.net = (net.place_count(), net.transition_count());
        self.stages.concerned = serial::concerned(self.system);
        self.stages.slice_time += self.since(start);
        Ok((net, places))
    }

    /// Looks at all disjuncts.
    fn look(&mut self, look: &Look<'_>) -> Result<ClassicVerdict, StopReason> {
        let &Look { net, places, serial, complement, left, .. } = look;
        let mut budget = Budget::new(left, self.cancel.clone());
        let mut reasons: Vec<Reason> = Vec::new();
        // What is not known about one disjunct does not matter if another has a run.
        let mut unknown: Option<StopReason> = None;
        let mut disjuncts = complement.disjuncts(self.options.max_disjuncts, &mut budget).exact(EMPTY_TICKS);
        loop {
            let mut targets = Vec::new();
            for disjunct in disjuncts.by_ref().take(self.stages.disjuncts.clamp(1, BATCH)) {
                let disjunct = disjunct.map_err(|error| error.reason("complement", left))?;
                targets.push(query(serial, places, &disjunct).ok_or(StopReason::NumberTooLarge { stage: "complement" })?);
            }
            if targets.is_empty() {
                break;
            }
            for asked in self.ask_all(look, &targets, &reasons) {
                self.stages.add(&asked.stages);
                match asked.answer {
                    Ok(Some(sequence)) => {
                        let run = fire::run(self.system, places, &sequence);
                        return run.map(ClassicVerdict::Refuted).ok_or_else(no_run);
                    }
                    Ok(None) => reach::merge(&mut reasons, asked.reasons),
                    Err(stop) => unknown = unknown.or(Some(stop)),
                }
            }
            if self.cancel.is_cancelled() {
                return Err(StopReason::Cancelled);
            }
        }
        if let Some(stop) = unknown {
            return Err(stop);
        }
        let start = (self.clock)();
        let mut budget = Budget::new(self.options.ticks[2], self.cancel.clone());
        let proof = stitch::stitch(self.system, places, net, serial, &reasons, self.options, &mut budget);
        self.stages.certify_time += self.since(start);
        let proof = proof?;
        self.stages.invariant = (proof.clauses.len(), proof.kept.len() + proof.ends.len());
        Ok(ClassicVerdict::Serializable(Box::new(proof)))
    }

    /// The answers about some targets, in order, up to the first that has a run,
    /// and maybe some more; what is known before is the same for all of them,
    /// whatever the number of threads.
    fn ask_all(&self, look: &Look<'_>, targets: &[Target], known: &[Reason]) -> Vec<DisjunctProgress> {
        let mut all: Vec<DisjunctProgress> = Vec::with_capacity(targets.len());
        for some in targets.chunks(threads(self.options.jobs)) {
            if let [only] = some {
                all.push(self.ask(look, only, known));
            } else {
                let asked = std::thread::scope(|scope| {
                    let threads: Vec<_> = some.iter().map(|target| scope.spawn(|| self.ask(look, target, known))).collect();
                    threads.into_iter().map(|thread| thread.join().ok()).collect::<Vec<_>>()
                });
                let fallen = || DisjunctProgress { answer: Err(inconclusive("a thread ended early")), ..DisjunctProgress::default() };
                all.extend(asked.into_iter().map(|asked| asked.unwrap_or_else(fallen)));
            }
            if self.cancel.is_cancelled() || all.iter().any(|asked| matches!(asked.answer, Ok(Some(_)))) {
                break;
            }
        }
        all
    }

    /// Whether a target can be reached: a sequence to it, or reasons why not,
    /// apart from those that are known.
    fn ask(&self, look: &Look<'_>, target: &Target, known: &[Reason]) -> DisjunctProgress {
        let mut asked = DisjunctProgress::default();
        asked.answer = self.answer(look, target, known, &mut asked);
        asked
    }

    fn answer(
        &self,
        look: &Look<'_>,
        target: &Target,
        known: &[Reason],
        asked: &mut DisjunctProgress,
    ) -> Result<Option<Vec<TransitionId>>, StopReason> {
        let (stages, reasons) = (&mut asked.stages, &mut asked.reasons);
        stages.disjuncts = 1;
        let start = (self.clock)();
        let ticks = self.options.ticks[1];
        let mut budget = Budget::new(ticks, self.cancel.clone());
        let sliced = self.sliced(look, target, &mut budget).map_err(|stopped| StopReason::stopped("slicing", ticks, stopped))?;
        stages.slice_time = self.since(start);
        let rounds = match &sliced {
            Slice::Unreachable(away) => &away.rounds,
            Slice::Kept(sliced) => &sliced.rounds,
        };
        stages.dispensed = rounds.iter().any(|round| matches!(round, Round::Dispensable { .. }));
        let sliced = match sliced {
            Slice::Unreachable(away) => {
                stages.sliced_away = 1;
                reach::away(&away, reasons);
                return Ok(None);
            }
            Slice::Kept(sliced) => sliced,
        };
        stages.left = (sliced.net.place_count(), sliced.net.transition_count());
        let start = (self.clock)();
        let answer = reach::reach(&sliced, known, reasons, &mut stages.refinements, &mut budget);
        stages.reach_time = self.since(start);
        match answer.map_err(|stopped| StopReason::stopped(REACHABILITY, ticks, stopped))? {
            reach::ReachAnswer::Unreachable => Ok(None),
            reach::ReachAnswer::Run(sequence) => sliced.lift(&sequence).map(Some).ok_or_else(no_run),
            reach::ReachAnswer::Unknown => Err(inconclusive("neither a run nor a proof was found")),
        }
    }

    fn sliced(&self, look: &Look<'_>, target: &Target, budget: &mut Budget) -> Result<Slice, Stopped> {
        let net = look.net;
        if self.options.slice {
            return match look.how {
                Slicing::All => slice(net, target, budget),
                Slicing::Inductive => slice_inductive(net, target, budget),
            };
        }
        let places = net.places().collect();
        let transitions = net.transitions().collect();
        let (net, target) = (net.clone(), target.clone());
        Ok(Slice::Kept(Box::new(Sliced { net, target, places, transitions, rounds: Vec::new() })))
    }
}
