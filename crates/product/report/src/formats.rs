//! Reports for machines and for pages: annotations for GitHub, Markdown with a
//! sequence diagram, SARIF.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Value, json};

use crate::counterexample::Counterexample;
use crate::escape::{
    code_span, command_log, command_message, command_property, fenced, json as escaped_json, markdown, mermaid_text as mermaid, name,
};
use crate::parts::Verdict;
use crate::proof::UNBOUNDED;
use crate::screen::Look;
use crate::trace::TraceEvent;
use crate::verdict::FileReport;

impl Counterexample {
    /// The place that says most: where the last access of the cycle is, else
    /// where the last step ends.
    fn place(&self) -> Option<[u32; 4]> {
        if let Some(statement) = self.decisive_statement() {
            return Some(statement.span);
        }
        let edges = self.explanation.why.iter().flat_map(|why| &why.edges);
        let last = edges.max_by_key(|edge| edge.second.step).map(|edge| edge.second.span);
        last.or_else(|| self.steps.iter().rev().find_map(|event| if let TraceEvent::Step { span, .. } = event { *span } else { None }))
    }

    /// The file of that place, where there are several.
    fn file(&self) -> Option<&str> {
        self.decisive_statement().map(|statement| statement.file.as_str())
    }

    /// In one line, who was told what and why that cannot be.
    fn summary(&self) -> String {
        let told: Vec<String> = self.requests.iter().map(|answered| format!("{} → {}", answered.request, answered.response)).collect();
        if let Some(orders) = &self.in_time {
            return format!("no order in time gives {}. {}", told.join(", "), orders.lines().join(" "));
        }
        let why = self.explanation.reasons();
        let why = if why.is_empty() { String::new() } else { format!(". {}", why.join(" ")) };
        let never: String = self.never_lines().iter().map(|line| format!("{line}; ")).collect();
        format!("{never}no serial order gives {}{why}", told.join(", "))
    }

    /// The run as a Mermaid sequence diagram.
    pub fn to_mermaid(&self) -> String {
        self.shown().in_mermaid()
    }

    fn in_mermaid(&self) -> String {
        let mut out = String::from("sequenceDiagram\n");
        for answered in &self.requests {
            let _ = writeln!(out, "    participant r{} as {} ({})", answered.id, mermaid(&answered.request), answered.id);
        }
        let _ = writeln!(out, "    participant g as {}", if self.statements.is_empty() { "globals" } else { "tables" });
        for (position, event) in self.steps.iter().enumerate() {
            match event {
                TraceEvent::Spawn { .. } => {}
                TraceEvent::Step { id, .. } if !self.statements.is_empty() => {
                    for statement in self.issued(position) {
                        let _ = writeln!(out, "    r{id}->>g: {}", mermaid(&statement.statement));
                        for shown in &statement.shows {
                            let _ = writeln!(out, "    Note right of g: {}", mermaid(shown));
                        }
                    }
                }
                TraceEvent::Step { id, accesses: Some(accesses), .. } => {
                    for access in accesses {
                        let _ = match access.op.as_str() {
                            "write" => writeln!(out, "    r{id}->>g: {} = {}", mermaid(&access.var), mermaid(&access.shown_value())),
                            _ => writeln!(out, "    g-->>r{id}: {} is {}", mermaid(&access.var), mermaid(&access.shown_value())),
                        };
                    }
                    if accesses.is_empty() {
                        let _ = writeln!(out, "    r{id}->>r{id}: runs");
                    }
                }
                TraceEvent::Step { id, from, to, .. } => {
                    let _ = writeln!(out, "    r{id}->>g: {} to {}", mermaid(&from.global), mermaid(&to.global));
                }
                TraceEvent::Respond { id, response, .. } => {
                    let _ = writeln!(out, "    Note over r{id}: returns {}", mermaid(response));
                }
            }
        }
        out
    }
}

/// The name of a file as others have it, who compare names letter by letter.
pub(crate) fn plain(file: &str) -> &str {
    file.strip_prefix("./").unwrap_or(file)
}

impl FileReport {
    /// Annotations that GitHub shows beside the lines, one line each.
    pub fn to_github(&self) -> String {
        self.shown().in_commands()
    }

