//! Certificates about workloads of SQL. The checker reads the bundle and translates it by itself; what it then checks
//! is a certificate about a program, whose fingerprint is that of the bundle.
//!
//! Where transactions run at several levels, a proof is about the program that has all runs of a server and more, and a
//! run about the one that has none but these. A proof may else be about the program without counts of guards, whose
//! runs are all those of the server and more; a run is about the program with them. Where a first statement holds rows
//! from the snapshot on, a proof is about a program without that: a statement can stand still in between.

use serval_budget::Cancel;
#[cfg(feature = "sql")]
use serval_proof::Claim;
use serval_proof::{Caps, Certificate, Refusal};

use crate::{RequestsText, Unusable};

#[cfg(feature = "sql")]
pub(crate) fn check_workload(
    subject: &RequestsText<'_>,
    certificate: &Certificate,
    caps: &Caps,
    cancel: &Cancel,
) -> Result<(), Refusal<Unusable>> {
    let mut refused = None;
    for program in programs(subject.text, certificate)? {
        let prepared = std::sync::Arc::new(crate::Prepared::new(&program, crate::Options::default()));
        let input = crate::ProgramInput { text: subject.text, prepared, handed: subject.handed, compiled: std::cell::OnceCell::new() };
        let checked = crate::check(&crate::WithNets(input), certificate, caps, cancel);
        match checked.map_err(|refusal| refusal.map_stop(|stop| stop.unusable(subject.text))) {
            Ok(_) => return Ok(()),
            Err(stopped @ Refusal::Stopped(_)) => return Err(stopped),
            // What was handed over may be the states of the other program.
            Err(refusal) if matches!(refusal, Refusal::System(Unusable::Unclosed(_))) && refused.is_some() => {}
            Err(refusal) => refused = Some(refusal),
        }
    }
    refused.map_or(Ok(()), Err)
}

/// The programs that a certificate of this claim can be about, in the order in which they are tried; at least one.
#[cfg(feature = "sql")]
fn programs(bundle: &str, certificate: &Certificate) -> Result<Vec<serval_syntax::Program>, crate::InputError> {
    let reading = serval_sql::read(bundle);
    let workload = reading.workload.ok_or(crate::InputError::Program(reading.diagnostics))?;
    let exact = serval_sql::translate(&workload, serval_sql::Form::Exact).map_err(crate::InputError::Program)?;
    let levels = serval_sql::levels(&workload);
    let is_run = !matches!(certificate.claim, Claim::Serializable | Claim::Strict | Claim::Safe);
    // At SERIALIZABLE the server refuses some of the runs.
    if is_run && levels.contains(&serval_sql::Isolation::Serializable) {
        let message = "no run is evidence about transactions at SERIALIZABLE, of which the server refuses some";
        let diagnostic = crate::Diagnostic::error(crate::Code("E0702"), crate::Span::default(), message);
        return Err(crate::InputError::Program(vec![diagnostic]));
    }
    let mut programs = Vec::new();
    if exact.mixed && !is_run {
        // The other program has some of the runs only.
        let upper = serval_sql::translate(&workload, serval_sql::Form::Unguarded).map_err(crate::InputError::Program)?;
        return Ok(vec![upper.program]);
    }
    if exact.exact && certificate.claim == Claim::Serializable {
        let unguarded = serval_sql::translate(&workload, serval_sql::Form::Unguarded).map_err(crate::InputError::Program)?;
        programs.push(unguarded.program);
    }
    if exact.holds && !is_run {
        let counted = serval_sql::translate(&workload, serval_sql::Form::Counted).map_err(crate::InputError::Program)?;
        programs.push(counted.program);
        return Ok(programs);
    }
    programs.push(exact.program);
    Ok(programs)
}

#[cfg(not(feature = "sql"))]
pub(crate) fn check_workload(_: &RequestsText<'_>, _: &Certificate, _: &Caps, _: &Cancel) -> Result<(), Refusal<Unusable>> {
    let message = "this build does not read SQL";
    let diagnostic = crate::Diagnostic::error(crate::Code("E0711"), crate::Span::default(), message);
    Err(crate::InputError::Program(vec![diagnostic]).into())
}
