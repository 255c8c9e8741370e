//! Proofs on the text of programs that miss something.
//!
//! What a proof claims is made a little stronger or weaker at the place that a
//! condition is about, or claimed where nothing was claimed.

use serde_json::{Value, json};

use super::first_missing;
use crate::requests::hostile::draw::Draw;
use crate::requests::hostile::pool::Pool;

/// How many are made of one proof until one misses the condition.
const TRIES: usize = 12;
/// With how many proofs that is tried.
const SAMPLES: usize = 8;
/// Points, variables and registers that are drawn are below this.
const SMALL: usize = 8;

pub(super) fn attack(condition: &str, pool: &Pool, draw: &mut Draw) -> Option<(usize, Value)> {
    first_missing(condition, pool, (0..SAMPLES).filter_map(|_| with_some_proof(condition, pool, draw)))
}

fn with_some_proof(condition: &str, pool: &Pool, draw: &mut Draw) -> Option<(usize, Value)> {
    let field = match condition {
        "reduction.shapes" | "reduction.patterns" | "reduction.alike" => Some("bodies"),
        "reduction.ticket" | "reduction.turns" => Some("tickets"),
        _ => None,
    };
    let sample = field.filter(|_| draw.chance(80)).and_then(|field| pool.sample_with("reduction", field, draw));
    let sample = sample.or_else(|| pool.sample("reduction", draw))?;
    let value = sample.value.as_ref()?;
    if condition == "reduction.program" {
        let systems: Vec<usize> = (0..pool.targets.len()).filter(|&target| pool.targets[target].is_json()).collect();
        return Some((*draw.pick(&systems)?, value.clone()));
    }
    // What is proved of one program is claimed of one that is an edit away, now and then.
    let opposed: Vec<usize> = pool.near[sample.target].iter().copied().filter(|&other| pool.are_opposed(sample.target, other)).collect();
    let target = *draw.pick(&opposed).filter(|_| condition == "reduction.exchange").unwrap_or(&sample.target);
    let made = (0..TRIES).filter_map(|number| {
        let mut value = value.clone();
        if number > 0 || target == sample.target {
            spoil(condition, &mut value, draw)?;
        }
        Some(value)
    });
    let changed = made.filter(|made| target != sample.target || made != value);
    first_missing(condition, pool, changed.map(|value| (target, value)))
}

