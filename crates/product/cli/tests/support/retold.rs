//! Counterexamples as the other interpreter wants them.

use std::collections::BTreeMap;

use serde_json::Value;
use serval_testkit::naive::{RetoldAccess, Step};

/// The steps of a counterexample.
pub(crate) fn steps(counterexample: &Value) -> Vec<Step> {
    let events = counterexample["steps"].as_array().unwrap();
    let mut requests = BTreeMap::new();
    let mut steps: Vec<Step> = Vec::new();
    for event in events {
        let id = u32::try_from(event["id"].as_u64().unwrap()).unwrap();
        match event["kind"].as_str().unwrap() {
            "spawn" => {
                let named = |request: &&Value| request["id"] == event["id"];
                let request = counterexample["requests"].as_array().unwrap().iter().find(named).unwrap();
                requests.insert(id, request["request"].as_str().unwrap().to_owned());
            }
            "step" => {
                let access = |access: &Value| RetoldAccess {
                    var: access["var"].as_str().unwrap().to_owned(),
                    writes: access["op"] == "write",
                    value: access["value"].as_i64().unwrap(),
                };
                let after = &counterexample["states"][event["to"]["global"].as_str().unwrap()];
                steps.push(Step {
                    id,
                    request: requests[&id].clone(),
                    accesses: event["accesses"].as_array().unwrap().iter().map(access).collect(),
                    after: after.as_object().unwrap().iter().map(|(name, value)| (name.clone(), value.as_i64().unwrap())).collect(),
                    answer: None,
                });
            }
            _ => {
                let last = steps.iter_mut().rev().find(|step| step.id == id).unwrap();
                last.answer = Some(event["response"].as_str().unwrap().parse().unwrap());
            }
        }
    }
    steps
}
