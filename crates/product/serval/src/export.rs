//! Network systems in the forms of other tools: as JSON, as graphs and pictures, as the stages of the published method,
//! and as proof obligations for other solvers.
//!
//! [`Systems`] are made once, of an input; each form is one call.
//!
//! ```
//! use serval::export::{ExportNames, Stage, SystemForm, Systems, core};
//! use serval::{Cancel, ClassicOptions, CompileOptions, Input};
//! let input = Input::program("request flip { X := 1 - X; X }").unwrap();
//! assert_eq!(core(&input).unwrap(), "request flip {\n    X := 1 - X;\n    X\n}\n");
//! let systems = Systems::new(&input, CompileOptions::default(), ExportNames::Given).unwrap();
//! assert!(systems.written(SystemForm::Mermaid).unwrap().starts_with("flowchart"));
//! let stage = systems.stage(Stage::Regex, &ClassicOptions::default(), &Cancel::new()).unwrap();
//! assert_eq!(stage.text, "(flip/1 flip/0)* (ε | flip/1)\n");
//! ```

mod obligations;
mod pictures;
mod stages;

use std::sync::Arc;

use serval_budget::{Budget, Cancel};
use serval_compile::{CompileError, Compiled, TranslationError, compile};
use serval_model::{NetworkSystem, SerialAutomaton, product, systems_to_json};
use serval_obligations::Obligation;
use serval_report::pictures::View;
use serval_report::{Labels, PlainLabels, ProgramLabels, automaton_dot, core_with_map as written_map, escape, system_dot, system_mermaid};
use serval_syntax::{Diagnostic, LineIndex, core_of, core_text};

use crate::input::{Content, Input};
use crate::options::{CompileOptions, Methods};
use crate::unwritten::ExportError;
use crate::value_names::ValueNames;

pub use obligations::Unproved;
pub use stages::{Stage, StageText};

/// Why a program has no network systems.
#[derive(Clone, Debug)]
pub enum NotCompiled {
    /// A step fails, or there are too many states.
    Mistake(Box<Diagnostic>),
    /// The work was ended from outside.
    Stopped,
}

impl NotCompiled {
    fn new(error: &CompileError, text: &str) -> Self {
        error.diagnostic(text).map_or(Self::Stopped, |diagnostic| Self::Mistake(Box::new(diagnostic)))
    }
}

/// A network system, or its serial automaton, as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemForm {
    /// The JSON that serval reads.
    Json,
    /// The system for Graphviz.
    Dot,
    /// The system for Mermaid.
    Mermaid,
    /// The serial automaton for Graphviz.
    AutomatonDot,
}

/// What states, requests and answers are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportNames {
    /// As the file of network systems calls them, or the compiler.
    Given,
    /// The same; what cannot be seen in a name of a file is written out.
    Visible,
    /// The same; values have the names that the program has for them.
    ForPeople,
}

/// A program in the core language; `None` for network systems.
pub fn core(input: &Input) -> Option<String> {
    match input.content() {
        Content::Program(program) => Some(core_text(program)),
        Content::Systems(_) => None,
    }
}

/// The core of a program with the map from its states to those of its network systems, as JSON; `None` for network
/// systems. There is no map where there are no systems, as a step fails or there are too many states.
pub fn core_with_map(input: &Input, options: CompileOptions) -> Option<Result<String, ExportError>> {
    let Content::Program(program) = input.content() else { return None };
    let budget = Budget::unlimited();
    let compiled = compile(program, options.options(), &budget).ok();
    let map = match compiled.as_ref().map(|compiled| compiled.map_as_written(options.options().limits.pairs, &budget)) {
        Some(Ok(map)) => Some(map),
        None | Some(Err(TranslationError::TooLarge | TranslationError::Stopped(_))) => None,
        Some(Err(TranslationError::Differs(what))) => return Some(Err(ExportError::Reason(what))),
    };
    let written: Vec<String> = program.requests.iter().map(|request| request.name.clone()).collect();
    Some(Ok(written_map(&core_of(program), &written, compiled.as_ref().zip(map.as_ref()))))
}

/// The network systems of an input, which share nothing.
#[derive(Clone)]
pub struct Systems {
    text: Arc<str>,
    /// What the names of states come from, where there is a program.
    compiled: Option<Arc<Compiled>>,
    systems: Vec<Component>,
}

#[derive(Clone)]
struct Component {
    system: NetworkSystem,
    /// Which component of the program it is.
    number: Option<usize>,
}

/// Systems with what their states are called.
type Labelled<'a> = Vec<(&'a NetworkSystem, Box<dyn Labels + 'a>)>;

impl Systems {
    /// Those of an input, with names as they are wanted.
    pub fn new(input: &Input, options: CompileOptions, names: ExportNames) -> Result<Self, NotCompiled> {
        let compiled = match input.content() {
            Content::Systems(_) => None,
            Content::Program(program) => {
                let compiled = compile(program, options.options(), &Budget::unlimited());
                Some(Arc::new(compiled.map_err(|error| NotCompiled::new(&error, input.text()))?))
            }
        };
        Ok(Self::of(input, compiled, names))
    }

