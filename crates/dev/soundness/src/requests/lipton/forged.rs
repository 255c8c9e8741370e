//! Certificates that lie.
//!
//! The certificate of a program is changed, or handed in for a program one
//! edit away; what is accepted must be true. It is known not to be where the
//! program is refuted or has an error.

use serde_json::Value;
use serval_budget::Cancel;
use serval_model::SplitMix64;
use serval_proof::{Certificate, fingerprint};
use serval_syntax::analyze;
use serval_verify::{Caps, InputKind, Outcome, verify};

use super::Tally;
use super::judge::{Judgement, judge};
use crate::requests::edits;

/// Changed certificates for each program.
const CHANGES: usize = 6;
/// Programs one edit away.
const EDITS: usize = 4;
/// Certificates for each of them: the one of the program before, and changes of it.
const HANDED: usize = 3;
/// So often is a certificate changed before it is one that can be read.
const TRIES: usize = 8;

/// Forges certificates from that of a program; an error is a lie that was
/// accepted. The number of forged certificates is counted.
pub fn try_forged(text: &str, certificate: &str, random: &mut SplitMix64, tally: &mut Tally) -> Result<u64, String> {
    let Ok(genuine) = serde_json::from_str::<Value>(certificate) else { return Err("the certificate is no JSON".to_owned()) };
    let mut forged = 0;
    // The program is serializable: what is accepted is another proof of it.
    for _ in 0..CHANGES {
        let changed = readable(&genuine, random);
        if changed != genuine {
            forged += 1;
            let _ = accepted(text, &changed, tally);
        }
    }
    for edited in edits::of(text, EDITS, random) {
        let Some(program) = analyze(&edited).program else { continue };
        let mut handed = genuine.clone();
        handed["input"] = fingerprint(&edited).into();
        let mut believed = None;
        for round in 0..HANDED {
            let handed = if round == 0 { handed.clone() } else { readable(&handed, random) };
            forged += 1;
            if accepted(&edited, &handed, tally) {
                believed = Some(handed);
            }
        }
        // Whether the program is what they say matters only if one is believed.
        let Some(lie) = believed else { continue };
        if let Judgement::Refuted(why) | Judgement::Fails(why) = judge(&program) {
            return Err(format!("a lie is accepted, though {why}:\n{edited}\n{lie}"));
        }
    }
    Ok(forged)
}

/// Whether a certificate is accepted.
fn accepted(text: &str, certificate: &Value, tally: &mut Tally) -> bool {
    let outcome = verify(text, InputKind::Program, &certificate.to_string(), &Caps::default(), &Cancel::new());
    let what = match outcome {
        Outcome::Valid(_) => "accepted, as far as is known true",
        Outcome::Invalid(_) => "refused",
        Outcome::TooLarge(_) => "too large",
        Outcome::InputError(_) => "no certificate",
        Outcome::Unclosed(_) | Outcome::Cancelled => "other",
    };
    tally.count("forged", what);
    matches!(outcome, Outcome::Valid(_))
}

/// A changed certificate that can be read, if one is soon found: what cannot be
/// read is refused before anything is checked.
fn readable(genuine: &Value, random: &mut SplitMix64) -> Value {
    let is_read = |value: &Value| value != genuine && Certificate::from_json(&value.to_string()).is_ok();
    let mut value = changed(genuine, random);
    for _ in 1..TRIES {
        if is_read(&value) {
            break;
        }
        value = changed(genuine, random);
    }
    value
}

/// A certificate after one to three changes.
fn changed(genuine: &Value, random: &mut SplitMix64) -> Value {
    let mut value = genuine.clone();
    for _ in 0..=random.index(3) {
        let places = count(&value);
        let mut at = random.index(places.max(1));
        change_at(&mut value, &mut at, random);
    }
    // It stays one about the same text, or the first condition refuses it.
    for field in ["format", "version", "input", "kind", "claim", "component"] {
        if let (Some(there), Some(was)) = (value.get_mut(field), genuine.get(field)) {
            *there = was.clone();
        }
    }
    value
}

/// How many values there are inside of a value, and itself.
fn count(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(count).sum::<usize>(),
        Value::Object(fields) => 1 + fields.values().map(count).sum::<usize>(),
        _ => 1,
    }
}

/// Changes the value with this number.
fn change_at(value: &mut Value, at: &mut usize, random: &mut SplitMix64) {
    if *at == 0 {
        return change(value, random);
    }
    *at -= 1;
    let inside: Vec<&mut Value> = match value {
        Value::Array(items) => items.iter_mut().collect(),
        Value::Object(fields) => fields.values_mut().collect(),
        _ => return,
    };
    for one in inside {
        let size = count(one);
        if *at < size {
            return change_at(one, at, random);
        }
        *at -= size;
    }
}

fn change(value: &mut Value, random: &mut SplitMix64) {
    match value {
        Value::Number(number) => {
            let old = number.as_i64().unwrap_or(0);
            let drawn = i64::try_from(random.index(5)).unwrap_or(0);
            let new = [old.saturating_add(1), old.saturating_sub(1), drawn, old.saturating_neg()];
            *value = new[random.index(new.len())].into();
        }
        Value::Array(items) if !items.is_empty() => {
            let (one, other) = (random.index(items.len()), random.index(items.len()));
            match random.index(4) {
                0 => {
                    items.remove(one);
                }
                1 => items.swap(one, other),
                2 => items[one] = items[other].clone(),
                _ => items.insert(one, items[other].clone()),
            }
        }
        Value::Array(items) => items.push(i64::try_from(random.index(6)).unwrap_or(0).into()),
        Value::Object(fields) => {
            let names: Vec<String> = fields.keys().cloned().collect();
            if names.is_empty() {
                return;
            }
            let (one, other) = (&names[random.index(names.len())], &names[random.index(names.len())]);
            match random.index(3) {
                0 => {
                    fields.remove(one);
                }
                _ => {
                    let taken = fields.get(other).cloned().unwrap_or_default();
                    fields.insert(one.clone(), taken);
                }
            }
        }
        Value::Bool(flag) => *flag = !*flag,
        Value::Null => *value = 0.into(),
        Value::String(_) => {}
    }
}
