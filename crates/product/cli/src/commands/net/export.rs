//! `serval net export NET`.

mod checkers;

use serval::ExportError;
use serval::nets::export::{ModelChecker, NetLanguage, net_text, question_text};
use serval_report::nets::{net_dot, net_mermaid, net_svg};

use super::read;
use crate::args::{LustreEncoding, NetExport, NetForm};
use crate::failure::Failure;
use crate::input::shown;
use crate::output::{keep_input, write_to};

pub(super) fn run(args: &NetExport) -> Result<(), Failure> {
    for path in [&args.out, &args.map].into_iter().flatten() {
        keep_input(&args.net.file, Some(path))?;
    }
    check_options(args)?;
    let input = read::net(&args.net)?;
    let net = input.net();
    let file = shown(&args.net.file);
    let alone = |language| net_text(net, language).map_err(|error| failure(&error, Some(&file)));
    let asking = |checker, usual| {
        let questions = checkers::questions(args, &input, usual)?;
        question_text(net, checker, &questions).map_err(|error| failure(&error, None))
    };
    let text = match args.to {
        NetForm::Net => alone(NetLanguage::Tina)?,
        NetForm::Pnml => alone(NetLanguage::Pnml)?,
        NetForm::Lola => alone(NetLanguage::Lola)?,
        NetForm::Vass => alone(NetLanguage::Vass)?,
        NetForm::Dot => net_dot(net),
        NetForm::Svg => net_svg(net),
        NetForm::Mermaid => net_mermaid(net),
        NetForm::Smtlib => asking(ModelChecker::Smtlib, "deadlock-free")?,
        NetForm::Lustre => checkers::lustre(args, &input)?,
        NetForm::Horn => asking(ModelChecker::Horn, "deadlock-free")?,
        NetForm::Mist => asking(ModelChecker::Mist, "one-safe")?,
        NetForm::Vmt => asking(ModelChecker::Vmt, "deadlock-free")?,
        NetForm::Nuxmv => asking(ModelChecker::Nuxmv, "deadlock-free")?,
    };
    write_to(args.out.as_deref(), &text)
}

/// What cannot be written, as a failure; with the file, where it is about the net itself.
fn failure(error: &ExportError, file: Option<&str>) -> Failure {
    match (error, file) {
        (ExportError::NotAsMeant, _) => Failure::Internal,
        (ExportError::Reason(reason), Some(file)) => Failure::message(format!("{file}: {reason}")),
        (ExportError::Reason(reason), None) => Failure::message(reason.clone()),
    }
}

/// Options that only some forms have.
fn check_options(args: &NetExport) -> Result<(), Failure> {
    let is_lustre = args.to == NetForm::Lustre;
    let asks = is_lustre || matches!(args.to, NetForm::Smtlib | NetForm::Horn | NetForm::Mist | NetForm::Vmt | NetForm::Nuxmv);
    let wrong = [
        ("--encoding", args.encoding != LustreEncoding::Corrected && !is_lustre),
        ("--sets", args.sets.is_some() && !is_lustre),
        ("--assume-bounds", args.assume_bounds && !is_lustre),
        ("--map", args.map.is_some() && !is_lustre),
        ("--property", !args.property.is_empty() && !asks),
        ("--queries", !args.queries.is_empty() && !asks),
    ];
    match wrong.into_iter().find(|one| one.1) {
        Some((option @ ("--property" | "--queries"), _)) => {
            Err(Failure::message(format!("{option} is for --to lustre, horn, vmt, nuxmv, mist and smtlib")))
        }
        Some((option, _)) => Err(Failure::message(format!("{option} is for --to lustre"))),
        None => Ok(()),
    }
}
