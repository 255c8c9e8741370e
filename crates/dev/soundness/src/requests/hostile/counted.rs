//! Proofs by counting from facts drawn at random.
//!
//! The facts are drawn at random, so that they meet their conditions; the
//! solver then looks for a tree. If a fact said more than is true, there would
//! be a tree for an input that is not serializable.

use serde_json::{Value, json};
use serval_arith::{Outcome, solve};
use serval_budget::Budget;
use serval_engine::reduce::Reduction;

use serval_model::{Node, NormalForm};
use serval_proof::flow::{Edge, fact_clause, flow_problem, serial_edges};
use serval_proof::{Body, Certificate, Claim, Part};

use super::draw::Draw;
use super::found::{any_order, verified, written, written_tree};
use super::pool::Pool;

/// Ticks for the solver.
const SOLVE_TICKS: u64 = 60_000;
/// The largest normal form that is counted, in steps.
const STEPS: usize = 40;

/// A proof from facts drawn at random, if the solver finds its tree. The
/// flag says whether it was asked.
pub fn attempt(pool: &Pool, draw: &mut Draw) -> (bool, Option<(usize, String)>) {
    let drawn = if draw.chance(50) { borrowed(pool, draw) } else { new(pool, draw) };
    let Some((target, reduction, facts)) = drawn else { return (false, None) };
    match proof(&pool.targets[target].print, &reduction, &facts) {
        Some(found) => (true, found.map(|text| (target, text))),
        None => (false, None),
    }
}

/// Facts drawn at random, for any target.
fn new(pool: &Pool, draw: &mut Draw) -> Option<(usize, Reduction, Facts)> {
    let wanted = if draw.chance(75) { Claim::NotSerializable } else { Claim::Serializable };
    let target = *draw.pick(pool.single(wanted))?;
    let (form, _) = NormalForm::new(pool.targets[target].systems.first()?)?;
    if form.steps().len() > STEPS {
        return None;
    }
    let reduction = if draw.chance(50) { any_order(&form, draw) } else { Reduction::new(form) };
    let phases = if draw.chance(40) { (0..reduction.form().global_count()).map(|_| draw.below(3)).collect() } else { Vec::new() };
    let count = 1 + draw.below(6);
    let facts = draw_facts(reduction.form(), count, draw)?;
    Some((target, reduction, Facts { phases: json!(phases), facts }))
}

/// The facts of a proof, and some more, for a target one edit away, which is
/// preferably not serializable.
fn borrowed(pool: &Pool, draw: &mut Draw) -> Option<(usize, Reduction, Facts)> {
    let sample = (0..20).filter_map(|_| pool.sample("flow", draw)).max_by_key(|sample| opposed(pool, sample.target).len())?;
    let (near, opposed) = (&pool.near[sample.target], opposed(pool, sample.target));
    let target = *draw.pick(if opposed.is_empty() { near } else { &opposed })?;
    let (form, _) = NormalForm::new(pool.targets[target].systems.first()?)?;
    let Body::Part(Part::Flow(proof)) = Certificate::from_json(&sample.text).ok()?.body else { return None };
    let mut reduction = Reduction::new(form.clone());
    if let Some(reduced) = verified(form, &proof.script) {
        reduction = Reduction { script: proof.script.clone(), reduced };
    }
    let form = reduction.form();
    if form.steps().len() > STEPS {
        return None;
    }
    let value = sample.value.as_ref()?;
    let edges = serial_edges(form, &mut Budget::ticks(SOLVE_TICKS)).ok()?;
    // Edges that are not there mean nothing to the solver either.
    let there = |uses: &Value| {
        uses.as_array().is_some_and(|uses| uses.iter().all(|pair| pair[0].as_u64().is_some_and(|edge| edge < edges.len() as u64)))
    };
    let fits = |fact: &&Value| match fact.get("set") {
        Some(set) => {
            there(&set["base"]) && set["periods"].as_array().is_some_and(|periods| periods.iter().all(|period| there(&period["edges"])))
        }
        None => true,
    };
    let mut facts: Vec<Value> = value["facts"].as_array()?.iter().filter(fits).cloned().collect();
    let count = draw.below(4);
    facts.extend(draw_facts(form, count, draw)?);
    let same = value["phases"].as_array().is_some_and(|phases| phases.len() == form.global_count() as usize);
    let phases = if same { value["phases"].clone() } else { json!([]) };
    Some((target, reduction, Facts { phases, facts }))
}

/// The neighbours of a serializable target that are not.
fn opposed(pool: &Pool, target: usize) -> Vec<usize> {
    pool.near[target].iter().copied().filter(|&other| pool.are_opposed(target, other)).collect()
}

/// Phases and facts as they are written.
struct Facts {
    phases: Value,
    facts: Vec<Value>,
}

