//! Scripts with an entry that may not be there.
//!
//! A script that is accepted is cut somewhere, and an entry is put there that
//! fits the system at that place but for one condition.

use serde_json::{Value, json};
use serval_budget::Budget;
use serval_engine::flow::{FlowOutcome, prove};
use serval_engine::reduce::{Reduction, Rule, reduce};

use serval_model::{Node, NormalForm};
use serval_proof::flow::FlowProof;
use serval_proof::script::{Entry, Reduced};
use serval_proof::{Body, Certificate, Claim, Part};

use super::first_missing;
use crate::requests::hostile::draw::Draw;
use crate::requests::hostile::found::{any_order, verified, written};
use crate::requests::hostile::pool::Pool;
use crate::requests::reductions::offers;

/// How many entries are made until one misses the condition.
const ENTRIES: usize = 24;
/// At how many places of scripts that is tried.
const PLACES: usize = 6;
/// How often it is looked for what would follow from an entry.
const BEYOND: usize = 6;
/// Ticks for that.
const TICKS: u64 = 100_000;
/// The largest normal form for which that is tried, in steps.
const STEPS: usize = 40;

pub(super) fn attack(condition: &str, pool: &Pool, draw: &mut Draw) -> Option<(usize, Value)> {
    if draw.chance(50)
        && let Some(found) = first_missing(condition, pool, (0..BEYOND).filter_map(|_| beyond(condition, pool, draw)))
    {
        return Some(found);
    }
    first_missing(condition, pool, (0..PLACES).filter_map(|_| at_some_place(condition, pool, draw)))
}

/// What could be proved of an input that is not serializable if an entry were
/// allowed that is not.
fn beyond(condition: &str, pool: &Pool, draw: &mut Draw) -> Option<(usize, Value)> {
    let target = *draw.pick(pool.single(Claim::NotSerializable))?;
    let (form, _) = NormalForm::new(pool.targets[target].systems.first()?)?;
    // Numbers that are not there cannot be used at all.
    if form.steps().len() > STEPS || condition == "script.numbers" {
        return None;
    }
    let mut reduction = if draw.chance(50) { any_order(&form, draw) } else { Reduction::new(form) };
    if condition != "atomic.steps" {
        let entry = read(&entry(condition, &reduction.reduced, draw)?)?;
        reduction.reduced.apply(&entry, &mut Budget::ticks(TICKS)).ok()?;
        reduction.script.push(entry);
    }
    reduce(&mut reduction, &mut Budget::ticks(TICKS)).ok()?;
    let part = if reduction.form().is_atomic() || condition == "atomic.steps" {
        Part::Atomic(reduction.script)
    } else {
        let Ok(FlowOutcome::Proof(proof)) = prove(reduction.form(), &mut Budget::ticks(TICKS)) else { return None };
        Part::Flow(Box::new(FlowProof { script: reduction.script, ..proof }))
    };
    Some((target, written(part)?))
}

/// An entry as the checker reads it.
fn read(entry: &Value) -> Option<Entry> {
    let text =
        json!({"format": "serval-certificate", "version": 1, "input": "", "kind": "atomic", "claim": "serializable", "script": [entry]});
    match Certificate::from_json(&text.to_string()).ok()?.body {
        Body::Part(Part::Atomic(script)) => script.into_iter().next(),
        _ => None,
    }
}

fn at_some_place(condition: &str, pool: &Pool, draw: &mut Draw) -> Option<(usize, Value)> {
    let sample = pool.sample(draw.pick(&["atomic", "flow"])?, draw)?;
    let original = sample.value.clone()?;
    let target = &pool.targets[sample.target];
    let certificate = Certificate::from_json(&sample.text).ok()?;
    let script: &[Entry] = match &certificate.body {
        Body::Part(Part::Atomic(script)) => script,
        Body::Part(Part::Flow(proof)) => &proof.script,
        _ => return None,
    };
    if condition == "atomic.steps" {
        let mut value = original;
        value["kind"] = "atomic".into();
        let fields = value.as_object_mut()?;
        fields.retain(|field, _| !["phases", "facts", "tree"].contains(&field.as_str()));
        fields.get_mut("script")?.as_array_mut()?.truncate(draw.below(script.len()));
        return Some((sample.target, value));
    }
    let at = draw.below(script.len() + 1);
    let (form, _) = NormalForm::new(target.systems.first()?)?;
    let reduced = verified(form, &script[..at])?;
    let made = (0..ENTRIES).filter_map(|_| {
        let entry = entry(condition, &reduced, draw)?;
        let mut value = original.clone();
        value["script"].as_array_mut()?.insert(at, entry);
        Some((sample.target, value))
    });
    first_missing(condition, pool, made)
}

/// What there is at a place of a script.
struct There<'a> {
    form: &'a NormalForm,
    initial: Vec<Node>,
    inner: Vec<Node>,
    done: Vec<Node>,
    open: Vec<Node>,
}

