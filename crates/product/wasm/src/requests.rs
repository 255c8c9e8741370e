//! Programs of requests and network systems: deciding, as `serval check` does.

use std::sync::Arc;

use serval::{
    Decision, Diagnostic, Input, Options, Progress, Severity, StopReason, TextKind, Undecided, advice, decide, faults, fix_hint, page_of,
};
use serval_report::{FileReport, HOLLOW, HeaderPromise, Look, RuledOut, Style, Verdict, render_diagnostics};

use crate::answer::{Unanswered, raw};
use crate::asked::{ModuleRequest, read};
use crate::checked::{CheckAnswer, no_format};
use crate::limits::{self, WasmStage};

pub(crate) fn check(asked: &ModuleRequest, kind: TextKind) -> Result<CheckAnswer, Unanswered> {
    let name = asked.file(kind);
    let mut checked = CheckAnswer::new(kind);
    let Some(loaded) = read(&asked.text, kind) else {
        let mut report = FileReport::new(&name, Verdict::Unknown);
        report.reason = Some(limits::reason());
        report.ruled_out = Some(RuledOut { requests_up_to: 0, concurrent_up_to: None });
        checked.worsen(3);
        return told(asked, checked, None, report, None);
    };
    let is_allowed =
        |diagnostic: &Diagnostic| diagnostic.severity != Severity::Error && asked.allow.iter().any(|allowed| *allowed == diagnostic.code.0);
    let mut input = match loaded {
        Ok(input) => input,
        Err(mut mistakes) => {
            mistakes.diagnostics.retain(|diagnostic| !is_allowed(diagnostic));
            checked.messages = render_diagnostics(&mistakes.diagnostics, &name, &mistakes.text, Style::Plain);
            checked.worsen(2);
            return told(asked, checked, None, mistakes.report(&name), None);
        }
    };
    input.warnings.retain(|warning| !is_allowed(warning));
    checked.messages = findings(&input.warnings, &name, input.text());
    let options = asked.options()?;
    let mut decision = decided(asked, &input, options.clone());
    decision.findings.retain(|finding| !is_allowed(finding));
    let drawn: Vec<Diagnostic> =
        decision.findings.iter().filter(|finding| asked.format != "text" || !HOLLOW.contains(&finding.code.0)).cloned().collect();
    checked.messages += &findings(&drawn, &name, input.text());
    let evidence = decision.evidence().map(|evidence| evidence.certificate.clone());
    let (status, reason) = concluded(&mut checked, &decision, &name, input.text());
    checked.worsen(status);
    let is_refuted = matches!(decision.verdict, serval::Verdict::NotSerializable(..) | serval::Verdict::NotStrict(..));
    let open = (asked.fixes && !asked.only_faults && is_open(&decision)).then(|| decision.clone());
    let mut report = decision.into_report(&name, &input, false);
    report.reason = reason.or(report.reason);
    if let Some(decision) = open {
        limits::tell(WasmStage::Fixing, 0);
        report.advice = limits::during(|| advice(&input, &decision, &options)).flatten();
    }
    if let (Some(certificate), true) = (&evidence, is_refuted && asked.fixes && !asked.only_faults) {
        limits::tell(WasmStage::Fixing, 0);
        report.fix = fix_hint(&input, certificate, &options);
    }
    promised(asked, &mut checked, &input, &mut report);
    told(asked, checked, Some(&input), report, evidence)
}

/// Warnings and what goes with them, if there are some.
fn findings(findings: &[Diagnostic], name: &str, text: &str) -> String {
    match findings.iter().any(|finding| finding.severity <= Severity::Warning) {
        true => render_diagnostics(findings, name, text, Style::Plain),
        false => String::new(),
    }
}

fn decided(asked: &ModuleRequest, input: &Input, mut options: Options) -> Decision {
    // A header that promises something about the order in time asks for it.
    options.strict |= matches!(input.promise(), Some(Verdict::Strict | Verdict::NotStrict));
    limits::tell(WasmStage::Preparing, 0);
    if asked.only_faults {
        return faults(input, &options);
    }
    options.progress = Some(Arc::new(|progress| {
        let number = if let Progress::Requests(requests) = progress { requests } else { 0 };
        limits::tell(WasmStage::Searching, number);
    }));
    decide(input, &options)
}

/// The exit status of a decision, and the reason where the work was ended from outside.
fn concluded(checked: &mut CheckAnswer, decision: &Decision, name: &str, text: &str) -> (u8, Option<String>) {
    match &decision.verdict {
        serval::Verdict::Serializable(_) | serval::Verdict::Strict(_) | serval::Verdict::Safe(_) => (0, None),
        serval::Verdict::NotSerializable(..) | serval::Verdict::NotStrict(..) | serval::Verdict::Fault(..) => (1, None),
        serval::Verdict::Unusable(diagnostic) => {
            checked.messages += &render_diagnostics(std::slice::from_ref(&**diagnostic), name, text, Style::Plain);
            (2, None)
        }
        serval::Verdict::Refused(_) => (4, None),
        serval::Verdict::Undecided(Undecided::Stopped(StopReason::Cancelled)) => (3, Some(limits::reason())),
        _ => (3, None),
    }
}

/// Whether there may be advice.
fn is_open(decision: &Decision) -> bool {
    match &decision.verdict {
        // Nothing helps there but patience.
        serval::Verdict::Undecided(Undecided::InTime { .. }) => false,
        serval::Verdict::Undecided(_) | serval::Verdict::Unusable(_) => true,
        _ => false,
    }
}

/// Compares with what the header of the text promises, if that is to count, and else says where it is otherwise.
fn promised(asked: &ModuleRequest, checked: &mut CheckAnswer, input: &Input, report: &mut FileReport) {
    let Some(verdict) = input.promise() else { return };
    let holds = report.verdict.keeps(verdict);
    if asked.expected && matches!(checked.status, 0 | 1) {
        report.expected = Some(HeaderPromise { verdict, holds });
        checked.status = u8::from(!holds);
        return;
    }
    let is_decided = report.verdict.is_proved() || report.verdict.is_refuted() || report.verdict == Verdict::Fault;
    if is_decided && !holds {
        let words = |verdict| match verdict {
            Verdict::Serializable => "serializable",
            Verdict::Fault | Verdict::Strict | Verdict::NotStrict => verdict.on_screen(),
            _ => "not serializable",
        };
        let name = serval_report::escape::name(&report.file);
        checked.messages += &format!("warning: the header of {name} expects {}, but it is {}\n", words(verdict), words(report.verdict));
    }
}

/// The answer with this report.
fn told(
    asked: &ModuleRequest,
    mut checked: CheckAnswer,
    input: Option<&Input>,
    report: FileReport,
    evidence: Option<String>,
) -> Result<CheckAnswer, Unanswered> {
    let look = Look { width: asked.width, ..Look::default() };
    checked.output = match asked.format.as_str() {
        "json" => report.to_json(),
        "text" if report.verdict == Verdict::Error => String::new(),
        "text" => report.to_text(asked.verbose, look),
        "markdown" => report.to_markdown(),
        "github" => report.to_github(),
        _ => return Err(no_format(asked, TextKind::Program)),
    };
    if asked.html {
        let cancel = serval::Cancel::asking(limits::is_over);
        checked.html = Some(match input {
            Some(input) => report.to_fragment(&page_of(input, &report, env!("CARGO_PKG_VERSION"), &cancel)),
            None => report.to_fragment(&serval_report::html::Page::default()),
        });
    }
    checked.reports.push(raw(&report.to_json())?);
    checked.certificates.push(evidence);
    Ok(checked)
}