/// The text of a proof; `Some(None)` if there is none.
fn proof(print: &str, reduction: &Reduction, drawn: &Facts) -> Option<Option<String>> {
    let text = json!({"format": "serval-certificate", "version": 1, "input": print, "kind": "flow", "claim": "serializable",
        "script": [], "phases": drawn.phases, "facts": drawn.facts, "tree": []});
    let Body::Part(Part::Flow(read)) = Certificate::from_json(&text.to_string()).ok()?.body else { return None };
    let form = reduction.form();
    let mut problem = flow_problem(form, &read.phases)?;
    let mut budget = Budget::ticks(SOLVE_TICKS);
    let edges = serial_edges(form, &mut budget).ok()?;
    for fact in &read.facts {
        problem.clauses.push(fact_clause(form, &edges, fact, &mut budget).ok()??);
    }
    match solve(problem, &mut budget) {
        Outcome::Refuted(tree) => {
            let mut value = text;
            value["tree"] = written_tree(tree)?;
            value["script"] = written(Part::Atomic(reduction.script.clone()))?["script"].clone();
            Some(Some(value.to_string()))
        }
        Outcome::Satisfiable(_) => Some(None),
        Outcome::Stopped(_) => None,
    }
}

/// So many facts that meet their conditions, but now and then one.
fn draw_facts(form: &NormalForm, count: usize, draw: &mut Draw) -> Option<Vec<Value>> {
    let edges = serial_edges(form, &mut Budget::ticks(SOLVE_TICKS)).ok()?;
    let mut facts = Vec::new();
    for _ in 0..count {
        let spoiled = draw.chance(10);
        let globals = |draw: &mut Draw, must: Option<u32>| -> Vec<u32> {
            (0..form.global_count()).filter(|&global| (must == Some(global) && !spoiled) || draw.chance(50)).collect()
        };
        let nodes = |draw: &mut Draw, must: &dyn Fn(Node) -> bool| -> Vec<Node> {
            form.node_numbers().filter(|&node| (must(node) && !spoiled) || draw.chance(40)).collect()
        };
        facts.push(match draw.below(6) {
            0 => json!({"forward": {"globals": globals(draw, Some(form.initial_global())), "nodes": nodes(draw, &|node| form.is_initial(node))}}),
            1 => json!({"backward": {"globals": globals(draw, None), "nodes": nodes(draw, &|node| form.is_done(node))}}),
            2 => json!({"pairs": (0..form.steps().len()).filter(|_| draw.chance(25)).collect::<Vec<_>>()}),
            _ => json!({"set": set(form, &edges, spoiled, draw)}),
        });
    }
    Some(facts)
}

/// A walk, a few round trips from where it came by, and anything for how often
/// they are made.
fn set(form: &NormalForm, edges: &[Edge], spoiled: bool, draw: &mut Draw) -> Value {
    let length = draw.below(4);
    let (mut base, mut visited) = walk(edges, form.initial_global(), length, draw);
    if spoiled {
        // A walk from elsewhere, or round trips elsewhere.
        if draw.chance(50) {
            base = walk(edges, u32::try_from(draw.below(form.global_count() as usize)).unwrap_or(0), 1 + length, draw).0;
        }
        visited = (0..form.global_count()).collect();
    }
    let done: Vec<Node> = form.node_numbers().filter(|&node| form.is_done(node)).collect();
    let mut periods = Vec::new();
    for _ in 0..draw.below(3) {
        let Some(&from) = draw.pick(&visited) else { continue };
        let Some(mut round) = round_trip(edges, from, draw) else { continue };
        if spoiled && draw.chance(50) {
            // It does not come back.
            round.pop();
        }
        // Mostly how often an answer comes that only this round trip gives.
        let chosen: Vec<Node> = done.iter().copied().filter(|_| draw.chance(40)).collect();
        let terms: Vec<(Node, i64)> = chosen.into_iter().map(|node| (node, [1, 1, 1, -1, 2][draw.below(5)])).collect();
        let (divisor, constant) = ([1, 1, 1, 2, 3][draw.below(5)], [0, 0, 0, -1, 1, -2][draw.below(6)]);
        periods.push(json!({"edges": uses(&round), "divisor": divisor, "constant": constant, "terms": terms}));
    }
    json!({"base": uses(&base), "periods": periods})
}

/// Edges one after the other, and the global states on the way.
fn walk(edges: &[Edge], from: u32, length: usize, draw: &mut Draw) -> (Vec<usize>, Vec<u32>) {
    let (mut used, mut visited) = (Vec::new(), vec![from]);
    let mut at = from;
    for _ in 0..length {
        let next: Vec<usize> = (0..edges.len()).filter(|&edge| edges[edge].0 == at).collect();
        let Some(&edge) = draw.pick(&next) else { break };
        at = edges[edge].2;
        used.push(edge);
        visited.push(at);
    }
    (used, visited)
}

/// A walk that comes back, if luck will have it.
fn round_trip(edges: &[Edge], from: u32, draw: &mut Draw) -> Option<Vec<usize>> {
    (0..8).find_map(|_| {
        let length = 1 + draw.below(3);
        let (used, visited) = walk(edges, from, length, draw);
        (!used.is_empty() && visited.last() == Some(&from)).then_some(used)
    })
}

/// How often each edge is used, sorted.
fn uses(walk: &[usize]) -> Vec<(usize, usize)> {
    let mut sorted = walk.to_vec();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect()
}
