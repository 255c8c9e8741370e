//! What is worth saying about a program whose states are all known: locks that
//! are released without being held, requests that never answer, ranges of
//! which a part is never used, and branches that no run comes to. And what is
//! worth saying of a program whatever its states are.

use indexmap::IndexMap;
use serval_budget::Budget;
use serval_model::LocalId;
use serval_syntax::{Diagnostic, ExprKind, Program, Span};

use crate::compiled::Compiled;
use crate::dead::never_begun;
use crate::error::{NO_GLOBAL, ONE_STEP, SILENT, UNREACHED};

impl Compiled {
    /// What is worth a warning or a note, now that all states are known. Where the flag of the budget is raised, what
    /// takes work is left out; ticks are not counted.
    pub fn findings(&self, text: &str, budget: &Budget) -> Vec<Diagnostic> {
        let remarks = self.components().iter().flat_map(|component| component.remarks());
        let mut findings: Vec<Diagnostic> = remarks.map(|remark| remark.diagnostic(text)).collect();
        findings.extend(unreached(self));
        findings.extend(silent(self));
        findings.extend(budget.during(|| never_begun(self, text)).unwrap_or_default());
        findings.extend(without_states(self.program()));
        findings.retain(|finding| !is_allowed(self.program(), finding));
        findings.sort_by_key(|finding| (finding.primary.span, finding.code));
        findings.dedup();
        findings
    }
}

/// What makes a verdict say little, as the text alone shows: nothing is shared, or each request is one step.
pub fn without_states(program: &Program) -> Option<Diagnostic> {
    no_global(program).or_else(|| one_step(program)).filter(|finding| !is_allowed(program, finding))
}

fn is_allowed(program: &Program, finding: &Diagnostic) -> bool {
    program.allowances.iter().any(|allowance| allowance.covers(finding))
}

/// A program whose requests share nothing: whatever it is, it is serializable,
/// and that says nothing.
fn no_global(program: &Program) -> Option<Diagnostic> {
    let first = program.requests.first().filter(|_| program.globals.is_empty())?;
    let finding = Diagnostic::note(NO_GLOBAL, first.name_span, "this program has no global variable: its requests share nothing");
    Some(finding.help("names of shared variables begin with a capital letter, as in `Balance`"))
}

/// A program none of whose requests pauses: they run one at a time whatever they do, and that says nothing about
/// handlers that wait for something in between. Waiting for a condition or a lock is a pause.
fn one_step(program: &Program) -> Option<Diagnostic> {
    let mut pauses = false;
    for request in &program.requests {
        request.body.visit(&mut |part| pauses |= matches!(part.kind, ExprKind::Yield));
    }
    let first = program.requests.first().filter(|_| !pauses)?;
    let finding = Diagnostic::note(ONE_STEP, first.name_span, "each handler is one step here: put a `yield` where it waits");
    Some(finding.help("a call to a database, a queue or a person takes time, and other requests run meanwhile"))
}

/// Requests that can never answer: no way through their local states leads to
/// an answer, whatever the others do.
fn silent(compiled: &Compiled) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for component in compiled.components() {
        let system = component.system();
        // From the answers backwards.
        let mut before = vec![Vec::new(); system.local_count()];
        for step in system.steps() {
            before[step.to_local.index()].push(step.local);
        }
        let mut answers = vec![false; system.local_count()];
        let mut stack: Vec<LocalId> = system.answers().iter().map(|&(local, _)| local).collect();
        while let Some(local) = stack.pop() {
            if !std::mem::replace(&mut answers[local.index()], true) {
                stack.extend(&before[local.index()]);
            }
        }
        for &body in component.bodies() {
            let request = &compiled.program().requests[body];
            let mut starts = system.starts().iter().filter(|&&(id, _)| system.request_name(id) == request.name);
            if !starts.any(|&(_, local)| answers[local.index()]) {
                let message = format!("`{}` can never answer", request.name);
                let finding = Diagnostic::warning(SILENT, request.name_span, message)
                    .with_note("it is serializable only for want of behaviour")
                    .help("see which loop it never leaves");
                findings.push(finding);
            }
        }
    }
    findings
}

/// The values that a variable takes.
struct Reached {
    span: Span,
    range: (i64, i64),
    least: i64,
    greatest: i64,
}

/// Ranges of which an end is never reached. What is known of the values is an
/// over-approximation, so what is missing there never occurs.
fn unreached(compiled: &Compiled) -> Vec<Diagnostic> {
    // The elements of an array were declared together.
    let mut reached: IndexMap<&str, Reached> = IndexMap::new();
    for component in compiled.components() {
        for (slot, variable) in component.globals().iter().enumerate() {
            let global = &compiled.program().globals[variable.index()];
            let Some(range) = global.range else { continue };
            let name = global.name.split('[').next().unwrap_or_default();
            let ids = component.system().globals();
            for value in ids.map(|id| component.global_values(id)[slot]) {
                let entry = reached.entry(name).or_insert(Reached { span: global.span, range, least: value, greatest: value });
                entry.least = entry.least.min(value);
                entry.greatest = entry.greatest.max(value);
            }
        }
    }
    let finding = |(name, Reached { span, range: (low, high), least, greatest }): (&str, Reached)| {
        let message = match (least > low, greatest < high) {
            (false, false) => return None,
            (true, false) => format!("`{name}` is never below {least}"),
            (false, true) => format!("`{name}` is never above {greatest}"),
            (true, true) => format!("`{name}` is never below {least} or above {greatest}"),
        };
        let finding = Diagnostic::note(UNREACHED, span, message).label(format!("declared as {low}..{high}"));
        Some(finding.help(format!("declare it as {least}..{greatest}, or see whether something is missing")))
    };
    reached.into_iter().filter_map(finding).collect()
}
