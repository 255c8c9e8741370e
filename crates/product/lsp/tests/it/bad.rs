//! Clients that do what they must not, and get what the protocol asks for.

use serde_json::{Value, json};

use crate::client::Client;

const URI: &str = "file:///a.ser";

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn before_hello_and_after_goodbye() {
    let mut client = Client::raw();
    assert_eq!(code(&client.answer("textDocument/hover", json!({}))), -32002);
    // Notifications are dropped.
    client.open(URI, "request a { 1 }");
    client.ask("initialize", json!({"capabilities": {}}));
    assert_eq!(code(&client.answer("textDocument/documentSymbol", json!({"textDocument": {"uri": URI}}))), -32602);
    assert_eq!(code(&client.answer("initialize", json!({"capabilities": {}}))), -32600);
    client.ask("shutdown", Value::Null);
    assert_eq!(code(&client.answer("textDocument/hover", json!({}))), -32600);
    client.tell("exit", Value::Null);
    assert_eq!(client.end(), 0);
    // Without goodbye it is an error.
    let mut client = Client::new();
    client.tell("exit", Value::Null);
    assert_eq!(client.end(), 1);
    assert_eq!(Client::new().end(), 1);
    assert_eq!(Client::raw().end(), 1);
}

#[test]
fn what_is_no_message() {
    let mut client = Client::new();
    let damaged = |client: &mut Client, bytes: &[u8], expected: i64| {
        client.bytes(bytes);
        assert_eq!(code(&client.answer_to(&Value::Null)), expected);
    };
    damaged(&mut client, b"Content-Length: 5\r\n\r\n{\"a\":", -32700);
    damaged(&mut client, b"Content-Length: 4\r\n\r\n\"\xff\xfe\"", -32700);
    damaged(&mut client, b"Content-Length: 2\r\n\r\n[]", -32600);
    damaged(&mut client, b"Content-Length: 2\r\n\r\n{}", -32600);
    damaged(&mut client, b"Content-Length: 36\r\n\r\n{\"id\": {\"a\": 1}, \"method\": \"hover\" }", -32600);
    let deep = "[".repeat(1_000_000);
    damaged(&mut client, format!("Content-Length: {}\r\n\r\n{deep}", deep.len()).as_bytes(), -32700);
    // It lives on.
    assert_eq!(client.ask("workspace/symbol", json!({"query": ""})), json!([]));
    assert_eq!(code(&client.answer("textDocument/nonsense", json!({}))), -32601);
    assert_eq!(code(&client.answer("workspace/executeCommand", json!({"command": "rm", "arguments": []}))), -32602);
    client.tell("textDocument/nonsense", json!({}));
    client.tell("$/unknown", json!(7));
    client.goodbye();
}

#[test]
fn pipes_that_end_too_soon() {
    for bytes in [&b"Content-Length: 100\r\n\r\n{\"jsonrpc\""[..], b"Content-Le", b"Content-Type: x\r\n\r\n{}", b"\x00\x01\x02\n\n"] {
        let mut client = Client::new();
        client.bytes(bytes);
        assert_eq!(client.end(), 1);
    }
}

