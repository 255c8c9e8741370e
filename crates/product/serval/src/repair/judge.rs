//! What is known of one program: refuted or proved, each with evidence that the
//! independent checker has accepted for exactly this text.

use std::sync::Arc;
use std::time::Duration;

use serval_budget::{Cancel, StopReason};
use serval_compile::{Compiled, FaultReport, Needs};
use serval_engine::portfolio::Method;
use serval_proof::{Body, Certificate, RunCertificate, fingerprint};
use serval_syntax::Diagnostic;
use serval_verify::failure_of;

use crate::claim::{Effort as Trying, EngineClaim, about_program};
use crate::evidence::{About, Unproved, certify};
use crate::{Content, Input, Methods, fault};

/// What is known of a program.
pub(crate) enum Judged {
    /// Not serializable.
    Refuted { run: RunCertificate, component: usize },
    /// Serializable; with its states where they were made for that.
    Proved { compiled: Option<Arc<Compiled>>, certificate: Certificate },
    /// Undecided, and why.
    Unknown(String),
    /// In some run a step fails.
    Fails { needs: Needs, diagnostic: Box<Diagnostic> },
    /// One whose steps fail whatever happens, or with too many states.
    Unusable(Box<Diagnostic>),
    /// The checker refuses the evidence: a mistake in serval.
    Refused(String),
}

/// How long to try.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Threads.
    pub(crate) jobs: usize,
    /// Rounds of growing budgets.
    pub(crate) rounds: usize,
    /// Pairs of states that are explored at most, where less is wanted than
    /// the compiler would do.
    pub(crate) pairs: Option<u64>,
}

const STOPPED: &str = "stopped at a limit";

/// Decides about a program and has the evidence checked.
pub(crate) fn judge(input: &Input, effort: Effort, cancel: &Cancel) -> Judged {
    let Content::Program(program) = input.content() else { return Judged::Unknown("this is no program".to_owned()) };
    let Effort { jobs, rounds, pairs } = effort;
    let methods = Methods::Portfolio(Method::ALL.to_vec());
    let clock = || Duration::ZERO;
    let trying = Trying { methods: &methods, jobs, cancel, progress: &|_| {}, clock, rounds, percent: 100, pairs, seed: None };
    let decided = about_program(input.prepare(program), input.text(), &trying);
    let certificate = |body: Body, component, claim| Certificate { input: fingerprint(input.text()), component, claim, body };
    match decided.claimed.claim {
        EngineClaim::Refuted { run, component, .. } => {
            let certificate = certificate(Body::Run(run.clone()), component, serval_proof::Claim::NotSerializable);
            match checked(input.about(), certificate, cancel) {
                Ok(_) => Judged::Refuted { run, component },
                Err(other) => other,
            }
        }
        EngineClaim::Proved { body, .. } => {
            let certificate = certificate(body, 0, serval_proof::Claim::Serializable);
            let compiled = decided.compiled.and_then(Result::ok);
            let about = About { compiled: compiled.as_deref(), ..input.about() };
            match checked(about, certificate.clone(), cancel) {
                Ok(_) => Judged::Proved { compiled, certificate },
                Err(other) => other,
            }
        }
        EngineClaim::Undecided(StopReason::Cancelled) => Judged::Unknown(STOPPED.to_owned()),
        EngineClaim::Undecided(reason) => Judged::Unknown(reason.to_string()),
        EngineClaim::Unusable(diagnostic) => Judged::Unusable(diagnostic),
        EngineClaim::Fails { report, diagnostic, .. } => fails(input, &report, diagnostic, cancel),
    }
}

/// A program with a run after which a step fails, which the checker replays.
fn fails(input: &Input, report: &FaultReport, diagnostic: Box<Diagnostic>, cancel: &Cancel) -> Judged {
    let (Some(run), Some(kind)) = (&report.named, failure_of(&report.fault)) else { return Judged::Unusable(diagnostic) };
    let body = Body::Fault(Box::new(fault::certificate(run, kind)));
    let claim = serval_proof::Claim::Fault;
    let certificate = Certificate { input: fingerprint(input.text()), component: run.component, claim, body };
    match checked(About { compiled: None, ..input.about() }, certificate, cancel) {
        Ok(_) => Judged::Fails { needs: run.needs, diagnostic },
        Err(other) => other,
    }
}

/// Has a certificate checked; gives it as it was written.
pub(crate) fn checked(about: About<'_>, certificate: Certificate, cancel: &Cancel) -> Result<String, Judged> {
    let Certificate { component, claim, body, .. } = certificate;
    let (checked, _) = certify(about, (body, component, claim), cancel, || Duration::ZERO);
    checked.map_err(|unproved| match unproved {
        Unproved::TooLarge(what) => Judged::Unknown(format!("checking the evidence is too large: {what}")),
        Unproved::Cancelled => Judged::Unknown(STOPPED.to_owned()),
        Unproved::Refused(refused) => Judged::Refused(refused.outcome.line("the program", "certificate", about.text)),
    })
}
