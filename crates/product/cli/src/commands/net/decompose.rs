//! `serval net decompose NET`.

use std::process::ExitCode;
use std::sync::Arc;

use serval::nets::{Formula, NetInput, TreeOptions, decomposed};
use serval_report::nets::{TreeAnswer, TreeReport, net_words_mistake};

use super::read;
use crate::args::{NetDecompose, TreeForm};
use crate::commands::check::Status;
use crate::failure::Failure;
use crate::input::name_of;
use crate::limits::{self, Lost, watched};
use crate::output::{say, write_to};

pub(super) fn run(args: &NetDecompose) -> Result<ExitCode, Failure> {
    limits::limit_memory(args.limits.memory);
    let input = Arc::new(read::net(&args.net)?);
    let (name, target) = target(args, &input)?;
    let (worker, steps) = (Arc::clone(&input), args.steps);
    let made = watched(args.limits.time(), move |watch| {
        watch.glance();
        let mut options = TreeOptions::default();
        (options.steps, options.cancel) = (steps, watch.cancel());
        let mut report = decomposed(&worker, &name, &target, &options);
        if report.answer == TreeAnswer::Undecided && watch.ended().is_some() {
            report.reason = Some(watch.reason());
        }
        report
    });
    let mut report = match made {
        Ok(report) => report,
        Err(lost) => {
            let is_bug = lost == Lost::Panicked;
            say(&format!("no decomposition: {}\n", lost.reason()));
            return Ok(if is_bug { Status::Internal } else { Status::Undecided }.exit_code(args.exit_zero));
        }
    };
    report.file = name_of(&args.net.file);
    write_to(args.out.as_deref(), &written(args, &report)?)?;
    if limits::is_interrupted() {
        return Ok(ExitCode::from(130));
    }
    let status = match report.answer {
        TreeAnswer::Reachable => Status::Fine,
        TreeAnswer::Unreachable => Status::NotSerializable,
        TreeAnswer::Undecided => Status::Undecided,
        TreeAnswer::Error => Status::Internal,
    };
    Ok(status.exit_code(args.exit_zero))
}

/// What is to be reached: as the command line says, or as the file itself asks.
fn target(args: &NetDecompose, input: &NetInput) -> Result<(String, Formula), Failure> {
    if let Some(text) = &args.target {
        let target = input.target(text).map_err(|error| Failure::Input(net_words_mistake(&error, text, input.net())))?;
        return Ok((text.clone(), target));
    }
    match input.own_targets() {
        [target] => Ok((input.target_in_words(target).unwrap_or_else(|| "target".to_owned()), target.clone())),
        [] => Err(Failure::message("say what is to be reached: --target 'p0=1, q=3', or a formula; the file asks nothing itself")),
        several => Err(Failure::message(format!("the file asks about {} targets; say which: --target", several.len()))),
    }
}

fn written(args: &NetDecompose, report: &TreeReport) -> Result<String, Failure> {
    if let Some(number) = args.node {
        let Some(node) = report.nodes.get(number) else {
            return Err(Failure::message(format!(
                "there is no sequence {number}; the last one is {}",
                report.nodes.len().saturating_sub(1)
            )));
        };
        return match args.to {
            TreeForm::Dot => Ok(node.to_dot()),
            TreeForm::Svg => Ok(node.to_svg()),
            TreeForm::Text | TreeForm::Json | TreeForm::Html => Err(Failure::message("--node is for pictures: --to dot or svg")),
        };
    }
    Ok(match args.to {
        TreeForm::Text => report.to_text(args.explain, args.verbose),
        TreeForm::Json => report.to_json(),
        TreeForm::Dot => report.to_dot(),
        TreeForm::Svg => report.to_svg(),
        TreeForm::Html => report.to_html(env!("CARGO_PKG_VERSION")),
    })
}
