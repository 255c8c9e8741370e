//! Answers about names.

use serde_json::{Value, json};
use serval_ide::{Access, Call, Outline, SymbolKind, outline};

use super::{Answer, EditorRequest, OpenSubject, RequestFailure};
use crate::documents::EditorPlaces;

/// The number of a kind of symbol in the protocol.
pub(super) fn symbol_kind(kind: SymbolKind) -> u32 {
    match kind {
        SymbolKind::Request | SymbolKind::Function => 12,
        SymbolKind::Enum => 10,
        SymbolKind::Member => 22,
        SymbolKind::Constant => 14,
        SymbolKind::Array | SymbolKind::LocalArray => 18,
        SymbolKind::Global | SymbolKind::Version | SymbolKind::Param | SymbolKind::Local | SymbolKind::LoopVariable => 13,
    }
}

pub(super) fn definition(subject: &OpenSubject<'_>, params: &Value) -> Answer {
    let found = serval_ide::definition(subject.open.document(), subject.offset(params)?);
    Ok(found.map_or(Value::Null, |place| json!({"uri": subject.open.uri, "range": subject.places.range(place)})))
}

pub(super) fn references(subject: &OpenSubject<'_>, params: &Value) -> Answer {
    let declaration = params["context"]["includeDeclaration"] == json!(true);
    let found = serval_ide::references(subject.open.document(), subject.offset(params)?, declaration);
    Ok(found.into_iter().map(|place| json!({"uri": subject.open.uri, "range": subject.places.range(place)})).collect())
}

pub(super) fn highlights(subject: &OpenSubject<'_>, params: &Value) -> Answer {
    let found = serval_ide::highlights(subject.open.document(), subject.offset(params)?);
    let kind = |access: Access| if access.writes() { 3 } else { 2 };
    Ok(found.into_iter().map(|(place, access)| json!({"range": subject.places.range(place), "kind": kind(access)})).collect())
}

pub(super) fn prepare_rename(subject: &OpenSubject<'_>, params: &Value) -> Answer {
    let place = serval_ide::renamed_at(subject.open.document(), subject.offset(params)?);
    Ok(place
        .map_or(Value::Null, |place| json!({"range": subject.places.range(place), "placeholder": subject.open.document().slice(place)})))
}

pub(super) fn rename(subject: &OpenSubject<'_>, params: &Value) -> Answer {
    let name = params["newName"].as_str().ok_or_else(|| RequestFailure::params("a new name is a text"))?;
    match serval_ide::rename(subject.open.document(), subject.offset(params)?, name) {
        Ok(edits) => Ok(json!({"changes": {&*subject.open.uri: subject.places.edits(&edits)}})),
        Err(refused) => Err(RequestFailure::failed(refused.0)),
    }
}

pub(super) fn prepare_calls(subject: &OpenSubject<'_>, params: &Value) -> Answer {
    let document = subject.open.document();
    let Some(place) = serval_ide::definition(document, subject.offset(params)?) else { return Ok(Value::Null) };
    let whole = outline(document).into_iter().find(|one| one.name_span == place);
    let callable = whole.filter(|one| matches!(one.kind, SymbolKind::Request | SymbolKind::Function));
    Ok(callable.map_or(Value::Null, |one| {
        let range = [subject.places.range(one.span), subject.places.range(place)];
        json!([item(subject, &one.name, one.kind, &range)])
    }))
}

fn item(subject: &OpenSubject<'_>, name: &str, kind: SymbolKind, [range, selection]: &[Value; 2]) -> Value {
    json!({"name": name, "kind": symbol_kind(kind), "uri": subject.open.uri, "range": range, "selectionRange": selection})
}

pub(super) fn calls(subject: &OpenSubject<'_>, params: &Value, incoming: bool) -> Answer {
    let (document, offset) = (subject.open.document(), subject.offset(params)?);
    let found = if incoming { serval_ide::callers(document, offset) } else { serval_ide::callees(document, offset) };
    let end = if incoming { "from" } else { "to" };
    let one = |call: Call| {
        let ranges = [subject.places.range(call.declaration), subject.places.range(call.definition)];
        let places: Vec<Value> = call.places.iter().map(|place| subject.places.range(*place)).collect();
        json!({end: item(subject, &call.name, call.kind, &ranges), "fromRanges": places})
    };
    Ok(found.into_iter().map(one).collect())
}

/// The declarations of all open programs whose names have these letters, in this order.
pub(super) fn workspace_symbols(asked: &EditorRequest<'_>, query: &str) -> Value {
    let mut found = Vec::new();
    for open in asked.documents.values().filter(|open| open.kind.is_program) {
        let places = EditorPlaces::of(open, asked.encoding);
        for one in outline(open.document()).into_iter().filter(|one| has_letters(&one.name, query)) {
            found.push(flat(&open.uri, places, &one, None));
        }
    }
    Value::Array(found)
}

/// A declaration for clients whose symbols have no parts.
pub(super) fn flat(uri: &str, places: EditorPlaces<'_>, one: &Outline, owner: Option<&str>) -> Value {
    let location = json!({"uri": uri, "range": places.range(one.span)});
    let mut symbol = json!({"name": one.name, "kind": symbol_kind(one.kind), "location": location});
    if let Some(owner) = owner {
        symbol["containerName"] = json!(owner);
    }
    symbol
}

fn has_letters(name: &str, query: &str) -> bool {
    let mut letters = name.chars().map(|letter| letter.to_ascii_lowercase());
    query.chars().all(|wanted| letters.any(|letter| letter == wanted.to_ascii_lowercase()))
}