fn spoil(condition: &str, value: &mut Value, draw: &mut Draw) -> Option<()> {
    if condition == "reduction.claim" {
        value["claim"] = "not-serializable".into();
        return Some(());
    }
    let proof = value.get_mut("reduction")?;
    let (low, point, factor) = (draw.below(SMALL), 1 + draw.below(SMALL), *draw.pick(&[1, -1, 2])?);
    match condition {
        "reduction.numbers" => {
            let field = *draw.pick(&["post", "nowhere", "ranges", "slow", "owners", "exclusions"])?;
            let far = 1_000_000 + low;
            let meaningless = match field {
                "post" | "nowhere" => json!([far, far]),
                "ranges" => json!([far, 0, 1]),
                "slow" => json!(far),
                "owners" => json!({"global": low, "value": 1, "points": [[far, far]]}),
                _ => json!([{"owner": far}, {"count": far}]),
            };
            proof[field].as_array_mut()?.push(meaningless);
            Some(())
        }
        "reduction.shapes" | "reduction.patterns" => match proof.get_mut("bodies") {
            Some(bodies) => take(bodies, draw).filter(|_| proof["bodies"] != json!([])).map(|_| ()),
            // Some stand for all, though no proof said so.
            None => {
                proof["bodies"] = json!([draw.below(SMALL)]);
                Some(())
            }
        },
        "reduction.alike" => {
            proof.get("bodies")?;
            match draw.below(6) {
                // One row has a larger range than others.
                0 => {
                    let range = draw.pick_mut(&mut proof["ranges"])?;
                    range[2] = (range[2].as_i64()? + 1).into();
                    Some(())
                }
                1 => take(&mut proof["owners"], draw).map(|_| ()),
                2 => take(&mut proof["post"], draw).map(|_| ()),
                3 => push(proof, "known", bounds(draw)),
                4 => push(proof, "yields", json!(draw.below(4 * SMALL))),
                _ => push(proof, "dooms", json!({"global": low, "value": 1, "points": [[point, point]]})),
            }
        }
        "reduction.late" => {
            if proof.get("late").is_none() {
                proof["late"] = json!([]);
            }
            push(proof, "late", json!([point, point + 1, low]))
        }
        "reduction.addition" => match proof.get_mut("additions").filter(|_| draw.chance(50)) {
            Some(additions) => shift(draw.pick_mut(additions)?, draw),
            None => {
                let (held, sums) = (json!([[point, point]]), json!([[draw.below(SMALL), low + 1]]));
                proof["additions"] = json!([{"lock": low, "held": held, "points": held, "sums": sums}]);
                Some(())
            }
        },
        "reduction.ticket" => match proof.get_mut("tickets") {
            Some(tickets) => shift(draw.pick_mut(tickets)?, draw),
            None => {
                let ticket =
                    json!({"next": low, "called": low + 1, "holders": [[point, draw.below(3)]], "inside": [[point + 1, point + 1]]});
                proof["tickets"] = json!([ticket]);
                Some(())
            }
        },
        "reduction.turns" => {
            proof.get("tickets")?;
            // Requests commit earlier or later than when they are called.
            proof["post"] = json!([[point, point + draw.below(3)]]);
            Some(())
        }
        "reduction.validated" => match draw.chance(50) {
            true => shift(draw.pick_mut(&mut proof["validated"])?, draw),
            false => {
                let reads = if draw.chance(50) { json!([]) } else { json!([[draw.below(SMALL), draw.below(SMALL)]]) };
                let read = json!({"head": draw.below(SMALL), "wait": point, "global": low, "register": draw.below(SMALL), "reads": reads});
                push(proof, "validated", read)
            }
        },
        "reduction.attempt" => match proof.get_mut("attempts").filter(|_| draw.chance(50)) {
            Some(attempts) => shift(draw.pick_mut(attempts)?, draw),
            None => {
                let reads = if draw.chance(50) { json!([]) } else { json!([[0, draw.below(2), draw.below(SMALL), draw.below(SMALL)]]) };
                let points = json!([draw.below(SMALL), draw.below(SMALL), point]);
                proof["attempts"] = json!([{"points": points, "versions": [[0, low, draw.below(SMALL)]], "reads": reads}]);
                Some(())
            }
        },
        "reduction.sum" => match draw.chance(50) {
            true => shift(draw.pick_mut(&mut proof["sums"])?, draw),
            false => {
                let globals = json!([[low, 1], [low + 1 + draw.below(2), factor]]);
                let values = json!([[low + 1, draw.below(3), factor]]);
                let sum = if draw.chance(50) { json!({"globals": globals}) } else { json!({"globals": [[low, 1]], "values": values}) };
                push(proof, "sums", sum)
            }
        },
        "reduction.range" => narrow(draw.pick_mut(&mut proof["ranges"])?, [1, 2], draw),
        "reduction.slow" => {
            // What is not known to stay within a range is said to go slowly.
            let range = take(&mut proof["ranges"], draw)?;
            push(proof, "slow", range[0].clone())
        }
        "reduction.local" => match draw.chance(70) {
            true => narrow_bounds(draw.pick_mut(&mut proof["locals"])?, draw),
            false => push(proof, "locals", bounds(draw)),
        },
        "reduction.known" => match draw.chance(30) {
            true => narrow_bounds(draw.pick_mut(&mut proof["known"])?, draw),
            false => push(proof, "known", bounds(draw)),
        },
        "reduction.owner" => match draw.chance(60) {
            true => shift(draw.pick_mut(&mut proof["owners"])?, draw),
            false => push(proof, "owners", json!({"global": low, "value": 1 + draw.below(2), "points": [[point, point + draw.below(2)]]})),
        },
        "reduction.count" => match draw.chance(60) {
            true => shift(draw.pick_mut(&mut proof["counts"])?, draw),
            false => push(proof, "counts", json!({"global": low, "weights": [[point, point, factor]]})),
        },
        "reduction.exclusion" => {
            let mut groups: Vec<Value> = (0..proof["owners"].as_array()?.len()).map(|at| json!({"owner": at})).collect();
            groups.extend((0..proof["counts"].as_array()?.len()).map(|at| json!({"count": at})));
            let pair = json!([draw.pick(&groups)?, draw.pick(&groups)?]);
            push(proof, "exclusions", pair)
        }
        "reduction.doom" => {
            let doom = json!({"global": low, "value": draw.below(3), "points": [[point, point + draw.below(3)]]});
            push(proof, "dooms", doom)
        }
        "reduction.nowhere" => push(proof, "nowhere", json!([point, point])),
        "reduction.errors" => {
            // Less is known of where values lie.
            let field = *draw.pick(&["ranges", "locals", "known"])?;
            take(&mut proof[field], draw).map(|_| ())
        }
        "reduction.phases" | "reduction.exchange" => {
            let fewer = ["owners", "counts", "exclusions", "dooms"];
            match draw.below(3) {
                0 if condition == "reduction.exchange" => {
                    // Exclusions are about owners and counts by their numbers.
                    proof["exclusions"] = json!([]);
                    let field = *draw.pick(&fewer)?;
                    take(&mut proof[field], draw).map(|_| ())
                }
                1 => take(&mut proof["post"], draw).map(|_| ()),
                _ => push(proof, "post", json!([point, point])),
            }
        }
        _ => None,
    }
}

