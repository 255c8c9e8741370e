//! What is known about a version of a text.

use serde_json::{Value, json};
use serval_ide::Told;

/// The state of a text, from which all that is shown is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It was changed, and nothing is being done about it.
    Stale,
    /// It is being decided about.
    Checking,
    /// There is a verdict about this very version.
    Verdict,
    /// The work ended before there was one, and why.
    Stopped(String),
    /// It has errors, or serval has one.
    Error(String),
}

impl State {
    /// The word for machines.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Checking => "checking",
            Self::Verdict => "verdict",
            Self::Stopped(_) => "stopped",
            Self::Error(_) => "error",
        }
    }

    /// The state in one line. A verdict of before the last edit is never shown as one of now.
    pub(crate) fn line(&self, told: Option<&Told>) -> String {
        let before = || told.map_or_else(String::new, |told| format!("; before the last edit: {}", told.headline));
        match self {
            Self::Verdict => told.map_or_else(|| "no verdict".to_owned(), |told| told.headline.clone()),
            Self::Stale => format!("not checked{}", before()),
            Self::Checking => format!("checking{}", before()),
            Self::Stopped(why) => format!("{why}{}", before()),
            // A text with errors says nothing of that kind, not even about before.
            Self::Error(why) => why.clone(),
        }
    }

    /// What a status item gets.
    pub(crate) fn to_json(&self, uri: &str, version: i64, told: Option<&Told>) -> Value {
        let verdict = told.filter(|_| *self == Self::Verdict).map(|told| told.word);
        json!({"uri": uri, "version": version, "state": self.word(), "text": self.line(told), "verdict": verdict})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_state_of_a_verdict_shows_one_as_current() {
        let (headline, report) = ("serializable".to_owned(), String::new());
        let told = Told { word: "serializable", promise: Some("serializable"), headline, findings: Vec::new(), report };
        let others = [State::Stale, State::Checking, State::Stopped("stopped".to_owned())];
        assert_eq!(State::Error("1 error".to_owned()).line(Some(&told)), "1 error");
        for state in others {
            assert!(state.line(Some(&told)).ends_with("; before the last edit: serializable"), "{state:?}");
            assert_eq!(state.to_json("a", 1, Some(&told))["verdict"], Value::Null);
            assert!(!state.line(None).contains("serializable"));
        }
        assert_eq!(State::Verdict.line(Some(&told)), "serializable");
        assert_eq!(State::Verdict.to_json("a", 1, Some(&told))["verdict"], "serializable");
    }
}
