//! A client that speaks with a server in this process, over two pipes.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};
use serval_lsp::{Host, Settings, serve};

/// A host whose clock stands still, so that nothing depends on how fast the machine is.
pub(crate) fn host() -> Host {
    Host { version: "test", now: || Duration::ZERO, settings: |_| Ok(Settings::default()), is_alive: |_| true, is_full: || false }
}

pub(crate) struct Client {
    to: Option<PipeWriter>,
    from: BufReader<PipeReader>,
    server: Option<JoinHandle<u8>>,
    next: i64,
    /// Notifications and requests of the server that have not been looked at.
    pub(crate) told: VecDeque<Value>,
}

impl Client {
    /// A client of a server that knows nothing yet.
    pub(crate) fn raw() -> Self {
        Self::on(host())
    }

    /// The same of a server on this host.
    pub(crate) fn on(host: Host) -> Self {
        let (input, to) = std::io::pipe().unwrap();
        let (from, output) = std::io::pipe().unwrap();
        let server = std::thread::spawn(move || serve(input, output, host));
        Self { to: Some(to), from: BufReader::new(from), server: Some(server), next: 1, told: VecDeque::new() }
    }

    /// A client that has said hello.
    pub(crate) fn new() -> Self {
        Self::with(&json!({}), &json!({}))
    }

    /// The same with capabilities and options.
    pub(crate) fn with(capabilities: &Value, options: &Value) -> Self {
        let mut client = Self::raw();
        client.hello(capabilities, options);
        client
    }

    pub(crate) fn hello(&mut self, capabilities: &Value, options: &Value) {
        let params = json!({"processId": null, "rootUri": null, "capabilities": capabilities, "initializationOptions": options});
        let answer = self.ask("initialize", params);
        assert_eq!(answer["serverInfo"]["name"], "serval");
        self.tell("initialized", json!({}));
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        // A server that is gone reads no more.
        let _ = self.to.as_mut().unwrap().write_all(bytes);
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    pub(crate) fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// The next message, or nothing where the server is gone.
    pub(crate) fn read(&mut self) -> Option<Value> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.from.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", value)) => length = value.parse().unwrap(),
                _ if line == "\r\n" => break,
                _ => panic!("{line:?}"),
            }
        }
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).unwrap();
        Some(serde_json::from_slice(&body).unwrap())
    }

    /// The answer to a request as a whole.
    pub(crate) fn answer(&mut self, method: &str, params: Value) -> Value {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.answer_to(&json!(id))
    }

    pub(crate) fn answer_to(&mut self, id: &Value) -> Value {
        loop {
            let message = self.read().expect("the server is there");
            if message.get("method").is_none() && message["id"] == *id {
                return message;
            }
            self.told.push_back(message);
        }
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Waits for a notification that fulfils a condition; what comes before is dropped.
    pub(crate) fn wait(&mut self, method: &str, is_meant: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = match self.told.pop_front() {
                Some(message) => message,
                None => self.read().expect("the server is there"),
            };
            if message["method"] == method && is_meant(&message["params"]) {
                return message["params"].clone();
            }
        }
    }

    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        let language = match uri.rsplit_once('.') {
            Some((_, "tso")) => "serval-tso",
            Some((_, "litmus" | "net" | "spec" | "pnml" | "vass")) => "plaintext",
            _ => "serval",
        };
        self.tell("textDocument/didOpen", json!({"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": text}}));
    }

    pub(crate) fn replace(&mut self, uri: &str, version: i64, text: &str) {
        let params = json!({"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]});
        self.tell("textDocument/didChange", params);
    }

    /// The state of a text as the status item has it, once it is this one.
    pub(crate) fn state(&mut self, uri: &str, version: i64, state: &str) -> Value {
        self.wait("serval/state", |params| params["uri"] == uri && params["version"] == version && params["state"] == state)
    }

    /// Closes the pipe; the exit status of the server.
    pub(crate) fn end(mut self) -> u8 {
        self.to = None;
        while self.read().is_some() {}
        self.server.take().unwrap().join().unwrap()
    }

    /// Says goodbye as the protocol asks for.
    pub(crate) fn goodbye(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.tell("exit", Value::Null);
        assert_eq!(self.end(), 0);
    }
}

/// The text with the edits of an answer, which are sorted by place.
pub(crate) fn applied(text: &str, edits: &Value) -> String {
    let mut edits: Vec<&Value> = edits.as_array().unwrap().iter().collect();
    edits.sort_by_key(|edit| (edit["range"]["start"]["line"].as_u64(), edit["range"]["start"]["character"].as_u64()));
    let mut out = text.to_owned();
    for edit in edits.into_iter().rev() {
        let [start, end] = ["start", "end"].map(|end| offset(text, &edit["range"][end]));
        out.replace_range(start..end, edit["newText"].as_str().unwrap());
    }
    out
}

/// The byte at a position, counted by hand in units of 16 bits.
pub(crate) fn offset(text: &str, position: &Value) -> usize {
    let (line, column) = (position["line"].as_u64().unwrap(), position["character"].as_u64().unwrap());
    let start = match line {
        0 => 0,
        line => text.match_indices('\n').nth(usize::try_from(line).unwrap() - 1).map_or(text.len(), |(at, _)| at + 1),
    };
    let mut left = column;
    for (at, letter) in text[start..].char_indices() {
        if left == 0 || letter == '\n' {
            return start + at;
        }
        left = left.saturating_sub(letter.len_utf16() as u64);
    }
    text.len()
}
