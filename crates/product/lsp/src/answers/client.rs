//! What the client can do, and what the server says that it can do.

use serde_json::{Value, json};
use serval_ide::Encoding;

use super::shape::{TOKEN_MODIFIERS, TOKEN_TYPES};

/// What the client can do, as far as it makes a difference.
#[derive(Clone, Debug, Default)]
pub(crate) struct Client {
    /// Whether it asks for diagnostics, and can be told to ask again; otherwise they are sent.
    pub(crate) pulls: bool,
    /// Whether it fills in places of snippets.
    pub(crate) snippets: bool,
    /// Whether symbols have parts.
    pub(crate) hierarchy: bool,
    /// Whether it shows Markdown.
    pub(crate) markdown: bool,
    /// Whether actions are more than commands.
    pub(crate) literals: bool,
    /// Whether it can be asked to watch files.
    pub(crate) watches: bool,
    /// What it can be told to ask for again.
    pub(crate) refreshes: Vec<&'static str>,
}

impl Client {
    pub(crate) fn of(params: &Value) -> Self {
        let (text, workspace) = (&params["capabilities"]["textDocument"], &params["capabilities"]["workspace"]);
        let can = |part: &Value| part == &json!(true);
        let refresh = [
            ("codeLens", "workspace/codeLens/refresh"),
            ("inlayHint", "workspace/inlayHint/refresh"),
            ("diagnostics", "workspace/diagnostic/refresh"),
        ];
        let pulls = text["diagnostic"].is_object() && can(&workspace["diagnostics"]["refreshSupport"]);
        let wanted = refresh.into_iter().filter(|(name, _)| can(&workspace[name]["refreshSupport"]) && (pulls || *name != "diagnostics"));
        Self {
            pulls,
            snippets: can(&text["completion"]["completionItem"]["snippetSupport"]),
            hierarchy: can(&text["documentSymbol"]["hierarchicalDocumentSymbolSupport"]),
            markdown: text["hover"]["contentFormat"].as_array().is_some_and(|formats| formats.iter().any(|one| one == "markdown")),
            literals: text["codeAction"]["codeActionLiteralSupport"].is_object(),
            watches: can(&workspace["didChangeWatchedFiles"]["dynamicRegistration"]),
            refreshes: wanted.map(|(_, method)| method).collect(),
        }
    }
}

/// What the server can do.
pub(crate) fn capabilities(client: &Client, encoding: Encoding) -> Value {
    let encoding = match encoding {
        Encoding::Utf8 => "utf-8",
        Encoding::Utf16 => "utf-16",
        Encoding::Utf32 => "utf-32",
    };
    let mut all = json!({
        "positionEncoding": encoding,
        "textDocumentSync": {"openClose": true, "change": 2, "save": {"includeText": false}},
        "hoverProvider": true,
        "completionProvider": {"triggerCharacters": ["."]},
        "signatureHelpProvider": {"triggerCharacters": ["(", ","]},
        "declarationProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "workspaceSymbolProvider": true,
        "codeActionProvider": {"codeActionKinds": ["quickfix", "refactor", "refactor.rewrite", "source"]},
        "codeLensProvider": {"resolveProvider": false},
        "documentFormattingProvider": true,
        "documentRangeFormattingProvider": true,
        "documentOnTypeFormattingProvider": {"firstTriggerCharacter": "}"},
        "renameProvider": {"prepareProvider": true},
        "foldingRangeProvider": true,
        "selectionRangeProvider": true,
        "callHierarchyProvider": true,
        "inlayHintProvider": true,
        "semanticTokensProvider": {
            "legend": {"tokenTypes": TOKEN_TYPES, "tokenModifiers": TOKEN_MODIFIERS},
            "full": true,
            "range": true,
        },
        "executeCommandProvider": {"commands": ["serval.check", "serval.stop"]},
    });
    if client.pulls {
        all["diagnosticProvider"] = json!({"identifier": "serval", "interFileDependencies": false, "workspaceDiagnostics": false});
    }
    all
}

/// What the client is asked to watch.
pub(crate) fn watchers() -> Value {
    let options = json!({"watchers": [{"globPattern": "**/serval.toml"}]});
    json!({"registrations": [{"id": "serval.toml", "method": "workspace/didChangeWatchedFiles", "registerOptions": options}]})
}
