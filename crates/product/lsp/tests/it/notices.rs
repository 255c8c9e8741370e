//! What client and server tell each other beside texts: settings, files that change, and what is to be asked for again.

use serde_json::{Value, json};
use serval_lsp::Host;

use crate::client::{Client, host};

const URI: &str = "file:///bank.ser";
const FINE: &str = "request flip { X := 1 - X; X }\n";

fn about() -> Value {
    json!({"textDocument": {"uri": URI}})
}

#[test]
fn a_text_is_decided_about_when_it_is_saved_and_again_under_other_settings() {
    let can = json!({"refreshSupport": true});
    let workspace = json!({"didChangeWatchedFiles": {"dynamicRegistration": true}, "codeLens": can, "inlayHint": can});
    let capabilities = json!({"workspace": workspace});
    let mut client = Client::with(&capabilities, &json!({"check": "save", "state": true, "timeout": 0}));
    let [watched] = client.wait("client/registerCapability", |_| true)["registrations"].as_array().unwrap().clone().try_into().unwrap();
    assert_eq!(watched["method"], "workspace/didChangeWatchedFiles");
    assert_eq!(watched["registerOptions"], json!({"watchers": [{"globPattern": "**/serval.toml"}]}));
    client.open(URI, FINE);
    client.state(URI, 1, "stale");
    // Lens and hint are drawn anew.
    assert_eq!(client.wait("workspace/codeLens/refresh", |_| true), Value::Null);
    assert_eq!(client.wait("workspace/inlayHint/refresh", |_| true), Value::Null);
    client.tell("textDocument/didSave", about());
    assert_eq!(client.state(URI, 1, "verdict")["text"], "serializable");
    // Another `serval.toml` may ask for something else.
    client.tell("workspace/didChangeWatchedFiles", json!({"changes": [{"uri": "file:///serval.toml", "type": 2}]}));
    assert_eq!(client.state(URI, 1, "stale")["verdict"], Value::Null);
    client.tell("workspace/didChangeConfiguration", json!({"settings": {"serval": {"check": "change"}}}));
    client.replace(URI, 2, FINE);
    client.state(URI, 2, "verdict");
    client.goodbye();
}

#[test]
fn settings_that_cannot_be_read_are_shown() {
    let mut client = Client::on(Host { settings: |_| Err("serval.toml:1: no such key".to_owned()), ..host() });
    client.hello(&json!({}), &json!({}));
    client.open(URI, FINE);
    let shown = client.wait("window/showMessage", |_| true);
    assert_eq!(shown, json!({"type": 1, "message": "serval.toml:1: no such key"}));
    client.goodbye();
}

#[test]
fn calls_out_of_a_request_and_tokens_of_a_part() {
    let mut client = Client::new();
    client.open(URI, "fn add(x) { x + N }\nvar N: 0..3\nrequest a { y := add(2); y }\n");
    let at = |line: u64, character: u64| json!({"textDocument": {"uri": URI}, "position": {"line": line, "character": character}});
    let item = client.ask("textDocument/prepareCallHierarchy", at(2, 8))[0].clone();
    let calls = client.ask("callHierarchy/outgoingCalls", json!({"item": item}));
    assert_eq!((&calls[0]["to"]["name"], &calls[1]), (&json!("add"), &Value::Null));
    let declared = client.ask("textDocument/declaration", at(2, 18));
    assert_eq!(declared["range"], json!({"start": {"line": 0, "character": 3}, "end": {"line": 0, "character": 6}}));
    let mut params = about();
    params["range"] = json!({"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 11}});
    let tokens = client.ask("textDocument/semanticTokens/range", params);
    let data: Vec<u64> = tokens["data"].as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect();
    // Those of the second line alone, the first of which is `var`.
    assert_eq!((data[0], data[1], data[2]), (1, 0, 3));
    assert!(data.chunks(5).skip(1).all(|token| token[0] == 0), "{data:?}");
    client.goodbye();
}
