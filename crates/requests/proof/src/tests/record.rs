//! Certificates of real inputs, and thousands that are a little different: the
//! checker says of each what is on record.
//!
//! Whether the record is right is another matter: random systems and brute force
//! decide that, at length, outside of this crate. Here it is made sure that
//! nothing changes unnoticed. `SERVAL_UPDATE=1` writes the record anew.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;
use serval_budget::Cancel;
use serval_model::{NetworkSystem, SplitMix64, systems_from_json};

use crate::{Caps, Certificate, Refusal, Systems, check};

/// Changed certificates for each that is right.
const CHANGES: u64 = 70;

pub(super) fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/record")
}

/// The certificates that are right: their names, their inputs, and their text.
pub(super) fn genuine() -> impl Iterator<Item = (String, String, Vec<NetworkSystem>, String)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "cert"));
    files.sort();
    files.into_iter().map(|file| {
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let system = name.split('.').next().unwrap();
        let text = std::fs::read_to_string(directory().join(format!("{system}.json"))).unwrap();
        let systems = systems_from_json(&text).unwrap();
        (name, text, systems, std::fs::read_to_string(file).unwrap())
    })
}

/// What the checker says, in a word.
fn outcome(text: &str, systems: &[NetworkSystem], certificate: &str) -> &'static str {
    let Ok(certificate) = Certificate::from_json(certificate) else { return "format" };
    let input = Systems { text, systems: systems.iter().collect() };
    match check(&input, &certificate, &Caps { ticks: 200_000, ..Caps::default() }, &Cancel::new()) {
        Ok(()) => "valid",
        Err(Refusal::Invalid(rejection)) => rejection.condition.name(),
        Err(_) => "large",
    }
}

/// Where numbers are, and where lists are that hold something, with how many
/// lists are around them.
fn places(value: &Value, at: &str, depth: usize, numbers: &mut Vec<String>, lists: &mut Vec<(usize, String)>) {
    match value {
        Value::Number(number) if number.is_i64() && !at.ends_with("/version") => numbers.push(at.to_owned()),
        Value::Array(items) => {
            if !items.is_empty() {
                lists.push((depth, at.to_owned()));
            }
            for (index, item) in items.iter().enumerate() {
                places(item, &format!("{at}/{index}"), depth + 1, numbers, lists);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                places(field, &format!("{at}/{name}"), depth, numbers, lists);
            }
        }
        _ => {}
    }
}

fn pick(random: &mut SplitMix64, below: usize) -> usize {
    usize::try_from(random.next_u64() % u64::try_from(below.max(1)).unwrap()).unwrap()
}

/// Changes a number, or a list.
fn change(value: &mut Value, random: &mut SplitMix64) {
    let (mut numbers, mut lists) = (Vec::new(), Vec::new());
    places(value, "", 0, &mut numbers, &mut lists);
    if random.next_u64().is_multiple_of(2) {
        let Some(number) = numbers.get(pick(random, numbers.len())).and_then(|at| value.pointer_mut(at)) else { return };
        let old = number.as_i64().unwrap();
        *number = Value::from([old + 1, old - 1, -old, 0, 1, old + 2][pick(random, 6)]);
    } else {
        // Inner lists are many; the outer ones get their turn, too.
        let depth = pick(random, 4);
        lists.retain(|&(around, _)| around == depth);
        let list = lists.get(pick(random, lists.len())).and_then(|(_, at)| value.pointer_mut(at));
        let Some(Value::Array(items)) = list else { return };
        let (one, other) = (pick(random, items.len()), pick(random, items.len()));
        match pick(random, 3) {
            0 => items.swap(one, other),
            1 => drop(items.remove(one)),
            _ => items.insert(other, items[one].clone()),
        }
    }
}

#[test]
fn the_checker_says_what_is_on_record() {
    let (mut record, mut counts) = (String::new(), BTreeMap::<&str, u32>::new());
    for (number, (name, text, systems, certificate)) in genuine().enumerate() {
        assert_eq!(outcome(&text, &systems, &certificate), "valid", "{name}");
        let value: Value = serde_json::from_str(&certificate).unwrap();
        let _ = write!(record, "{name}");
        for seed in 0..CHANGES {
            let mut changed = value.clone();
            let mut random = SplitMix64::new(seed * 1_000 + u64::try_from(number).unwrap());
            for _ in 0..1 + seed % 2 {
                change(&mut changed, &mut random);
            }
            let outcome = outcome(&text, &systems, &changed.to_string());
            *counts.entry(outcome).or_default() += 1;
            let _ = write!(record, " {outcome}");
        }
        record.push('\n');
    }
    let path = directory().join("record.txt");
    if std::env::var_os("SERVAL_UPDATE").is_some() {
        std::fs::write(&path, &record).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap();
    for (now, before) in record.lines().zip(known.lines()) {
        assert_eq!(now, before, "the checker says something else than is on record");
    }
    assert_eq!(record.lines().count(), known.lines().count());
    // The record is worth something if much is on it.
    let (conditions, tried): (usize, u32) = (counts.len(), counts.values().sum());
    assert!(conditions > 30 && tried > 4_000, "{tried} certificates, {conditions} outcomes: {counts:?}");
}
