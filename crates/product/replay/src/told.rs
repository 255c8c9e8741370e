//! What the server did, for people and for machines.

use serde::Serialize;
use serval_diagnostic::counted;
use serval_model::shown as escape;

use serval_sql::Answered;

use crate::answer::ServerAnswer;
use crate::follow::FollowedRun;
use crate::perform::{PerformedStep, ReplayReport};
use crate::playground::one_line;
use crate::schedule::{AwaitedWait, ScheduleStep};
use crate::trace::{AnswerInFile, WaitInFile};

/// The narrowest column.
const LEAST: usize = 16;

/// A report as a table with a column for each session, no wider than this if that can be.
pub fn replay_text(name: &str, report: &ReplayReport, width: usize) -> String {
    let steps = counted(report.steps.len(), "step");
    let sessions = counted(report.schedule.sessions.len(), "session");
    let verdict = if report.is_same() { "the server did the same" } else { "the server did something else" };
    let mut text = format!("{verdict}   {}   {steps} in {sessions}\n\n", escape::line(name));
    text += &table(report, width);
    let different: Vec<String> = (0..report.steps.len()).filter_map(|at| difference(report, at)).collect();
    if !different.is_empty() {
        text += "\n";
    }
    for line in different {
        text += &format!("  {line}\n");
    }
    text
}

/// The same for the run of a counterexample, whose requests have answers.
pub fn followed_text(name: &str, followed: &FollowedRun, width: usize) -> String {
    let report = &followed.report;
    let (steps, sessions) = (counted(report.steps.len(), "step"), counted(report.schedule.sessions.len(), "session"));
    let verdict = if followed.is_same() { "the server did the same" } else { "the server did something else" };
    let mut text = format!("{verdict}   {}   {steps} in {sessions}\n\n", escape::line(name));
    text += &table(report, width);
    text += "\n";
    for (number, (wanted, got)) in followed.answers.iter().enumerate() {
        let is_same = Some(wanted) == got.as_ref();
        let said = got.as_ref().map_or_else(|| "nothing: its attempt failed, or waits".to_owned(), answered_words);
        let expected = if is_same { ", as in the run".to_owned() } else { format!("; in the run {}", answered_words(wanted)) };
        text += &format!("  #{} gets {}{}\n", number + 1, escape::line(&said), escape::line(&expected));
    }
    if followed.tried > 0 {
        text += &format!("  {} of the same statements tried\n", counted(followed.tried, "other order"));
    }
    text
}

fn answered_words(answered: &Answered) -> String {
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "NULL".to_owned());
    let row = |row: &Vec<Option<String>>| row.iter().map(value).collect::<Vec<_>>().join(", ");
    let mut parts: Vec<String> = answered.rows.values().map(|rows| rows.iter().map(row).collect::<Vec<_>>().join("; ")).collect();
    parts.extend(answered.outcomes.iter().map(|outcome| (*outcome).to_owned()));
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(" / ") }
}

/// Lines for each session in one step.
type SessionCells = Vec<Vec<String>>;

fn table(report: &ReplayReport, width: usize) -> String {
    let sessions = &report.schedule.sessions;
    let names: Vec<String> = sessions.iter().map(|name| escape::line(name).into_owned()).collect();
    let room = width.saturating_sub(9) / sessions.len().max(1);
    let most = room.saturating_sub(3).max(LEAST);
    let mut rows: Vec<(String, SessionCells)> = vec![(String::new(), names.into_iter().map(|name| wrapped(&name, most)).collect())];
    for at in 0..report.steps.len() {
        let mut cells = vec![Vec::new(); sessions.len()];
        put(report, at, most, &mut cells);
        rows.push(((at + 1).to_string(), cells));
    }
    rows[0].0 = "step".to_owned();
    let widest = |column: usize| rows.iter().flat_map(|(_, cells)| &cells[column]).map(|line| line.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..sessions.len()).map(widest).collect();
    let mut text = String::new();
    for (at, (number, cells)) in rows.iter().enumerate() {
        let height = cells.iter().map(Vec::len).max().unwrap_or(0).max(1);
        for line in 0..height {
            let mut row = format!("  {:>4}", if line == 0 { number } else { "" });
            for (cell, width) in cells.iter().zip(&widths) {
                row += &format!(" | {:width$}", cell.get(line).map_or("", String::as_str));
            }
            text += row.trim_end();
            text += "\n";
        }
        if at == 0 {
            let line: String = widths.iter().map(|width| format!("+{}", "-".repeat(width + 2))).collect();
            text += &format!("  -----{line}\n");
        }
    }
    text
}

