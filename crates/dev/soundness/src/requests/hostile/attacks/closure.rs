//! Lists of states that are not closed, or of something that fails.

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
    let sample = pool.sample("closure", draw)?;
    let mut value = sample.value.clone()?;
    if condition == "closure.fault" {
        // What is safe is said of a program an edit away that fails, where states have the same names.
        let failing: Vec<usize> = pool.near[sample.target].iter().copied().filter(|&other| pool.targets[other].fails()).collect();
        return Some((*draw.pick(&failing)?, value));
    }
    spoil(condition, &mut value, draw)?;
    Some((sample.target, value))
}

fn spoil(condition: &str, value: &mut Value, draw: &mut Draw) -> Option<()> {
    match condition {
        "closure.claim" => value["claim"] = (*draw.pick(&["serializable", "strict", "not-serializable", "fault"])?).into(),
        "closure.cover" => {
            let parts = value["closed"].as_array_mut()?;
            let at = draw.below(parts.len());
            match draw.chance(50) {
                true => drop(parts.remove(at)),
                false => parts.insert(at, parts.get(at)?.clone()),
            }
        }
        _ => in_part(condition, draw.pick_mut(&mut value["closed"])?, draw)?,
    }
    Some(())
}

fn in_part(condition: &str, part: &mut Value, draw: &mut Draw) -> Option<()> {
    match condition {
        "closure.tables" => {
            let field = *draw.pick(&["globals", "locals", "at", "levels", "weights", "markings"])?;
            let list = part[field].as_array_mut()?;
            match draw.below(3) {
                0 => drop(list.pop()?),
                1 if field == "at" => list.iter_mut().filter_map(Value::as_array_mut).for_each(|at| at.reverse()),
                _ => {
                    let again = draw.pick(list).cloned().unwrap_or_else(|| json!([[]]));
                    list.push(again);
                }
            }
        }
        "closure.initial" => match part["markings"].as_array_mut().filter(|markings| !markings.is_empty()) {
            Some(markings) => *markings.first_mut()? = json!([]),
            None => part["globals"].as_array_mut()?.iter_mut().for_each(|name| *name = format!("{name}, elsewhere").into()),
        },
        "closure.closed" => match draw.below(3) {
            // A local state is missing where it can be.
            0 => {
                let at = draw.pick_mut(&mut part["at"])?.as_array_mut()?;
                at.pop()?;
            }
            1 => {
                let at = draw.pick_mut(&mut part["at"])?.as_array_mut()?;
                let number = draw.below(at.len());
                if number < at.len() {
                    at.remove(number);
                }
            }
            // A state has another name.
            _ => *draw.pick_mut(&mut part["globals"])? = "elsewhere".into(),
        },
        "closure.count" => {
            let field = *draw.pick(&["levels", "weights"])?;
            let row = draw.pick_mut(&mut part[field])?;
            let number = draw.pick_mut(row)?;
            let old = number.as_i64()?;
            *number = if draw.chance(50) { old + 1 } else { old - 1 }.into();
        }
        _ => return None,
    }
    Some(())
}
