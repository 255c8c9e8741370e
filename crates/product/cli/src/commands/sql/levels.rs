//! `serval sql levels`: which isolation level is enough, script by script.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use serval::sql::Workload;
use serval::sql::levels::{LevelsAnswer, LevelsQuestion, LevelsSearch, levels_answer};
use serval_report::levels::{LevelsReport, LevelsVerdict};

use crate::args::{SqlArgs, SqlLevels, SqlLevelsCommand, SqlLevelsFormat, SqlLevelsMerge};
use crate::failure::Failure;
use crate::input::{self, Messages};
use crate::limits::{self, Times};
use crate::output::{say, write_file, write_to};
use crate::workload::{drawn, files_of, name_of};

pub(super) fn run(args: &SqlLevels, messages: Messages) -> Result<ExitCode, Failure> {
    if let Some(SqlLevelsCommand::Merge(args)) = &args.command {
        return merge(args, messages);
    }
    limits::watch_interrupts();
    limits::limit_memory(args.limits.memory);
    let paths: Vec<PathBuf> = args.directory.iter().cloned().collect();
    let said = SqlArgs { isolation: None, observe: args.observe, default_range: args.default_range.clone() };
    let (files, name) = (files_of(&paths, &said, messages)?, name_of(&paths));
    let wrong = |mistakes: Box<serval::sql::WorkloadMistakes>| Failure::Input(drawn(&mistakes, &name, messages));
    // What cannot be used at either level is a mistake of the input.
    Workload::at_some_level(&files).map_err(wrong)?;
    let mut search = LevelsSearch::new(&files, args.subsets, args.shard.map(|shard| [shard.number, shard.of])).map_err(wrong)?;
    let all = args.timeout_all.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    let times = Times::start(args.limits.time(), all);
    let on_terminal = !messages.quiet && std::io::stderr().is_terminal();
    loop {
        // Each question costs a translation, whatever time is left for its answer.
        if times.is_over() {
            search.stop(&times.next().reason());
        }
        let Some(question) = search.next_question() else { break };
        let answer = answered(&mut search, &question, args, &times)?;
        search.answer(&question, answer);
        if limits::is_interrupted() {
            break;
        }
        if args.progress {
            say(&format!("{}\n", search.progress()));
        } else if on_terminal {
            say(&format!("\r\x1b[K{}", search.progress()));
        }
    }
    if on_terminal && !args.progress {
        say("\r\x1b[K");
    }
    told(&search.report(&name, env!("CARGO_PKG_VERSION")), args.format, args.html.as_deref(), messages)
}

fn answered(search: &mut LevelsSearch, question: &LevelsQuestion, args: &SqlLevels, times: &Times) -> Result<LevelsAnswer, Failure> {
    let workload = match search.workload(question) {
        Ok(workload) => workload,
        Err(mistakes) => return Ok(LevelsAnswer::Open(mistakes.first().to_owned())),
    };
    let report = super::decided(workload, args.limits.jobs.unwrap_or(0), times)?;
    Ok(levels_answer(question, search.names(), &report))
}

fn merge(args: &SqlLevelsMerge, messages: Messages) -> Result<ExitCode, Failure> {
    let read = |path: &PathBuf| {
        let name = input::shown(path);
        let text = input::plain_text(path)?;
        let report = LevelsReport::of_json(&text);
        let report =
            report.map_err(|why| Failure::message(format!("{name} is not what `serval sql levels --format json` writes: {why}")))?;
        Ok((name, report))
    };
    let parts = args.files.iter().map(read).collect::<Result<Vec<_>, Failure>>()?;
    let workload = parts.first().map_or_else(String::new, |(_, part)| part.workload.clone());
    let search = LevelsSearch::merged(&parts).map_err(Failure::message)?;
    told(&search.report(&workload, env!("CARGO_PKG_VERSION")), args.format, args.html.as_deref(), messages)
}

fn told(report: &LevelsReport, format: SqlLevelsFormat, page: Option<&std::path::Path>, messages: Messages) -> Result<ExitCode, Failure> {
    if let Some(path) = page {
        write_file(path, &report.to_html())?;
    }
    let text = match format {
        SqlLevelsFormat::Json => report.to_json(),
        SqlLevelsFormat::Markdown => report.to_markdown(),
        SqlLevelsFormat::Text if messages.quiet => report.to_line(),
        SqlLevelsFormat::Text => report.to_text(messages.look),
    };
    write_to(None, &text)?;
    Ok(match report.verdict {
        _ if limits::is_interrupted() => ExitCode::from(130),
        LevelsVerdict::Proved | LevelsVerdict::Assumed => ExitCode::SUCCESS,
        LevelsVerdict::Undecided => ExitCode::from(3),
    })
}
