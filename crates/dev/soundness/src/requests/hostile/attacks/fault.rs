//! Failures that do not happen, or not so.

use serde_json::Value;

use super::first_missing;
use crate::requests::hostile::draw::Draw;
use crate::requests::hostile::pool::Pool;

/// How many are made until one misses the condition.
const TRIES: usize = 10;
const KINDS: [&str; 4] = ["division-by-zero", "overflow", "range", "index"];

pub(super) fn attack(condition: &str, pool: &Pool, draw: &mut Draw) -> Option<(usize, Value)> {
    let sample = pool.sample("fault", draw)?;
    let original = sample.value.clone()?;
    let made = (0..TRIES).filter_map(|_| {
        let mut value = original.clone();
        changed(condition, &mut value, draw)?;
        Some(value)
    });
    first_missing(condition, pool, made.filter(|value| *value != original).map(|value| (sample.target, value)))
}

fn changed(condition: &str, value: &mut Value, draw: &mut Draw) -> Option<()> {
    let events = value["steps"].as_array()?.clone();
    let other = |path: &str, draw: &mut Draw| -> Value {
        let names: Vec<Value> = events.iter().filter_map(|event| event.pointer(path).cloned()).collect();
        if draw.chance(70) { draw.pick(&names).cloned().unwrap_or_default() } else { "somewhere else".into() }
    };
    match condition {
        "fault.claim" => value["claim"] = (*draw.pick(&["serializable", "not-serializable"])?).into(),
        "fault.thread" => {
            let id = value["fails"]["id"].as_u64()?;
            value["fails"]["id"] = if draw.chance(50) { id + 1 } else { 1 + draw.below(3) as u64 }.into();
        }
        "fault.local" => value["fails"]["from"]["local"] = other("/to/local", draw),
        "fault.global" => value["fails"]["from"]["global"] = other("/to/global", draw),
        "fault.kind" => value["fails"]["fault"] = (*draw.pick(&KINDS)?).into(),
        // The run stops where the next step is one that does not fail: that of its last step.
        "fault.step" => {
            let steps: Vec<usize> = (0..events.len()).filter(|&number| events[number]["kind"] == "step").collect();
            let at = *draw.pick(&steps)?;
            value["fails"]["id"] = events[at]["id"].clone();
            value["fails"]["from"] = events[at]["from"].clone();
            value["steps"].as_array_mut()?.truncate(at);
        }
        _ => return None,
    }
    Some(())
}
