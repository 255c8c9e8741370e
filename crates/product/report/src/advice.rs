//! What may help where nothing is decided, or where there are too many states:
//! what is large, what smaller values would give, which method came closest.
//!
//! A verdict on a program with smaller values is one on another program. It
//! is shown as an experiment, and never as a verdict on this one.

use std::fmt::Write;

use serde::Serialize;

use crate::escape::line;
use crate::parts::Verdict;
use crate::screen::{Look, counted, time};

/// What may help.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Advice {
    /// The method that came closest to an answer, and how close.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closest: Option<Nearest>,
    /// What multiplies the states most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest: Option<Largest>,
    /// What the program would be with fewer values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tried: Option<Tried>,
}

/// How far a method came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Nearest {
    /// The method.
    pub method: &'static str,
    /// How far it came, in words.
    pub words: String,
}

/// What multiplies the states most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Largest {
    /// What it is, as it is written: `STOCK: 0..100`.
    pub written: String,
    /// The line where it is.
    pub line: u32,
    /// The pairs of states of the program, where they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<u64>,
    /// Those with half of its values.
    pub halved: u64,
}

/// A program with fewer values that was tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tried {
    /// What is written there instead: `STOCK: 0..50`.
    pub written: String,
    /// What that program is: not what this one is.
    pub verdict: Verdict,
    /// The pairs of states that it has, where they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<u64>,
    /// How long it took to decide about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<f64>,
    /// The largest number that all declared ranges were given, where all of them were made smaller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<i64>,
    /// How many requests its counterexample has, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<usize>,
}

impl Largest {
    fn words(&self) -> String {
        let Self { written, line, states, halved } = self;
        let all = states.map_or_else(String::new, |states| format!(" instead of {}", counted(states)));
        let halved = counted(*halved);
        format!("`{written}` on line {line} multiplies the states most: with half of its values there are {halved}{all}")
    }
}

impl Tried {
    fn words(&self, states: Option<u64>) -> String {
        if let Some(scale) = self.scale {
            return self.scaled_words(scale);
        }
        let verdict = match self.verdict {
            Verdict::Serializable | Verdict::Assumed | Verdict::Strict => "it would be serializable",
            Verdict::NotStrict => "it would not be strict",
            Verdict::NotSerializable => "it would not be serializable",
            Verdict::Fault => "it could fail",
            Verdict::Safe => "no step would fail",
            Verdict::Unknown | Verdict::Error => "it would be undecided, too",
        };
        let time = self.time_ms.map_or_else(String::new, |taken| format!(" ({})", time(taken)));
        let instead = states.map_or_else(String::new, |states| format!(" instead of {}", counted(states)));
        let states = self.states.map_or_else(String::new, |states| format!(", with {}{instead} states", counted(states)));
        format!("with `{}` {verdict}{time}{states}; that is another program", self.written)
    }

    /// Where all ranges were made smaller together.
    fn scaled_words(&self, scale: i64) -> String {
        let written = self.written.replace(", ", "`, `");
        let time = self.time_ms.map_or_else(String::new, |taken| format!(" ({})", time(taken)));
        let verdict = match (self.verdict, self.requests) {
            (Verdict::NotSerializable, Some(requests)) => {
                let requests = serval_diagnostic::counted(requests, "request");
                format!("not serializable, {requests}; that is another program, and this one may differ")
            }
            (Verdict::NotSerializable, None) => "not serializable; that is another program, and this one may differ".to_owned(),
            _ => "serializable with these sizes; nothing is known about larger ones".to_owned(),
        };
        format!("with `{written}` (serval check --scale {scale}): {verdict}{time}")
    }
}

impl Advice {
    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The sentences, each with what it is about.
    pub(crate) fn sentences(&self) -> Vec<(&'static str, String)> {
        let closest = self.closest.as_ref().map(|Nearest { method, words }| ("closest", format!("{method}: {words}")));
        let largest = self.largest.as_ref().map(|largest| ("largest", largest.words()));
        let states = self.largest.as_ref().and_then(|largest| largest.states);
        let tried = self.tried.as_ref().map(|tried| ("tried", tried.words(states)));
        [closest, largest, tried].into_iter().flatten().collect()
    }

    /// The same for a screen.
    pub fn to_text(&self, look: Look) -> String {
        look.finish(&self.shown().in_text())
    }

    pub(crate) fn in_text(&self) -> String {
        let mut out = String::new();
        for (word, sentence) in self.sentences() {
            let label = match word {
                "closest" => "came closest",
                "largest" => "most states",
                _ => "tried smaller",
            };
            let _ = writeln!(out, "  {label:<14}  {sentence}");
        }
        out
    }

    /// The advice as it is shown: what is written in a program is untrusted text.
    pub(crate) fn shown(&self) -> Self {
        let Self { closest, largest, tried } = self;
        let told = |text: &str| line(text).into_owned();
        Self {
            closest: closest.as_ref().map(|Nearest { method, words }| Nearest { method, words: told(words) }),
            largest: largest.as_ref().map(|Largest { written, line, states, halved }| Largest {
                written: told(written),
                line: *line,
                states: *states,
                halved: *halved,
            }),
            tried: tried.as_ref().map(|Tried { written, verdict, states, time_ms, scale, requests }| Tried {
                written: told(written),
                verdict: *verdict,
                states: *states,
                time_ms: *time_ms,
                scale: *scale,
                requests: *requests,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_tried_is_told_as_another_program() {
        let largest = Largest { written: "STOCK: 0..100".to_owned(), line: 3, states: Some(10_402), halved: 5_302 };
        let tried = Tried {
            written: "STOCK: 0..50".to_owned(),
            verdict: Verdict::Serializable,
            states: Some(5_302),
            time_ms: Some(300.0),
            scale: None,
            requests: None,
        };
        let closest = Nearest { method: "search", words: "no counterexample with up to 3 requests".to_owned() };
        let advice = Advice { closest: Some(closest), largest: Some(largest), tried: Some(tried) };
        assert_eq!(
            advice.to_text(Look::default()),
            "  came closest    search: no counterexample with up to 3 requests\n  \
               most states     `STOCK: 0..100` on line 3 multiplies the states most: with half of its values there are 5,302 instead of 10,402\n  \
               tried smaller   with `STOCK: 0..50` it would be serializable (300.0 ms), with 5,302 instead of 10,402 states; that is another program\n"
        );
        assert!(Advice::default().is_empty() && !advice.is_empty());
    }
}
