//! Proofs by counting that count wrongly.

use serde_json::{Value, json};

use super::{first_missing, refusing};
use crate::requests::hostile::draw::Draw;
use crate::requests::hostile::found::Sample;
use crate::requests::hostile::pool::Pool;
use crate::requests::hostile::targets::Target;

/// How many are made until one misses the condition.
const TRIES: usize = 24;
/// With how many proofs that is tried.
const SAMPLES: usize = 3;
/// Facts on the way to a leaf, at most as many as are looked for.
const FACTS: i64 = 1 << 10;

pub(super) fn attack(condition: &str, pool: &Pool, draw: &mut Draw) -> Option<(usize, Value)> {
    first_missing(condition, pool, (0..SAMPLES).filter_map(|_| with_some_proof(condition, pool, draw)))
}

fn with_some_proof(condition: &str, pool: &Pool, draw: &mut Draw) -> Option<(usize, Value)> {
    // Proofs over numbers of answers end with a tree as well.
    let over_letters = condition.starts_with("tree.") && draw.chance(30);
    let sample = pool.sample(if over_letters { "letters" } else { "flow" }, draw)?;
    let target = &pool.targets[sample.target];
    let leaf = condition.starts_with("tree.").then(|| leaf(sample, draw)).flatten();
    // How many facts there are at the leaf, where that matters.
    let needed = ["tree.fresh", "tree.tight", "tree.sign", "tree.falling", "tree.modulus", "tree.equality"].contains(&condition);
    let facts = leaf.filter(|_| needed).and_then(|leaf| facts_at(target, sample, leaf)).unwrap_or(0);
    let made = (0..TRIES).filter_map(|_| {
        let mut value = sample.value.clone()?;
        match leaf {
            Some(leaf) => at_leaf(condition, &mut value, leaf, facts, draw),
            None => counting(condition, &mut value, draw),
        }?;
        Some(value)
    });
    let changed = made.filter(|value| Some(value) != sample.value.as_ref());
    first_missing(condition, pool, changed.map(|value| (sample.target, value)))
}

/// The number of a leaf of the tree.
fn leaf(sample: &Sample, draw: &mut Draw) -> Option<usize> {
    let nodes = sample.value.as_ref()?["tree"].as_array()?;
    let leaves: Vec<usize> = (0..nodes.len()).filter(|&node| nodes[node][0].as_u64().is_some_and(|kind| kind >= 3)).collect();
    draw.pick(&leaves).copied()
}

/// How many facts there are at a leaf: the checker says so when it is asked for
/// one that is not there.
fn facts_at(target: &Target, sample: &Sample, leaf: usize) -> Option<i64> {
    let mut value = sample.value.clone()?;
    let (mut there, mut missing) = (0, FACTS);
    while there < missing {
        let middle = (there + missing) / 2;
        value["tree"][leaf] = json!([3, middle, 0]);
        if refusing(target, &value) == Some(Some("tree.fact")) {
            missing = middle;
        } else {
            there = middle + 1;
        }
    }
    (there < FACTS).then_some(there)
}

/// Puts something else in the place of a leaf.
fn at_leaf(condition: &str, value: &mut Value, leaf: usize, facts: i64, draw: &mut Draw) -> Option<()> {
    let small = |draw: &mut Draw| i64::try_from(draw.below(9)).unwrap_or(0);
    // Mostly one of the facts, and often one of the last.
    let fact = if draw.chance(30) { (facts - 1).max(0) } else { i64::try_from(draw.below(usize::try_from(facts).ok()?)).ok()? };
    let nodes = value["tree"].as_array_mut()?;
    let old = nodes.get(leaf)?.clone();
    let far = 1_000_000 + small(draw);
    let new = match condition {
        "tree.child" => {
            nodes.truncate(draw.below(nodes.len()));
            return Some(());
        }
        "tree.rest" => {
            nodes.push(old);
            return Some(());
        }
        "tree.fresh" => {
            // The only fact about the fresh variable does not refute anything.
            let divisor = 2 + small(draw);
            let below = vec![json!([3, facts, if draw.chance(50) { 1 } else { -1 }]); usize::try_from(divisor).ok()?];
            nodes.splice(leaf..=leaf, [json!([2, divisor, small(draw)])].into_iter().chain(below));
            return Some(());
        }
        "tree.clause" => json!([0, far]),
        "tree.variables" => json!([1 + draw.below(2), 1 + small(draw), 0, far, 1]),
        "tree.divisor" => json!([2, 0, small(draw)]),
        "tree.fact" => json!([3, if draw.chance(50) { far } else { -far }, 1]),
        "tree.farkas" if draw.chance(50) => json!([3]),
        "tree.farkas" => scaled(&old, 0, draw)?,
        "tree.sign" if draw.chance(50) => scaled(&old, -1, draw)?,
        "tree.sign" => json!([3, if draw.chance(30) { -1 - small(draw) } else { fact }, -1 - small(draw)]),
        "tree.falling" if draw.chance(50) => scaled(&old, 1 + small(draw), draw)?,
        "tree.falling" => json!([3, if draw.chance(30) { -1 - small(draw) } else { fact }, 1 + small(draw)]),
        "tree.tight" => json!([4, 2 + small(draw), 0, fact, if draw.chance(80) { -1 } else { 1 }]),
        "tree.equality" => json!([4, 2 + small(draw), 1, if draw.chance(50) { -1 - small(draw) } else { fact }, 1]),
        "tree.modulus" => json!([4, 2 + small(draw), 1, fact, 1]),
        "tree.remainder" => match old.get(0).and_then(Value::as_u64) {
            Some(4) if draw.chance(80) => {
                let mut lattice = old;
                lattice[1] = 1.into();
                lattice
            }
            _ => json!([4, 1 + small(draw), 0]),
        },
        _ => return None,
    };
    nodes[leaf] = new;
    Some(())
}

