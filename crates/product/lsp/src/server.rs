//! The lifecycle, the queue, and who answers what.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufReader, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use serde_json::{Value, json};
use serval::Cancel;
use serval_budget::checkpoint;
use serval_ide::{Document, Encoding, told};

use crate::answers::{self, EditorRequest, RequestFailure};
use crate::documents::{EditorPlaces, Open};
use crate::kinds::{KINDS, kind_of};
use crate::reading;
use crate::settings::Settings;
use crate::state::State;
use crate::transport::{self, Incoming};
use crate::worker::{self, Job, Outcome, WorkDone};

/// What the server is handed by the program around it.
pub struct Host {
    /// The version of the program.
    pub version: &'static str,
    /// The time since some moment.
    pub now: fn() -> Duration,
    /// The settings for a file, or why they cannot be read.
    pub settings: fn(&str) -> Result<Settings, String>,
    /// Whether there is no memory left for more work.
    pub is_full: fn() -> bool,
    /// Whether the process with this number is still there, as far as that can be told.
    pub is_alive: fn(u64) -> bool,
}

/// How long a decision may take unless the client says otherwise.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How often is looked whether the client is still there.
const GLANCE: Duration = Duration::from_secs(5);

/// When texts are decided about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Change,
    Save,
    Command,
}

enum QueuedEvent {
    Incoming(Incoming),
    Worked(Outcome),
    /// A large text has been read; nothing where that is a mistake in serval.
    Read(String, u64, Option<Box<Document>>),
}

/// Where the client and the server are in their life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    New,
    Running,
    ShutDown,
}

/// The work in progress.
struct Running {
    number: u64,
    uri: String,
    /// Whether what it finds is not wanted any more.
    is_stopped: bool,
    deciding: Cancel,
    fixing: Cancel,
    /// When it is stopped.
    deadline: Option<Duration>,
    /// Whether the verdict is known, and fixes are looked for.
    has_verdict: bool,
}

/// Speaks with one client until it says goodbye or is gone; the exit status that the protocol asks for.
pub fn serve(input: impl Read + Send + 'static, output: impl Write + 'static, host: Host) -> u8 {
    let (sender, events) = mpsc::channel();
    let reading = sender.clone();
    let arrived = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&arrived);
    let reader = std::thread::Builder::new().name("input".to_owned()).spawn(move || {
        let mut input = BufReader::new(input);
        loop {
            let incoming = transport::read(&mut input);
            let is_last = matches!(incoming, Incoming::End | Incoming::Lost(_));
            count.fetch_add(1, Ordering::Relaxed);
            if reading.send(QueuedEvent::Incoming(incoming)).is_err() || is_last {
                return;
            }
        }
    });
    if reader.is_err() {
        return 1;
    }
    Server::new(Box::new(output), host, sender, arrived).run(&events)
}

struct Server {
    output: Box<dyn Write>,
    host: Host,
    /// Where threads hand over what they find.
    found: Sender<QueuedEvent>,
    phase: Phase,
    pending: VecDeque<QueuedEvent>,
    documents: BTreeMap<String, Open>,
    /// Texts that are to be decided about, and whether without a limit.
    wanted: VecDeque<(String, bool)>,
    running: Option<Running>,
    /// The job that was stopped and has not ended yet, if the next has begun without waiting for that.
    ending: Option<u64>,
    /// The number of the next job, or of the next text that is read.
    started: u64,
    client: answers::Client,
    encoding: Encoding,
    when: When,
    timeout: Option<Duration>,
    /// Whether states are told to a status item.
    tells_state: bool,
    parent: Option<u64>,
    /// Settings by text.
    settings: BTreeMap<String, Settings>,
    /// The number of the next request to the client.
    next: u64,
    exit: Option<u8>,
    /// How many messages have come, and how many have been looked at.
    arrived: Arc<AtomicU64>,
    seen: u64,
}

