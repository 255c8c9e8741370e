//! `serval bench --ablation`: the published pipeline on the given files, with
//! all its switches on, each of them off, and all off.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use serval::ablation::{End, Setting, Trial, figures, settings, trial};
use serval::export::{ExportNames, Systems};
use serval::{ClassicOptions, CompileOptions, NetworkSystem};
use serval_report::bench::AblationReport;

use super::subjects::Subject;
use crate::args::{Bench, BenchFormat};
use crate::failure::Failure;
use crate::input::{File, Messages, not_compiled};
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
    let mut report = AblationReport { settings: Vec::new(), cap: ClassicOptions::default().max_components, times: !args.no_times };
    let mut verdicts: Vec<Option<End>> = vec![None; systems.len()];
    for Setting { name, options } in settings() {
        let mut trials = Vec::with_capacity(systems.len());
        for ((file, system), verdict) in systems.iter().zip(&mut verdicts) {
            let start = Instant::now();
            let (own, chosen) = (Arc::clone(system), options.clone());
            let ended = watched(timeout, move |watch| trial(&own, &chosen, &watch.cancel(), &|| start.elapsed()));
            let ended = match ended {
                Ok(ended) => ended,
                Err(Lost::Panicked) => return Err(Failure::Internal),
                Err(_) => Trial::cancelled(start.elapsed()),
            };
            if limits::is_interrupted() {
                return Ok(ExitCode::from(130));
            }
            if matches!(ended.end, End::Serializable | End::Refuted) && *verdict.get_or_insert(ended.end) != ended.end {
                // No switch may change an answer.
                return Err(Failure::message(format!("{file}: {name} gives another verdict; this is a bug in serval")));
            }
            trials.push(ended);
        }
        report.settings.push((name, figures(&trials)));
    }
    write_to(None, &written(args, &report)).map(|()| ExitCode::SUCCESS)
}

fn written(args: &Bench, report: &AblationReport) -> String {
    if args.format == BenchFormat::Markdown { report.to_markdown() } else { report.to_text() }
}

/// One system for all of a program, as published.
fn plain(subject: &Subject, messages: Messages) -> Result<Vec<NetworkSystem>, Failure> {
    let File { name, input } = subject.load()?.usable(Messages { quiet: true, ..messages })?;
    let systems = Systems::new(&input, CompileOptions { plain: true, pairs: None }, ExportNames::Given);
    let systems = systems.map_err(|error| not_compiled(&error, input.text(), &name, messages.style))?;
    Ok(systems.systems().cloned().collect())
}