/// A leaf of sums with one multiplier changed: multiplied, or increased where
/// the factor is positive.
fn scaled(leaf: &Value, factor: i64, draw: &mut Draw) -> Option<Value> {
    let mut leaf = leaf.clone();
    let numbers = leaf.as_array_mut()?;
    if numbers.first()?.as_u64() != Some(3) || numbers.len() < 3 {
        return None;
    }
    let at = 2 + 2 * draw.below((numbers.len() - 1) / 2);
    let old = numbers.get(at)?.as_i64()?;
    numbers[at] = if factor > 0 { old.checked_add(factor)? } else { old.checked_mul(factor)? }.into();
    Some(leaf)
}

/// Changes phases and facts.
fn counting(condition: &str, value: &mut Value, draw: &mut Draw) -> Option<()> {
    if condition == "flow.phases" {
        let phases = value["phases"].as_array_mut()?;
        if draw.chance(30) && phases.len() > 1 {
            phases.pop();
        } else {
            let more = 1 + draw.below(3);
            phases.extend(std::iter::repeat_n(json!(draw.below(3)), more));
        }
        return Some(());
    }
    let (name, fact) = match condition {
        "flow.forward" => ("forward", json!({"forward": {"globals": some(draw), "nodes": some(draw)}})),
        "flow.backward" => ("backward", json!({"backward": {"globals": some(draw), "nodes": some(draw)}})),
        _ => ("set", json!({"set": {"base": uses(draw), "periods": []}})),
    };
    let facts = value["facts"].as_array_mut()?;
    let there: Vec<usize> = (0..facts.len()).filter(|&number| facts[number].get(name).is_some()).collect();
    let at = match draw.pick(&there) {
        Some(&at) if draw.chance(70) => at,
        _ => {
            let at = draw.below(facts.len() + 1);
            facts.insert(at, fact);
            at
        }
    };
    let chosen = facts.get_mut(at)?.get_mut(name)?;
    if name != "set" {
        let nodes = chosen.get_mut(if draw.chance(70) { "nodes" } else { "globals" })?.as_array_mut()?;
        if !nodes.is_empty() {
            nodes.remove(draw.below(nodes.len()));
        }
        return Some(());
    }
    let period = json!({"edges": uses(draw), "divisor": 1, "constant": 0, "terms": []});
    let periods = chosen.get_mut("periods")?.as_array_mut()?;
    match condition {
        "flow.edges" => {
            let part = if draw.chance(50) { chosen.get_mut("base")? } else { draw_period(periods, period, draw)?.get_mut("edges")? };
            let edges = part.as_array_mut()?;
            match draw.below(3) {
                0 => edges.push(json!([100_000 + draw.below(9), 1])),
                1 if !edges.is_empty() => edges.push(edges[draw.below(edges.len())].clone()),
                _ => {
                    let wrong = json!({"edges": [], "divisor": draw.below(2), "constant": 0, "terms": [[draw.below(4), 1]]});
                    chosen.get_mut("periods")?.as_array_mut()?.push(wrong);
                }
            }
        }
        "flow.base" => *chosen.get_mut("base")? = uses(draw),
        "flow.period" => {
            let period = draw_period(periods, period, draw)?;
            let edges = period.get_mut("edges")?.as_array_mut()?;
            match edges.len() {
                0 => *period.get_mut("edges")? = uses(draw),
                len => {
                    let at = draw.below(len);
                    if draw.chance(50) {
                        edges.remove(at);
                    } else {
                        edges[at][1] = (2 + draw.below(3)).into();
                    }
                }
            }
        }
        "flow.connected" => {
            // A round trip elsewhere, if luck will have it.
            if draw.chance(60) {
                *chosen.get_mut("base")? = json!([]);
            }
            let lone = json!({"edges": uses(draw), "divisor": 1, "constant": 0, "terms": []});
            chosen.get_mut("periods")?.as_array_mut()?.push(lone);
        }
        _ => return None,
    }
    Some(())
}

/// One of the periods; if there is none, this one.
fn draw_period<'a>(periods: &'a mut Vec<Value>, otherwise: Value, draw: &mut Draw) -> Option<&'a mut Value> {
    if periods.is_empty() {
        periods.push(otherwise);
    }
    let at = draw.below(periods.len());
    periods.get_mut(at)
}

/// Some numbers, sorted.
fn some(draw: &mut Draw) -> Value {
    (0..6).filter(|_| draw.chance(60)).collect::<Vec<usize>>().into()
}

/// One or two edges, sorted.
fn uses(draw: &mut Draw) -> Value {
    let first = draw.below(12);
    let mut uses = vec![json!([first, 1 + draw.below(2)])];
    if draw.chance(40) {
        uses.push(json!([first + 1 + draw.below(6), 1]));
    }
    uses.into()
}