impl Server {
    fn new(output: Box<dyn Write>, host: Host, found: Sender<QueuedEvent>, arrived: Arc<AtomicU64>) -> Self {
        Self {
            output,
            host,
            found,
            phase: Phase::New,
            pending: VecDeque::new(),
            documents: BTreeMap::new(),
            wanted: VecDeque::new(),
            running: None,
            ending: None,
            started: 0,
            client: answers::Client::default(),
            encoding: Encoding::Utf16,
            when: When::Change,
            timeout: Some(TIMEOUT),
            tells_state: false,
            parent: None,
            settings: BTreeMap::new(),
            next: 1,
            exit: None,
            arrived,
            seen: 0,
        }
    }

    fn run(mut self, events: &Receiver<QueuedEvent>) -> u8 {
        loop {
            if let Some(status) = self.exit {
                return status;
            }
            self.pending.extend(events.try_iter());
            if let Some(event) = self.pending.pop_front() {
                self.event(event);
                continue;
            }
            // Nothing waits: now is the time to look at what has changed.
            if self.look() {
                continue;
            }
            match events.recv_timeout(self.patience()) {
                Ok(event) => self.pending.push_back(event),
                Err(RecvTimeoutError::Timeout) => self.glance(),
                Err(RecvTimeoutError::Disconnected) => return 1,
            }
        }
    }

    /// How long nothing has to be looked at.
    fn patience(&self) -> Duration {
        let deadline = self.running.as_ref().and_then(|running| running.deadline);
        deadline.map_or(GLANCE, |deadline| deadline.saturating_sub((self.host.now)()).min(GLANCE))
    }

    fn glance(&mut self) {
        if self.running.as_ref().and_then(|running| running.deadline).is_some_and(|deadline| deadline <= (self.host.now)())
            && let Some(running) = &mut self.running
        {
            running.deadline = None;
            // What ends the decision alone leaves a report behind: what is ruled out.
            if running.has_verdict { running.fixing.cancel() } else { running.deciding.cancel() }
        }
        if self.parent.is_some_and(|parent| !(self.host.is_alive)(parent)) {
            self.exit = Some(1);
        }
    }

