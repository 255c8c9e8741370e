//! What a proof by cases says: of each case that it excludes, what the answers would be, and by what it is excluded.

use serval_budget::{Budget, Cancel};
use serval_case_proof::{Entry, entries};
use serval_linear::Literal;
use serval_model::{NetworkSystem, NormalForm};
use serval_proof::CasesProof;
use serval_proof::flow::{Clause, answers_clause, serial_edges};
use serval_proof::letters::Bound;
use serval_proof::script::Reduced;

use super::SystemWords;

/// A sentence for each case, in the order of the proof. The checker must have accepted it.
pub(super) fn facts(system: &NetworkSystem, proof: &CasesProof, cancel: &Cancel) -> Option<Vec<String>> {
    let (form, _) = NormalForm::new(system)?;
    let mut budget = Budget::new(u64::MAX, cancel.clone());
    let mut reduced = Reduced::new(form.clone());
    for entry in &proof.script {
        reduced.apply(entry, &mut budget).ok()?;
    }
    let edges = serial_edges(reduced.form(), &mut budget).ok()?;
    let clauses: Vec<Clause> = proof.sets.iter().map(|set| answers_clause(reduced.form(), &edges, set)).collect::<Option<_>>()?;
    // Reductions leave the numbers of done nodes as they are.
    let words = SystemWords { system, form: &form };
    let mut sentences = Vec::new();
    let mut open: Vec<Vec<&Literal>> = vec![Vec::new()];
    for entry in entries(&proof.cases).ok()? {
        let case = open.pop()?;
        match entry {
            Entry::Split(set) => {
                let clause = clauses.get(set)?;
                open.extend(clause.iter().rev().map(|literal| case.iter().copied().chain([literal]).collect()));
            }
            Entry::Excluded(evidence) => {
                let said: Vec<String> = case.iter().map(|literal| said(&words, literal)).collect();
                let said = if said.is_empty() { "everybody answers".to_owned() } else { said.join(", and ") };
                sentences.push(format!("it is never so that {said} ({})", evidence.kind()));
            }
        }
    }
    Some(sentences)
}

/// A literal in words.
fn said(words: &SystemWords<'_>, literal: &Literal) -> String {
    let divisor = match literal {
        Literal::AtLeastZero(_) => 0,
        Literal::NotDivisible(_, divisor) => *divisor,
    };
    let bound = Bound { divisor, constant: literal.linear().constant(), terms: literal.linear().terms().to_vec() };
    words.compared(&bound).unwrap_or_else(|| words.literal(&bound))
}
