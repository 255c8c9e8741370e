//! For machines and for pages: JSON, the contest's lines, Markdown, SARIF.

use std::fmt::Write;

use serde_json::{Value, json};

use super::{NetAnswer, NetReport};
use crate::escape::{code_span, json as escaped_json, line, markdown, markdown_name};
use crate::formats::{sarif_log, uri};

/// Steps and dead nodes that a page shows.
const MOST_ROWS: usize = 200;

impl NetReport {
    /// One line of JSON, with its newline.
    pub fn to_json(&self) -> String {
        // Only maps with keys that are not strings could fail.
        let mut text = escaped_json(serde_json::to_string(self).unwrap_or_default());
        text.push('\n');
        text
    }

    /// The line that the Model Checking Contest wants; what is not known is not said there.
    pub fn to_mcc(&self) -> String {
        let holds = match self.answer {
            NetAnswer::Holds => true,
            NetAnswer::DoesNotHold => false,
            NetAnswer::Undecided | NetAnswer::Error => return String::new(),
        };
        let (id, is_opposite) = self.contest.as_ref().map_or((&self.question, false), |contest| (&contest.id, contest.is_opposite));
        let value = if holds != is_opposite { "TRUE" } else { "FALSE" };
        let techniques: Vec<&str> = self.methods.iter().map(|method| technique(method)).collect();
        let techniques = if techniques.is_empty() { "EXPLICIT".to_owned() } else { techniques.join(" ") };
        format!("FORMULA {} {value} TECHNIQUES {techniques}\n", line(id))
    }

    /// A section of Markdown.
    pub fn to_markdown(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "## {}: {} {}\n", code_span(&self.file), code_span(&self.question), self.answer_words());
        if !self.methods.is_empty() {
            let _ = writeln!(out, "Decided by {}; certificate checked.\n", self.methods.join(" and "));
        }
        for sentence in [&self.reason, &self.why].into_iter().flatten() {
            let _ = writeln!(out, "{}\n", markdown(sentence));
        }
        for (node, is) in self.named_nodes().take(MOST_ROWS) {
            let _ = writeln!(out, "- {} {is}: {}", markdown_name(&node.name), markdown(&node.why));
        }
        if self.named_nodes().next().is_some() {
            out.push('\n');
        }
        if let Some(run) = &self.run {
            if !run.steps.is_empty() {
                out.push_str("| step | transition | changes |\n|---:|---|---|\n");
                for (step, fires, words) in run.rows(false).into_iter().take(MOST_ROWS) {
                    let _ = writeln!(out, "| {step} | {} | {} |", markdown_name(&fires), markdown_name(&words));
                }
                out.push('\n');
            }
            let _ = writeln!(out, "Then {}.\n", markdown(&run.end));
        }
        out
    }

    fn sarif_result(&self) -> Option<Value> {
        let level = match self.answer {
            NetAnswer::Holds => return None,
            NetAnswer::DoesNotHold | NetAnswer::Error => "error",
            NetAnswer::Undecided => "warning",
        };
        let more = self.reason.as_ref().or(self.why.as_ref()).or(self.run.as_ref().map(|run| &run.end));
        let more = more.map_or_else(String::new, |more| format!(": {more}"));
        let dead: Vec<&str> = self.dead.iter().map(|dead| dead.name.as_str()).collect();
        let dead = if dead.is_empty() { String::new() } else { format!("; dead: {}", dead.join(", ")) };
        let text = format!("{} {}{more}{dead}", self.question, self.answer_words());
        Some(json!({
            "ruleId": self.rule(), "level": level, "message": {"text": line(&text)},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri(&self.file)}}}],
        }))
    }

    /// The name of the property without what comes behind its colon.
    fn rule(&self) -> &str {
        let property = self.property.as_deref().unwrap_or("error");
        property.split(':').next().unwrap_or(property)
    }
}

/// What the contest calls a method.
fn technique(method: &str) -> &'static str {
    match method {
        "walk" | "guided" => "RANDOM_WALK",
        "weights" => "PLACE_INVARIANTS",
        "equation" => "STATE_EQUATION",
        "siphon" => "STRUCTURAL",
        _ => "EXPLICIT",
    }
}

/// All reports as one SARIF 2.1.0 log.
pub fn net_sarif(reports: &[NetReport], version: &str) -> String {
    let results: Vec<Value> = reports.iter().filter_map(NetReport::sarif_result).collect();
    let rules = reports.iter().filter(|report| report.answer != NetAnswer::Holds).map(NetReport::rule).collect();
    sarif_log(rules, reports.iter().map(|report| uri(&report.file)), &results, version)
}
