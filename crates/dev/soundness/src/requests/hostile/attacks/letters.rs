//! Proofs over numbers of answers that miss something.

use serde_json::{Value, json};

use super::first_missing;
use crate::requests::hostile::draw::Draw;
use crate::requests::hostile::pool::Pool;

/// How many are made of one proof until one misses the condition.
const TRIES: usize = 12;
/// With how many proofs that is tried.
const SAMPLES: usize = 6;
/// A number that no state, edge or letter has.
const FAR: usize = 1_000_000;

pub(super) fn attack(condition: &str, pool: &Pool, draw: &mut Draw) -> Option<(usize, Value)> {
    first_missing(condition, pool, (0..SAMPLES).filter_map(|_| with_some_proof(condition, pool, draw)))
}

fn with_some_proof(condition: &str, pool: &Pool, draw: &mut Draw) -> Option<(usize, Value)> {
    let sample = pool.sample("letters", draw)?;
    let made = (0..TRIES).filter_map(|_| {
        let mut value = sample.value.clone()?;
        spoil(condition, &mut value, draw)?;
        Some(value)
    });
    let changed = made.filter(|value| Some(value) != sample.value.as_ref());
    first_missing(condition, pool, changed.map(|value| (sample.target, value)))
}

fn spoil(condition: &str, value: &mut Value, draw: &mut Draw) -> Option<()> {
    let (removed, kept) = (removed_letters(value), kept_letters(value));
    match condition {
        "letters.numbers" => numbers(value, draw),
        "letters.free" => {
            if draw.chance(50) {
                let guarded = guarded_loops(value);
                let &(level, at) = draw.pick(&guarded)?;
                value["levels"][level]["loops"][at].as_object_mut()?.remove("guard");
                return Some(());
            }
            let letter = *draw.pick(&kept)?;
            forget(value, letter);
            some_of(value, "levels", draw)?["loops"].as_array_mut()?.push(json!({"letter": letter}));
            Some(())
        }
        "letters.guard" => {
            let guarded = guarded_loops(value);
            let guard = if draw.chance(30) { FAR } else { draw.below(list(value, "known").len() + 1) };
            if let (Some(&(level, at)), true) = (draw.pick(&guarded), draw.chance(50)) {
                value["levels"][level]["loops"][at]["guard"] = guard.into();
                return Some(());
            }
            let from = if draw.chance(50) { &kept } else { &removed };
            let letter = *draw.pick(from)?;
            forget(value, letter);
            let level = some_of(value, "levels", draw)?;
            let loops = level["loops"].as_array_mut()?;
            loops.retain(|removal| removal["letter"] != letter);
            loops.push(json!({"letter": letter, "guard": guard}));
            Some(())
        }
        "letters.kept" => widen_guard(value, &removed, draw),
        "letters.touch" => widen_guard(value, &kept, draw),
        "letters.start" => {
            let level = some_of(value, "levels", draw)?;
            if draw.chance(40) {
                let states = usize::try_from(level["automaton"]["states"].as_u64()?).ok()?;
                level["automaton"]["start"] = draw.below(states).into();
            } else {
                drop_one(&mut level["relation"], draw)?;
            }
            Some(())
        }
        "letters.relation" => {
            let level = some_of(value, "levels", draw)?;
            if draw.chance(40) {
                return drop_one(&mut level["relation"], draw);
            }
            let states = usize::try_from(level["automaton"]["states"].as_u64()?).ok()?;
            let letters = [removed, kept].concat();
            let edge = [draw.below(states) as u64, *draw.pick(&letters)?, draw.below(states) as u64];
            let edges = &mut level["automaton"]["edges"];
            let mut all: Vec<[u64; 3]> = serde_json::from_value(edges.clone()).ok()?;
            all.push(edge);
            all.sort_unstable();
            all.dedup();
            *edges = json!(all);
            Some(())
        }
        "letters.classes" => classes(value, &removed, draw),
        "letters.twins" => {
            let classes = value["classes"].as_array_mut().filter(|classes| classes.len() > 1)?;
            let mut one = classes.remove(draw.below(classes.len()));
            let other = draw.below(classes.len());
            classes.get_mut(other)?.as_array_mut()?.append(one.as_array_mut()?);
            Some(())
        }
        "letters.reach" => absence("reach", value, &[removed, kept].concat(), draw),
        "letters.pairs" => absence("pairs", value, &[removed, kept].concat(), draw),
        "letters.apart" => {
            let letter = *draw.pick(&[removed, kept].concat())?;
            let set = json!({"letters": [letter], "times": draw.below(3)});
            let (exactly, never) = if draw.chance(50) { (json!([set]), json!([letter])) } else { (json!([set, set]), json!([])) };
            let fact = json!({"outside": [], "exactly": exactly, "never": never});
            let how = if draw.chance(50) { "reach" } else { "pairs" };
            value["known"].as_array_mut()?.push(json!({how: fact}));
            Some(())
        }
        "letters.groups" | "letters.diamond" | "letters.visits" => groups(condition, value, &removed, &kept, draw),
        _ => region(condition, value, draw),
    }
}