    fn in_commands(&self) -> String {
        let mut out = String::new();
        let mut line = |level: &str, (file, span): (Option<&str>, Option<[u32; 4]>), title: &str, message: &str| {
            let place = span.map_or_else(String::new, |[line, column, end_line, end_column]| {
                format!(",line={line},endLine={end_line},col={column},endColumn={end_column}")
            });
            let (file, title) = (command_property(&name(plain(&self.path_of(file)))), command_property(title));
            let _ = writeln!(out, "::{level} file={file}{place},title={title}::{}", command_message(message));
        };
        for note in &self.notes {
            let level = if note.severity == "note" { "notice" } else { note.severity };
            line(level, (note.file.as_deref(), Some(note.span)), &note.code, &note.message);
        }
        if let Some(promise) = self.expected.filter(|promise| !promise.holds) {
            line("error", (None, None), "not as expected", &format!("{}, {}", self.verdict.on_screen(), promise.words()));
        }
        match self.verdict {
            // What is expected is no news beside the lines of a change, but the log names it.
            _ if self.expected.is_some_and(|promise| promise.holds) => {
                let _ = writeln!(out, "{}  {}   as its header expects", self.verdict.on_screen(), command_log(&name(plain(&self.file))));
            }
            verdict @ (Verdict::NotSerializable | Verdict::NotStrict) => {
                let run = self.counterexample.as_ref();
                let name = run.and_then(|run| run.anomaly).map_or_else(String::new, |name| format!(": {}", name.replace('-', " ")));
                let message = run.map_or_else(String::new, Counterexample::summary);
                line(
                    "error",
                    (run.and_then(Counterexample::file), run.and_then(Counterexample::place)),
                    &format!("{}{name}", verdict.on_screen()),
                    &message,
                );
            }
            Verdict::Fault => {
                let fault = self.fault.as_ref();
                let (place, message) =
                    fault.map_or(((None, None), String::new()), |fault| ((fault.file.as_deref(), Some(fault.span)), fault.summary()));
                line("error", place, Verdict::Fault.on_screen(), &message);
            }
            Verdict::Unknown => line("warning", (None, None), "undecided", self.reason.as_deref().unwrap_or_default()),
            Verdict::Error if self.notes.iter().all(|note| note.severity != "error") => {
                line("error", (None, None), "error", self.reason.as_deref().unwrap_or_default());
            }
            // Nothing is wrong, but the log names it: no command begins like this.
            verdict @ (Verdict::Serializable | Verdict::Assumed | Verdict::Strict | Verdict::Safe) => {
                let _ = writeln!(out, "{}{}  {}", verdict.on_screen(), self.also(), command_log(&name(plain(&self.file))));
            }
            Verdict::Error => {}
        }
        out
    }

    /// A section of Markdown, with a diagram of the run.
    pub fn to_markdown(&self) -> String {
        self.shown().in_markdown()
    }

    fn in_markdown(&self) -> String {
        let mut out = String::new();
        let verdict = self.verdict.on_screen();
        let anomaly = self.counterexample.as_ref().and_then(|run| run.anomaly);
        let anomaly = anomaly.map_or_else(String::new, |anomaly| format!(": {}", anomaly.replace('-', " ")));
        let expected = self.expected.map_or_else(String::new, |promise| format!(", {}", promise.words()));
        let _ = writeln!(out, "## {}: {verdict}{anomaly}{expected}\n", code_span(&name(&self.file)));
        match (&self.counterexample, self.verdict) {
            (Some(run), _) => {
                let mut told = String::new();
                self.story(&mut told, run, Look { width: 120, ..Look::default() });
                self.after_story(&mut told, run);
                let _ = writeln!(out, "{}\n{}", fenced("text", told.trim_matches('\n')), fenced("mermaid", &run.in_mermaid()));
            }
            (None, Verdict::Fault) if let Some(fault) = &self.fault => {
                let mut told = String::new();
                fault.in_text(&mut told, Look { width: 120, ..Look::default() });
                let _ = writeln!(out, "{}\n{}", fenced("text", told.trim_matches('\n')), fenced("mermaid", &fault.run.in_mermaid()));
            }
            (None, Verdict::Safe) => {
                let _ = writeln!(out, "No step fails, for any number of concurrent requests. Certificate checked.\n");
            }
            (None, Verdict::Serializable | Verdict::Strict) => {
                let method = self.method.map_or_else(String::new, |method| format!(" Decided by {method};"));
                let unbounded = if self.proof.iter().any(|note| note.unbounded) { format!(" Note: {UNBOUNDED}.") } else { String::new() };
                let provided = self.provided();
                let nothing = if self.shares_nothing() { " But nothing is shared: there is no global variable." } else { "" };
                let _ =
                    writeln!(out, "For any number of concurrent requests{provided}.{method} certificate checked.{unbounded}{nothing}\n");
            }
            _ => {
                let _ = writeln!(out, "{}\n", markdown(self.reason.as_deref().unwrap_or_default()));
            }
        }
        let bounds = self.bounds();
        for (position, bound) in bounds.iter().enumerate() {
            let _ = writeln!(out, "{}- {}", if position == 0 { "Bounds:\n\n" } else { "" }, markdown(bound));
        }
        if !bounds.is_empty() {
            out.push('\n');
        }
        if let Some(grown) = &self.grown {
            let _ = writeln!(out, "{}\n", markdown(&grown.line(self.verdict)));
        }
        for note in &self.notes {
            let _ = writeln!(out, "- {} {} ({}): {}", note.severity, note.code, markdown(&note.place()), markdown(&note.message));
        }
        if !self.notes.is_empty() {
            out.push('\n');
        }
        out
    }
}

