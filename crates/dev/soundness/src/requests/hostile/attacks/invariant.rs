//! Invariants that do not hold, or without a proof that they do.

use serde_json::{Value, json};
use serval_model::NormalForm;

use super::first_missing;
use crate::requests::hostile::draw::Draw;
use crate::requests::hostile::pool::Pool;

/// How many are made until one misses the condition.
const TRIES: usize = 12;

pub(super) fn attack(condition: &str, pool: &Pool, draw: &mut Draw) -> Option<(usize, Value)> {
    let sample = pool.sample("invariant", draw)?;
    let (form, _) = NormalForm::new(pool.targets[sample.target].systems.first()?)?;
    let made = (0..TRIES).filter_map(|_| {
        let mut value = sample.value.clone()?;
        spoil(condition, &mut value, &form, draw)?;
        Some((sample.target, value))
    });
    first_missing(condition, pool, made)
}

fn spoil(condition: &str, value: &mut Value, form: &NormalForm, draw: &mut Draw) -> Option<()> {
    let steps = form.steps().len();
    let variables = steps + form.nodes().len();
    let globals = form.global_count() as usize;
    let small = i64::try_from(draw.below(6)).ok()?;
    let bound = |terms: Value, under: Value, constant: i64| json!({"terms": terms, "under": under, "constant": constant});
    match condition {
        "invariant.ends" => {
            let ends = value["ends"].as_array_mut().filter(|ends| !ends.is_empty())?;
            let at = draw.below(ends.len());
            if draw.chance(50) {
                ends.remove(at);
            } else {
                ends.insert(at, ends[at].clone());
            }
            return Some(());
        }
        "invariant.step" if draw.chance(60) => {
            // Nothing is said about a step, or it is said about another.
            let kept = value["kept"].as_array_mut().filter(|kept| !kept.is_empty())?;
            let at = draw.below(kept.len());
            if draw.chance(50) {
                kept.remove(at);
            } else {
                kept.get_mut(at)?["step"] = draw.below(steps).into();
            }
            return Some(());
        }
        _ => {}
    }
    let new = match condition {
        "invariant.numbers" => match draw.below(4) {
            0 => bound(json!([[variables + draw.below(9), 1]]), json!([]), small),
            1 => bound(json!([[draw.below(variables), 0]]), json!([]), small),
            2 => bound(json!([]), json!([[globals + draw.below(9), 1]]), small),
            _ => bound(json!([]), json!([[draw.below(globals), 1], [0, 1]]), small),
        },
        "invariant.initial" => bound(json!([[draw.below(variables), 1 + small]]), json!([]), -1 - small),
        "invariant.arrival" => {
            let initial: Vec<u32> = form.node_numbers().filter(|&node| form.is_initial(node)).collect();
            let node = *draw.pick(&initial)? as usize;
            bound(json!([[steps + node, -1 - small]]), json!([]), small)
        }
        // A step is made only so many times.
        "invariant.step" => bound(json!([[draw.below(steps), -1]]), json!([]), small),
        _ => return None,
    };
    let clauses = value["clauses"].as_array_mut()?;
    clauses.push(json!([new]));
    Some(())
}