    fn event(&mut self, event: QueuedEvent) {
        self.seen += u64::from(matches!(event, QueuedEvent::Incoming(_)));
        match event {
            QueuedEvent::Incoming(Incoming::Message(message)) => self.message(message),
            QueuedEvent::Incoming(Incoming::Damaged(what)) => self.refuse(&Value::Null, -32700, &what),
            QueuedEvent::Incoming(Incoming::End) => self.exit = Some(u8::from(self.phase != Phase::ShutDown)),
            QueuedEvent::Incoming(Incoming::Lost(what)) => {
                self.refuse(&Value::Null, -32700, &what);
                self.exit = Some(1);
            }
            QueuedEvent::Worked(outcome) => self.worked(outcome),
            QueuedEvent::Read(uri, number, document) => self.read(&uri, number, document),
        }
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        if transport::write(&mut *self.output, &message).is_err() {
            // The client reads no more.
            self.exit = Some(1);
        }
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({"method": method, "params": params}));
    }

    fn refuse(&mut self, id: &Value, code: i64, what: &str) {
        self.send(json!({"id": id, "error": {"code": code, "message": what}}));
    }

    fn log(&mut self, what: &str) {
        self.notify("window/logMessage", json!({"type": 2, "message": what}));
    }

    fn ask(&mut self, method: &str, params: Value) {
        let id = format!("serval-{}", self.next);
        self.next += 1;
        self.send(json!({"id": id, "method": method, "params": params}));
    }

    fn message(&mut self, mut message: Value) {
        let id = message.get("id").cloned();
        let params = message.get_mut("params").map_or(Value::Null, Value::take);
        match (message.get("method").and_then(Value::as_str), id) {
            (Some(method), Some(id)) if id.is_string() || id.is_number() => self.request(method, &id, &params),
            (Some(method), None) => self.notification(method, &params),
            // An answer to what was asked; nothing depends on it.
            (None, Some(_)) if message.get("result").is_some() || message.get("error").is_some() => {}
            _ => self.refuse(&Value::Null, -32600, "this is no request, no notification and no answer"),
        }
    }

    fn request(&mut self, method: &str, id: &Value, params: &Value) {
        match (self.phase, method) {
            (Phase::New, "initialize") => {
                self.client = answers::Client::of(params);
                self.initialize(params);
                let capabilities = answers::capabilities(&self.client, self.encoding);
                let info = json!({"name": "serval", "version": self.host.version});
                self.send(json!({"id": id, "result": {"capabilities": capabilities, "serverInfo": info}}));
                self.phase = Phase::Running;
            }
            (Phase::New, _) => self.refuse(id, -32002, "the first request is `initialize`"),
            (_, "initialize") => self.refuse(id, -32600, "`initialize` comes once"),
            (Phase::ShutDown, _) => self.refuse(id, -32600, "after `shutdown` there is only `exit`"),
            (_, "shutdown") => {
                self.stop(None);
                self.phase = Phase::ShutDown;
                self.send(json!({"id": id, "result": null}));
            }
            (_, "workspace/executeCommand") => match self.command(params) {
                Ok(result) => self.send(json!({"id": id, "result": result})),
                Err(failure) => self.refuse(id, failure.code, &failure.message),
            },
            _ => {
                let settings = self.settings_of(params["textDocument"]["uri"].as_str().unwrap_or_default());
                let asked = EditorRequest {
                    documents: &self.documents,
                    encoding: self.encoding,
                    client: &self.client,
                    settings: &settings,
                    version: self.host.version,
                };
                // A mistake in one answer costs that answer.
                let answer = catch_unwind(AssertUnwindSafe(|| answers::answer(&asked, method, params)));
                match answer {
                    Ok(Ok(result)) => self.send(json!({"id": id, "result": result})),
                    Ok(Err(failure)) => self.refuse(id, failure.code, &failure.message),
                    Err(_) => self.refuse(id, -32603, "internal error: a bug in serval"),
                }
            }
        }
    }

    fn initialize(&mut self, params: &Value) {
        let offered = params["capabilities"]["general"]["positionEncodings"].as_array().cloned().unwrap_or_default();
        let known = [("utf-8", Encoding::Utf8), ("utf-16", Encoding::Utf16), ("utf-32", Encoding::Utf32)];
        self.encoding = known.into_iter().find(|(name, _)| offered.iter().any(|one| one == name)).map_or(Encoding::Utf16, |(_, one)| one);
        self.parent = params["processId"].as_u64();
        self.configure(&params["initializationOptions"]);
        self.tells_state = params["initializationOptions"]["state"] == json!(true);
    }

    /// Takes over what the client sets; what is not understood is logged.
    fn configure(&mut self, options: &Value) {
        match options["check"].as_str() {
            Some("change") => self.when = When::Change,
            Some("save") => self.when = When::Save,
            Some("command") => self.when = When::Command,
            Some(other) => self.log(&format!("serval.check is `change`, `save` or `command`, not `{other}`")),
            None => {}
        }
        match &options["timeout"] {
            Value::Null => {}
            seconds => match seconds.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
                Some(Duration::ZERO) => self.timeout = None,
                Some(limit) => self.timeout = Some(limit),
                None => self.log("serval.timeout is a number of seconds, or 0 for no limit"),
            },
        }
    }

    fn notification(&mut self, method: &str, params: &Value) {
        match (self.phase, method) {
            (_, "exit") => self.exit = Some(u8::from(self.phase != Phase::ShutDown)),
            (Phase::Running, _) => {}
            _ => return,
        }
        match method {
            "initialized" if self.client.watches => self.ask("client/registerCapability", answers::watchers()),
            "$/cancelRequest" => self.cancel_request(&params["id"]),
            "textDocument/didOpen" => self.opened(&params["textDocument"]),
            "textDocument/didChange" => self.changed(params),
            "textDocument/didSave" => self.saved(params),
            "textDocument/didClose" => self.closed(params),
            "workspace/didChangeConfiguration" => self.configure(&params["settings"]["serval"]),
            "workspace/didChangeWatchedFiles" => {
                self.settings.clear();
                self.stop(None);
                self.documents.values_mut().for_each(Open::outdated);
            }
            _ => {}
        }
    }

    /// A request that has not been begun is not begun.
    fn cancel_request(&mut self, id: &Value) {
        let is_meant = |event: &QueuedEvent| match event {
            QueuedEvent::Incoming(Incoming::Message(message)) => message.get("method").is_some() && message.get("id") == Some(id),
            _ => false,
        };
        if let Some(position) = self.pending.iter().position(is_meant) {
            self.pending.remove(position);
            self.seen += 1;
            self.refuse(id, -32800, "cancelled");
        }
    }

    fn opened(&mut self, item: &Value) {
        let (Some(uri), Some(text)) = (item["uri"].as_str(), item["text"].as_str()) else { return self.log("didOpen without a text") };
        if self.documents.contains_key(uri) {
            self.log(&format!("{uri} was open already"));
            self.stop(Some(uri));
        }
        let kind = kind_of(item["languageId"].as_str().unwrap_or_default(), uri, KINDS);
        let version = item["version"].as_i64().unwrap_or(0);
        self.documents.insert(uri.to_owned(), Open::new(uri.to_owned(), version, kind, text.to_owned()));
    }

    fn changed(&mut self, params: &Value) {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default().to_owned();
        self.stop(Some(&uri));
        let encoding = self.encoding;
        let Some(open) = self.documents.get_mut(&uri) else { return self.log(&format!("{uri} was changed and is not open")) };
        let version = params["textDocument"]["version"].as_i64().unwrap_or(open.version + 1);
        let goes_back = version <= open.version;
        open.version = version;
        let mut damaged = false;
        for change in params["contentChanges"].as_array().into_iter().flatten() {
            let place = EditorPlaces::of(open, encoding).span(&change["range"]);
            match (change["text"].as_str(), place) {
                (Some(text), place) if place.is_some() || change["range"].is_null() => open.change(place, text),
                _ => damaged = true,
            }
        }
        // What cannot be shown as current any more must not wait for the rest.
        open.outdated();
        if damaged {
            self.log(&format!("a change of {uri} has no text or no range; the text may be another one now"));
        }
        if goes_back {
            self.log(&format!("the version of {uri} goes back"));
        }
    }

    fn saved(&mut self, params: &Value) {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default().to_owned();
        if self.when == When::Save {
            self.want(&uri, false);
        }
    }

    fn closed(&mut self, params: &Value) {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default().to_owned();
        self.stop(Some(&uri));
        self.settings.remove(&uri);
        match self.documents.remove(&uri) {
            Some(_) if !self.client.pulls => self.notify("textDocument/publishDiagnostics", json!({"uri": uri, "diagnostics": []})),
            Some(_) => {}
            None => self.log(&format!("{uri} was closed and is not open")),
        }
    }

    /// The settings of a text, read once.
    fn settings_of(&mut self, uri: &str) -> Settings {
        if let Some(known) = self.settings.get(uri) {
            return known.clone();
        }
        let settings = match (self.host.settings)(uri) {
            Ok(settings) => settings,
            Err(what) => {
                self.notify("window/showMessage", json!({"type": 1, "message": what}));
                Settings::default()
            }
        };
        if self.documents.contains_key(uri) {
            self.settings.insert(uri.to_owned(), settings.clone());
        }
        settings
    }

    /// Tells what is wrong with one text that has changed, and begins to decide where that is wanted. Whether there was
    /// anything to do.
    fn look(&mut self) -> bool {
        let is_next = |open: &&Open| open.changed && open.reading.is_none();
        let Some(uri) = self.documents.values().find(is_next).map(|open| open.uri.clone()) else { return self.begin() };
        if self.read_beside(&uri) {
            return true;
        }
        let when = self.when;
        let (arrived, seen) = (Arc::clone(&self.arrived), self.seen);
        let Some(open) = self.documents.get_mut(&uri) else { return false };
        // A large text is left for a message that comes meanwhile, and looked at again afterwards.
        let whole = || checkpoint::until(move || arrived.load(Ordering::Relaxed) > seen, || open.has_errors());
        let errors = match catch_unwind(AssertUnwindSafe(whole)) {
            Ok(None) => return false,
            Ok(Some(errors)) => Ok(errors),
            Err(panic) => Err(panic),
        };
        open.changed = false;
        let has_verdict = open.kind.verdict.is_some();
        match errors {
            Ok(false) if has_verdict && when == When::Change => self.want(&uri, false),
            Ok(false) => {}
            Ok(true) => open.state = State::Error("the text has errors".to_owned()),
            Err(_) => open.state = State::Error("internal error: a bug in serval".to_owned()),
        }
        self.tell(&uri);
        true
    }

    /// Begins to read a large text; whether it is one that has not been read.
    fn read_beside(&mut self, uri: &str) -> bool {
        let Some(open) = self.documents.get_mut(uri).filter(|open| open.is_to_be_read()) else { return false };
        self.started += 1;
        let (number, sender, name) = (self.started, self.found.clone(), uri.to_owned());
        let tell = move |document: Option<Document>| {
            // A server that is gone wants nothing.
            let _ = sender.send(QueuedEvent::Read(name, number, document.map(Box::new)));
        };
        match reading::begin(number, open.text().to_owned(), tell) {
            Ok(reading) => open.reading = Some(reading),
            // Without a thread it is read where everything else happens.
            Err(_) => return false,
        }
        if self.tells_state {
            let state = open.state.to_json(uri, open.version, open.told.as_ref());
            self.notify("serval/state", state);
        }
        true
    }

    /// A large text has been read, and is looked at next.
    fn read(&mut self, uri: &str, number: u64, document: Option<Box<Document>>) {
        let open = self.documents.get_mut(uri).filter(|open| open.reading.as_ref().is_some_and(|reading| reading.number == number));
        match (open, document) {
            (Some(open), Some(document)) => open.was_read(*document),
            (Some(open), None) => {
                open.reading = None;
                open.changed = false;
                open.state = State::Error("internal error: a bug in serval".to_owned());
                self.tell(uri);
            }
            (None, Some(document)) => reading::give_back(*document),
            (None, None) => {}
        }
    }

    fn want(&mut self, uri: &str, without_limit: bool) {
        self.wanted.retain(|(other, _)| other != uri);
        self.wanted.push_back((uri.to_owned(), without_limit));
    }

    /// Begins with the next text, if nothing is being decided about.
    fn begin(&mut self) -> bool {
        if self.running.is_some() {
            return false;
        }
        let Some((uri, without_limit)) = self.wanted.pop_front() else { return false };
        let settings = self.settings_of(&uri);
        let limit = self.timeout.filter(|_| !without_limit);
        let Some(open) = self.documents.get_mut(&uri) else { return true };
        let Some(kind) = open.kind.verdict.filter(|_| !matches!(open.state, State::Error(_))) else { return true };
        let whole = Cancel::asking(self.host.is_full);
        self.started += 1;
        let running = Running {
            number: self.started,
            uri: uri.clone(),
            is_stopped: false,
            deciding: whole.child(),
            fixing: whole.child(),
            deadline: limit.map(|limit| (self.host.now)() + limit),
            has_verdict: false,
        };
        let job = Job {
            number: running.number,
            uri: uri.clone(),
            version: open.version,
            text: open.text().to_owned(),
            kind,
            style: settings.style,
            strict: settings.strict,
            allow: settings.allow,
            deciding: running.deciding.clone(),
            fixing: running.fixing.clone(),
        };
        open.state = State::Checking;
        let found = self.found.clone();
        if worker::start(job, move |outcome| found.send(QueuedEvent::Worked(outcome)).is_ok()).is_err() {
            open.state = State::Error("there is no thread to be had that decides".to_owned());
        } else {
            self.running = Some(running);
        }
        self.tell(&uri);
        true
    }

    /// Stops the work about a text, or all work.
    fn stop(&mut self, uri: Option<&str>) {
        self.wanted.retain(|(other, _)| uri.is_some_and(|uri| uri != other));
        if let Some(running) = &mut self.running
            && uri.is_none_or(|uri| uri == running.uri)
        {
            running.deciding.cancel();
            running.fixing.cancel();
            running.is_stopped = true;
        }
        self.let_go();
    }

    /// What was stopped ends by itself: it may have much memory to give back. There is one such job at a time, so that
    /// there are never more than two.
    fn let_go(&mut self) {
        if self.ending.is_none() {
            self.ending = self.running.take_if(|running| running.is_stopped).map(|running| running.number);
        }
    }

    /// What the thread has found out.
    fn worked(&mut self, outcome: Outcome) {
        let Outcome { number, uri, version, found } = outcome;
        let goes_on = matches!(found, WorkDone::Report(_, true) | WorkDone::Told(_, true));
        if self.ending == Some(number) {
            self.ending = self.ending.filter(|_| goes_on);
            return self.let_go();
        }
        let was_stopped = self.running.as_ref().is_some_and(|running| running.deciding.is_cancelled());
        if goes_on {
            // Fixes have a time of their own.
            let deadline = self.timeout.map(|limit| (self.host.now)() + limit);
            if let Some(running) = &mut self.running {
                running.deadline = running.deadline.and(deadline);
                running.has_verdict = true;
            }
        } else {
            self.running = None;
        }
        let timeout = self.timeout;
        let Some(open) = self.documents.get_mut(&uri).filter(|open| open.version == version && open.state != State::Stale) else { return };
        match found {
            WorkDone::Report(report, _) => {
                let is_open = matches!(report.verdict, serval_report::Verdict::Unknown);
                open.told = Some(told(open.document(), &report));
                open.state = match timeout.filter(|_| is_open && was_stopped) {
                    Some(limit) => {
                        open.told = None;
                        let known = report.ruled_out.map_or(0, |known| known.requests_up_to);
                        State::Stopped(format!(
                            "undecided after {} s; no counterexample up to this number of requests: {known}",
                            limit.as_secs_f64()
                        ))
                    }
                    None => State::Verdict,
                };
                open.report = Some(*report);
            }
            WorkDone::Told(told, _) => {
                open.state = match timeout.filter(|_| told.word == "undecided" && was_stopped) {
                    Some(limit) => State::Stopped(format!("undecided after {} s; {}", limit.as_secs_f64(), told.headline)),
                    None => State::Verdict,
                };
                open.told = Some(*told).filter(|_| open.state == State::Verdict);
            }
            WorkDone::Fixes(fixes) => open.fixes = fixes,
            WorkDone::Stopped => open.state = State::Stopped("stopped".to_owned()),
            WorkDone::Mistakes => open.state = State::Error("the text has errors".to_owned()),
            WorkDone::Panicked => open.state = State::Error("internal error: a bug in serval".to_owned()),
        }
        self.tell(&uri);
    }

    /// Draws what there is to say about a text.
    fn tell(&mut self, uri: &str) {
        let settings = self.settings_of(uri);
        let Some(open) = self.documents.get(uri) else { return };
        let state = open.state.to_json(uri, open.version, open.told.as_ref());
        if !self.client.pulls {
            let found = catch_unwind(AssertUnwindSafe(|| answers::diagnostics(open, self.encoding, &settings)));
            let found = found.unwrap_or_else(|_| json!([]));
            let params = json!({"uri": uri, "version": open.version, "diagnostics": found});
            self.notify("textDocument/publishDiagnostics", params);
        }
        if self.tells_state {
            self.notify("serval/state", state);
        }
        for method in self.client.refreshes.clone() {
            self.ask(method, Value::Null);
        }
    }

    /// `serval.check` and `serval.stop`, with the address of a text.
    fn command(&mut self, params: &Value) -> Result<Value, RequestFailure> {
        let uri = params["arguments"][0].as_str().unwrap_or_default().to_owned();
        if !self.documents.contains_key(&uri) {
            return Err(RequestFailure::params("the first argument is the address of an open text"));
        }
        match params["command"].as_str() {
            Some("serval.check") => {
                self.stop(Some(&uri));
                if let Some(open) = self.documents.get_mut(&uri) {
                    open.outdated();
                    open.changed = false;
                    if open.has_errors() {
                        open.state = State::Error("the text has errors".to_owned());
                    }
                }
                self.want(&uri, params["arguments"][1] == json!("on"));
                self.tell(&uri);
                Ok(Value::Null)
            }
            Some("serval.stop") => {
                self.stop(Some(&uri));
                if let Some(open) = self.documents.get_mut(&uri).filter(|open| matches!(open.state, State::Checking | State::Stale)) {
                    open.state = State::Stopped("stopped".to_owned());
                }
                self.tell(&uri);
                Ok(Value::Null)
            }
            other => Err(RequestFailure::params(&format!("there is no command `{}`", other.unwrap_or_default()))),
        }
    }
}

#[cfg(test)]
mod tests;
