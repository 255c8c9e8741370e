//! From an input to what is known about it.
//!
//! A program is searched for small counterexamples before its states are all
//! made, so that one with infinitely many states can be refuted, too. What is
//! done with finite systems is the engine's business ([`portfolio`]).

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serval_budget::{Budget, Cancel};
use serval_compile::{CompileError, Compiled, Options, Prepared};
use serval_engine::portfolio::{self, FIRST_LAYERS, FIRST_TICKS, Found, LAST_TICKS, Method, Plan, Trying};
use serval_engine::search::{LayerOutcome, Search, run_certificate};
use serval_engine::stuck::find_stuck;
use serval_invariant::in_words;

use serval_model::{LocalId, NetworkSystem};
use serval_proof::{Body, Part, RunCertificate};
use serval_report::escape;
use serval_report::{ReducedSizes, RuledOut, Sizes, StuckNote};
use serval_syntax::{Diagnostic, LineIndex, Program};

use super::{Methods, present};
use crate::input::{Content, Input};
use crate::limits::{self, visibly};
use crate::output::say;

/// States that are explored only for what is said beside the verdict.
const ASIDE_PAIRS: u64 = 100_000;
/// Ticks for finding stuck requests.
const STUCK_TICKS: u64 = 50_000;
/// Ticks for saying in words what holds.
const WORD_TICKS: u64 = 20_000_000;

/// What was found out.
pub(super) struct Decision {
    pub(super) decided: Decided,
    /// What has been excluded.
    pub(super) ruled_out: RuledOut,
    pub(super) sizes: Option<Sizes>,
    pub(super) stuck: Vec<StuckNote>,
    /// Warnings and notes that need all states.
    pub(super) findings: Vec<Diagnostic>,
    /// What holds at every moment, if it was asked for and is serializable.
    pub(super) words: Vec<String>,
    /// Whether the evidence alone tells all of this again, without a search.
    pub(super) lasting: bool,
    /// What the published method did, for each component.
    pub(super) stages: Vec<serval_classic::Stages>,
    pub(super) compile_time: Duration,
    pub(super) decide_time: Duration,
}

impl Decision {
    /// Nothing but what was decided.
    pub(super) fn new(decided: Decided) -> Self {
        let ruled_out = RuledOut { requests_up_to: 0, concurrent_up_to: None };
        let (sizes, stuck, stages, words) = (None, Vec::new(), Vec::new(), Vec::new());
        let (findings, lasting) = (Vec::new(), false);
        let (compile_time, decide_time) = (Duration::ZERO, Duration::ZERO);
        Self { decided, ruled_out, sizes, stuck, findings, words, lasting, stages, compile_time, decide_time }
    }
}

