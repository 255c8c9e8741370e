//! Large texts, and work that takes long: an edit does not wait for the end of what it makes useless.

use serde_json::json;

use crate::client::Client;

const URI: &str = "untitled:Untitled-1";
const FINE: &str = "request flip { X := 1 - X }\n";

/// A program of so many requests, which share nothing.
fn requests(count: usize) -> String {
    let one = |number| format!("request r{number} {{ G{number} := 1 - G{number} }}\n");
    (0..count).map(one).collect()
}

fn state() -> Client {
    Client::with(&json!({}), &json!({"state": true, "timeout": 0}))
}

#[test]
fn a_large_text_is_read_while_others_are_answered() {
    let mut client = state();
    client.open(URI, &requests(4_000));
    assert_eq!(client.state(URI, 1, "stale")["text"], "not checked");
    // What was being read is of no use any more, twice; another text does not wait for it.
    client.replace(URI, 2, &requests(5_000));
    client.open("untitled:small", FINE);
    assert_eq!(client.state("untitled:small", 1, "verdict")["text"], "serializable");
    client.replace(URI, 3, FINE);
    assert_eq!(client.state(URI, 3, "verdict")["text"], "serializable");
    // A question does not wait for the reading, and what both find is the same.
    client.replace(URI, 4, &(requests(1_000) + "request wrong {"));
    let found = client.ask("textDocument/diagnostic", json!({"textDocument": {"uri": URI}}));
    assert!(!found["items"].as_array().unwrap().is_empty());
    assert_eq!(client.state(URI, 4, "error")["text"], "the text has errors");
    client.replace(URI, 5, &requests(1_000));
    client.tell("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    client.goodbye();
}

/// Each of these programs takes minutes to decide about.
#[test]
fn the_next_text_does_not_wait_for_the_one_before() {
    let mut client = state();
    client.open(URI, FINE);
    client.state(URI, 1, "verdict");
    let long = |number: usize| {
        format!(
            "{FINE}request main {{\n  i := {number};\n  while (!(i == 0)) {{\n    while (X == 0) {{ yield }};\n    while (X == 1) {{ yield }};\n    i := i - 1\n  }};\n  100\n}}\n"
        )
    };
    let mut version = 1;
    for number in 0..4 {
        version += 1;
        client.replace(URI, version, &long(1_000_000 - number));
        client.state(URI, version, "checking");
    }
    client.ask("workspace/executeCommand", json!({"command": "serval.stop", "arguments": [URI]}));
    assert_eq!(client.state(URI, version, "stopped")["text"], "stopped; before the last edit: serializable");
    client.replace(URI, version + 1, FINE);
    assert_eq!(client.state(URI, version + 1, "verdict")["verdict"], "serializable");
    client.goodbye();
}
