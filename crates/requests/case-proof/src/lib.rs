//! Proofs by cases on nets: evidence of kind `cases`, and its checker.
//!
//! A [`CasesProof`] reduces a component by a script (which may be empty) and has sets of answers that are all serial.
//! Answers that are in none of the sets are split into *cases*, and for each case evidence about a Petri net shows that
//! no complete run gives such answers. Whatever excludes a goal of a net ([`serval_net_proof`]) serves: the marking
//! equation, all markings, a covering, clauses, a decomposition.
//!
//! # Cases
//!
//! For each set there is a clause of literals over the numbers of answers, one of which holds just if the answers are
//! not in the set ([`answers_clause`]). A case is a list of literals that all hold. At first there is one, without
//! literals. The proof is a list of entries; each takes the case that is open last and is
//!
//! - `split`, with the number of a set (`cases.split`): instead of the case there is one for each literal of the clause
//!   of the set, with the literal beside the others, the first of which is taken first;
//! - `excluded`, with evidence that the goal of the net of the case cannot be reached (`cases.excluded`). The net is
//!   made here ([`net`]).
//!
//! At the end no case is open (`cases.open`). The entries must be readable (`cases.read`), and none may be left over
//! (`cases.rest`), which the theorem does not need.
//!
//! **Theorem.** If [`check`] accepts, the component is serializable.
//!
//! **Proof.** The script keeps `Int` and `Ser` ([`serval_proof::script`]). Let the answers of a complete run of the
//! reduced system be not serial. They are in none of the sets, since these contain serial answers only
//! ([`serval_proof::flow`]), so of the clause of each set a literal holds. We show that as long as there are entries
//! some open case has only literals that hold. The first case has none. If such a case is split by the clause of a set,
//! it is replaced by cases of which one has a literal of the clause that holds. If it is excluded, the net of the case
//! has a firing sequence into its goal, since its literals hold (the lemma of [`net`]), but evidence shows that there
//! is none, so this does not happen. At the end no case is open, so there is no such run. ∎
//!
//! **Architecture Invariant:** no search, no solver, and no engine below; trusted, like `serval-proof` and
//! `serval-net-proof`.

pub mod net;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serval_budget::Cancel;
use serval_evidence::{require, unmet};
use serval_linear::Literal;
use serval_model::{Moves, NetworkSystem, NormalForm};
use serval_net_proof::{Claim, Evidence};
use serval_proof::flow::{Clause, TOO_LARGE, answers_clause, check_set, serial_edges};
use serval_proof::script::check_script;
use serval_proof::{Caps, CasesProof, Checked, Condition, Failure, Input, Reduction, Refusal, Work};

use net::CaseNet;

/// What becomes of the case that is open last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Entry {
    /// A case for each way not to be in this set.
    Split(usize),
    /// It cannot be.
    Excluded(Evidence),
}

/// Entries as the text that they are in a certificate, one on each line.
pub fn text(entries: &[Entry]) -> String {
    serval_evidence::lines(entries)
}

/// The entries of a text; where it is none, what is wrong with it.
pub fn entries(text: &str) -> Result<Vec<Entry>, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Checks a proof for a component.
///
/// If it is accepted, the component is serializable.
pub fn check(form: NormalForm, proof: &CasesProof, work: &mut Work) -> Checked {
    let reduced = check_script(form, &proof.script, work)?;
    let form = reduced.form();
    work.spend(proof.cases.len() / 64)?;
    let entries = match entries(&proof.cases) {
        Ok(entries) => entries,
        Err(message) => {
            let message = message.chars().take(200).collect::<String>();
            return unmet!(Condition::CasesRead, "the cases", serval_model::shown::line(&message).into_owned());
        }
    };
    let edges = work.within(|budget| serial_edges(form, budget))?;
    let mut clauses: Vec<Clause> = Vec::new();
    for (index, set) in proof.sets.iter().enumerate() {
        let checked = check_set(form, &edges, set, work);
        if checked.map_err(|refusal| refusal.about(None, format!("set {index}")))? {
            work.spend(form.nodes().len())?;
            clauses.push(answers_clause(form, &edges, set).ok_or(TOO_LARGE)?);
        }
    }
    check_entries(form, &clauses, &entries, work)
}