impl<'a> There<'a> {
    fn new(form: &'a NormalForm) -> Self {
        let of = |fits: &dyn Fn(Node) -> bool| form.node_numbers().filter(|&node| fits(node)).collect::<Vec<Node>>();
        Self {
            form,
            initial: of(&|node| form.is_initial(node)),
            inner: of(&|node| !form.is_initial(node) && !form.is_done(node)),
            done: of(&|node| form.is_done(node)),
            open: of(&|node| !form.is_done(node)),
        }
    }

    fn globals(&self) -> Vec<u32> {
        (0..self.form.global_count()).collect()
    }

    /// The number of a step.
    fn step(&self, draw: &mut Draw) -> usize {
        draw.below(self.form.steps().len())
    }
}

/// An entry that should miss the condition.
fn entry(condition: &str, reduced: &Reduced, draw: &mut Draw) -> Option<Value> {
    let form = reduced.form();
    let there = There::new(form);
    let any_node = |draw: &mut Draw| draw.below(form.nodes().len());
    Some(match condition {
        "split.initial" => {
            let others: Vec<Node> = there.inner.iter().chain(&there.done).copied().collect();
            json!({"split": draw.pick(&others)?})
        }
        "track.inner" => {
            let others: Vec<Node> = there.initial.iter().chain(&there.done).copied().collect();
            json!({"track": {"groups": [[draw.pick(&others)?]], "most": 1 + draw.below(2)}})
        }
        "track.most" => json!({"track": {"groups": [[draw.pick(&there.inner)?]], "most": 0}}),
        "fold.initial" => {
            let others: Vec<Node> = there.initial.iter().chain(&there.done).copied().collect();
            json!({"fold": [[draw.pick(&others)?, any_node(draw)]]})
        }
        "fold.present" => json!({"fold": [[draw.pick(&there.inner)?, any_node(draw)]]}),
        "relation.nodes" => {
            let pair = if draw.chance(60) {
                [*draw.pick(&there.open)?, *draw.pick(&there.done)?]
            } else {
                [*draw.pick(&there.open)?, *draw.pick(&there.open)?]
            };
            with_pair(draw, reduced, &["locals", "closure", "dominated"], pair)?
        }
        "relation.weak" => {
            let pair = [*draw.pick(&there.open)?, *draw.pick(&there.open)?];
            with_pair(draw, reduced, &["locals", "closure"], pair)?
        }
        "relation.strong" => {
            let pair = [*draw.pick(&there.open)?, *draw.pick(&there.open)?];
            with_pair(draw, reduced, &["dominated"], pair)?
        }
        "relation.global.weak" | "relation.global.strong" => {
            let globals = there.globals();
            let pair = [*draw.pick(&globals)?, *draw.pick(&globals)?];
            with_pair(draw, reduced, &[if condition.ends_with("weak") { "globals" } else { "dominated globals" }], pair)?
        }
        "quotient.disjoint" => {
            let mut entry = drawn(reduced, if draw.chance(50) { Rule::LocalQuotient } else { Rule::GlobalQuotient }, draw)
                .unwrap_or_else(|| json!({"locals": {"relation": [], "classes": [[there.open.first()]]}}));
            let classes = quotient(&mut entry)?.get_mut("classes")?.as_array_mut()?;
            let at = draw.below(classes.len());
            if draw.chance(50) {
                classes.push(classes[at].clone());
            } else {
                let member = draw.element(&classes[at])?.clone();
                classes[at].as_array_mut()?.push(member);
            }
            entry
        }
        "quotient.classes" => {
            let mut entry = drawn(reduced, if draw.chance(50) { Rule::LocalQuotient } else { Rule::GlobalQuotient }, draw)
                .unwrap_or_else(|| json!({"locals": {"relation": [], "classes": [[draw.pick(&there.open), draw.pick(&there.open)]]}}));
            let relation = quotient(&mut entry)?.get_mut("relation")?.as_array_mut()?;
            // A relation of fewer pairs; without any, every class is too large.
            if draw.chance(70) {
                relation.clear();
            } else if !relation.is_empty() {
                relation.remove(draw.below(relation.len()));
            }
            entry
        }
        "dominated.kept" => {
            let (one, other) = (there.step(draw), there.step(draw));
            let drops = if draw.chance(50) { json!([[one, other], [other, one]]) } else { json!([[one, one]]) };
            json!({"dominated": {"locals": [], "globals": [], "drops": drops}})
        }
        "dominated.better" => {
            let mut entry = drawn(reduced, Rule::Dominated, draw).filter(|_| draw.chance(50));
            if let Some(entry) = &mut entry {
                let drops = entry.get_mut("dominated")?.get_mut("drops")?.as_array_mut()?;
                drops.push(json!([there.step(draw), there.step(draw)]));
            }
            entry.unwrap_or_else(|| json!({"dominated": {"locals": [], "globals": [], "drops": [[there.step(draw), there.step(draw)]]}}))
        }
        "mover.ends" => {
            let (side, ends) = if draw.chance(50) { ("right", &there.done) } else { ("left", &there.initial) };
            let rule = if side == "right" { Rule::Right } else { Rule::Left };
            let mut entry = drawn(reduced, rule, draw).unwrap_or_else(|| json!({side: {"points": [], "witnesses": []}}));
            entry.get_mut(side)?.get_mut("points")?.as_array_mut()?.push(json!([draw.pick(ends)?, there.globals()]));
            entry
        }
        "mover.paths" => {
            let (side, rule) = if draw.chance(50) { ("right", Rule::Right) } else { ("left", Rule::Left) };
            let mut entry = drawn(reduced, rule, draw)?;
            let witnesses = entry.get_mut(side)?.get_mut("witnesses")?.as_array_mut()?;
            if witnesses.is_empty() {
                return Some(entry);
            }
            let at = draw.below(witnesses.len());
            let point = json!([any_node(draw), draw.pick(&there.globals())?]);
            match draw.below(4) {
                0 => drop(witnesses.remove(at)),
                1 => witnesses.clear(),
                2 => witnesses[at].get_mut(2)?.as_array_mut()?.push(point),
                _ => witnesses[at].get_mut(3)?.as_array_mut()?.push(point),
            }
            entry
        }
        "mover.inner" => {
            let (side, rule) = if draw.chance(50) { ("right", Rule::Right) } else { ("left", Rule::Left) };
            let mut entry = drawn(reduced, rule, draw)?;
            let mover = entry.get_mut(side)?;
            // What the request passes through comes into the set.
            let paths = mover.get("witnesses")?.as_array()?.iter().filter_map(|witness| witness.get(3)?.as_array());
            let passed: Vec<Value> = paths.filter(|path| path.len() > 1).map(|path| path[0].clone()).collect();
            if let Some(point) = draw.pick(&passed) {
                let listed = json!([point.get(0)?, [point.get(1)?]]);
                mover.get_mut("points")?.as_array_mut()?.push(listed);
            }
            entry
        }
        _ if condition.starts_with("mover.last") => drawn(reduced, if draw.chance(50) { Rule::Right } else { Rule::Left }, draw)?,
        "script.numbers" => {
            let (nodes, globals, steps) =
                (form.nodes().len() + draw.below(3), form.global_count() as usize + draw.below(3), form.steps().len() + draw.below(3));
            match draw.below(9) {
                0 => json!({"split": nodes}),
                1 => json!({"fold": [[0, nodes]]}),
                2 => json!({"locals": {"relation": [[nodes, 0]], "classes": []}}),
                3 => json!({"locals": {"relation": [], "classes": [[nodes]]}}),
                4 => json!({"globals": {"relation": [], "classes": [[globals], []]}}),
                5 => json!({"dominated": {"locals": [], "globals": [[0, globals]], "drops": []}}),
                6 => json!({"dominated": {"locals": [], "globals": [], "drops": [[steps, 0]]}}),
                7 => json!({"closure": {"relation": [], "points": [[0, globals]]}}),
                _ => json!({"right": {"points": [], "witnesses": [[0, steps, [], [[0, 0]]]]}}),
            }
        }
        _ => return None,
    })
}

