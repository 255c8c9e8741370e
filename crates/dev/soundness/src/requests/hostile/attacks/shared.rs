//! Splits into parts that are none.

use serde_json::{Value, json};

use super::first_missing;
use crate::requests::hostile::draw::Draw;
use crate::requests::hostile::pool::Pool;

/// How many are made until one misses the condition.
const TRIES: usize = 16;

pub(super) fn attack(condition: &str, pool: &Pool, draw: &mut Draw) -> Option<(usize, Value)> {
    let mut made = Vec::new();
    for _ in 0..TRIES {
        let sample = pool.sample("shared", draw)?;
        let mut value = sample.value.clone()?;
        if spoil(condition, &mut value, draw).is_some() {
            made.push((sample.target, value));
        }
    }
    first_missing(condition, pool, made.into_iter())
}

fn spoil(condition: &str, value: &mut Value, draw: &mut Draw) -> Option<()> {
    let parts = value["parts"].as_array()?.len();
    let touches = value["touches"].as_array_mut()?;
    let at = draw.below(touches.len());
    match condition {
        "shared.numbers" => match draw.below(3) {
            0 => drop(touches.remove(at)),
            1 => touches.get_mut(at)?.as_array_mut()?.push(parts.into()),
            _ => touches.get_mut(at)?.as_array_mut()?.push(0.into()),
        },
        // More parts than a request touches.
        "shared.forest" => {
            for touched in touches.iter_mut().filter(|_| draw.chance(60)) {
                *touched = json!((0..parts).collect::<Vec<usize>>());
            }
        }
        // Fewer or others.
        "shared.serial" => match draw.chance(50) {
            true => *touches.get_mut(at)? = json!([draw.below(parts)]),
            false => *touches.get_mut(at)? = json!([]),
        },
        _ => return None,
    }
    Some(())
}
