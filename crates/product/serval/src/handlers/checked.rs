//! A file of handlers, decided by its program and by Node.

use serde_json::{Value, json};
use serval_handlers::answers;
use serval_handlers::node::{self, Trying, difference, job, said, search, tried, words};

use super::Handlers;
use super::kept::{Seen, kept};
use super::range::{LEAVES, leaves};
use super::run::{Run, events};
use crate::decide::{Verdict, decide};
use crate::options::Options;
use serval_handlers::StepsProgram;
use serval_report::Counterexample;
use serval_verify::{HandlerOptions, HandlersCertificate};

/// How many events a turn of the event loop may begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turns {
    /// One.
    One,
    /// Several.
    Any,
}

/// How many runs Node performs to compare it with the program, for all pairs of calls together.
const COMPARED: usize = 600;
/// For one pair at least and at most.
const PAIR: (usize, usize) = (40, 300);
/// How many runs it performs to find the answers of a run of the program, in each way of looking.
const SEARCHED: usize = 1_500;

/// What came of a file.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The answer.
    pub outcome: Outcome,
    /// The method that decided about the program.
    pub method: Option<&'static str>,
    /// How many runs in Node were compared with the program.
    pub runs: u64,
    /// The certificate about the file, where it is decided.
    pub certificate: Option<String>,
}

/// What a file is.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Serializable, within the bounds.
    Serializable,
    /// Not serializable: this run is one of Node.
    NotSerializable(Box<Run>),
    /// Why it is undecided.
    Undecided(String),
    /// A bug in serval, in words.
    Bug(String),
}

/// The options and the certificate of a program with more numbers.
type Wider = Option<(HandlerOptions, String)>;

/// How Node is asked.
type Ask<'a> = dyn FnMut(&str) -> Result<String, String> + 'a;

impl Handlers {
    /// Decides about the file. `ask` hands a line to Node and gives the line that comes back.
    pub fn check(&self, options: &Options, turns: Turns, ask: &mut Ask<'_>) -> Checked {
        let options = Options { fixes: false, invariants: false, proof: false, reusable: false, strict: false, ..options.clone() };
        let decision = decide(&self.input, &options);
        let method = match &decision.verdict {
            Verdict::Serializable(evidence) | Verdict::Strict(evidence) | Verdict::NotSerializable(evidence, _) => Some(evidence.method),
            _ => None,
        };
        let (mut runs, mut wide) = (0, None);
        let outcome = match &decision.verdict {
            Verdict::Serializable(_) | Verdict::Strict(_) | Verdict::NotStrict(..) if self.translation.out_of_reach.is_some() => {
                Outcome::Undecided(self.translation.out_of_reach.clone().unwrap_or_default())
            }
            Verdict::Serializable(_) | Verdict::Strict(_) | Verdict::NotStrict(..) => match self.agrees(ask, &mut runs) {
                Ok(()) => Outcome::Serializable,
                Err(why) => Outcome::Undecided(format!("{why}; every `await` as a pause it is serializable")),
            },
            Verdict::NotSerializable(_, counterexample) => match self.refuted(turns, counterexample, &self.translation, ask) {
                Ok(run) => Outcome::NotSerializable(Box::new(run)),
                // Numbers that began again have answers that Node has not.
                Err(why) => match self.refuted_wider(turns, &options, ask) {
                    Some((run, found)) => {
                        wide = found;
                        Outcome::NotSerializable(Box::new(run))
                    }
                    None => Outcome::Undecided(why),
                },
            },
            Verdict::Fault(_, note) => Outcome::Undecided(leaves(note, &self.translation, &self.file.text)),
            Verdict::Unusable(_) => Outcome::Undecided(LEAVES.to_owned()),
            Verdict::Refused(_) => Outcome::Bug("the checker refuses the evidence about the program of steps".to_owned()),
            Verdict::Undecided(why) => Outcome::Undecided(why.to_string()),
            _ => Outcome::Undecided("this kind of answer is not known".to_owned()),
        };
        let node = match &outcome {
            Outcome::Serializable => Some(None),
            Outcome::NotSerializable(run) => Some(Some(run.trace.to_string())),
            _ => None,
        };
        let (options, certificate) = match wide {
            Some((options, certificate)) => (options, Some(certificate)),
            None => (self.options.clone(), decision.evidence().map(|evidence| evidence.certificate.clone())),
        };
        let certificate = node.and_then(|node| HandlersCertificate::text(&self.file.text, options, &certificate?, node));
        Checked { outcome, method, runs, certificate }
    }

