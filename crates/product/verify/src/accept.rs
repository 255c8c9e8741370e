//! The one way from a claim to a verdict: a text and a certificate, which may come piece by piece.

use std::io::{self, BufReader, Read};

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
    match serval_evidence::read(certificate) {
        Ok(certificate) => checked(subject, &certificate, caps, cancel),
        Err(error) => Outcome::InputError(InputError::Certificate(error)),
    }
}

/// Ticks that each byte of a certificate pays for which is read piece by piece: what is written down at length may take
/// as long to check.
const TICKS_OF_A_BYTE: u64 = 32;
/// Bytes that are read at once.
const PIECE: usize = 1 << 16;

/// The same for a certificate of at most so many bytes that comes piece by piece, and is never there as a text. The
/// error is that of what it comes from; a raised flag ends reading, too.
pub fn accept_from<S: Subject>(
    subject: &S,
    certificate: impl Read,
    most: u64,
    caps: &Caps,
    cancel: &Cancel,
) -> io::Result<Outcome<S::Proved>> {
    let mut pieces = Pieces { from: certificate, read: 0, most, cancel };
    let read = serval_evidence::read_from(BufReader::with_capacity(PIECE, &mut pieces));
    let read_bytes = pieces.read;
    if read_bytes > most {
        return Ok(Outcome::TooLarge(TooLarge { what: "bytes", limit: most }));
    }
    Ok(match read {
        Err(_) if cancel.is_cancelled() => Outcome::Cancelled,
        Err(error) => return Err(error),
        Ok(Err(error)) => Outcome::InputError(InputError::Certificate(error)),
        Ok(Ok(certificate)) => {
            let ticks = caps.ticks.saturating_add(read_bytes.saturating_mul(TICKS_OF_A_BYTE));
            checked(subject, &certificate, &Caps { ticks, ..*caps }, cancel)
        }
    })
}

/// What a certificate comes from, until it is longer than allowed or the flag is raised.
struct Pieces<'a, From> {
    from: From,
    read: u64,
    most: u64,
    cancel: &'a Cancel,
}

impl<From: Read> Read for Pieces<'_, From> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(into)?;
        self.read = self.read.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
        if self.read > self.most || self.cancel.is_cancelled() {
            return Err(io::Error::other("it is not read to its end"));
        }
        Ok(count)
    }
}

fn checked<S: Subject>(subject: &S, certificate: &S::Certificate, caps: &Caps, cancel: &Cancel) -> Outcome<S::Proved> {
    match subject.check(certificate, caps, cancel).map_err(|refusal| refusal.of_ticks(caps.ticks)) {
        Ok(proved) => Outcome::Valid(proved),
        Err(Refusal::Invalid(rejection)) => Outcome::Invalid(rejection),
        Err(Refusal::TooLarge { what, limit }) => Outcome::TooLarge(TooLarge { what, limit }),
        Err(Refusal::Stopped(Stopped::Cancelled | Stopped::OutOfTicks)) => Outcome::Cancelled,
        Err(Refusal::System(Unusable::InputError(error))) => Outcome::InputError(error),
        Err(Refusal::System(Unusable::Unclosed(unclosed))) => Outcome::Unclosed(unclosed),
    }
}
