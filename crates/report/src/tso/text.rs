//! Reports as people read them.

use super::{TsoAnswer, TsoFix, TsoQuestion, TsoReport, TsoRobust, TsoRun};
use crate::escape;

/// How wide the column of questions is at most.
const WIDEST: usize = 60;

fn table(text: &mut String, run: &TsoRun) {
    text.push('\n');
    for line in run.lines() {
        text.push_str(&format!("  {line}\n"));
    }
}

impl TsoQuestion {
    fn line(&self, width: usize) -> String {
        let name = escape::line(&self.text);
        let mut line = format!("  {name:<width$}   SC {:<9}   TSO {}", self.verdict(self.sc), self.verdict(self.tso));
        if let Some(reason) = &self.reason {
            line += &format!("   {}", escape::line(reason));
        }
        line + "\n"
    }
}

impl TsoReport {
    /// The line with the verdict.
    pub fn to_line(&self) -> String {
        let file = escape::name(&self.file);
        match (&self.reason, self.robust) {
            (Some(reason), _) => format!("error  {file}   {}\n", escape::line(reason)),
            (None, robust) => {
                let defects = self.questions.iter().filter(|question| question.is_defect()).count();
                let undecided = self.questions.iter().filter(|question| question.tso == TsoAnswer::Undecided).count();
                let mut line = format!("{}  {file}", robust.map_or("", TsoRobust::words));
                for (count, what) in [(defects, "violated"), (undecided, "undecided")] {
                    if count > 0 {
                        line += &format!("   {count} of {} questions {what}", self.questions.len());
                    }
                }
                if self.certificate.as_ref().is_some_and(|certificate| certificate.verified) {
                    line += "   certificate checked";
                }
                line + "\n"
            }
        }
    }

    /// Everything.
    pub fn to_text(&self) -> String {
        let mut text = self.to_line();
        if let Some(reason) = &self.robust_reason {
            text += &format!("  {}\n", escape::line(reason));
        }
        let width = self.questions.iter().map(|question| escape::line(&question.text).chars().count()).max().unwrap_or(0).min(WIDEST);
        for question in &self.questions {
            text += &question.line(width);
        }
        for question in &self.questions {
            if let Some(run) = question.run.as_ref().filter(|_| question.is_defect() || question.sc != question.tso) {
                text += &format!("\n  {}\n", escape::line(&question.text));
                table(&mut text, run);
            }
        }
        if let Some(violation) = &self.violation {
            let copies = self.copies.map_or(String::new(), |copies| match copies {
                1 => "with one copy of each `thread*`, ".to_owned(),
                copies => format!("with {copies} copies of each `thread*`, "),
            });
            text += &format!("\n  {copies}no run under sequential consistency has the order of this one\n");
            table(&mut text, &violation.run);
            let edges: Vec<String> = violation.cycle.iter().map(|edge| escape::line(&edge.why).into_owned()).collect();
            text += &format!("\n  why   {}: a cycle\n", edges.join("; "));
            if self.copies.is_none() {
                text += &format!("  fix   serval tso fix {}\n", escape::name(&self.file));
            }
        }
        text
    }
}

impl TsoFix {
    /// Everything.
    pub fn to_text(&self) -> String {
        let file = escape::name(&self.file);
        let mut text = match (self.verdict, &self.reason) {
            (_, Some(reason)) => format!("{}  {file}   {}\n", self.verdict, escape::line(reason)),
            ("robust", None) => format!("robust  {file}   no fence is needed\n"),
            (_, None) => {
                let count = self.fences.len();
                let fences = if count == 1 { "fence makes" } else { "fences make" };
                format!("fixed  {file}   {count} {fences} it robust, and no fewer do   certificate checked\n")
            }
        };
        for fence in &self.fences {
            let (line, column) = fence.at;
            if fence.before.starts_with("while") {
                // The point is passed each time the condition is tested.
                let test = escape::line(&fence.before);
                text += &format!(
                    "  {file}:{line}:{column}: `fence;` before each test of `{test}` in {}: before the loop, and at the end of its body\n",
                    escape::line(&fence.thread)
                );
                continue;
            }
            text += &format!(
                "  {file}:{line}:{column}: `fence;` before `{}` in {}\n",
                escape::line(&fence.before),
                escape::line(&fence.thread)
            );
        }
        text
    }
}