/// The rule of a verdict that the header of a file does not expect.
const NOT_AS_EXPECTED: &str = "not-as-expected";

/// All reports as one SARIF 2.1.0 log, the run of each counterexample as a
/// thread flow.
pub fn sarif(reports: &[FileReport], version: &str) -> String {
    let mut results = Vec::new();
    let mut rules: Vec<String> = Vec::new();
    for report in reports.iter().map(FileReport::shown) {
        for note in &report.notes {
            let level = if note.severity == "note" { "note" } else { note.severity };
            results.push(json!({
                "ruleId": note.code, "level": level, "message": {"text": note.message},
                "locations": [location(&report.path_of(note.file.as_deref()), Some(note.span))],
            }));
            rules.push(note.code.clone());
        }
        if let Some(promise) = report.expected.filter(|promise| !promise.holds) {
            rules.push(NOT_AS_EXPECTED.to_owned());
            let message = format!("{}, {}", report.verdict.on_screen(), promise.words());
            let locations = [location(&report.file, None)];
            results.push(json!({"ruleId": NOT_AS_EXPECTED, "level": "error", "message": {"text": message}, "locations": locations}));
        }
        let result = match (report.verdict, &report.counterexample) {
            // What is expected is no finding.
            _ if report.expected.is_some_and(|promise| promise.holds) => continue,
            (verdict @ (Verdict::NotSerializable | Verdict::NotStrict), Some(run)) => {
                let rule = run.anomaly.unwrap_or(verdict.in_json());
                let what = if verdict == Verdict::NotStrict { "order in time" } else { "serial order" };
                rules.push(rule.to_owned());
                let flow: Vec<Value> = flow(&report, run);
                let mut result = json!({
                    "ruleId": rule, "level": "error", "message": {"text": run.summary()},
                    "locations": [location(&report.path_of(run.file()), run.place())],
                    "codeFlows": [{"message": {"text": format!("a run that no {what} explains")}, "threadFlows": [{"locations": flow}]}],
                });
                if let Some(fix) = report.fix.as_ref().filter(|fix| !fix.alternatives.is_empty()) {
                    let fixes = fix.alternatives.iter().map(|yields| removal(&report.file, yields));
                    result["fixes"] = fixes.collect();
                }
                result
            }
            (Verdict::Fault, _) if let Some(fault) = &report.fault => {
                rules.push("fault".to_owned());
                let mut flow: Vec<Value> = flow(&report, &fault.run);
                let path = report.path_of(fault.file.as_deref());
                let mut end = location(&path, Some(fault.span));
                end["message"] = json!({"text": format!("{} fails", fault.failing())});
                flow.push(json!({"location": end, "executionOrder": flow.len() + 1}));
                json!({
                    "ruleId": "fault", "level": "error", "message": {"text": fault.summary()},
                    "locations": [location(&path, Some(fault.span))],
                    "codeFlows": [{"message": {"text": "a run after which a step fails"}, "threadFlows": [{"locations": flow}]}],
                })
            }
            (Verdict::Unknown, _) => {
                rules.push("undecided".to_owned());
                let reason = report.reason.as_deref().unwrap_or("undecided");
                json!({"ruleId": "undecided", "level": "warning", "message": {"text": reason}, "locations": [location(&report.file, None)]})
            }
            (Verdict::Error, _) if report.notes.iter().all(|note| note.severity != "error") => {
                rules.push("error".to_owned());
                let reason = report.reason.as_deref().unwrap_or("error");
                json!({"ruleId": "error", "level": "error", "message": {"text": reason}, "locations": [location(&report.file, None)]})
            }
            _ => continue,
        };
        results.push(result);
    }
    sarif_log(rules.iter().map(String::as_str).collect(), reports.iter().map(|report| uri(&report.file)), &results, version)
}

