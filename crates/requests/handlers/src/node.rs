//! What Node is asked to perform, and whether its answers are those of the program of steps.
//!
//! A job is a line of JSON for the driver in `crates/product/replay/src/node/`. It has the text, the calls, and for
//! each call of the outside the very values that the program has for it. So the sets of answers can be compared: **all
//! that Node answers in any order must be answers of the program, and what calls answer one at a time must be the same
//! in both.** Where this does not hold the translation is wrong, and nothing that it says counts.

use serde_json::{Value, json};

use crate::form::Performed;
use crate::steps::{OutsideValue, ShownAnswer, StepsProgram};

/// What is tried, and how much.
#[derive(Clone, Copy, Debug)]
pub struct Trying {
    /// How many runs there may be.
    pub most: usize,
    /// How many events a turn of the event loop may begin with.
    pub together: usize,
    /// Whether calls of the outside may fail.
    pub failures: bool,
    /// Whether it ends with the first answers that no serial order gives.
    pub first: bool,
}

fn value(of: &OutsideValue) -> Value {
    match of {
        OutsideValue::Undefined => json!(["u"]),
        OutsideValue::Null => json!(["z"]),
        OutsideValue::Bool(value) => json!(["b", value]),
        OutsideValue::Number(value) => json!(["n", value]),
        OutsideValue::Text(text) => json!(["s", text]),
        OutsideValue::Token(text) => json!(["k", text]),
        OutsideValue::Record(fields) => {
            let fields: serde_json::Map<String, Value> = fields.iter().map(|(name, inner)| (name.clone(), value(inner))).collect();
            json!(["o", fields])
        }
    }
}

/// Line and column of a place, as Node counts them: columns in units of sixteen bits.
fn place(text: &str, at: u32) -> String {
    let before = text.get(..at as usize).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let column = before[start..].encode_utf16().count();
    format!("{}:{}", before.matches('\n').count() + 1, column + 1)
}

/// The calls of these requests of the program; nothing where one of them has no call.
fn calls(translation: &StepsProgram, requests: &[String]) -> Option<Vec<Value>> {
    let call = |request: &String| {
        let (name, rest) = request.split_once('(').map_or((request.as_str(), ""), |(name, rest)| (name, rest.trim_end_matches(')')));
        let shape = translation.calls.get(name)?;
        let values = rest.split(", ").filter(|value| !value.is_empty());
        let given: Option<Vec<Value>> = shape
            .given
            .iter()
            .zip(values)
            .map(|(given, said)| Some(json!([given.path, value(&translation.answers.given(said, given.number)?)])))
            .collect();
        let mut given = given?;
        given.extend(shape.fixed.iter().map(|(path, fixed)| json!([path, value(fixed)])));
        Some(if let Some((to, number)) = &shape.handed {
            json!({ "handed": to, "number": number, "params": shape.parameters, "given": given })
        } else if shape.framework.is_empty() {
            let path: Vec<&str> = shape.name.split('.').collect();
            json!({ "path": path, "params": shape.parameters, "given": given })
        } else {
            let refuses: Vec<Value> = shape.refusals.iter().filter_map(said).collect();
            let mut route = json!({ "route": shape.name, "framework": shape.framework, "given": given, "refuses": refuses });
            if let Some(plugin) = &shape.plugin {
                route["plugin"] = json!(plugin);
            }
            route
        })
    };
    requests.iter().map(call).collect()
}

/// What the driver has to know of a file, and these calls of it.
fn described(text: &str, performed: &Performed, translation: &StepsProgram, requests: &[String]) -> Option<Value> {
    if performed.obstacle.is_some() {
        return None;
    }
    let outside: serde_json::Map<String, Value> = translation
        .outside
        .iter()
        .map(|call| {
            let values: Vec<Value> = call.values.iter().map(value).collect();
            (place(text, call.at), json!({ "path": call.path, "values": values, "waits": call.waits, "fails": call.fails }))
        })
        .collect();
    Some(json!({
        "imports": performed.imports,
        "exports": performed.exports,
        "outside": outside,
        "calls": calls(translation, requests)?,
    }))
}

/// A job: these calls one at a time, and in all orders.
pub fn job(text: &str, performed: &Performed, translation: &StepsProgram, requests: &[String], trying: Trying) -> Option<String> {
    let mut job = described(text, performed, translation, requests)?;
    job["body"] = json!(performed.body);
    job["compare"] = json!(true);
    job["most"] = json!(trying.most);
    job["together"] = json!(trying.together);
    job["failures"] = json!(trying.failures);
    job["first"] = json!(trying.first);
    Some(job.to_string())
}

/// A job: these calls in all orders, until they answer this; at random where there are too many orders.
pub fn search(
    text: &str,
    performed: &Performed,
    translation: &StepsProgram,
    requests: &[String],
    answers: &[Value],
    (trying, random): (Trying, bool),
) -> Option<String> {
    let mut job = described(text, performed, translation, requests)?;
    job["body"] = json!(performed.body);
    job["most"] = json!(trying.most);
    job["together"] = json!(trying.together);
    job["failures"] = json!(trying.failures);
    job["random"] = json!(random);
    job["target"] = json!(answers);
    Some(job.to_string())
}

