//! From an input to a verdict whose evidence has been checked.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serval_budget::{Budget, Cancel, StopReason};
use serval_classic_engine::Stages;
use serval_compile::{CompileError, Compiled, FaultReport, GrowthReport, Prepared};
use serval_engine::portfolio::{self, Method, Progress};
use serval_model::NetworkSystem;
use serval_proof::strict::shows_strict;
use serval_proof::{Body, Certificate, Reduction};
use serval_report::fix::FixHint;
use serval_report::{Counterexample, FaultNote, OpenAnswer, ProofNote, ReducedSizes, RuledOut, SampleNote, Sizes, StrictNote, StuckNote};
use serval_syntax::{Diagnostic, Program, Reading, read_for_proof};
use serval_verify::{Outcome, failure_of};

use crate::claim::{
    Claimed, Effort, EngineClaim, ProgramClaimed, about_many, about_program, about_some, about_systems, parts_of, systems_of, unusable,
};
use crate::commuting::{marks, sentences};
use crate::evidence::{About, CertifyTimes, Evidence, Refused, Undecided, Unproved, certify, verified};
use crate::findings::{SideFindings, invariants};
use crate::input::{Content, Input};
use crate::many::RequestSets;
use crate::strict::{self, Settled, Shown};
use crate::told::told;
use crate::{Methods, Options, counterexample, fault, hint};

/// Pairs of states that are explored only for what is said beside the verdict
/// of a counterexample, and of a proof on the text, which itself takes little
/// time; fewer where each of them is of many variables.
const ASIDE_PAIRS: u64 = 100_000;
const PROVED_PAIRS: u64 = 10_000;
/// As many as the first round of the exploration has, which show whether more are worth while.
const GLANCED_PAIRS: u64 = 1 << 12;
const ASIDE_VALUES: u64 = 2_000_000;
const PROVED_VALUES: u64 = 200_000;

/// The answer to whether an input is serializable. The first two rest on
/// evidence that the independent checker has accepted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// It is, for any number of requests.
    Serializable(Evidence),
    /// It is not, and this run shows it.
    NotSerializable(Evidence, Box<Counterexample>),
    /// It is strict, for any number of requests: serializable in an order that agrees with the one in time. Only if
    /// that was asked for.
    Strict(Evidence),
    /// It is serializable but not strict, and this run shows it. Only if that was asked for.
    NotStrict(Evidence, Box<Counterexample>),
    /// In this run a step fails: it divides by zero, overflows, or leaves a range or the indices of an array, or breaks
    /// an assertion.
    Fault(Evidence, Box<FaultNote>),
    /// No step fails, for any number of requests; it was not asked whether it is serializable
    /// ([`faults`](crate::faults())).
    Safe(Evidence),
    /// Undecided, and why.
    Undecided(Undecided),
    /// The program has an error that shows only when it is explored.
    Unusable(Box<Diagnostic>),
    /// The checker refuses our evidence: a bug in serval.
    Refused(Box<Refused>),
}

/// A verdict, and what is known beside it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Decision {
    /// The answer.
    pub verdict: Verdict,
    /// What is known about the order in time, for what is serializable.
    pub strict: Option<StrictNote>,
    /// What has been excluded, whatever the answer.
    pub ruled_out: RuledOut,
    /// Where nothing is decided: answers that could neither be realised by a run nor
    /// excluded.
    pub open: Vec<OpenAnswer>,
    /// How many sets of answers were met that are open; these are the smallest of them.
    pub open_sets: usize,
    /// How large the network systems are, if they were made.
    pub sizes: Option<Sizes>,
    /// Requests that can get stuck for ever.
    pub stuck: Vec<StuckNote>,
    /// Warnings and notes that need all states.
    pub findings: Vec<Diagnostic>,
    /// Beside a counterexample: a run after which a step fails, which the checker has accepted as well.
    pub also_fails: Option<Box<FaultNote>>,
    /// What holds at every moment, in words, if it was asked for and is serializable.
    pub invariants: Vec<String>,
    /// What the proof says about the answers of all runs, in words, for each
    /// component whose proof is about them.
    pub proof: Vec<ProofNote>,
    /// Whether removing `yield`s would help, if that was looked for.
    pub fix: Option<FixHint>,
    /// Why there is no proof on the text of the program, in words, where one was
    /// looked for in vain: often it names the lines of a mistake.
    pub no_commit: Option<String>,
    /// How the run was found, where it is one that was drawn.
    pub sampled: Option<SampleNote>,
    /// What the published method did, for each component that it looked at.
    pub stages: Vec<Stages>,
    /// Whether the certificate alone tells all of this again, without a search;
    /// only if it was asked for. Then [`recall`] does.
    pub reusable: bool,
    /// How long it took, by the clock of the options.
    pub times: Times,
}

