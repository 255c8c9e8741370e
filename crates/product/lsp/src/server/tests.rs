//! A mistake of ours in one analysis costs its own answer: the client gets an error, and the server lives on.

use std::sync::Mutex;

use super::*;
use crate::kinds::Kind;

/// A kind of text that cannot be looked at.
const BROKEN: &Kind = &Kind {
    extension: "broken",
    language: "broken",
    is_program: false,
    verdict: None,
    diagnostics: |_| panic!("a panic that a test wants"),
    format: None,
};

/// What the client reads.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<u8>>>);

impl Write for Heard {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Heard {
    /// What has come since the last look.
    fn taken(&self) -> String {
        String::from_utf8(std::mem::take(&mut *self.0.lock().unwrap())).unwrap()
    }
}

#[test]
fn a_panic_in_one_analysis_is_an_error_of_one_text() {
    let heard = Heard::default();
    let settings = |_: &str| Ok(Settings::default());
    let host = Host { version: "test", now: || Duration::ZERO, settings, is_full: || false, is_alive: |_| true };
    let (sender, _events) = mpsc::channel();
    let mut server = Server::new(Box::new(heard.clone()), host, sender, Arc::default());
    server.message(json!({"id": 1, "method": "initialize", "params": {"initializationOptions": {"state": true}}}));
    let uri = "file:///a.broken";
    server.documents.insert(uri.to_owned(), Open::new(uri.to_owned(), 1, BROKEN, "x".to_owned()));
    heard.taken();
    // Looked at by itself, and asked about.
    assert!(server.look());
    let told = heard.taken();
    assert!(told.contains("internal error: a bug in serval") && told.contains(r#""diagnostics":[]"#), "{told}");
    server.message(json!({"id": 2, "method": "textDocument/diagnostic", "params": {"textDocument": {"uri": uri}}}));
    let told = heard.taken();
    assert!(told.contains("-32603") && told.contains(r#""id":2"#), "{told}");
    // Another text is answered about as before.
    let fine = json!({"uri": "file:///b.ser", "version": 1, "languageId": "serval", "text": "request a { x = 1 }"});
    server.message(json!({"method": "textDocument/didOpen", "params": {"textDocument": fine}}));
    server.message(json!({"id": 3, "method": "textDocument/diagnostic", "params": {"textDocument": {"uri": "file:///b.ser"}}}));
    let told = heard.taken();
    assert!(told.contains("E0112") && told.contains(r#""id":3"#) && server.exit.is_none(), "{told}");
}
