//! Components that are not the same as those that they are said to be.

use serde_json::{Value, json};
use serval_model::NormalForm;

use super::first_missing;
use crate::requests::hostile::draw::Draw;
use crate::requests::hostile::pool::Pool;

/// How many are made, for one that misses exactly the condition.
const TRIES: usize = 12;

/// The last component of an input is said to be the same as the first, which
/// has a proof.
pub(super) fn attack(condition: &str, pool: &Pool, draw: &mut Draw) -> Option<(usize, Value)> {
    let mut made = Vec::new();
    for _ in 0..TRIES {
        made.extend(one(condition, pool, draw));
    }
    first_missing(condition, pool, made.into_iter())
}

fn one(condition: &str, pool: &Pool, draw: &mut Draw) -> Option<(usize, Value)> {
    let sample = pool.sample("components", draw)?;
    let mut value = sample.value.clone()?;
    // A component one edit away has other steps.
    let target = if condition == "same.steps" && draw.chance(50) { *draw.pick(&pool.near[sample.target])? } else { sample.target };
    let system = pool.targets[target].systems.last()?;
    let (form, _) = NormalForm::new(system)?;
    let last = value["parts"].as_array()?.len().checked_sub(1)?;
    let mut globals: Vec<usize> = (0..form.global_count() as usize).collect();
    let mut nodes: Vec<usize> = (0..form.nodes().len()).collect();
    let mut part = 0;
    match condition {
        "same.part" => part = last + draw.below(3),
        "same.maps" => match draw.below(3) {
            0 => nodes[draw.below(form.nodes().len())] = draw.below(form.nodes().len() + 1),
            1 => globals[draw.below(form.global_count() as usize)] = draw.below(form.global_count() as usize + 1),
            _ => drop(nodes.pop()),
        },
        "same.initial" => globals.swap(form.initial_global() as usize, draw.below(form.global_count() as usize)),
        "same.nodes" | "same.steps" => nodes.swap(draw.below(form.nodes().len()), draw.below(form.nodes().len())),
        _ => return None,
    }
    *value["parts"].get_mut(last)? = json!({"kind": "same", "part": part, "globals": globals, "nodes": nodes});
    Some((target, value))
}
