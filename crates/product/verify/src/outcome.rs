//! What comes of checking a certificate, whatever it is about.

use std::fmt;

use serval_compile::Unclosed;
use serval_diagnostic::{Diagnostic, FormatError, LineIndex, Severity, shown};
use serval_model::JsonError;
use serval_proof::{Claim, Kind, Rejection, TooLarge};

/// What came out. `P` is what an accepted certificate proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<P = Valid> {
    /// The claim is proved.
    Valid(P),
    /// A condition does not hold. Nothing is said about the claim.
    Invalid(Rejection),
    /// The check would exceed a cap. Nothing is said about the certificate.
    TooLarge(TooLarge),
    /// The input or the certificate cannot be read, or the program fails.
    InputError(InputError),
    /// The states that were handed over are not those of the program: a bug of whoever compiled it.
    Unclosed(Unclosed),
    /// Somebody raised the flag.
    Cancelled,
}

/// What an accepted certificate proves, in words.
pub trait Proved {
    /// The sentence about the input of this name, without a full stop.
    fn sentence(&self, input: &str) -> String;
}

/// A certificate about requests that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Valid {
    /// What is proved.
    pub claim: Claim,
    /// By what kind of certificate.
    pub kind: Kind,
    /// The evidence in a few words, such as `a run of 2 requests in 8 events`.
    pub summary: String,
    /// Whether the program has assertions, and it is proved that they hold beside what is claimed.
    pub also_safe: bool,
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
    /// The net cannot be read.
    Net(FormatError),
    /// One of the files that the net is composed of cannot be read.
    Part {
        /// What it is called.
        name: String,
        /// Why not.
        error: FormatError,
    },
    /// The nets cannot be composed.
    Composed(String),
    /// Where the net is to begin cannot be read.
    From(String),
    /// The program on weak memory cannot be read.
    Tso(Box<Diagnostic>),
    /// A question that is asked beside those of the program cannot be read.
    Question(String, Box<Diagnostic>),
    /// The certificate's text is no certificate.
    Certificate(FormatError),
}

impl<P: Proved> Outcome<P> {
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
        let said = match self {
            Self::Valid(proved) => format!("{certificate}: valid: {}", proved.sentence(input)),
            Self::Invalid(rejection) => format!("{certificate}: invalid: {rejection}"),
            Self::TooLarge(too_large) => format!("{certificate}: too large: {too_large}"),
            Self::Unclosed(unclosed) => format!("{input}: internal error: {unclosed}"),
            Self::Cancelled => format!("{certificate}: cancelled"),
            Self::InputError(error) => error.written(input, certificate, text),
        };
        shown::line(&said).into_owned()
    }
}

impl InputError {
    fn written(&self, input: &str, certificate: &str, text: &str) -> String {
        let at = |name: &str, error: &FormatError| format!("{name}:{}:{}: error: {}", error.line, error.column, error.message);
        match self {
            Self::Certificate(error) => at(certificate, error),
            Self::Net(error) => at(input, error),
            Self::Part { name, error } => at(&shown::name(name), error),
            Self::Composed(why) => format!("error: the nets cannot be composed: {why}"),
            Self::From(why) => format!("error: where it begins: {why}"),
            Self::System(error) => format!("{input}:{error}"),
            Self::Fault(diagnostic) => diagnostic_line(diagnostic, input, text),
            Self::Tso(diagnostic) => coded_line(diagnostic, input, text),
            Self::Question(question, diagnostic) => coded_line(diagnostic, "--question", question),
            Self::Program(diagnostics) => {
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

fn diagnostic_line(diagnostic: &Diagnostic, input: &str, text: &str) -> String {
    let at = LineIndex::new(text).position(text, diagnostic.primary.span.start);
    format!("{input}:{}:{}: error[{}]: {}", at.line, at.column, diagnostic.code, diagnostic.message)
}

fn coded_line(diagnostic: &Diagnostic, input: &str, text: &str) -> String {
    let at = LineIndex::new(text).position(text, diagnostic.primary.span.start);
    format!("{input}:{}:{}: error: {} [{}]", at.line, at.column, diagnostic.message, diagnostic.code)
}

impl Proved for Valid {
    fn sentence(&self, input: &str) -> String {
        match self.claim {
            Claim::Fault => format!("{input} can fail ({})", self.summary),
            Claim::NotStrict => format!("{input} is not strict ({})", self.summary),
            Claim::NotSerializable => format!("{input} is not serializable ({})", self.summary),
            _ => format!("{input} is {self}"),
        }
    }
}

impl fmt::Display for Valid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let also = if self.also_safe { " and safe" } else { "" };
        write!(f, "{}{also} ({})", self.claim.name(), self.summary)
    }
}