/// How long the parts of a decision took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Times {
    /// Exploring the states of a program.
    pub compile: Duration,
    /// Deciding.
    pub decide: Duration,
    /// Writing the evidence down.
    pub certify: Duration,
    /// Checking the evidence.
    pub verify: Duration,
    /// Looking for fixes, if that was done.
    pub fix: Option<Duration>,
}

impl Decision {
    pub(crate) fn new(verdict: Verdict) -> Self {
        Self {
            verdict,
            strict: None,
            ruled_out: RuledOut { requests_up_to: 0, concurrent_up_to: None },
            open: Vec::new(),
            open_sets: 0,
            sizes: None,
            stuck: Vec::new(),
            findings: Vec::new(),
            also_fails: None,
            invariants: Vec::new(),
            proof: Vec::new(),
            fix: None,
            no_commit: None,
            sampled: None,
            stages: Vec::new(),
            reusable: false,
            times: Times::default(),
        }
    }

    /// Nothing was looked for.
    #[cfg(feature = "sql")]
    pub(crate) fn none() -> Self {
        Self::new(Verdict::Undecided(Undecided::Stopped(StopReason::Cancelled)))
    }

    /// The evidence, if there is a verdict.
    pub fn evidence(&self) -> Option<&Evidence> {
        match &self.verdict {
            Verdict::Serializable(evidence) | Verdict::NotSerializable(evidence, _) | Verdict::Fault(evidence, _) => Some(evidence),
            Verdict::Strict(evidence) | Verdict::NotStrict(evidence, _) => Some(evidence),
            Verdict::Safe(evidence) => Some(evidence),
            _ => None,
        }
    }
}

/// Decides whether an input is serializable, as far as the options go, and has
/// the evidence checked.
///
/// ```
/// use serval::{Input, Options, Verdict, decide};
/// let input = Input::program("request flip { X := 1 - X }").unwrap();
/// assert!(matches!(decide(&input, &Options::default()).verdict, Verdict::Serializable(_)));
/// ```
pub fn decide(input: &Input, options: &Options) -> Decision {
    if !options.strict && matches!(input.promise(), Some(serval_report::Verdict::Strict | serval_report::Verdict::NotStrict)) {
        // A header that promises something about the order in time asks for it.
        return decide(input, &Options { strict: true, ..options.clone() });
    }
    match input.content() {
        Content::Program(program) if let Some(many) = &program.many => {
            decide_many(input, &RequestSets::new(input, program, many, options), options)
        }
        _ => decide_this(input, options),
    }
}

/// A program with more combinations of parameters than are written out: a run of some of its requests, or a proof about
/// those that stand for all.
fn decide_many(input: &Input, sets: &RequestSets<'_>, options: &Options) -> Decision {
    let conclude = |some: &Input| Some(decide_this(some, options)).filter(|decision| !matches!(decision.verdict, Verdict::Undecided(_)));
    if let Some(refuted) = sets.first(conclude) {
        return refuted;
    }
    let decision = decide_this(input, options);
    match decision.verdict {
        Verdict::Undecided(Undecided::Stopped(_)) => sets.later(conclude).unwrap_or(decision),
        _ => decision,
    }
}

