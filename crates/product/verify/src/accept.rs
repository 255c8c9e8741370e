//! The one way from a claim to a verdict: a text and a certificate, both as texts.

use serde::de::DeserializeOwned;
use serval_budget::{Cancel, Stopped};
use serval_compile::Unclosed;
use serval_proof::{Caps, Refusal, TooLarge};

use crate::{InputError, Outcome, Proved};

/// What a certificate is about, as text.
pub trait Subject {
    /// A certificate about it.
    type Certificate: DeserializeOwned;

    /// What an accepted certificate proves.
    type Proved: Proved;

    /// Reads the text, and checks the certificate for what it says.
    fn check(&self, certificate: &Self::Certificate, caps: &Caps, cancel: &Cancel) -> Result<Self::Proved, Refusal<Unusable>>;
}

/// Why there is nothing that the certificate could be about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// The text cannot be read, or the program fails.
    InputError(InputError),
    /// The states that were handed over are not those of the program.
    Unclosed(Unclosed),
}

impl From<InputError> for Refusal<Unusable> {
    fn from(error: InputError) -> Self {
        Self::System(Unusable::InputError(error))
    }
}

/// Checks a certificate for a text: what is accepted is proved.
///
/// ```
/// use serval_budget::Cancel;
/// use serval_verify::{Caps, Syntax, TsoText, accept};
/// let text = TsoText { text: "memory x; thread P { x := 1; }", syntax: Syntax::Tso, questions: &[] };
/// let outcome = accept(&text, "{}", &Caps::default(), &Cancel::new());
/// assert_eq!(outcome.status(), 2);
/// assert_eq!(outcome.line("p.tso", "c.json", text.text), "c.json:1:2: error: missing field `format`");
/// ```
pub fn accept<S: Subject>(subject: &S, certificate: &str, caps: &Caps, cancel: &Cancel) -> Outcome<S::Proved> {
    if let Err(too_large) = caps.admit_bytes(certificate.len()) {
        return Outcome::TooLarge(too_large);
    }
    let certificate = match serval_evidence::read(certificate) {
        Ok(certificate) => certificate,
        Err(error) => return Outcome::InputError(InputError::Certificate(error)),
    };
    match subject.check(&certificate, caps, cancel).map_err(|refusal| refusal.of_ticks(caps.ticks)) {
        Ok(proved) => Outcome::Valid(proved),
        Err(Refusal::Invalid(rejection)) => Outcome::Invalid(rejection),
        Err(Refusal::TooLarge { what, limit }) => Outcome::TooLarge(TooLarge { what, limit }),
        Err(Refusal::Stopped(Stopped::Cancelled | Stopped::OutOfTicks)) => Outcome::Cancelled,
        Err(Refusal::System(Unusable::InputError(error))) => Outcome::InputError(error),
        Err(Refusal::System(Unusable::Unclosed(unclosed))) => Outcome::Unclosed(unclosed),
    }
}
