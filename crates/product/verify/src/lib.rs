//! Checks a certificate for a text: a program, network systems as JSON, or a Petri net.
//!
//! [`verify`] parses the text, prepares its components and hands them to the
//! checker of [`serval_proof`], which asks for the states that the certificate
//! needs: those of a run, or all of them for a proof. [`verify_handed`] takes all of them from a caller that has compiled the program,
//! and checks that they are all. For a program the parser and the compiler are therefore
//! part of what is trusted; the engines that find verdicts are not, and this
//! crate does not depend on them. [`verify_net`] reads a net and hands it to the checker of [`serval_net_proof`]. It does no input or output; the binary
//! `serval-verify` in this package does.
//!
//! ```
//! use serval_budget::Cancel;
//! use serval_verify::{Caps, InputKind, Outcome, verify};
//! let outcome = verify("request r { X := 1 - X }", InputKind::Program, "{}", &Caps::default(), &Cancel::new());
//! assert!(matches!(outcome, Outcome::InputError(_)));
//! assert_eq!(outcome.status(), 2);
//! ```

mod nets;
mod tso;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use serval_budget::{Budget, Cancel};
use serval_case_proof::WithNets;
use serval_compile::{
    CompileError, Compiled, Fault, FaultKind, FaultReport, Lazy, Options, Prepared, Translation, TranslationError, Unclosed, compile,
};

use serval_model::{JsonError, NetworkSystem, shown, systems_from_json};
use serval_proof::{Body, Certificate, Claim, Failure, FormatError, Input, Kind, Part, Reduction, Refusal, Systems, check};
use serval_syntax::{Diagnostic, Limit, LineIndex, Severity, Span, analyze};

pub use nets::{NetFormat, NetOutcome, NetPart, verify_composed, verify_net, verify_net_from};
pub use serval_proof::{Caps, Rejection, TooLarge};
pub use serval_tso_program::Syntax;
pub use tso::{TsoOutcome, verify_tso, verify_tso_as};

/// What the input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// A program in the SER language.
    Program,
    /// A network system as JSON, or an array of them.
    System,
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The claim is proved.
    Valid(Valid),
    /// A condition does not hold. Nothing is said about the claim.
    Invalid(Rejection),
    /// The check would exceed a cap. Nothing is said about the certificate.
    TooLarge(TooLarge),
    /// The input or the certificate cannot be read, or the program fails.
    InputError(InputError),
    /// The states that were handed over are not those of the program: a bug of the caller that compiled it.
    Unclosed(Unclosed),
    /// The flag was raised.
    Cancelled,
}

/// A certificate that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Valid {
    /// What is proved.
    pub claim: Claim,
    /// By what kind of certificate.
    pub kind: Kind,
    /// The evidence in a few words, such as `a run of 2 requests in 8 events`.
    pub summary: String,
}

/// Something that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputError {
    /// The text is no program: its errors, and warnings and notes beside them.
    Program(Vec<Diagnostic>),
    /// The text is no network system.
    System(JsonError),
    /// A step that the certificate needs divides by zero, overflows or does
    /// not end.
    Fault(Box<Diagnostic>),
    /// The certificate's text is no certificate.
    Certificate(FormatError),
}

/// Checks a certificate for an input, both as texts.
pub fn verify(input: &str, kind: InputKind, certificate: &str, caps: &Caps, cancel: &Cancel) -> Outcome {
    verify_handed(input, kind, certificate, None, caps, cancel)
}

/// The same where the caller has compiled the program already. What is handed over is not believed: the steps of each pair of states
/// are evaluated once and compared, and that no other pair occurs is checked, not found out (`Prepared::check_closed`, whose module
/// says why the program then has the same runs).
pub fn verify_handed(input: &str, kind: InputKind, certificate: &str, handed: Option<&Compiled>, caps: &Caps, cancel: &Cancel) -> Outcome {
    if let Err(too_large) = caps.admit_bytes(certificate.len()) {
        return Outcome::TooLarge(too_large);
    }
    let certificate = match Certificate::from_json(certificate) {
        Ok(certificate) => certificate,
        Err(error) => return Outcome::InputError(InputError::Certificate(error)),
    };
    match kind {
        InputKind::Program => verify_program(input, &certificate, handed, caps, cancel),
        InputKind::System => verify_systems(input, &certificate, caps, cancel),
    }
}

fn verify_program(text: &str, certificate: &Certificate, handed: Option<&Compiled>, caps: &Caps, cancel: &Cancel) -> Outcome {
    let analysis = analyze(text);
    let Some(program) = analysis.program else {
        return Outcome::InputError(InputError::Program(analysis.diagnostics));
    };
    let prepared = Arc::new(Prepared::new(&program, Options::default()));
    let input = ProgramInput { text, prepared, handed, compiled: OnceCell::new() };
    let result = check(&WithNets(input), certificate, caps, cancel);
    outcome(certificate, result, |stop| match stop {
        Stop::Unclosed(unclosed) => Outcome::Unclosed(unclosed),
        stop => Outcome::InputError(InputError::Fault(Box::new(stop.diagnostic(text)))),
    })
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
    /// The program can fail, so there are no systems with all its answers; certificates about it are runs, which are made
    /// step by step.
    Fails(String),
    /// The program cannot be read.
    InputError(InputError),
    /// The flag was raised.
    Cancelled,
}