/// A job: one run, by its choices, of the file as Node loads it. It stands for itself, so that it can be kept.
pub fn run(
    text: &str,
    performed: &Performed,
    translation: &StepsProgram,
    requests: &[String],
    choices: &Value,
    trying: Trying,
) -> Option<Value> {
    let mut job = described(text, performed, translation, requests)?;
    job["together"] = json!(trying.together);
    job["failures"] = json!(trying.failures);
    job["choices"] = choices.clone();
    job["once"] = json!(true);
    Some(job)
}

/// A job: all orders of up to so many calls, of the requests of a program; or of all that a file lets others call,
/// where there is no program. Methods that only their class may call are `hidden` from that.
pub fn trial(
    text: &str,
    performed: &Performed,
    translation: Option<(&StepsProgram, &[String])>,
    hidden: &[String],
    (calls, refusals): (u32, &[i64]),
) -> Option<Value> {
    let mut job = match translation {
        Some((translation, requests)) => {
            let mut job = described(text, performed, translation, requests)?;
            for (call, request) in job["calls"].as_array_mut()?.iter_mut().zip(requests) {
                call["said"] = json!(translation.answers.request(request));
            }
            job
        }
        None if performed.obstacle.is_some() => return None,
        None => json!({ "imports": performed.imports, "exports": performed.exports, "outside": {}, "guess": true }),
    };
    job["body"] = json!(performed.body);
    job["trial"] = json!(calls);
    job["hidden"] = json!(hidden);
    job["refusals"] = json!(refusals);
    (job["least"], job["most_each"], job["most_serial"]) = (json!(40), json!(8_000), json!(3_000));
    Some(job)
}

/// An answer of the program as Node would say it; nothing where it is not known exactly.
pub fn said(shown: &ShownAnswer) -> Option<Value> {
    Some(match shown {
        ShownAnswer::Undefined => json!(["u"]),
        ShownAnswer::Null => json!(["z"]),
        ShownAnswer::Bool(value) => json!(["b", value]),
        ShownAnswer::Number(value) => json!(["n", value]),
        ShownAnswer::Text(text) => json!(["s", text]),
        ShownAnswer::Thrown(text) if !text.starts_with("error at ") => json!(["t", text]),
        ShownAnswer::List(list) => json!(["a", list.iter().map(said).collect::<Option<Vec<Value>>>()?]),
        ShownAnswer::Record(fields) => {
            let fields = fields.iter().filter(|(_, inner)| *inner != ShownAnswer::Undefined);
            let fields: Option<serde_json::Map<String, Value>> = fields.map(|(name, inner)| Some((name.clone(), said(inner)?))).collect();
            json!(["o", fields?])
        }
        ShownAnswer::Thrown(_) | ShownAnswer::Array(_) | ShownAnswer::Anything(_) => return None,
    })
}

/// What stands around a value that is another one each time.
const AROUND: [char; 2] = ['\u{e000}', '\u{e001}'];

/// An answer of Node in words.
pub fn words(node: &Value) -> String {
    let text = || node[1].as_str().unwrap_or_default().replace(AROUND, "");
    match node[0].as_str().unwrap_or_default() {
        "u" => "undefined".to_owned(),
        "z" => "null".to_owned(),
        "f" => "an object".to_owned(),
        "t" => format!("throws {}", text()),
        "s" | "k" => text(),
        "q" => format!("a new {}", text()),
        "a" => {
            let list: Vec<String> = node[1].as_array().into_iter().flatten().map(words).collect();
            format!("[{}]", list.join(", "))
        }
        "o" => {
            let fields = node[1].as_object();
            let part = |name: &str| fields.and_then(|fields| fields.get(name));
            if let (Some(status), Some(1 | 2)) = (part("status"), fields.map(serde_json::Map::len)) {
                let body = part("body").map(words).unwrap_or_default();
                return format!("{} {body}", words(status)).trim_end().to_owned();
            }
            let list: Vec<String> = fields.into_iter().flatten().map(|(name, inner)| format!("{name}: {}", words(inner))).collect();
            if list.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", list.join(", ")) }
        }
        _ => node[1].to_string(),
    }
}

/// What Node has answered to a job.
#[derive(Clone, Debug)]
pub struct Tried {
    /// Answers of the calls one at a time.
    pub serial: Vec<Vec<Value>>,
    /// Answers in all orders that were tried.
    pub all: Vec<Vec<Value>>,
    /// Runs with answers that no serial order gives: the answers, the events, and the choices.
    pub beyond: Vec<(Vec<Value>, Value, Value)>,
    /// Whether all serial orders were tried.
    pub serial_complete: bool,
    /// Whether all orders were tried.
    pub complete: bool,
    /// How many runs there were.
    pub runs: u64,
}

