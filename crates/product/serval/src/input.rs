//! A text that has been read: a program, or network systems.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use serval_budget::{Budget, Cancel};
use serval_compile::{CompileError, Compiled, Options, Prepared};
use serval_model::{NetworkSystem, systems_from_json};
use serval_report::{Verdict, json_diagnostic};
use serval_syntax::{Code, Diagnostic, Program, Severity, Span, analyze, analyze_of};
use serval_verify::{InputKind, Outcome};

use crate::evidence::{About, verified};

/// A text that has been read and can be decided about.
///
/// ```
/// let input = serval::Input::program("request flip { X := 1 - X }").unwrap();
/// assert!(input.warnings.is_empty());
/// let mistakes = serval::Input::program("request flip { X := }").err().unwrap();
/// assert_eq!(mistakes.diagnostics[0].primary.span.start, 20);
/// ```
pub struct Input {
    text: String,
    content: Content,
    kind: InputKind,
    /// Warnings and notes about the text.
    pub warnings: Vec<Diagnostic>,
    prepared: OnceLock<Arc<Prepared>>,
    compiled: OnceLock<Arc<Compiled>>,
    /// Where only some of the requests of the text are there, so that nothing follows for all: with how many ticks
    /// these are looked at.
    pub(crate) some: Option<u64>,
}

/// What a text holds.
#[derive(Debug)]
pub enum Content {
    /// A program in the SER language.
    Program(Program),
    /// Network systems that share nothing.
    Systems(Vec<NetworkSystem>),
}

/// A text that cannot be used.
#[derive(Clone, Debug)]
pub struct Mistakes {
    /// The text.
    pub text: String,
    /// What is wrong with it, and what else there is to say about it.
    pub diagnostics: Vec<Diagnostic>,
}

impl Input {
    /// How long a text may be, in bytes.
    pub const MOST_BYTES: usize = serval_syntax::MAX_FILE_BYTES;

    /// Reads a program in the SER language.
    pub fn program(text: impl Into<String>) -> Result<Self, Mistakes> {
        Self::read(text, InputKind::Program)
    }

    /// Reads network systems in their JSON form.
    pub fn systems(text: impl Into<String>) -> Result<Self, Mistakes> {
        Self::read(text, InputKind::System)
    }

    /// Reads a text of a known kind.
    pub fn read(text: impl Into<String>, kind: InputKind) -> Result<Self, Mistakes> {
        let text = text.into();
        let (content, diagnostics) = match kind {
            InputKind::System => match systems_from_json(&text) {
                Ok(systems) => (Some(Content::Systems(systems)), Vec::new()),
                Err(error) => (None, vec![json_diagnostic(&error)]),
            },
            InputKind::Program => {
                let analysis = analyze(&text);
                (analysis.program.map(Content::Program), analysis.diagnostics)
            }
            #[cfg(feature = "sql")]
            InputKind::Workload => {
                let (program, diagnostics) = crate::sql::program::of_bundle(&text);
                (program.map(Content::Program), diagnostics)
            }
            #[cfg(not(feature = "sql"))]
            InputKind::Workload => (None, vec![Diagnostic::error(Code("E0711"), Span::default(), "this build does not read SQL")]),
        };
        match content {
            Some(content) => Ok(Self::new(text, content, kind, diagnostics)),
            None => Err(Mistakes { text, diagnostics }),
        }
    }

    fn new(text: String, content: Content, kind: InputKind, warnings: Vec<Diagnostic>) -> Self {
        Self { text, content, kind, warnings, prepared: OnceLock::new(), compiled: OnceLock::new(), some: None }
    }

    /// The same text where of the requests with parameters only those with these names are there, to be looked at
    /// with this number of ticks.
    pub(crate) fn only(&self, names: &BTreeSet<String>, ticks: u64) -> Option<Self> {
        let program = analyze_of(&self.text, names).program?;
        Some(Self { some: Some(ticks), ..Self::new(self.text.clone(), Content::Program(program), self.kind, Vec::new()) })
    }

    /// The text as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What it holds.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// What it holds, without what was found out about it.
    pub fn into_content(self) -> (String, Content) {
        (self.text, self.content)
    }

    /// What kind of text it is.
    pub fn kind(&self) -> InputKind {
        self.kind
    }

    /// A workload of SQL, as its bundle.
    #[cfg(feature = "sql")]
    pub fn workload(bundle: impl Into<String>) -> Result<Self, Mistakes> {
        Self::read(bundle, InputKind::Workload)
    }

    /// A program that a workload was translated to.
    #[cfg(feature = "sql")]
    pub(crate) fn translated(bundle: String, program: Program) -> Self {
        let (content, kind) = (Content::Program(program), InputKind::Workload);
        Self::new(bundle, content, kind, Vec::new())
    }

    /// Has the independent checker go through a certificate for this input.
    pub fn verify(&self, certificate: &str, cancel: &Cancel) -> Outcome {
        verified(self.about(), certificate, cancel)
    }

    /// What evidence about this input is about.
    pub(crate) fn about(&self) -> About<'_> {
        About { text: &self.text, kind: self.kind(), compiled: self.compiled.get().map(|compiled| &**compiled) }
    }

    /// The verdict that the header of a program promises.
    pub fn promise(&self) -> Option<Verdict> {
        let Content::Program(program) = &self.content else { return None };
        program.expectation.as_ref().map(|promise| match promise.verdict {
            serval_syntax::ExpectedVerdict::Serializable => Verdict::Serializable,
            serval_syntax::ExpectedVerdict::NotSerializable => Verdict::NotSerializable,
            serval_syntax::ExpectedVerdict::Fault => Verdict::Fault,
            serval_syntax::ExpectedVerdict::Strict => Verdict::Strict,
            serval_syntax::ExpectedVerdict::NotStrict => Verdict::NotStrict,
            serval_syntax::ExpectedVerdict::Undecided => Verdict::Unknown,
        })
    }

    /// The program, ready to be explored; made once. `None` for network systems.
    pub fn prepared(&self) -> Option<&Arc<Prepared>> {
        match &self.content {
            Content::Program(program) => Some(self.prepare(program)),
            Content::Systems(_) => None,
        }
    }

    pub(crate) fn prepare(&self, program: &Program) -> &Arc<Prepared> {
        self.prepared.get_or_init(|| Arc::new(Prepared::new(program, Options::default())))
    }

    /// The compiled program, with at most `pairs` pairs of states; made once. `None` for network systems.
    pub fn compiled_within(&self, pairs: u64, budget: &Budget) -> Option<Result<Arc<Compiled>, CompileError>> {
        let Content::Program(program) = &self.content else { return None };
        if let Some(known) = self.compiled.get().filter(|known| known.pairs() <= pairs) {
            return Some(Ok(Arc::clone(known)));
        }
        Some(self.prepare(program).compile_within(pairs, budget).map(|compiled| {
            let compiled = Arc::new(compiled);
            self.keep(&compiled);
            compiled
        }))
    }

    /// The pairs of states of the program, if they have been made.
    pub(crate) fn known_pairs(&self) -> Option<u64> {
        self.compiled.get().map(|compiled| compiled.pairs())
    }

    /// Keeps a compiled program for the next call.
    pub(crate) fn keep(&self, compiled: &Arc<Compiled>) {
        let _ = self.compiled.set(Arc::clone(compiled));
    }
}

impl Mistakes {
    /// The first of the errors.
    pub fn first_error(&self) -> Diagnostic {
        let none = || Diagnostic::error(Code("E0300"), Span::default(), "this is no program");
        self.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error).cloned().unwrap_or_else(none)
    }
}
