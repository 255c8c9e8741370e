//! What is known of one text: refuted or proved, each with evidence that the
//! independent checker has accepted for exactly this text.

use std::sync::Arc;

use serval_budget::{Budget, Cancel};
use serval_compile::{CompileError, Compiled, Options, Prepared};
use serval_engine::portfolio::{FIRST_LAYERS, FIRST_TICKS, Found, LAST_TICKS, METHODS, Plan, decide_within};
use serval_engine::search::{LayerOutcome, Search, run_certificate};

use serval_model::NetworkSystem;
use serval_proof::{Body, Caps, Certificate, Claim, Part, RunCertificate, fingerprint};
use serval_syntax::{Diagnostic, analyze};
use serval_verify::{InputKind, Outcome, verify};

/// What is known of a text.
pub(crate) enum Judged {
    /// Not serializable.
    Refuted { prepared: Arc<Prepared>, run: RunCertificate, component: usize },
    /// Serializable.
    Proved { compiled: Box<Compiled>, certificate: Certificate },
    /// Nobody knows, and why.
    Unknown(String),
    /// No program, or one whose steps fail, or with too many states.
    Unusable(Box<Diagnostic>),
    /// The checker refuses the evidence: a mistake in serval.
    Refused(String),
}

/// How long to try.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Threads.
    pub(crate) jobs: usize,
    /// Rounds of growing budgets.
    pub(crate) rounds: usize,
    /// Pairs of states that are explored at most, where less is wanted than
    /// the compiler would do.
    pub(crate) pairs: Option<u64>,
}

/// Decides about a text and has the evidence checked.
pub(crate) fn judge(text: &str, effort: Effort, cancel: &Cancel) -> Judged {
    match program(text) {
        Ok(prepared) => judge_prepared(text, &prepared, effort, cancel),
        Err(diagnostic) => Judged::Unusable(diagnostic),
    }
}

/// The program of a text, ready to be explored.
pub(crate) fn program(text: &str) -> Result<Arc<Prepared>, Box<Diagnostic>> {
    let analysis = analyze(text);
    match analysis.program {
        Some(program) => Ok(Arc::new(Prepared::new(&program, Options::default()))),
        None => {
            let mut errors = analysis.diagnostics.into_iter().filter(|diagnostic| diagnostic.severity == serval_syntax::Severity::Error);
            let none = || Diagnostic::error(serval_syntax::Code("E0300"), serval_syntax::Span::default(), "this is no program");
            Err(Box::new(errors.next().unwrap_or_else(none)))
        }
    }
}

fn judge_prepared(text: &str, prepared: &Arc<Prepared>, effort: Effort, cancel: &Cancel) -> Judged {
    let mut searches: Vec<_> = (0..prepared.component_count()).map(|component| Search::new(prepared.lazy(component))).collect();
    let mut cleared = 0;
    let mut budget = Budget::new(FIRST_TICKS, cancel.clone());
    if let Some((run, component)) = search(&mut searches, &mut cleared, FIRST_LAYERS, &mut budget) {
        return refuted(text, prepared, run, component, cancel);
    }
    let all_states = Budget::new(u64::MAX, cancel.clone());
    let compiled = effort.pairs.map_or_else(|| prepared.compile(&all_states), |pairs| prepared.compile_within(pairs, &all_states));
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(CompileError::Stopped(_)) => return Judged::Unknown(STOPPED.to_owned()),
        Err(_) if effort.pairs.is_some() => return Judged::Unknown("this needs more effort".to_owned()),
        Err(error) => {
            let mut budget = Budget::new(LAST_TICKS, cancel.clone());
            return match (search(&mut searches, &mut cleared, u32::MAX, &mut budget), error.diagnostic(text)) {
                (Some((run, component)), _) => refuted(text, prepared, run, component, cancel),
                (None, Some(diagnostic)) => Judged::Unusable(Box::new(diagnostic)),
                (None, None) => Judged::Unknown(STOPPED.to_owned()),
            };
        }
    };
    let systems: Vec<&NetworkSystem> = compiled.components().iter().map(|component| component.system()).collect();
    let plan = Plan { methods: METHODS.to_vec(), jobs: effort.jobs, cancel: cancel.clone(), watch: &|_| {} };
    match decide_within(&systems, cleared, &plan, effort.rounds).found {
        Found::Refuted { component, run, .. } => {
            let run = run_certificate(&systems[component], &run);
            refuted(text, prepared, run, component, cancel)
        }
        Found::Serializable(parts, _) => {
            let certificate = Certificate { input: fingerprint(text), component: 0, claim: Claim::Serializable, body: body(parts) };
            match checked(text, &certificate, cancel) {
                Ok(_) => Judged::Proved { compiled: Box::new(compiled), certificate },
                Err(other) => other,
            }
        }
        Found::Unknown(reason) => Judged::Unknown(reason.unwrap_or_else(|| STOPPED.to_owned())),
    }
}

const STOPPED: &str = "stopped at a limit";

/// Looks for runs with few requests, on states made as they are needed.
fn search(
    searches: &mut [Search<serval_compile::Lazy<'_>>],
    cleared: &mut u32,
    up_to: u32,
    budget: &mut Budget,
) -> Option<(RunCertificate, usize)> {
    for requests in cleared.saturating_add(1)..=up_to {
        for (component, search) in searches.iter_mut().enumerate() {
            match search.layer(requests, budget) {
                LayerOutcome::Clear => {}
                LayerOutcome::Found(run) => return Some((run_certificate(search.system(), &run), component)),
                // A step that fails is met again when all states are made.
                LayerOutcome::Stopped(_) | LayerOutcome::Fault(_) => return None,
            }
        }
        *cleared = requests;
    }
    None
}

fn refuted(text: &str, prepared: &Arc<Prepared>, run: RunCertificate, component: usize, cancel: &Cancel) -> Judged {
    let body = Body::Run(run.clone());
    let certificate = Certificate { input: fingerprint(text), component, claim: Claim::NotSerializable, body };
    match checked(text, &certificate, cancel) {
        Ok(_) => Judged::Refuted { prepared: Arc::clone(prepared), run, component },
        Err(other) => other,
    }
}

/// Has a certificate for a text checked; gives it as it was written.
pub(crate) fn checked(text: &str, certificate: &Certificate, cancel: &Cancel) -> Result<String, Judged> {
    let written = certificate.to_json();
    match verify(text, InputKind::Program, &written, &Caps::default(), cancel) {
        Outcome::Valid(_) => Ok(written),
        Outcome::TooLarge(what) => Err(Judged::Unknown(format!("checking the evidence is too large: {what}"))),
        Outcome::Cancelled => Err(Judged::Unknown(STOPPED.to_owned())),
        refused => Err(Judged::Refused(refused.line("the program", "certificate", text))),
    }
}

/// The proof of the only component, or the list of all.
fn body(mut parts: Vec<Part>) -> Body {
    match (parts.len(), parts.pop()) {
        (1, Some(only)) => Body::Part(only),
        (_, last) => Body::Components(parts.into_iter().chain(last).collect()),
    }
}