/// The same of what is there: of a program whose requests stand for others whether there is a proof about all, of one
/// with some of the requests of a text whether these have a counterexample.
fn decide_this(input: &Input, options: &Options) -> Decision {
    let clock = options.clock;
    let start = clock();
    // The number of requests that a search has come to: with fewer there is no counterexample, whatever ends the work.
    let begun = AtomicU32::new(0);
    let cancelled = || {
        let cleared = begun.load(Ordering::Relaxed).saturating_sub(1);
        let claimed = Claimed::new(EngineClaim::Undecided(StopReason::Cancelled), cleared);
        ClaimWithNotes { claimed, beside: SideFindings::default(), about: AboutProof::default(), compile_time: Duration::ZERO }
    };
    let budget = Budget::new(u64::MAX, options.cancel.clone());
    let explored = budget.during(|| explore(input, options, &begun)).unwrap_or_else(|_| cancelled());
    let mut times = Times { compile: explored.compile_time, ..Times::default() };
    times.decide = clock().saturating_sub(start).saturating_sub(times.compile);
    let ClaimWithNotes { claimed, beside, about, .. } = explored;
    let Claimed { claim, ruled_out, reduced, stages, open, open_sets, no_commit, sampled } = claimed;
    let AboutProof { invariants, proof, reusable } = about;
    let SideFindings { sizes, stuck, mut findings, fault } = beside;
    let sizes = sizes.map(|sizes| Sizes { reduced, ..sizes });
    let on_text = matches!(claim, EngineClaim::Proved { body: Body::Reduction(_), .. });
    let shown = match &claim {
        EngineClaim::Proved { body, .. } => Some(Shown::by(body, options.strict)),
        _ => None,
    };
    let verdict = conclude(input, claim, options, &mut times);
    if let (true, Some(others)) = (on_text && matches!(verdict, Verdict::Undecided(_)), without_text(options)) {
        // Other methods may have a proof that can be checked. One that is refused is a bug, and is reported as one.
        let no_commit = Some("a proof was found that is too large to be checked".to_owned());
        return Decision { no_commit, ..decide_this(input, &others) };
    }
    let (verdict, strict) = in_time(input, verdict, shown, options, &mut times);
    let also_fails = match (&verdict, fault) {
        (Verdict::NotSerializable(..), Some(fault)) => also_fails(input, &fault, options, &mut findings),
        _ => None,
    };
    let mut fix = None;
    if let (Verdict::NotSerializable(evidence, _), true) = (&verdict, options.fixes && input.some.is_none()) {
        let start = clock();
        fix = hint::fix_hint(input, &evidence.certificate, options);
        times.fix = matches!(input.content(), Content::Program(_)).then(|| clock().saturating_sub(start));
    }
    // How a run was drawn is nothing to tell where it could not be checked in time.
    let sampled = sampled.filter(|_| matches!(verdict, Verdict::NotSerializable(..)));
    let sampled = sampled.map(|how| SampleNote { schedule: how.schedule.name(), runs: how.runs, requests: how.requests });
    let told = Decision { strict, ruled_out, open, open_sets, sizes, stuck, findings, also_fails, invariants, ..Decision::new(verdict) };
    Decision { proof, fix, no_commit, sampled, stages, reusable, times, ..told }
}

/// The same without proofs on the text, if there are other methods and none
/// of the flags is raised.
fn without_text(options: &Options) -> Option<Options> {
    let Methods::Portfolio(methods) = &options.methods else { return None };
    let others: Vec<Method> = methods.iter().copied().filter(|&method| method != Method::Lipton).collect();
    let left = !others.is_empty() && !options.cancel.is_cancelled();
    left.then(|| Options { methods: Methods::Portfolio(others), ..options.clone() })
}

/// What the engines claim, and what is reported beside it.
struct ClaimWithNotes {
    claimed: Claimed,
    beside: SideFindings,
    about: AboutProof,
    compile_time: Duration,
}

/// What is reported of a proof.
#[derive(Default)]
struct AboutProof {
    invariants: Vec<String>,
    proof: Vec<ProofNote>,
    reusable: bool,
}