/// Groups that are none, beside those that there are or in their place.
fn groups(condition: &str, value: &mut Value, removed: &[u64], kept: &[u64], draw: &mut Draw) -> Option<()> {
    let group = |letters: &[u64]| json!({"letters": letters, "steps": 0, "levels": [], "classes": [letters], "regions": [], "tree": []});
    let letter = *draw.pick(kept).or(draw.pick(removed))?;
    let groups = match condition {
        "letters.groups" => json!({"visits": [], "each": [group(&[letter]), group(&[letter])]}),
        "letters.diamond" => json!({"visits": [], "each": [group(&[letter])]}),
        _ => json!({"visits": [{"letter": letter, "guards": []}], "each": []}),
    };
    match value.get_mut("groups") {
        // Their letters are those of no request, and a walk that makes no steps need not visit anything.
        Some(there) if draw.chance(50) => match condition {
            "letters.visits" => there["each"].as_array_mut()?.iter_mut().for_each(|group| group["steps"] = json!(0)),
            _ => there["each"].as_array_mut()?.push(group(&[letter])),
        },
        _ => value["groups"] = groups,
    }
    Some(())
}

/// Numbers that mean nothing, or lists out of order.
fn numbers(value: &mut Value, draw: &mut Draw) -> Option<()> {
    let far = FAR + draw.below(9);
    match draw.below(6) {
        0 => some_of(value, "levels", draw)?["loops"].as_array_mut()?.push(json!({"letter": if draw.chance(50) { 0 } else { far }})),
        1 => some_of(value, "levels", draw)?["automaton"]["start"] = far.into(),
        2 => some_of(value, "levels", draw)?["relation"].as_array_mut()?.push(json!([0, far])),
        3 => some_of(value, "levels", draw)?["automaton"]["edges"].as_array_mut()?.reverse(),
        4 => value["classes"].as_array_mut()?.push(if draw.chance(50) { json!([]) } else { json!([far]) }),
        _ => {
            let never = if draw.chance(50) { json!([far]) } else { json!([2, 1]) };
            value["known"].as_array_mut()?.push(json!({"reach": {"outside": [], "never": never}}));
        }
    }
    Some(())
}

/// A letter in no class, in two, or in one and removed.
fn classes(value: &mut Value, removed: &[u64], draw: &mut Draw) -> Option<()> {
    let classes = value["classes"].as_array_mut()?;
    if let (Some(&letter), true) = (draw.pick(removed), draw.chance(40)) {
        classes.push(json!([letter]));
        return Some(());
    }
    let (one, other) = (draw.below(classes.len()), draw.below(classes.len()));
    if draw.chance(50) {
        classes.get(one)?;
        classes.remove(one);
    } else {
        let twice = classes.get(one)?.as_array()?.first()?.clone();
        classes.get_mut(other)?.as_array_mut()?.push(twice);
    }
    Some(())
}

/// Says of some letters that they are not answered without fewer others.
fn absence(how: &str, value: &mut Value, letters: &[u64], draw: &mut Draw) -> Option<()> {
    let facts = value["known"].as_array_mut()?;
    let there: Vec<usize> = (0..facts.len()).filter(|&fact| facts[fact].get(how).is_some()).collect();
    if let (Some(&fact), true) = (draw.pick(&there), draw.chance(70)) {
        let fact = &mut facts[fact][how];
        if draw.chance(60) {
            return drop_one(&mut fact["outside"], draw);
        }
        return insert(&mut fact["never"], *draw.pick(letters)?);
    }
    let mut some = |percent: u64| {
        let mut some: Vec<u64> = letters.iter().copied().filter(|_| draw.chance(percent)).collect();
        some.sort_unstable();
        some
    };
    let (outside, never) = (some(30), some(40));
    facts.push(json!({how: {"outside": outside, "never": never}}));
    Some(())
}

