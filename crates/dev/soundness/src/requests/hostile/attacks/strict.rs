//! Evidence about the order in time that misses something.

use serde_json::{Value, json};

use super::first_missing;
use crate::requests::hostile::draw::Draw;
use crate::requests::hostile::pool::Pool;

/// How many are made until one misses the condition.
const TRIES: usize = 16;

pub(super) fn attack(condition: &str, pool: &Pool, draw: &mut Draw) -> Option<(usize, Value)> {
    let mut made = Vec::new();
    for _ in 0..TRIES {
        made.extend(one(condition, pool, draw));
    }
    first_missing(condition, pool, made.into_iter())
}

fn one(condition: &str, pool: &Pool, draw: &mut Draw) -> Option<(usize, Value)> {
    let kind = match condition {
        // Proofs that say nothing about the order in time.
        "strict.kind" => *draw.pick(&["flow", "invariant", "letters", "cases", "shared"])?,
        "points.places" | "points.bad" => "points",
        _ => "in-flight",
    };
    let sample = pool.sample(kind, draw)?;
    let mut value = sample.value.clone()?;
    spoil(condition, &mut value, draw)?;
    Some((sample.target, value))
}

fn spoil(condition: &str, value: &mut Value, draw: &mut Draw) -> Option<()> {
    if condition == "strict.kind" {
        value["claim"] = "strict".into();
        return Some(());
    }
    if condition.starts_with("points.") {
        let places = value["places"].as_array_mut()?;
        match draw.below(3) {
            0 if condition == "points.places" => places.push(1_000_000.into()),
            _ if condition == "points.places" => {
                let again = draw.pick(places)?.clone();
                places.push(again);
            }
            0 => places.clear(),
            1 => places.retain(|_| draw.chance(50)),
            // Any steps at all.
            _ => *places = (0..40).filter(|_| draw.chance(30)).map(Value::from).collect(),
        }
        return Some(());
    }
    let k = value["k"].as_u64()?;
    let states = value["states"].as_array_mut()?;
    let at = draw.below(states.len());
    let is_first = |state: &Value| state[1].as_array().is_some_and(Vec::is_empty);
    match condition {
        "in-flight.numbers" => match draw.below(4) {
            0 => value["k"] = (9 + draw.below(9)).into(),
            1 => states.get_mut(at)?[0] = (1_000_000 + draw.below(9)).into(),
            2 => states.get_mut(at)?[1].as_array_mut()?.push(1_000_000.into()),
            _ => {
                let readings = states.get_mut(at)?[2].as_array_mut()?;
                let again = draw.pick(readings)?.clone();
                readings.push(again);
            }
        },
        "in-flight.initial" => states.retain(|state| !is_first(state) || draw.chance(50)),
        "in-flight.step" => match draw.chance(60) {
            true => drop(states.remove(at)),
            // With more readings than there are it covers less.
            false => {
                let from = draw.below(9);
                let readings = states.get_mut(at)?[2].as_array_mut()?;
                let mut more = draw.pick(readings)?.clone();
                more[0] = from.into();
                readings.push(more);
                readings.sort_by_key(Value::to_string);
            }
        },
        "in-flight.complete" => {
            let global = states.get(at)?[0].clone();
            states.push(json!([global, [], []]));
        }
        "in-flight.closed" => {
            let fewer = k.checked_sub(1)?;
            states.retain(|state| state[1].as_array().is_some_and(|nodes| nodes.len() as u64 <= fewer));
            value["k"] = fewer.into();
        }
        _ => return None,
    }
    Some(())
}
