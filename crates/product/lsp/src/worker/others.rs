//! Verdicts about texts that are no programs of requests: programs on weak memory, and nets.

use serval::nets::{NetInput, NetKind, NetOptions, decide_net};
use serval::tso::{Syntax, TsoError, TsoInput, TsoOptions, decide_tso, fix_tso};
use serval_ide::{Encoding, Finding, LineColumn, LineIndex, Related, Severity, Span, Told};
use serval_report::nets::{NetAnswer, NetReport, TextStyle};
use serval_report::tso::{TsoAnswer, TsoFence, TsoReport, TsoRobust};

use super::{Job, ProvedFix, WorkDone};

/// The word at a line and a column, both from 1.
fn word(text: &str, lines: &LineIndex, (line, column): (u32, u32)) -> Span {
    let place = LineColumn { line: line.saturating_sub(1), column: column.saturating_sub(1) };
    let start = lines.offset(text, place, Encoding::Utf32);
    let rest = text.get(start as usize..).unwrap_or_default();
    let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len()).max(usize::from(!rest.is_empty()));
    Span::new(start, start + u32::try_from(length).unwrap_or(0))
}

/// Whether the work was stopped, so that there is nothing to tell.
fn is_stopped(job: &Job) -> bool {
    job.fixing.is_cancelled()
}

/// What is known about a program on weak memory, and then the cheapest fences that make it robust.
pub(super) fn weak_memory(job: &Job, syntax: Syntax, tell: &dyn Fn(WorkDone) -> bool) -> bool {
    let Ok(input) = TsoInput::read_as(job.text.clone(), syntax) else { return tell(WorkDone::Mistakes) };
    let mut options = TsoOptions::default();
    options.cancel = job.deciding.clone();
    options.check = job.fixing.clone();
    let report = match decide_tso(&input, &options) {
        Ok(decision) => decision.report(job.name(), &input),
        Err(TsoError::Program(fault)) => {
            let finding = Finding {
                code: fault.code.0.to_owned(),
                severity: Severity::Error,
                span: fault.primary.span,
                message: fault.message.clone(),
                related: Vec::new(),
            };
            let headline = format!("error: {}", fault.message);
            let told = Told { word: "error", promise: None, headline, findings: vec![finding], report: fault.message.clone() };
            return tell(WorkDone::Told(Box::new(told), false));
        }
        Err(TsoError::Stopped) => return tell(WorkDone::Stopped),
        Err(TsoError::Refused(..)) => return tell(WorkDone::Panicked),
    };
    if is_stopped(job) {
        return tell(WorkDone::Stopped);
    }
    let is_weak = report.robust == Some(TsoRobust::NotRobust);
    if !tell(WorkDone::Told(Box::new(told(&report, &input)), is_weak)) || !is_weak {
        return !is_stopped(job);
    }
    options.cancel = job.fixing.clone();
    let fixes = fix_tso(job.name(), &input, &options).map_or_else(
        |_| Vec::new(),
        |repair| {
            let words = fences(&repair.report.fences);
            let written = repair.written(1, &input, &options).ok().filter(|text| *text != job.text);
            written.map(|text| ProvedFix { words, text }).into_iter().collect()
        },
    );
    tell(WorkDone::Fixes(fixes))
}

/// Fences in words, as an action.
fn fences(fences: &[TsoFence]) -> String {
    let lines: Vec<String> = fences.iter().map(|fence| fence.at.0.to_string()).collect();
    match lines.as_slice() {
        [line] => format!("make it robust: a fence before line {line}"),
        lines => format!("make it robust: fences before lines {}", lines.join(", ")),
    }
}