pub(super) enum Decided {
    /// A run that should be a counterexample.
    Refuted { run: RunCertificate, component: usize, minimal: bool, method: &'static str },
    /// Proofs that should show that it is serializable.
    Proved { body: Body, method: &'static str },
    /// Nobody knows; `None` when a limit from outside ended the work.
    Unknown { reason: Option<String> },
    /// The program has an error that shows only when it is explored.
    Unusable { diagnostic: Diagnostic },
}

/// Tells how far the work is.
pub(super) struct Progress {
    pub(super) file: String,
    /// Objects on standard output.
    pub(super) events: bool,
    /// One line on a terminal.
    pub(super) line: bool,
}

impl Progress {
    fn trying(&self, trying: Trying) {
        let (event, detail, words) = match trying {
            Trying::Requests(requests) => {
                ("searching", format!(", \"requests\": {requests}"), format!("searching runs of {requests} requests"))
            }
            Trying::Reductions => ("reducing", String::new(), "reducing".to_owned()),
            Trying::Counting => ("counting", String::new(), "looking for a proof".to_owned()),
        };
        if self.events {
            // Text always has a form in JSON.
            let file = escape::json(serde_json::to_string(&self.file).unwrap_or_default());
            let _ = visibly(|| writeln!(std::io::stdout(), "{{\"event\": \"{event}\", \"file\": {file}{detail}}}"));
        }
        if self.line {
            say(&format!("\r\x1b[K{}: {words}", escape::name(&self.file)));
        }
    }

    fn done(&self) {
        if self.line {
            say("\r\x1b[K");
        }
    }
}

/// Decides as far as the methods go.
pub(super) fn decide(
    input: &Input,
    methods: &Methods,
    jobs: Option<usize>,
    cancel: &Cancel,
    progress: &Progress,
    wanted: Wanted,
) -> Decision {
    let jobs = limits::threads(jobs);
    let watch = |trying| progress.trying(trying);
    let (methods, classic) = match methods {
        Methods::Portfolio(own) => (own.clone(), None),
        Methods::Classic(options) => (Vec::new(), Some(serval_classic::Options { jobs, ..options.clone() })),
    };
    let way = Way { plan: Plan { methods, jobs, cancel: cancel.clone(), watch: &watch }, classic, wanted };
    let start = Instant::now();
    let mut decision = match &input.content {
        Content::Systems(systems) => {
            let systems: Vec<&NetworkSystem> = systems.iter().collect();
            let decision = decide_systems(&systems, 0, &way);
            let stuck = stuck_in(input, &systems, cancel, |_, _| None);
            let reduced = decision.sizes.and_then(|sizes| sizes.reduced);
            Decision { sizes: Some(Sizes { reduced, ..sizes(&systems) }), stuck, ..decision }
        }
        Content::Program(program) => decide_program(program, input, &way),
    };
    progress.done();
    decision.decide_time = start.elapsed().saturating_sub(decision.compile_time);
    decision
}

/// What was proved before by a proof that the checker has just accepted: all
/// that goes with it is found out again, from the input and the proof. `None`
/// where these methods would not have found such a proof.
pub(super) fn recalled(input: &Input, body: Body, methods: &[Method], cancel: &Cancel, verbose: bool) -> Option<Decision> {
    let start = Instant::now();
    let method = portfolio::method_of(parts_of(&body)).filter(|method| methods.contains(method))?;
    let compiled;
    let mut compile_time = Duration::ZERO;
    let (systems, beside): (Vec<&NetworkSystem>, Beside) = match &input.content {
        Content::Systems(systems) => {
            let systems: Vec<&NetworkSystem> = systems.iter().collect();
            let stuck = stuck_in(input, &systems, cancel, |_, _| None);
            let beside = Beside { sizes: Some(sizes(&systems)), stuck, findings: Vec::new() };
            (systems, beside)
        }
        Content::Program(program) => {
            let prepared = Arc::new(Prepared::new(program, Options::default()));
            compiled = prepared.compile(&Budget::new(u64::MAX, cancel.clone()));
            compile_time = start.elapsed();
            let Ok(whole) = &compiled else { return None };
            let systems = whole.components().iter().map(|component| component.system()).collect();
            (systems, Beside::of(&compiled, false, input, cancel))
        }
    };
    let Beside { sizes, stuck, findings } = beside;
    let reduced = reduced(&systems, &body, methods, cancel);
    let sizes = sizes.map(|sizes| Sizes { reduced, ..sizes });
    let decided = Decided::Proved { body, method: method.name() };
    let words = if verbose { words(&systems, &decided, cancel) } else { Vec::new() };
    let decide_time = start.elapsed().saturating_sub(compile_time);
    Some(Decision { sizes, stuck, findings, words, compile_time, decide_time, ..Decision::new(decided) })
}

/// What the reductions of a proof leave, if there may be any.
fn reduced(systems: &[&NetworkSystem], body: &Body, methods: &[Method], cancel: &Cancel) -> Option<ReducedSizes> {
    let (globals, locals, steps) = portfolio::reduced_by(systems, parts_of(body), cancel).filter(|_| methods.contains(&Method::Reduce))?;
    Some(ReducedSizes { globals, locals, steps })
}

/// The proofs, one for each component.
fn parts_of(body: &Body) -> &[Part] {
    match body {
        Body::Run(_) => &[],
        Body::Part(part) => std::slice::from_ref(part),
        Body::Components(parts) => parts,
    }
}

/// How to decide, and how much to say.
struct Way<'a> {
    plan: Plan<'a>,
    /// The published method instead.
    classic: Option<serval_classic::Options>,
    wanted: Wanted,
}

/// What is to be found out beside the verdict.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    /// What holds at every moment, in words.
    pub(super) words: bool,
    /// Whether the evidence may be remembered, for which the reductions are made again.
    pub(super) lasting: bool,
}

/// Finite systems: what the engine finds, as evidence. Of the sizes only those
/// of the reduced systems are there.
fn decide_systems(systems: &[&NetworkSystem], cleared: u32, way: &Way<'_>) -> Decision {
    if let Some(options) = &way.classic {
        return decide_as_published(systems, options, way);
    }
    let decision = portfolio::decide(systems, cleared, &way.plan);
    let decided = match decision.found {
        Found::Refuted { component, run, minimal, method } => {
            Decided::Refuted { run: run_certificate(&systems[component], &run), component, minimal, method: method.name() }
        }
        Found::Serializable(parts, method) => Decided::Proved { body: body(parts), method: method.name() },
        Found::Unknown(reason) => Decided::Unknown { reason },
    };
    let known = decision.reduced.map(|(globals, locals, steps)| ReducedSizes { globals, locals, steps });
    let lasting = match &decided {
        Decided::Proved { body, method } if way.wanted.lasting => {
            let told = portfolio::method_of(parts_of(body)).map(Method::name) == Some(*method);
            told && reduced(systems, body, &way.plan.methods, &way.plan.cancel) == known
        }
        _ => false,
    };
    let concurrent = u32::try_from(decision.concurrent).unwrap_or(u32::MAX);
    let ruled_out = RuledOut { requests_up_to: decision.cleared, concurrent_up_to: (concurrent > 1).then_some(concurrent) };
    let words = if way.wanted.words { words(systems, &decided, &way.plan.cancel) } else { Vec::new() };
    Decision { ruled_out, sizes: Some(Sizes { reduced: known, ..Sizes::default() }), words, lasting, ..Decision::new(decided) }
}

