//! What the engines claim about an input, with evidence that is not checked
//! yet.
//!
//! A program is searched for small counterexamples, and a proof on its text is
//! looked for, before its states are all made, so that one with infinitely many
//! states can be refuted or proved, too. What is
//! done with finite systems is the engine's business ([`portfolio`]).

use std::cell::Cell;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use serval_budget::checkpoint::fenced;
use serval_budget::{Budget, Cancel, StopReason};
use serval_classic_engine::Stages;
use serval_compile::{CompileError, Compiled, FaultKind, FaultReport, Lazy, Needs, Prepared};
use serval_diagnostic::counted;
use serval_engine::portfolio::{self, FIRST_LAYERS, FIRST_TICKS, Found, LAST_TICKS, Method, Plan, Progress};
use serval_engine::sample::{HowSampled, shrunk};
use serval_engine::search::{LayerOutcome, Search, SubsetSearch, run_certificate};
use serval_lipton_engine::Why;
use serval_model::{Letter, Moves, Named, NetworkSystem};
use serval_proof::{Body, Part, Reduction, RunCertificate};
use serval_report::{OpenAnswer, ReducedSizes, RuledOut};
use serval_syntax::{Diagnostic, Program, Reading, read_for_proof};
use serval_verify::failure_of;

use crate::commuting::why_not;
use crate::sampling::{LazyFind, LazySamplers};
use crate::scaled_runs::hint;
use crate::{Methods, Options};

/// Requests and ticks of the search before a proof on the text is tried: enough
/// for what nearly every mistake needs, and fewer where states are of many
/// variables.
const SHORT_LAYERS: u32 = 2;
const SHORT_TICKS: u64 = 30_000;
const SHORT_VALUES: u64 = 3_000_000;
/// Ticks for a proof on the text: first before other counterexamples are looked
/// for, and where these are not enough for it, afterwards.
pub(crate) const FIRST_TEXT_TICKS: u64 = 1_000_000;
pub(crate) const TEXT_TICKS: u64 = 100_000_000;
/// Where choices among many values have not led to a proof: the part of the first ticks for one that tells them apart.
const CHOICES_PART: u64 = 16;
/// Ticks for sets of few kinds of requests of a component that is too large as a whole.
const TOO_LARGE_TICKS: u64 = 10_000_000;

/// Ticks for random runs of a program with too many states, together with [`TOO_LARGE_TICKS`].
pub(crate) const DRAWN_TICKS: u64 = 192_000_000;
/// The same where no other method may be used: at first, and then twice as many each time.
const FIRST_DRAWN_TICKS: u64 = 2_000_000;

/// How long to try.
#[derive(Clone, Copy)]
pub(crate) struct Effort<'a> {
    pub(crate) methods: &'a Methods,
    pub(crate) jobs: usize,
    pub(crate) cancel: &'a Cancel,
    pub(crate) progress: &'a (dyn Fn(Progress) + Sync),
    pub(crate) clock: fn() -> Duration,
    /// Rounds of growing budgets.
    pub(crate) rounds: usize,
    /// How large they are, in percent of the usual.
    pub(crate) percent: u64,
    /// Pairs of states that are explored at most, where less is wanted than
    /// the compiler would do.
    pub(crate) pairs: Option<u64>,
    /// What random runs are drawn from, where it is asked for.
    pub(crate) seed: Option<u64>,
}

impl<'a> Effort<'a> {
    /// As much as the options allow.
    pub(crate) fn of(options: &'a Options, progress: &'a (dyn Fn(Progress) + Sync)) -> Self {
        let Options { methods, jobs, cancel, clock, rounds, percent, pairs, seed, .. } = options;
        let (clock, seed) = (*clock, *seed);
        Self { methods, jobs: *jobs, cancel, progress, clock, rounds: *rounds, percent: *percent, pairs: *pairs, seed }
    }

    /// Whether this method may be used.
    pub(crate) fn may(&self, method: Method) -> bool {
        matches!(self.methods, Methods::Portfolio(methods) if methods.contains(&method))
    }

    /// Whether no other method may be used.
    fn only(&self, method: Method) -> bool {
        matches!(self.methods, Methods::Portfolio(methods) if methods.iter().all(|&one| one == method))
    }

    pub(crate) fn budget(&self, ticks: u64) -> Budget {
        Budget::new(ticks, self.cancel.clone())
    }
}

