//! What is reported beside the verdict: sizes, warnings that need all states, and
//! requests that can get stuck.

use std::sync::Arc;

use serval_budget::{Budget, Cancel};
use serval_compile::{CompileError, Compiled, FaultReport, without_states};
use serval_engine::search::run_certificate;
use serval_engine::stuck::find_stuck;
use serval_model::{LocalId, NetworkSystem};
use serval_obligations::in_words;
use serval_proof::RunCertificate;
use serval_report::{Sizes, StuckNote};
use serval_syntax::{Diagnostic, LineIndex};

use crate::claim::systems_of;
use crate::counterexample;
use crate::input::{Content, Input};

/// Ticks for finding stuck requests.
const STUCK_TICKS: u64 = 50_000;
/// Ticks for them for each step of a system, and at least: what stands beside a verdict takes time in proportion to the
/// system.
const STUCK_TICKS_OF_STEP: (u64, u64) = (8, 5_000);
/// Ticks for saying in words what holds.
const WORD_TICKS: u64 = 20_000_000;

/// What is reported beside the verdict.
#[derive(Default)]
pub(crate) struct SideFindings {
    pub(crate) sizes: Option<Sizes>,
    pub(crate) stuck: Vec<StuckNote>,
    pub(crate) findings: Vec<Diagnostic>,
    /// A step that fails in some run of a program that is refuted.
    pub(crate) fault: Option<Box<FaultReport>>,
}

impl SideFindings {
    /// Of network systems as they were given.
    pub(crate) fn of_systems(systems: &[&NetworkSystem], input: &Input, cancel: &Cancel) -> Self {
        let stuck = stuck_in(input, systems, cancel, |_, _| None);
        Self { sizes: Some(sizes(systems)), stuck, ..Self::default() }
    }

    /// Of a program, as much as its states tell, if they were made.
    pub(crate) fn of_program(compiled: &Result<Arc<Compiled>, CompileError>, refuted: bool, input: &Input, cancel: &Cancel) -> Self {
        let text = input.text();
        match compiled {
            Ok(compiled) => {
                let systems = systems_of(compiled);
                let lines = LineIndex::new(text);
                let stuck = stuck_in(input, &systems, cancel, |component, local| {
                    let place = lines.position(text, compiled.components()[component].local_span(local).start);
                    Some([place.line, place.column])
                });
                Self {
                    sizes: Some(sizes(&systems)),
                    stuck,
                    findings: compiled.findings(text, &Budget::new(u64::MAX, cancel.clone())),
                    fault: None,
                }
            }
            // A counterexample is an answer, but an error that really occurs
            // should not wait for the next time.
            Err(CompileError::Fault(fault)) if fault.certain && refuted => Self { fault: Some(fault.clone()), ..Self::default() },
            Err(_) => {
                let program = if let Content::Program(program) = input.content() { Some(program) } else { None };
                Self { findings: program.and_then(without_states).into_iter().collect(), ..Self::default() }
            }
        }
    }
}

/// What holds at every moment in each component, which was proved to be serializable.
pub(crate) fn invariants(systems: &[&NetworkSystem], cancel: &Cancel) -> Vec<String> {
    let mut lines = Vec::new();
    for (component, system) in systems.iter().enumerate() {
        if systems.len() > 1 {
            lines.push(format!("component {component}:"));
        }
        lines.extend(in_words(&system.shown(), &mut Budget::new(WORD_TICKS, cancel.clone())));
    }
    lines
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

/// Stuck requests; `place` gives the line and column of a local state.
fn stuck_in(
    input: &Input,
    systems: &[&NetworkSystem],
    cancel: &Cancel,
    place: impl Fn(usize, LocalId) -> Option<[u32; 2]>,
) -> Vec<StuckNote> {
    let awaits_version = matches!(input.content(), Content::Program(program) if !program.versions.is_empty());
    let mut notes: Vec<StuckNote> = Vec::new();
    // The shortest run that leads to one of them, and to which.
    let mut shortest: Option<(usize, usize, RunCertificate)> = None;
    for (component, system) in systems.iter().enumerate() {
        let (each, least) = STUCK_TICKS_OF_STEP;
        let ticks = each.saturating_mul(system.steps().len() as u64).clamp(least, STUCK_TICKS);
        for stuck in find_stuck(system, &mut Budget::new(ticks, cancel.clone())) {
            let note = StuckNote {
                request: system.request_name(stuck.request).to_owned(),
                at: place(component, stuck.local),
                local: system.local_name(stuck.local).to_owned(),
                awaits_version,
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
        notes[index].run = counterexample::story(input, &run, component);
    }
    notes
}