#[test]
fn places_that_are_none() {
    let mut client = Client::new();
    client.open(URI, "request a { 🦊; X }");
    let places = [[0, 13], [0, 99], [9, 0], [u64::from(u32::MAX), u64::MAX], [u64::MAX, 0]];
    for [line, character] in places {
        for method in ["hover", "completion", "definition", "references", "documentHighlight", "signatureHelp", "prepareRename"] {
            let params = json!({"textDocument": {"uri": URI}, "position": {"line": line, "character": character}});
            client.ask(&format!("textDocument/{method}"), params);
        }
    }
    for position in [json!({"line": -1, "character": 0}), json!({"line": "0"}), Value::Null, json!([])] {
        let answer = client.answer("textDocument/hover", json!({"textDocument": {"uri": URI}, "position": position}));
        assert_eq!(code(&answer), -32602);
    }
    // A range that ends before it begins, and one beyond the text.
    let backwards = json!({"start": {"line": 5, "character": 0}, "end": {"line": 0, "character": 0}});
    let change = json!({"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"range": backwards, "text": "request b { 1 }"}]});
    client.tell("textDocument/didChange", change);
    let symbols = client.ask("textDocument/documentSymbol", json!({"textDocument": {"uri": URI}}));
    assert_eq!(symbols.as_array().unwrap().len(), 1);
    client.goodbye();
}

#[test]
fn texts_that_are_opened_and_closed_at_will() {
    let mut client = Client::new();
    let logged =
        |client: &mut Client, part: &str| client.wait("window/logMessage", |params| params["message"].as_str().unwrap().contains(part));
    client.tell("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    logged(&mut client, "is not open");
    client.replace(URI, 2, "request a { 1 }");
    logged(&mut client, "is not open");
    client.open(URI, "request a { 1 }");
    client.open(URI, "request b { 1 }");
    logged(&mut client, "was open already");
    client.replace(URI, 7, "request c { 1 }");
    client.replace(URI, 3, "request d { 1 }");
    logged(&mut client, "goes back");
    let symbols = client.ask("textDocument/documentSymbol", json!({"textDocument": {"uri": URI}}));
    assert_eq!((symbols.as_array().unwrap().len(), &symbols[0]["name"]), (1, &json!("d")));
    client.tell("textDocument/didChange", json!({"textDocument": {"uri": URI, "version": 8}, "contentChanges": [{}]}));
    logged(&mut client, "no text or no range");
    client.tell("textDocument/didOpen", json!({"textDocument": {"uri": URI}}));
    logged(&mut client, "without a text");
    client.goodbye();
}

/// Limits are mistakes in the text, and each question about such a text has an answer.
#[test]
fn texts_that_are_too_deep_or_too_long() {
    let (depth, length) = (1_000_000, 64 << 20);
    let braces = format!("request a {}", "{".repeat(depth));
    let closed = format!("{braces}{}", "}".repeat(depth));
    let parentheses = format!("request a {{ {} }}", "(".repeat(depth));
    let long = format!("request a {{ 1 }} // {}", "x".repeat(length));
    for text in [braces, closed, parentheses, long] {
        let mut client = Client::new();
        client.open(URI, &text);
        let told = client.wait("textDocument/publishDiagnostics", |params| !params["diagnostics"].as_array().unwrap().is_empty());
        assert_eq!(told["diagnostics"][0]["severity"], 1, "{}", told["diagnostics"]);
        for method in ["documentSymbol", "foldingRange", "semanticTokens/full", "codeLens"] {
            client.ask(&format!("textDocument/{method}"), json!({"textDocument": {"uri": URI}}));
        }
        client.replace(URI, 2, "request b { 1 }");
        let symbols = client.ask("textDocument/documentSymbol", json!({"textDocument": {"uri": URI}}));
        assert_eq!(symbols[0]["name"], "b");
        client.goodbye();
    }
}

#[test]
fn options_that_are_not_understood_are_told() {
    let mut client = Client::with(&json!({}), &json!({"check": "sometimes", "timeout": -1}));
    let logged =
        |client: &mut Client, part: &str| client.wait("window/logMessage", |params| params["message"].as_str().unwrap().contains(part));
    logged(&mut client, "not `sometimes`");
    logged(&mut client, "number of seconds");
    client.goodbye();
}

#[test]
fn a_request_that_is_cancelled_before_it_is_begun() {
    let mut client = Client::new();
    // Both are in the pipe before the server reads either, or the request is answered; one answer comes in any case.
    let ask = json!({"jsonrpc": "2.0", "id": "x", "method": "workspace/symbol", "params": {"query": ""}}).to_string();
    let cancel = json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "x"}}).to_string();
    let frame = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
    client.bytes((frame(&ask) + &frame(&cancel)).as_bytes());
    let answer = client.answer_to(&json!("x"));
    assert!(answer["result"] == json!([]) || code(&answer) == -32800, "{answer}");
    client.goodbye();
}
