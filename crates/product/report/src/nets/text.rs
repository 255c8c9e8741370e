//! For people.

use std::collections::BTreeMap;
use std::fmt::Write;

use serval_diagnostic::counted;

use super::{NetReport, NetRun};
use crate::escape::{line, name};

/// Dead nodes that are listed.
const DEAD: usize = 20;
/// Steps of a run that are shown at its beginning, and at its end.
const FIRST: usize = 40;
const LAST: usize = 10;
/// Rows of a run that need no shorter form.
const FEW_ROWS: usize = 4;
/// Changes of a step that are shown.
const CHANGES: usize = 12;

/// What is shown of the markings of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MarkingShown {
    /// The places that change.
    #[default]
    Changes,
    /// All places that have tokens.
    Whole,
}

/// How much is shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextStyle {
    /// All steps of runs, and all that is dead.
    pub verbose: bool,
    /// What is shown of markings.
    pub markings: MarkingShown,
    /// How wide the column of questions is.
    pub width: usize,
}

/// The tokens of a marking in words.
pub fn marking_words<'a>(tokens: impl IntoIterator<Item = (&'a str, u64)>) -> String {
    let words: Vec<String> = tokens.into_iter().map(|(place, tokens)| format!("{}={tokens}", name(place))).collect();
    if words.is_empty() { "no token anywhere".to_owned() } else { words.join(", ") }
}

impl NetReport {
    /// The line of the report: the question, the answer, the methods and the time.
    pub fn to_line(&self, width: usize) -> String {
        let mut detail: Vec<String> = Vec::new();
        if !self.methods.is_empty() {
            detail.push(self.methods.join(" and "));
        }
        if let Some(time) = self.time_ms {
            detail.push(format!("{time:.1} ms"));
        }
        let detail = detail.join(", ");
        let question = name(&self.question);
        let row = format!("{question:<width$}  {:<13}  {detail}", self.answer_words());
        format!("{}\n", row.trim_end())
    }

    /// The report for people: a line, and what there is to see.
    pub fn to_text(&self, style: TextStyle) -> String {
        let mut out = self.to_line(style.width);
        // Writing to a string does not fail.
        for sentence in [&self.reason, &self.why].into_iter().flatten() {
            let _ = writeln!(out, "  {}", line(sentence));
        }
        if let Some(paragraph) = self.explanation.as_ref().filter(|_| style.verbose) {
            let _ = writeln!(out, "  {}", line(paragraph));
        }
        let named = self.named_nodes().count();
        let shown = if style.verbose { named } else { DEAD };
        for (node, is) in self.named_nodes().take(shown) {
            let _ = writeln!(out, "  {} {is}: {}", name(&node.name), line(&node.why));
        }
        if let Some(left) = named.checked_sub(shown).filter(|&left| left > 0) {
            let _ = writeln!(out, "  … and {left} more; -v names them");
        }
        if self.open > 0 && named > 0 {
            let _ = writeln!(out, "  not known of {}", counted(self.open, "other"));
        }
        if let Some(run) = &self.run {
            run.push_text(&mut out, style);
        }
        if let Some(path) = self.certificate.as_ref().and_then(|certificate| certificate.path.as_ref()) {
            let _ = writeln!(out, "  certificate: {}", name(path));
        }
        if let Some(path) = &self.trace {
            let _ = writeln!(out, "  trace: {}", name(path));
        }
        out
    }
}

impl NetRun {
    /// The run as a table, and how it ends.
    pub fn to_text(&self, style: TextStyle) -> String {
        let mut out = String::new();
        self.push_text(&mut out, style);
        out
    }

    fn push_text(&self, out: &mut String, style: TextStyle) {
        if self.steps.is_empty() {
            let _ = writeln!(out, "  at once: {}", line(&self.end));
            return;
        }
        let (whole, in_states) = (style.markings == MarkingShown::Whole, self.configuration.as_ref());
        let rows = self.rows(whole);
        let width = rows.iter().map(|row| row.1.chars().count()).max().unwrap_or(0).clamp(10, 40);
        let _ = writeln!(
            out,
            "  step  {:<width$}  {}",
            "transition",
            if in_states.is_some() {
                "configuration"
            } else if whole {
                "marking"
            } else {
                "changes"
            }
        );
        if let Some(start) = in_states {
            let _ = writeln!(out, "  {:>4}  {:<width$}  {start}", 0, "");
        } else if whole {
            let start = marking_words(self.initial.iter().map(|(place, tokens)| (place.as_str(), *tokens)));
            let _ = writeln!(out, "  {:>4}  {:<width$}  {start}", 0, "");
        }
        let left_out = rows.len().checked_sub(FIRST + LAST).filter(|&left| left > 1 && !style.verbose);
        for (position, (step, fires, words)) in rows.iter().enumerate() {
            match left_out {
                Some(left) if position == FIRST => {
                    let _ = writeln!(out, "     …  without {}, which -v shows", counted(left, "row"));
                }
                Some(left) if (FIRST..FIRST + left).contains(&position) => {}
                _ => {
                    let row = format!("  {step:>4}  {fires:<width$}  {words}");
                    let _ = writeln!(out, "{}", row.trim_end());
                }
            }
        }
        // A few rows are as short as a word.
        if let Some(word) = self.word.as_ref().filter(|_| rows.len() > FEW_ROWS) {
            let _ = writeln!(out, "  in short: {}", line(word));
        }
        let shortest = if self.shortest { "; no run to there is shorter" } else { "" };
        let _ = writeln!(out, "  then {}{shortest}", line(&self.end));
    }

    /// For each step the number of its first firing, what fires, and what that does.
    pub(super) fn rows(&self, whole: bool) -> Vec<(u128, String, String)> {
        let mut marking: BTreeMap<&str, u64> = self.initial.iter().map(|(place, tokens)| (place.as_str(), *tokens)).collect();
        let mut number = 1_u128;
        let mut rows = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let fires: Vec<_> = step.fire.iter().map(|transition| name(transition)).collect();
            let often = if step.times == 1 { String::new() } else { format!(" ×{}", step.times) };
            let words = if let Some(configuration) = &step.configuration {
                configuration.to_string()
            } else if whole {
                for change in &step.changes {
                    marking.insert(&change.place, change.to);
                }
                marking_words(marking.iter().filter(|(_, tokens)| **tokens > 0).map(|(place, tokens)| (*place, *tokens)))
            } else {
                let changes =
                    step.changes.iter().take(CHANGES).map(|change| format!("{} {} → {}", name(&change.place), change.from, change.to));
                let mut words = changes.collect::<Vec<_>>().join(", ");
                if let Some(left) = step.changes.len().checked_sub(CHANGES).filter(|&left| left > 0) {
                    let _ = write!(words, " and {left} more");
                }
                if words.is_empty() { "nothing".to_owned() } else { words }
            };
            rows.push((number, format!("{}{often}", fires.join(" ")), words));
            number = number.saturating_add(u128::from(step.times).saturating_mul(step.fire.len() as u128));
        }
        rows
    }
}
