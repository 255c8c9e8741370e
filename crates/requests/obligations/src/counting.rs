//! What a proof by counting says, as an invariant.
//!
//! A *state* is the global state `g`, how many requests are at each node
//! (`at…`), how often each step has been made (`made…`), and what has been
//! carried from phase to phase (`carried…`). Requests come in at an initial node
//! on which no step lands, a *fresh* one, at the moment of their first step;
//! a request that comes in earlier has done nothing before. So there is no `at…` for
//! fresh nodes. At other initial nodes requests come in at any time.
//!
//! The invariant says, with the numbers of [`serval_proof::flow`]:
//!
//! 1. each global state has been entered as often as left, but for the one at
//!    the beginning and the one now;
//! 2. a request that landed at a node in a phase has left it, been carried over, or is
//!    there now;
//! 3. only steps between phases carry;
//! 4. for each forward cut: while no step has led out, the global state and
//!    all requests in flight are inside, and no step was made outside.
//!
//! *Refutation*: at the end no request is in flight. With what the facts say about
//! whole runs, and if the answers are in none of the linear sets, nothing is
//! left.

use std::collections::{BTreeMap, BTreeSet};

use serval_budget::{Budget, Stopped};
use serval_linear::{Linear, Literal};
use serval_model::{Node, NodeStep, NormalForm};
use serval_proof::flow::{Edge, Fact, FlowProof, LinearSet, letters_of, serial_edges, set_clause};

use crate::inductive::{Inductive, StepChange, apply};
use crate::smtlib::{Script, SmtTerm, all, any, at_most, equal, if_holds, not, numeral, sum};
use crate::state::{GLOBAL, at, change, global_is, landed, made, made_of};
use crate::{Names, Obligation, region, together};

fn carried(node: Node, from: u32, to: u32) -> String {
    format!("carried{node}from{from}to{to}")
}

/// Everything that makes a proof by counting a proof. The script of the proof is
/// not looked at: the system is the one that it leaves.
pub(crate) fn obligations(form: &NormalForm, proof: &FlowProof, names: &Names, budget: &mut Budget) -> Result<Vec<Obligation>, Stopped> {
    let counting = Counting::new(form, proof);
    let invariant = counting.invariant(names);
    let mut made_zero: Vec<SmtTerm> = invariant.variables.iter().skip(1).map(|variable| equal(variable, "0")).collect();
    made_zero.push(global_is(form.initial_global()));
    let mut obligations = vec![invariant.initially(&made_zero)];
    for (index, &step) in form.steps().iter().enumerate() {
        budget.spend(invariant.holds.len() as u64)?;
        obligations.push(invariant.after(&counting.step(index, step, names)));
    }
    for node in form.node_numbers().filter(|&node| form.is_initial(node) && counting.is_there(node)) {
        let new = BTreeMap::from([(at(node), sum([(at(node), 1)], 1))]);
        let says = format!("a request comes in at {}", names.node(node));
        obligations.push(invariant.after(&StepChange { name: format!("arrival-{node}"), says, needs: Vec::new(), new }));
    }
    let edges = serial_edges(form, budget)?;
    let mut end = invariant.script("no run ends with answers that are not serial");
    end.assert(&apply("holds", &invariant.variables));
    for node in form.node_numbers().filter(|&node| counting.is_there(node)) {
        end.assert(&equal(&at(node), "0"));
    }
    for (index, fact) in proof.facts.iter().enumerate() {
        match fact {
            // Part of the invariant.
            Fact::Forward(_) => {}
            Fact::Backward(region) => {
                let cut = region::Backward { form, globals: &region.globals, nodes: &region.nodes };
                obligations.extend(cut.obligations(index, names));
                end.assert(&cut.clause());
            }
            Fact::Pairs(without) => {
                let rounds = together::Rounds::new(form, without, budget)?;
                obligations.extend(rounds.obligations(index, names));
                end.assert(&rounds.clause());
            }
            Fact::Set(set) => {
                // Numbers that do not fit would have been refused before.
                let Some(clause) = set_clause(form, &edges, set) else { continue };
                obligations.push(inside(form, &edges, set, &clause, index));
                assert_outside(&mut end, &clause, index);
            }
        }
    }
    obligations.push(Obligation { name: "refutation".to_owned(), text: end.finish() });
    Ok(obligations)
}

