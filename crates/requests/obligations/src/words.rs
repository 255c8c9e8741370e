//! What holds at every moment, in words.
//!
//! For each global state: what may be in flight, as far as
//! [pairs](serval_proof::script::pairs) tell, and which [equations](crate::equations)
//! hold between the numbers of requests in flight and of answers so far. All of
//! it is about runs in which every request answers; requests that can never
//! answer are named.

use std::fmt::Write;

use serval_budget::Budget;
use serval_diagnostic::counted;
use serval_model::{NetworkSystem, Node, NormalForm};
use serval_proof::script::{Entry, Reduced};

use crate::Names;
use crate::equations::Equations;

/// Global states and lines for each that are worth reading.
const STATES: usize = 24;
const LINES: usize = 8;

/// What holds at every moment, a line each, indented by what it is about.
/// Nothing where it would take too long.
pub fn in_words(system: &NetworkSystem, budget: &mut Budget) -> Vec<String> {
    let Some((form, locals)) = NormalForm::new(system) else { return Vec::new() };
    let names = Names::new(system, &form, &locals);
    let mut reduced = Reduced::new(form);
    if reduced.apply(&Entry::Pairs, budget).is_err() {
        return Vec::new();
    }
    let form = reduced.form();
    let equations = Equations::of(form);
    let mut lines = Vec::new();
    for request in system.requests() {
        let answers = form.steps().iter().any(|step| form.is_done(step.to_node) && form.nodes()[step.to_node as usize].0 == request);
        if !answers {
            lines.push(format!("request {} can never answer", system.request_name(request)));
        }
    }
    let visited: Vec<u32> = (0..form.global_count()).filter(|&global| is_visited(form, global)).collect();
    for &global in visited.iter().take(STATES) {
        lines.push(format!("while {}:", names.global(global)));
        let there = |node: Node| form.is_done(node) || reduced.pairs().is_none_or(|pairs| pairs.visits((node, global)));
        let open = form.node_numbers().filter(|&node| !form.is_done(node) && !form.steps_of(node).is_empty() && there(node));
        let (one, many): (Vec<Node>, Vec<Node>) = open.partition(|&node| !reduced.may_meet(node, node, global));
        let list = |nodes: &[Node]| nodes.iter().map(|&node| names.node(node)).collect::<Vec<_>>().join(", ");
        let mut in_flight = Vec::new();
        if !one.is_empty() {
            in_flight.push(format!("at most one at each of {}", list(&one)));
        }
        if !many.is_empty() {
            in_flight.push(format!("any number at {}", list(&many)));
        }
        let in_flight = if in_flight.is_empty() { "none".to_owned() } else { in_flight.join("; ") };
        lines.push(format!("  in flight: {in_flight}"));
        let mut equations: Vec<String> =
            equations.under(form, global, there).into_iter().map(|(terms, constant)| equation(form, &names, &terms, constant)).collect();
        // Those without answers come last from elimination and say most.
        equations.reverse();
        let more = equations.len().saturating_sub(LINES);
        lines.extend(equations.into_iter().take(LINES).map(|equation| format!("  {equation}")));
        if more > 0 {
            lines.push(format!("  and {}", counted(more, "more equation")));
        }
    }
    let more = visited.len().saturating_sub(STATES);
    if more > 0 {
        lines.push(format!("and {}", counted(more, "more global state")));
    }
    lines
}

fn is_visited(form: &NormalForm, global: u32) -> bool {
    global == form.initial_global() || form.steps().iter().any(|step| step.global == global || step.to_global == global)
}

/// Positive terms on the left, negative ones on the right.
fn equation(form: &NormalForm, names: &Names, terms: &[(Node, i128)], constant: i128) -> String {
    let (mut left, mut right) = (String::new(), String::new());
    for &(node, factor) in terms {
        let side = if factor > 0 { &mut left } else { &mut right };
        if !side.is_empty() {
            side.push_str(" + ");
        }
        if factor.abs() != 1 {
            let _ = write!(side, "{} × ", factor.abs());
        }
        let what = if form.is_done(node) { "answers" } else { "requests at" };
        let _ = write!(side, "{what} {}", names.node(node));
    }
    match (constant, right.is_empty()) {
        (_, true) => format!("{left} = {constant}"),
        (0, false) => format!("{left} = {right}"),
        (1.., false) => format!("{left} = {right} + {constant}"),
        (_, false) => format!("{left} + {} = {right}", constant.unsigned_abs()),
    }
}
