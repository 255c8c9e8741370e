//! What a verdict says about places of the text.
//!
//! The verdict itself is made elsewhere, and is a report. Here it becomes one line, a place, and places that belong to
//! it: the accesses of the circle of conflicts, and where the request waited while the other ran.

use serval_report::{FileReport, Look, TraceEvent, Verdict};
use serval_syntax::{Encoding, LineColumn, Severity, Span, SymbolKind, SyntaxKind};

use crate::document::{Document, span};

/// A place that belongs to a finding, and what is said there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// The place.
    pub span: Span,
    /// What is said.
    pub text: String,
}

/// Something that is said at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The name of its page of `serval explain`.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// The place.
    pub span: Span,
    /// One line, lower case, no full stop.
    pub message: String,
    /// Other places.
    pub related: Vec<Related>,
}

/// A verdict as an editor shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The verdict as machines read it.
    pub word: &'static str,
    /// What a header of the text can promise, where the verdict is final.
    pub promise: Option<&'static str>,
    /// The verdict in a few words.
    pub headline: String,
    /// The verdict at a place, and after it what else was found beside it.
    pub findings: Vec<Finding>,
    /// The report as `serval check` prints it.
    pub report: String,
}

/// What a report about this document says.
pub fn told(document: &Document, report: &FileReport) -> Told {
    let mut findings = vec![verdict(document, report)];
    for note in report.notes.iter().filter(|note| !document.diagnostics().iter().any(|known| known.code.0 == note.code)) {
        let severity = match note.severity {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            _ => Severity::Note,
        };
        let (code, message) = (note.code.clone(), note.message.clone());
        findings.push(Finding { code, severity, span: place(document, note.span), message, related: Vec::new() });
    }
    for stuck in &report.stuck {
        let Some([line, column]) = stuck.at else { continue };
        let at = offset(document, line, column);
        let message = format!("`{}` can wait here for ever", stuck.request);
        let span = word_at(document, at);
        findings.push(Finding { code: "stuck".to_owned(), severity: Severity::Warning, span, message, related: Vec::new() });
    }
    let verdict = report.verdict;
    let promise = (verdict.is_proved() || verdict.is_refuted()).then(|| verdict.on_screen());
    Told { word: verdict.in_json(), promise, headline: headline(report), findings, report: report.to_text(false, Look::default()) }
}

/// The verdict in a few words.
fn headline(report: &FileReport) -> String {
    let words = report.verdict.on_screen();
    match (&report.counterexample, &report.fault, &report.reason) {
        (Some(run), _, _) => match run.anomaly {
            Some(anomaly) => format!("{words}: {anomaly}"),
            None => words.to_owned(),
        },
        (None, Some(fault), _) => format!("{words}: {}", fault.message),
        (None, None, Some(reason)) => format!("{words}: {reason}"),
        (None, None, None) => words.to_owned(),
    }
}

fn verdict(document: &Document, report: &FileReport) -> Finding {
    let code = report.verdict.in_json().to_owned();
    let message = headline(report);
    let first = first_request(document);
    let finding = |severity, span, related| Finding { code: code.clone(), severity, span, message: message.clone(), related };
    if let Some(fault) = &report.fault {
        return finding(Severity::Error, place(document, fault.span), waits(document, &fault.run.steps));
    }
    let Some(run) = &report.counterexample else {
        return finding(Severity::Note, first, Vec::new());
    };
    let code = run.anomaly.map_or(code.clone(), str::to_owned);
    let mut related = waits(document, &run.steps);
    let span = related.first().map_or(first, |wait| wait.span);
    for edge in run.explanation.why.iter().flat_map(|why| &why.edges) {
        for (id, side) in [(edge.from, &edge.first), (edge.to, &edge.second)] {
            let done = if side.writes { "writes" } else { "reads" };
            let name = run.requests.iter().find(|one| one.id == id).map_or("", |one| one.request.as_str());
            let text = format!("#{id} {name} {done} `{}`: {}", edge.var, side.value);
            let related_span = place(document, side.span);
            if !related.iter().any(|known| known.span == related_span && known.text == text) {
                related.push(Related { span: related_span, text });
            }
        }
    }
    let severity = if report.verdict == Verdict::NotStrict { Severity::Warning } else { Severity::Error };
    let answers: Vec<String> =
        run.requests.iter().map(|one| format!("{} → {}", one.request, one.name.as_ref().unwrap_or(&one.response))).collect();
    let message = format!("{message}; no order of {} explains {}", run.requests.len(), answers.join(", "));
    Finding { code, severity, span, message, related }
}

/// Where requests wait while another makes a step, each place once, in the order of the run.
fn waits(document: &Document, steps: &[TraceEvent]) -> Vec<Related> {
    let mut found: Vec<Related> = Vec::new();
    let mut waiting: Vec<(u32, Span)> = Vec::new();
    for event in steps {
        match event {
            TraceEvent::Step { id, span, .. } => {
                for (other, at) in waiting.iter().filter(|(other, _)| other != id) {
                    if !found.iter().any(|known| known.span == *at) {
                        found.push(Related { span: *at, text: format!("#{other} waits here while #{id} runs") });
                    }
                }
                waiting.retain(|(other, _)| other != id);
                if let Some(at) = span.and_then(|span| pause(document, place(document, span))) {
                    waiting.push((*id, at));
                }
            }
            TraceEvent::Respond { id, .. } => waiting.retain(|(other, _)| other != id),
            TraceEvent::Spawn { .. } => {}
        }
    }
    found
}

/// The `yield`, or the form that waits, at which a step ends.
fn pause(document: &Document, step: Span) -> Option<Span> {
    let token = document.tree().token_at_offset(document.place(step.end).into()).left_biased()?;
    let waits = |kind| matches!(kind, SyntaxKind::YieldExpr | SyntaxKind::LockExpr | SyntaxKind::AwaitExpr);
    token.parent_ancestors().find(|node| waits(node.kind())).map(|node| crate::document::trimmed(&node))
}

/// The name of the first request, or the first word of a file that is one.
fn first_request(document: &Document) -> Span {
    let request = document.bindings().symbols().iter().find(|symbol| symbol.kind == SymbolKind::Request);
    let tokens = document.tree().descendants_with_tokens().filter_map(|element| element.into_token());
    let first = || tokens.into_iter().find(|token| !token.kind().is_trivia()).map(|token| span(token.text_range()));
    request.map(|symbol| symbol.definition).or_else(first).unwrap_or_default()
}

fn word_at(document: &Document, at: u32) -> Span {
    document.token(at).map_or(Span::new(at, at), |token| span(token.text_range()))
}

/// The place that a report gives by lines and columns.
fn place(document: &Document, [line, column, last_line, last_column]: [u32; 4]) -> Span {
    let start = offset(document, line, column);
    Span::new(start, offset(document, last_line, last_column).max(start))
}

fn offset(document: &Document, line: u32, column: u32) -> u32 {
    // In reports a byte-order mark has no column.
    let mark = u32::from(line == 1 && document.text().starts_with('\u{feff}'));
    let place = LineColumn { line: line.saturating_sub(1), column: column.saturating_sub(1) + mark };
    document.lines().offset(document.text(), place, Encoding::Utf32)
}
