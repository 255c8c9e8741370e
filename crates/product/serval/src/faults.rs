//! Whether a step can fail, and nothing else: for people who want a model checker of assertions and invariants.
//!
//! A proof on the text is looked for first, which needs no states and says that no run has an error. Then the states
//! are explored; where they are all known and none fails, the evidence is what was explored. Where there are too many,
//! random runs are drawn, and a proof on the text is looked for with more effort. Nothing is said about answers.

use std::sync::Arc;

use serval_budget::{Budget, StopReason};
use serval_compile::{CompileError, Compiled, Prepared};
use serval_engine::portfolio::Method;
use serval_model::NetworkSystem;
use serval_proof::{Body, Claim, ClosedPart};
use serval_report::RuledOut;

use crate::Options;
use crate::claim::{DRAWN_TICKS, Effort, EngineClaim, FIRST_PAIRS, FIRST_TEXT_TICKS, TEXT_TICKS, proved_on_text, unusable};
use crate::decide::{Decision, Times, Verdict, fails};
use crate::evidence::{About, Evidence, Undecided, Unproved, certify};
use crate::input::{Content, Input};
use crate::sampling::{LazyFind, LazySamplers};

/// Pairs of states of network systems that are written into a certificate at most.
const MOST_LISTED: usize = 1 << 24;