/// One more letter beside which another can be answered: what the guard says
/// stays true.
fn widen_guard(value: &mut Value, letters: &[u64], draw: &mut Draw) -> Option<()> {
    let guarded = guarded_loops(value);
    let &(level, at) = draw.pick(&guarded)?;
    let guard = usize::try_from(value["levels"][level]["loops"][at]["guard"].as_u64()?).ok()?;
    let fact = value["known"].get_mut(guard)?;
    let how = if fact.get("reach").is_some() { "reach" } else { "pairs" };
    insert(fact.get_mut(how)?.get_mut("outside")?, *draw.pick(letters)?)
}

fn region(condition: &str, value: &mut Value, draw: &mut Draw) -> Option<()> {
    let classes = list(value, "classes").len();
    let region = some_of(value, "regions", draw)?;
    let flows = region["flows"].as_array()?.len();
    match condition {
        "letters.region.numbers" => match draw.below(6) {
            0 => region["last"] = FAR.into(),
            1 => region["tree"].as_array_mut()?.push(json!([0, FAR])),
            2 => region["flows"].as_array_mut()?.reverse(),
            3 => some_of(region, "flows", draw)?["divisor"] = 0.into(),
            4 => some_of(region, "flows", draw)?["terms"] = json!([[draw.below(classes), 0]]),
            _ => {
                let edge = if draw.chance(50) { FAR } else { draw.below(flows) };
                region["flows"].as_array_mut()?.push(json!({"edge": edge, "divisor": 1, "constant": 0, "terms": []}));
            }
        },
        "letters.region.tree" => {
            let tree = region["tree"].as_array_mut()?;
            match draw.below(3) {
                0 => tree.push(json!([draw.below(3), 0])),
                1 if tree.len() > 1 => tree.reverse(),
                _ => {
                    let twice = draw.pick(tree)?.clone();
                    tree.push(twice);
                }
            }
        }
        "letters.region.spans" => {
            if draw.chance(50) {
                region["tree"].as_array_mut()?.pop()?;
            } else {
                let edge = region["flows"].as_array()?.last().and_then(|flow| flow["edge"].as_u64()).map_or(0, |edge| edge + 1);
                region["flows"].as_array_mut()?.push(json!({"edge": edge, "divisor": 1, "constant": 0, "terms": []}));
            }
        }
        _ => return None,
    }
    Some(())
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().map_or(&[], Vec::as_slice)
}

/// An element of the list in a field.
fn some_of<'a>(value: &'a mut Value, field: &str, draw: &mut Draw) -> Option<&'a mut Value> {
    let elements = value.get_mut(field)?.as_array_mut()?;
    let at = draw.below(elements.len());
    elements.get_mut(at)
}

fn drop_one(list: &mut Value, draw: &mut Draw) -> Option<()> {
    let elements = list.as_array_mut().filter(|elements| !elements.is_empty())?;
    elements.remove(draw.below(elements.len()));
    Some(())
}

/// Inserts a number into a sorted list.
fn insert(list: &mut Value, number: u64) -> Option<()> {
    let mut numbers: Vec<u64> = serde_json::from_value(list.clone()).ok()?;
    let at = numbers.binary_search(&number).err()?;
    numbers.insert(at, number);
    *list = json!(numbers);
    Some(())
}

fn removed_letters(value: &Value) -> Vec<u64> {
    list(value, "levels").iter().flat_map(|level| list(level, "loops")).filter_map(|removal| removal["letter"].as_u64()).collect()
}

fn kept_letters(value: &Value) -> Vec<u64> {
    list(value, "classes").iter().filter_map(Value::as_array).flatten().filter_map(Value::as_u64).collect()
}

/// Levels and places of letters that are removed with a guard.
fn guarded_loops(value: &Value) -> Vec<(usize, usize)> {
    let loops = |level: &Value| list(level, "loops").to_vec();
    let levels = list(value, "levels").iter().enumerate();
    let all = levels.flat_map(|(number, level)| loops(level).into_iter().enumerate().map(move |(at, removal)| (number, at, removal)));
    all.filter(|(.., removal)| removal.get("guard").is_some()).map(|(number, at, _)| (number, at)).collect()
}

/// Takes a letter out of its class, and the class away if nothing is left.
fn forget(value: &mut Value, letter: u64) {
    if let Some(classes) = value["classes"].as_array_mut() {
        classes.iter_mut().filter_map(Value::as_array_mut).for_each(|class| class.retain(|other| *other != letter));
        classes.retain(|class| class.as_array().is_none_or(|class| !class.is_empty()));
    }
}
