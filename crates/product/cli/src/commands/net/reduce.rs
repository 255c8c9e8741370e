//! `serval net reduce NET`.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use serval::ExportError;
use serval::nets::export::{NetLanguage, net_text};
use serval::nets::{Net, NoReduction, ReducedNet, reduced_net};
use serval_report::counted;
use serval_report::escape::{self, name};
use serval_report::nets::{net_dot, net_mermaid, net_svg};

use super::read;
use crate::args::{NetReduce, ReducedForm};
use crate::commands::check::Status;
use crate::failure::Failure;
use crate::limits::{self, watched};
use crate::output::{keep_input, say, write_file, write_to};

/// Nodes that a line names, unless all are wanted.
const NAMED: usize = 8;

pub(super) fn run(args: &NetReduce) -> Result<ExitCode, Failure> {
    for path in [&args.out, &args.script].into_iter().flatten() {
        keep_input(&args.net.file, Some(path))?;
    }
    limits::limit_memory(args.limits.memory);
    let input = Arc::new(read::net(&args.net)?);
    let question = read::question(&args.property, &input)?;
    let (worker, asked, rules) = (Arc::clone(&input), question.clone(), args.reductions.rules());
    let reduced = watched(args.limits.time(), move |watch| {
        watch.glance();
        reduced_net(&worker, &asked, &rules, &watch.cancel()).map_err(|error| (error, watch.reason()))
    });
    let told = name(&question.name).into_owned();
    let smaller = match reduced {
        Ok(Ok(smaller)) => smaller,
        Ok(Err((NoReduction::Goals(goals), _))) => {
            return Err(Failure::message(format!(
                "{told} asks about {}; what does not matter is left out for one, such as reachable:FORMULA",
                counted(goals, "set of markings")
            )));
        }
        Ok(Err((NoReduction::Other, _))) => {
            return Err(Failure::message(format!("{told} does not ask whether markings can be reached, or a number does not fit 64 bits")));
        }
        Ok(Err((NoReduction::Stopped, reason))) => return Ok(stopped(&reason)),
        Err(lost) => return Ok(stopped(&lost.reason())),
    };
    if let Some(path) = &args.script {
        write_file(path, &smaller.script())?;
    }
    let text = match args.to {
        Some(form) => written(&smaller.net, form)?,
        None => described(input.net(), &smaller, args.verbose),
    };
    write_to(args.out.as_deref(), &text)?;
    Ok(ExitCode::SUCCESS)
}

/// Says why there is nothing.
fn stopped(reason: &str) -> ExitCode {
    say(&format!("nothing was left out: {reason}\n"));
    Status::Undecided.exit_code(false)
}

/// The smaller net in a form.
fn written(net: &Net, form: ReducedForm) -> Result<String, Failure> {
    let alone = |language| {
        net_text(net, language).map_err(|error| match error {
            ExportError::NotAsMeant => Failure::Internal,
            ExportError::Reason(reason) => Failure::message(reason),
        })
    };
    Ok(match form {
        ReducedForm::Net => alone(NetLanguage::Tina)?,
        ReducedForm::Pnml => alone(NetLanguage::Pnml)?,
        ReducedForm::Lola => alone(NetLanguage::Lola)?,
        ReducedForm::Dot => net_dot(net),
        ReducedForm::Svg => net_svg(net),
        ReducedForm::Mermaid => net_mermaid(net),
    })
}

/// What was left out, and what is left.
fn described(net: &Net, smaller: &ReducedNet, verbose: bool) -> String {
    let mut out = String::new();
    let left = &smaller.net;
    // Writing to a string does not fail.
    let _ = writeln!(out, "places       {} of {}", left.place_count(), net.place_count());
    let _ = writeln!(out, "transitions  {} of {}", left.transition_count(), net.transition_count());
    let question = smaller.question.as_deref().map_or("it nests too deep for words".into(), escape::line);
    let _ = writeln!(out, "question     {question}");
    for (kind, nodes) in &smaller.left_out {
        let most = if verbose { usize::MAX } else { NAMED };
        let mut names: Vec<String> = nodes.iter().take(most).map(|node| name(node).into_owned()).collect();
        if let Some(more) = nodes.len().checked_sub(most).filter(|&more| more > 0) {
            names.push(format!("… and {more} more"));
        }
        let _ = writeln!(out, "{kind:<11}  {}", names.join(", "));
    }
    out
}
