//! All orders of a few calls, tried in Node: no proof, and of files that are outside of the subset, too.
//!
//! Each call of the outside answers a value that it has never answered before, or fails. A run is a finding if no order
//! of its calls, one at a time, gives its answers, whatever values the outside answers then: where values are only
//! moved, renaming those of a serial run gives a serial run. Where a file compares them with each other this may be
//! wrong, and therefore it is no verdict.

use serde_json::{Value, json};
use serval_diagnostic::plural;
use serval_handlers::node::{trial, words};

use super::kept::{Seen, kept};
use super::run::{Run, events};
use super::{HandlerFile, Handlers};

/// What came of trying.
#[derive(Clone, Debug)]
pub struct Tried {
    /// How many runs there were.
    pub runs: u64,
    /// Of up to how many calls.
    pub calls: u32,
    /// Whether these were all orders.
    pub is_complete: bool,
    /// A run with answers that no serial order gives.
    pub finding: Option<Box<Run>>,
}

impl Tried {
    /// What was tried, in words.
    pub fn words(&self) -> String {
        let calls = self.calls;
        let (runs, orders) = (thousands(self.runs), plural(self.runs, "order"));
        let some = if self.is_complete { "" } else { ", not all" };
        format!("{runs} {orders} of up to {calls} calls tried in Node{some}, none wrong")
    }
}

impl Handlers {
    /// Tries all orders of up to so many calls. `ask` is as in [`Handlers::check`].
    pub fn try_orders(&self, calls: u32, ask: &mut dyn FnMut(&str) -> Result<String, String>) -> Result<Tried, String> {
        let refusals = &self.refusals;
        let names: Vec<String> = self.source.program().requests.iter().map(|request| request.name.clone()).collect();
        let job = trial(&self.file.text, &self.file.performed, Some((&self.compared, &names)), &[], (calls, refusals));
        self.file.tried(job, calls, ask)
    }
}

impl HandlerFile {
    /// The same of a file of which nothing is known but what it lets others call, and which status codes refuse.
    pub fn try_orders(&self, calls: u32, refusals: &[i64], ask: &mut dyn FnMut(&str) -> Result<String, String>) -> Result<Tried, String> {
        let methods = self.module.classes.iter().flat_map(|class| &class.methods);
        let hidden: Vec<String> = methods.filter(|method| method.private).map(|method| method.name.clone()).collect();
        self.tried(trial(&self.text, &self.performed, None, &hidden, (calls, refusals)), calls, ask)
    }

    fn tried(&self, job: Option<Value>, calls: u32, ask: &mut dyn FnMut(&str) -> Result<String, String>) -> Result<Tried, String> {
        let job = job.ok_or_else(|| format!("Node does not perform {}", self.performed.obstacle.unwrap_or("these calls")))?;
        let mut asked = |job: &Value| -> Result<Value, String> {
            let found: Value = serde_json::from_str(&ask(&job.to_string())?).map_err(|_| "Node answered something else")?;
            match found["error"].as_str() {
                Some(error) => Err(format!("Node cannot perform the file: {}", error.lines().next().unwrap_or_default())),
                None => Ok(found),
            }
        };
        let found = asked(&job)?;
        if found["calls"].as_array().is_none_or(Vec::is_empty) {
            return Err("the file lets others call nothing: it exports no function and has no route".to_owned());
        }
        let (runs, is_complete) = (found["runs"].as_u64().unwrap_or(0), found["complete"] == json!(true));
        let finding = &found["finding"];
        if !finding.is_object() {
            return Ok(Tried { runs, calls, is_complete, finding: None });
        }
        // The file as Node loads it does the same, or it does something else each time.
        let mut once = json!({ "imports": self.performed.imports, "exports": self.performed.exports, "module": self.performed.module });
        for name in ["calls", "choices", "together", "failures"] {
            once[name] = finding[name].clone();
        }
        (once["outside"], once["guess"], once["once"]) = (found["outside"].clone(), job["guess"].clone(), json!(true));
        let again = asked(&once)?;
        let end = &again["found"][0];
        if end["answers"] != finding["answers"] || again["lost"] == json!(true) {
            return Err("the file does something else each time that the same happens".to_owned());
        }
        let list = |of: &Value| of.as_array().cloned().unwrap_or_default();
        let said = |call: &Value| call["said"].as_str().unwrap_or_default().to_owned();
        let said: Vec<String> = list(&finding["calls"]).iter().map(said).collect();
        let answers: Vec<String> = list(&end["answers"]).iter().map(words).collect();
        let serial: Vec<Vec<Value>> = list(&finding["serial"]).iter().map(list).collect();
        let mut orders: Vec<Vec<String>> = serial.iter().map(|answers| answers.iter().map(words).collect()).collect();
        orders.sort();
        orders.dedup();
        let paths = found["paths"].as_object().cloned().unwrap_or_default();
        let trace = kept(&once, self, Seen { said: &said, end, paths: &paths, serial: &serial });
        let run = Run {
            calls: said.into_iter().zip(answers).collect(),
            events: events(end["events"].as_array().map(Vec::as_slice).unwrap_or_default(), &once),
            serial: orders,
            together: once["together"] == json!(2),
            trace,
        };
        Ok(Tried { runs, calls, is_complete, finding: Some(Box::new(run)) })
    }
}

/// A number with commas.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