fn explore(input: &Input, options: &Options, begun: &AtomicU32) -> ClaimWithNotes {
    let cancel = &options.cancel;
    let progress = |progress: Progress| {
        if let Progress::Requests(requests) = progress {
            begun.store(requests, Ordering::Relaxed);
        }
        if let Some(watch) = &options.progress {
            watch(progress);
        }
    };
    let effort = Effort::of(options, &progress);
    match input.content() {
        Content::Systems(systems) => {
            let systems: Vec<&NetworkSystem> = systems.iter().collect();
            let claimed = about_systems(&systems, 0, &effort);
            let about = about_proof(input, &systems, &claimed, options);
            let beside = SideFindings::of_systems(&systems, input, cancel);
            ClaimWithNotes { claimed, beside, about, compile_time: Duration::ZERO }
        }
        Content::Program(program) => {
            let prepared = input.prepare(program);
            if program.many.is_some() || input.some.is_some() {
                let claimed = match input.some {
                    Some(ticks) => about_some(prepared, input.text(), ticks, &effort),
                    None => about_many(prepared, input.text(), &effort),
                };
                let about = about_proof(input, &[], &claimed, options);
                return ClaimWithNotes { claimed, beside: SideFindings::default(), about, compile_time: Duration::ZERO };
            }
            let ProgramClaimed { mut claimed, compiled, mut compile_time } = about_program(prepared, input.text(), &effort);
            // A counterexample is an answer whatever the rest of the states, and
            // so is a proof on the text; they are explored then only as far as is cheap.
            let compiled = compiled.unwrap_or_else(|| {
                let start = (options.clock)();
                let compiled = aside(program, prepared, matches!(claimed.claim, EngineClaim::Proved { .. }), cancel);
                compile_time = (options.clock)().saturating_sub(start);
                compiled
            });
            if let Ok(compiled) = &compiled {
                input.keep(compiled);
            }
            distrust(&mut claimed, &compiled, input.text());
            let systems = compiled.as_ref().map(|compiled| systems_of(compiled)).unwrap_or_default();
            let about = about_proof(input, &systems, &claimed, options);
            let refuted = matches!(claimed.claim, EngineClaim::Refuted { .. });
            let beside = SideFindings::of_program(&compiled, refuted, input, cancel);
            ClaimWithNotes { claimed, beside, about, compile_time }
        }
    }
}

/// What holds at every moment, what the proof says, and whether it alone tells
/// what was found out about it; as far as it was asked for, and if it is proved.
fn about_proof(input: &Input, systems: &[&NetworkSystem], claimed: &Claimed, options: &Options) -> AboutProof {
    let EngineClaim::Proved { body, method } = &claimed.claim else { return AboutProof::default() };
    let invariants = if options.invariants { words_of(systems, body, &options.cancel) } else { Vec::new() };
    let reusable = match &options.methods {
        Methods::Portfolio(methods) if options.reusable => {
            let told = method_of(body).map(Method::name) == Some(*method);
            told && reduced_by(systems, body, methods, &options.cancel) == claimed.reduced
        }
        _ => false,
    };
    AboutProof { invariants, proof: notes_of(input, systems, body, options), reusable }
}

/// The states that are reported beside a verdict that does not need them.
fn aside(program: &Program, prepared: &Arc<Prepared>, proved: bool, cancel: &Cancel) -> Result<Arc<Compiled>, CompileError> {
    let variables = u64::try_from(program.globals.len()).unwrap_or(u64::MAX);
    let (pairs, values) = if proved { (PROVED_PAIRS, PROVED_VALUES) } else { (ASIDE_PAIRS, ASIDE_VALUES) };
    let pairs = pairs.min(values / variables.max(1));
    let within = |pairs| prepared.compile_within(pairs, &Budget::new(u64::MAX, cancel.clone())).map(Arc::new);
    if pairs > GLANCED_PAIRS && program.globals.iter().any(|global| is_wide(global.range, pairs)) {
        // Where a number grows that may become larger than all that would be looked at, more would say as little.
        match within(GLANCED_PAIRS) {
            Err(CompileError::TooLarge(report)) if !may_end(program, &report, pairs) => return Err(CompileError::TooLarge(report)),
            Err(CompileError::TooLarge(_)) => {}
            ended => return ended,
        }
    }
    within(pairs)
}

