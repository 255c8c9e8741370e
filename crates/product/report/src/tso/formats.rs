//! For workflows and for pages of text: commands of GitHub, and Markdown.

use std::fmt::Write;

use super::text::with_copies;
use super::{TsoAnswer, TsoQuestion, TsoReport, TsoRobust, TsoRun};
use crate::escape::{code_span, command_message, command_property, fenced, markdown, name};

impl TsoReport {
    /// Workflow commands: an error for each defect, a warning for what is undecided.
    pub fn to_github(&self) -> String {
        let mut out = String::new();
        let file = command_property(&name(&self.file));
        let mut tell = |level: &str, (line, column): (u32, u32), title: &str, message: &str| {
            let title = command_property(title);
            let _ = writeln!(out, "::{level} file={file},line={line},col={column},title={title}::{}", command_message(message));
        };
        if let Some(reason) = &self.reason {
            tell("error", (1, 1), "error", reason);
        }
        match self.robust {
            Some(TsoRobust::NotRobust) => {
                let line = self.violation.as_ref().and_then(|violation| Some(violation.in_source().first()?.line)).unwrap_or(1);
                tell("error", (line, 1), "not robust", &self.why());
            }
            Some(TsoRobust::Undecided) => {
                tell("warning", (1, 1), "robustness undecided", self.robust_reason.as_deref().unwrap_or_default());
            }
            Some(TsoRobust::Robust) | None => {}
        }
        for question in &self.questions {
            let said = format!("{}: SC {}, TSO {}", question.text, question.verdict(question.sc), question.verdict(question.tso));
            match question.tso {
                TsoAnswer::Reachable if question.is_defect() => tell("error", question.at, "violated", &said),
                TsoAnswer::Undecided => {
                    let reason = question.reason.as_deref().unwrap_or_default();
                    tell("warning", question.at, "undecided", &format!("{said}: {reason}"));
                }
                // A question that is no demand is answered, and that is all.
                _ if question.sc != question.tso => tell("notice", question.at, "only with store buffers", &said),
                _ => {}
            }
        }
        out
    }

    /// A section of Markdown.
    pub fn to_markdown(&self) -> String {
        let mut out = String::new();
        let verdict = self.robust.map_or("error", TsoRobust::words);
        let _ = writeln!(out, "## {}: {verdict}\n", code_span(&name(&self.file)));
        for sentence in [&self.reason, &self.robust_reason].into_iter().flatten() {
            let _ = writeln!(out, "{}\n", markdown(sentence));
        }
        if !self.questions.is_empty() {
            out.push_str("| question | SC | TSO |\n|---|---|---|\n");
            for question in &self.questions {
                // In a cell of a table a bar ends the cell, even in code.
                let text = code_span(&question.text).replace('|', "\\|");
                let _ = writeln!(out, "| {text} | {} | {} |", question.verdict(question.sc), question.verdict(question.tso));
            }
            out.push('\n');
        }
        for question in self.questions.iter().filter(|question| question.reason.is_some()) {
            let _ = writeln!(out, "{}: {}\n", code_span(&question.text), markdown(question.reason.as_deref().unwrap_or_default()));
        }
        for (question, run) in self.shown_runs() {
            let _ = writeln!(out, "{}\n\n{}", code_span(&question.text), fenced("text", &run.lines().join("\n")));
        }
        if let Some(violation) = &self.violation {
            let _ = writeln!(out, "{}:\n\n{}", self.disorder(), fenced("text", &violation.run.lines().join("\n")));
            let mut told = violation.source_lines().join("\n");
            let _ = write!(told, "\n\nwhy   {}", crate::escape::line(&self.why()));
            let _ = writeln!(out, "{}", fenced("text", &told));
        }
        out
    }

    /// The questions whose runs are worth showing.
    pub(super) fn shown_runs(&self) -> impl Iterator<Item = (&TsoQuestion, &TsoRun)> {
        let shown = |question: &&TsoQuestion| question.is_defect() || question.sc != question.tso;
        self.questions.iter().filter(shown).filter_map(|question| Some((question, question.run.as_ref()?)))
    }

    /// The cycle in a sentence.
    pub(super) fn why(&self) -> String {
        let edges = self.violation.iter().flat_map(|violation| violation.cycle.iter().map(|edge| edge.why.as_str()));
        format!("{}: a cycle", edges.collect::<Vec<_>>().join("; "))
    }

    /// What is said before the run of a violation.
    pub(super) fn disorder(&self) -> String {
        let copies = with_copies(self.copies);
        format!("{copies}no run under sequential consistency has the order of this one")
    }
}