/// Checks that the network systems to which a program is compiled, of which certificates speak, have the answers of the
/// program as written: the map from its states to theirs is checked step by step. After this neither the simplifications of
/// the compiler nor its splitting into components need to be trusted for this program.
pub fn verify_compilation(text: &str, cancel: &Cancel) -> Compilation {
    let analysis = analyze(text);
    let Some(program) = analysis.program else {
        return Compilation::InputError(InputError::Program(analysis.diagnostics));
    };
    let (options, budget) = (Options::default(), Budget::new(u64::MAX, cancel.clone()));
    let result = match compile(&program, options, &budget) {
        Ok(compiled) => compiled.check_translation(options.limits.pairs, &budget),
        Err(CompileError::Stopped(_)) => return Compilation::Cancelled,
        Err(CompileError::TooLarge(_)) => return Compilation::TooLarge,
        Err(error @ CompileError::Fault(_)) => return Compilation::Fails(Stop::Error(error).diagnostic(text).message),
    };
    match result {
        Ok(translation) => Compilation::Checked(translation),
        Err(TranslationError::TooLarge) => Compilation::TooLarge,
        Err(TranslationError::Stopped(_)) => Compilation::Cancelled,
        Err(TranslationError::Differs(what)) => Compilation::Wrong(what),
    }
}

fn verify_systems(text: &str, certificate: &Certificate, caps: &Caps, cancel: &Cancel) -> Outcome {
    let systems = match systems_from_json(text) {
        Ok(systems) => systems,
        Err(error) => return Outcome::InputError(InputError::System(error)),
    };
    let input = Systems { text, systems: systems.iter().collect() };
    outcome(certificate, check(&WithNets(input), certificate, caps, cancel), |stop: Infallible| match stop {})
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
    fn diagnostic(self, text: &str) -> Diagnostic {
        // Only what is stopped has no diagnostic, and it does not come here.
        let none = || Diagnostic::error(serval_syntax::Code("E0300"), Span::default(), "the program cannot be compiled");
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
                Err(Unclosed::Stopped(_)) => return Err(Refusal::Cancelled),
                Err(unclosed) => return Err(Refusal::System(Stop::Unclosed(unclosed))),
            }
        }
        let compiled = match self.compiled.get().or(self.handed) {
            Some(compiled) => compiled,
            None => match self.prepared.compile(&Budget::new(u64::MAX, cancel.clone())) {
                Ok(compiled) => self.compiled.get_or_init(|| compiled),
                Err(CompileError::Stopped(_)) => return Err(Refusal::Cancelled),
                Err(error) => return Err(Refusal::System(Stop::Error(error))),
            },
        };
        Ok(compiled.components().iter().map(|component| component.system()).collect())
    }

    fn failure(fault: &Fault) -> Option<Failure> {
        failure_of(fault)
    }

    fn check_reduction(&self, reduction: &Reduction, caps: &Caps, cancel: &Cancel) -> Result<(), Refusal<Stop>> {
        serval_lipton_proof::check(&self.prepared, reduction, &mut Budget::new(caps.ticks, cancel.clone()))
    }
}

/// The failure of a program that a fault shows, if it shows one: that a step is given up says nothing about the program.
pub fn failure_of(fault: &Fault) -> Option<Failure> {
    match fault.kind {
        FaultKind::DivisionByZero => Some(Failure::DivisionByZero),
        FaultKind::Overflow => Some(Failure::Overflow),
        FaultKind::Outside { limit: Limit::Range(_), .. } => Some(Failure::Range),
        FaultKind::Outside { limit: Limit::Index(_), .. } => Some(Failure::Index),
        FaultKind::TooLong => None,
    }
}

fn outcome<Stop>(certificate: &Certificate, result: Result<(), Refusal<Stop>>, failed: impl FnOnce(Stop) -> Outcome) -> Outcome {
    match result {
        Ok(()) => Outcome::Valid(Valid { claim: certificate.claim, kind: certificate.body.kind(), summary: summary(&certificate.body) }),
        Err(Refusal::Invalid(rejection)) => Outcome::Invalid(rejection),
        Err(Refusal::TooLarge(too_large)) => Outcome::TooLarge(too_large),
        Err(Refusal::System(stop)) => failed(stop),
        Err(Refusal::Cancelled) => Outcome::Cancelled,
    }
}