/// What is found out, before it is checked.
enum Found {
    Safe(Body, &'static str),
    Claim(EngineClaim),
}

/// Decides whether a step of a program can fail, as far as the options go, and has the evidence checked.
///
/// ```
/// use serval::{Input, Options, Verdict, faults};
/// let input = Input::program("request r { X := 1 - X; assert (X <= 1); X }").unwrap();
/// assert!(matches!(faults(&input, &Options::default()).verdict, Verdict::Safe(_)));
/// ```
pub fn faults(input: &Input, options: &Options) -> Decision {
    let clock = options.clock;
    let start = clock();
    let budget = Budget::new(u64::MAX, options.cancel.clone());
    let cancelled = || Found::Claim(EngineClaim::Undecided(StopReason::Cancelled));
    let found = budget.during(|| look(input, options)).unwrap_or_else(|_| cancelled());
    let mut times = Times { decide: clock().saturating_sub(start), ..Times::default() };
    let verdict = match found {
        Found::Safe(body, method) => safe(input, body, method, options, &mut times),
        Found::Claim(EngineClaim::Fails { report, diagnostic, method }) => fails(input, &report, (diagnostic, method), options, &mut times),
        Found::Claim(EngineClaim::Undecided(reason)) => Verdict::Undecided(Undecided::Stopped(reason)),
        Found::Claim(EngineClaim::Unusable(diagnostic)) => Verdict::Unusable(diagnostic),
        Found::Claim(EngineClaim::Refuted { .. } | EngineClaim::Proved { .. }) => {
            let what = "a claim about answers, which were not asked about".to_owned();
            Verdict::Undecided(Undecided::Stopped(StopReason::Inconclusive { stage: "faults", what }))
        }
    };
    Decision { times, ruled_out: RuledOut { requests_up_to: 0, concurrent_up_to: None }, ..Decision::new(verdict) }
}

fn safe(input: &Input, body: Body, method: &'static str, options: &Options, times: &mut Times) -> Verdict {
    let kind = body.kind().name();
    let about = About { compiled: None, ..input.about() };
    let (checked, taken) = certify(about, (body, 0, Claim::Safe), &options.cancel, options.clock);
    (times.certify, times.verify) = (taken.certify, taken.verify);
    match checked {
        Ok(certificate) => Verdict::Safe(Evidence { certificate, kind, method }),
        Err(Unproved::TooLarge(what)) => {
            let what = format!("no step fails, but checking that is too large: {what}");
            Verdict::Undecided(Undecided::Stopped(StopReason::Inconclusive { stage: method, what }))
        }
        Err(Unproved::Cancelled) => Verdict::Undecided(Undecided::Stopped(StopReason::Cancelled)),
        Err(Unproved::Refused(refused)) => Verdict::Refused(Box::new(refused)),
    }
}

fn look(input: &Input, options: &Options) -> Found {
    match input.content() {
        Content::Systems(systems) => match systems.iter().map(all_states).collect::<Option<Vec<_>>>() {
            Some(parts) => Found::Safe(Body::Closure(parts), "compile"),
            None => {
                let reason = StopReason::TooMany { stage: "faults", what: "pairs of states", cap: MOST_LISTED };
                Found::Claim(EngineClaim::Undecided(reason))
            }
        },
        Content::Program(program) => in_program(input.prepare(program), input.text(), options),
    }
}

fn in_program(prepared: &Arc<Prepared>, text: &str, options: &Options) -> Found {
    let progress = |_| {};
    let effort = Effort::of(options, &progress);
    let on_text = |ticks: u64| {
        let found = effort.may(Method::Lipton).then(|| proved_on_text(prepared, text, ticks, &effort)).flatten();
        // One that takes integers to be unbounded says nothing about overflows.
        let found = found.filter(|body| !matches!(body, Body::Reduction(reduction) if reduction.unbounded()));
        found.map(|body| Found::Safe(body, Method::Lipton.name()))
    };
    if let Some(found) = on_text(FIRST_TEXT_TICKS) {
        return found;
    }
    let explored = |pairs: u64| prepared.compile_within(pairs, &effort.budget(u64::MAX));
    let first = match explored(effort.pairs.unwrap_or(FIRST_PAIRS)) {
        Ok(compiled) => return listed(&compiled),
        Err(CompileError::Stopped(_)) => return Found::Claim(EngineClaim::Undecided(StopReason::Cancelled)),
        Err(error) => error,
    };
    if !first.is_limit() && matches!(first, CompileError::Fault(_)) {
        return Found::Claim(unusable(&first, text));
    }
    if effort.may(Method::Sample)
        && let Some(LazyFind::Fault(error)) = LazySamplers::new(prepared, options.seed).look(DRAWN_TICKS / 16, &options.cancel)
    {
        return Found::Claim(unusable(&error, text));
    }
    if let Some(found) = on_text(TEXT_TICKS) {
        return found;
    }
    Found::Claim(match unusable(&first, text) {
        // What is not known to fail is no mistake in the program.
        EngineClaim::Unusable(diagnostic) => {
            EngineClaim::Undecided(StopReason::Inconclusive { stage: "faults", what: diagnostic.message.clone() })
        }
        claim => claim,
    })
}

/// What was explored, as evidence.
fn listed(compiled: &Compiled) -> Found {
    let parts = compiled.components().iter().map(|component| {
        let states = component.closed_states()?;
        let (globals, locals, at) = (states.globals, states.locals, states.at);
        Some(ClosedPart { globals, locals, at, levels: states.levels, weights: states.weights, markings: states.markings })
    });
    match parts.collect::<Option<Vec<_>>>() {
        Some(parts) => Found::Safe(Body::Closure(parts), "compile"),
        None => Found::Claim(EngineClaim::Undecided(StopReason::NumberTooLarge { stage: "faults" })),
    }
}

/// All pairs of states of a system: written out, it has no step that fails.
fn all_states(system: &NetworkSystem) -> Option<ClosedPart> {
    let locals = u32::try_from(system.local_count()).ok()?;
    if system.local_count().saturating_mul(system.global_count()) > MOST_LISTED {
        return None;
    }
    Some(ClosedPart {
        globals: system.globals().map(|id| system.global_name(id).to_owned()).collect(),
        locals: system.locals().map(|id| system.local_name(id).to_owned()).collect(),
        at: vec![(0..locals).collect(); system.global_count()],
        levels: vec![Vec::new(); system.global_count()],
        weights: vec![Vec::new(); system.local_count()],
        markings: Vec::new(),
    })
}
