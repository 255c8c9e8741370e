//! Checks a certificate for a text: a program, network systems as JSON, or a Petri net.
//!
//! [`verify`] parses the text, prepares its components and hands them to the checker of [`serval_proof`], which asks
//! for the states that the certificate needs: those of a run, or all of them for a proof. [`verify_handed`] takes all
//! of them from a caller that has compiled the program, and checks that they are all. For a program the parser and the
//! compiler are therefore part of what is trusted; the engines that find verdicts are not, and this crate does not
//! depend on them. [`accept`](accept()) does the same for a net ([`NetText`]) and for a program on weak memory
//! ([`TsoText`]): it reads the text itself, and hands it to the checker of its wing. It does no input or output; the
//! binary
//! `serval-verify` in this package does.
//!
//! ```
//! use serval_budget::Cancel;
//! use serval_verify::{Caps, InputKind, Outcome, verify};
//! let outcome = verify("request r { X := 1 - X }", InputKind::Program, "{}", &Caps::default(), &Cancel::new());
//! assert!(matches!(outcome, Outcome::InputError(_)));
//! assert_eq!(outcome.status(), 2);
//! ```

mod accept;
mod handlers;
mod many;
mod nets;
mod outcome;
mod tso;
mod workload;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use serval_budget::{Budget, Cancel, Stopped};
use serval_case_proof::WithNets;
use serval_compile::{
    CompileError, Compiled, Fault, FaultKind, FaultReport, Lazy, Options, Prepared, Translation, TranslationError, Unclosed, compile,
};
use serval_diagnostic::counted;

use serval_diagnostic::{Code, Diagnostic, Span, shown};
use serval_model::{NetworkSystem, systems_from_json};
use serval_proof::strict::StrictProof;
use serval_proof::{Body, Certificate, Claim, Failure, Input, Part, Reduction, Refusal, Systems, check};
use serval_syntax::{ExprKind, Limit, Program, Reading, analyze, read_for_proof};

pub use accept::{Subject, Unusable, accept, accept_from};
pub use handlers::{HandlerOptions, HandlersCertificate, HandlersSubject};
pub use nets::{NetFormat, NetPart, NetProved, NetText, verify_net};
pub use outcome::{InputError, Outcome, Proved, Valid};
pub use serval_net_proof::MOST_BYTES as MOST_NET_BYTES;
pub use serval_proof::{Caps, Rejection, TooLarge};
pub use serval_tso_program::Syntax;
pub use tso::TsoText;

/// What the input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// A program in the SER language.
    Program,
    /// A network system as JSON, or an array of them.
    System,
    /// A workload of SQL, as its bundle; it is translated to a program.
    Workload,
}

/// Checks a certificate for an input, both as texts.
pub fn verify(input: &str, kind: InputKind, certificate: &str, caps: &Caps, cancel: &Cancel) -> Outcome {
    verify_handed(input, kind, certificate, None, caps, cancel)
}

/// The same where the caller has compiled the program already. What is handed over is not believed: the steps of each
/// pair of states are evaluated once and compared, and that no other pair occurs is checked, not found out
/// (`Prepared::check_closed`, whose module says why the program then has the same runs).
pub fn verify_handed(input: &str, kind: InputKind, certificate: &str, handed: Option<&Compiled>, caps: &Caps, cancel: &Cancel) -> Outcome {
    accept(&RequestsText { text: input, kind, handed }, certificate, caps, cancel)
}

/// Handlers of requests as text.
#[derive(Clone, Copy)]
pub struct RequestsText<'a> {
    /// The text.
    pub text: &'a str,
    /// What it is.
    pub kind: InputKind,
    /// What somebody has made of the program already.
    pub handed: Option<&'a Compiled>,
}