fn summary(body: &Body) -> String {
    match body {
        Body::Run(run) => {
            let requests: u128 = run.completed.iter().map(|entry| u128::from(entry.count)).sum();
            format!("a run of {requests} request{} in {} events", if requests == 1 { "" } else { "s" }, run.steps.len())
        }
        Body::Fault(fault) => {
            let spawned = fault.steps.iter().filter(|event| matches!(event.action, serval_proof::Action::Spawn { .. })).count();
            let (plural, kind) = (if spawned == 1 { "" } else { "s" }, fault.fails.fault.name());
            format!("{kind} after a run of {spawned} request{plural} in {} events", fault.steps.len())
        }
        Body::Part(part) => part_summary(part),
        Body::Reduction(reduction) => {
            let Reduction { owners, counts, exclusions, .. } = &**reduction;
            format!("a reduction with {} owners, {} counts and {} exclusions", owners.len(), counts.len(), exclusions.len())
        }
        Body::Components(parts) => {
            let mut each: BTreeMap<String, usize> = BTreeMap::new();
            for part in parts {
                *each.entry(part_summary(part)).or_default() += 1;
            }
            let each: Vec<String> = each.into_iter().map(|(summary, count)| format!("{count} × {summary}")).collect();
            format!("{} components: {}", parts.len(), each.join("; "))
        }
    }
}

fn part_summary(part: &Part) -> String {
    match part {
        Part::Atomic(script) => format!("atomic after {} reduction{}", script.len(), if script.len() == 1 { "" } else { "s" }),
        Part::Flow(proof) => format!("a flow proof with {} facts and a tree of {} nodes", proof.facts.len(), proof.tree.nodes.len()),
        Part::Invariant(proof) => {
            let trees = proof.kept.len().saturating_add(proof.ends.len());
            format!("an invariant of {} clauses and {trees} trees", proof.clauses.len())
        }
        Part::Letters(proof) => {
            let (levels, facts, regions) = (proof.levels.len(), proof.facts.len(), proof.regions.len());
            format!("{levels} levels, {facts} facts about answers, {regions} regions and a tree of {} nodes", proof.tree.nodes.len())
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
            format!("{sets} sets of serial answers and {excluded} cases that a net excludes: {}", kinds.join(", "))
        }
        Part::Same(same) => format!("the same as component {}", same.part),
    }
}

/// A fault that was met while checking.
fn fault_diagnostic(fault: Fault, text: &str) -> Diagnostic {
    let report = CompileError::Fault(Box::new(FaultReport::of(fault)));
    let diagnostic = report.diagnostic(text);
    // Only `Stopped` has no diagnostic; the code is for the type's sake.
    let mut diagnostic = diagnostic.unwrap_or_else(|| Diagnostic::error(serval_syntax::Code("E0300"), fault.span, "a step that fails"));
    diagnostic.notes = vec!["a step that the certificate needs fails here".to_owned()];
    diagnostic
}

impl Outcome {
    /// The exit status: 0 valid, 1 invalid, 2 input error, 3 too large or cancelled, 4 a bug.
    pub fn status(&self) -> u8 {
        match self {
            Self::Valid(_) => 0,
            Self::Invalid(_) => 1,
            Self::InputError(_) => 2,
            Self::TooLarge(_) | Self::Cancelled => 3,
            Self::Unclosed(_) => 4,
        }
    }

    /// The outcome in one line, without a newline. `input` and `certificate`
    /// are what the files are called, and `text` is the input.
    pub fn line(&self, input: &str, certificate: &str, text: &str) -> String {
        let (input, certificate) = (&shown::name(input), &shown::name(certificate));
        shown::line(&self.written(input, certificate, text)).into_owned()
    }

    fn written(&self, input: &str, certificate: &str, text: &str) -> String {
        match self {
            Self::Valid(valid) if valid.claim == Claim::Fault => format!("{certificate}: valid: {input} can fail ({})", valid.summary),
            Self::Valid(valid) => format!("{certificate}: valid: {input} is {valid}"),
            Self::Invalid(rejection) => format!("{certificate}: invalid: {rejection}"),
            Self::TooLarge(too_large) => format!("{certificate}: too large: {too_large}"),
            Self::Unclosed(unclosed) => format!("{input}: internal error: {unclosed}"),
            Self::Cancelled => format!("{certificate}: cancelled"),
            Self::InputError(InputError::Certificate(error)) => {
                format!("{certificate}:{}:{}: error: {}", error.line, error.column, error.message)
            }
            Self::InputError(InputError::System(error)) => format!("{input}:{error}"),
            Self::InputError(InputError::Fault(diagnostic)) => diagnostic_line(diagnostic, input, text),
            Self::InputError(InputError::Program(diagnostics)) => {
                let mut errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
                let first = errors.next().map_or_else(|| format!("{input}: error"), |first| diagnostic_line(first, input, text));
                match errors.count() {
                    0 => first,
                    more => format!("{first} (and {more} more)"),
                }
            }
        }
    }
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
            Self::InputError(error) => return Outcome::InputError(error.clone()).line(input, "", text),
        };
        shown::line(&format!("{}: {said}", shown::name(input))).into_owned()
    }
}

fn diagnostic_line(diagnostic: &Diagnostic, input: &str, text: &str) -> String {
    let at = LineIndex::new(text).position(text, diagnostic.primary.span.start);
    format!("{input}:{}:{}: error[{}]: {}", at.line, at.column, diagnostic.code, diagnostic.message)
}

impl fmt::Display for Valid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.claim.name(), self.summary)
    }
}
