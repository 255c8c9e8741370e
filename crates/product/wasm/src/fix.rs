//! `fix` and `hint`: changes that are proved to help, with the changed texts.

use serde::Serialize;
use serde_json::value::RawValue;
use serval::repair::{Options, lock_name_problem, offered_texts, repair_by_lock, repair_in_all_ways, repair_in_time, report};
use serval::{Cancel, Content, TextKind, fix_hint};
use serval_report::escape::line;
use serval_report::{Style, render_diagnostics};

use crate::answer::{Unanswered, json, raw};
use crate::asked::{ModuleRequest, read};
use crate::limits::{self, WasmStage};

/// What `serval fix` says.
#[derive(Serialize)]
struct Fixed {
    status: u8,
    report: Box<RawValue>,
    output: String,
    /// The changed texts, in the order of the report.
    texts: Vec<String>,
    ended: Option<&'static str>,
}

/// The input of a request about requests.
fn input(asked: &ModuleRequest, kind: TextKind) -> Result<serval::Input, Unanswered> {
    let name = asked.file(kind);
    let loaded = read(&asked.text, kind).ok_or_else(|| Unanswered::new(limits::reason()))?;
    let input =
        loaded.map_err(|mistakes| Unanswered::new(render_diagnostics(&mistakes.diagnostics, &name, &mistakes.text, Style::Plain)))?;
    match input.content() {
        Content::Program(_) => Ok(input),
        Content::Systems(_) => Err(Unanswered::new("a network system has no text with `yield`s that could be removed; give a program")),
    }
}

pub(crate) fn fix(asked: &ModuleRequest) -> Result<String, Unanswered> {
    let kind = asked.text_kind()?;
    let name = asked.file(kind);
    match kind {
        TextKind::Program | TextKind::System => {}
        #[cfg(feature = "weak-memory")]
        TextKind::WeakMemory(syntax) => {
            let (report, output, texts, status) = crate::weak_memory::fix(asked, syntax)?;
            return json(&Fixed { status, report: raw(&report)?, output, texts, ended: limits::ended_name() });
        }
        #[cfg(feature = "nets")]
        TextKind::Net(_) => return Err(Unanswered::new("a Petri net is not fixed")),
    }
    let input = input(asked, kind)?;
    if let Some(problem) = asked.lock.as_ref().and_then(|lock| lock_name_problem(input.text(), lock)) {
        return Err(Unanswered::new(problem));
    }
    limits::tell(WasmStage::Fixing, 0);
    let cancel = Cancel::asking(limits::is_over);
    let options = Options { keep: asked.keep.iter().copied().collect(), style: asked.style(), ..Options::default() };
    let repaired = match &asked.lock {
        Some(lock) => repair_by_lock(&input, lock, options, &cancel),
        None if asked.strict => repair_in_time(&input, options, &cancel),
        None => repair_in_all_ways(&input, options, &cancel),
    };
    let stopped = limits::ended().map(|_| limits::reason());
    let mut report = report(&name, &repaired, asked.lock.as_deref(), stopped);
    if asked.strict {
        report.verdict = match report.verdict {
            serval_report::Verdict::Serializable => serval_report::Verdict::Strict,
            serval_report::Verdict::NotSerializable => serval_report::Verdict::NotStrict,
            other => other,
        };
    }
    let status = match (&repaired.outcome, report.fix) {
        (serval::repair::Outcome::Unusable(_), _) => 2,
        (serval::repair::Outcome::Refused(_), _) => 4,
        (_, serval_report::fix::Fixable::NotNeeded | serval_report::fix::Fixable::Found) => 0,
        (_, serval_report::fix::Fixable::None) => 1,
        (_, serval_report::fix::Fixable::Unknown) => 3,
    };
    let texts = offered_texts(&repaired).into_iter().map(str::to_owned).collect();
    json(&Fixed { status, report: raw(&report.to_json())?, output: report.to_text(true), texts, ended: limits::ended_name() })
}

/// A change beside a verdict.
#[derive(Serialize)]
struct Offer {
    words: String,
    diff: String,
    text: String,
}

#[derive(Serialize)]
struct Hint<'a> {
    outcome: &'a str,
    reason: Option<&'a str>,
    offers: Vec<Offer>,
    ended: Option<&'static str>,
}

/// Fixes of a program that this certificate refutes, with little effort: what a report has beside its verdict.
pub(crate) fn hint(asked: &ModuleRequest) -> Result<String, Unanswered> {
    let kind = asked.text_kind()?;
    let input = input(asked, kind)?;
    limits::tell(WasmStage::Fixing, 0);
    let found = fix_hint(&input, &asked.certificate, &asked.options()?);
    let Some(found) = found else { return Err(Unanswered::new("there is nothing to fix: the certificate is no run of this program")) };
    let offers = found.orders().into_iter().zip(found.diffs.iter().zip(&found.texts));
    let offers = offers.map(|(words, (diff, text))| Offer { words: line(&words).into_owned(), diff: diff.clone(), text: text.clone() });
    let outcome = match found.outcome {
        serval_report::fix::Fixable::Found => "found",
        serval_report::fix::Fixable::None => "none",
        serval_report::fix::Fixable::NotNeeded => "not-needed",
        serval_report::fix::Fixable::Unknown => "unknown",
    };
    json(&Hint { outcome, reason: found.reason.as_deref(), offers: offers.collect(), ended: limits::ended_name() })
}