impl Subject for RequestsText<'_> {
    type Certificate = Certificate;
    type Proved = Valid;

    fn check(&self, certificate: &Certificate, caps: &Caps, cancel: &Cancel) -> Result<Valid, Refusal<Unusable>> {
        let &Self { text, kind, handed } = self;
        let mut also_safe = false;
        match kind {
            InputKind::Program => {
                let analysis = analyze(text);
                let program = analysis.program.ok_or(InputError::Program(analysis.diagnostics))?;
                let program = many::spoken_of(text, program, &certificate.body);
                // What shows that a program is serializable is about a system of all its states, or about all its
                // runs (`reduction.errors`): no step fails, or there is no such system.
                let unbounded = matches!(&certificate.body, Body::Reduction(reduction) if reduction.unbounded());
                also_safe = certificate.claim == Claim::Serializable && has_assertions(&program) && !unbounded;
                let prepared = Arc::new(Prepared::new(&program, Options::default()));
                // A closed list is one of the requests that are written out, and where there are more it says nothing
                // of these.
                if program.many.is_some() && matches!(certificate.body, Body::Closure(_)) {
                    prepared
                        .compile(&Budget::new(u64::MAX, cancel.clone()))
                        .map_err(|error| Stop::Error(error).unusable(text))
                        .map_err(Refusal::System)?;
                }
                let input = ProgramInput { text, prepared, handed, compiled: OnceCell::new() };
                check(&WithNets(input), certificate, caps, cancel).map_err(|refusal| refusal.map_stop(|stop| stop.unusable(text)))?;
            }
            InputKind::Workload => workload::check_workload(self, certificate, caps, cancel)?,
            InputKind::System => {
                let systems = systems_from_json(text).map_err(InputError::System)?;
                let input = Systems { text, systems: systems.iter().collect() };
                check(&WithNets(input), certificate, caps, cancel).map_err(|refusal| refusal.map_stop(|never| match never {}))?;
            }
        }
        Ok(Valid { claim: certificate.claim, kind: certificate.body.kind(), summary: summary(&certificate.body), also_safe })
    }
}

/// What came of checking the compilation of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compilation {
    /// The compiled systems have the answers of the program as written.
    Checked(Translation),
    /// The program as written has too many states to tell.
    TooLarge,
    /// They differ: a bug in the compiler.
    Wrong(String),
    /// The program can fail, so there are no systems with all its answers; certificates about it are runs, which are
    /// made step by step.
    Fails(String),
    /// The program cannot be read.
    InputError(InputError),
    /// The flag was raised.
    Cancelled,
}

/// Checks that the network systems to which a program is compiled, of which certificates speak, have the answers of the
/// program as written: the map from its states to theirs is checked step by step. After this neither the
/// simplifications of the compiler nor its splitting into components need to be trusted for this program.
pub fn verify_compilation(text: &str, cancel: &Cancel) -> Compilation {
    let analysis = analyze(text);
    let Some(program) = analysis.program else {
        return Compilation::InputError(InputError::Program(analysis.diagnostics));
    };
    let (options, budget) = (Options::default(), Budget::new(u64::MAX, cancel.clone()));
    let result = match compile(&program, options, &budget) {
        Ok(compiled) => compiled.check_translation(options.limits.pairs, &budget),
        Err(CompileError::Stopped(_)) => return Compilation::Cancelled,
        Err(CompileError::TooLarge(_) | CompileError::Many { .. }) => return Compilation::TooLarge,
        Err(error @ CompileError::Fault(_)) => return Compilation::Fails(Stop::Error(error).diagnostic(text).message),
    };
    match result {
        Ok(translation) => Compilation::Checked(translation),
        Err(TranslationError::TooLarge) => Compilation::TooLarge,
        Err(TranslationError::Stopped(_)) => Compilation::Cancelled,
        Err(TranslationError::Differs(what)) => Compilation::Wrong(what),
    }
}

/// A program: its states are made as they are needed, or all at once.
struct ProgramInput<'a> {
    text: &'a str,
    prepared: Arc<Prepared>,
    /// What the caller has compiled.
    handed: Option<&'a Compiled>,
    compiled: OnceCell<Compiled>,
}

/// Why the states of a program cannot be made.
enum Stop {
    /// A step fails.
    Fault(Fault),
    /// It has too many states.
    Error(CompileError),
    /// What was handed over is something else.
    Unclosed(Unclosed),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl Stop {
    fn unusable(self, text: &str) -> Unusable {
        match self {
            Self::Unclosed(unclosed) => Unusable::Unclosed(unclosed),
            stop => Unusable::InputError(InputError::Fault(Box::new(stop.diagnostic(text)))),
        }
    }

    fn diagnostic(self, text: &str) -> Diagnostic {
        // Only what is stopped has no diagnostic, and it does not come here.
        let none = || Diagnostic::error(Code("E0300"), Span::default(), "the program cannot be compiled");
        match self {
            Self::Fault(fault) => fault_diagnostic(fault, text),
            Self::Error(error) => error.diagnostic(text).unwrap_or_else(none),
            Self::Unclosed(_) => none(),
        }
    }
}

impl Input for ProgramInput<'_> {
    type Stop = Stop;
    type Lazy<'a>
        = Lazy<'a>
    where
        Self: 'a;

    fn text(&self) -> &str {
        self.text
    }