/// Reads what Node has answered, or says what went wrong.
pub fn tried(said: &str) -> Result<Tried, String> {
    let said: Value = serde_json::from_str(said).map_err(|why| format!("Node answered something else: {why}"))?;
    if let Some(error) = said["error"].as_str() {
        return Err(error.lines().next().unwrap_or_default().to_owned());
    }
    let list = |of: &Value| -> Vec<Vec<Value>> {
        let found = of.as_array().map(Vec::as_slice).unwrap_or_default();
        found.iter().map(|one| one["answers"].as_array().cloned().unwrap_or_default()).collect()
    };
    let whole = |of: &Value| of["complete"].as_bool().unwrap_or(false) && of["cut"].as_u64() == Some(0);
    let beyond = said["other"]["beyond"].as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(Tried {
        serial: list(&said["serial"]["found"]),
        all: list(&said["other"]["found"]),
        beyond: beyond
            .iter()
            .map(|one| (one["answers"].as_array().cloned().unwrap_or_default(), one["events"].clone(), one["choices"].clone()))
            .collect(),
        serial_complete: whole(&said["serial"]),
        complete: whole(&said["other"]),
        runs: said["serial"]["runs"].as_u64().unwrap_or(0) + said["other"]["runs"].as_u64().unwrap_or(0),
    })
}

/// Whether an answer of the program is one of Node.
pub fn same(shown: &ShownAnswer, node: &Value) -> bool {
    let kind = node[0].as_str().unwrap_or_default();
    match shown {
        ShownAnswer::Undefined => kind == "u",
        ShownAnswer::Null => kind == "z",
        ShownAnswer::Bool(value) => kind == "b" && node[1].as_bool() == Some(*value),
        ShownAnswer::Number(value) => kind == "n" && node[1].as_i64() == Some(*value),
        ShownAnswer::Text(text) => kind == "s" && node[1].as_str() == Some(text),
        // The error of a place has no text.
        ShownAnswer::Thrown(text) => kind == "t" && (text.starts_with("error at ") || node[1].as_str() == Some(text)),
        ShownAnswer::Array(length) => kind == "a" && node[1].as_array().map(|list| list.len() as u64) == u64::try_from(*length).ok(),
        ShownAnswer::List(list) => {
            let there = node[1].as_array().map(Vec::as_slice).unwrap_or_default();
            kind == "a" && there.len() == list.len() && list.iter().zip(there).all(|(one, other)| same(one, other))
        }
        ShownAnswer::Record(fields) => {
            let fields: Vec<_> = fields.iter().filter(|(_, inner)| *inner != ShownAnswer::Undefined).collect();
            let there = node[1].as_object();
            let count = there.map_or(0, serde_json::Map::len);
            kind == "o"
                && count == fields.len()
                && fields.iter().all(|(name, inner)| there.and_then(|there| there.get(name)).is_some_and(|there| same(inner, there)))
        }
        ShownAnswer::Anything(_) => true,
    }
}

/// Where answers of Node and of the program differ, in words; the answers of the program are by request.
pub fn difference(translation: &StepsProgram, requests: &[String], ours: &Ours, tried: &Tried) -> Option<String> {
    let shown = |list: &[Vec<i64>]| -> Vec<Vec<ShownAnswer>> {
        let one = |answers: &Vec<i64>| {
            let shown = requests.iter().zip(answers).map(|(request, answer)| translation.answers.shown(request, *answer));
            shown.map(|one| one.unwrap_or(ShownAnswer::Undefined)).collect()
        };
        list.iter().map(one).collect()
    };
    let (all, serial) = (shown(&ours.all), shown(&ours.serial));
    let fits = |ours: &[ShownAnswer], node: &[Value]| paired(requests, ours, node, &mut vec![false; node.len()], 0);
    let words = |node: &[Value]| serde_json::to_string(node).unwrap_or_default();
    if let Some(node) = tried.all.iter().find(|node| !all.iter().any(|ours| fits(ours, node))) {
        return Some(format!("Node answers {}, which the program of steps cannot", words(node)));
    }
    if let Some(node) = tried.serial.iter().find(|node| !serial.iter().any(|ours| fits(ours, node))) {
        return Some(format!("one at a time Node answers {}, which the program of steps cannot", words(node)));
    }
    if let Some(ours) = serial.iter().find(|ours| tried.serial_complete && !tried.serial.iter().any(|node| fits(ours, node))) {
        let words: Vec<String> = ours.iter().map(ShownAnswer::text).collect();
        return Some(format!("one at a time the program of steps answers {}, which Node cannot", words.join(", ")));
    }
    None
}

/// Whether answers are the same, but for the order of calls that are alike.
fn paired(requests: &[String], ours: &[ShownAnswer], node: &[Value], used: &mut Vec<bool>, at: usize) -> bool {
    let Some(one) = ours.get(at) else { return ours.len() == node.len() };
    for other in 0..node.len() {
        if !used[other] && requests[other] == requests[at] && same(one, &node[other]) {
            used[other] = true;
            if paired(requests, ours, node, used, at + 1) {
                return true;
            }
            used[other] = false;
        }
    }
    false
}

/// Answers of the program of steps to these calls, in their order: in all orders, and one at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ours {
    /// In all orders.
    pub all: Vec<Vec<i64>>,
    /// One at a time.
    pub serial: Vec<Vec<i64>>,
}
