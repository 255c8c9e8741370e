//! Asynchronous handlers in JavaScript and TypeScript, decided by the program in which every `await` pauses.
//!
//! **Architecture Invariant:** nothing here is a verdict on a file. What the program of steps gives is said in the reason
//! why the file is undecided: the translation has not been compared with Node yet, and no certificate is about the file.
//! Node has fewer orders than the program, too, so that a run of the program need not be one of Node.
//!
//! ```
//! use serval::Options;
//! use serval::handlers::{Bounds, Handlers};
//! let text = "import { dns } from './net.js';\nlet seen = 0;\nexport async function look(name) {\n  seen += 1;\n  await dns.lookup(name);\n}";
//! let handlers = Handlers::read("look.js", text, &Bounds::default()).unwrap();
//! let report = handlers.report(handlers.decide(&Options::default()), "look.js", false);
//! assert!(report.reason.unwrap().starts_with("every `await` as a pause: serializable"));
//! ```

use serval_report::{FileReport, Verdict as Word};
use serval_script::Language;
use serval_syntax::{Code, Diagnostic, Span};

use crate::counterexample::Counterexample;
use crate::decide::{Decision, Verdict, decide};
use crate::input::Input;
use crate::options::Options;

pub use serval_handlers::Bounds;

/// Why none of this is a verdict.
const UNCOMPARED: &str = "the translation has not been compared with Node yet";

/// What is not modelled.
const OUTSIDE: Code = Code("E0803");

/// A file of handlers that can be decided about.
pub struct Handlers {
    input: Input,
    translation: serval_handlers::Translation,
}

/// Whether a file of this name is one of handlers.
pub fn is_handlers(name: &str) -> bool {
    Language::of(name).is_some()
}

impl Handlers {
    /// Reads a file.
    pub fn read(name: &str, text: &str, bounds: &Bounds) -> Result<Self, Vec<Diagnostic>> {
        let module = serval_script::read(text, Language::of(name).unwrap_or(Language::JavaScript))?;
        let translation = serval_handlers::steps(&module, bounds).map_err(|list| list.into_iter().map(diagnostic).collect::<Vec<_>>())?;
        match Input::program(translation.text.clone()) {
            Ok(input) => Ok(Self { input, translation }),
            Err(mistakes) => {
                let why = mistakes.first_error();
                let line = line_of(&mistakes.text, why.primary.span.start);
                let place = translation.places.get(line).copied().unwrap_or_default();
                let message = format!("a program that cannot be made of this: {}", why.message);
                Err(vec![Diagnostic::error(OUTSIDE, place, message).expected("handlers of the subset").help("make the handler smaller")])
            }
        }
    }

    /// The program in which every `await` pauses.
    pub fn program_text(&self) -> &str {
        self.input.text()
    }

    /// Decides about the program, which is no verdict on the file.
    pub fn decide(&self, options: &Options) -> Decision {
        let options = Options { fixes: false, invariants: false, proof: false, reusable: false, strict: false, ..options.clone() };
        decide(&self.input, &options)
    }

    /// What is said about the file: that it is undecided, and what the program gives as the reason.
    pub fn report(&self, decision: Decision, name: &str, times: bool) -> FileReport {
        if matches!(decision.verdict, Verdict::Refused(_)) {
            return decision.into_report(name, &self.input, times);
        }
        let given = match &decision.verdict {
            Verdict::Serializable(_) | Verdict::Strict(_) | Verdict::NotStrict(..) => "serializable".to_owned(),
            Verdict::NotSerializable(_, run) => self.told(run),
            Verdict::Fault(..) | Verdict::Unusable(_) => "a step can fail, where a number leaves its range".to_owned(),
            _ => decision.into_report(name, &self.input, times).reason.unwrap_or_else(|| "undecided".to_owned()),
        };
        let bounds =
            if self.translation.bounded.is_empty() { String::new() } else { format!(" ({})", self.translation.bounded.join(", ")) };
        let mut report = FileReport::new(name, Word::Unknown);
        report.reason = Some(format!("every `await` as a pause{bounds}: {given}; {UNCOMPARED}"));
        report
    }

    /// Answers that no order gives, in words.
    fn told(&self, run: &Counterexample) -> String {
        let answers = &self.translation.answers;
        let told: Vec<String> = run
            .requests
            .iter()
            .map(|one| {
                let words = one.response.parse().ok().and_then(|answer| answers.words(&one.request, answer));
                format!("{} → {}", answers.request(&one.request), words.unwrap_or_else(|| one.response.clone()))
            })
            .collect();
        format!("not serializable by {} calls ({})", told.len(), told.join(", "))
    }
}

fn diagnostic(why: serval_handlers::Refused) -> Diagnostic {
    let of = why.request.map_or_else(String::new, |request| format!(", which {request} comes to"));
    Diagnostic::error(OUTSIDE, why.span, format!("not modelled: {}{of}", why.what)).expected("handlers of the subset").help(why.help)
}

/// The line of a place, from 0.
fn line_of(text: &str, at: u32) -> usize {
    text.get(..at as usize).map_or(0, |before| before.matches('\n').count())
}

/// A place in the file that a line of the program is about.
impl Handlers {
    /// Where in the file a line of the program comes from.
    pub fn place(&self, line: usize) -> Option<Span> {
        self.translation.places.get(line).copied()
    }

    /// The requests of the file.
    pub fn requests(&self) -> &[String] {
        &self.translation.requests
    }
}
