//! What is asked and what is answered, method by method.

use serde_json::{Value, json};

use crate::client::{Client, applied};

const URI: &str = "file:///bank.ser";
const LOST: &str = "request save {\n  seen := EDITS;\n  yield;\n  EDITS := (seen + 1) % 4;\n  seen + 1\n}\n";
const FINE: &str = "request flip { X := 1 - X; X }\n";

fn at(line: u64, character: u64) -> Value {
    json!({"textDocument": {"uri": URI}, "position": {"line": line, "character": character}})
}

fn about() -> Value {
    json!({"textDocument": {"uri": URI}})
}

fn range(from: [u64; 2], to: [u64; 2]) -> Value {
    json!({"start": {"line": from[0], "character": from[1]}, "end": {"line": to[0], "character": to[1]}})
}

fn rich() -> Client {
    let capabilities = json!({
        "textDocument": {
            "codeAction": {"codeActionLiteralSupport": {}},
            "completion": {"completionItem": {"snippetSupport": true}},
            "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
            "hover": {"contentFormat": ["markdown"]},
        }
    });
    Client::with(&capabilities, &json!({"state": true, "timeout": 0}))
}

#[test]
fn hello_and_goodbye() {
    let mut client = Client::raw();
    let capabilities = json!({"general": {"positionEncodings": ["utf-16", "utf-8"]}});
    let hello = client.ask("initialize", json!({"processId": null, "capabilities": capabilities}));
    assert_eq!(hello["serverInfo"], json!({"name": "serval", "version": "test"}));
    assert_eq!(hello["capabilities"]["positionEncoding"], "utf-8");
    assert_eq!(hello["capabilities"]["textDocumentSync"]["change"], 2);
    assert_eq!(hello["capabilities"].get("diagnosticProvider"), None);
    client.tell("initialized", json!({}));
    client.goodbye();
}

/// Syntax and names at once, then the verdict with its places, then the fix; all drawn from one state.
#[test]
fn from_opening_to_the_fix() {
    let mut client = rich();
    client.open(URI, LOST);
    client.state(URI, 1, "checking");
    let verdict = client.state(URI, 1, "verdict");
    assert_eq!((&verdict["verdict"], &verdict["text"]), (&json!("not-serializable"), &json!("not serializable: lost-update")));
    client.replace(URI, 2, LOST);
    let found = client.wait("textDocument/publishDiagnostics", |params| {
        params["version"] == 2 && params["diagnostics"].as_array().unwrap().iter().any(|one| one["code"] == "lost-update")
    });
    let one = found["diagnostics"].as_array().unwrap().iter().find(|one| one["code"] == "lost-update").unwrap();
    // At the `yield` at which the other request runs, with the accesses of the circle.
    assert_eq!((&one["range"], &one["severity"]), (&range([2, 2], [2, 7]), &json!(1)));
    let related: Vec<&str> = one["relatedInformation"].as_array().unwrap().iter().filter_map(|one| one["message"].as_str()).collect();
    assert!(related[0].contains("waits here while") && related.iter().any(|line| line.contains("writes `EDITS`")), "{related:?}");
    let lens = client.ask("textDocument/codeLens", about());
    assert_eq!(lens[0]["command"]["title"], "not serializable: lost-update");
    let hover = client.ask("textDocument/hover", at(2, 4));
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("**not serializable: lost-update**") && text.contains("others may change"), "{text}");
    // The fix comes after the verdict, and is proved for exactly the text that results.
    let actions = loop {
        let params =
            json!({"textDocument": {"uri": URI}, "range": range([2, 3], [2, 3]), "context": {"diagnostics": [], "only": ["quickfix"]}});
        let actions = client.ask("textDocument/codeAction", params);
        if actions.as_array().unwrap().iter().any(|one| one["title"].as_str().unwrap().ends_with("(proved)")) {
            break actions;
        }
        std::thread::yield_now();
    };
    for action in actions.as_array().unwrap().iter().filter(|one| one["title"].as_str().unwrap().ends_with("(proved)")) {
        let fixed = applied(LOST, &action["edit"]["changes"][URI]);
        let input = serval::Input::program(&*fixed).unwrap();
        let decision = serval::decide(&input, &serval::Options::default());
        assert!(matches!(decision.verdict, serval::Verdict::Serializable(_)), "{fixed}");
    }
    let fixed = applied(LOST, &actions[0]["edit"]["changes"][URI]);
    client.replace(URI, 3, &fixed);
    assert_eq!(client.state(URI, 3, "verdict")["verdict"], "serializable");
    let trace = client.ask("serval/trace", about());
    assert_eq!(trace, Value::Null);
    let page = client.ask("serval/report", about());
    assert!(page["html"].as_str().unwrap().contains("<html"));
    client.goodbye();
}

