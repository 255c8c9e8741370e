//! `serval bench --ablation`: the published pipeline on the given files, with
//! all its switches on, each of them off, and all off.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use serval::Content;
use serval_budget::Budget;
use serval_classic_engine::Stages;
use serval_classic_engine::ablation::{End, Figures, Setting, Trial, settings};
use serval_compile::{Mode, Options, compile};

use serval_model::NetworkSystem;
use serval_report::bench::AblationReport;
use serval_report::render_diagnostics;

use super::subjects::Subject;
use crate::args::{Bench, BenchFormat};
use crate::failure::Failure;
use crate::input::{File, Messages};
use crate::limits::{self, Lost, watched};
use crate::output::write_to;

/// Prints the table.
pub(super) fn run(args: &Bench, subjects: &[Arc<Subject>], messages: Messages) -> Result<ExitCode, Failure> {
    if let Some(other) = args.method.iter().find(|name| !matches!(name.as_str(), "auto" | "classic")) {
        return Err(Failure::message(format!("--ablation is about the method classic, not {other}")));
    }
    if !matches!(args.format, BenchFormat::Text | BenchFormat::Markdown) {
        return Err(Failure::message("--ablation writes text and markdown"));
    }
    limits::watch_interrupts();
    limits::limit_memory(args.limits.memory);
    let mut systems = Vec::new();
    for subject in subjects {
        systems.extend(plain(subject, messages)?.into_iter().map(|system| (subject.name.as_str(), Arc::new(system))));
    }
    let timeout = args.limits.time();
    let mut report =
        AblationReport { settings: Vec::new(), cap: serval_classic_engine::Options::default().max_components, times: !args.no_times };
    let mut verdicts: Vec<Option<End>> = vec![None; systems.len()];
    for Setting { name, options } in settings() {
        let mut trials = Vec::with_capacity(systems.len());
        for ((file, system), verdict) in systems.iter().zip(&mut verdicts) {
            let start = Instant::now();
            let (own, chosen) = (Arc::clone(system), options.clone());
            let trial =
                match watched(timeout, move |watch| serval_classic_engine::decide(&own, &chosen, &watch.cancel(), &|| start.elapsed())) {
                    Ok(report) => Trial::new(&report, start.elapsed()),
                    Err(Lost::Panicked) => return Err(Failure::Internal),
                    Err(_) => Trial { end: End::Cancelled, stages: Stages::default(), time: start.elapsed() },
                };
            if limits::is_interrupted() {
                return Ok(ExitCode::from(130));
            }
            if matches!(trial.end, End::Serializable | End::Refuted) && *verdict.get_or_insert(trial.end) != trial.end {
                // No switch may change an answer.
                return Err(Failure::message(format!("{file}: {name} gives another verdict; this is a bug in serval")));
            }
            trials.push(trial);
        }
        report.settings.push((name, Figures::of(&trials)));
    }
    write_to(None, &written(args, &report)).map(|()| ExitCode::SUCCESS)
}

fn written(args: &Bench, report: &AblationReport) -> String {
    if args.format == BenchFormat::Markdown { report.to_markdown() } else { report.to_text() }
}

/// One system for all of a program, as published.
fn plain(subject: &Subject, messages: Messages) -> Result<Vec<NetworkSystem>, Failure> {
    let File { name, input } = subject.load()?.usable(Messages { quiet: true, ..messages })?;
    let (text, content) = input.into_content();
    let program = match content {
        Content::Systems(systems) => return Ok(systems),
        Content::Program(program) => program,
    };
    let options = Options { mode: Mode::Plain, ..Options::default() };
    let compiled = compile(&program, options, &Budget::unlimited()).map_err(|error| match error.diagnostic(&text) {
        Some(diagnostic) => Failure::Input(render_diagnostics(&[diagnostic], &name, &text, messages.style)),
        None => Failure::message("stopped"),
    })?;
    Ok(compiled.components().iter().map(|component| component.system().clone()).collect())
}