/// Goes through the entries, from the case that says nothing.
fn check_entries(form: &NormalForm, clauses: &[Clause], entries: &[Entry], work: &mut Work) -> Checked {
    let mut open: Vec<Vec<&Literal>> = vec![Vec::new()];
    let mut rest = entries.iter().enumerate();
    while let Some(case) = open.pop() {
        // Each open case needs an entry of its own; to say so early keeps the list short.
        let Some((number, entry)) = rest.next().filter(|_| rest.len() >= open.len()) else {
            let message = format!("open cases: {}, entries: {}", open.len().saturating_add(1), entries.len());
            return unmet!(Condition::CasesOpen, "the end", message);
        };
        let object = || format!("entry {number}");
        match entry {
            Entry::Split(set) => {
                let Some(clause) = clauses.get(*set) else {
                    require!(CasesSplit, false, about(object()), "there is no set number {set}");
                    continue;
                };
                work.spend(clause.len().saturating_mul(case.len().saturating_add(1)))?;
                open.extend(clause.iter().rev().map(|literal| case.iter().copied().chain([literal]).collect()));
            }
            Entry::Excluded(evidence) => {
                let made = work.within(|budget| Ok::<_, serval_budget::Stopped>(CaseNet::new(form, &case, budget)))?;
                let CaseNet { net, goal } = match made {
                    Ok(made) => made,
                    Err(refusal) => return refused(refusal, object(), work),
                };
                let checked = work.within(|budget| {
                    let checked = serval_net_proof::check(&net, &goal, Claim::Unreachable, evidence, budget);
                    Ok::<_, serval_budget::Stopped>(checked)
                })?;
                if let Err(refusal) = checked {
                    refused(refusal, object(), work)?;
                }
            }
        }
    }
    match rest.next() {
        None => Ok(()),
        Some((number, _)) => unmet!(Condition::CasesRest, format!("entry {number}"), "no case is open".to_owned()),
    }
}

/// What is wrong with evidence about a net, in terms of the whole.
fn refused(refusal: Refusal, object: String, work: &mut Work) -> Checked {
    match refusal {
        Refusal::Invalid(rejection) => unmet!(Condition::CasesExcluded, object, rejection.to_string()),
        Refusal::Stopped(stopped) => work.within(|_| Err(stopped)),
        other => Err(other),
    }
}

/// An input whose proofs by cases are checked, and which is as it was in everything else.
pub struct WithNets<I>(pub I);

impl<I: Input> Input for WithNets<I> {
    type Stop = I::Stop;
    type Lazy<'a>
        = I::Lazy<'a>
    where
        Self: 'a;

    fn text(&self) -> &str {
        self.0.text()
    }

    fn components(&self) -> usize {
        self.0.components()
    }

    fn lazy(&self, component: usize) -> Self::Lazy<'_> {
        self.0.lazy(component)
    }

    fn whole(&self, cancel: &Cancel) -> Result<Vec<&NetworkSystem>, Refusal<Self::Stop>> {
        self.0.whole(cancel)
    }

    fn failure(stop: &<Self::Lazy<'_> as Moves>::Stop) -> Option<Failure> {
        I::failure(stop)
    }

    fn check_reduction(&self, reduction: &Reduction, caps: &Caps, cancel: &Cancel) -> Result<(), Refusal<Self::Stop>> {
        self.0.check_reduction(reduction, caps, cancel)
    }

    fn check_cases(&self, form: NormalForm, proof: &CasesProof, work: &mut Work) -> Checked {
        check(form, proof, work)
    }
}