/// After an edit nothing shows the old verdict as current, and a text with errors has none.
#[test]
fn an_old_verdict_is_shown_as_old() {
    let mut client = Client::with(&json!({}), &json!({"state": true, "timeout": 0, "check": "command"}));
    client.open(URI, FINE);
    assert_eq!(client.state(URI, 1, "stale")["text"], "not checked");
    client.ask("workspace/executeCommand", json!({"command": "serval.check", "arguments": [URI]}));
    assert_eq!(client.state(URI, 1, "verdict")["text"], "serializable");
    client.replace(URI, 2, "request flip { X := 1 - X; yield; X }\n");
    let stale = client.state(URI, 2, "stale");
    assert_eq!((&stale["text"], &stale["verdict"]), (&json!("not checked; before the last edit: serializable"), &Value::Null));
    client.replace(URI, 3, "request flip { X := ; X }\n");
    let error = client.state(URI, 3, "error");
    assert_eq!((&error["text"], &error["verdict"]), (&json!("the text has errors"), &Value::Null));
    let told = client.ask("textDocument/codeLens", about());
    assert!(told[0]["command"]["title"].as_str().unwrap().starts_with("the text has errors"));
    client.ask("workspace/executeCommand", json!({"command": "serval.check", "arguments": [URI]}));
    client.state(URI, 3, "error");
    client.goodbye();
}

#[test]
fn names_are_asked_about() {
    let mut client = rich();
    client.open(URI, "fn add(x) { x + N }\nN := 1\nrequest a { y := add(2); y }\n");
    client.replace(URI, 2, "fn add(x) { x + N }\nvar N: 0..3\nrequest a { y := add(2); y }\n");
    let definition = client.ask("textDocument/definition", at(2, 18));
    assert_eq!(definition, json!({"uri": URI, "range": range([0, 3], [0, 6])}));
    let mut params = at(0, 16);
    params["context"] = json!({"includeDeclaration": true});
    assert_eq!(client.ask("textDocument/references", params).as_array().unwrap().len(), 2);
    let highlights = client.ask("textDocument/documentHighlight", at(2, 12));
    assert_eq!(highlights.as_array().unwrap().iter().map(|one| one["kind"].as_u64().unwrap()).collect::<Vec<_>>(), [3, 2]);
    let prepared = client.ask("textDocument/prepareRename", at(2, 12));
    assert_eq!(prepared, json!({"range": range([2, 12], [2, 13]), "placeholder": "y"}));
    let mut params = at(2, 12);
    params["newName"] = json!("sum");
    let edits = client.ask("textDocument/rename", params)["changes"][URI].clone();
    assert_eq!(edits.as_array().unwrap().len(), 2);
    let mut params = at(2, 12);
    params["newName"] = json!("Sum");
    let refused = client.answer("textDocument/rename", params);
    assert_eq!(refused["error"]["code"], -32803);
    let symbols = client.ask("textDocument/documentSymbol", about());
    assert_eq!(symbols.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect::<Vec<_>>(), ["add", "N", "a"]);
    assert_eq!(symbols[0]["children"][0]["name"], "x");
    assert_eq!(client.ask("workspace/symbol", json!({"query": "AD"}))[0]["name"], "add");
    let item = client.ask("textDocument/prepareCallHierarchy", at(0, 4))[0].clone();
    let calls = client.ask("callHierarchy/incomingCalls", json!({"item": item}));
    assert_eq!(calls[0]["from"]["name"], "a");
    let help = client.ask("textDocument/signatureHelp", at(2, 21));
    assert_eq!((&help["signatures"][0]["label"], &help["activeParameter"]), (&json!("fn add(x)"), &json!(0)));
    let hints = client.ask("textDocument/inlayHint", json!({"textDocument": {"uri": URI}, "range": range([0, 0], [9, 0])}));
    assert_eq!((&hints[0]["label"], &hints[0]["position"]), (&json!("x:"), &json!({"line": 2, "character": 21})));
    let offered = client.ask("textDocument/completion", at(2, 12));
    let add = offered.as_array().unwrap().iter().find(|one| one["label"] == "add").unwrap().clone();
    assert_eq!((&add["textEdit"]["newText"], &add["insertTextFormat"]), (&json!("add($0)"), &json!(2)));
    client.goodbye();
}

