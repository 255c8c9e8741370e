//! The program of a workload, for those who read it as an input.

use serval_diagnostic::Diagnostic;
use serval_sql::{Form, Reading};
use serval_syntax::Program;

/// The program that a bundle stands for, and what is said about its files.
pub(crate) fn of_bundle(bundle: &str) -> (Option<Program>, Vec<Diagnostic>) {
    let Reading { workload, diagnostics, .. } = serval_sql::read(bundle);
    let Some(workload) = workload else { return (None, diagnostics) };
    match serval_sql::translate(&workload, Form::Exact) {
        Ok(translation) => (Some(translation.program), translation.notes),
        Err(diagnostics) => (None, diagnostics),
    }
}
