//! The report as text and as Markdown.

use std::fmt::Write;

use super::{LevelsPart, LevelsReport, ScriptLevel, listed};
use crate::escape::{code_span, line, markdown, name};
use crate::screen::{Look, counted};

/// How many alternatives are shown in full.
const MOST_SHOWN: usize = 8;

impl LevelsReport {
    /// The line for those who want no more.
    pub fn to_line(&self) -> String {
        format!("{}  {}\n", name(&self.workload), line(&self.sentence))
    }

    /// For people.
    pub fn to_text(&self, look: Look) -> String {
        let mut out = self.to_line();
        out.push('\n');
        let rows = self.rows();
        let widest = |of: usize, title: &str| rows.iter().map(|row| row[of].chars().count()).max().unwrap_or(0).max(title.len());
        let (one, two) = (widest(0, "script"), widest(1, "level"));
        let _ = writeln!(out, "  {:<one$} | {:<two$} | lower", "script", "level");
        let _ = writeln!(out, "  {:-<one$}-+-{:-<two$}-+-{:-<5}", "", "", "");
        for [script, level, lower] in &rows {
            let _ = writeln!(out, "{}", format!("  {script:<one$} | {level:<two$} | {lower}").trim_end());
        }
        out.push('\n');
        for (title, words) in self.facts() {
            let _ = writeln!(out, "  {title:<15} {}", line(&words));
        }
        for (number, run) in (1..).zip(&self.counterexamples) {
            let _ = writeln!(out, "\n  [{number}] {}", line(&run.words()));
            for told in &run.story {
                let _ = writeln!(out, "      {}", line(told));
            }
        }
        look.finish(&out)
    }

    /// A section of Markdown.
    pub fn to_markdown(&self) -> String {
        let title = code_span(&name(&self.workload));
        let mut out = format!("## {title}\n\n{}\n\n| script | level | lower |\n|---|---|---|\n", markdown(&self.sentence));
        for row in self.rows() {
            let cells: Vec<String> = row.iter().map(|cell| markdown(cell).replace('|', "\\|")).collect();
            let _ = writeln!(out, "| {} |", cells.join(" | "));
        }
        out.push('\n');
        for (title, words) in self.facts() {
            let _ = writeln!(out, "- {title}: {}", markdown(&words));
        }
        for (number, run) in (1..).zip(&self.counterexamples) {
            let story: Vec<String> = run.story.iter().map(|told| line(told).into_owned()).collect();
            let _ = write!(out, "\n{number}. {}\n\n{}", markdown(&run.words()), crate::escape::fenced("text", &story.join("\n")));
        }
        out
    }

    /// Script, level, and what refutes the lower one.
    pub(super) fn rows(&self) -> Vec<[String; 3]> {
        let row = |one: &ScriptLevel| {
            let part = self.parts.iter().find(|part| part.scripts.contains(&one.script));
            let chosen = part.and_then(|part| part.lowest.first());
            let lower = chosen.and_then(|chosen| chosen.lower.iter().find(|lower| lower.what == one.script));
            let lower = lower.map_or_else(String::new, |lower| self.refuted_by(lower));
            [line(&one.script).into_owned(), one.level.clone(), line(&lower).into_owned()]
        };
        self.scripts.iter().map(row).collect()
    }

    /// What there is to say beside the table, each with a title.
    pub(super) fn facts(&self) -> Vec<(String, String)> {
        let mut facts = Vec::new();
        for part in &self.parts {
            self.facts_of(part, &mut facts);
        }
        let braced = |sets: &[Vec<String>]| sets.iter().map(|set| format!("{{{}}}", set.join(", "))).collect::<Vec<_>>().join(", ");
        for sets in &self.subsets {
            let among = if self.parts.len() > 1 { format!(" of {}", listed_owned(&sets.of)) } else { String::new() };
            let what = if sets.sets.is_empty() { "no set".to_owned() } else { braced(&sets.sets) };
            facts.push(("safe together".to_owned(), format!("all at {}: {what}{among}", sets.level)));
            if !sets.undecided.is_empty() {
                facts.push(("undecided".to_owned(), format!("all at {}: {}", sets.level, braced(&sets.undecided))));
            }
        }
        if self.parts.len() > 1 {
            facts.push((
                "parts".to_owned(),
                format!("{} of scripts that touch no table of each other", serval_diagnostic::counted(self.parts.len(), "set")),
            ));
        }
        facts.push(("looked at".to_owned(), self.effort()));
        if let Some([number, of]) = self.shard {
            let words = format!("this is part {number} of {of} of the work; `serval sql levels merge` puts them together");
            facts.push(("shard".to_owned(), words));
        }
        facts.extend(self.bounds.iter().map(|bound| ("bounds".to_owned(), bound.clone())));
        facts
    }

    fn facts_of(&self, part: &LevelsPart, facts: &mut Vec<(String, String)>) {
        for lower in &part.refuted {
            facts.push((lower.what.clone(), self.refuted_by(lower)));
        }
        for other in part.lowest.iter().skip(1).take(MOST_SHOWN) {
            facts.push(("as low".to_owned(), format!("REPEATABLE READ for {} instead", listed_owned(&other.raised))));
        }
        if part.lowest.len() > MOST_SHOWN + 1 {
            facts.push(("as low".to_owned(), format!("{} more", part.lowest.len() - MOST_SHOWN - 1)));
        }
        if let Some(why) = part.uncovered.as_ref().filter(|_| part.lowest.is_empty()) {
            facts.push(("undecided".to_owned(), format!("at SERIALIZABLE: {why}")));
        }
        if part.undecided > 0 {
            let among = format!("{} allocations of {}", counted(part.undecided), listed_owned(&part.scripts));
            let reason = self.open.first().map_or_else(String::new, |open| format!(": {}", open.reason));
            facts.push(("undecided".to_owned(), format!("{among}{reason}")));
        }
    }

    /// How much was decided, and what follows from it.
    fn effort(&self) -> String {
        let sets = if self.decided == 1 { "set" } else { "sets" };
        let open: u64 = self.parts.iter().map(|part| part.undecided).sum();
        let rest = if open == 0 { "the rest follows" } else { "not all of the rest follows" };
        format!("{} allocations; {} {sets} of scripts at levels decided, {rest}", self.allocations, counted(self.decided))
    }
}

fn listed_owned(parts: &[String]) -> String {
    listed(&parts.iter().map(String::as_str).collect::<Vec<_>>())
}
