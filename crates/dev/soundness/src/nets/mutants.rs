//! Changed evidence: refused, or what it claims is so by trying everything.

use serde_json::Value;
use serval_budget::{Budget, Cancel};
use serval_model::SplitMix64;
use serval_net_engine::{Method, Session};
use serval_net_proof::{Claim, Evidence, check};
use serval_petri::Formula;
use serval_random::reach::reaches;

use crate::Tally;
use crate::nets::cases::{Case, goal_of};

/// The name of a kind, with what is inside if it is backwards.
pub fn kind(evidence: &Evidence) -> String {
    match evidence {
        Evidence::Backward(backward) => format!("backward {}", kind(&backward.evidence)),
        other => other.kind().to_owned(),
    }
}

/// What each method alone has to say for it that the marking cannot be reached.
pub fn evidence(case: &Case) -> Vec<Evidence> {
    let cancel = Cancel::new();
    let session = Session::new(&case.net, &cancel);
    let by = |method| session.alone(&case.net, std::slice::from_ref(&case.goal), method, 2, &cancel).0.pop();
    let found = Method::all().filter(|&method| method != Method::Walk).filter_map(by);
    let evidence = found.filter_map(|found| found.answer().map(|answer| answer.evidence.clone()));
    evidence.filter(|evidence| evidence.claim() == Claim::Unreachable).collect()
}

/// Changes one thing: a number by one, or a list by an entry that is dropped, doubled or swapped, or whether something
/// is there.
fn changed(draw: &mut SplitMix64, value: &mut Value) {
    match value {
        Value::Array(list) if !list.is_empty() => {
            let (at, other) = (draw.index(list.len()), draw.index(list.len()));
            match draw.index(8) {
                0 => drop(list.remove(at)),
                1 => list.swap(at, other),
                2 => list.insert(other, list[at].clone()),
                _ => changed(draw, &mut list[at]),
            }
        }
        Value::Object(fields) => {
            let at = draw.index(fields.len());
            if let Some((_, value)) = fields.iter_mut().nth(at) {
                changed(draw, value);
            }
        }
        Value::Number(number) => {
            let by = if draw.chance(50) { 1 } else { -1 };
            match number.as_i64() {
                Some(_) if draw.chance(10) => *value = Value::Null,
                Some(number) => *value = Value::from(number.saturating_add(by)),
                None => {}
            }
        }
        Value::Null => *value = Value::from(draw.below(4)),
        Value::Bool(it) => *it = !*it,
        _ => {}
    }
}

/// Markings near by that can be reached, and the initial one.
fn reached(case: &Case) -> Vec<Formula> {
    let mut goals = vec![goal_of(&case.net, case.net.initial().as_slice())];
    for place in 0..case.target.len() {
        for near in [case.target[place].saturating_add(1), case.target[place].saturating_sub(1)] {
            let mut target = case.target.clone();
            target[place] = near;
            if goals.len() < 3 && reaches(&case.net, &target, 300) == Some(true) {
                goals.push(goal_of(&case.net, &target));
            }
        }
    }
    goals
}

/// Changes evidence in several ways, and puts it before the checker for the marking that it is about, and for others
/// that can be reached, of which nothing may be accepted. Says what is wrong, and gives what was accepted.
pub fn ask(case: &Case, evidence: &Evidence, mutants: usize, draw: &mut SplitMix64, tally: &mut Tally) -> Result<Vec<Evidence>, String> {
    let mut accepted = Vec::new();
    let name = kind(evidence);
    let known = reaches(&case.net, &case.target, 2_000);
    let reached = reached(case);
    let Ok(written) = serde_json::to_value(evidence) else { return Err("evidence cannot be written".to_owned()) };
    let is_accepted =
        |goal: &Formula, evidence: &Evidence| check(&case.net, goal, Claim::Unreachable, evidence, &mut Budget::ticks(5_000_000)).is_ok();
    for _ in 0..mutants {
        let mut mutant = written.clone();
        changed(draw, &mut mutant);
        if mutant == written {
            continue;
        }
        let Ok(mutant) = serde_json::from_value::<Evidence>(mutant) else {
            tally.count(format!("{name}, not read"));
            continue;
        };
        if reached.iter().any(|goal| is_accepted(goal, &mutant)) {
            return Err(format!("{}: accepted for what can be reached: {mutant:?} of {:?}", case.told, case.net));
        }
        let word = match (is_accepted(&case.goal, &mutant), known) {
            (false, _) => "refused",
            (true, Some(true)) => return Err(format!("{}: accepted, but it is reached: {mutant:?} of {:?}", case.told, case.net)),
            (true, Some(false)) => "accepted, and so by trying everything",
            (true, None) => "accepted, and trying everything does not tell",
        };
        tally.count(format!("{name}, {word}"));
        if word != "refused" {
            accepted.push(mutant);
        }
    }
    Ok(accepted)
}