    fn components(&self) -> usize {
        self.prepared.component_count()
    }

    fn lazy(&self, component: usize) -> Lazy<'_> {
        self.prepared.lazy(component)
    }

    fn whole(&self, cancel: &Cancel) -> Result<Vec<&NetworkSystem>, Refusal<Stop>> {
        if let Some(handed) = self.handed {
            match self.prepared.check_closed(handed, &mut Budget::new(u64::MAX, cancel.clone())) {
                Ok(()) => {}
                Err(Unclosed::Stopped(_)) => return Err(Refusal::Stopped(Stopped::Cancelled)),
                Err(unclosed) => return Err(Refusal::System(Stop::Unclosed(unclosed))),
            }
        }
        let compiled = match self.compiled.get().or(self.handed) {
            Some(compiled) => compiled,
            None => match self.prepared.compile(&Budget::new(u64::MAX, cancel.clone())) {
                Ok(compiled) => self.compiled.get_or_init(|| compiled),
                Err(CompileError::Stopped(_)) => return Err(Refusal::Stopped(Stopped::Cancelled)),
                Err(error) => return Err(Refusal::System(Stop::Error(error))),
            },
        };
        Ok(compiled.components().iter().map(|component| component.system()).collect())
    }

    fn failure(fault: &Fault) -> Option<Failure> {
        failure_of(fault)
    }

    fn check_reduction(&self, reduction: &Reduction, caps: &Caps, cancel: &Cancel) -> Result<(), Refusal<Stop>> {
        let budget = &mut Budget::new(caps.ticks, cancel.clone());
        // Why such a proof is one about the program is said where versions and choices are lowered (`read_for_proof`).
        let reading = Reading { integers: reduction.integers, choices: reduction.choices };
        match (reading != Reading::default()).then(|| read_for_proof(self.text, reading)).flatten() {
            Some(program) => serval_lipton_proof::check(&Arc::new(Prepared::new(&program, Options::default())), reduction, budget),
            None => serval_lipton_proof::check(&self.prepared, reduction, budget),
        }
    }
}

/// Whether a program has an assertion, or an invariant that a request could break.
pub fn has_assertions(program: &Program) -> bool {
    let mut found = false;
    for request in &program.requests {
        request.body.visit(&mut |part| {
            found |= matches!(part.kind, ExprKind::Within { limit: Limit::Assertion | Limit::Invariant(_), .. });
        });
    }
    found
}

/// The failure of a program that a fault shows, if it shows one: that a step is given up says nothing about the
/// program.
pub fn failure_of(fault: &Fault) -> Option<Failure> {
    match fault.kind {
        FaultKind::DivisionByZero => Some(Failure::DivisionByZero),
        FaultKind::Overflow => Some(Failure::Overflow),
        FaultKind::Outside { limit: Limit::Range(_), .. } => Some(Failure::Range),
        FaultKind::Outside { limit: Limit::Index(..), .. } => Some(Failure::Index),
        FaultKind::Outside { limit: Limit::Assertion | Limit::Invariant(_), .. } | FaultKind::Assertion { .. } => Some(Failure::Assertion),
        FaultKind::TooLong => None,
    }
}

fn summary(body: &Body) -> String {
    match body {
        Body::Run(run) => {
            let requests: u128 = run.completed.iter().map(|entry| u128::from(entry.count)).sum();
            format!("a run of {} in {}", counted(requests, "request"), counted(run.steps.len(), "event"))
        }
        Body::Fault(fault) => {
            let spawned = fault.steps.iter().filter(|event| matches!(event.action, serval_proof::Action::Spawn { .. })).count();
            let kind = fault.fails.fault.name();
            format!("{kind} after a run of {} in {}", counted(spawned, "request"), counted(fault.steps.len(), "event"))
        }
        Body::Part(part) => part_summary(part),
        Body::Reduction(reduction) => {
            let Reduction { owners, counts, exclusions, .. } = &**reduction;
            format!(
                "a reduction with {}, {} and {}",
                counted(owners.len(), "owner"),
                counted(counts.len(), "count"),
                counted(exclusions.len(), "exclusion")
            )
        }
        Body::Components(parts) => list_summary(parts, "component"),
        Body::Closure(parts) => {
            let states: usize = parts.iter().map(|part| part.globals.len()).sum();
            let pairs: usize = parts.iter().flat_map(|part| &part.at).map(Vec::len).sum();
            format!("{} with {}, closed", counted(states, "global state"), counted(pairs, "pair of states"))
        }
    }
}

