//! Answers to editors, one module for what belongs together.

mod changes;
mod client;
mod names;
mod shape;
mod shown;
mod verdicts;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use serval_ide::Encoding;

pub(crate) use client::{Client, capabilities, watchers};
pub(crate) use shown::diagnostics;

use crate::documents::{EditorPlaces, Open};
use crate::settings::Settings;

/// Why there is no answer.
#[derive(Debug)]
pub(crate) struct RequestFailure {
    pub(crate) code: i64,
    pub(crate) message: String,
}

impl RequestFailure {
    /// The parameters make no sense.
    pub(crate) fn params(what: &str) -> Self {
        Self { code: -32602, message: what.to_owned() }
    }

    /// All is well, and it cannot be done.
    pub(crate) fn failed(what: impl Into<String>) -> Self {
        Self { code: -32803, message: what.into() }
    }
}

/// What answers are made from.
pub(crate) struct EditorRequest<'a> {
    pub(crate) documents: &'a BTreeMap<String, Open>,
    pub(crate) encoding: Encoding,
    pub(crate) client: &'a Client,
    pub(crate) settings: &'a Settings,
    pub(crate) version: &'static str,
}

/// A text that something is asked about.
pub(crate) struct OpenSubject<'a> {
    pub(crate) open: &'a Open,
    pub(crate) places: EditorPlaces<'a>,
    pub(crate) client: &'a Client,
    pub(crate) settings: &'a Settings,
    pub(crate) version: &'static str,
}

impl OpenSubject<'_> {
    /// The place that is asked about.
    pub(crate) fn offset(&self, params: &Value) -> Result<u32, RequestFailure> {
        self.places.offset(&params["position"]).ok_or_else(|| RequestFailure::params("a position has a line and a character"))
    }

    /// The part that is asked about.
    pub(crate) fn span(&self, params: &Value) -> Result<serval_ide::Span, RequestFailure> {
        self.places.span(&params["range"]).ok_or_else(|| RequestFailure::params("a range has a start and an end"))
    }
}

type Answer = Result<Value, RequestFailure>;

/// What answers a method about one text, and whether only programs have an answer.
type MethodRow = (&'static str, bool, fn(&OpenSubject<'_>, &Value) -> Answer);

const METHODS: &[MethodRow] = &[
    ("textDocument/definition", true, names::definition),
    ("textDocument/declaration", true, names::definition),
    ("textDocument/references", true, names::references),
    ("textDocument/documentHighlight", true, names::highlights),
    ("textDocument/prepareRename", true, names::prepare_rename),
    ("textDocument/rename", true, names::rename),
    ("textDocument/prepareCallHierarchy", true, names::prepare_calls),
    ("textDocument/hover", false, shown::hover),
    ("textDocument/signatureHelp", true, shown::signature),
    ("textDocument/inlayHint", true, shown::hints),
    ("textDocument/codeLens", false, verdicts::lenses),
    ("textDocument/diagnostic", false, shown::pulled),
    ("textDocument/completion", true, shape::completion),
    ("textDocument/documentSymbol", true, shape::symbols),
    ("textDocument/foldingRange", true, shape::folding),
    ("textDocument/selectionRange", true, shape::selecting),
    ("textDocument/semanticTokens/full", true, shape::tokens),
    ("textDocument/semanticTokens/range", true, shape::tokens),
    ("textDocument/codeAction", false, changes::actions),
    ("textDocument/formatting", false, changes::format),
    ("textDocument/rangeFormatting", true, changes::format_range),
    ("textDocument/onTypeFormatting", true, changes::format_block),
    ("serval/report", false, verdicts::report),
    ("serval/trace", false, verdicts::trace),
];

/// The answer to a request.
pub(crate) fn answer(asked: &EditorRequest<'_>, method: &str, params: &Value) -> Answer {
    match method {
        "workspace/symbol" => return Ok(names::workspace_symbols(asked, params["query"].as_str().unwrap_or_default())),
        "callHierarchy/incomingCalls" | "callHierarchy/outgoingCalls" => {
            let uri = params["item"]["uri"].as_str().unwrap_or_default();
            let position = json!({"position": params["item"]["selectionRange"]["start"]});
            return names::calls(&subject(asked, uri)?, &position, method.ends_with("incomingCalls"));
        }
        _ => {}
    }
    let Some(&(_, programs, row)) = METHODS.iter().find(|row| row.0 == method) else {
        return Err(RequestFailure { code: -32601, message: format!("there is no method `{method}`") });
    };
    let subject = subject(asked, params["textDocument"]["uri"].as_str().unwrap_or_default())?;
    if programs && !subject.open.kind.is_program { Ok(Value::Null) } else { row(&subject, params) }
}

fn subject<'a>(asked: &EditorRequest<'a>, uri: &str) -> Result<OpenSubject<'a>, RequestFailure> {
    let open = asked.documents.get(uri).ok_or_else(|| RequestFailure::params(&format!("`{uri}` is not open")))?;
    let places = EditorPlaces::of(open, asked.encoding);
    Ok(OpenSubject { open, places, client: asked.client, settings: asked.settings, version: asked.version })
}
