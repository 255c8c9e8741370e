//! Certificates for texts: the independent checker (`serval-verify`) goes through one, and what it says is a line.
//!
//! ```
//! use serval::verify::{Subject, verify};
//! use serval::{Cancel, Input, InputKind, Options, decide};
//! let text = "request flip { X := 1 - X; X }";
//! let decision = decide(&Input::program(text).unwrap(), &Options::default());
//! let certificate = &decision.evidence().unwrap().certificate;
//! let subject = Subject::Requests { text, kind: InputKind::Program };
//! let checked = verify(&subject, "flip.ser", certificate, "flip.json", &Cancel::new());
//! assert_eq!((checked.status, checked.line.starts_with("flip.json: valid: ")), (0, true), "{}", checked.line);
//! ```

#[cfg(feature = "nets")]
use std::io::{self, Read};

use serval_budget::Cancel;
#[cfg(feature = "weak-memory")]
pub use serval_verify::Syntax;
#[cfg(feature = "weak-memory")]
use serval_verify::TsoText;
#[cfg(any(feature = "nets", feature = "weak-memory"))]
use serval_verify::accept;
use serval_verify::{Caps, HandlersCertificate, HandlersSubject, InputError, InputKind, Outcome, Proved};
#[cfg(feature = "nets")]
pub use serval_verify::{NetFormat, NetPart, NetText};

/// What a certificate is about.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// A program of requests, or network systems.
    Requests {
        /// The text.
        text: &'a str,
        /// What it is.
        kind: InputKind,
    },
    /// A file of handlers in JavaScript or TypeScript.
    #[cfg(feature = "handlers")]
    Handlers {
        /// The text.
        text: &'a str,
    },
    /// A net, or several that are composed.
    #[cfg(feature = "nets")]
    Nets {
        /// The files, at least one.
        parts: &'a [NetPart<'a>],
        /// Whether the parts are composed by the names of their transitions, as are the pages of each.
        composed: bool,
        /// Where it begins, unless it is as the file says.
        from: Option<&'a str>,
    },
    /// A program on weak memory.
    #[cfg(feature = "weak-memory")]
    WeakMemory {
        /// The text.
        text: &'a str,
        /// How it is written down.
        syntax: Syntax,
        /// What is asked, where the text does not ask it itself.
        questions: &'a [String],
    },
}

/// What the checker says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// As an exit status: 0 where the claim is proved.
    pub status: u8,
    /// In a line.
    pub line: String,
    /// Whether the certificate's text is no certificate.
    pub is_no_certificate: bool,
}

/// Checks a certificate; the names are those that the line has for the subject and the certificate.
pub fn verify(subject: &Subject<'_>, name: &str, certificate: &str, certificate_name: &str, cancel: &Cancel) -> Checked {
    let caps = &Caps::default();
    match *subject {
        Subject::Requests { text, kind: InputKind::Program } if HandlersCertificate::read(certificate).is_some() => {
            of_handlers(HandlersSubject { text, name, certificate, certificate_name }.verify_program(caps, cancel))
        }
        #[cfg(feature = "handlers")]
        Subject::Handlers { text } => of_handlers(HandlersSubject { text, name, certificate, certificate_name }.verify_file(caps, cancel)),
        Subject::Requests { text, kind } => {
            checked(&serval_verify::verify(text, kind, certificate, caps, cancel), name, certificate_name, text)
        }
        #[cfg(feature = "nets")]
        Subject::Nets { parts, composed, from } => {
            let net = NetText { parts, is_composed: composed, from };
            of_net(&net, &accept(&net, certificate, caps, cancel), name, certificate_name)
        }
        #[cfg(feature = "weak-memory")]
        Subject::WeakMemory { text, syntax, questions } => {
            checked(&accept(&TsoText { text, syntax, questions }, certificate, caps, cancel), name, certificate_name, text)
        }
    }
}

/// Checks a certificate for a net that comes piece by piece and may be long; the error is that of what it comes from.
#[cfg(feature = "nets")]
pub fn verify_net_from(
    net: &NetText<'_>,
    name: &str,
    certificate: impl Read,
    certificate_name: &str,
    cancel: &Cancel,
) -> io::Result<Checked> {
    let outcome = serval_verify::accept_from(net, certificate, serval_verify::MOST_NET_BYTES, &Caps::default(), cancel)?;
    Ok(of_net(net, &outcome, name, certificate_name))
}

#[cfg(feature = "nets")]
fn of_net(net: &NetText<'_>, outcome: &Outcome<serval_verify::NetProved>, name: &str, certificate_name: &str) -> Checked {
    let from = net.from.filter(|_| outcome.status() == 0);
    let name = from.map_or_else(|| name.to_owned(), |from| format!("{name} from {from}"));
    checked(outcome, &name, certificate_name, net.parts.first().map_or("", |part| part.text))
}

fn of_handlers((status, line): (u8, String)) -> Checked {
    Checked { status, line, is_no_certificate: false }
}

fn checked<P: Proved>(outcome: &Outcome<P>, name: &str, certificate_name: &str, text: &str) -> Checked {
    let is_no_certificate = matches!(outcome, Outcome::InputError(InputError::Certificate(_)));
    Checked { status: outcome.status(), line: outcome.line(name, certificate_name, text), is_no_certificate }
}

/// Checks that compiling a program has kept its meaning.
pub fn verify_compilation(text: &str, name: &str, cancel: &Cancel) -> Checked {
    let outcome = serval_verify::verify_compilation(text, cancel);
    Checked { status: outcome.status(), line: outcome.line(name, text), is_no_certificate: false }
}
