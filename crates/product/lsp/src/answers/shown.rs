//! What is shown about places: diagnostics, hover, parameters.

use serde_json::{Value, json};
use serval_ide::{Diagnostic, Encoding, Finding, Severity, Span};

use super::{Answer, OpenSubject};
use crate::documents::{EditorPlaces, Open};
use crate::settings::Settings;
use crate::state::State;

fn severity(severity: Severity) -> u32 {
    match severity {
        Severity::Error => 1,
        Severity::Warning => 2,
        Severity::Note => 3,
    }
}

/// All that is said at places of a text: what is wrong with it, and the verdict about it.
pub(crate) fn diagnostics(open: &Open, encoding: Encoding, settings: &Settings) -> Value {
    let places = EditorPlaces::of(open, encoding);
    let is_wanted = |one: &Diagnostic| one.severity == Severity::Error || !settings.allow.iter().any(|code| code == one.code.0);
    let mut all: Vec<Value> = open.diagnostics().iter().filter(|one| is_wanted(one)).map(|one| diagnostic(open, places, one)).collect();
    all.extend(verdict(open).iter().map(|one| finding(open, places, one)));
    Value::Array(all)
}

fn diagnostic(open: &Open, places: EditorPlaces<'_>, one: &Diagnostic) -> Value {
    let mut message = one.message.clone();
    for (words, text) in [("expected", &one.expected), ("help", &one.help)] {
        if let Some(text) = text {
            message += &format!("\n{words}: {text}");
        }
    }
    let related = one.secondary.iter().map(|label| related(open, places, label.span, &label.text)).collect();
    made(&places.range(one.primary.span), severity(one.severity), one.code.0, &message, related)
}

fn related(open: &Open, places: EditorPlaces<'_>, span: Span, text: &str) -> Value {
    json!({"location": {"uri": open.uri, "range": places.range(span)}, "message": text})
}

fn made(range: &Value, severity: u32, code: &str, message: &str, related: Vec<Value>) -> Value {
    let mut all = json!({"range": range, "severity": severity, "code": code, "source": "serval", "message": message});
    if !related.is_empty() {
        all["relatedInformation"] = Value::Array(related);
    }
    all
}

pub(super) fn finding(open: &Open, places: EditorPlaces<'_>, one: &Finding) -> Value {
    let related = one.related.iter().map(|other| related(open, places, other.span, &other.text)).collect();
    made(&places.range(one.span), severity(one.severity), &one.code, &one.message, related)
}

/// The verdict as findings: that of this version, or in one line what is known of the one before.
pub(super) fn verdict(open: &Open) -> Vec<Finding> {
    match (&open.state, &open.told) {
        (State::Verdict, Some(told)) => told.findings.clone(),
        (State::Stopped(_) | State::Stale | State::Checking, told) if told.is_some() || matches!(open.state, State::Stopped(_)) => {
            let message = open.state.line(told.as_ref());
            vec![Finding { code: open.state.word().to_owned(), severity: Severity::Note, span: first(open), message, related: Vec::new() }]
        }
        _ => Vec::new(),
    }
}

/// Where the verdict about all of a text is shown: at the name of its first request.
pub(super) fn first(open: &Open) -> Span {
    let outline = if open.kind.is_program { serval_ide::outline(open.document()) } else { Vec::new() };
    outline.iter().find(|one| one.kind == serval_ide::SymbolKind::Request).map_or_else(Span::default, |one| one.name_span)
}

pub(super) fn pulled(subject: &OpenSubject<'_>, _: &Value) -> Answer {
    Ok(json!({"kind": "full", "items": diagnostics(subject.open, subject.places.encoding(), subject.settings)}))
}

pub(super) fn hover(subject: &OpenSubject<'_>, params: &Value) -> Answer {
    let at = subject.offset(params)?;
    let mut parts: Vec<String> = Vec::new();
    let mut place = None;
    if subject.open.kind.is_program
        && let Some(found) = serval_ide::hover(subject.open.document(), at)
    {
        place = Some(found.span);
        parts.push(found.markdown);
    }
    // The state is at the first request, and the verdict wherever it says something.
    let here = |span: Span| span.start <= at && at <= span.end;
    let findings = verdict(subject.open);
    let said = findings.iter().find(|one| here(one.span) || one.related.iter().any(|other| here(other.span)));
    if said.is_some() || here(first(subject.open)) {
        place = place.or(said.map(|one| one.span)).or_else(|| Some(first(subject.open)));
        let told = subject.open.told.as_ref();
        parts.push(format!("**{}**", subject.open.state.line(told)));
        if let Some(told) = told.filter(|_| subject.open.state == State::Verdict) {
            parts.push(format!("```text\n{}\n```", told.report.trim_end()));
        }
    }
    let (Some(place), false) = (place, parts.is_empty()) else { return Ok(Value::Null) };
    let text = parts.join("\n\n---\n\n");
    let kind = if subject.client.markdown { "markdown" } else { "plaintext" };
    Ok(json!({"contents": {"kind": kind, "value": text}, "range": subject.places.range(place)}))
}

pub(super) fn signature(subject: &OpenSubject<'_>, params: &Value) -> Answer {
    let Some(found) = serval_ide::signature(subject.open.document(), subject.offset(params)?) else { return Ok(Value::Null) };
    // Names are ASCII, so that bytes are what every client counts.
    let parameters: Vec<Value> = found.params.iter().map(|param| json!({"label": [param.start, param.end]})).collect();
    Ok(json!({
        "signatures": [{"label": found.label, "parameters": parameters}],
        "activeSignature": 0,
        "activeParameter": found.active,
    }))
}

pub(super) fn hints(subject: &OpenSubject<'_>, params: &Value) -> Answer {
    let found = serval_ide::hints(subject.open.document(), subject.span(params)?);
    let one = |hint: serval_ide::Hint| json!({"position": subject.places.position(hint.offset), "label": hint.label, "kind": 2, "paddingRight": true});
    Ok(found.into_iter().map(one).collect())
}
