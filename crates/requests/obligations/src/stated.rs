//! What a certificate of kind `invariant` says, for other solvers.
//!
//! The state is the global state, how often each step was made, and how many
//! requests are at each node, done ones included; the invariant is the
//! certificate's own ([`serval_proof::invariant`]).

use std::collections::BTreeMap;

use serval_budget::{Budget, Stopped};
use serval_model::NormalForm;
use serval_proof::flow::{serial_edges, set_clause};
use serval_proof::invariant::{Bound, InvariantProof};

use crate::counting::{assert_outside, inside};
use crate::inductive::{Inductive, StepChange, apply};
use crate::smtlib::{SmtTerm, any, at_most, equal, if_holds, numeral, sum};
use crate::state::{GLOBAL, at, change, global_is, made};
use crate::{Names, Obligation};

/// Everything that makes such a proof a proof; the script is not looked at.
pub(crate) fn obligations(
    form: &NormalForm,
    proof: &InvariantProof,
    names: &Names,
    budget: &mut Budget,
) -> Result<Vec<Obligation>, Stopped> {
    let invariant = invariant(form, proof, names);
    let mut begins: Vec<SmtTerm> = invariant.variables.iter().skip(1).map(|variable| equal(variable, "0")).collect();
    begins.push(global_is(form.initial_global()));
    let mut obligations = vec![invariant.initially(&begins)];
    for (index, &step) in form.steps().iter().enumerate() {
        budget.spend(invariant.holds.len() as u64)?;
        let mut change = change(form, index, step, |_| true, names);
        // Answers are counted like requests at other nodes.
        if form.is_done(step.to_node) {
            change.new.insert(at(step.to_node), sum([(at(step.to_node), 1)], 1));
        }
        obligations.push(invariant.after(&change));
    }
    for node in form.node_numbers().filter(|&node| form.is_initial(node)) {
        let new = BTreeMap::from([(at(node), sum([(at(node), 1)], 1))]);
        let says = format!("a request comes in at {}", names.node(node));
        obligations.push(invariant.after(&StepChange { name: format!("arrival-{node}"), says, needs: Vec::new(), new }));
    }
    let edges = serial_edges(form, budget)?;
    let mut end = invariant.script("no run ends with answers that are not serial");
    end.assert(&apply("holds", &invariant.variables));
    for node in form.node_numbers().filter(|&node| !form.is_done(node)) {
        end.assert(&equal(&at(node), "0"));
    }
    for (index, set) in proof.sets.iter().enumerate() {
        // Numbers that do not fit would have been refused before.
        let Some(clause) = set_clause(form, &edges, set) else { continue };
        obligations.push(inside(form, &edges, set, &clause, index));
        assert_outside(&mut end, &clause, index);
    }
    obligations.push(Obligation { name: "refutation".to_owned(), text: end.finish() });
    Ok(obligations)
}

fn invariant(form: &NormalForm, proof: &InvariantProof, names: &Names) -> Inductive {
    let mut variables = vec![GLOBAL.to_owned()];
    variables.extend((0..form.steps().len()).map(made));
    variables.extend(form.node_numbers().map(at));
    let mut holds: Vec<SmtTerm> = variables.iter().map(|variable| at_most("0", variable)).collect();
    holds.push(at_most(GLOBAL, &numeral(i64::from(form.global_count()) - 1)));
    holds.extend(proof.clauses.iter().map(|clause| any(&clause.iter().map(|bound| at_least_zero(bound, &variables)).collect::<Vec<_>>())));
    Inductive { title: names.title("the invariant of a certificate"), name: String::new(), variables, holds, known: Vec::new() }
}

/// A bound; the global state comes before the variables that it knows.
fn at_least_zero(bound: &Bound, variables: &[String]) -> SmtTerm {
    let named = bound.terms.iter().filter_map(|&(variable, factor)| Some((variables.get(variable as usize + 1)?.clone(), factor)));
    let under = bound.under.iter().map(|&(global, constant)| (if_holds(&global_is(global), "1"), constant));
    at_most("0", &sum(named.chain(under), bound.constant))
}
