//! Asynchronous handlers in JavaScript and TypeScript, decided by the program in which every `await` pauses.
//!
//! The program is a text, and evidence is about this text: whoever has no JavaScript parser checks the same certificate
//! against what `serval export FILE --to ser` writes.
//!
//! A proof about the program is one about Node ([`serval_handlers`] says why). A run of the program need not be one of
//! Node, which has fewer orders: it is told as a reason why nothing is decided.
//!
//! ```
//! use serval::handlers::{Bounds, Handlers};
//! use serval::{Options, Verdict};
//! let text = "import { dns } from './net.js';\nlet seen = 0;\nexport async function look(name) {\n  seen += 1;\n  await dns.lookup(name);\n}";
//! let handlers = Handlers::read("look.js", text, &Bounds::default()).unwrap();
//! assert!(matches!(handlers.decide(&Options::default()).verdict, Verdict::Serializable(_)));
//! ```

use serval_report::{FileReport, Verdict as Word};
use serval_script::Language;
use serval_syntax::{Code, Diagnostic, Span};

use crate::decide::{Decision, Verdict, decide};
use crate::evidence::Undecided;
use crate::input::Input;
use crate::options::Options;

pub use serval_handlers::Bounds;

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

    /// The program in which every `await` pauses, which certificates are about.
    pub fn program_text(&self) -> &str {
        self.input.text()
    }

    /// Decides about the program.
    pub fn decide(&self, options: &Options) -> Decision {
        let options = Options { fixes: false, invariants: false, proof: false, reusable: false, strict: false, ..options.clone() };
        decide(&self.input, &options)
    }

    /// What is said about the file.
    pub fn report(&self, mut decision: Decision, name: &str, times: bool) -> FileReport {
        // What these say is about the text of the program; and answers have no time.
        decision.findings.clear();
        decision.stuck.clear();
        decision.strict = None;
        decision.no_commit = None;
        decision.also_fails = None;
        let reason = self.reason(&decision);
        let mut report = match &decision.verdict {
            Verdict::Serializable(_) | Verdict::Refused(_) | Verdict::Undecided(_) => decision.into_report(name, &self.input, times),
            _ => FileReport::new(name, Word::Unknown),
        };
        if reason.is_some() {
            report.reason = reason;
        }
        report.open.clear();
        report.notes.clear();
        report.proof.clear();
        report.words.clear();
        report.advice = None;
        report.assumes = self.translation.bounded.clone();
        report
    }

    /// Why nothing is decided, where it is the program that says so.
    fn reason(&self, decision: &Decision) -> Option<String> {
        match &decision.verdict {
            Verdict::NotSerializable(_, run) => {
                let told: Vec<String> = run
                    .requests
                    .iter()
                    .map(|one| {
                        let words = one.response.parse().ok().and_then(|answer| self.translation.answers.words(&one.request, answer));
                        format!("{} → {}", self.translation.answers.request(&one.request), words.unwrap_or_else(|| one.response.clone()))
                    })
                    .collect();
                Some(format!(
                    "if every `await` lets others run, {} calls can be answered as in no order one at a time: {}; \
                     whether Node has this run is not known",
                    run.requests.len(),
                    told.join(", ")
                ))
            }
            Verdict::Fault(..) | Verdict::Unusable(_) => Some("the program of its steps can fail: a number leaves its range".to_owned()),
            Verdict::Undecided(Undecided::Stopped(_)) => None,
            _ => None,
        }
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
