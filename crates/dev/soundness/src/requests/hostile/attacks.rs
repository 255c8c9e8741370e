//! Certificates that miss one condition, made with what the condition means in
//! mind.
//!
//! Each begins with a certificate that is accepted. Where it takes luck to
//! miss exactly this condition, a few are made and the first that does is
//! taken.

mod cases;
mod closure;
mod fault;
mod flow;
mod invariant;
mod letters;
mod reduction;
mod run;
mod same;
mod script;
mod shared;
mod strict;

use serde_json::{Value, json};
use serval_proof::{Certificate, Refusal};

use super::draw::Draw;
use super::pool::Pool;
use super::targets::Target;

/// Work for one certificate that is looked at while making one.
const TICKS: u64 = 300_000;

/// A certificate that should miss a condition, and the target to give it to.
/// `None`: there is no known way, or the luck was out.
pub fn attack(condition: &str, pool: &Pool, draw: &mut Draw) -> Option<(usize, Value)> {
    match condition.split('.').next() {
        Some("input" | "component" | "parts") => header(condition, pool, draw),
        Some("run") => run::attack(condition, pool, draw),
        Some("fault") => fault::attack(condition, pool, draw),
        Some("closure") => closure::attack(condition, pool, draw),
        Some("strict" | "in-flight" | "points") => strict::attack(condition, pool, draw),
        Some("shared") => shared::attack(condition, pool, draw),
        Some("same") => same::attack(condition, pool, draw),
        Some("invariant") => invariant::attack(condition, pool, draw),
        Some("reduction") => reduction::attack(condition, pool, draw),
        Some("cases") => cases::attack(condition, pool, draw),
        Some("letters") => letters::attack(condition, pool, draw),
        Some("flow" | "tree") => flow::attack(condition, pool, draw),
        _ => script::attack(condition, pool, draw),
    }
}

/// What the checker says to a certificate: the condition that refuses it;
/// `Some(None)` if it is accepted.
fn refusing(target: &Target, value: &Value) -> Option<Option<&'static str>> {
    let mut value = value.clone();
    value["input"] = target.print.clone().into();
    let certificate = Certificate::from_json(&value.to_string()).ok()?;
    match target.check(&certificate, TICKS) {
        Ok(()) => Some(None),
        Err(Refusal::Invalid(rejection)) => Some(Some(rejection.condition.name())),
        Err(_) => None,
    }
}

/// The first of these that misses the condition. If there is none, one that
/// is accepted: it was made to miss the condition, so it is worth a look
/// whether it is true.
fn first_missing(condition: &str, pool: &Pool, made: impl Iterator<Item = (usize, Value)>) -> Option<(usize, Value)> {
    let mut accepted = None;
    for (target, value) in made {
        match refusing(&pool.targets[target], &value) {
            Some(Some(by)) if by == condition => return Some((target, value)),
            Some(None) => accepted = Some((target, value)),
            _ => {}
        }
    }
    accepted
}

fn header(condition: &str, pool: &Pool, draw: &mut Draw) -> Option<(usize, Value)> {
    let kind = match condition {
        "input" => {
            *draw.pick(&["run", "fault", "atomic", "flow", "invariant", "letters", "components", "reduction", "points", "closure"])?
        }
        "component" => "run",
        _ => *draw.pick(&["atomic", "flow", "invariant", "letters", "components"])?,
    };
    let sample = pool.sample(kind, draw)?;
    let mut value = sample.value.clone()?;
    match condition {
        "input" => value["input"] = wrong_print(&pool.targets[sample.target], pool, draw).into(),
        "component" => value["component"] = (pool.targets[sample.target].systems.len() + draw.below(3)).into(),
        "parts.claim" => value["claim"] = "not-serializable".into(),
        "parts.cover" if kind == "components" => {
            let parts = value["parts"].as_array_mut().filter(|parts| !parts.is_empty())?;
            let at = draw.below(parts.len());
            if draw.chance(50) {
                parts.remove(at);
            } else {
                parts.insert(at, parts[at].clone());
            }
        }
        "parts.cover" if draw.chance(50) => {
            // A list of several parts for an input of one component.
            let script = value["script"].clone();
            let part = json!({"kind": "atomic", "script": script});
            let parts = vec![part; [0, 2, 3][draw.below(3)]];
            let head = &value;
            value = json!({"format": head["format"], "version": head["version"], "input": head["input"], "kind": "components",
                "claim": head["claim"], "parts": parts});
        }
        "parts.cover" => {
            let several: Vec<usize> = (0..pool.targets.len()).filter(|&target| pool.targets[target].systems.len() > 1).collect();
            return Some((*draw.pick(&several)?, value));
        }
        _ => return None,
    }
    Some((sample.target, value))
}

/// A fingerprint that is not that of the target: of another one, with another
/// digit, too short, too long, or in capitals.
fn wrong_print(target: &Target, pool: &Pool, draw: &mut Draw) -> String {
    let print = &target.print;
    match draw.below(5) {
        0 => draw.pick(&pool.targets).map(|other| other.print.clone()).filter(|other| other != print).unwrap_or_default(),
        1 => print.chars().skip(1).collect(),
        2 => format!("{print}0"),
        3 => format!(" {print}"),
        _ => {
            let digits: Vec<char> = print.chars().collect();
            let at = draw.below(digits.len());
            digits
                .iter()
                .enumerate()
                .map(|(place, &digit)| if place == at { if digit == '0' { '1' } else { '0' } } else { digit })
                .collect()
        }
    }
}
