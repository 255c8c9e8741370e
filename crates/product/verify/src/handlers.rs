//! Certificates about files of handlers in JavaScript and TypeScript.
//!
//! Such a file becomes a program in which every `await` pauses; that is a function of its text and of the options in
//! the certificate. With the feature `handlers` the file is read and translated again. Without it the certificate
//! inside is checked for the program as `serval export FILE --to ser` writes it.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serval_budget::Cancel;
use serval_diagnostic::FormatError;
use serval_proof::Caps;

use crate::{InputError, InputKind, Outcome, RequestsText, accept};

serval_evidence::head!("serval-handlers-certificate", 1);

/// What the translation depends on beside the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandlerOptions {
    /// How many values the outside has where they are only moved.
    pub values: i64,
    /// How many keys there are, if that is said.
    pub keys: Option<i64>,
    /// Whether numbers go further than usual.
    pub wide: bool,
    /// Status codes that mean that nothing has happened.
    pub refusals: Vec<i64>,
    /// The requests that there are, if not all.
    pub requests: Option<Vec<String>>,
}

impl HandlerOptions {
    /// Those of a certificate, if it is one about a file of handlers.
    pub fn of(certificate: &str) -> Option<Self> {
        Some(HandlersCertificate::read(certificate)?.ok()?.options)
    }
}

/// A certificate about a file of handlers.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandlersCertificate {
    format: FormatName,
    version: FormatVersion,
    /// The fingerprint of the file.
    file: String,
    options: HandlerOptions,
    /// The run of Node, for `serval replay`; nothing rests on it here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    node: Option<Box<RawValue>>,
    /// The certificate about the program.
    certificate: Box<RawValue>,
}

impl HandlersCertificate {
    /// A certificate about a file from one about its program, both as JSON, and perhaps a run of Node.
    pub fn text(file: &str, options: HandlerOptions, certificate: &str, node: Option<String>) -> Option<String> {
        let raw = |text: &str| RawValue::from_string(text.trim().to_owned()).ok();
        let (file, certificate) = (serval_evidence::fingerprint(file), raw(certificate)?);
        let node = node.as_deref().and_then(raw);
        let whole = Self { format: FormatName, version: FormatVersion, file, options, node, certificate };
        Some(format!("{}\n", serval_evidence::line(&whole)))
    }

    /// Reads one; nothing where the text is something else.
    pub fn read(text: &str) -> Option<Result<Self, FormatError>> {
        let begins: String = text.chars().filter(|c| !c.is_whitespace()).take(FORMAT.len() + 20).collect();
        begins.contains(FORMAT).then(|| serval_evidence::read(text))
    }
}

/// A text that a certificate is about, and what both are called.
#[derive(Clone, Copy, Debug)]
pub struct HandlersSubject<'a> {
    /// The text of the file, or of its program.
    pub text: &'a str,
    /// What it is called.
    pub name: &'a str,
    /// The certificate.
    pub certificate: &'a str,
    /// What it is called.
    pub certificate_name: &'a str,
}

impl HandlersSubject<'_> {
    fn certificate(&self, caps: &Caps) -> Result<HandlersCertificate, Outcome> {
        caps.admit_bytes(self.certificate.len()).map_err(Outcome::TooLarge)?;
        let none = || Err(FormatError::new(1, 1, "this is no certificate about a file of handlers".to_owned()));
        let read = HandlersCertificate::read(self.certificate).unwrap_or_else(none);
        read.map_err(|error| Outcome::InputError(InputError::Certificate(error)))
    }

    fn said(&self, text: &str, outcome: &Outcome, beside: &str) -> (u8, String) {
        let line = outcome.line(self.name, self.certificate_name, text);
        let beside = if outcome.status() == 0 { beside } else { "" };
        (outcome.status(), format!("{line}{beside}"))
    }

    fn outcome(text: &str, certificate: &HandlersCertificate, caps: &Caps, cancel: &Cancel) -> Outcome {
        accept(&RequestsText { text, kind: InputKind::Program, handed: None }, certificate.certificate.get(), caps, cancel)
    }

    /// Checks the certificate for the program of the file: the exit status, and what is said in a line.
    pub fn verify_program(&self, caps: &Caps, cancel: &Cancel) -> (u8, String) {
        match self.certificate(caps) {
            Ok(certificate) => {
                let outcome = Self::outcome(self.text, &certificate, caps, cancel);
                self.said(self.text, &outcome, "; this is the program of a file of handlers, and the file was not read")
            }
            Err(outcome) => self.said(self.text, &outcome, ""),
        }
    }

    /// Checks the certificate for the file, which is translated again.
    #[cfg(feature = "handlers")]
    pub fn verify_file(&self, caps: &Caps, cancel: &Cancel) -> (u8, String) {
        let certificate = match self.certificate(caps) {
            Ok(certificate) => certificate,
            Err(outcome) => return self.said(self.text, &outcome, ""),
        };
        let shown = |name: &str| serval_diagnostic::shown::name(name).into_owned();
        if certificate.file != serval_evidence::fingerprint(self.text) {
            let line = format!("{}: invalid: it is about another text than {}", shown(self.certificate_name), shown(self.name));
            return (1, line);
        }
        match translated(self.name, self.text, &certificate.options) {
            Ok(program) => {
                let outcome = Self::outcome(&program, &certificate, caps, cancel);
                self.said(&program, &outcome, ", with every `await` as a pause")
            }
            Err(why) => (2, serval_diagnostic::shown::line(&format!("{}: error: {why}", shown(self.name))).into_owned()),
        }
    }
}

/// The program of a file.
#[cfg(feature = "handlers")]
fn translated(name: &str, text: &str, options: &HandlerOptions) -> Result<String, String> {
    let HandlerOptions { values, keys, wide, refusals, requests } = options.clone();
    let numbers = if wide { serval_handlers::Numbers::Several } else { serval_handlers::Numbers::Few };
    let fits = (1..=9).contains(&values) && keys.is_none_or(|keys| (1..=9).contains(&keys));
    if !fits {
        return Err("the certificate has options that `serval check` does not take".to_owned());
    }
    let language = serval_script::Language::of(name).unwrap_or(serval_script::Language::JavaScript);
    let first = |list: Vec<serval_diagnostic::Diagnostic>| list.first().map_or_else(String::new, |one| one.message.to_string());
    let (module, _) = serval_script::read(text, language).map_err(first)?;
    let bounds = serval_handlers::HandlerBounds { values, keys, numbers, refusals, requests };
    let made = serval_handlers::steps(&module, &bounds);
    made.map(|made| made.text).map_err(|why| why.parts.first().map_or_else(String::new, |one| format!("not modelled: {}", one.what)))
}