/// One component after the other by the published method; a run ends the work.
fn decide_as_published(systems: &[&NetworkSystem], options: &serval_classic::Options, way: &Way<'_>) -> Decision {
    const NAME: &str = "classic";
    let (mut parts, mut stages, mut unknown) = (Vec::new(), Vec::new(), None);
    for (component, system) in systems.iter().enumerate() {
        (way.plan.watch)(Trying::Counting);
        let start = Instant::now();
        let report = serval_classic::decide(system, options, &way.plan.cancel, &|| start.elapsed());
        stages.push(report.stages);
        match report.verdict {
            serval_classic::Verdict::Serializable(proof) => parts.push(Part::Invariant(proof)),
            serval_classic::Verdict::Refuted(run) => {
                let decided = Decided::Refuted { run: run_certificate(system, &run), component, minimal: false, method: NAME };
                return Decision { stages, ..Decision::new(decided) };
            }
            serval_classic::Verdict::Unknown(reason) => {
                unknown = unknown.or_else(|| Some(format!("{NAME} stopped at the stage {reason}")));
            }
        }
    }
    let decided = match unknown {
        Some(_) if way.plan.cancel.is_cancelled() => Decided::Unknown { reason: None },
        Some(reason) => Decided::Unknown { reason: Some(reason) },
        None => Decided::Proved { body: body(parts), method: NAME },
    };
    let words = if way.wanted.words { words(systems, &decided, &way.plan.cancel) } else { Vec::new() };
    Decision { stages, words, ..Decision::new(decided) }
}

/// What holds at every moment in each component that was proved.
fn words(systems: &[&NetworkSystem], decided: &Decided, cancel: &Cancel) -> Vec<String> {
    let mut lines = Vec::new();
    if let Decided::Proved { .. } = decided {
        for (component, system) in systems.iter().enumerate() {
            if systems.len() > 1 {
                lines.push(format!("component {component}:"));
            }
            lines.extend(in_words(&system.shown(), &mut Budget::new(WORD_TICKS, cancel.clone())));
        }
    }
    lines
}

/// The proof of the only component, or the list of all.
fn body(mut parts: Vec<Part>) -> Body {
    match (parts.len(), parts.pop()) {
        (1, Some(only)) => Body::Part(only),
        (_, last) => Body::Components(parts.into_iter().chain(last).collect()),
    }
}

fn decide_program(program: &Program, input: &Input, way: &Way<'_>) -> Decision {
    let text = input.text.as_str();
    let plan = &way.plan;
    let prepared = Arc::new(Prepared::new(program, Options::default()));
    let mut searches: Vec<_> = (0..prepared.component_count()).map(|component| Search::new(prepared.lazy(component))).collect();
    let searching = plan.methods.contains(&Method::Search);
    let (found, mut cleared) = if searching { search_lazily(&mut searches, 0, FIRST_LAYERS, FIRST_TICKS, plan) } else { (None, 0) };
    // A counterexample is an answer whatever the rest of the states; they are
    // explored then only as far as is cheap.
    let start = Instant::now();
    let budget = Budget::new(u64::MAX, plan.cancel.clone());
    let compiled = match found {
        Some(_) => prepared.compile_within(ASIDE_PAIRS, &budget),
        None => prepared.compile(&budget),
    };
    let compile_time = start.elapsed();
    let so_far = |decided: Decided, cleared: u32| {
        let ruled_out = RuledOut { requests_up_to: cleared, concurrent_up_to: None };
        Decision { ruled_out, ..Decision::new(decided) }
    };
    let decision = match (found, &compiled) {
        (Some(refuted), _) => so_far(refuted, cleared),
        (None, Err(CompileError::Stopped(_))) => so_far(Decided::Unknown { reason: None }, cleared),
        (None, Ok(compiled)) => {
            let systems: Vec<&NetworkSystem> = compiled.components().iter().map(|component| component.system()).collect();
            decide_systems(&systems, cleared, way)
        }
        (None, Err(error)) => {
            let found;
            (found, cleared) = if searching { search_lazily(&mut searches, cleared, u32::MAX, LAST_TICKS, plan) } else { (None, 0) };
            so_far(found.unwrap_or_else(|| unusable(error, text)), cleared)
        }
    };
    let refuted = matches!(decision.decided, Decided::Refuted { .. });
    let Beside { sizes, stuck, findings } = Beside::of(&compiled, refuted, input, &plan.cancel);
    let reduced = decision.sizes.and_then(|sizes| sizes.reduced);
    Decision { sizes: sizes.map(|sizes| Sizes { reduced, ..sizes }), stuck, findings, compile_time, ..decision }
}

