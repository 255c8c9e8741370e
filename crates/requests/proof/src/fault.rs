//! Certificates of kind `fault`: a run after which the next step of a request
//! has no result.
//!
//! **Theorem.** If [`check_fault`] accepts a certificate for a component `S` of an
//! input, then some run of the input ends with a request in flight whose next step
//! divides by zero, overflows, leaves a range or the indices of an array, or breaks an
//! assertion, as the certificate says.
//!
//! **Proof.** The events are a run of `S`: the replay is that of kind `run`, and the
//! proof at the head of this crate applies up to where it says that the run is
//! complete, which is not asked for here. At its end the request is in
//! flight (`fault.thread`), so it is in a local state `l` while the global state is `g`.
//! The checker asks `S` for the steps from exactly this pair, and accepts only if `S`
//! cannot give them (`fault.step`) because one of them fails in this way
//! (`fault.kind`): [`Input::failure`](crate::Input::failure) tells such a failure from
//! whatever else stops `S`, such as a step that is given up because it takes too long. A run of
//! `S` is a run of the input in which nothing happens in the other components. ∎
//!
//! That the certificate says where the request is (`fault.local`, `fault.global`) and
//! claims what is proved (`fault.claim`) makes it true to its word.
//!
//! Nothing is said about other runs: a program may be serializable as far as its
//! runs go, or not.

use serde::{Deserialize, Serialize};
use serval_budget::Cancel;
use serval_evidence::{objects, obtain, require, shown};
use serval_model::Named;

use crate::objects::positive;
use crate::run::Replay;
use crate::{Caps, NamedStates, Refusal, RunEvent, Work};

/// A run and how it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultCertificate {
    /// What happens, in order.
    pub steps: Vec<RunEvent>,
    /// What fails then.
    pub fails: Fails,
}

/// A step without a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Fails {
    /// The number of the request that fails, from 1.
    #[serde(deserialize_with = "positive")]
    pub id: u32,
    /// Where it is.
    pub from: NamedStates,
    /// In which way it fails.
    pub fault: Failure,
}

objects!(Fails);

/// The ways in which a step of a program can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// It divides by zero.
    DivisionByZero,
    /// A value does not fit 64 bits.
    Overflow,
    /// A value leaves the range of its variable.
    Range,
    /// An array has no such element.
    Index,
    /// An assertion does not hold, or an invariant.
    Assertion,
}

impl Failure {
    /// The name, as in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::DivisionByZero => "division-by-zero",
            Self::Overflow => "overflow",
            Self::Range => "range",
            Self::Index => "index",
            Self::Assertion => "assertion",
        }
    }
}

/// Checks that the events are a run of `system`, and that the request fails then.
/// `failure` tells which failure of the program stops the system, if it is one.
pub fn check_fault<S: Named>(
    system: S,
    certificate: &FaultCertificate,
    failure: impl Fn(&S::Stop) -> Option<Failure>,
    caps: &Caps,
    cancel: &Cancel,
) -> Result<(), Refusal<S::Stop>> {
    caps.admit_events(certificate.steps.len())?;
    let mut replay = Replay::new(system, Work::new(caps, cancel));
    replay.events(&certificate.steps)?;
    let Fails { id, from, fault } = &certificate.fails;
    let checked = replay.check_fails(*id, from, *fault, failure);
    checked.map_err(|refusal| refusal.about(None, format!("request {id}")))
}

impl<S: Named> Replay<S> {
    /// The next step of a request in flight fails.
    fn check_fails(
        &mut self,
        id: u32,
        from: &NamedStates,
        fault: Failure,
        failure: impl Fn(&S::Stop) -> Option<Failure>,
    ) -> Result<(), Refusal<S::Stop>> {
        let thread = obtain!(FaultThread, self.in_flight.get(&id).copied(), "it is not in flight when it is said to fail");
        let now = NamedStates { local: self.local_name(thread.local)?, global: self.global_name(self.global)? };
        let [local, global] = [shown(&now.local), shown(&now.global)];
        require!(FaultLocal, now.local == from.local, "it is in local state {local}, not {}", shown(&from.local));
        require!(FaultGlobal, now.global == from.global, "the global state is {global}, not {}", shown(&from.global));
        let asked = self.system.successors(thread.local, self.global, &mut Vec::new());
        let met = asked.err().and_then(|stop| failure(&stop));
        let met = obtain!(FaultStep, met, "its steps from local state {local}, global state {global} do not fail");
        require!(FaultKind, met == fault, "it fails by {}, not by {}", met.name(), fault.name());
        Ok(())
    }
}
