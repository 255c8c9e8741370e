//! A run of handlers as a test for Node, in one file without dependencies.
//!
//! The test performs the run with the file as it is then, and fails if no order of the calls, one at a time, gives the
//! same answers, whatever the outside answers. So it fails until the race is fixed, also where the fix answers in other
//! words. Orders are tried with the fixed code itself, and nothing of the old one counts but what happens when. Where
//! the code has changed, steps that it does not make any more are left out, and what it does more is done at the end.

use serde_json::{Map, Value};

use super::{STUBS, STUBS_HERE};

/// The file, but for its data.
const TEST: &str = include_str!("emitted.mjs");

/// How types are blanked out.
const TYPES: &str = include_str!("types.mjs");

/// The same where there are none.
const NO_TYPES: &str = "const plain = async (source) => source;\n";

/// What a test is made of.
#[derive(Clone, Copy, Debug)]
pub struct EmittedTest<'a> {
    /// The name of the file that is tested, in the directory of the test.
    pub file: &'a str,
    /// The run, as it is saved.
    pub trace: &'a Value,
    /// Status codes that mean that nothing has happened.
    pub refusals: &'a [i64],
}

/// The text of a test.
pub fn emitted_test(of: &EmittedTest<'_>) -> String {
    let lines = |name: &str, list: &[Value]| {
        let inside: String = list.iter().map(|one| format!("  {one},\n")).collect();
        format!("const {name} = [\n{inside}];\n")
    };
    let list = |name: &str| of.trace[name].as_array().cloned().unwrap_or_default();
    let events: Vec<Value> = list("events").iter().map(event).collect();
    let said: Vec<String> = list("said").iter().filter_map(|one| one.as_str().map(str::to_owned)).collect();
    let outside: String = outside(of.trace).iter().map(|(path, known)| format!("  {}: {known},\n", Value::from(path.as_str()))).collect();
    let data = [
        format!("const FILE = {};\n", Value::from(of.file)),
        format!("const NAME = {};\n", Value::from(format!("{} at the same time answer as if one at a time", said.join(", ")))),
        "// The calls: as people write them, and as they are made here.\n".to_owned(),
        format!("const SAID = {};\n", Value::from(said)),
        lines("CALLS", &calls(of)),
        "// What happened in the run that was seen: a call comes, or the outside answers a call.\n".to_owned(),
        lines("EVENTS", &events),
        format!("// What the outside may answer.\nconst OUTSIDE = {{\n{outside}}};\n"),
        format!("// With these a handler refuses and has done nothing.\nconst REFUSALS = {};\n", Value::from(of.refusals)),
    ];
    let is_typed = of.file.ends_with(".ts") || of.file.ends_with(".mts");
    let header = [
        "// Made by `serval check FILE --emit test`: it fails until the race is fixed. It needs Node from 20.6 on, and nothing else.\n",
        "// One run is performed with the file as it is, with what it imports replaced by stubs; its answers must be those of\n",
        "// some order in which the same calls come one at a time. Run it with `node --test`.\n",
    ];
    TEST.replace("//#header\n", &header.concat())
        .replace("//#types\n", if is_typed { TYPES } else { NO_TYPES })
        .replace(STUBS_HERE, STUBS)
        .replace("//#data\n", &data.concat())
}

/// The calls; one that answered with the status of a refusal, and was none, says so.
fn calls(of: &EmittedTest<'_>) -> Vec<Value> {
    let list = |name: &str| of.trace[name].as_array().cloned().unwrap_or_default();
    let one = |(mut call, answer): (Value, Value)| {
        let Some(refuses) = call.as_object_mut().and_then(|call| call.remove("refuses")) else { return call };
        let status = answer[1]["status"][1].as_i64();
        let is_known = refuses.as_array().is_some_and(|list| list.contains(&answer));
        if !is_known && status.is_some_and(|status| of.refusals.contains(&status)) {
            call["counts"] = Value::from(answer.to_string());
        }
        call
    };
    list("calls").into_iter().zip(list("answers")).map(one).collect()
}

/// An event, without its place in the file, which changes.
fn event(event: &Value) -> Value {
    match event[0].as_str() {
        Some("answered" | "gave") => Value::from(vec![event[0].clone(), event[1].clone(), event[3].clone(), event[4].clone()]),
        _ => event.clone(),
    }
}

/// What the outside may answer, by what is called and no more by place: at two places together what it may at either.
fn outside(trace: &Value) -> Map<String, Value> {
    let mut known = Map::new();
    for (at, path) in trace["paths"].as_object().into_iter().flatten() {
        let (Some(path), Some(there)) = (path.as_str(), trace["outside"].get(at)) else { continue };
        let Some(before) = known.get_mut(path) else {
            known.insert(path.to_owned(), there.clone());
            continue;
        };
        for name in ["waits", "fails"] {
            before[name] = Value::from(before[name] == true || there[name] == true);
        }
        let Some(values) = before["values"].as_array_mut() else { continue };
        for value in there["values"].as_array().into_iter().flatten() {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
    }
    known
}
