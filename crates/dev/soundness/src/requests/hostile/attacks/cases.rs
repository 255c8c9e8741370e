//! Proofs by cases that miss a condition.

use serde_json::{Value, json};

use super::first_missing;
use crate::requests::hostile::draw::Draw;
use crate::requests::hostile::pool::Pool;

/// How many are made before luck is out.
const TRIES: usize = 8;

/// A certificate that should miss a condition, and the target to give it to.
pub(super) fn attack(condition: &str, pool: &Pool, draw: &mut Draw) -> Option<(usize, Value)> {
    let mut made = Vec::new();
    for _ in 0..TRIES {
        let sample = pool.sample("cases", draw)?;
        let mut value = sample.value.clone()?;
        let target = if condition == "cases.excluded" && draw.chance(30) { draw.below(pool.targets.len()) } else { sample.target };
        if change(condition, value["cases"].as_array_mut()?, draw).is_some() {
            made.push((target, value));
        }
    }
    first_missing(condition, pool, made.into_iter())
}

fn change(condition: &str, entries: &mut Vec<Value>, draw: &mut Draw) -> Option<()> {
    let at = draw.below(entries.len());
    match condition {
        "cases.read" => {
            entries[at] = match draw.below(4) {
                0 => json!({"split": -1}),
                1 => json!({"split": 0, "excluded": {}}),
                2 => json!({"excluded": {"equation": {}}}),
                _ => json!([0]),
            }
        }
        "cases.open" => drop(entries.pop()),
        "cases.rest" => entries.push(json!({"split": 0})),
        "cases.split" => {
            let split = entries.iter_mut().find(|entry| entry.get("split").is_some())?;
            *split = json!({"split": 1_000 + draw.below(1_000)});
        }
        "cases.excluded" => {
            let excluded: Vec<usize> = (0..entries.len()).filter(|&entry| entries[entry].get("excluded").is_some()).collect();
            let (&one, &other) = (draw.pick(&excluded)?, draw.pick(&excluded)?);
            match draw.below(3) {
                0 => entries.swap(one, other),
                1 => entries[one] = json!({"excluded": {"dead": {"places": []}}}),
                _ => entries[one] = json!({"excluded": {"run": {"word": []}}}),
            }
        }
        // Who checks here knows nets.
        _ => return None,
    }
    Some(())
}
