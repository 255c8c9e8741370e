//! The envelope of answers.

use serde::Serialize;
use serde_json::value::RawValue;

/// A request that cannot be answered, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unanswered(String);

impl Unanswered {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// JSON of our own types, which always have a form.
pub(crate) fn json(value: &impl Serialize) -> Result<String, Unanswered> {
    serde_json::to_string(value).map_err(|error| Unanswered::new(format!("an answer has no form in JSON: {error}")))
}

/// JSON that has been written already.
pub(crate) fn raw(json: &str) -> Result<Box<RawValue>, Unanswered> {
    RawValue::from_string(json.trim_end().to_owned()).map_err(|error| Unanswered::new(format!("a report is no JSON: {error}")))
}

/// The answer with its envelope.
pub(crate) fn written(answer: Result<String, Unanswered>) -> String {
    match answer {
        Ok(json) => format!("{{\"ok\":{json}}}"),
        Err(Unanswered(message)) => serde_json::json!({ "error": { "message": message } }).to_string(),
    }
}