/// Whether the variable that has most values may have had all of them after so many pairs of states.
fn may_end(program: &Program, report: &GrowthReport, pairs: u64) -> bool {
    let Some((name, _)) = &report.variable else { return true };
    let global = program.globals.iter().find(|global| global.name == *name);
    // What is kept in a register was read from a global.
    global.is_some_and(|global| !is_wide(global.range, pairs))
}

/// Whether a variable may have more values than this.
fn is_wide(range: Option<(i64, i64)>, values: u64) -> bool {
    range.is_none_or(|(low, high)| high.abs_diff(low) >= values)
}

/// A proof on the text says that there are no errors. If a run with one is met
/// all the same, the run is right.
fn distrust(claimed: &mut Claimed, compiled: &Result<Arc<Compiled>, CompileError>, text: &str) {
    if let (EngineClaim::Proved { body: Body::Reduction(_), .. }, Err(error @ CompileError::Fault(fault))) = (&claimed.claim, compiled)
        && fault.certain
    {
        claimed.claim = unusable(error, text);
    }
}

/// The method that a proof comes from.
fn method_of(body: &Body) -> Option<Method> {
    match body {
        Body::Reduction(_) => Some(Method::Lipton),
        body => portfolio::method_of(parts_of(body)),
    }
}

/// What holds at every moment, by states. A proof on the text does not speak of
/// them, and says itself what holds.
fn words_of(systems: &[&NetworkSystem], body: &Body, cancel: &Cancel) -> Vec<String> {
    match body {
        Body::Reduction(_) => Vec::new(),
        _ => invariants(systems, cancel),
    }
}

/// What a proof says, in words; where these are not wanted, what must stand
/// beside the verdict in any case.
fn notes_of(input: &Input, systems: &[&NetworkSystem], body: &Body, options: &Options) -> Vec<ProofNote> {
    let Body::Reduction(reduction) = body else {
        return if options.proof { told(systems, parts_of(body), &options.cancel) } else { Vec::new() };
    };
    let unbounded = is_unbounded(input, reduction);
    let prepared = match input.prepared() {
        Some(prepared) if options.proof => prepared,
        _ => {
            let (facts, marks) = Default::default();
            return vec![ProofNote { kind: "reduction", component: 0, facts, unbounded, marks }];
        }
    };
    let read = as_read(input, reduction);
    let read = read.map(|program| Arc::new(Prepared::new(&program, serval_compile::Options::default())));
    let prepared = read.as_ref().unwrap_or(prepared);
    let words = serval_lipton_proof::words::<Infallible>(prepared, reduction, &mut Budget::new(u64::MAX, options.cancel.clone()));
    let words = words.unwrap_or_default();
    let (facts, marks) = (sentences(prepared.program(), input.text(), &words), marks(input.text(), &words));
    vec![ProofNote { kind: "reduction", component: 0, facts, unbounded, marks }]
}

/// The program that a proof on the text is about, if that is another one.
fn as_read(input: &Input, reduction: &Reduction) -> Option<Program> {
    let reading = Reading { integers: reduction.integers, choices: reduction.choices };
    (reading != Reading::default()).then(|| read_for_proof(input.text(), reading)).flatten()
}

/// Whether a proof takes integers of the program to be unbounded. Those that stand for versions are by themselves.
fn is_unbounded(input: &Input, reduction: &Reduction) -> bool {
    let Some(program) = as_read(input, reduction).filter(|_| reduction.integers) else { return reduction.unbounded() };
    let versions = input.prepared().map_or(&[][..], |prepared| &prepared.program().versions);
    let name = |&global: &u32| program.globals.get(global as usize).map(|global| global.name.as_str());
    reduction.slow.iter().any(|global| !versions.iter().any(|version| name(global) == Some(version.name.as_str())))
}

/// What the reductions of a proof leave, if there may be any.
fn reduced_by(systems: &[&NetworkSystem], body: &Body, methods: &[Method], cancel: &Cancel) -> Option<ReducedSizes> {
    if matches!(body, Body::Reduction(_)) {
        return None;
    }
    let (globals, locals, steps) = portfolio::reduced_by(systems, parts_of(body), cancel).filter(|_| methods.contains(&Method::Reduce))?;
    Some(ReducedSizes { globals, locals, steps })
}