/// The answers are outside a linear set. That a number does not divide an
/// expression is said with a quotient and a remainder.
pub(crate) fn assert_outside(script: &mut Script, clause: &[Literal], index: usize) {
    let mut ways = Vec::new();
    for (number, literal) in clause.iter().enumerate() {
        ways.push(match literal {
            Literal::AtLeastZero(linear) => at_most("0", &in_counts(linear)),
            Literal::NotDivisible(linear, divisor) => {
                let (quotient, rest) = (format!("quotient{index}x{number}"), format!("rest{index}x{number}"));
                script.declare(&quotient);
                script.declare(&rest);
                let multiple = format!("(+ (* {divisor} {quotient}) {rest})");
                all(&[equal(&in_counts(linear), &multiple), at_most("1", &rest), format!("(< {rest} {divisor})")])
            }
        });
    }
    script.assert(&any(&ways));
}

/// If the clause of a linear set does not hold, the answers are in the set: they
/// are its base and multiples of its periods.
pub(crate) fn inside(form: &NormalForm, edges: &[Edge], set: &LinearSet, clause: &[Literal], index: usize) -> Obligation {
    let mut script = Script::new(&[
        format!("A set of serial answers (fact {}): a base, and any number of times each period.", index + 1),
        "Obligation: answers of which the clause does not hold are in the set.".to_owned(),
    ]);
    for step in 0..form.steps().len() {
        script.declare(&made(step));
    }
    // The clause has its literals about a period together: the first begins the next.
    for (number, literal) in clause.iter().enumerate() {
        match literal {
            Literal::AtLeastZero(linear) => script.assert(&not(&at_most("0", &in_counts(linear)))),
            Literal::NotDivisible(linear, divisor) => {
                let quotient = format!("quotient{number}");
                script.declare(&quotient);
                script.assert(&equal(&in_counts(linear), &format!("(* {divisor} {quotient})")));
            }
        }
    }
    let mut answers: BTreeMap<Node, Vec<(String, i64)>> = BTreeMap::new();
    for (step, at) in form.steps().iter().enumerate().filter(|(_, step)| form.is_done(step.to_node)) {
        answers.entry(at.to_node).or_default().push((made(step), 1));
    }
    let times: Vec<String> = (0..set.periods.len()).map(|period| format!("times{period}")).collect();
    for (name, period) in times.iter().zip(&set.periods) {
        script.declare(name);
        let mut terms: Vec<(String, i64)> = Vec::new();
        for &(letter, factor) in &period.terms {
            terms.extend(answers.get(&letter).into_iter().flatten().map(|(step, _)| (step.clone(), factor)));
        }
        script.assert(&equal(&sum(terms, period.constant), &format!("(* {} {name})", period.divisor)));
    }
    let base = letters_of(edges, &set.base).unwrap_or_default();
    let periods: Vec<BTreeMap<Node, i64>> = set.periods.iter().map(|period| letters_of(edges, &period.edges).unwrap_or_default()).collect();
    let mut equations: Vec<SmtTerm> = times.iter().map(|name| at_most("0", name)).collect();
    for letter in form.node_numbers().filter(|&node| form.is_done(node)) {
        let mut right: Vec<(String, i64)> = Vec::new();
        right.extend(times.iter().zip(&periods).map(|(name, letters)| (name.clone(), letters.get(&letter).copied().unwrap_or(0))));
        let left = sum(answers.get(&letter).cloned().unwrap_or_default(), 0);
        equations.push(equal(&left, &sum(right, base.get(&letter).copied().unwrap_or(0))));
    }
    script.assert(&not(&all(&equations)));
    Obligation { name: format!("set-{}", index + 1), text: script.finish() }
}

fn in_counts(linear: &Linear) -> SmtTerm {
    sum(linear.terms().iter().map(|&(variable, factor)| (made(variable as usize), factor)), linear.constant())
}

/// A proof by counting, looked at as an invariant.
struct Counting<'a> {
    form: &'a NormalForm,
    proof: &'a FlowProof,
    landed: Vec<bool>,
    /// The pairs of phases that steps lead between.
    crossings: BTreeSet<(u32, u32)>,
    phases: BTreeSet<u32>,
}

impl<'a> Counting<'a> {
    fn new(form: &'a NormalForm, proof: &'a FlowProof) -> Self {
        let mut counting = Self { form, proof, landed: landed(form), crossings: BTreeSet::new(), phases: BTreeSet::new() };
        for global in 0..form.global_count() {
            let phase = counting.phase(global);
            counting.phases.insert(phase);
        }
        for step in form.steps() {
            let (from, to) = (counting.phase(step.global), counting.phase(step.to_global));
            if from != to {
                counting.crossings.insert((from, to));
            }
        }
        counting
    }

