//! From an input to what is known about it.
//!
//! A program is searched for small counterexamples before its states are all
//! made, so that one with infinitely many states can be refuted, too. What is
//! done with finite systems is the engine's business ([`portfolio`]).

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serval_compile::{CompileError, Compiled, Options, Prepared};
use serval_engine::portfolio::{self, FIRST_LAYERS, FIRST_TICKS, Found, LAST_TICKS, Method, Plan, Trying};
use serval_engine::search::{LayerOutcome, Search, run_certificate};
use serval_engine::stuck::find_stuck;
use serval_invariant::in_words;
use serval_model::{Budget, Cancel, LocalId, NetworkSystem};
use serval_proof::{Body, Part, RunCertificate};
use serval_report::{ReducedSizes, RuledOut, Sizes, StuckNote};
use serval_syntax::{Diagnostic, LineIndex, Program};

use crate::input::{Content, Input};
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
    /// What holds at every moment, if it was asked for and is serializable.
    pub(super) words: Vec<String>,
    pub(super) compile_time: Duration,
    pub(super) decide_time: Duration,
}

pub(super) enum Decided {
    /// A run that should be a counterexample.
    Refuted { run: RunCertificate, component: usize, minimal: bool, method: Method },
    /// Proofs that should show that it is serializable.
    Proved { body: Body, method: Method },
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
            let file = self.file.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(std::io::stdout(), "{{\"event\": \"{event}\", \"file\": \"{file}\"{detail}}}");
        }
        if self.line {
            say(&format!("\r\x1b[K{}: {words}", self.file));
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
    methods: &[Method],
    jobs: Option<usize>,
    cancel: &Cancel,
    progress: &Progress,
    verbose: bool,
) -> Decision {
    let jobs = jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let watch = |trying| progress.trying(trying);
    let plan = Plan { methods: methods.to_vec(), jobs, cancel: cancel.clone(), watch: &watch };
    let start = Instant::now();
    let mut decision = match &input.content {
        Content::Systems(systems) => {
            let systems: Vec<&NetworkSystem> = systems.iter().collect();
            let (decided, ruled_out, reduced) = decide_systems(&systems, 0, &plan);
            let words = if verbose { words(&systems, &decided, cancel) } else { Vec::new() };
            let stuck = stuck_in(&systems, cancel, |_, _| None);
            let sizes = Some(Sizes { reduced, ..sizes(&systems) });
            Decision { decided, ruled_out, sizes, stuck, words, compile_time: Duration::ZERO, decide_time: Duration::ZERO }
        }
        Content::Program(program) => decide_program(program, &input.text, &plan, verbose),
    };
    progress.done();
    decision.decide_time = start.elapsed().saturating_sub(decision.compile_time);
    decision
}

/// Finite systems: what the engine finds, as evidence.
fn decide_systems(systems: &[&NetworkSystem], cleared: u32, plan: &Plan<'_>) -> (Decided, RuledOut, Option<ReducedSizes>) {
    let decision = portfolio::decide(systems, cleared, plan);
    let decided = match decision.found {
        Found::Refuted { component, run, minimal, method } => {
            Decided::Refuted { run: run_certificate(&systems[component], &run), component, minimal, method }
        }
        Found::Serializable(parts, method) => Decided::Proved { body: body(parts), method },
        Found::Unknown(reason) => Decided::Unknown { reason },
    };
    let reduced = decision.reduced.map(|(globals, locals, steps)| ReducedSizes { globals, locals, steps });
    let concurrent = u32::try_from(decision.concurrent).unwrap_or(u32::MAX);
    (decided, RuledOut { requests_up_to: decision.cleared, concurrent_up_to: (concurrent > 1).then_some(concurrent) }, reduced)
}

/// What holds at every moment in each component that was proved.
fn words(systems: &[&NetworkSystem], decided: &Decided, cancel: &Cancel) -> Vec<String> {
    let mut lines = Vec::new();
    if let Decided::Proved { .. } = decided {
        for (component, system) in systems.iter().enumerate() {
            if systems.len() > 1 {
                lines.push(format!("component {component}:"));
            }
            lines.extend(in_words(system, &mut Budget::new(WORD_TICKS, cancel.clone())));
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

fn decide_program(program: &Program, text: &str, plan: &Plan<'_>, verbose: bool) -> Decision {
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
    let (mut reduced, mut told) = (None, Vec::new());
    let mut ruled_out = RuledOut { requests_up_to: cleared, concurrent_up_to: None };
    let decided = match (found, &compiled) {
        (Some(refuted), _) => refuted,
        (None, Err(CompileError::Stopped(_))) => Decided::Unknown { reason: None },
        (None, Ok(compiled)) => {
            let systems: Vec<&NetworkSystem> = compiled.components().iter().map(|component| component.system()).collect();
            let decided;
            (decided, ruled_out, reduced) = decide_systems(&systems, cleared, plan);
            if verbose {
                told = words(&systems, &decided, &plan.cancel);
            }
            decided
        }
        (None, Err(error)) => {
            let found;
            (found, cleared) = if searching { search_lazily(&mut searches, cleared, u32::MAX, LAST_TICKS, plan) } else { (None, 0) };
            ruled_out.requests_up_to = cleared;
            found.unwrap_or_else(|| unusable(error, text))
        }
    };
    let (sizes, stuck) = match &compiled {
        Ok(compiled) => beside(compiled, text, &plan.cancel),
        Err(_) => (None, Vec::new()),
    };
    let sizes = sizes.map(|sizes| Sizes { reduced, ..sizes });
    Decision { decided, ruled_out, sizes, stuck, words: told, compile_time, decide_time: Duration::ZERO }
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
                    return (Some(Decided::Refuted { run, component, minimal: true, method: Method::Search }), requests - 1);
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

/// Sizes and stuck requests of a compiled program.
fn beside(compiled: &Compiled, text: &str, cancel: &Cancel) -> (Option<Sizes>, Vec<StuckNote>) {
    let systems: Vec<&NetworkSystem> = compiled.components().iter().map(|component| component.system()).collect();
    let lines = LineIndex::new(text);
    let stuck = stuck_in(&systems, cancel, |component, local| {
        let place = lines.position(text, compiled.components()[component].local_span(local).start);
        Some([place.line, place.column])
    });
    (Some(sizes(&systems)), stuck)
}

/// Stuck requests; `place` gives the line and column of a local state.
fn stuck_in(systems: &[&NetworkSystem], cancel: &Cancel, place: impl Fn(usize, LocalId) -> Option<[u32; 2]>) -> Vec<StuckNote> {
    let mut notes: Vec<StuckNote> = Vec::new();
    for (component, system) in systems.iter().enumerate() {
        for stuck in find_stuck(system, &mut Budget::new(STUCK_TICKS, cancel.clone())) {
            let note = StuckNote {
                request: system.request_name(stuck.request).to_owned(),
                at: place(component, stuck.local),
                local: system.local_name(stuck.local).to_owned(),
            };
            // One note per request and place is enough.
            if !notes.iter().any(|known| known.request == note.request && known.at.is_some() && known.at == note.at) {
                notes.push(note);
            }
        }
    }
    notes
}
