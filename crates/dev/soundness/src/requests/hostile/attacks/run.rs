//! Runs that are none, that do not end, or whose answers are serial.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::first_missing;
use crate::requests::hostile::draw::Draw;
use crate::requests::hostile::pool::Pool;

/// How many are made until one misses the condition.
const TRIES: usize = 10;

pub(super) fn attack(condition: &str, pool: &Pool, draw: &mut Draw) -> Option<(usize, Value)> {
    // Runs that are no counterexample are as good, but for the last condition.
    let needs_none = condition == "run.serial" || condition == "run.order";
    let sample = if needs_none || draw.chance(30) { draw.pick(&pool.runs)? } else { pool.sample("run", draw)? };
    let original = sample.value.clone()?;
    if needs_none {
        let mut value = original;
        if condition == "run.order" {
            value["claim"] = "not-strict".into();
        }
        return Some((sample.target, value));
    }
    let made = (0..TRIES).map(|_| {
        let mut value = original.clone();
        changed(condition, &mut value, draw);
        // With the right answers nothing else is wrong, if luck will have it.
        if condition != "run.completed" && draw.chance(70) {
            recount(&mut value);
        }
        value
    });
    first_missing(condition, pool, made.filter(|value| *value != original).map(|value| (sample.target, value)))
}

/// The numbers of the events of a kind.
fn events(value: &Value, kind: &str) -> Vec<usize> {
    let events = value["steps"].as_array().map_or(&[][..], Vec::as_slice);
    (0..events.len()).filter(|&number| events[number]["kind"] == kind).collect()
}

fn changed(condition: &str, value: &mut Value, draw: &mut Draw) -> Option<()> {
    let spawns = events(value, "spawn");
    let steps = events(value, "step");
    let responds = events(value, "respond");
    // Some other name that occurs at such a place.
    let other = |value: &Value, among: &[usize], path: &str, draw: &mut Draw| -> Value {
        let names: Vec<Value> = among.iter().filter_map(|&number| value["steps"][number].pointer(path).cloned()).collect();
        if draw.chance(70) { draw.pick(&names).cloned().unwrap_or_default() } else { "somewhere else".into() }
    };
    match condition {
        "run.claim" => value["claim"] = "serializable".into(),
        "run.replay.spawn" => {
            let number = *draw.pick(&spawns)?;
            let field = *draw.pick(&["request", "local"])?;
            value["steps"][number][field] =
                if draw.chance(50) { other(value, &steps, "/to/local", draw) } else { other(value, &spawns, &format!("/{field}"), draw) };
        }
        "run.replay.fresh" => {
            let (one, two) = (*draw.pick(&spawns)?, *draw.pick(&spawns)?);
            let events = value["steps"].as_array_mut()?;
            if draw.chance(40) {
                // A request is given up halfway, and its number comes again.
                let id = events[one]["id"].clone();
                let own: Vec<usize> = (one + 1..events.len()).filter(|&number| events[number]["id"] == id).collect();
                let from = *draw.pick(&own)?;
                let mut number = 0;
                events.retain(|event| {
                    number += 1;
                    number <= from || event["id"] != id
                });
                let new = events.iter().position(|event| event["kind"] == "spawn" && event["id"] != id)?;
                let old = events[new]["id"].clone();
                events.iter_mut().filter(|event| event["id"] == old).for_each(|event| event["id"] = id.clone());
            } else if one == two {
                let again = events[one].clone();
                events.insert(one, again);
            } else {
                events[one.max(two)]["id"] = events[one.min(two)]["id"].clone();
            }
        }
        "run.replay.thread" => {
            let all: Vec<usize> = steps.iter().chain(&responds).copied().collect();
            let number = *draw.pick(&all)?;
            match draw.below(3) {
                0 => value["steps"][number]["id"] = 77.into(),
                1 => {
                    let again = value["steps"][*draw.pick(&responds)?].clone();
                    value["steps"].as_array_mut()?.push(again);
                }
                _ => drop(value["steps"].as_array_mut()?.remove(*draw.pick(&spawns)?)),
            }
        }
        "run.replay.from.local" | "run.replay.from.global" => {
            let number = *draw.pick(&steps)?;
            let field = if condition.ends_with("local") { "local" } else { "global" };
            match draw.below(3) {
                0 => drop(value["steps"].as_array_mut()?.remove(number)),
                1 => value["steps"].as_array_mut()?.swap(number, *draw.pick(&steps)?),
                _ => value["steps"][number]["from"][field] = other(value, &steps, &format!("/to/{field}"), draw),
            }
        }
        "run.replay.step" => {
            let number = *draw.pick(&steps)?;
            let field = *draw.pick(&["local", "global"])?;
            let path = *draw.pick(&["/from/", "/to/"])?;
            value["steps"][number]["to"][field] = other(value, &steps, &format!("{path}{field}"), draw);
            follow_on(value, number);
        }
        "run.replay.respond.local" => {
            let number = *draw.pick(&responds)?;
            value["steps"][number]["local"] = other(value, &steps, "/from/local", draw);
        }
        "run.replay.response" => {
            let number = *draw.pick(&responds)?;
            value["steps"][number]["response"] = other(value, &responds, "/response", draw);
        }
        "run.end" => {
            if draw.chance(50) {
                let number = *draw.pick(&responds)?;
                value["steps"].as_array_mut()?.remove(number);
            } else {
                let mut late = value["steps"][*draw.pick(&spawns)?].clone();
                late["id"] = (90 + draw.below(9)).into();
                value["steps"].as_array_mut()?.push(late);
            }
        }
        "run.completed" => {
            let answers = value["completed"].as_array_mut().filter(|answers| !answers.is_empty())?;
            let at = draw.below(answers.len());
            match draw.below(4) {
                0 => drop(answers.remove(at)),
                1 => answers.insert(at, answers[at].clone()),
                2 => answers[at]["response"] = "another".into(),
                _ => answers[at]["count"] = (answers[at]["count"].as_u64()? + 1).into(),
            }
        }
        _ => {}
    }
    Some(())
}

/// Makes the answers those that the events give.
fn recount(value: &mut Value) {
    let mut requests: BTreeMap<u64, String> = BTreeMap::new();
    let mut answers: BTreeMap<(String, String), u64> = BTreeMap::new();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    for event in value["steps"].as_array().into_iter().flatten() {
        let Some(id) = event["id"].as_u64() else { continue };
        if event["kind"] == "spawn" {
            requests.insert(id, text(&event["request"]));
        } else if event["kind"] == "respond"
            && let Some(request) = requests.get(&id)
        {
            *answers.entry((request.clone(), text(&event["response"]))).or_default() += 1;
        }
    }
    let listed = answers.into_iter().map(|((request, response), count)| json!({"request": request, "response": response, "count": count}));
    value["completed"] = listed.collect::<Vec<Value>>().into();
}

/// Lets the events after a step begin where it now ends.
fn follow_on(value: &mut Value, number: usize) {
    let (id, to) = (value["steps"][number]["id"].clone(), value["steps"][number]["to"].clone());
    let Some(later) = value["steps"].as_array_mut().and_then(|events| events.get_mut(number + 1..)) else { return };
    if let Some(next) = later.iter_mut().find(|event| event["id"] == id) {
        match next.get_mut("from") {
            Some(from) => from["local"] = to["local"].clone(),
            None => next["local"] = to["local"].clone(),
        }
    }
    if let Some(next) = later.iter_mut().find(|event| event["kind"] == "step") {
        next["from"]["global"] = to["global"].clone();
    }
}