/// A log with these results, of which `rules` says what they are about, in files that were checked, also where nothing
/// was found.
pub(crate) fn sarif_log(mut rules: Vec<&str>, files: impl Iterator<Item = String>, results: &[Value], version: &str) -> String {
    rules.sort_unstable();
    rules.dedup();
    let rules: Vec<Value> = rules.iter().map(|rule| json!({"id": rule, "help": {"text": format!("serval explain {rule}")}})).collect();
    let mut named = BTreeSet::new();
    let artifacts: Vec<Value> = files.filter(|uri| named.insert(uri.clone())).map(|uri| json!({"location": {"uri": uri}})).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "serval", "version": version, "rules": rules}},
            "columnKind": "unicodeCodePoints",
            "artifacts": artifacts,
            "results": results,
        }],
    });
    // Only maps with keys that are not strings could fail.
    let mut text = escaped_json(serde_json::to_string_pretty(&log).unwrap_or_default());
    text.push('\n');
    text
}

/// A fix that puts `0`, its value, in the place of each `yield`.
fn removal(file: &str, yields: &[[u32; 2]]) -> Value {
    let replacement = |&[line, column]: &[u32; 2]| {
        let end = column.saturating_add(5);
        json!({
            "deletedRegion": {"startLine": line, "startColumn": column, "endLine": line, "endColumn": end},
            "insertedContent": {"text": "0"},
        })
    };
    let replacements: Vec<Value> = yields.iter().map(replacement).collect();
    json!({
        "description": {"text": format!("remove {}", crate::fix::lines(yields))},
        "artifactChanges": [{"artifactLocation": {"uri": uri(file)}, "replacements": replacements}],
    })
}

fn location(file: &str, span: Option<[u32; 4]>) -> Value {
    let mut place = json!({"artifactLocation": {"uri": uri(file)}});
    if let Some([line, column, end_line, end_column]) = span {
        place["region"] = json!({"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column});
    }
    json!({"physicalLocation": place})
}

/// A path as a relative reference: what is not plain is written as its bytes.
pub(crate) fn uri(file: &str) -> String {
    let as_it_is = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    plain(file).bytes().map(|byte| if as_it_is(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

fn flow(report: &FileReport, run: &Counterexample) -> Vec<Value> {
    let mut locations: Vec<Value> = Vec::new();
    let mut tell = |mut place: Value, id: &u32, text: &str| {
        place["message"] = json!({"text": format!("#{id} {text}")});
        locations.push(json!({"location": place, "executionOrder": locations.len() + 1}));
    };
    for (position, event) in run.steps.iter().enumerate() {
        let (id, span, text) = match event {
            TraceEvent::Spawn { .. } => continue,
            TraceEvent::Step { id, .. } if !run.statements.is_empty() => {
                for statement in run.issued(position) {
                    tell(location(&report.path_of(Some(&statement.file)), Some(statement.span)), id, &statement.line());
                }
                continue;
            }
            TraceEvent::Step { id, span, accesses, from, to, .. } => {
                let text = match accesses {
                    Some(accesses) => {
                        let done = accesses.iter().map(|access| {
                            let sign = if access.op == "write" { "sets" } else { "reads" };
                            format!("{sign} {} {} {}", access.var, if access.op == "write" { "to" } else { "=" }, access.shown_value())
                        });
                        done.collect::<Vec<_>>().join(", ")
                    }
                    None => format!("goes from {} to {}", from.local, to.local),
                };
                (id, *span, if text.is_empty() { "runs".to_owned() } else { text })
            }
            TraceEvent::Respond { id, response, .. } => (id, None, format!("returns {response}")),
        };
        tell(location(&report.file, span), id, &text);
    }
    locations
}
