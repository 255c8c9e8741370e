//! Any sequence of edits: the text of the server is that of the client, and what is said about it is what is said of it
//! when it is opened.

use serde_json::{Value, json};
use serval_effort::sweep;
use serval_testkit::random::{SplitMix64, random_convenience};

use crate::client::Client;

const URI: &str = "untitled:Untitled-1";
const PIECES: [&str; 14] = ["x := 1; ", "yield;\n", "}", "{", "🦊", "é", "\r\n", "\n", "request b { X }\n", "(", " ", "= ", "// z\n", "/*"];

/// Line and column in units of 16 bits, counted by hand.
fn position(text: &str, offset: usize) -> Value {
    let before = &text[..offset];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    json!({"line": before.matches('\n').count(), "character": before[start..].encode_utf16().count()})
}

fn boundary(text: &str, numbers: &mut SplitMix64) -> usize {
    let mut at = numbers.below(text.len() + 1);
    while !text.is_char_boundary(at) || text[..at].ends_with('\r') && text[at..].starts_with('\n') {
        at -= 1;
    }
    at
}

/// What the server says about a text: diagnostics, symbols and colours.
fn said(client: &mut Client, uri: &str) -> [Value; 3] {
    ["textDocument/diagnostic", "textDocument/documentSymbol", "textDocument/semanticTokens/full"].map(|method| {
        let answer = client.ask(method, json!({"textDocument": {"uri": uri}})).to_string();
        serde_json::from_str(&answer.replace(uri, "")).unwrap()
    })
}

fn sequence(seed: u64) {
    let mut numbers = SplitMix64::new(seed);
    let capabilities = json!({"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": true}}});
    let mut client = Client::with(&capabilities, &json!({"check": "command"}));
    let mut text = random_convenience(seed).text;
    if seed.is_multiple_of(25) {
        // A large text is read on a thread of its own.
        text.push_str(&"// so many words\r\n".repeat(2_000));
    }
    let mut undo = vec![text.clone()];
    client.open(URI, &text);
    for version in 2..14 {
        let mut changes = Vec::new();
        for _ in 0..=numbers.below(2) {
            if numbers.below(6) == 0 {
                // Undone as editors do it: all of the text at once.
                text = undo[numbers.below(undo.len())].clone();
                changes.push(json!({"text": text}));
                continue;
            }
            let (one, other) = (boundary(&text, &mut numbers), boundary(&text, &mut numbers));
            let start = one.min(other);
            let end = if numbers.below(3) == 0 { one.max(other).min(start + 40) } else { start };
            let end =
                (start..=end).rev().find(|&at| text.is_char_boundary(at) && !(text[..at].ends_with('\r') && text[at..].starts_with('\n')));
            let end = end.unwrap_or(start);
            let new = PIECES[numbers.below(PIECES.len())];
            changes.push(json!({"range": {"start": position(&text, start), "end": position(&text, end)}, "text": new}));
            text.replace_range(start..end, new);
        }
        undo.push(text.clone());
        client.tell("textDocument/didChange", json!({"textDocument": {"uri": URI, "version": version}, "contentChanges": changes}));
        if numbers.below(4) == 0 {
            let at = position(&text, boundary(&text, &mut numbers));
            for method in ["textDocument/hover", "textDocument/completion", "textDocument/definition"] {
                client.ask(method, json!({"textDocument": {"uri": URI}, "position": at}));
            }
        }
    }
    // A fresh start with the text of the client.
    client.open("untitled:again", &text);
    assert_eq!(said(&mut client, URI), said(&mut client, "untitled:again"), "seed {seed}\n{text}");
    client.goodbye();
}

#[test]
fn sequences_of_edits_lead_where_a_fresh_start_does() {
    sweep("lsp.edits", 500, 5_000).each(1, sequence);
}
