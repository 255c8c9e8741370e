//! What was found at places of files, for machines: annotations for GitHub and SARIF. The reports of programs and nets
//! have formats of their own; this is for files of which no more is known than what was found where.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::escape::{command_message, command_property, name};
use crate::formats::{plain, sarif_log, uri};

/// Something that was found in a file.
#[derive(Clone, Debug)]
pub struct PlacedFinding {
    /// The file, as it was named.
    pub file: String,
    /// What it is one of, such as `undecided`.
    pub rule: String,
    /// `error` or `warning`
    pub level: &'static str,
    /// What it is.
    pub message: String,
    /// Line and column, and those behind it, from 1.
    pub place: Option<[u32; 4]>,
    /// The run that shows it: lines, and what happens there.
    pub steps: Vec<(u32, String)>,
}

/// Annotations that GitHub shows beside the lines, one line each.
pub fn placed_github(findings: &[PlacedFinding]) -> String {
    let mut out = String::new();
    for one in findings {
        let place = one.place.map_or_else(String::new, |[line, column, end_line, end_column]| {
            format!(",line={line},endLine={end_line},col={column},endColumn={end_column}")
        });
        let (file, rule) = (command_property(&name(plain(&one.file))), command_property(&one.rule));
        let _ = writeln!(out, "::{} file={file}{place},title={rule}::{}", one.level, command_message(&one.message));
    }
    out
}

/// One SARIF 2.1.0 log for files that were checked, also where nothing was found in them.
pub fn placed_sarif(files: &[String], findings: &[PlacedFinding], version: &str) -> String {
    let results: Vec<Value> = findings.iter().map(result).collect();
    let rules = findings.iter().map(|one| one.rule.as_str()).collect();
    sarif_log(rules, files.iter().map(|file| uri(file)), &results, version)
}

fn location(file: &str, place: Option<[u32; 4]>) -> Value {
    let mut physical = json!({"artifactLocation": {"uri": uri(file)}});
    if let Some([line, column, end_line, end_column]) = place {
        physical["region"] = json!({"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column});
    }
    json!({"physicalLocation": physical})
}

fn result(one: &PlacedFinding) -> Value {
    let mut result = json!({
        "ruleId": one.rule, "level": one.level, "message": {"text": one.message}, "locations": [location(&one.file, one.place)],
    });
    if !one.steps.is_empty() {
        let steps = one.steps.iter().enumerate().map(|(position, (line, text))| {
            let mut place = location(&one.file, None);
            if *line > 0 {
                place["physicalLocation"]["region"] = json!({"startLine": line});
            }
            place["message"] = json!({"text": text});
            json!({"location": place, "executionOrder": position + 1})
        });
        let locations: Vec<Value> = steps.collect();
        let flow = json!({"message": {"text": "a run that no serial order explains"}, "threadFlows": [{"locations": locations}]});
        result["codeFlows"] = json!([flow]);
    }
    result
}