fn told(report: &TsoReport, input: &TsoInput) -> Told {
    let lines = LineIndex::new(input.text());
    let place = |at| word(input.text(), &lines, at);
    let robust = report.robust.map_or("undecided", TsoRobust::words);
    let violated = report.questions.iter().filter(|question| question.is_defect()).count();
    let headline = match violated {
        0 => robust.to_owned(),
        _ => format!("{robust}; {violated} of {} violated", report.questions.len()),
    };
    let code = |code: &str| code.to_owned();
    let mut findings = Vec::new();
    // The accesses of the cycle, each with what comes after it there.
    let weak = report.violation.as_ref().map_or_else(Vec::new, serval_report::tso::TsoViolation::in_source);
    let line = |number: u32| {
        let range = lines.line_range(input.text(), number.saturating_sub(1));
        let text = input.text().get(range.start as usize..range.end as usize).unwrap_or_default();
        let blanks = u32::try_from(text.len() - text.trim_start().len()).unwrap_or(0);
        Span::new(range.start + blanks, range.start + blanks + u32::try_from(text.trim().len()).unwrap_or(0))
    };
    let related = weak.iter().map(|one| {
        let after: Vec<String> = one.before.iter().map(|number| format!("#{number}")).collect();
        Related { span: line(one.line), text: format!("#{} of the cycle, before {}", one.number, after.join(" and ")) }
    });
    let related = related.collect();
    let severity = match report.robust {
        Some(TsoRobust::NotRobust) => Severity::Warning,
        _ => Severity::Note,
    };
    let span = weak.first().map_or_else(|| first_word(input.text()), |one| line(one.line));
    findings.push(Finding { code: code("robust"), severity, span, message: headline.clone(), related });
    for question in &report.questions {
        let (severity, answer) = match question.tso {
            TsoAnswer::Reachable if question.is_defect() => (Severity::Error, question.verdict(question.tso)),
            answer => (Severity::Note, question.verdict(answer)),
        };
        let alone = question.verdict(question.sc);
        let message = match alone == answer {
            true => answer.to_owned(),
            false => format!("{answer} with store buffers, {alone} without"),
        };
        findings.push(Finding { code: code("question"), severity, span: place(question.at), message, related: Vec::new() });
    }
    Told { word: report.verdict, promise: None, headline, findings, report: report.to_text() }
}

/// The first word that is no comment.
fn first_word(text: &str) -> Span {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let begin = line.len() - line.trim_start().len();
        let is_text = line.trim_start().starts_with(|c: char| c.is_alphabetic());
        if is_text {
            let length = line[begin..].find(|c: char| !c.is_alphanumeric()).unwrap_or(line.len() - begin);
            let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
            return Span::new(number(start + begin), number(start + begin + length));
        }
        start += line.len();
    }
    Span::default()
}

/// What a net's own questions have for answers; one without questions is asked whether it can get stuck.
pub(super) fn net(job: &Job, kind: NetKind, tell: &dyn Fn(WorkDone) -> bool) -> bool {
    let Ok(input) = NetInput::read(&job.text, kind) else { return tell(WorkDone::Mistakes) };
    let mut questions = input.own_questions();
    if questions.is_empty() {
        questions.extend(input.question("deadlock-free"));
    }
    let mut options = NetOptions::default();
    options.rounds = u32::MAX;
    options.cancel = job.deciding.clone();
    let mut reports: Vec<NetReport> = Vec::new();
    for question in &questions {
        reports.push(decide_net(&input, question, &options).into_report(job.name(), question));
        if is_stopped(job) {
            return tell(WorkDone::Stopped);
        }
    }
    let style = TextStyle::default();
    let answers: Vec<String> = reports.iter().map(|one| format!("{}: {}", one.question, one.answer.words())).collect();
    let headline = answers.join("; ");
    let is = |answer| reports.iter().any(|one| one.answer == answer);
    let (word, severity) = match () {
        () if is(NetAnswer::Error) => ("error", Severity::Error),
        () if is(NetAnswer::Undecided) => ("undecided", Severity::Note),
        () if is(NetAnswer::DoesNotHold) => ("does-not-hold", Severity::Warning),
        () => ("holds", Severity::Note),
    };
    let why: Vec<&str> = reports.iter().filter_map(|one| one.why.as_deref()).collect();
    let message = if why.is_empty() { headline.clone() } else { format!("{headline}\n{}", why.join("\n")) };
    let span = first_word(&job.text);
    let finding = Finding { code: "net".to_owned(), severity, span, message, related: Vec::new() };
    let report = reports.iter().map(|one| one.to_text(style)).collect();
    tell(WorkDone::Told(Box::new(Told { word, promise: None, headline, findings: vec![finding], report }), false))
}
