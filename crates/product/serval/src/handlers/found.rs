//! What was found in a file of handlers, by places, for formats that show places.

use serval_diagnostic::{Diagnostic, LineIndex};
use serval_report::PlacedFinding;

use super::{Checked, Handlers, Outcome, Outside, Run, Tried};

const UNDECIDED: &str = "undecided";

impl Handlers {
    /// The verdict by places: nothing where the file is serializable.
    pub fn findings(&self, name: &str, checked: &Checked) -> Vec<PlacedFinding> {
        match &checked.outcome {
            Outcome::Serializable => Vec::new(),
            Outcome::NotSerializable(run) => vec![run.finding(name, "not-serializable")],
            Outcome::Undecided(why) => vec![finding(name, UNDECIDED, "warning", why.clone())],
            Outcome::Bug(why) => vec![finding(name, "error", "error", why.clone())],
        }
    }
}

impl Outside {
    /// The parts by their places.
    pub fn findings(&self, name: &str) -> Vec<PlacedFinding> {
        let one = |part: &super::OutsidePart| {
            let message = format!("{}: {}", part.words(), part.help);
            PlacedFinding { place: part.place, ..finding(name, UNDECIDED, "warning", message) }
        };
        self.parts().iter().map(one).collect()
    }
}

impl Tried {
    /// What was found by trying, of a file that is undecided for this reason.
    pub fn findings(&self, name: &str, why: &str) -> Vec<PlacedFinding> {
        let undecided = finding(name, UNDECIDED, "warning", format!("{why}; {}", self.words()));
        self.finding.as_ref().map_or_else(|| vec![undecided], |run| vec![run.finding(name, "tried")])
    }
}

/// Messages about the text by their places.
pub fn mistakes(name: &str, text: &str, list: &[Diagnostic]) -> Vec<PlacedFinding> {
    let lines = LineIndex::new(text);
    let one = |why: &Diagnostic| {
        let (start, end) = (lines.position(text, why.primary.span.start), lines.position(text, why.primary.span.end));
        let place = Some([start.line, start.column, end.line, end.column]).filter(|_| why.primary.span.end > 0);
        PlacedFinding { place, ..finding(name, why.code.0, "error", why.message.to_string()) }
    };
    list.iter().map(one).collect()
}

/// Something that is about the file as a whole.
pub fn finding(name: &str, rule: &str, level: &'static str, message: String) -> PlacedFinding {
    PlacedFinding { file: name.to_owned(), rule: rule.to_owned(), level, message, place: None, steps: Vec::new() }
}

impl Run {
    /// The run at the line that is answered last.
    fn finding(&self, name: &str, rule: &str) -> PlacedFinding {
        let told: Vec<String> = self.calls.iter().map(|(call, answer)| format!("{call} → {answer}")).collect();
        let only = if self.together { ", if two requests are resumed in one turn of the event loop" } else { "" };
        let line = |number: usize| u32::try_from(number).unwrap_or(0);
        let steps = self.events.iter().map(|event| {
            let call = self.calls.get(event.call).map_or("", |(call, _)| call.as_str());
            (line(event.line), format!("{call} (call {}): {}", event.call + 1, event.what))
        });
        let last = self.events.iter().rev().map(|event| line(event.line)).find(|line| *line > 0);
        PlacedFinding {
            place: last.map(|line| [line, 1, line + 1, 1]),
            steps: steps.collect(),
            ..finding(name, rule, "error", format!("no serial order gives {}{only}", told.join(", ")))
        }
    }
}
