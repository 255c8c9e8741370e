//! Petri nets: the questions of a file, or the usual ones, as `serval net check` asks them.

use serval::nets::{NetAnswer, NetInput, NetKind, NetOptions, NetQuestion, NetSession};
use serval::{Cancel, TextKind};
use serval_report::escape;
use serval_report::nets::{NetReport, TextStyle, net_file_mistake, net_words_mistake};

use crate::answer::{Unanswered, raw};
use crate::asked::ModuleRequest;
use crate::checked::{CheckAnswer, no_format};
use crate::limits::{self, WasmStage};

/// What is asked where neither the request nor the file asks anything.
const USUAL: [&str; 4] = ["deadlock-free", "one-safe", "quasi-live", "no-dead-places"];
/// How wide the column of questions is at most.
const WIDEST: usize = 48;

/// The net, or what is wrong with it, drawn; the outer nothing where the host ended reading.
pub(crate) fn read(asked: &ModuleRequest, notation: NetKind) -> Option<Result<NetInput, String>> {
    let (text, name) = (asked.text.as_str(), asked.file(TextKind::Net(notation)));
    let read = limits::reading(|| NetInput::read(text, notation))?;
    Some(read.map_err(|error| net_file_mistake(&error, &name, text)).and_then(|input| match &asked.from {
        Some(from) => input.starting(from).map_err(|error| net_words_mistake(&error, from, input.net())),
        None => Ok(input),
    }))
}

fn questions(asked: &ModuleRequest, input: &NetInput) -> Result<Vec<NetQuestion>, String> {
    if !asked.questions.is_empty() {
        let question = |text: &String| input.question(text).map_err(|error| net_words_mistake(&error, text, input.net()));
        return asked.questions.iter().map(question).collect();
    }
    let own = input.own_questions();
    // A file that asks something itself is not asked more, and what is no question about such a file is not asked.
    Ok(if own.is_empty() { USUAL.iter().filter_map(|property| input.question(property).ok()).collect() } else { own })
}

pub(crate) fn check(asked: &ModuleRequest, notation: NetKind) -> Result<CheckAnswer, Unanswered> {
    let kind = TextKind::Net(notation);
    let file = asked.file(kind);
    let mut checked = CheckAnswer::new(kind);
    let read = read(asked, notation).unwrap_or_else(|| Err(limits::reason()));
    let read = read.and_then(|input| questions(asked, &input).map(|questions| (input, questions)));
    let (input, questions) = match read {
        Ok(read) => read,
        Err(mistake) => {
            let undecided = limits::ended().is_some();
            let mut report = NetReport::new(&file, "", if undecided { NetAnswer::Undecided } else { NetAnswer::Error });
            report.reason = Some(mistake.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned());
            checked.messages = mistake;
            checked.worsen(if undecided { 3 } else { 2 });
            told(asked, &mut checked, &report, 0)?;
            return Ok(checked);
        }
    };
    let width = questions.iter().map(|question| escape::name(&question.name).chars().count()).max().unwrap_or(0).min(WIDEST);
    limits::tell(WasmStage::Searching, 0);
    let cancel = Cancel::asking(limits::is_over);
    let session = NetSession::begin(&input, &questions, &cancel);
    for (number, question) in questions.iter().enumerate() {
        limits::tell(WasmStage::Searching, u32::try_from(number).unwrap_or(u32::MAX));
        let mut options = NetOptions::default();
        (options.rounds, options.cancel) = (u32::MAX, cancel.clone());
        let mut decision = session.decide(&input, number, &options);
        if decision.answer == NetAnswer::Undecided && limits::ended().is_some() {
            decision.reason = Some(limits::reason());
        }
        checked.worsen(match decision.answer {
            NetAnswer::Holds => 0,
            NetAnswer::DoesNotHold => 1,
            NetAnswer::Undecided => 3,
            NetAnswer::Error => 4,
        });
        let certificate = decision.certificate.as_ref().filter(|_| decision.answer != NetAnswer::Error);
        checked.certificates.push(certificate.map(serval::nets::Certificate::to_json));
        told(asked, &mut checked, &decision.into_report(&file, question), width)?;
    }
    Ok(checked)
}

fn told(asked: &ModuleRequest, checked: &mut CheckAnswer, report: &NetReport, width: usize) -> Result<(), Unanswered> {
    let style = TextStyle { verbose: asked.verbose, width, ..TextStyle::default() };
    checked.output += &match asked.format.as_str() {
        "json" => report.to_json(),
        "text" if report.answer == NetAnswer::Error => String::new(),
        "text" => report.to_text(style),
        "markdown" => report.to_markdown(),
        _ => return Err(no_format(asked, TextKind::Net(NetKind::Tina))),
    };
    if asked.html {
        let text = escape::xml(&escape::lines(&report.to_text(TextStyle { verbose: true, ..style })));
        checked.html.get_or_insert_default().push_str(&format!("<pre class=\"page\">{text}</pre>\n"));
    }
    checked.reports.push(raw(&report.to_json())?);
    Ok(())
}
