//! Asynchronous handlers in JavaScript and TypeScript, decided by the program in which every `await` pauses.
//!
//! **What a verdict rests on.** The program of steps is decided with evidence that the checker has accepted, as every
//! program is. That it is a program *about the file* is shown on the very file: Node performs the file, with all orders
//! and outcomes of two calls as far as a budget goes, and each of its answers must be one of the program, and what
//! calls answer one at a time must be the same. Where they differ the file is undecided. A run of the program counts
//! only if Node has performed a run of the file itself with the same answers. So without Node nothing is decided.
//!
//! Architecture Invariant: no process, no file and no clock: the caller says how Node is asked.
//!
//! ```
//! use serval::Options;
//! use serval::handlers::{HandlerBounds, Handlers, Outcome, Turns};
//! let text = "import { dns } from './net.js';\nlet seen = 0;\n\
//!     export async function look(name) {\n  seen += 1;\n  await dns.lookup(name);\n}";
//! let handlers = Handlers::read("look.js", text, &HandlerBounds::default()).unwrap();
//! // There is no Node here.
//! let checked = handlers.check(&Options::default(), Turns::Any, &mut |_| Err("there is no Node".to_owned()));
//! assert!(matches!(checked.outcome, Outcome::Undecided(why) if why.starts_with("there is no Node")));
//! ```

mod checked;
mod found;
mod kept;
mod outside;
mod range;
mod run;
mod shown;
mod tried;

use serval_compile::{Source, StepLimits};
use serval_handlers::{Module, NoProgram, NotModelled, Numbers, Performed, StepsProgram};
use serval_script::Language;
use serval_syntax::Diagnostic;

use crate::input::{Content, Input};

pub use checked::{Checked, Outcome, Turns};
pub use found::{finding, mistakes};
pub use kept::{KeptRun, RepeatedRun};
pub use outside::{NoHandlers, Outside, OutsidePart};
pub use run::{Run, RunEvent};
pub use serval_handlers::{HandlerBounds, REFUSALS};
pub use serval_verify::HandlerOptions;
pub use tried::Tried;

/// A file of handlers as it is read, whether it can be decided about or not.
pub struct HandlerFile {
    text: String,
    module: Module,
    performed: Performed,
}

impl HandlerFile {
    /// Reads a file.
    pub fn read(name: &str, text: &str) -> Result<Self, Vec<Diagnostic>> {
        let (module, performed) = serval_script::read(text, Language::of(name).unwrap_or(Language::JavaScript))?;
        Ok(Self { text: text.to_owned(), module, performed })
    }

    /// The file as it is.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The file without its types, as Node performs it; nothing where it has what cannot be left out.
    pub fn plain_text(&self) -> Result<&str, &'static str> {
        self.performed.obstacle.map_or(Ok(self.performed.module.as_str()), Err)
    }
}

/// A file of handlers that can be decided about.
pub struct Handlers {
    file: HandlerFile,
    /// The program that is decided.
    input: Input,
    translation: StepsProgram,
    /// The same without refusals and with more numbers, which is compared with Node.
    compared: StepsProgram,
    source: Source,
    /// Status codes that mean that nothing has happened.
    refusals: Vec<i64>,
    /// What the translation depends on beside the text.
    options: HandlerOptions,
}

/// Whether a file of this name is one of handlers.
pub fn is_handlers(name: &str) -> bool {
    Language::of(name).is_some()
}

impl Handlers {
    /// Reads a file.
    pub fn read(name: &str, text: &str, bounds: &HandlerBounds) -> Result<Self, Vec<Diagnostic>> {
        Self::of(HandlerFile::read(name, text)?, bounds).map_err(|undecided| undecided.1.diagnostics())
    }

    /// The same of a file that is read; it comes back where it cannot be decided about.
    pub fn of(file: HandlerFile, bounds: &HandlerBounds) -> Result<Self, Box<(HandlerFile, NoHandlers)>> {
        match Self::translated(&file.module, bounds) {
            Ok((input, translation, compared, source)) => {
                let HandlerBounds { values, keys, refusals, requests, .. } = bounds.clone();
                let options = HandlerOptions { values, keys, wide: false, refusals: refusals.clone(), requests };
                Ok(Self { file, input, translation, compared, source, refusals, options })
            }
            Err(why) => {
                let why = NoHandlers::new(why, &file.text);
                Err(Box::new((file, why)))
            }
        }
    }

    /// A file as two programs.
    fn translated(module: &Module, bounds: &HandlerBounds) -> Result<(Input, StepsProgram, StepsProgram, Source), NoProgram> {
        let translation = serval_handlers::steps(module, bounds)?;
        let input = program(&translation)?;
        // With as many keys as were found to be needed, so that requests have the same names.
        let more = HandlerBounds { numbers: Numbers::Many, refusals: Vec::new(), ..bounds.clone() };
        let mut compared = serval_handlers::steps(module, &more)?;
        // What a handler refuses with is the same; the program compared has nothing for it.
        for (name, call) in &mut compared.calls {
            call.refusals = translation.calls.get(name).map(|call| call.refusals.clone()).unwrap_or_default();
        }
        let analysed = program(&compared)?;
        let Content::Program(program) = analysed.content() else { return Err(NoProgram::default()) };
        let source = Source::new(program, StepLimits::default());
        Ok((input, translation, compared, source))
    }

    /// The program with more numbers, for a run that leaves those that there are.
    fn wider(&self) -> Option<(Input, StepsProgram, HandlerOptions)> {
        if !self.translation.bounded.iter().any(|said| said.starts_with("numbers ")) {
            return None;
        }
        let options = HandlerOptions { wide: true, ..self.options.clone() };
        let HandlerOptions { values, keys, refusals, requests, .. } = options.clone();
        let bounds = HandlerBounds { values, keys, numbers: Numbers::Several, refusals, requests };
        let translation = serval_handlers::steps(&self.file.module, &bounds).ok()?;
        Some((program(&translation).ok()?, translation, options))
    }

    /// The file.
    pub fn file(&self) -> &HandlerFile {
        &self.file
    }

    /// The program in which every `await` pauses.
    pub fn program_text(&self) -> &str {
        self.input.text()
    }

    /// How values are bounded, in words.
    pub fn bounds(&self) -> &[String] {
        &self.translation.bounded
    }

    /// The requests of the file.
    pub fn requests(&self) -> &[String] {
        &self.translation.requests
    }
}

/// The text of a translation as a program, or where in the file it goes wrong.
fn program(translation: &StepsProgram) -> Result<Input, NoProgram> {
    Input::program(translation.text.clone()).map_err(|mistakes| {
        let why = mistakes.first_error();
        let line = line_of(&mistakes.text, why.primary.span.start);
        let place = translation.places.get(line).copied().unwrap_or_default();
        let what = format!("what no program can be made of: {}", why.message);
        let part = NotModelled { what, help: "make the handler smaller".to_owned(), span: place, request: None, is_mistake: false };
        NoProgram { parts: vec![part], others: Vec::new() }
    })
}

/// The line of a place, from 0.
fn line_of(text: &str, at: u32) -> usize {
    text.get(..at as usize).map_or(0, |before| before.matches('\n').count())
}
