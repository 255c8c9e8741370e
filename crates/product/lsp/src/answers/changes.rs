//! Changes of the text: actions and formatting.

use serde_json::{Value, json};
use serval::FormatRefusal;
use serval_ide::{ActionKind, Edit, header};

use super::shown::{finding, verdict};
use super::{Answer, OpenSubject, RequestFailure};
use crate::state::State;

/// Whether the client wants actions of this kind: of one that it names, or below it.
fn is_wanted(params: &Value, kind: &str) -> bool {
    let below = |only: &str| kind == only || kind.strip_prefix(only).is_some_and(|rest| rest.starts_with('.'));
    params["context"]["only"].as_array().is_none_or(|only| only.iter().filter_map(Value::as_str).any(below))
}

pub(super) fn actions(subject: &OpenSubject<'_>, params: &Value) -> Answer {
    let part = subject.span(params)?;
    let mut found = Vec::new();
    if !subject.client.literals {
        return Ok(Value::Array(found));
    }
    let uri = &*subject.open.uri;
    let edit = |edits: &[Edit]| json!({"changes": {uri: subject.places.edits(edits)}});
    if subject.open.kind.is_program {
        let document = subject.open.document();
        for action in serval_ide::actions(document, part) {
            let kind = if action.kind == ActionKind::Expand { "refactor.rewrite" } else { "quickfix" };
            let mut one = json!({"title": action.title, "kind": kind, "edit": edit(&action.edits)});
            if let Some((code, place)) = action.about {
                let meant = |known: &&Value| known["code"] == json!(code.0) && known["range"] == subject.places.range(place);
                let given = params["context"]["diagnostics"].as_array().and_then(|all| all.iter().find(meant).cloned());
                one["diagnostics"] = given.into_iter().collect();
            }
            one["isPreferred"] = json!(action.kind == ActionKind::Help);
            found.push(one);
        }
        if subject.open.state == State::Verdict
            && let Some(words) = subject.open.told.as_ref().and_then(|told| told.promise)
        {
            let edits = header(document, words);
            if !edits.is_empty() {
                let title = format!("write `// expect: {words}`");
                found.push(json!({"title": title, "kind": "refactor", "edit": edit(&edits)}));
            }
        }
    }
    if subject.open.state == State::Verdict {
        let about: Vec<Value> = verdict(subject.open).iter().take(1).map(|one| finding(subject.open, subject.places, one)).collect();
        for (number, fix) in subject.open.fixes.iter().enumerate() {
            let title = format!("{} (proved)", fix.words);
            let edits = serval_ide::changes(subject.open.document(), &fix.text);
            let mut one = json!({"title": title, "kind": "quickfix", "edit": edit(&edits), "diagnostics": about});
            one["isPreferred"] = json!(number == 0);
            found.push(one);
        }
    }
    let command = |title: &str, name: &str, more: Option<&str>| {
        let arguments: Vec<&str> = [uri].into_iter().chain(more).collect();
        json!({"title": title, "kind": "source", "command": {"title": title, "command": name, "arguments": arguments}})
    };
    if subject.open.kind.verdict.is_some() {
        match &subject.open.state {
            State::Checking => found.push(command("serval: stop", "serval.stop", None)),
            State::Stopped(_) => found.push(command("serval: go on without a limit", "serval.check", Some("on"))),
            State::Stale | State::Verdict => found.push(command("serval: check again", "serval.check", None)),
            State::Error(_) => {}
        }
    }
    found.retain(|one| is_wanted(params, one["kind"].as_str().unwrap_or_default()));
    Ok(Value::Array(found))
}

fn laid_out(subject: &OpenSubject<'_>, edits: Result<Vec<Edit>, FormatRefusal>) -> Answer {
    match edits {
        Ok(edits) => Ok(subject.places.edits(&edits)),
        // The mistakes are shown already.
        Err(FormatRefusal::Mistakes(_)) => Ok(Value::Null),
        Err(FormatRefusal::Differs(what)) => {
            Err(RequestFailure::failed(format!("a bug in serval: formatting would change the program: {what}")))
        }
    }
}

pub(super) fn format(subject: &OpenSubject<'_>, _: &Value) -> Answer {
    let style = subject.settings.style;
    if subject.open.kind.is_program {
        return laid_out(subject, serval_ide::formatted(subject.open.document(), &style));
    }
    let Some(format) = subject.open.kind.format else { return Ok(Value::Null) };
    let text = subject.open.text();
    let formatted = format(text, &style).map(|formatted| serval::with_line_ends_of(text, formatted));
    laid_out(subject, formatted.map(|formatted| serval_ide::changes(subject.open.document(), &formatted)))
}

pub(super) fn format_range(subject: &OpenSubject<'_>, params: &Value) -> Answer {
    laid_out(subject, serval_ide::formatted_range(subject.open.document(), subject.span(params)?, &subject.settings.style))
}

pub(super) fn format_block(subject: &OpenSubject<'_>, params: &Value) -> Answer {
    laid_out(subject, serval_ide::formatted_block(subject.open.document(), subject.offset(params)?, &subject.settings.style))
}