#[test]
fn the_shape_of_a_text_is_asked_about() {
    let mut client = rich();
    let text = "/* one\n   two */\nrequest a {\n  X := 1;\n  X\n}\n";
    client.open(URI, text);
    let folds = client.ask("textDocument/foldingRange", about());
    assert_eq!(folds, json!([{"startLine": 0, "endLine": 1, "kind": "comment"}, {"startLine": 2, "endLine": 4, "kind": "region"}]));
    let mut params = about();
    params["positions"] = json!([{"line": 3, "character": 2}]);
    let chain = client.ask("textDocument/selectionRange", params);
    assert_eq!(chain[0]["range"], range([3, 2], [3, 3]));
    assert_eq!(chain[0]["parent"]["range"], range([3, 2], [3, 8]));
    let tokens = client.ask("textDocument/semanticTokens/full", about());
    let data: Vec<u64> = tokens["data"].as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect();
    // A comment of two lines is two tokens; then `request`, `a`, `X` (written, shared), `:=`, `1`, `X`.
    assert_eq!(data[..15], [0, 0, 6, 3, 0, 1, 0, 9, 3, 0, 1, 0, 7, 0, 0]);
    assert_eq!(data[15..25], [0, 8, 1, 4, 1, 1, 2, 1, 5, 12]);
    assert_eq!(data.len() % 5, 0);
    client.goodbye();
}

#[test]
fn texts_are_laid_out() {
    let mut client = rich();
    let laid_out = |text: &str| serval::format(text, &serval::FormatStyle::default()).unwrap().replace('\n', "\r\n");
    let (one, other) = ("request a{X:=1;\r\nX}\r\n", "request b{ 1 }\r\n");
    let text = format!("{one}{other}");
    client.open(URI, &text);
    let edits = client.ask("textDocument/formatting", json!({"textDocument": {"uri": URI}, "options": {"tabSize": 8}}));
    assert_eq!(applied(&text, &edits), laid_out(&text));
    let params = json!({"textDocument": {"uri": URI}, "range": range([2, 0], [2, 3]), "options": {}});
    let edits = client.ask("textDocument/rangeFormatting", params);
    assert_eq!(applied(&text, &edits), format!("{one}{}", laid_out(other)));
    let mut params = at(1, 2);
    params["ch"] = json!("}");
    let edits = client.ask("textDocument/onTypeFormatting", params);
    assert_eq!(applied(&text, &edits), format!("{}{other}", laid_out(one)));
    // What has mistakes stays as it is.
    client.replace(URI, 2, "request a {");
    assert_eq!(client.ask("textDocument/formatting", about()), Value::Null);
    client.goodbye();
}

#[test]
fn help_is_an_action() {
    let mut client = rich();
    let text = "request a {\n  x = 1;\n  x\n}\n";
    client.open(URI, text);
    let shown = client.wait("textDocument/publishDiagnostics", |_| true)["diagnostics"].clone();
    assert_eq!((&shown[0]["code"], &shown[0]["source"]), (&json!("E0112"), &json!("serval")));
    let params = json!({"textDocument": {"uri": URI}, "range": range([1, 4], [1, 5]), "context": {"diagnostics": shown}});
    let action = client.ask("textDocument/codeAction", params)[0].clone();
    assert_eq!((&action["title"], &action["isPreferred"]), (&json!("write `:=` here"), &json!(true)));
    assert_eq!(action["diagnostics"][0]["code"], "E0112");
    assert_eq!(applied(text, &action["edit"]["changes"][URI]), "request a {\n  x := 1;\n  x\n}\n");
    client.goodbye();
}

#[test]
fn other_kinds_of_texts() {
    let mut client = rich();
    client.open("file:///a.tso", "memory x=0;thread P{x:=1}");
    let edits = client.ask("textDocument/formatting", json!({"textDocument": {"uri": "file:///a.tso"}, "options": {}}));
    assert!(edits[0]["newText"].as_str().unwrap().contains("memory x = 0;"), "{edits}");
    client.open("file:///b.tso", "memory x = ;");
    let found = client.wait("textDocument/publishDiagnostics", |params| params["uri"] == "file:///b.tso");
    assert_eq!(found["diagnostics"][0]["severity"], 1);
    let item = json!({"uri": "file:///c.json", "languageId": "json", "version": 1, "text": "{\"a\": 1}"});
    client.tell("textDocument/didOpen", json!({"textDocument": item}));
    let found = client.wait("textDocument/publishDiagnostics", |params| params["uri"] == "file:///c.json");
    assert_eq!(found["diagnostics"][0]["severity"], 1);
    client.goodbye();
}

/// Diagnostics are sent, or asked for, and never both.
#[test]
fn a_client_that_asks_is_not_sent_to() {
    let capabilities = json!({"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": true}}});
    let mut client = Client::with(&capabilities, &json!({"check": "command", "state": true}));
    client.open(URI, "request a { x = 1 }");
    let found = client.ask("textDocument/diagnostic", about());
    assert_eq!((&found["kind"], &found["items"][0]["code"]), (&json!("full"), &json!("E0112")));
    client.state(URI, 1, "error");
    client.tell("textDocument/didClose", about());
    client.ask("workspace/symbol", json!({"query": ""}));
    assert!(client.told.iter().all(|message| message["method"] != "textDocument/publishDiagnostics"));
    assert!(client.told.iter().any(|message| message["method"] == "workspace/diagnostic/refresh"));
    client.goodbye();
}