fn list_summary(parts: &[Part], what: &str) -> String {
    let mut each: BTreeMap<String, usize> = BTreeMap::new();
    for part in parts {
        *each.entry(part_summary(part)).or_default() += 1;
    }
    let each: Vec<String> = each.into_iter().map(|(summary, count)| format!("{count} × {summary}")).collect();
    format!("{}: {}", counted(parts.len(), what), each.join("; "))
}

fn part_summary(part: &Part) -> String {
    match part {
        Part::Atomic(script) => format!("atomic after {}", counted(script.len(), "reduction")),
        Part::Flow(proof) => {
            format!("a flow proof with {} and a tree of {}", counted(proof.facts.len(), "fact"), counted(proof.tree.nodes.len(), "node"))
        }
        Part::Invariant(proof) => {
            let trees = proof.kept.len().saturating_add(proof.ends.len());
            format!("an invariant of {} and {}", counted(proof.clauses.len(), "clause"), counted(trees, "tree"))
        }
        Part::Letters(proof) => {
            let (levels, facts, regions) = (proof.levels.len(), proof.facts.len(), proof.regions.len());
            format!(
                "{}, {} about answers, {} and a tree of {}",
                counted(levels, "level"),
                counted(facts, "fact"),
                counted(regions, "region"),
                counted(proof.tree.nodes.len(), "node")
            )
        }
        Part::Cases(proof) => {
            let entries = serval_case_proof::entries(&proof.cases).unwrap_or_default();
            let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
            for entry in &entries {
                if let serval_case_proof::Entry::Excluded(evidence) = entry {
                    *kinds.entry(evidence.kind()).or_default() += 1;
                }
            }
            let (excluded, sets) = (kinds.values().sum::<usize>(), proof.sets.len());
            let kinds: Vec<String> = kinds.into_iter().map(|(kind, count)| format!("{count} × {kind}")).collect();
            format!(
                "{} and {} that a net excludes: {}",
                counted(sets, "set of serial answers"),
                counted(excluded, "case"),
                kinds.join(", ")
            )
        }
        Part::Same(same) => format!("the same as component {}", same.part),
        Part::Shared(proof) => {
            let shared = proof.touches.iter().filter(|parts| parts.len() > 1).count();
            format!("{} with {}", list_summary(&proof.parts, "part"), counted(shared, "shared request"))
        }
        Part::Strict(StrictProof::InFlight(proof)) => {
            format!("{} with at most {} in flight", counted(proof.states.len(), "state"), counted(proof.k, "request"))
        }
        Part::Strict(StrictProof::Points(proof)) => {
            format!("{} in the order and a proof that they do: {}", counted(proof.places.len(), "place"), part_summary(&proof.proof))
        }
    }
}

/// A fault that was met while checking.
fn fault_diagnostic(fault: Fault, text: &str) -> Diagnostic {
    let report = CompileError::Fault(Box::new(FaultReport::of(fault)));
    let diagnostic = report.diagnostic(text);
    // Only `Stopped` has no diagnostic; the code is for the type's sake.
    let mut diagnostic = diagnostic.unwrap_or_else(|| Diagnostic::error(Code("E0300"), fault.span, "a step that fails"));
    diagnostic.notes = vec!["a step that the certificate needs fails here".to_owned()];
    diagnostic
}

impl Compilation {
    /// The exit status: 0 checked, or nothing that could be; 2 input error, 3 too large or cancelled, 4 a bug.
    pub fn status(&self) -> u8 {
        match self {
            Self::Checked(_) | Self::Fails(_) => 0,
            Self::InputError(_) => 2,
            Self::TooLarge | Self::Cancelled => 3,
            Self::Wrong(_) => 4,
        }
    }

    /// The result in one line, without a newline. `input` is what the file is called, and `text` what it holds.
    pub fn line(&self, input: &str, text: &str) -> String {
        let said = match self {
            Self::Checked(translation) => format!("compilation checked: {translation}"),
            Self::TooLarge => "compilation not checked: the program as written has too many states".to_owned(),
            Self::Cancelled => "cancelled".to_owned(),
            Self::Fails(why) => format!(
                "compilation not compared: this program can fail ({why}), and only programs that cannot have systems to compare; \
                 the steps of the run are those of the compiled program"
            ),
            Self::Wrong(what) => format!("internal error: the compiled system is not the program: {what}"),
            Self::InputError(error) => return Outcome::<Valid>::InputError(error.clone()).line(input, "", text),
        };
        shown::line(&format!("{}: {said}", shown::name(input))).into_owned()
    }
}
