//! Reports as people read them.

use serval_diagnostic::counted;

use super::{TsoAnswer, TsoFence, TsoFinals, TsoFix, TsoQuestion, TsoReport, TsoRobust, TsoRun, TsoUnhelped};
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
                if let Some(copies) = self.instance {
                    line += &format!("   {copies} of each `thread*`");
                }
                for (count, what) in [(defects, "violated"), (undecided, "undecided")] {
                    if count > 0 {
                        line += &format!("   {count} of {} {what}", counted(self.questions.len(), "question"));
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
        for note in &self.notes {
            let [line, column, ..] = note.span;
            text += &format!(
                "  {}[{}] {}:{line}:{column}: {}\n",
                note.severity,
                note.code,
                escape::name(&self.file),
                escape::line(&note.message)
            );
            if let Some(help) = &note.help {
                text += &format!("    help: {}\n", escape::line(help));
            }
        }
        if let Some(finals) = &self.final_states {
            text += &finals.to_text();
        }
        for (question, run) in self.shown_runs() {
            text += &format!("\n  {}{}\n", with_copies(question.copies), escape::line(&question.text));
            table(&mut text, run);
        }
        if let Some(violation) = &self.violation {
            text += &format!("\n  {}\n", self.disorder());
            table(&mut text, &violation.run);
            text += "\n  the cycle in the order of the text\n";
            for line in violation.source_lines() {
                text += &format!("    {line}\n");
            }
            text += &format!("\n  why   {}\n", escape::line(&self.why()));
            if self.instance.is_none() {
                text += &format!("  fix   serval tso fix {}\n", escape::name(&self.file));
            }
        }
        text
    }
}

impl TsoReport {
    /// What the answers rest on.
    pub fn rests_on(&self) -> String {
        let paragraphs: Vec<String> = self.rests.iter().map(|words| format!("    {}\n", escape::line(words))).collect();
        if paragraphs.is_empty() { String::new() } else { format!("\n  what this rests on\n{}", paragraphs.concat()) }
    }
}

/// How many copies a run has, before what it shows.
pub(super) fn with_copies(copies: Option<u32>) -> String {
    match copies {
        None => String::new(),
        Some(1) => "with one copy of each `thread*`, ".to_owned(),
        Some(copies) => format!("with {copies} copies of each `thread*`, "),
    }
}

impl TsoFinals {
    /// A line for each state, with a mark where it needs store buffers.
    fn to_text(&self) -> String {
        let mut text = "\n  final states\n".to_owned();
        let names: Vec<String> = self.names.iter().map(|name| escape::line(name).into_owned()).collect();
        let width = |column: usize| {
            let values = self.states.iter().filter_map(|state| state.values.get(column)).map(|value| value.to_string().chars().count());
            values.chain([names[column].chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..names.len()).map(width).collect();
        let line = |cells: &mut dyn Iterator<Item = String>, mark: &str| {
            let cells: Vec<String> = cells.zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
            format!("    {}   {mark}", cells.join("  ")).trim_end().to_owned() + "\n"
        };
        text += &line(&mut names.iter().cloned(), "");
        for state in &self.states {
            let mark = match (state.sc, state.tso) {
                (TsoAnswer::Reachable, _) => "SC",
                (TsoAnswer::Unreachable, TsoAnswer::Reachable) => "TSO only",
                (TsoAnswer::Unreachable, TsoAnswer::Unreachable) => "never",
                _ => "undecided",
            };
            text += &line(&mut state.values.iter().map(i64::to_string), mark);
        }
        text += match (self.complete, self.states.is_empty()) {
            (true, true) => "    none: no run ends in all threads\n",
            (true, false) => "    no others\n",
            (false, _) => "    there may be others\n",
        };
        text
    }
}

impl TsoFix {
    /// What the changes do, in words.
    fn done(&self) -> String {
        let count = self.fences.len();
        let locked = self.fences.iter().any(|fence| fence.instead.is_some());
        let what = match (locked, count) {
            (false, 1) => "fence",
            (false, _) => "fences",
            (true, 1) => "locked store",
            (true, _) => "locked stores",
        };
        let verb = match (self.goal, count) {
            ("reach", 1) => "keeps bad states out",
            ("reach", _) => "keep bad states out",
            (_, 1) => "makes it robust",
            (_, _) => "make it robust",
        };
        match self.cost {
            Some(cost) => format!("{count} {what} {verb} at a cost of {cost}, and no cheaper set does"),
            None => format!("{count} {what} {verb}, and no fewer do"),
        }
    }

    /// What is still wrong when the program is robust.
    fn unhelped_lines(&self, file: &str) -> String {
        let line = |TsoUnhelped { question, text, at, sc, reason }: &TsoUnhelped| {
            let place = format!("{file}:{}:{}: `{}`", at.0, at.1, escape::line(text));
            match sc {
                TsoAnswer::Reachable => {
                    format!("  but question {question} is violated under SC too, and no fence helps for it\n    {place}\n")
                }
                _ => {
                    let why = reason.as_ref().map_or_else(String::new, |reason| format!(": {}", escape::line(reason)));
                    format!("  but whether question {question} is violated under SC too is undecided{why}\n    {place}\n")
                }
            }
        };
        let mut text: String = self.questions.iter().map(line).collect();
        if self.unhelped() == Some(TsoAnswer::Reachable) {
            text += &format!("  serval tso check {} shows how\n", escape::shell(&self.file));
        }
        text
    }

    /// Everything.
    pub fn to_text(&self) -> String {
        let file = escape::name(&self.file);
        let mut text = match (self.verdict, &self.reason) {
            (_, Some(reason)) => format!("{}  {file}   {}\n", self.verdict, escape::line(reason)),
            ("robust", None) if self.questions.is_empty() => format!("robust  {file}   no fence is needed\n"),
            ("robust", None) => format!("robust  {file}   it needs no fence for that   certificate checked\n"),
            ("unreachable", None) => format!("unreachable  {file}   bad states cannot be reached, and no fence is needed\n"),
            (_, None) => format!("fixed  {file}   {}   certificate checked\n", self.done()),
        };
        let count = self.also.len() + 1;
        for (number, set) in [&self.fences].into_iter().chain(&self.also).enumerate() {
            if count > 1 {
                text += &format!("  set {} of {count}\n", number + 1);
            }
            set.iter().for_each(|fence| text += &fence.line(&file));
        }
        if count > 1 {
            text += if self.all { "  these are all sets of this size\n" } else { "  there may be further sets\n" };
        }
        text + &self.unhelped_lines(&file)
    }
}

impl TsoFence {
    fn line(&self, file: &str) -> String {
        let ((line, column), thread, statement) = (self.at, escape::line(&self.thread), escape::line(&self.before));
        if let Some(instead) = &self.instead {
            // The machine exchanges memory with a register, never with a number.
            let how = if self.litmus { ", with the value in a register," } else { "" };
            return format!("  {file}:{line}:{column}: `{}`{how} instead of `{statement}` in {thread}\n", escape::line(instead));
        }
        if self.before.starts_with("while") {
            // The point is passed each time the condition is tested.
            return format!(
                "  {file}:{line}:{column}: `fence;` before each test of `{statement}` in {thread}: before the loop, and at the end of its body\n"
            );
        }
        let fence = if self.litmus { "MFENCE" } else { "fence;" };
        format!("  {file}:{line}:{column}: `{fence}` before `{statement}` in {thread}\n")
    }
}
