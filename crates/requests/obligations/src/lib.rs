//! What a proof says: as obligations that other solvers can discharge, and in
//! words.
//!
//! No verdict trusts anything here: verdicts rest on the checker. This is for
//! people who want a second opinion, and for those who want to know why.

mod counting;
mod equations;
mod inductive;
mod names;
mod region;
mod smtlib;
mod state;
mod stated;
mod together;
mod words;

use serval_budget::{Budget, Cancel};
use serval_engine::flow::{FlowOutcome, prove};

use serval_model::{NetworkSystem, NormalForm};
use serval_proof::script::check_script;
use serval_proof::strict::StrictProof;
use serval_proof::{Caps, Part, Work};

pub use names::Names;
pub use words::in_words;

/// A question to which the answer is `unsat`, as an SMT-LIB 2.6 script without
/// quantifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// What it is called, such as `step-3`: letters, digits and `-`.
    pub name: String,
    /// The script.
    pub text: String,
}

/// Everything that makes a proof about a system a proof: an invariant holds in
/// the beginning, it holds after each step if before it, and it leaves no run
/// whose answers are not serial.
///
/// What the script of the proof does is left to the checker: the invariant is
/// about the system that it leaves. Reductions alone have no invariant, and
/// proofs over numbers of answers have none about steps; so what reductions leave
/// is then proved by counting. A component that is the same as an earlier
/// one has no obligations of its own. Says why there is no proof.
pub fn obligations(system: &NetworkSystem, part: Part, cancel: &Cancel) -> Result<Vec<Obligation>, String> {
    let (form, locals) = NormalForm::new(system).ok_or("too many steps")?;
    let names = Names::new(system, &form, &locals);
    let script = match &part {
        Part::Atomic(script) => script,
        Part::Flow(proof) => &proof.script,
        Part::Invariant(proof) => &proof.script,
        Part::Letters(proof) => &proof.script,
        Part::Cases(proof) => &proof.script,
        Part::Same(_) => return Ok(Vec::new()),
        Part::Strict(StrictProof::InFlight(proof)) => &proof.script,
        Part::Strict(StrictProof::Points(proof)) => &proof.script,
    };
    let reduced = check_script(form, script, &mut Work::new(&Caps::default(), cancel)).map_err(|refusal| refusal.to_string())?;
    let names = names.after(script);
    let mut budget = Budget::new(u64::MAX, cancel.clone());
    let stopped = |_| "stopped".to_owned();
    let proof = match part {
        Part::Flow(proof) => *proof,
        Part::Invariant(proof) => return stated::obligations(reduced.form(), &proof, &names, &mut budget).map_err(stopped),
        Part::Atomic(_) | Part::Letters(_) | Part::Cases(_) | Part::Same(_) | Part::Strict(_) => {
            match prove(reduced.form(), &mut budget).map_err(stopped)? {
                FlowOutcome::Proof(proof) => proof,
                FlowOutcome::Run(_) | FlowOutcome::Stuck => return Err("the reduced system could not be proved by counting".to_owned()),
            }
        }
    };
    counting::obligations(reduced.form(), &proof, &names, &mut budget).map_err(stopped)
}
