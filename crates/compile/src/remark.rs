//! What is worth saying about a program whose states are all known: locks that
//! are released without being held, and ranges of which a part is never used.

use indexmap::IndexMap;
use serval_model::LocalId;
use serval_syntax::{Code, Diagnostic, LineIndex, Program, Span};

use crate::compiled::Compiled;
use crate::error::{ReportedStep, Reporter, run_notes};
use crate::explore::explain_remarks;
use crate::space::Space;
use crate::split::Part;

pub(crate) const UNHELD: Code = Code("W0306");
pub(crate) const UNREACHED: Code = Code("N0307");
pub(crate) const SILENT: Code = Code("W0309");

/// An `unlock` of a lock that nobody holds.
#[derive(Clone, Debug)]
pub(crate) struct Remark {
    place: Span,
    run: Vec<ReportedStep>,
    request: (usize, String),
}

/// The remarks on one part, each with a real run. What only may happen, as far
/// as was looked, is not spoken of.
pub(crate) fn remarks(program: &Program, space: &mut Space, part: &Part) -> Vec<Remark> {
    let explained = explain_remarks(space);
    let reporter = Reporter { program, space, part };
    let remark = |(place, trail, local)| Remark { place, request: reporter.who(&trail, local), run: reporter.run(&trail) };
    explained.into_iter().map(remark).collect()
}

impl Remark {
    pub(crate) fn diagnostic(&self, text: &str) -> Diagnostic {
        let (number, name) = &self.request;
        let mut diagnostic = Diagnostic::warning(UNHELD, self.place, "this releases a lock that nobody holds")
            .label("0 already")
            .help("lock it before on every way that leads here, or release it once only");
        diagnostic.notes = run_notes("this run leads there", &self.run, text, &LineIndex::new(text));
        diagnostic.notes.push(format!("{}request #{number} {name} releases it here", if self.run.is_empty() { "" } else { "then " }));
        diagnostic
    }
}

/// Requests that can never answer: no way through their local states leads to
/// an answer, whatever the others do.
pub(crate) fn silent(compiled: &Compiled) -> Vec<Diagnostic> {
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

/// Ranges of which an end is never reached. What is known of the values is an
/// over-approximation, so what is missing there never occurs.
pub(crate) fn unreached(compiled: &Compiled) -> Vec<Diagnostic> {
    // The elements of an array were declared together.
    let mut reached: IndexMap<&str, (Span, (i64, i64), (i64, i64))> = IndexMap::new();
    for component in compiled.components() {
        for (slot, variable) in component.globals().iter().enumerate() {
            let global = &compiled.program().globals[variable.index()];
            let Some(range) = global.range else { continue };
            let name = global.name.split('[').next().unwrap_or_default();
            let ids = component.system().globals();
            for value in ids.map(|id| component.global_values(id)[slot]) {
                let entry = reached.entry(name).or_insert((global.span, range, (value, value)));
                entry.2 = (entry.2.0.min(value), entry.2.1.max(value));
            }
        }
    }
    let finding = |(name, (span, (low, high), (least, greatest))): (&str, (Span, (i64, i64), (i64, i64)))| {
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