    /// Compares Node with the program, on all pairs of calls.
    fn agrees(&self, ask: &mut Ask<'_>, runs: &mut u64) -> Result<(), String> {
        let names: Vec<&String> = self.source.program().requests.iter().map(|request| &request.name).collect();
        let mut pairs: Vec<[usize; 2]> = Vec::new();
        for first in 0..names.len() {
            pairs.extend((first..names.len()).map(|second| [first, second]));
        }
        let most = (COMPARED / pairs.len().max(1)).clamp(PAIR.0, PAIR.1);
        // Where there are too many, they are taken evenly from all.
        let step = pairs.len().div_ceil(COMPARED / PAIR.0).max(1);
        for pair in pairs.iter().step_by(step) {
            let requests = pair.map(|place| names[place].clone());
            for together in [1, 2] {
                let trying = Trying { most, together, failures: true, first: false };
                let Some(job) = job(&self.file.text, &self.file.performed, &self.compared, &requests, trying) else {
                    return Err(format!("Node does not perform {}", self.file.performed.obstacle.unwrap_or("these calls")));
                };
                let found = tried(&ask(&job)?)?;
                // Where there are too many states nothing can be compared.
                let ours = answers(&self.source, &requests).ok_or("the program of steps is too large to be compared with Node")?;
                *runs += found.runs;
                if let Some(why) = difference(&self.compared, &requests, &ours, &found) {
                    let calls: Vec<String> = requests.iter().map(|request| self.compared.answers.request(request)).collect();
                    return Err(format!("a bug in the translation: with {}, {why}", calls.join(" and ")));
                }
            }
        }
        Ok(())
    }

    /// The run of Node that is a run of a program of the file.
    fn refuted(&self, turns: Turns, found: &Counterexample, of: &StepsProgram, ask: &mut Ask<'_>) -> Result<Run, String> {
        let requests: Vec<String> = found.requests.iter().map(|one| one.request.clone()).collect();
        let given: Option<Vec<i64>> = found.requests.iter().map(|one| one.response.parse().ok()).collect();
        self.performed(turns, of, (&requests, &given.unwrap_or_default()), ask)
    }

    /// The same with more numbers, and what the program and the certificate about it are.
    fn refuted_wider(&self, turns: Turns, options: &Options, ask: &mut Ask<'_>) -> Option<(Run, Wider)> {
        let (input, of, said) = self.wider()?;
        let decision = decide(&input, options);
        let Verdict::NotSerializable(evidence, found) = &decision.verdict else { return None };
        let run = self.refuted(turns, found, &of, ask).ok()?;
        Some((run, Some((said, evidence.certificate.clone()))))
    }