/// What is seen in a step: its statement with its answer, and answers to statements that waited.
fn put(report: &ReplayReport, at: usize, most: usize, cells: &mut SessionCells) {
    let step = &report.schedule.steps[at];
    let performed = &report.steps[at];
    let cell = &mut cells[step.session];
    cell.extend(wrapped(&escape::line(&one_line(&step.statement)), most));
    if !performed.issued {
        cell.extend(wrapped("not issued", most));
        return;
    }
    match (&performed.wait, &performed.answer) {
        (Some(wait), _) => cell.extend(wrapped(&waits(wait), most)),
        (None, Some(answer)) => cell.extend(wrapped(&gives(answer), most)),
        (None, None) => {}
    }
    for (earlier, (step, performed)) in report.schedule.steps.iter().zip(&report.steps).enumerate() {
        let ends_here = performed.wait.as_ref().is_some_and(|wait| wait.until == Some(at));
        if let (true, Some(answer)) = (ends_here, &performed.answer) {
            let line = format!("step {}{}", earlier + 1, gives(answer));
            cells[step.session].extend(wrapped(&line, most));
        }
    }
}

fn waits(wait: &AwaitedWait) -> String {
    let by: Vec<String> = wait.by.iter().map(|session| format!("#{}", session + 1)).collect();
    if by.is_empty() { "waits".to_owned() } else { format!("waits for {}", by.join(" and ")) }
}

fn gives(answer: &ServerAnswer) -> String {
    let message = match answer {
        ServerAnswer::Error(error) if !error.message.is_empty() => format!(" ({})", escape::line(&error.message)),
        _ => String::new(),
    };
    let what = if answer.state().is_some() { "error " } else { "" };
    format!(" = {what}{}{message}", escape::line(&answer.words()))
}

/// How a step differs from what was expected.
fn difference(report: &ReplayReport, at: usize) -> Option<String> {
    let (step, performed) = (&report.schedule.steps[at], &report.steps[at]);
    if performed.same {
        return None;
    }
    let expected = outcome(step.wait.as_ref(), step.answer.as_ref());
    let found = if performed.issued { outcome(performed.wait.as_ref(), performed.answer.as_ref()) } else { "not issued".to_owned() };
    Some(format!("step {}: expected {expected}; here {found}", at + 1))
}

fn outcome(wait: Option<&AwaitedWait>, answer: Option<&ServerAnswer>) -> String {
    let answer = answer.map(|answer| gives(answer).trim_start_matches(" = ").to_owned());
    match (wait, answer) {
        (None, None) => "an answer".to_owned(),
        (None, Some(answer)) => answer,
        (Some(wait), answer) => {
            let until = wait.until.map_or_else(|| " to the end".to_owned(), |until| format!(" until step {}", until + 1));
            let answer = answer.map_or_else(String::new, |answer| format!(", then {answer}"));
            format!("{}{until}{answer}", waits(wait))
        }
    }
}

/// A text in lines of at most so many letters, broken between words where that can be.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    let text = text.strip_prefix(' ').map_or_else(|| text.to_owned(), |rest| format!("\u{a0}{rest}"));
    for word in text.split(' ') {
        let letters: Vec<char> = word.chars().collect();
        for piece in letters.chunks(most) {
            let length = line.chars().count();
            if length > 0 && length + 1 + piece.len() > most {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.extend(piece);
        }
    }
    lines.push(line);
    lines.into_iter().map(|line| line.replace('\u{a0}', " ")).collect()
}

#[derive(Serialize)]
struct ReportInFile<'a> {
    schema: u64,
    file: &'a str,
    verdict: &'static str,
    sessions: &'a [String],
    steps: Vec<StepInReport<'a>>,
}

#[derive(Serialize)]
struct StepInReport<'a> {
    session: usize,
    statement: &'a str,
    issued: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    waits: Option<WaitInFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gives: Option<AnswerInFile>,
    same: bool,
}

/// A report as one object of JSON on one line; `docs/sql-replay.schema.json` describes it.
pub fn replay_json(name: &str, report: &ReplayReport) -> String {
    let step = |(step, performed): (&'_ ScheduleStep, &PerformedStep)| (step.session + 1, performed.clone());
    let steps = report.schedule.steps.iter().zip(&report.steps).map(|both| {
        let (session, performed) = step(both);
        StepInReport {
            session,
            statement: &both.0.statement,
            issued: performed.issued,
            waits: performed.wait.as_ref().map(WaitInFile::from),
            gives: performed.answer.as_ref().map(AnswerInFile::from),
            same: performed.same,
        }
    });
    let verdict = if report.is_same() { "same" } else { "different" };
    let file = ReportInFile { schema: 1, file: name, verdict, sessions: &report.schedule.sessions, steps: steps.collect() };
    serval_evidence::line(&file) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_broken_between_words() {
        assert_eq!(wrapped("select a from t", 8), ["select a", "from t"]);
        assert_eq!(wrapped("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
        assert_eq!(wrapped(" = update 1", 30), [" = update 1"]);
    }
}