/// Adds an element to a list.
fn push(proof: &mut Value, field: &str, element: Value) -> Option<()> {
    proof[field].as_array_mut()?.push(element);
    Some(())
}

/// Takes an element out of a list.
fn take(list: &mut Value, draw: &mut Draw) -> Option<Value> {
    let list = list.as_array_mut().filter(|list| !list.is_empty())?;
    Some(list.remove(draw.below(list.len())))
}

/// Bounds that are drawn, not found.
fn bounds(draw: &mut Draw) -> Value {
    let (low, point) = (draw.below(3), 1 + draw.below(SMALL));
    json!({"variable": draw.below(4), "low": low, "high": low + draw.below(2), "points": [[point, point]]})
}

/// Bounds at fields that leave more out.
fn narrow_bounds(bounds: &mut Value, draw: &mut Draw) -> Option<()> {
    let mut pair = json!([bounds["low"], bounds["high"]]);
    narrow(&mut pair, [0, 1], draw)?;
    (bounds["low"], bounds["high"]) = (pair[0].clone(), pair[1].clone());
    Some(())
}

/// A lower and an upper bound, in a list, that leave more out.
fn narrow(list: &mut Value, [low, high]: [usize; 2], draw: &mut Draw) -> Option<()> {
    let (from, to) = (list[low].as_i64()?, list[high].as_i64()?);
    if draw.chance(50) && from < to {
        list[low] = (from + 1).into();
    } else {
        list[high] = (to - 1).max(from - 1).into();
    }
    Some(())
}

/// Another number somewhere in a claim.
fn shift(claim: &mut Value, draw: &mut Draw) -> Option<()> {
    match claim {
        Value::Number(number) => {
            let old = number.as_i64()?;
            *claim = if draw.chance(50) { old + 1 } else { (old - 1).max(0) }.into();
            Some(())
        }
        Value::Array(elements) => {
            let at = draw.below(elements.len());
            shift(elements.get_mut(at)?, draw)
        }
        Value::Object(fields) => {
            let names: Vec<String> = fields.keys().cloned().collect();
            let name = draw.pick(&names)?;
            shift(fields.get_mut(name)?, draw)
        }
        _ => None,
    }
}