fn unusable(error: &CompileError, text: &str) -> Decided {
    match error.diagnostic(text) {
        Some(diagnostic) => Decided::Unusable { diagnostic },
        None => Decided::Unknown { reason: None },
    }
}

/// Searches layer by layer on states made as they are needed.
fn search_lazily(
    searches: &mut [Search<serval_compile::Lazy<'_>>],
    cleared: u32,
    up_to: u32,
    ticks: u64,
    plan: &Plan<'_>,
) -> (Option<Decided>, u32) {
    let mut budget = Budget::new(ticks, plan.cancel.clone());
    for requests in cleared + 1..=up_to {
        (plan.watch)(Trying::Requests(requests));
        for (component, search) in searches.iter_mut().enumerate() {
            match search.layer(requests, &mut budget) {
                LayerOutcome::Clear => {}
                LayerOutcome::Found(run) => {
                    let run = run_certificate(search.system(), &run);
                    return (Some(Decided::Refuted { run, component, minimal: true, method: Method::Search.name() }), requests - 1);
                }
                // A step that fails is reported when the states are explored.
                LayerOutcome::Stopped(_) | LayerOutcome::Fault(_) => return (None, requests - 1),
            }
        }
    }
    (None, up_to)
}

fn sizes(systems: &[&NetworkSystem]) -> Sizes {
    let mut sizes = Sizes { components: systems.len(), ..Sizes::default() };
    for system in systems {
        sizes.globals += system.global_count();
        sizes.locals += system.local_count();
        sizes.steps += system.steps().len();
    }
    sizes
}

/// What is told about a program beside the verdict.
struct Beside {
    sizes: Option<Sizes>,
    stuck: Vec<StuckNote>,
    findings: Vec<Diagnostic>,
}

impl Beside {
    /// As much as the states tell, if they were made.
    fn of(compiled: &Result<Compiled, CompileError>, refuted: bool, input: &Input, cancel: &Cancel) -> Self {
        let text = input.text.as_str();
        let (mut sizes_of_all, mut stuck, mut findings) = (None, Vec::new(), Vec::new());
        match compiled {
            Ok(compiled) => {
                let systems: Vec<&NetworkSystem> = compiled.components().iter().map(|component| component.system()).collect();
                let lines = LineIndex::new(text);
                stuck = stuck_in(input, &systems, cancel, |component, local| {
                    let place = lines.position(text, compiled.components()[component].local_span(local).start);
                    Some([place.line, place.column])
                });
                sizes_of_all = Some(sizes(&systems));
                findings = compiled.findings(text);
            }
            // A counterexample is an answer, but an error that really occurs
            // should not wait for the next time.
            Err(CompileError::Fault(fault)) if fault.certain && refuted => {
                findings.extend(CompileError::Fault(fault.clone()).diagnostic(text));
            }
            Err(_) => {}
        }
        Self { sizes: sizes_of_all, stuck, findings }
    }
}

/// Stuck requests; `place` gives the line and column of a local state.
fn stuck_in(
    input: &Input,
    systems: &[&NetworkSystem],
    cancel: &Cancel,
    place: impl Fn(usize, LocalId) -> Option<[u32; 2]>,
) -> Vec<StuckNote> {
    let mut notes: Vec<StuckNote> = Vec::new();
    // The shortest run that leads to one of them, and to which.
    let mut shortest: Option<(usize, usize, RunCertificate)> = None;
    for (component, system) in systems.iter().enumerate() {
        for stuck in find_stuck(system, &mut Budget::new(STUCK_TICKS, cancel.clone())) {
            let note = StuckNote {
                request: system.request_name(stuck.request).to_owned(),
                at: place(component, stuck.local),
                local: system.local_name(stuck.local).to_owned(),
                run: Vec::new(),
            };
            // One note per request and place is enough.
            if !notes.iter().any(|known| known.request == note.request && known.at.is_some() && known.at == note.at) {
                if shortest.as_ref().is_none_or(|(_, _, known)| known.steps.len() > stuck.run.events().len()) {
                    shortest = Some((notes.len(), component, run_certificate(system, &stuck.run)));
                }
                notes.push(note);
            }
        }
    }
    if let Some((index, component, run)) = shortest {
        notes[index].run = present::story(input, &run, component);
    }
    notes
}
