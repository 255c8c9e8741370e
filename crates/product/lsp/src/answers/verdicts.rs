//! The verdict as a lens, as a page and as a trace.

use serde_json::{Value, json};
use serval::{Cancel, Input};
use serval_report::Trace;

use super::shown::first;
use super::{Answer, OpenSubject, RequestFailure};
use crate::kinds::Decider;
use crate::state::State;

/// One line above the first request: the state, and what can be done about it.
pub(super) fn lenses(subject: &OpenSubject<'_>, _: &Value) -> Answer {
    let open = subject.open;
    if open.kind.verdict.is_none() {
        return Ok(json!([]));
    }
    let name = if open.state == State::Checking { "serval.stop" } else { "serval.check" };
    let command = json!({"title": open.state.line(open.told.as_ref()), "command": name, "arguments": [open.uri]});
    Ok(json!([{"range": subject.places.range(first(open)), "command": command}]))
}

/// The report about the current version as a page.
pub(super) fn report(subject: &OpenSubject<'_>, _: &Value) -> Answer {
    let (Some(report), Some(Decider::Requests(kind))) = (&subject.open.report, subject.open.kind.verdict) else {
        return Err(RequestFailure::failed("there is no verdict about this version yet"));
    };
    match Input::read(subject.open.text(), kind) {
        Ok(input) => Ok(json!({"html": serval::page(&input, report, subject.version, &Cancel::new())})),
        Err(_) => Err(RequestFailure::failed("the text has errors")),
    }
}

/// The run that no serial order explains: its steps, with the places of the text that they perform.
pub(super) fn trace(subject: &OpenSubject<'_>, _: &Value) -> Answer {
    let run = subject.open.report.as_ref().and_then(|report| report.counterexample.as_ref());
    let Some(run) = run else { return Ok(Value::Null) };
    let trace = Trace::new(run.steps.clone()).to_json();
    serde_json::from_str(&trace).map_err(|error| RequestFailure::failed(error.to_string()))
}
