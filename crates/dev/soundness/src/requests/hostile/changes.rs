//! Changes that know nothing of what a certificate means.

use serde_json::Value;

use super::draw::Draw;
use super::pool::Pool;

/// Changes a certificate a little; the result may be the same again.
pub fn change(value: &mut Value, pool: &Pool, draw: &mut Draw) {
    for _ in 0..1 + draw.below(3) {
        match draw.below(12) {
            0 => header(value, draw),
            1..=3 => transplant(value, pool, draw),
            _ => somewhere(value, draw),
        }
    }
}

/// Another claim, kind or component.
fn header(value: &mut Value, draw: &mut Draw) {
    let (field, new): (&str, Value) = match draw.below(6) {
        0 => ("claim", if value["claim"] == "serializable" { "not-serializable" } else { "serializable" }.into()),
        1 => ("claim", (*draw.pick(&["strict", "not-strict", "safe", "fault", "serializable"]).unwrap_or(&"strict")).into()),
        2 => ("kind", if value["kind"] == "atomic" { "flow" } else { "atomic" }.into()),
        3 => (
            "kind",
            (*draw.pick(&["run", "components", "flow", "letters", "cases", "reduction", "points", "other"]).unwrap_or(&"run")).into(),
        ),
        _ => ("component", draw.below(3).into()),
    };
    // A field that is not there is an error of the format, which others try.
    if let Some(there) = value.get_mut(field) {
        *there = new;
    }
}

/// The fields that hold the evidence.
const FIELDS: &[&str] = &[
    "script",
    "phases",
    "facts",
    "known",
    "levels",
    "classes",
    "regions",
    "tree",
    "steps",
    "completed",
    "parts",
    "clauses",
    "sets",
    "kept",
    "ends",
    "reduction",
    "states",
    "places",
    "proof",
    "touches",
    "closed",
];

/// Takes a field, or an element of one, from another certificate.
fn transplant(value: &mut Value, pool: &Pool, draw: &mut Draw) {
    let mut bodies = bodies(value);
    let which = draw.below(bodies.len());
    let Some(body) = bodies.get_mut(which) else { return };
    let there: Vec<&str> = FIELDS.iter().copied().filter(|field| body.get(field).is_some()).collect();
    let Some(&field) = draw.pick(&there) else { return };
    let Some(donor) = pool.any_with(field, draw) else { return };
    let Some(mine) = body.get_mut(field) else { return };
    if draw.chance(30) {
        *mine = donor;
        return;
    }
    let (Some(element), Some(mine)) = (draw.element(&donor).cloned(), mine.as_array_mut()) else { return };
    let at = draw.below(mine.len() + 1);
    match mine.get_mut(at) {
        Some(old) if draw.chance(50) => *old = element,
        _ => mine.insert(at, element),
    }
}

/// The objects with evidence: the certificate itself, or its parts.
fn bodies(value: &mut Value) -> Vec<&mut Value> {
    if value["kind"] == "components" {
        value.get_mut("parts").and_then(Value::as_array_mut).into_iter().flatten().collect()
    } else {
        vec![value]
    }
}

/// Changes something anywhere but in the header.
fn somewhere(value: &mut Value, draw: &mut Draw) {
    let names = strings(value);
    let fields: Vec<&str> = FIELDS.iter().copied().filter(|field| value.get(field).is_some()).collect();
    let Some(&field) = draw.pick(&fields) else { return };
    let Some(evidence) = value.get_mut(field) else { return };
    let mut number = draw.below(count(evidence));
    let Some(chosen) = nth(evidence, &mut number) else { return };
    change_one(chosen, &names, draw);
}

fn change_one(chosen: &mut Value, names: &[String], draw: &mut Draw) {
    match chosen {
        Value::Number(number) => {
            let old = number.as_i64().unwrap_or(0);
            let new = match draw.below(8) {
                0..=2 => old.saturating_add(1),
                3..=5 => old.saturating_sub(1),
                6 => i64::try_from(draw.below(8)).unwrap_or(0),
                _ => -old,
            };
            *chosen = new.into();
        }
        Value::String(name) => {
            if let Some(other) = draw.pick(names) {
                other.clone_into(name);
            }
        }
        Value::Array(elements) if !elements.is_empty() => {
            let (one, other) = (draw.below(elements.len()), draw.below(elements.len()));
            match draw.below(5) {
                0 => drop(elements.remove(one)),
                1 => elements.insert(other, elements[one].clone()),
                2 => elements.swap(one, other),
                3 => elements[one] = elements[other].clone(),
                _ => elements.truncate(one),
            }
        }
        Value::Object(fields) => {
            // The same values under other names.
            let keys: Vec<String> = fields.keys().cloned().collect();
            if let (Some(one), Some(other)) = (draw.pick(&keys).cloned(), draw.pick(&keys).cloned()) {
                let (a, b) = (fields[&one].clone(), fields[&other].clone());
                fields[&one] = b;
                fields[&other] = a;
            }
        }
        _ => {}
    }
}

/// How many values there are in a value, itself included.
fn count(value: &Value) -> usize {
    match value {
        Value::Array(elements) => 1 + elements.iter().map(count).sum::<usize>(),
        Value::Object(fields) => 1 + fields.values().map(count).sum::<usize>(),
        _ => 1,
    }
}

/// The value with this number; what is left of the number otherwise.
fn nth<'a>(value: &'a mut Value, number: &mut usize) -> Option<&'a mut Value> {
    if *number == 0 {
        return Some(value);
    }
    *number -= 1;
    match value {
        Value::Array(elements) => elements.iter_mut().find_map(|element| nth(element, number)),
        Value::Object(fields) => fields.values_mut().find_map(|field| nth(field, number)),
        _ => None,
    }
}

/// All names that occur, without those of kinds of events.
fn strings(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut to_visit = vec![value];
    while let Some(value) = to_visit.pop() {
        match value {
            Value::String(name) => found.push(name.clone()),
            Value::Array(elements) => to_visit.extend(elements),
            Value::Object(fields) => {
                to_visit.extend(fields.iter().filter(|(key, _)| *key != "format" && *key != "input").map(|(_, value)| value))
            }
            _ => {}
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Changes one digit of a text, where numbers do not fit a tree.
pub fn change_digit(text: &mut String, draw: &mut Draw) {
    let from = text.find("\"script\"").unwrap_or(0);
    let digits: Vec<usize> = text.char_indices().filter(|&(at, letter)| at > from && letter.is_ascii_digit()).map(|(at, _)| at).collect();
    if let Some(&at) = draw.pick(&digits) {
        let new = draw.below(10).to_string();
        text.replace_range(at..=at, &new);
    }
}