    /// A system that stands for itself.
    pub fn given(system: NetworkSystem) -> Self {
        Self { text: Arc::from(""), compiled: None, systems: vec![Component { system, number: None }] }
    }

    /// Those of an input for people, if they are small; what is compiled is kept for the input.
    pub(crate) fn small(input: &Input, pairs: u64, cancel: &Cancel) -> Option<Self> {
        match input.compiled_within(pairs, &Budget::new(u64::MAX, cancel.clone())) {
            None => Some(Self::of(input, None, ExportNames::ForPeople)),
            Some(compiled) => Some(Self::of(input, Some(compiled.ok()?), ExportNames::ForPeople)),
        }
    }

    fn of(input: &Input, compiled: Option<Arc<Compiled>>, names: ExportNames) -> Self {
        let systems: Vec<NetworkSystem> = match (input.content(), &compiled) {
            (Content::Systems(systems), _) if names == ExportNames::Given => systems.clone(),
            (Content::Systems(systems), _) => systems.iter().map(|system| system.shown().into_owned()).collect(),
            (Content::Program(program), Some(compiled)) => {
                let names = if names == ExportNames::ForPeople { ValueNames::new(program, input.text()) } else { ValueNames::default() };
                let components = compiled.components().iter();
                components.map(|component| names.in_system(program, component.system()).into_owned()).collect()
            }
            (Content::Program(_), None) => Vec::new(),
        };
        let is_program = compiled.is_some();
        let number = |(number, system)| Component { system, number: is_program.then_some(number) };
        Self { text: Arc::from(input.text()), compiled, systems: systems.into_iter().enumerate().map(number).collect() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.systems.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.systems.is_empty()
    }

    /// The systems.
    pub fn systems(&self) -> impl Iterator<Item = &NetworkSystem> {
        self.systems.iter().map(|component| &component.system)
    }

    /// The component with this number, counted from 0, alone.
    pub fn component(mut self, number: usize) -> Option<Self> {
        if number >= self.systems.len() {
            return None;
        }
        self.systems = vec![self.systems.swap_remove(number)];
        Some(self)
    }

    /// All of them as one system, of at most so many states.
    pub fn product(self, most: usize) -> Result<Self, ExportError> {
        if self.len() <= 1 {
            return Ok(self);
        }
        let parts: Vec<&NetworkSystem> = self.systems().collect();
        let whole = product(&parts, most).map_err(|error| ExportError::Reason(format!("the product is too large: {error}")))?;
        Ok(Self::given(whole))
    }

    fn labelled<'a>(&'a self, lines: &'a LineIndex) -> Labelled<'a> {
        let label = |component: &'a Component| {
            let source = component.number.zip(self.compiled.as_deref()).and_then(|(number, all)| all.components().get(number));
            let labels: Box<dyn Labels + 'a> = match source {
                Some(source) => Box::new(ProgramLabels::new(source, &self.text, lines)),
                None => Box::new(PlainLabels),
            };
            (&component.system, labels)
        };
        self.systems.iter().map(label).collect()
    }

    /// The systems as text.
    pub fn written(&self, form: SystemForm) -> Result<String, ExportError> {
        let lines = LineIndex::new(&self.text);
        let labelled = self.labelled(&lines);
        let rows: Vec<(&NetworkSystem, &dyn Labels)> = labelled.iter().map(|(system, labels)| (*system, &**labels)).collect();
        Ok(match form {
            SystemForm::Json => escape::json(systems_to_json(&self.systems().cloned().collect::<Vec<_>>())),
            SystemForm::Dot => system_dot(&rows),
            SystemForm::Mermaid => system_mermaid(&rows),
            SystemForm::AutomatonDot => {
                let automata = self.systems().map(|system| SerialAutomaton::new(system, &mut Budget::unlimited()));
                let automata = automata.collect::<Result<Vec<_>, _>>().map_err(|_| ExportError::Reason("stopped".to_owned()))?;
                let rows: Vec<_> = rows.iter().zip(&automata).map(|(&(system, labels), automaton)| (system, automaton, labels)).collect();
                automaton_dot(&rows)
            }
        })
    }

    /// A picture of the systems, of a file of this name, as an SVG document.
    pub fn svg(&self, view: View, file: &str) -> Result<String, ExportError> {
        let drawn = self.picture(view, &mut Budget::unlimited())?;
        Ok(drawn.svg("serval", &view.words(file).words()))
    }

    /// A stage of the published method. A net is that of one system, and there has to be one.
    pub fn stage(&self, stage: Stage, options: &crate::ClassicOptions, cancel: &Cancel) -> Result<StageText, ExportError> {
        stages::written(&self.systems().collect::<Vec<_>>(), stage, options, cancel)
    }

    /// Proves each of the systems; what makes the proofs proofs, as questions for other solvers, by system.
    pub fn obligations(&self, methods: &Methods, jobs: usize, cancel: &Cancel) -> Result<Vec<Vec<Obligation>>, Unproved> {
        obligations::proved(&self.systems().collect::<Vec<_>>(), methods, jobs, cancel)
    }
}
