//! A client of `serval lsp`, which knows when messages go and come.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long a message may take to come.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server, and the pipes to it.
#[derive(Debug)]
pub struct LanguageClient {
    server: Child,
    to: Option<ChildStdin>,
    from: Receiver<(Instant, Value)>,
}

impl LanguageClient {
    /// Starts a server and says hello.
    pub fn start(serval: &Path, options: &Value) -> Result<Self, String> {
        let mut command = Command::new(serval);
        command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = command.spawn().map_err(|error| format!("cannot run {}: {error}", serval.display()))?;
        let (to, from) = (server.stdin.take(), server.stdout.take().ok_or("there is no pipe")?);
        let (found, messages) = mpsc::channel();
        std::thread::spawn(move || {
            let mut from = BufReader::new(from);
            while let Some(message) = read(&mut from) {
                if found.send(message).is_err() {
                    return;
                }
            }
        });
        let mut client = Self { server, to, from: messages };
        let params = json!({"processId": null, "rootUri": null, "capabilities": {}, "initializationOptions": options});
        client.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}))?;
        client.wait(|message| message["id"] == json!(0))?;
        client.tell("initialized", json!({}))?;
        Ok(client)
    }

    fn send(&mut self, message: &Value) -> Result<Instant, String> {
        let body = message.to_string();
        let begun = Instant::now();
        let to = self.to.as_mut().ok_or("the server is gone")?;
        write!(to, "Content-Length: {}\r\n\r\n{body}", body.len()).and_then(|()| to.flush()).map_err(|error| error.to_string())?;
        Ok(begun)
    }

    /// Sends a notification; when that began.
    pub fn tell(&mut self, method: &str, params: Value) -> Result<Instant, String> {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    /// Opens a text.
    pub fn open(&mut self, uri: &str, text: &str) -> Result<Instant, String> {
        let language = if uri.ends_with(".json") { "serval-system" } else { "serval" };
        self.tell("textDocument/didOpen", json!({"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": text}}))
    }

    /// Changes a text.
    pub fn change(&mut self, uri: &str, version: u64, change: Value) -> Result<Instant, String> {
        self.tell("textDocument/didChange", json!({"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]}))
    }

    /// Closes a text.
    pub fn close(&mut self, uri: &str) -> Result<Instant, String> {
        self.tell("textDocument/didClose", json!({"textDocument": {"uri": uri}}))
    }

    /// Waits for a message; when it was there. What comes before is dropped.
    pub fn wait(&mut self, is_meant: impl Fn(&Value) -> bool) -> Result<(Instant, Value), String> {
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.from.recv_timeout(left) {
                Ok((when, message)) if is_meant(&message) => return Ok((when, message)),
                Ok(_) => {}
                Err(_) => return Err(format!("the server did not answer within {} s, or is gone", PATIENCE.as_secs())),
            }
        }
    }

    /// Waits until there are diagnostics about a version of a text.
    pub fn diagnosed(&mut self, uri: &str, version: u64) -> Result<Instant, String> {
        let is_meant = |message: &Value| {
            let params = &message["params"];
            message["method"] == "textDocument/publishDiagnostics" && params["uri"] == uri && params["version"] == version
        };
        self.wait(is_meant).map(|(when, _)| when)
    }

    /// Waits until a version of a text is in one of these states; which it is.
    pub fn reached(&mut self, uri: &str, version: u64, states: &[&str]) -> Result<(Instant, String), String> {
        let state = |message: &Value| message["params"]["state"].as_str().unwrap_or_default().to_owned();
        let is_meant = |message: &Value| {
            let params = &message["params"];
            message["method"] == "serval/state"
                && params["uri"] == uri
                && params["version"] == version
                && states.contains(&state(message).as_str())
        };
        self.wait(is_meant).map(|(when, message)| (when, state(&message)))
    }

    /// How much memory the server has now, in KiB, where the system says so.
    pub fn resident_kib(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server.id())).ok()?;
        status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.trim().strip_suffix(" kB")?.trim().parse().ok()
    }
}

impl Drop for LanguageClient {
    fn drop(&mut self) {
        // The end of its input ends a server, at the latest the one that follows.
        self.to = None;
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The next message, and when it was there; nothing at the end.
fn read(from: &mut impl BufRead) -> Option<(Instant, Value)> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", value)) => length = value.parse().ok()?,
            _ if line.trim_end().is_empty() => break,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).ok()?;
    let when = Instant::now();
    Some((when, serde_json::from_slice(&body).ok()?))
}
