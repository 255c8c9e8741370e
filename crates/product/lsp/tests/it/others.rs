//! Texts that are no programs of requests: programs on weak memory, litmus tests and nets have verdicts, too.

use serde_json::{Value, json};

use crate::client::{Client, applied};

const STORE_BUFFERS: &str = "memory x = 0, y = 0;\n\nthread L {\n  x := 1;\n  r := y;\n}\n\nthread R {\n  y := 1;\n  r := x;\n}\n\n\
    forall L.r == 1 || R.r == 1;\n";

fn client() -> Client {
    let literals = json!({"codeActionKind": {"valueSet": ["quickfix", "source"]}});
    let capabilities = json!({"textDocument": {"codeAction": {"codeActionLiteralSupport": literals}}});
    Client::with(&capabilities, &json!({"state": true}))
}

/// What is shown once there is a verdict.
fn shown(client: &mut Client, uri: &str, version: i64) -> (Value, Vec<Value>) {
    let is_done = |params: &Value| {
        let is_verdict = |one: &Value| matches!(one["code"].as_str(), Some("robust" | "net"));
        params["uri"] == uri && params["version"] == version && params["diagnostics"].as_array().unwrap().iter().any(is_verdict)
    };
    let told = client.wait("textDocument/publishDiagnostics", is_done);
    let state = client.state(uri, version, "verdict");
    (state, told["diagnostics"].as_array().unwrap().clone())
}

fn actions(client: &mut Client, uri: &str) -> Vec<Value> {
    let place = json!({"line": 0, "character": 0});
    let params = json!({"textDocument": {"uri": uri}, "range": {"start": place, "end": place}, "context": {"diagnostics": []}});
    client.ask("textDocument/codeAction", params).as_array().unwrap().clone()
}

#[test]
fn fences_are_actions_whose_text_is_robust() {
    let mut client = client();
    let uri = "file:///sb.tso";
    client.open(uri, STORE_BUFFERS);
    let (state, found) = shown(&mut client, uri, 1);
    assert_eq!((&state["verdict"], &state["text"]), (&json!("defect"), &json!("not robust; 1 of 1 violated")));
    assert_eq!((&found[0]["code"], &found[0]["severity"]), (&json!("robust"), &json!(2)));
    // Both stores and both reads are in the cycle; the place is the first of them.
    assert_eq!(found[0]["range"]["start"], json!({"line": 3, "character": 2}));
    assert_eq!(found[0]["relatedInformation"].as_array().unwrap().len(), 4, "{found:?}");
    assert_eq!((&found[1]["code"], &found[1]["severity"]), (&json!("question"), &json!(1)));
    assert_eq!(found[1]["message"], "violated with store buffers, holds without");
    // The fix comes after the verdict.
    client.state(uri, 1, "verdict");
    let all = actions(&mut client, uri);
    let fix =
        all.iter().find(|one| one["title"] == "make it robust: fences before lines 5, 10 (proved)").unwrap_or_else(|| panic!("{all:?}"));
    let mended = applied(STORE_BUFFERS, &fix["edit"]["changes"][uri]);
    client.replace(uri, 2, &mended);
    let (state, found) = shown(&mut client, uri, 2);
    assert_eq!((&state["verdict"], &state["text"]), (&json!("fine"), &json!("robust")), "{mended}");
    assert!(found.iter().all(|one| one["severity"] == 3), "{found:?}");
    client.goodbye();
}

#[test]
fn litmus_tests_have_answers() {
    let mut client = client();
    let text = "X86 SB\n{ x=0; y=0; }\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
        exists (0:EAX=0 /\\ 1:EAX=0)\n";
    client.open("file:///SB.litmus", text);
    let (state, found) = shown(&mut client, "file:///SB.litmus", 1);
    assert_eq!(state["text"], "not robust");
    assert_eq!(found[1]["message"], "allowed with store buffers, forbidden without");
    client.open("file:///no.litmus", "X86 SB\n{ x=0 }\n P0 ;\n NOPE ;\nexists (x=1)\n");
    let found = client.wait("textDocument/publishDiagnostics", |params| params["uri"] == "file:///no.litmus");
    assert_eq!(found["diagnostics"][0]["severity"], 1);
    client.goodbye();
}

#[test]
fn nets_answer_their_own_questions_or_whether_they_get_stuck() {
    let mut client = client();
    client.open("file:///a.net", "tr t p -> q\npl p (1)\n");
    let (state, found) = shown(&mut client, "file:///a.net", 1);
    assert_eq!((&state["verdict"], &state["text"]), (&json!("does-not-hold"), &json!("deadlock-free: does not hold")));
    assert_eq!(found[0]["severity"], 2);
    client.replace("file:///a.net", 2, "tr t p -> q\ntr u q -> p\npl p (1)\n");
    let (state, _) = shown(&mut client, "file:///a.net", 2);
    assert_eq!(state["text"], "deadlock-free: holds");
    // A mistake has a line and a column, and no verdict beside it.
    client.replace("file:///a.net", 3, "tr t p -> q\ntr u q => p\n");
    let found = client.wait("textDocument/publishDiagnostics", |params| params["version"] == 3);
    let error = client.state("file:///a.net", 3, "error");
    assert_eq!(error["verdict"], Value::Null);
    let found = found["diagnostics"].as_array().unwrap();
    assert_eq!((found.len(), &found[0]["range"]["start"]["line"]), (1, &json!(1)), "{found:?}");
    let mist = "vars\n  a b\nrules\n  a >= 1 -> a' = a - 1, b' = b + 1;\ninit\n  a = 2, b = 0\ntarget\n  b >= 2\n";
    client.open("file:///a.spec", mist);
    let (state, _) = shown(&mut client, "file:///a.spec", 1);
    assert!(state["text"].as_str().unwrap().ends_with("holds"), "{state}");
    client.goodbye();
}