    fn phase(&self, global: u32) -> u32 {
        self.proof.phases.get(global as usize).copied().unwrap_or(0)
    }

    /// Whether requests at a node are counted: it is neither done nor fresh.
    fn is_there(&self, node: Node) -> bool {
        !self.form.is_done(node) && (!self.form.is_initial(node) || self.landed[node as usize])
    }

    /// Nodes from which requests are carried over.
    fn carrying(&self) -> impl Iterator<Item = Node> {
        self.form.node_numbers().filter(|&node| self.landed[node as usize] && !self.form.is_done(node))
    }

    fn invariant(&self, names: &Names) -> Inductive {
        let form = self.form;
        let nodes: Vec<Node> = form.node_numbers().filter(|&node| self.is_there(node)).collect();
        let mut variables = vec![GLOBAL.to_owned()];
        variables.extend(nodes.iter().map(|&node| at(node)));
        variables.extend((0..form.steps().len()).map(made));
        for &(from, to) in &self.crossings {
            variables.extend(self.carrying().map(|node| carried(node, from, to)));
        }
        let mut holds: Vec<SmtTerm> = variables.iter().map(|variable| at_most("0", variable)).collect();
        holds.push(at_most(GLOBAL, &numeral(i64::from(form.global_count()) - 1)));
        for global in 0..form.global_count() {
            let begins = i64::from(global == form.initial_global());
            holds.push(equal(
                &self.balance(|step| i64::from(step.to_global == global) - i64::from(step.global == global), begins),
                &if_holds(&global_is(global), "1"),
            ));
        }
        for &phase in &self.phases {
            let now: Vec<SmtTerm> = (0..form.global_count()).filter(|&global| self.phase(global) == phase).map(global_is).collect();
            for &node in &nodes {
                holds.push(self.requests_at(node, phase, &any(&now)));
            }
        }
        for &(from, to) in &self.crossings {
            let crossed = made_of(form, |step| (self.phase(step.global), self.phase(step.to_global)) == (from, to));
            holds.extend(self.carrying().map(|node| any(&[equal(&carried(node, from, to), "0"), at_most("1", &crossed)])));
        }
        for fact in &self.proof.facts {
            if let Fact::Forward(region) = fact {
                holds.push(region::forward(form, &region.globals, &region.nodes, |node| self.is_there(node)));
            }
        }
        Inductive { title: names.title("the invariant of a proof by counting"), name: String::new(), variables, holds, known: Vec::new() }
    }

    /// Counts of steps with a factor each, and a constant.
    fn balance(&self, factor: impl Fn(&NodeStep) -> i64, constant: i64) -> SmtTerm {
        sum(self.form.steps().iter().enumerate().map(|(index, step)| (made(index), factor(step))), constant)
    }

    /// Those at a node that came there in a phase have left it, were carried
    /// over, or are there now.
    fn requests_at(&self, node: Node, phase: u32, now: &str) -> SmtTerm {
        let landings = |step: &NodeStep| i64::from(step.to_node == node && self.phase(step.to_global) == phase);
        let departures = |step: &NodeStep| i64::from(step.node == node && self.phase(step.global) == phase);
        let mut terms: Vec<(String, i64)> = Vec::new();
        terms.extend(self.form.steps().iter().enumerate().map(|(index, step)| (made(index), landings(step) - departures(step))));
        if self.landed[node as usize] {
            for &(from, to) in &self.crossings {
                terms.push((carried(node, from, to), i64::from(to == phase) - i64::from(from == phase)));
            }
        }
        let came = sum(terms, 0);
        let there = if_holds(now, &at(node));
        // At initial nodes others come in, too.
        if self.form.is_initial(node) { at_most(&came, &there) } else { equal(&came, &there) }
    }

    fn step(&self, index: usize, step: NodeStep, names: &Names) -> StepChange {
        let mut change = change(self.form, index, step, |node| self.is_there(node), names);
        let (from, to) = (self.phase(step.global), self.phase(step.to_global));
        if from != to {
            for node in self.carrying() {
                let waiting = sum([(carried(node, from, to), 1), (at(node), 1)], -i64::from(node == step.node));
                change.new.insert(carried(node, from, to), waiting);
            }
        }
        change
    }
}