/// The answer of an engine.
pub(crate) enum EngineClaim {
    /// A run that should be a counterexample.
    Refuted { run: RunCertificate, component: usize, minimal: bool, method: &'static str },
    /// Proofs that should show that it is serializable.
    Proved { body: Body, method: &'static str },
    /// Neither.
    Undecided(StopReason),
    /// A run after which a step should fail.
    Fails { report: Box<FaultReport>, diagnostic: Box<Diagnostic>, method: &'static str },
    /// The program has an error that shows only when it is explored.
    Unusable(Box<Diagnostic>),
}

/// A claim, and what was learned on the way.
pub(crate) struct Claimed {
    pub(crate) claim: EngineClaim,
    /// What has been excluded.
    pub(crate) ruled_out: RuledOut,
    /// What the reductions left, if there were any.
    pub(crate) reduced: Option<ReducedSizes>,
    /// What the published method did, for each component.
    pub(crate) stages: Vec<Stages>,
    /// Answers that could neither be realised nor excluded.
    pub(crate) open: Vec<OpenAnswer>,
    /// How many sets of answers are open, as far as they were met.
    pub(crate) open_sets: usize,
    /// Why there is no proof on the text of a program, where one was looked for.
    pub(crate) no_commit: Option<String>,
    /// How the run was found, where it was drawn.
    pub(crate) sampled: Option<HowSampled>,
}

impl Claimed {
    /// A claim of which nothing else is known but that no counterexample has
    /// so few requests.
    pub(crate) fn new(claim: EngineClaim, cleared: u32) -> Self {
        let ruled_out = RuledOut { requests_up_to: cleared, concurrent_up_to: None };
        Self { claim, ruled_out, reduced: None, stages: Vec::new(), open: Vec::new(), open_sets: 0, no_commit: None, sampled: None }
    }
}

/// Finite systems: what the engine finds, as evidence.
pub(crate) fn about_systems(systems: &[&NetworkSystem], cleared: u32, effort: &Effort<'_>) -> Claimed {
    let methods = match effort.methods {
        Methods::Portfolio(methods) => methods,
        Methods::Classic(options) => return as_published(systems, options, effort),
    };
    let plan = Plan {
        jobs: effort.jobs,
        watch: effort.progress,
        rounds: effort.rounds,
        percent: effort.percent,
        seed: effort.seed,
        ..Plan::new(methods, effort.cancel)
    };
    let decision = portfolio::decide(systems, cleared, &plan);
    let claim = match decision.found {
        Found::Refuted { component, run, minimal, method } => {
            EngineClaim::Refuted { run: run_certificate(&systems[component], &run), component, minimal, method: method.name() }
        }
        Found::Serializable(parts, method) => EngineClaim::Proved { body: body(parts), method: method.name() },
        Found::Unknown(reason) => EngineClaim::Undecided(reason),
    };
    let concurrent = u32::try_from(decision.concurrent).unwrap_or(u32::MAX);
    let ruled_out = RuledOut { requests_up_to: decision.cleared, concurrent_up_to: (concurrent > 1).then_some(concurrent) };
    let reduced = decision.reduced.map(|(globals, locals, steps)| ReducedSizes { globals, locals, steps });
    let open = decision.open.first().map_or_else(Vec::new, |(component, answers)| open_answers(systems[*component], answers));
    let open_sets = decision.open.len();
    Claimed { claim, ruled_out, reduced, stages: Vec::new(), open, open_sets, no_commit: None, sampled: decision.sampled }
}

fn open_answers(system: &NetworkSystem, answers: &[(Letter, u64)]) -> Vec<OpenAnswer> {
    let answer = |&((request, response), count): &(Letter, u64)| OpenAnswer {
        request: system.request_name(request).to_owned(),
        response: system.response_name(response).to_owned(),
        name: None,
        count,
    };
    answers.iter().map(answer).collect()
}

/// One component after the other by the published method; a run ends the work.
fn as_published(systems: &[&NetworkSystem], options: &serval_classic_engine::Options, effort: &Effort<'_>) -> Claimed {
    const NAME: &str = "classic";
    let options = serval_classic_engine::Options { jobs: effort.jobs, ..options.clone() };
    let (mut parts, mut stages, mut unknown) = (Vec::new(), Vec::new(), None);
    for (component, system) in systems.iter().enumerate() {
        (effort.progress)(Progress::Counting);
        let report = serval_classic_engine::decide(system, &options, effort.cancel, &effort.clock);
        stages.push(report.stages);
        match report.verdict {
            serval_classic_engine::ClassicVerdict::Serializable(proof) => parts.push(Part::Invariant(proof)),
            serval_classic_engine::ClassicVerdict::Refuted(run) => {
                let run = shrunk(*system, &run, &effort.budget(u64::MAX));
                let claim = EngineClaim::Refuted { run: run_certificate(system, &run), component, minimal: false, method: NAME };
                return Claimed { stages, ..Claimed::new(claim, 0) };
            }
            serval_classic_engine::ClassicVerdict::Unknown(reason) => unknown = unknown.or(Some(reason)),
        }
    }
    let claim = match unknown {
        Some(_) if effort.cancel.is_cancelled() => EngineClaim::Undecided(StopReason::Cancelled),
        Some(reason) => EngineClaim::Undecided(reason),
        None => EngineClaim::Proved { body: body(parts), method: NAME },
    };
    Claimed { stages, ..Claimed::new(claim, 0) }
}

/// The proof of the only component, or the list of all.
fn body(mut parts: Vec<Part>) -> Body {
    match (parts.len(), parts.pop()) {
        (1, Some(only)) => Body::Part(only),
        (_, last) => Body::Components(parts.into_iter().chain(last).collect()),
    }
}

/// A program: the claim, its states unless a counterexample was found before
/// they were made, and how long making them took.
pub(crate) struct ProgramClaimed {
    pub(crate) claimed: Claimed,
    pub(crate) compiled: Option<Result<Arc<Compiled>, CompileError>>,
    pub(crate) compile_time: Duration,
}

/// What is claimed about a program: small counterexamples are looked for first,
/// then a proof on its text, which needs none of its states, and then its
/// states are made.
///
/// A method that panics has a mistake, which costs its own answer. Only where there is no other the call fails as the
/// method did.
pub(crate) fn about_program(prepared: &Arc<Prepared>, text: &str, effort: &Effort<'_>) -> ProgramClaimed {
    if prepared.program().many.is_some() {
        return ProgramClaimed { claimed: about_many(prepared, text, effort), compiled: None, compile_time: Duration::ZERO };
    }
    let broken = Cell::new(false);
    let told = by_all_means(prepared, text, &broken, effort);
    if broken.get() && matches!(told.claimed.claim, EngineClaim::Undecided(_)) {
        // What the method says has been printed by then.
        resume_unwind(Box::new("a method failed, and no other has an answer"));
    }
    told
}

/// The same; `broken` says afterwards whether a method panicked.
fn by_all_means(prepared: &Arc<Prepared>, text: &str, broken: &Cell<bool>, effort: &Effort<'_>) -> ProgramClaimed {
    let searches = (0..prepared.component_count()).map(|component| Search::new(prepared.lazy(component))).collect();
    let mut searches = Searches { components: searches, is_broken: false, broken };
    let (mut cleared, mut no_commit, mut short) = (0, None, false);
    let mut likely = Vec::new();
    let early = |claimed: Claimed| ProgramClaimed { claimed, compiled: None, compile_time: Duration::ZERO };
    if effort.may(Method::Lipton) {
        let variables = u64::try_from(prepared.program().globals.len()).unwrap_or(u64::MAX);
        let ticks = SHORT_TICKS.min(SHORT_VALUES / variables.max(1));
        if effort.may(Method::Search)
            && let Some(refuted) = search(&mut searches, &mut cleared, SHORT_LAYERS, ticks, effort)
        {
            return early(Claimed::new(refuted, cleared));
        }
        let chosen = by_choices(prepared, text, broken, effort);
        if let Some(Ok(proved)) = chosen {
            return early(Claimed::new(proved, cleared));
        }
        // Alone it need not be brief: no other method waits for its turn.
        if effort.only(Method::Lipton) {
            return early(Claimed::new(at_any_cost(prepared, text, broken, effort), cleared));
        }
        // Where choices of many values do not lead to a proof together, they hardly do so one by one.
        let ticks = if chosen.is_some() { FIRST_TEXT_TICKS / CHOICES_PART } else { FIRST_TEXT_TICKS };
        match on_text(prepared, text, ticks, broken, effort) {
            Ok(proved) => return early(Claimed::new(proved, cleared)),
            Err(NoProof::Short(reason)) if chosen.is_some() => no_commit = Some(reason.what()),
            Err(NoProof::Short(_)) => short = true,
            Err(NoProof::Reason(reason, bodies)) => {
                no_commit = Some(reason.what());
                likely = bodies;
            }
        }
    }
    if effort.may(Method::Search) {
        let refuted = search(&mut searches, &mut cleared, FIRST_LAYERS, FIRST_TICKS, effort)
            .or_else(|| few_kinds(prepared, &mut searches, &mut cleared, &likely, None, effort));
        if let Some(refuted) = refuted {
            return early(Claimed { no_commit, ..Claimed::new(refuted, cleared) });
        }
    }
    if short {
        match on_text(prepared, text, TEXT_TICKS, broken, effort) {
            Ok(proved) => return early(Claimed::new(proved, cleared)),
            Err(NoProof::Short(reason) | NoProof::Reason(reason, _)) => no_commit = Some(reason.what()),
        }
    }
    // Retries of other kinds are proved by what is quicker to make.
    if effort.may(Method::Lipton)
        && let Some(proved) = by_integers(prepared, text, effort, &|reduction| !reduction.attempts.is_empty())
    {
        return early(Claimed::new(proved, cleared));
    }
    let mut told = on_states(prepared, text, &mut searches, cleared, effort);
    told.claimed.no_commit = no_commit;
    told
}

/// What is claimed about a program with more combinations of parameters than are written out, whose requests stand for
/// all: a proof on its text, or nothing.
pub(crate) fn about_many(prepared: &Arc<Prepared>, text: &str, effort: &Effort<'_>) -> Claimed {
    let broken = Cell::new(false);
    if !effort.may(Method::Lipton) {
        return Claimed::new(EngineClaim::Undecided(TOO_MANY), 0);
    }
    let mut no_commit = None;
    for ticks in [FIRST_TEXT_TICKS, TEXT_TICKS] {
        match on_text(prepared, text, ticks, &broken, effort) {
            Ok(proved) => return Claimed::new(proved, 0),
            Err(NoProof::Short(reason)) => no_commit = Some(reason.what()),
            Err(NoProof::Reason(reason, _)) => {
                no_commit = Some(reason.what());
                break;
            }
        }
    }
    let reason = if effort.cancel.is_cancelled() { StopReason::Cancelled } else { TOO_MANY };
    Claimed { no_commit, ..Claimed::new(EngineClaim::Undecided(reason), 0) }
}

/// Why the states of such a program are not all made.
const TOO_MANY: StopReason = StopReason::TooMany { stage: "compiling", what: "combinations of parameters", cap: 1024 };
/// Pairs of states that are explored of some of its requests, for steps that fail.
const SOME_PAIRS: u64 = 20_000;

/// A run of a program with some of the requests of a text: a counterexample, or one after which a step fails. About
/// all requests of the text nothing else follows, so nothing else is claimed.
pub(crate) fn about_some(prepared: &Arc<Prepared>, text: &str, ticks: u64, effort: &Effort<'_>) -> Claimed {
    let broken = Cell::new(false);
    let searches = (0..prepared.component_count()).map(|component| Search::new(prepared.lazy(component))).collect();
    let mut searches = Searches { components: searches, is_broken: false, broken: &broken };
    let mut cleared = 0;
    let mut found = None;
    if effort.may(Method::Search) {
        found = search(&mut searches, &mut cleared, FIRST_LAYERS, ticks, effort)
            .or_else(|| few_kinds(prepared, &mut searches, &mut cleared, &[], Some(ticks), effort));
    }
    if let Some(EngineClaim::Refuted { run, component, method, .. }) = found {
        // With other values fewer requests may do, unless it is two: one alone is serial.
        let minimal = run.completed.iter().map(|entry| u128::from(entry.count)).sum::<u128>() <= 2;
        return Claimed::new(EngineClaim::Refuted { run, component, minimal, method }, 0);
    }
    if effort.may(Method::Sample) {
        match drawn(&mut LazySamplers::new(prepared, effort.seed), ticks, &broken, effort) {
            Some(LazyFind::Run { run, component, requests, how }) => {
                let claim = EngineClaim::Refuted { run, component, minimal: requests <= 2, method: Method::Sample.name() };
                return Claimed { sampled: Some(how), ..Claimed::new(claim, 0) };
            }
            Some(LazyFind::Fault(error)) => return Claimed::new(unusable(&error, text), 0),
            None => {}
        }
    }
    match prepared.compile_within(SOME_PAIRS.min(ticks / 8), &effort.budget(ticks)) {
        Err(error @ CompileError::Fault(_)) if !error.is_limit() => Claimed::new(unusable(&error, text), 0),
        _ => Claimed::new(EngineClaim::Undecided(TOO_MANY), 0),
    }
}

/// Why there is no proof on the text.
enum NoProof {
    /// More ticks might help.
    Short(StopReason),
    /// They would not. With the bodies of requests whose steps do not commute
    /// though one of them would have to.
    Reason(StopReason, Vec<usize>),
}

/// A proof on the text with more and more ticks, until it is cancelled.
fn at_any_cost(prepared: &Prepared, text: &str, broken: &Cell<bool>, effort: &Effort<'_>) -> EngineClaim {
    let mut ticks = TEXT_TICKS;
    loop {
        match on_text(prepared, text, ticks, broken, effort) {
            Ok(proved) => return proved,
            Err(NoProof::Short(reason)) if effort.cancel.is_cancelled() || ticks == u64::MAX => return EngineClaim::Undecided(reason),
            Err(NoProof::Short(_)) => ticks = ticks.saturating_mul(10),
            Err(NoProof::Reason(reason, _)) => {
                return by_integers(prepared, text, effort, &|_| true).unwrap_or(EngineClaim::Undecided(reason));
            }
        }
    }
}

/// A proof on the text of a program with an integer for each version, of the kind that is wanted.
fn by_integers(prepared: &Prepared, text: &str, effort: &Effort<'_>, wanted: &dyn Fn(&Reduction) -> bool) -> Option<EngineClaim> {
    let reading = Reading { integers: true, choices: false };
    let program = Some(()).filter(|()| !prepared.program().versions.is_empty()).and_then(|()| read_for_proof(text, reading))?;
    fenced(|| by_reading(&program, reading, effort, wanted))?.ok()?
}

/// A proof on the text of a program whose requests choose among many values; with integers for versions as well, if it
/// has some. None where they do not, or where their choices are made anew.
fn by_choices(prepared: &Prepared, text: &str, broken: &Cell<bool>, effort: &Effort<'_>) -> Option<Result<EngineClaim, Why>> {
    // Looked for in the text before it is read once more.
    if !text.contains("choose") || prepared.program().many.is_some() {
        return None;
    }
    let mut first = None;
    for integers in [false, true] {
        let reading = Reading { integers, choices: true };
        let none = integers && prepared.program().versions.is_empty();
        let Some(program) = (!none).then(|| read_for_proof(text, reading)).flatten() else { break };
        let Some(found) = fenced(|| by_reading(&program, reading, effort, &|_| true)) else {
            broken.set(true);
            break;
        };
        match found {
            Ok(proved) => return proved.map(Ok),
            Err(why) => first = first.or(Some(why)),
        }
    }
    first.map(Err)
}

/// A proof on the text as it is read so, of the kind that is wanted.
fn by_reading(
    program: &Program,
    reading: Reading,
    effort: &Effort<'_>,
    wanted: &dyn Fn(&Reduction) -> bool,
) -> Result<Option<EngineClaim>, Why> {
    let prepared = Prepared::new(program, serval_compile::Options::default());
    let found = serval_lipton_engine::prove(&prepared, &mut effort.budget(FIRST_TEXT_TICKS))?;
    let wanted = Some(found.reduction).filter(wanted).map(|reduction| {
        let body = Body::Reduction(Box::new(Reduction { integers: reading.integers, choices: reading.choices, ..reduction }));
        EngineClaim::Proved { body, method: Method::Lipton.name() }
    });
    Ok(wanted)
}

/// A proof on the text of a program, or why there is none.
fn on_text(prepared: &Prepared, text: &str, ticks: u64, broken: &Cell<bool>, effort: &Effort<'_>) -> Result<EngineClaim, NoProof> {
    let stage = Method::Lipton.name();
    let found = fenced(|| serval_lipton_engine::prove(prepared, &mut effort.budget(ticks))).ok_or_else(|| {
        broken.set(true);
        NoProof::Reason(StopReason::Inconclusive { stage, what: "the method failed, which is a mistake of serval".to_owned() }, Vec::new())
    })?;
    let found = found.map_err(|why| match why {
        Why::Stopped(stopped) => NoProof::Short(StopReason::stopped(stage, ticks, stopped)),
        why => {
            let bodies = if let Why::Conflict(conflict) = &why { vec![conflict.first.body, conflict.second.body] } else { Vec::new() };
            NoProof::Reason(StopReason::Inconclusive { stage, what: why_not(prepared.program(), text, &why) }, bodies)
        }
    })?;
    Ok(EngineClaim::Proved { body: Body::Reduction(Box::new(found.reduction)), method: stage })
}

/// A proof on the text of a program, if there is one.
pub(crate) fn proved_on_text(prepared: &Prepared, text: &str, ticks: u64, effort: &Effort<'_>) -> Option<Body> {
    match on_text(prepared, text, ticks, &Cell::new(false), effort) {
        Ok(EngineClaim::Proved { body, .. }) => Some(body),
        _ => None,
    }
}

/// What is claimed about a program whose states are made.
fn on_states(prepared: &Arc<Prepared>, text: &str, searches: &mut Searches<'_>, mut cleared: u32, effort: &Effort<'_>) -> ProgramClaimed {
    let searching = effort.may(Method::Search);
    let mut compile_time = Duration::ZERO;
    let mut make = |pairs: u64| {
        let start = (effort.clock)();
        let compiled = prepared.compile_within(pairs, &effort.budget(u64::MAX)).map(Arc::new);
        compile_time += (effort.clock)().saturating_sub(start);
        compiled
    };
    // Where there are more states, sets of few kinds of requests are searched with as much effort as it took to see
    // that.
    let few = if searching && effort.pairs.is_none() { FEWER_PAIRS } else { &[] };
    if effort.only(Method::Sample) {
        let met = drawn_alone(&mut hinted(prepared, text, searches.broken, effort), searches.broken, effort);
        return by_drawing(met, text, searches, cleared, effort, (None, Duration::ZERO));
    }
    let mut samplers = None;
    for &times in few {
        let compiled = make(FIRST_PAIRS / times);
        if !compiled.as_ref().is_err_and(may_be_more) {
            return on_compiled(prepared, text, searches, cleared, effort, (compiled, compile_time));
        }
        if let Some(found) = few_kinds(prepared, searches, &mut cleared, &[], Some(TOO_LARGE_TICKS / times), effort) {
            return ProgramClaimed { claimed: Claimed::new(found, cleared), compiled: Some(compiled), compile_time };
        }
        let samplers = effort.may(Method::Sample).then(|| samplers.get_or_insert_with(|| hinted(prepared, text, searches.broken, effort)));
        let met = samplers.and_then(|samplers| drawn(samplers, DRAWN_TICKS / times, searches.broken, effort));
        if met.is_some() {
            return by_drawing(met, text, searches, cleared, effort, (Some(compiled), compile_time));
        }
    }
    drop(samplers);
    let compiled = make(effort.pairs.unwrap_or(FIRST_PAIRS));
    on_compiled(prepared, text, searches, cleared, effort, (compiled, compile_time))
}

/// Random runs of a program, which begin with what refutes a smaller one.
fn hinted<'a>(prepared: &'a Prepared, text: &str, broken: &Cell<bool>, effort: &Effort<'_>) -> LazySamplers<'a> {
    let mut samplers = LazySamplers::new(prepared, effort.seed);
    if fenced(|| hint(&mut samplers, text, effort.seed, effort.cancel)).is_none() {
        broken.set(true);
    }
    samplers
}

/// Draws runs of a program whose states are not all made.
fn drawn(samplers: &mut LazySamplers<'_>, ticks: u64, broken: &Cell<bool>, effort: &Effort<'_>) -> Option<LazyFind> {
    let ticks = ticks.saturating_mul(effort.percent) / 100;
    fenced(|| samplers.look(ticks, effort.cancel)).unwrap_or_else(|| {
        broken.set(true);
        None
    })
}

/// The same with more and more ticks, where no other method may be used.
fn drawn_alone(samplers: &mut LazySamplers<'_>, broken: &Cell<bool>, effort: &Effort<'_>) -> Option<LazyFind> {
    let mut ticks = FIRST_DRAWN_TICKS;
    for _ in 0..effort.rounds.max(1) {
        let met = drawn(samplers, ticks, broken, effort);
        if met.is_some() || broken.get() || effort.cancel.is_cancelled() {
            return met;
        }
        ticks = ticks.saturating_mul(2);
    }
    None
}

/// What is claimed because of a run that was drawn; perhaps there is a counterexample with fewer requests.
fn by_drawing(
    met: Option<LazyFind>,
    text: &str,
    searches: &mut Searches<'_>,
    mut cleared: u32,
    effort: &Effort<'_>,
    (compiled, compile_time): (Option<Result<Arc<Compiled>, CompileError>>, Duration),
) -> ProgramClaimed {
    let claimed = match met {
        Some(LazyFind::Run { run, component, requests, how }) => {
            let fewer = effort.may(Method::Search).then(|| search(searches, &mut cleared, requests.saturating_sub(1), LAST_TICKS, effort));
            let sampled = Some(how);
            let minimal = cleared.saturating_add(1) >= requests;
            let drawn = EngineClaim::Refuted { run, component, minimal, method: Method::Sample.name() };
            match fewer.flatten() {
                Some(fewer) => Claimed::new(fewer, cleared),
                None => Claimed { sampled, ..Claimed::new(drawn, cleared) },
            }
        }
        Some(LazyFind::Fault(error)) => {
            let claim = match unusable(&error, text) {
                EngineClaim::Fails { report, diagnostic, .. } => EngineClaim::Fails { report, diagnostic, method: Method::Sample.name() },
                other => other,
            };
            let claimed = Claimed::new(claim, cleared);
            return ProgramClaimed { claimed, compiled: Some(Err(error)), compile_time };
        }
        None if effort.cancel.is_cancelled() => Claimed::new(EngineClaim::Undecided(StopReason::Cancelled), cleared),
        None => Claimed::new(EngineClaim::Undecided(StopReason::RoundsUsedUp { rounds: effort.rounds }), cleared),
    };
    ProgramClaimed { claimed, compiled, compile_time }
}

/// Whether with more pairs of states there may be no such error.
fn may_be_more(error: &CompileError) -> bool {
    error.is_limit() && !matches!(error, CompileError::Stopped(_))
}

/// What is claimed about a program whose states are made, or cannot be, and how long that took.
fn on_compiled(
    prepared: &Arc<Prepared>,
    text: &str,
    searches: &mut Searches<'_>,
    mut cleared: u32,
    effort: &Effort<'_>,
    (compiled, compile_time): (Result<Arc<Compiled>, CompileError>, Duration),
) -> ProgramClaimed {
    let searching = effort.may(Method::Search);
    let claimed = match &compiled {
        Ok(compiled) => about_systems(&systems_of(compiled), cleared, effort),
        Err(CompileError::Stopped(_)) => Claimed::new(EngineClaim::Undecided(StopReason::Cancelled), cleared),
        Err(_) if let Some(pairs) = effort.pairs => {
            let cap = usize::try_from(pairs).unwrap_or(usize::MAX);
            let reason = StopReason::TooMany { stage: "compiling", what: "pairs of states", cap };
            Claimed::new(EngineClaim::Undecided(reason), cleared)
        }
        // A step that fails is an answer, and the first thing to mend.
        Err(error @ CompileError::Fault(report)) if !error.is_limit() && failure_of(&report.fault).is_some() => {
            Claimed::new(unusable(error, text), cleared)
        }
        Err(error) => {
            let mut more = || {
                search(searches, &mut cleared, u32::MAX, LAST_TICKS, effort)
                    .or_else(|| few_kinds(prepared, searches, &mut cleared, &[], Some(TOO_LARGE_TICKS), effort))
            };
            let found = searching.then(&mut more).flatten();
            match found {
                Some(found) => Claimed::new(found, cleared),
                None if error.is_limit() => return without_limit(prepared, text, error, cleared, effort),
                None => Claimed::new(unusable(error, text), cleared),
            }
        }
    };
    ProgramClaimed { claimed, compiled: Some(compiled), compile_time }
}

/// Pairs of states that are explored before counterexamples are looked for among programs that may have more.
pub(crate) const FIRST_PAIRS: u64 = 1 << 22;

/// By how much fewer are explored at first, each as many as a round of the exploration has.
const FEWER_PAIRS: &[u64] = &[64, 16, 4];

/// A program of which the first pairs of states are not all: the limits of the user end the work, and nothing else.
fn without_limit(prepared: &Arc<Prepared>, text: &str, first: &CompileError, cleared: u32, effort: &Effort<'_>) -> ProgramClaimed {
    let start = (effort.clock)();
    let compiled = prepared.compile_within(u64::MAX, &effort.budget(u64::MAX)).map(Arc::new);
    let compile_time = (effort.clock)().saturating_sub(start);
    let claimed = match &compiled {
        Ok(compiled) => about_systems(&systems_of(compiled), cleared, effort),
        Err(CompileError::Stopped(_)) => {
            let mut claim = unusable(first, text);
            if let EngineClaim::Unusable(diagnostic) = &mut claim {
                let tried = "tried until a limit of time or memory ended it (--timeout, --memory): all states by sets, by sets with what \
                             variables count, and exactly";
                diagnostic.notes.push(tried.to_owned());
                if matches!(first, CompileError::Fault(_)) {
                    diagnostic
                        .notes
                        .push("runs to this step were looked for as well: with few requests at a time, and long random ones".to_owned());
                }
                if cleared > 0 {
                    diagnostic.notes.push(format!("there is no counterexample with up to {}", counted(cleared, "request")));
                }
            }
            Claimed::new(claim, cleared)
        }
        Err(error) => Claimed::new(unusable(error, text), cleared),
    };
    ProgramClaimed { claimed, compiled: Some(compiled), compile_time }
}

/// What is wrong with a program, or that it is not known.
pub(crate) fn unusable(error: &CompileError, text: &str) -> EngineClaim {
    match error.diagnostic(text) {
        Some(diagnostic) => match failing(error) {
            None if is_asserted(error) => {
                let what = format!("{}; no run that shows it was found", diagnostic.message);
                EngineClaim::Undecided(StopReason::Inconclusive { stage: "compiling", what })
            }
            Some(report) => {
                let (report, method) = (Box::new(report.clone()), Method::Search.name());
                EngineClaim::Fails { report, diagnostic: Box::new(diagnostic), method }
            }
            None => EngineClaim::Unusable(Box::new(diagnostic)),
        },
        None => EngineClaim::Undecided(StopReason::Cancelled),
    }
}

/// The run after which a step fails, if it takes more than a single request without input: what that does whatever
/// happens is a mistake in the text, which a build tells from a race by its status. An assertion that does not hold is
/// a finding whatever it takes: it was written to be asked about. A step that is given up because it takes too long is
/// not known to fail.
fn failing(error: &CompileError) -> Option<&FaultReport> {
    let CompileError::Fault(report) = error else { return None };
    let more = report.named.as_ref().is_some_and(|named| named.needs != Needs::Nothing)
        || report.named.is_some() && matches!(report.fault.kind, FaultKind::Assertion { .. });
    (more && report.certain && failure_of(&report.fault).is_some()).then_some(&**report)
}

/// Whether what may fail is an assertion: then it is no error of the program that no run is known.
fn is_asserted(error: &CompileError) -> bool {
    matches!(error, CompileError::Fault(report) if matches!(report.fault.kind, FaultKind::Assertion { .. }))
}

/// The systems of the components.
pub(crate) fn systems_of(compiled: &Compiled) -> Vec<&NetworkSystem> {
    compiled.components().iter().map(|component| component.system()).collect()
}

/// Searches of the components on states made as they are needed.
struct Searches<'a> {
    components: Vec<Search<Lazy<'a>>>,
    /// Whether a search has panicked: what is left of it may be half a state, so there are no others.
    is_broken: bool,
    /// The same of any method.
    broken: &'a Cell<bool>,
}

impl Searches<'_> {
    /// Asks for a counterexample, unless a search has panicked.
    fn ask(&mut self, search: impl FnOnce(&mut Self) -> Option<EngineClaim>) -> Option<EngineClaim> {
        if self.is_broken {
            return None;
        }
        fenced(|| search(&mut *self)).unwrap_or_else(|| {
            self.is_broken = true;
            self.broken.set(true);
            None
        })
    }
}

/// Searches layer by layer, beyond those requests of which it is known that they have no counterexample.
fn search(searches: &mut Searches<'_>, cleared: &mut u32, up_to: u32, ticks: u64, effort: &Effort<'_>) -> Option<EngineClaim> {
    searches.ask(|searches| {
        let mut budget = effort.budget(ticks);
        for requests in cleared.saturating_add(1)..=up_to {
            (effort.progress)(Progress::Requests(requests));
            for (component, search) in searches.components.iter_mut().enumerate() {
                match search.layer(requests, &mut budget) {
                    LayerOutcome::Clear => {}
                    LayerOutcome::Found(run) => {
                        let run = run_certificate(search.system(), &run);
                        return Some(EngineClaim::Refuted { run, component, minimal: true, method: Method::Search.name() });
                    }
                    // A step that fails is met again when all states are made.
                    LayerOutcome::Stopped(_) | LayerOutcome::Fault(_) => return None,
                }
            }
            *cleared = requests;
        }
        None
    })
}

/// Searches sets of few kinds of requests, which may be done where the whole is
/// too large; with `ticks` ticks for each component, or those that a first search is worth.
/// The kinds of the `likely` bodies, of which one has no commit point, are looked at before all others.
fn few_kinds(
    prepared: &Prepared,
    searches: &mut Searches<'_>,
    cleared: &mut u32,
    likely: &[usize],
    ticks: Option<u64>,
    effort: &Effort<'_>,
) -> Option<EngineClaim> {
    searches.ask(|searches| {
        for component in 0..prepared.component_count() {
            let mut subsets = SubsetSearch::new(prepared.lazy(component));
            let mut budget = effort.budget(ticks.unwrap_or_else(|| subsets.first_ticks()));
            let kinds = kinds_of(prepared, subsets.system(), likely);
            let looked = if kinds.is_empty() { Ok(None) } else { subsets.look(&kinds, *cleared, &mut budget) };
            // Whatever ended the search without a run, others go on.
            let Ok(Some(run)) =
                looked.and_then(|found| found.map_or_else(|| subsets.search(*cleared, u32::MAX, &mut budget), |run| Ok(Some(run))))
            else {
                continue;
            };
            let size = u32::try_from(run.configuration().completed.size()).unwrap_or(u32::MAX);
            let run = run_certificate(subsets.system(), &run);
            // Only where all sets of requests are looked at it is known that fewer will not do.
            let fewer = search(searches, cleared, size.saturating_sub(1), LAST_TICKS, effort);
            let minimal = cleared.saturating_add(1) >= size;
            return fewer.or(Some(EngineClaim::Refuted { run, component, minimal, method: Method::Search.name() }));
        }
        None
    })
}

/// The kinds of requests that some bodies are in a component, if all of them are there.
fn kinds_of(prepared: &Prepared, system: &Lazy<'_>, bodies: &[usize]) -> Vec<usize> {
    let names: Vec<&str> = bodies.iter().filter_map(|&body| Some(prepared.program().requests.get(body)?.name.as_str())).collect();
    let mut kinds: Vec<usize> = Vec::new();
    for name in &names {
        let kind = system.starts().iter().map(|start| start.0).find(|&request| system.request_name(request) == *name);
        let Some(kind) = kind else { return Vec::new() };
        kinds.push(kind.index());
    }
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// The proofs of a certificate, one for each component; none where it is about
/// the program as a whole.
pub(crate) fn parts_of(body: &Body) -> &[Part] {
    match body {
        Body::Run(_) | Body::Fault(_) | Body::Reduction(_) | Body::Closure(_) => &[],
        Body::Part(part) => std::slice::from_ref(part),
        Body::Components(parts) => parts,
    }
}