/// From a claim to a verdict: its evidence is written down and checked. A
/// counterexample is put in words.
fn conclude(input: &Input, claim: EngineClaim, options: &Options, times: &mut Times) -> Verdict {
    let (body, component, method, refuted) = match claim {
        EngineClaim::Undecided(reason) => return Verdict::Undecided(Undecided::Stopped(reason)),
        EngineClaim::Unusable(diagnostic) => return Verdict::Unusable(diagnostic),
        EngineClaim::Fails { report, diagnostic, method } => return fails(input, &report, (diagnostic, method), options, times),
        EngineClaim::Refuted { run, component, minimal, method } => (Body::Run(run.clone()), component, method, Some((run, minimal))),
        EngineClaim::Proved { body, method } => (body, 0, method, None),
    };
    let serializable = refuted.is_none();
    let kind = body.kind().name();
    let claims = match serializable {
        true if options.strict && shows_strict(&body) => serval_proof::Claim::Strict,
        true => serval_proof::Claim::Serializable,
        false => serval_proof::Claim::NotSerializable,
    };
    let (checked, CertifyTimes { certify, verify }) = certify(input.about(), (body, component, claims), &options.cancel, options.clock);
    (times.certify, times.verify) = (certify, verify);
    let certificate = match checked {
        Ok(certificate) => certificate,
        Err(Unproved::TooLarge(what)) => return Verdict::Undecided(Undecided::Uncertified { method, serializable, what }),
        Err(Unproved::Cancelled) => return Verdict::Undecided(Undecided::Stopped(StopReason::Cancelled)),
        Err(Unproved::Refused(refused)) => return Verdict::Refused(Box::new(refused)),
    };
    let evidence = Evidence { certificate, kind, method };
    let Some((run, minimal)) = refuted else {
        return if claims == serval_proof::Claim::Strict { Verdict::Strict(evidence) } else { Verdict::Serializable(evidence) };
    };
    let shown = counterexample::counterexample(input, &run, component, minimal);
    Verdict::NotSerializable(evidence, Box::new(shown))
}

/// What is known about the order in time, and where it is asked for the verdict about it.
fn in_time(input: &Input, verdict: Verdict, shown: Option<Shown>, options: &Options, times: &mut Times) -> (Verdict, Option<StrictNote>) {
    let Some(shown) = shown else { return (verdict, None) };
    match verdict {
        Verdict::Serializable(evidence) if options.strict => {
            let start = (options.clock)();
            let (settled, note, CertifyTimes { certify, verify }) = strict::decided(input, shown, evidence, options);
            let verdict = match settled {
                Settled::Strict(evidence) => Verdict::Strict(evidence),
                Settled::NotStrict(evidence, run) => Verdict::NotStrict(evidence, run),
                Settled::Undecided(why) => Verdict::Undecided(why),
                Settled::Refused(refused) => Verdict::Refused(refused),
            };
            times.decide += (options.clock)().saturating_sub(start).saturating_sub(certify + verify);
            (times.certify, times.verify) = (times.certify + certify, times.verify + verify);
            (verdict, Some(note))
        }
        verdict @ (Verdict::Serializable(_) | Verdict::Strict(_)) => {
            let note = shown.note(input, options);
            (verdict, Some(note))
        }
        verdict => (verdict, None),
    }
}

