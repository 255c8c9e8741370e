//! `serval sql fix`: the smallest changes of scripts that are proved.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;

use serval::sql::SETTINGS;
use serval::sql::fixes::{FixAnswer, FixQuestion, FixSearch};
use serval_report::fix::Fixable;

use crate::args::{Fix, FixFormat, SqlArgs, SqlFix};
use crate::failure::Failure;
use crate::input::{Messages, shown};
use crate::limits::{self, Times};
use crate::output::{rewrite_file, say, write_to};
use crate::workload::{drawn, files_of, name_of};

/// `serval fix DIR`
pub(crate) fn of_directory(args: &Fix, messages: Messages) -> Result<ExitCode, Failure> {
    if args.lock.is_some() || args.strict || !args.keep.is_empty() || args.input.is_some() {
        return Err(Failure::message("--lock, --strict, --keep and --input are about programs, and this is a workload of SQL"));
    }
    let (limits, format) = (args.limits, args.format);
    let (isolation, observe, default_range, timeout_all) = Default::default();
    let directory = args.file.clone();
    run(&SqlFix { directory, apply: args.apply, isolation, observe, default_range, limits, timeout_all, format }, messages)
}

pub(super) fn run(args: &SqlFix, messages: Messages) -> Result<ExitCode, Failure> {
    limits::watch_interrupts();
    limits::limit_memory(args.limits.memory);
    let said = SqlArgs { isolation: None, observe: args.observe, default_range: args.default_range.clone() };
    let paths = std::slice::from_ref(&args.directory);
    let (mut files, name) = (files_of(paths, &said, messages)?, name_of(paths));
    if let Some(level) = args.isolation {
        let line = format!("isolation {}", level.words());
        match files.iter_mut().find(|(name, _)| name == SETTINGS) {
            Some((_, text)) => *text = format!("{text}\n{line}"),
            None => files.push((SETTINGS.to_owned(), line)),
        }
    }
    crate::workload::read_files(&files, &name, messages)?;
    let mut search = FixSearch::new(&files).map_err(|mistakes| Failure::Input(drawn(&mistakes, &name, messages)))?;
    let all = args.timeout_all.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    let times = Times::start(args.limits.time(), all);
    let on_terminal = !messages.quiet && std::io::stderr().is_terminal();
    let mut stopped = None;
    while let Some(question) = search.next_question() {
        let answer = answered(&search, &question, args, &times)?;
        search.answer(&question, answer);
        if limits::is_interrupted() {
            stopped = Some("interrupted".to_owned());
        } else if times.is_over() {
            stopped = Some("--timeout-all is over".to_owned());
        }
        if stopped.is_some() {
            break;
        }
        if on_terminal {
            say(&format!("\r\x1b[K{}", search.progress()));
        }
    }
    if on_terminal {
        say("\r\x1b[K");
    }
    let report = search.report(&name, stopped);
    write_to(
        None,
        &match args.format {
            FixFormat::Json => report.to_json(),
            FixFormat::Text if messages.quiet => report.to_line(),
            FixFormat::Text => report.to_text(args.apply.is_none(), messages.look),
        },
    )?;
    if limits::is_interrupted() {
        return Ok(ExitCode::from(130));
    }
    if let Some(number) = args.apply {
        apply(args, number, &search, messages)?;
    }
    Ok(ExitCode::from(match report.fix {
        Fixable::NotNeeded | Fixable::Found => 0,
        Fixable::None => 1,
        Fixable::Unknown => 3,
    }))
}

fn answered(search: &FixSearch, question: &FixQuestion, args: &SqlFix, times: &Times) -> Result<FixAnswer, Failure> {
    // The model may not have what the text says then.
    let Ok(workload) = search.workload(question) else { return Ok(FixAnswer::Unusable) };
    let report = super::decided(workload, args.limits.jobs.unwrap_or(0), times)?;
    Ok(search.answer_of(&report))
}

/// Writes a fix into the files.
fn apply(args: &SqlFix, number: usize, search: &FixSearch, messages: Messages) -> Result<(), Failure> {
    let texts = search.texts();
    if texts.is_empty() {
        return Ok(());
    }
    let Some(files) = number.checked_sub(1).and_then(|index| texts.get(index)) else {
        let there = if texts.len() == 1 { "there is 1".to_owned() } else { format!("there are {}", texts.len()) };
        return Err(Failure::message(format!("there is no fix {number}; {there}")));
    };
    for (file, text) in files {
        let path = args.directory.join(file);
        let written = rewrite_file(&path, text)?;
        if !messages.quiet {
            say(&format!("fix {number} is written to {}{}\n", shown(&path), written.words()));
        }
    }
    Ok(())
}
