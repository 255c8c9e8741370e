//! Programs on weak memory: as `serval tso check` and `serval tso fix`.

use serval::tso::{Syntax, TsoError, TsoInput, TsoOptions, TsoRepair, decide_tso, fix_tso};
use serval::{Cancel, Diagnostic, TextKind};
use serval_report::tso::{TsoAnswer, TsoFix, TsoKind, TsoReport, TsoRobust};
use serval_report::{Style, render_diagnostics};

use crate::answer::{Unanswered, raw};
use crate::asked::ModuleRequest;
use crate::checked::{CheckAnswer, no_format};
use crate::limits::{self, WasmStage};

/// The program with what is asked; what is wrong with it, drawn.
pub(crate) fn read(asked: &ModuleRequest, syntax: Syntax) -> Result<TsoInput, String> {
    let name = asked.file(TextKind::WeakMemory(syntax));
    let drawn = |diagnostics: &[Diagnostic], name: &str, text: &str| render_diagnostics(diagnostics, name, text, Style::Plain);
    let text = asked.text.clone();
    let read = limits::reading(move || TsoInput::read_as(text, syntax)).ok_or_else(limits::reason)?;
    let mut input = read.map_err(|(text, diagnostics)| drawn(&diagnostics, &name, &text))?;
    for question in &asked.questions {
        input.ask(question).map_err(|mistakes| drawn(&mistakes, "--question", question))?;
    }
    Ok(input)
}

pub(crate) fn options(asked: &ModuleRequest) -> TsoOptions {
    let mut options = TsoOptions::default();
    (options.cancel, options.check) = (Cancel::asking(limits::is_over), Cancel::asking(limits::is_over));
    options.copies = asked.copies;
    options
}

pub(crate) fn check(asked: &ModuleRequest, syntax: Syntax) -> Result<CheckAnswer, Unanswered> {
    let kind = TextKind::WeakMemory(syntax);
    let name = asked.file(kind);
    let mut checked = CheckAnswer::new(kind);
    let (report, evidence) = match read(asked, syntax) {
        Err(drawn) => {
            let reason = drawn.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
            checked.messages = drawn;
            (unusable(&mut checked, &name, reason), None)
        }
        Ok(input) => decided(asked, &mut checked, &name, &input),
    };
    checked.output = match asked.format.as_str() {
        "json" => report.to_json(),
        "text" if report.verdict == "error" => String::new(),
        "text" if asked.verbose => report.to_text() + &report.rests_on(),
        "text" => report.to_text(),
        "markdown" => report.to_markdown(),
        "github" => report.to_github(),
        _ => return Err(no_format(asked, kind)),
    };
    if asked.html {
        checked.html = Some(report.to_fragment());
    }
    checked.reports.push(raw(&report.to_json())?);
    checked.certificates.push(evidence);
    Ok(checked)
}

/// The report on what cannot be used, or was not read to its end.
fn unusable(checked: &mut CheckAnswer, name: &str, reason: String) -> TsoReport {
    if limits::ended().is_some() {
        checked.worsen(3);
        return undecided(name, limits::reason());
    }
    checked.worsen(2);
    TsoReport::error(name, reason)
}

fn undecided(name: &str, reason: String) -> TsoReport {
    let mut report = TsoReport::error(name, reason.clone());
    (report.verdict, report.reason, report.robust) = ("undecided", None, Some(TsoRobust::Undecided));
    report.robust_reason = Some(reason);
    report
}

fn decided(asked: &ModuleRequest, checked: &mut CheckAnswer, name: &str, input: &TsoInput) -> (TsoReport, Option<String>) {
    limits::tell(WasmStage::Searching, 0);
    match decide_tso(input, &options(asked)) {
        Ok(decision) => {
            let mut report = decision.report(name, input);
            if limits::ended().is_some() {
                let reasons = report.questions.iter_mut().map(|question| &mut question.reason).chain([&mut report.robust_reason]);
                reasons.flatten().filter(|known| *known == "cancelled").for_each(|known| *known = limits::reason());
            }
            checked.worsen(status(&report));
            let evidence = (!decision.is_empty()).then(|| decision.certificate.to_json());
            (report, evidence)
        }
        Err(TsoError::Program(diagnostic)) => {
            checked.messages = render_diagnostics(&[*diagnostic], name, input.text(), Style::Plain);
            let reason = checked.messages.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
            (unusable(checked, name, reason), None)
        }
        Err(TsoError::Refused(reason, _)) => {
            checked.worsen(4);
            (TsoReport::error(name, reason), None)
        }
        Err(TsoError::Stopped) => {
            checked.worsen(3);
            (undecided(name, "stopped before the evidence was checked".to_owned()), None)
        }
    }
}

/// What a report means for the exit status.
fn status(report: &TsoReport) -> u8 {
    let is_violated = |answer: TsoAnswer, kind: TsoKind| answer == TsoAnswer::Reachable && kind != TsoKind::Exists;
    let questions = &report.questions;
    match () {
        () if report.robust == Some(TsoRobust::NotRobust) => 1,
        () if questions.iter().any(|question| is_violated(question.tso, question.kind)) => 1,
        () if report.robust == Some(TsoRobust::Undecided) => 3,
        () if questions.iter().any(|question| question.tso == TsoAnswer::Undecided) => 3,
        () => 0,
    }
}

/// The cheapest fences: the report, the changed text, the exit status.
pub(crate) fn fix(asked: &ModuleRequest, syntax: Syntax) -> Result<(String, String, Vec<String>, u8), Unanswered> {
    let name = asked.file(TextKind::WeakMemory(syntax));
    let input = read(asked, syntax).map_err(Unanswered::new)?;
    limits::tell(WasmStage::Fixing, 0);
    let options = options(asked);
    let repair = match fix_tso(&name, &input, &options) {
        Ok(repair) => repair,
        Err(TsoError::Program(diagnostic)) => {
            return Err(Unanswered::new(render_diagnostics(&[*diagnostic], &name, input.text(), Style::Plain)));
        }
        Err(TsoError::Refused(reason, _)) => return Err(Unanswered::new(reason)),
        Err(TsoError::Stopped) => {
            let report = TsoFix { reason: Some(limits::reason()), ..TsoFix::undecided(&name, "robust") };
            TsoRepair::without(report)
        }
    };
    let texts = if repair.report.verdict == "fixed" { repair.written(1, &input, &options).into_iter().collect() } else { Vec::new() };
    let status = match (repair.report.verdict, repair.report.unhelped()) {
        ("impossible", _) | (_, Some(TsoAnswer::Reachable)) => 1,
        ("undecided", _) | (_, Some(_)) => 3,
        _ => 0,
    };
    Ok((repair.report.to_json(), repair.report.to_text(), texts, status))
}
