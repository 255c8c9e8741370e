//! The order in which methods are tried.
//!
//! All budgets are ticks, so the result does not depend on the machine unless
//! a limit on time or memory ends the work.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serval_compile::{CompileError, Compiled, Options, Prepared};
use serval_engine::search::{LayerOutcome, Search, parallel_layer};
use serval_engine::stuck::find_stuck;
use serval_model::{Budget, Cancel, LocalId, NetworkSystem, Stopped};
use serval_proof::RunCertificate;
use serval_report::{Sizes, StuckNote};
use serval_syntax::{Diagnostic, LineIndex, Program};

use crate::input::{Content, Input};
use crate::output::say;

/// Requests in the first, cheap search.
const FIRST_LAYERS: u32 = 3;
/// Ticks for the first search.
const FIRST_TICKS: u64 = 300_000;
/// Ticks for the search after everything else.
const LAST_TICKS: u64 = 400_000;
/// States that are explored only for what is said beside the verdict.
const ASIDE_PAIRS: u64 = 100_000;
/// Ticks for finding stuck requests.
const STUCK_TICKS: u64 = 50_000;

/// What was found out.
pub(super) struct Decision {
    pub(super) decided: Decided,
    /// No counterexample has so few requests.
    pub(super) cleared: u32,
    pub(super) sizes: Option<Sizes>,
    pub(super) stuck: Vec<StuckNote>,
    pub(super) compile_time: Duration,
    pub(super) decide_time: Duration,
}

pub(super) enum Decided {
    /// A run that should be a counterexample.
    Refuted { run: RunCertificate, component: usize, minimal: bool },
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
    fn layer(&self, requests: u32) {
        if self.events {
            let file = self.file.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(std::io::stdout(), "{{\"event\": \"searching\", \"file\": \"{file}\", \"requests\": {requests}}}");
        }
        if self.line {
            say(&format!("\r\x1b[K{}: searching runs of {requests} requests", self.file));
        }
    }

    fn done(&self) {
        if self.line {
            say("\r\x1b[K");
        }
    }
}

/// Decides as far as the methods go.
pub(super) fn decide(input: &Input, jobs: Option<usize>, cancel: &Cancel, progress: &Progress) -> Decision {
    let jobs = jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let start = Instant::now();
    let mut decision = match &input.content {
        Content::Systems(systems) => {
            let systems: Vec<&NetworkSystem> = systems.iter().collect();
            let (decided, cleared) = search_systems(&systems, 0, jobs, cancel, progress);
            let stuck = stuck_in(&systems, cancel, |_, _| None);
            Decision { decided, cleared, sizes: Some(sizes(&systems)), stuck, compile_time: Duration::ZERO, decide_time: Duration::ZERO }
        }
        Content::Program(program) => decide_program(program, &input.text, jobs, cancel, progress),
    };
    progress.done();
    decision.decide_time = start.elapsed().saturating_sub(decision.compile_time);
    decision
}

fn decide_program(program: &Program, text: &str, jobs: usize, cancel: &Cancel, progress: &Progress) -> Decision {
    let prepared = Arc::new(Prepared::new(program, Options::default()));
    let mut searches: Vec<_> = (0..prepared.component_count()).map(|component| Search::new(prepared.lazy(component))).collect();
    let (found, mut cleared) = search_lazily(&mut searches, 0, FIRST_LAYERS, FIRST_TICKS, cancel, progress);
    // A counterexample is an answer whatever the rest of the states; they are
    // explored then only as far as is cheap.
    let start = Instant::now();
    let budget = Budget::new(u64::MAX, cancel.clone());
    let compiled = match found {
        Some(_) => prepared.compile_within(ASIDE_PAIRS, &budget),
        None => prepared.compile(&budget),
    };
    let compile_time = start.elapsed();
    let decided = match (found, &compiled) {
        (Some(refuted), _) => refuted,
        (None, Err(CompileError::Stopped(_))) => Decided::Unknown { reason: None },
        (None, Ok(compiled)) => {
            let systems: Vec<&NetworkSystem> = compiled.components().iter().map(|component| component.system()).collect();
            let (decided, up_to) = search_systems(&systems, cleared, jobs, cancel, progress);
            cleared = up_to;
            decided
        }
        (None, Err(error)) => {
            let (found, up_to) = search_lazily(&mut searches, cleared, u32::MAX, LAST_TICKS, cancel, progress);
            cleared = up_to;
            found.unwrap_or_else(|| unusable(error, text))
        }
    };
    let (sizes, stuck) = match &compiled {
        Ok(compiled) => beside(compiled, text, cancel),
        Err(_) => (None, Vec::new()),
    };
    Decision { decided, cleared, sizes, stuck, compile_time, decide_time: Duration::ZERO }
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
    cancel: &Cancel,
    progress: &Progress,
) -> (Option<Decided>, u32) {
    let mut budget = Budget::new(ticks, cancel.clone());
    for requests in cleared + 1..=up_to {
        progress.layer(requests);
        for (component, search) in searches.iter_mut().enumerate() {
            match search.layer(requests, &mut budget) {
                LayerOutcome::Clear => {}
                LayerOutcome::Found(run) => {
                    let run = RunCertificate::new(search.system(), &run);
                    return (Some(Decided::Refuted { run, component, minimal: true }), requests - 1);
                }
                // A step that fails is reported when the states are explored.
                LayerOutcome::Stopped(_) | LayerOutcome::Fault(_) => return (None, requests - 1),
            }
        }
    }
    (None, up_to)
}

/// Searches layer by layer on finite systems, on several threads.
fn search_systems(systems: &[&NetworkSystem], cleared: u32, jobs: usize, cancel: &Cancel, progress: &Progress) -> (Decided, u32) {
    let mut budget = Budget::new(LAST_TICKS, cancel.clone());
    let mut requests = cleared;
    loop {
        requests += 1;
        progress.layer(requests);
        for (component, system) in systems.iter().enumerate() {
            match parallel_layer(system, requests, jobs, &mut budget) {
                LayerOutcome::Clear => {}
                LayerOutcome::Found(run) => {
                    let run = RunCertificate::new(system, &run);
                    return (Decided::Refuted { run, component, minimal: true }, requests - 1);
                }
                LayerOutcome::Stopped(Stopped::Cancelled) => return (Decided::Unknown { reason: None }, requests - 1),
                LayerOutcome::Stopped(Stopped::OutOfTicks) => {
                    let reason = "no method of this version proves serializability, and the search found nothing".to_owned();
                    return (Decided::Unknown { reason: Some(reason) }, requests - 1);
                }
                LayerOutcome::Fault(never) => match never {},
            }
        }
        // Where no request can answer, no layer will ever differ.
        if systems.iter().all(|system| system.answers().is_empty()) {
            let reason = "no request can ever answer".to_owned();
            return (Decided::Unknown { reason: Some(reason) }, requests);
        }
    }
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