    /// A run of Node with these answers.
    fn performed(&self, turns: Turns, of: &StepsProgram, (requests, given): (&[String], &[i64]), ask: &mut Ask<'_>) -> Result<Run, String> {
        let calls: Vec<String> = requests.iter().map(|request| of.answers.request(request)).collect();
        let wanted: Option<Vec<_>> = requests.iter().zip(given).map(|(request, answer)| of.answers.shown(request, *answer)).collect();
        let wanted = wanted.filter(|list| list.len() == requests.len()).ok_or("answers of the run are not known")?;
        let said: Option<Vec<Value>> = wanted.iter().map(said).collect();
        let told: Vec<String> = calls.iter().zip(&wanted).map(|(call, answer)| format!("{call} → {}", answer.text())).collect();
        let steps = format!("every `await` as a pause, {} is an answer that no serial order gives", told.join(", "));
        let said = said.ok_or_else(|| format!("{steps}, but what it is in Node is not known exactly"))?;
        if self.file.performed.obstacle.is_some() {
            return Err(format!("{steps}, but Node does not perform {}", self.file.performed.obstacle.unwrap_or_default()));
        }
        // One at a time, in Node itself: the answers must not be among these.
        let trying = Trying { most: 20_000, together: 1, failures: true, first: false };
        let (serial, paths) = self.serial(of, requests, trying, ask).map_err(|why| format!("{why}; {steps}"))?;
        let key = |answers: &[Value]| {
            let mut list: Vec<String> = answers.iter().zip(requests).map(|(one, request)| format!("{request} {one}")).collect();
            list.sort();
            list
        };
        if serial.iter().any(|answers| key(answers) == key(&said)) {
            return Err(format!("a bug in the translation: Node gives these answers one at a time; {steps}"));
        }
        let ways: &[usize] = if turns == Turns::One { &[1] } else { &[1, 2] };
        let fails = said.iter().any(|answer| answer[0] == json!("t"));
        for together in ways {
            for (failures, random) in [(false, false), (true, true), (true, false)] {
                if fails && !failures {
                    continue;
                }
                let most = if random { 2 * SEARCHED } else { SEARCHED };
                let trying = Trying { most, together: *together, failures, first: false };
                let job = search(&self.file.text, &self.file.performed, of, requests, &said, (trying, random));
                let job = job.ok_or("Node does not perform these calls")?;
                let found: Value = serde_json::from_str(&ask(&job)?).map_err(|_| "Node answered something else")?;
                if let Some(error) = found["error"].as_str() {
                    return Err(format!("Node cannot perform the file: {}", error.lines().next().unwrap_or_default()));
                }
                if found["hit"].is_object() {
                    let trying = Trying { most: 1, ..trying };
                    let once =
                        node::run(&self.file.text, &self.file.performed, of, requests, &found["hit"]["choices"], trying).ok_or("no run")?;
                    return self.again(once, &calls, (&serial, &paths), *together > 1, ask);
                }
            }
        }
        Err(format!("{steps}; Node was not seen to give it: the run may need an order of continuations that Node does not have"))
    }

    /// All answers of these calls one at a time, in Node; and how the outside is called from which places.
    fn serial(
        &self,
        of: &StepsProgram,
        requests: &[String],
        trying: Trying,
        ask: &mut Ask<'_>,
    ) -> Result<(Vec<Vec<Value>>, Value), String> {
        let quick = Trying { most: trying.most, ..trying };
        let job = job(&self.file.text, &self.file.performed, of, requests, quick).ok_or("Node does not perform these calls")?;
        let mut job: Value = serde_json::from_str(&job).map_err(|why| why.to_string())?;
        job["compare"] = json!(false);
        job["serial"] = json!(true);
        let found: Value = serde_json::from_str(&ask(&job.to_string())?).map_err(|_| "Node answered something else")?;
        if let Some(error) = found["error"].as_str() {
            return Err(format!("Node cannot perform the file: {}", error.lines().next().unwrap_or_default()));
        }
        if found["complete"] != json!(true) || found["cut"] != json!(0) {
            return Err("there are too many orders of the calls one at a time".to_owned());
        }
        let list = found["found"].as_array().into_iter().flatten();
        Ok((list.map(|one| one["answers"].as_array().cloned().unwrap_or_default()).collect(), found["paths"].clone()))
    }

    /// Has the run performed again, of the file as Node loads it, and tells it.
    fn again(
        &self,
        mut once: Value,
        calls: &[String],
        (serial, paths): (&[Vec<Value>], &Value),
        together: bool,
        ask: &mut Ask<'_>,
    ) -> Result<Run, String> {
        once["module"] = json!(self.file.performed.module);
        let found: Value = serde_json::from_str(&ask(&once.to_string())?).map_err(|_| "Node answered something else")?;
        let end = &found["found"][0];
        let answers = end["answers"].as_array().ok_or("the run was not performed again")?;
        let list = |answers: &[Value]| answers.iter().map(words).collect::<Vec<_>>();
        if serial.iter().any(|other| other == answers) {
            return Err("performed again the run gave other answers".to_owned());
        }
        let mut orders: Vec<Vec<String>> = serial.iter().map(|answers| list(answers)).collect();
        orders.sort();
        orders.dedup();
        let mut paths = paths.as_object().cloned().unwrap_or_default();
        paths.extend(found["paths"].as_object().cloned().unwrap_or_default());
        let trace = kept(&once, &self.file, Seen { said: calls, end, paths: &paths, serial });
        let events = events(end["events"].as_array().map(Vec::as_slice).unwrap_or_default(), &once);
        let calls = calls.iter().cloned().zip(list(answers)).collect();
        Ok(Run { calls, events, serial: orders, together, trace })
    }
}
