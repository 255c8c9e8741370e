//! Runs of handlers that are kept: what Node has done, to be performed again, also with a file that has changed.

use serde_json::{Map, Value, json};
use serval_handlers::node::words;
use serval_proof::fingerprint;

use super::HandlerFile;
use super::run::{Run, events};

/// What Node did in a run.
pub(super) struct Seen<'a> {
    /// The calls, as they are written.
    pub said: &'a [String],
    /// What Node said of the run.
    pub end: &'a Value,
    /// How the outside is called from which places.
    pub paths: &'a Map<String, Value>,
    /// What the calls answer one at a time.
    pub serial: &'a [Vec<Value>],
}

/// A run as it is kept: the job without the file, and what came of it.
pub(super) fn kept(job: &Value, file: &HandlerFile, seen: Seen<'_>) -> Value {
    let mut trace = job.clone();
    for name in ["module", "imports", "exports"] {
        trace.as_object_mut().map(|trace| trace.remove(name));
    }
    trace["handlers"] = json!(1);
    trace["file"] = json!(fingerprint(&file.text));
    trace["said"] = json!(seen.said);
    trace["answers"] = seen.end["answers"].clone();
    trace["events"] = seen.end["events"].clone();
    trace["paths"] = Value::Object(seen.paths.clone());
    trace["serial"] = json!(seen.serial);
    trace
}

/// A run that was kept.
#[derive(Clone, Debug)]
pub struct KeptRun {
    trace: Value,
}

/// What came of performing a run again.
#[derive(Clone, Debug)]
pub struct RepeatedRun {
    /// What Node did now.
    pub run: Run,
    /// What the calls had answered.
    pub kept: Vec<String>,
    /// Why the answers are others, if they are.
    pub differs: Option<String>,
    /// Whether the file has changed since the run was kept.
    pub is_changed: bool,
}

impl KeptRun {
    /// Reads a run, or says why it is none.
    pub fn read(text: &str) -> Result<Self, String> {
        let trace: Value = serde_json::from_str(text).map_err(|why| format!("this is no JSON: {why}"))?;
        let length = trace["calls"].as_array().map(Vec::len).filter(|calls| *calls > 0);
        let is_list = |name: &str| trace[name].as_array().map(Vec::len) == length;
        let is_said = trace["said"].as_array().into_iter().flatten().all(Value::is_string);
        let whole = length.is_some() && is_list("said") && is_list("answers") && is_said;
        if trace["handlers"] != json!(1) || !whole || !trace["choices"].is_array() || !trace["outside"].is_object() {
            return Err("this is no run of handlers; `serval check FILE --trace PATH` saves one".to_owned());
        }
        Ok(Self { trace })
    }

    /// What Node is asked to perform the run with a file.
    pub fn job(&self, file: &HandlerFile) -> Result<String, String> {
        let module = file.plain_text().map_err(|what| format!("Node does not perform {what}"))?;
        let of = |name: &str| &self.trace[name];
        let job = json!({
            "module": module,
            "imports": file.performed.imports,
            "exports": file.performed.exports,
            "calls": of("calls"),
            "outside": of("outside"),
            "choices": of("choices"),
            "together": of("together"),
            "failures": of("failures"),
            "guess": of("guess"),
            "once": true,
        });
        Ok(job.to_string())
    }

    /// What came of it, by what Node has said.
    pub fn repeated(&self, file: &HandlerFile, node: &str) -> Result<RepeatedRun, String> {
        let found: Value = serde_json::from_str(node).map_err(|_| "Node answered something else")?;
        if let Some(error) = found["error"].as_str() {
            return Err(format!("Node cannot perform the file: {}", error.lines().next().unwrap_or_default()));
        }
        let list = |answers: &Value| answers.as_array().into_iter().flatten().map(words).collect::<Vec<_>>();
        let end = &found["found"][0];
        let kept = list(&self.trace["answers"]);
        let answers = if end["answers"].is_array() { list(&end["answers"]) } else { vec!["nothing".to_owned(); kept.len()] };
        let said = self.trace["said"].as_array().into_iter().flatten().map(|call| call.as_str().unwrap_or_default().to_owned());
        let differs = if !end["answers"].is_array() {
            Some("some call does not answer")
        } else if found["lost"] == json!(true) {
            Some("the file does not make these steps")
        } else if end["answers"] != self.trace["answers"] {
            Some("the answers are others")
        } else {
            None
        };
        let list = end["events"].as_array().map(Vec::as_slice).unwrap_or_default();
        let run = Run {
            calls: said.zip(answers).collect(),
            events: events(list, &self.trace),
            serial: Vec::new(),
            together: self.trace["together"] == json!(2),
            trace: self.trace.clone(),
        };
        let is_changed = self.trace["file"] != json!(fingerprint(&file.text));
        Ok(RepeatedRun { run, kept, differs: differs.map(str::to_owned), is_changed })
    }
}
