//! `serval bench DIR` where the directory has nets and an `expected.tsv`: asks what the table knows, and compares.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use serval::nets::{NetAnswer, NetInput, NetQuestion};
use serval_report::bench::{ExpectedNet, NetBenchReport, NetBenchRow, Outcome, read_expected_nets};
use serval_report::counted;
use serval_report::escape::name;

use super::super::check::millis;
use super::super::net::{check, read};
use crate::args::{Bench, BenchFormat, NetFile};
use crate::failure::Failure;
use crate::input::{Messages, name_of, plain_text, shown};
use crate::limits;
use crate::output::{say, write_to};

/// The table of a directory of nets.
const TABLE: &str = "expected.tsv";
/// Where a model lies that the table calls so.
const MODELS: [&str; 5] = ["{}/model.pnml", "{}/model.net", "{}.pnml", "{}.net", "{}"];
/// The files with the queries of a model that is a directory, in the order of the columns.
const QUERIES: [&str; 2] = ["ReachabilityCardinality.xml", "ReachabilityFireability.xml"];

/// The one directory that is given, if it has nets.
pub(super) fn directory(args: &Bench) -> Option<&Path> {
    match args.files.as_slice() {
        [only] if only.join(TABLE).is_file() => Some(only),
        _ => None,
    }
}

/// A question of the table.
struct TableQuestion {
    file: String,
    question: NetQuestion,
    known: Option<bool>,
    input: Arc<NetInput>,
}

/// Asks everything and prints the table.
pub(super) fn run(args: &Bench, directory: &Path, messages: Messages) -> Result<ExitCode, Failure> {
    for (name, is_given) in [
        ("--expected", args.expected.is_some()),
        ("--baseline", args.baseline.is_some()),
        ("--family", args.family.is_some()),
        ("--ablation", args.ablation),
        ("--svg", args.svg.is_some()),
        ("--runs", args.runs != 1),
        ("--method", args.method != ["auto"]),
    ] {
        if is_given {
            return Err(Failure::message(format!("{name} is for programs, and {} has nets", shown(directory))));
        }
    }
    let path = directory.join(TABLE);
    let table = plain_text(&path)?;
    let nets = read_expected_nets(&table).map_err(|error| Failure::message(format!("{}: {error}", shown(&path))))?;
    limits::watch_interrupts();
    limits::limit_memory(args.limits.memory);
    let is_due = |position: usize| args.shard.is_none_or(|shard| position % shard.of == shard.number - 1);
    let (mut rows, mut position) = (Vec::new(), 0);
    for net in &nets {
        let asked = match questions(directory, &path, net) {
            Ok(asked) => asked,
            Err(failure) => {
                let reason = failure_words(failure)?;
                let mut row = NetBenchRow::new(&net.model, "", NetAnswer::Error, None);
                row.reason = Some(reason);
                rows.extend(is_due(position).then_some(row));
                position += 1;
                continue;
            }
        };
        for one in &asked {
            if limits::is_interrupted() {
                break;
            }
            rows.extend(is_due(position).then(|| row(args, one)));
            position += 1;
        }
        if limits::is_interrupted() {
            break;
        }
    }
    if !messages.quiet {
        for row in rows.iter().filter(|row| row.outcome == Outcome::Wrong) {
            let (file, question) = (name(&row.file), name(&row.question));
            say(&format!("warning: {file}: {question}: not as expected\n"));
        }
    }
    let shard = args.shard.map(|shard| [shard.number, shard.of]);
    let status = told(&NetBenchReport::new(env!("CARGO_PKG_VERSION"), rows, shard), args.format, None)?;
    Ok(if limits::is_interrupted() { ExitCode::from(130) } else { status })
}

/// Prints the table; the status that it makes.
pub(super) fn told(report: &NetBenchReport, format: BenchFormat, svg: Option<&Path>) -> Result<ExitCode, Failure> {
    if svg.is_some() {
        return Err(Failure::message("--svg is for programs, and these are measurements of nets"));
    }
    let text = match format {
        BenchFormat::Text => report.to_text(),
        BenchFormat::Csv => report.to_csv(),
        BenchFormat::Json => report.to_json(),
        BenchFormat::Markdown => report.to_markdown(),
    };
    write_to(None, &text)?;
    let refused = report.questions.iter().any(|row| row.outcome == Outcome::Error && !row.question.is_empty());
    let differs = report.questions.iter().any(NetBenchRow::differs);
    let is_unusable = report.count(Outcome::Error) > 0;
    Ok(ExitCode::from(if refused {
        4
    } else if is_unusable {
        2
    } else {
        u8::from(differs)
    }))
}

/// What is wrong with the input, in one line; other failures end everything.
fn failure_words(failure: Failure) -> Result<String, Failure> {
    match failure {
        Failure::Input(text) => Ok(text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()),
        Failure::Message(text) => Ok(text),
        other => Err(other),
    }
}

/// What the table asks about a net.
fn questions(directory: &Path, table: &Path, net: &ExpectedNet) -> Result<Vec<TableQuestion>, Failure> {
    let wrong = |message: String| Failure::message(format!("{}: line {}: {message}", shown(table), net.line));
    let found = MODELS.iter().map(|form| PathBuf::from(form.replace("{}", &net.model))).find(|path| directory.join(path).is_file());
    let relative = found.ok_or_else(|| wrong(format!("there is no net {}", net.model)))?;
    let file = name_of(&relative);
    let path = directory.join(&relative);
    let input = Arc::new(read::net(&NetFile { file: path.clone(), input: None, compose: Vec::new(), from: None })?);
    let asked =
        |question: NetQuestion, known: Option<bool>| TableQuestion { file: file.clone(), question, known, input: Arc::clone(&input) };
    let mut all = Vec::new();
    for &(property, holds) in &net.properties {
        all.push(asked(read::question(property, &input)?, Some(holds)));
    }
    for (name, answers) in QUERIES.iter().zip(&net.queries).filter(|(_, answers)| !answers.is_empty()) {
        let questions = read::queries(&path.with_file_name(name), &input)?;
        if questions.len() != answers.len() {
            return Err(wrong(format!("{}, and {name} has {} queries", counted(answers.len(), "answer"), questions.len())));
        }
        all.extend(questions.into_iter().zip(answers).map(|(question, &known)| asked(question, known)));
    }
    Ok(all)
}

fn row(args: &Bench, asked: &TableQuestion) -> NetBenchRow {
    let start = Instant::now();
    let mut row = match check::decided(args.limits.time(), &asked.input, &asked.question) {
        Ok(decision) => {
            let mut row = NetBenchRow::new(&asked.file, &asked.question.name, decision.answer, asked.known);
            row.methods = decision.methods.iter().map(|&method| method.to_owned()).collect();
            row.bytes = decision.certificate.as_ref().map(|certificate| certificate.to_json().len());
            row.reason = decision.reason;
            row
        }
        Err(lost) => {
            let answer = if lost == limits::Lost::Panicked { NetAnswer::Error } else { NetAnswer::Undecided };
            let mut row = NetBenchRow::new(&asked.file, &asked.question.name, answer, asked.known);
            row.reason = Some(lost.reason());
            row
        }
    };
    row.time_ms = (!args.no_times).then(|| millis(start.elapsed()));
    row
}