/// The object of a quotient.
fn quotient(entry: &mut Value) -> Option<&mut Value> {
    let name = if entry.get("locals").is_some() { "locals" } else { "globals" };
    entry.get_mut(name)
}

/// An entry of one of these rules with one pair more than its relation should
/// have.
fn with_pair(draw: &mut Draw, reduced: &Reduced, rules: &[&str], pair: [u32; 2]) -> Option<Value> {
    let (rule, path, empty) = match *draw.pick(rules)? {
        "locals" => (Rule::LocalQuotient, "/locals/relation", json!({"locals": {"relation": [], "classes": []}})),
        "closure" => (Rule::WaitingElimination, "/closure/relation", json!({"closure": {"relation": [], "points": []}})),
        "globals" => (Rule::GlobalQuotient, "/globals/relation", json!({"globals": {"relation": [], "classes": []}})),
        "dominated" => (Rule::Dominated, "/dominated/locals", json!({"dominated": {"locals": [], "globals": [], "drops": []}})),
        _ => (Rule::Dominated, "/dominated/globals", json!({"dominated": {"locals": [], "globals": [], "drops": []}})),
    };
    let mut entry = drawn(reduced, rule, draw).unwrap_or(empty);
    let relation = entry.pointer_mut(path)?.as_array_mut()?;
    relation.insert(draw.below(relation.len() + 1), json!(pair));
    Some(entry)
}

/// An entry drawn at random, as it is written.
fn drawn(reduced: &Reduced, rule: Rule, draw: &mut Draw) -> Option<Value> {
    let entry = offers::draw(reduced, rule, draw.source())?;
    written(Part::Atomic(vec![entry]))?.pointer("/script/0").cloned()
}