/// A program with a run after which a step fails: the checker replays the run, and it is put in words.
pub(crate) fn fails(
    input: &Input,
    report: &FaultReport,
    (diagnostic, method): (Box<Diagnostic>, &'static str),
    options: &Options,
    times: &mut Times,
) -> Verdict {
    let (Some(run), Some(kind)) = (&report.named, failure_of(&report.fault)) else { return Verdict::Unusable(diagnostic) };
    let certificate = fault::certificate(run, kind);
    let note = fault::note(input, run, &certificate.steps, &diagnostic);
    let body = Body::Fault(Box::new(certificate));
    let about = About { compiled: None, ..input.about() };
    let claim = (body, run.component, serval_proof::Claim::Fault);
    let (checked, CertifyTimes { certify, verify }) = certify(about, claim, &options.cancel, options.clock);
    (times.certify, times.verify) = (certify, verify);
    match checked {
        Ok(certificate) => {
            let evidence = Evidence { certificate, kind: "fault", method };
            Verdict::Fault(evidence, Box::new(note))
        }
        // Without evidence that was checked the program is in error all the same.
        Err(Unproved::TooLarge(_)) => Verdict::Unusable(diagnostic),
        Err(Unproved::Cancelled) => Verdict::Undecided(Undecided::Stopped(StopReason::Cancelled)),
        Err(Unproved::Refused(refused)) => Verdict::Refused(Box::new(refused)),
    }
}

/// What fails in a program that has a counterexample as well: its run, if the checker accepts it, and else a finding.
fn also_fails(input: &Input, fault: &FaultReport, options: &Options, findings: &mut Vec<Diagnostic>) -> Option<Box<FaultNote>> {
    let diagnostic = Box::new(CompileError::Fault(Box::new(fault.clone())).diagnostic(input.text())?);
    match fails(input, fault, (diagnostic.clone(), Method::Search.name()), options, &mut Times::default()) {
        Verdict::Fault(_, note) => Some(note),
        _ => {
            findings.push(*diagnostic);
            None
        }
    }
}

/// What was decided before, from the certificate of a proof alone: the checker
/// goes through it again, and all that goes with it is found out again from the
/// input and the proof. `None` where the checker does not accept it for this
/// input, and where these methods would not have found such a proof.
pub fn recall(input: &Input, certificate: &str, options: &Options) -> Option<Decision> {
    let Methods::Portfolio(methods) = &options.methods else { return None };
    let (clock, cancel) = (options.clock, &options.cancel);
    let start = clock();
    let read = Certificate::from_json(certificate).ok().filter(|read| read.to_json() == certificate)?;
    // The checker needs all states, as the findings beside the verdict do,
    // unless the proof is one on the text.
    let compiled = match (&read.body, input.content()) {
        (Body::Reduction(_), Content::Program(program)) => Some(aside(program, input.prepare(program), true, cancel)),
        _ => input.compiled_within(u64::MAX, &Budget::new(u64::MAX, cancel.clone())),
    };
    let compile = clock().saturating_sub(start);
    let start = clock();
    let Outcome::Valid(_) = verified(input.about(), certificate, cancel) else { return None };
    let verify = clock().saturating_sub(start);
    if read.claim != serval_proof::Claim::Serializable {
        return None;
    }
    let body = read.body;
    let shown = Shown::by(&body, false);
    let method = method_of(&body).filter(|method| methods.contains(method))?;
    let start = clock();
    let (systems, beside): (Vec<&NetworkSystem>, SideFindings) = match (input.content(), &compiled) {
        (Content::Systems(systems), _) => {
            let systems: Vec<&NetworkSystem> = systems.iter().collect();
            let beside = SideFindings::of_systems(&systems, input, cancel);
            (systems, beside)
        }
        (Content::Program(_), Some(compiled @ Ok(whole))) => (systems_of(whole), SideFindings::of_program(compiled, false, input, cancel)),
        (Content::Program(_), Some(Err(error))) if method == Method::Lipton && !matches!(error, CompileError::Fault(_)) => {
            (Vec::new(), SideFindings::default())
        }
        (Content::Program(_), _) => return None,
    };
    let SideFindings { sizes, stuck, findings, .. } = beside;
    let reduced = reduced_by(&systems, &body, methods, cancel);
    let sizes = sizes.map(|sizes| Sizes { reduced, ..sizes });
    let invariants = if options.invariants { words_of(&systems, &body, cancel) } else { Vec::new() };
    let proof = notes_of(input, &systems, &body, options);
    let decide = clock().saturating_sub(start);
    let times = Times { compile, decide, verify, ..Times::default() };
    let evidence = Evidence { certificate: certificate.to_owned(), kind: body.kind().name(), method: method.name() };
    let strict = Some(shown.note(input, options));
    Some(Decision { strict, sizes, stuck, findings, invariants, proof, times, ..Decision::new(Verdict::Serializable(evidence)) })
}
